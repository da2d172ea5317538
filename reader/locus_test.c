/* Round trips: what was put into a file is what every way of asking gives back, at any block size and level. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "reader/locus.h"
#include "spec/counters.h"
#include "spec/format.h"
#include "writer/sample_test.h"

static char path[] = "/tmp/locus-test-XXXXXX";

static int setup(void **state)
{
	(void)state;
	return mkdtemp(path) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(path);
}

static const char *file_path(void)
{
	static char file[64];
	snprintf(file, sizeof(file), "%s/a.locus", path);
	return file;
}

static void ok(enum locus_status status, const struct locus_error *error)
{
	if (status != LOCUS_OK)
		fail_msg("%s: %s", locus_status_text(status), error->text);
}

static void check_string(struct locus_string string, struct locus_bytes expected)
{
	assert_int_equal(string.size, expected.size);
	if (expected.size)
		assert_memory_equal(string.data, expected.data, expected.size);
}

/* The interval's frames against the sample's chain. */
static void check_frames(const struct locus_sample *sample, uint32_t interval, uint64_t address,
			 const struct locus_result *result)
{
	uint32_t context = sample->contexts[interval], line = sample->lines[interval], file = sample->files[interval];
	uint32_t column = sample->columns[interval];
	size_t i = 0;
	while (context != LOCUS_NO_CONTEXT) {
		const struct locus_block_context *at = &sample->context[context];
		const struct locus_function *function = &sample->functions[at->function - 1];
		const struct locus_frame *frame = &result->frames[i++];
		assert_true(i <= result->frame_count);
		assert_int_equal(frame->function_id, sample->ids[at->function - 1]);
		assert_int_equal(frame->line, line);
		assert_int_equal(frame->column, sample->has_columns ? column : 0);
		assert_int_equal(frame->file_id, file);
		assert_int_equal(frame->language, function->language);
		check_string(frame->function, function->name);
		check_string(frame->linkage, function->linkage);
		check_string(frame->file, file ? sample->file_table[file - 1].name : (struct locus_bytes){0});
		check_string(frame->directory, file ? sample->file_table[file - 1].directory : (struct locus_bytes){0});
		assert_int_equal(frame->inlined, at->caller != LOCUS_NO_CONTEXT);
		assert_int_equal(frame->reserved[0], 0);
		if (!frame->inlined) {
			assert_int_equal(frame->part, at->kind);
			assert_int_equal(frame->part_start, at->start);
			assert_int_equal(frame->offset, address - at->start);
		}
		line = at->call_line;
		column = at->call_column;
		file = at->call_file;
		context = at->caller;
	}
	assert_int_equal(i, result->frame_count);
	assert_int_equal(result->reserved[0], 0);
}

static enum locus_answer expected_answer(const struct locus_sample *sample, uint32_t interval)
{
	uint32_t context = sample->contexts[interval];
	if (context == LOCUS_NO_CONTEXT)
		return LOCUS_ANSWER_NONE;
	if (sample->lines[interval])
		return LOCUS_ANSWER_OK;
	while (sample->context[context].caller != LOCUS_NO_CONTEXT)
		context = sample->context[context].caller;
	return sample->context[context].kind == LOCUS_PART_SYMBOL ? LOCUS_ANSWER_SYMBOL : LOCUS_ANSWER_NO_LINE;
}

static void check_interval(const struct locus_sample *sample, uint32_t i, const struct locus_interval *interval)
{
	assert_int_equal(interval->locid, i);
	assert_int_equal(interval->start, sample->starts[i]);
	assert_int_equal(interval->end, i + 1 < sample->interval_count ? sample->starts[i + 1] : UINT64_MAX);
	assert_int_equal(interval->answer, expected_answer(sample, i));
}

