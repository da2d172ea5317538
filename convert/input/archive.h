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
	uint64_t number;     /* the number of the next member, from 1 */
	uint64_t names_size; /* bytes of the names of all members so far */
	bool is_thin;
	const char *long_names; /* of GNU archives; not terminated */
	size_t long_names_size;
};

struct archive_member {
	const char *name;    /* inside the archive, not terminated; in a thin one the path, from the archive's place, of
				the member's file or, if that is in another archive, of this archive */
	size_t name_size;    /* without a NUL, at most PATH_MAX */
	const uint8_t *data; /* inside the archive; NULL: a thin archive, which has it elsewhere */
	size_t size;
	size_t header; /* offset of its header in the archive */
};

/* Whether the member has this name. */
bool archive_member_is(const struct archive_member *member, const char *name);

/* Begins a walk over an archive. False: the bytes do not begin as an archive does. */
bool archive_open(struct archive *ret, const uint8_t *bytes, size_t size);

/* Names may also be shared in honest archives, whose members were added twice. */
enum { ARCHIVE_NAMES_RATIO = 4 };

/*
 * Moves to the next member that is a file, past symbol tables and the like. *ret_any is false behind the last.
 * LOCUS_ERR_BAD_ELF: the archive is damaged; or a name is longer than a path may be; or all names so far are longer
 * than ARCHIVE_NAMES_RATIO times the archive, which a small archive can do because names may be parts of each other.
 */
enum locus_status archive_next(struct archive *archive, struct archive_member *ret, bool *ret_any,
			       struct locus_error *error);

/*
 * Moves to the member whose header is at `header`, without a walk over those before it. False: none of that name is
 * there. To be called after archive_open; a walk then has to begin again with archive_open.
 */
bool archive_member_at(struct archive *archive, size_t header, const char *name, struct archive_member *ret);

#endif
