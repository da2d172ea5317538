/* Paths as text and in JSON: the first time, again, and where the output's buffer ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/show/path_labels.h"

static struct out out;

struct path_case {
	const char *name;
	const char *directory;
	const char *file;
	const char *text;
	const char *json;
};

static const struct path_case path_cases[] = {
	{"plain", "/src", "a.c", "/src/a.c", "/src/a.c"},
	{"no directory", "", "a.c", "a.c", "a.c"},
	{"root", "/", "a.c", "/a.c", "/a.c"},
	{"escape", "/s\033", "\"\xff", "/s\\x1b/\"\\xff", "/s\\u001b/\\\"\\ufffd"},
};

enum { CASE_COUNT = sizeof(path_cases) / sizeof(path_cases[0]) };

static struct locus_frame frame_of(const struct path_case *c)
{
	return (struct locus_frame){
		.directory = {c->directory, strlen(c->directory)},
		.file = {c->file, strlen(c->file)},
		.file_id = 1 + (uint32_t)(c - path_cases),
	};
}

static void expect(struct path_labels *paths, const struct path_case *c, const char *expected)
{
	struct locus_frame frame = frame_of(c);
	size_t start = out.used;

	path_labels_put(paths, &frame);
	if (start > out.used)
		start = 0;
	if (out.used - start != strlen(expected) || memcmp(out.buffer + start, expected, out.used - start) != 0)
		fail_msg("%s: got '%.*s', not '%s'", c->name, (int)(out.used - start), out.buffer + start, expected);
}

/* From empty buffers to full ones, each path several times. The last ids are beyond what was said to be there. */
static void known_paths(void **state)
{
	static const size_t used[] = {0, sizeof(out.buffer) - 20, sizeof(out.buffer) - 3, sizeof(out.buffer)};
	enum { USED_COUNT = sizeof(used) / sizeof(used[0]) };
	static struct path_labels texts[USED_COUNT], jsons[USED_COUNT]; /* static: they are there until the end */

	(void)state;
	for (size_t i = 0; i < USED_COUNT; i++) {
		path_labels_init(&texts[i], &out, false, CASE_COUNT - 1);
		path_labels_init(&jsons[i], &out, true, CASE_COUNT - 1);
		for (size_t k = 0; k < 100 * CASE_COUNT; k++) {
			out_init(&out, -1);
			out.used = used[i];
			expect(&texts[i], &path_cases[k % CASE_COUNT], path_cases[k % CASE_COUNT].text);
			expect(&jsons[i], &path_cases[k % CASE_COUNT], path_cases[k % CASE_COUNT].json);
		}
	}
}

/* One that does not fit into the output's buffer is written in pieces: what is left of it there is not its text. */
static void huge_path(void **state)
{
	static char name[3 * sizeof(out.buffer)];
	static struct path_labels paths;
	struct locus_frame frame = {.file = {name, sizeof(name)}, .file_id = 1};
	char path[] = "/tmp/locus-path-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof(name); i++)
		name[i] = (char)('a' + i % 26);
	path_labels_init(&paths, &out, false, 1);
	for (size_t round = 0; round < 100; round++) {
		static char written[sizeof(name) + 1];
		out_init(&out, fd);
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
		path_labels_put(&paths, &frame);
		out_flush(&out);
		assert_int_equal(pread(fd, written, sizeof(written), 0), sizeof(name));
		assert_memory_equal(written, name, sizeof(name));
	}
	close(fd);
	unlink(path);
}

static void paths_are_shown_below_a_folder(void **state)
{
	static const struct {
		const char *relative_to, *directory, *expected;
	} cases[] = {
		{NULL, "/src/lib", "/src/lib/a.c"},
		{"", "/src/lib", "/src/lib/a.c"},
		{"/src", "/src/lib", "lib/a.c"},
		{"/src/", "/src/lib", "lib/a.c"},
		{"/src//", "/src/lib", "lib/a.c"},
		{"/src", "/src", "a.c"},
		{"/src/", "/src", "a.c"},
		{"/src", "/src/", "a.c"},
		{"/src", "/srcs", "/srcs/a.c"},
		{"/src", "/sr", "/sr/a.c"},
		{"/src", "/other", "/other/a.c"},
		{"/", "/src", "/src/a.c"},
		{"src", "src/lib", "lib/a.c"},
		{"/src", "", "a.c"},
		{"/", "/", "/a.c"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *directory = cases[i].directory, *relative_to = cases[i].relative_to;
		const struct locus_frame frame = {.directory = {directory, strlen(directory)}, .file = {"a.c", 3}};
		struct path_labels paths;
		out_init(&out, -1);
		path_labels_init(&paths, &out, false, 1);
		paths.relative_to = relative_to;
		path_labels_put(&paths, &frame);
		path_labels_done(&paths);
		if (out.used != strlen(cases[i].expected) || memcmp(out.buffer, cases[i].expected, out.used) != 0)
			fail_msg("%s in %s: '%.*s'", directory, relative_to ? relative_to : "none", (int)out.used,
				 out.buffer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_paths),
		cmocka_unit_test(paths_are_shown_below_a_folder),
		cmocka_unit_test(huge_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
