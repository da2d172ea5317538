/*
 * By which program each file is judged, what a verdict says then, and in which order verdicts come. The judgements are
 * made by processes, as always, with a converter that is none.
 */
#include "cmd/check/judge_files.h"

#include "cmd/check/fixture_test.h"

/* As text, of which each verdict is a line: "FILE, by ELF: STATUS" and what else it says. */
struct taken {
	char text[4096];
	size_t count, stop_at;
};

static bool take(void *context, const struct verdict *verdict)
{
	struct taken *taken = context;
	char *at = taken->text + strlen(taken->text), *end = taken->text + sizeof(taken->text);
	at += snprintf(at, (size_t)(end - at), "%s", verdict->file->path);
	if (verdict->elf)
		at += snprintf(at, (size_t)(end - at), ", by %s", verdict->elf);
	at += snprintf(at, (size_t)(end - at), ": %d", (int)verdict->status);
	if (verdict->status != LOCUS_OK)
		at += snprintf(at, (size_t)(end - at), " %s @%d", error_text(verdict->status, &verdict->error),
			       (int)verdict->error.offset);
	if (verdict->stale[0])
		at += snprintf(at, (size_t)(end - at), " stale %s", verdict->stale);
	if (verdict->comparison)
		at += snprintf(at, (size_t)(end - at), " %d of %d differ, says %s", (int)verdict->comparison->differing,
			       (int)verdict->comparison->asked, verdict->comparison->differences[0].source_says);
	snprintf(at, (size_t)(end - at), "\n");
	return ++taken->count != taken->stop_at;
}

static const struct locus_convert_options no_options;

static void judge(const struct judging *judging, const struct found_file *list, size_t count, struct taken *taken)
{
	const struct found_files files = {.list = (struct found_file *)(uintptr_t)list, .count = count};
	fflush(NULL); /* or each process writes it again when it ends */
	taken->text[0] = '\0';
	taken->count = 0;
	judge_files(&files, judging, take, taken);
}

static void judge_one(const struct judging *judging, const char *path, const char *expected)
{
	const struct found_file file = {.path = (char *)(uintptr_t)path};
	struct taken taken = {.stop_at = SIZE_MAX};
	judge(judging, &file, 1, &taken);
	assert_string_equal(taken.text, expected);
}

/* ---- Tests ---- */

static void what_a_verdict_says(void **state)
{
	static const struct {
		const char *elf;
		bool compares;
		const char *expected;
	} cases[] = {
		{"same", false, "made, by same: 0\n"},
		{"other", false,
		 "made, by other: 0 stale the program app has 2 bytes, and had 1 when it was converted\n"},
		{"bad", false, "made, by bad: 11 no such program @5\n"},
		{"crash", false, "made, by crash: 12 the conversion ended early, with exit status 7 @-1\n"},
		{"same", true, "made, by same: 0 1 of 2 differ, says something else\n"},
		{"bad", true, "made, by bad: 11 no such program @5\n"},
		{"crash", true, "made, by crash: 12 the conversion ended early, with exit status 7 @-1\n"},
	};
	(void)state;
	write_made("made");
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct judging judging = {
			.elf = cases[i].elf, .options = &no_options, .job_count = 1, .compares = cases[i].compares};
		judge_one(&judging, "made", cases[i].expected);
	}
}

/* Where times are enough no process is asked, and nothing is said of the program. */
static void a_file_that_is_newer_than_its_program(void **state)
{
	struct judging judging = {.elf = "older", .options = &no_options, .job_count = 1, .look = LOOK_AT_TIMES};
	(void)state;
	assert_int_equal(mknod("older", S_IFREG | 0600, 0), 0);
	assert_int_equal(truncate("older", 1), 0);
	freshness_touch("older", &(struct timespec){1000, 0});
	judge_one(&judging, "made", "made: 0\n");
	judging.compares = true;
	judge_one(&judging, "made", "made, by older: 0 1 of 2 differ, says something else\n");
	assert_int_equal(unlink("older"), 0);
}

static void a_file_that_is_not_whole(void **state)
{
	const struct judging fresh = {.elf = "same", .options = &no_options, .job_count = 1},
			     source = {.elf = "same", .options = &no_options, .job_count = 1, .compares = true};
	(void)state;
	judge_one(&fresh, "absent", "absent: 1 No such file or directory @-1\n");
	judge_one(&source, "absent", "absent: 1 No such file or directory @-1\n");
	write_made("old");
	patch("old", 8, 1); /* the version, which is 2 (FORMAT.md 3) */
	judge_one(&fresh, "old", "old: 0 stale format version 1 is no longer read: convert the program again\n");
	judge_one(&source, "old", "old: 5 format version 1 is no longer read: convert the program again @8\n");
	assert_int_equal(unlink("old"), 0);
}

