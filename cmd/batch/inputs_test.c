/* Which inputs a batch has, what each is called, and what is said of those that cannot be had. */
#include "cmd/batch/fixture_test.h"

static char said[TEXT_MAX];

static void put_file(const char *path, const char *text, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, size), size);
	close(fd);
}

static void put_program(const char *path)
{
	put_file(path, "\177ELF", 4);
}

/*
 * Each as "NAME" or "FOLDER|NAME" (what is behind the bar names the output), its size, "(" and where its header is, if
 * it is a member, and "!" and its problem.
 */
static void expect_inputs(const struct inputs *inputs, const char *expected)
{
	char text[4096] = "";
	uint64_t size = 0;
	for (size_t i = 0; i < inputs->count; i++) {
		const struct input *input = &inputs->list[i];
		size_t used = strlen(text);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.*s%s%s %d", i ? ", " : "",
					 (int)input->base, input->path, input->base ? "|" : "",
					 input->path + input->base, (int)input->size);
		if (input->is_member)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " (%d", (int)input->member_header);
		if (input->problem)
			snprintf(text + used, sizeof(text) - used, " !%s", input->problem);
		size += input->size;
	}
	assert_string_equal(text, expected);
	assert_true(inputs->size == size);
}

/* An input that is added alone. */
static void expect(const char *path, bool is_recursive, const char *expected, const char *expected_said, int code)
{
	struct inputs inputs = {0};
	struct caught caught = catch_errors();
	inputs_add(&inputs, path, is_recursive);
	end_catching(&caught, said);
	expect_inputs(&inputs, expected);
	assert_string_equal(said, expected_said);
	assert_int_equal(inputs.code, code);
	inputs_done(&inputs);
	assert_int_equal(inputs.count, 0);
}

