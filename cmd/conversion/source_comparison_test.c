/*
 * Which addresses a file is compared with its source at, what is claimed of each, and what is told of those that
 * differ. The file is written by the writer; a cross-check that is none notes what it is asked.
 */
#include "cmd/conversion/source_comparison.h"

#include <unistd.h>

#include "base/toolkit_test.h"
#include "cmd/common/report.h"
#include "cmd/conversion/converter.h"
#include "writer/locus_writer.h"

enum { TEXT_MAX = 1 << 16, ASKED_MAX = 1 << 14, LONG_NAME = 600 };

static char path[] = "/tmp/locus-compare-XXXXXX";

/* ---- The cross-check that is none ---- */

static struct {
	enum locus_status open_status, judge_status, points_status;
	uint64_t fails_at;                /* judge_status counts from this address on */
	uint64_t wrong_from, wrong_until; /* it says something else for [from, until) */
	const uint64_t *points;
	size_t point_count;
	/* What it was asked. */
	char maps[256];
	bool symbols_only;
	unsigned opened, freed;
	char claims[TEXT_MAX]; /* each as text */
	uint64_t asked[ASKED_MAX];
	size_t asked_count;
} check;

static enum locus_status check_open(const char *elf, const struct locus_convert_options *options,
				    struct locus_cross_check **ret, struct locus_error *error)
{
	assert_string_equal(elf, "the program");
	check.symbols_only = options->symbols_only;
	for (size_t i = 0; i < options->prefix_map_count; i++)
		strcat(strcat(check.maps, options->prefix_maps[i]), ";");
	snprintf(error->text, sizeof(error->text), "not opened");
	if (check.open_status != LOCUS_OK)
		return check.open_status;
	check.opened++;
	*ret = (struct locus_cross_check *)&check;
	return LOCUS_OK;
}

static void check_free(struct locus_cross_check *opened)
{
	assert_ptr_equal(opened, &check);
	check.freed++;
}

static void note_claim(const struct locus_claim *claim)
{
	size_t used = strlen(check.claims);
	char *end = check.claims + TEXT_MAX, *at = check.claims + used;
	at += snprintf(at, (size_t)(end - at), "%llx%s%s", (unsigned long long)claim->address,
		       claim->is_symbol ? " symbol" : "", claim->has_columns ? " columns" : "");
	if (claim->part_start)
		at += snprintf(at, (size_t)(end - at), " part %llx", (unsigned long long)claim->part_start);
	for (size_t i = 0; i < claim->frame_count; i++) {
		const struct locus_claimed_frame *frame = &claim->frames[i];
		at += snprintf(at, (size_t)(end - at), ", %.20s=%.20s %s:%u:%u",
			       frame->function ? frame->function : "-", frame->linkage ? frame->linkage : "-",
			       frame->path ? frame->path : "-", (unsigned)frame->line, (unsigned)frame->column);
	}
	snprintf(at, (size_t)(end - at), "\n");
}

static enum locus_status check_judge(struct locus_cross_check *opened, const struct locus_claim *claim,
				     bool *ret_agrees, char *says, size_t says_size, struct locus_error *error)
{
	assert_ptr_equal(opened, &check);
	assert_true(check.asked_count < ASKED_MAX);
	check.asked[check.asked_count++] = claim->address;
	if (check.asked_count <= 100)
		note_claim(claim);
	*ret_agrees = claim->address < check.wrong_from || claim->address >= check.wrong_until;
	snprintf(says, says_size, "not %llx", (unsigned long long)claim->address);
	snprintf(error->text, sizeof(error->text), "not judged");
	return claim->address >= check.fails_at ? check.judge_status : LOCUS_OK;
}

static enum locus_status check_points(struct locus_cross_check *opened, uint64_t **ret, size_t *ret_count,
				      struct locus_error *error)
{
	assert_ptr_equal(opened, &check);
	snprintf(error->text, sizeof(error->text), "no points");
	*ret = malloc(check.point_count * sizeof(**ret));
	if (check.point_count)
		memcpy(*ret, check.points, check.point_count * sizeof(**ret));
	*ret_count = check.point_count;
	return check.points_status;
}

