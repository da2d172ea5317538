/*
 * What only large files have: chains of frames whose functions are in more blocks than are kept, alternates that reach
 * from one block into others, parts in which many inlinees come back, long runs of lines.
 */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "reader/blocks/decode.h"
#include "reader/handle/handle.h"
#include "reader/locus.h"
#include "writer/sample_test.h"

static char directory[] = "/tmp/locus-blocks-XXXXXX";
static char path[64];

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/a.locus", directory);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	remove(path);
	return rmdir(directory);
}

static void ok(enum locus_status status, const struct locus_error *error)
{
	if (status != LOCUS_OK)
		fail_msg("%s: %s", locus_status_text(status), error->text);
}

/* ---- Samples by hand ---- */

/* Room for tables of these sizes; functions have names that begin with different letters, files are made up. */
static void begin_sample(struct locus_sample *sample, uint32_t interval_max, uint32_t context_max,
			 uint32_t function_count)
{
	*sample = (struct locus_sample){
		.starts = need(calloc(interval_max, sizeof(*sample->starts))),
		.contexts = need(calloc(interval_max, sizeof(*sample->contexts))),
		.files = need(calloc(interval_max, sizeof(*sample->files))),
		.lines = need(calloc(interval_max, sizeof(*sample->lines))),
		.context = need(calloc(context_max, sizeof(*sample->context))),
		.functions = need(calloc(function_count, sizeof(*sample->functions))),
		.file_table = need(calloc(FILE_FEW, sizeof(*sample->file_table))),
		.text = need(malloc((size_t)function_count * 32 + FILE_FEW * 32)),
	};
	for (uint32_t i = 0; i < function_count; i++)
		sample->functions[i].name = put_text(sample, "%08x_function", (uint32_t)(i * 2654435761u));
	for (uint32_t i = 0; i < FILE_FEW; i++)
		sample->file_table[i].name = put_text(sample, "file%u.c", i);
	make_meta(sample);
	sample->tables.functions = sample->functions;
	sample->tables.function_count = function_count;
	sample->tables.files = sample->file_table;
	sample->tables.file_count = FILE_FEW;
}

static void put_interval(struct locus_sample *sample, uint64_t start, uint32_t context, uint32_t line)
{
	uint32_t i = sample->interval_count++;
	sample->starts[i] = start;
	sample->contexts[i] = context;
	sample->lines[i] = line;
	sample->files[i] = context == LOCUS_NO_CONTEXT ? 0 : 1 + line % FILE_FEW;
}

/* `caller`: LOCUS_NO_CONTEXT for a part that starts at `start`. */
static uint32_t put_context(struct locus_sample *sample, uint32_t caller, uint32_t function, uint64_t start)
{
	sample->context[sample->context_count] = (struct locus_block_context){
		.caller = caller,
		.function = function,
		.call_line = caller == LOCUS_NO_CONTEXT ? 0 : 1 + function % 1000,
		.call_file = caller == LOCUS_NO_CONTEXT ? 0 : 1 + function % FILE_FEW,
		.start = start,
	};
	return sample->context_count++;
}

static void write_sample(const struct locus_sample *sample, uint32_t block_size)
{
	struct locus_writer_options options = {.level = 1, .block_size = block_size};
	struct locus_error error;
	ok(locus_sample_write(sample, path, &options, &error), &error);
}

/* The frames of an interval are its chain of contexts, each with the name of its function. */
static void check_chain(const struct locus_sample *sample, struct locus *locus, struct locus_scratch *scratch,
			uint32_t i)
{
	struct locus_result result;
	struct locus_error error;
	uint32_t line = sample->lines[i];
	size_t depth = 0;
	ok(locus_lookup(locus, scratch, sample->starts[i], &result, &error), &error);
	for (uint32_t at = sample->contexts[i]; at != LOCUS_NO_CONTEXT; at = sample->context[at].caller, depth++) {
		const struct locus_frame *frame = &result.frames[depth];
		uint32_t function = sample->context[at].function;
		struct locus_bytes name = sample->functions[function - 1].name;
		assert_true(depth < result.frame_count);
		assert_int_equal(frame->function_id, function);
		assert_int_equal(frame->function.size, name.size);
		assert_memory_equal(frame->function.data, name.data, name.size);
		assert_int_equal(frame->line, line);
		line = sample->context[at].call_line;
	}
	assert_int_equal(depth, result.frame_count);
	assert_int_equal(result.interval.locid, i);
}

/* ---- Blocks that a call has asked for ---- */

enum { WIDE_FUNCTIONS = 120000, WIDE_DEPTH = 60 };

