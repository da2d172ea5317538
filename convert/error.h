/* Fills the caller's error record and gives back the status, so that a failure is one return statement. */
#ifndef ERROR_H
#define ERROR_H

#include "spec/status.h"

__attribute__((format(printf, 4, 5))) enum locus_status fail_at(struct locus_error *error, enum locus_status status,
								uint64_t offset, const char *format, ...);

#define fail(error, status, ...) fail_at(error, status, LOCUS_NO_OFFSET, __VA_ARGS__)

#endif
