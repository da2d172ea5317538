/* The walk over hand-made trees of DIEs: who is found, inlined into whom, and called what. RULES A1, C1, C3, C4, C9,
 * D3. */
#include "convert/unit/scopes.h"

#include "base/steps_test.h"
#include "base/toolkit_test.h"
#include "convert/dwarf/unit_open.h"
#include "convert/unit/function_names.h"

enum { LANG_C = 0x0c, LANG_CPP = 0x21, LANG_RUST = 0x1c };
enum { EXEC_START = 0x10, EXEC_END = 0x1000 };

/* ---- Trees from text ---- */

enum { PARAMETER = 0x49 }; /* of a call */

/*
 * Each word opens a DIE with children, which "}" ends, except the leaves. Their abbreviations' codes count from
 * first_code. A function with a sibling is a declaration, which says so.
 */
static const struct {
	const char *word;
	uint8_t tag;
	bool sibling;
	bool name;
	bool pc;
	bool call;
	bool leaf;
} words[] = {
	{"fn", 0x2e, false, true, true, false, false},       {"inl", 0x1d, false, true, true, true, false},
	{"decl", 0x2e, false, true, false, false, false},    {"nocode", 0x1d, false, true, false, false, false},
	{"block", 0x0b, false, false, false, false, false},  {"pcblock", 0x0b, false, false, true, false, false},
	{"try", 0x32, false, false, false, false, false},    {"call", 0x48, false, false, false, false, false},
	{"struct", 0x13, true, true, false, false, false},   {"class", 0x02, true, true, false, false, false},
	{"space", 0x39, false, true, false, false, false},   {"enum", 0x04, true, true, false, false, false},
	{"array", 0x01, true, false, false, false, false},   {"anon", 0x39, false, false, false, false, false},
	{"extern", 0x2e, true, true, false, false, false},   {"member", 0x0d, false, false, false, false, true},
	{"variable", 0x34, false, true, false, false, true}, {"param", PARAMETER, false, false, false, false, true},
};

static unsigned first_code = 2; /* codes from 128 on take more than one byte */
static bool is_dense;           /* there are abbreviations with all the codes below first_code, and many above */
static bool is_reversed;        /* the abbreviations stand from the last to the first */

/* How siblings are written. A ref_udata takes as many bytes for each of them. */
static const struct {
	uint8_t form;
	uint8_t size;
} sibling_forms[] = {{0x13, 4}, {0x12, 2}, {0x11, 1}, {0x15, 2}};

enum { REF_UDATA = 0x15 };
static size_t sibling_form;   /* index in sibling_forms */
static bool is_sibling_after; /* the sibling stands behind the name, whose size is not fixed */

/* What the walk comes by in the tree that was made last, and whether a function is around it. */
enum { ENTRIES_MAX = 100 };

static struct entry {
	struct scan_start place;
	bool in_function, is_end;
} entries[ENTRIES_MAX];

static size_t entry_count;

static bool is_padding; /* the unit's own DIE has ended: nothing more is come by */

static void note_entry(uint64_t die, size_t depth, bool in_function, bool is_end)
{
	if (entry_count < ENTRIES_MAX && !is_padding)
		entries[entry_count++] = (struct entry){{die, (uint32_t)depth}, in_function, is_end};
}

static void put_sibling_form(struct bytes *out)
{
	put_u8(out, 0x01);
	put_u8(out, sibling_forms[sibling_form].form);
}

static void put_abbrevs(struct bytes *out)
{
	put_bytes(out, "\1\x11\1\x13\x05\0\0", 7); /* the unit: DW_AT_language as data2 */
	for (unsigned code = 2; is_dense && code < first_code; code++) {
		put_uleb(out, code);
		put_bytes(out, "\x34\0\0\0", 4);
	}
	for (size_t k = 0; k < COUNT_OF(words); k++) {
		size_t i = is_reversed ? COUNT_OF(words) - 1 - k : k;
		put_uleb(out, first_code + i);
		put_uleb(out, words[i].tag);
		put_u8(out, !words[i].leaf);
		if (words[i].sibling && !is_sibling_after)
			put_sibling_form(out);
		if (words[i].sibling && words[i].tag == 0x2e)
			put_bytes(out, "\x3c\x19", 2); /* DW_AT_declaration as flag_present */
		if (words[i].name)
			put_bytes(out, "\x03\x08", 2); /* string */
		else if (words[i].tag == PARAMETER)
			put_bytes(out, "\x02\x18\x7e\x18", 4); /* both exprloc */
		else if (words[i].leaf)
			put_bytes(out, "\x38\x06", 2); /* data4 */
		if (words[i].sibling && is_sibling_after)
			put_sibling_form(out);
		if (words[i].pc)
			put_bytes(out, "\x11\x01\x12\x01", 4); /* both addresses */
		if (words[i].call)
			put_bytes(out, "\x58\x0b\x59\x0f", 4); /* data1, udata */
		put_u8(out, 0), put_u8(out, 0);
	}
	for (size_t code = first_code + COUNT_OF(words); is_dense && code < 3 * first_code; code++) {
		put_uleb(out, code);
		put_bytes(out, "\x34\0\0\0", 4);
	}
	put_u8(out, 0);
}

