/*
 * Reading a file while one allocation after the other fails. A handle that lacked memory for an answer gives all of
 * them once memory is there again, and counts none that it has not got.
 */
#define _GNU_SOURCE

#include <unistd.h>

#include "base/failing_memory_test.h"
#include "reader/handle/handle.h"
#include "reader/handle/pool.h"
#include "writer/sample_test.h"

static char file_path[] = "/tmp/locus-memory-XXXXXX";

/* What is asked of a handle, each added to the outcome. The first that fails ends it. */
struct asking {
	struct locus *locus;
	struct locus_scratch *scratch;
	struct outcome *outcome;
};

static bool goes_on(struct asking *asking, enum locus_status status)
{
	asking->outcome->status = status;
	return status == LOCUS_OK;
}

static void add_string(struct outcome *outcome, struct locus_string string)
{
	outcome_add(outcome, string.size ? string.data : "", string.size);
}

static bool ask_intervals(struct asking *a)
{
	struct outcome *outcome = a->outcome;
	struct locus_result result;
	const struct locus_alternate_info *alternates;
	size_t count;
	for (uint32_t i = 0; i < locus_interval_count(a->locus); i += 1 + i / 10) {
		if (!goes_on(a, locus_frames(a->locus, a->scratch, i, &result, &outcome->error)))
			return false;
		for (size_t k = 0; k < result.frame_count; k++) {
			add_string(outcome, result.frames[k].function);
			add_string(outcome, result.frames[k].linkage);
			add_string(outcome, result.frames[k].file);
			outcome_add_number(outcome, result.frames[k].line);
		}
		uint64_t start = result.interval.start;
		if (!goes_on(a, locus_lookup(a->locus, a->scratch, start, &result, &outcome->error)) ||
		    !goes_on(a, locus_alternates(a->locus, a->scratch, start, &alternates, &count, &outcome->error)))
			return false;
		outcome_add_number(outcome, result.interval.locid + count);
	}
	return true;
}

static bool take_range(void *context, const struct locus_function_range *range)
{
	outcome_add_number(context, range->start + range->function_id);
	return true;
}

static bool ask_tables(struct asking *a)
{
	struct outcome *outcome = a->outcome;
	const uint32_t ids[] = {1, 3, 5};
	struct locus_function_place places[2];
	struct locus_function_info function;
	struct locus_file_info file;
	struct locus_alternate_info alternate;
	const struct locus_info *info;
	if (!goes_on(a, locus_info(a->locus, &info, &outcome->error)) ||
	    !goes_on(a, locus_function_at(a->locus, a->scratch, 1, &function, &outcome->error)))
		return false;
	add_string(outcome, info->tool);
	add_string(outcome, function.name);
	add_string(outcome, function.linkage);

	const struct locus_string names[] = {{"no such name", 12}, {"name_of_function_0", 18}};
	if (!goes_on(a, locus_function_places(a->locus, a->scratch, names, 2, places, &outcome->error)) ||
	    !goes_on(a, locus_function_ranges(a->locus, a->scratch, ids, 3, take_range, outcome, &outcome->error)) ||
	    !goes_on(a, locus_file_at(a->locus, a->scratch, 2, &file, &outcome->error)) ||
	    !goes_on(a, locus_alternate_at(a->locus, a->scratch, 1, &alternate, &outcome->error)))
		return false;
	for (size_t i = 0; i < COUNT_OF(places); i++)
		outcome_add_number(outcome, places[i].start + places[i].count);
	add_string(outcome, file.name);
	outcome_add_number(outcome, alternate.start);
	return true;
}

static void ask_all(struct asking *asking)
{
	(void)(ask_intervals(asking) && ask_tables(asking) &&
	       goes_on(asking, locus_verify(asking->locus, LOCUS_VERIFY_FULL, &asking->outcome->error)));
}

static size_t used(const struct asking *asking)
{
	return atomic_load(&asking->locus->allowance.used);
}

/* With memory, the handle answers as any other does; what the answers are is in `context`. */
static void ask_again(struct asking *asking, const struct outcome *right)
{
	struct outcome again = {0};
	asking->outcome = &again;
	if (!asking->scratch)
		assert_int_equal(locus_scratch_new(asking->locus, &asking->scratch, NULL), LOCUS_OK);
	ask_all(asking);
	assert_int_equal(again.status, LOCUS_OK);
	assert_true(again.digest == right->digest);
}

static void read_file(void *context, struct outcome *ret)
{
	const struct outcome *right = context;
	struct asking asking = {.outcome = ret};
	failing_begin();
	ret->status = locus_open(file_path, NULL, &asking.locus, &ret->error);
	if (ret->status == LOCUS_OK) {
		size_t before = used(&asking);
		ret->status = locus_scratch_new(asking.locus, &asking.scratch, &ret->error);
		if (ret->status != LOCUS_OK)
			assert_int_equal(used(&asking), before);
	}
	if (ret->status == LOCUS_OK)
		ask_all(&asking);
	failing_end();

	if (asking.locus && right)
		ask_again(&asking, right);
	locus_scratch_free(asking.scratch);
	locus_close(asking.locus);
}

static void a_file_is_read(void **state)
{
	static const struct {
		uint32_t seed, intervals, block_size;
		int level;
	} cases[] = {{1, 300, 50, 0}, {2, 2000, 300, 3}, {3, 700, 8192, 3}};
	struct failed_ways ways = {0};
	size_t failed = 0;
	(void)state;
	failing.with_libraries = true;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct locus_writer_options options = {.level = cases[i].level,
							     .block_size = cases[i].block_size};
		struct locus_sample sample;
		locus_sample_init(&sample, cases[i].seed, cases[i].intervals);
		assert_int_equal(locus_sample_write(&sample, file_path, &options, NULL), LOCUS_OK);
		struct outcome right = failing_do(read_file, NULL, -1);
		assert_int_equal(right.status, LOCUS_OK);
		failed += fail_each_allocation("a file", &ways, read_file, &right);
		locus_sample_done(&sample);
	}
	print_message("# %zu ways, %zu runs failed\n", ways.first.count, failed);
	assert_true(failed > 0);
	failed_ways_done(&ways);
}

/* A pool of one page at most. */
struct paging {
	struct locus_allowance allowance;
	struct locus_pool pool;
};

static void take_page(void *context, struct outcome *ret)
{
	struct paging *paging = context;
	failing_begin();
	bool is_taken = locus_pool_take(&paging->pool, &paging->allowance, 1);
	failing_end();
	ret->status = is_taken ? LOCUS_OK : LOCUS_ERR_MEMORY;
	assert_int_equal(atomic_load(&paging->allowance.used), is_taken ? LOCUS_POOL_PAGE : 0);
	locus_pool_done(&paging->pool, &paging->allowance);
}

static void a_page_that_is_not_had_is_not_counted(void **state)
{
	struct paging paging = {.allowance.max = LOCUS_POOL_PAGE};
	(void)state;
	assert_int_equal(failing_do(take_page, &paging, 0).status, LOCUS_ERR_MEMORY);
	assert_int_equal(failing_do(take_page, &paging, -1).status, LOCUS_OK);
}

static int setup(void **state)
{
	(void)state;
	int fd = mkstemp(file_path);
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(file_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_read),
		cmocka_unit_test(a_page_that_is_not_had_is_not_counted),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
