/* What is found in a file that has one of each: copies, parts beside each other, and other names of code. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/toolkit_test.h"
#include "cmd/find/range_search.h"
#include "writer/sample_test.h"

#define BYTES(text)                    \
	{                              \
		text, sizeof(text) - 1 \
	}

static struct locus_function functions[] = {
	{.name = BYTES("loop")},
	{.linkage = BYTES("_ZN1AC1Ev")},
	{.linkage = BYTES("_ZN1AC2Ev")},
	{.name = BYTES("one")},
	{.linkage = BYTES("two")},
	{.linkage = BYTES("two")},
	{.name = BYTES("two")},
	{.linkage = BYTES("_D3foo3barFZv")},
	{.linkage = BYTES("versioned@@V2")},
	{.name = BYTES("line\nbreak")},
	{.name = BYTES("parts")},
	{.linkage = BYTES("also_of_a_part")},
	{.linkage = BYTES("of_a_part")},
	{.name = BYTES("left")},
	{.name = BYTES("right")},
	{.linkage = BYTES("also_1")},
	{.linkage = BYTES("also_2")},
	{.linkage = BYTES("of_nothing")},
};

/* The second is longer than any that is asked for. */
static char long_name[9000];
static struct locus_file files[] = {
	{.directory = BYTES("/s"), .name = BYTES("a.c")},
	{.name = {long_name, sizeof(long_name)}},
};

/* The first was inlined into itself. */
static struct locus_block_context contexts[] = {
	{.caller = LOCUS_NO_CONTEXT, .function = 1, .start = 0x1000},
	{.caller = 0, .function = 1, .call_line = 3},
	{.caller = LOCUS_NO_CONTEXT, .function = 2, .start = 0x1010},
	{.caller = LOCUS_NO_CONTEXT, .function = 4, .start = 0x1020},
	{.caller = LOCUS_NO_CONTEXT, .function = 8, .start = 0x1030},
	{.caller = LOCUS_NO_CONTEXT, .function = 9, .start = 0x1040},
	{.caller = LOCUS_NO_CONTEXT, .function = 10, .start = 0x1050},
	{.caller = LOCUS_NO_CONTEXT, .function = 11, .start = 0x1060},
	{.caller = LOCUS_NO_CONTEXT, .function = 11, .start = 0x1070},
	{.caller = LOCUS_NO_CONTEXT, .function = 14, .start = 0x1080},
	{.caller = LOCUS_NO_CONTEXT, .function = 15, .start = 0x1090},
};

static struct locus_alternate alternates[] = {
	{0x1010, 0, 3, LOCUS_ALTERNATE_ALIAS},  {0x1020, 0, 5, LOCUS_ALTERNATE_ALIAS},
	{0x1020, 0, 6, LOCUS_ALTERNATE_ALIAS},  {0x1020, 16, 7, LOCUS_ALTERNATE_FOLDED},
	{0x1060, 0, 12, LOCUS_ALTERNATE_ALIAS}, {0x1060, 0, 13, LOCUS_ALTERNATE_ALIAS},
	{0x1080, 0, 16, LOCUS_ALTERNATE_ALIAS}, {0x1090, 0, 17, LOCUS_ALTERNATE_ALIAS},
	{0x10a0, 0, 18, LOCUS_ALTERNATE_ALIAS},
};

/* The file's bytes. */
static struct bytes whole;

static void read_file(const char *path, struct bytes *ret)
{
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	for (int c; (c = getc(file)) != EOF;)
		put_u8(ret, (uint8_t)c);
	fclose(file);
}

static int open_file(void **state)
{
	static uint64_t starts[] = {0x1000, 0x1010, 0x1020, 0x1030, 0x1040, 0x1050,
				    0x1060, 0x1070, 0x1080, 0x1090, 0x10a0};
	static uint32_t at[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, LOCUS_NO_CONTEXT};
	static uint32_t lines[] = {1, 1, 1, 1, 1, 1, 1, 1, 7, 7, 0}, of_files[] = {0, 0, 0, 0, 0, 0, 2, 1, 1, 1, 0};
	struct locus_sample sample = {
		.interval_count = COUNT_OF(starts),
		.starts = starts,
		.contexts = at,
		.files = of_files,
		.lines = lines,
		.context_count = COUNT_OF(contexts),
		.context = contexts,
		.tables = {.functions = functions,
			   .function_count = COUNT_OF(functions),
			   .files = files,
			   .file_count = COUNT_OF(files),
			   .alternates = alternates,
			   .alternate_count = COUNT_OF(alternates)},
	};
	const struct locus_writer_options options = {.level = 1, .block_size = 3};
	char path[] = "/tmp/locus-ranges-XXXXXX";
	struct locus_error error;

	memset(long_name, 'x', sizeof(long_name));
	close(mkstemp(path));
	assert_int_equal(locus_sample_write(&sample, path, &options, &error), LOCUS_OK);
	assert_int_equal(locus_open(path, NULL, (struct locus **)state, &error), LOCUS_OK);
	read_file(path, &whole);
	unlink(path);
	return 0;
}

