/* What becomes of one input: where its output goes, what is told of it in each form, and what is left on the disk. */
#include <sys/resource.h>

#include "cmd/batch/fixture_test.h"

static struct ran ran;

static void run_one(const struct convert_options *options, const char *name)
{
	const struct inputs inputs = inputs_named((const char *[]){name, NULL});
	begin(0);
	run(options, &inputs, &ran);
}

static bool is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

/* ---- What is told ---- */

/* Of an output that is no .locus file, as the converter here writes, nothing is told that is in it. */
#define JSON_RESULT                                                                                                   \
	"\"bytes\":40,\"units\":11,\"intervals\":12,\"contexts\":13,\"functions\":14,\"files\":15,\"name_bytes\":16," \
	"\"threads\":3,\"phases\":["                                                                                  \
	"{\"name\":\"files\",\"wall_us\":500000,\"cpu_us\":250000},"                                                  \
	"{\"name\":\"sections\",\"wall_us\":1500000,\"cpu_us\":1250000},"                                             \
	"{\"name\":\"units\",\"wall_us\":2500000,\"cpu_us\":2250000},"                                                \
	"{\"name\":\"merging\",\"wall_us\":2000,\"cpu_us\":5000},"                                                    \
	"{\"name\":\"blocks\",\"wall_us\":4500000,\"cpu_us\":4250000},"                                               \
	"{\"name\":\"tables\",\"wall_us\":0,\"cpu_us\":0}],"

static void each_end_in_json(void **state)
{
	static const struct {
		const char *name;
		int code;
		const char *out, *err;
	} cases[] = {
		{"ok1", EXIT_OK,
		 "{\"input\":\"ok1\",\"status\":\"ok\",\"output\":\"ok1.locus\",\"unchanged\":false," JSON_RESULT
		 "\"coverage\":{\"line\":500,\"inline\":250,\"line-zero\":30,\"function\":40,\"symbol\":80,\"none\":"
		 "100},"
		 "\"dropped\":{\"bad-range\":17,\"long-line\":18}}\n",
		 ""},
		{"low", EXIT_STALE,
		 "{\"input\":\"low\",\"status\":\"below-requirement\","
		 "\"error\":\"66.67 % of the code has a line, 70.5 % is required\"," JSON_RESULT
		 "\"coverage\":{\"line\":500,\"inline\":0,\"line-zero\":30,\"function\":40,\"symbol\":80,\"none\":100},"
		 "\"dropped\":{\"bad-range\":17,\"long-line\":18}}\n",
		 "locus: low: 66.67 % of the code has a line, 70.5 % is required\n"
		 "locus: low: unit worst.c: 1 of 9 bytes have a line\nlocus: low: unit bad.c: 2 of 8 bytes have a "
		 "line\n"},
		{"none", EXIT_NO_DEBUG, "{\"input\":\"none\",\"status\":\"no-debug\",\"error\":\"it is none\"}\n",
		 "locus: none: it is none\n"},
		{"bad", EXIT_FAILED, "{\"input\":\"bad\",\"status\":\"failed\",\"error\":\"it is bad\"}\n",
		 "locus: bad: it is bad, at offset 0x10\n"},
		{"crash", EXIT_FAILED,
		 "{\"input\":\"crash\",\"status\":\"failed\",\"error\":\"the conversion ended early, with exit status "
		 "7\"}\n",
		 "locus: crash: the conversion ended early, with exit status 7\n"},
		{"absent", EXIT_FAILED,
		 "{\"input\":\"absent\",\"status\":\"failed\",\"error\":\"No such file or directory\"}\n",
		 "locus: absent: No such file or directory\n"},
	};
	const struct convert_options options = {
		.job_max = 3, .json = true, .stats = true, .require_line_percent = 70.5};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		run_one(&options, cases[i].name);
		assert_string_equal(ran.out, cases[i].out);
		assert_string_equal(ran.err, cases[i].err);
		assert_int_equal(ran.code, cases[i].code);
	}
	assert_int_equal(unlink("ok1.locus"), 0);
	assert_false(is_there("low.locus"));
}

