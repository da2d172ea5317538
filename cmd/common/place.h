/* What the questions of `locus lookup` mean in an open file: the file's own addresses. */
#ifndef LOCUS_PLACE_H
#define LOCUS_PLACE_H

#include "cmd/common/query.h"
#include "reader/locus.h"

/* What the numbers of questions are, where they are not the file's own addresses. */
struct place_options {
	bool has_base;
	uint64_t base;    /* where the program was loaded: addresses are of a process */
	bool from_offset; /* they are offsets in the program's file */
};

/* A query, and the address that it means. */
struct place {
	struct query query;
	const char *reason; /* why it means none, stays as long as the place; NULL: it means one */
	bool is_outside;    /* the question makes sense, but leads outside the program */
	bool is_unknown;    /* it is for a function, and the file has none of that name */
	uint64_t address;
	char *text; /* room of LOCUS_ERROR_TEXT_SIZE, the caller's: what `reason` may point to */
};

/* Whether the query is for a function by its name, for which the file must have it, or everything. */
bool place_is_function(const struct locus_info *info, const struct query *query);

/*
 * Finds the addresses of those places whose query is one and no locid, whose value is left alone. An error of the file
 * is returned; what is wrong with a question becomes its reason.
 */
enum locus_status places_find(struct locus *locus, struct locus_scratch *scratch, const struct place_options *options,
			      struct place *places, size_t count, struct locus_error *error);

#endif