static void patch_sibling(struct bytes *out, size_t at, uint64_t offset)
{
	bool is_leb = sibling_forms[sibling_form].form == REF_UDATA;
	uint64_t value = is_leb ? 0x80 | (offset & 0x7f) | (offset >> 7 & 0x7f) << 8 : offset;
	bool big = out->big;
	out->big &= !is_leb;
	patch_number(out, at, value, sibling_forms[sibling_form].size);
	out->big = big;
}

/* Puts a sibling that is patched later, or the one that is told. Gives its place if it is to be patched, else 0. */
static size_t put_sibling(struct bytes *out, const char *told)
{
	size_t at = out->size;
	put_number(out, 0, sibling_forms[sibling_form].size);
	if (told)
		patch_sibling(out, at, strtoul(told, NULL, 0));
	return told ? 0 : at;
}

static void put_block(struct bytes *out, size_t size)
{
	put_uleb(out, size);
	for (size_t i = 0; i < size; i++)
		put_u8(out, 1); /* the unit's abbreviation, if it is taken for a code */
}

/*
 * "|" ends the unit's own DIE: what is behind it is padding. A word takes what its attributes need: a name, two
 * addresses, a call line, the size of the second block. "struct@N" has N for its sibling instead of the truth.
 */
static void put_info(struct bytes *out, uint16_t language, const char *tree)
{
	char *copy = strdup(tree), *saved = NULL;
	size_t room = strlen(tree) + 1, *open = malloc(room * sizeof(*open)), depth = 0, function_depth = SIZE_MAX;
	entry_count = 0;
	is_padding = false;
	put_number(out, 0, 4);
	put_number(out, 4, 2);
	put_number(out, 0, 4);
	put_u8(out, 8);
	note_entry(out->size, 0, false, false);
	put_u8(out, 1);
	put_number(out, language, 2);
	for (char *word = strtok_r(copy, " ", &saved); word; word = strtok_r(NULL, " ", &saved)) {
		if (strcmp(word, "|") == 0) {
			note_entry(out->size, 1, false, true);
			is_padding = true;
			put_u8(out, 0);
			continue;
		}
		if (strcmp(word, "}") == 0) {
			note_entry(out->size, depth + 1, depth > function_depth, true);
			size_t at = open[--depth];
			function_depth = depth == function_depth ? SIZE_MAX : function_depth;
			put_u8(out, 0);
			if (at)
				patch_sibling(out, at, out->size);
			continue;
		}
		char *lie = strchr(word, '@');
		if (lie)
			*lie = 0;
		size_t i = 0;
		while (i < COUNT_OF(words) && strcmp(word, words[i].word) != 0)
			i++;
		assert_true(i < COUNT_OF(words));
		note_entry(out->size, depth + 1, depth > function_depth, false);
		put_uleb(out, first_code + i);
		if (words[i].pc && words[i].tag == 0x2e && function_depth == SIZE_MAX)
			function_depth = depth;
		size_t sibling = 0;
		if (words[i].sibling && !is_sibling_after)
			sibling = put_sibling(out, lie ? lie + 1 : NULL);
		if (words[i].name)
			put_string(out, strtok_r(NULL, " ", &saved));
		else if (words[i].tag == PARAMETER)
			put_block(out, 1), put_block(out, strtoul(strtok_r(NULL, " ", &saved), NULL, 10));
		else if (words[i].leaf)
			put_number(out, 0x01010101, 4);
		if (words[i].sibling && is_sibling_after)
			sibling = put_sibling(out, lie ? lie + 1 : NULL);
		if (!words[i].leaf)
			open[depth++] = sibling;
		for (int k = 0; words[i].pc && k < 2; k++)
			put_number(out, strtoull(strtok_r(NULL, " ", &saved), NULL, 16), 8);
		if (words[i].call)
			put_u8(out, 3), put_uleb(out, strtoull(strtok_r(NULL, " ", &saved), NULL, 10));
	}
	assert_int_equal(depth, 0);
	note_entry(out->size, 1, false, true);
	put_u8(out, 0);
	patch_number(out, 0, out->size - 4, 4);
	free(open);
	free(copy);
}

struct bench {
	struct bytes info, abbrevs;
	struct exec_range exec;
	struct elf_file file;
	struct dwarf dwarf;
	struct unit unit;
	struct scopes scopes;
};

/* Opens the unit in bench->info; the rest of the bench is empty. */
static void bench_open(struct bench *bench)
{
	struct locus_error error;
	bench->exec = (struct exec_range){EXEC_START, EXEC_END};
	bench->file.exec = &bench->exec;
	bench->file.exec_count = 1;
	section_init(&bench->file.sections[DEBUG_INFO], bench->info.data, bench->info.size, false);
	section_init(&bench->file.sections[DEBUG_ABBREV], bench->abbrevs.data, bench->abbrevs.size, false);
	dwarf_init(&bench->dwarf, &bench->file);
	assert_int_equal(dwarf_prepare(&bench->dwarf, NULL), LOCUS_OK);
	if (unit_open(&bench->unit, &bench->dwarf, DEBUG_INFO, 0, NULL, NULL, &error) != LOCUS_OK)
		fail_msg("%s", error.text);
	assert_int_equal(bench->unit.end, bench->info.size);
}

static void bench_init(struct bench *bench, uint16_t language, const char *tree)
{
	*bench = (struct bench){.info = {.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__}};
	put_abbrevs(&bench->abbrevs);
	put_info(&bench->info, language, tree);
	bench_open(bench);
}

static void bench_done(struct bench *bench)
{
	scopes_done(&bench->scopes);
	unit_done(&bench->unit);
	dwarf_done(&bench->dwarf);
	bytes_done(&bench->info);
	bytes_done(&bench->abbrevs);
}

