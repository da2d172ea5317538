/*
 * A profile in pprof's format (profile.proto), as `go tool pprof`, gperftools, speedscope and many profilers use it:
 * which of its addresses have no line yet, and adding lines to them.
 *
 *	if (profile_read(fd, &profile, error)) {
 *		while (profile_next(profile, &place))
 *			if (... && profile_begin_frames(profile, count))
 *				profile_add_frame(profile, &frame); // `count` times, innermost first
 *		profile_write(profile, fd, error);
 *		profile_free(profile);
 *	}
 *
 * This is a library of the command's own, liblocus-pprof.so, because it needs protobuf-c and zlib. It knows only
 * profiles, no symbols. A profile may come from anyone: its memory is bounded, and it is refused if it refers to
 * something that is not there.
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

/* An address of a process, and the file mapped there. Strings are borrowed until profile_free. */
struct profile_place {
	uint64_t address;                   /* address of the call, if it is not the innermost one */
	bool has_function;                  /* the profile names the function, without a line */
	uint64_t start, limit, offset;      /* the bytes [start, limit) are those of the file, from `offset` on */
	struct locus_string path, build_id; /* the build-id in hexadecimal digits, mostly; size 0: unknown */
};

/* A function at an address, in UTF-8; what is unknown has size 0, or is 0. Borrowed for the call. */
struct profile_frame {
	struct locus_string name, system_name; /* the name for people, and the linkage name */
	struct locus_string path;
	uint32_t line, column, start_line;
};

/* Reads a file, which may be compressed by gzip. False, with the reason: that failed. Freed by profile_free. */
LOCUS_PPROF_EXPORT bool profile_read(int fd, struct profile **ret, char error[PROFILE_ERROR_SIZE]);
LOCUS_PPROF_EXPORT void profile_free(struct profile *profile);

/*
 * The next address in a mapping that has no line number yet, mapping by mapping. An address with one was symbolized
 * before, by a source at least as good.
 */
LOCUS_PPROF_EXPORT bool profile_next(struct profile *profile, struct profile_place *ret);

/*
 * Replaces the lines of the last address by `count` new ones, which are added next. False: the memory limit of a
 * profile is reached, and the profile is as before.
 */
LOCUS_PPROF_EXPORT bool profile_begin_frames(struct profile *profile, size_t count);

/* Adds a line. False: the memory limit is reached, and the profile must not be written. */
LOCUS_PPROF_EXPORT bool profile_add_frame(struct profile *profile, const struct profile_frame *frame);

/* Writes the profile, compressed by gzip. False, with the reason: that failed. */
LOCUS_PPROF_EXPORT bool profile_write(const struct profile *profile, int fd, char error[PROFILE_ERROR_SIZE]);

/* LOCUS_VERSION of the build, as locus_convert_version. */
LOCUS_PPROF_EXPORT extern const char locus_pprof_version[];

#endif
