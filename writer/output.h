/*
 * A file that appears whole or not at all: written beside its target under another name, then renamed. Without a target
 * its bytes are kept in memory.
 */
#ifndef LOCUS_OUTPUT_H
#define LOCUS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#include "spec/status.h"
#include "writer/buffer.h"

struct locus_output {
	char *path;                 /* the target, links resolved; NULL: memory */
	char *temporary;            /* in the same directory; NULL: none exists */
	int fd;                     /* -1: closed */
	struct locus_buffer memory; /* what was written, where there is no target */
};

/* Checks that `path` can be replaced and resolves links. Creates nothing. NULL: the file is kept in memory. */
enum locus_status locus_output_init(struct locus_output *output, const char *path, struct locus_error *error);

/* Removes the temporary file unless it was renamed, and frees what is in memory. */
void locus_output_done(struct locus_output *output);

/* Creates the temporary file, and appends bytes to it (or to memory). LOCUS_ERR_OUTPUT: the system says why. */
enum locus_status locus_output_create(struct locus_output *output, struct locus_error *error);
enum locus_status locus_output_write(struct locus_output *output, const void *data, size_t size,
				     struct locus_error *error);

/*
 * Appends many parts in one call, which takes the kernel half the time of a call for each. At most
 * LOCUS_OUTPUT_PARTS_MAX; the array is used up.
 */
enum { LOCUS_OUTPUT_PARTS_MAX = 64 };
enum locus_status locus_output_write_parts(struct locus_output *output, struct iovec *parts, unsigned count,
					   struct locus_error *error);

/* Renames the file onto the target; with `sync` after its bytes have reached the disk. */
enum locus_status locus_output_commit(struct locus_output *output, bool sync, struct locus_error *error);

#endif
