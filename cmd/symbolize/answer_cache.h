/*
 * Answers that a text has asked for before. Profiles ask for the same few thousand addresses again and again, from all
 * over a large program, whose blocks would have to be decoded each time where memory is short.
 */
#ifndef LOCUS_ANSWER_CACHE_H
#define LOCUS_ANSWER_CACHE_H

#include "reader/locus.h"

struct answer_cache;

enum { ANSWER_CACHE_SIZE_MAX = 12 << 20 /* bytes of answers; when they are more, all are forgotten */ };

/* NULL: out of memory, without which the other functions do nothing. */
struct answer_cache *answer_cache_new(void);
void answer_cache_free(struct answer_cache *cache);

/* What was added for the address, borrowed until something else is added; NULL: nothing is remembered. */
const struct locus_result *answer_cache_find(const struct answer_cache *cache, uint64_t address);

/* Keeps a copy of the result, strings included, if there is memory for it. */
void answer_cache_add(struct answer_cache *cache, uint64_t address, const struct locus_result *result);

#endif
