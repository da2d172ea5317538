/* Where malloc finds memory, before and after the heap was prepared. Each case has a process of its own. */
#include "cmd/conversion/heap.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/toolkit_test.h"

enum { BLOCK = 400 << 10, BLOCKS = 50, MIB = 1 << 20 };

static size_t resident(void)
{
	size_t total = 0, pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	if (!file || fscanf(file, "%zu %zu", &total, &pages) != 2)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Whether some of the heap is advised to be in large pages, or that of another thread, in which `block` is. */
static bool has_large_pages(const void *block)
{
	char line[512];
	bool is_heap = false, has = false;
	FILE *file = fopen("/proc/self/smaps", "r");
	while (file && fgets(line, sizeof(line), file)) {
		unsigned long from, to;
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			is_heap = block ? (uintptr_t)block - from < to - from : strstr(line, "[heap]") != NULL;
		else if (is_heap && strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " hg"))
			has = true;
	}
	if (file)
		fclose(file);
	return has;
}

static bool knows_large_pages(void)
{
	return access("/sys/kernel/mm/transparent_hugepage", F_OK) == 0;
}

/* Fills 20 MiB of blocks, and frees them. True: all were in the heap, and it is as large as before. */
static bool fits_blocks(void)
{
	char *end = sbrk(0), *blocks[BLOCKS];
	bool fits = true;
	for (size_t i = 0; i < BLOCKS; i++) {
		blocks[i] = malloc(BLOCK);
		if (!blocks[i])
			_exit(9);
		memset(blocks[i], 1, BLOCK);
		fits = fits && blocks[i] < end && blocks[i] > end - 26 * MIB;
	}
	for (size_t i = 0; i < BLOCKS; i++)
		free(blocks[i]);
	return fits && (char *)sbrk(0) == end;
}

static void a_large_file(void)
{
	size_t before = resident();
	heap_prepare(10 * MIB, 1);
	if (resident() > before + 2 * MIB)
		_exit(1);
	if (knows_large_pages() && !has_large_pages(NULL))
		_exit(2);
	if (!fits_blocks())
		_exit(3);
	if (!fits_blocks())
		_exit(4);
}

static void a_small_file(void)
{
	char *end = sbrk(0);
	heap_prepare(MIB - 1, 2);
	if ((char *)sbrk(0) != end || has_large_pages(NULL) || fits_blocks())
		_exit(1);
}

static void *take_block(void *unused)
{
	(void)unused;
	return malloc(1000);
}

/* Whether the memory of another thread is in the heap. */
static bool is_shared(void)
{
	void *block = NULL;
	pthread_t thread;
	if (pthread_create(&thread, NULL, take_block, NULL) != 0 || pthread_join(thread, &block) != 0 || !block)
		_exit(9);
	return (char *)block < (char *)sbrk(0) && (char *)block > (char *)sbrk(0) - 26 * MIB;
}

static void two_threads_and_a_small_file(void)
{
	heap_prepare(2 * MIB, 2);
	if (!is_shared())
		_exit(1);
}

static void two_threads_and_a_large_file(void)
{
	heap_prepare(80 * MIB, 2);
	if (is_shared())
		_exit(1);
}

/* Takes blocks of half a MiB, `context` as many MiB of them, and another MiB. Returns the last one. */
static void *fill(void *context)
{
	enum { HALF_MIB = 1 << 19 };
	void *block = NULL;
	for (size_t left = 2 * (*(const size_t *)context + 1); left; left--)
		block = malloc(HALF_MIB - 64);
	return block;
}

/* How many bytes the heap of another thread has behind its first 2 MiB. */
static size_t rest_of_other_heap(void)
{
	char line[512], readable[2], writable[2];
	void *block = NULL;
	size_t mib = 1;
	uintptr_t end = 0;
	pthread_t thread;
	FILE *file = NULL;
	if (pthread_create(&thread, NULL, fill, &mib) == 0 && pthread_join(thread, &block) == 0 && block)
		file = fopen("/proc/self/maps", "r");
	/* Where a part is advised to be in large pages, it is a mapping by itself. */
	while (file && fgets(line, sizeof(line), file)) {
		unsigned long from, to;
		if (sscanf(line, "%lx-%lx %1[r]%1[w]", &from, &to, readable, writable) == 4 &&
		    (end ? from == end : (uintptr_t)block - from < to - from))
			end = to;
	}
	if (file)
		fclose(file);
	return end - (uintptr_t)block;
}

