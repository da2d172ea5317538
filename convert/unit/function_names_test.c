/* The names of hand-made functions: many of them, in several units, and in scopes of any kind, depth and length. */
#include "convert/unit/function_names.h"

#include <dwarf.h>

#include "base/toolkit_test.h"
#include "convert/dwarf/unit_open.h"

/* The codes of the abbreviations below. */
enum {
	UNIT = 1,
	FN,
	FN_STRP,
	FN_LINKAGE,
	FN_NAMELESS,
	SPACE,
	ANONYMOUS,
	ANONYMOUS_STRUCT,
	ANONYMOUS_UNION,
	ANONYMOUS_CLASS,
	DECLARED_CLASS,
	DEFINED_CLASS,
	FIRST_HOP
};

static const uint8_t abbrevs[] = {
	/* clang-format off */
	UNIT, DW_TAG_compile_unit, 1, DW_AT_language, DW_FORM_data2, 0, 0,
	FN, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string, 0, 0,
	FN_STRP, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_strp, 0, 0,
	FN_LINKAGE, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string, DW_AT_linkage_name, DW_FORM_string, 0, 0,
	FN_NAMELESS, DW_TAG_subprogram, 0, 0, 0,
	SPACE, DW_TAG_namespace, 1, DW_AT_name, DW_FORM_string, 0, 0,
	ANONYMOUS, DW_TAG_namespace, 1, 0, 0,
	ANONYMOUS_STRUCT, DW_TAG_structure_type, 1, 0, 0,
	ANONYMOUS_UNION, DW_TAG_union_type, 1, 0, 0,
	ANONYMOUS_CLASS, DW_TAG_class_type, 1, 0, 0,
	DECLARED_CLASS, DW_TAG_class_type, 0, DW_AT_name, DW_FORM_string, 0, 0,
	DEFINED_CLASS, DW_TAG_class_type, 1, DW_AT_specification, DW_FORM_ref4, 0, 0,
	/* clang-format on */
};

struct bench {
	struct bytes info;
	struct bytes hops; /* abbreviations behind those above, for put_hop */
	size_t unit_at;    /* of the unit that is being made */
	struct elf_file file;
	struct dwarf dwarf;
	struct unit unit;
	struct scopes scopes;
	struct string_set strings;
	struct intern_set functions;
	struct function_names names;
};

static void begin_unit(struct bench *bench, uint16_t language)
{
	bench->unit_at = bench->info.size;
	put_number(&bench->info, 0, 4);
	put_number(&bench->info, 4, 2);
	put_number(&bench->info, 0, 4);
	put_u8(&bench->info, 8);
	put_u8(&bench->info, UNIT);
	put_number(&bench->info, language, 2);
}

static void bench_init(struct bench *bench, uint16_t language)
{
	*bench = (struct bench){.names = {.functions = &bench->functions, .strings = &bench->strings}};
	bench->info.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	string_set_init(&bench->strings);
	intern_set_init(&bench->functions, sizeof(struct function_key));
	put_bytes(&bench->hops, abbrevs, sizeof(abbrevs));
	begin_unit(bench, language);
}

static void end_unit(struct bench *bench)
{
	put_u8(&bench->info, 0);
	patch_number(&bench->info, bench->unit_at, bench->info.size - bench->unit_at - 4, 4);
}

static void read_unit(struct bench *bench, size_t offset)
{
	struct locus_error error;
	unit_done(&bench->unit);
	if (unit_open(&bench->unit, &bench->dwarf, DEBUG_INFO, offset, NULL, NULL, &error) != LOCUS_OK ||
	    scopes_survey(&bench->scopes, &bench->unit, UINT64_MAX, &error) != LOCUS_OK)
		fail_msg("%s", error.text);
	function_names_begin(&bench->names, &bench->unit, &bench->scopes);
}

/* Ends the unit, and begins to read the first one. */
static void bench_read(struct bench *bench, const char *strings, size_t size)
{
	end_unit(bench);
	section_init(&bench->file.sections[DEBUG_INFO], bench->info.data, bench->info.size, false);
	put_u8(&bench->hops, 0);
	section_init(&bench->file.sections[DEBUG_ABBREV], bench->hops.data, bench->hops.size, false);
	section_init(&bench->file.sections[DEBUG_STR], (const uint8_t *)strings, size, false);
	dwarf_init(&bench->dwarf, &bench->file);
	assert_int_equal(dwarf_prepare(&bench->dwarf, NULL), LOCUS_OK);
	read_unit(bench, 0);
}

static void bench_done(struct bench *bench)
{
	function_names_done(&bench->names);
	scopes_done(&bench->scopes);
	unit_done(&bench->unit);
	die_index_done(&bench->dwarf);
	dwarf_done(&bench->dwarf);
	bytes_done(&bench->info);
	bytes_done(&bench->hops);
	intern_set_done(&bench->functions);
	string_set_done(&bench->strings);
}

