/* An allocator for protobuf-c. Each allocation remembers its size, so that freeing it gives the bytes back. */
#include "cmd/pprof/profile_memory.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static void *take(void *context, size_t size)
{
	struct profile_memory *memory = context;
	void *taken = size <= memory->left ? malloc(size) : NULL;
	size_t counted = malloc_usable_size(taken);

	if (!taken)
		memory->is_exceeded = true;
	memory->left -= counted < memory->left ? counted : memory->left;
	return taken;
}

static void give_back(void *context, void *taken)
{
	struct profile_memory *memory = context;

	memory->left += malloc_usable_size(taken);
	free(taken);
}

void profile_memory_init(struct profile_memory *memory, size_t size_max)
{
	*memory = (struct profile_memory){.allocator = {take, give_back, memory}, .left = size_max};
}

void *profile_memory_grow(struct profile_memory *memory, void *old, size_t used, size_t size)
{
	void *grown = take(memory, size);

	if (!grown)
		return NULL;
	if (used)
		memcpy(grown, old, used);
	give_back(memory, old);
	return grown;
}
