/*
 * Runs the jobs of a batch. While there are enough files, each gets one thread, because threads of one file sometimes
 * wait for each other; the last files share the threads that are left over.
 */
#include "cmd/batch/batch.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/batch/job_show.h"
#include "cmd/batch/jobserver.h"
#include "cmd/batch/progress.h"
#include "cmd/common/descriptors.h"
#include "cmd/common/exit_code.h"
#include "cmd/common/memory.h"
#include "cmd/conversion/fetch.h"

enum {
	WINDOW = CHILD_MAX, /* the most jobs that wait to be shown, so that memory does not grow with the batch */
	TOKEN_WAIT_MS = 50, /* how often a jobserver is asked again, because it gives no sign when a token is free */
	DESCRIPTORS_OF_JOB = 2, /* the pipe of its process, and the folder in which its output is made */
};

struct batch {
	struct job_context *context;
	const struct inputs *inputs;
	struct jobserver jobserver;
	struct progress progress;
	size_t next;              /* index of the next input to start */
	struct job *waiting;      /* the job of that input, if it is prepared already; NULL: it is not */
	size_t shown;             /* number of inputs whose results were shown */
	struct job *jobs[WINDOW]; /* of the inputs from `shown` up to `next`, by their index modulo WINDOW */
	unsigned running_count, running_max;
	unsigned thread_counts[WINDOW];
	unsigned thread_count; /* threads of all running jobs */
	int code;
};

static bool is_done(const struct batch *batch)
{
	return batch->running_count == 0 && (batch->next == batch->inputs->count || child_is_stopped());
}

/* The number of threads for the next job: its share of the free ones, and no more than the jobserver has tokens for. */
static unsigned take_threads(struct batch *batch)
{
	unsigned free_count = batch->context->options->job_max - batch->thread_count;
	size_t share = free_count / (batch->inputs->count - batch->next);

	if (!share)
		share = free_count > 0;
	unsigned taken = 0;

	/* The first thread needs no token: this program was started with one. */
	while (taken < share && (batch->thread_count + taken == 0 || jobserver_take(&batch->jobserver)))
		taken++;
	return taken;
}

/* Gives back the tokens beyond one for each running thread except the first. */
static void give_threads(struct batch *batch, unsigned count)
{
	batch->thread_count -= count;
	while (batch->jobserver.token_count > 0 && batch->jobserver.token_count + 1 > batch->thread_count)
		jobserver_give(&batch->jobserver);
}

/* How many jobs may run at a time: where more threads are allowed than files may be open, the rest has to wait. */
static unsigned most_running(void)
{
	unsigned most = descriptors_available() / DESCRIPTORS_OF_JOB;

	return most ? most : 1;
}

static bool may_start(const struct batch *batch)
{
	return batch->next < batch->inputs->count && batch->next - batch->shown < WINDOW &&
	       batch->running_count < batch->running_max && !child_is_stopped();
}

/* Whether a job that runs makes the same output, as it may in a store, where copies of a program have one build-id. */
static bool is_being_made(const struct batch *batch, const char *output)
{
	for (size_t i = batch->shown; output && i < batch->next; i++) {
		const struct job *job = batch->jobs[i % WINDOW];
		if (job->is_running && strcmp(job->output, output) == 0)
			return true;
	}
	return false;
}

static void start_jobs(struct batch *batch)
{
	while (may_start(batch)) {
		if (!batch->waiting)
			batch->waiting = job_new(batch->context, &batch->inputs->list[batch->next]);
		if (is_being_made(batch, batch->waiting->output))
			return;
		unsigned thread_count = take_threads(batch);
		if (!thread_count)
			return;

		struct job *job = batch->waiting;
		size_t place = batch->next % WINDOW;
		job_start(batch->context, job, thread_count);
		batch->waiting = NULL;
		batch->jobs[place] = job;
		batch->thread_counts[place] = thread_count;
		batch->thread_count += thread_count;
		batch->next++;
		if (job->is_running)
			batch->running_count++;
		else
			give_threads(batch, thread_count);
	}
}

