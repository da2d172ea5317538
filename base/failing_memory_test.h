/*
 * For tests of what happens when memory is out: a piece of work is done again and again, each time with another of its
 * allocations failing, once along each way of calls that leads to one. It must then say that memory is out, or do
 * without and come to the same result, and leave no file open; under sanitizers it may lose nothing. A program that
 * includes this is linked with FAILING of the Makefile, by which calls of the functions wrapped here come here first.
 */
#ifndef LOCUS_FAILING_MEMORY_TEST_H
#define LOCUS_FAILING_MEMORY_TEST_H

#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/budget.h"
#include "base/hash_slots.h"
#include "base/intern.h"
#include "base/toolkit_test.h"

/* ---- Which allocation fails ---- */

enum { FAILING_STEPS_MAX = 40, FAILING_PATHS_MAX = 1 << 16 };

static struct {
	atomic_bool is_on;
	atomic_long passed;  /* allocations since it was switched on */
	bool with_libraries; /* those of libraries fail too */
	bool with_notes;     /* what containers note is relied on everywhere */
	long fail_at;        /* -1: none, they are listed instead */
	pthread_mutex_t lock;
	size_t listed;
	uint64_t paths[FAILING_PATHS_MAX]; /* a hash of the calls that led to each allocation */
} failing = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t failing_path(void)
{
	void *steps[FAILING_STEPS_MAX];
	int count = backtrace(steps, FAILING_STEPS_MAX);
	return XXH3_64bits(steps, (size_t)count * sizeof(*steps));
}

static bool memory_fails(void)
{
	if (!atomic_load(&failing.is_on))
		return false;
	long number = atomic_fetch_add(&failing.passed, 1);
	if (failing.fail_at < 0 && number < FAILING_PATHS_MAX) {
		pthread_mutex_lock(&failing.lock);
		failing.paths[number] = failing_path();
		pthread_mutex_unlock(&failing.lock);
	}
	if (number != failing.fail_at)
		return false;
	errno = ENOMEM;
	return true;
}

/*
 * The same for a container on whose note somebody relies: containers leave one in the conversion's budget, and errno,
 * for what can only answer that something is not there.
 */
static bool telling_fails(void)
{
	return memory_fails() && !budget_memory_out();
}

/* The same for other containers, which fail in silence, so that it shows where a status is lost. */
static bool container_fails(void)
{
	if (failing.with_notes)
		return telling_fails();
	int before = errno;
	bool fails = memory_fails();
	errno = before;
	return fails;
}

/* Defines what calls of a function come to first: it fails, or does what the function itself does. */
#define WRAP_FAILING(fails, failure, type, name, parameters, arguments) \
	type __real_##name parameters;                                  \
	type __wrap_##name parameters;                                  \
	type __wrap_##name parameters                                   \
	{                                                               \
		return fails() ? (failure) : __real_##name arguments;   \
	}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

/*
 * A sanitizer has its own of these. Where there is none, what libraries allocate comes here too, and fails if they are
 * said to bear it.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WRAP_ALLOCATION(name, libc_name, parameters, arguments) \
	WRAP_FAILING(memory_fails, NULL, void *, name, parameters, arguments)
#else
#define WRAP_ALLOCATION(name, libc_name, parameters, arguments)                                        \
	void *__libc_##libc_name parameters;                                                           \
	void *__wrap_##name parameters;                                                                \
	void *__wrap_##name parameters                                                                 \
	{                                                                                              \
		return memory_fails() ? NULL : __libc_##libc_name arguments;                           \
	}                                                                                              \
	__attribute__((visibility("default"))) void *name parameters                                   \
	{                                                                                              \
		return failing.with_libraries && memory_fails() ? NULL : __libc_##libc_name arguments; \
	}
#endif

WRAP_ALLOCATION(malloc, malloc, (size_t size), (size))
WRAP_ALLOCATION(calloc, calloc, (size_t count, size_t size), (count, size))
WRAP_ALLOCATION(realloc, realloc, (void *memory, size_t size), (memory, size))
WRAP_ALLOCATION(aligned_alloc, memalign, (size_t alignment, size_t size), (alignment, size))
WRAP_FAILING(memory_fails, NULL, char *, strdup, (const char *text), (text))
WRAP_FAILING(memory_fails, NULL, char *, strndup, (const char *text, size_t size), (text, size))
WRAP_FAILING(memory_fails, NULL, ZSTD_CCtx *, ZSTD_createCCtx, (void), ())
WRAP_FAILING(memory_fails, NULL, ZSTD_DCtx *, ZSTD_createDCtx, (void), ())
WRAP_FAILING(memory_fails, NULL, ZSTD_DStream *, ZSTD_createDStream, (void), ())
WRAP_FAILING(memory_fails, NULL, XXH3_state_t *, XXH3_createState, (void), ())
WRAP_FAILING(container_fails, NULL, void *, arena_take, (struct arena * arena, size_t size), (arena, size))
WRAP_FAILING(container_fails, NULL, void *, arena_copy, (struct arena * arena, const void *data, size_t size),
	     (arena, data, size))
WRAP_FAILING(container_fails, NULL, void *, arena_copy_packed, (struct arena * arena, const void *data, size_t size),
	     (arena, data, size))
WRAP_FAILING(container_fails, false, bool, array_grow, (void *array, uint32_t *room, uint64_t count, size_t size),
	     (array, room, count, size))
WRAP_FAILING(telling_fails, false, bool, hash_slots_grow, (struct hash_slots * table), (table))
WRAP_FAILING(container_fails, INTERN_FAILED, uint32_t, intern_put, (struct intern_set * set, const void *key),
	     (set, key))
WRAP_FAILING(container_fails, NULL, const char *, string_put, (struct string_set * set, const char *data, size_t size),
	     (set, data, size))

WRAP_FAILING(container_fails, false, bool, budget_take, (uint64_t bytes), (bytes))
WRAP_FAILING(container_fails, false, bool, budget_spend, (uint64_t steps), (steps))

int __wrap_asprintf(char **ret, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __wrap_asprintf(char **ret, const char *format, ...)
{
	va_list arguments;
	if (memory_fails()) {
		*ret = NULL;
		return -1;
	}
	va_start(arguments, format);
	int size = vasprintf(ret, format, arguments);
	va_end(arguments);
	return size;
}

/* ---- Doing the work ---- */