static void each_end_in_text(void **state)
{
	static const char stats[] = "ok1.locus\n"
				    "  bytes                     40\n"
				    "  units                     11\n"
				    "  intervals                 12\n"
				    "  contexts                  13\n"
				    "  functions                 14\n"
				    "  files                     15\n"
				    "  name_bytes                16\n"
				    "\n"
				    "time                wall s     CPU s  busy, of 2 threads\n"
				    "  files              0.500     0.250    25 %\n"
				    "  sections           1.500     1.250    42 %\n"
				    "  units              2.500     2.250    45 %\n"
				    "  merging            0.002     0.005   100 %\n"
				    "  blocks             4.500     4.250    47 %\n"
				    "  tables             0.000     0.000     0 %\n"
				    "\n"
				    "coverage                  1000 bytes of code\n";
	struct convert_options options = {.job_max = 2, .stats = true};
	(void)state;
	run_one(&options, "ok1");
	assert_int_equal(ran.code, EXIT_OK);
	if (!begins_with(ran.out, stats))
		assert_string_equal(ran.out, stats);
	assert_non_null(strstr(ran.out, "  inline                   250  25.00 %"));
	assert_non_null(strstr(ran.out, "\ndropped\n  bad-range                 17  "));
	assert_string_equal(ran.err, "");
	options.job_max = 1;
	run_one(&options, "ok1");
	assert_non_null(strstr(ran.out, "busy, of 1 thread\n"));
	assert_non_null(strstr(ran.out, "0.250    50 %\n"));

	static const char *const without[] = {"none", "bad", "absent"};
	for (size_t i = 0; i < COUNT_OF(without); i++) {
		run_one(&options, without[i]);
		assert_string_equal(ran.out, "");
	}
	options.stats = false;
	run_one(&options, "ok1");
	assert_string_equal(ran.out, "");
	assert_int_equal(unlink("ok1.locus"), 0);
}

/* At the very share that is required all is well, and above it nothing is written. */
static void what_is_required(void **state)
{
	static const struct {
		double percent;
		int code;
	} cases[] = {{0, EXIT_OK}, {74.5, EXIT_OK}, {75, EXIT_OK}, {75.001, EXIT_STALE}, {100, EXIT_STALE}};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		run_one(&(struct convert_options){.job_max = 1, .require_line_percent = cases[i].percent}, "ok1");
		assert_int_equal(ran.code, cases[i].code);
		assert_int_equal(is_there("ok1.locus"), cases[i].code == EXIT_OK);
		unlink("ok1.locus");
	}
}

/* ---- Where the output goes ---- */

