/* Where the cache is, what it keeps and what it forgets; with the longest build-id there is. */
#include "cmd/store/symbol_cache.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/toolkit_test.h"
#include "cmd/common/folders.h"
#include "cmd/common/memory.h"
#include "cmd/conversion/converter.h"
#include "cmd/store/lookup_file.h"
#include "cmd/store/symbol_store.h"

static char folder[] = "/tmp/locus-cache-XXXXXX";

/* This program's path, and the cache's path of what is made of it. */
static const char program[] = "/proc/self/exe";
static char *made;

static void set(const char *name, const char *value)
{
	assert_int_equal(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

static void expect_text(char *text, const char *expected)
{
	if (!text || !expected)
		assert_true(text == expected);
	else
		assert_string_equal(text, expected);
	free(text);
}

static void the_folder_is_what_the_environment_says(void **state)
{
	static const struct {
		const char *locus, *caches, *home, *expected;
	} cases[] = {
		{"/mine", "/caches", "/home", "/mine"},
		{"mine", NULL, NULL, "mine"},
		{"", "/caches", "/home", "/caches/locus"},
		{NULL, "/caches", NULL, "/caches/locus"},
		{NULL, "caches", "/home", "/home/.cache/locus"}, /* which has to begin with a slash */
		{NULL, "", "/home", "/home/.cache/locus"},
		{NULL, NULL, "", NULL},
		{NULL, NULL, NULL, NULL},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		set("LOCUS_CACHE", cases[i].locus);
		set("XDG_CACHE_HOME", cases[i].caches);
		set("HOME", cases[i].home);
		expect_text(symbol_cache_folder(), cases[i].expected);
		bool is_asked_for = cases[i].locus && cases[i].locus[0];
		expect_text(symbol_cache_asked_for(), is_asked_for ? cases[i].locus : NULL);
	}
}

static struct locus_error problem; /* of the last question */

static char *get(void)
{
	const struct locus_convert_options options = lookup_file_options();
	return symbol_cache_get(folder, program, &options, &problem);
}

static struct stat stat_of(const char *path)
{
	struct stat found;
	assert_int_equal(stat(path, &found), 0);
	return found;
}

static void what_was_made_is_found_again(void **state)
{
	char hex[STORE_HEX_MAX + 1];
	(void)state;
	assert_int_equal(store_read_build_id(program, hex, NULL), LOCUS_OK);
	assert_null(symbol_cache_find(folder, hex));
	made = get();
	assert_non_null(made);
	ino_t inode = stat_of(made).st_ino;
	expect_text(get(), made);
	assert_true(stat_of(made).st_ino == inode);
	expect_text(symbol_cache_find(folder, hex), made);
	expect_text(symbol_cache_find(folder, "00ff"), NULL);
	struct locus_convert_options options = lookup_file_options();
	assert_null(symbol_cache_get(NULL, program, &options, &problem));
	assert_null(symbol_cache_get(folder, "/proc/self/maps", &options, &problem));

	/* Neither kept nor taken from there is what its build-id does not stand for. */
	options.symbols_only = true;
	assert_null(symbol_cache_get(folder, program, &options, &problem));
	options.symbols_only = false;
	options.debug_file = program;
	assert_null(symbol_cache_get(folder, program, &options, &problem));
}

static enum locus_status longest_build_id(const char *path, uint8_t *ret, size_t *size, struct locus_error *error)
{
	(void)path;
	(void)error;
	assert_int_equal(*size, STORE_HEX_MAX / 2);
	memset(ret, 0xab, *size);
	return LOCUS_OK;
}

static void what_could_not_be_made_leaves_no_folder(void **state)
{
	struct converter *loaded = (struct converter *)(uintptr_t)converter();
	const struct locus_convert_options options = lookup_file_options();
	char *ids = memory_text("%s/buildid", folder);
	(void)state;
	loaded->elf_build_id = longest_build_id;
	assert_null(symbol_cache_get(folder, "/proc/self/maps", &options, &problem));
	loaded->elf_build_id = locus_elf_build_id;
	assert_int_equal(rmdir(ids), 0);
	free(ids);
}

static void the_longest_build_id(void **state)
{
	struct converter *loaded = (struct converter *)(uintptr_t)converter();
	(void)state;
	loaded->elf_build_id = longest_build_id;
	char *path = get();
	loaded->elf_build_id = locus_elf_build_id;
	assert_non_null(path);
	assert_int_equal(strlen(path), strlen(folder) + strlen("/buildid//locus") + STORE_HEX_MAX);
	assert_true(stat_of(path).st_size > 0);
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	free(path);
}

/* ---- Forgetting ---- */

/* A file that takes no room on the disk, last used at that time. */
static char *put_file(const char *hex, uint64_t size, struct timespec used)
{
	char *path = store_path(folder, hex);
	const struct timespec times[] = {used, used};
	assert_true(folders_make(folder, path));
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0 && ftruncate(fd, (off_t)size) == 0 && futimens(fd, times) == 0);
	close(fd);
	return path;
}

/* Makes the program's file anew, after which the others may have to go. */
static void make_again(void)
{
	assert_int_equal(unlink(made), 0);
	expect_text(get(), made);
	stat_of(made);
}

/* Both of half the size and more: one has to go, in whichever order they are found. */
static void what_was_used_last_is_kept(void **state)
{
	enum { HOUR = 3600 };
	struct timespec now, ages[3];
	(void)state;
	clock_gettime(CLOCK_REALTIME, &now);
	ages[0] = ages[1] = (struct timespec){now.tv_sec - HOUR, 5};
	ages[1].tv_nsec++;
	ages[2] = (struct timespec){now.tv_sec - HOUR + 1, 0};
	for (size_t older = 0; older < 3; older++)
		for (size_t newer = older + 1; newer < 3; newer++)
			for (int turn = 0; turn < 2; turn++) {
				char *a = put_file(turn ? "aa" : "bb", 3 * (SYMBOL_CACHE_BYTES_MAX / 4), ages[older]);
				char *b = put_file(turn ? "bb" : "aa", 3 * (SYMBOL_CACHE_BYTES_MAX / 4), ages[newer]);
				make_again();
				assert_int_equal(access(a, F_OK), -1);
				assert_int_equal(unlink(b), 0);
				*strrchr(a, '/') = '\0';
				assert_int_equal(access(a, F_OK), -1); /* its folder neither */
				free(a);
				free(b);
			}
}

static void what_just_fits_is_kept(void **state)
{
	uint64_t left = SYMBOL_CACHE_BYTES_MAX - (uint64_t)stat_of(made).st_size;
	(void)state;
	for (uint64_t over = 0; over < 2; over++) {
		char *path = put_file("cc", left + over, (struct timespec){1000, 0});
		make_again();
		assert_int_equal(access(path, F_OK), over ? -1 : 0);
		free(path);
	}
}

/* Though another's time is later, as a clock that was wrong leaves it. */
static void what_is_asked_for_is_kept(void **state)
{
	struct timespec later;
	(void)state;
	clock_gettime(CLOCK_REALTIME, &later);
	later.tv_sec += 3600;
	char *path = put_file("dd", SYMBOL_CACHE_BYTES_MAX, later);
	make_again();
	assert_int_equal(access(path, F_OK), -1);
	free(path);
}

/* Of another program, which may never be asked for again. */
static void what_a_killed_process_left_is_removed(void **state)
{
	char *path = put_file("ee", 1, (struct timespec){1000, 0}), command[256];
	(void)state;
	assert_int_equal(unlink(path), 0);
	*strrchr(path, '/') = '\0';
	snprintf(command, sizeof(command), "mkdir -m 700 %s/.locus-abcdef && echo half > %s/.locus-abcdef/out", path,
		 path);
	assert_int_equal(system(command), 0);
	make_again();
	assert_int_equal(access(path, F_OK), -1);
	free(path);
}

static int set_up(void **state)
{
	struct converter *loaded = (struct converter *)(uintptr_t)converter();
	(void)state;
	*loaded = (struct converter){.convert = locus_convert,
				     .result_done = locus_convert_result_done,
				     .inputs = locus_convert_inputs,
				     .inputs_free = locus_convert_inputs_free,
				     .options_text = locus_convert_options_text,
				     .elf_build_id = locus_elf_build_id,
				     .rules_epoch = &locus_convert_rules_epoch};
	return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[64];
	(void)state;
	free(made);
	snprintf(command, sizeof(command), "/bin/rm -r %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_folder_is_what_the_environment_says),
		cmocka_unit_test(what_could_not_be_made_leaves_no_folder),
		cmocka_unit_test(what_was_made_is_found_again),
		cmocka_unit_test(the_longest_build_id),
		cmocka_unit_test(what_was_used_last_is_kept),
		cmocka_unit_test(what_just_fits_is_kept),
		cmocka_unit_test(what_is_asked_for_is_kept),
		cmocka_unit_test(what_a_killed_process_left_is_removed),
	};
	return cmocka_run_group_tests_name("symbol_cache", tests, set_up, tear_down);
}
