/*
 * An arena is a list of chunks, each filled from front to back and twice as large as the one before, until they are
 * large: a small program fills but a few pages. A large block gets a chunk of its own.
 */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/vm_pages.h"

enum { FIRST_SIZE = 1 << 14, CHUNK_SIZE = 1 << 18, LARGE = CHUNK_SIZE / 4, ALIGNMENT = _Alignof(max_align_t) };

struct arena_chunk {
	struct arena_chunk *next;
	size_t size; /* of `bytes` */
	_Alignas(max_align_t) uint8_t bytes[];
};

static struct arena_chunk *new_chunk(size_t size)
{
	struct arena_chunk *chunk = budget_take(size) ? malloc(sizeof(*chunk) + size) : NULL;
	if (!chunk) {
		budget_memory_out();
		return NULL;
	}
	pages_populate(chunk, sizeof(*chunk) + size);
	chunk->size = size;
	return chunk;
}

/* How large the chunk behind `last` usually is. */
static size_t next_size(const struct arena_chunk *last)
{
	if (!last)
		return FIRST_SIZE;
	return last->size < CHUNK_SIZE / 2 ? last->size * 2 : CHUNK_SIZE;
}

/* Takes `size` bytes behind those taken last. Chunks begin aligned, and their size is a multiple of the alignment. */
static void *take(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk = arena->chunks;

	/* A large block goes behind the chunk being filled, whose free end is still good for small ones. */
	if (chunk && size > arena->left && size >= LARGE) {
		struct arena_chunk *own = new_chunk(size);
		if (!own)
			return NULL;
		own->next = chunk->next;
		chunk->next = own;
		return own->bytes;
	}

	if (!chunk || size > arena->left) {
		size_t usual = next_size(chunk);
		chunk = new_chunk(size > usual ? (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : usual);
		if (!chunk)
			return NULL;
		chunk->next = arena->chunks;
		arena->chunks = chunk;
		arena->left = chunk->size;
	}
	arena->left -= size;
	return chunk->bytes + (chunk->size - arena->left - size);
}

void *arena_take(struct arena *arena, size_t size)
{
	arena->left -= arena->left % ALIGNMENT;
	return take(arena, (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

static void *fill(void *copy, const void *data, size_t size)
{
	if (copy && size)
		memcpy(copy, data, size);
	return copy;
}

void *arena_copy(struct arena *arena, const void *data, size_t size)
{
	return fill(arena_take(arena, size), data, size);
}

void *arena_copy_packed(struct arena *arena, const void *data, size_t size)
{
	return fill(take(arena, size), data, size);
}

void arena_join(struct arena *arena, struct arena *from)
{
	struct arena_chunk **end = &arena->chunks;
	while (*end)
		end = &(*end)->next;
	*end = from->chunks;
	if (end == &arena->chunks)
		arena->left = from->left;
	*from = (struct arena){0};
}

void arena_done(struct arena *arena)
{
	for (struct arena_chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	*arena = (struct arena){0};
}