static void files_are_named_by_their_last_part_or_their_build_id(void **state)
{
	static const struct {
		const char *path, *expected;
	} cases[] = {
		{"absent", "absent 0"},
		{"/absent", "/|absent 0"},
		{"a/absent", "a/|absent 0"},
		{"/x/y/absent", "/x/y/|absent 0"},
		{".build-id/ab/cdef.debug", ".build-id/|ab/cdef.debug 0"},
		{"/usr/.build-id/ab/cdef", "/usr/.build-id/|ab/cdef 0"},
		{".build-id/abc/def", ".build-id/abc/|def 0"},
		{".build-id/a/bcdef", ".build-id/a/|bcdef 0"},
		{"build-id/ab/cdef", "build-id/ab/|cdef 0"},
		{"/ab/cdef", "/ab/|cdef 0"},
		{"xy/ab/cdef", "xy/ab/|cdef 0"},
		{"a/b", "a/|b 0"},
		{"ab/cdef", "ab/|cdef 0"},
		{"lib(x)", "lib(x) 0"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		expect(cases[i].path, false, cases[i].expected, "", EXIT_OK);
}

static void what_is_found_in_a_folder(void **state)
{
	static const char *const others[] = {"tree/text", "tree/x.ko", "tree/x.ko.bz2", "tree/deep/y.xz"};
	struct inputs inputs = {0};
	struct stat folder;
	char itself[64];
	(void)state;
	assert_int_equal(mkdir("tree", 0755) + mkdir("tree/deep", 0755) + mkdir("hollow", 0755), 0);
	put_program("tree/b");
	put_program("tree/deep/c");
	put_program("tree/a");
	put_file("tree/m.ko.xz", "12345", 5);
	put_file("tree/m.ko.zst", "1", 1);
	put_file("tree/deep/n.ko.gz", "", 0);
	for (size_t i = 0; i < COUNT_OF(others); i++)
		put_file(others[i], "text", 4);
	assert_int_equal(mkfifo("tree/fifo", 0600) + symlink("a", "tree/link") + symlink("deep", "tree/more"), 0);
	assert_int_equal(symlink("tree/deep", "named"), 0);

	static const char found[] =
		"tree/|a 4, tree/|b 4, tree/|deep/c 4, tree/|deep/n.ko.gz 0, tree/|m.ko.xz 5, tree/|m.ko.zst 1";
	expect("tree", true, found, "", EXIT_OK);
	expect("tree/", true, found, "", EXIT_OK);
	expect("named", true, "named/|c 4, named/|n.ko.gz 0", "", EXIT_OK); /* a link that is named itself */
	assert_int_equal(stat("tree", &folder), 0);                         /* its size depends on the file system */
	snprintf(itself, sizeof(itself), "tree %d", (int)folder.st_size);
	expect("tree", false, itself, "", EXIT_OK); /* which a conversion refuses */
	expect("tree/a", true, "tree/|a 4", "", EXIT_OK);
	expect("hollow", true, "", "locus: hollow: no ELF file in it\n", EXIT_FAILED);
	expect("tree/text", true, "tree/|text 4", "", EXIT_OK);
	inputs_add(&inputs, "tree", true);
	assert_int_equal(inputs.skipped, COUNT_OF(others));
	inputs_done(&inputs);
	inputs_done(&inputs);
}

/* As another user than root, who may read everything; where nobody can become one, it is not tried. */
static void what_may_not_be_read(void **state)
{
	(void)state;
	assert_int_equal(mkdir("shut", 0755) + mkdir("shut/away", 0755) + chmod(scratch_folder, 0755), 0);
	put_program("shut/away/a");
	put_program("shut/b");
	assert_int_equal(chmod("shut/away", 0) + chmod("shut/b", 0), 0);
	bool may_read_all = access("shut/b", R_OK) == 0;
	if (may_read_all && seteuid(65534) != 0) {
		assert_int_equal(chmod("shut/away", 0755), 0);
		skip();
	}
	expect("shut", true, "shut/|b 4", "locus: shut/away: Permission denied\n", EXIT_FAILED);
	expect("shut/away", true, "", "locus: shut/away: Permission denied\n", EXIT_FAILED);
	expect("shut/away/a", true, "shut/away/|a 0", "", EXIT_OK); /* a conversion says why */
	if (may_read_all)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(chmod("shut/away", 0755), 0);
}

/* ---- Archives ---- */

static enum locus_status archive_status;
static const char *archive_asked;

static enum locus_status list_members(const char *path, locus_archive_tell *tell, void *context, bool *ret_is_archive,
				      struct locus_error *error)
{
	static const struct locus_archive_member members[] = {
		{"in/lib(a.o)", 7, 60, NULL}, {"in/lib(x/b.o)", 0, 140, NULL}, {"in/lib(c.o)", 3, 200, "no ELF file"}};
	bool is_hollow = strstr(path, "hollow");
	archive_asked = path;
	if (strstr(path, "cut"))
		raise(SIGBUS); /* as the system does where a page of the file is gone */
	*ret_is_archive = !strstr(path, "none");
	for (size_t i = 0; i < COUNT_OF(members) && *ret_is_archive && !is_hollow; i++)
		tell(context, &members[i]);
	snprintf(error->text, sizeof(error->text), "cut short");
	error->offset = 300;
	return archive_status;
}

static int leased_fd;

/* Comes when the file is about to be opened, which waits for nobody. */
static void remove_next(int number)
{
	(void)number;
	rmdir("passing/b");
	fcntl(leased_fd, F_SETLEASE, F_UNLCK);
}

/*
 * As builds remove folders while they are read. The lease of a file tells of the moment between the reading of the
 * folder and that of what is in it: it is when the file, which comes first, is looked at.
 */
static void what_is_gone_since_its_folder_was_read_is_no_input(void **state)
{
	const struct sigaction action = {.sa_handler = remove_next};
	struct sigaction before;
	(void)state;
	assert_int_equal(mkdir("passing", 0755) + mkdir("passing/b", 0755), 0);
	put_program("passing/a");
	put_program("passing/c");
	leased_fd = open("passing/a", O_RDWR | O_CLOEXEC);
	assert_int_equal(sigaction(SIGIO, &action, &before), 0);
	bool is_leased = fcntl(leased_fd, F_SETLEASE, F_WRLCK) == 0;
	if (is_leased) {
		expect("passing", true, "passing/|a 4, passing/|c 4", "", EXIT_OK);
		assert_int_equal(access("passing/b", F_OK), -1);
	}
	assert_int_equal(sigaction(SIGIO, &before, NULL), 0);
	close(leased_fd);
	if (!is_leased) /* some file systems have none */
		skip();
}

static void archives_are_their_members(void **state)
{
	static const char all[] = "in/|lib(a.o) 7 (60, in/|lib(x/b.o) 0 (140, in/|lib(c.o) 3 (200 !no ELF file";
	struct converter *loaded = (struct converter *)(uintptr_t)converter();
	(void)state;
	loaded->archive_members = list_members;
	assert_int_equal(mkdir("in", 0755), 0);
	put_file("in/lib", "!<arch>\n...", 11);
	put_file("in/thin", "!<thin>\n", 8);
	put_file("in/hollow", "!<arch>\n", 8);
	put_file("in/none", "!<arch>\n", 8);
	put_file("in/cut", "!<arch>\n", 8);
	put_file("in/other", "!<arch>", 7);

	archive_status = LOCUS_OK;
	expect("in/lib", false, all, "", EXIT_OK);
	expect("in/thin", false, all, "", EXIT_OK);
	expect("in/hollow", false, "in/|hollow 8", "", EXIT_OK);
	expect("in/none", false, "in/|none 8", "", EXIT_OK);
	archive_asked = NULL;
	expect("in/other", false, "in/|other 7", "", EXIT_OK);
	assert_null(archive_asked);
	archive_status = LOCUS_ERR_BAD_ELF;
	expect("in/lib", false, all, "locus: in/lib: cut short, at offset 0x12c\n", EXIT_FAILED);
	expect("in/none", false, "", "locus: in/none: cut short, at offset 0x12c\n", EXIT_FAILED);
	expect("in/cut", false, "", "locus: in/cut: it was cut short while it was read, or cannot be read\n",
	       EXIT_FAILED);
	/* In a folder archives are no programs. */
	put_program("in/a");
	expect("in", true, "in/|a 4", "", EXIT_OK);
}

static void an_archive_cannot_be_read_without_the_converter(void **state)
{
	struct converter *loaded = (struct converter *)(uintptr_t)converter(), before = *loaded;
	struct inputs inputs = {0};
	(void)state;
	loaded->convert = NULL; /* and the library is not beside this program */
	struct caught caught = catch_errors();
	inputs_add(&inputs, "in/lib", false);
	end_catching(&caught, said);
	assert_true(begins_with(said, "locus: the converter cannot be loaded: "));
	assert_int_equal(inputs.code, EXIT_FAILED);
	assert_int_equal(inputs.count, 0);
	inputs_done(&inputs);
	*loaded = before;
}

static void one_member_is_named_by_its_archive(void **state)
{
	static const struct {
		const char *path, *expected;
	} cases[] = {
		{"in/lib(a.o)", "in/|lib(a.o) 0 (0"},
		{"in/lib(a.o", "in/|lib(a.o 0"},
		{"in/libx(a.o)", "in/|libx(a.o) 0"},
		{"in/lib(a)(b)", "in/|lib(a)(b) 0 (0"},
		{"in/lib)", "in/|lib) 0"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		expect(cases[i].path, false, cases[i].expected, "", EXIT_OK);
	put_program("in/lib(b.o)"); /* a file of that name is that file */
	expect("in/lib(b.o)", false, "in/|lib(b.o) 4", "", EXIT_OK);
	unlink("in/lib(b.o)");
}

/* ---- Lists ---- */

static void each_line_of_a_list_is_an_input(void **state)
{
	static const struct {
		const char *text;
		size_t size;
		const char *expected;
	} cases[] = {
		{"", 0, ""},
		{"\n", 1, ""},
		{"a", 1, "a 0"},
		{"a\n", 2, "a 0"},
		{"a\nb", 3, "a 0, b 0"},
		{"\na\n\nb c\n", 8, "a 0, b c 0"},
		{"a\0", 2, "a 0"},
		{"\0a\0\0b\nc\0", 8, "a 0, b\nc 0"},
		{"a\nb\0c", 5, "a\nb 0, c 0"},
		{"tree/a\n", 7, "tree/|a 4"},
		{"hollow/\n", 8, ""}, /* is_recursive is handed on */
	};
	struct stat list;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		for (int from_input = 0; from_input < 2; from_input++) {
			struct inputs inputs = {0};
			put_file("list", cases[i].text, cases[i].size);
			if (from_input)
				assert_non_null(freopen("list", "r", stdin));
			struct caught caught = catch_errors();
			inputs_add_list(&inputs, from_input ? "-" : "list", true);
			end_catching(&caught, said);
			expect_inputs(&inputs, cases[i].expected);
			assert_int_equal(inputs.code, strstr(cases[i].text, "hollow") ? EXIT_FAILED : EXIT_OK);
			assert_int_equal(stat("list", &list), 0);
			assert_true(inputs_have(&inputs, &list)); /* so that no output replaces it */
			inputs_done(&inputs);
		}
}

static void lists_that_cannot_be_read(void **state)
{
	static const struct {
		const char *list, *said;
	} cases[] = {{"no-list", "locus: no-list: No such file or directory\n"},
		     {"tree", "locus: tree: Is a directory\n"},
		     {"-", "locus: standard input: Is a directory\n"},
		     {"program", "locus: program: an ELF file, not a list of paths; to convert it, give it without "
				 "--files-from\n"},
		     {"short-program", "locus: short-program: an ELF file, not a list of paths; to convert it, give it "
				       "without --files-from\n"}};
	(void)state;
	put_file("program", "\177ELF\2\1\1\0\0a\nb", 12);
	put_file("short-program", "\177ELF\na", 6);
	assert_non_null(freopen("tree", "r", stdin));
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct inputs inputs = {0};
		struct caught caught = catch_errors();
		inputs_add_list(&inputs, cases[i].list, false);
		end_catching(&caught, said);
		assert_string_equal(said, cases[i].said);
		assert_int_equal(inputs.code, EXIT_FAILED);
		assert_int_equal(inputs.count, 0);
		inputs_done(&inputs);
	}
}

static void very_many_inputs_stay_in_order(void **state)
{
	enum { COUNT = 1000 };
	struct inputs inputs = {0};
	char name[24];
	(void)state;
	for (int i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "absent%d", i);
		inputs_add(&inputs, name, false);
	}
	assert_int_equal(inputs.count, COUNT);
	for (int i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "absent%d", i);
		assert_string_equal(inputs.list[i].path, name);
		assert_false(inputs.list[i].is_member);
	}
	inputs_done(&inputs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_named_by_their_last_part_or_their_build_id),
		cmocka_unit_test(what_is_found_in_a_folder),
		cmocka_unit_test(what_may_not_be_read),
		cmocka_unit_test(what_is_gone_since_its_folder_was_read_is_no_input),
		cmocka_unit_test(archives_are_their_members),
		cmocka_unit_test(an_archive_cannot_be_read_without_the_converter),
		cmocka_unit_test(one_member_is_named_by_its_archive),
		cmocka_unit_test(each_line_of_a_list_is_an_input),
		cmocka_unit_test(lists_that_cannot_be_read),
		cmocka_unit_test(very_many_inputs_stay_in_order),
	};
	return cmocka_run_group_tests_name("inputs", tests, fixture_set_up, fixture_tear_down);
}
