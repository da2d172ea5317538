/* Blocks are encoded by any number of threads, and other work is done with them. */
#include "writer/encode_blocks.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/toolkit_test.h"

enum { PARTS = 7, BLOCKS = 100, FAILS_NOT = UINT16_MAX };

struct job {
	atomic_uint done[PARTS]; /* how often each part was done */
	uint32_t fails;          /* the part that does */
};

static enum locus_status do_part(void *argument, uint32_t index, struct locus_packer *packer, struct locus_error *error)
{
	struct job *job = argument;
	assert_non_null(packer);
	assert_true(index < PARTS);
	atomic_fetch_add(&job->done[index], 1);
	return index == job->fails ? locus_fail(error, LOCUS_ERR_USAGE, "part %u", index) : LOCUS_OK;
}

/* A block of which only the key is set: its index. */
static enum locus_status encode(const void *argument, uint32_t index, struct locus_block_room *room,
				struct locus_packed *ret, struct locus_error *error)
{
	(void)argument;
	(void)room;
	(void)error;
	ret->key = index + 1;
	return LOCUS_OK;
}

static enum locus_status run(struct job *job, uint32_t count, unsigned thread_count, struct locus_section_out *ret,
			     struct locus_error *error)
{
	const struct locus_block_work work = {encode, NULL, 1};
	const struct locus_other_work other = {do_part, job, PARTS};
	return locus_blocks_encode(work, count, other, (struct locus_effort){1, thread_count}, ret, error);
}

static void all_is_done_once(void **state)
{
	(void)state;
	for (unsigned threads = 1; threads <= 4; threads += 3)
		for (uint32_t count = 0; count <= BLOCKS; count += BLOCKS / 2) {
			struct job job = {.fails = FAILS_NOT};
			struct locus_section_out section = {0};
			struct locus_error error;
			assert_int_equal(run(&job, count, threads, &section, &error), LOCUS_OK);
			assert_int_equal(section.count, count);
			for (uint32_t i = 0; i < count; i++)
				assert_int_equal(section.blocks[i].key, i + 1);
			for (uint32_t i = 0; i < PARTS; i++)
				assert_int_equal(job.done[i], 1);
			locus_section_out_done(&section);
		}
}

static void a_part_that_fails_is_told(void **state)
{
	(void)state;
	struct job job = {.fails = 3};
	struct locus_section_out section = {0};
	struct locus_error error;
	assert_int_equal(run(&job, BLOCKS, 1, &section, &error), LOCUS_ERR_USAGE);
	assert_string_equal(error.text, "part 3");
	locus_section_out_done(&section);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_done_once),
		cmocka_unit_test(a_part_that_fails_is_told),
	};
	return cmocka_run_group_tests_name("encode_blocks", tests, NULL, NULL);
}
