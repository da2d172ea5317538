/* Many threads ask one handle for the same blocks at once, kept and not kept, and get the same answers. */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "reader/handle/handle.h"
#include "writer/sample_test.h"

enum { THREADS = 8 };

struct asker {
	pthread_t thread;
	struct locus *locus;
	const struct locus_sample *sample;
	uint64_t random;
	uint32_t wrong;
};

static void *ask(void *argument)
{
	struct asker *asker = argument;
	const struct locus_info *info;
	struct locus_scratch *scratch;
	struct locus_result result;
	if (locus_scratch_new(asker->locus, &scratch, NULL) != LOCUS_OK)
		return NULL;
	asker->wrong += locus_info(asker->locus, &info, NULL) != LOCUS_OK || info->elf_machine != 62;
	for (unsigned i = 0; i < 3000; i++) {
		uint32_t locid = locus_sample_below(&asker->random, asker->sample->interval_count);
		uint64_t address = asker->sample->starts[locid];
		locus_prefetch(asker->locus, scratch, &address, 1);
		if (locus_lookup(asker->locus, scratch, address, &result, NULL) != LOCUS_OK ||
		    result.interval.locid != locid ||
		    (result.frame_count && result.frames[0].line != asker->sample->lines[locid]))
			asker->wrong++;
	}
	locus_scratch_free(scratch);
	return NULL;
}

/* Holds what is counted against the blocks that are kept: the handle counts those of its pool by the page. */
static void check_counts(struct locus *locus)
{
	size_t of_handle = 0;
	for (uint32_t i = 0; i < locus->section_count; i++) {
		size_t of_section = 0;
		for (uint32_t k = 0; k < locus->sections[i].block_count; k++) {
			const struct locus_decoded *block = atomic_load(&locus->sections[i].blocks[k]);
			of_section += block ? block->size : 0;
			of_handle += block && !locus_allowance_is_pooled(block) ? block->size : 0;
		}
		assert_int_equal(atomic_load(&locus->sections[i].kept), of_section);
	}
	assert_int_equal(atomic_load(&locus->kept), of_handle);
}

/* The handle keeps `kept_max` bytes of blocks; what it does not, each scratch decodes for itself. */
static void hammer(const char *path, const struct locus_sample *sample, size_t kept_max)
{
	struct asker askers[THREADS];
	struct locus *locus;
	assert_int_equal(locus_open(path, NULL, &locus, NULL), LOCUS_OK);
	locus->kept_max = kept_max;
	for (unsigned i = 0; i < THREADS; i++) {
		askers[i] = (struct asker){.locus = locus, .sample = sample, .random = i};
		assert_int_equal(pthread_create(&askers[i].thread, NULL, ask, &askers[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(askers[i].thread, NULL);
		assert_int_equal(askers[i].wrong, 0);
	}
	check_counts(locus);
	locus_close(locus);
}

static void test_threads(void **state)
{
	char directory[] = "/tmp/locus-test-XXXXXX", path[64];
	struct locus_writer_options options = {.level = 1, .block_size = 200};
	struct locus_sample sample;
	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/a.locus", directory);
	locus_sample_init(&sample, 8, 4000);
	assert_int_equal(locus_sample_write(&sample, path, &options, NULL), LOCUS_OK);
	hammer(path, &sample, SIZE_MAX);
	hammer(path, &sample, 50000);
	hammer(path, &sample, 0);
	locus_sample_done(&sample);
	remove(path);
	rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
