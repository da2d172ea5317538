/* Gives each string and function of a profile one index or id, however often it is referred to. */
#ifndef LOCUS_PROFILE_TABLES_H
#define LOCUS_PROFILE_TABLES_H

#include "cmd/pprof/profile_memory.h"
#include "pprof/profile.pb-c.h"
#include "reader/locus.h"

struct profile_tables {
	Pprof__Profile *message;
	struct profile_memory *memory;
	void *strings, *functions; /* tsearch trees */
	size_t string_capacity, function_capacity;
	uint64_t function_id; /* the highest id in use */
};

/*
 * The arguments are borrowed until profile_tables_done. `function_id` is the highest id of a function. False: out of
 * memory.
 */
bool profile_tables_init(struct profile_tables *tables, Pprof__Profile *message, struct profile_memory *memory,
			 uint64_t function_id);
void profile_tables_done(struct profile_tables *tables);

/* The index of the string, which is added if it is new; -1: out of memory. */
int64_t profile_string(struct profile_tables *tables, struct locus_string text);

/* The id of a function with these fields, which is added if it is new; 0: out of memory or of ids. */
uint64_t profile_function(struct profile_tables *tables, const Pprof__Function *function);

#endif
