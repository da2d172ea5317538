/* The jobserver of make and ninja: a build's limit of jobs, which all its programs share. */
#ifndef LOCUS_JOBSERVER_H
#define LOCUS_JOBSERVER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Each program of a build may run one job. For each further job it takes a token, a byte read from a pipe or named
 * pipe, and writes it back afterwards ("POSIX Jobserver Interaction" in GNU make's manual).
 */
struct jobserver {
	int read_fd; /* -1: there is no jobserver, and only the caller's limit counts */
	int write_fd;
	char tokens[1024]; /* the tokens taken, to be given back as they are */
	size_t token_count;
};

/* Looks for a jobserver in MAKEFLAGS. One that cannot be used counts as absent. */
void jobserver_init(struct jobserver *jobserver);

/* Whether there is a jobserver. */
bool jobserver_is_offered(const struct jobserver *jobserver);

/* Takes a token if one is free, without waiting. Always true if there is no jobserver. */
bool jobserver_take(struct jobserver *jobserver);

/* Gives a token back. */
void jobserver_give(struct jobserver *jobserver);

/* Gives all tokens back. */
void jobserver_done(struct jobserver *jobserver);

#endif
