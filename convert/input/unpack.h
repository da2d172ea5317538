/* Unpacks a file that is compressed as a whole, as distributions ship kernel modules: .xz, .zst, .gz. */
#ifndef LOCUS_UNPACK_H
#define LOCUS_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "spec/status.h"

enum packed_file {
	NOT_PACKED,
	PACKED_XZ,
	PACKED_ZSTD,
	PACKED_GZIP,
};

/* Recognises the format by its first bytes. */
enum packed_file packed_file_kind(const uint8_t *bytes, size_t size);

/*
 * Unpacks the file into memory that is freed by munmap. LOCUS_ERR_BAD_ELF: it unpacks to more than `size_max` bytes, or
 * is damaged or cut off.
 */
enum locus_status unpack_file(enum packed_file kind, const uint8_t *packed, size_t packed_size, size_t size_max,
			      uint8_t **ret, size_t *ret_size, struct locus_error *error);

#endif
