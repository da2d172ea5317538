/*
 * Bounds what symbols add to a text, or answer to questions, by the size of these. A .locus file of 30 KB can have a
 * thousand inlined functions with names of 16 KB each at one address: each frame that asks for it would become 16 MB.
 */
#ifndef LOCUS_OUTPUT_BOUND_H
#define LOCUS_OUTPUT_BOUND_H

#include <stdint.h>

#include "cmd/common/out.h"
#include "reader/locus.h"

/* Bytes of text that a question counts as, where it is no text. */
enum { OUTPUT_BOUND_QUESTION = 64 };

struct output_bound {
	const struct out *out;
	uint64_t read; /* bytes of text so far */
};

/* LOCUS_ERR_LIMIT: more was written than a text of this size can need, and nothing is to be looked up any more. */
enum locus_status output_bound_check(const struct output_bound *bound, struct locus_error *error);

#endif
