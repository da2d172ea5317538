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
	size_t next;         /* offset of the next member's header */
	uint64_t number;     /* of the next member, from 1 */
	uint64_t names_size; /* of the names of all members so far */
	bool is_thin;
	const char *long_names; /* of GNU archives; not terminated */
	size_t long_names_size;
};

struct archive_member {
	const char *name;    /* inside the archive, not terminated; of a thin one a path from the archive's place */
	size_t name_size;    /* without a NUL, at most PATH_MAX */
	const uint8_t *data; /* inside the archive; NULL: a thin archive has it elsewhere */
	size_t size;
};

bool archive_member_is(const struct archive_member *member, const char *name);

/* Whether it begins as archives do. */
bool archive_open(struct archive *ret, const uint8_t *bytes, size_t size);

/* Honest archives may share a name, too: of members that are added twice. */
enum { ARCHIVE_NAMES_RATIO = 4 };

/*
 * The next member that is a file: symbol tables and the like are passed by. *ret_any is false behind the last.
 * LOCUS_ERR_BAD_ELF where the archive is damaged, also where a name is longer than a path may be, or where the names so
 * far are together longer than ARCHIVE_NAMES_RATIO times the archive: names may be parts of each other, so that a small
 * archive can have as many long ones as it likes.
 */
enum locus_status archive_next(struct archive *archive, struct archive_member *ret, bool *ret_any,
			       struct locus_error *error);

#endif
