/* Whether an answer about an address is what the debug information says (RULES A to E). */
#ifndef LOCUS_VERDICT_H
#define LOCUS_VERDICT_H

#include "convert/cross_check/evidence.h"
#include "convert/locus_convert.h"

struct verdict {
	struct evidence *evidence; /* from which it is reached */
	const struct locus_claim *claim;
	bool agrees;
	/* What the debug information says, as one line of text; the caller's, of `size` bytes. */
	char *text;
	size_t size, used;
};

/*
 * Judges an answer. `verdict` has its evidence, claim, text and size, and else zeros. Where several functions or
 * sequences claim the address (RULES B10, C7, C8), it is enough that one agrees. False: out of memory.
 */
bool verdict_reach(struct verdict *verdict);

#endif
