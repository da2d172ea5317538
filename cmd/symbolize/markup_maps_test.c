/* Which map answers, held against asking all maps in their order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mix64.h"
#include "cmd/symbolize/markup_maps.h"

/* `module` tells which map it is. */
static const struct markup_map *first_with(const struct markup_map *maps, size_t count, uint64_t address)
{
	for (size_t i = 0; i < count; i++)
		if (address - maps[i].start < maps[i].size)
			return &maps[i];
	return NULL;
}

static void check(struct markup_maps *maps, const struct markup_map *told, uint64_t address)
{
	const struct markup_map *found = markup_maps_find(maps, address);
	const struct markup_map *expected = first_with(told, maps->count, address);

	if (!found != !expected || (found && memcmp(found, expected, sizeof(*found)) != 0))
		fail_msg("of %u maps, %ld answers at 0x%llx, and not %ld", maps->count,
			 found ? (long)found->module : -1L, (unsigned long long)address,
			 expected ? (long)expected->module : -1L);
}

/* At the edges of a map, and beside them. */
static void check_edges(struct markup_maps *maps, const struct markup_map *told, const struct markup_map *map)
{
	const uint64_t edges[] = {map->start, map->start + map->size, 0};

	for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++)
		for (int k = -1; k <= 1; k++)
			check(maps, told, edges[i] + (uint64_t)(int64_t)k);
}

/* Maps in [0, spread) and, as many again, across 2^64; asked after each that is told. */
static void the_first_told_answers(void **state)
{
	static const struct {
		uint32_t count;
		uint64_t spread, size_max;
	} cases[] = {
		{20, 40, 10},             /* most overlap */
		{3000, 1000, 300},        /* one upon the other */
		{3000, UINT64_MAX, 1},    /* of one byte each, far apart */
		{5000, 1 << 16, 1},       /* close by each other, some the same */
		{4000, 1 << 20, 1 << 20}, /* small and large ones */
		{3000, UINT64_MAX, UINT64_MAX},
	};
	uint64_t random = 5;
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct markup_maps maps = {0};
		struct markup_map *told = calloc(cases[i].count, sizeof(*told));
		assert_non_null(told);
		for (uint32_t k = 0; k < cases[i].count; k++) {
			uint64_t start = random_next(&random) % cases[i].spread;
			told[k] = (struct markup_map){
				.start = k % 2 ? start : start - cases[i].spread / 2,
				.size = 1 + random_next(&random) % cases[i].size_max,
				.module = k,
			};
			assert_true(markup_maps_add(&maps, &told[k]));
			check_edges(&maps, told, &told[random_next(&random) % (k + 1)]);
		}
		for (uint32_t k = 0; k < cases[i].count; k++)
			check_edges(&maps, told, &told[k]);
		free(told);
		markup_maps_done(&maps);
	}
}

static void what_is_forgotten_does_not_answer(void **state)
{
	struct markup_maps maps = {0};
	const struct markup_map later = {.start = 7, .size = 1, .module = 1};
	(void)state;
	assert_null(markup_maps_find(&maps, 0));
	for (uint32_t i = 0; i < MARKUP_MAPS_MAX; i++)
		assert_true(markup_maps_add(&maps, &(struct markup_map){.start = i, .size = UINT64_MAX}));
	assert_false(markup_maps_add(&maps, &later));
	assert_int_equal(markup_maps_find(&maps, 7)->start, 0);
	markup_maps_clear(&maps);
	assert_null(markup_maps_find(&maps, 7));
	assert_true(markup_maps_add(&maps, &later));
	assert_int_equal(markup_maps_find(&maps, 7)->module, 1);
	assert_null(markup_maps_find(&maps, 8));
	markup_maps_done(&maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_told_answers),
		cmocka_unit_test(what_is_forgotten_does_not_answer),
	};
	return cmocka_run_group_tests_name("markup_maps", tests, NULL, NULL);
}
