/* Messages: one form of them, on standard error; and the end of standard output, which may have one too. */
#ifndef LOCUS_REPORT_H
#define LOCUS_REPORT_H

#include "cmd/common/out.h"
#include "spec/status.h"

/* Writes `locus: FILE: TEXT` to standard error as one line, with control characters escaped. `file` may be NULL. */
void report(const char *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What went wrong, in words: the record's, or the status's where that has none. */
const char *error_text(enum locus_status status, const struct locus_error *error);

/* The same for a status and its error record, with the place. */
void report_error(const char *file, enum locus_status status, const struct locus_error *error);

/* An error record with no text and no place. */
void error_clear(struct locus_error *error);

/*
 * Flushes; returns `code`, or the worse EXIT_FAILED with a message where not everything could be written. A reader that
 * closed the pipe has seen enough: no message, `code`.
 */
int report_finish(struct out *out, int code);

#endif
