/* Damaged files: every prefix and every flipped byte is refused, and no damage behind good checksums crashes. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reader/locus.h"
#include "reader/sample_bytes_test.h"

/* Asks everything of a file that opens, whatever it answers. */
static void ask_all(struct locus *locus)
{
	struct locus_scratch *scratch;
	struct locus_result result;
	struct locus_function_info function;
	const struct locus_alternate_info *alternates;
	size_t count;
	assert_int_equal(locus_scratch_new(locus, &scratch, NULL), LOCUS_OK);
	for (uint32_t i = 0; i < locus_interval_count(locus) && i < 300; i++) {
		if (locus_frames(locus, scratch, i, &result, NULL) == LOCUS_OK)
			locus_alternates(locus, scratch, result.interval.start, &alternates, &count, NULL);
	}
	for (uint32_t i = 0; i < locus_function_count(locus) && i < 300; i++)
		locus_function_at(locus, scratch, i + 1, &function, NULL);
	for (uint64_t address = 0x400000; address < 0x404000; address += 97)
		locus_lookup(locus, scratch, address, &result, NULL);
	locus_scratch_free(scratch);
}

/* The bytes in a block of their own, so that the sanitizer sees a read beyond them. */
static enum locus_status check(const uint8_t *data, size_t size, bool ask)
{
	uint8_t *copy = malloc(size ? size : 1);
	struct locus *locus;
	struct locus_error error = {.text = ""};
	memcpy(copy, data, size);
	enum locus_status status = locus_open_memory(copy, size, NULL, &locus, &error);
	if (status == LOCUS_OK) {
		status = locus_verify(locus, LOCUS_VERIFY_FULL, &error);
		if (ask)
			ask_all(locus);
		locus_close(locus);
	}
	if (status != LOCUS_OK)
		assert_true(error.text[0] && !strchr(error.text, '\n'));
	free(copy);
	return status;
}

static void test_prefixes(void **state)
{
	(void)state;
	for (int level = 0; level < 2; level++) {
		struct bytes file = make_file(level, 7, 40);
		assert_int_equal(check(file.data, file.size, true), LOCUS_OK);
		for (size_t size = 0; size < file.size; size++)
			assert_int_equal(check(file.data, size, false),
					 size < LOCUS_MAGIC_SIZE ? LOCUS_ERR_NOT_LOCUS : LOCUS_ERR_TRUNCATED);
		free(file.data);
	}
}

static void test_more(void **state)
{
	(void)state;
	struct bytes file = make_file(1, 7, 40);
	file.data[file.size] = 0;
	assert_int_equal(check(file.data, file.size + 1, false), LOCUS_ERR_CORRUPT);
	free(file.data);
}

static void test_flips(void **state)
{
	(void)state;
	for (int level = 0; level < 2; level++) {
		struct bytes file = make_file(level, 7, 40);
		for (size_t i = 0; i < file.size; i++)
			for (unsigned bit = 0; bit < 8; bit++) {
				file.data[i] ^= (uint8_t)(1u << bit);
				if (check(file.data, file.size, i % 5 == 0 && bit == 3) == LOCUS_OK)
					fail_msg("byte %zu, bit %u: not noticed", i, bit);
				file.data[i] ^= (uint8_t)(1u << bit);
			}
		free(file.data);
	}
}

/* ---- Damage with checksums made good again ---- */

/* Whatever the bytes say: the reader may answer or refuse, but the content digest does not let it verify. */
static void test_damage_behind_checksums(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 2; round++) {
		struct bytes file = make_file((int)round, round ? 50 : 7, round ? 100 : 40);
		uint8_t *data = malloc(file.size);
		uint64_t random = 3;
		for (unsigned i = 0; i < 20000; i++) {
			memcpy(data, file.data, file.size);
			size_t at = LOCUS_HEADER_VERSION + random_next(&random) % (file.size - LOCUS_HEADER_VERSION);
			uint8_t before = data[at];
			data[at] = (uint8_t)(i % 3 ? before + 1 + locus_sample_below(&random, 255) : before ^ 0x80);
			mend(&file, data);
			bool mended = data[at] == before;
			enum locus_status status = check(data, file.size, true);
			if (status == LOCUS_OK && !mended && round == 0)
				fail_msg("byte %zu: not noticed", at);
		}
		free(data);
		free(file.data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_more),
		cmocka_unit_test(test_flips),
		cmocka_unit_test(test_damage_behind_checksums),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
