/* What each option of `locus convert` asks of the converter, what makes no sense, and what is left on the disk. */
#include <sys/stat.h>

#include "cmd/conversion/converter.h"
#include "cmd/folder_test.h"
#include "cmd/subcommand_test.h"

#define SEE "; see 'locus convert --help'\n"

static char folder[] = "/tmp/locus-Convert-XXXXXX";

/* ---- A converter that only writes what it was asked for ---- */

static void put(int fd, const char *name, const char *text)
{
	if (text)
		dprintf(fd, "%s %s\n", name, text);
}

static void put_count(int fd, const char *name, uint64_t value, uint64_t usual)
{
	if (value != usual)
		dprintf(fd, "%s %llu\n", name, (unsigned long long)value);
}

static enum locus_status convert(const char *path, const struct locus_convert_options *options,
				 struct locus_convert_result *ret, struct locus_error *error)
{
	int fd = open(options->output, O_WRONLY | O_CREAT | O_EXCL, 0600);

	if (strstr(path, "slow"))
		sleep(60); /* it is killed long before */
	snprintf(error->text, sizeof(error->text), "no debug information");
	error->offset = LOCUS_NO_OFFSET;
	if (strstr(path, "none"))
		return LOCUS_ERR_NO_DEBUG;
	put(fd, "debug", options->debug_file);
	put(fd, "alt", options->alt_file);
	put(fd, "dwp", options->dwp_file);
	for (size_t i = 0; i < options->debug_dir_count; i++)
		put(fd, "dir", options->debug_dirs[i]);
	for (size_t i = 0; i < options->prefix_map_count; i++)
		put(fd, "map", options->prefix_maps[i]);
	put_count(fd, "level", (uint64_t)options->level, 3);
	put_count(fd, "block", options->block_size, 16384);
	put_count(fd, "memory", options->max_memory, 0);
	put_count(fd, "symbols only", options->symbols_only, 0);
	put_count(fd, "embed", options->embed, 0);
	put_count(fd, "digest", options->digest, 0);
	put_count(fd, "columns", options->columns, 0);
	put_count(fd, "sync", options->sync, 0);
	close(fd);
	*ret = (struct locus_convert_result){
		.coverage = {3, 0, 1}, .read_paths = strdup("app"), .read_paths_size = sizeof("app")};
	return LOCUS_OK;
}

static void result_done(struct locus_convert_result *result)
{
	free(result->read_paths);
	*result = (struct locus_convert_result){0};
}

static enum locus_status no_build_id(const char *path, uint8_t *ret, size_t *size, struct locus_error *error)
{
	(void)path;
	(void)ret;
	(void)error;
	*size = 0;
	return LOCUS_OK;
}

/* ---- Tests ---- */

