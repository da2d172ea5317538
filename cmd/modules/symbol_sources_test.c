/* Which file answers for a module, which never does, and that hostile numbers of modules stay bounded. */
#include <dirent.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/file_magic.h"
#include "cmd/modules/known_modules.h"
#include "cmd/modules/symbol_sources.h"
#include "convert/locus_convert.h"
#include "writer/sample_test.h"

/* A folder with one converted file, app.locus, made of this program, and its build-id. */
static char folder[] = "/tmp/locus-symbols-XXXXXX";
static char converted[PATH_MAX];
static uint8_t build_id[MODULE_BUILD_ID_MAX];
static size_t build_id_size = sizeof(build_id);
static char build_id_hex[2 * MODULE_BUILD_ID_MAX + 1];
static struct out out;

static char *in_folder(const char *name)
{
	static char paths[4][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, PATH_MAX, "%s/%s", folder, name);
	return path;
}

static int set_up(void **state)
{
	const struct locus_convert_options options = {.output = converted, .job_count = 1, .block_size = 16384};
	struct locus_convert_result result;
	struct locus_error error;

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	strcpy(converted, in_folder("app.locus"));
	if (locus_convert("/proc/self/exe", &options, &result, &error) != LOCUS_OK)
		return -1;
	locus_convert_result_done(&result);
	if (!symbol_file_read_build_id(converted, build_id, &build_id_size))
		return -1;
	for (size_t i = 0; i < build_id_size; i++)
		sprintf(build_id_hex + 2 * i, "%02x", build_id[i]);
	return 0;
}

static int tear_down(void **state)
{
	char command[PATH_MAX];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

/* Whether a module is found, with one --symbols or none. */
static bool finds(const char *given, const char *path, bool with_id, int *ret_code)
{
	const struct symbol_options options = {.given = &given, .given_count = given ? 1 : 0, .labels = {.out = &out}};
	struct symbol_sources *sources = symbol_sources_new(&options);
	struct module_name module = {.path = {path, path ? strlen(path) : 0}};
	bool found;

	if (with_id)
		module.build_id = (struct locus_string){(const char *)build_id, build_id_size};
	found = symbol_sources_find(sources, &module) != NULL;
	assert_true(found == (symbol_sources_find(sources, &module) != NULL));
	*ret_code = symbol_sources_code(sources);
	symbol_sources_free(sources);
	return found;
}

static void given_file(void **state)
{
	int code;

	(void)state;
	assert_true(finds(converted, "/usr/bin/app", false, &code));
	assert_true(finds(converted, "/usr/bin/app.debug", false, &code) == false);
	assert_true(finds(converted, "/usr/bin/other", true, &code)); /* by build-id alone */
	assert_true(finds(converted, NULL, true, &code));
	assert_false(finds(converted, "/usr/bin/other", false, &code));
	assert_false(finds(converted, "/usr/bin/application", false, &code));
	assert_int_equal(code, EXIT_OK);
}

static void store_by_build_id(void **state)
{
	char place[PATH_MAX];
	int code;

	(void)state;
	assert_false(finds(folder, NULL, true, &code));
	mkdir(in_folder("buildid"), 0777);
	snprintf(place, sizeof(place), "%s/buildid/%s", folder, build_id_hex);
	mkdir(place, 0777);
	strcat(place, "/locus");
	assert_int_equal(link(converted, place), 0);
	assert_true(finds(folder, NULL, true, &code));
	assert_true(finds(folder, "/nowhere/renamed", true, &code));
	assert_true(finds(folder, "/nowhere/app", false, &code)); /* by name, from the same folder */
	assert_false(finds(folder, "/nowhere/renamed", false, &code));
	unlink(place);
}

/* What a file may be called that is given for a module, and what it may not. */
static void names_of_given_files(void **state)
{
	static const struct {
		const char *file, *module;
		bool found;
	} cases[] = {
		{"tool", "/usr/bin/tool", true},
		{"tool.debug", "/usr/bin/tool", true},
		{"tool.debug.locus", "/usr/bin/tool", true},
		{"tool.debug", "/usr/bin/tool.debug", true},
		{"tool.debug", "/usr/bin/tools", false},
		{".debug", "", false},
		{".debug", "/usr/bin/.debug", true},
		{".locus", "/usr/bin/.locus", true},
		{"a", "a", true},
		{"snd-pcm.ko", "snd_pcm", true},
		{"snd-pcm.ko.debug", "snd_pcm", true},
		{"snd_pcm.ko.locus", "snd-pcm", true},
		{"snd-pcm.ko.xz", "snd_pcm", true},
		{"snd-pcm.ko.zst.locus", "snd_pcm", true},
		{"snd-pcm.ko", "snd_pcm_oss", false},
		{"snd-pcm.ko", "snd_pcx", false},
		{"snd-pcm", "snd_pcm", false},
		{"vmlinux-6.1.0-9-amd64", "vmlinux", true},
		{"vmlinux-6.1.0-9-amd64.locus", "vmlinux", true},
		{"vmlinux", "vmlinux", true},
		{"vmlinux6", "vmlinux", false},
		{"vmlinuz-6.1", "vmlinux", false},
		{"other-6.1", "other", false},
	};
	int code;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *file = in_folder(cases[i].file);
		assert_int_equal(link(converted, file), 0);
		if (finds(file, cases[i].module, false, &code) != cases[i].found)
			fail_msg("%s for %s", cases[i].file, cases[i].module);
		unlink(file);
	}
}