/* ---- The file ---- */

struct file {
	const struct locus_block *block;
	const struct locus_function *functions;
	uint32_t function_count;
	const char *options;
	const struct locus_counter *coverage; /* one; NULL: none */
};

static void write_file(const struct file *file)
{
	static const struct locus_file files[] = {
		{{"/d", 2}, {"a.c", 3}}, {{NULL, 0}, {"b.c", 3}}, {{"/", 1}, {"c.c", 3}}, {{"e/", 2}, {"f.c", 3}}};
	const struct locus_writer_options options = {.level = 0, .block_size = 1024};
	const struct locus_tables tables = {.functions = file->functions,
					    .function_count = file->function_count,
					    .files = files,
					    .file_count = COUNT_OF(files),
					    .meta.options = {file->options, strlen(file->options)},
					    .meta.coverage = file->coverage,
					    .meta.coverage_count = file->coverage != NULL};
	struct locus_encoder *encoder;
	struct locus_encoded encoded;
	struct locus_writer *writer;

	assert_int_equal(locus_writer_new(path, &options, &writer, NULL), LOCUS_OK);
	assert_int_equal(locus_encoder_new(&options, &encoder, NULL), LOCUS_OK);
	if (file->block) {
		assert_int_equal(locus_encoder_block(encoder, file->block, &encoded, NULL), LOCUS_OK);
		assert_int_equal(locus_writer_append(writer, &encoded, NULL), LOCUS_OK);
	}
	assert_int_equal(locus_writer_tables(writer, &tables, 1, NULL), LOCUS_OK);
	assert_int_equal(locus_writer_finish(writer, NULL, NULL), LOCUS_OK);
	locus_encoder_free(encoder);
	locus_writer_free(writer);
}

#define NAME(text)                     \
	{                              \
		text, sizeof(text) - 1 \
	}
#define PART(id, address, part_kind)                                                                  \
	{                                                                                             \
		.caller = LOCUS_NO_CONTEXT, .function = (id), .start = (address), .kind = (part_kind) \
	}

static char long_name[LONG_NAME + 1];

static const struct locus_function functions[] = {
	{.name = NAME("f"), .linkage = NAME("_Zf")},
	{.name = NAME("g")},
	{.linkage = NAME("_Zh")},
	{.name = NAME("")},
	{.name = NAME("named by a symbol")},
	{.name = {long_name, LONG_NAME}},
};

/* The answers at 0x1000, 0x1010 and so on. */
static const struct locus_block_context contexts[] = {
	PART(1, 0x1000, LOCUS_PART_ENTRY),
	{.caller = 0, .function = 2, .call_file = 2, .call_line = 12, .call_column = 5},
	PART(3, 0x1018, LOCUS_PART_ENTRY),
	PART(4, 0x1030, LOCUS_PART_OTHER),
	PART(5, 0x1040, LOCUS_PART_SYMBOL),
	PART(6, 0x1060, LOCUS_PART_ENTRY),
	{.caller = 5, .function = 6, .call_file = 1, .call_line = 3},
};
static const uint64_t starts[] = {0x1000, 0x1010, 0x1020, 0x1030, 0x1040, 0x1050, 0x1060, 0x1070};
static const uint32_t contexts_of[] = {0, 1, 2, 3, 4, LOCUS_NO_CONTEXT, 6, LOCUS_NO_CONTEXT};
static const uint32_t files_of[] = {1, 4, 3, 0, 0, 0, 1, 0}, lines_of[] = {10, 0, 7, 0, 0, 0, 2, 0},
		      columns_of[] = {3, 0, 0, 0, 0, 0, 4, 0};

static const struct locus_block block = {
	.interval_count = COUNT_OF(starts),
	.starts = starts,
	.contexts = contexts_of,
	.files = files_of,
	.lines = lines_of,
	.context_count = COUNT_OF(contexts),
	.context = contexts,
	.columns = columns_of,
};

