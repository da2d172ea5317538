/* The forms of entries as each psABI gives them, and as GNU ld, gold, lld and mold write them. */
#include "convert/symbols/plt_jump.h"

#include <elf.h>
#include <string.h>

#include "convert/elf/cursor.h"

static uint32_t read_u32(const uint8_t *bytes)
{
	struct cursor c = {.p = bytes, .end = bytes + 4, .swap = __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__};
	return cursor_u32(&c);
}

static uint32_t read_u32_big(const uint8_t *bytes)
{
	return __builtin_bswap32(read_u32(bytes));
}

static uint64_t sign_extend(uint64_t value, unsigned bits)
{
	uint64_t sign = UINT64_C(1) << (bits - 1);
	return (value ^ sign) - sign;
}

/* ---- x86 ---- */

enum { CALL = 0xe8, JUMP = 0xe9, LAZY_RETPOLINE_SIZE = 32 };

/* The size of an endbr64 or endbr32 at the start, which marks places that code may jump to; else 0. */
static size_t landing_pad(const struct plt_code *code, uint8_t last)
{
	const uint8_t pad[] = {0xf3, 0x0f, 0x1e, last};
	return code->size > sizeof(pad) && memcmp(code->bytes, pad, sizeof(pad)) == 0 ? sizeof(pad) : 0;
}

/*
 * mov SLOT(%rip), %r11 and a jump to code that jumps there with a return: of lld, for processors that must not guess
 * where indirect jumps lead (-z retpolineplt). Where slots are not bound at once, a call stands before the jump.
 */
static bool read_x86_64_retpoline(const struct plt_code *code, struct plt_jump *ret)
{
	static const uint8_t mov[] = {0x4c, 0x8b, 0x1d};
	const uint8_t *bytes = code->bytes;
	if (code->size < 8 || memcmp(bytes, mov, sizeof(mov)) != 0 || (bytes[7] != CALL && bytes[7] != JUMP))
		return false;
	ret->target = code->addr + 7 + sign_extend(read_u32(bytes + 3), 32);
	ret->size = bytes[7] == CALL ? LAZY_RETPOLINE_SIZE : 0;
	return true;
}

/*
 * A jump through a slot relative to rip, for which mold puts the entry's number into %r11d; or, if it is not bound yet,
 * push $number.
 */
static bool read_x86_64(const struct plt_code *code, struct plt_jump *ret)
{
	const uint8_t *bytes = code->bytes;
	size_t at = landing_pad(code, 0xfa);
	if (read_x86_64_retpoline(code, ret))
		return true;
	if (at + 5 <= code->size && bytes[at] == 0x68) {
		*ret = (struct plt_jump){.is_numbered = true, .target = read_u32(bytes + at + 1)};
		return true;
	}
	if (at + 6 <= code->size && bytes[at] == 0x41 && bytes[at + 1] == 0xbb)
		at += 6;
	at += at < code->size && bytes[at] == 0xf2; /* bnd */
	if (at + 6 > code->size || bytes[at] != 0xff || bytes[at + 1] != 0x25)
		return false;
	ret->target = code->addr + at + 6 + sign_extend(read_u32(bytes + at + 2), 32);
	return true;
}

/* push %eax; mov SLOT, %eax, or SLOT(%ebx), %eax; call: as in read_x86_64_retpoline. */
static bool read_i386_retpoline(const struct plt_code *code, struct plt_jump *ret)
{
	static const uint8_t relative[] = {0x50, 0x8b, 0x83}, absolute[] = {0x50, 0xa1};
	const uint8_t *bytes = code->bytes;
	bool is_relative = code->size >= sizeof(relative) && memcmp(bytes, relative, sizeof(relative)) == 0;
	bool is_absolute = code->size >= sizeof(absolute) && memcmp(bytes, absolute, sizeof(absolute)) == 0;
	size_t at = is_relative ? sizeof(relative) : sizeof(absolute);
	if (!(is_relative || is_absolute) || at + 5 > code->size || bytes[at + 4] != CALL)
		return false;
	ret->target = (uint32_t)((is_relative ? code->got : 0) + read_u32(bytes + at));
	ret->size = LAZY_RETPOLINE_SIZE;
	return true;
}

