/* Messages on standard error, all of one form; and the end of an output, which may need one. */
#ifndef LOCUS_REPORT_H
#define LOCUS_REPORT_H

#include "cmd/common/out.h"
#include "spec/status.h"

/* Writes `locus: FILE: TEXT` to standard error as one line, with control characters escaped. `file` may be NULL. */
void report(const char *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The text of a failure: the record's or, if that is empty, the status's. */
const char *error_text(enum locus_status status, const struct locus_error *error);

/* Reports a status with its error record and the place in the file. */
void report_error(const char *file, enum locus_status status, const struct locus_error *error);

/* An error record with no text and no place. */
void error_clear(struct locus_error *error);

/* Sets the record's text, with no place, unless it is NULL, and returns the status. */
enum locus_status error_fail(struct locus_error *error, enum locus_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Flushes standard output. Returns `code`; or EXIT_FAILED, if that is worse, with a message if not everything could be
 * written. If the reader has closed the pipe, it has seen enough: `code`, and no message.
 */
int report_finish(struct out *out, int code);

/* The same for an output of this name. */
int report_finish_named(struct out *out, const char *name, int code);

#endif
