/* How much may be shown for a text of some size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/common/output_bound.h"

static void a_text_allows_a_thousand_times_its_size(void **state)
{
	static const struct {
		uint64_t read, written;
		enum locus_status status;
	} cases[] = {
		{0, 64 << 20, LOCUS_OK},
		{0, (64 << 20) + 1, LOCUS_ERR_LIMIT},
		{1 << 20, (64 << 20) + (1 << 30), LOCUS_OK},
		{1 << 20, (64 << 20) + (1 << 30) + 1, LOCUS_ERR_LIMIT},
		{(uint64_t)1 << 40, (uint64_t)1 << 50, LOCUS_OK},
	};
	static struct out out;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct output_bound bound = {&out, cases[i].read};
		struct locus_error error = {.text = ""};
		out.flushed = cases[i].written;
		assert_int_equal(output_bound_check(&bound, &error), cases[i].status);
		assert_int_equal(strlen(error.text) > 0, cases[i].status != LOCUS_OK);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_text_allows_a_thousand_times_its_size)};

	return cmocka_run_group_tests_name("output bound", tests, NULL, NULL);
}
