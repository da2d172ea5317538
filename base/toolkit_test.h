/* What the tests of convert share: numbers that look random but are the same in every run, and bytes in the making. */
#ifndef LOCUS_TOOLKIT_TEST_H
#define LOCUS_TOOLKIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mix64.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* In [0, below). */
static inline uint32_t random_below(uint64_t *state, uint32_t below)
{
	return (uint32_t)(random_next(state) % below);
}

static inline bool random_one_in(uint64_t *state, uint32_t n)
{
	return random_below(state, n) == 0;
}

/* Bytes that grow. Zeroed before the first use. */
struct bytes {
	uint8_t *data;
	size_t size;
	size_t room;
	bool big; /* numbers are written big-endian */
};

static inline void bytes_done(struct bytes *b)
{
	free(b->data);
	*b = (struct bytes){0};
}

static inline void put_bytes(struct bytes *b, const void *data, size_t size)
{
	if (b->size + size > b->room) {
		b->room = (b->size + size) * 2;
		b->data = realloc(b->data, b->room);
		assert_non_null(b->data);
	}
	if (size)
		memcpy(b->data + b->size, data, size);
	b->size += size;
}

/* Puts a number over what stands at `at`. */
static inline void patch_number(struct bytes *b, size_t at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		b->data[at + i] = (uint8_t)(value >> 8 * (b->big ? size - 1 - i : i));
}

static inline void put_number(struct bytes *b, uint64_t value, unsigned size)
{
	const uint8_t zeros[sizeof(value)] = {0};
	put_bytes(b, zeros, size);
	patch_number(b, b->size - size, value, size);
}

static inline void put_u8(struct bytes *b, uint8_t value)
{
	put_bytes(b, &value, 1);
}

static inline void put_uleb(struct bytes *b, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		put_u8(b, (uint8_t)(value | 0x80));
	put_u8(b, (uint8_t)value);
}

static inline void put_sleb(struct bytes *b, int64_t value)
{
	bool more = true;
	while (more) {
		uint8_t low = value & 0x7f;
		value >>= 7;
		more = value != (low & 0x40 ? -1 : 0);
		put_u8(b, (uint8_t)(low | (more ? 0x80 : 0)));
	}
}

static inline void put_string(struct bytes *b, const char *string)
{
	put_bytes(b, string, strlen(string) + 1);
}

/* A copy in a block of exactly that size, so that a sanitizer sees a read of one byte too many. The caller frees it. */
static inline uint8_t *exact_copy(const void *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	assert_non_null(copy);
	if (size)
		memcpy(copy, data, size);
	return copy;
}

#endif
