/*
 * How far a conversion is, on a terminal: of a batch files, bytes, rate and time left, and at its end what came of it
 * all; of one file, if it takes longer than a second, what is being done.
 */
#ifndef LOCUS_PROGRESS_H
#define LOCUS_PROGRESS_H

#include <stdbool.h>
#include <time.h>

#include "cmd/jobs/child.h"
#include "cmd/jobs/inputs.h"

struct progress {
	bool is_shown;   /* standard error is a terminal */
	bool is_drawn;   /* the line is there */
	bool is_stopped; /* by progress_end */
	struct timespec start, drawn;
	size_t file_count, skipped_count;
	uint64_t size;
	size_t converted_count, failed_count, bare_count; /* bare: without debug information */
	uint64_t done_size, written_size;
	struct child_account account; /* of the only file */
};

void progress_init(struct progress *progress, const struct inputs *inputs);

/* A file has come to its end, with an exit code. */
void progress_count(struct progress *progress, int code, uint64_t input_size, uint64_t output_size);

/* What the conversion of the only file says of itself. */
void progress_note(struct progress *progress, const struct child_account *account);

/* Draws the line if it is time to; removes it, for something else is about to be written. */
void progress_draw(struct progress *progress);
void progress_hide(struct progress *progress);

/* For poll: how long to wait until the line is to be drawn again; -1: for ever. */
int progress_wait_ms(const struct progress *progress);

/* Removes the line; of a batch, writes one that says what came of it. */
void progress_end(struct progress *progress);

#endif
