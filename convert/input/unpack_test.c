/* Contents that are unpacked to the byte, up to the largest size allowed; damage and cuts, which are told. */
#include "convert/input/unpack.h"

#include <lzma.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/toolkit_test.h"

static const enum packed_file kinds[] = {PACKED_XZ, PACKED_ZSTD, PACKED_GZIP};

static void put_packed(struct bytes *out, enum packed_file kind, const uint8_t *data, size_t size)
{
	size_t room = size + 4096, packed = 0;
	uint8_t *memory = malloc(room);
	assert_non_null(memory);
	if (kind == PACKED_XZ) {
		assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, NULL, data, size, memory, &packed, room),
				 LZMA_OK);
	} else if (kind == PACKED_ZSTD) {
		packed = ZSTD_compress(memory, room, data, size, 1);
		assert_false(ZSTD_isError(packed));
	} else {
		z_stream z = {.next_in = (Bytef *)(uintptr_t)data,
			      .avail_in = (uInt)size,
			      .next_out = memory,
			      .avail_out = (uInt)room};
		assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
		assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
		packed = z.total_out;
		deflateEnd(&z);
	}
	put_bytes(out, memory, packed);
	free(memory);
}

/* Unpacks a copy without a byte behind it. "": it is `size` bytes, those of `data`; else the message. */
static void expect(enum packed_file kind, const struct bytes *packed, size_t size_max, const uint8_t *data, size_t size,
		   const char *expected)
{
	struct locus_error error = {.text = ""};
	uint8_t *exact = exact_copy(packed->data, packed->size), *unpacked = NULL;
	size_t unpacked_size = 0;
	enum locus_status status = unpack_file(kind, exact, packed->size, size_max, &unpacked, &unpacked_size, &error);
	if (status != (*expected ? LOCUS_ERR_BAD_ELF : LOCUS_OK) || !strstr(error.text, expected))
		fail_msg("kind %d, %zu bytes of at most %zu: %d %s", kind, size, size_max, status, error.text);
	if (status == LOCUS_OK) {
		assert_int_equal(unpacked_size, size);
		assert_memory_equal(unpacked, data, size);
		munmap(unpacked, unpacked_size);
	}
	free(exact);
}

static uint8_t *make_content(size_t size)
{
	uint64_t random = 1;
	uint8_t *data = malloc(size + 1);
	assert_non_null(data);
	for (size_t i = 0; i < size; i++)
		data[i] = (uint8_t)(random_below(&random, 3) ? 7 : random_next(&random));
	return data;
}

static void sizes(void **state)
{
	static const size_t each[] = {1, 2, 4095, 4096, 4097, 300000};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(kinds) * COUNT_OF(each); i++) {
		enum packed_file kind = kinds[i / COUNT_OF(each)];
		size_t size = each[i % COUNT_OF(each)];
		uint8_t *data = make_content(size);
		struct bytes packed = {0};
		char too_large[64];
		put_packed(&packed, kind, data, size);
		expect(kind, &packed, size, data, size, "");
		expect(kind, &packed, size + 1, data, size, "");
		expect(kind, &packed, size + 100000, data, size, "");
		snprintf(too_large, sizeof(too_large), "its %zu bytes unpack to more than %zu", packed.size, size - 1);
		expect(kind, &packed, size - 1, data, size, too_large);
		bytes_done(&packed);
		free(data);
	}
}

/* The room for the largest content is given back behind the last page that is used. */
static void room_that_is_not_used(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 2 * page + 1;
	struct bytes packed = {0};
	uint8_t *data = make_content(size), *unpacked, resident[4];
	size_t unpacked_size;
	(void)state;
	put_packed(&packed, PACKED_ZSTD, data, size);
	assert_int_equal(unpack_file(PACKED_ZSTD, packed.data, packed.size, 9 * page, &unpacked, &unpacked_size, NULL),
			 LOCUS_OK);
	assert_int_equal(mincore(unpacked, 3 * page, resident), 0);
	assert_int_equal(mincore(unpacked + 3 * page, page, resident), -1);
	munmap(unpacked, unpacked_size);
	bytes_done(&packed);
	free(data);
}

static void cut_off(void **state)
{
	enum { SIZE = 100 };
	uint8_t *data = make_content(SIZE);
	(void)state;
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		struct bytes packed = {0};
		put_packed(&packed, kinds[i], data, SIZE);
		for (packed.size--; packed.size; packed.size--) {
			expect(kinds[i], &packed, 2 * SIZE, data, SIZE, "damaged or truncated after ");
			expect(kinds[i], &packed, SIZE, data, SIZE, "damaged or truncated after ");
		}
		bytes_done(&packed);
	}
	free(data);
}

/* Content of several blocks, of which all but the last is there. */
static void cut_off_behind_a_block(void **state)
{
	enum { SIZE = 400000 };
	uint8_t *data = make_content(SIZE);
	(void)state;
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		struct bytes packed = {0};
		put_packed(&packed, kinds[i], data, SIZE);
		packed.size--;
		expect(kinds[i], &packed, SIZE, data, SIZE, "damaged or truncated after ");
		bytes_done(&packed);
	}
	free(data);
}

static void nothing_in_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		struct bytes packed = {0};
		put_packed(&packed, kinds[i], (const uint8_t *)"", 0);
		expect(kinds[i], &packed, 10, NULL, 0, "damaged or truncated after 0 bytes");
		bytes_done(&packed);
	}
}

/* What is packed in several pieces is all of them; zstd's may be frames to be skipped. */
static void several_pieces(void **state)
{
	enum { SIZE = 1000 };
	static const uint8_t skipped[] = {0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'};
	uint8_t *data = make_content(2 * SIZE);
	(void)state;
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		struct bytes packed = {0};
		put_packed(&packed, kinds[i], data, SIZE);
		for (int k = 0; k < 2 && kinds[i] == PACKED_ZSTD; k++)
			put_bytes(&packed, skipped, sizeof(skipped));
		put_packed(&packed, kinds[i], data + SIZE, SIZE);
		expect(kinds[i], &packed, 2 * SIZE, data, 2 * SIZE, "");
		expect(kinds[i], &packed, 2 * SIZE - 1, data, 2 * SIZE, "unpack to more than 1999");
		bytes_done(&packed);
	}
	free(data);
}

static void recognised_by_the_first_bytes(void **state)
{
	static const struct {
		enum packed_file kind;
		const char *magic;
		size_t size;
	} cases[] = {
		{PACKED_XZ, "\xfd\x37zXZ\0", 6},
		{PACKED_ZSTD, "\x28\xb5\x2f\xfd", 4},
		{PACKED_GZIP, "\x1f\x8b\x08", 3},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		for (size_t size = 0; size <= cases[i].size; size++) {
			uint8_t *exact = exact_copy(cases[i].magic, size);
			assert_int_equal(packed_file_kind(exact, size),
					 size < cases[i].size ? NOT_PACKED : cases[i].kind);
			free(exact);
		}
	assert_int_equal(packed_file_kind((const uint8_t *)"\177ELF\2\1\1", 7), NOT_PACKED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(room_that_is_not_used),
		cmocka_unit_test(cut_off),
		cmocka_unit_test(cut_off_behind_a_block),
		cmocka_unit_test(nothing_in_it),
		cmocka_unit_test(several_pieces),
		cmocka_unit_test(recognised_by_the_first_bytes),
	};
	return cmocka_run_group_tests_name("unpack", tests, NULL, NULL);
}