static int close_file(void **state)
{
	locus_close(*state);
	bytes_done(&whole);
	return 0;
}

static const struct {
	const char *wanted;
	bool is_regex;
	const char *found;
} cases[] = {
	{"loop", false, "0x1000-0x1010 loop (entry)\n"},
	/* Both are shown as A::A(): the other constructor was not asked for. */
	{"_ZN1AC2Ev", false, "0x1010-0x1020 A::A() (alias of A::A())\n"},
	{"A::A", false, "0x1010-0x1020 A::A() (entry)\n"},
	/* A function that was folded, and two symbols for it. */
	{"two", false, "0x1020-0x1030 two (folded with one)\n"},
	{"^t.*o$", true, "0x1020-0x1030 two (folded with one)\n"},
	/* D, by its mangling alone. */
	{"foo.bar", false, "0x1030-0x1040 foo.bar() (entry)\n"},
	{"bar", false, "0x1030-0x1040 foo.bar() (entry)\n"},
	{"oo.bar", false, ""},
	{"^versioned$", true, "0x1040-0x1050 versioned@@V2 (entry)\n"},
	{"^versioned@$", true, ""},
	{"line", true, "0x1050-0x1060 line\\x0abreak (entry)\n"},
	{"parts", false, "0x1060-0x1070 parts (entry)\n0x1070-0x1080 parts (entry)\n"},
	{"of_a_part", false, "0x1060-0x1070 of_a_part (alias of parts)\n"},
	{"of_a_part$", true,
	 "0x1060-0x1070 also_of_a_part (alias of parts)\n0x1060-0x1070 of_a_part (alias of parts)\n"},
	/* Of functions beside each other. */
	{"^also_.$", true, "0x1080-0x1090 also_1 (alias of left)\n0x1090-0x10a0 also_2 (alias of right)\n"},
	/* Where nothing answers. */
	{"of_nothing", false, "0x10a0-0x10a0 of_nothing (alias)\n"},
	{"a.c:7", false, "0x1080-0x1090 left (entry)\n0x1090-0x10a0 right (entry)\n"},
	{"/s/a.c:1", false, "0x1070-0x1080 parts (entry)\n"},
	{"/a/path/that/is/longer/than/that/of/s/a.c:7", false, ""},
	{".c:7", false, ""},
};

/* Searches a file, and shows what was found. */
static enum locus_status search_to(int fd, struct locus *locus, const char *wanted, bool is_regex, struct out *out,
				   struct locus_error *error)
{
	const struct locus_info *info;
	struct range_output output;
	struct choice choice;
	enum locus_status status = locus_info(locus, &info, error);

	out_init(out, fd);
	if (status != LOCUS_OK)
		return status;
	range_output_init(&output, out, false, true, locus, info);
	assert_true(choice_init(&choice, wanted, is_regex, true));
	status = range_search(locus, &choice, &output, error);
	choice_done(&choice);
	range_output_done(&output);
	return status;
}

/* The same, for what the buffer holds. */
static enum locus_status search(struct locus *locus, const char *wanted, bool is_regex, struct out *out)
{
	struct locus_error error;

	return search_to(-1, locus, wanted, is_regex, out, &error);
}

static void functions_lines_and_other_names(void **state)
{
	static struct out out;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_int_equal(search(*state, cases[i].wanted, cases[i].is_regex, &out), LOCUS_OK);
		if (out.used != strlen(cases[i].found) || memcmp(out.buffer, cases[i].found, out.used) != 0)
			fail_msg("%s: %.*s", cases[i].wanted, (int)out.used, out.buffer);
	}
}

