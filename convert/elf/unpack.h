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

/* By its first bytes. */
enum packed_file packed_file_kind(const uint8_t *bytes, size_t size);

/*
 * Unpacks the whole into memory of its own, which is freed by munmap. At most `size_max` bytes: LOCUS_ERR_BAD_ELF where
 * there are more, or where the packed bytes are damaged or cut off.
 */
enum locus_status unpack_file(enum packed_file kind, const uint8_t *packed, size_t packed_size, size_t size_max,
			      uint8_t **ret, size_t *ret_size, struct locus_error *error);

#endif
