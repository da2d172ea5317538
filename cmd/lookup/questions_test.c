/*
 * What questions mean in a file with sections and segments, and in which order other functions answer for an address.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/lookup/other_functions.h"
#include "cmd/lookup/place.h"
#include "writer/sample_test.h"

enum { FUNCTION_COUNT = 9, INTERVAL_COUNT = 4 };

/* The first has code twice: of a name that two places have, only the first is told. */
static const struct {
	const char *name, *linkage;
} functions[FUNCTION_COUNT] = {
	{"twice", NULL}, {"once", NULL}, {"b", NULL},      {"z", "ab"},      {"a", NULL},
	{"y", "abc"},    {"ab", NULL},   {"late", "late"}, {"alias", "abd"},
};

/* By start; at one start by linkage name or name, what has no linkage name of its own first, then by kind. */
static const struct {
	uint64_t start;
	uint32_t function; /* id */
	uint8_t kind;
} alternates[] = {
	{0x1010, 3, LOCUS_ALTERNATE_FOLDED}, {0x1010, 4, LOCUS_ALTERNATE_FOLDED}, {0x1010, 5, LOCUS_ALTERNATE_FOLDED},
	{0x1010, 6, LOCUS_ALTERNATE_FOLDED}, {0x1010, 7, LOCUS_ALTERNATE_FOLDED}, {0x1010, 9, LOCUS_ALTERNATE_FOLDED},
	{0x1014, 5, LOCUS_ALTERNATE_FOLDED}, {0x1014, 8, LOCUS_ALTERNATE_FOLDED},
};

enum { ALTERNATE_COUNT = sizeof(alternates) / sizeof(alternates[0]) };

static struct locus_bytes bytes_of(const char *text)
{
	return text ? (struct locus_bytes){text, strlen(text)} : (struct locus_bytes){0};
}

static void write_file(const char *path)
{
	static uint64_t starts[INTERVAL_COUNT] = {0x1000, 0x1010, 0x1020, 0x1030};
	static uint32_t contexts[INTERVAL_COUNT] = {0, 1, 2, LOCUS_NO_CONTEXT};
	static uint32_t files[INTERVAL_COUNT] = {1, 1, 1, 0}, lines[INTERVAL_COUNT] = {1, 2, 3, 0};
	static struct locus_block_context context[] = {
		{.caller = LOCUS_NO_CONTEXT, .function = 1, .start = 0x1000, .kind = LOCUS_PART_ENTRY},
		{.caller = LOCUS_NO_CONTEXT, .function = 2, .start = 0x1010, .kind = LOCUS_PART_ENTRY},
		{.caller = LOCUS_NO_CONTEXT, .function = 1, .start = 0x1020, .kind = LOCUS_PART_ENTRY}};
	static struct locus_function table[FUNCTION_COUNT];
	static struct locus_alternate other[ALTERNATE_COUNT];
	static const struct locus_file file = {.name = {"a.c", 3}};
	static const struct locus_section_base bases[] = {{{".text", 5}, 0x1000, 0x500},
							  {{".twice", 6}, 0x2000, 8},
							  {{".twice", 6}, 0x3000, 8},
							  {{".tex", 4}, 0x4000, 8}};
	struct locus_sample sample = {.interval_count = INTERVAL_COUNT,
				      .starts = starts,
				      .contexts = contexts,
				      .files = files,
				      .lines = lines,
				      .context_count = 3,
				      .context = context};
	const struct locus_writer_options options = {.level = 1, .block_size = 7};
	struct locus_error error;

	for (size_t i = 0; i < FUNCTION_COUNT; i++)
		table[i] = (struct locus_function){.name = bytes_of(functions[i].name),
						   .linkage = bytes_of(functions[i].linkage)};
	for (size_t i = 0; i < ALTERNATE_COUNT; i++)
		other[i] = (struct locus_alternate){alternates[i].start, 8, alternates[i].function, alternates[i].kind};
	make_meta(&sample);
	sample.tables.meta.sections = bases;
	sample.tables.meta.section_count = sizeof(bases) / sizeof(bases[0]);
	sample.tables.functions = table;
	sample.tables.function_count = FUNCTION_COUNT;
	sample.tables.files = &file;
	sample.tables.file_count = 1;
	sample.tables.alternates = other;
	sample.tables.alternate_count = ALTERNATE_COUNT;
	if (locus_sample_write(&sample, path, &options, &error) != LOCUS_OK)
		fail_msg("%s", error.text);
}

/* A handle of the file, with two scratches. */
struct opened {
	struct locus *locus;
	struct locus_scratch *scratch, *names;
};

static int open_file(void **state)
{
	static struct opened opened;
	char path[] = "/tmp/locus-questions-XXXXXX";
	struct locus_error error;

	close(mkstemp(path));
	write_file(path);
	assert_int_equal(locus_open(path, NULL, &opened.locus, &error), LOCUS_OK);
	unlink(path);
	assert_int_equal(locus_scratch_new(opened.locus, &opened.scratch, &error), LOCUS_OK);
	assert_int_equal(locus_scratch_new(opened.locus, &opened.names, &error), LOCUS_OK);
	*state = &opened;
	return 0;
}

static int close_file(void **state)
{
	struct opened *opened = *state;

	locus_scratch_free(opened->scratch);
	locus_scratch_free(opened->names);
	locus_close(opened->locus);
	return 0;
}