/* Holds that whichever byte of the file is wrong, a search finds all that there is, or says that it cannot. */
static void expect_damage_is_told(struct bytes *file, const char *wanted, bool is_regex)
{
	static struct out found, all;
	struct locus_error error;
	struct locus *locus;
	size_t failed = 0;

	assert_int_equal(locus_open_memory(file->data, file->size, NULL, &locus, &error), LOCUS_OK);
	assert_int_equal(search(locus, wanted, is_regex, &all), LOCUS_OK);
	assert_true(all.used > 0);
	locus_close(locus);
	for (size_t at = 0; at < file->size; at++) {
		file->data[at] ^= 1;
		if (locus_open_memory(file->data, file->size, NULL, &locus, &error) == LOCUS_OK) {
			bool is_told = search(locus, wanted, is_regex, &found) != LOCUS_OK;
			failed += is_told;
			if (!is_told && (found.used != all.used || memcmp(found.buffer, all.buffer, all.used) != 0))
				fail_msg("%s, byte %zu: %.*s", wanted, at, (int)found.used, found.buffer);
			locus_close(locus);
		}
		file->data[at] ^= 1;
	}
	assert_true(failed > 0);
}

static void damage_is_told(void **state)
{
	(void)state;
	expect_damage_is_told(&whole, ".", true);
	expect_damage_is_told(&whole, "of_nothing", false);
	expect_damage_is_told(&whole, "also_2", false);
	expect_damage_is_told(&whole, "a.c:7", false);
}

/* Other names are in two blocks, and the last of each has the wanted name. */
static void damage_behind_what_was_found_is_told(void **state)
{
	enum { COUNT = 5000, IN_BLOCK = 4096 };
	static struct locus_function names[] = {{.name = BYTES("f")}, {.name = BYTES("g")}, {.name = BYTES("h")}};
	static struct locus_block_context context = {.caller = LOCUS_NO_CONTEXT, .function = 1, .start = 0x1000};
	static struct locus_alternate others[COUNT];
	static uint64_t starts[] = {0x1000, 0x2000};
	static uint32_t at[] = {0, LOCUS_NO_CONTEXT}, lines[] = {0, 0}, of_files[] = {0, 0};
	const struct locus_sample sample = {
		.interval_count = COUNT_OF(starts),
		.starts = starts,
		.contexts = at,
		.files = of_files,
		.lines = lines,
		.context_count = 1,
		.context = &context,
		.tables = {.functions = names,
			   .function_count = COUNT_OF(names),
			   .alternates = others,
			   .alternate_count = COUNT},
	};
	const struct locus_writer_options options = {.level = 1, .block_size = 3};
	char path[] = "/tmp/locus-ranges-XXXXXX";
	struct bytes file = {0};
	struct locus_error error;

	(void)state;
	for (uint32_t i = 0; i < COUNT; i++)
		others[i] = (struct locus_alternate){0x1000 + i / 2, 1, i == IN_BLOCK - 1 || i == COUNT - 1 ? 3 : 2,
						     LOCUS_ALTERNATE_OVERLAP};
	close(mkstemp(path));
	assert_int_equal(locus_sample_write(&sample, path, &options, &error), LOCUS_OK);
	read_file(path, &file);
	unlink(path);
	expect_damage_is_told(&file, "h", false);
	bytes_done(&file);
}

/* A file of a single part, and what is searched for in it until a bound refuses more. */
struct large {
	const char *name;
	const char *wanted;
	bool is_regex;
	uint32_t interval_count;
	uint32_t depth;       /* of the stacks, of which the innermost function is `leaf` */
	bool alternates;      /* every other interval has a stack of the outermost function alone */
	uint32_t other_count; /* alternates, all of the function `other` */
	uint32_t step;        /* from the start of one to the next */
	uint8_t kind;
	char long_name; /* the first letter of the function that has a long name */
	const char *text;
};

enum { LARGE_DEPTH = 1000, LARGE_FRAMES = 6000, LARGE_PARTS = 300000, LARGE_NAMES = 2200, LARGE_OUTPUT = 12000 };

