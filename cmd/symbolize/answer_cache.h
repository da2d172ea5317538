/*
 * Answers that a text has asked for before. Profiles ask for the same few thousand addresses again and again, from all
 * over a large program, whose blocks would have to be decoded each time where not all of them can be kept.
 */
#ifndef LOCUS_ANSWER_CACHE_H
#define LOCUS_ANSWER_CACHE_H

#include "reader/locus.h"

struct answer_cache;

/* Of answers, and as much again at most of the names in them. Beyond, those that were not asked for lately go. */
enum { ANSWER_CACHE_SIZE_MAX = 12 << 20 };

/* NULL: out of memory, without which the other functions do nothing. */
struct answer_cache *answer_cache_new(void);
void answer_cache_free(struct answer_cache *cache);

/* What was added for the address, borrowed until the next call; NULL: nothing is remembered. */
const struct locus_result *answer_cache_find(struct answer_cache *cache, uint64_t address);

/*
 * Keeps a copy of the result, strings included, if there is memory for it. All are of one file: the same ids stand for
 * the same names.
 */
void answer_cache_add(struct answer_cache *cache, uint64_t address, const struct locus_result *result);

#endif