/* Makes the folders of a path in the folder, and links the converted file there. */
static void place(const char *name)
{
	char path[PATH_MAX];

	strcpy(path, in_folder(name));
	for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
		*slash = '\0';
		mkdir(path, 0777);
	}
	assert_int_equal(link(converted, path), 0);
}

/* In a folder of files by name, of another machine's files, and of debug packages. */
static void places_in_folders(void **state)
{
	static const struct {
		const char *file;   /* % stands for the build-id, & for its parts as in debug packages */
		const char *module; /* NULL: asked for by the build-id */
		bool found;
	} cases[] = {
		{"tool.locus", "/usr/bin/tool", true},
		{"tool", "/usr/bin/tool", true},
		{"tool", "tool", true},
		{"usr/bin/tool.locus", "/usr/bin/tool", true},
		{"usr/bin/tool", "/usr/bin/tool", true},
		{"usr/bin/tool", "bin/tool", false},
		{"bin/tool", "bin/tool", true},
		{"usr/bin/tool", "tool", false},
		{"tool.debug", "/usr/bin/tool", true},
		{"usr/bin/tool.debug", "/usr/bin/tool", true},
		{"usr/bin/tool.debug", "tool", false},
		{"buildid/%/locus", NULL, true},
		{"%/locus", NULL, true}, /* the folder is that within a store */
		{"%", NULL, false},
		{".build-id/&", NULL, true},
		{"&", NULL, true}, /* or within debug packages */
		{"buildid/&", NULL, false},
	};
	char name[256], slashed[2 * MODULE_BUILD_ID_MAX + 16];
	int code;

	(void)state;
	snprintf(slashed, sizeof(slashed), "%.2s/%s.debug", build_id_hex, build_id_hex + 2);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t size = strcspn(cases[i].file, "%&");
		char mark = cases[i].file[size];
		snprintf(name, sizeof(name), "places%zu/%.*s%s%s", i, (int)size, cases[i].file,
			 mark == '%'   ? build_id_hex
			 : mark == '&' ? slashed
				       : "",
			 mark ? cases[i].file + size + 1 : "");
		place(name);
		snprintf(name, sizeof(name), "%s/places%zu", folder, i);
		if (finds(name, cases[i].module, !cases[i].module, &code) != cases[i].found)
			fail_msg("%s for %s", cases[i].file, cases[i].module ? cases[i].module : "the build-id");
	}
}