/* A part for each function; the last interval is inlined through functions that are far from each other. */
static void make_wide(struct locus_sample *sample)
{
	uint64_t start = 0x1000;
	begin_sample(sample, WIDE_FUNCTIONS + 2, WIDE_FUNCTIONS + WIDE_DEPTH, WIDE_FUNCTIONS);
	for (uint32_t i = 0; i < WIDE_FUNCTIONS; i++, start += 16)
		put_interval(sample, start, put_context(sample, LOCUS_NO_CONTEXT, i + 1, start), i % 100);
	uint32_t context = put_context(sample, LOCUS_NO_CONTEXT, 1, start);
	for (uint32_t i = 1; i < WIDE_DEPTH; i++)
		context = put_context(sample, context, 1 + i * (WIDE_FUNCTIONS / WIDE_DEPTH), 0);
	put_interval(sample, start, context, 7);
	put_interval(sample, start + 16, LOCUS_NO_CONTEXT, 0);
}

/*
 * Without room in the handle the scratch keeps the blocks: those that the last call needs, however many these are, and
 * only a few more.
 */
static void a_call_keeps_what_it_needs(void **state)
{
	struct locus_sample sample;
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_error error;
	uint64_t random = 3;
	(void)state;
	make_wide(&sample);
	write_sample(&sample, 8192);
	ok(locus_open(path, NULL, &locus, &error), &error);
	locus->kept_max = 0;
	ok(locus_scratch_new(locus, &scratch, &error), &error);
	for (int round = 0; round < 20; round++) {
		check_chain(&sample, locus, scratch, WIDE_FUNCTIONS);
		for (int k = 0; k < 5; k++)
			check_chain(&sample, locus, scratch, locus_sample_below(&random, WIDE_FUNCTIONS));
	}
	assert_in_range(scratch->held_count, 33, 2 * WIDE_DEPTH + 32);
	assert_int_equal(atomic_load(&locus->kept), 0);
	locus_scratch_free(scratch);
	locus_close(locus);
	locus_sample_done(&sample);
}

static void the_handle_keeps_no_more_than_allowed(void **state)
{
	static const size_t limits[] = {1, 100 << 10, 1 << 20, 64 << 20};
	struct locus_sample sample;
	(void)state;
	make_wide(&sample);
	write_sample(&sample, 8192);
	for (size_t k = 0; k < sizeof(limits) / sizeof(limits[0]); k++) {
		struct locus_open_options options = {.memory_max_bytes = limits[k]};
		struct locus *locus;
		struct locus_scratch *scratch;
		struct locus_error error;
		ok(locus_open(path, &options, &locus, &error), &error);
		ok(locus_scratch_new(locus, &scratch, &error), &error);
		for (uint32_t i = 0; i < WIDE_FUNCTIONS; i += 1000)
			check_chain(&sample, locus, scratch, i);
		assert_in_range(atomic_load(&locus->kept), k == 3 ? 1 << 20 : 0, limits[k]);
		locus_scratch_free(scratch);
		locus_close(locus);
	}
	locus_sample_done(&sample);
}

/*
 * The pool gets an eighth of what may be kept, once a mebibyte is, and only where there is room for a page of it. Of
 * intervals that may not be kept any more it gets none.
 */
static void the_pool_gets_its_share(void **state)
{
	enum { PAGE = LOCUS_POOL_PAGE, LEAST = 1 << 20 };
	static const struct {
		size_t kept, kept_max, intervals, pooled;
	} cases[] = {
		{LEAST, 8 * PAGE, 0, PAGE},    {LEAST - 1, 8 * PAGE, 0, 0},    {LEAST, 8 * PAGE - 1, 0, 0},
		{7 * PAGE, 8 * PAGE, 0, PAGE}, {7 * PAGE + 1, 8 * PAGE, 0, 0}, {8 * PAGE, 16 * PAGE, 0, PAGE},
		{LEAST, 8 * PAGE, 1 << 30, 0},
	};
	struct locus_sample sample;
	(void)state;
	make_wide(&sample);
	write_sample(&sample, 8192);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct locus *locus;
		struct locus_scratch *scratch;
		struct locus_interval interval;
		struct locus_error error;
		ok(locus_open(path, NULL, &locus, &error), &error);
		ok(locus_scratch_new(locus, &scratch, &error), &error);
		for (int calls = 0; calls < 5; calls++) /* from then on blocks are decoded whole */
			ok(locus_find(locus, scratch, 0, &interval, &error), &error);
		locus->kept_max = cases[i].kept_max;
		atomic_store(&locus->kept, cases[i].kept);
		atomic_store(&locus->known[LOCUS_SECTION_INTERVALS]->kept, cases[i].intervals);
		ok(locus_find(locus, scratch, sample.starts[0], &interval, &error), &error);
		if (locus->pool.size != cases[i].pooled)
			fail_msg("case %zu: %zu bytes are pooled", i, (size_t)locus->pool.size);
		locus_scratch_free(scratch);
		locus_close(locus);
	}
	locus_sample_done(&sample);
}

