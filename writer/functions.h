/* The functions to blocks: declarations (FORMAT.md 6.3), names (6.7) and the dictionary these are compressed with
 * (6.6). */
#ifndef LOCUS_FUNCTIONS_H
#define LOCUS_FUNCTIONS_H

#include "writer/locus_writer.h"
#include "writer/section.h"

/* Fills three of the sections, given by id; the dictionary's stays empty where it would not pay. */
enum locus_status locus_functions_encode(const struct locus_tables *tables, int level, unsigned thread_count,
					 struct locus_section_out *sections, struct locus_error *error);

#endif
