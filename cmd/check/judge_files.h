/* Holds .locus files against the ELF files that they are of, several at one time, each in a process of its own. */
#ifndef LOCUS_JUDGE_FILES_H
#define LOCUS_JUDGE_FILES_H

#include "cmd/check/verify_files.h"
#include "cmd/jobs/freshness.h"
#include "cmd/jobs/source_comparison.h"

struct judging {
	/*
	 * An ELF file, that of all files; or a directory, where that of DIR/X.locus is `elf`/X, and that of a store's
	 * buildid/ABCDEF/locus is `elf`/.build-id/AB/CDEF.debug.
	 */
	const char *elf;
	const struct locus_convert_options *options; /* how companions are found */
	unsigned job_count;                          /* 1 or more */
	bool compares; /* what the files say with what the debug information says; false: whether they are fresh */
	enum freshness_look look; /* for whether they are fresh */
	uint64_t samples;         /* to compare: addresses of each; 0: all */
};

/* Judges each file and calls `take` as verify_files does. The converter is loaded. */
void judge_files(const struct found_files *files, const struct judging *judging, take_verdict *take, void *context);

#endif
