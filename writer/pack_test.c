/*
 * Blocks that zstd would make smaller than the format allows are no smaller, hardly larger, and unpack to what went in.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reader/handle/scan.h"
#include "writer/pack.h"

enum { SLACK = 2 + 5 * LOCUS_COLUMNS_MAX }; /* an empty block, and what the columns' sizes take */

/* Bytes that do not compress, then as many zeros, for each column. */
struct shape {
	const char *name;
	unsigned count;
	struct {
		uint32_t noise, zeros;
	} columns[LOCUS_COLUMNS_MAX];
};

static const struct shape shapes[] = {
	{"nothing", 2, {{0, 0}}},
	{"one column of zeros", 1, {{0, 65536}}},
	{"a column that just needs padding", 1, {{0, 1800}}},
	{"a column that needs none", 1, {{0, 640}}},
	{"zeros of more than one zstd block", 2, {{0, 3 << 20}, {1, 0}}},
	{"as much as a block may have", 1, {{0, 1 << 24}}},
	{"zeros behind noise", 3, {{100, 0}, {10, 60000}, {20, 0}}},
	{"noise for all of it", 3, {{500, 0}, {300, 40000}, {20, 0}}},
	{"all columns alike",
	 16,
	 {{0, 4096},
	  {0, 4096},
	  {0, 4096},
	  {0, 4096},
	  {0, 4096},
	  {0, 4096},
	  {0, 4096},
	  {0, 4096},
	  {0, 4096},
	  {0, 4096},
	  {0, 4096},
	  {0, 4096},
	  {0, 4096},
	  {0, 4096},
	  {0, 4096},
	  {0, 4096}}},
	{"the last is the largest", 3, {{0, 30}, {3, 9000}, {0, 90000}}},
};

static void fill(const struct shape *shape, struct locus_buffer *columns)
{
	uint32_t random = 1;
	for (unsigned i = 0; i < shape->count; i++) {
		for (uint32_t byte = 0; byte < shape->columns[i].noise; byte++) {
			random = random * 1664525 + 1013904223;
			locus_buffer_put_byte(&columns[i], (uint8_t)(random >> 24));
		}
		locus_buffer_put_zeros(&columns[i], shape->columns[i].zeros);
	}
}

/* Reads the block by FORMAT.md 5.1 and holds its columns against those that were packed. */
static void check_unpacks(const struct shape *shape, const struct locus_packed *packed,
			  const struct locus_buffer *columns)
{
	struct locus_scan scan = locus_scan_of(packed->data, packed->size);
	uint64_t sizes[LOCUS_COLUMNS_MAX], stored[LOCUS_COLUMNS_MAX];
	assert_int_equal(locus_scan_byte(&scan), shape->count);
	for (unsigned i = 0; i < shape->count; i++) {
		uint64_t code = locus_scan_varint(&scan);
		sizes[i] = code / 2;
		stored[i] = code % 2 ? locus_scan_varint(&scan) : sizes[i];
		assert_int_equal(sizes[i], columns[i].size);
		assert_true(code % 2 ? stored[i] < sizes[i] : stored[i] == sizes[i]);
	}
	for (unsigned i = 0; i < shape->count; i++) {
		uint8_t *data = malloc(sizes[i] + 1);
		assert_true(locus_scan_left(&scan) >= stored[i]);
		if (stored[i] < sizes[i])
			assert_int_equal(ZSTD_decompress(data, sizes[i], scan.at, stored[i]), sizes[i]);
		else if (sizes[i])
			memcpy(data, scan.at, sizes[i]);
		if (sizes[i])
			assert_memory_equal(data, columns[i].data, sizes[i]);
		scan.at += stored[i];
		free(data);
	}
	assert_true(locus_scan_is_done(&scan));
}

/* As large as the format asks, or as the columns are, whichever is more. */
static void check_size(const struct locus_packed *packed, uint64_t columns_size)
{
	uint64_t least = (packed->raw_size + LOCUS_BLOCK_RAW_RATIO - 1) / LOCUS_BLOCK_RAW_RATIO;
	assert_true(packed->size >= least);
	assert_true(packed->size <= (least > columns_size ? least : columns_size) + SLACK);
}

