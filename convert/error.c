/* Fills error records, and keeps the first of several. */
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

void failure_init(struct failure *failure)
{
	*failure = (struct failure){.status = LOCUS_OK};
	pthread_mutex_init(&failure->lock, NULL);
}

void failure_note(struct failure *failure, enum locus_status status, const struct locus_error *error)
{
	if (status == LOCUS_OK)
		return;
	pthread_mutex_lock(&failure->lock);
	if (failure->status == LOCUS_OK) {
		failure->status = status;
		failure->error = *error;
	}
	pthread_mutex_unlock(&failure->lock);
}

bool failure_is_noted(struct failure *failure)
{
	pthread_mutex_lock(&failure->lock);
	bool noted = failure->status != LOCUS_OK;
	pthread_mutex_unlock(&failure->lock);
	return noted;
}

enum locus_status failure_done(struct failure *failure, struct locus_error *ret)
{
	pthread_mutex_destroy(&failure->lock);
	if (failure->status != LOCUS_OK && ret)
		*ret = failure->error;
	return failure->status;
}