/* Only a hint, for any address: nothing is to be seen of it. */
static void prefetch(const struct locus_sample *sample, const struct locus *locus, struct locus_scratch *scratch,
		     uint64_t random)
{
	uint64_t addresses[100] = {0, UINT64_MAX, sample->starts[0] - 1, sample->starts[sample->interval_count - 1]};
	for (size_t i = 4; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		addresses[i] = sample->starts[locus_sample_below(&random, sample->interval_count)] + i % 3;
	locus_prefetch(locus, scratch, addresses, sizeof(addresses) / sizeof(addresses[0]));
	locus_prefetch(locus, scratch, addresses, 0);
}

static void check_lookups(const struct locus_sample *sample, struct locus *locus)
{
	struct locus_scratch *scratch;
	struct locus_result result;
	struct locus_interval interval;
	struct locus_error error;
	uint64_t random = 5;
	memset(&result, 0xff, sizeof(result));
	ok(locus_scratch_new(locus, &scratch, &error), &error);
	assert_int_equal(locus_interval_count(locus), sample->interval_count);
	prefetch(sample, locus, scratch, 1);
	for (uint32_t i = 0; i < sample->interval_count; i++) {
		ok(locus_frames(locus, scratch, i, &result, &error), &error);
		check_interval(sample, i, &result.interval);
		check_frames(sample, i, sample->starts[i], &result);
	}
	for (uint32_t k = 0; k < sample->interval_count; k++) {
		uint32_t i = locus_sample_below(&random, sample->interval_count);
		uint64_t end = i + 1 < sample->interval_count ? sample->starts[i + 1] : UINT64_MAX;
		uint64_t address = sample->starts[i] + random_next(&random) % (end - sample->starts[i]);
		if (k % 100 == 0)
			prefetch(sample, locus, scratch, k);
		ok(locus_find(locus, scratch, address, &interval, &error), &error);
		check_interval(sample, i, &interval);
		ok(locus_lookup(locus, scratch, address, &result, &error), &error);
		check_frames(sample, i, address, &result);
		ok(locus_interval_at(locus, scratch, i, &interval, &error), &error);
		check_interval(sample, i, &interval);
	}
	ok(locus_lookup(locus, scratch, sample->starts[0] - 1, &result, &error), &error);
	assert_int_equal(result.interval.locid, LOCUS_NO_LOCID);
	assert_int_equal(result.interval.end, sample->starts[0]);
	assert_int_equal(result.frame_count, 0);
	assert_int_equal(locus_frames(locus, scratch, sample->interval_count, &result, &error), LOCUS_ERR_USAGE);
	locus_scratch_free(scratch);
}

static void check_tables(const struct locus_sample *sample, struct locus *locus)
{
	struct locus_scratch *scratch;
	struct locus_function_info function;
	struct locus_file_info file;
	struct locus_error error;
	ok(locus_scratch_new(locus, &scratch, &error), &error);
	assert_int_equal(locus_function_count(locus), sample->tables.function_count);
	for (uint32_t i = 0; i < sample->tables.function_count; i++) {
		const struct locus_function *expected = &sample->functions[i];
		ok(locus_function_at(locus, scratch, sample->ids[i], &function, &error), &error);
		check_string(function.name, expected->name);
		check_string(function.linkage, expected->linkage);
		assert_int_equal(function.decl_file_id, expected->decl_file);
		assert_int_equal(function.decl_line, expected->decl_line);
		assert_int_equal(function.language, expected->language);
	}
	assert_int_equal(locus_file_count(locus), sample->tables.file_count);
	for (uint32_t i = 0; i < sample->tables.file_count; i++) {
		ok(locus_file_at(locus, scratch, i + 1, &file, &error), &error);
		check_string(file.directory, sample->file_table[i].directory);
		check_string(file.name, sample->file_table[i].name);
	}
	assert_int_equal(locus_function_at(locus, scratch, 0, &function, &error), LOCUS_ERR_USAGE);
	assert_int_equal(locus_file_at(locus, scratch, sample->tables.file_count + 1, &file, &error), LOCUS_ERR_USAGE);
	locus_scratch_free(scratch);
}

static void check_alternates(const struct locus_sample *sample, struct locus *locus)
{
	struct locus_scratch *scratch;
	struct locus_error error;
	uint64_t random = 9;
	ok(locus_scratch_new(locus, &scratch, &error), &error);
	assert_int_equal(locus_alternate_count(locus), sample->tables.alternate_count);
	for (uint32_t k = 0; k < 300; k++) {
		const struct locus_alternate_info *found = NULL;
		size_t count, expected = 0;
		uint64_t address = sample->starts[locus_sample_below(&random, sample->interval_count)] + k % 3;
		ok(locus_alternates(locus, scratch, address, &found, &count, &error), &error);
		for (uint32_t i = 0; i < sample->tables.alternate_count; i++) {
			const struct locus_alternate *at = &sample->alternates[i];
			if (at->size ? address < at->start || address >= at->start + at->size : address != at->start)
				continue;
			assert_true(expected < count);
			assert_int_equal(found[expected].start, at->start);
			assert_int_equal(found[expected].size, at->size);
			assert_int_equal(found[expected].function_id, sample->ids[at->function - 1]);
			assert_int_equal(found[expected].kind, at->kind);
			expected++;
		}
		assert_int_equal(expected, count);
	}
	locus_scratch_free(scratch);
}

static void check_inputs(const struct locus_meta *meta, const struct locus_info *info)
{
	assert_int_equal(info->input_count, meta->input_count);
	for (size_t i = 0; i < meta->input_count; i++) {
		const struct locus_input *expected = &meta->inputs[i];
		struct locus_bytes digest = {(const char *)expected->digest, LOCUS_DIGEST_SIZE};
		assert_int_equal(info->inputs[i].role, expected->role);
		assert_int_equal(info->inputs[i].size, expected->size);
		assert_int_equal(info->inputs[i].digest_kind, expected->digest_kind);
		check_string(info->inputs[i].name, expected->name);
		check_string(info->inputs[i].build_id, expected->build_id);
		check_string(info->inputs[i].digest, expected->digest_kind ? digest : (struct locus_bytes){0});
	}
	assert_int_equal(info->segment_count, meta->segment_count);
	for (size_t i = 0; i < meta->segment_count; i++) {
		assert_int_equal(info->segments[i].address, meta->segments[i].address);
		assert_int_equal(info->segments[i].offset, meta->segments[i].offset);
		assert_int_equal(info->segments[i].file_size, meta->segments[i].file_size);
		assert_int_equal(info->segments[i].memory_size, meta->segments[i].memory_size);
		assert_int_equal(info->segments[i].flags, meta->segments[i].flags);
	}
}

static void check_info(const struct locus_sample *sample, struct locus *locus)
{
	const struct locus_meta *meta = &sample->tables.meta;
	const struct locus_info *info;
	struct locus_error error;
	ok(locus_info(locus, &info, &error), &error);
	check_string(info->build_id, meta->build_id);
	check_string(info->tool, meta->tool);
	check_string(info->options, meta->options);
	assert_int_equal(info->elf_machine, meta->elf_machine);
	assert_int_equal(info->elf_type, meta->elf_type);
	assert_int_equal(info->elf_class, meta->elf_class);
	assert_int_equal(info->elf_data, meta->elf_data);
	assert_int_equal(info->rules_epoch, meta->rules_epoch);
	assert_int_equal(info->coverage_count, meta->coverage_count);
	assert_int_equal(info->coverage[1].id, LOCUS_COVERAGE_NONE);
	assert_int_equal(info->coverage[1].value, UINT64_MAX);
	assert_int_equal(info->dropped_count, 1);
	assert_int_equal(info->base_count, 2);
	check_string(info->bases[1].name, meta->sections[1].name);
	assert_int_equal(info->bases[1].base, meta->sections[1].base);
	check_inputs(meta, info);
}

static void check_file(const struct locus_sample *sample, const struct locus_open_options *options)
{
	struct locus *locus;
	struct locus_error error;
	ok(locus_open(file_path(), options, &locus, &error), &error);
	ok(locus_verify(locus, LOCUS_VERIFY_FULL, &error), &error);
	assert_int_equal(locus_verify(locus, (enum locus_verify_depth)2, &error), LOCUS_ERR_USAGE);
	check_lookups(sample, locus);
	check_tables(sample, locus);
	check_alternates(sample, locus);
	check_info(sample, locus);
	locus_close(locus);
}

/* ---- Tests ---- */

/* Whether the file numbers the functions anew. */
static bool is_sorted_by_name(const struct locus_sample *sample)
{
	for (uint32_t i = 0; i < sample->tables.function_count; i++)
		if (sample->ids[i] != i + 1)
			return true;
	return false;
}

static void test_round_trip(void **state)
{
	static const uint32_t sizes[] = {1, 2, 3, 7, 1000, 8192};
	static const int levels[] = {0, 1, 9, 19};
	unsigned sorted = 0;
	(void)state;
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (unsigned k = 0; k < sizeof(levels) / sizeof(levels[0]); k++) {
			struct locus_writer_options options = {.level = levels[k], .block_size = sizes[i]};
			struct locus_sample sample;
			struct locus_error error;
			/* So many that there is a second block of alternates, whose reach is not 0. */
			locus_sample_init(&sample, 100 * i + k, sizes[i] < 8 ? 500 : sizes[i] < 8192 ? 20000 : 45000);
			ok(locus_sample_write(&sample, file_path(), &options, &error), &error);
			check_file(&sample, NULL);
			sorted += is_sorted_by_name(&sample);
			locus_sample_done(&sample);
			remove(file_path());
		}
	assert_in_range(sorted, 1, sizeof(sizes) / sizeof(sizes[0]) * (sizeof(levels) / sizeof(levels[0])) - 1);
}

static void test_bounded_memory(void **state)
{
	struct locus_writer_options options = {.level = 1, .block_size = 100};
	struct locus_open_options open = {.memory_max_bytes = 1};
	struct locus_sample sample;
	struct locus_error error;
	(void)state;
	locus_sample_init(&sample, 77, 1500);
	ok(locus_sample_write(&sample, file_path(), &options, &error), &error);
	check_file(&sample, &open);
	open.memory_max_bytes = 20000;
	check_file(&sample, &open);
	locus_sample_done(&sample);
	remove(file_path());
}

static struct locus_identity identity_at(const struct locus_sample *sample, int level)
{
	struct locus_writer_options options = {.level = level, .block_size = 50};
	struct locus *locus;
	struct locus_error error;
	ok(locus_sample_write(sample, file_path(), &options, &error), &error);
	ok(locus_open(file_path(), NULL, &locus, &error), &error);
	struct locus_identity identity = locus_identity(locus);
	locus_close(locus);
	remove(file_path());
	return identity;
}

static void test_identity_does_not_depend_on_level(void **state)
{
	struct locus_sample sample, other;
	(void)state;
	locus_sample_init(&sample, 1, 1000);
	locus_sample_init(&other, 2, 1000);
	struct locus_identity stored = identity_at(&sample, 0), packed = identity_at(&sample, 12);
	struct locus_identity different = identity_at(&other, 0);
	assert_memory_equal(&stored, &packed, sizeof(stored));
	assert_memory_not_equal(&stored, &different, sizeof(stored));
	locus_sample_done(&sample);
	locus_sample_done(&other);
}

/* The first calls of a scratch decode no more of a block than they need. */
static void check_first_calls(const struct locus_sample *sample, uint32_t i, uint32_t k)
{
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_result result;
	struct locus_interval interval;
	struct locus_error error;
	ok(locus_open(file_path(), NULL, &locus, &error), &error);
	ok(locus_scratch_new(locus, &scratch, &error), &error);
	ok(locus_lookup(locus, scratch, sample->starts[i], &result, &error), &error);
	check_interval(sample, i, &result.interval);
	check_frames(sample, i, sample->starts[i], &result);
	ok(locus_find(locus, scratch, sample->starts[k], &interval, &error), &error);
	check_interval(sample, k, &interval);
	ok(locus_frames(locus, scratch, k, &result, &error), &error);
	check_interval(sample, k, &result.interval);
	check_frames(sample, k, sample->starts[k], &result);
	locus_scratch_free(scratch);
	ok(locus_scratch_new(locus, &scratch, &error), &error);
	ok(locus_frames(locus, scratch, i, &result, &error), &error);
	check_interval(sample, i, &result.interval);
	check_frames(sample, i, sample->starts[i], &result);
	locus_scratch_free(scratch);
	locus_close(locus);
}

static void test_sections(void **state)
{
	const struct locus_writer_options options = {.level = 1, .block_size = 50};
	struct locus_sample sample;
	struct locus *locus;
	struct locus_error error;
	struct locus_section_info section = {.id = 0};
	(void)state;
	locus_sample_init(&sample, 3, 100);
	ok(locus_sample_write(&sample, file_path(), &options, &error), &error);
	ok(locus_open(file_path(), NULL, &locus, &error), &error);
	uint32_t count = locus_section_count(locus);
	for (uint32_t i = 0; i < count; i++) {
		uint16_t before = section.id;
		ok(locus_section_at(locus, i, &section, &error), &error);
		assert_true(section.id > before);
		assert_int_equal(section.required, section.id == LOCUS_SECTION_FILES ||
							   section.id == LOCUS_SECTION_INTERVALS ||
							   section.id == LOCUS_SECTION_FUNCTIONS);
	}
	assert_int_equal(locus_section_at(locus, count, &section, &error), LOCUS_ERR_USAGE);
	locus_close(locus);
	remove(file_path());
	locus_sample_done(&sample);
}

static void test_first_calls(void **state)
{
	static const uint32_t block_sizes[] = {1, 7, 500, 8192};
	uint64_t random = 3;
	(void)state;
	for (size_t i = 0; i < sizeof(block_sizes) / sizeof(block_sizes[0]); i++) {
		struct locus_writer_options options = {.level = 3, .block_size = block_sizes[i]};
		struct locus_sample sample;
		struct locus_error error;
		locus_sample_init(&sample, i, 2000);
		ok(locus_sample_write(&sample, file_path(), &options, &error), &error);
		for (uint32_t k = 0; k < 200; k++)
			check_first_calls(&sample, locus_sample_below(&random, sample.interval_count),
					  locus_sample_below(&random, sample.interval_count));
		locus_sample_done(&sample);
		remove(file_path());
	}
}

static void test_empty(void **state)
{
	struct locus_writer_options options = {.level = 3, .block_size = 8192};
	struct locus_sample sample = {0};
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_result result;
	struct locus_error error;
	(void)state;
	ok(locus_sample_write(&sample, file_path(), &options, &error), &error);
	ok(locus_open(file_path(), NULL, &locus, &error), &error);
	ok(locus_verify(locus, LOCUS_VERIFY_FULL, &error), &error);
	ok(locus_scratch_new(locus, &scratch, &error), &error);
	ok(locus_lookup(locus, scratch, 5, &result, &error), &error);
	assert_int_equal(result.frame_count, 0);
	assert_int_equal(result.interval.end, UINT64_MAX);
	locus_scratch_free(scratch);
	locus_close(locus);
	remove(file_path());
}

/* Names that share almost all of each other cost a file little, but a reader all they are written out. */
static void test_long_names(void **state)
{
	enum { LONG = LOCUS_BLOCK_NAMES_MAX / 2, COUNT = 3 };
	struct locus_writer_options options = {.level = 1, .block_size = 8192};
	struct locus_function functions[COUNT] = {0};
	struct locus_sample sample = {.tables = {.functions = functions, .function_count = COUNT}};
	struct locus_function_info function;
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_error error;
	char *text = malloc(LONG);
	(void)state;
	assert_non_null(text);
	memset(text, 'x', LONG);
	for (size_t i = 0; i < COUNT; i++)
		functions[i].linkage = (struct locus_bytes){text, LONG - 1 - i};
	ok(locus_sample_write(&sample, file_path(), &options, &error), &error);
	/* As a reader reads files that nobody vouches for: refused, before the memory is had. */
	const struct locus_open_options little = {.memory_max_bytes = LOCUS_MEMORY_MIN};
	ok(locus_open(file_path(), &little, &locus, &error), &error);
	ok(locus_scratch_new(locus, &scratch, &error), &error);
	for (int i = 0; i < 3; i++)
		assert_int_equal(locus_function_at(locus, scratch, 1, &function, &error), LOCUS_ERR_LIMIT);
	locus_scratch_free(scratch);
	locus_close(locus);

	ok(locus_open(file_path(), NULL, &locus, &error), &error);
	ok(locus_scratch_new(locus, &scratch, &error), &error);
	ok(locus_verify(locus, LOCUS_VERIFY_FULL, &error), &error);
	for (uint32_t i = 0; i < COUNT; i++) {
		ok(locus_function_at(locus, scratch, i + 1, &function, &error), &error);
		assert_int_equal(function.linkage.size, LONG - COUNT + i);
	}
	locus_scratch_free(scratch);
	locus_close(locus);
	functions[0].name = (struct locus_bytes){text, LONG};
	assert_int_equal(locus_sample_write(&sample, file_path(), &options, &error), LOCUS_ERR_USAGE);
	remove(file_path());
	free(text);
}

/* Some 20 MB of names, of which each adds a few bytes: what they are written out is bounded in each block. */
static void test_names_that_share_nearly_all(void **state)
{
	enum { SIZE = 35000, COUNT = 600 };
	struct locus_writer_options options = {.level = 1, .block_size = 8192};
	static struct locus_function functions[COUNT];
	struct locus_sample sample = {.tables = {.functions = functions, .function_count = COUNT}};
	struct locus_function_info function;
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_error error;
	char *text = malloc((size_t)SIZE * COUNT);
	(void)state;
	assert_non_null(text);
	memset(text, 'x', (size_t)SIZE * COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		char *name = text + i * SIZE;
		for (size_t k = 1, rest = i; k <= 4; k++, rest /= 10)
			name[SIZE - k] = (char)('0' + rest % 10);
		functions[i].linkage = (struct locus_bytes){name, SIZE};
	}
	ok(locus_sample_write(&sample, file_path(), &options, &error), &error);
	ok(locus_open(file_path(), NULL, &locus, &error), &error);
	ok(locus_verify(locus, LOCUS_VERIFY_FULL, &error), &error);
	ok(locus_scratch_new(locus, &scratch, &error), &error);
	for (uint32_t i = 0; i < COUNT; i += COUNT / 3) {
		ok(locus_function_at(locus, scratch, i + 1, &function, &error), &error);
		check_string(function.linkage, functions[i].linkage);
	}
	locus_scratch_free(scratch);
	locus_close(locus);
	remove(file_path());
	free(text);
}

static void check_counters(const struct locus_counter_info *counters, size_t count,
			   const struct locus_counter *expected)
{
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(counters[i].id, expected[i].id);
		assert_int_equal(counters[i].value, expected[i].value);
	}
}

