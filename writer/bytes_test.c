/*
 * The bytes of files, uncompressed, so that they do not depend on zstd: the same tables give the same bytes whatever
 * the number of threads, and others than before only where somebody meant that.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <xxhash.h>

#include "writer/sample_test.h"

static struct locus_bytes write_to_memory(const struct locus_sample *sample, uint32_t block_size, unsigned thread_count)
{
	const struct locus_writer_options options = {.level = 0, .block_size = block_size};
	struct cutter cutter = cutter_new(sample, block_size);
	struct locus_writer *writer;
	struct locus_encoder *encoder;
	uint64_t size;
	void *data;
	size_t taken;
	assert_int_equal(locus_writer_new(NULL, &options, &writer, NULL), LOCUS_OK);
	assert_int_equal(locus_encoder_new(&options, &encoder, NULL), LOCUS_OK);
	assert_int_equal(write_blocks(&cutter, block_size, encoder, writer, NULL), LOCUS_OK);
	assert_int_equal(locus_writer_tables(writer, &sample->tables, thread_count, NULL), LOCUS_OK);
	assert_int_equal(locus_writer_finish(writer, &size, NULL), LOCUS_OK);
	locus_writer_take(writer, &data, &taken);
	assert_int_equal(taken, size);
	cutter_done(&cutter);
	locus_encoder_free(encoder);
	locus_writer_free(writer);
	return (struct locus_bytes){data, taken};
}

/*
 * If the writer is to write other bytes (a format of another version, blocks cut elsewhere), or samples are made
 * otherwise, the digests that are printed belong here.
 */
static void bytes_change_on_purpose_only(void **state)
{
	static const struct {
		uint32_t seed, intervals, block_size;
		uint64_t digest;
	} cases[] = {
		{1, 300, 7, 0x6b62090656853a5a},       {2, 3000, 1000, 0xc87e6021ba91c95e},
		{3, 20000, 8192, 0x74bbfca449848692},  {4, 45000, 8192, 0x6bac108fc3f814d7},
		{6, 20000, 65536, 0xa3b5dcfd5bade55e},
	};
	bool failed = false;
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct locus_sample sample;
		locus_sample_init(&sample, cases[i].seed, cases[i].intervals);
		struct locus_bytes one = write_to_memory(&sample, cases[i].block_size, 1);
		struct locus_bytes many = write_to_memory(&sample, cases[i].block_size, 5);
		assert_int_equal(one.size, many.size);
		assert_memory_equal(one.data, many.data, one.size);
		uint64_t digest = XXH3_64bits(one.data, one.size);
		if (digest != cases[i].digest) {
			print_error("seed %u: %zu bytes, %#llx\n", cases[i].seed, one.size, (unsigned long long)digest);
			failed = true;
		}
		free((void *)one.data);
		free((void *)many.data);
		locus_sample_done(&sample);
	}
	assert_false(failed);
}

/* Names that share nearly all: how much of them is written out is bounded (FORMAT.md 6.4), to the byte. */
static void names_unfold_to_no_more_than_allowed(void **state)
{
	enum { COUNT = 3000, SIZE = 600 };
	static struct locus_function functions[COUNT];
	static char text[COUNT][SIZE];
	const struct locus_sample sample = {.tables = {.functions = functions, .function_count = COUNT}};
	(void)state;
	memset(text, 'x', sizeof(text));
	for (uint32_t i = 0; i < COUNT; i++) {
		uint32_t size = 100 + i * 7 % 500;
		text[i][size - 1] = (char)('a' + i % 26);
		functions[i].linkage = (struct locus_bytes){text[i], size};
	}
	struct locus_bytes bytes = write_to_memory(&sample, 1000, 1);
	uint64_t digest = XXH3_64bits(bytes.data, bytes.size);
	if (digest != 0xc2d15d1f93183b38)
		fail_msg("%zu bytes, %#llx", bytes.size, (unsigned long long)digest);
	free((void *)bytes.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(bytes_change_on_purpose_only),
					   cmocka_unit_test(names_unfold_to_no_more_than_allowed)};
	return cmocka_run_group_tests_name("bytes", tests, NULL, NULL);
}