/* A scratch that is new decodes no more than it must; what it decoded whole all the same is kept for all others. */
static void whole_blocks_are_kept(void **state)
{
	enum { ENTRIES = 1000 };
	static const struct {
		uint32_t locid;
		bool is_kept;
	} cases[] = {{0, false}, {ENTRIES - 2, false}, {ENTRIES - 1, true}};
	struct locus_sample sample;
	(void)state;
	make_wide(&sample);
	write_sample(&sample, ENTRIES);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct locus *locus;
		struct locus_scratch *scratch;
		struct locus_interval interval;
		struct locus_error error;
		ok(locus_open(path, NULL, &locus, &error), &error);
		ok(locus_scratch_new(locus, &scratch, &error), &error);
		ok(locus_interval_at(locus, scratch, cases[i].locid, &interval, &error), &error);
		assert_int_equal(interval.locid, cases[i].locid);
		assert_int_equal(scratch->held_count, cases[i].is_kept ? 0 : 1);
		assert_int_equal(atomic_load(&locus->kept) > 0, cases[i].is_kept);
		/* Another part of the block than the one that is there: now all of it is decoded, once. */
		ok(locus_interval_at(locus, scratch, ENTRIES / 2, &interval, &error), &error);
		assert_int_equal(interval.locid, ENTRIES / 2);
		assert_true(atomic_load(&locus->kept) > 0);
		locus_scratch_free(scratch);
		locus_close(locus);
	}
	locus_sample_done(&sample);
}

/* Intervals near each other take eight bytes each, and not the 24 of wide ones. */
static void ordinary_blocks_are_packed(void **state)
{
	struct locus_sample sample;
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_interval interval;
	struct locus_error error;
	(void)state;
	make_wide(&sample);
	write_sample(&sample, 8192);
	ok(locus_open(path, NULL, &locus, &error), &error);
	ok(locus_scratch_new(locus, &scratch, &error), &error);
	for (uint32_t i = 0; i < sample.interval_count; i += 50)
		ok(locus_interval_at(locus, scratch, i, &interval, &error), &error);
	const struct locus_section_in *section = locus->known[LOCUS_SECTION_INTERVALS];
	size_t size = 0;
	for (uint32_t i = 0; i < section->block_count; i++) {
		const struct locus_intervals *block =
			(const struct locus_intervals *)(const void *)atomic_load(&section->blocks[i]);
		assert_non_null(block);
		size += block->head.size;
		assert_non_null(block->packed);
		assert_null(block->wide);
	}
	/* What they take themselves does not count among what the file unfolds to. */
	assert_in_range(atomic_load(&locus->unfolded), 0, size - sizeof(uint64_t) * sample.interval_count);
	locus_scratch_free(scratch);
	locus_close(locus);
	locus_sample_done(&sample);
}

static bool is_held(const struct locus_scratch *scratch, uint32_t index)
{
	for (size_t i = 0; i < scratch->held_count; i++)
		if (scratch->held[i].index == index)
			return true;
	return false;
}

/* A scratch holds 32 blocks. For another one it lets that go that was asked for before all others. */
static void the_block_unused_longest_is_let_go(void **state)
{
	enum { HELD = 32, ENTRIES = 100 };
	struct locus_sample sample;
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_interval interval;
	struct locus_error error;
	(void)state;
	make_wide(&sample);
	write_sample(&sample, ENTRIES);
	ok(locus_open(path, NULL, &locus, &error), &error);
	locus->kept_max = 0;
	ok(locus_scratch_new(locus, &scratch, &error), &error);
	for (int calls = 0; calls < 5; calls++)
		ok(locus_find(locus, scratch, 0, &interval, &error), &error);
	for (uint32_t i = 0; i < HELD; i++)
		ok(locus_interval_at(locus, scratch, i * ENTRIES, &interval, &error), &error);
	assert_int_equal(scratch->held_count, HELD);
	ok(locus_interval_at(locus, scratch, 0, &interval, &error), &error);
	for (uint32_t i = 0; i < 3; i++) {
		ok(locus_interval_at(locus, scratch, (HELD + i) * ENTRIES, &interval, &error), &error);
		assert_int_equal(scratch->held_count, HELD);
		assert_true(is_held(scratch, HELD + i));
		assert_true(is_held(scratch, 0));
		assert_false(is_held(scratch, 1 + i));
		assert_true(is_held(scratch, 2 + i));
	}
	locus_scratch_free(scratch);
	locus_close(locus);
	locus_sample_done(&sample);
}

