/* .debug_aranges (DWARF 5, 6.1.2): for each unit, the addresses that its compiler says it has code at. */
#ifndef LOCUS_ARANGES_H
#define LOCUS_ARANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Receives what a table says; `argument` is the caller's. False: out of memory, which ends the reading. */
struct arange_sink {
	void *argument;
	bool (*add_unit)(void *argument, uint64_t unit); /* a unit's set begins; it may stay empty */
	bool (*add_range)(void *argument, uint64_t unit, uint64_t start, uint64_t end);
};

/*
 * Reads the table at `bytes`. `unit` is the unit's offset in .debug_info, as the table has it: whether a unit is there
 * is not known here. False where the table is damaged, of another version, has segments or addresses that are not of
 * `address_size`, or where the sink ran out of memory (*ret_memory becomes false): then what was given is not all.
 */
bool aranges_read(const uint8_t *bytes, size_t size, bool swap, uint8_t address_size, const struct arange_sink *sink,
		  bool *ret_memory);

#endif