/* The longest build-id and the longest path are asked for, and longer ones never. */
static void longest_names(void **state)
{
	static const char id[MODULE_BUILD_ID_MAX + 1] = "every byte of it counts";
	static char path[MODULE_PATH_MAX + 2];
	uint64_t start = 16;
	uint32_t context = LOCUS_NO_CONTEXT, none = 0;
	struct locus_sample sample = {
		.interval_count = 1, .starts = &start, .contexts = &context, .files = &none, .lines = &none};
	const struct locus_writer_options options = {.level = 0, .block_size = 1};
	const char *given = in_folder("longest.locus");
	struct locus_error error;
	int code;

	(void)state;
	memset(path, '/', sizeof(path) - 1);
	for (size_t size = MODULE_PATH_MAX; size <= MODULE_PATH_MAX + 1; size++) {
		memcpy(path + size - strlen("app"), "app", strlen("app"));
		path[size] = '\0';
		assert_int_equal(finds(converted, path, false, &code), size <= MODULE_PATH_MAX);
		memset(path, '/', sizeof(path) - 1);
	}
	for (size_t size = MODULE_BUILD_ID_MAX; size <= sizeof(id); size++) {
		uint8_t got[MODULE_BUILD_ID_MAX + 1];
		size_t room = size, less = size - 1;
		make_meta(&sample);
		sample.tables.meta.build_id = (struct locus_bytes){id, size};
		assert_int_equal(locus_sample_write(&sample, given, &options, &error), LOCUS_OK);
		assert_true(symbol_file_read_build_id(given, got, &room));
		assert_int_equal(room, size);
		assert_memory_equal(got, id, size);
		assert_false(symbol_file_read_build_id(given, got, &less));

		const struct symbol_options one = {.given = &given, .given_count = 1, .labels = {.out = &out}};
		struct symbol_sources *sources = symbol_sources_new(&one);
		const struct module_name module = {.build_id = {id, size}};
		assert_int_equal(symbol_sources_find(sources, &module) != NULL, size <= MODULE_BUILD_ID_MAX);
		symbol_sources_free(sources);
	}
}

static void beside_the_module(void **state)
{
	int code;

	(void)state;
	assert_true(finds(NULL, in_folder("app"), false, &code));
	assert_true(finds(NULL, in_folder("app"), true, &code));
	assert_false(finds(NULL, in_folder("absent"), false, &code));
}

static void other_build_id_is_never_used(void **state)
{
	int code;

	(void)state;
	build_id[0] ^= 1;
	assert_false(finds(converted, "/usr/bin/app", true, &code));
	assert_int_equal(code, EXIT_FAILED);
	assert_false(finds(NULL, in_folder("app"), true, &code));
	assert_int_equal(code, EXIT_FAILED);
	assert_false(finds(folder, "/usr/bin/app", true, &code));
	build_id[0] ^= 1;
}

/* What is before the NUL is another module, and one that is behind it must not be taken for that. */
static void no_path_has_a_nul(void **state)
{
	const struct symbol_options options = {.labels = {.out = &out}};
	struct symbol_sources *sources = symbol_sources_new(&options);
	struct module_name module = {.build_id = {(const char *)build_id, build_id_size}};
	char path[PATH_MAX];

	(void)state;
	module.path = (struct locus_string){path, (size_t)snprintf(path, sizeof(path), "%s", in_folder("app")) + 1};
	assert_null(symbol_sources_find(sources, &module));
	module.path.size--;
	assert_non_null(symbol_sources_find(sources, &module));
	module.path.size++;
	assert_null(symbol_sources_find(sources, &module));
	symbol_sources_free(sources);
}

static void pipes_and_devices_are_not_opened(void **state)
{
	int code;

	(void)state;
	assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
	assert_false(finds(NULL, in_folder("pipe"), false, &code));
	assert_false(finds(NULL, "/dev/zero", false, &code));
	assert_false(finds(NULL, folder, false, &code));
	assert_int_equal(unlink(in_folder("pipe")), 0);
}