static int code_of(const struct batch *batch, const struct job *job)
{
	return job->code == EXIT_NO_DEBUG && batch->context->options->allow_no_debug ? EXIT_OK : job->code;
}

/* Shows results in order, up to the first job that has not ended. */
static void show_jobs(struct batch *batch)
{
	while (batch->shown < batch->next && !batch->jobs[batch->shown % WINDOW]->is_running) {
		struct job *job = batch->jobs[batch->shown % WINDOW];
		if (!child_is_stopped())
			job_show(batch->context, job);
		batch->code = exit_worst(batch->code, code_of(batch, job));
		progress_count(&batch->progress, job->code, job->input->size, job->result.bytes_written);
		job_free(job);
		batch->shown++;
	}
}

/* With a single file, its own progress is shown. */
static void note_progress(struct batch *batch)
{
	if (batch->inputs->count == 1 && batch->running_count) {
		struct child_account account = child_account(&batch->jobs[0]->conversion.child);
		progress_note(&batch->progress, &account);
	}
}

/* If a companion of the only file is fetched, the fetching process draws the progress. */
static bool is_drawn_by_fetch(const struct batch *batch)
{
	return batch->inputs->count == 1 && batch->running_count && batch->jobs[0]->conversion.is_fetching;
}

/* The shorter of two times for poll, of which -1 is endless. */
static int sooner(int a, int b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

/*
 * Waits until a job ends or is late, or until it is time to ask for a token or draw progress again; then finishes the
 * jobs that have ended.
 */
static void finish_jobs(struct batch *batch)
{
	static struct pollfd polled[CHILD_MAX];
	static size_t places[CHILD_MAX];
	nfds_t count = 0;

	/* Poll the running jobs; remember their places in the window. */
	for (size_t i = batch->shown; i < batch->next; i++) {
		struct job *job = batch->jobs[i % WINDOW];
		if (!job->is_running)
			continue;
		polled[count] = (struct pollfd){.fd = job->conversion.child.fd, .events = POLLIN};
		places[count++] = i % WINDOW;
	}

	/* Wait until one ends, a token may be free, progress is to be drawn, or a job has taken too long. */
	bool wants_token = may_start(batch) && jobserver_is_offered(&batch->jobserver);
	int wait_ms = wants_token ? TOKEN_WAIT_MS : progress_wait_ms(&batch->progress);
	for (nfds_t i = 0; i < count; i++)
		wait_ms = sooner(wait_ms, child_wait_ms(&batch->jobs[places[i]]->conversion.child));
	if (poll(polled, count, wait_ms) <= 0)
		return;

	/* Finish those that have ended; their threads are free for the others. */
	progress_hide(&batch->progress);
	for (nfds_t i = 0; i < count; i++) {
		struct job *job = batch->jobs[places[i]];
		if (!polled[i].revents || !conversion_is_done(&job->conversion))
			continue;
		job_finish(batch->context, job);
		batch->running_count--;
		give_threads(batch, batch->thread_counts[places[i]]);
	}
}

int batch_run(struct job_context *context, const struct inputs *inputs)
{
	struct batch *batch = memory_checked(calloc(1, sizeof(*batch)));

	context->inputs = inputs;
	batch->context = context;
	batch->inputs = inputs;
	batch->code = inputs->code;
	batch->running_max = most_running();
	jobserver_init(&batch->jobserver);
	progress_init(&batch->progress, inputs);
	if (batch->progress.is_shown && inputs->count > 1)
		fetch_be_quiet();
	while (!is_done(batch)) {
		start_jobs(batch);
		note_progress(batch);
		if (!is_drawn_by_fetch(batch))
			progress_draw(&batch->progress);
		if (batch->running_count)
			finish_jobs(batch);
		show_jobs(batch);
	}
	show_jobs(batch);
	progress_end(&batch->progress);
	jobserver_done(&batch->jobserver);
	if (batch->waiting)
		job_free(batch->waiting);

	int code = batch->code;
	free(batch);
	return code;
}