/* The sample is mapped from 0x400000, which holds the first 4096 bytes of its file, and from 0x401000 on. */
static const struct {
	const char *text;
	const struct place_options options;
	uint64_t address;
	const char *reason; /* NULL: it means the address */
	bool is_outside, is_unknown;
} cases[] = {
	{"0x1234", {0}, 0x1234, NULL, false, false},
	{".text+0x4ff", {0}, 0x14ff, NULL, false, false},
	{".text+0x500", {0}, 0, "beyond the end of the section", false, false},
	{".tex+0x1", {0}, 0x4001, NULL, false, false},
	{".twice+0x1", {0}, 0, "several sections have this name", false, false},
	{"once+0x3", {0}, 0x1013, NULL, false, false},
	{"once+0xffffffffffffefef", {0}, UINT64_MAX, NULL, false, false},
	{"once+0xffffffffffffeff0", {0}, 0, "beyond the last address", false, false},
	{"twice+0x3", {0}, 0, "2 functions have this name, the first at 0x1000", false, false},
	{"absent+0x3", {0}, 0, "no executable section and no function has this name", false, true},
	{"0x7f0000000010", {true, 0x7f0000000000, false}, 0x400010, NULL, false, false},
	{"0x7effffffffff",
	 {true, 0x7f0000000000, false},
	 0,
	 "with this base the address is outside the program",
	 true,
	 false},
	{"0x10", {false, 0, true}, 0x400010, NULL, false, false},
	{"0x1010", {false, 0, true}, 0x401010, NULL, false, false},
	{"0x1234", {false, 0, true}, 0, "no segment of the program holds this file offset", true, false},
	/* What has a name is an address of the file, wherever the program was loaded. */
	{"once+0x3", {true, 0x7f0000000000, false}, 0x1013, NULL, false, false},
};

enum { CASE_COUNT = sizeof(cases) / sizeof(cases[0]) };

static struct place parsed(const char *question, char *text)
{
	struct place place = {.text = text};

	assert_true(query_parse(question, strlen(question), false, &place.query, &place.reason));
	place.reason = NULL;
	return place;
}

static void check_place(const struct place *place, size_t index)
{
	const char *reason = place->reason ? place->reason : "";
	const char *expected = cases[index].reason ? cases[index].reason : "";

	if (strcmp(reason, expected) != 0)
		fail_msg("%s: '%s', not '%s'", cases[index].text, reason, expected);
	assert_int_equal(place->is_outside, cases[index].is_outside);
	assert_int_equal(place->is_unknown, cases[index].is_unknown);
	if (!place->reason && place->address != cases[index].address)
		fail_msg("%s: 0x%llx", cases[index].text, (unsigned long long)place->address);
}

static void what_questions_mean(void **state)
{
	static char texts[CASE_COUNT][LOCUS_ERROR_TEXT_SIZE];
	const struct opened *opened = *state;
	struct locus_error error;

	for (size_t i = 0; i < CASE_COUNT; i++) {
		struct place place = parsed(cases[i].text, texts[i]);
		assert_int_equal(places_find(opened->locus, opened->scratch, &cases[i].options, &place, 1, &error),
				 LOCUS_OK);
		check_place(&place, i);
	}
}

/*
 * Several at once, all of them twice: each has its own answer, those that mean nothing already keep their reason, and
 * locids stay.
 */
static void questions_that_are_asked_together(void **state)
{
	static char texts[2 * CASE_COUNT + 2][LOCUS_ERROR_TEXT_SIZE];
	static struct place places[2 * CASE_COUNT + 2];
	const struct opened *opened = *state;
	const struct place_options none = {0};
	struct locus_error error;
	size_t asked = 0, count = 2;

	places[0] = parsed(".twice+0x1", texts[0]);
	places[0].reason = "already said";
	places[1] = parsed("#7", texts[1]);
	while (!cases[asked].options.has_base && !cases[asked].options.from_offset)
		asked++;
	assert_int_equal(asked, 10);
	for (size_t i = 0; i < 2 * asked; i++, count++)
		places[count] = parsed(cases[i % asked].text, texts[count]);
	assert_int_equal(places_find(opened->locus, opened->scratch, &none, places, count, &error), LOCUS_OK);
	assert_string_equal(places[0].reason, "already said");
	assert_null(places[1].reason);
	assert_int_equal(places[1].query.value, 7);
	for (size_t i = 2; i < count; i++)
		check_place(&places[i], (i - 2) % asked);
}

static void other_functions_by_start_and_name(void **state)
{
	static const uint32_t ids[] = {5, 7, 4, 6, 9, 3}, later[] = {5, 8};
	const struct opened *opened = *state;
	struct other_functions others = {0};
	struct locus_error error;

	/* The room is used again for each address. */
	for (uint64_t address = 0x1010; address < 0x101d; address++) {
		size_t first = address < 0x1018 ? sizeof(ids) / sizeof(ids[0]) : 0;
		size_t count = first + (address >= 0x1014 && address < 0x101c ? 2 : 0);
		assert_int_equal(
			other_functions_find(&others, opened->locus, opened->scratch, opened->names, address, &error),
			LOCUS_OK);
		assert_int_equal(others.count, count);
		for (size_t i = 0; i < count; i++) {
			uint32_t id = i < first ? ids[i] : later[i - first];
			const struct locus_function_info *got = &others.items[i].function;
			const char *name = functions[id - 1].name, *linkage = functions[id - 1].linkage;
			assert_int_equal(others.items[i].info.start, i < first ? 0x1010 : 0x1014);
			assert_int_equal(got->name.size, strlen(name));
			assert_memory_equal(got->name.data, name, got->name.size);
			assert_int_equal(got->linkage.size, linkage ? strlen(linkage) : 0);
			assert_memory_equal(got->linkage.data, linkage ? linkage : "", got->linkage.size);
		}
	}
	free(others.items);
	free(others.names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_questions_mean),
		cmocka_unit_test(questions_that_are_asked_together),
		cmocka_unit_test(other_functions_by_start_and_name),
	};

	return cmocka_run_group_tests_name("questions", tests, open_file, close_file);
}
