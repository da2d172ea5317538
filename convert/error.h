/* Failures: the caller's error record filled in one return statement, and the first among several threads'. */
#ifndef ERROR_H
#define ERROR_H

#include <pthread.h>
#include <stdbool.h>

#include "spec/status.h"

__attribute__((format(printf, 4, 5))) enum locus_status fail_at(struct locus_error *error, enum locus_status status,
								uint64_t offset, const char *format, ...);

#define fail(error, status, ...) fail_at(error, status, LOCUS_NO_OFFSET, __VA_ARGS__)

/* What several threads met first. */
struct failure {
	pthread_mutex_t lock;
	enum locus_status status;
	struct locus_error error;
};

void failure_init(struct failure *failure);

/* Keeps the failure if it is the first; LOCUS_OK is none. Safe from many threads, as is failure_is_noted. */
void failure_note(struct failure *failure, enum locus_status status, const struct locus_error *error);
bool failure_is_noted(struct failure *failure);

/* Gives what was noted, when the threads are done. To be called once. */
enum locus_status failure_done(struct failure *failure, struct locus_error *ret);

#endif