static const struct large larges[] = {
	{"copies in deep stacks", "leaf", false, 2 * LARGE_FRAMES, LARGE_DEPTH, true, 0, 0, 0, 0,
	 "its stacks are deeper"},
	{"copies by the hundred thousand", "leaf", false, 2 * LARGE_PARTS, 2, true, 0, 0, 0, 0,
	 "its functions have code in more places"},
	{"copies with a long name", "^leaf", true, 2 * LARGE_OUTPUT, 2, true, 0, 0, 0, 'l',
	 "its names are shown in more places"},
	{"a line in deep stacks", "a.c:9", false, LARGE_FRAMES, LARGE_DEPTH, false, 0, 0, 0, 0,
	 "its stacks are deeper"},
	{"a line by the hundred thousand", "a.c:1", false, 2 * LARGE_PARTS, 1, false, 0, 0, 0, 0,
	 "its functions have code in more places"},
	{"a symbol of a part in deep stacks", "other", false, LARGE_FRAMES, LARGE_DEPTH, false, 1, 0,
	 LOCUS_ALTERNATE_ALIAS, 0, "its stacks are deeper"},
	{"alternates in deep stacks", "other", false, LARGE_FRAMES, LARGE_DEPTH, false, LARGE_FRAMES, 1,
	 LOCUS_ALTERNATE_OVERLAP, 0, "its stacks are deeper"},
	{"alternates by the hundred thousand", "other", false, 2, 1, false, LARGE_PARTS, 0, LOCUS_ALTERNATE_OVERLAP, 0,
	 "its functions have code in more places"},
	{"alternates with a long name", "^other", true, 2, 1, false, LARGE_NAMES, 0, LOCUS_ALTERNATE_OVERLAP, 'o',
	 "its names are longer"},
	{"alternates of a function with a long name", "other", false, 2, 1, false, LARGE_OUTPUT, 0,
	 LOCUS_ALTERNATE_FOLDED, 'p', "its names are shown in more places"},
};

/* Writes the file, and opens it. */
static struct locus *open_large(const struct large *large)
{
	static const char *const names[] = {"part", "other", "leaf"};
	static char long_text[sizeof(long_name)];
	const uint32_t count = large->interval_count;
	struct locus_function of_names[COUNT_OF(names)] = {0};
	struct locus_block_context *stack = calloc(large->depth, sizeof(*stack));
	uint64_t *starts = calloc(count + 1, sizeof(*starts));
	uint32_t *at = calloc(count + 1, sizeof(*at)), *lines = calloc(count + 1, sizeof(*lines));
	uint32_t *of_files = calloc(count + 1, sizeof(*of_files));
	struct locus_alternate *others = calloc(large->other_count + 1, sizeof(*others));
	const struct locus_writer_options options = {.level = 1, .block_size = 16384};
	char path[] = "/tmp/locus-ranges-XXXXXX";
	struct locus_error error;
	struct locus *locus;

	memset(long_text, 'x', sizeof(long_text));
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		bool is_long = names[i][0] == large->long_name;
		if (is_long)
			memcpy(long_text, names[i], strlen(names[i]));
		of_names[i].name = (struct locus_bytes){is_long ? long_text : names[i],
							is_long ? sizeof(long_text) : strlen(names[i])};
	}
	for (uint32_t i = 0; i < large->depth; i++)
		stack[i] = (struct locus_block_context){
			.caller = i ? i - 1 : LOCUS_NO_CONTEXT,
			.function = i && i == large->depth - 1 ? 3 : 1,
			.start = i ? 0 : 0x1000,
			.call_line = i ? 5 : 0,
		};
	for (uint32_t i = 0; i <= count; i++) {
		bool is_gap = i == count;
		starts[i] = 0x1000 + i;
		at[i] = is_gap ? LOCUS_NO_CONTEXT : large->alternates && i % 2 ? 0 : large->depth - 1;
		lines[i] = is_gap ? 0 : 1 + i % 2;
		of_files[i] = !is_gap;
	}
	for (uint32_t i = 0; i < large->other_count; i++)
		others[i] = (struct locus_alternate){0x1000 + i * large->step, large->kind != LOCUS_ALTERNATE_ALIAS, 2,
						     large->kind};

	const struct locus_sample sample = {
		.interval_count = count + 1,
		.starts = starts,
		.contexts = at,
		.files = of_files,
		.lines = lines,
		.context_count = large->depth,
		.context = stack,
		.tables = {.functions = of_names,
			   .function_count = COUNT_OF(of_names),
			   .files = files,
			   .file_count = 1,
			   .alternates = others,
			   .alternate_count = large->other_count},
	};
	close(mkstemp(path));
	assert_int_equal(locus_sample_write(&sample, path, &options, &error), LOCUS_OK);
	assert_int_equal(locus_open(path, NULL, &locus, &error), LOCUS_OK);
	unlink(path);
	free(stack);
	free(starts);
	free(at);
	free(lines);
	free(of_files);
	free(others);
	return locus;
}