static void the_program_of_a_file_in_a_tree(void **state)
{
	static const struct {
		const char *path;
		size_t base;
		const char *elf;
	} cases[] = {
		{"p.locus", 0, "p"},
		{"p", 0, "p"},
		{"p.locus.locus", 0, "p.locus"},
		{".locus", 0, ".locus"},
		{"xlocus", 0, "xlocus"},
		{"in/p.locus", 3, "p"},
		{"in/p.locus", 0, "in/p"},
		{"buildid/abc/locus", 0, ".build-id/ab/c.debug"},
		{"in/buildid/0123ab/locus", 17, ".build-id/01/23ab.debug"},
		{"buildid/ab/locus", 11, "locus"}, /* a build-id has two bytes and more */
		{"buildid/locus", 8, "locus"},
		{"xuildid/abc/locus", 12, "locus"},
		{"xbuildid/abc/locus", 13, "locus"},
		{"buildid/axc/locus", 12, "locus"},
		{"abc/locus", 4, "locus"},
		{"buildid/abc/xlocus", 12, "xlocus"},
		{"buildid/abc/in/locus", 15, "locus"},
	};
	struct judging judging = {.elf = "tree", .options = &no_options, .job_count = 1};
	(void)state;
	assert_int_equal(mkdir("tree", 0777), 0);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct found_file file = {.path = (char *)(uintptr_t)cases[i].path, .base = cases[i].base};
		struct taken taken = {.stop_at = SIZE_MAX};
		char command[256], expected[256];
		snprintf(command, sizeof(command), "mkdir -p \"$(dirname %s)\" && cp made %s", cases[i].path,
			 cases[i].path);
		assert_int_equal(system(command), 0);
		judge(&judging, &file, 1, &taken);
		snprintf(expected, sizeof(expected), "%s, by tree/%s: 0\n", cases[i].path, cases[i].elf);
		assert_string_equal(taken.text, expected);
		assert_int_equal(unlink(cases[i].path), 0);
	}
	assert_int_equal(rmdir("tree"), 0);
}

static void verdicts_come_in_order(void **state)
{
	static const char *const names[] = {"slow1", "bad2", "absent3", "slow4", "crash5", "same6", "same7"};
	static const char all[] = "slow1, by by/slow1: 0\nbad2, by by/bad2: 11 no such program @5\n"
				  "absent3: 1 No such file or directory @-1\nslow4, by by/slow4: 0\n"
				  "crash5, by by/crash5: 12 the conversion ended early, with exit status 7 @-1\n"
				  "same6, by by/same6: 0\nsame7, by by/same7: 0\n";
	static const unsigned job_counts[] = {1, 2, 3, 50, CHILD_MAX + 1};
	struct found_file list[COUNT_OF(names)];
	(void)state;
	assert_int_equal(mkdir("by", 0777), 0);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		list[i] = (struct found_file){.path = (char *)(uintptr_t)names[i]};
		if (i != 2)
			write_made(names[i]);
	}
	for (size_t i = 0; i < COUNT_OF(job_counts); i++) {
		const struct judging judging = {.elf = "by", .options = &no_options, .job_count = job_counts[i]};
		struct taken taken = {.stop_at = SIZE_MAX};
		judge(&judging, list, COUNT_OF(names), &taken);
		assert_string_equal(taken.text, all);

		/* Nobody wants more than two. */
		taken.stop_at = 2;
		judge(&judging, list, COUNT_OF(names), &taken);
		assert_int_equal(taken.count, 2);
		assert_memory_equal(taken.text, all, strlen(taken.text));
	}
	const struct judging judging = {.elf = "by", .options = &no_options, .job_count = 2};
	struct taken none = {.stop_at = SIZE_MAX};
	judge(&judging, list, 0, &none);
	assert_int_equal(none.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_verdict_says),      cmocka_unit_test(a_file_that_is_newer_than_its_program),
		cmocka_unit_test(a_file_that_is_not_whole), cmocka_unit_test(the_program_of_a_file_in_a_tree),
		cmocka_unit_test(verdicts_come_in_order),
	};
	return cmocka_run_group_tests_name("judge_files", tests, judged_set_up, judged_tear_down);
}