/* "f 10-50 | a:7 10-20 in f": names, the line of the call, ranges in hexadecimal, and the scope around. */
static void show(struct bench *bench, char *text, size_t size)
{
	struct string_set strings;
	struct intern_set functions;
	struct function_names names = {.functions = &functions, .strings = &strings};
	const char **named = calloc(bench->scopes.count + 1, sizeof(*named));
	size_t at = 0;
	string_set_init(&strings);
	intern_set_init(&functions, sizeof(struct function_key));
	function_names_begin(&names, &bench->unit, &bench->scopes);
	text[0] = 0;
	for (uint32_t i = 0; i < bench->scopes.count; i++) {
		const struct scope *scope = &bench->scopes.scopes[i];
		const struct range *range = &bench->scopes.ranges.list.ranges[scope->range_first];
		struct die_names name;
		assert_true(function_names_find(&names, scope->origin, &name));
		assert_int_equal(scope->range_count, 1);
		named[i] = name.key.name ? name.key.name : "?";
		at += (size_t)snprintf(text + at, size - at, "%s%s", i ? " | " : "", named[i]);
		if (scope->depth)
			at += (size_t)snprintf(text + at, size - at, ":%u", scope->call_line);
		assert_true(scope->depth || (scope->entry <= range->start && scope->stmt_sequence == UINT64_MAX));
		at += (size_t)snprintf(text + at, size - at, " %llx-%llx", (unsigned long long)range->start,
				       (unsigned long long)range->end);
		if (scope->depth)
			at += (size_t)snprintf(text + at, size - at, " in %s", named[scope->parent]);
		assert_true(at < size);
		/* RULES C4: depth counts inlinees only. */
		assert_int_equal(scope->depth,
				 scope->parent == NO_SCOPE ? 0 : bench->scopes.scopes[scope->parent].depth + 1);
		assert_int_equal(scope->function, scope->depth ? bench->scopes.scopes[scope->parent].function : i);
	}
	free(named);
	function_names_done(&names);
	intern_set_done(&functions);
	string_set_done(&strings);
}

/* ---- Cases ---- */

struct tree_case {
	const char *name;
	uint16_t language;
	const char *tree;
	const char *expected;
};

