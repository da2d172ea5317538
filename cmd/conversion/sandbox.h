/*
 * Confines a process that reads hostile input: its memory, time and rights. A wall that the kernel or architecture
 * lacks is left out; sandbox_describe reports it.
 */
#ifndef LOCUS_SANDBOX_H
#define LOCUS_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct sandbox {
	uint64_t memory_bytes; /* writable memory; 0: as much as the machine has */
	uint64_t cpu_seconds;  /* of all threads; 0: no bound */
	const char *folder;    /* the only folder where files may be made and written; NULL: none */
	int fd;                /* the only file that stays open; standard ones become /dev/null */
};

/*
 * Confines the calling process and its children for good. It must have no other threads yet. Files can still be read
 * anywhere.
 */
void sandbox_enter(const struct sandbox *sandbox);

/* Writes which walls sandbox_enter has on this machine, found by trying, and which it lacks: a line each. */
void sandbox_describe(FILE *to);

#endif