static const struct file usual = {&block, functions, COUNT_OF(functions), "", NULL};
static const struct locus_convert_options no_options;
static struct comparison comparison;

static void reset(void)
{
	memset(&check, 0, sizeof(check));
	check.fails_at = UINT64_MAX;
	memset(&comparison, 1, sizeof(comparison));
}

static enum locus_status compare(uint64_t samples, struct locus_error *error)
{
	const struct comparison_question question = {
		.file = path, .elf = "the program", .options = &no_options, .samples = samples};
	error_clear(error);
	enum locus_status status = comparison_make(&question, &comparison, error);
	assert_int_equal(check.freed, check.opened);
	return status;
}

static void expect_ok(uint64_t samples)
{
	struct locus_error error;
	assert_int_equal(compare(samples, &error), LOCUS_OK);
	assert_int_equal(comparison.asked, check.asked_count);
	assert_true(comparison_is_sound(&comparison));
}

/* ---- What is claimed ---- */

static void all_that_a_file_says_is_claimed(void **state)
{
	static const char with_columns[] = "1000 columns part 1000, f=_Zf /d/a.c:10:3\n"
					   "1010 columns part 1000, g=- e/f.c:0:0, f=_Zf b.c:12:5\n"
					   "1020 columns part 1018, -=_Zh /c.c:7:0\n"
					   "1030 columns part 1030, -=- -:0:0\n"
					   "1040 symbol columns part 1040, named by a symbol=- -:0:0\n"
					   "1050 columns\n";
	static const char without[] = "1000 part 1000, f=_Zf /d/a.c:10:0\n"
				      "1010 part 1000, g=- e/f.c:0:0, f=_Zf b.c:12:0\n";
	struct locus_block other = block;
	struct file file = usual;
	(void)state;
	reset();
	write_file(&file);
	expect_ok(0);
	if (strncmp(check.claims, with_columns, strlen(with_columns)) != 0)
		assert_string_equal(check.claims, with_columns);
	assert_true(check.symbols_only);

	reset();
	struct locus_block_context changed[COUNT_OF(contexts)];
	memcpy(changed, contexts, sizeof(contexts));
	changed[1].call_column = 0;
	other.columns = NULL;
	other.context = changed;
	file.block = &other;
	write_file(&file);
	expect_ok(0);
	if (strncmp(check.claims, without, strlen(without)) != 0)
		assert_string_equal(check.claims, without);
}

static void the_source_is_read_with_the_recorded_maps(void **state)
{
	static const struct {
		const char *options, *maps;
	} cases[] = {
		{"", ""},
		{"columns\n", ""},
		{"prefix-map=/a=/b\n", "/a=/b;"},
		{"prefix-map=/a=/b\ncolumns\nprefix-map=/c=\n", "/a=/b;/c=;"},
		{"prefix-map=/a\nprefix-map=/d=/e", "/d=/e;"},
		{"prefix-mop=/a=/b\nxprefix-map=/a=/b\n", ""},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct file file = usual;
		file.options = cases[i].options;
		reset();
		write_file(&file);
		expect_ok(1);
		assert_string_equal(check.maps, cases[i].maps);
	}
}

/* Else all that the file says would differ, and that the debug information is missing would not be said. */
static void debug_information_is_needed_where_answers_come_from_it(void **state)
{
	static const struct {
		struct locus_counter coverage;
		bool symbols_only;
	} cases[] = {
		{{LOCUS_COVERAGE_LINE, 1}, false},      {{LOCUS_COVERAGE_INLINE, 1}, false},
		{{LOCUS_COVERAGE_LINE_ZERO, 1}, false}, {{LOCUS_COVERAGE_FUNCTION, 1}, false},
		{{LOCUS_COVERAGE_FUNCTION, 0}, true},   {{LOCUS_COVERAGE_SYMBOL, 1}, true},
		{{LOCUS_COVERAGE_NONE, 1}, true},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct file file = usual;
		file.coverage = &cases[i].coverage;
		reset();
		write_file(&file);
		expect_ok(1);
		assert_int_equal(check.symbols_only, cases[i].symbols_only);
	}
}

