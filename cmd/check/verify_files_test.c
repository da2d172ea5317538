/* Verdicts come one by one in the order of the files, however far threads run ahead, until nobody wants more. */
#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/check/verify_files.h"

/* Whether glibc itself allocates, of a version that counts what it maps; sanitizers allocate in another way. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#endif
#if defined(__GLIBC__) && !defined(HAS_SANITIZER)
#if __GLIBC_PREREQ(2, 33)
#define COUNTS_MAPPED 1
#endif
#endif

enum { COUNT = 1000 };

struct taken {
	size_t count, stop_at;
};

static struct found_file list[COUNT];

/* The first takes so long that threads fill the ring meanwhile. */
static bool take(void *context, const struct verdict *verdict)
{
	struct taken *taken = context;

	if (taken->count == 0)
		usleep(20000);
	assert_ptr_equal(verdict->file, &list[taken->count]);
	assert_int_equal(verdict->status, LOCUS_ERR_IO);
	assert_string_equal(verdict->error.text, taken->count % 2 ? "by its text" : strerror(EISDIR));
	assert_true(verdict->error.offset == LOCUS_NO_OFFSET);
	return ++taken->count != taken->stop_at;
}

static void verdicts_come_in_order(void **state)
{
	static const struct {
		size_t count, stop_at, taken;
		unsigned threads;
	} cases[] = {
		{COUNT, SIZE_MAX, COUNT, 1}, {COUNT, SIZE_MAX, COUNT, 3}, {COUNT, 1, 1, 2},
		{COUNT, 300, 300, 2},        {1, SIZE_MAX, 1, 8},         {0, SIZE_MAX, 0, 2},
		{COUNT, SIZE_MAX, COUNT, 0}, {COUNT, 300, 300, 0}, /* as where no thread can be started */
	};

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		list[i] = (struct found_file){
			.path = "", .error = i % 2 ? 0 : EISDIR, .text = i % 2 ? "by its text" : NULL};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct found_files files = {.list = list, .count = cases[i].count};
		struct taken taken = {0, cases[i].stop_at};
		verify_files(&files, LOCUS_VERIFY_QUICK, cases[i].threads, take, &taken);
		assert_int_equal(taken.count, cases[i].taken);
	}
}

/*
 * Blocks of many contexts are tens of MiB, of which a thread's heaps hold few and keep much. That the first was freed
 * would have malloc take the next from there.
 */
static void large_blocks_are_mapped(void **state)
{
#ifdef COUNTS_MAPPED
	enum { SIZE = 20 << 20 };
	const struct found_files none = {.count = 0};
	struct taken taken = {0, SIZE_MAX};

	(void)state;
	verify_files(&none, LOCUS_VERIFY_QUICK, 1, take, &taken);
	size_t before = mallinfo2().hblks;
	void *volatile block = malloc(SIZE);
	free(block);
	block = malloc(SIZE);
	assert_int_equal(mallinfo2().hblks, before + 1);
	free(block);
#else
	(void)state;
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts_come_in_order),
		cmocka_unit_test(large_blocks_are_mapped),
	};

	return cmocka_run_group_tests_name("verify files", tests, NULL, NULL);
}
