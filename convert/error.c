/* Fills the caller's error record. */
#include "convert/error.h"

#include <stdarg.h>
#include <stdio.h>

enum locus_status fail_at(struct locus_error *error, enum locus_status status, uint64_t offset, const char *format, ...)
{
	if (!error)
		return status;
	va_list args;
	va_start(args, format);
	vsnprintf(error->text, sizeof error->text, format, args);
	va_end(args);
	error->offset = offset;
	return status;
}
