/* Encodes functions as blocks of records (FORMAT.md 6.4). */
#ifndef LOCUS_ENCODE_FUNCTIONS_H
#define LOCUS_ENCODE_FUNCTIONS_H

#include "writer/encode_blocks.h"
#include "writer/locus_writer.h"
#include "writer/section_blocks.h"

/*
 * Fills the section. `order` has, by record, the index of its function in the table; NULL: records have the table's
 * order.
 */
enum locus_status locus_functions_encode(const struct locus_tables *tables, const uint32_t *order,
					 struct locus_effort effort, struct locus_section_out *ret,
					 struct locus_error *error);

#endif
