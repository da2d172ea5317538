/* What tells a file from what it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/toolkit_test.h"
#include "cmd/common/file_state.h"

static void each_difference_counts(void **state)
{
	const struct stat then = {.st_dev = 1,
				  .st_ino = 2,
				  .st_size = 3,
				  .st_mtim = {4, 5},
				  .st_ctim = {6, 7},
				  .st_atim = {8, 9},
				  .st_nlink = 1};
	struct stat others[] = {then, then, then, then, then}, same[] = {then, then, then, then};

	(void)state;
	others[0].st_dev++;
	others[1].st_ino++;
	others[2].st_size++;
	others[3].st_mtim.tv_sec++;
	others[4].st_mtim.tv_nsec++;
	for (size_t i = 0; i < COUNT_OF(others); i++)
		if (file_state_is_same(&then, &others[i]))
			fail_msg("difference %zu does not count", i);

	/* A hard link was made; or it was read. */
	same[1].st_ctim.tv_sec++;
	same[2].st_nlink++;
	same[3].st_atim.tv_sec++;
	for (size_t i = 0; i < COUNT_OF(same); i++)
		if (!file_state_is_same(&then, &same[i]))
			fail_msg("difference %zu counts", i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_difference_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
