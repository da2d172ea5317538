/* Names of build-ids and of files in a store, and what is kept that is still good. */
#include "cmd/store/symbol_store.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/toolkit_test.h"
#include "cmd/common/folders.h"
#include "cmd/conversion/converter.h"
#include "cmd/folder_test.h"
#include "writer/locus_writer.h"

static char folder[] = "/tmp/locus-Store-XXXXXX";

static void build_ids_are_told_from_other_names(void **state)
{
	static const struct {
		const char *text;
		bool is_one;
	} cases[] = {{"", false},    {"a", false},  {"ab", true},   {"AF09", true},
		     {"abc", false}, {"ag", false}, {"ab ", false}, {".", false}};
	char digits[131]; /* 128 are those of the longest that a reader takes */
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		if (store_is_build_id(cases[i].text) != cases[i].is_one)
			fail_msg("'%s'", cases[i].text);
	memset(digits, '7', sizeof(digits));
	digits[130] = '\0';
	assert_false(store_is_build_id(digits));
	digits[128] = '\0';
	assert_true(store_is_build_id(digits));
}

static void build_ids_of_stored_files(void **state)
{
	static const struct {
		const char *path, *id;
	} cases[] = {
		{"buildid/00ff/locus", "00ff"},
		{"/s/buildid/abc/locus", "abc"},
		{"./buildid/a/locus", "a"},
		{"mybuildid/00ff/locus", NULL},
		{"buildid/locus", NULL},
		{"buildid//locus", NULL},
		{"buildid/00fg/locus", NULL},
		{"buildid/00FF/locus", NULL},
		{"00ff/locus", NULL},
		{"buildid/00ff/in/locus", NULL},
		{"buildid/00ff/locust", NULL},
		{"buildid/00ff", NULL},
		{"buildid/in/00ff/locus", NULL},
		{"locus", NULL},
		{"", NULL},
		{"s/xuildid/00ff/locus", NULL},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		size_t size = 0;
		const char *id = store_file_id(cases[i].path, &size), *expected = cases[i].id;
		bool is_expected = id && expected && size == strlen(expected) && memcmp(id, expected, size) == 0;
		if (!is_expected && (id || expected))
			fail_msg("'%s'", cases[i].path);
	}
}

static void files_are_found_by_digits_in_either_case(void **state)
{
	char *path = store_path(folder, "AB01");
	(void)state;
	assert_memory_equal(path, folder, strlen(folder));
	assert_string_equal(path + strlen(folder), "/buildid/ab01/locus");
	free(path);
}

/* The file of a program with that build-id, of `size` bytes. */
static void put_file(const char *path, const char *build_id, size_t size, uint32_t epoch, const char *made_with)
{
	const struct locus_writer_options options = {.level = 0, .block_size = 16};
	const struct locus_tables tables = {.meta = {.build_id = {build_id, size},
						     .rules_epoch = epoch,
						     .options = {made_with, strlen(made_with)}}};
	struct locus_writer *writer;
	uint64_t written;
	assert_int_equal(locus_writer_new(path, &options, &writer, NULL), LOCUS_OK);
	assert_int_equal(locus_writer_tables(writer, &tables, 1, NULL), LOCUS_OK);
	assert_int_equal(locus_writer_finish(writer, &written, NULL), LOCUS_OK);
	locus_writer_free(writer);
}

static void a_file_belongs_in_the_folder_of_its_program(void **state)
{
	static const char bytes[STORE_HEX_MAX] = {'\x0a', '\x1b'};
	static const struct {
		const char *path;
		size_t size; /* of the build-id */
		bool may_have;
	} cases[] = {
		{"s/buildid/0a1b/locus", 2, true},
		{"s/buildid/0a1b/locus", 1, false},
		{"s/buildid/0a1b/locus", 3, false},
		{"s/buildid/0a1b/locus", 0, false},
		{"s/buildid/0a1c/locus", 2, false},
		{"s/buildid/0a1/locus", 2, false},
		{"s/buildid/0a1b/a.locus", 0, true},
		{"s/0a1c/locus", 2, true},
		{"a.locus", 2, true},
	};
	char path[PATH_MAX];
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		if (store_may_have(cases[i].path, (struct locus_string){bytes, cases[i].size}) != cases[i].may_have)
			fail_msg("case %zu", i);

	/* The longest one, and one that no command looks for. */
	for (size_t size = STORE_HEX_MAX / 2; size <= STORE_HEX_MAX / 2 + 1; size++) {
		snprintf(path, sizeof(path), "buildid/0a1b%0*d/locus", (int)(2 * size - 4), 0);
		assert_int_equal(store_may_have(path, (struct locus_string){bytes, size}), size == STORE_HEX_MAX / 2);
	}
}

