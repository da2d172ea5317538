/* Intervals are packed in 64 bits where they fit: starts, lines, contexts and files at the bounds of that. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "reader/locus.h"
#include "writer/sample_test.h"

enum { COUNT = 8, FIRST = 0x1000 };

static char file_path[] = "/tmp/locus-intervals-XXXXXX";

static void fail_if(enum locus_status status, const struct locus_error *error)
{
	if (status != LOCUS_OK)
		fail_msg("%s", error->text);
}

/* Looks up every interval, at its start and its last address, by a new scratch and by one that has all blocks. */
static void check_sample(const struct locus_sample *sample, uint32_t block_size)
{
	const struct locus_writer_options options = {.level = 0, .block_size = block_size};
	struct locus *locus = NULL;
	struct locus_error error;
	struct locus_result result;
	fail_if(locus_sample_write(sample, file_path, &options, &error), &error);
	fail_if(locus_open(file_path, NULL, &locus, &error), &error);
	fail_if(locus_verify(locus, LOCUS_VERIFY_FULL, &error), &error);
	for (unsigned calls = 0; calls < 12; calls += 6) {
		struct locus_scratch *scratch = NULL;
		for (uint32_t i = 0; i < sample->interval_count; i++) {
			if (!scratch) {
				fail_if(locus_scratch_new(locus, &scratch, &error), &error);
				for (unsigned k = 0; k < calls; k++)
					fail_if(locus_lookup(locus, scratch, FIRST, &result, &error), &error);
			}
			uint64_t end = i + 1 < sample->interval_count ? sample->starts[i + 1] : UINT64_MAX;
			const uint64_t asked[] = {sample->starts[i], end - 1};
			for (unsigned k = 0; k < 2; k++) {
				fail_if(locus_lookup(locus, scratch, asked[k], &result, &error), &error);
				assert_int_equal(result.interval.locid, i);
				assert_int_equal(result.interval.start, sample->starts[i]);
				assert_int_equal(result.interval.end, end);
				if (sample->contexts[i] == LOCUS_NO_CONTEXT) {
					assert_int_equal(result.frame_count, 0);
					continue;
				}
				assert_int_equal(result.frames[0].line, sample->lines[i]);
				assert_int_equal(result.frames[0].has_line, sample->lines[i] != 0);
				assert_int_equal(result.frames[0].file_id, sample->files[i]);
				assert_int_equal(result.frames[0].function_id,
						 sample->context[sample->contexts[i]].function);
			}
			if (!calls) {
				locus_scratch_free(scratch);
				scratch = NULL;
			}
		}
		locus_scratch_free(scratch);
	}
	locus_close(locus);
}

/* Intervals of which the last but one begins `span` behind the first, in parts of that many functions. */
static void check_span(uint64_t span, uint32_t context_count, uint32_t decl_line)
{
	static const uint32_t extremes[] = {1, UINT32_MAX, 0x7fffffff, 0, 0x80000000, 0x80000001, 0x100};
	struct locus_block_context contexts[64];
	struct locus_function functions[64];
	struct locus_file files[] = {{.name = {"a", 1}}, {.name = {"b", 1}}, {.name = {"c", 1}}};
	uint64_t starts[COUNT + 2];
	uint32_t at[COUNT + 2], file[COUNT + 2], lines[COUNT + 2];
	for (uint32_t i = 0; i < context_count; i++) {
		functions[i] = (struct locus_function){.decl_line = decl_line, .decl_file = 2};
		contexts[i] = (struct locus_block_context){.caller = LOCUS_NO_CONTEXT,
							   .function = i + 1,
							   .start = FIRST,
							   .decl_file = 2,
							   .decl_line = decl_line};
	}
	for (uint32_t i = 0; i < COUNT; i++) {
		starts[i] = FIRST + i;
		at[i] = i % context_count;
		file[i] = (i + 1) % 4;
		lines[i] = extremes[i % (sizeof(extremes) / sizeof(*extremes))];
	}
	uint32_t count = COUNT;
	if (span >= COUNT) {
		starts[count] = FIRST + span;
		at[count] = context_count - 1;
		file[count] = 3;
		lines[count++] = 0x7ffffffe;
	}
	starts[count] = starts[count - 1] + 1;
	at[count] = LOCUS_NO_CONTEXT;
	file[count] = lines[count] = 0;
	const struct locus_sample sample = {
		.interval_count = count + 1,
		.starts = starts,
		.contexts = at,
		.files = file,
		.lines = lines,
		.context_count = context_count,
		.context = contexts,
		.tables = {.functions = functions, .function_count = context_count, .files = files, .file_count = 3},
	};
	check_sample(&sample, 3);
	check_sample(&sample, 8192);
}

static void lines_fit_whatever_the_span(void **state)
{
	(void)state;
	for (unsigned bits = 3; bits < 64; bits++)
		for (uint32_t i = 0; i < 3; i++) {
			uint64_t span = (UINT64_C(1) << bits) - 1 + i - (bits == 63 ? FIRST : 0);
			check_span(span, 1, 0);
			check_span(span, 5, 0x80000000);
		}
	check_span(UINT64_MAX - FIRST - 2, 2, 7);
}

/* A run of intervals that only move on by some lines, up to more than fits in the bits that the span leaves. */
static void lines_move_on_beyond_what_fits(void **state)
{
	enum { RUN = 600, STEP = 60 };
	static const struct locus_function function = {.decl_line = 1, .decl_file = 1};
	static const struct locus_file files[] = {{.name = {"a", 1}}};
	static const struct locus_block_context context = {
		.caller = LOCUS_NO_CONTEXT, .function = 1, .start = FIRST, .decl_file = 1, .decl_line = 1};
	uint64_t starts[RUN + 2];
	uint32_t at[RUN + 2] = {0}, file[RUN + 2], lines[RUN + 2];
	(void)state;
	for (uint32_t i = 0; i <= RUN; i++) {
		starts[i] = FIRST + i;
		file[i] = 1;
		lines[i] = 1 + STEP * i;
	}
	lines[RUN] = 1; /* it fits again */
	at[RUN + 1] = LOCUS_NO_CONTEXT;
	file[RUN + 1] = lines[RUN + 1] = 0;
	for (unsigned bits = 10; bits < 63; bits += 4) {
		starts[RUN] = FIRST + (UINT64_C(1) << bits);
		starts[RUN + 1] = starts[RUN] + 1;
		const struct locus_sample sample = {
			.interval_count = RUN + 2,
			.starts = starts,
			.contexts = at,
			.files = file,
			.lines = lines,
			.context_count = 1,
			.context = (struct locus_block_context *)&context,
			.tables = {.functions = &function, .function_count = 1, .files = files, .file_count = 1},
		};
		check_sample(&sample, 8192);
	}
}

/* A gap is the highest number that a context may have: one context more takes a bit more. */
static void a_context_is_never_taken_for_a_gap(void **state)
{
	(void)state;
	for (uint32_t count = 1; count <= 8; count++)
		check_span(100, count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_fit_whatever_the_span),
		cmocka_unit_test(lines_move_on_beyond_what_fits),
		cmocka_unit_test(a_context_is_never_taken_for_a_gap),
	};
	int descriptor = mkstemp(file_path);
	int failed = descriptor < 0 || cmocka_run_group_tests_name("intervals", tests, NULL, NULL) != 0;
	close(descriptor);
	remove(file_path);
	return failed;
}
