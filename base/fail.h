/* Fills the caller's error record and gives the status back, so that failing is one line. Every layer uses this one. */
#ifndef LOCUS_FAIL_H
#define LOCUS_FAIL_H

#include "spec/status.h"

/*
 * `error` may be NULL. `offset` is from the file's start, or LOCUS_NO_OFFSET where no place is to blame. errno stays as
 * it is, for callers of liblocus.
 */
__attribute__((format(printf, 4, 5))) enum locus_status
locus_fail_at(struct locus_error *error, enum locus_status status, uint64_t offset, const char *format, ...);

/* The same without a place. */
#define locus_fail(error, status, ...) locus_fail_at(error, status, LOCUS_NO_OFFSET, __VA_ARGS__)

/* LOCUS_ERR_MEMORY, in the same words everywhere. */
enum locus_status locus_fail_memory(struct locus_error *error);

/*
 * What a call of the system failed with: "cannot WHAT: " and what errno means. The status is LOCUS_ERR_MEMORY if that
 * is ENOMEM, else `status`.
 */
enum locus_status locus_fail_system(struct locus_error *error, enum locus_status status, const char *what);

#endif