/*
 * A jump by the slot's address, or relative to %ebx, for which mold puts the relocation's offset into %ecx; or, if it
 * is not bound yet, push $offset.
 */
static bool read_i386(const struct plt_code *code, struct plt_jump *ret)
{
	const uint8_t *bytes = code->bytes;
	size_t at = landing_pad(code, 0xfb);
	if (read_i386_retpoline(code, ret))
		return true;
	if (at + 5 <= code->size && bytes[at] == 0x68) {
		*ret = (struct plt_jump){.is_numbered = true, .target = read_u32(bytes + at + 1) / sizeof(Elf32_Rel)};
		return true;
	}
	if (at + 5 <= code->size && bytes[at] == 0xb9)
		at += 5;
	if (at + 6 > code->size || bytes[at] != 0xff || (bytes[at + 1] != 0x25 && bytes[at + 1] != 0xa3))
		return false;
	uint32_t base = bytes[at + 1] == 0xa3 ? (uint32_t)code->got : 0;
	ret->target = (uint32_t)(base + read_u32(bytes + at + 2));
	return true;
}

/*
 * In %ebx mold's code has the address of .got and not of .got.plt; the distance of the two is in what its table begins
 * with: push %ecx; lea .got.plt+4-.got(%ebx), %ecx.
 */
static uint64_t find_got_i386(const struct plt_code *code)
{
	static const uint8_t head[] = {0xf3, 0x0f, 0x1e, 0xfb, 0x51, 0x8d, 0x8b};
	if (code->size < sizeof(head) + 4 || memcmp(code->bytes, head, sizeof(head)) != 0)
		return code->got;
	return (uint32_t)(code->got + 4 - read_u32(code->bytes + sizeof(head)));
}

/* ---- Arm ---- */

/*
 * adrp x16, PAGE; ldr x17, [x16, OFFSET], maybe behind a landing pad; add x16, x16, OFFSET; maybe autia1716, which
 * authenticates the address; br x17.
 */
static bool read_aarch64(const struct plt_code *code, struct plt_jump *ret)
{
	enum { BTI_C = 0xd503245fu, AUTIA1716 = 0xd503219fu, ENTRY_SIZE = 16 };
	uint32_t pad = code->size >= 4 && read_u32(code->bytes) == BTI_C ? 4 : 0;
	if (pad + 8 > code->size)
		return false;
	uint32_t adrp = read_u32(code->bytes + pad), ldr = read_u32(code->bytes + pad + 4);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	uint64_t pages = sign_extend((uint64_t)(adrp >> 3 & 0x1ffffc) | (adrp >> 29 & 3), 21);
	uint64_t page = ((code->addr + pad) & ~UINT64_C(0xfff)) + (pages << 12);
	bool authenticates = pad + 16 <= code->size && read_u32(code->bytes + pad + 12) == AUTIA1716;
	*ret = (struct plt_jump){.target = page + (ldr >> 10 & 0xfff) * 8,
				 .size = ENTRY_SIZE + pad + (authenticates ? 4 : 0)};
	return true;
}

/* An immediate operand: a byte, rotated right by twice the number in the bits above it. */
static uint32_t arm_immediate(uint32_t code)
{
	uint32_t value = code & 0xff, by = (code >> 8 & 0xf) * 2;
	return by ? value >> by | value << (32 - by) : value;
}

/* ldr ip, DISTANCE; add ip, ip, pc; ldr pc, [ip]; DISTANCE: of mold, and of lld where the slot is far away. */
static bool read_arm_far(const struct plt_code *code, struct plt_jump *ret)
{
	enum { ENTRY_SIZE = 16, LDR_IP = 0xe59fc004u, ADD_IP_PC = 0xe08cc00fu, LDR_PC = 0xe59cf000u };
	const uint8_t *bytes = code->bytes;
	if (code->size < ENTRY_SIZE || read_u32(bytes) != LDR_IP || read_u32(bytes + 4) != ADD_IP_PC ||
	    read_u32(bytes + 8) != LDR_PC)
		return false;
	*ret = (struct plt_jump){.target = (uint32_t)(code->addr + 4 + 8 + read_u32(bytes + 12)), .size = ENTRY_SIZE};
	return true;
}