/* A file that has hundreds of one kind of what it comes from, and of each other kind one. */
static void test_many_of_one_kind(void **state)
{
	enum { MANY = 300, KINDS = 5 };
	static const struct locus_input input = {.role = LOCUS_INPUT_SPLIT, .name = {"a.dwo", 5}};
	struct locus_section_base bases[MANY];
	struct locus_input inputs[MANY];
	struct locus_segment segments[MANY];
	struct locus_counter counters[MANY];
	(void)state;
	for (unsigned i = 0; i < MANY; i++) {
		bases[i] = (struct locus_section_base){{".text", i % 6}, i << 20, i};
		inputs[i] = input;
		inputs[i].size = i;
		segments[i] = (struct locus_segment){i << 12, i << 11, i, i + 1, i % 8};
		counters[i] = (struct locus_counter){i + 1, (uint64_t)i << 40};
	}
	for (unsigned kind = 0; kind < KINDS; kind++) {
		struct locus_sample sample;
		struct locus_writer_options options = {.level = 1, .block_size = 8192};
		struct locus *locus;
		struct locus_error error;
		const struct locus_info *info;
		locus_sample_init(&sample, 2, 10);
		struct locus_meta *meta = &sample.tables.meta;
		meta->sections = bases;
		meta->section_count = kind == 0 ? MANY : 1;
		meta->inputs = inputs;
		meta->input_count = kind == 1 ? MANY : 1;
		meta->segments = segments;
		meta->segment_count = kind == 2 ? MANY : 1;
		meta->coverage = meta->dropped = counters;
		meta->coverage_count = kind == 3 ? MANY : 1;
		meta->dropped_count = kind == 4 ? MANY : 1;
		ok(locus_sample_write(&sample, file_path(), &options, &error), &error);
		ok(locus_open(file_path(), NULL, &locus, &error), &error);
		ok(locus_info(locus, &info, &error), &error);
		check_inputs(meta, info);
		assert_int_equal(info->base_count, meta->section_count);
		for (size_t i = 0; i < info->base_count; i++) {
			check_string(info->bases[i].name, bases[i].name);
			assert_int_equal(info->bases[i].base, bases[i].base);
			assert_int_equal(info->bases[i].size, bases[i].size);
		}
		assert_int_equal(info->coverage_count, meta->coverage_count);
		assert_int_equal(info->dropped_count, meta->dropped_count);
		check_counters(info->coverage, info->coverage_count, counters);
		check_counters(info->dropped, info->dropped_count, counters);
		locus_close(locus);
		locus_sample_done(&sample);
		remove(file_path());
	}
}

