/* What the questions of `locus lookup` mean in an open file: addresses of the file. */
#ifndef LOCUS_PLACE_H
#define LOCUS_PLACE_H

#include "cmd/lookup/query.h"
#include "reader/locus.h"

/* What numbers in questions are, if they are not addresses of the file. */
struct place_options {
	bool has_base;
	uint64_t base;    /* where the program was loaded; then they are addresses of a process */
	bool from_offset; /* they are offsets in the program's file */
};

/* A query and the address that it means. */
struct place {
	struct query query;
	const char *reason; /* why it means none; stays as long as the place; NULL: it means one */
	bool is_outside;    /* the question is valid, but leads outside of the program */
	bool is_unknown;    /* it names a function that the file does not have */
	uint64_t address;
	const struct locus_base_info
		*section; /* that it names, one of section_count; NULL: none, or not looked for yet */
	size_t section_count;
	char *text; /* the caller's LOCUS_ERROR_TEXT_SIZE bytes, for `reason` */
};

/* Finds the sections that are named; they stay as long as the file's handle. */
void places_find_sections(const struct locus_info *info, struct place *places, size_t count);

/* Whether no section is named but a function, which the file must hold unless it is complete. */
bool place_is_function(const struct place *place);

/*
 * Finds the addresses of places with a query, except for locids, whose value stays. An error of the file is returned; a
 * fault of a question becomes its `reason`.
 */
enum locus_status places_find(struct locus *locus, struct locus_scratch *scratch, const struct place_options *options,
			      struct place *places, size_t count, struct locus_error *error);

#endif
