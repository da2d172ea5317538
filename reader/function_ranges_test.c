/* Where functions are, held against the frames of every interval, one by one. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "reader/locus.h"
#include "reader/mend_test.h"
#include "writer/sample_test.h"

static char file_path[] = "/tmp/locus-ranges-XXXXXX";

struct ranges {
	struct locus_function_range *range;
	size_t count;
	size_t wanted; /* the search is ended with this one */
};

static bool take(void *context, const struct locus_function_range *range)
{
	struct ranges *ranges = context;
	ranges->range = realloc(ranges->range, (ranges->count + 1) * sizeof(*range));
	assert_non_null(ranges->range);
	ranges->range[ranges->count++] = *range;
	return ranges->count < ranges->wanted;
}

static bool is_wanted(const uint32_t *ids, size_t id_count, uint32_t id)
{
	for (size_t i = 0; ids && i < id_count; i++)
		if (ids[i] == id)
			return true;
	return !ids;
}

/* What is known of the outermost wanted frame: its function, and where it was called, or where its part begins. */
struct copy {
	bool is_there, is_inlined;
	uint32_t function, caller, call_file, call_line, outer, outer_file, outer_line;
	uint64_t part_start;
	enum locus_part_kind part;
};

static struct copy copy_of(const struct locus_result *result, const uint32_t *ids, size_t id_count)
{
	for (size_t i = result->frame_count; i-- > 0;) {
		const struct locus_frame *frame = &result->frames[i];
		if (!is_wanted(ids, id_count, frame->function_id))
			continue;
		struct copy copy = {.is_there = true, .function = frame->function_id, .is_inlined = frame->inlined};
		if (!frame->inlined) {
			copy.part_start = frame->part_start;
			copy.part = frame->part;
			return copy;
		}
		copy.caller = frame[1].function_id;
		copy.call_file = frame[1].file_id;
		copy.call_line = frame[1].line;
		if (!frame[1].inlined) {
			copy.part_start = frame[1].part_start;
		} else {
			copy.outer_file = frame[2].file_id;
			copy.outer_line = frame[2].line;
		}
		return copy;
	}
	return (struct copy){.is_there = false};
}

/* The ranges that the intervals' frames say. */
static struct ranges expected_ranges(struct locus *locus, struct locus_scratch *scratch, const uint32_t *ids,
				     size_t id_count)
{
	struct ranges ranges = {.wanted = SIZE_MAX};
	struct copy open = {.is_there = false};
	for (uint32_t i = 0; i < locus_interval_count(locus); i++) {
		struct locus_result result;
		assert_int_equal(locus_frames(locus, scratch, i, &result, NULL), LOCUS_OK);
		struct copy copy = copy_of(&result, ids, id_count);
		bool goes_on = copy.is_there && open.is_there && copy.is_inlined == open.is_inlined &&
			       copy.function == open.function && copy.caller == open.caller &&
			       copy.call_file == open.call_file && copy.call_line == open.call_line &&
			       copy.outer_file == open.outer_file && copy.outer_line == open.outer_line &&
			       copy.part_start == open.part_start && copy.part == open.part;
		if (goes_on) {
			ranges.range[ranges.count - 1].end = result.interval.end;
		} else if (copy.is_there) {
			take(&ranges,
			     &(struct locus_function_range){.start = result.interval.start,
							    .end = result.interval.end,
							    .function_id = copy.function,
							    .inlined = copy.is_inlined,
							    .part = copy.part,
							    .part_start = copy.is_inlined ? 0 : copy.part_start});
		}
		open = copy;
	}
	return ranges;
}

static void check_ranges(struct locus *locus, const uint32_t *ids, size_t id_count)
{
	struct locus_scratch *scratch;
	struct locus_error error = {.text = ""};
	assert_int_equal(locus_scratch_new(locus, &scratch, NULL), LOCUS_OK);
	struct ranges expected = expected_ranges(locus, scratch, ids, id_count);
	for (size_t wanted = expected.count + 1; wanted; wanted = wanted > 2 ? wanted / 3 : wanted - 1) {
		struct ranges found = {.wanted = wanted};
		if (locus_function_ranges(locus, scratch, ids, id_count, take, &found, &error) != LOCUS_OK)
			fail_msg("%s", error.text);
		assert_int_equal(found.count, wanted < expected.count ? wanted : expected.count);
		for (size_t i = 0; i < found.count; i++) {
			const struct locus_function_range *a = &found.range[i], *b = &expected.range[i];
			if (a->start != b->start || a->end != b->end || a->function_id != b->function_id ||
			    a->inlined != b->inlined || a->part != b->part || a->part_start != b->part_start)
				fail_msg("range %zu: %#llx to %#llx of %u, expected %#llx to %#llx of %u", i,
					 (unsigned long long)a->start, (unsigned long long)a->end, a->function_id,
					 (unsigned long long)b->start, (unsigned long long)b->end, b->function_id);
		}
		free(found.range);
	}
	free(expected.range);
	locus_scratch_free(scratch);
}