/*
 * Segments by the hundred thousand, which compress to next to nothing: the file becomes as large as readers ask of one
 * that lists so many.
 */
static void test_more_listed_than_a_small_file_may(void **state)
{
	enum { SMALL = 20000 }; /* bytes */
	static const struct {
		size_t count;
		int level;
	} files[] = {{LOCUS_META_LISTED_SPARE, 9}, {2 * LOCUS_META_LISTED_SPARE, 9}, {2 * LOCUS_META_LISTED_SPARE, 0}};
	struct locus_segment *segments = calloc(2 * LOCUS_META_LISTED_SPARE, sizeof(*segments));
	(void)state;
	assert_non_null(segments);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		const size_t count = files[i].count, least = count - LOCUS_META_LISTED_SPARE;
		struct locus_writer_options options = {.level = files[i].level, .block_size = 8192};
		struct locus_sample sample;
		struct locus *locus;
		struct locus_error error;
		const struct locus_info *info;
		locus_sample_init(&sample, 2, 10);
		sample.tables.meta.segments = segments;
		sample.tables.meta.segment_count = count;
		ok(locus_sample_write(&sample, file_path(), &options, &error), &error);
		ok(locus_open(file_path(), NULL, &locus, &error), &error);
		ok(locus_info(locus, &info, &error), &error);
		assert_int_equal(info->segment_count, count);
		ok(locus_verify(locus, LOCUS_VERIFY_FULL, &error), &error);
		if (options.level)
			assert_in_range(locus_file_size(locus), least, least + SMALL);
		locus_close(locus);
		locus_sample_done(&sample);
		remove(file_path());
	}
	free(segments);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_bounded_memory),
		cmocka_unit_test(test_identity_does_not_depend_on_level),
		cmocka_unit_test(test_sections),
		cmocka_unit_test(test_first_calls),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_names_that_share_nearly_all),
		cmocka_unit_test(test_many_of_one_kind),
		cmocka_unit_test(test_more_listed_than_a_small_file_may),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