static const struct tree_case trees[] = {
	{"no DIEs", LANG_C, "", ""},
	{"a function", LANG_C, "fn f 10 50 }", "f 10-50"},
	{"an inlinee", LANG_C, "fn f 10 50 inl a 10 20 7 } }", "f 10-50 | a:7 10-20 in f"},
	{"RULES C4: siblings and levels", LANG_C, "fn f 10 50 inl a 10 20 7 inl b 12 14 8 } } inl c 30 40 9 } }",
	 "f 10-50 | a:7 10-20 in f | b:8 12-14 in a | c:9 30-40 in f"},
	{"RULES C3: blocks are transparent", LANG_C,
	 "fn f 10 50 block inl a 10 20 7 try call inl b 12 14 8 } } } } } }",
	 "f 10-50 | a:7 10-20 in f | b:8 12-14 in a"},
	{"parameters of a call", LANG_C, "fn f 10 50 call param 2 param 127 param 128 } inl a 10 20 7 } param 0 }",
	 "f 10-50 | a:7 10-20 in f"},
	{"RULES C3: an inlinee need not lie in its block", LANG_C, "fn f 10 50 pcblock 30 40 inl a 10 20 7 } } }",
	 "f 10-50 | a:7 10-20 in f"},
	{"RULES C3: an inlinee without code is around what is inlined into it", LANG_C,
	 "fn f 10 50 nocode a inl b 12 14 8 } } }", "f 10-50 | a:0 12-14 in f | b:8 12-14 in a"},
	{"RULES C3: so is one of no bytes", LANG_C, "fn f 10 50 inl a 10 10 7 inl b 12 14 8 } } }",
	 "f 10-50 | a:7 12-14 in f | b:8 12-14 in a"},
	{"an inlinee outside of any function is none", LANG_C, "inl a 10 20 7 }", ""},
	{"what an abstract function holds is none", LANG_C, "decl f inl a 10 20 7 } } fn g 10 50 }", "g 10-50"},
	{"what an abstract function in a function holds is none", LANG_C,
	 "fn f 10 50 decl g inl a 10 20 7 } } inl b 12 14 8 } }", "f 10-50 | b:8 12-14 in f"},
	{"RULES C5: a line of the call beyond 32 bits is unknown", LANG_C, "fn f 10 50 inl a 10 20 4294967301 } }",
	 "f 10-50 | a:0 10-20 in f"},
	{"RULES C5: and so is the largest of 32 bits", LANG_C,
	 "fn f 10 50 inl a 10 20 4294967295 } inl b 20 30 4294967294 } }",
	 "f 10-50 | a:0 10-20 in f | b:4294967294 20-30 in f"},

	{"RULES C1: functions at any depth", LANG_CPP, "space n class C fn f 10 50 } } } block fn g 50 60 } }",
	 "n::C::f 10-50 | g 50-60"},
	{"RULES C1: a function in a function", LANG_C,
	 "fn f 10 50 block fn g 50 60 inl a 50 52 7 } } inl b 10 12 8 } } }",
	 "f 10-50 | g 50-60 | a:7 50-52 in g | b:8 10-12 in f"},
	{"RULES C1: a dead function's inlinees are ignored, functions in it are not", LANG_C,
	 "fn f 2000 2050 inl a 2000 2010 7 } block fn g 50 60 inl b 50 52 8 } } } }", "g 50-60 | b:8 50-52 in g"},
	{"RULES C1: also in an inlinee", LANG_C, "fn f 10 50 inl a 10 20 7 fn g 50 60 } inl b 12 14 8 } } }",
	 "f 10-50 | a:7 10-20 in f | g 50-60 | b:8 12-14 in a"},
	{"a local function of a function without code", LANG_CPP, "decl f fn g 50 60 } }", "g 50-60"},

	{"RULES A1: a start outside the executable set", LANG_C, "fn f 0 50 } fn g fff 1000 } fn h 1000 1010 }",
	 "g fff-1000"},
	{"RULES A1: an end outside is clipped", LANG_C, "fn f ff0 2000 }", "f ff0-1000"},
	{"RULES A2: tombstones", LANG_C,
	 "fn f ffffffffffffffff ffffffffffffffff } fn g fffffffffffffffe ffffffffffffffff }", ""},
	{"RULES A3: an end below the start", LANG_C, "fn f 50 10 }", ""},

	{"a record of C cannot hold functions", LANG_C, "struct S fn f 10 50 } } fn g 50 60 }", "g 50-60"},
	{"a record of C++ can", LANG_CPP, "struct S fn f 10 50 } } fn g 50 60 }", "S::f 10-50 | g 50-60"},
	{"an enumeration cannot", LANG_CPP, "enum E fn f 10 50 } } fn g 50 60 }", "g 50-60"},
	{"a declaration cannot", LANG_CPP, "extern E fn f 10 50 } } fn g 50 60 }", "g 50-60"},
	{"an array cannot", LANG_RUST, "array fn f 10 50 } } fn g 50 60 }", "g 50-60"},
	{"a record in a function that is left", LANG_C, "fn f 10 50 struct S } inl a 10 20 7 } }",
	 "f 10-50 | a:7 10-20 in f"},
	{"a sibling at the unit's start is not followed", LANG_C, "struct@0 S } fn g 50 60 }", "g 50-60"},
	{"a sibling before the DIE is not followed", LANG_C, "struct@11 S } fn g 50 60 }", "g 50-60"},
	{"a sibling beyond the unit is not followed", LANG_C, "struct@0x7fffffff S } fn g 50 60 }", "g 50-60"},

	{"zeros behind the unit's own DIE are padding", LANG_C, "fn f 10 50 } | | | |", "f 10-50"},
	{"leaves", LANG_CPP,
	 "member space n member variable v fn f 10 50 variable w inl a 10 20 7 member } variable x member } } variable "
	 "y "
	 "fn g 50 60 }",
	 "n::f 10-50 | n::a:7 10-20 in n::f | g 50-60"},
	{"RULES D3: namespaces and classes", LANG_CPP,
	 "space a space b class C fn f 10 20 } } fn g 20 30 } } fn h 30 40 } }",
	 "a::b::C::f 10-20 | a::b::g 20-30 | a::h 30-40"},
	{"RULES D3: behind a namespace that is closed", LANG_CPP, "space a } fn f 10 20 }", "f 10-20"},
	{"RULES D3: a namespace without a name", LANG_CPP, "anon fn f 10 20 } }", "(anonymous namespace)::f 10-20"},
	{"RULES D3: not in C", LANG_C, "space a fn f 10 20 } }", "f 10-20"},
	{"RULES D3: in Rust", LANG_RUST, "space a fn f 10 20 } }", "a::f 10-20"},
};

static void walk_all(void)
{
	char text[512];
	for (size_t i = 0; i < COUNT_OF(trees); i++) {
		struct bench bench;
		struct locus_error error;
		bench_init(&bench, trees[i].language, trees[i].tree);
		if (scopes_read(&bench.scopes, &bench.unit, &bench.file, &error) != LOCUS_OK)
			fail_msg("%s: %s", trees[i].name, error.text);
		show(&bench, text, sizeof(text));
		if (strcmp(text, trees[i].expected) != 0)
			fail_msg("%s: [%s], expected [%s]", trees[i].name, text, trees[i].expected);
		bench_done(&bench);
	}
}

static void walks(void **state)
{
	static const unsigned codes[] = {2, 120, 128, 256, 300, 16380, 1 << 21};
	(void)state;
	for (size_t i = COUNT_OF(codes); i-- > 0;) {
		first_code = codes[i];
		for (int dense = 0; dense < (codes[i] < 1 << 20 ? 2 : 1); dense++) {
			is_dense = dense;
			walk_all();
		}
		is_dense = false;
		is_reversed = true;
		walk_all();
		is_reversed = false;
	}
}

#define EIGHT " | | | | | | | |"

