/* Which files of a folder are checked, in which order, and what they are called in it. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/check/found_files.h"

static char folder[] = "/tmp/locus-found-XXXXXX";

static char *in_folder(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void make_file(const char *name)
{
	fclose(fopen(in_folder(name), "w"));
}

static int set_up(void **state)
{
	static const char *const files[] = {"tree/b.locus",     "tree/.locus", "tree/xlocus",     "tree/locus.txt",
					    "tree/a.locus",     "tree/locus",  "tree/12ef/locus", "tree/deep/locus",
					    "tree/deep/c.locu", "other",       "no-store/buildid"};

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	mkdir(in_folder("tree"), 0777);
	mkdir(in_folder("tree/deep"), 0777);
	mkdir(in_folder("tree/12ef"), 0777);
	mkdir(in_folder("tree/d.locus"), 0777);
	mkdir(in_folder("many"), 0777);
	mkdir(in_folder("store"), 0777);
	mkdir(in_folder("store/buildid"), 0777);
	mkdir(in_folder("no-store"), 0777);
	mkdir(in_folder("moved"), 0777);
	mkdir(in_folder("lost"), 0777);
	mkdir(in_folder("round"), 0777);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		make_file(files[i]);
	return mkfifo(in_folder("tree/pipe.locus"), 0600) || mkfifo(in_folder("tree/pipe"), 0600) ||
	       symlink("a.locus", in_folder("tree/link.locus")) || symlink("deep", in_folder("tree/e")) ||
	       symlink("tree", in_folder("named")) || symlink("circle", in_folder("circle")) ||
	       symlink("absent", in_folder("dangling")) || symlink("../tree", in_folder("moved/buildid")) ||
	       symlink("absent", in_folder("lost/buildid")) || symlink("../round", in_folder("round/buildid"));
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

/* Each as "NAME", or "NAME!" if there is something against it, by the name that it has in what was searched. */
static void check(const char *name, const char *expected)
{
	struct found_files files = {0};
	char text[512] = "";

	found_files_add(&files, in_folder(name));
	for (size_t i = 0; i < files.count; i++) {
		const struct found_file *file = &files.list[i];
		assert_memory_equal(file->path, folder, strlen(folder));
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s%s", i ? " " : "",
			 file->path + file->base, file->error || file->text ? "!" : "");
	}
	assert_string_equal(text, expected);
	found_files_done(&files);
	assert_int_equal(files.count, 0);
}

static void files_of_folders(void **state)
{
	static const char tree[] = "12ef/locus a.locus b.locus link.locus pipe.locus!";

	(void)state;
	check("tree", tree);
	check("tree/", tree);
	check("named", tree);
	check("tree/12ef", "locus");
	check("tree/12ef/", "locus");
	check("tree/deep/locus", "locus");
	check("other", "other");
	check("tree/pipe", "pipe!");
	check("tree/a.locus", "a.locus");
	check("absent", "absent!");
	check("store", "");
	check("moved", "buildid/12ef/locus buildid/a.locus buildid/b.locus buildid/link.locus buildid/pipe.locus!");
	check("lost", "buildid!");
	check("round", "");
}

static void reasons(void **state)
{
	struct found_files files = {0};

	(void)state;
	found_files_add(&files, in_folder("absent"));
	found_files_add(&files, in_folder("tree/pipe"));
	found_files_add(&files, in_folder("tree/d.locus"));
	found_files_add(&files, "");
	found_files_add(&files, in_folder("circle"));
	found_files_add(&files, in_folder("dangling"));
	found_files_add(&files, in_folder("no-store"));
	assert_int_equal(files.count, 7);
	assert_int_equal(files.list[0].error, ENOENT);
	assert_null(files.list[0].text);
	assert_int_equal(files.list[1].error, 0);
	assert_string_equal(files.list[1].text, "not a regular file");
	assert_int_equal(files.list[2].error, 0);
	assert_string_equal(files.list[2].text, "no .locus file in it");
	assert_int_equal(files.list[3].error, ENOENT);
	assert_int_equal(files.list[4].error, ELOOP);
	assert_int_equal(files.list[5].error, ENOENT);
	assert_int_equal(files.list[6].error, 0);
	assert_string_equal(files.list[6].text, "no .locus file in it");
	found_files_done(&files);
}

static void many_files_come_in_order(void **state)
{
	enum { COUNT = 200 };
	struct found_files files = {0};
	char name[32];

	(void)state;
	for (int i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "many/%03d.locus", i);
		make_file(name);
	}
	found_files_add(&files, in_folder("many"));
	assert_int_equal(files.count, COUNT);
	for (int i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "many/%03d.locus", i);
		assert_string_equal(files.list[i].path, in_folder(name));
	}
	found_files_done(&files);
}

/* In a store and in another folder. What is locked, as by a conversion that runs, or holds something else, stays. */
static void what_killed_conversions_left(void **state)
{
	static const char *const gone[] = {"cleared/buildid/00", "cleared/buildid/11",
					   "cleared/buildid/11/.locus-aaaaaa", "cleared/.locus-aaaaaa"};
	static const char *const kept[] = {
		"cleared/buildid",    "cleared/buildid/22",      "cleared/buildid/22/.locus-bbbbbb",
		"cleared/buildid/33", "cleared/buildid/33/kept", "cleared/buildid/name",
		"cleared/44",         "cleared/mybuildid",       "cleared/mybuildid/00"};
	struct found_files files = {.clears = false};

	(void)state;
	mkdir(in_folder("cleared"), 0777);
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		assert_int_equal(mkdir(in_folder(kept[i]), 0700), 0);
	for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
		assert_int_equal(mkdir(in_folder(gone[i]), 0700), 0);
	make_file("cleared/buildid/11/.locus-aaaaaa/out");
	make_file("cleared/buildid/22/.locus-bbbbbb/passed-over.locus");
	int running = open(in_folder("cleared/buildid/22/.locus-bbbbbb"), O_RDONLY | O_DIRECTORY);
	assert_int_equal(flock(running, LOCK_EX), 0);

	found_files_add(&files, in_folder("cleared"));
	for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
		assert_int_equal(access(in_folder(gone[i]), F_OK), 0);
	files.clears = true;
	found_files_add(&files, in_folder("cleared"));
	assert_int_equal(files.count, 0);
	for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
		assert_int_not_equal(access(in_folder(gone[i]), F_OK), 0);
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		assert_int_equal(access(in_folder(kept[i]), F_OK), 0);
	close(running);
	found_files_done(&files);

	/* What is named itself stays, too, if nothing is in it. */
	assert_int_equal(mkdir(in_folder("cleared/buildid/55"), 0700), 0);
	files.clears = true;
	found_files_add(&files, in_folder("cleared/buildid/55"));
	assert_int_equal(access(in_folder("cleared/buildid/55"), F_OK), 0);
	found_files_done(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_folders),
		cmocka_unit_test(reasons),
		cmocka_unit_test(many_files_come_in_order),
		cmocka_unit_test(what_killed_conversions_left),
	};

	return cmocka_run_group_tests_name("found files", tests, set_up, tear_down);
}
