/* Fills an error record and gives the status back, so that failing is one line. */
#ifndef LOCUS_WRITER_FAIL_H
#define LOCUS_WRITER_FAIL_H

#include <stdarg.h>
#include <stdio.h>

#include "spec/status.h"

__attribute__((format(printf, 3, 4))) static inline enum locus_status
locus_writer_fail(struct locus_error *error, enum locus_status status, const char *format, ...)
{
	if (error) {
		va_list arguments;
		va_start(arguments, format);
		vsnprintf(error->text, sizeof(error->text), format, arguments);
		va_end(arguments);
		error->offset = LOCUS_NO_OFFSET;
	}
	return status;
}

static inline enum locus_status locus_writer_fail_memory(struct locus_error *error)
{
	return locus_writer_fail(error, LOCUS_ERR_MEMORY, "out of memory");
}

#endif