static size_t count_open_files(void)
{
	DIR *directory = opendir("/proc/self/fd");
	size_t count = 0;

	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

/* Where the open ones may take next to nothing, each has to go for the next; asked again, it is there again. */
static void many_modules_take_little_memory(void **state)
{
	const struct symbol_options options = {.labels = {.out = &out}, .memory_max = 1};
	struct symbol_sources *sources = symbol_sources_new(&options);
	size_t before = count_open_files();
	char path[PATH_MAX];

	(void)state;
	for (int i = 0; i < 12; i++) {
		snprintf(path, sizeof(path), "%s/large%d.locus", folder, i % 6);
		if (i < 6)
			assert_int_equal(link(converted, path), 0);
		const struct module_name module = {.path = {path, strlen(path) - strlen(".locus")}};
		struct symbol_file *symbols = symbol_sources_find(sources, &module);
		assert_non_null(symbols);
		assert_true(symbol_file_memory(symbols) > options.memory_max);
		assert_int_equal(count_open_files(), before + 1);
	}
	symbol_sources_free(sources);
}

/* So many stay open as the memory of all but the last allows, however many were asked for before. */
static void many_modules_take_the_memory_that_there_is(void **state)
{
	struct symbol_options options = {.labels = {.out = &out}};
	struct symbol_sources *sources = symbol_sources_new(&options);
	size_t before = count_open_files();
	char path[PATH_MAX];

	(void)state;
	for (size_t i = 0; i < 12; i++) {
		snprintf(path, sizeof(path), "%s/some%zu.locus", folder, i);
		assert_int_equal(link(converted, path), 0);
		const struct module_name module = {.path = {path, strlen(path) - strlen(".locus")}};
		struct symbol_file *symbols = symbol_sources_find(sources, &module);
		assert_non_null(symbols);
		options.memory_max = 2 * symbol_file_memory(symbols);
		assert_int_equal(count_open_files(), before + (i < 2 ? i + 1 : 3));
	}
	symbol_sources_free(sources);
}

/* More modules than are kept open, and far more names than are remembered. */
static void many_modules_stay_bounded(void **state)
{
	const struct symbol_options options = {.labels = {.out = &out}};
	struct symbol_sources *sources = symbol_sources_new(&options);
	struct module_name module = {0};
	size_t before = count_open_files();
	char name[32], path[PATH_MAX];

	(void)state;
	for (int i = 0; i < 2 * OPEN_MAX; i++) {
		snprintf(name, sizeof(name), "many%d", i);
		strcpy(path, in_folder(name));
		strcat(path, ".locus");
		assert_int_equal(link(converted, path), 0);
		module.path = (struct locus_string){path, strlen(path) - strlen(".locus")};
		assert_non_null(symbol_sources_find(sources, &module));
	}
	assert_true(count_open_files() <= before + OPEN_MAX);
	for (int i = 0; i < 3 * KNOWN_MAX; i++) {
		snprintf(path, sizeof(path), "%s/none%d", folder, i);
		module.path = (struct locus_string){path, strlen(path)};
		assert_null(symbol_sources_find(sources, &module));
	}
	assert_int_equal(count_open_files(), before); /* those open were forgotten among so many */
	snprintf(path, sizeof(path), "%s/many0", folder);
	module.path = (struct locus_string){path, strlen(path)};
	assert_non_null(symbol_sources_find(sources, &module));
	symbol_sources_free(sources);
}

/* What is written to standard error between the two calls. */
static FILE *said;
static int usual_error;

static void listen_to_messages(void)
{
	said = tmpfile();
	usual_error = dup(STDERR_FILENO);
	assert_true(said && usual_error >= 0 && dup2(fileno(said), STDERR_FILENO) >= 0);
}

/* The lines that were said, as one text without the folder's name; valid until the next call. */
static const char *messages(void)
{
	static char text[1 << 18];
	size_t size;

	dup2(usual_error, STDERR_FILENO);
	close(usual_error);
	rewind(said);
	size = fread(text, 1, sizeof(text) - 1, said);
	fclose(said);
	text[size] = '\0';
	for (char *at = text; (at = strstr(at, folder)) != NULL;)
		memmove(at, at + sizeof(folder) - 1, strlen(at + sizeof(folder) - 1) + 1);
	return text;
}

static size_t count_lines_with(const char *text, const char *part)
{
	size_t count = 0;

	for (; (text = strstr(text, part)) != NULL; text += strlen(part))
		count++;
	return count;
}

/* Asks for the module NAME of the folder; with_id: with the build-id of the converted file. */
static bool asks_for(struct symbol_sources *sources, const char *name, bool with_id)
{
	const char *path = in_folder(name);
	struct module_name module = {.path = {path, strlen(path)}};

	if (with_id)
		module.build_id = (struct locus_string){(const char *)build_id, build_id_size};
	return symbol_sources_find(sources, &module) != NULL;
}

/* What is wrong with a file is told once, and of another file again, be it the same. */
static void each_file_has_its_message(void **state)
{
	static const char *const names[] = {"first", "second", "first"};
	const struct symbol_options options = {.labels = {.out = &out}};
	struct symbol_sources *sources = symbol_sources_new(&options);

	(void)state;
	listen_to_messages();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char name[32];
		snprintf(name, sizeof(name), "%s.locus", names[i]);
		FILE *file = fopen(in_folder(name), "w");
		assert_true(file && fputs("no such file", file) >= 0 && fclose(file) == 0);
		assert_false(asks_for(sources, names[i], true));
	}
	const char *text = messages();
	assert_int_equal(count_lines_with(text, "locus: /first.locus: neither a .locus file nor an ELF file\n"), 1);
	assert_int_equal(count_lines_with(text, "locus: /second.locus: neither a .locus file nor an ELF file\n"), 1);
	assert_int_equal(unlink(in_folder("first.locus")), 0);
	assert_int_equal(unlink(in_folder("second.locus")), 0);
	symbol_sources_free(sources);
}

