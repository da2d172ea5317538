/*
 * A profile in pprof's format (profile.proto), as `go tool pprof`, gperftools, speedscope and many profilers have it:
 * which addresses of it have no line yet, and what they become.
 *
 *	if (profile_read(fd, &profile, error)) {
 *		while (profile_next(profile, &place))
 *			if (... && profile_begin_frames(profile, count))
 *				profile_add_frame(profile, &frame); // `count` times, innermost first
 *		profile_write(profile, fd, error);
 *		profile_free(profile);
 *	}
 *
 * This is a library of the command's own, liblocus-pprof.so, for it needs protobuf-c and zlib. It knows profiles alone:
 * no symbols. A profile comes from anywhere: what it takes is bounded, and what it refers to is there, or it is not
 * read.
 */
#ifndef LOCUS_PROFILE_H
#define LOCUS_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/pprof/profile_error.h"
#include "reader/locus.h"

#define LOCUS_PPROF_EXPORT __attribute__((visibility("default")))

struct profile;

/* An address of a process, and what was mapped there. Strings are borrowed until profile_free. */
struct profile_place {
	uint64_t address;                   /* of the call, where it is not the innermost one */
	bool has_function;                  /* the profile names one, without a line */
	uint64_t start, limit, offset;      /* the bytes [start, limit) are those of the file from `offset` on */
	struct locus_string path, build_id; /* the latter in hexadecimal digits, as a rule; of size 0: unknown */
};

/* A function at an address; in UTF-8, and what is not known is of size 0 or 0. Borrowed for the call. */
struct profile_frame {
	struct locus_string name, system_name; /* as people know it, and as linkers do */
	struct locus_string path;
	uint32_t line, column, start_line;
};

/* Reads a file, compressed by gzip or not. False, with the reason. Freed by profile_free. */
LOCUS_PPROF_EXPORT bool profile_read(int fd, struct profile **ret, char error[PROFILE_ERROR_SIZE]);
LOCUS_PPROF_EXPORT void profile_free(struct profile *profile);

/*
 * The next address in a mapping that has no line number yet, mapping by mapping. What has one was symbolized before, by
 * who knew better or as well.
 */
LOCUS_PPROF_EXPORT bool profile_next(struct profile *profile, struct profile_place *ret);

/*
 * Replaces the lines of the address given last by `count` ones, which are to be added; the mapping then has what they
 * say. False: the memory that a profile may take is used up, and the profile is as before.
 */
LOCUS_PPROF_EXPORT bool profile_begin_frames(struct profile *profile, size_t count);

/* False: likewise, and the profile is not to be written. */
LOCUS_PPROF_EXPORT bool profile_add_frame(struct profile *profile, const struct profile_frame *frame);

/* Writes the profile, compressed by gzip. False, with the reason. */
LOCUS_PPROF_EXPORT bool profile_write(const struct profile *profile, int fd, char error[PROFILE_ERROR_SIZE]);

/* LOCUS_VERSION of the build, as locus_convert_version. */
LOCUS_PPROF_EXPORT extern const char locus_pprof_version[];

#endif
