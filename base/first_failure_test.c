/* Of several failures the first is told, by place and then by time, with its own status and text. */
#include "base/first_failure.h"

#include "base/toolkit_test.h"

static void the_first_of_several_is_kept(void **state)
{
	struct first_failure failure;
	const struct locus_error first = {.text = "first", .offset = 7}, second = {.text = "second", .offset = 8};
	struct locus_error error = {.text = "untouched"};
	(void)state;
	first_failure_init(&failure);
	assert_false(first_failure_is_noted(&failure, FAILURE_LAST));
	first_failure_note(&failure, 0, LOCUS_OK, NULL);
	assert_false(first_failure_is_noted(&failure, FAILURE_LAST));
	first_failure_note(&failure, FAILURE_LAST, LOCUS_ERR_IO, &second);
	assert_true(first_failure_is_noted(&failure, FAILURE_LAST));
	assert_false(first_failure_is_noted(&failure, FAILURE_LAST - 1));
	first_failure_note(&failure, 5, LOCUS_ERR_CORRUPT, &first);
	first_failure_note(&failure, 5, LOCUS_ERR_IO, &second);
	first_failure_note(&failure, 6, LOCUS_ERR_IO, &second);
	first_failure_note(&failure, 0, LOCUS_OK, NULL);
	assert_true(first_failure_is_noted(&failure, 5) && first_failure_is_noted(&failure, 6));
	assert_false(first_failure_is_noted(&failure, 4));
	assert_int_equal(first_failure_done(&failure, &error), LOCUS_ERR_CORRUPT);
	assert_string_equal(error.text, "first");
	assert_int_equal(error.offset, 7);
}

static void without_a_failure_the_error_is_left_alone(void **state)
{
	struct first_failure failure;
	struct locus_error error = {.text = "untouched"};
	(void)state;
	first_failure_init(&failure);
	assert_int_equal(first_failure_done(&failure, &error), LOCUS_OK);
	assert_string_equal(error.text, "untouched");
}

static void who_wants_no_text_gets_the_status(void **state)
{
	struct first_failure failure;
	const struct locus_error error = {.text = "first"};
	(void)state;
	first_failure_init(&failure);
	first_failure_note(&failure, 0, LOCUS_ERR_LIMIT, &error);
	assert_int_equal(first_failure_done(&failure, NULL), LOCUS_ERR_LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_of_several_is_kept),
		cmocka_unit_test(without_a_failure_the_error_is_left_alone),
		cmocka_unit_test(who_wants_no_text_gets_the_status),
	};
	return cmocka_run_group_tests_name("first_failure", tests, NULL, NULL);
}
