/* Deflate streams for tests: bytes as debug information has them, in blocks of all kinds. */
#ifndef LOCUS_DEFLATE_STREAM_TEST_H
#define LOCUS_DEFLATE_STREAM_TEST_H

#include <zlib.h>

#include "base/toolkit_test.h"

/*
 * Fills bytes with records that resemble earlier ones, at most `reach` before. One byte in `fresh` is changed, so that
 * with a large number most bytes go back to what stood before any part.
 */
static inline void fill_alike(uint8_t *bytes, size_t size, size_t reach, uint32_t fresh)
{
	uint64_t random = 7;
	for (size_t i = 0; i < size;) {
		size_t length = 8 + random_below(&random, 64), back = 1 + random_below(&random, (uint32_t)reach);
		for (size_t end = i + length < size ? i + length : size; i < end; i++)
			bytes[i] = i < back || random_one_in(&random, fresh) ? (uint8_t)random_below(&random, 256)
									     : bytes[i - back];
	}
}

/* Packs as zlib does, with its header and checksum. */
static inline void pack_stream(struct bytes *ret, const uint8_t *bytes, size_t size, int level, int strategy)
{
	z_stream z = {0};
	assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, 15, 9, strategy), Z_OK);
	ret->room = deflateBound(&z, size) + 64;
	ret->data = malloc(ret->room);
	assert_non_null(ret->data);
	z.next_in = (uint8_t *)bytes;
	z.avail_in = (uInt)size;
	z.next_out = ret->data;
	z.avail_out = (uInt)ret->room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	ret->size = z.total_out;
	deflateEnd(&z);
}

#endif
