/* A growing run of bytes with the primitive encodings of FORMAT.md 2. */
#include "writer/buffer.h"

#include <stdlib.h>
#include <string.h>

void locus_buffer_done(struct locus_buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct locus_buffer){0};
}

void locus_buffer_clear(struct locus_buffer *buffer)
{
	buffer->size = 0;
}

static bool fail(struct locus_buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct locus_buffer){.failed = true};
	return false;
}

/* Makes room for `size` more bytes; with `spare`, for half as many again, if there is too little. */
static bool make_room(struct locus_buffer *buffer, size_t size, bool spare)
{
	if (buffer->failed)
		return false;
	if (buffer->capacity - buffer->size >= size)
		return true;
	if (size > SIZE_MAX / 2 - buffer->size)
		return fail(buffer);
	size_t capacity = buffer->size + size;
	if (spare)
		capacity += capacity / 2 + 64;
	uint8_t *data = realloc(buffer->data, capacity);
	if (!data)
		return fail(buffer);
	buffer->data = data;
	buffer->capacity = capacity;
	return true;
}

bool locus_buffer_grow(struct locus_buffer *buffer, size_t size)
{
	return make_room(buffer, size, true);
}

bool locus_buffer_reserve(struct locus_buffer *buffer, size_t size)
{
	return make_room(buffer, size, false);
}

void locus_buffer_put(struct locus_buffer *buffer, const void *data, size_t size)
{
	if (!size || !locus_buffer_grow(buffer, size))
		return;
	memcpy(buffer->data + buffer->size, data, size);
	buffer->size += size;
}

void locus_buffer_put_zeros(struct locus_buffer *buffer, size_t size)
{
	if (!size || !locus_buffer_grow(buffer, size))
		return;
	memset(buffer->data + buffer->size, 0, size);
	buffer->size += size;
}

static void put_little(struct locus_buffer *buffer, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		locus_buffer_put_byte(buffer, (uint8_t)(value >> (8 * i)));
}

void locus_buffer_put_u16(struct locus_buffer *buffer, uint16_t value)
{
	put_little(buffer, value, 2);
}

void locus_buffer_put_u32(struct locus_buffer *buffer, uint32_t value)
{
	put_little(buffer, value, 4);
}

void locus_buffer_put_u64(struct locus_buffer *buffer, uint64_t value)
{
	put_little(buffer, value, 8);
}
