/* Progress is one line on standard error, which is drawn over itself. If that is no terminal, nothing is written. */
#include "cmd/batch/progress.h"

#include <stdio.h>

#include "cmd/batch/phase_names.h"
#include "cmd/common/exit_code.h"
#include "cmd/common/status_line.h"

enum {
	PERIOD_MS = 200,
	PATIENCE_MS = 1000, /* before anything is drawn for a single file */
};

static int64_t ms_between(const struct timespec *a, const struct timespec *b)
{
	return (int64_t)(b->tv_sec - a->tv_sec) * 1000 + (b->tv_nsec - a->tv_nsec) / 1000000;
}

static struct timespec now(void)
{
	struct timespec time = {0};

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time;
}

void progress_init(struct progress *progress, const struct inputs *inputs)
{
	*progress = (struct progress){
		.is_shown = inputs->count > 0 && status_line_is_possible(),
		.start = now(),
		.file_count = inputs->count,
		.skipped_count = inputs->skipped,
		.size = inputs->size,
	};
	progress->drawn = progress->start;
}

void progress_count(struct progress *progress, int code, uint64_t input_size, uint64_t output_size)
{
	if (code == EXIT_OK)
		progress->converted_count++;
	else if (code == EXIT_NO_DEBUG)
		progress->bare_count++;
	else
		progress->failed_count++;
	progress->done_size += input_size;
	progress->written_size += code == EXIT_OK ? output_size : 0;
}

static double mib(uint64_t size)
{
	return (double)size / (1 << 20);
}

void progress_note(struct progress *progress, const struct child_account *account)
{
	progress->account = *account;
}

static void draw_file(const struct child_account *account)
{
	if (account->total)
		status_line_draw("%s, %.0f of %.0f MiB", phase_name(account->phase), mib(account->done),
				 mib(account->total));
	else
		status_line_draw("%s", phase_name(account->phase));
}

static void draw_batch(const struct progress *progress, int64_t elapsed_ms)
{
	size_t done = progress->converted_count + progress->failed_count + progress->bare_count;
	double rate = elapsed_ms ? (double)progress->done_size * 1000 / (double)elapsed_ms : 0;
	char left[32] = "";

	if (rate > 0) {
		unsigned seconds = (unsigned)((double)(progress->size - progress->done_size) / rate);
		snprintf(left, sizeof(left), ", %u:%02u left", seconds / 60, seconds % 60);
	}
	status_line_draw("%zu of %zu files, %.0f of %.0f MiB, %.0f MiB/s%s", done, progress->file_count,
			 mib(progress->done_size), mib(progress->size), rate / (1 << 20), left);
}

void progress_draw(struct progress *progress)
{
	struct timespec at = now();
	int64_t elapsed_ms = ms_between(&progress->start, &at);

	if (!progress->is_shown || ms_between(&progress->drawn, &at) < PERIOD_MS)
		return;
	if (progress->file_count == 1 && elapsed_ms < PATIENCE_MS)
		return;

	progress->drawn = at;
	if (progress->file_count == 1)
		draw_file(&progress->account);
	else
		draw_batch(progress, elapsed_ms);
	progress->is_drawn = true;
}

void progress_hide(struct progress *progress)
{
	if (!progress->is_drawn)
		return;
	status_line_erase();
	progress->is_drawn = false;
}

int progress_wait_ms(const struct progress *progress)
{
	return progress->is_shown ? PERIOD_MS : -1;
}

void progress_end(struct progress *progress)
{
	struct timespec at = now();

	progress_hide(progress);
	if (!progress->is_shown || progress->file_count == 1)
		return;
	fprintf(stderr, "%zu converted, %zu failed, %zu without debug information", progress->converted_count,
		progress->failed_count, progress->bare_count);
	if (progress->skipped_count)
		fprintf(stderr, ", %zu not ELF", progress->skipped_count);
	fprintf(stderr, "; %.1f MiB to %.1f MiB in %.1f s\n", mib(progress->size), mib(progress->written_size),
		(double)ms_between(&progress->start, &at) / 1000);
}
