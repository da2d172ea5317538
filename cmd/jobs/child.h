/* Work in a process of its own: input that crashes or exhausts it is one failed file. */
#ifndef LOCUS_CHILD_H
#define LOCUS_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cmd/common/processors.h"
#include "cmd/jobs/freshness.h"
#include "cmd/jobs/source_comparison.h"
#include "convert/locus_convert.h"

enum { CHILD_MAX = JOB_MAX }; /* that run at one time */

/* What each conversion may take. */
struct child_limits {
	uint64_t memory_bytes; /* 0: what honest input of its size can need */
	unsigned seconds;      /* of time that passes; 0: no bound */
};

enum { CHILD_SECONDS = 600 }; /* if nobody says otherwise */

/* For all conversions that are started from now on. */
void child_set_limits(const struct child_limits *limits);

enum {
	CHILD_WORST_MAX = sizeof(((struct locus_convert_result *)NULL)->worst) /
			  sizeof(((struct locus_convert_result *)NULL)->worst[0])
};

/* What a conversion to memory is to answer for: addresses (NULL: all of them) or, where `names` is there, functions. */
struct child_wanted {
	const uint64_t *addresses;
	size_t address_count;
	const char *const *names;
	size_t name_count;
};

/* What a child is to do. */
struct child_request {
	const char *path;
	struct locus_convert_options options;
	const struct freshness_question *question; /* nothing is converted where it is fresh; NULL: that is not asked */
	bool only_judge;
	const struct comparison_question *comparison; /* that is made, and nothing converted; NULL: none is */
	const struct child_wanted *wanted;            /* to be converted to memory; NULL: a file is made */
	const struct locus_missing *fetched;          /* to be fetched, and nothing converted; NULL: nothing is to be */
};

/*
 * What it sends, followed by the names of the worst units, without NULs, the paths of what was read, and the
 * file that it has made in memory.
 */
struct child_reply {
	enum locus_status status;
	struct locus_error error;
	struct locus_convert_result result;
	struct freshness freshness; /* zeroed where there was no question */
	struct locus_missing missing;
	size_t name_sizes[CHILD_WORST_MAX];
	void *data; /* the child's own; then the parent's: a file that was made, or the path of one that was fetched */
	size_t size;
};

/* A child that runs. */
struct child {
	pid_t pid;
	int fd;              /* becomes readable when it has ended, one way or another */
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
 * Starts a child process; at most CHILD_MAX may run at one time. On LOCUS_OK child_finish must follow; what the request
 * points to may be gone after the return.
 */
enum locus_status child_start(struct child *child, const struct child_request *request, struct locus_error *error);

/*
 * Waits for the end of the child and gives what locus_convert or fetch gave. Where the child died or took too long,
 * LOCUS_ERR_BAD_DWARF and a text that says of what; what it left half-written is then still there. On LOCUS_OK the
 * reply is whole, and freed by child_reply_done; else it holds nothing to free.
 */
enum locus_status child_finish(struct child *child, struct child_reply *reply, struct locus_error *error);
void child_reply_done(struct child_reply *reply);

/*
 * Has SIGINT, SIGTERM and SIGHUP end all running children and be noted here, so that the caller can clean up and then
 * let the signal take its course with child_raise_stop.
 */
void child_catch_signals(void);
bool child_is_stopped(void);
void child_release_signals(void); /* the signals are as before child_catch_signals, unless they were ignored */
void child_raise_stop(void);

#endif
