/* Judges .locus files by the ELF files that they were made from, several at a time, each in a process of its own. */
#ifndef LOCUS_JUDGE_FILES_H
#define LOCUS_JUDGE_FILES_H

#include "cmd/check/verify_files.h"
#include "cmd/conversion/freshness.h"
#include "cmd/conversion/source_comparison.h"

struct judging {
	/*
	 * An ELF file, for all files; or a directory of ELF files: then DIR/X.locus is judged by `elf`/X, and
	 * buildid/ABCDEF/locus of a store by `elf`/.build-id/AB/CDEF.debug.
	 */
	const char *elf;
	const struct locus_convert_options *options; /* how companions are found */
	unsigned job_count;                          /* 1 or more */
	bool compares; /* true: their answers are compared with the debug information; false: they are checked for
			  freshness */
	enum freshness_look look; /* how freshness is checked */
	uint64_t samples;         /* addresses to compare for each file; 0: all */
};

/* Judges each file and calls `take` as verify_files does. The converter must be loaded. */
void judge_files(const struct found_files *files, const struct judging *judging, take_verdict *take, void *context);

#endif