static void ranges_are_what_the_frames_say(void **state)
{
	static const uint32_t block_sizes[] = {1, 7, 300, 8192};
	(void)state;
	for (uint32_t i = 0; i < sizeof(block_sizes) / sizeof(*block_sizes); i++) {
		struct locus_writer_options options = {.level = 1, .block_size = block_sizes[i]};
		struct locus_sample sample;
		struct locus *locus;
		struct locus_scratch *scratch;
		struct locus_error error;
		locus_sample_init(&sample, 20 + i, 2000);
		assert_int_equal(locus_sample_write(&sample, file_path, &options, &error), LOCUS_OK);
		assert_int_equal(locus_open(file_path, NULL, &locus, &error), LOCUS_OK);
		uint32_t count = locus_function_count(locus), all[4096];
		assert_in_range(count, 20, 4096);
		for (uint32_t k = 0; k < count; k++)
			all[k] = k + 1;
		check_ranges(locus, NULL, 0);
		check_ranges(locus, all, count);
		check_ranges(locus, all, 0);
		for (uint32_t k = 0; k < count; k += 1 + count / 20)
			check_ranges(locus, &all[k], 1);
		check_ranges(locus, &all[count - 1], 1);
		check_ranges(locus, &all[count / 2], count - count / 2);

		struct ranges none = {.wanted = 1};
		assert_int_equal(locus_scratch_new(locus, &scratch, NULL), LOCUS_OK);
		assert_int_equal(locus_function_ranges(locus, scratch, &count, 1, take, &none, &error), LOCUS_OK);
		const uint32_t above[] = {1, count + 1}, zero = 0;
		size_t found = none.count;
		assert_int_equal(locus_function_ranges(locus, scratch, above, 2, take, &none, &error), LOCUS_ERR_USAGE);
		assert_int_equal(locus_function_ranges(locus, scratch, &zero, 1, take, &none, &error), LOCUS_ERR_USAGE);
		assert_int_equal(none.count, found);
		free(none.range);
		locus_scratch_free(scratch);
		locus_close(locus);
		locus_sample_done(&sample);
	}
}

/* Two copies of one function, one behind the other: what differs in their calls, or in their callers', tells them
 * apart. */
static void copies_are_told_apart_by_their_calls(void **state)
{
	/* Calls of function 2 in function 1 or 3, which begin in line 5 of file 1. */
	struct call {
		uint32_t part, file, line;
	};
	static const struct {
		struct call a, b;
		size_t ranges;
	} cases[] = {
		{{0, 1, 7}, {0, 1, 7}, 1}, {{0, 1, 7}, {0, 1, 8}, 2}, {{0, 1, 7}, {0, 2, 7}, 2},
		{{0, 1, 5}, {0, 1, 0}, 2}, {{0, 1, 0}, {0, 1, 0}, 1}, {{0, 1, 7}, {1, 1, 7}, 2},
		{{0, 2, 7}, {0, 2, 7}, 1}, {{0, 0, 7}, {0, 1, 7}, 2}, {{0, 1, 7}, {2, 1, 7}, 2},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct call a = cases[i].a, b = cases[i].b;
		struct locus_block_context contexts[] = {
			{.caller = LOCUS_NO_CONTEXT, .function = 1, .decl_file = 1, .decl_line = 5, .start = 16},
			{.caller = LOCUS_NO_CONTEXT, .function = 3, .decl_file = 1, .decl_line = 5, .start = 16},
			{.caller = LOCUS_NO_CONTEXT, .function = 1, .decl_file = 1, .decl_line = 5, .start = 24},
			{.caller = a.part, .function = 2, .call_file = a.file, .call_line = a.line},
			{.caller = b.part, .function = 2, .call_file = b.file, .call_line = b.line},
		};
		struct locus_function functions[] = {
			{.decl_file = 1, .decl_line = 5}, {.decl_line = 1}, {.decl_file = 1, .decl_line = 5}};
		struct locus_file files[] = {{.name = {"a", 1}}, {.name = {"b", 1}}};
		uint64_t starts[] = {16, 24, 32};
		uint32_t at[] = {3, 4, LOCUS_NO_CONTEXT}, none[3] = {0}, lines[] = {1, 2, 0};
		struct locus_sample sample = {
			.interval_count = 3,
			.starts = starts,
			.contexts = at,
			.files = none,
			.lines = lines,
			.context_count = 5,
			.context = contexts,
			.tables = {.functions = functions, .function_count = 3, .files = files, .file_count = 2},
		};
		for (uint32_t block_size = 1; block_size <= 2; block_size++) {
			const struct locus_writer_options options = {.level = 0, .block_size = block_size};
			const uint32_t id = 2;
			struct ranges found = {.wanted = SIZE_MAX};
			struct locus *locus = NULL;
			struct locus_scratch *scratch;
			struct locus_error error;
			assert_int_equal(locus_sample_write(&sample, file_path, &options, &error), LOCUS_OK);
			assert_int_equal(locus_open(file_path, NULL, &locus, &error), LOCUS_OK);
			assert_int_equal(locus_scratch_new(locus, &scratch, NULL), LOCUS_OK);
			assert_int_equal(locus_function_ranges(locus, scratch, &id, 1, take, &found, &error), LOCUS_OK);
			if (found.count != cases[i].ranges)
				fail_msg("case %zu, blocks of %u: %zu ranges", i, block_size, found.count);
			assert_int_equal(found.range[0].start, 16);
			assert_int_equal(found.range[found.count - 1].end, 32);
			free(found.range);
			locus_scratch_free(scratch);
			locus_close(locus);
		}
	}
}

