/* When outputs are written to the disk itself: --fsync. */
#ifndef LOCUS_DURABLE_H
#define LOCUS_DURABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum durability {
	DURABLE_NONE,  /* when the system decides */
	DURABLE_FILE,  /* each file before it is put in place, and its name before the next file is begun */
	DURABLE_BATCH, /* all files together, at the end */
};

/* Zeroed, but for `durability`, before the first output; freed by durable_finish. */
struct durable {
	enum durability durability;
	int *fds; /* a folder on each file system with outputs */
	dev_t *devices;
	size_t count;
};

/* To be called when an output was put in place. False, with errno: its name could not be written to the disk. */
bool durable_note(struct durable *durable, const char *output);

/* Writes what is to be written at the end. False, with errno: that failed. */
bool durable_finish(struct durable *durable);

#endif
