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

/* Whether some of the heap is advised to be in large pages. */
static bool has_large_pages(void)
{
	char line[512];
	bool is_heap = false, has = false;
	FILE *file = fopen("/proc/self/smaps", "r");
	while (file && fgets(line, sizeof(line), file)) {
		unsigned long from, to;
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			is_heap = strstr(line, "[heap]") != NULL;
		else if (is_heap && strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " hg"))
			has = true;
	}
	if (file)
		fclose(file);
	return has;
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
	if (access("/sys/kernel/mm/transparent_hugepage", F_OK) == 0 && !has_large_pages())
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
	if ((char *)sbrk(0) != end || has_large_pages() || fits_blocks())
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

/* The size of the heap of another thread that has taken a small block. */
static size_t size_of_other_heap(void)
{
	char line[512];
	void *block = NULL;
	size_t size = 0;
	pthread_t thread;
	FILE *file = NULL;
	if (pthread_create(&thread, NULL, take_block, NULL) == 0 && pthread_join(thread, &block) == 0 && block)
		file = fopen("/proc/self/maps", "r");
	while (file && fgets(line, sizeof(line), file)) {
		unsigned long from, to;
		if (sscanf(line, "%lx-%lx rw", &from, &to) == 2 && (uintptr_t)block >= from && (uintptr_t)block < to)
			size = to - from;
	}
	if (file)
		fclose(file);
	return size;
}

static void other_heaps_grow_by_much(void)
{
	heap_prepare(80 * MIB, 2);
	size_t size = size_of_other_heap();
	if (size < 32 * MIB || size > 33 * MIB)
		_exit(1);
}

static void many_heaps_grow_by_less(void)
{
	heap_prepare(80 * MIB, 16);
	size_t size = size_of_other_heap();
	if (size < 4 * MIB || size > 5 * MIB)
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
	expect_success(other_heaps_grow_by_much);
	expect_success(many_heaps_grow_by_less);
	expect_success(as_large_as_the_file_needs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_of_a_large_file_stays_in_the_heap),
		cmocka_unit_test(a_small_file_changes_nothing),
		cmocka_unit_test(small_files_and_threads),
	};
#ifdef LOCUS_UNCONFINED /* with a sanitizer, which has a malloc of its own */
	return 0;
#endif
	return cmocka_run_group_tests_name("heap", tests, NULL, NULL);
}
