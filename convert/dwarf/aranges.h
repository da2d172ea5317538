/* .debug_aranges (DWARF 5, 6.1.2): for each unit, the addresses at which its compiler says that it has code. */
#ifndef LOCUS_ARANGES_H
#define LOCUS_ARANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Receives the content of a table; `argument` is the caller's. False: out of memory, which ends the reading. */
struct arange_sink {
	void *argument;
	bool (*add_unit)(void *argument, uint64_t unit); /* a unit's set begins; it may stay empty */
	bool (*add_range)(void *argument, uint64_t unit, uint64_t start, uint64_t end);
};

/*
 * Reads the table at `bytes`. `unit` is the unit's offset in .debug_info as the table gives it; there may be no unit.
 * False: the table is damaged, of another version, has segments or other sizes of addresses, or the sink ran out of
 * memory (*ret_memory becomes false); then the sink has not received everything.
 */
bool aranges_read(const uint8_t *bytes, size_t size, bool swap, uint8_t address_size, const struct arange_sink *sink,
		  bool *ret_memory);

#endif
