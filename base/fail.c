/* Fills error records. */
#include "base/fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum locus_status locus_fail_at(struct locus_error *error, enum locus_status status, uint64_t offset,
				const char *format, ...)
{
	if (error) {
		const int reason = errno; /* formatting may change it */
		va_list arguments;
		va_start(arguments, format);
		vsnprintf(error->text, sizeof(error->text), format, arguments);
		va_end(arguments);
		error->offset = offset;
		errno = reason;
	}
	return status;
}

enum locus_status locus_fail_memory(struct locus_error *error)
{
	return locus_fail(error, LOCUS_ERR_MEMORY, "out of memory");
}

enum locus_status locus_fail_system(struct locus_error *error, enum locus_status status, const char *what)
{
	return locus_fail(error, errno == ENOMEM ? LOCUS_ERR_MEMORY : status, "cannot %s: %s", what, strerror(errno));
}
