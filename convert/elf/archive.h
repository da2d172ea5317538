/* Static archives (ar), thin ones and Rust's .rlib among them: their members, in order. */
#ifndef LOCUS_ARCHIVE_H
#define LOCUS_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spec/status.h"

/* A walk over the members of an archive that is in memory. Zeroed but for what archive_open sets. */
struct archive {
	const uint8_t *bytes;
	size_t size;
	size_t next; /* offset of the next member's header */
	bool is_thin;
	const char *long_names; /* of GNU archives; not terminated */
	size_t long_names_size;
};

struct archive_member {
	char *name; /* owned by the caller: as the archive has it; of a thin one a path from the archive's place */
	const uint8_t *data; /* inside the archive; NULL: a thin archive has it elsewhere */
	size_t size;
};

/* Whether it begins as archives do. */
bool archive_open(struct archive *ret, const uint8_t *bytes, size_t size);

/*
 * The next member that is a file: symbol tables and the like are passed by. *ret_any is false behind the last. Errors:
 * LOCUS_ERR_BAD_ELF where the archive is damaged, LOCUS_ERR_MEMORY.
 */
enum locus_status archive_next(struct archive *archive, struct archive_member *ret, bool *ret_any,
			       struct locus_error *error);

#endif
