/*
 * How much memory a handle takes for what it was asked: no more than these files needed when that was last looked at. A
 * file's memory is bounded by memory_max_bytes, and what is kept needlessly is lost to what lookups want to keep.
 */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "reader/handle/handle.h"
#include "writer/sample_test.h"

static char file_path[] = "/tmp/locus-memory-XXXXXX";

static void fail_if(enum locus_status status, const struct locus_error *error)
{
	if (status != LOCUS_OK)
		fail_msg("%s", error->text);
}

static size_t used(const struct locus *locus)
{
	return atomic_load(&((struct locus *)locus)->allowance.used);
}

static void ask_all(struct locus *locus, struct locus_scratch *scratch)
{
	struct locus_result result;
	struct locus_error error;
	const struct locus_alternate_info *alternates;
	size_t count;
	for (uint32_t i = 0; i < locus_interval_count(locus); i += 1 + i / 50) {
		fail_if(locus_frames(locus, scratch, i, &result, &error), &error);
		fail_if(locus_alternates(locus, scratch, result.interval.start, &alternates, &count, &error), &error);
	}
}

/* The bytes at each step; on a machine whose pointers are smaller it takes less. */
struct bytes_taken {
	size_t opened, meta, scratch, first_lookup, all, closed_scratch;
};

static struct bytes_taken measure(uint32_t seed, uint32_t intervals, uint32_t block_size)
{
	const struct locus_writer_options options = {.level = 0, .block_size = block_size}; /* zstd's sizes vary */
	struct bytes_taken taken;
	struct locus_sample sample;
	struct locus *locus = NULL;
	struct locus_scratch *scratch = NULL;
	struct locus_result result;
	struct locus_error error;
	const struct locus_info *info;
	locus_sample_init(&sample, seed, intervals);
	fail_if(locus_sample_write(&sample, file_path, &options, &error), &error);
	fail_if(locus_open(file_path, NULL, &locus, &error), &error);
	taken.opened = used(locus);
	fail_if(locus_info(locus, &info, &error), &error);
	taken.meta = used(locus) - taken.opened;
	fail_if(locus_scratch_new(locus, &scratch, &error), &error);
	taken.scratch = used(locus) - taken.meta - taken.opened;
	size_t before = used(locus);
	fail_if(locus_lookup(locus, scratch, sample.starts[sample.interval_count / 3], &result, &error), &error);
	taken.first_lookup = used(locus) - before;
	for (int i = 0; i < 2; i++) {
		ask_all(locus, scratch);
		taken.all = used(locus) - before;
	}
	locus_scratch_free(scratch);
	taken.closed_scratch = used(locus) - taken.meta - taken.opened;
	locus_close(locus);
	locus_sample_done(&sample);
	return taken;
}

/* The numbers that are printed belong here where memory is taken on purpose. */
static void no_more_than_before(void **state)
{
	static const struct {
		uint32_t seed, intervals, block_size;
		struct bytes_taken most;
	} cases[] = {
		{1, 1000, 8192, {960, 832, 303272, 362228, 398836, 36224}},
		{2, 20000, 2000, {3584, 832, 303272, 466292, 3748084, 3265152}},
		{3, 20000, 8192, {1984, 832, 303272, 607316, 4082644, 3428160}},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct bytes_taken most = cases[i].most;
		struct bytes_taken taken = measure(cases[i].seed, cases[i].intervals, cases[i].block_size);
		print_message("# seed %u: {%zu, %zu, %zu, %zu, %zu, %zu}\n", cases[i].seed, taken.opened, taken.meta,
			      taken.scratch, taken.first_lookup, taken.all, taken.closed_scratch);
		assert_in_range(taken.opened, 1, most.opened);
		assert_in_range(taken.meta, 1, most.meta);
		assert_in_range(taken.scratch, 1, most.scratch);
		assert_in_range(taken.first_lookup, 1, most.first_lookup);
		assert_in_range(taken.all, 1, most.all);
		assert_in_range(taken.closed_scratch, 1, most.closed_scratch);
	}
}

/* Tables of so many entries that each has more blocks than a scratch holds, which is 32 unless a call needs more. */
static void add_long_tables(struct locus_sample *sample)
{
	enum { FUNCTIONS = 80000, FILES = 25000, ALTERNATES = 200000 };
	static struct locus_function functions[FUNCTIONS];
	static struct locus_file files[FILES];
	static struct locus_alternate alternates[ALTERNATES];
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		functions[i] = i < sample->tables.function_count ? sample->functions[i]
								 : (struct locus_function){.decl_line = i};
	for (uint32_t i = 0; i < FILES; i++)
		files[i] = i < sample->tables.file_count ? sample->file_table[i]
							 : (struct locus_file){.name = {"file.c", 6}};
	for (uint32_t i = 0; i < ALTERNATES; i++)
		alternates[i] = (struct locus_alternate){.start = i, .size = 1, .function = 1};
	sample->tables.functions = functions;
	sample->tables.function_count = FUNCTIONS;
	sample->tables.files = files;
	sample->tables.file_count = FILES;
	sample->tables.alternates = alternates;
	sample->tables.alternate_count = ALTERNATES;
}

