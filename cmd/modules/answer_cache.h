/*
 * Keeps answers that a text has asked for. Profiles ask for the same few thousand addresses repeatedly, from all over a
 * large program, whose blocks would have to be decoded each time if they cannot all be kept.
 */
#ifndef LOCUS_ANSWER_CACHE_H
#define LOCUS_ANSWER_CACHE_H

#include "reader/locus.h"

struct answer_cache;

/* Bytes of answers; names in them may take as much again. Beyond that, answers unused for long are dropped. */
enum { ANSWER_CACHE_SIZE_MAX = 12 << 20 };

/* NULL: out of memory; the other functions then do nothing. */
struct answer_cache *answer_cache_new(void);
void answer_cache_free(struct answer_cache *cache);

/* Finds the result added for the address, borrowed until the next call; NULL: none is kept. */
const struct locus_result *answer_cache_find(struct answer_cache *cache, uint64_t address);

/*
 * Keeps a copy of the result with its strings, if there is memory for it. All results must be of one file, so that
 * equal ids have equal names.
 */
void answer_cache_add(struct answer_cache *cache, uint64_t address, const struct locus_result *result);

#endif
