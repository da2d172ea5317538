/* The bytes of a profile's file, which gzip has compressed as a rule. */
#ifndef LOCUS_PROFILE_BYTES_H
#define LOCUS_PROFILE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/pprof/profile_error.h"

/* Of a profile, inflated: real ones are below 100 MiB. */
#define PROFILE_SIZE_MAX ((size_t)256 << 20)

/* Reads all that is left in the file, compressed or not, at most PROFILE_SIZE_MAX. `*ret` is freed with free. */
bool profile_bytes_read(int fd, uint8_t **ret, size_t *ret_size, char error[PROFILE_ERROR_SIZE]);

/* Writes the bytes, compressed. */
bool profile_bytes_write(int fd, const uint8_t *bytes, size_t size, char error[PROFILE_ERROR_SIZE]);

#endif