/* 256 messages of a kind, and one that there would be more. */
static void messages_have_a_bound(void **state)
{
	const struct symbol_options options = {.labels = {.out = &out}};
	struct symbol_sources *sources = symbol_sources_new(&options);
	char name[32], expected[512];

	(void)state;
	build_id[0] ^= 1;
	for (size_t i = 0; i < 258; i++) {
		snprintf(name, sizeof(name), "said%zu", i);
		char *file = strcat(in_folder(name), ".locus");
		assert_int_equal(link(converted, file), 0);
		listen_to_messages();
		assert_false(asks_for(sources, name, true));
		const char *text = messages();
		assert_int_equal(count_lines_with(text, "not used for"), i < 256);
		assert_int_equal(count_lines_with(text, "further messages about files of symbols are left out\n"),
				 i == 256);
		unlink(file);
	}
	build_id[0] ^= 1;
	listen_to_messages();
	symbol_sources_report_missing(sources);
	const char *text = messages();
	assert_int_equal(count_lines_with(text, ": what was found is of another build\n"), 256);
	assert_int_equal(count_lines_with(text, "\n"), 257);
	snprintf(expected, sizeof(expected),
		 "locus: no symbols for /said255 (%02x%s): what was found is of another build\n"
		 "locus: there are more modules without symbols; the first 256 are listed\n",
		 build_id[0] ^ 1, build_id_hex + 2);
	assert_string_equal(strstr(text, "locus: no symbols for /said255 "), expected);
	symbol_sources_free(sources);
}

/* The longest path is shown whole, and the reason behind it. */
static void the_longest_path_that_is_missing_is_shown_whole(void **state)
{
	const struct symbol_options options = {.labels = {.out = &out}};
	struct symbol_sources *sources = symbol_sources_new(&options);
	char path[MODULE_PATH_MAX + 1] = "/", expected[MODULE_PATH_MAX + 64];

	(void)state;
	memset(path + 1, 'p', MODULE_PATH_MAX - 1);
	path[MODULE_PATH_MAX] = '\0';
	assert_null(symbol_sources_find(sources, &(struct module_name){.path = {path, MODULE_PATH_MAX}}));
	listen_to_messages();
	symbol_sources_report_missing(sources);
	snprintf(expected, sizeof(expected), "locus: no symbols for %s: nothing was found\n", path);
	assert_string_equal(messages(), expected);
	symbol_sources_free(sources);
}