static size_t put_function(struct bench *bench, const char *name)
{
	size_t at = bench->info.size;
	put_u8(&bench->info, FN);
	put_string(&bench->info, name);
	return at;
}

static void put_space(struct bench *bench, const char *name)
{
	put_u8(&bench->info, SPACE);
	put_string(&bench->info, name);
}

static struct die_names names_at(struct bench *bench, uint64_t offset)
{
	struct die_names found;
	uint32_t id;
	assert_true(function_names_find(&bench->names, offset, &found));
	assert_true(function_names_ids(&bench->names, &offset, 1, &id));
	assert_int_equal(id, found.function);
	return found;
}

static void expect(struct bench *bench, uint64_t offset, const char *expected)
{
	struct die_names found = names_at(bench, offset);
	if (!found.key.name || strcmp(found.key.name, expected) != 0)
		fail_msg("offset %llu: %.80s, not %.80s", (unsigned long long)offset,
			 found.key.name ? found.key.name : "no name", expected);
}

/*
 * More functions than a table has slots for, each in two units at the same distance, are told apart when asked again.
 */
static void many_functions_in_two_units(void **state)
{
	enum { COUNT = 5000 };
	struct bench bench;
	size_t *at = calloc(COUNT, sizeof(*at)), units[2];
	char name[16];
	(void)state;
	assert_non_null(at);
	bench_init(&bench, DW_LANG_C99);
	for (int u = 0; u < 2; u++) {
		if (u) {
			end_unit(&bench);
			begin_unit(&bench, DW_LANG_C99);
		}
		units[u] = bench.unit_at;
		for (int i = 0; i < COUNT; i++) {
			snprintf(name, sizeof(name), "%c%04d", "fg"[u], i);
			at[i] = put_function(&bench, name) - units[u];
		}
	}
	bench_read(&bench, "", 1);

	/*
	 * Before the last two rounds, the numbers of slots have come to their end and begin again. They are of the same
	 * unit, in another order, so that each slot had a number that another function has now.
	 */
	for (int round = 0; round < 6; round++) {
		int u = round < 5 ? round % 2 : 0;
		if (round >= 4)
			bench.names.cache.first = UINT32_MAX / 2;
		read_unit(&bench, units[u]);
		assert_int_equal(bench.names.cache.count, 0);
		assert_true(round < 4 || bench.names.cache.first == 1);
		for (int again = 0; again < 2; again++) {
			for (int i = 0; i < COUNT; i++) {
				int k = round < 5 ? i : COUNT - 1 - i;
				snprintf(name, sizeof(name), "%c%04d", "fg"[u], k);
				expect(&bench, units[u] + at[k], name);
			}
			assert_int_equal(bench.names.cache.count, COUNT);
		}
	}
	bench_done(&bench);
	free(at);
}

static void scopes_without_a_name(void **state)
{
	struct bench bench;
	(void)state;
	bench_init(&bench, DW_LANG_C_plus_plus);
	put_u8(&bench.info, ANONYMOUS);
	put_u8(&bench.info, ANONYMOUS_STRUCT);
	put_u8(&bench.info, ANONYMOUS_UNION);
	put_u8(&bench.info, ANONYMOUS_CLASS);
	size_t at = put_function(&bench, "f");
	put_bytes(&bench.info, "\0\0\0\0", 4);
	bench_read(&bench, "", 1);
	expect(&bench, at, "(anonymous namespace)::(anonymous struct)::(anonymous union)::(anonymous class)::f");
	assert_string_equal(names_at(&bench, at).bare, "f");
	bench_done(&bench);
}

/* A class may be declared first, with its name, and be defined by a DIE that refers to the declaration. */
static void scopes_that_were_declared(void **state)
{
	struct bench bench;
	(void)state;
	bench_init(&bench, DW_LANG_C_plus_plus);
	size_t declared = bench.info.size - bench.unit_at;
	put_u8(&bench.info, DECLARED_CLASS);
	put_string(&bench.info, "outer");
	put_u8(&bench.info, DEFINED_CLASS);
	put_number(&bench.info, declared, 4);
	size_t at = put_function(&bench, "f");
	put_u8(&bench.info, 0);
	put_u8(&bench.info, DEFINED_CLASS);
	put_number(&bench.info, 0xffffff, 4); /* which is nowhere */
	size_t lost = put_function(&bench, "f");
	put_u8(&bench.info, 0);
	bench_read(&bench, "", 1);
	expect(&bench, at, "outer::f");
	assert_int_equal(bench.names.complaints.count, 0);
	expect(&bench, lost, "(anonymous class)::f");
	assert_int_equal(bench.names.complaints.count, 1);
	bench_done(&bench);
}