/* RULES A8: where DIEs do not fill their unit, some are left out. */
static void dies_that_do_not_fill_their_unit(void **state)
{
	static const struct {
		const char *tree;
		size_t cut;           /* bytes that are taken from the unit's end */
		const char *expected; /* NULL: none is left out */
	} cases[] = {
		{"fn f 10 50 }", 0, NULL},
		{"fn f 10 50 }", 1, NULL}, /* the end of the unit's own DIE alone is not there */
		{"fn f 10 50 } | fn g 50 60 } member", 0, " end before the unit, whose bytes go on at 0x23"},
		{"fn f 10 50 } | | | fn g 50 60 }", 0, " end before the unit, whose bytes go on at 0x25"},
		{"fn f 10 50 }" EIGHT EIGHT EIGHT EIGHT, 0, NULL}, /* padding */
		{"fn f 10 50 } |" EIGHT EIGHT EIGHT EIGHT, 0, " end before the unit: behind them are 33 zeros"},
		{"fn f 10 50 }", 2, " have no end"},
		{"fn f 10 50 inl a 10 20 7 } }", 2, " have no end"},
	};
	(void)state;
	first_code = 2;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bench bench = {.info = {.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__}};
		struct locus_error error = {0};
		char expected[100];
		put_abbrevs(&bench.abbrevs);
		put_info(&bench.info, LANG_C, cases[i].tree);
		bench.info.size -= cases[i].cut;
		patch_number(&bench.info, 0, bench.info.size - 4, 4);
		bench_open(&bench);
		const char *said = cases[i].expected;
		snprintf(expected, sizeof(expected), "%s%s", said ? "the DIEs of the unit at .debug_info+0x0" : "",
			 said ? said : "");
		const enum locus_status status = said ? LOCUS_ERR_BAD_DWARF : LOCUS_OK;
		assert_int_equal(scopes_read(&bench.scopes, &bench.unit, &bench.file, &error), status);
		assert_string_equal(error.text, expected);
		assert_int_equal(scopes_survey(&bench.scopes, &bench.unit, 1, &error), status);
		assert_string_equal(error.text, expected);
		bench_done(&bench);
	}
}

/* A unit of zeros alone keeps room for DIEs, as gold --incremental writes it; in one that goes on, DIEs were lost. */
static void a_unit_without_dies(void **state)
{
	enum { HEADER_SIZE = 11 };
	(void)state;
	first_code = 2;
	for (uint8_t last = 0; last < 2; last++) {
		struct bench bench = {.info = {.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__}};
		struct locus_error error = {0};
		put_abbrevs(&bench.abbrevs);
		put_info(&bench.info, LANG_C, EIGHT EIGHT EIGHT EIGHT EIGHT);
		memset(bench.info.data + HEADER_SIZE, 0, bench.info.size - HEADER_SIZE);
		bench.info.data[bench.info.size - 1] = last;
		bench_open(&bench);
		const enum locus_status status = last ? LOCUS_ERR_BAD_DWARF : LOCUS_OK;
		assert_int_equal(scopes_read(&bench.scopes, &bench.unit, &bench.file, &error), status);
		assert_int_equal(bench.scopes.count, 0);
		assert_int_equal(scopes_survey(&bench.scopes, &bench.unit, 1, &error), status);
		assert_int_equal(strstr(error.text, " end before the unit, whose bytes go on") != NULL, last);
		bench_done(&bench);
	}
}

/* A sibling that leads to the unit's end, where no DIE can be, is damaged: following it would leave out all others. */
static void a_sibling_at_the_end(void **state)
{
	char tree[64], text[100];
	struct locus_error error;
	size_t size = 1; /* of the unit, which the first round finds */
	(void)state;
	first_code = 2;
	for (int round = 0; round < 2; round++) {
		struct bench bench;
		snprintf(tree, sizeof(tree), "struct@0x%zx S } fn g 50 60 }", size);
		bench_init(&bench, LANG_C, tree);
		assert_int_equal(scopes_read(&bench.scopes, &bench.unit, &bench.file, &error), LOCUS_OK);
		show(&bench, text, sizeof(text));
		assert_string_equal(text, "g 50-60");
		size = bench.info.size;
		assert_int_equal(size, bench.unit.end);
		bench_done(&bench);
	}
}

/* dwz gives siblings shorter forms, and those before them too. */
static void siblings_of_all_forms(void **state)
{
	(void)state;
	first_code = 2;
	for (sibling_form = 0; sibling_form < COUNT_OF(sibling_forms); sibling_form++) {
		is_sibling_after = false;
		walk_all();
		is_sibling_after = true;
		walk_all();
	}
	sibling_form = 0;
	is_sibling_after = false;
}

/* ---- Parts of a unit ---- */

/* Reads the parts between the starts, and gives the functions and inlinees of all, as in a whole unit. */
static size_t read_parts(struct bench *bench, const struct scopes *survey, struct scope *ret, size_t room)
{
	size_t count = 0;
	for (uint32_t i = 0; i < survey->start_count; i++) {
		bool is_last = i + 1 == survey->start_count;
		struct scopes part = {0};
		assert_int_equal(scopes_read_part(&part, &bench->unit, &bench->file, &survey->starts[i],
						  is_last ? UINT64_MAX : survey->starts[i + 1].die, NULL),
				 LOCUS_OK);
		assert_int_equal(part.start_count, 0);
		assert_int_equal(part.name_count, 0);
		for (uint32_t k = 0; k < part.count; k++) {
			assert_true(count < room);
			ret[count] = part.scopes[k];
			ret[count].function += (uint32_t)count - k;
			ret[count].parent += part.scopes[k].parent == NO_SCOPE ? 0 : (uint32_t)count - k;
			count++;
		}
		scopes_done(&part);
	}
	return count;
}