/* A module with a path and a build-id, with one of them alone, and each of them only once. */
static void what_is_missing_is_named_by_what_is_known_of_it(void **state)
{
	const struct symbol_options options = {.labels = {.out = &out}};
	struct symbol_sources *sources = symbol_sources_new(&options);
	const struct locus_string id = {"\x00\xab", 2}, path = {"/x/y", 4};
	const struct module_name modules[] = {{.path = path, .build_id = id},
					      {.path = path},
					      {.build_id = id},
					      {.path = path, .build_id = id},
					      {.path = {NULL, 0}}};

	(void)state;
	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
		assert_null(symbol_sources_find(sources, &modules[i]));
	listen_to_messages();
	symbol_sources_report_missing(sources);
	assert_string_equal(messages(), "locus: no symbols for /x/y (00ab): nothing was found\n"
					"locus: no symbols for /x/y: nothing was found\n"
					"locus: no symbols for 00ab: nothing was found\n");
	assert_int_equal(symbol_sources_code(sources), EXIT_OK);
	symbol_sources_free(sources);
}

/* A file may have a build-id of any size, and then 64 bytes of it are said. */
static void a_longer_build_id_of_another_file_is_said_in_part(void **state)
{
	static char id[4000];
	uint64_t start = 16;
	uint32_t context = LOCUS_NO_CONTEXT, none = 0;
	struct locus_sample sample = {
		.interval_count = 1, .starts = &start, .contexts = &context, .files = &none, .lines = &none};
	const struct locus_writer_options options = {.level = 0, .block_size = 1};
	const struct symbol_options none_given = {.labels = {.out = &out}};
	char digits[2 * MODULE_BUILD_ID_MAX + 1] = "", expected[512];
	struct locus_error error;

	(void)state;
	memset(id, 0xab, sizeof(id));
	while (strlen(digits) < sizeof(digits) - 1)
		strcat(digits, "ab");
	make_meta(&sample);
	sample.tables.meta.build_id = (struct locus_bytes){id, sizeof(id)};
	assert_int_equal(locus_sample_write(&sample, in_folder("long.locus"), &options, &error), LOCUS_OK);
	listen_to_messages();
	struct symbol_sources *sources = symbol_sources_new(&none_given);
	assert_false(asks_for(sources, "long", true));
	snprintf(expected, sizeof(expected), "locus: /long.locus: not used for /long (%s): its build-id is %s\n",
		 build_id_hex, digits);
	assert_int_equal(count_lines_with(messages(), expected), 1);
	symbol_sources_free(sources);
	assert_int_equal(unlink(in_folder("long.locus")), 0);
}

/* What stands where a module's symbols would be, and is none, is the reason why there are none. */
static void what_cannot_be_opened_is_the_reason(void **state)
{
	static const struct {
		const char *name, *links_to, *why; /* links_to NULL: a pipe */
	} cases[] = {
		{"pipe", NULL, "/pipe: not a regular file"},
		{"loop", "loop", "/loop: Too many levels of symbolic links"},
		{"dangling", "nowhere", "nothing was found"},
		{"to-a-folder", ".", "nothing was found"},
	};
	const struct symbol_options options = {.labels = {.out = &out}};
	char expected[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct symbol_sources *sources = symbol_sources_new(&options);
		const char *path = in_folder(cases[i].name);
		assert_int_equal(cases[i].links_to ? symlink(cases[i].links_to, path) : mkfifo(path, 0600), 0);
		assert_false(asks_for(sources, cases[i].name, false));
		listen_to_messages();
		symbol_sources_report_missing(sources);
		snprintf(expected, sizeof(expected), "locus: no symbols for /%s: %s\n", cases[i].name, cases[i].why);
		assert_string_equal(messages(), expected);
		assert_int_equal(symbol_sources_code(sources), EXIT_OK);
		symbol_sources_free(sources);
		unlink(path);
	}
}