/* Whatever is asked, all that is held stays within what is allowed; what does not fit at the end is refused. */
static void everything_is_counted(void **state)
{
	enum { ALLOWED = 4 << 20 }; /* not enough for this file's deepest chain */
	struct locus_open_options options = {.memory_max_bytes = 1};
	struct locus_sample sample;
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_error error;
	struct locus_result result;
	size_t refused = 0, answered = 0;
	(void)state;
	make_wide(&sample);
	write_sample(&sample, 8192);
	ok(locus_open(path, &options, &locus, &error), &error);
	locus->allowance.max = ALLOWED;
	size_t opened = atomic_load(&locus->allowance.used);
	assert_true(opened > locus->head_size);
	ok(locus_scratch_new(locus, &scratch, &error), &error);
	/* The deepest chain is that of the last interval but one. */
	uint32_t count = locus_interval_count(locus);
	for (uint32_t i = 0; i < count; i += i + 997 < count - 4 ? 997 : i < count - 4 ? count - 4 - i : 1) {
		enum locus_status status = locus_frames(locus, scratch, i, &result, &error);
		refused += status == LOCUS_ERR_LIMIT;
		answered += status == LOCUS_OK;
		assert_true(status == LOCUS_OK || status == LOCUS_ERR_LIMIT);
		assert_true(atomic_load(&locus->allowance.used) <= ALLOWED);
	}
	assert_true(refused && answered);
	locus_scratch_free(scratch);
	assert_int_equal(atomic_load(&locus->allowance.used), opened);
	locus_close(locus);
	locus_sample_done(&sample);
}

/* A damaged block costs once what it costs to find that out. */
static void damage_is_remembered(void **state)
{
	struct locus_sample sample;
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_error error;
	struct locus_result result;
	(void)state;
	make_wide(&sample);
	write_sample(&sample, 8192);
	ok(locus_open(path, NULL, &locus, &error), &error);
	locus->known[LOCUS_SECTION_INTERVALS]->checksums[0] ^= 1;
	ok(locus_scratch_new(locus, &scratch, &error), &error);
	assert_int_equal(locus_frames(locus, scratch, 0, &result, &error), LOCUS_ERR_CHECKSUM);
	locus->known[LOCUS_SECTION_INTERVALS]->checksums[0] ^= 1;
	assert_int_equal(locus_frames(locus, scratch, 0, &result, &error), LOCUS_ERR_CHECKSUM);
	assert_non_null(strstr(error.text, "found before"));
	ok(locus_frames(locus, scratch, locus_interval_count(locus) - 1, &result, &error), &error);
	locus_scratch_free(scratch);
	locus_close(locus);
	locus_sample_done(&sample);
}

/* Nor is a file's block read again that unfolds to more than those of a program can: that costs as much. */
static void what_unfolds_too_far_is_remembered(void **state)
{
	struct locus_sample sample;
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_function_info function;
	struct locus_error error;
	(void)state;
	make_wide(&sample);
	write_sample(&sample, 8192);
	ok(locus_open(path, NULL, &locus, &error), &error);
	ok(locus_scratch_new(locus, &scratch, &error), &error);
	const struct locus_section_in *section = locus->known[LOCUS_SECTION_FUNCTIONS];
	uint32_t last = locus_function_count(locus), index = section->block_count - 1;
	assert_true(index > 0);
	for (int calls = 0; calls < 5; calls++) /* from then on blocks are decoded whole */
		ok(locus_function_at(locus, scratch, 1, &function, &error), &error);
	for (int round = 0; round < 2; round++) {
		atomic_store(&locus->unfolded, round ? 0 : SIZE_MAX / 2);
		assert_int_equal(locus_function_at(locus, scratch, last, &function, &error), LOCUS_ERR_LIMIT);
		assert_non_null(strstr(error.text, "unfold to more than a file of"));
		assert_int_equal(error.offset, section->offsets[index]);
		assert_null(atomic_load(&section->blocks[index]));
	}
	ok(locus_function_at(locus, scratch, 1, &function, &error), &error);
	locus_scratch_free(scratch);
	locus_close(locus);
	locus_sample_done(&sample);
}

/*
 * The third interval's functions are the first and the last; the second, whose name is `size` bytes long, is between.
 */
static void check_names(uint32_t size)
{
	static const char long_name[] =
		"a_name_that_is_longer_than_the_cache_line_that_blocks_are_rounded_up_to_and_some_more";
	struct locus_sample sample;
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_error error;
	assert_true(size < sizeof(long_name));
	begin_sample(&sample, 4, 4, 3);
	sample.functions[1].name = (struct locus_bytes){long_name, size};
	sample.functions[2].name = (struct locus_bytes){0};
	uint32_t first = put_context(&sample, LOCUS_NO_CONTEXT, 1, 0x1000);
	put_interval(&sample, 0x1000, first, 1);
	put_interval(&sample, 0x1010, put_context(&sample, LOCUS_NO_CONTEXT, 2, 0x1010), 2);
	put_interval(&sample, 0x1020, put_context(&sample, first, 3, 0), 3);
	put_interval(&sample, 0x1030, LOCUS_NO_CONTEXT, 0);
	write_sample(&sample, 8192);
	ok(locus_open(path, NULL, &locus, &error), &error);
	ok(locus_scratch_new(locus, &scratch, &error), &error);
	check_chain(&sample, locus, scratch, 2);
	locus_scratch_free(scratch);
	locus_close(locus);
	locus_sample_done(&sample);
}

