/* Verifies many files on several threads, and gives the verdicts in the order of the files. */
#ifndef LOCUS_VERIFY_FILES_H
#define LOCUS_VERIFY_FILES_H

#include <stdbool.h>

#include "cmd/check/found_files.h"
#include "reader/locus.h"

struct verdict {
	const struct found_file *file;
	enum locus_status status; /* LOCUS_ERR_IO also for what is no file to read */
	struct locus_error error;
};

/*
 * Judges each file, and calls `take` for each in order, in the caller's thread, as soon as it and all before it are
 * judged. `take` returns false to stop. Ends the program where there is no memory for one thread.
 */
void verify_files(const struct found_files *files, enum locus_verify_depth depth, unsigned thread_count,
		  bool (*take)(void *context, const struct verdict *verdict), void *context);

#endif
