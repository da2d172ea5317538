/* Which function and address texts mean by a name, an offset and, perhaps, a size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/modules/function_index.h"
#include "writer/sample_test.h"

static const struct {
	const char *name, *linkage;
} functions[] = {
	{"same", "same"},  {"alpha", NULL},       {"beta", "_Z4betav"},
	{"twin", NULL},    {"twin", "_Z4twini"},  {"versioned@@V1", "linked@V2"},
	{"@odd", NULL},    {"early", NULL},       {"edge", NULL},
	{"last", NULL},    {"start", NULL},       {"elsewhere", NULL},
	{"alias", NULL},   {"folded", NULL},      {"last@plt", NULL},

	{"inlined", NULL}, {"beta.llvm.1", NULL}, {"parted", NULL},
};

enum { FUNCTION_COUNT = sizeof(functions) / sizeof(functions[0]) };

/* Parts, and what is between them. The sample's sections are .text from 0x1000 to 0x1500, and .init.text, 0x2000 to
 * 0x2008. */
static const struct {
	uint64_t start;
	const char *function; /* NULL: none */
	uint8_t kind;
	bool goes_on; /* of the part before it */
} intervals[] = {
	{0x900, "elsewhere", LOCUS_PART_SYMBOL, false},
	{0x910, "last@plt", LOCUS_PART_SYMBOL, false},
	{0x920, NULL, 0, false},
	{0x1000, "alpha", LOCUS_PART_ENTRY, false},
	{0x1010, "beta", LOCUS_PART_ENTRY, false},
	{0x1020, "beta", LOCUS_PART_ENTRY, true},
	{0x1030, "twin", LOCUS_PART_ENTRY, false},
	{0x1040, "_Z4twini", LOCUS_PART_ENTRY, false},
	{0x1060, "versioned@@V1", LOCUS_PART_ENTRY, false},
	{0x1070, "@odd", LOCUS_PART_ENTRY, false},
	{0x1080, "alpha", LOCUS_PART_OTHER, false},
	{0x1088, "same", LOCUS_PART_ENTRY, false},
	{0x1090, "beta.llvm.1", LOCUS_PART_ENTRY, false},
	{0x1098, NULL, 0, false},
	{0x1400, "parted", LOCUS_PART_ENTRY, false},
	{0x1410, "parted", LOCUS_PART_OTHER, false},
	{0x1418, NULL, 0, false},
	{0x14b0, "early", LOCUS_PART_ENTRY, false},
	{0x14c0, "edge", LOCUS_PART_ENTRY, false},
	{0x14c1, NULL, 0, false},
	{0x14f0, "last", LOCUS_PART_ENTRY, false},
	{0x14f8, NULL, 0, false},
	{0x2000, "start", LOCUS_PART_ENTRY, false},
	{0x2008, NULL, 0, false},
};

enum { INTERVAL_COUNT = sizeof(intervals) / sizeof(intervals[0]) };

static const struct {
	const char *name;
	uint64_t delta, size, address; /* 0: not found */
} cases[] = {
	{"alpha", 4, 0, 0x1004},
	{"alpha", 0x100, 0, 0x1100},
	{"alpha", 0, 0xf, 0},
	{"alpha", 0, 0x10, 0x1000},
	{"alpha", 0, 0x11, 0x1000},
	{"alpha", 0, 0x10 + 63, 0x1000},
	{"alpha", 0, 0x10 + 64, 0},
	{"alph", 0, 0, 0},
	{"absent", 0, 0, 0},
	/* Suffixes of compilers. */
	{"alpha.cold", 2, 0, 0x1082},
	{"alpha.cold.3", 2, 8, 0x1082},
	{"alpha.cold", 2, 7, 0},
	{"alpha.constprop.0", 4, 0, 0x1004},
	{"alpha.", 4, 0, 0x1004},
	{".alpha", 4, 0, 0},
	{"beta.cold", 0, 0, 0},
	{"parted.cold", 1, 8, 0x1411}, /* right behind the other part */
	{"parted", 1, 0x10, 0x1401},
	{"beta.llvm.1", 0, 0, 0x1090},
	{"beta.llvm.2", 0, 0, 0x1010},
	/* Linkage names, and intervals that are one part. */
	{"_Z4betav", 1, 0, 0x1011},
	{"beta", 1, 0x20, 0x1011},
	{"beta", 1, 0x10, 0},
	{"same", 0, 0, 0x1088},
	/* Two functions of one name. */
	{"twin", 0, 0, 0},
	{"twin", 0, 0x10, 0x1030},
	{"twin", 0, 0x20, 0},
	{"twin", 0, 0x5f, 0x1040},
	{"twin", 0, 0x60, 0},
	{"_Z4twini", 0, 0, 0x1040},
	/* Versions of symbols. */
	{"versioned", 1, 0, 0x1061},
	{"linked", 1, 0, 0x1061},
	{"versioned@@V1", 1, 0, 0},
	{"@odd", 1, 0, 0x1071},
	/* The entry of the linkage table through which others call a function is not the function. */
	{"last", 1, 0, 0x14f1},
	{"last@plt", 1, 0, 0x911},
	/* Padding up to the end of a page, for the last function of a section. */
	{"last", 0, 8 + 64, 0x14f0},
	{"last", 0, 8 + 4095, 0x14f0},
	{"last", 0, 8 + 4096, 0},
	{"edge", 0, 1 + 64, 0x14c0},
	{"edge", 0, 1 + 4096, 0},
	{"early", 0, 0x10 + 63, 0x14b0},
	{"early", 0, 0x10 + 64, 0},
	{"start", 0, 8 + 64, 0x2000},
	{"elsewhere", 0, 0x10 + 63, 0x900},
	{"elsewhere", 0, 0x10 + 64, 0},
	/* Other names of the same code; of an alias only the start is known. */
	{"alias", 1, 0, 0x1011},
	{"alias", 1, 5, 0x1011},
	{"alias", 1, 5000, 0x1011},
	{"folded", 1, 0, 0x1031},
	{"folded", 1, 0xf, 0},
	{"folded", 1, 0x10 + 63, 0x1031},
	{"folded", 1, 0x10 + 64, 0},
	/* What is only inlined has no address of its own. */
	{"inlined", 0, 0, 0},
};

