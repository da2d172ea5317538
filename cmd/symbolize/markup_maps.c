/*
 * Text may tell of a map between any two addresses. So the index is made anew only when many maps were added since, and
 * those that came behind it are tried one by one.
 */
#include "cmd/symbolize/markup_maps.h"

#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "cmd/common/memory.h"
#include "cmd/common/unique_addresses.h"

enum {
	UNINDEXED_MAX = 1024,           /* maps that are tried one by one */
	CUTS_MAX = 3 * MARKUP_MAPS_MAX, /* one that goes on behind 2^64 has a third cut at 0 */
};

bool markup_maps_add(struct markup_maps *maps, const struct markup_map *map)
{
	if (maps->count == MARKUP_MAPS_MAX)
		return false;
	if (!maps->maps)
		maps->maps = memory_checked(calloc(MARKUP_MAPS_MAX, sizeof(*maps->maps)));
	maps->maps[maps->count++] = *map;
	return true;
}

/* Collects the addresses between which one map answers, or none, each once. */
static void make_cuts(struct markup_maps *maps)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < maps->count; i++) {
		uint64_t start = maps->maps[i].start, end = start + maps->maps[i].size;
		maps->cuts[count++] = start;
		maps->cuts[count++] = end;
		if (end < start)
			maps->cuts[count++] = 0;
	}
	maps->cut_count = (uint32_t)unique_addresses(maps->cuts, count);
}

/* The index of the cut at an address. */
static uint32_t find_cut(const struct markup_maps *maps, uint64_t address)
{
	size_t at;

	SEARCH_FIRST(at, 0, maps->cut_count, maps->cuts[at] >= address);
	return (uint32_t)at;
}

/* The first cut from `at` on that no map has. Cuts that were passed lead there directly the next time. */
static uint32_t next_free(uint32_t *next, uint32_t at)
{
	uint32_t to = at;

	while (next[to] != to)
		to = next[to];
	while (next[at] != to) {
		uint32_t after = next[at];
		next[at] = to;
		at = after;
	}
	return to;
}

/* Gives a map the cuts in [from, to) that no earlier one has. */
static void own(struct markup_maps *maps, uint32_t *next, uint32_t map, uint32_t from, uint32_t to)
{
	for (uint32_t at = next_free(next, from); at < to; at = next_free(next, at)) {
		maps->owners[at] = map;
		next[at] = at + 1;
	}
}

static void make_index(struct markup_maps *maps)
{
	if (!maps->cuts) {
		maps->cuts = memory_checked(calloc(CUTS_MAX, sizeof(*maps->cuts)));
		maps->owners = memory_checked(calloc(CUTS_MAX, sizeof(*maps->owners)));
	}
	make_cuts(maps);

	uint32_t *next = memory_checked(calloc(maps->cut_count + 1, sizeof(*next)));
	for (uint32_t at = 0; at < maps->cut_count; at++) {
		maps->owners[at] = MARKUP_MAPS_MAX;
		next[at] = at;
	}
	next[maps->cut_count] = maps->cut_count;
	for (uint32_t i = 0; i < maps->count; i++) {
		uint64_t start = maps->maps[i].start, end = start + maps->maps[i].size;
		own(maps, next, i, find_cut(maps, start), end < start ? maps->cut_count : find_cut(maps, end));
		if (end < start)
			own(maps, next, i, 0, find_cut(maps, end));
	}
	free(next);
	maps->indexed = maps->count;
}

/* The map of the index that an address is in; NULL: none. */
static const struct markup_map *find_indexed(const struct markup_maps *maps, uint64_t address)
{
	size_t behind;

	SEARCH_FIRST(behind, 0, maps->cut_count, maps->cuts[behind] > address);
	if (!behind || maps->owners[behind - 1] == MARKUP_MAPS_MAX)
		return NULL;
	return &maps->maps[maps->owners[behind - 1]];
}

const struct markup_map *markup_maps_find(struct markup_maps *maps, uint64_t address)
{
	if (maps->count - maps->indexed > UNINDEXED_MAX)
		make_index(maps);
	const struct markup_map *found = find_indexed(maps, address);
	for (uint32_t i = maps->indexed; i < maps->count && !found; i++)
		if (address - maps->maps[i].start < maps->maps[i].size)
			found = &maps->maps[i];
	return found;
}

void markup_maps_clear(struct markup_maps *maps)
{
	maps->count = maps->indexed = maps->cut_count = 0;
}

void markup_maps_done(struct markup_maps *maps)
{
	free(maps->maps);
	free(maps->cuts);
	free(maps->owners);
	*maps = (struct markup_maps){0};
}
