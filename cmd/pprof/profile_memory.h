/* Memory that is counted, so that a profile made to take much of it takes no more than its bound. */
#ifndef LOCUS_PROFILE_MEMORY_H
#define LOCUS_PROFILE_MEMORY_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

struct profile_memory {
	ProtobufCAllocator allocator; /* its allocations return NULL beyond the bound */
	size_t left;                  /* bytes that may still be taken */
	bool is_exceeded;             /* an allocation was refused for the bound, or memory was out */
};

/* Must not be moved afterwards: the allocator refers to it. */
void profile_memory_init(struct profile_memory *memory, size_t size_max);

/* An array of `size` bytes with the first `used` of the old one, which is freed; NULL: refused, the old one stays. */
void *profile_memory_grow(struct profile_memory *memory, void *old, size_t used, size_t size);

#endif
