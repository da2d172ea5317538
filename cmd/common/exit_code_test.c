/* Which exit code a batch ends with, and what each status stands for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cmd/common/exit_code.h"

/* The manual's numbers, the worst last: a failure counts over everything, a stale file over one without information. */
static void the_worst_counts(void **state)
{
	static const int order[] = {0, 3, 4, 2, 1};
	enum { COUNT = sizeof(order) / sizeof(order[0]) };

	(void)state;
	for (int i = 0; i < COUNT; i++) {
		for (int k = 0; k < COUNT; k++)
			assert_int_equal(exit_worst(order[i], order[k]), order[i > k ? i : k]);
	}
}

static void statuses(void **state)
{
	(void)state;
	for (enum locus_status status = LOCUS_OK; status <= LOCUS_ERR_LIMIT; status++) {
		int expected = status == LOCUS_OK ? 0 : status == LOCUS_ERR_NO_DEBUG ? 3 : 1;
		assert_int_equal(exit_of(status), expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_worst_counts),
		cmocka_unit_test(statuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
