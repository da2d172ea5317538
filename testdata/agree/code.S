/* Assembler code of the agreement matrix: rows without a subprogram, an untyped label, an unsized function. */
	.text
	.globl asm_plain
	.type asm_plain, @function
asm_plain:
	nop
	nop
	ret
	.size asm_plain, . - asm_plain
asm_label:
	nop
	ret
	.globl asm_unsized
	.type asm_unsized, @function
asm_unsized:
	nop
	ret
	.section .note.GNU-stack,"",@progbits