/* `first` columns are packed on their own, as those of a block may be that are known before the others. */
static void check(const struct shape *shape, int level, unsigned first)
{
	static const enum locus_pack_kind plain[LOCUS_COLUMNS_MAX];
	struct locus_buffer columns[LOCUS_COLUMNS_MAX] = {{0}};
	struct locus_packing parts[2] = {{0}};
	struct locus_packer packer;
	struct locus_packed packed;
	fill(shape, columns);
	assert_int_equal(locus_packer_init(&packer, level, NULL), LOCUS_OK);
	assert_int_equal(locus_packer_add_all(&packer, &parts[0], columns, first, plain, NULL), LOCUS_OK);
	assert_int_equal(locus_packer_add_all(&packer, &parts[1], columns + first, shape->count - first, plain, NULL),
			 LOCUS_OK);
	assert_int_equal(locus_packing_close(parts, 2, &packed, NULL), LOCUS_OK);
	check_unpacks(shape, &packed, columns);
	check_size(&packed, parts[0].data.size + parts[1].data.size);

	free(packed.data);
	locus_packing_done(&parts[0]);
	locus_packing_done(&parts[1]);
	locus_packer_done(&packer);
	for (unsigned i = 0; i < shape->count; i++)
		locus_buffer_done(&columns[i]);
}

static void blocks_are_as_large_as_the_format_asks(void **state)
{
	static const int levels[] = {0, 1, 3, 19};
	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		print_message("# %s\n", shapes[i].name);
		for (size_t level = 0; level < sizeof(levels) / sizeof(levels[0]); level++)
			for (unsigned first = 0; first <= shapes[i].count; first++)
				check(&shapes[i], levels[level], first);
	}
}

static size_t packed_size(uint32_t zeros)
{
	struct locus_buffer column = {0};
	struct locus_packer packer;
	struct locus_packed packed;
	locus_buffer_put_zeros(&column, zeros);
	assert_int_equal(locus_packer_init(&packer, 1, NULL), LOCUS_OK);
	assert_int_equal(locus_packer_pack(&packer, &column, 1, &packed, NULL), LOCUS_OK);
	locus_packer_done(&packer);
	locus_buffer_done(&column);
	free(packed.data);
	return packed.size;
}

/* A block of zeros has one size, until a byte is more than it may unfold to. */
static void a_block_is_padded_when_it_must_be(void **state)
{
	const size_t least = packed_size(10 * LOCUS_BLOCK_RAW_RATIO);
	uint32_t zeros = 10 * LOCUS_BLOCK_RAW_RATIO;
	(void)state;
	while (packed_size(zeros) == least)
		zeros++;
	assert_int_equal(zeros % LOCUS_BLOCK_RAW_RATIO, 1);
	assert_int_equal(packed_size(zeros), least + 3);
	assert_in_range(zeros / LOCUS_BLOCK_RAW_RATIO, least - 2, least);
}

/* Text with repetitions of many lengths, on which each level does something else. */
static void fill_text(struct locus_buffer *column, size_t size)
{
	uint32_t random = 7;
	while (column->size < size) {
		random = random * 1664525 + 1013904223;
		if (column->size > 100 && random >> 30) {
			uint8_t copy[64];
			size_t from = (random >> 8) % (column->size - 64);
			memcpy(copy, column->data + from, sizeof(copy));
			locus_buffer_put(column, copy, 4 + (random >> 20) % 40);
		} else {
			locus_buffer_put_byte(column, (uint8_t)(random >> 28));
		}
	}
}

/* What zstd makes of the column with these parameters, for a frame that tells neither a size nor a dictionary. */
static size_t compress_as(const struct locus_buffer *column, int level, int match_min, uint8_t *ret, size_t room)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(context, ZSTD_c_minMatch, match_min);
	ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
	ZSTD_CCtx_setParameter(context, ZSTD_c_dictIDFlag, 0);
	size_t size = ZSTD_compress2(context, ret, room, column->data, column->size);
	ZSTD_freeCCtx(context);
	assert_false(ZSTD_isError(size));
	return size;
}

/*
 * Below level 11 codes get one level more, distances and lines the quickest, and the matches of ops, distances and
 * lines are long; from there on all are alike.
 */
