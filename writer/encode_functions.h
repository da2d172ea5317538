/* The functions to blocks: their records (FORMAT.md 6.3), and these' order (6.6). */
#ifndef LOCUS_ENCODE_FUNCTIONS_H
#define LOCUS_ENCODE_FUNCTIONS_H

#include "writer/locus_writer.h"
#include "writer/section.h"

/* Fills two of the sections, given by id; the order's stays empty where the functions' own is kept. */
enum locus_status locus_functions_encode(const struct locus_tables *tables, int level, unsigned thread_count,
					 struct locus_section_out *sections, struct locus_error *error);

#endif