/*
 * Who asks once has only the names of its frames decoded, over those of others. Nothing is written beyond the block, as
 * a sanitizer sees where a block ends with a cache line.
 */
static void names_that_nobody_asked_for(void **state)
{
	(void)state;
	for (uint32_t size = 20; size < 85; size++)
		check_names(size);
}

/* ---- Inlinees that come back ---- */

/* One part in which more inlinees than any list of recent ones holds are entered, left and entered again. */
static void inlinees_come_back(void **state)
{
	enum { INLINEES = 900, INTERVALS = 20000 };
	struct locus_sample sample;
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_error error;
	uint64_t random = 4;
	(void)state;
	begin_sample(&sample, INTERVALS + 1, INLINEES + 1, INLINEES + 1);
	put_context(&sample, LOCUS_NO_CONTEXT, 1, 0x1000);
	for (uint32_t i = 0, last = 0; i < INTERVALS; i++) {
		uint32_t context = sample.context_count - 1;
		bool fresh = i % 3 == 0 && sample.context_count <= INLINEES;
		if (fresh)
			context = put_context(&sample, locus_sample_below(&random, 3) ? 0 : context,
					      sample.context_count + 1, 0);
		else if (i % 3 == 1)
			context = locus_sample_below(&random, sample.context_count);
		else
			context -= locus_sample_below(&random, context < 300 ? context + 1 : 300);
		if (i && context == last)
			context = (context + 1) % sample.context_count;
		put_interval(&sample, 0x1000 + 4 * (uint64_t)i, context, 1 + i % 50);
		last = context;
	}
	put_interval(&sample, 0x1000 + 4 * INTERVALS, LOCUS_NO_CONTEXT, 0);
	write_sample(&sample, 65536);
	ok(locus_open(path, NULL, &locus, &error), &error);
	ok(locus_verify(locus, LOCUS_VERIFY_FULL, &error), &error);
	ok(locus_scratch_new(locus, &scratch, &error), &error);
	for (uint32_t i = 0; i < sample.interval_count; i++)
		check_chain(&sample, locus, scratch, i);
	locus_scratch_free(scratch);
	locus_close(locus);
	locus_sample_done(&sample);
}

/* ---- Intervals that only move on in the line ---- */

enum { STEPS = 3000 };

/* What a line moves on by: what takes a byte and what takes two, or a step or two as mostly. */
static uint32_t line_step(uint32_t kind)
{
	static const int32_t steps[] = {[3] = 300, [5] = -64, [8] = 64, [10] = -63, [11] = 63};
	if (kind < sizeof(steps) / sizeof(steps[0]) && steps[kind])
		return (uint32_t)steps[kind];
	return kind % 2 ? 1 + kind % 4 : -(1 + kind % 4);
}

/* The same of addresses. */
static uint32_t address_step(uint32_t kind)
{
	return kind == 4 ? 200 : kind == 6 ? 128 : kind == 7 ? 129 : 1 + kind % 9;
}

/*
 * Runs of intervals in one context and file, in small steps, with what ends a run: long steps, inlinees, parts, gaps.
 */
static void make_runs(struct locus_sample *sample)
{
	uint64_t random = 8, start = 0x1000;
	uint32_t line = 50000, part = 0;
	begin_sample(sample, STEPS + 1, STEPS, STEPS);
	for (uint32_t i = 0; i < STEPS; i++) {
		uint32_t context = i ? sample->contexts[i - 1] : LOCUS_NO_CONTEXT,
			 kind = locus_sample_below(&random, 90);
		if (context == LOCUS_NO_CONTEXT || kind == 0)
			context = part = put_context(sample, LOCUS_NO_CONTEXT, i + 1, start);
		else if (kind == 1)
			context = put_context(sample, part, i + 1, 0);
		else if (kind == 2)
			context = LOCUS_NO_CONTEXT;
		line += line_step(kind);
		put_interval(sample, start, context, context == LOCUS_NO_CONTEXT ? 0 : line);
		sample->files[i] = context == LOCUS_NO_CONTEXT ? 0 : 1;
		start += address_step(kind);
	}
	put_interval(sample, start, LOCUS_NO_CONTEXT, 0);
}

