/* Whether a function's last row runs on over padding in which a symbol stands (RULES B14). */
#ifndef LOCUS_CROSS_CHECK_PADDING_H
#define LOCUS_CROSS_CHECK_PADDING_H

#include "convert/cross_check/evidence.h"
#include "convert/locus_convert.h"

/*
 * Whether `row`, which holds the claim's address where no function does, is not the row of `symbol`, which names that
 * address: the row is of the function before, runs on up to the next function or row of its table, and the symbol fills
 * the end of what is between. Columns tell rows apart where the claim has them. False, and then in *ret too: out of
 * memory.
 */
bool padding_check(struct evidence *evidence, const struct table_row *row, const struct symbol *symbol,
		   const struct locus_claim *claim, bool *ret);

#endif