/* add ip, pc, #A; add ip, ip, #B, once or twice; ldr pc, [ip, #C]!; maybe behind a way in from Thumb code. */
static bool read_arm(const struct plt_code *code, struct plt_jump *ret)
{
	enum { BX_PC_NOP = 0x46c04778u, ADD_IP_PC = 0xe28fc000u, ADD_IP_IP = 0xe28cc000u, LDR_PC = 0xe5bcf000u };
	const uint8_t *bytes = code->bytes;
	size_t at = code->size >= 4 && read_u32(bytes) == BX_PC_NOP ? 4 : 0;
	if (at + 12 > code->size || (read_u32(bytes + at) & 0xfffff000) != ADD_IP_PC)
		return read_arm_far(code, ret);
	uint32_t target = (uint32_t)code->addr + (uint32_t)at + 8 + arm_immediate(read_u32(bytes + at));
	for (at += 4; at + 4 <= code->size && (read_u32(bytes + at) & 0xfffff000) == ADD_IP_IP; at += 4)
		target += arm_immediate(read_u32(bytes + at));
	if (at + 4 > code->size || (read_u32(bytes + at) & 0xfffff000) != LDR_PC)
		return false;
	*ret = (struct plt_jump){.target = (uint32_t)(target + (read_u32(bytes + at) & 0xfff)),
				 .size = (uint32_t)at + 4};
	return true;
}

/* ---- Others ---- */

/* auipc t3, HIGH; ld or lw t3, LOW(t3); jalr t1, t3; nop. */
static bool read_riscv(const struct plt_code *code, struct plt_jump *ret)
{
	enum { ENTRY_SIZE = 16, AUIPC_T3 = 0xe17, LD_T3 = 0xe3e03, LW_T3 = 0xe2e03 };
	if (code->size < ENTRY_SIZE)
		return false;
	uint32_t auipc = read_u32(code->bytes), load = read_u32(code->bytes + 4);
	if ((auipc & 0xfff) != AUIPC_T3 || ((load & 0xfffff) != LD_T3 && (load & 0xfffff) != LW_T3))
		return false;
	uint64_t target = code->addr + sign_extend(auipc & 0xfffff000, 32) + sign_extend(load >> 20, 12);
	*ret = (struct plt_jump){.target = target, .size = ENTRY_SIZE};
	return true;
}

/* larl %r1, SLOT, in half-words from here; lg %r1, 0(%r1). */
static bool read_s390x(const struct plt_code *code, struct plt_jump *ret)
{
	enum { ENTRY_SIZE = 32 };
	static const uint8_t larl[] = {0xc0, 0x10}, lg[] = {0xe3, 0x10, 0x10, 0x00, 0x00, 0x04};
	if (code->size < ENTRY_SIZE || memcmp(code->bytes, larl, sizeof(larl)) != 0 ||
	    memcmp(code->bytes + 6, lg, sizeof(lg)) != 0)
		return false;
	uint64_t distance = sign_extend(read_u32_big(code->bytes + 2), 32);
	*ret = (struct plt_jump){.target = code->addr + 2 * distance, .size = ENTRY_SIZE};
	return true;
}

const struct plt_machine *plt_machine_find(uint16_t machine, uint8_t class, uint8_t data)
{
	static const struct plt_machine machines[] = {
		{EM_X86_64, ELFCLASS64, ELFDATA2LSB, 0, read_x86_64, NULL, R_X86_64_IRELATIVE},
		{EM_386, ELFCLASS32, ELFDATA2LSB, 0, read_i386, find_got_i386, R_386_IRELATIVE},
		{EM_AARCH64, ELFCLASS64, ELFDATA2LSB, 4, read_aarch64, NULL, R_AARCH64_IRELATIVE},
		{EM_ARM, ELFCLASS32, ELFDATA2LSB, 4, read_arm, NULL, R_ARM_IRELATIVE},
		{EM_RISCV, ELFCLASS64, ELFDATA2LSB, 4, read_riscv, NULL, R_RISCV_IRELATIVE},
		{EM_RISCV, ELFCLASS32, ELFDATA2LSB, 4, read_riscv, NULL, R_RISCV_IRELATIVE},
		{EM_S390, ELFCLASS64, ELFDATA2MSB, 4, read_s390x, NULL, R_390_IRELATIVE},
	};
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].machine == machine && machines[i].class == class && machines[i].data == data)
			return &machines[i];
	return NULL;
}