/* RULES D3: of more than 64 scopes the outermost are left out. */
static void deep_scopes(void **state)
{
	(void)state;
	for (size_t depth = 62; depth < 70; depth++) {
		struct bench bench;
		char name[32], expected[1024] = "";
		bench_init(&bench, DW_LANG_C_plus_plus);
		for (size_t i = 0; i < depth; i++) {
			snprintf(name, sizeof(name), "n%zu", i);
			put_space(&bench, name);
			if (depth - i <= 64)
				strcat(strcat(expected, name), "::");
		}
		size_t at = put_function(&bench, "f");
		for (size_t i = 0; i < depth; i++)
			put_u8(&bench.info, 0);
		bench_read(&bench, "", 1);
		expect(&bench, at, strcat(expected, "f"));
		bench_done(&bench);
	}
}

/* A name that its scopes would make longer than 64 KiB stays as it is, also where only the outermost makes it so. */
static void long_scopes(void **state)
{
	enum { QUALIFIED_MAX = 1 << 16, REST = sizeof("::f") - 1 };
	static const struct {
		size_t over;       /* bytes of the inner scope, beyond what fits */
		const char *outer; /* the scope around it; NULL: none */
	} cases[] = {{0, NULL}, {1, NULL}, {0, "o"}};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bench bench;
		size_t size = QUALIFIED_MAX - REST + cases[i].over;
		bool is_too_long = cases[i].over || cases[i].outer;
		char *expected = malloc(size + REST + 1);
		assert_non_null(expected);
		memset(expected, 'n', size);
		expected[size] = 0;
		bench_init(&bench, DW_LANG_C_plus_plus);
		if (cases[i].outer)
			put_space(&bench, cases[i].outer);
		put_space(&bench, expected);
		size_t at = put_function(&bench, "f");
		put_u8(&bench.info, 0);
		if (cases[i].outer)
			put_u8(&bench.info, 0);
		bench_read(&bench, "", 1);
		expect(&bench, at, is_too_long ? "f" : strcat(expected, "::f"));
		/* It is not left in the unit, which is given back. */
		assert_ptr_not_equal(names_at(&bench, at).key.name, bench.info.data + at + 1);
		bench_done(&bench);
		free(expected);
	}
}

/* A string of .debug_str stays where it is; one that lies in the unit, which is given back, is copied. */
static void strings_that_outlive_the_unit(void **state)
{
	static const char strings[] = "pad\0shared";
	(void)state;
	for (int is_cpp = 0; is_cpp < 2; is_cpp++) {
		struct bench bench;
		bench_init(&bench, is_cpp ? DW_LANG_C_plus_plus : DW_LANG_C99);
		size_t shared = bench.info.size;
		put_u8(&bench.info, FN_STRP);
		put_number(&bench.info, 4, 4);
		size_t own = put_function(&bench, "own");
		put_space(&bench, "n");
		size_t inner = bench.info.size;
		put_u8(&bench.info, FN_STRP);
		put_number(&bench.info, 4, 4);
		put_u8(&bench.info, 0);
		bench_read(&bench, strings, sizeof(strings));
		assert_ptr_equal(names_at(&bench, shared).key.name, strings + 4);
		expect(&bench, own, "own");
		expect(&bench, inner, is_cpp ? "n::shared" : "shared");
		assert_ptr_equal(names_at(&bench, inner).bare, strings + 4);
		const uint8_t *copy = (const uint8_t *)names_at(&bench, own).key.name;
		assert_true(copy < bench.info.data || copy >= bench.info.data + bench.info.size);
		bench_done(&bench);
	}
}

/* RULES D1, D7: a name that is empty, or outside of its section, is counted, of a function and of what it is in. */
static void names_outside_of_their_section(void **state)
{
	static const char strings[] = "pad";
	struct bench bench;
	(void)state;
	bench_init(&bench, DW_LANG_C_plus_plus);
	put_bytes(&bench.hops, (uint8_t[]){FIRST_HOP, DW_TAG_namespace, 1, DW_AT_name, DW_FORM_strp, 0, 0}, 7);
	const size_t first = bench.info.size;
	put_u8(&bench.info, FN_STRP);
	put_number(&bench.info, sizeof(strings) - 1, 4); /* an empty name */
	const size_t lost = bench.info.size;
	put_u8(&bench.info, FN_STRP);
	put_number(&bench.info, sizeof(strings), 4);
	put_u8(&bench.info, FIRST_HOP);
	put_number(&bench.info, sizeof(strings), 4);
	const size_t inner = put_function(&bench, "f");
	put_u8(&bench.info, 0);
	bench_read(&bench, strings, sizeof(strings));
	assert_int_equal(names_at(&bench, first).function, FUNCTION_UNKNOWN);
	assert_int_equal(bench.names.complaints.count, 1);
	assert_int_equal(names_at(&bench, lost).function, FUNCTION_UNKNOWN);
	assert_int_equal(bench.names.complaints.count, 2);
	expect(&bench, inner, "(anonymous namespace)::f");
	assert_int_equal(bench.names.complaints.count, 3);
	assert_true(bench.names.complaints.complaints[2].bad_reference);
	bench_done(&bench);
}