/* Calls one function of the library for an entry that `number` stands for; `starts` are the intervals'. */
static enum locus_status ask(struct locus *locus, struct locus_scratch *scratch, const uint64_t *starts, unsigned call,
			     uint32_t number)
{
	struct locus_result result;
	struct locus_interval interval;
	struct locus_function_info function;
	struct locus_file_info file;
	struct locus_alternate_info alternate;
	const struct locus_alternate_info *alternates;
	size_t count;
	uint32_t locid = number % locus_interval_count(locus);
	uint64_t address = starts[locid];
	switch (call) {
	case 0:
		return locus_lookup(locus, scratch, address, &result, NULL);
	case 1:
		return locus_frames(locus, scratch, locid, &result, NULL);
	case 2:
		return locus_find(locus, scratch, address, &interval, NULL);
	case 3:
		return locus_interval_at(locus, scratch, locid, &interval, NULL);
	case 4:
		return locus_function_at(locus, scratch, 1 + number % locus_function_count(locus), &function, NULL);
	case 5:
		return locus_file_at(locus, scratch, 1 + number % locus_file_count(locus), &file, NULL);
	case 6:
		return locus_alternate_at(locus, scratch, number % locus_alternate_count(locus), &alternate, NULL);
	default:
		return locus_alternates(locus, scratch, number % locus_alternate_count(locus), &alternates, &count,
					NULL);
	}
}

/* Without room in the handle, each call lets go of what the calls before it asked for: one may ask for ever. */
static void calls_do_not_add_up(void **state)
{
	const struct locus_writer_options options = {.level = 1, .block_size = 300};
	struct locus_sample sample, whole;
	struct locus *locus = NULL;
	struct locus_error error;
	uint64_t random = 1;
	(void)state;
	locus_sample_init(&sample, 5, 40000);
	whole = sample;
	add_long_tables(&whole);
	fail_if(locus_sample_write(&whole, file_path, &options, &error), &error);
	fail_if(locus_open(file_path, NULL, &locus, &error), &error);
	locus->kept_max = 0;
	for (unsigned call = 0; call < 8; call++) {
		struct locus_scratch *scratch = NULL;
		fail_if(locus_scratch_new(locus, &scratch, &error), &error);
		for (unsigned i = 0; i < 1000; i++) {
			assert_int_equal(ask(locus, scratch, sample.starts, call, (uint32_t)random_next(&random)),
					 LOCUS_OK);
			if (scratch->held_count > 36)
				fail_msg("call %u: %zu blocks are held", call, scratch->held_count);
		}
		assert_true(scratch->held_count >= 32); /* or nothing was let go */
		locus_scratch_free(scratch);
	}
	locus_close(locus);
	locus_sample_done(&sample);
}

/* An eighth is set aside for answers, or 16 MiB where that is more, half where there is little, and 8 MiB at least. */
static void blocks_are_kept_in_what_answers_leave(void **state)
{
	static const struct {
		size_t allowed, kept;
	} cases[] = {
		{1, 0},
		{4 << 20, 0},
		{8 << 20, 0},
		{12 << 20, 4 << 20},
		{16 << 20, 8 << 20},
		{32 << 20, 16 << 20},
		{40 << 20, 24 << 20},
		{128 << 20, 112 << 20},
		{256 << 20, 224 << 20},
		{1u << 30, (1u << 30) - (128 << 20)},
	};
	const struct locus_writer_options options = {.level = 1, .block_size = 300};
	struct locus_sample sample;
	struct locus_error error;
	(void)state;
	locus_sample_init(&sample, 1, 10);
	fail_if(locus_sample_write(&sample, file_path, &options, &error), &error);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct locus_open_options open = {.memory_max_bytes = cases[i].allowed};
		struct locus *locus = NULL;
		fail_if(locus_open(file_path, &open, &locus, &error), &error);
		assert_int_equal(locus->kept_max, cases[i].kept);
		assert_int_equal(locus->allowance.max,
				 cases[i].allowed > LOCUS_MEMORY_MIN ? cases[i].allowed : LOCUS_MEMORY_MIN);
		locus_close(locus);
	}
	locus_sample_done(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_more_than_before),
		cmocka_unit_test(calls_do_not_add_up),
		cmocka_unit_test(blocks_are_kept_in_what_answers_leave),
	};
	int descriptor = mkstemp(file_path);
	int failed = descriptor < 0 || cmocka_run_group_tests_name("memory", tests, NULL, NULL) != 0;
	close(descriptor);
	remove(file_path);
	return failed;
}
