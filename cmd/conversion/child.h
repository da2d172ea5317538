/* Runs work in a process of its own, so that input which crashes or exhausts it is one failed file. */
#ifndef LOCUS_CHILD_H
#define LOCUS_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cmd/common/processors.h"
#include "cmd/conversion/freshness.h"
#include "cmd/conversion/source_comparison.h"
#include "convert/locus_convert.h"

enum { CHILD_MAX = JOB_MAX }; /* the most that run at a time */

/* The limits of each conversion. */
struct child_limits {
	uint64_t memory_bytes; /* 0: as much as honest input of its size needs */
	unsigned seconds;      /* of wall-clock time; 0: no bound */
};

enum { CHILD_SECONDS = 600 }; /* the default */

/* Sets the limits of all conversions that are started later. */
void child_set_limits(const struct child_limits *limits);

enum {
	CHILD_WORST_MAX = sizeof(((struct locus_convert_result *)NULL)->worst) /
			  sizeof(((struct locus_convert_result *)NULL)->worst[0])
};

/* What a conversion to memory answers for: addresses (NULL: all) or, if `names` is set, functions. */
struct child_wanted {
	const uint64_t *addresses;
	size_t address_count;
	const char *const *names;
	size_t name_count;
};

/* The work of a child. */
struct child_request {
	const char *path;
	struct locus_convert_options options;
	const struct freshness_question *question; /* nothing is converted if the file is fresh; NULL: always convert */
	bool only_judge;
	const struct comparison_question *comparison; /* compare, and convert nothing; NULL: no comparison */
	const struct child_wanted *wanted;            /* convert to memory; NULL: to a file */
	const struct locus_missing *fetched;          /* fetch this, and convert nothing; NULL: fetch nothing */
	/* Find the variable at this address of the file, and convert nothing; NULL: find none. */
	const uint64_t *variable_at;
};

/*
 * The reply. Behind it are sent the names of the worst units, without NULs, the paths of what was read, and the file if
 * it was made in memory.
 */
struct child_reply {
	enum locus_status status;
	struct locus_error error;
	struct locus_convert_result result;
	struct freshness freshness; /* zeroed if that was not asked */
	struct locus_missing missing;
	size_t name_sizes[CHILD_WORST_MAX];
	/* A file made in memory, a path of one that was fetched, or a variable: the child's, then the parent's copy. */
	void *data;
	size_t size;
};

/* A running child. */
struct child {
	pid_t pid;
	int fd;              /* becomes readable when the child has ended, one way or another */
	int64_t deadline_ms; /* on the clock of child_wait_ms; INT64_MAX: none */
	bool is_late;
	struct child_progress *progress; /* shared with the child; NULL: progress is not known */
};

/* The progress of a child's conversion, as it reports it. */
struct child_account {
	enum locus_convert_phase phase;
	uint64_t done, total; /* bytes of debug information, if the phase is LOCUS_PHASE_UNITS */
};

/* Read at any time while the child runs; zeroed where no memory could be shared with it. */
struct child_account child_account(const struct child *child);

/*
 * How long poll may wait for the child before this is called again; -1: no limit. A child that is late is killed, and
 * child.fd soon becomes readable. Time in which this process was stopped does not count.
 */
int child_wait_ms(struct child *child);

/*
 * Starts a child process; at most CHILD_MAX may run at a time. After LOCUS_OK, child_finish must follow. The request
 * and what it points to are not needed after the return.
 */
enum locus_status child_start(struct child *child, const struct child_request *request, struct locus_error *error);

/*
 * Waits for the end of the child and gives what locus_convert or fetch returned. If the child died or took too long:
 * LOCUS_ERR_BAD_DWARF, with a text that says how; its unfinished output is still there then. After LOCUS_OK the reply
 * is complete, and freed by child_reply_done; otherwise it has nothing to free.
 */
enum locus_status child_finish(struct child *child, struct child_reply *reply, struct locus_error *error);
void child_reply_done(struct child_reply *reply);

/*
 * Makes the signals of stop_signals.h end all running children, and be noted, so that the caller can clean up and then
 * let the signal take its course by child_raise_stop, which gives it to the handler that stood before and does not
 * return.
 */
void child_catch_signals(void);
bool child_is_stopped(void);
void child_release_signals(void); /* restores what stood before */
void child_raise_stop(void) __attribute__((noreturn));

#endif
