/* Whether a .locus file is what converting an ELF file now would give. */
#ifndef LOCUS_FRESHNESS_H
#define LOCUS_FRESHNESS_H

#include <stdbool.h>

#include "convert/locus_convert.h"
#include "reader/locus.h"

enum freshness_look {
	LOOK_AT_DIGESTS,     /* sizes, build-ids and digests of all inputs */
	LOOK_AT_TIMES,       /* their sizes, and that none is newer than the file, as make does */
	LOOK_AT_TIMES_FIRST, /* at digests only where times say that the file may be older */
};

/* All is borrowed. */
struct freshness_question {
	const char *file; /* the .locus file, or a program that carries one */
	const char *elf;
	const struct locus_convert_options *options; /* how companions are found, and what is asked for now */
	bool as_recorded;                            /* what the file was made with is asked for, whatever it is */
	enum freshness_look look;
};

enum { FRESHNESS_TEXT_SIZE = 512 };

struct freshness {
	bool is_fresh;
	bool by_times;                    /* where it is: no byte of an input was looked at */
	char reason[FRESHNESS_TEXT_SIZE]; /* where it is not: one line that says which input, and what is another */
};

/*
 * Answers from the file's own record and what the converter, which is loaded, finds now: build-ids, sizes and digests
 * of the program and every companion, the options, and the rules epoch, which must not be below today's. A companion
 * that is missing makes the file stale. Other errors, but for those of opening the file, are the ELF file's.
 */
enum locus_status freshness_judge(const struct freshness_question *question, struct freshness *ret,
				  struct locus_error *error);

/*
 * Whether the file is fresh and a look at the times of the two files is enough to say so. Cheap; false where more has
 * to be looked at, and where the question is one for digests.
 */
bool freshness_is_plain(const struct freshness_question *question);

/*
 * What a judgement is as of: taken before it, on the clock that files get their times from. A file that is found fresh
 * then gets this time, so that times say so from now on, and that whatever was written to in between is newer.
 */
void freshness_clock(struct timespec *ret);
void freshness_touch(const char *file, const struct timespec *as_of);

#endif