/* The next place to begin at is the first, outside of all functions, that is a stride or more behind the one before. */
static void expect_starts(const char *name, const struct scopes *survey, uint64_t stride)
{
	uint64_t next = 0;
	uint32_t count = 0;
	for (size_t i = 0; i < entry_count; i++) {
		if (entries[i].place.die < next || entries[i].in_function)
			continue;
		if (count == survey->start_count || survey->starts[count].die != entries[i].place.die ||
		    survey->starts[count].depth != entries[i].place.depth)
			fail_msg("%s, each %llu bytes: start %u is not at %llu", name, (unsigned long long)stride,
				 count, (unsigned long long)entries[i].place.die);
		next = entries[i].place.die + stride;
		count++;
	}
	assert_int_equal(count, survey->start_count);
}

/* Whether no DIE is passed with its children, by the place of its sibling. */
static bool comes_by_all(const char *tree)
{
	return !strstr(tree, "struct") && !strstr(tree, "enum") && !strstr(tree, "array") && !strstr(tree, "extern");
}

static void parts_are_the_whole(void **state)
{
	(void)state;
	first_code = 2;
	for (size_t i = 0; i < COUNT_OF(trees); i++) {
		struct bench bench;
		struct scopes survey = {0};
		struct scope parts[ENTRIES_MAX];
		bench_init(&bench, trees[i].language, trees[i].tree);
		assert_int_equal(scopes_read(&bench.scopes, &bench.unit, &bench.file, NULL), LOCUS_OK);
		for (uint64_t stride = 1; stride <= bench.info.size + 1; stride++) {
			assert_int_equal(scopes_survey(&survey, &bench.unit, stride, NULL), LOCUS_OK);
			assert_int_equal(survey.count, 0);
			assert_int_equal(survey.name_count, bench.scopes.name_count);
			for (uint32_t k = 0; k < survey.name_count; k++)
				assert_memory_equal(&survey.names[k], &bench.scopes.names[k], sizeof(*survey.names));
			if (comes_by_all(trees[i].tree))
				expect_starts(trees[i].name, &survey, stride);
			size_t count = read_parts(&bench, &survey, parts, COUNT_OF(parts));
			assert_int_equal(count, bench.scopes.count);
			for (size_t k = 0; k < count; k++) {
				const struct scope *a = &parts[k], *b = &bench.scopes.scopes[k];
				if (a->die != b->die || a->origin != b->origin || a->entry != b->entry ||
				    a->parent != b->parent || a->function != b->function ||
				    a->call_file != b->call_file || a->call_line != b->call_line ||
				    a->depth != b->depth || a->range_count != b->range_count)
					fail_msg("%s, each %llu bytes: scope %zu differs", trees[i].name,
						 (unsigned long long)stride, k);
			}
		}
		scopes_done(&survey);
		bench_done(&bench);
	}
}

/* A namespace encloses what is behind its own DIE, up to its end and that with it. */
static void enclosing_scopes(void **state)
{
	static struct name_scope names[] = {{10, NO_SCOPE, false}, {20, 0, false}, {30, 0, true}, {40, NO_SCOPE, true}};
	static const struct scopes scopes = {.names = names, .name_count = COUNT_OF(names)};
	static const struct {
		uint64_t offset;
		uint32_t expected;
	} cases[] = {{0, NO_SCOPE}, {10, NO_SCOPE}, {11, 0}, {20, 0},       {21, 1},
		     {30, 1},       {31, 0},        {40, 0}, {41, NO_SCOPE}};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_int_equal(scopes_enclosing(&scopes, cases[i].offset), cases[i].expected);
}

/* `count` times `open`, then as many ends. */
static char *nest(const char *before, const char *open, size_t count, const char *after)
{
	size_t size = strlen(before) + count * (strlen(open) + 3) + strlen(after) + 1;
	char *text = malloc(size), *end = stpcpy(text, before);
	for (size_t i = 0; i < count; i++)
		end = stpcpy(end, open);
	for (size_t i = 0; i < count; i++)
		end = stpcpy(end, " } ");
	stpcpy(end, after);
	return text;
}

/* RULES C9: beyond the bound what is inlined is cut and counted. */
static void inline_depth(void **state)
{
	(void)state;
	for (size_t depth = INLINE_DEPTH_MAX - 1; depth <= INLINE_DEPTH_MAX + 50; depth++) {
		struct bench bench;
		char *tree = nest("fn f 10 50 ", " inl a 10 20 7", depth, "inl z 30 40 8 } }");
		size_t named = depth < INLINE_DEPTH_MAX ? depth : INLINE_DEPTH_MAX;
		size_t kept = named + (depth > named); /* one stands for all that is too deep */
		bench_init(&bench, LANG_C, tree);
		assert_int_equal(scopes_read(&bench.scopes, &bench.unit, &bench.file, NULL), LOCUS_OK);
		assert_int_equal(bench.scopes.count, kept + 2);
		assert_int_equal(bench.scopes.too_deep_count, depth - named);
		assert_int_equal(bench.scopes.scopes[kept].depth, kept);
		assert_int_equal(bench.scopes.scopes[kept + 1].parent, 0);
		bench_done(&bench);
		free(tree);
	}
}

/* RULES C9: the depth of the tree costs no stack. */
static void tree_depth(void **state)
{
	(void)state;
	struct bench bench;
	char *tree = nest("fn f 10 50 ", " block", 300000, "inl z 30 40 8 } }");
	bench_init(&bench, LANG_C, tree);
	assert_int_equal(scopes_read(&bench.scopes, &bench.unit, &bench.file, NULL), LOCUS_OK);
	assert_int_equal(bench.scopes.count, 2);
	bench_done(&bench);
	free(tree);
}

