/* Tables of .debug_str_offsets, by which units name strings with an index (DWARF 5, 7.26). */
#ifndef LOCUS_STRING_OFFSETS_H
#define LOCUS_STRING_OFFSETS_H

#include <stdbool.h>
#include <stdint.h>

/* A table, from its first entry on, to the end of the section or of a unit's share of it. */
struct string_offsets {
	const uint8_t *entries; /* borrowed */
	uint64_t size;          /* in bytes */
	bool swap;              /* they are of the other byte order than this machine's */
};

/*
 * The offset in .debug_str that an entry of `entry_size` bytes gives. False: there is no such entry, or it lies in a
 * hole of zeros.
 */
bool string_offsets_get(const struct string_offsets *table, uint64_t index, uint8_t entry_size, uint64_t *ret);

#endif
