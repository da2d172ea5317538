/* Which paths lead to one file. */
#include "base/same_file.h"

#include <unistd.h>

#include "base/toolkit_test.h"

static void write_file(const char *directory, const char *name, char *ret, size_t size)
{
	snprintf(ret, size, "%s/%s", directory, name);
	FILE *file = fopen(ret, "w");
	assert_non_null(file);
	fclose(file);
}

static void links_and_names(void **state)
{
	char directory[] = "/tmp/locus-same-XXXXXX", a[64], b[64], link_to_a[64], missing[64];
	(void)state;
	assert_non_null(mkdtemp(directory));
	write_file(directory, "a", a, sizeof(a));
	write_file(directory, "b", b, sizeof(b));
	snprintf(link_to_a, sizeof(link_to_a), "%s/link", directory);
	snprintf(missing, sizeof(missing), "%s/missing", directory);
	assert_int_equal(symlink(a, link_to_a), 0);
	assert_true(paths_are_same_file(a, a));
	assert_true(paths_are_same_file(a, link_to_a));
	assert_false(paths_are_same_file(a, b));
	assert_false(paths_are_same_file(a, missing));
	assert_false(paths_are_same_file(missing, missing));
	/* Files of two devices may have one number. */
	struct stat root, other;
	if (stat("/proc", &other) == 0 && stat("/sys", &root) == 0 && root.st_ino == other.st_ino)
		assert_false(paths_are_same_file("/proc", "/sys"));
	unlink(link_to_a);
	unlink(a);
	unlink(b);
	rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links_and_names),
	};
	return cmocka_run_group_tests_name("same_file", tests, NULL, NULL);
}
