/* A page that is missing ends the call and not the process, as often as it happens. */
#include "cmd/conversion/mapped_call.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/toolkit_test.h"

enum { PAGE = 1 << 16 }; /* or some of them */

static void read_last(void *argument)
{
	const volatile char *bytes = argument;
	assert_int_equal(bytes[PAGE - 1], 0);
}

static void a_file_that_is_cut_short_ends_the_call(void **state)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	struct sigaction after;
	(void)state;
	assert_int_equal(ftruncate(fd, PAGE), 0);
	char *bytes = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	assert_true(bytes != MAP_FAILED);
	signal(SIGBUS, SIG_IGN);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(ftruncate(fd, PAGE), 0);
		assert_true(mapped_call(read_last, bytes));
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_false(mapped_call(read_last, bytes));
	}
	assert_int_equal(sigaction(SIGBUS, NULL, &after), 0);
	assert_true(after.sa_handler == SIG_IGN);
	signal(SIGBUS, SIG_DFL);
	munmap(bytes, PAGE);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_file_that_is_cut_short_ends_the_call)};
	return cmocka_run_group_tests_name("mapped_call", tests, NULL, NULL);
}
