/* Counts the memory of a profile, so that a hostile one cannot take more than its limit. */
#ifndef LOCUS_PROFILE_MEMORY_H
#define LOCUS_PROFILE_MEMORY_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

struct profile_memory {
	ProtobufCAllocator allocator; /* returns NULL above the limit */
	size_t left;                  /* bytes that may still be taken */
	bool is_exceeded;             /* an allocation was refused, or memory was out */
};

/* Must not be moved afterwards, because the allocator refers to it. */
void profile_memory_init(struct profile_memory *memory, size_t size_max);

/*
 * Returns an array of `size` bytes with the first `used` bytes of the old one, which is freed; NULL: refused, and the
 * old one stays.
 */
void *profile_memory_grow(struct profile_memory *memory, void *old, size_t used, size_t size);

#endif
