/* Functions are found by their names: where their code begins, and where they are alternates. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reader/handle/handle.h"
#include "reader/open_sample_test.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

#define NAME(text)                     \
	{                              \
		text, sizeof(text) - 1 \
	}

/* Functions, and intervals of them: "twice" has two functions, "cold" a part that was split off, "both" two names. */
static struct locus_function functions[] = {
	{.name = NAME("first")},
	{.name = NAME("twice"), .linkage = NAME("_Z5twicei")},
	{.name = NAME("twice"), .linkage = NAME("_Z5twicel")},
	{.name = NAME("inlined")},
	{.name = NAME("both"), .linkage = NAME("both")},
	{.linkage = NAME("only_linkage")},
	{.name = NAME("swapped"), .linkage = NAME("first")},
	{.linkage = NAME("alias")},
	{.linkage = NAME("versioned@@V2")},
	{.linkage = NAME("versioned@V1")},
	{.linkage = NAME("called@plt")},
	{.name = NAME("twice"), .linkage = NAME("_Z5twicec")},
	{.name = NAME("folded")},
	{.name = NAME("in_turn")},
	{.name = NAME("deeper")},
	{.name = NAME("beyond")},
	{.name = NAME("name@@V3"), .linkage = NAME("link@V4")},
};

/* Functions that others answer for. */
static struct locus_alternate alternates[] = {
	{0x0800, 8, 16, LOCUS_ALTERNATE_FOLDED}, /* below all intervals */
	{0x1000, 0, 8, LOCUS_ALTERNATE_ALIAS},    {0x1000, 0, 9, LOCUS_ALTERNATE_ALIAS},
	{0x1000, 0, 10, LOCUS_ALTERNATE_ALIAS},   {0x1000, 0, 17, LOCUS_ALTERNATE_ALIAS},
	{0x1008, 8, 12, LOCUS_ALTERNATE_FOLDED}, /* of the other "twice" */
	{0x1010, 8, 13, LOCUS_ALTERNATE_FOLDED},  {0x1014, 8, 12, LOCUS_ALTERNATE_OVERLAP},
	{0x1028, 0, 8, LOCUS_ALTERNATE_ALIAS},    {0x1030, 0, 9, LOCUS_ALTERNATE_ALIAS}, /* of a part split off */
	{0x1030, 16, 13, LOCUS_ALTERNATE_FOLDED}, {0x1034, 4, 16, LOCUS_ALTERNATE_OVERLAP},
	{0x1088, 4, 8, LOCUS_ALTERNATE_OVERLAP}, /* where none answers */
};

static struct locus_block_context contexts[] = {
	{.caller = LOCUS_NO_CONTEXT, .function = 1, .start = 0x1000},
	{.caller = LOCUS_NO_CONTEXT, .function = 2, .start = 0x1008},
	{.caller = LOCUS_NO_CONTEXT, .function = 3, .start = 0x1010},
	{.caller = 2, .function = 4, .call_line = 5},
	{.caller = LOCUS_NO_CONTEXT, .function = 5, .start = 0x1028},
	{.caller = LOCUS_NO_CONTEXT, .function = 1, .start = 0x1030, .kind = LOCUS_PART_OTHER},
	{.caller = LOCUS_NO_CONTEXT, .function = 6, .start = 0x1040},
	{.caller = LOCUS_NO_CONTEXT, .function = 2, .start = 0x1048},
	{.caller = LOCUS_NO_CONTEXT, .function = 7, .start = 0x1050},
	{.caller = LOCUS_NO_CONTEXT, .function = 6, .start = 0x1020},
	{.caller = LOCUS_NO_CONTEXT, .function = 14, .start = 0x1060},
	{.caller = LOCUS_NO_CONTEXT, .function = 14, .start = 0x1064},
	{.caller = 3, .function = 15, .call_line = 6},
};

static struct locus *open_functions(void)
{
	static uint64_t starts[] = {0x1000, 0x1004, 0x1008, 0x1010, 0x1018, 0x101c, 0x1020, 0x1028, 0x1030, 0x1040,
				    0x1048, 0x104c, 0x1050, 0x1058, 0x1060, 0x1064, 0x1070, 0x1074, 0x1080};
	static uint32_t at[] = {0, 0, 1, 2, 3, 12, 2, 4, 5, 6, 7, 7, 8, 9, 10, 11, 10, 11, LOCUS_NO_CONTEXT};
	static uint32_t lines[] = {1, 2, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 0}, none[COUNT_OF(starts)];
	struct locus_sample sample = {
		.interval_count = COUNT_OF(starts),
		.starts = starts,
		.contexts = at,
		.files = none,
		.lines = lines,
		.context_count = COUNT_OF(contexts),
		.context = contexts,
		.tables = {.functions = functions,
			   .function_count = COUNT_OF(functions),
			   .alternates = alternates,
			   .alternate_count = COUNT_OF(alternates)},
	};
	return open_sample(&sample);
}

