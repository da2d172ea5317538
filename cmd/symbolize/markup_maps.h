/*
 * The mappings that markup tells of, and which one an address of the process is in. Mappings may overlap: the one that
 * was told first answers.
 */
#ifndef LOCUS_MARKUP_MAPS_H
#define LOCUS_MARKUP_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MARKUP_MAPS_MAX = 1 << 14 };

/* `size` bytes from `start` on are mapped from the module's address `relative` on. It may go on behind 2^64 at 0. */
struct markup_map {
	uint64_t start, size, relative;
	size_t module; /* index */
};

/* Zeroed before the first use; freed by markup_maps_done. */
struct markup_maps {
	struct markup_map *maps; /* as they were told */
	uint32_t count;

	/*
	 * Of the first `indexed` maps: `cuts` are the addresses at which one begins, or is passed, ascending; `owners`
	 * has by cut the index of the map that answers from there up to the next cut, or MARKUP_MAPS_MAX.
	 */
	uint64_t *cuts;
	uint32_t *owners;
	uint32_t indexed, cut_count;
};

/* Adds a map of at least one byte. False: there are MARKUP_MAPS_MAX. The program ends if memory is out. */
bool markup_maps_add(struct markup_maps *maps, const struct markup_map *map);

/* The map that answers at an address, borrowed until the next is added; NULL: none. */
const struct markup_map *markup_maps_find(struct markup_maps *maps, uint64_t address);

/* Forgets all maps. */
void markup_maps_clear(struct markup_maps *maps);
void markup_maps_done(struct markup_maps *maps);

#endif
