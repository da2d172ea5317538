/* Finds where functions are, inlined copies and other names included, or which addresses a line became. */
#ifndef LOCUS_RANGE_SEARCH_H
#define LOCUS_RANGE_SEARCH_H

#include "cmd/find/choice.h"
#include "cmd/find/range_output.h"

/*
 * Finds what is chosen in an open file, and shows it, in the order of addresses. Ends early if the output fails. Errors
 * are those of reading the file; LOCUS_ERR_LIMIT: it asks for more work than a file of its size can need.
 */
enum locus_status range_search(struct locus *locus, struct choice *choice, struct range_output *output,
			       struct locus_error *error);

#endif