/* RULES D1: an origin that is no function gives no name, and is counted. */
static void origins_that_are_no_functions(void **state)
{
	struct bench bench;
	(void)state;
	bench_init(&bench, DW_LANG_C99);
	put_bytes(&bench.hops,
		  (uint8_t[]){FIRST_HOP, DW_TAG_inlined_subroutine, 0, DW_AT_abstract_origin, DW_FORM_ref4, 0, 0}, 7);
	const size_t class = bench.info.size;
	put_u8(&bench.info, DECLARED_CLASS);
	put_string(&bench.info, "class");
	const size_t function = put_function(&bench, "f");
	const size_t from = bench.info.size;
	for (int i = 0; i < 2; i++) {
		put_u8(&bench.info, FIRST_HOP);
		put_number(&bench.info, i ? class : function, 4);
	}
	bench_read(&bench, "", 1);
	expect(&bench, from, "f");
	assert_int_equal(bench.names.complaints.count, 0);
	assert_int_equal(names_at(&bench, from + 5).function, FUNCTION_UNKNOWN);
	assert_int_equal(names_at(&bench, class).function, FUNCTION_UNKNOWN);
	assert_int_equal(bench.names.complaints.count, 2);
	bench_done(&bench);
}

/* RULES D2: a mangled name contains the name, which is not kept then. */
static void linkage_names(void **state)
{
	static const struct {
		const char *linkage;
		bool is_mangled;
	} cases[] = {{"_Zf", true},  {"_Rf", true}, {"_Df", true}, {"_Af", false},
		     {"Z_f", false}, {"_", false},  {"", false}};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bench bench;
		assert_int_equal(is_mangled(cases[i].linkage), cases[i].is_mangled);
		bench_init(&bench, DW_LANG_C_plus_plus);
		put_space(&bench, "n");
		size_t at = bench.info.size;
		put_u8(&bench.info, FN_LINKAGE);
		put_string(&bench.info, "f");
		put_string(&bench.info, cases[i].linkage);
		put_u8(&bench.info, 0);
		bench_read(&bench, "", 1);
		struct die_names found = names_at(&bench, at);
		if (!*cases[i].linkage) { /* RULES D7 */
			assert_null(found.key.linkage);
			assert_string_equal(found.key.name, "n::f");
		} else {
			assert_string_equal(found.key.linkage, cases[i].linkage);
			assert_true(cases[i].is_mangled
					    ? !found.key.name && !found.bare
					    : strcmp(found.key.name, "f") == 0 && found.key.name == found.bare);
		}
		bench_done(&bench);
	}
}

static void no_name(void **state)
{
	struct bench bench;
	(void)state;
	bench_init(&bench, DW_LANG_C_plus_plus);
	size_t at = bench.info.size;
	put_u8(&bench.info, FN_NAMELESS);
	size_t cut_off = put_function(&bench, (const char[]){FN_STRP, 0}) + 1;
	bench_read(&bench, "", 1);
	struct die_names found = names_at(&bench, at);
	assert_int_equal(found.function, FUNCTION_UNKNOWN);
	assert_null(found.key.name);
	assert_int_equal(bench.names.complaints.count, 0);

	/* A DIE that is none, is no function, or is not there, has no name, and that is counted. */
	assert_int_equal(names_at(&bench, bench.unit.die_offset).function, FUNCTION_UNKNOWN);
	assert_int_equal(names_at(&bench, bench.info.size - 1).function, FUNCTION_UNKNOWN);
	assert_int_equal(names_at(&bench, bench.info.size).function, FUNCTION_UNKNOWN);
	assert_int_equal(names_at(&bench, bench.unit.die_offset - 1).function, FUNCTION_UNKNOWN);
	assert_int_equal(bench.names.complaints.count, 4);

	/* Nor has one that the unit ends within. */
	assert_int_equal(names_at(&bench, cut_off).function, FUNCTION_UNKNOWN);
	assert_int_equal(bench.names.complaints.count, 5);
	bench_done(&bench);
}

/* What several readers complain of is counted once for each DIE, and not again in the next unit. */
static void complaints(void **state)
{
	struct complaint first[] = {{30, true, false}, {10, false, true}},
			 second[] = {{30, true, false}, {20, true, true}};
	struct complaints from[] = {{first, 2, 2}, {second, 2, 2}, {NULL, 0, 0}}, all = {0};
	uint64_t dropped[LOCUS_DROPPED_COUNT] = {0};
	(void)state;
	for (int again = 0; again < 2; again++) {
		for (size_t i = 0; i < COUNT_OF(from); i++) {
			assert_true(complaints_join(&all, &from[i]));
			assert_int_equal(from[i].count, 0);
		}
		complaints_count(&all, dropped);
		assert_int_equal(all.count, 0);
		assert_int_equal(dropped[LOCUS_DROPPED_BAD_REFERENCE], 2);
		assert_int_equal(dropped[LOCUS_DROPPED_BAD_FILE], 2);
	}
	complaints_done(&all);
}