static void each_kind_has_its_level(void **state)
{
	static const struct {
		int level;
		enum locus_pack_kind kind;
		int zstd_level, match_min;
	} cases[] = {
		{1, LOCUS_PACK_PLAIN, 1, 0},     {1, LOCUS_PACK_CODES, 2, 0},       {1, LOCUS_PACK_OPS, 1, 6},
		{1, LOCUS_PACK_DISTANCES, 1, 6}, {1, LOCUS_PACK_LINES, 1, 7},       {9, LOCUS_PACK_PLAIN, 9, 0},
		{9, LOCUS_PACK_CODES, 10, 0},    {9, LOCUS_PACK_OPS, 9, 6},         {9, LOCUS_PACK_DISTANCES, 1, 6},
		{9, LOCUS_PACK_LINES, 1, 7},     {10, LOCUS_PACK_CODES, 11, 0},     {10, LOCUS_PACK_LINES, 1, 7},
		{11, LOCUS_PACK_PLAIN, 11, 0},   {11, LOCUS_PACK_CODES, 11, 0},     {11, LOCUS_PACK_OPS, 11, 0},
		{11, LOCUS_PACK_LINES, 11, 0},   {11, LOCUS_PACK_DISTANCES, 11, 0}, {19, LOCUS_PACK_CODES, 19, 0},
		{19, LOCUS_PACK_LINES, 19, 0},
	};
	struct locus_buffer column = {0};
	(void)state;
	fill_text(&column, 40000);
	size_t room = ZSTD_compressBound(column.size);
	uint8_t *expected = malloc(room);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct locus_packer packer;
		struct locus_packing packing = {0};
		assert_int_equal(locus_packer_init(&packer, cases[i].level, NULL), LOCUS_OK);
		/* Another kind before it leaves nothing behind. */
		assert_int_equal(locus_packer_add(&packer, &packing, &column, LOCUS_PACK_LINES, NULL), LOCUS_OK);
		size_t before = packing.data.size;
		assert_int_equal(locus_packer_add(&packer, &packing, &column, cases[i].kind, NULL), LOCUS_OK);
		size_t size = compress_as(&column, cases[i].zstd_level, cases[i].match_min, expected, room);
		if (packing.data.size - before != size || memcmp(packing.data.data + before, expected, size) != 0)
			fail_msg("case %zu: %zu bytes, expected %zu", i, packing.data.size - before, size);
		locus_packing_done(&packing);
		locus_packer_done(&packer);
	}
	free(expected);
	locus_buffer_done(&column);
}

/* Of 23 bytes zstd would make fewer too, but its own come with them. */
static void short_columns_are_stored(void **state)
{
	(void)state;
	for (size_t size = 20; size < 30; size++) {
		struct locus_buffer column = {0};
		struct locus_packer packer;
		struct locus_packing packing = {0};
		locus_buffer_put_zeros(&column, size);
		assert_int_equal(locus_packer_init(&packer, 3, NULL), LOCUS_OK);
		assert_int_equal(locus_packer_add(&packer, &packing, &column, LOCUS_PACK_PLAIN, NULL), LOCUS_OK);
		assert_true(size < 24 ? packing.data.size == size : packing.data.size < size);
		locus_packing_done(&packing);
		locus_packer_done(&packer);
		locus_buffer_done(&column);
	}
}

/* A column that memory was out for fails the block, whichever it is, and adds nothing to it. */
static void columns_without_memory_fail(void **state)
{
	(void)state;
	for (unsigned failed = 0; failed < 3; failed++) {
		struct locus_buffer columns[3] = {{0}};
		struct locus_packer packer;
		struct locus_packing packing = {0};
		struct locus_error error;
		const enum locus_pack_kind kinds[3] = {LOCUS_PACK_PLAIN};
		for (unsigned i = 0; i < 3; i++)
			locus_buffer_put_zeros(&columns[i], 10);
		columns[failed].failed = true;
		assert_int_equal(locus_packer_init(&packer, 3, NULL), LOCUS_OK);
		assert_int_equal(locus_packer_add_all(&packer, &packing, columns, 3, kinds, &error), LOCUS_ERR_MEMORY);
		assert_string_equal(error.text, "out of memory");
		assert_int_equal(packing.count, failed);
		assert_int_equal(packing.raw_size, 10 * failed);
		locus_packing_done(&packing);
		locus_packer_done(&packer);
		for (unsigned i = 0; i < 3; i++)
			locus_buffer_done(&columns[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_as_large_as_the_format_asks),
		cmocka_unit_test(a_block_is_padded_when_it_must_be), cmocka_unit_test(each_kind_has_its_level),
		cmocka_unit_test(short_columns_are_stored), cmocka_unit_test(columns_without_memory_fail)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