/* ---- Where ---- */

static void everywhere_is_where_either_side_may_change(void **state)
{
	static const uint64_t points[] = {0x1008, 0x1010, 0xffff, 1, 0x1008},
			      asked[] = {1,      0x1000, 0x1008, 0x1010, 0x1020, 0x1030,
					 0x1040, 0x1050, 0x1060, 0x1070, 0xffff};
	struct locus_error error;
	(void)state;
	reset();
	check.points = points;
	check.point_count = COUNT_OF(points);
	write_file(&usual);
	expect_ok(0);
	assert_int_equal(check.asked_count, COUNT_OF(asked));
	assert_memory_equal(check.asked, asked, sizeof(asked));

	reset();
	check.points_status = LOCUS_ERR_BAD_DWARF;
	assert_int_equal(compare(0, &error), LOCUS_ERR_BAD_DWARF);
	assert_string_equal(error.text, "no points");
	assert_int_equal(check.asked_count, 0);
}

/* Three very long intervals, so that no two draws inside of them fall together; and one of two bytes. */
static void samples_are_starts_and_what_is_inside(void **state)
{
	enum { COUNT = 4, SAMPLES = 2000 };
	static const uint64_t long_starts[] = {0x1000, 1ull << 44, 2ull << 44, (2ull << 44) + 2, 3ull << 44};
	static const uint32_t of[] = {0, 1, 0, 1, LOCUS_NO_CONTEXT}, none[COUNT + 1];
	static const struct locus_block long_block = {.interval_count = COUNT + 1,
						      .starts = long_starts,
						      .contexts = of,
						      .files = none,
						      .lines = none,
						      .context_count = 2,
						      .context = contexts};
	static uint64_t asked[ASKED_MAX];
	static const struct locus_block_context plain[] = {PART(1, 0x1000, LOCUS_PART_ENTRY),
							   PART(2, 0x1000, LOCUS_PART_ENTRY)};
	struct locus_block used = long_block;
	struct file file = usual;
	size_t starts_asked = 0, second_byte = 0, inside = 0, in_third[3] = {0};
	(void)state;
	used.context = plain;
	file.block = &used;
	write_file(&file);
	reset();
	expect_ok(SAMPLES);
	for (size_t i = 0; i < check.asked_count; i++) {
		uint64_t address = check.asked[i];
		bool is_start = false;
		assert_true(!i || check.asked[i - 1] < address);
		assert_true(address >= long_starts[0] && address < long_starts[COUNT]);
		for (int k = 0; k < COUNT; k++)
			is_start |= address == long_starts[k];
		starts_asked += is_start;
		second_byte += address == long_starts[2] + 1;
		inside += !is_start && address != long_starts[2] + 1;
		in_third[address >> 44] += !is_start;
	}
	assert_int_equal(starts_asked, COUNT);
	assert_int_equal(second_byte, 1);
	/* Half of the draws are inside, and a quarter of these in the interval of two bytes. */
	assert_in_range(inside, SAMPLES * 3 / 8 - 60, SAMPLES * 3 / 8 + 60);
	for (int k = 0; k < 3; k++)
		assert_in_range(in_third[k], SAMPLES / 8 - 60, SAMPLES / 8 + 60);

	/* They are the same the next time. */
	memcpy(asked, check.asked, sizeof(asked));
	size_t count = check.asked_count;
	reset();
	expect_ok(SAMPLES);
	assert_int_equal(check.asked_count, count);
	assert_memory_equal(check.asked, asked, count * sizeof(*asked));
	reset();
	expect_ok(1);
	assert_int_equal(check.asked_count, 1);
}

static void a_file_without_code_is_asked_for_nothing(void **state)
{
	struct file file = usual;
	(void)state;
	file.block = NULL;
	file.function_count = 0;
	write_file(&file);
	reset();
	expect_ok(100);
	assert_int_equal(comparison.asked, 0);
	assert_int_equal(comparison.differing, 0);
	assert_int_equal(comparison.shown, 0);
}

