/* Where a file's bytes come from: a descriptor read on demand, or memory. */
#ifndef LOCUS_SOURCE_H
#define LOCUS_SOURCE_H

#include <stddef.h>

#include "spec/status.h"

struct locus_source {
	int fd;                /* -1: memory */
	const uint8_t *memory; /* borrowed */
	uint64_t base;         /* where the .locus file begins: not 0 inside of a program */
	uint64_t size;
};

/*
 * Opens a regular file, without waiting for a pipe. LOCUS_ERR_IO: the system says why; LOCUS_ERR_NOT_LOCUS: it is no
 * regular file. Closed by locus_source_done.
 */
enum locus_status locus_source_open(struct locus_source *source, const char *path, struct locus_error *error);
void locus_source_done(struct locus_source *source);

/* The range must lie in the file's size. Safe from many threads. */
enum locus_status locus_source_read(const struct locus_source *source, uint64_t offset, void *ret, size_t size,
				    struct locus_error *error);

#endif
