/* A conversion in a process of its own: input that crashes or exhausts it is one failed file. */
#ifndef LOCUS_CHILD_H
#define LOCUS_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cmd/jobs/freshness.h"
#include "convert/locus_convert.h"

enum { CHILD_MAX = 1024 }; /* that run at one time */

/* What each conversion may take. */
struct child_limits {
	uint64_t memory_bytes; /* 0: what honest input of its size can need */
	unsigned seconds;      /* of time that passes; 0: no bound */
};

enum { CHILD_SECONDS = 600 }; /* if nobody says otherwise */

/* For all conversions that are started from now on. */
void child_set_limits(const struct child_limits *limits);

/* A conversion that runs. */
struct child {
	pid_t pid;
	int fd;              /* becomes readable when the conversion has ended, one way or another */
	int64_t deadline_ms; /* on the clock of child_wait_ms; INT64_MAX: none */
	bool is_late;
	struct child_progress *progress; /* shared with the child; NULL: there is no memory for it */
};

/* How far a child's conversion is, by its own account. */
struct child_account {
	enum locus_convert_phase phase;
	uint64_t done, total; /* bytes of debug information, where the phase is LOCUS_PHASE_UNITS */
};

struct child_account child_account(const struct child *child);

/* For poll: how long the child may still take; -1: for ever. One that is late is killed, and child.fd soon readable. */
int child_wait_ms(struct child *child);

/*
 * Starts locus_convert in a child process; at most CHILD_MAX may run at one time. `question`: nothing is converted
 * where its answer is that the file is fresh; NULL: whatever is there is not looked at. On LOCUS_OK child_finish must
 * follow; what was given is not used after the return.
 */
enum locus_status child_start(struct child *child, const char *path, const struct locus_convert_options *options,
			      const struct freshness_question *question, struct locus_error *error);

/* Starts freshness_judge in a child process, else as child_start. */
enum locus_status child_start_judging(struct child *child, const struct freshness_question *question,
				      struct locus_error *error);

/*
 * Waits for the end of the conversion and gives what locus_convert gave. Where the child died or took too long,
 * LOCUS_ERR_BAD_DWARF and a text that says of what; what it left half-written is then still there. The result is freed
 * by locus_convert_result_done. *ret_freshness is what came of the question, and zeroed where there was none.
 */
enum locus_status child_finish(struct child *child, struct locus_convert_result *ret, struct freshness *ret_freshness,
			       struct locus_error *error);

/* Both in one: as locus_convert, in a child process. */
enum locus_status child_convert(const char *path, const struct locus_convert_options *options,
				const struct freshness_question *question, struct locus_convert_result *ret,
				struct freshness *ret_freshness, struct locus_error *error);

/* As locus_convert_to_memory, in a child process that sends the file's bytes; where it dies as child_convert. */
enum locus_status child_convert_to_memory(const char *path, const struct locus_convert_options *options,
					  const uint64_t *addresses, size_t address_count, void **ret_data,
					  size_t *ret_size, struct locus_error *error);

/*
 * Has SIGINT, SIGTERM and SIGHUP end all running children and be noted here, so that the caller can clean up and then
 * let the signal take its course with child_raise_stop.
 */
void child_catch_signals(void);
bool child_is_stopped(void);
void child_release_signals(void); /* the signals are as before child_catch_signals, unless they were ignored */
void child_raise_stop(void);

#endif