/* ---- What differs ---- */

static void the_first_differences_are_shown(void **state)
{
	static uint64_t points[40];
	static const struct {
		uint64_t wrong_from, wrong_until, differing;
		size_t shown;
	} cases[] = {
		{0x1000, 0x1001, 1, 1},   {0x1000, 0x1000, 0, 0},   {0x2000, 0x200a, 10, 10},
		{0x2000, 0x200b, 11, 10}, {0x2005, 0x2028, 35, 10},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(points); i++)
		points[i] = 0x2000 + i;
	write_file(&usual);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		reset();
		check.points = points;
		check.point_count = COUNT_OF(points);
		check.wrong_from = cases[i].wrong_from;
		check.wrong_until = cases[i].wrong_until;
		expect_ok(0);
		assert_int_equal(comparison.differing, cases[i].differing);
		assert_int_equal(comparison.shown, cases[i].shown);
		for (size_t k = 0; k < comparison.shown; k++) {
			char says[32];
			snprintf(says, sizeof(says), "not %llx", (unsigned long long)cases[i].wrong_from + k);
			assert_true(comparison.differences[k].address == cases[i].wrong_from + k);
			assert_string_equal(comparison.differences[k].source_says, says);
		}
	}
}

static void an_answer_is_told_in_one_line(void **state)
{
	static const char *const said[] = {
		"_Zf (f) at /d/a.c:10:3, which starts at 0x1000",
		"g at e/f.c:0, inlined into _Zf (f) at b.c:12:5, which starts at 0x1000",
		"_Zh at /c.c:7, which starts at 0x1018",
		"(no name) at ??:0, which starts at 0x1030",
		"named by a symbol at ??:0, which starts at 0x1040",
		"nothing",
	};
	char expected[2 * LONG_NAME + 100];
	(void)state;
	write_file(&usual);
	reset();
	check.wrong_from = 0x1000;
	check.wrong_until = UINT64_MAX;
	expect_ok(0);
	assert_true(comparison.shown >= COUNT_OF(said) + 1);
	for (size_t i = 0; i < COUNT_OF(said); i++)
		assert_string_equal(comparison.differences[i].file_says, said[i]);

	/* What is too long is cut short. */
	int size = snprintf(expected, sizeof(expected), "%s at /d/a.c:2:4, inlined into %s at /d/a.c:3", long_name,
			    long_name);
	assert_true(size >= COMPARISON_TEXT_SIZE);
	expected[COMPARISON_TEXT_SIZE - 1] = '\0';
	assert_string_equal(comparison.differences[COUNT_OF(said)].file_says, expected);
}

/* A frame that fills the text to its last byte, and what is a byte longer than that. */
static void a_text_that_just_fits(void **state)
{
	static const uint64_t two[] = {0x1000, 0x1010};
	static const uint32_t of[] = {1, LOCUS_NO_CONTEXT}, files[] = {1, 0}, lines[] = {2, 0}, columns[] = {4, 0};
	static const struct locus_block_context nested[] = {
		PART(1, 0x1000, LOCUS_PART_ENTRY), {.caller = 0, .function = 1, .call_file = 1, .call_line = 3}};
	static const struct locus_block small = {2, two, of, files, lines, 2, nested, columns};
	static char name[COMPARISON_TEXT_SIZE + 8];
	(void)state;
	memset(name, 'n', sizeof(name));
	/* From one with which all fits, to one that leaves room for nothing else. */
	for (size_t name_size = COMPARISON_TEXT_SIZE / 2 - 30; name_size <= COMPARISON_TEXT_SIZE + 2; name_size++) {
		const struct locus_function function = {.name = {name, name_size}};
		const struct file file = {&small, &function, 1, "", NULL};
		char expected[4 * COMPARISON_TEXT_SIZE];
		int size = (int)name_size;
		write_file(&file);
		reset();
		check.wrong_from = 0x1000;
		check.wrong_until = 0x1001;
		expect_ok(0);
		snprintf(expected, sizeof(expected),
			 "%.*s at /d/a.c:2:4, inlined into %.*s at /d/a.c:3, which starts at 0x1000", size, name, size,
			 name);
		expected[COMPARISON_TEXT_SIZE - 1] = '\0';
		assert_string_equal(comparison.differences[0].file_says, expected);
	}
}