static void each_output_has_its_place(void **state)
{
	static const struct {
		const char *path;
		size_t base;
		bool is_member;
		struct convert_options options;
		const char *output; /* NULL: refused */
		const char *said;
	} cases[] = {
		{"ok1", 0, false, {.output = NULL}, "ok1.locus", ""},
		{"in/ok1", 3, false, {.output = NULL}, "in/ok1.locus", ""},
		{"in/ok1", 3, false, {.output = "out"}, "out", ""},
		{"in/ok1", 3, false, {.output_directory = "into"}, "into/ok1.locus", ""},
		{"in/ok1", 0, false, {.output_directory = "into"}, "into/in/ok1.locus", ""},
		{"in/ok1", 0, false, {.output_directory = "in/new/"}, "in/new//in/ok1.locus", ""},
		{"in/ok1",
		 0,
		 false,
		 {.output_directory = "in/ok1"},
		 NULL,
		 "locus: in/ok1/in/ok1.locus: Not a directory\n"},
		{"in/ok1", 0, false, {.output_directory = "into", .library.embed = true}, "into/in/ok1", ""},
		{"in/ok1", 0, false, {.output = "out", .library.embed = true}, "out", ""},
		{"lib(ok1)", 0, true, {.output = NULL}, "lib(ok1).locus", ""},
		{"lib(ok1)",
		 0,
		 true,
		 {.library.embed = true},
		 NULL,
		 "locus: lib(ok1): a member of an archive cannot carry symbols: unpack it\n"},
		{"in/lib(ok1/x.o)", 3, true, {.output = NULL}, "in/lib(ok1_x.o).locus", ""},
		{"in/lib(ok1/x/y.o)", 0, true, {.output_directory = "into"}, "into/in/lib(ok1_x_y.o).locus", ""},
		{"in/lib(ok1/x.o)", 3, true, {.output = "in/out"}, "in/out", ""},
		{"in/ok1", 3, false, {.store = "kept"}, "kept/buildid/31/locus", ""},
		{"in/okay",
		 3,
		 false,
		 {.store = "kept"},
		 NULL,
		 "locus: in/okay: has no build-id, by which a store keeps what is made of it\n"},
		{"in/text", 3, false, {.store = "kept"}, NULL, "locus: in/text: it is a text\n"},
		{"in/ok1", 3, false, {.store = "in/ok1"}, NULL, "locus: in/ok1/buildid/31/locus: Not a directory\n"},
		{"in",
		 0,
		 false,
		 {.output = NULL},
		 NULL,
		 "locus: in: a directory; --recursive converts the files in it\n"},
		{"in/ok1",
		 3,
		 false,
		 {.output_directory = "no/no"},
		 NULL,
		 "locus: no/no/ok1.locus: its folder does not exist\n"},
		{"in/ok1",
		 0,
		 false,
		 {.output_directory = "no/no"},
		 NULL,
		 "locus: no/no/in/ok1.locus: its folder does not exist\n"},
		{"fifo", 0, false, {.output = NULL}, NULL, "locus: fifo: not a regular file\n"},
		{"in/ok1", 3, false, {.output = "fifo"}, NULL, "locus: fifo: exists and is not a regular file\n"},
		{"in/ok1",
		 3,
		 false,
		 {.output = "into"},
		 NULL,
		 "locus: into: a directory; --output-dir writes into it\n"},
		{"in/ok1", 3, false, {.output = "away/out"}, NULL, "locus: away/out: its folder does not exist\n"},
	};
	(void)state;
	assert_int_equal(mkdir("in", 0777) + mkdir("into", 0777), 0);
	assert_int_equal(mknod("in/ok1", S_IFREG | 0640, 0), 0);
	assert_int_equal(mknod("in/okay", S_IFREG | 0640, 0), 0);
	assert_int_equal(mknod("in/text", S_IFREG | 0640, 0), 0);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct input input = {.path = (char *)(uintptr_t)cases[i].path,
				      .base = cases[i].base,
				      .is_member = cases[i].is_member,
				      .member_header = cases[i].is_member ? 8 : 0};
		const struct inputs inputs = {.list = &input, .count = 1};
		struct convert_options options = cases[i].options;
		char expected[256];
		if (is_there("ok1") == false)
			assert_int_equal(mknod("ok1", S_IFREG | 0640, 0), 0);
		options.job_max = 1;
		options.library.level = 5;
		begin(0);
		run(&options, &inputs, &ran);
		assert_string_equal(ran.err, cases[i].said);
		assert_int_equal(ran.code, cases[i].output ? EXIT_OK : EXIT_FAILED);
		if (!cases[i].output)
			continue;
		snprintf(expected, sizeof(expected), "%s at level 5, header %d, for %s\n", cases[i].path,
			 cases[i].is_member ? 8 : 0, cases[i].output);
		expect_file(cases[i].output, expected);
		assert_int_equal(unlink(cases[i].output), 0);
	}
	assert_int_equal(system("rm -r in into kept fifo"), 0);
}

static void two_inputs_of_one_output(void **state)
{
	static const struct convert_options options = {.job_max = 2, .output = "out"};
	const struct inputs inputs = inputs_named((const char *[]){"ok1", "ok2", NULL});
	(void)state;
	begin(0);
	run(&options, &inputs, &ran);
	assert_string_equal(ran.err, "locus: ok2: an earlier input has the same output name\n");
	expect_file("out", "ok1 at level 0, header 0, for out\n");
	assert_int_equal(unlink("out"), 0);
}

