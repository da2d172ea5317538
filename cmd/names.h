/* The name a person reads for a function: demangled, and remembered by function. */
#ifndef CMD_NAMES_H
#define CMD_NAMES_H

#include "reader/locus.h"

struct names; /* of one open file */

/* Never NULL; out of memory ends the program. Freed by names_free. */
struct names *names_new(bool demangle, uint32_t function_count);
void names_free(struct names *names);

/*
 * The linkage name, demangled where that is asked for and possible; without one, the function's own name. Size 0:
 * nothing names it. Stays until the next call.
 */
struct locus_string names_get(struct names *names, uint32_t function_id, struct locus_string function,
			      struct locus_string linkage, uint32_t language);

/* "alias", "folded", "overlap". */
const char *alternate_kind_name(enum locus_alternate_kind kind);

#endif
