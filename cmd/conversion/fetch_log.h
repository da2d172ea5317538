/* What the log of debuginfod's client library tells of the servers' answers, which its interface does not. */
#ifndef LOCUS_FETCH_LOG_H
#define LOCUS_FETCH_LOG_H

#include <stdbool.h>
#include <stdio.h>

/* How the servers answered the questions for one file, those that were asked again included. */
struct fetch_answers {
	bool all_lack;  /* each answer was that the server has no such file */
	bool some_lack; /* at least one was */
	char *reason;   /* why the last of the others failed, freed with free; NULL: none did, or it is not known why */
};

/*
 * Reads the log of the questions for the file of a build-id, in hexadecimal digits. What the log does not tell counts
 * as no answer.
 */
struct fetch_answers fetch_log_read(FILE *log, const char *id);

#endif
