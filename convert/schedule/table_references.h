/*
 * The line tables that units refer to. Several units may have one, and some may have none: what the rows of either
 * answer is known only when all units are read (RULES B14). Each thread notes the tables of its own units.
 */
#ifndef LOCUS_TABLE_REFERENCES_H
#define LOCUS_TABLE_REFERENCES_H

#include "base/arena.h"
#include "convert/dwarf/unit.h"

struct table_reference {
	uint64_t offset;           /* of the table in .debug_line */
	uint64_t end;              /* of the table; 0: the unit did not read it, and all but `offset` is unknown */
	uint64_t str_offsets_base; /* the unit's, by which names in the table are found */
	const char *comp_dir;      /* the unit's; NULL: none */
	uint64_t unit_offset;      /* in .debug_info */
	uint32_t unit_index;
	bool has_dropped;      /* as in struct unit_sum */
	bool leaves_rows;      /* no pieces were made of the rows that no function of the unit covers */
	bool is_for_unit_only; /* its program defines files, so it is read for each unit that has it */
};

/* Zeroed before the first use. */
struct table_references {
	struct table_reference *references;
	uint32_t count, room;
	uint64_t read_below; /* the highest end of a table that was read */
};

void table_references_done(struct table_references *references);

/*
 * Whether a unit that is noted here may have read the table at `offset`: true of each table that begins below the end
 * of one that was read. Units mostly have their tables in the order of the section, so it is seldom true of others.
 */
bool table_references_may_have(const struct table_references *references, uint64_t offset);

/*
 * Notes the table of a unit that was opened and has one. The name of the unit's directory is kept in `arena`. False:
 * out of memory.
 */
bool table_references_add(struct table_references *references, const struct unit *unit, uint32_t unit_index,
			  bool leaves_rows, struct arena *arena);

/* Adds those of another thread. False: out of memory. */
bool table_references_join(struct table_references *references, const struct table_references *from);

/* Sorts them by the offset of the table, then so that those with the same rows and files are neighbours, by unit. */
void table_references_sort(struct table_references *references);

/* Whether the rows and files of two units' tables are the same: other directories make other files. */
bool table_references_same(const struct table_reference *a, const struct table_reference *b);

/*
 * RULES A7: finds the first unit, in their order, with which more than `most` bytes of tables are read. Of units that
 * have one table and follow each other, the first reads it. Threads, which read some of the units each, read no more
 * bytes for theirs than are counted here. Sorts the references by unit. NULL: there is none.
 */
const struct table_reference *table_references_beyond(struct table_references *references, uint64_t most);

/* Whether the tables fill a section of `size` bytes without gaps, so that there are no others. They are sorted. */
bool table_references_fill(const struct table_references *references, uint64_t size);

#endif
