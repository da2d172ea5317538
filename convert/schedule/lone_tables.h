/*
 * Line tables that no unit refers to: their rows answer, too (RULES B14). Which these are is known only when all units
 * are read.
 */
#ifndef LOCUS_LONE_TABLES_H
#define LOCUS_LONE_TABLES_H

#include "convert/schedule/unit_results.h"

/*
 * Reads the line tables of `dwarf` that are not among the `referred` offsets, which ascend and may repeat. .debug_line
 * is made readable as a whole. Results are added behind those of the units.
 */
enum locus_status lone_tables_read(struct dwarf *dwarf, struct shared *shared, const uint64_t *referred, uint32_t count,
				   struct unit_results *results, struct locus_error *error);

#endif