/* What is wrong with the module's own file is said once, and not again where the modules without symbols are listed. */
static void a_damaged_module_is_said_once(void **state)
{
	const struct symbol_options options = {.labels = {.out = &out}};

	(void)state;
	FILE *file = fopen(in_folder("damaged"), "w");
	assert_true(file && fputs(FILE_MAGIC_LOCUS, file) >= 0 && fclose(file) == 0);
	struct symbol_sources *sources = symbol_sources_new(&options);
	listen_to_messages();
	assert_false(asks_for(sources, "damaged", false));
	symbol_sources_report_missing(sources);
	assert_string_equal(messages(), "locus: /damaged: the file ends in its header\n");
	assert_int_equal(symbol_sources_code(sources), EXIT_FAILED);
	symbol_sources_free(sources);
	assert_int_equal(unlink(in_folder("damaged")), 0);
}

/* A file of --symbols that can have none is said at once, whatever the text asks for, and no second time. */
static void what_is_given_can_have_symbols(void **state)
{
	static const char *const names[] = {"text", "pipe", "absent"};
	static const char *const reasons[] = {"neither a .locus file nor an ELF file",
					      "neither a regular file nor a directory", "No such file or directory"};
	char expected[256];

	(void)state;
	FILE *file = fopen(in_folder("text"), "w");
	assert_true(file && fputs("int main(void);", file) >= 0 && fclose(file) == 0);
	assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *path = in_folder(names[i]);
		const struct symbol_options options = {.given = &path, .given_count = 1, .labels = {.out = &out}};
		listen_to_messages();
		struct symbol_sources *sources = symbol_sources_new(&options);
		assert_int_equal(symbol_sources_code(sources), EXIT_FAILED);
		snprintf(expected, sizeof(expected), "/nowhere/%s", names[i]);
		const struct module_name module = {.path = {expected, strlen(expected)}};
		assert_null(symbol_sources_find(sources, &module));
		snprintf(expected, sizeof(expected), "locus: /%s: %s\n", names[i], reasons[i]);
		assert_string_equal(messages(), expected);
		symbol_sources_free(sources);
	}
	assert_int_equal(unlink(in_folder("text")), 0);
	assert_int_equal(unlink(in_folder("pipe")), 0);
}

static void ask_for_many(struct symbol_sources *sources, const char *kind, int count)
{
	char name[32];

	for (int i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%s%d", kind, i);
		assert_false(asks_for(sources, name, false));
	}
}

/* What was not found is not searched again, until so many others were asked for since. */
static void the_module_asked_for_longest_ago_is_forgotten(void **state)
{
	const struct symbol_options options = {.labels = {.out = &out}};
	struct symbol_sources *sources = symbol_sources_new(&options);

	(void)state;
	assert_false(asks_for(sources, "late", false));
	ask_for_many(sources, "b", KNOWN_MAX - 1);
	assert_int_equal(link(converted, in_folder("late.locus")), 0);
	assert_false(asks_for(sources, "late", false));
	ask_for_many(sources, "c", KNOWN_MAX - 1);
	assert_false(asks_for(sources, "late", false));
	ask_for_many(sources, "d", KNOWN_MAX);
	assert_true(asks_for(sources, "late", false));
	unlink(in_folder("late.locus"));
	symbol_sources_free(sources);
}

/* 24 descriptors are left to others, and never less than one module is open. */
static void as_many_modules_are_open_as_descriptors_allow(void **state)
{
	enum { SPARE = 24, MODULES = OPEN_MAX + 2 };
	static const struct {
		rlim_t limit;
		size_t open;
	} cases[] = {{SPARE, 1},
		     {SPARE + 1, 1},
		     {SPARE + 2, 2},
		     {SPARE + OPEN_MAX - 1, OPEN_MAX - 1},
		     {SPARE + OPEN_MAX, OPEN_MAX},
		     {SPARE + OPEN_MAX + 1, OPEN_MAX}};
	const struct symbol_options options = {.labels = {.out = &out}, .memory_max = SIZE_MAX};
	struct rlimit usual, limit;
	char name[32];

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
	if (usual.rlim_max < SPARE + OPEN_MAX + 1)
		skip(); /* the system allows fewer */
	for (int i = 0; i < MODULES; i++) {
		snprintf(name, sizeof(name), "limit%d.locus", i);
		assert_int_equal(link(converted, in_folder(name)), 0);
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct symbol_sources *sources = symbol_sources_new(&options);
		size_t before = count_open_files();
		limit = (struct rlimit){cases[i].limit, usual.rlim_max};
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		for (int k = 0; k < MODULES; k++) {
			snprintf(name, sizeof(name), "limit%d", k);
			assert_true(asks_for(sources, name, false));
		}
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
		assert_int_equal(count_open_files() - before, cases[i].open);
		symbol_sources_free(sources);
	}
}