static void errors_of_either_side_are_told(void **state)
{
	struct locus_error error;
	(void)state;
	write_file(&usual);
	reset();
	check.open_status = LOCUS_ERR_NOT_ELF;
	assert_int_equal(compare(0, &error), LOCUS_ERR_NOT_ELF);
	assert_string_equal(error.text, "not opened");
	assert_int_equal(comparison.asked, 0);

	reset();
	check.judge_status = LOCUS_ERR_BAD_DWARF;
	check.fails_at = 0x1020;
	assert_int_equal(compare(0, &error), LOCUS_ERR_BAD_DWARF);
	assert_string_equal(error.text, "not judged");
	assert_true(check.asked[check.asked_count - 1] == 0x1020); /* and nothing is asked after it */

	const struct comparison_question question = {.file = "/absent", .elf = "the program", .options = &no_options};
	reset();
	assert_int_equal(comparison_make(&question, &comparison, &error), LOCUS_ERR_IO);
	assert_int_equal(check.opened, 0);
	assert_int_equal(comparison.shown, 0);
}

/* ---- What another process sent ---- */

static void texts_without_an_end_are_not_sound(void **state)
{
	(void)state;
	for (size_t shown = 0; shown <= COMPARISON_SHOWN; shown++) {
		comparison = (struct comparison){.shown = shown};
		assert_true(comparison_is_sound(&comparison));
		for (size_t i = 0; i < COMPARISON_SHOWN; i++)
			for (int side = 0; side < 2; side++) {
				struct comparison_difference *difference = &comparison.differences[i];
				char *text = side ? difference->file_says : difference->source_says;
				memset(text, 'x', COMPARISON_TEXT_SIZE);
				assert_int_equal(comparison_is_sound(&comparison), i >= shown);
				text[COMPARISON_TEXT_SIZE - 1] = '\0';
				assert_true(comparison_is_sound(&comparison));
			}
	}
	comparison.is_other_build = 2;
	assert_false(comparison_is_sound(&comparison));
	comparison.is_other_build = 1;
	assert_true(comparison_is_sound(&comparison));
	comparison.shown = COMPARISON_SHOWN + 1;
	assert_false(comparison_is_sound(&comparison));
}

static int set_up(void **state)
{
	struct converter *loaded = (struct converter *)(uintptr_t)converter();
	(void)state;
	*loaded = (struct converter){.cross_check_open = check_open,
				     .cross_check_free = check_free,
				     .elf_build_id = locus_elf_build_id,
				     .cross_check_judge = check_judge,
				     .cross_check_change_points = check_points};
	memset(long_name, 'l', LONG_NAME);
	int fd = mkstemp(path);
	return fd < 0 || close(fd) != 0;
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_a_file_says_is_claimed),
		cmocka_unit_test(the_source_is_read_with_the_recorded_maps),
		cmocka_unit_test(debug_information_is_needed_where_answers_come_from_it),
		cmocka_unit_test(everywhere_is_where_either_side_may_change),
		cmocka_unit_test(samples_are_starts_and_what_is_inside),
		cmocka_unit_test(a_file_without_code_is_asked_for_nothing),
		cmocka_unit_test(the_first_differences_are_shown),
		cmocka_unit_test(an_answer_is_told_in_one_line),
		cmocka_unit_test(a_text_that_just_fits),
		cmocka_unit_test(errors_of_either_side_are_told),
		cmocka_unit_test(texts_without_an_end_are_not_sound),
	};
	return cmocka_run_group_tests_name("source_comparison", tests, set_up, tear_down);
}