enum { FAR = 2000, BYTES_MAX = 1 << 16 };

/* A call of function 2 in 1, or in 3 in 1, and then one in FAR, which stands in another block of functions than 1. */
static struct bytes make_calls(bool is_deep)
{
	struct locus_block_context contexts[] = {
		{.caller = LOCUS_NO_CONTEXT, .function = 1, .decl_file = 1, .decl_line = 5, .start = 16},
		{.caller = LOCUS_NO_CONTEXT, .function = FAR, .decl_file = 1, .decl_line = 5, .start = 24},
		{.caller = 0, .function = 3, .call_file = 1, .call_line = 6},
		{.caller = is_deep ? 2 : 0, .function = 2, .call_file = is_deep ? 2 : 1, .call_line = 7},
		{.caller = 1, .function = 2, .call_file = 1, .call_line = 7},
	};
	static struct locus_function functions[FAR];
	struct locus_file files[] = {{.name = {"a", 1}}, {.name = {"b", 1}}};
	uint64_t starts[] = {16, 24, 32};
	uint32_t at[] = {3, 4, LOCUS_NO_CONTEXT}, none[3] = {0}, lines[] = {1, 2, 0};
	struct locus_sample sample = {
		.interval_count = 3,
		.starts = starts,
		.contexts = at,
		.files = none,
		.lines = lines,
		.context_count = 5,
		.context = contexts,
		.tables = {.functions = functions, .function_count = FAR, .files = files, .file_count = 2},
	};
	const struct locus_writer_options options = {.level = 0, .block_size = 1};
	struct bytes bytes = {malloc(BYTES_MAX), 0};
	assert_non_null(bytes.data);
	functions[0] = functions[FAR - 1] = (struct locus_function){.decl_file = 1, .decl_line = 5};
	assert_int_equal(locus_sample_write(&sample, file_path, &options, NULL), LOCUS_OK);
	FILE *file = fopen(file_path, "rb");
	assert_non_null(file);
	bytes.size = fread(bytes.data, 1, BYTES_MAX, file);
	fclose(file);
	return bytes;
}

/*
 * Where of a file that opens only function 1 cannot be read, the ranges cannot either: none is given as though whole.
 */
static bool check_damaged(const struct bytes *bytes)
{
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_function_info function;
	struct ranges found = {.wanted = SIZE_MAX};
	const uint32_t id = 2;
	if (locus_open_memory(bytes->data, bytes->size, NULL, &locus, NULL) != LOCUS_OK)
		return false;
	assert_int_equal(locus_scratch_new(locus, &scratch, NULL), LOCUS_OK);
	enum locus_status status = locus_function_at(locus, scratch, 1, &function, NULL);
	bool is_alone = status != LOCUS_OK && locus_function_at(locus, scratch, FAR, &function, NULL) == LOCUS_OK;
	if (is_alone) {
		assert_int_equal(locus_function_ranges(locus, scratch, &id, 1, take, &found, NULL), status);
		assert_int_equal(found.count, 0);
	}
	locus_scratch_free(scratch);
	locus_close(locus);
	return is_alone;
}

static void a_function_that_cannot_be_read_ends_the_search(void **state)
{
	(void)state;
	for (int is_deep = 0; is_deep < 2; is_deep++) {
		struct bytes bytes = make_calls(is_deep);
		size_t damaged = 0;
		for (size_t i = 0; i < bytes.size; i++) {
			bytes.data[i] ^= 1;
			damaged += check_damaged(&bytes);
			bytes.data[i] ^= 1;
		}
		assert_in_range(damaged, 1, bytes.size);
		free(bytes.data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(ranges_are_what_the_frames_say),
					   cmocka_unit_test(copies_are_told_apart_by_their_calls),
					   cmocka_unit_test(a_function_that_cannot_be_read_ends_the_search)};
	int descriptor = mkstemp(file_path);
	int failed = descriptor < 0 || cmocka_run_group_tests_name("function_ranges", tests, NULL, NULL) != 0;
	close(descriptor);
	remove(file_path);
	return failed;
}
