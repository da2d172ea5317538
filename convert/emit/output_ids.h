/* The ids of functions and files in the output: numbers by first use in address order, equal ones once (RULES C2). */
#ifndef LOCUS_OUTPUT_IDS_H
#define LOCUS_OUTPUT_IDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash_slots.h"
#include "base/intern.h"
#include "convert/unit/function_names.h"
#include "convert/unit/source_paths.h"
#include "writer/locus_writer.h"

/* What is known of the names of an interned function once they have been read. Sizes are in bytes. */
struct function_digest {
	uint32_t hash;         /* of the function's content */
	uint32_t name_size;    /* UINT32_MAX: that many or more */
	uint32_t linkage_size; /* the same; 0: there is no linkage name, or it is the name itself */
};

/* A function of the output, with what its contexts repeat of it. */
struct output_function {
	uint32_t id; /* LOCUS_UNKNOWN, which is 0: not used yet, or `failed` */
	uint32_t decl_file, decl_line;
};

struct output_ids {
	const struct intern_set *function_keys;
	const struct source_paths *file_keys;
	struct intern_numbers function_numbers;
	struct output_function *function_of; /* by number of the interned function */
	struct function_digest *digests;     /* by that number, too */
	uint32_t function_unknown;           /* the id of FUNCTION_UNKNOWN; 0: not used yet */
	uint32_t *file_of;
	struct locus_function *functions; /* by id - 1 */
	bool *name_is_linkage;            /* by id - 1: the name is the linkage name too (RULES D3) */
	struct locus_file *files;
	uint32_t function_count, function_room, flag_room;
	uint32_t file_count, file_room;
	struct hash_slots slots; /* of functions, by content */
	uint64_t work;           /* not counted in the budget yet */
	bool failed;             /* out of memory; ids are LOCUS_UNKNOWN from then on */
};

/*
 * Reads the names of all interned functions, by so many threads, once no thread interns any more. False: out of memory,
 * or beyond the budget (base/budget.h).
 */
bool output_ids_init(struct output_ids *ids, const struct intern_set *function_keys,
		     const struct source_paths *file_keys, unsigned thread_count);
void output_ids_done(struct output_ids *ids);

/* The function of which only a symbol's name is known. */
struct locus_function output_function_of_symbol(const char *name);

/* An interned function, which has an id from then on; FUNCTION_UNKNOWN is one without a name. */
struct output_function output_ids_function(struct output_ids *ids, uint32_t interned);

/*
 * Has the processor fetch what output_ids_function will read of an interned function, or of FUNCTION_UNKNOWN, which is
 * nothing: whether it has an id; when that is there, and it has none, what its content is; and when that is there, its
 * slot.
 */
void output_ids_prefetch(const struct output_ids *ids, uint32_t interned);
void output_ids_prefetch_content(const struct output_ids *ids, uint32_t interned);
void output_ids_prefetch_slot(const struct output_ids *ids, uint32_t interned);

/* The id of an interned function if it has one already; LOCUS_UNKNOWN: it is not used anywhere. */
uint32_t output_ids_used_function(struct output_ids *ids, uint32_t interned);

/* The id of a function of which only a symbol's name is known. */
uint32_t output_ids_symbol(struct output_ids *ids, const char *name);

/*
 * Notes of which functions a symbol has the very name, so that this is their linkage name too (RULES D3). `has_symbol`
 * is by number of the interned function; those that are not used are passed over.
 */
void output_ids_symbols_are_names(struct output_ids *ids, const bool *has_symbol);

/* Sets the linkage names that are just names. The last call before the functions are written. */
void output_ids_finish(struct output_ids *ids);

/* The slow path of output_ids_file. */
uint32_t output_ids_add_file(struct output_ids *ids, uint32_t interned);

/* The id of an interned file. */
static inline uint32_t output_ids_file(struct output_ids *ids, uint32_t interned)
{
	uint32_t known = ids->file_of[interned];
	return known ? known : output_ids_add_file(ids, interned);
}

#endif
