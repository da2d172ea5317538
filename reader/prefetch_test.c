/* Lookups after a prefetch give what they give without it, and take from the scratch what it found. */
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
#include "reader/same_result_test.h"
#include "writer/sample_test.h"

enum { INTERVALS = 5000, BLOCK_SIZE = 400 }; /* some blocks are packed, and some are wide */
enum { ROUNDS = 60, TOO_MANY = LOCUS_PREFETCH_MAX + 9 };

/* A file with two scratches of one handle: only the first is ever given a hint. */
struct sides {
	struct locus_sample sample;
	struct locus *locus;
	struct locus_scratch *hinted, *plain;
	uint64_t random;
};

static void ok(enum locus_status status, const struct locus_error *error)
{
	if (status != LOCUS_OK)
		fail_msg("%s: %s", locus_status_text(status), error->text);
}

static void begin(struct sides *sides, uint32_t seed)
{
	const struct locus_writer_options options = {.level = 1, .block_size = BLOCK_SIZE};
	char path[] = "/tmp/locus-prefetch-XXXXXX";
	struct locus_error error;
	int descriptor = mkstemp(path);
	assert_true(descriptor >= 0);
	close(descriptor);
	*sides = (struct sides){.random = seed};
	locus_sample_init(&sides->sample, seed, INTERVALS);
	ok(locus_sample_write(&sides->sample, path, &options, &error), &error);
	ok(locus_open(path, NULL, &sides->locus, &error), &error);
	remove(path);
	ok(locus_scratch_new(sides->locus, &sides->hinted, &error), &error);
	ok(locus_scratch_new(sides->locus, &sides->plain, &error), &error);
}

static void end(struct sides *sides)
{
	locus_scratch_free(sides->hinted);
	locus_scratch_free(sides->plain);
	locus_close(sides->locus);
	locus_sample_done(&sides->sample);
}

static void decode_all(struct sides *sides)
{
	struct locus_result result;
	struct locus_error error;
	for (uint32_t i = 0; i < sides->sample.interval_count; i++)
		ok(locus_frames(sides->locus, sides->plain, i, &result, &error), &error);
}

/* Mostly in some interval, gaps included, at times outside of all. */
static uint64_t some_address(struct sides *sides)
{
	const struct locus_sample *sample = &sides->sample;
	uint32_t i = locus_sample_below(&sides->random, sample->interval_count);
	switch (locus_sample_below(&sides->random, 20)) {
	case 0:
		return sample->starts[0] - 1;
	case 1:
		return sample->starts[0];
	case 2:
		return UINT64_MAX;
	case 3:
		return sample->starts[sample->interval_count - 1];
	default:
		return sample->starts[i] + locus_sample_below(&sides->random, 3);
	}
}

/* Asks both for the address, and returns how many frames it has. */
static size_t check_lookup(struct sides *sides, uint64_t address)
{
	struct locus_result hinted, plain;
	struct locus_error error;
	ok(locus_lookup(sides->locus, sides->plain, address, &plain, &error), &error);
	ok(locus_lookup(sides->locus, sides->hinted, address, &hinted, &error), &error);
	assert_same_result(&hinted, &plain);
	return plain.frame_count;
}

static void check_find(struct sides *sides, uint64_t address)
{
	struct locus_interval hinted, plain;
	struct locus_error error;
	ok(locus_find(sides->locus, sides->plain, address, &plain, &error), &error);
	ok(locus_find(sides->locus, sides->hinted, address, &hinted, &error), &error);
	assert_same_interval(&hinted, &plain);
}

/* Gives a hint of `count` addresses, and returns how many are kept. */
static size_t prefetch(struct sides *sides, uint64_t *addresses, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		addresses[i] = some_address(sides);
		if (i % 7 == 6)
			addresses[i] = addresses[i - 1];
	}
	locus_prefetch(sides->locus, sides->hinted, addresses, count);
	return count < LOCUS_PREFETCH_MAX ? count : LOCUS_PREFETCH_MAX;
}

/* Each in its turn, and those beyond the most that are kept. Where all is decoded, nothing is searched for again. */
static void check_in_order(struct sides *sides, bool is_decoded)
{
	uint64_t addresses[TOO_MANY] = {0};
	size_t count = 1 + locus_sample_below(&sides->random, TOO_MANY), kept = prefetch(sides, addresses, count);
	for (size_t i = 0; i < count; i++) {
		const struct locus_ahead *ahead = &sides->hinted->ahead[i];
		size_t frames = check_lookup(sides, addresses[i]);
		assert_int_equal(sides->hinted->ahead_next, i < kept ? i + 1 : kept);
		if (i >= kept || !is_decoded)
			continue;
		assert_int_equal(ahead->block != NULL, addresses[i] >= sides->sample.starts[0]);
		assert_int_equal(ahead->function_count, frames < LOCUS_AHEAD_FRAMES ? frames : LOCUS_AHEAD_FRAMES);
	}
	kept = prefetch(sides, addresses, LOCUS_PREFETCH_MAX);
	for (size_t i = 0; i < kept; i++)
		check_find(sides, addresses[i]);
	assert_int_equal(sides->hinted->ahead_next, kept);
}

/* Other questions come between the lookups, and some of those do not come. */
static void check_out_of_order(struct sides *sides)
{
	uint64_t addresses[LOCUS_PREFETCH_MAX] = {0};
	size_t count = prefetch(sides, addresses, LOCUS_PREFETCH_MAX);
	struct locus_result result;
	struct locus_error error;
	for (size_t i = 0; i < count; i++) {
		uint32_t locid = locus_sample_below(&sides->random, sides->sample.interval_count);
		if (locus_sample_below(&sides->random, 10) == 0)
			check_lookup(sides, some_address(sides));
		if (locus_sample_below(&sides->random, 10) == 0)
			ok(locus_frames(sides->locus, sides->hinted, locid, &result, &error), &error);
		if (locus_sample_below(&sides->random, 40))
			check_lookup(sides, addresses[i]);
	}
}

