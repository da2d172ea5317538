/* Writing a file while one allocation after the other fails: then nothing is left of it. */
#include <unistd.h>

#include "base/failing_memory_test.h"
#include "writer/sample_test.h"

static char directory[] = "/tmp/locus-test-XXXXXX", output[sizeof(directory) + 8];

struct writing {
	struct cutter cutter;
	struct locus_writer_options options;
};

static void write_file(void *context, struct outcome *ret)
{
	struct writing *writing = context;
	failing_begin();
	ret->status = locus_sample_write_cut(&writing->cutter, output, &writing->options, 1, &ret->error);
	failing_end();
	outcome_add_output(ret, output);
}

/* Functions in the order of their names, columns, levels below and above that at which more is tried. */
static void a_file_is_written(void **state)
{
	static const struct {
		uint32_t seed, intervals, block_size;
		int level;
	} cases[] = {{1, 300, 50, 0}, {2, 1000, 20, 3}, {3, 400, 100, 12}, {4, 3000, 8192, 3}};
	struct failed_ways ways = {0};
	size_t failed = 0;
	(void)state;
	failing.with_libraries = true;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct locus_sample sample;
		struct writing writing = {.options = {.level = cases[i].level, .block_size = cases[i].block_size}};
		locus_sample_init(&sample, cases[i].seed, cases[i].intervals);
		writing.cutter = cutter_new(&sample, cases[i].block_size);
		failed += fail_each_allocation("a file", &ways, write_file, &writing);
		cutter_done(&writing.cutter);
		locus_sample_done(&sample);
	}
	print_message("# %zu ways, %zu runs failed\n", ways.first.count, failed);
	assert_true(failed > 0);
	failed_ways_done(&ways);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(output, sizeof(output), "%s/output", directory);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_written),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
