/* Fills an error record and gives the status back, so that failing is one line. */
#ifndef LOCUS_FAIL_H
#define LOCUS_FAIL_H

#include "spec/status.h"

enum locus_status locus_fail(struct locus_error *error, enum locus_status status, uint64_t offset, const char *format,
			     ...);
enum locus_status locus_fail_memory(struct locus_error *error);

#endif