/* They have one build-id, and are made one after the other, each with what the store has by then. */
static void copies_of_a_program_in_a_store(void **state)
{
	static const struct convert_options options = {.job_max = 3, .store = "kept"};
	const struct inputs inputs = inputs_named((const char *[]){"slow1", "slow1", NULL});
	(void)state;
	begin(0);
	run(&options, &inputs, &ran);
	assert_string_equal(ran.err, "");
	assert_int_equal(ran.code, EXIT_OK);
	assert_int_equal(atomic_load(&shared->begun), 2);
	assert_int_equal(atomic_load(&shared->most), 1);
	expect_file("kept/buildid/31/locus", "slow1 at level 0, header 0, for kept/buildid/31/locus\n");
	assert_int_equal(system("rm -r kept"), 0);
}

static void a_path_that_is_too_long(void **state)
{
	enum { FOLDERS = PATH_MAX / 2 };
	static char path[PATH_MAX + 16], expected[PATH_MAX + 100];
	struct input input = {.path = (char *)(uintptr_t) "ok1"};
	const struct inputs inputs = {.list = &input, .count = 1};
	(void)state;
	for (size_t size = PATH_MAX - 1; size <= PATH_MAX; size++) {
		memset(path, '/', size);
		path[0] = '.';
		path[size] = '\0';
		begin(0);
		run(&(struct convert_options){.job_max = 1, .output_directory = path}, &inputs, &ran);
		snprintf(expected, sizeof(expected), "locus: %s/ok1.locus: File name too long\n", path);
		assert_string_equal(ran.err, expected);
		assert_int_equal(ran.code, EXIT_FAILED);
	}
}

/* The folder for a program is made, but not one in it where the file is to be written: so that folder goes again. */
static void a_store_whose_path_leaves_too_little_room(void **state)
{
	enum { SIZE = PATH_MAX - 20 };
	static char store[SIZE + 1], expected[PATH_MAX + 100];
	(void)state;
	memset(store, '/', SIZE);
	store[0] = '.';
	run_one(&(struct convert_options){.job_max = 1, .store = store}, "ok1");
	snprintf(expected, sizeof(expected), "locus: %s/buildid/31/locus: File name too long\n", store);
	assert_string_equal(ran.err, expected);
	assert_int_equal(ran.code, EXIT_FAILED);
	assert_int_equal(atomic_load(&shared->begun), 0);
	assert_int_equal(rmdir("buildid"), 0);
}

/* Why an input is not converted, as its collector found. */
static void an_input_with_a_problem(void **state)
{
	struct input input = {
		.path = (char *)(uintptr_t) "lib(x)", .is_member = true, .problem = (char *)(uintptr_t) "no"};
	const struct inputs inputs = {.list = &input, .count = 1};
	(void)state;
	begin(0);
	run(&(struct convert_options){.job_max = 1, .json = true}, &inputs, &ran);
	assert_string_equal(ran.err, "locus: lib(x): no\n");
	assert_string_equal(ran.out, "{\"input\":\"lib(x)\",\"status\":\"failed\",\"error\":\"no\"}\n");
}

/*
 * With each descriptor more another step comes to an end; where it is the child's pipe that fails, the output was
 * begun.
 */
static void too_few_descriptors(void **state)
{
	enum { OF_RUN = 3, MOST = OF_RUN + 10 }; /* what run_with opens itself */
	struct rlimit before;
	bool has_begun = false;
	int lowest = dup(STDERR_FILENO);
	(void)state;
	close(lowest);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	for (unsigned room = OF_RUN; room <= MOST; room++) {
		const struct rlimit less = {(rlim_t)lowest + room, before.rlim_max};
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &less), 0);
		run_one(&(struct convert_options){.job_max = 1}, "ok1");
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
		has_begun |= strstr(ran.err, "pipe: Too many open files") != NULL;
		assert_int_equal(is_there("ok1.locus"), ran.code == EXIT_OK);
		assert_int_equal(system("test -z \"$(find . -name '.locus-*')\""), 0);
	}
	assert_true(has_begun);
	assert_int_equal(unlink("ok1.locus"), 0);
}

/* ---- What is there already ---- */

static ino_t inode_of(const char *path)
{
	struct stat found;
	assert_int_equal(stat(path, &found), 0);
	return found.st_ino;
}

