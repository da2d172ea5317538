/*
 * What a process that reads hostile input may do: bounded memory, time and rights. What a kernel or architecture lacks
 * is left out; sandbox_describe says what there is.
 */
#ifndef LOCUS_SANDBOX_H
#define LOCUS_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct sandbox {
	uint64_t memory_bytes; /* that may be written to; 0: as much as the machine has */
	uint64_t cpu_seconds;  /* of all threads together; 0: no bound */
	const char *folder;    /* the one place whose files may be made and written; NULL: none may */
	int fd;                /* the one open file that stays open; standard ones become /dev/null */
};

/*
 * Confines the calling process, for good, and whatever it may start. Before it there are no other threads. Files can
 * still be read, wherever they are.
 */
void sandbox_enter(const struct sandbox *sandbox);

/* Writes what sandbox_enter does on this machine, found out by trying, and what it cannot do: a line each. */
void sandbox_describe(FILE *to);

#endif
