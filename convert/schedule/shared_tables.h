/*
 * Line tables that several units with code have. What none of the units' functions covers answers once (RULES B14), not
 * for each of them: so it can be told only when all units are read, each of which claims its table before.
 */
#ifndef LOCUS_SHARED_TABLES_H
#define LOCUS_SHARED_TABLES_H

#include "base/hash_slots.h"
#include "convert/schedule/unit_results.h"

struct table_claim;
struct shared_table;

struct shared_tables {
	struct table_claim *claims;  /* by table and directory: units of another directory have other files */
	struct shared_table *shared; /* those that several units have */
	uint32_t *by_unit;           /* by index of the unit, its claim + 1; 0: it has none */
	uint32_t count, shared_count, unit_count;

	struct hash_slots slots;
	uint32_t room, shared_room, unit_room;
	struct short_lock lock; /* guards all fields while threads read units */
};

void shared_tables_init(struct shared_tables *tables);
void shared_tables_done(struct shared_tables *tables);

/*
 * Claims the line table of a unit that was opened and has one. *ret_is_first: no other unit has claimed it yet, so that
 * this one makes pieces of what its functions do not cover. False: out of memory. Safe from many threads.
 */
bool shared_tables_claim(struct shared_tables *tables, const struct unit *unit, uint32_t unit_index,
			 bool *ret_is_first);

/*
 * When all units are read: replaces what the first units made by pieces of what no function covers of all units that
 * have the table. .debug_line is made readable as a whole, if there is any such table.
 */
enum locus_status shared_tables_read(struct shared_tables *tables, struct dwarf *dwarf, struct shared *shared,
				     struct unit_results *results, struct locus_error *error);

#endif
