/* Where a signal's handler returns to: behind that, a stack has what the signal interrupted, which did not call. */
#ifndef LOCUS_SIGNAL_RETURN_H
#define LOCUS_SIGNAL_RETURN_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/locus.h"

/* Bytes of a file in which such code is searched: more than a whole C library has. */
enum { SIGNAL_RETURN_SEARCHED = 4 << 20 };

/* glibc has such code at multiples of this. */
enum { SIGNAL_RETURN_ALIGNMENT = 16 };

/* Whether it is the linkage name of such a function. Each machine has its own. */
bool signal_return_is_name(struct locus_string name);

/* The files that were looked into, a few of which stay open, and what was found there. */
struct signal_returns;

struct signal_returns *signal_returns_new(void);
void signal_returns_free(struct signal_returns *returns);

/*
 * Whether the regular file at `path` has such code at `position`: shipped C libraries have no symbols there. On x86-64
 * alone; elsewhere the code is Linux's, and named.
 */
bool signal_return_is_at(struct signal_returns *returns, struct locus_string path, uint64_t position);

/*
 * Whether the first such code of the file, in its first SIGNAL_RETURN_SEARCHED bytes, is at this place of a
 * page of memory: for texts that say where code was at run time, but not where its file began there.
 */
bool signal_return_is_in_page(struct signal_returns *returns, struct locus_string path, uint64_t place);

#endif
