/* Places in the source, as debug information gives them: a path, a line, a column. */
#ifndef LOCUS_SOURCE_PLACE_H
#define LOCUS_SOURCE_PLACE_H

#include "convert/cross_check/evidence.h"
#include "convert/locus_convert.h"

/* A file's name, its directory, and that of its compilation; all borrowed, NULL: unknown, or said by another. */
struct source_file {
	const char *name;
	const char *directory;
	const char *compilation;
};

struct source_place {
	char *path; /* owned; NULL: unknown */
	uint32_t line;
	uint32_t column;
};

/*
 * RULES B11: the file of a number in a unit's table, or in a table, which may have no unit. Unknown is also what could
 * not be read since memory is out or the budget exceeded (base/budget.h).
 */
struct source_file source_file_of_unit(struct evidence *evidence, uint32_t unit, uint64_t number);
struct source_file source_file_of_table(struct evidence *evidence, uint32_t table, uint64_t number);

/* Joins and maps the file's path (RULES F1, F4). False: out of memory. source_place_done frees it, then too. */
bool source_place_make(const struct evidence *evidence, const struct source_file *file, uint64_t line, uint64_t column,
		       struct source_place *ret);
void source_place_done(struct source_place *place);

/* Whether the frame of an answer is at the place. Columns count where the answer has them. */
bool source_place_is(const struct source_place *place, const struct locus_claim *claim,
		     const struct locus_claimed_frame *frame);

#endif