/* ---- Chains of origins ---- */

enum { NONE = -1, HOPS_MAX = 18, FILES = 3 };

/*
 * A DIE of a chain. It refers to the next one, or to the next by its specification and to the one after by its origin.
 */
struct hop {
	const char *name, *linkage; /* NULL: it has none */
	int file;
	int64_t line;
	enum { END, ORIGIN, SPECIFICATION, SPECIFICATION_AND_ORIGIN, ORIGIN_AND_SPECIFICATION, NOWHERE } next;
};

static const struct line_file line_files[FILES] = {{"zero.c", 0}, {"one.c", 0}, {"two.c", 0}};

static void put_references(struct bench *bench, const struct hop *hop, uint64_t *places)
{
	static const struct {
		uint8_t first, second; /* attributes */
		uint8_t first_place, second_place;
	} kinds[] = {
		[ORIGIN] = {DW_AT_abstract_origin, 0, 0, 0},
		[NOWHERE] = {DW_AT_abstract_origin, 0, 2, 0},
		[SPECIFICATION] = {DW_AT_specification, 0, 0, 0},
		[SPECIFICATION_AND_ORIGIN] = {DW_AT_specification, DW_AT_abstract_origin, 0, 1},
		[ORIGIN_AND_SPECIFICATION] = {DW_AT_abstract_origin, DW_AT_specification, 1, 0},
	};
	const uint8_t attributes[] = {kinds[hop->next].first, kinds[hop->next].second};
	const uint8_t to[] = {kinds[hop->next].first_place, kinds[hop->next].second_place};
	for (int i = 0; i < 2 && attributes[i]; i++) {
		put_bytes(&bench->hops, (uint8_t[]){attributes[i], DW_FORM_ref4}, 2);
		places[to[i]] = bench->info.size;
		put_number(&bench->info, to[i] == 2 ? 0xffffff : 0, 4);
	}
}

/* Writes the DIE, with an abbreviation of its own. `places`: where its references to the next two stand; 0: it has
 * none. */
static size_t put_hop(struct bench *bench, const struct hop *hop, uint8_t code, uint64_t places[3])
{
	size_t at = bench->info.size;
	put_bytes(&bench->hops, (uint8_t[]){code, DW_TAG_subprogram, 0}, 3);
	put_u8(&bench->info, code);
	put_references(bench, hop, places);
	if (hop->linkage) {
		put_bytes(&bench->hops, (uint8_t[]){DW_AT_linkage_name, DW_FORM_string}, 2);
		put_string(&bench->info, hop->linkage);
	}
	if (hop->name) {
		put_bytes(&bench->hops, (uint8_t[]){DW_AT_name, DW_FORM_string}, 2);
		put_string(&bench->info, hop->name);
	}
	if (hop->file != NONE) {
		put_bytes(&bench->hops, (uint8_t[]){DW_AT_decl_file, DW_FORM_data1}, 2);
		put_number(&bench->info, (uint64_t)hop->file, 1);
	}
	if (hop->line != NONE) {
		put_bytes(&bench->hops, (uint8_t[]){DW_AT_decl_line, DW_FORM_data8}, 2);
		put_number(&bench->info, (uint64_t)hop->line, 8);
	}
	put_bytes(&bench->hops, "\0\0", 2);
	return at;
}

static void put_chain(struct bench *bench, const struct hop *hops, size_t count, size_t *ret_first)
{
	uint64_t places[HOPS_MAX][3] = {{0}};
	for (size_t i = 0; i < count; i++) {
		size_t at = put_hop(bench, &hops[i], (uint8_t)(FIRST_HOP + i), places[i]);
		if (!i)
			*ret_first = at;
		if (i && places[i - 1][0])
			patch_number(&bench->info, places[i - 1][0], at, 4);
		if (i > 1 && places[i - 2][1])
			patch_number(&bench->info, places[i - 2][1], at, 4);
	}
}

struct chain_case {
	const char *name;
	struct hop hops[3];
	struct function_key expected; /* without its file */
	const char *file;             /* NULL: unknown */
	bool bad_reference, bad_file;
};

#define KEY(linkage, name, line)                       \
	{                                              \
		linkage, name, 0, line, DW_LANG_C99, 0 \
	}

