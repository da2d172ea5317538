/* The order of the functions' records (FORMAT.md 6.4): by name where names are long, by id where they are short. */
#ifndef LOCUS_NAME_ORDER_H
#define LOCUS_NAME_ORDER_H

#include "writer/locus_writer.h"

/*
 * Gives, by record, the index of its function in the table: an array of tables->function_count, freed with free().
 * NULL: the table's own order is best.
 */
enum locus_status locus_order_choose(const struct locus_tables *tables, unsigned thread_count, uint32_t **ret,
				     struct locus_error *error);

#endif
