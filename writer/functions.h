/* The functions to blocks (FORMAT.md 6.3), and the dictionary their names are compressed with (6.6). */
#ifndef LOCUS_FUNCTIONS_H
#define LOCUS_FUNCTIONS_H

#include "writer/locus_writer.h"
#include "writer/section.h"

/* Fills both sections; the dictionary's stays empty where it would not pay. */
enum locus_status locus_functions_encode(const struct locus_tables *tables, int level, unsigned thread_count,
					 struct locus_section_out *ret, struct locus_section_out *ret_dictionary,
					 struct locus_error *error);

#endif
