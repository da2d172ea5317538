/* When outputs are written to their disk: --fsync. */
#ifndef LOCUS_DURABLE_H
#define LOCUS_DURABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum durability {
	DURABLE_NONE,  /* when the system sees fit */
	DURABLE_FILE,  /* each before it is put in place, and its name before the next is begun */
	DURABLE_BATCH, /* all together, at the end */
};

/* Zeroed, but for `durability`, before the first output; freed by durable_finish. */
struct durable {
	enum durability durability;
	int *fds; /* a folder of each file system that outputs went to */
	dev_t *devices;
	size_t count;
};

/* An output was put in place. False, with errno, where its name could not be made to last. */
bool durable_note(struct durable *durable, const char *output);

/* False, with errno, where outputs could not be made to last. */
bool durable_finish(struct durable *durable);

#endif