static void what_each_option_asks_for(void **state)
{
	static const struct {
		const char *arguments[6];
		const char *asked;
	} cases[] = {
		{{"app"}, ""},
		{{"--level=0", "app"}, "level 0\n"},
		{{"--level", "22", "app"}, "level 22\n"},
		{{"--block-size=1", "app"}, "block 1\n"},
		{{"--block-size=65536", "app"}, "block 65536\n"},
		{{"--debug=d", "app"}, "debug d\n"},
		{{"--alt=a", "app"}, "alt a\n"},
		{{"--dwp=p", "app"}, "dwp p\n"},
		{{"--debug-dir=x", "--debug-dir=y", "--debug-dir=z", "app"}, "dir x\ndir y\ndir z\n"},
		{{"--prefix-map=/a=/b", "--prefix-map=c=", "app"}, "map /a=/b\nmap c=\n"},
		{{"--symbols-only", "app"}, "symbols only 1\n"},
		{{"--columns", "app"}, "columns 1\n"},
		{{"--digest", "app"}, "digest 1\n"},
		{{"--fsync=file", "app"}, "sync 1\n"},
		{{"--fsync=none", "app"}, ""},
		{{"--fsync=batch", "app"}, ""},
		{{"--no-debuginfod", "app"}, ""},
		/* The sanitizers take memory of their own, and are not bounded. */
		{{"--max-memory=1000000000", "app"}, "memory 1000000000\n"},
		{{"--max-memory=1000000K", "app"}, "memory 1024000000\n"},
		{{"--max-memory=1024M", "app"}, "memory 1073741824\n"},
		{{"--max-memory=3G", "app"}, "memory 3221225472\n"},
		{{"--max-memory=8589934591G", "app"}, "memory 9223372035781033984\n"},
		{{"--max-memory=9223372036854775807", "app"}, "memory 9223372036854775807\n"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct command_case expected = {.code = EXIT_OK, .out = "", .err = ""};
		memcpy(expected.arguments, cases[i].arguments, sizeof(cases[i].arguments));
		expect_command(&subcommand_convert, &expected);
		expect_file("app.locus", cases[i].asked);
		assert_int_equal(unlink("app.locus"), 0);
	}
}

#define REFUSED(said, ...)                                        \
	{                                                         \
		{__VA_ARGS__}, EXIT_USAGE, "", "locus: " said SEE \
	}
#define NO_SIZE(text) \
	REFUSED("--max-memory takes a number of bytes, such as 64M or 2G, not '" text "'", "--max-memory=" text, "app")
#define NO_SHARE(text) REFUSED("--require takes line>=N%, not '" text "'", "--require=" text, "app")

static void what_makes_no_sense(void **state)
{
	static const struct command_case cases[] = {
		REFUSED("name an ELF file", NULL),
		REFUSED("name an ELF file", "--recursive"),
		REFUSED("-o and --output-dir exclude each other", "-o", "x", "--output-dir=y", "app"),
		REFUSED("--store excludes -o, --output-dir and --embed", "--store=s", "-o", "x", "app"),
		REFUSED("--store excludes -o, --output-dir and --embed", "--store=s", "--output-dir=x", "app"),
		REFUSED("--store excludes -o, --output-dir and --embed", "--store=s", "--embed", "app"),
		REFUSED("an output cannot be written to standard output: -o takes a path (./- is a file of that name)",
			"-o-", "app"),
		REFUSED("a depfile cannot be written to standard output: --depfile takes a path (./- is a file of that "
			"name)",
			"--depfile=-", "app"),
		REFUSED("--depfile excludes --store and --if-stale: it is for a build tool that decides itself what to "
			"convert",
			"--depfile=d", "--store=s", "app"),
		REFUSED("--depfile excludes --store and --if-stale: it is for a build tool that decides itself what to "
			"convert",
			"--depfile=d", "--if-stale", "app"),
		REFUSED("--depfile with --embed needs -o or --output-dir: no rule can make a file of itself",
			"--depfile=d", "--embed", "app"),
		REFUSED("-o is for one input; --output-dir takes several", "-o", "x", "app", "app"),
		REFUSED("-o is for one input; --output-dir takes several", "-o", "x", "-r", "app"),
		REFUSED("--debug is for one input", "--debug=d", "app", "app"),
		REFUSED("--debug is for one input", "--debug=d", "-r", "app"),
		REFUSED("--dwp is for one input", "--dwp=d", "app", "app"),
		REFUSED("--fsync takes none, file or batch, not 'all'", "--fsync=all", "app"),
		REFUSED("--prefix-map takes OLD=NEW, not 'a'", "--prefix-map=a", "app"),
		REFUSED("--prefix-map takes OLD=NEW, not '=a'", "--prefix-map==a", "app"),
		REFUSED("-j takes a number from 1 to 1024, not '1025'", "-j1025", "app"),
		REFUSED("--level takes a number from 0 to 22, not '23'", "--level=23", "app"),
		NO_SIZE("0"),
		NO_SIZE(""),
		NO_SIZE("-1"),
		NO_SIZE("+1"),
		NO_SIZE(" 1"),
		NO_SIZE("M"),
		NO_SIZE("1T"),
		NO_SIZE("1KB"),
		NO_SIZE("1k"),
		NO_SIZE("9223372036854775808"),
		NO_SIZE("8589934592G"),
		NO_SIZE("99999999999999999999"),
		NO_SHARE("line>=101%"),
		NO_SHARE("line>=-1%"),
		NO_SHARE("line>=%"),
		NO_SHARE("line>=9"),
		NO_SHARE("line>9%"),
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		expect_command(&subcommand_convert, &cases[i]);
	assert_int_equal(access("app.locus", F_OK), -1);
}

static void how_it_ends(void **state)
{
	static const struct command_case cases[] = {
		{{"--stats", "none"}, EXIT_NO_DEBUG, "", "locus: none: no debug information\n"},
		{{"--allow-no-debug", "none"}, EXIT_OK, "", ""},
		{{"--require=line>=75%", "app"}, EXIT_OK, "", ""},
		{{"--require=line>=75.5%", "app"},
		 EXIT_STALE,
		 "",
		 "locus: app: 75.00 % of the code has a line, 75.5 % is required; the rest is in no unit of the debug "
		 "information\n"},
		{{"--timeout=1", "slow"}, EXIT_FAILED, "", "locus: slow: it took longer than --timeout allows: 1 s\n"},
		{{"--store=s", "app"},
		 EXIT_FAILED,
		 "",
		 "locus: app: has no build-id, by which a store keeps what is made of it\n"},
		{{"--files-from=list", "none"},
		 EXIT_FAILED,
		 "",
		 "locus: absent: No such file or directory\nlocus: none: no debug information\n"},
		{{"--files-from=absent"}, EXIT_FAILED, "", "locus: absent: No such file or directory\n"},
		{{"--files-from=empty"}, EXIT_OK, "", ""},
		{{"folder"}, EXIT_FAILED, "", "locus: folder: a directory; --recursive converts the files in it\n"},
		{{"-r", "folder"}, EXIT_FAILED, "", "locus: folder: no ELF file in it\n"},
		{{"--depfile=folder", "app"},
		 EXIT_FAILED,
		 "",
		 "locus: folder: the depfile cannot be written, so no output is kept: Is a directory\n"},
		{{"--depfile=app", "app"},
		 EXIT_FAILED,
		 "",
		 "locus: app: the depfile cannot be written, so no output is kept: would overwrite an input\n"},
		{{"--depfile=absent/deps", "-o", "unkept", "app"},
		 EXIT_FAILED,
		 "",
		 "locus: absent/deps: the depfile cannot be written, so no output is kept: its folder does not "
		 "exist\n"},
		{{"-j1", "--depfile=deps", "-o", "out", "app"}, EXIT_OK, "", ""},
		{{"other", "other.locus"},
		 EXIT_FAILED,
		 "",
		 "locus: other.locus: is an input itself, which the output of another would overwrite\n"},
		{{"--output-dir=folder", "app"}, EXIT_OK, "", ""},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		expect_command(&subcommand_convert, &cases[i]);
	expect_file("deps", "out: app\n");
	expect_file("folder/app.locus", "");
	expect_file("out", "");
	expect_file("other.locus", "kept");
	expect_file("other.locus.locus", "");
	assert_int_equal(access("unkept", F_OK), -1);
}

static int set_up(void **state)
{
	struct converter *loaded = (struct converter *)(uintptr_t)converter();

	(void)state;
	*loaded = (struct converter){.convert = convert, .result_done = result_done, .elf_build_id = no_build_id};
	unsetenv("MAKEFLAGS");
	return !mkdtemp(folder) || chdir(folder) != 0 ||
	       system("touch app none slow empty other && printf kept >other.locus && printf 'app\\nabsent\\n' >list "
		      "&& mkdir folder");
}

static int tear_down(void **state)
{
	(void)state;
	return remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_each_option_asks_for),
		cmocka_unit_test(what_makes_no_sense),
		cmocka_unit_test(how_it_ends),
	};
	return cmocka_run_group_tests_name("cmd_convert", tests, set_up, tear_down);
}
