/*
 * Progress on a terminal: for a batch files, bytes, rate and time left, and at its end the results; for a single file
 * that takes longer than a second, its phase.
 */
#ifndef LOCUS_PROGRESS_H
#define LOCUS_PROGRESS_H

#include <stdbool.h>
#include <time.h>

#include "cmd/batch/inputs.h"
#include "cmd/conversion/child.h"

struct progress {
	bool is_shown; /* standard error is a terminal */
	bool is_drawn; /* the line is on the terminal */
	struct timespec start, drawn;
	size_t file_count, skipped_count;
	uint64_t size;
	size_t converted_count, failed_count, bare_count; /* bare: without debug information */
	uint64_t done_size, written_size;
	struct child_account account; /* for a single file */
};

/* `inputs` tells how much there is to do, and is not kept. */
void progress_init(struct progress *progress, const struct inputs *inputs);

/* Counts a file that has ended, with its exit code. */
void progress_count(struct progress *progress, int code, uint64_t input_size, uint64_t output_size);

/* Notes the progress of the conversion of a single file. */
void progress_note(struct progress *progress, const struct child_account *account);

/* Draws the line if it is time to; removes it before other output. */
void progress_draw(struct progress *progress);
void progress_hide(struct progress *progress);

/* How long poll may wait until the line is drawn again; -1: for ever. */
int progress_wait_ms(const struct progress *progress);

/* Removes the line for good; after a batch, writes a line with the results. */
void progress_end(struct progress *progress);

#endif