/* Parameters of calls are passed two blocks at a time, but for long ones and the last ones of a unit. */
static void parameters(void **state)
{
	enum { CALLS = 20 };
	static const char call[] = " call param 3 param 0 param 1 param 127 param 128 param 300 param 126 }";
	char text[512], tree[64 + (CALLS + 1) * sizeof(call)] = "fn f 10 50";
	struct bench bench;
	(void)state;
	for (int i = 0; i < CALLS; i++)
		strcat(tree, call);
	strcat(tree, " inl a 10 20 7 }");
	strcat(tree, call);
	strcat(tree, " inl b 20 30 8 } }");
	bench_init(&bench, LANG_C, tree);
	assert_int_equal(scopes_read(&bench.scopes, &bench.unit, &bench.file, NULL), LOCUS_OK);
	show(&bench, text, sizeof(text));
	assert_string_equal(text, "f 10-50 | a:7 10-20 in f | b:8 20-30 in f");
	bench_done(&bench);
}

/* Puts a unit with a function and an inlinee whose attributes have fixed sizes, and `padding` bytes behind them. */
static void put_fixed(struct bench *bench, const char *inlinee, size_t padding)
{
	struct bytes *info = &bench->info;
	put_bytes(&bench->abbrevs, "\1\x11\1\x13\x05\0\0\2\x2e\1\x11\1\x12\1\0\0\3\x1d\0", 19);
	put_bytes(&bench->abbrevs, inlinee, strlen(inlinee));
	put_bytes(&bench->abbrevs, "\0\0\0", 3);
	info->big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	put_number(info, 0, 4), put_number(info, 4, 2), put_number(info, 0, 4), put_u8(info, 8);
	put_u8(info, 1), put_number(info, LANG_C, 2);
	put_u8(info, 2), put_number(info, 0x10, 8), put_number(info, 0x50, 8);
	put_u8(info, 3), put_number(info, 0x0b, 4); /* the origin, which is the unit's own DIE */
	put_number(info, 0xfe, 1), put_number(info, 0x20, 8), put_number(info, 0x10, 4), put_number(info, 0xfedc, 2);
	put_number(info, 300, 2), put_number(info, 17, 1), put_number(info, 1000, 2);
	for (size_t i = 0; i < 2 + padding; i++)
		put_u8(info, 0);
	patch_number(info, 0, info->size - 4, 4);
}

/* Attributes of fixed sizes are read from their places; they say the same where the section ends right behind them. */
static void fixed_attributes(void **state)
{
	enum { PADDING_MAX = 10 };
	/*
	 * An origin; an unknown attribute; the range; a column; the call: line and column, and once more a line, which
	 * does not count.
	 */
	static const struct {
		const char *name, *inlinee;
		bool has_code;
		uint64_t file;
	} cases[] = {
		{"of sizes alone", "\x31\x13\x7f\x0b\x11\1\x12\x06\x39\5\x59\5\x57\x0b\x59\5", true, UINT64_MAX},
		{"a constant in the abbreviation",
		 "\x31\x13\x7f\x0b\x11\1\x12\x06\x39\5\x58\x21\x09\x59\5\x57\x0b\x59\5", true, 9},
		{"a flag without bytes", "\x58\x19\x31\x13\x7f\x0b\x11\1\x12\x06\x39\5\x59\5\x57\x0b\x59\5", true, 1},
		{"a negative constant", "\x31\x13\x7f\x0b\x11\1\x12\x06\x39\5\x58\x21\x7f\x59\5\x57\x0b\x59\5", true,
		 UINT64_MAX},
		{"a range of sixteen bytes", "\x31\x13\x7f\x0b\x11\1\x12\x1e", false, 0},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases) * PADDING_MAX; i++) {
		struct bench bench = {0};
		put_fixed(&bench, cases[i / PADDING_MAX].inlinee, i % PADDING_MAX);
		uint8_t *exact = exact_copy(bench.info.data, bench.info.size);
		free(bench.info.data);
		bench.info.data = exact;
		bench_open(&bench);
		bench.scopes.keeps_columns = true;
		scopes_read(&bench.scopes, &bench.unit, &bench.file, NULL);
		if (bench.scopes.count != 1u + cases[i / PADDING_MAX].has_code)
			fail_msg("%s: %u scopes", cases[i / PADDING_MAX].name, bench.scopes.count);
		const struct scope *scope = &bench.scopes.scopes[1];
		if (cases[i / PADDING_MAX].has_code) {
			assert_int_equal(scope->origin, 0x0b);
			assert_int_equal(bench.scopes.ranges.list.ranges[scope->range_first].start, 0x20);
			assert_int_equal(bench.scopes.ranges.list.ranges[scope->range_first].end, 0x30);
			assert_int_equal(scope->call_file, cases[i / PADDING_MAX].file);
			assert_int_equal(scope->call_line, 300);
			assert_int_equal(scope->call_column, 17);
		}
		bench_done(&bench);
	}
}