static const struct chain_case chains[] = {
	{"all in one DIE", {{"f", NULL, 1, 7, END}}, KEY(NULL, "f", 7), "one.c", false, false},
	{"a linkage name that does not contain the name",
	 {{"f", "link", 2, 7, END}},
	 KEY("link", "f", 7),
	 "two.c",
	 false,
	 false},
	{"a mangled name", {{"f", "_Zf", NONE, NONE, END}}, KEY("_Zf", NULL, 0), NULL, false, false},
	{"a linkage name alone", {{NULL, "link", NONE, NONE, END}}, KEY("link", NULL, 0), NULL, false, false},
	{"its own come first",
	 {{"f", "link", 1, 7, ORIGIN}, {"g", "other", 2, 8, END}},
	 KEY("link", "f", 7),
	 "one.c",
	 false,
	 false},
	{"all from its origin",
	 {{NULL, NULL, NONE, NONE, ORIGIN}, {"g", "other", 2, 8, END}},
	 KEY("other", "g", 8),
	 "two.c",
	 false,
	 false},
	{"each from the first that has it",
	 {{NULL, NULL, NONE, 7, ORIGIN}, {NULL, "link", 2, NONE, SPECIFICATION}, {"f", "other", 1, 9, END}},
	 KEY("link", "f", 7),
	 "two.c",
	 false,
	 false},
	{"RULES D7: empty names are none",
	 {{"", "", NONE, NONE, ORIGIN}, {"g", "other", NONE, NONE, END}},
	 KEY("other", "g", 0),
	 NULL,
	 true,
	 false},
	{"RULES D7: the same of a name alone",
	 {{"", NULL, NONE, NONE, ORIGIN}, {"g", NULL, NONE, NONE, END}},
	 KEY(NULL, "g", 0),
	 NULL,
	 true,
	 false},
	{"a name that a mangled one contains",
	 {{NULL, "_Zf", NONE, NONE, ORIGIN}, {"g", NULL, NONE, 5, END}},
	 KEY("_Zf", NULL, 5),
	 NULL,
	 false,
	 false},
	{"a specification, and the origin behind it",
	 {{NULL, NULL, NONE, NONE, SPECIFICATION_AND_ORIGIN},
	  {"s", NULL, NONE, NONE, END},
	  {"o", NULL, NONE, NONE, END}},
	 KEY(NULL, "o", 0),
	 NULL,
	 false,
	 false},
	{"an origin, and the specification behind it",
	 {{NULL, NULL, NONE, NONE, ORIGIN_AND_SPECIFICATION},
	  {"s", NULL, NONE, NONE, END},
	  {"o", NULL, NONE, NONE, END}},
	 KEY(NULL, "o", 0),
	 NULL,
	 false,
	 false},
	{"line 0xfffffffe",
	 {{"f", NULL, NONE, UINT32_MAX - INT64_C(1), END}},
	 KEY(NULL, "f", UINT32_MAX - 1),
	 NULL,
	 false,
	 false},
	{"a line of 32 ones is unknown", {{"f", NULL, NONE, UINT32_MAX, END}}, KEY(NULL, "f", 0), NULL, false, false},
	{"file 0", {{"f", NULL, 0, NONE, END}}, KEY(NULL, "f", 0), "zero.c", false, false},
	{"RULES B11: no such file", {{"f", NULL, FILES, NONE, END}}, KEY(NULL, "f", 0), NULL, false, true},
	{"RULES B11: a file of its own comes first, though there is no such",
	 {{"f", NULL, FILES, NONE, ORIGIN}, {NULL, NULL, 1, NONE, END}},
	 KEY(NULL, "f", 0),
	 NULL,
	 false,
	 true},
	{"RULES D1: to nowhere, what was found holds",
	 {{"f", NULL, 1, 7, NOWHERE}},
	 KEY(NULL, "f", 7),
	 "one.c",
	 true,
	 false},
	{"RULES D1: to nowhere and no such file",
	 {{"f", NULL, FILES, 7, NOWHERE}},
	 KEY(NULL, "f", 7),
	 NULL,
	 true,
	 true},
};

static bool same_string(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* What the first DIE of a chain is called, in a unit of C with three files. */
static void check_chain(const char *name, const struct hop *hops, size_t count, const struct chain_case *c)
{
	_Atomic uint32_t ids[FILES] = {0};
	const char *directory = "";
	struct unit owner = {.file_ids = ids};
	struct source_paths files;
	struct path_finder paths = {.paths = &files};
	struct bench bench;
	size_t first = 0;
	bench_init(&bench, DW_LANG_C99);
	put_chain(&bench, hops, count, &first);
	source_paths_init(&files, &bench.strings, NULL, 0);
	bench.names.paths = &paths;
	bench_read(&bench, "", 1);
	owner.lines = (struct line_header){.version = 5,
					   .files = (struct line_file *)line_files,
					   .file_count = FILES,
					   .directories = &directory,
					   .directory_count = 1};
	bench.unit.files_unit = &owner;

	const struct die_names found = names_at(&bench, first);
	const char *file = found.key.decl_file ? source_paths_get(&files, found.key.decl_file)->name : NULL;
	if (!same_string(found.key.name, c->expected.name) || !same_string(found.key.linkage, c->expected.linkage) ||
	    found.key.decl_line != c->expected.decl_line ||
	    found.key.language != (found.function == FUNCTION_UNKNOWN ? 0 : DW_LANG_C99) || !same_string(file, c->file))
		fail_msg("%s: %s, %s, %s:%u", name, found.key.linkage ? found.key.linkage : "-",
			 found.key.name ? found.key.name : "-", file ? file : "-", found.key.decl_line);
	assert_string_equal(found.bare ? found.bare : "", c->expected.name ? c->expected.name : "");
	const struct complaint *complaint = bench.names.complaints.complaints;
	if (bench.names.complaints.count != (c->bad_reference || c->bad_file))
		fail_msg("%s: %u complaints", name, bench.names.complaints.count);
	if (bench.names.complaints.count &&
	    (complaint->offset != first || complaint->bad_reference != c->bad_reference ||
	     complaint->bad_file != c->bad_file))
		fail_msg("%s: complains of %d %d", name, complaint->bad_reference, complaint->bad_file);
	source_paths_done(&files);
	bench_done(&bench);
}

static void chains_of_origins(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(chains); i++)
		check_chain(chains[i].name, chains[i].hops, COUNT_OF(chains[i].hops), &chains[i]);
}

