/* The bytes of a profile's file, which is mostly compressed by gzip. */
#ifndef LOCUS_PROFILE_BYTES_H
#define LOCUS_PROFILE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/pprof/profile_error.h"

/* The most bytes of a profile, as it is stored and inflated; real ones are below 100 MiB. */
#define PROFILE_SIZE_MAX ((size_t)256 << 20)

struct profile_bytes {
	uint8_t *bytes; /* inflated; freed with free */
	size_t size;
	size_t stored_size; /* bytes of the file, which may be compressed */
};

/* Reads the rest of the file, compressed or not. Refused if it inflates to more than real profiles do. */
bool profile_bytes_read(int fd, struct profile_bytes *ret, char error[PROFILE_ERROR_SIZE]);

/* Writes the bytes, compressed. */
bool profile_bytes_write(int fd, const uint8_t *bytes, size_t size, char error[PROFILE_ERROR_SIZE]);

#endif
