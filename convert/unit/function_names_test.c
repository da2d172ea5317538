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
	ANONYMOUS_CLASS
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
	0,
	/* clang-format on */
};

struct bench {
	struct bytes info;
	size_t unit_at; /* of the unit that is being made */
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
	if (unit_open(&bench->unit, &bench->dwarf, DEBUG_INFO, offset, NULL, NULL, NULL, &error) != LOCUS_OK ||
	    scopes_survey(&bench->scopes, &bench->unit, UINT64_MAX, &error) != LOCUS_OK)
		fail_msg("%s", error.text);
	function_names_begin(&bench->names, &bench->unit, &bench->scopes);
}

/* Ends the unit, and begins to read the first one. */
static void bench_read(struct bench *bench, const char *strings, size_t size)
{
	end_unit(bench);
	section_init(&bench->file.sections[DEBUG_INFO], bench->info.data, bench->info.size, false);
	section_init(&bench->file.sections[DEBUG_ABBREV], abbrevs, sizeof(abbrevs), false);
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
	dwarf_done(&bench->dwarf);
	bytes_done(&bench->info);
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
	assert_true(function_names_id(&bench->names, offset, &id));
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

/* More functions than a table has slots for, each in two units at the same distance, are told apart when asked again.
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
	bench_read(&bench, "", 0);

	/* Before the last round, the numbers of slots have come to their end and begin again. */
	for (int round = 0; round < 5; round++) {
		int u = round % 2;
		if (round == 4)
			bench.names.cache.first = UINT32_MAX / 2;
		read_unit(&bench, units[u]);
		assert_int_equal(bench.names.cache.count, 0);
		assert_true(round < 4 || bench.names.cache.first == 1);
		for (int again = 0; again < 2; again++) {
			for (int i = 0; i < COUNT; i++) {
				snprintf(name, sizeof(name), "%c%04d", "fg"[u], i);
				expect(&bench, units[u] + at[i], name);
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
	bench_read(&bench, "", 0);
	expect(&bench, at, "(anonymous namespace)::(anonymous struct)::(anonymous union)::(anonymous class)::f");
	assert_string_equal(names_at(&bench, at).bare, "f");
	bench_done(&bench);
}

/* Of more than 64 scopes the outermost are left out. */
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
		bench_read(&bench, "", 0);
		expect(&bench, at, strcat(expected, "f"));
		bench_done(&bench);
	}
}

/* A name that its scopes would make longer than 64 KiB stays as it is. */
static void long_scopes(void **state)
{
	enum { QUALIFIED_MAX = 1 << 16, REST = sizeof("::f") - 1 };
	(void)state;
	for (int over = 0; over < 2; over++) {
		struct bench bench;
		size_t size = QUALIFIED_MAX - REST + (size_t)over;
		char *expected = malloc(size + REST + 1);
		assert_non_null(expected);
		memset(expected, 'n', size);
		expected[size] = 0;
		bench_init(&bench, DW_LANG_C_plus_plus);
		put_space(&bench, expected);
		size_t at = put_function(&bench, "f");
		put_u8(&bench.info, 0);
		bench_read(&bench, "", 0);
		expect(&bench, at, over ? "f" : strcat(expected, "::f"));
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
		bench_read(&bench, "", 0);
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
	bench_read(&bench, "", 0);
	struct die_names found = names_at(&bench, at);
	assert_int_equal(found.function, FUNCTION_UNKNOWN);
	assert_null(found.key.name);
	assert_int_equal(bench.names.complaints.count, 0);

	/* A DIE that is none, or is not there, has no name, and that is counted. */
	assert_int_equal(names_at(&bench, bench.info.size - 1).function, FUNCTION_UNKNOWN);
	assert_int_equal(names_at(&bench, bench.info.size).function, FUNCTION_UNKNOWN);
	assert_int_equal(names_at(&bench, bench.unit.die_offset - 1).function, FUNCTION_UNKNOWN);
	assert_int_equal(bench.names.complaints.count, 3);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_functions_in_two_units),
		cmocka_unit_test(scopes_without_a_name),
		cmocka_unit_test(deep_scopes),
		cmocka_unit_test(long_scopes),
		cmocka_unit_test(strings_that_outlive_the_unit),
		cmocka_unit_test(linkage_names),
		cmocka_unit_test(no_name),
		cmocka_unit_test(complaints),
	};
	return cmocka_run_group_tests_name("function_names", tests, NULL, NULL);
}
