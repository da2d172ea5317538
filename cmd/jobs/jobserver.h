/* The jobserver of make and ninja: a build's limit of jobs, which all its programs share. */
#ifndef LOCUS_JOBSERVER_H
#define LOCUS_JOBSERVER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Each program of a build may run one job; for each further one it takes a token and gives it back, as "POSIX
 * Jobserver Interaction" of GNU make's manual describes it: a byte read from a pipe or a named pipe.
 */
struct jobserver {
	int read_fd; /* -1: nobody offers one, there is no limit but the caller's */
	int write_fd;
	char tokens[1024]; /* taken, and to be given back as they were */
	size_t token_count;
};

/* Looks for a jobserver in MAKEFLAGS. What is offered and cannot be used is as if it were not there. */
void jobserver_init(struct jobserver *jobserver);

bool jobserver_is_offered(const struct jobserver *jobserver);

/* Takes a token if one is free, without waiting. Always true where no jobserver is offered. */
bool jobserver_take(struct jobserver *jobserver);

/* Gives a token back. */
void jobserver_give(struct jobserver *jobserver);

/* Gives all tokens back. */
void jobserver_done(struct jobserver *jobserver);

#endif