/* As in a relocatable file. */
static void a_function_at_address_0(void **state)
{
	static struct locus_block_context context = {.caller = LOCUS_NO_CONTEXT, .function = 1};
	static struct locus_string name = NAME("first");
	static uint64_t starts[] = {0, 8};
	static uint32_t at[] = {0, LOCUS_NO_CONTEXT}, lines[] = {1, 0}, none[2];
	struct locus_sample sample = {
		.interval_count = 2,
		.starts = starts,
		.contexts = at,
		.files = none,
		.lines = lines,
		.context_count = 1,
		.context = &context,
		.tables = {.functions = functions, .function_count = 1},
	};
	struct locus *locus = open_sample(&sample);
	struct locus_scratch *scratch;
	struct locus_function_place place;
	(void)state;
	assert_int_equal(locus_scratch_new(locus, &scratch, NULL), LOCUS_OK);
	assert_int_equal(locus_function_places(locus, scratch, &name, 1, &place, NULL), LOCUS_OK);
	assert_int_equal(place.start, 0);
	assert_int_equal(place.count, 1);
	locus_scratch_free(scratch);
	locus_close(locus);
}

static void names_are_found_where_their_code_begins(void **state)
{
	static const struct {
		struct locus_string name;
		struct locus_function_place place;
	} cases[] = {
		{NAME("first"), {0x1000, 2}}, /* the name of one function, the linkage name of another */
		{NAME("twice"), {0x1008, 4}}, /* once where two have the name, and where the alternate overlaps */
		{NAME("_Z5twicei"), {0x1008, 2}},
		{NAME("_Z5twicec"), {0x1008, 2}},
		{NAME("_Z5twicel"), {0x1010, 1}},
		{NAME("inlined"), {0, 0}}, /* it has no code of its own */
		{NAME("deeper"), {0, 0}},  /* nor has what was inlined into it */
		{NAME("both"), {0x1028, 1}},
		{NAME("only_linkage"), {0x1020, 2}}, /* the lower part's code comes later */
		{NAME("swapped"), {0x1050, 1}},
		{NAME("absent"), {0, 0}},
		{NAME("twice"), {0x1008, 4}}, /* asked for again */
		{NAME("alias"), {0x1000, 3}},
		{NAME("folded"), {0x1010, 1}},    /* its other part is folded onto one that was split off */
		{NAME("versioned"), {0x1000, 2}}, /* two versions at one start, and one at another */
		{NAME("versioned@@V2"), {0x1000, 2}},
		{NAME("versioned@V1"), {0x1000, 1}},
		{NAME("versioned@"), {0, 0}},
		{NAME("called"), {0, 0}},
		{NAME("called@plt"), {0, 0}},
		{NAME("beyond"), {0x800, 2}}, /* below all code, and within a part that was split off */
		{NAME("name"), {0x1000, 1}},
		{NAME("name@@V3"), {0x1000, 1}},
		{NAME("link"), {0x1000, 1}},
		{NAME("link@V4"), {0x1000, 1}},
		{NAME("in_turn"), {0x1060, 2}}, /* two parts, each of which goes on behind the other */
		{NAME(""), {0, 0}},             /* a name that a function lacks is not an empty one */
		{NAME("firs"), {0, 0}},
		{NAME("first "), {0, 0}},
		{NAME("zzzzz"), {0, 0}},
		{NAME("aaaaa"), {0, 0}},
		{NAME("first"), {0x1000, 2}},
		{NAME("first"), {0x1000, 2}},
	};
	struct locus *locus = open_functions();
	struct locus_scratch *scratch;
	struct locus_string names[COUNT_OF(cases)];
	struct locus_function_place places[COUNT_OF(cases)];
	(void)state;
	assert_int_equal(locus_scratch_new(locus, &scratch, NULL), LOCUS_OK);

	/* Together, in this order and the other, and each alone. */
	for (size_t round = 0; round < 2 + COUNT_OF(cases); round++) {
		size_t count = round < 2 ? COUNT_OF(cases) : 1;
		memset(places, 0xff, sizeof(places));
		for (size_t i = 0; i < count; i++)
			names[i] = cases[round == 1 ? count - 1 - i : round < 2 ? i : round - 2].name;
		assert_int_equal(locus_function_places(locus, scratch, names, count, places, NULL), LOCUS_OK);
		for (size_t i = 0; i < count; i++) {
			size_t at = round == 1 ? count - 1 - i : round < 2 ? i : round - 2;
			if (places[i].start != cases[at].place.start || places[i].count != cases[at].place.count)
				fail_msg("%s: %#llx, %u starts", cases[at].name.data,
					 (unsigned long long)places[i].start, places[i].count);
		}
	}
	assert_int_equal(locus_function_places(locus, scratch, names, 0, places, NULL), LOCUS_OK);
	locus_scratch_free(scratch);
	locus_close(locus);
}

