/* Tokens come from the jobserver that MAKEFLAGS names, in each of its forms, and go back as they came. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/batch/jobserver.h"

/* Takes every token of the pipe whose name is in `format`, and more than there are, and gives them back. */
static void check_pipe(const char *format, bool is_offered)
{
	struct jobserver jobserver;
	char flags[256], left[8] = "";
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "ab", 2), 2);
	snprintf(flags, sizeof(flags), format, ends[0], ends[1]);
	assert_int_equal(setenv("MAKEFLAGS", flags, 1), 0);
	jobserver_init(&jobserver);
	if (jobserver_is_offered(&jobserver) != is_offered)
		fail_msg("%s", flags);
	assert_true(jobserver_take(&jobserver));
	assert_true(jobserver_take(&jobserver));
	assert_int_equal(jobserver_take(&jobserver), !is_offered);
	jobserver_give(&jobserver);
	assert_true(jobserver_take(&jobserver));
	jobserver_done(&jobserver);
	assert_false(jobserver_is_offered(&jobserver));
	assert_int_equal(read(ends[0], left, sizeof(left)), 2);
	assert_true(strcmp(left, "ab") == 0 || strcmp(left, "ba") == 0);
	close(ends[0]);
	close(ends[1]);
}

static void pipes(void **state)
{
	(void)state;
	check_pipe(" -j3 --jobserver-auth=%d,%d", true);
	check_pipe(" -j3 --jobserver-auth=%d,%d -- V=1", true);
	check_pipe(" -j3 --jobserver-fds=%d,%d -j", true);                   /* before make 4.2 */
	check_pipe(" --jobserver-auth=-2,-2 --jobserver-auth=%d,%d", true);  /* the last counts */
	check_pipe(" --jobserver-auth=%d,%d --jobserver-auth=-2,-2", false); /* make lets it take no part */
	check_pipe(" --jobserver-auth=-2,-2 --jobserver-fds=%d,%d", false);
	check_pipe(" --jobserver-auth=%d", false);
	check_pipe(" --jobserver-auth=", false);
	check_pipe("", false);
}

static void without_make(void **state)
{
	struct jobserver jobserver;

	(void)state;
	unsetenv("MAKEFLAGS");
	jobserver_init(&jobserver);
	assert_false(jobserver_is_offered(&jobserver));
	for (int i = 0; i < 2000; i++)
		assert_true(jobserver_take(&jobserver));
	jobserver_give(&jobserver);
	jobserver_done(&jobserver);
}

/* What is no pipe, or is closed, is no jobserver: make's numbers may be those of other files by now. */
static void other_descriptors(void **state)
{
	struct jobserver jobserver;
	char flags[64];
	int ends[2], file = open("/dev/null", O_RDWR);

	(void)state;
	assert_true(file >= 0);
	assert_int_equal(pipe(ends), 0);
	const int others[][2] = {{file, ends[1]}, {ends[0], file}, {file, file}};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		snprintf(flags, sizeof(flags), "--jobserver-auth=%d,%d", others[i][0], others[i][1]);
		setenv("MAKEFLAGS", flags, 1);
		jobserver_init(&jobserver);
		assert_false(jobserver_is_offered(&jobserver));
	}
	snprintf(flags, sizeof(flags), "--jobserver-auth=%d,%d", ends[0], ends[1]);
	setenv("MAKEFLAGS", flags, 1);
	close(ends[1]);
	jobserver_init(&jobserver);
	assert_false(jobserver_is_offered(&jobserver));
	close(ends[0]);
	close(file);
}

static void named_pipes(void **state)
{
	char folder[] = "/tmp/locus-jobserver-XXXXXX", path[64], flags[128];
	struct jobserver jobserver;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/fifo", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	int end = open(path, O_RDWR | O_NONBLOCK);
	assert_int_equal(write(end, "x", 1), 1);
	snprintf(flags, sizeof(flags), "-j2 --jobserver-auth=fifo:%s -- V=1", path);
	setenv("MAKEFLAGS", flags, 1);
	jobserver_init(&jobserver);
	assert_true(jobserver_is_offered(&jobserver));
	assert_true(jobserver_take(&jobserver));
	assert_false(jobserver_take(&jobserver));
	jobserver_done(&jobserver);
	char token = 0;
	assert_int_equal(read(end, &token, 1), 1);
	assert_int_equal(token, 'x');
	close(end);
	unlink(path);
	jobserver_init(&jobserver);
	assert_false(jobserver_is_offered(&jobserver));

	/* Another file that is there now is not written to. */
	end = open(path, O_RDWR | O_CREAT, 0600);
	assert_int_equal(write(end, "kept", 4), 4);
	jobserver_init(&jobserver);
	assert_false(jobserver_is_offered(&jobserver));
	close(end);
	unlink(path);
	rmdir(folder);
}

/* However many tokens there are, no more are taken than there is room for, and each comes back. */
static void very_many_tokens(void **state)
{
	static char tokens[sizeof(((struct jobserver *)0)->tokens) + 10];
	struct jobserver jobserver;
	char flags[64];
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	memset(tokens, '+', sizeof(tokens));
	assert_int_equal(write(ends[1], tokens, sizeof(tokens)), sizeof(tokens));
	snprintf(flags, sizeof(flags), "--jobserver-auth=%d,%d", ends[0], ends[1]);
	setenv("MAKEFLAGS", flags, 1);
	jobserver_init(&jobserver);
	size_t taken = 0;
	while (jobserver_take(&jobserver))
		taken++;
	assert_int_equal(taken, sizeof(jobserver.tokens));
	jobserver_done(&jobserver);
	assert_int_equal(read(ends[0], tokens, sizeof(tokens)), sizeof(tokens));
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pipes),       cmocka_unit_test(without_make),     cmocka_unit_test(other_descriptors),
		cmocka_unit_test(named_pipes), cmocka_unit_test(very_many_tokens),
	};

	return cmocka_run_group_tests_name("jobserver", tests, NULL, NULL);
}
