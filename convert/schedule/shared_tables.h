/*
 * Line tables that several units with code have. What none of the units' functions covers answers once (RULES B14), not
 * for each of them: so it can be told only when all units are read.
 */
#ifndef LOCUS_SHARED_TABLES_H
#define LOCUS_SHARED_TABLES_H

#include "convert/schedule/table_references.h"
#include "convert/schedule/unit_results.h"

/*
 * Replaces what units that share a table made of rows that no function covers by pieces of what no function of any of
 * them covers, and makes such pieces where a unit left them. `references` are those of all units, sorted. .debug_line
 * is made readable as a whole, if there is any such table.
 */
enum locus_status shared_tables_read(const struct table_references *references, struct dwarf *dwarf,
				     struct shared *shared, struct unit_results *results, struct locus_error *error);

#endif
