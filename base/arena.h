/* Memory for many things of any size that are kept until all of them are given back at once. */
#ifndef LOCUS_ARENA_H
#define LOCUS_ARENA_H

#include <stddef.h>

struct arena_chunk;

/* Zeroed before the first use. */
struct arena {
	struct arena_chunk *chunks; /* the one being filled first */
	size_t left;                /* free bytes at its end */
};

/* `size` bytes, aligned for any type; NULL: out of memory, or beyond the budget (base/budget.h). */
void *arena_take(struct arena *arena, size_t size);

/* A copy of `size` bytes, aligned for any type; NULL: out of memory. */
void *arena_copy(struct arena *arena, const void *data, size_t size);

/* The same for bytes that need no alignment, and so leave no gap between what is copied one after the other. */
void *arena_copy_packed(struct arena *arena, const void *data, size_t size);

/* Makes all that `from` holds `arena`'s, and `from` empty. */
void arena_join(struct arena *arena, struct arena *from);

void arena_done(struct arena *arena);

#endif
