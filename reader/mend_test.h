/* For tests: puts right the checksums of a file that was damaged on purpose. */
#ifndef LOCUS_MEND_TEST_H
#define LOCUS_MEND_TEST_H

#include <stddef.h>
#include <stdint.h>

#include <xxhash.h>

#include "spec/format.h"

struct bytes {
	uint8_t *data;
	size_t size;
};

static uint64_t get(const uint8_t *at, unsigned size)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

static void put_u64(uint8_t *at, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t skip_varint(const uint8_t **at)
{
	uint64_t value = 0;
	unsigned shift = 0;
	do
		value |= (uint64_t)(**at & 0x7F) << (shift++ * 7);
	while (*(*at)++ & 0x80);
	return value;
}

/* Walks the undamaged file's directory and indexes, and puts right every checksum in the damaged one. */
static inline void mend(const struct bytes *good, uint8_t *data)
{
	unsigned count = (unsigned)get(good->data + LOCUS_HEADER_SECTION_COUNT, 4);
	const uint8_t *entry = good->data + LOCUS_HEADER_SIZE;
	size_t index = LOCUS_HEADER_SIZE + (size_t)count * LOCUS_ENTRY_SIZE, offset = index;
	for (unsigned i = 0; i < count; i++)
		offset += get(entry + i * LOCUS_ENTRY_SIZE + LOCUS_ENTRY_INDEX_SIZE, 8);
	for (unsigned i = 0; i < count; i++, entry += LOCUS_ENTRY_SIZE) {
		size_t size = get(entry + LOCUS_ENTRY_INDEX_SIZE, 8);
		const uint8_t *at = good->data + index;
		while (at < good->data + index + size) {
			skip_varint(&at);
			skip_varint(&at);
			size_t block = skip_varint(&at);
			put_u64(data + (at - good->data), XXH3_64bits(data + offset, block));
			at += 8;
			offset += block;
		}
		put_u64(data + (entry - good->data) + LOCUS_ENTRY_CHECKSUM, XXH3_64bits(data + index, size));
		index += size;
	}
	put_u64(data + LOCUS_HEADER_DIRECTORY, XXH3_64bits(data + LOCUS_HEADER_SIZE, (size_t)count * LOCUS_ENTRY_SIZE));
	put_u64(data + LOCUS_HEADER_CHECKSUM, XXH3_64bits(data, LOCUS_HEADER_CHECKSUM));
}

#endif