/* What each of them is made of is searched for within its bound, and within no other. */
static void searches_are_bounded(void **state)
{
	static struct out out;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(larges); i++) {
		struct locus *locus = open_large(&larges[i]);
		struct locus_error error = {.text = ""};
		int nowhere = open("/dev/null", O_WRONLY);
		enum locus_status status =
			search_to(nowhere, locus, larges[i].wanted, larges[i].is_regex, &out, &error);
		if (status != LOCUS_ERR_LIMIT || strncmp(error.text, larges[i].text, strlen(larges[i].text)) != 0)
			fail_msg("%s: %d %s", larges[i].name, (int)status, error.text);
		close(nowhere);
		locus_close(locus);
	}
}

/* Also where the functions behind the bound have other names. */
static void names_are_bounded(void **state)
{
	struct search_bounds bounds = {.locus = *state, .names_left = strlen("loop")};
	struct locus_scratch *scratch;
	struct locus_error error;
	struct choice choice;

	assert_int_equal(locus_scratch_new(*state, &scratch, &error), LOCUS_OK);
	assert_true(choice_init(&choice, "^loop$", true, false));
	assert_int_equal(choice_find(&choice, *state, scratch, &bounds, &error), LOCUS_ERR_LIMIT);
	choice_done(&choice);
	locus_scratch_free(scratch);
}

/* A name that does not say `operator` is no operator's: it is not walked. */
static void operators_are_found_by_their_word(void **state)
{
	struct search_bounds bounds = {.locus = *state};
	struct locus_scratch *scratch;
	struct locus_error error;
	struct choice choice;

	assert_int_equal(locus_scratch_new(*state, &scratch, &error), LOCUS_OK);
	assert_true(choice_init(&choice, "A::operator+", false, true));
	assert_int_equal(choice_find(&choice, *state, scratch, &bounds, &error), LOCUS_OK);
	assert_int_equal(choice.id_count, 0);
	choice_done(&choice);
	locus_scratch_free(scratch);
}

/* Segments may be in any order, and those without bytes in the file may be where others are. */
static void offsets_in_the_file(void **state)
{
	static const struct locus_segment_info segments[] = {
		{.address = 0x3000, .offset = 0x700, .file_size = 0x100, .memory_size = 0x200},
		{.address = 0x1000, .offset = 0x400, .file_size = 0x300, .memory_size = 0x300},
		{.address = 0x1100, .offset = 0x600, .memory_size = 0x80},
	};
	static const struct {
		uint64_t address;
		const char *text; /* "": it has no offset */
	} addresses[] = {
		{0x1000, "\"file_offset\":\"0x400\""},
		{0x1180, "\"file_offset\":\"0x580\""},
		{0x12ff, "\"file_offset\":\"0x6ff\""},
		{0x3000, "\"file_offset\":\"0x700\""},
		{0x0fff, ""},
		{0x1300, ""},
		{0x3100, ""},
	};
	static struct out out;
	struct locus_info info = {.segments = segments, .segment_count = COUNT_OF(segments)};
	struct range_output output;

	out_init(&out, -1);
	range_output_init(&output, &out, true, true, *state, &info);
	for (size_t i = 0; i < COUNT_OF(addresses); i++) {
		const struct locus_alternate_info alternate = {.start = addresses[i].address};
		const struct name name = {.data = "f", .size = 1}, none = {.size = 0};
		out.used = 0;
		range_output_alternate(&output, &alternate, addresses[i].address + 1, name, none);
		out.buffer[out.used] = '\0';
		bool has = strstr(out.buffer, "file_offset") != NULL;
		if (has != (addresses[i].text[0] != '\0') || !strstr(out.buffer, addresses[i].text))
			fail_msg("%#llx: %s", (unsigned long long)addresses[i].address, out.buffer);
	}
	range_output_done(&output);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_lines_and_other_names),
		cmocka_unit_test(damage_is_told),
		cmocka_unit_test(damage_behind_what_was_found_is_told),
		cmocka_unit_test(names_are_bounded),
		cmocka_unit_test(operators_are_found_by_their_word),
		cmocka_unit_test(offsets_in_the_file),
		cmocka_unit_test(searches_are_bounded),
	};

	return cmocka_run_group_tests_name("find", tests, open_file, close_file);
}