static mode_t mode_of(const char *path)
{
	struct stat found;
	assert_int_equal(stat(path, &found), 0);
	return found.st_mode & 07777;
}

static void an_output_with_the_same_bytes(void **state)
{
	struct convert_options options = {.job_max = 1, .json = true, .keep_unchanged = true};
	(void)state;
	run_one(&options, "ok1");
	assert_non_null(strstr(ran.out, "\"unchanged\":false,"));
	ino_t inode = inode_of("ok1.locus");
	run_one(&options, "ok1");
	assert_non_null(strstr(ran.out, "\"unchanged\":true,"));
	assert_true(inode_of("ok1.locus") == inode);
	options.keep_unchanged = false;
	run_one(&options, "ok1");
	assert_non_null(strstr(ran.out, "\"unchanged\":false,"));
	assert_true(inode_of("ok1.locus") != inode);
	options.keep_unchanged = true;
	options.library.level = 1; /* which gives other bytes */
	run_one(&options, "ok1");
	assert_non_null(strstr(ran.out, "\"unchanged\":false,"));
	expect_file("ok1.locus", "ok1 at level 1, header 0, for ok1.locus\n");
	assert_int_equal(unlink("ok1.locus"), 0);
}

static void a_program_that_carries_its_own_keeps_its_mode(void **state)
{
	static const struct convert_options options = {.job_max = 1, .library.embed = true};
	char expected[256];
	(void)state;
	run_one(&options, "ok7");
	assert_int_equal(chmod("ok7", 04751), 0);
	assert_int_equal(symlink("ok7", "oklink7"), 0);
	run_one(&options, "oklink7");
	assert_int_equal(ran.code, EXIT_OK);
	assert_int_equal(mode_of("ok7"), 04751);
	assert_int_equal(readlink("oklink7", expected, sizeof(expected)), 3); /* which stays a link */
	snprintf(expected, sizeof(expected), "oklink7 at level 0, header 0, for %s/ok7\n", scratch_folder);
	expect_file("ok7", expected);
	const struct convert_options elsewhere = {.job_max = 1, .library.embed = true, .output = "out"};
	run_one(&elsewhere, "ok7");
	assert_int_equal(mode_of("out"), 04751); /* as where it is made anew */
	assert_int_equal(unlink("ok7") + unlink("oklink7") + unlink("out"), 0);
	run_one(&(struct convert_options){.job_max = 1}, "ok1");
	assert_int_equal(mode_of("ok1.locus"), 0600); /* as it was made */
	assert_int_equal(unlink("ok1.locus"), 0);
}

/* What is left of an earlier build is out of date; but neither the input nor a store's file is removed. */
static void an_earlier_output_of_what_has_no_debug_information(void **state)
{
	struct convert_options options = {.job_max = 1, .allow_no_debug = true, .json = true};
	(void)state;
	assert_int_equal(system("printf '\\214LCS\\r\\n\\032\\n' > none1.locus"), 0);
	for (int i = 0; i < 2; i++) {
		run_one(&options, "none1");
		assert_string_equal(ran.out,
				    "{\"input\":\"none1\",\"status\":\"no-debug\",\"error\":\"it is none1\"}\n");
		assert_string_equal(ran.err, "");
		assert_int_equal(ran.code, EXIT_OK);
		assert_false(is_there("none1.locus"));
	}
	options.library.embed = true;
	run_one(&options, "none1");
	assert_int_equal(ran.code, EXIT_OK);
	assert_true(is_there("none1"));

	options = (struct convert_options){.job_max = 1, .allow_no_debug = true, .store = "kept"};
	assert_int_equal(system("mkdir -p kept/buildid/31 && touch kept/buildid/31/locus none1.locus"), 0);
	run_one(&options, "none1");
	assert_int_equal(ran.code, EXIT_OK);
	assert_true(is_there("kept/buildid/31/locus"));

	/* What is no .locus file was never an output: it may be a companion that was named. */
	run_one(&(struct convert_options){.job_max = 1, .allow_no_debug = true}, "none1");
	assert_int_equal(ran.code, EXIT_OK);
	assert_true(is_there("none1.locus"));

	/* Where that is a failure, nothing is touched. */
	run_one(&(struct convert_options){.job_max = 1}, "none1");
	assert_int_equal(ran.code, EXIT_NO_DEBUG);
	assert_true(is_there("none1.locus"));
	assert_int_equal(system("rm -r kept none1.locus"), 0);
}

