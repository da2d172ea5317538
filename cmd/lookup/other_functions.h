/* The other functions at an address (its alternates), in the order in which `locus lookup --all` shows them. */
#ifndef LOCUS_OTHER_FUNCTIONS_H
#define LOCUS_OTHER_FUNCTIONS_H

#include "reader/locus.h"

struct other_function {
	struct locus_alternate_info info;
	struct locus_function_info function;
};

/* Zeroed before the first use. The room is used again for each address, and freed by the end of the process. */
struct other_functions {
	struct other_function *items;
	size_t count, room;
	char *names; /* what the items' strings point to */
	size_t names_size, names_room;
};

/*
 * Finds the alternates of an address, each once, and orders them by start and name. (In the file, those of one start
 * stand by their ids, which depend on what else is in the file.) `scratch` and `name_scratch` are two of the handle's.
 * On failure the items are those that were found before it; LOCUS_ERR_LIMIT: they take more memory than one answer may.
 */
enum locus_status other_functions_find(struct other_functions *others, struct locus *locus,
				       struct locus_scratch *scratch, struct locus_scratch *name_scratch,
				       uint64_t address, struct locus_error *error);

#endif
