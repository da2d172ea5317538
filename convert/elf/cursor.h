/*
 * A cursor over untrusted DWARF bytes. It remembers its first error, so that parsers read on and check once in the end.
 */
#ifndef LOCUS_CURSOR_H
#define LOCUS_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Reading past `end` sets `bad`, moves `p` to `end` and gives 0; every later read gives 0 too. */
struct cursor {
	const uint8_t *p;
	const uint8_t *end;
	bool swap; /* the bytes have the other byte order than this machine's */
	bool bad;
};

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

static inline void cursor_fail(struct cursor *c)
{
	c->p = c->end;
	c->bad = true;
}

static inline void cursor_skip(struct cursor *c, uint64_t size)
{
	if (__builtin_expect(size > cursor_left(c), 0))
		cursor_fail(c);
	else
		c->p += size;
}

static inline uint8_t cursor_u8(struct cursor *c)
{
	if (__builtin_expect(c->p == c->end, 0)) {
		c->bad = true;
		return 0;
	}
	return *c->p++;
}

static inline uint16_t cursor_u16(struct cursor *c)
{
	uint16_t v;
	if (__builtin_expect(cursor_left(c) < sizeof(v), 0)) {
		cursor_fail(c);
		return 0;
	}
	memcpy(&v, c->p, sizeof(v));
	c->p += sizeof(v);
	return c->swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t cursor_u32(struct cursor *c)
{
	uint32_t v;
	if (__builtin_expect(cursor_left(c) < sizeof(v), 0)) {
		cursor_fail(c);
		return 0;
	}
	memcpy(&v, c->p, sizeof(v));
	c->p += sizeof(v);
	return c->swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t cursor_u64(struct cursor *c)
{
	uint64_t v;
	if (__builtin_expect(cursor_left(c) < sizeof(v), 0)) {
		cursor_fail(c);
		return 0;
	}
	memcpy(&v, c->p, sizeof(v));
	c->p += sizeof(v);
	return c->swap ? __builtin_bswap64(v) : v;
}

/* DW_FORM_strx3 and addrx3: three bytes in the file's order. */
static inline uint32_t cursor_u24(struct cursor *c)
{
	uint32_t a = cursor_u8(c), b = cursor_u8(c), d = cursor_u8(c);
	bool big = c->swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	return big ? a << 16 | b << 8 | d : d << 16 | b << 8 | a;
}

/* The slow path of cursor_unsigned, which is kept out of the loops that read numbers. */
__attribute__((noinline, unused)) static uint64_t cursor_unsigned_exactly(struct cursor *c, unsigned size)
{
	switch (size) {
	case 8:
		return cursor_u64(c);
	case 4:
		return cursor_u32(c);
	case 2:
		return cursor_u16(c);
	case 1:
		return cursor_u8(c);
	case 3:
		return cursor_u24(c);
	default:
		cursor_fail(c);
		return 0;
	}
}

/* Whether numbers can be read as number_at does. */
static inline bool cursor_is_native(const struct cursor *c)
{
	return !c->swap && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

static const uint64_t number_masks[17] = {0, 0xff, 0xffff, 0xffffff, 0xffffffff, [8] = UINT64_MAX};

/*
 * The number of `size` bytes at `p`: 1, 2, 3, 4 or 8. Of other sizes up to 16 it is 0. Eight bytes are read, of which
 * the low ones are the number, so the machine and the bytes must be little-endian.
 */
static inline uint64_t number_at(const uint8_t *p, unsigned size)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	return v & number_masks[size];
}

/* An unsigned number of `size` bytes: 1, 2, 3, 4 or 8; other sizes are an error. */
static inline uint64_t cursor_unsigned(struct cursor *c, unsigned size)
{
	/* Mostly eight bytes can be read. */
	bool readable = cursor_is_native(c) && cursor_left(c) >= sizeof(uint64_t);
	if (__builtin_expect(!readable || size >= 9 || !number_masks[size], 0))
		return cursor_unsigned_exactly(c, size);
	uint64_t v = number_at(c->p, size);
	c->p += size;
	return v;
}

/* DWARF 5, 7.6. Bits above the 64th are lost, as in other readers; a number without an end is an error. */
static inline uint64_t cursor_uleb(struct cursor *c)
{
	if (__builtin_expect(c->p < c->end && *c->p < 0x80, 1))
		return *c->p++;
	uint64_t v = 0;
	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = cursor_u8(c);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
}

/* Two unsigned numbers, mostly of a byte each. */
static inline void cursor_uleb_pair(struct cursor *c, uint64_t *ret_a, uint64_t *ret_b)
{
	if (__builtin_expect(cursor_left(c) >= 2 && !((c->p[0] | c->p[1]) & 0x80), 1)) {
		*ret_a = c->p[0];
		*ret_b = c->p[1];
		c->p += 2;
	} else {
		*ret_a = cursor_uleb(c);
		*ret_b = cursor_uleb(c);
	}
}

static inline int64_t cursor_sleb(struct cursor *c)
{
	uint64_t v = 0;
	for (unsigned shift = 0;;) {
		uint8_t byte = cursor_u8(c);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80)) {
			if (shift < 64 && (byte & 0x40))
				v |= ~UINT64_C(0) << shift;
			return (int64_t)v;
		}
	}
}

/* A NUL-terminated string inside the bytes; NULL and an error where the NUL is missing. */
static inline const char *cursor_string(struct cursor *c)
{
	const uint8_t *nul = memchr(c->p, 0, cursor_left(c));
	if (!nul) {
		cursor_fail(c);
		return NULL;
	}
	const char *s = (const char *)c->p;
	c->p = nul + 1;
	return s;
}

enum { INITIAL_LENGTH_MAX = 12 }; /* bytes of a length, in the 64-bit format */

/* DWARF 5, 7.4: a unit's length; *ret_offset_size becomes 4 or 8. Reserved values are an error. */
static inline uint64_t cursor_initial_length(struct cursor *c, uint8_t *ret_offset_size)
{
	uint64_t length = cursor_u32(c);
	*ret_offset_size = 4;
	if (length == 0xffffffff) {
		*ret_offset_size = 8;
		length = cursor_u64(c);
	} else if (length >= 0xfffffff0) {
		cursor_fail(c);
		return 0;
	}
	return length;
}

#endif