static void other_heaps_begin_with_much(void)
{
	heap_prepare(80 * MIB, 2);
	size_t size = rest_of_other_heap();
	if (size < 30 * MIB || size > 32 * MIB)
		_exit(1);
}

static void many_heaps_begin_with_less(void)
{
	heap_prepare(80 * MIB, 16);
	size_t size = rest_of_other_heap();
	if (size < 2 * MIB || size > 4 * MIB)
		_exit(1);
}

static void *fill_with_another(void *context);

enum { OTHERS = 3 };

/* What other threads, of which each begins before the last one has ended, find at a place of their heaps. */
struct others {
	size_t mib; /* the place */
	unsigned left;
	unsigned in_large_pages; /* of them */
};

static void begin_another(struct others *others)
{
	pthread_t thread;
	if (others->left-- &&
	    (pthread_create(&thread, NULL, fill_with_another, others) != 0 || pthread_join(thread, NULL) != 0))
		_exit(9);
}

static void *fill_with_another(void *context)
{
	struct others *others = context;
	others->in_large_pages += has_large_pages(fill(&others->mib));
	begin_another(others);
	return NULL;
}

static unsigned heaps_in_large_pages(uint64_t input_size, unsigned threads, size_t mib)
{
	struct others others = {.mib = mib, .left = OTHERS};
	heap_prepare(input_size, threads);
	begin_another(&others);
	return others.in_large_pages;
}

static void other_heaps_of_a_large_file(void)
{
	if (knows_large_pages() && heaps_in_large_pages(80 * MIB, OTHERS + 1, 8) != OTHERS)
		_exit(1);
}

static void other_heaps_are_not_all_in_large_pages(void)
{
	if (heaps_in_large_pages(80 * MIB, OTHERS + 1, 20) != 0)
		_exit(1);
}

static void other_heaps_of_a_small_file(void)
{
	if (heaps_in_large_pages(79 * MIB, OTHERS + 1, 1) != 0)
		_exit(1);
}

static void other_heaps_of_many_threads(void)
{
	if (heaps_in_large_pages(80 * MIB, 33, 1) != 0)
		_exit(1);
}

static void three_threads(void)
{
	heap_prepare(2 * MIB, 3);
	if (is_shared())
		_exit(1);
}

/* What is taken of the heap grows with the file, so that a small one is not rounded up by much. */
static void as_large_as_the_file_needs(void)
{
	char *before = sbrk(0);
	heap_prepare(2 * MIB, 1);
	size_t grown = (size_t)((char *)sbrk(0) - before);
	if (grown < 5 * MIB || grown > 6 * MIB)
		_exit(1);
}

static void expect_success(void (*run)(void))
{
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		run();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void memory_of_a_large_file_stays_in_the_heap(void **state)
{
	(void)state;
	expect_success(a_large_file);
}

static void a_small_file_changes_nothing(void **state)
{
	(void)state;
	expect_success(a_small_file);
}

static void small_files_and_threads(void **state)
{
	(void)state;
	expect_success(two_threads_and_a_small_file);
	expect_success(two_threads_and_a_large_file);
	expect_success(three_threads);
	expect_success(as_large_as_the_file_needs);
}

static void heaps_of_other_threads(void **state)
{
	(void)state;
	expect_success(other_heaps_begin_with_much);
	expect_success(many_heaps_begin_with_less);
	expect_success(other_heaps_of_a_large_file);
	expect_success(other_heaps_are_not_all_in_large_pages);
	expect_success(other_heaps_of_a_small_file);
	expect_success(other_heaps_of_many_threads);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_of_a_large_file_stays_in_the_heap),
		cmocka_unit_test(a_small_file_changes_nothing),
		cmocka_unit_test(small_files_and_threads),
		cmocka_unit_test(heaps_of_other_threads),
	};
#ifdef LOCUS_UNCONFINED /* with a sanitizer, which has a malloc of its own */
	return 0;
#endif
	return cmocka_run_group_tests_name("heap", tests, NULL, NULL);
}
