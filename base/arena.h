/* Memory for many blocks of any size that are all freed at once. */
#ifndef LOCUS_ARENA_H
#define LOCUS_ARENA_H

#include <stddef.h>

struct arena_chunk;

/* Zeroed before the first use. */
struct arena {
	struct arena_chunk *chunks; /* the first is being filled */
	size_t left;                /* free bytes at the end of the first chunk */
};

/* `size` bytes, aligned for any type; NULL: out of memory, or beyond the budget (base/budget.h). */
void *arena_take(struct arena *arena, size_t size);

/* A copy of `size` bytes, aligned for any type; NULL: out of memory. */
void *arena_copy(struct arena *arena, const void *data, size_t size);

/* The same without alignment: such copies leave no gaps between them. */
void *arena_copy_packed(struct arena *arena, const void *data, size_t size);

/* Moves all that `from` holds into `arena`; `from` is empty then. */
void arena_join(struct arena *arena, struct arena *from);

void arena_done(struct arena *arena);

#endif