static void check_all(struct sides *sides, bool is_decoded)
{
	for (int i = 0; i < ROUNDS; i++) {
		check_in_order(sides, is_decoded);
		check_out_of_order(sides);
	}
}

/* Whether the file has a block that is packed, and one that is wide. */
static void check_kinds(const struct sides *sides)
{
	const struct locus_section_in *section = sides->locus->known[LOCUS_SECTION_INTERVALS];
	uint32_t packed = 0;
	for (uint32_t i = 0; i < section->block_count; i++) {
		const struct locus_decoded *block = atomic_load(&section->blocks[i]);
		assert_non_null(block);
		packed += ((const struct locus_intervals *)(const void *)block)->packed != NULL;
	}
	assert_in_range(packed, 1, section->block_count - 1);
}

static void all_is_decoded(void **state)
{
	struct sides sides;
	(void)state;
	for (uint32_t seed = 1; seed <= 4; seed++) {
		begin(&sides, seed);
		decode_all(&sides);
		check_kinds(&sides);
		check_all(&sides, true);
		end(&sides);
	}
}

/* What a lookup decodes is there for the rest of its group, and for the next one. */
static void nothing_is_decoded_yet(void **state)
{
	struct sides sides;
	(void)state;
	for (uint32_t seed = 1; seed <= 4; seed++) {
		begin(&sides, seed);
		check_all(&sides, false);
		end(&sides);
	}
}

/* As behind locus_find, which reads no names. */
static void no_function_is_decoded(void **state)
{
	struct sides sides;
	struct locus_interval interval;
	struct locus_error error;
	uint64_t addresses[LOCUS_PREFETCH_MAX] = {0};
	(void)state;
	begin(&sides, 8);
	for (uint32_t i = 0; i < sides.sample.interval_count; i++)
		ok(locus_interval_at(sides.locus, sides.plain, i, &interval, &error), &error);
	prefetch(&sides, addresses, LOCUS_PREFETCH_MAX);
	for (size_t i = 0; i < LOCUS_PREFETCH_MAX; i++) {
		assert_int_equal(sides.hinted->ahead[i].block != NULL, addresses[i] >= sides.sample.starts[0]);
		assert_int_equal(sides.hinted->ahead[i].function_count, 0);
	}
	for (size_t i = 0; i < LOCUS_PREFETCH_MAX; i++)
		check_lookup(&sides, addresses[i]);
	end(&sides);
}

/* A frame whose function is not decoded is not passed over for the one around it whose function is. */
static void some_functions_are_decoded(void **state)
{
	struct sides sides;
	struct locus_interval interval;
	struct locus_function_info function;
	struct locus_error error;
	uint64_t addresses[LOCUS_PREFETCH_MAX] = {0};
	(void)state;
	for (uint32_t seed = 10; seed < 30; seed++) {
		begin(&sides, seed);
		for (uint32_t i = 0; i < sides.sample.interval_count; i++)
			ok(locus_interval_at(sides.locus, sides.plain, i, &interval, &error), &error);
		ok(locus_function_at(sides.locus, sides.plain, 1, &function, &error), &error);
		prefetch(&sides, addresses, LOCUS_PREFETCH_MAX);
		for (size_t i = 0; i < LOCUS_PREFETCH_MAX; i++)
			check_lookup(&sides, addresses[i]);
		end(&sides);
	}
}

static void nothing_is_kept(void **state)
{
	struct sides sides;
	(void)state;
	begin(&sides, 5);
	sides.locus->kept_max = 0;
	check_all(&sides, false);
	assert_null(sides.hinted->ahead[0].block);
	end(&sides);
}

/* A hint has no status: without memory it is ignored, and the next one is not. */
static void memory_is_out(void **state)
{
	struct sides sides;
	(void)state;
	begin(&sides, 7);
	decode_all(&sides);
	size_t max = sides.locus->allowance.max;
	uint64_t address = sides.sample.starts[1];
	sides.locus->allowance.max = atomic_load(&sides.locus->allowance.used);
	locus_prefetch(sides.locus, sides.hinted, &address, 1);
	assert_null(sides.hinted->ahead);
	check_lookup(&sides, address);
	sides.locus->allowance.max = max;
	locus_prefetch(sides.locus, sides.hinted, &address, 1);
	assert_non_null(sides.hinted->ahead);
	check_lookup(&sides, address);
	assert_int_equal(sides.hinted->ahead_next, 1);
	end(&sides);
}

static void no_intervals(void **state)
{
	struct sides sides;
	uint64_t addresses[] = {0, 0x400000, UINT64_MAX};
	(void)state;
	begin(&sides, 6);
	sides.locus->known[LOCUS_SECTION_INTERVALS] = &sides.locus->empty;
	locus_prefetch(sides.locus, sides.hinted, addresses, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(check_lookup(&sides, addresses[i]), 0);
	assert_int_equal(sides.hinted->ahead_next, 3);
	end(&sides);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_decoded),
		cmocka_unit_test(nothing_is_decoded_yet),
		cmocka_unit_test(nothing_is_kept),
		cmocka_unit_test(memory_is_out),
		cmocka_unit_test(no_intervals),
		cmocka_unit_test(no_function_is_decoded),
		cmocka_unit_test(some_functions_are_decoded),
	};
	return cmocka_run_group_tests_name("prefetch", tests, NULL, NULL);
}
