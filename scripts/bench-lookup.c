/*
 * Looks addresses up in one .locus file through liblocus, over and over, and says how long a lookup takes once warm.
 *
 * The first pass decodes what it touches and is timed apart. Each further pass asks for every address again; every
 * frame of every answer is read, down to the first byte of its strings. Prints one JSON object, times in ns a lookup.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reader/locus.h"

enum { THREADS_MAX = 64 };

struct bench {
	struct locus *locus;
	uint64_t *addresses;
	size_t count;
};

struct worker {
	pthread_t thread;
	const struct bench *bench;
	size_t first; /* where in the addresses this one starts, so that threads do not walk in step */
	uint64_t sum;
};

static double now_ns(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double thread_cpu_ns(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void fail(const char *what)
{
	fprintf(stderr, "bench-lookup: %s\n", what);
	exit(1);
}

static unsigned first_byte(struct locus_string string)
{
	return string.size ? (unsigned char)string.data[0] : 0;
}

static uint64_t touch(const struct locus_result *result)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < result->frame_count; i++) {
		const struct locus_frame *frame = &result->frames[i];
		sum += frame->line + first_byte(frame->function) + first_byte(frame->linkage) +
		       first_byte(frame->directory) + first_byte(frame->file);
	}
	return sum;
}

static void *lookup_all(void *argument)
{
	struct worker *worker = argument;
	const struct bench *bench = worker->bench;
	struct locus_scratch *scratch;
	struct locus_error error;
	struct locus_result result;
	if (locus_scratch_new(bench->locus, &scratch, &error) != LOCUS_OK)
		fail("no scratch");
	for (size_t i = 0; i < bench->count; i++) {
		size_t at = (worker->first + i) % bench->count;
		if (locus_lookup(bench->locus, scratch, bench->addresses[at], &result, &error) != LOCUS_OK)
			fail("lookup failed");
		worker->sum += touch(&result);
	}
	locus_scratch_free(scratch);
	return NULL;
}

static void *find_all(void *argument)
{
	struct worker *worker = argument;
	const struct bench *bench = worker->bench;
	struct locus_scratch *scratch;
	struct locus_error error;
	struct locus_interval interval;
	if (locus_scratch_new(bench->locus, &scratch, &error) != LOCUS_OK)
		fail("no scratch");
	for (size_t i = 0; i < bench->count; i++) {
		if (locus_find(bench->locus, scratch, bench->addresses[i], &interval, &error) != LOCUS_OK)
			fail("find failed");
		worker->sum += interval.locid;
	}
	locus_scratch_free(scratch);
	return NULL;
}

/* CPU of one pass, ns a lookup. */
static double pass(const struct bench *bench, void *(*work)(void *))
{
	struct worker worker = {.bench = bench};
	double start = thread_cpu_ns();
	work(&worker);
	return (thread_cpu_ns() - start) / (double)bench->count;
}

static void print_passes(const char *name, const struct bench *bench, void *(*work)(void *), int passes)
{
	printf(",\"%s\":[", name);
	for (int i = 0; i < passes; i++)
		printf("%s%.1f", i ? "," : "", pass(bench, work));
	printf("]");
}

/* Wall time, as what threads give each other is what is asked; ns a lookup of any thread. */
static void print_threads(const struct bench *bench, int threads, int passes)
{
	struct worker workers[THREADS_MAX];
	printf(",\"threads\":%d,\"threads_ns\":[", threads);
	for (int i = 0; i < passes; i++) {
		double start = now_ns();
		for (int t = 0; t < threads; t++) {
			workers[t] =
				(struct worker){.bench = bench, .first = bench->count / (size_t)threads * (size_t)t};
			if (pthread_create(&workers[t].thread, NULL, lookup_all, &workers[t]))
				fail("no thread");
		}
		for (int t = 0; t < threads; t++)
			pthread_join(workers[t].thread, NULL);
		printf("%s%.1f", i ? "," : "", (now_ns() - start) / (double)bench->count / threads);
	}
	printf("]");
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static void read_addresses(struct bench *bench, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[64];
	size_t room = 0;
	if (!file)
		fail("cannot read the addresses");
	while (fgets(line, sizeof(line), file)) {
		if (bench->count == room) {
			room = room ? room * 2 : 1024;
			bench->addresses = realloc(bench->addresses, room * sizeof(*bench->addresses));
			if (!bench->addresses)
				fail("out of memory");
		}
		bench->addresses[bench->count++] = strtoull(line, NULL, 0);
	}
	fclose(file);
	if (!bench->count)
		fail("no addresses");
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: bench-lookup FILE ADDRESSES PASSES THREADS\n");
		return 2;
	}
	struct bench bench = {0};
	struct locus_error error;
	int passes = atoi(argv[3]);
	int threads = atoi(argv[4]);
	if (passes < 1 || threads < 1 || threads > THREADS_MAX)
		fail("PASSES or THREADS out of range");
	read_addresses(&bench, argv[2]);
	double start = thread_cpu_ns();
	if (locus_open(argv[1], NULL, &bench.locus, &error) != LOCUS_OK)
		fail("cannot open the file");
	printf("{\"count\":%zu,\"open_ns\":%.0f", bench.count, thread_cpu_ns() - start);
	printf(",\"first_ns\":%.1f", pass(&bench, lookup_all));
	print_passes("lookup_ns", &bench, lookup_all, passes);
	print_passes("find_ns", &bench, find_all, passes);
	print_threads(&bench, threads, passes);
	qsort(bench.addresses, bench.count, sizeof(*bench.addresses), compare);
	print_passes("sorted_ns", &bench, lookup_all, passes);
	printf("}\n");
	locus_close(bench.locus);
	free(bench.addresses);
	return 0;
}