/* RULES D1: sixteen DIEs are read, and what the seventeenth says is not known. */
static void long_chains(void **state)
{
	static const struct chain_case whole = {.expected = KEY(NULL, "last", 0)};
	static const struct chain_case too_long = {.expected = KEY(NULL, NULL, 0), .bad_reference = true};
	struct hop hops[HOPS_MAX];
	(void)state;
	for (size_t i = 0; i < HOPS_MAX; i++)
		hops[i] = (struct hop){NULL, NULL, NONE, NONE, ORIGIN};
	hops[ORIGIN_HOPS_MAX - 1] = (struct hop){"last", NULL, NONE, NONE, END};
	check_chain("sixteen", hops, ORIGIN_HOPS_MAX, &whole);
	hops[ORIGIN_HOPS_MAX] = hops[ORIGIN_HOPS_MAX - 1];
	hops[ORIGIN_HOPS_MAX - 1] = hops[0];
	check_chain("seventeen", hops, ORIGIN_HOPS_MAX + 1, &too_long);
}

/* ---- Names in other units ---- */

/* RULES D3, D8: a name has the scopes of the unit that it stands in, and that unit's language, if it has one. */
static void names_in_other_units(void **state)
{
	static const struct {
		uint16_t language; /* of the other unit */
		const char *space, *expected;
	} others[] = {{DW_LANG_C_plus_plus, "m", "m::f"}, {0, "n", "n::f"}, {DW_LANG_C99, "o", "f"}};
	struct bench bench;
	size_t from[2 * COUNT_OF(others)], to[COUNT_OF(others)];
	(void)state;
	bench_init(&bench, DW_LANG_C_plus_plus);
	put_space(&bench, "here");
	put_bytes(&bench.hops,
		  (uint8_t[]){FIRST_HOP, DW_TAG_subprogram, 0, DW_AT_abstract_origin, DW_FORM_ref_addr, 0, 0}, 7);
	for (size_t i = 0; i < COUNT_OF(from); i++) {
		from[i] = bench.info.size;
		put_u8(&bench.info, FIRST_HOP);
		put_number(&bench.info, 0, 4);
	}
	size_t own = put_function(&bench, "g");
	put_u8(&bench.info, 0);
	for (size_t i = 0; i < COUNT_OF(others); i++) {
		end_unit(&bench);
		begin_unit(&bench, others[i].language);
		put_space(&bench, others[i].space);
		to[i] = put_function(&bench, "f");
		put_u8(&bench.info, 0);
	}
	/* Each of the others is asked twice, in turn. */
	for (size_t i = 0; i < COUNT_OF(from); i++)
		patch_number(&bench.info, from[i] + 1, to[i % COUNT_OF(to)], 4);
	bench_read(&bench, "", 1);
	for (size_t i = 0; i < COUNT_OF(from); i++) {
		const struct die_names found = names_at(&bench, from[i]);
		expect(&bench, from[i], others[i % COUNT_OF(others)].expected);
		assert_string_equal(found.bare, "f");
		assert_int_equal(found.key.language, i % COUNT_OF(others) == 2 ? DW_LANG_C99 : DW_LANG_C_plus_plus);
	}
	expect(&bench, own, "here::g");
	assert_int_equal(bench.names.complaints.count, 0);
	bench_done(&bench);
}

/* RULES D8: the language is that of the unit where the name is, wherever its linkage name is. */
static void linkage_names_in_other_units(void **state)
{
	struct bench bench;
	(void)state;
	bench_init(&bench, DW_LANG_C99);
	put_bytes(&bench.hops,
		  (uint8_t[]){FIRST_HOP, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string, DW_AT_abstract_origin,
			      DW_FORM_ref_addr, 0, 0},
		  9);
	size_t from = bench.info.size;
	put_u8(&bench.info, FIRST_HOP);
	put_string(&bench.info, "f");
	size_t place = bench.info.size;
	put_number(&bench.info, 0, 4);
	end_unit(&bench);
	begin_unit(&bench, DW_LANG_C_plus_plus);
	patch_number(&bench.info, place, bench.info.size, 4);
	put_u8(&bench.info, FN_LINKAGE);
	put_string(&bench.info, "g");
	put_string(&bench.info, "link");
	bench_read(&bench, "", 1);
	const struct die_names found = names_at(&bench, from);
	assert_string_equal(found.key.name, "f");
	assert_string_equal(found.key.linkage, "link");
	assert_int_equal(found.key.language, DW_LANG_C99);
	bench_done(&bench);
}