/* Every prefix of a unit, and every single byte of it another, is read or refused. */
static void damage(void **state)
{
	(void)state;
	uint64_t random = 17;
	for (size_t i = 0; i < COUNT_OF(trees); i++) {
		struct bench bench;
		bench_init(&bench, trees[i].language, trees[i].tree);
		size_t size = bench.info.size, first = bench.unit.die_offset + 3;
		for (size_t k = 0; k < 9 * size; k++) {
			bool cut = k < size;
			size_t part = cut ? k : size;
			uint8_t *exact = exact_copy(bench.info.data, part);
			if (cut && part < first) {
				free(exact);
				continue;
			}
			if (!cut)
				exact[first + k % (size - first)] ^= (uint8_t)(1 + random_below(&random, 255));
			bench.unit.end = part;
			section_init(&bench.file.sections[DEBUG_INFO], exact, part, false);
			enum locus_status status = scopes_read(&bench.scopes, &bench.unit, &bench.file, NULL);
			if (status != LOCUS_OK && status != LOCUS_ERR_BAD_DWARF)
				fail_msg("%s: status %d", trees[i].name, status);
			free(exact);
		}
		bench_done(&bench);
	}
}

/* A unit that ends inside a code is cut off, also where that code could be the end of the tree. */
static void cut_code(void **state)
{
	(void)state;
	struct bench bench;
	struct locus_error error;
	bench_init(&bench, LANG_C, "fn f 10 50 }");
	bench.info.data[bench.info.size - 1] = 0x80;
	assert_int_equal(scopes_read(&bench.scopes, &bench.unit, &bench.file, &error), LOCUS_ERR_BAD_DWARF);
	char text[64];
	snprintf(text, sizeof(text), "the DIE at .debug_info+0x%zx is cut off", bench.info.size - 1);
	assert_string_equal(error.text, text);
	assert_int_equal(error.offset, LOCUS_NO_OFFSET);
	bench_done(&bench);
}

/* What was read of a unit before does not count for the next one. */
static void one_unit_after_another(void **state)
{
	struct bench bench;
	char *deep = nest("", " inl a 10 20 7", INLINE_DEPTH_MAX + 1, "");
	char tree[2 * 8192];
	(void)state;
	assert_true(snprintf(tree, sizeof(tree),
			     "space n fn dead ffffffffffffffff ffffffffffffffff } fn back 50 10 } fn elsewhere 0 50 } "
			     "fn f ff0 2000 %s } }",
			     deep) < (int)sizeof(tree));
	free(deep);
	bench_init(&bench, LANG_CPP, tree);
	for (int round = 0; round < 3; round++) {
		assert_int_equal(scopes_read(&bench.scopes, &bench.unit, &bench.file, NULL), LOCUS_OK);
		assert_int_equal(bench.scopes.count, 1 + INLINE_DEPTH_MAX + 1);
		assert_int_equal(bench.scopes.ranges.list.count, 1 + INLINE_DEPTH_MAX + 1);
		assert_int_equal(bench.scopes.ranges.tombstone_count, 1);
		assert_int_equal(bench.scopes.ranges.bad_count, 1);
		assert_int_equal(bench.scopes.not_executable_count, 1);
		assert_int_equal(bench.scopes.clipped_count, 1);
		assert_int_equal(bench.scopes.too_deep_count, 1);
		assert_int_equal(bench.scopes.name_count, 2); /* the namespace opens and closes */
		assert_int_equal(bench.scopes.start_count, 0);
	}
	bench_done(&bench);
}

/* Each attribute of a function or inlinee is a step: with fewer, the message says where the unit is. */
static void attributes_are_counted(void **state)
{
	enum { OF_FUNCTION = 3, OF_INLINEE = 5 };
	static const struct {
		const char *tree;
		uint64_t steps;
	} cases[] = {
		{"block struct S } }", 0},
		{"fn f 10 50 }", OF_FUNCTION},
		{"fn f 10 50 inl a 10 20 7 inl b 12 14 8 } } }", OF_FUNCTION + 2 * OF_INLINEE},
		{"fn f 2000 2050 } fn g 10 50 }", 2 * OF_FUNCTION},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bench bench;
		struct budget budget;
		struct locus_error error;
		bench_init(&bench, LANG_C, cases[i].tree);
		budget_of_steps(&budget, cases[i].steps);
		assert_int_equal(scopes_read(&bench.scopes, &bench.unit, &bench.file, NULL), LOCUS_OK);
		assert_int_equal(budget_steps_left(&budget), 0);
		budget_of_steps(&budget, cases[i].steps - 1);
		if (cases[i].steps) {
			assert_int_not_equal(scopes_read(&bench.scopes, &bench.unit, &bench.file, NULL), LOCUS_OK);
			assert_int_equal(budget_fail(&budget, LOCUS_OK, &error), LOCUS_ERR_BAD_DWARF);
			assert_string_equal(error.text, "its entries take more work than input of 0 bytes can need, at "
							".debug_info+0x0");
		}
		budget_use(NULL);
		bench_done(&bench);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walks),
		cmocka_unit_test(dies_that_do_not_fill_their_unit),
		cmocka_unit_test(a_unit_without_dies),
		cmocka_unit_test(a_sibling_at_the_end),
		cmocka_unit_test(siblings_of_all_forms),
		cmocka_unit_test(parts_are_the_whole),
		cmocka_unit_test(enclosing_scopes),
		cmocka_unit_test(inline_depth),
		cmocka_unit_test(tree_depth),
		cmocka_unit_test(parameters),
		cmocka_unit_test(fixed_attributes),
		cmocka_unit_test(damage),
		cmocka_unit_test(cut_code),
		cmocka_unit_test(one_unit_after_another),
		cmocka_unit_test(attributes_are_counted),
	};
	return cmocka_run_group_tests_name("scopes", tests, NULL, NULL);
}