/* More functions have one of the names than there is room for at first. */
static void many_names_are_found_at_once(void **state)
{
	enum { COUNT = 100 };
	static char text[COUNT][8];
	static struct locus_function many[COUNT];
	static struct locus_block_context parts[COUNT];
	static uint64_t starts[COUNT + 1];
	static uint32_t at[COUNT + 1], lines[COUNT + 1], none[COUNT + 1];
	struct locus_string names[COUNT];
	struct locus_function_place places[COUNT];
	struct locus_scratch *scratch;
	(void)state;
	for (uint32_t i = 0; i < COUNT; i++) {
		names[i] = (struct locus_string){text[i], (size_t)sprintf(text[i], "f%u", i)};
		many[i].name = (struct locus_bytes){text[i], names[i].size};
		starts[i] = 0x1000 + 0x10 * i;
		parts[i] =
			(struct locus_block_context){.caller = LOCUS_NO_CONTEXT, .function = i + 1, .start = starts[i]};
		at[i] = i;
		lines[i] = 1;
	}
	starts[COUNT] = 0x1000 + 0x10 * COUNT;
	at[COUNT] = LOCUS_NO_CONTEXT;
	struct locus_sample sample = {
		.interval_count = COUNT + 1,
		.starts = starts,
		.contexts = at,
		.files = none,
		.lines = lines,
		.context_count = COUNT,
		.context = parts,
		.tables = {.functions = many, .function_count = COUNT},
	};
	struct locus *locus = open_sample(&sample);
	assert_int_equal(locus_scratch_new(locus, &scratch, NULL), LOCUS_OK);
	assert_int_equal(locus_function_places(locus, scratch, names, COUNT, places, NULL), LOCUS_OK);
	for (uint32_t i = 0; i < COUNT; i++)
		if (places[i].start != starts[i] || places[i].count != 1)
			fail_msg("%s: %#llx, %u starts", text[i], (unsigned long long)places[i].start, places[i].count);
	locus_scratch_free(scratch);
	locus_close(locus);
}

static void alternates_without_intervals(void **state)
{
	struct locus_sample sample = {
		.tables = {.functions = functions,
			   .function_count = COUNT_OF(functions),
			   .alternates = alternates,
			   .alternate_count = COUNT_OF(alternates)},
	};
	struct locus_string names[] = {NAME("beyond"), NAME("first")};
	struct locus_function_place places[COUNT_OF(names)];
	struct locus *locus = open_sample(&sample);
	struct locus_scratch *scratch;
	(void)state;
	assert_int_equal(locus_scratch_new(locus, &scratch, NULL), LOCUS_OK);
	assert_int_equal(locus_function_places(locus, scratch, names, COUNT_OF(names), places, NULL), LOCUS_OK);
	assert_int_equal(places[0].start, 0x800);
	assert_int_equal(places[0].count, 2);
	assert_int_equal(places[1].count, 0);
	locus_scratch_free(scratch);
	locus_close(locus);
}

static void a_failure_leaves_the_places_alone(void **state)
{
	struct locus_string names[] = {NAME("first"), NAME("absent")};
	struct locus_function_place places[COUNT_OF(names)], before[COUNT_OF(names)];
	struct locus *locus = open_functions();
	struct locus_scratch *scratch;
	(void)state;
	assert_int_equal(locus_scratch_new(locus, &scratch, NULL), LOCUS_OK);
	locus->allowance.max = atomic_load(&locus->allowance.used);
	memset(places, 0xff, sizeof(places));
	memcpy(before, places, sizeof(places));
	assert_int_equal(locus_function_places(locus, scratch, names, COUNT_OF(names), places, NULL), LOCUS_ERR_LIMIT);
	assert_memory_equal(places, before, sizeof(places));
	locus_scratch_free(scratch);
	locus_close(locus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_at_address_0),
		cmocka_unit_test(names_are_found_where_their_code_begins),
		cmocka_unit_test(many_names_are_found_at_once),
		cmocka_unit_test(alternates_without_intervals),
		cmocka_unit_test(a_failure_leaves_the_places_alone),
	};
	return cmocka_run_group_tests_name("function_places", tests, NULL, NULL);
}