/* A step for each attribute that is read, and one for eight bytes of all of a DIE's, and of each name that is copied or
 * joined. */
static void work(void **state)
{
	static const struct {
		uint16_t language;
		uint64_t expected;
	} cases[] = {{DW_LANG_C99, 1 + 81 / 8 + 80 / 8},
		     {DW_LANG_C_plus_plus, 1 + 81 / 8 + 80 / 8 + 1 + 2 / 8 + (80 + 3) / 8}};
	char name[81];
	(void)state;
	memset(name, 'f', 80);
	name[80] = 0;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bench bench;
		struct die_names found;
		bench_init(&bench, cases[i].language);
		put_space(&bench, "n");
		size_t at = put_function(&bench, name);
		put_u8(&bench.info, 0);
		bench_read(&bench, "", 1);
		assert_true(function_names_find(&bench.names, at, &found));
		assert_int_equal(bench.names.work, cases[i].expected);
		bench_done(&bench);
	}
}

/* Functions that are found at once, one of them twice, are those that are found one by one. */
static void functions_found_at_once(void **state)
{
	static const char *const linkages[] = {"_Z1fv", "", "plain", "_R1g"};
	uint64_t at[FUNCTION_NAMES_AT_ONCE];
	uint32_t ids[FUNCTION_NAMES_AT_ONCE], ids_at_once[FUNCTION_NAMES_AT_ONCE];
	struct bench bench;
	(void)state;
	bench_init(&bench, DW_LANG_C_plus_plus);
	put_space(&bench, "n");
	uint32_t lost_count = 2; /* those that are nowhere, and those that have an empty name which is looked at */
	for (size_t i = 0; i < COUNT_OF(at) - 3; i++) {
		const char *linkage = i % 5 ? linkages[i % 4] : NULL;
		const bool has_empty_linkage = linkage && !*linkage;
		lost_count += has_empty_linkage || (i % 7 == 0 && !(linkage && is_mangled(linkage)));
		at[i] = bench.info.size;
		put_u8(&bench.info, i % 5 ? FN_LINKAGE : FN);
		put_string(&bench.info, i % 7 ? "f" : "");
		if (i % 5)
			put_string(&bench.info, linkages[i % 4]);
	}
	at[COUNT_OF(at) - 3] = at[1];
	at[COUNT_OF(at) - 2] = UINT64_MAX;
	at[COUNT_OF(at) - 1] = 0;
	put_u8(&bench.info, 0);
	bench_read(&bench, "", 1);
	for (size_t i = 0; i < COUNT_OF(at); i++)
		ids[i] = names_at(&bench, at[i]).function;
	const uint32_t count = bench.names.cache.count, complaint_count = bench.names.complaints.count;
	assert_int_equal(count, COUNT_OF(at) - 1);
	assert_int_equal(complaint_count, lost_count);

	bench.names.complaints.count = 0;
	read_unit(&bench, 0);
	assert_true(function_names_ids(&bench.names, at, COUNT_OF(at), ids_at_once));
	assert_int_equal(bench.names.cache.count, count);
	assert_int_equal(bench.names.complaints.count, complaint_count);
	assert_memory_equal(ids_at_once, ids, sizeof(ids));

	/* And again, as they are known now. */
	memset(ids_at_once, 0, sizeof(ids_at_once));
	assert_true(function_names_ids(&bench.names, at, COUNT_OF(at), ids_at_once));
	assert_memory_equal(ids_at_once, ids, sizeof(ids));
	assert_int_equal(bench.names.cache.count, count);
	bench_done(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_functions_in_two_units),
		cmocka_unit_test(scopes_without_a_name),
		cmocka_unit_test(scopes_that_were_declared),
		cmocka_unit_test(deep_scopes),
		cmocka_unit_test(long_scopes),
		cmocka_unit_test(strings_that_outlive_the_unit),
		cmocka_unit_test(linkage_names),
		cmocka_unit_test(no_name),
		cmocka_unit_test(names_outside_of_their_section),
		cmocka_unit_test(origins_that_are_no_functions),
		cmocka_unit_test(complaints),
		cmocka_unit_test(chains_of_origins),
		cmocka_unit_test(long_chains),
		cmocka_unit_test(names_in_other_units),
		cmocka_unit_test(linkage_names_in_other_units),
		cmocka_unit_test(work),
		cmocka_unit_test(functions_found_at_once),
	};
	return cmocka_run_group_tests_name("function_names", tests, NULL, NULL);
}