/* Asks for an interval, by its last address and by its locid, as the first question of a process does. */
static void check_first_question(const struct locus_sample *sample, uint32_t i)
{
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_error error;
	struct locus_result result;
	uint64_t end = sample->starts[i + 1];
	for (int by_locid = 0; by_locid < 2; by_locid++) {
		ok(locus_open(path, NULL, &locus, &error), &error);
		ok(locus_scratch_new(locus, &scratch, &error), &error);
		if (by_locid)
			ok(locus_frames(locus, scratch, i, &result, &error), &error);
		else
			ok(locus_lookup(locus, scratch, end - 1, &result, &error), &error);
		assert_int_equal(result.interval.locid, i);
		assert_int_equal(result.interval.start, sample->starts[i]);
		assert_int_equal(result.interval.end, end);
		assert_int_equal(result.frame_count > 0, sample->contexts[i] != LOCUS_NO_CONTEXT);
		if (result.frame_count)
			assert_int_equal(result.frames[0].line, sample->lines[i]);
		locus_scratch_free(scratch);
		locus_close(locus);
	}
}

static void an_interval_in_a_run_of_lines(void **state)
{
	struct locus_sample sample;
	(void)state;
	make_runs(&sample);
	write_sample(&sample, 1024);
	for (uint32_t i = 0; i < STEPS; i++)
		check_first_question(&sample, i);
	locus_sample_done(&sample);
}

/* ---- Answers of many bytes ---- */

/* One function that calls itself as deep as may be, with a name of so many bytes, in no known file. */
static enum locus_status ask_deep(char *name, size_t name_size, struct locus_error *error)
{
	struct locus_sample sample;
	struct locus_scratch *scratch;
	struct locus_result result;
	struct locus *locus;
	uint32_t context = LOCUS_NO_CONTEXT;
	begin_sample(&sample, 2, LOCUS_DEPTH_MAX, 1);
	sample.functions[0] = (struct locus_function){.linkage = {name, name_size}};
	for (uint32_t i = 0; i < LOCUS_DEPTH_MAX; i++) {
		context = put_context(&sample, context, 1, 0x1000);
		sample.context[context].call_file = 0;
	}
	put_interval(&sample, 0x1000, context, 1);
	sample.files[0] = 0;
	put_interval(&sample, 0x1001, LOCUS_NO_CONTEXT, 0);
	write_sample(&sample, 8192);
	ok(locus_open(path, NULL, &locus, error), error);
	ok(locus_scratch_new(locus, &scratch, error), error);
	enum locus_status status = locus_lookup(locus, scratch, 0x1000, &result, error);
	locus_scratch_free(scratch);
	locus_close(locus);
	locus_sample_done(&sample);
	return status;
}

/* Whoever prints an answer writes all names in it out. */
static void an_answer_has_64_mib_of_names_at_most(void **state)
{
	enum { SIZE = (64 << 20) / LOCUS_DEPTH_MAX };
	static char name[SIZE + 1];
	struct locus_error error;
	(void)state;
	memset(name, 'x', sizeof(name));
	assert_int_equal(ask_deep(name, SIZE, &error), LOCUS_OK);
	assert_int_equal(ask_deep(name, SIZE + 1, &error), LOCUS_ERR_LIMIT);
	assert_string_equal(error.text, "the names in the answer for 0x1000 are too long");
}

/* ---- Alternates ---- */

enum { ALTERNATES = 20000 };

/*
 * Every 16 bytes an alternate of 8. In the middle, across a block's end whatever its size, 6000 start together and
 * reach far, so that blocks begin at the very address that is reached from before.
 */
static void make_alternates_by_hand(struct locus_sample *sample)
{
	struct locus_alternate *at = sample->alternates = need(calloc(ALTERNATES, sizeof(*at)));
	uint64_t start = 0x1000;
	for (uint32_t i = 0; i < ALTERNATES; i++, at++) {
		bool together = i >= 7000 && i < 13000;
		*at = (struct locus_alternate){.start = start, .size = 8, .function = 1 + i, .kind = i % 3};
		if (together)
			at->size = i % 2 ? UINT64_MAX : 0x4000;
		else
			start += 16;
		if (i == 12999)
			start += 16;
	}
	sample->tables.alternates = sample->alternates;
	sample->tables.alternate_count = ALTERNATES;
}

static void check_alternates(const struct locus_sample *sample, struct locus *locus, struct locus_scratch *scratch,
			     uint64_t address)
{
	const struct locus_alternate_info *found;
	struct locus_error error;
	size_t count, expected = 0;
	ok(locus_alternates(locus, scratch, address, &found, &count, &error), &error);
	for (uint32_t i = 0; i < ALTERNATES; i++) {
		const struct locus_alternate *at = &sample->alternates[i];
		if (address < at->start || address - at->start >= at->size)
			continue;
		assert_true(expected < count);
		assert_int_equal(found[expected].start, at->start);
		assert_int_equal(found[expected].size, at->size);
		assert_int_equal(found[expected].function_id, at->function);
		assert_int_equal(found[expected].kind, at->kind);
		expected++;
	}
	assert_int_equal(expected, count);
}

/*
 * Each ends where the next one begins, and the last behind the last address: the first are longer than they are far up.
 */