static void build_ids_of_texts(void **state)
{
	uint8_t bytes[MODULE_BUILD_ID_MAX];

	(void)state;
	assert_int_equal(build_id_parse((struct locus_string){"0aBf", 4}, bytes), 2);
	assert_int_equal(bytes[0], 0x0a);
	assert_int_equal(bytes[1], 0xbf);
	assert_int_equal(build_id_parse((struct locus_string){"abcd", 3}, bytes), 0);
	assert_int_equal(build_id_parse((struct locus_string){"0g", 2}, bytes), 0);
	assert_int_equal(build_id_parse((struct locus_string){NULL, 0}, bytes), 0);

	/* The digits, each as the high and the low one, and what stands beside them in the alphabet. */
	static const char digits[] = "0123456789abcdefABCDEF", others[] = "/:@G`g";
	for (size_t i = 0; digits[i]; i++) {
		const char pair[] = {digits[i], digits[i], '\0'};
		assert_int_equal(build_id_parse((struct locus_string){pair, 2}, bytes), 1);
		assert_int_equal(bytes[0], strtoul(pair, NULL, 16));
	}
	for (size_t i = 0; others[i]; i++) {
		const char high[] = {others[i], '0'}, low[] = {'0', others[i]};
		assert_int_equal(build_id_parse((struct locus_string){high, 2}, bytes), 0);
		assert_int_equal(build_id_parse((struct locus_string){low, 2}, bytes), 0);
	}
	char longest[2 * MODULE_BUILD_ID_MAX + 3];
	memset(longest, 'e', sizeof(longest));
	assert_int_equal(build_id_parse((struct locus_string){longest, 2 * MODULE_BUILD_ID_MAX}, bytes),
			 MODULE_BUILD_ID_MAX);
	assert_int_equal(bytes[MODULE_BUILD_ID_MAX - 1], 0xee);
	assert_int_equal(build_id_parse((struct locus_string){longest, 2 * MODULE_BUILD_ID_MAX + 2}, bytes), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(given_file),
		cmocka_unit_test(store_by_build_id),
		cmocka_unit_test(names_of_given_files),
		cmocka_unit_test(places_in_folders),
		cmocka_unit_test(longest_names),
		cmocka_unit_test(beside_the_module),
		cmocka_unit_test(other_build_id_is_never_used),
		cmocka_unit_test(no_path_has_a_nul),
		cmocka_unit_test(pipes_and_devices_are_not_opened),
		cmocka_unit_test(many_modules_stay_bounded),
		cmocka_unit_test(many_modules_take_little_memory),
		cmocka_unit_test(many_modules_take_the_memory_that_there_is),
		cmocka_unit_test(each_file_has_its_message),
		cmocka_unit_test(messages_have_a_bound),
		cmocka_unit_test(the_longest_path_that_is_missing_is_shown_whole),
		cmocka_unit_test(what_is_missing_is_named_by_what_is_known_of_it),
		cmocka_unit_test(a_longer_build_id_of_another_file_is_said_in_part),
		cmocka_unit_test(what_cannot_be_opened_is_the_reason),
		cmocka_unit_test(a_damaged_module_is_said_once),
		cmocka_unit_test(what_is_given_can_have_symbols),
		cmocka_unit_test(the_module_asked_for_longest_ago_is_forgotten),
		cmocka_unit_test(as_many_modules_are_open_as_descriptors_allow),
		cmocka_unit_test(build_ids_of_texts),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
