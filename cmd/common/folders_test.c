/* Folders that are there, in part, or cannot be made. */
#include "cmd/common/folders.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/toolkit_test.h"
#include "cmd/folder_test.h"

static char folder[] = "/tmp/locus-folders-XXXXXX";

static void expect_made(const char *path, int error)
{
	errno = 0;
	bool is_made = folders_make(folder, path);
	if (is_made != !error || (error && errno != error))
		fail_msg("%.80s: %s", path, strerror(errno));
}

static void expect_mode(const char *below, unsigned mode)
{
	char path[PATH_MAX];
	struct stat found;
	snprintf(path, sizeof(path), "%s%s", folder, below);
	assert_int_equal(stat(path, &found), 0);
	assert_int_equal(found.st_mode, mode);
}

static void they_are_made_as_far_as_they_miss(void **state)
{
	char path[PATH_MAX];
	struct stat found;
	(void)state;
	assert_int_equal(rmdir(folder), 0);
	snprintf(path, sizeof(path), "%s/a/b/file", folder);
	mode_t mask = umask(027);
	for (int i = 0; i < 2; i++)
		expect_made(path, 0);
	umask(mask);
	assert_int_equal(stat(path, &found), -1);

	/* All whom the caller lets look may look. */
	expect_mode("", S_IFDIR | 0750);
	expect_mode("/a", S_IFDIR | 0750);
	expect_mode("/a/b", S_IFDIR | 0750);

	assert_int_equal(mknod(path, S_IFREG | 0600, 0), 0);
	strcat(path, "/below/that");
	expect_made(path, ENOTDIR);
	assert_false(folders_make("/proc/none/root", "/proc/none/root/a/file"));
}

/* ROOT////...//b/file: the folder's path just fits, and is one byte too long. */
static void the_longest_path(void **state)
{
	(void)state;
	for (size_t size = PATH_MAX - 1; size <= PATH_MAX; size++) {
		char path[PATH_MAX + 16];
		memset(path, '/', size);
		memcpy(path, folder, strlen(folder));
		strcpy(path + size - 1, "b/file");
		expect_made(path, size < PATH_MAX ? 0 : ENAMETOOLONG);
	}
}

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	return remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_are_made_as_far_as_they_miss),
		cmocka_unit_test(the_longest_path),
	};
	return cmocka_run_group_tests_name("folders", tests, set_up, tear_down);
}
