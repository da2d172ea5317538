/* Noting what is to be written to the disk in the end, while one allocation after the other fails. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/failing_memory_test.h"
#include "cmd/store/durable.h"

/* What stays noted is the result: a file system of which nobody knows would not be flushed. */
static void note(void *context, struct outcome *ret)
{
	static const char *const outputs[] = {"/dev/a", "/proc/b", "/dev/c"};
	struct durable durable = {.durability = DURABLE_BATCH};
	bool is_noted = true;
	(void)context;
	failing_begin();
	for (size_t i = 0; i < COUNT_OF(outputs) && is_noted; i++)
		is_noted = durable_note(&durable, outputs[i]);
	int error = errno;
	failing_end();
	ret->status = is_noted ? LOCUS_OK : LOCUS_ERR_MEMORY;
	snprintf(ret->error.text, sizeof(ret->error.text), "%s", is_noted ? "" : strerror(error));
	if (is_noted) {
		assert_int_equal(durable.count, 2);
		assert_int_not_equal(durable.devices[0], durable.devices[1]);
		outcome_add(ret, durable.devices, durable.count * sizeof(*durable.devices));
	}
	assert_true(durable_finish(&durable));
}

static void each_file_system_is_noted_or_it_is_said(void **state)
{
	struct failed_ways ways = {0};
	(void)state;
	assert_true(fail_each_allocation("file systems", &ways, note, NULL) > 0);
	failed_ways_done(&ways);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_file_system_is_noted_or_it_is_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
