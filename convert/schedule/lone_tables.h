/*
 * Line tables that no unit refers to: their rows answer, too (RULES B14). Which these are is known only when all units
 * are read, each of which notes its own table.
 */
#ifndef LOCUS_LONE_TABLES_H
#define LOCUS_LONE_TABLES_H

#include "convert/schedule/unit_results.h"

/* The tables of .debug_line that units refer to, in no order. */
struct referred_tables {
	uint64_t *starts; /* offsets */
	uint64_t *ends;   /* the ends of these tables; 0: its header was not read */
	uint32_t count;

	uint32_t start_room, end_room;
	struct short_lock lock; /* guards all fields while threads read units */
};

void referred_tables_init(struct referred_tables *tables);
void referred_tables_done(struct referred_tables *tables);

/* Notes the table of a unit that was opened and has one. False: out of memory. Safe from many threads. */
bool referred_tables_note(struct referred_tables *tables, const struct unit *unit);

/* Whether the tables fill a section of `size` bytes without gaps, so that there are no others. Sorts them. */
bool referred_tables_fill(struct referred_tables *tables, uint64_t size);

/*
 * Reads the line tables of `dwarf` that are not among the `referred` offsets, which are in any order, may repeat, and
 * are sorted here. .debug_line is made readable as a whole. Results are added behind those of the units.
 */
enum locus_status lone_tables_read(struct dwarf *dwarf, struct shared *shared, uint64_t *referred, uint32_t count,
				   struct unit_results *results, struct locus_error *error);

#endif