/* What a piece of work came to. */
struct outcome {
	enum locus_status status;
	struct locus_error error;
	uint64_t digest; /* of the result; see outcome_add */
};

static inline void outcome_add(struct outcome *outcome, const void *data, size_t size)
{
	outcome->digest = XXH3_64bits_withSeed(data, size, outcome->digest + 1);
}

static inline void outcome_add_number(struct outcome *outcome, uint64_t number)
{
	outcome_add(outcome, &number, sizeof(number));
}

/* Adds the bytes of the file that the work was to write, and takes it away; where the work failed, there is none. */
static inline void outcome_add_output(struct outcome *outcome, const char *path)
{
	static char bytes[1 << 20];
	FILE *file = fopen(path, "rb");
	assert_int_equal(file != NULL, outcome->status == LOCUS_OK);
	if (!file)
		return;
	outcome_add(outcome, bytes, fread(bytes, 1, sizeof(bytes), file));
	fclose(file);
	remove(path);
}

/*
 * Does the work between failing_begin and failing_end, fills `ret`, which is zeroed, and frees all. What is outside of
 * them has all the memory that it wants.
 */
typedef void failing_work(void *context, struct outcome *ret);

static inline void failing_begin(void)
{
	atomic_store(&failing.is_on, true);
}

static inline void failing_end(void)
{
	atomic_store(&failing.is_on, false);
}

static struct outcome failing_do(failing_work *work, void *context, long fail_at)
{
	struct outcome outcome = {.error = {.text = ""}};
	failing_path(); /* what this allocates when it is called first must not be counted */
	atomic_store(&failing.passed, 0);
	failing.fail_at = fail_at;
	work(context, &outcome);
	return outcome;
}

static void hold_outcome(const char *name, long number, const struct outcome *got, const struct outcome *whole)
{
	if (got->status == LOCUS_ERR_MEMORY && strstr(got->error.text, "memory"))
		return;
	if (got->status != whole->status)
		fail_msg("%s, allocation %ld: status %d, \"%s\"", name, number, (int)got->status, got->error.text);
	if (got->digest != whole->digest)
		fail_msg("%s, allocation %ld: another result, and no word of it", name, number);
}

/* The lowest number that no open file has: with more open files it is mostly another. */
static int lowest_descriptor(void)
{
	int lowest = dup(STDERR_FILENO);
	close(lowest);
	return lowest;
}

struct hash_list {
	uint64_t *hashes;
	size_t count, room;
};

/* Adds a hash. False: it was there. */
static bool hash_list_add(struct hash_list *list, uint64_t hash)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->hashes[i] == hash)
			return false;
	if (list->count == list->room) {
		list->room = 2 * list->room + 64;
		list->hashes = realloc(list->hashes, list->room * sizeof(*list->hashes));
		assert_non_null(list->hashes);
	}
	list->hashes[list->count++] = hash;
	return true;
}

/*
 * The ways whose first and whose last allocation has failed, in all that was done so far. Zeroed before the first use.
 */
struct failed_ways {
	struct hash_list first, last;
};

static inline void failed_ways_done(struct failed_ways *ways)
{
	free(ways->first.hashes);
	free(ways->last.hashes);
	*ways = (struct failed_ways){0};
}

/*
 * Does the work with all the memory that it wants, and again for each way to an allocation that has not failed yet:
 * there, the first one fails, when nothing is there yet, and then the last, when there is much. Threads come to their
 * allocations in another order each time, so that any of them fail. Returns how many runs failed.
 */
static size_t fail_each_allocation(const char *name, struct failed_ways *ways, failing_work *work, void *context)
{
	static bool is_chosen[FAILING_PATHS_MAX];
	size_t failed = 0;
	struct outcome whole = failing_do(work, context, -1);
	long count = atomic_load(&failing.passed);
	int lowest = lowest_descriptor();
	assert_in_range(count, 0, FAILING_PATHS_MAX);
	for (long i = 0; i < count; i++)
		is_chosen[i] = hash_list_add(&ways->first, failing.paths[i]);
	for (long i = count; i-- > 0;)
		is_chosen[i] |= hash_list_add(&ways->last, failing.paths[i]);
	for (long i = 0; i < count; i++) {
		if (!is_chosen[i])
			continue;
		struct outcome outcome = failing_do(work, context, i);
		hold_outcome(name, i, &outcome, &whole);
		if (lowest_descriptor() != lowest)
			fail_msg("%s, allocation %ld: a file stays open", name, i);
		failed += outcome.status != whole.status;
	}
	return failed;
}

#endif
