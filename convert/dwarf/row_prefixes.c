/*
 * Looks for one kind of opcode at all places before it looks for the next, beginning with the last of the order: so
 * what may stand behind an opcode is known when it is found. None of this needs a branch. It is compiled twice for
 * x86-64: with AVX2, which most of these processors have, it takes half the instructions.
 */
#include "convert/dwarf/row_prefixes.h"

#include <dwarf.h>
#include <string.h>

#include "base/always_inline.h"

/* Bytes that compilers handle together where the processor can. */
typedef uint8_t lanes __attribute__((vector_size(PREFIX_LANES)));

static ALWAYS_INLINE lanes load(const uint8_t *p)
{
	lanes bytes;
	memcpy(&bytes, p, sizeof(bytes));
	return bytes;
}

static ALWAYS_INLINE void store(uint8_t *p, lanes bytes)
{
	memcpy(p, &bytes, sizeof(bytes));
}

/* All bits of a lane are set where the byte is `byte`. */
static ALWAYS_INLINE lanes is(const uint8_t *p, uint8_t byte)
{
	return (lanes)(load(p) == byte);
}

/* All bits of a lane are set where a number in LEB128 ends. */
static ALWAYS_INLINE lanes is_last(const uint8_t *p)
{
	return (lanes)(load(p) < 0x80);
}

/* Where `found` is set, an opcode of `size` bytes stands before what was found behind it. */
static ALWAYS_INLINE void prepend(uint8_t *sizes, lanes found, uint8_t size)
{
	lanes both_sizes = load(sizes + size) + (uint8_t)(size << 4 | size);
	/* The sizes are still 0 there: a byte begins one opcode only, and each is looked for once. */
	store(sizes, load(sizes) + (found & both_sizes));
}

static ALWAYS_INLINE void find(struct row_prefixes *ret, const uint8_t *p, const uint8_t *end)
{
	/* Up to PREFIX_LANES bytes behind the last place are read. */
	size_t left = (size_t)(end - p) - PREFIX_LANES;
	size_t size = left < PREFIX_BYTES_MAX ? left / PREFIX_LANES * PREFIX_LANES : PREFIX_BYTES_MAX;
	uint8_t *sizes = ret->sizes;
	ret->start = p;
	ret->size = size;
	store(sizes + size, (lanes){0});

	for (size_t i = 0; i < size; i += PREFIX_LANES) {
		lanes one = is_last(p + i + 1), two = is_last(p + i + 2);
		lanes line = is(p + i, DW_LNS_advance_line) & ((one & 2) | (two & ~one & 3));
		store(sizes + i, line | (is(p + i, DW_LNS_const_add_pc) & 1));
	}
	for (size_t i = 0; i < size; i += PREFIX_LANES)
		prepend(sizes + i, is(p + i, DW_LNS_negate_stmt), 1);
	for (size_t i = 0; i < size; i += PREFIX_LANES)
		prepend(sizes + i, is(p + i, 0) & is(p + i + 1, 2) & is(p + i + 2, DW_LNE_set_discriminator), 4);
	for (size_t i = 0; i < size; i += PREFIX_LANES)
		prepend(sizes + i, is(p + i, DW_LNS_set_column) & is_last(p + i + 1), 2);
	for (size_t i = 0; i < size; i += PREFIX_LANES)
		prepend(sizes + i, is(p + i, DW_LNS_set_file) & is_last(p + i + 1), 2);
}

void row_prefixes_find_plain(struct row_prefixes *ret, const uint8_t *p, const uint8_t *end)
{
	find(ret, p, end);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void find_by_avx2(struct row_prefixes *ret, const uint8_t *p, const uint8_t *end)
{
	find(ret, p, end);
}

void row_prefixes_find(struct row_prefixes *ret, const uint8_t *p, const uint8_t *end)
{
	if (__builtin_cpu_supports("avx2"))
		find_by_avx2(ret, p, end);
	else
		row_prefixes_find_plain(ret, p, end);
}
#else
void row_prefixes_find(struct row_prefixes *ret, const uint8_t *p, const uint8_t *end)
{
	row_prefixes_find_plain(ret, p, end);
}
#endif
