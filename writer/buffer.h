/* A growing run of bytes with the primitive encodings of FORMAT.md 2. Remembers its first failed allocation. */
#ifndef LOCUS_BUFFER_H
#define LOCUS_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spec/format.h"

/* All zero is an empty buffer. After a failed allocation it stays empty, and `failed` says so. */
struct locus_buffer {
	uint8_t *data;
	size_t size;
	size_t capacity;
	bool failed;
};

void locus_buffer_done(struct locus_buffer *buffer);

/* Keeps the memory and the failure. */
void locus_buffer_clear(struct locus_buffer *buffer);

/* Makes room for `size` more bytes, and for some that may follow; false if there is none. */
bool locus_buffer_grow(struct locus_buffer *buffer, size_t size);

/* The same where nothing will follow: no memory is spare. */
bool locus_buffer_reserve(struct locus_buffer *buffer, size_t size);

/* These append; numbers are little-endian. If memory is out, `failed` is set and nothing is appended any more. */
void locus_buffer_put(struct locus_buffer *buffer, const void *data, size_t size);
void locus_buffer_put_zeros(struct locus_buffer *buffer, size_t size);
void locus_buffer_put_u16(struct locus_buffer *buffer, uint16_t value);
void locus_buffer_put_u32(struct locus_buffer *buffer, uint32_t value);
void locus_buffer_put_u64(struct locus_buffer *buffer, uint64_t value);

static inline void locus_buffer_put_byte(struct locus_buffer *buffer, uint8_t value)
{
	if (buffer->size == buffer->capacity && !locus_buffer_grow(buffer, 1))
		return;
	buffer->data[buffer->size++] = value;
}

/*
 * Writes a number as LEB128, seven bits a byte, low bits first, the high bit on all but the last; gives where it ends.
 * There is room for LOCUS_VARINT_MAX bytes. One byte or two are written without a branch: which it is, is as good as
 * random.
 */
static inline uint8_t *locus_varint_write(uint8_t *at, uint64_t value)
{
	if (value < 1 << 14) {
		bool is_long = value >= 0x80;
		at[0] = (uint8_t)(value | (unsigned)is_long << 7);
		at[1] = (uint8_t)(value >> 7);
		return at + 1 + is_long;
	}
	while (value >= 0x80) {
		*at++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*at++ = (uint8_t)value;
	return at;
}

static inline void locus_buffer_put_varint(struct locus_buffer *buffer, uint64_t value)
{
	if (buffer->capacity - buffer->size < LOCUS_VARINT_MAX && !locus_buffer_grow(buffer, LOCUS_VARINT_MAX))
		return;
	buffer->size = (size_t)(locus_varint_write(buffer->data + buffer->size, value) - buffer->data);
}

/* Small numbers of either sign as small numbers: 0, -1, 1, -2 … become 0, 1, 2, 3 … */
static inline uint32_t locus_zigzag(uint32_t value)
{
	return (value << 1) ^ (0u - (value >> 31));
}

#endif
