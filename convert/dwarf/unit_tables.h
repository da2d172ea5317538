/*
 * Tables that units share which are opened for references. Hundreds of them may refer to one table of abbreviations or
 * of files; each table is compiled once.
 */
#ifndef LOCUS_UNIT_TABLES_H
#define LOCUS_UNIT_TABLES_H

#include "convert/dwarf/unit.h"

/*
 * Gives `unit` the table of abbreviations that an earlier unit with the same sizes kept for `bytes`; false: none did.
 * The caller has dwarf->lock, as for all functions here.
 */
bool unit_tables_find_abbrevs(struct unit *unit, const uint8_t *bytes);

/* Keeps the unit's own table for other units; the unit then borrows it. False: out of memory. */
bool unit_tables_keep_abbrevs(struct unit *unit, const uint8_t *bytes);

/* The same for the file table at unit->stmt_list and the ids of its files, which depend on DW_AT_comp_dir. */
bool unit_tables_find_files(struct unit *unit);
bool unit_tables_keep_files(struct unit *unit);

void unit_tables_free(struct unit_tables *tables);

#endif
