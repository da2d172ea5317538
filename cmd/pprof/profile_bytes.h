/* The bytes of a profile's file, which gzip has compressed as a rule. */
#ifndef LOCUS_PROFILE_BYTES_H
#define LOCUS_PROFILE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/pprof/profile_error.h"

/* Of a profile, as it is stored and inflated: real ones are below 100 MiB. */
#define PROFILE_SIZE_MAX ((size_t)256 << 20)

struct profile_bytes {
	uint8_t *bytes; /* inflated; freed with free */
	size_t size;
	size_t stored_size; /* of the file, which may be compressed */
};

/* Reads all that is left in the file, compressed or not. What inflates to more than real profiles do is refused. */
bool profile_bytes_read(int fd, struct profile_bytes *ret, char error[PROFILE_ERROR_SIZE]);

/* Writes the bytes, compressed. */
bool profile_bytes_write(int fd, const uint8_t *bytes, size_t size, char error[PROFILE_ERROR_SIZE]);

#endif