static void only_what_is_as_good_as_new_is_current(void **state)
{
	enum { EPOCH = 7 };
	static const uint32_t epoch = EPOCH;
	static const char id[STORE_HEX_MAX / 2 + 1] = {'\x0a', '\x1b', '\xff'};
	static char zeros[STORE_HEX_MAX + 1];
	static const struct {
		const char *hex;
		size_t size;
		uint32_t epoch;
		const char *options;
		bool is_current;
	} cases[] = {
		{"0a1bff", 3, EPOCH, "", true},
		{"0a1bff", 3, EPOCH + 1, "", true},
		{"0a1bff", 3, EPOCH - 1, "", false},
		{"0a1bff", 3, EPOCH, "columns\n", false},
		{"0a1bff", 2, EPOCH, "", false},
		{"0a1bff", 0, EPOCH, "", false},
		{"0a1bfe", 3, EPOCH, "", false},
		{zeros, STORE_HEX_MAX / 2, EPOCH, "", true},
		{zeros, STORE_HEX_MAX / 2 + 1, EPOCH, "", false},
	};
	struct converter *loaded = (struct converter *)(uintptr_t)converter();
	char path[PATH_MAX];
	(void)state;
	loaded->rules_epoch = &epoch;
	memset(zeros, '0', STORE_HEX_MAX);
	memcpy(zeros, "0a1bff", 6);
	snprintf(path, sizeof(path), "%s/made", folder);
	assert_false(store_is_current(path, "0a1bff"));
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		put_file(path, id, cases[i].size, cases[i].epoch, cases[i].options);
		if (store_is_current(path, cases[i].hex) != cases[i].is_current)
			fail_msg("case %zu", i);
	}
	loaded->rules_epoch = NULL;
}

static void digits_in_either_case_open_the_file(void **state)
{
	struct locus *locus;
	struct locus_error error;
	char *path = store_path(folder, "0a1bff");
	(void)state;
	assert_true(folders_make(folder, path));
	put_file(path, "\x0a\x1b\xff", 3, 1, "");
	static const char *const found[] = {"0a1bff", "0A1BFF", "0a1Bff"};
	for (size_t i = 0; i < COUNT_OF(found); i++) {
		assert_int_equal(store_open(folder, found[i], &locus, &error), LOCUS_OK);
		locus_close(locus);
	}
	assert_int_equal(store_open(folder, "0a1bfe", &locus, &error), LOCUS_ERR_IO);
	free(path);
}

/* Of what is begun in a store nothing stays if it is not finished, and of what is finished all. */
static void folders_go_with_what_was_not_made(void **state)
{
	struct staging staging;
	struct stat found;
	char *path = store_path(folder, "cd02");
	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_true(store_staging_init(&staging, folder, path));
		store_remove_unused(path);
		assert_int_equal(stat(staging.path, &found), 0);
		staging_done(&staging);
		store_remove_unused(path);
		*strrchr(path, '/') = '\0';
		assert_int_equal(stat(path, &found), -1);
		strcat(path, "/locus");
		store_remove_unused(path);
	}
	assert_true(folders_make(folder, path));
	assert_int_equal(mknod(path, S_IFREG | 0600, 0), 0);
	store_remove_unused(path);
	assert_int_equal(stat(path, &found), 0);
	free(path);

	assert_false(store_staging_init(&staging, "/proc/none/store", "/proc/none/store/buildid/ab/locus"));
	staging_done(&staging);
}

/* How often another process removes the folder of an output before that is begun in it. */
static int removals_to_come;

char *mkdtemp(char *path)
{
	char *(*made)(char *);
	if (removals_to_come > 0) {
		char parent[PATH_MAX];
		removals_to_come--;
		snprintf(parent, sizeof(parent), "%.*s", (int)(strrchr(path, '/') - path), path);
		assert_int_equal(rmdir(parent), 0);
	}
	*(void **)&made = dlsym(RTLD_NEXT, "mkdtemp");
	return made(path);
}

static void a_folder_that_another_process_removes_is_made_again(void **state)
{
	struct staging staging;
	char *path = store_path(folder, "ef03");
	(void)state;
	for (int removals = 9; removals <= 10; removals++) {
		removals_to_come = removals;
		bool is_made = store_staging_init(&staging, folder, path);
		assert_int_equal(is_made, removals < 10);
		assert_true(is_made || errno == ENOENT);
		assert_int_equal(removals_to_come, 0);
		staging_done(&staging);
	}
	free(path);
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
		cmocka_unit_test(build_ids_are_told_from_other_names),
		cmocka_unit_test(build_ids_of_stored_files),
		cmocka_unit_test(files_are_found_by_digits_in_either_case),
		cmocka_unit_test(a_file_belongs_in_the_folder_of_its_program),
		cmocka_unit_test(only_what_is_as_good_as_new_is_current),
		cmocka_unit_test(digits_in_either_case_open_the_file),
		cmocka_unit_test(folders_go_with_what_was_not_made),
		cmocka_unit_test(a_folder_that_another_process_removes_is_made_again),
	};
	return cmocka_run_group_tests_name("symbol_store", tests, set_up, tear_down);
}
