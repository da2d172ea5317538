/* Outputs are flushed one by one or by file system, and what cannot be is said. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/store/durable.h"

/* /proc is another file system than /tmp; what it cannot flush there is nothing to wait for. */
static void one_descriptor_for_each_file_system(void **state)
{
	struct durable durable = {.durability = DURABLE_BATCH};
	struct stat folder;

	(void)state;
	assert_true(durable_note(&durable, "/tmp/one"));
	assert_true(durable_note(&durable, "/tmp/two"));
	assert_int_equal(durable.count, 1);
	assert_true(durable_note(&durable, "/proc/one"));
	assert_true(durable_note(&durable, "/tmp/three"));
	assert_true(durable_note(&durable, "/proc/two"));
	assert_int_equal(durable.count, 2);
	int noted = durable.fds[0];
	assert_int_equal(fstat(noted, &folder), 0);
	assert_true(folder.st_dev == durable.devices[0]);
	assert_true(durable_finish(&durable));
	assert_int_equal(durable.count, 0);
	assert_int_equal(fcntl(noted, F_GETFD), -1);
}

/* The lowest number that no file has. */
static int next_descriptor(void)
{
	int next = dup(STDOUT_FILENO);

	close(next);
	return next;
}

static void no_more_stay_open_than_are_noted(void **state)
{
	struct durable each = {.durability = DURABLE_FILE}, batch = {.durability = DURABLE_BATCH};
	int before = next_descriptor();

	(void)state;
	assert_true(durable_note(&each, "/tmp/one"));
	assert_int_equal(next_descriptor(), before);
	for (int i = 0; i < 3; i++)
		assert_true(durable_note(&batch, "/tmp/one"));
	assert_int_equal(next_descriptor(), before + 1);
	assert_true(durable_finish(&batch));
	assert_int_equal(next_descriptor(), before);
}

static void without_a_folder_in_its_name(void **state)
{
	struct durable durable = {.durability = DURABLE_BATCH};
	struct stat here, noted;

	(void)state;
	assert_true(durable_note(&durable, "output"));
	assert_int_equal(stat(".", &here), 0);
	assert_int_equal(fstat(durable.fds[0], &noted), 0);
	assert_true(here.st_ino == noted.st_ino);
	assert_true(durable_finish(&durable));
}

static void one_by_one(void **state)
{
	struct durable durable = {.durability = DURABLE_FILE};

	(void)state;
	int next = dup(0);
	close(next);
	for (int i = 0; i < 3; i++)
		assert_true(durable_note(&durable, "/tmp/one"));
	assert_true(durable_note(&durable, "/proc/one"));
	assert_int_equal(durable.count, 0);
	assert_true(durable_finish(&durable));
	int now = dup(0);
	assert_int_equal(now, next); /* no descriptor stays open */
	close(now);
}

static void absent_folders(void **state)
{
	struct durable none = {.durability = DURABLE_NONE};

	(void)state;
	assert_true(durable_note(&none, "/absent/one"));
	assert_true(durable_finish(&none));
	for (int i = 0; i < 2; i++) {
		struct durable durable = {.durability = i ? DURABLE_FILE : DURABLE_BATCH};
		errno = 0;
		assert_false(durable_note(&durable, "/absent/one"));
		assert_int_equal(errno, ENOENT);
		assert_true(durable_finish(&durable));
	}
}

/* The first is not flushed, because it is no file any more; the other one is. */
static void what_is_not_flushed_is_told(void **state)
{
	struct durable durable = {.durability = DURABLE_BATCH};

	(void)state;
	assert_true(durable_note(&durable, "/tmp/one"));
	assert_true(durable_note(&durable, "/proc/one"));
	close(durable.fds[0]);
	errno = 0;
	assert_false(durable_finish(&durable));
	assert_int_equal(errno, EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_descriptor_for_each_file_system),
		cmocka_unit_test(no_more_stay_open_than_are_noted),
		cmocka_unit_test(without_a_folder_in_its_name),
		cmocka_unit_test(one_by_one),
		cmocka_unit_test(absent_folders),
		cmocka_unit_test(what_is_not_flushed_is_told),
	};

	return cmocka_run_group_tests_name("durable", tests, NULL, NULL);
}