static void make_adjacent_alternates(struct locus_sample *sample)
{
	struct locus_alternate *at = sample->alternates = need(calloc(ALTERNATES, sizeof(*at)));
	for (uint32_t i = 0; i < ALTERNATES; i++)
		at[i] = (struct locus_alternate){.start = 16 * (uint64_t)i, .size = 16, .function = 1 + i};
	at[ALTERNATES - 1].size = UINT64_MAX;
	sample->tables.alternates = sample->alternates;
	sample->tables.alternate_count = ALTERNATES;
}

/*
 * Half of them at the last address but one, half at the last: the first of all leaves 64 bits, so that it reaches into
 * blocks that begin at the last address.
 */
static void make_alternates_at_the_end(struct locus_sample *sample)
{
	struct locus_alternate *at = sample->alternates = need(calloc(ALTERNATES, sizeof(*at)));
	for (uint32_t i = 0; i < ALTERNATES; i++)
		at[i] = (struct locus_alternate){
			.start = UINT64_MAX - (i < ALTERNATES / 2), .size = 1, .function = 1 + i};
	at[0].size = 5;
	sample->tables.alternates = sample->alternates;
	sample->tables.alternate_count = ALTERNATES;
}

/* Writes and verifies a file of the alternates that are made, and opens it. */
static void open_alternates(struct locus_sample *sample, void (*make)(struct locus_sample *sample),
			    struct locus **ret_locus, struct locus_scratch **ret_scratch)
{
	struct locus_error error;
	begin_sample(sample, ALTERNATES + 1, ALTERNATES, ALTERNATES);
	for (uint32_t i = 0; i < ALTERNATES; i++)
		put_interval(sample, 0x1000 + 4 * (uint64_t)i,
			     put_context(sample, LOCUS_NO_CONTEXT, i + 1, 0x1000 + 4 * (uint64_t)i), 1);
	put_interval(sample, 0x1000 + 4 * ALTERNATES, LOCUS_NO_CONTEXT, 0);
	make(sample);
	write_sample(sample, 8192);
	ok(locus_open(path, NULL, ret_locus, &error), &error);
	ok(locus_verify(*ret_locus, LOCUS_VERIFY_FULL, &error), &error);
	ok(locus_scratch_new(*ret_locus, ret_scratch, &error), &error);
}

static void alternates_reach_no_further_than_they_end(void **state)
{
	struct locus_sample sample;
	struct locus *locus;
	struct locus_scratch *scratch;
	(void)state;
	open_alternates(&sample, make_adjacent_alternates, &locus, &scratch);
	for (uint32_t i = 0; i < ALTERNATES; i += 61)
		check_alternates(&sample, locus, scratch, sample.alternates[i].start);
	check_alternates(&sample, locus, scratch, UINT64_MAX);
	locus_scratch_free(scratch);
	locus_close(locus);
	locus_sample_done(&sample);
}

static void alternates_reach_the_last_address(void **state)
{
	struct locus_sample sample;
	struct locus *locus;
	struct locus_scratch *scratch;
	(void)state;
	open_alternates(&sample, make_alternates_at_the_end, &locus, &scratch);
	check_alternates(&sample, locus, scratch, UINT64_MAX - 1);
	check_alternates(&sample, locus, scratch, UINT64_MAX);
	locus_scratch_free(scratch);
	locus_close(locus);
	locus_sample_done(&sample);
}

/* Whoever asks has what there was before, where one of the blocks cannot be read. */
static void alternates_that_cannot_be_read(void **state)
{
	struct locus_sample sample;
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_error error;
	const struct locus_alternate_info before = {0}, *found = &before;
	size_t count = 17;
	(void)state;
	open_alternates(&sample, make_alternates_by_hand, &locus, &scratch);
	const struct locus_section_in *section = locus->known[LOCUS_SECTION_ALTERNATES];
	assert_true(section->block_count > 1);
	section->checksums[section->block_count - 1] ^= 1;
	uint64_t last = sample.alternates[ALTERNATES - 1].start;
	assert_int_equal(locus_alternates(locus, scratch, last, &found, &count, &error), LOCUS_ERR_CHECKSUM);
	assert_ptr_equal(found, &before);
	assert_int_equal(count, 17);
	locus_scratch_free(scratch);
	locus_close(locus);
	locus_sample_done(&sample);
}

