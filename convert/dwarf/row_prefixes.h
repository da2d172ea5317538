/*
 * Looks ahead in a line program: which bytes stand before the opcode that makes the next row. Compilers write the
 * opcodes before it in one order, each only where it is needed. Which of them there are can hardly be foreseen, so a
 * branch for each would take longer than what it decides.
 */
#ifndef LOCUS_ROW_PREFIXES_H
#define LOCUS_ROW_PREFIXES_H

#include <stddef.h>
#include <stdint.h>

enum {
	PREFIX_LANES = 32,                  /* bytes that are looked at at once */
	PREFIX_BYTES_MAX = 1024,            /* bytes that are looked at by one call */
	PREFIX_BYTES_MIN = 2 * PREFIX_LANES /* bytes that must be left in the program */
};

/*
 * For each byte of [start, start + size) what stands there if an opcode begins at it: set_file, set_column, a
 * discriminator, negate_stmt, and either advance_line or const_add_pc; each may be missing. Operands are of one byte,
 * that of advance_line of one or two. At least four bytes of the program stand behind all of this.
 */
struct row_prefixes {
	const uint8_t *start;
	size_t size;
	/* The low four bits: the size of it all. The high four: the size of what is before the last of the five. */
	uint8_t sizes[PREFIX_BYTES_MAX + PREFIX_LANES];
};

/* Fills `ret` for the opcodes from `p` on; `end` is where the program ends, at least PREFIX_BYTES_MIN bytes away. */
void row_prefixes_find(struct row_prefixes *ret, const uint8_t *p, const uint8_t *end);

/* The same, by instructions that every processor of the kind has. */
void row_prefixes_find_plain(struct row_prefixes *ret, const uint8_t *p, const uint8_t *end);

#endif
