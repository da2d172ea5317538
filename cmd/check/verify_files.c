/* Threads take files in order. Verdicts wait in a ring for their turn, which bounds how far threads run ahead. */
#include "cmd/check/verify_files.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/memory.h"
#include "cmd/common/report.h"
#include "cmd/store/symbol_store.h"

enum { RING_SIZE = 256 };

/*
 * Bytes. A block of many contexts takes tens of MiB while it is decoded. glibc maps the first of that size by itself,
 * and takes others from a thread's heaps, of 64 MiB each, of which the rest of one is then of little use: a file of
 * such blocks took 275 MiB instead of 83. So what is as large as this is always mapped; blocks of other files are
 * smaller.
 */
enum { MAPPED_MIN = 4 << 20 };

struct verification {
	const struct found_files *files;
	enum locus_verify_depth depth;

	pthread_mutex_t lock; /* guards the fields below */
	pthread_cond_t moved; /* a verdict was put into the ring, or taken out of it */
	size_t next;          /* index of the file to be judged next */
	size_t taken;         /* number of verdicts that were taken */
	bool is_stopped;
	struct verdict ring[RING_SIZE]; /* by the index of the file, modulo the size */
	bool is_judged[RING_SIZE];
};

/* Whoever asks a store for a build-id refuses what was made of another program, and finds no symbols. */
static enum locus_status verify_place(const char *path, struct locus *locus, struct locus_error *error)
{
	const struct locus_info *info;
	enum locus_status status = locus_info(locus, &info, error);

	if (status != LOCUS_OK || store_may_have(path, info->build_id))
		return status;
	return error_fail(error, LOCUS_ERR_COMPANION,
			  "it was made of a program with another build-id than its folder in the store says");
}

void verdict_verify(struct verdict *verdict, enum locus_verify_depth depth, bool in_place)
{
	const struct found_file *file = verdict->file;
	struct locus *locus;

	error_clear(&verdict->error);
	if (file->error || file->text) {
		verdict->status = LOCUS_ERR_IO;
		snprintf(verdict->error.text, sizeof(verdict->error.text), "%s",
			 file->text ? file->text : strerror(file->error));
		return;
	}
	if (stat(file->path, &verdict->as_read) != 0)
		verdict->as_read = (struct stat){0};
	verdict->status = locus_open(file->path, NULL, &locus, &verdict->error);
	if (verdict->status != LOCUS_OK)
		return;
	verdict->status = locus_verify(locus, depth, &verdict->error);
	if (verdict->status == LOCUS_OK && in_place)
		verdict->status = verify_place(file->path, locus, &verdict->error);
	locus_close(locus);
}

static void *work(void *argument)
{
	struct verification *verification = argument;
	struct verdict verdict;

	pthread_mutex_lock(&verification->lock);
	while (!verification->is_stopped && verification->next < verification->files->count) {
		if (verification->next - verification->taken == RING_SIZE) {
			pthread_cond_wait(&verification->moved, &verification->lock);
			continue;
		}
		size_t number = verification->next++;
		pthread_mutex_unlock(&verification->lock);
		verdict = (struct verdict){.file = &verification->files->list[number]};
		verdict_verify(&verdict, verification->depth, true);
		pthread_mutex_lock(&verification->lock);
		verification->ring[number % RING_SIZE] = verdict;
		verification->is_judged[number % RING_SIZE] = true;
		pthread_cond_broadcast(&verification->moved);
	}
	pthread_mutex_unlock(&verification->lock);
	return NULL;
}

/* Gives the verdicts to `take`, one after the other, until it returns false. */
static void take_all(struct verification *verification, take_verdict *take, void *context)
{
	while (verification->taken < verification->files->count && !verification->is_stopped) {
		size_t place = verification->taken % RING_SIZE;

		pthread_mutex_lock(&verification->lock);
		while (!verification->is_judged[place])
			pthread_cond_wait(&verification->moved, &verification->lock);
		struct verdict verdict = verification->ring[place];
		verification->is_judged[place] = false;
		verification->taken++;
		pthread_cond_broadcast(&verification->moved);
		pthread_mutex_unlock(&verification->lock);

		if (!take(context, &verdict)) {
			pthread_mutex_lock(&verification->lock);
			verification->is_stopped = true;
			pthread_cond_broadcast(&verification->moved);
			pthread_mutex_unlock(&verification->lock);
		}
	}
}

/* The same where the system has no thread to give: in the caller's. */
static void take_alone(const struct verification *verification, take_verdict *take, void *context)
{
	const struct found_files *files = verification->files;
	bool goes_on = true;

	for (size_t i = 0; i < files->count && goes_on; i++) {
		struct verdict verdict = {.file = &files->list[i]};
		verdict_verify(&verdict, verification->depth, true);
		goes_on = take(context, &verdict);
	}
}

void verify_files(const struct found_files *files, enum locus_verify_depth depth, unsigned thread_count,
		  take_verdict *take, void *context)
{
	struct verification *verification = memory_checked(calloc(1, sizeof(*verification)));
	pthread_t *threads = memory_checked(calloc(thread_count, sizeof(*threads)));
	unsigned started = 0;

#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, MAPPED_MIN);
#endif
	verification->files = files;
	verification->depth = depth;
	pthread_mutex_init(&verification->lock, NULL);
	pthread_cond_init(&verification->moved, NULL);
	while (started < thread_count && started < files->count &&
	       pthread_create(&threads[started], NULL, work, verification) == 0)
		started++;

	if (started)
		take_all(verification, take, context);
	else
		take_alone(verification, take, context);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	pthread_cond_destroy(&verification->moved);
	pthread_mutex_destroy(&verification->lock);
	free(threads);
	free(verification);
}
