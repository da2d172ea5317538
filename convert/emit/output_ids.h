/* Final ids: functions and files are numbered by first use in address order, equal ones once (RULES C2). */
#ifndef LOCUS_OUTPUT_IDS_H
#define LOCUS_OUTPUT_IDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash_slots.h"
#include "base/intern.h"
#include "convert/unit/function_names.h"
#include "convert/unit/source_paths.h"
#include "writer/locus_writer.h"

struct numbering {
	const struct intern_set *function_keys;
	const struct files *file_keys;
	uint32_t *function_of; /* by intern id: final id; 0: not used yet */
	uint32_t *file_of;
	struct locus_function *functions; /* final id - 1 */
	struct locus_file *files;
	uint32_t function_count, function_room;
	uint32_t file_count, file_room;
	struct hash_slots slots; /* functions by content */
	uint64_t work;           /* that the budget was not told of yet */
	bool failed;             /* out of memory; ids are LOCUS_UNKNOWN from then on */
};

/* Only once no thread interns any more. False: out of memory. */
bool numbering_init(struct numbering *numbering, const struct intern_set *function_keys, const struct files *file_keys);
void numbering_done(struct numbering *numbering);

/* The final id of an interned function; FUNCTION_UNKNOWN is a function without a name. LOCUS_UNKNOWN: `failed`. */
uint32_t numbering_function(struct numbering *numbering, uint32_t interned);

/* The same of a function that may not be used; LOCUS_UNKNOWN where it is not. */
uint32_t numbering_used_function(struct numbering *numbering, uint32_t interned);

/* The final id of a function that only has a symbol's name. */
uint32_t numbering_symbol(struct numbering *numbering, const char *name);

/* Says that a symbol bears the function's own name, so that this is its linkage name too (RULES D3). */
void numbering_symbol_is_name(struct numbering *numbering, uint32_t function);

/* Settles the linkage names that are just names. The last call before the functions are written. */
void numbering_finish(struct numbering *numbering);

uint32_t numbering_add_file(struct numbering *numbering, uint32_t interned);

/* The final id of an interned file. */
static inline uint32_t numbering_file(struct numbering *numbering, uint32_t interned)
{
	uint32_t known = numbering->file_of[interned];
	return known ? known : numbering_add_file(numbering, interned);
}

#endif
