/* Verifies many files on several threads, and gives the verdicts in the order of the files. */
#ifndef LOCUS_VERIFY_FILES_H
#define LOCUS_VERIFY_FILES_H

#include <stdbool.h>
#include <sys/stat.h>

#include "cmd/check/found_files.h"
#include "reader/locus.h"

struct comparison; /* cmd/conversion/source_comparison.h */

enum { VERDICT_TEXT_SIZE = 512 };

struct verdict {
	const struct found_file *file;
	const char *elf;          /* the ELF file that the status is about; NULL: it is about the file */
	enum locus_status status; /* LOCUS_ERR_IO also if it is no regular file */
	struct locus_error error;
	struct stat as_read;           /* the file when it was read; zeroed: it could not be found */
	char stale[VERDICT_TEXT_SIZE]; /* why the file is not what would be made now; empty: it is, or that was not
					  asked */
	const struct comparison *comparison; /* the comparison with the debug information; NULL: none was made */
};

/* Receives a verdict, which is valid during the call. Returns false to stop. */
typedef bool take_verdict(void *context, const struct verdict *verdict);

/*
 * Reads verdict->file and fills in the status and error. `in_place`: a store's file is to be in the folder of its
 * program's build-id, or it is LOCUS_ERR_COMPANION.
 */
void verdict_verify(struct verdict *verdict, enum locus_verify_depth depth, bool in_place);

/*
 * Judges each file, and calls `take` for each in order, in the caller's thread, as soon as it and all before it are
 * judged. Where the system gives no thread, as under a limit of processes, the caller's does all.
 */
void verify_files(const struct found_files *files, enum locus_verify_depth depth, unsigned thread_count,
		  take_verdict *take, void *context);

#endif