static void nothing_is_left_of_what_failed(void **state)
{
	static const char *const names[] = {"bad", "none", "crash", "low"};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		run_one(&(struct convert_options){.job_max = 1, .output = "out", .require_line_percent = 99}, names[i]);
		assert_false(is_there("out"));
		assert_int_equal(system("test -z \"$(find . -name '.locus-*')\""), 0);
	}
}

/* ---- Rules for make, and what is on the disk ---- */

static void which_files_a_rule_names(void **state)
{
	static const struct {
		const char *name;
		bool allow_no_debug;
		const char *rule;
	} cases[] = {
		{"ok1", false, "ok1.locus: ok1 \\\n  other=file\n"},
		{"none1", true, "none1.locus: none1\n"},
		{"none1", false, ""},
		{"bad1", true, ""},
		{"low1", false, ""},
		{"absent1", true, ""},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		static struct out out;
		const struct convert_options options = {
			.job_max = 1, .require_line_percent = 70, .allow_no_debug = cases[i].allow_no_debug};
		struct job_context context = {.options = &options, .out = &out, .depfile = {.path = "rules"}};
		const struct inputs inputs = inputs_named((const char *[]){cases[i].name, NULL});
		begin(0);
		run_with(&context, &inputs, &ran);
		assert_int_equal(context.depfile.rules.size, strlen(cases[i].rule));
		if (context.depfile.rules.size)
			assert_memory_equal(context.depfile.rules.bytes, cases[i].rule, context.depfile.rules.size);
		depfile_done(&context.depfile);
	}
	unlink("ok1.locus");
}

static void outputs_are_on_the_disk_as_is_asked(void **state)
{
	static const struct {
		enum durability durability;
		const char *made;
		size_t noted;
	} cases[] = {
		{DURABLE_NONE, "ok1 at level 0, header 0, for ok1.locus\n", 0},
		{DURABLE_FILE, "ok1 at level 0, header 0, for ok1.locus, on the disk\n", 0},
		{DURABLE_BATCH, "ok1 at level 0, header 0, for ok1.locus\n", 1},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		static struct out out;
		const struct convert_options options = {.job_max = 1, .durability = cases[i].durability};
		struct job_context context = {
			.options = &options, .out = &out, .durable.durability = cases[i].durability};
		const struct inputs inputs = inputs_named((const char *[]){"ok1", NULL});
		begin(0);
		run_with(&context, &inputs, &ran);
		expect_file("ok1.locus", cases[i].made);
		assert_int_equal(context.durable.count, cases[i].noted);
		assert_true(durable_finish(&context.durable));
	}
	unlink("ok1.locus");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_end_in_json),
		cmocka_unit_test(each_end_in_text),
		cmocka_unit_test(what_is_required),
		cmocka_unit_test(each_output_has_its_place),
		cmocka_unit_test(two_inputs_of_one_output),
		cmocka_unit_test(copies_of_a_program_in_a_store),
		cmocka_unit_test(a_path_that_is_too_long),
		cmocka_unit_test(a_store_whose_path_leaves_too_little_room),
		cmocka_unit_test(an_input_with_a_problem),
		cmocka_unit_test(too_few_descriptors),
		cmocka_unit_test(an_output_with_the_same_bytes),
		cmocka_unit_test(a_program_that_carries_its_own_keeps_its_mode),
		cmocka_unit_test(an_earlier_output_of_what_has_no_debug_information),
		cmocka_unit_test(nothing_is_left_of_what_failed),
		cmocka_unit_test(which_files_a_rule_names),
		cmocka_unit_test(outputs_are_on_the_disk_as_is_asked),
	};
	return cmocka_run_group_tests_name("job", tests, fixture_set_up, fixture_tear_down);
}