static struct locus_bytes bytes_of(const char *text)
{
	return text ? (struct locus_bytes){text, strlen(text)} : (struct locus_bytes){0};
}

/* The id of the function with this linkage name or, where it has none of its own, name. */
static uint32_t id_of(const char *name)
{
	for (uint32_t i = 0; i < FUNCTION_COUNT; i++)
		if (strcmp(functions[i].name, name) == 0 ||
		    (functions[i].linkage && !strcmp(functions[i].linkage, name)))
			return i + 1;
	abort();
}

static void write_file(const char *path)
{
	static uint64_t starts[INTERVAL_COUNT];
	static uint32_t contexts[INTERVAL_COUNT], files[INTERVAL_COUNT], lines[INTERVAL_COUNT];
	static struct locus_block_context context[INTERVAL_COUNT];
	static struct locus_function table[FUNCTION_COUNT];
	static struct locus_file file = {.name = {"a.c", 3}};
	struct locus_alternate alternates[] = {
		{.start = 0x1010, .size = 0, .function = id_of("alias"), .kind = LOCUS_ALTERNATE_ALIAS},
		{.start = 0x1030, .size = 0x10, .function = id_of("folded"), .kind = LOCUS_ALTERNATE_FOLDED},
		{.start = 0x1088, .size = 0, .function = id_of("same"), .kind = LOCUS_ALTERNATE_ALIAS},
	};
	struct locus_sample sample = {.interval_count = INTERVAL_COUNT,
				      .starts = starts,
				      .contexts = contexts,
				      .files = files,
				      .lines = lines,
				      .context = context};
	struct locus_writer_options options = {.level = 1, .block_size = 7};
	struct locus_error error;

	for (uint32_t i = 0; i < INTERVAL_COUNT; i++) {
		starts[i] = intervals[i].start;
		contexts[i] = LOCUS_NO_CONTEXT;
		if (!intervals[i].function)
			continue;
		files[i] = 1;
		lines[i] = i + 1;
		if (!intervals[i].goes_on)
			context[sample.context_count++] = (struct locus_block_context){
				.caller = LOCUS_NO_CONTEXT,
				.function = id_of(intervals[i].function),
				.start = intervals[i].start,
				.kind = intervals[i].kind,
			};
		contexts[i] = sample.context_count - 1;
	}
	for (uint32_t i = 0; i < FUNCTION_COUNT; i++)
		table[i] = (struct locus_function){.name = bytes_of(functions[i].name),
						   .linkage = bytes_of(functions[i].linkage)};
	make_meta(&sample);
	sample.tables.functions = table;
	sample.tables.function_count = FUNCTION_COUNT;
	sample.tables.files = &file;
	sample.tables.file_count = 1;
	sample.tables.alternates = alternates;
	sample.tables.alternate_count = sizeof(alternates) / sizeof(alternates[0]);
	if (locus_sample_write(&sample, path, &options, &error) != LOCUS_OK)
		fail_msg("%s", error.text);
}

static void names_offsets_and_sizes(void **state)
{
	char path[] = "/tmp/locus-function-index-XXXXXX";
	struct locus *locus = NULL;
	struct locus_scratch *scratch = NULL;
	struct function_index *index = NULL;
	struct locus_error error;

	(void)state;
	close(mkstemp(path));
	write_file(path);
	assert_int_equal(locus_open(path, NULL, &locus, &error), LOCUS_OK);
	unlink(path);
	assert_int_equal(locus_scratch_new(locus, &scratch, &error), LOCUS_OK);
	assert_int_equal(function_index_new(locus, scratch, &index, &error), LOCUS_OK);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct function_offset place = {{cases[i].name, strlen(cases[i].name)}, cases[i].delta, cases[i].size};
		uint64_t address = 0;
		bool found = function_index_find(index, &place, &address);
		if (found != (cases[i].address != 0) || address != cases[i].address)
			fail_msg("%s+0x%llx/0x%llx: 0x%llx", cases[i].name, (unsigned long long)cases[i].delta,
				 (unsigned long long)cases[i].size, (unsigned long long)address);
	}
	function_index_free(index);
	locus_scratch_free(scratch);
	locus_close(locus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_offsets_and_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