static void alternates_reach_into_later_blocks(void **state)
{
	struct locus_sample sample;
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_error error;
	(void)state;
	open_alternates(&sample, make_alternates_by_hand, &locus, &scratch);
	assert_int_equal(locus_alternate_count(locus), ALTERNATES);
	for (uint32_t i = 0; i < ALTERNATES; i++) {
		struct locus_alternate_info info;
		ok(locus_alternate_at(locus, scratch, i, &info, &error), &error);
		assert_int_equal(info.start, sample.alternates[i].start);
		assert_int_equal(info.function_id, sample.alternates[i].function);
	}
	for (uint32_t i = 0; i < ALTERNATES; i += i >= 7000 && i < 13000 ? 1000 : 97)
		for (uint32_t k = 0; k < 3; k++)
			check_alternates(&sample, locus, scratch, sample.alternates[i].start + 4 * k - 1);
	check_alternates(&sample, locus, scratch, sample.alternates[7000].start);
	check_alternates(&sample, locus, scratch, 0);
	check_alternates(&sample, locus, scratch, UINT64_MAX);
	locus_scratch_free(scratch);
	locus_close(locus);
	locus_sample_done(&sample);
}

/* ---- Where blocks are ---- */

enum { FAR_INTERVALS = 405, FAR_BLOCK_SIZE = 10 };

/* The block and interval of each address are found by search in a plain list. */
static void check_address(const struct locus_sample *sample, struct locus *locus, struct locus_scratch *scratch,
			  uint64_t address)
{
	struct locus_interval interval;
	struct locus_error error;
	uint32_t i = 0;
	locus_prefetch(locus, scratch, &address, 1);
	ok(locus_find(locus, scratch, address, &interval, &error), &error);
	if (address < sample->starts[0]) {
		assert_int_equal(interval.locid, LOCUS_NO_LOCID);
		return;
	}
	while (i + 1 < sample->interval_count && sample->starts[i + 1] <= address)
		i++;
	if (interval.locid != i || interval.start != sample->starts[i])
		fail_msg("%#llx: interval %u, not %u", (unsigned long long)address, interval.locid, i);
}

/*
 * Most blocks are side by side, and so in one group of addresses, because others are far from them, and end where all
 * bits of an address within the block are ones.
 */
static void blocks_close_together_and_far_apart(void **state)
{
	static const unsigned gaps[] = {1, 8, 20, 40, 54};
	(void)state;
	for (size_t k = 0; k < sizeof(gaps) / sizeof(gaps[0]); k++) {
		struct locus_sample sample;
		struct locus *locus;
		struct locus_scratch *scratch;
		struct locus_error error;
		uint64_t start = 0x1000, random = k;
		begin_sample(&sample, FAR_INTERVALS + 1, FAR_INTERVALS, 1);
		for (uint32_t i = 0; i < FAR_INTERVALS; i++) {
			put_interval(&sample, start, put_context(&sample, LOCUS_NO_CONTEXT, 1, start), 1);
			start += i % 97 == 96 ? (uint64_t)1 << gaps[k] : 1 + locus_sample_below(&random, 4);
		}
		put_interval(&sample, start, LOCUS_NO_CONTEXT, 0);
		write_sample(&sample, FAR_BLOCK_SIZE);
		ok(locus_open(path, NULL, &locus, &error), &error);
		ok(locus_scratch_new(locus, &scratch, &error), &error);
		for (uint32_t round = 0; round < 2; round++)
			for (uint32_t i = 0; i < FAR_INTERVALS; i++) {
				uint64_t at = sample.starts[i * 7 % FAR_INTERVALS];
				check_address(&sample, locus, scratch, at);
				check_address(&sample, locus, scratch, at - 1);
				for (unsigned bits = 1; bits < 64; bits += 3) {
					check_address(&sample, locus, scratch, at + ((uint64_t)1 << bits) - 1);
					check_address(&sample, locus, scratch, at - ((uint64_t)1 << bits));
				}
			}
		check_address(&sample, locus, scratch, UINT64_MAX);
		locus_scratch_free(scratch);
		locus_close(locus);
		locus_sample_done(&sample);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_keeps_what_it_needs),
		cmocka_unit_test(the_handle_keeps_no_more_than_allowed),
		cmocka_unit_test(the_pool_gets_its_share),
		cmocka_unit_test(ordinary_blocks_are_packed),
		cmocka_unit_test(whole_blocks_are_kept),
		cmocka_unit_test(the_block_unused_longest_is_let_go),
		cmocka_unit_test(everything_is_counted),
		cmocka_unit_test(damage_is_remembered),
		cmocka_unit_test(what_unfolds_too_far_is_remembered),
		cmocka_unit_test(names_that_nobody_asked_for),
		cmocka_unit_test(inlinees_come_back),
		cmocka_unit_test(an_interval_in_a_run_of_lines),
		cmocka_unit_test(an_answer_has_64_mib_of_names_at_most),
		cmocka_unit_test(alternates_that_cannot_be_read),
		cmocka_unit_test(alternates_reach_into_later_blocks),
		cmocka_unit_test(alternates_reach_no_further_than_they_end),
		cmocka_unit_test(alternates_reach_the_last_address),
		cmocka_unit_test(blocks_close_together_and_far_apart),
	};
	return cmocka_run_group_tests_name("many_blocks", tests, setup, teardown);
}
