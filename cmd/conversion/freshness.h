/* Whether a .locus file is what converting an ELF file now would give. */
#ifndef LOCUS_FRESHNESS_H
#define LOCUS_FRESHNESS_H

#include <stdbool.h>

#include "convert/locus_convert.h"
#include "reader/locus.h"

enum freshness_look {
	LOOK_AT_DIGESTS,     /* sizes, build-ids and digests of all inputs */
	LOOK_AT_TIMES,       /* sizes of the inputs, and that none is newer than the file, as make does */
	LOOK_AT_TIMES_FIRST, /* digests, but only if the times say that the file may be older */
};

/* All is borrowed. */
struct freshness_question {
	const char *file; /* the .locus file, or a program that carries one */
	const char *elf;
	const struct locus_convert_options
		*options; /* how companions are found, and the options for a conversion now */
	bool as_recorded; /* the options that the file was made with count as asked for */
	enum freshness_look look;
};

enum { FRESHNESS_TEXT_SIZE = 512 };

struct freshness {
	bool is_fresh;
	bool by_times;                    /* if it is fresh: only times were compared */
	char reason[FRESHNESS_TEXT_SIZE]; /* if it is not fresh: one line that says which input differs, and how */
};

/*
 * Compares the record of the file with what the converter, which is loaded, finds now: build-ids, sizes and digests of
 * the program and of every companion, the options, and the rules epoch, which must not be below today's. A missing
 * companion makes the file stale. Errors are those of opening the file, and otherwise the ELF file's.
 */
enum locus_status freshness_judge(const struct freshness_question *question, struct freshness *ret,
				  struct locus_error *error);

/*
 * Whether the file is fresh by the times of the two files, and the program's build-id, alone. Fast. False: more has to
 * be compared, or the question asks for digests.
 */
bool freshness_is_plain(const struct freshness_question *question);

/*
 * Whether the file was made, with the options of the question, of a program that has the ELF file as its separate debug
 * file, by sizes, times and build-ids. Then the debug file alone has no more to tell, and less of where code is in a
 * file.
 */
bool freshness_is_companion(const struct freshness_question *question);

/*
 * The time of a judgement: taken before it, from the clock that files get their times from. A file that is found fresh
 * gets this time. So later its time alone shows that it is fresh, and whatever was written meanwhile is newer.
 */
void freshness_clock(struct timespec *ret);
void freshness_touch(const char *file, const struct timespec *as_of);

#endif
