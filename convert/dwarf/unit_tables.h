/*
 * What units that are opened for references share. Hundreds of them may refer to one table of abbreviations or of
 * files; each is compiled once, however many do.
 */
#ifndef LOCUS_UNIT_TABLES_H
#define LOCUS_UNIT_TABLES_H

#include "convert/dwarf/unit.h"

/*
 * Gives `unit` the table of abbreviations that an earlier unit left at `bytes` for units of its sizes; false: none did.
 * Guarded by dwarf->lock, as all here.
 */
bool unit_tables_find_abbrevs(struct unit *unit, const uint8_t *bytes);

/* Keeps the unit's own table for others, from which the unit borrows it from now on. False: out of memory. */
bool unit_tables_keep_abbrevs(struct unit *unit, const uint8_t *bytes);

/* The same for the file table at unit->stmt_list, with the ids of its files, which depend on DW_AT_comp_dir. */
bool unit_tables_find_files(struct unit *unit);
bool unit_tables_keep_files(struct unit *unit);

void unit_tables_free(struct unit_tables *tables);

#endif
