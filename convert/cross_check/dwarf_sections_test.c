/* Which sections of a file are those that libdw reads, by their names, types and order. */
#include "convert/cross_check/dwarf_sections.h"

#include "base/steps_test.h"
#include "convert/elf/make_elf_test.h"

enum { PARTS_MAX = 4 };

struct subject {
	struct bytes bytes;
	Elf *elf;
	Dwarf *dwarf;
	struct dwarf_sections found;
};

/* A file of these sections, up to the first without a name, with one behind them in which there is always something. */
static size_t subject_open(struct subject *subject, const struct elf_part parts[PARTS_MAX])
{
	struct elf_part all[PARTS_MAX + 1];
	size_t count = 0;
	for (; count < PARTS_MAX && parts[count].name; count++)
		all[count] = parts[count];
	all[count++] = (struct elf_part){".text", SHT_PROGBITS, SHF_ALLOC, 0, "text", 4, 0, 0};
	*subject = (struct subject){.elf = NULL};
	make_elf(&subject->bytes, ET_DYN, EM_X86_64, all, count);
	elf_version(EV_CURRENT);
	subject->elf = elf_memory((char *)subject->bytes.data, subject->bytes.size);
	subject->dwarf = dwarf_begin_elf(subject->elf, DWARF_C_READ, NULL);
	if (!subject->dwarf)
		fail_msg("%s: %s", parts[0].name, dwarf_errmsg(-1));
	dwarf_sections_find(&subject->found, subject->dwarf);
	return count;
}

static void subject_close(struct subject *subject)
{
	dwarf_end(subject->dwarf);
	elf_end(subject->elf);
	bytes_done(&subject->bytes);
}

#define PART(name, type, flags, text)                              \
	{                                                          \
		name, type, flags, 0, text, sizeof(text) - 1, 0, 0 \
	}
#define PLAIN(name, text) PART(name, SHT_PROGBITS, 0, text)
#define TEXT(text)        text, sizeof(text) - 1

static const struct {
	const char *name;
	struct elf_part parts[PARTS_MAX];
	enum debug_section which; /* that is asked for */
	const char *expected;
	size_t size;        /* 0: there is none */
	const char *packed; /* NULL: none is */
} cases[] = {
	{"the usual", {PLAIN(".debug_info", "INFO"), PLAIN(".debug_line", "LINE")}, DEBUG_INFO, TEXT("INFO"), NULL},
	{"another", {PLAIN(".debug_info", "INFO"), PLAIN(".debug_line", "LINE")}, DEBUG_LINE, TEXT("LINE"), NULL},
	{"one that is not there", {PLAIN(".debug_info", "INFO")}, DEBUG_LINE, TEXT(""), NULL},
	{"of two the first", {PLAIN(".debug_info", "ONE"), PLAIN(".debug_info", "TWO")}, DEBUG_INFO, TEXT("ONE"), NULL},
	{"an empty one does not count",
	 {PLAIN(".debug_info", ""), PLAIN(".debug_info", "TWO")},
	 DEBUG_INFO,
	 TEXT("TWO"),
	 NULL},
	{"a longer name", {PLAIN(".debug_info", "INFO"), PLAIN(".debug_infos", "NO")}, DEBUG_INFO, TEXT("INFO"), NULL},
	{"a longer name alone", {PLAIN(".debug_line", "A"), PLAIN(".debug_infos", "NO")}, DEBUG_INFO, TEXT(""), NULL},
	{"a shorter name", {PLAIN(".debug_line", "A"), PLAIN(".debug_inf", "NO")}, DEBUG_INFO, TEXT(""), NULL},
	{"one that begins so",
	 {PLAIN(".debug_str_offsets", "NO"), PLAIN(".debug_str", "S\0"), PLAIN(".debug_line", "A")},
	 DEBUG_STR,
	 TEXT("S\0"),
	 NULL},
	{"no name at all", {PLAIN(".debug_", "NO"), PLAIN(".debug_info", "INFO")}, DEBUG_INFO, TEXT("INFO"), NULL},
	{"without content",
	 {PART(".debug_info", SHT_NOBITS, 0, "NO"), PLAIN(".debug_info", "INFO")},
	 DEBUG_INFO,
	 TEXT("INFO"),
	 NULL},
	{"of a group",
	 {PART(".debug_info", SHT_PROGBITS, SHF_GROUP, "NO"), PLAIN(".debug_info", "INFO")},
	 DEBUG_INFO,
	 TEXT("INFO"),
	 NULL},
	{"of split units", {PLAIN(".debug_info.dwo", "SPLIT")}, DEBUG_INFO, TEXT("SPLIT"), NULL},
	{"of split units beside others",
	 {PLAIN(".debug_info.dwo", "SPLIT"), PLAIN(".debug_line", "A")},
	 DEBUG_INFO,
	 TEXT(""),
	 NULL},
	{"of split units before others",
	 {PLAIN(".debug_info.dwo", "SPLIT"), PLAIN(".debug_info", "INFO")},
	 DEBUG_INFO,
	 TEXT("INFO"),
	 NULL},
	{"others alone", {PLAIN(".debug_line.dwo", "SPLIT"), PLAIN(".other", "NO")}, DEBUG_LINE, TEXT("SPLIT"), NULL},
	{"packed in the old way, and damaged",
	 {PLAIN(".zdebug_info", "ZLIB\1\2\3"), PLAIN(".debug_line", "LINE")},
	 DEBUG_INFO,
	 TEXT(""),
	 "info"},
	{"of split units among others",
	 {PLAIN(".zdebug_info.dwo", "ZLIB\1\2\3"), PLAIN(".debug_line", "LINE")},
	 DEBUG_INFO,
	 TEXT(""),
	 "info.dwo"},
	{"packed, and cut off behind the magic",
	 {PLAIN(".zdebug_info", "ZLIB"), PLAIN(".debug_line", "LINE")},
	 DEBUG_INFO,
	 TEXT("ZLIB"),
	 NULL},
	{"packed, and damaged",
	 {PART(".debug_info", SHT_PROGBITS, SHF_COMPRESSED, "NO"), PLAIN(".debug_line", "LINE")},
	 DEBUG_INFO,
	 TEXT(""),
	 "info"},
	{"packed, and not the first of its name",
	 {PLAIN(".debug_info", "INFO"), PART(".debug_info", SHT_PROGBITS, SHF_COMPRESSED, "NO")},
	 DEBUG_INFO,
	 TEXT("INFO"),
	 NULL},
	{"packed, and not read",
	 {PART(".debug_gnu_pubnames", SHT_PROGBITS, SHF_COMPRESSED, "NO"), PLAIN(".debug_info", "INFO")},
	 DEBUG_INFO,
	 TEXT("INFO"),
	 NULL},
	{"strings end at the last NUL",
	 {PLAIN(".debug_str", "one\0two\0three"), PLAIN(".debug_line", "LINE")},
	 DEBUG_STR,
	 TEXT("one\0two\0"),
	 NULL},
	{"of lines too",
	 {PLAIN(".debug_line_str", "one\0two"), PLAIN(".debug_line", "LINE")},
	 DEBUG_LINE_STR,
	 TEXT("one\0"),
	 NULL},
	{"strings without a NUL",
	 {PLAIN(".debug_str", "one"), PLAIN(".debug_line", "LINE")},
	 DEBUG_STR,
	 TEXT(""),
	 NULL},
	{"other sections do not",
	 {PLAIN(".debug_abbrev", "one\0two"), PLAIN(".debug_line", "LINE")},
	 DEBUG_ABBREV,
	 TEXT("one\0two"),
	 NULL},
};

static void sections_that_count(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct subject subject;
		subject_open(&subject, cases[i].parts);
		const struct section_bytes *found = &subject.found.of[cases[i].which];
		const char *packed = subject.found.packed ? subject.found.packed_name : NULL;
		if (found->size != cases[i].size ||
		    (found->size && memcmp(found->data, cases[i].expected, found->size) != 0))
			fail_msg("%s: [%.*s]", cases[i].name, (int)found->size, (const char *)found->data);
		if (packed && cases[i].packed ? strcmp(packed, cases[i].packed) != 0 : packed != cases[i].packed)
			fail_msg("%s: packed is %s", cases[i].name, packed ? packed : "none");
		assert_false(subject.found.swap);
		subject_close(&subject);
	}
}

/* libdw leaves those after the first unread: gcc gives each type unit of a .dwo file a section of its own. */
static void units_in_several_sections(void **state)
{
	static const struct {
		const char *name;
		struct elf_part parts[PARTS_MAX];
		bool is_divided;
	} files[] = {
		{"in one", {PLAIN(".debug_info", "ONE"), PLAIN(".debug_line", "LINE")}, false},
		{"in two", {PLAIN(".debug_info", "ONE"), PLAIN(".debug_info", "TWO")}, true},
		{"in two, of which the other is packed",
		 {PLAIN(".debug_info", "ONE"), PART(".debug_info", SHT_PROGBITS, SHF_COMPRESSED, "TWO")},
		 true},
		{"in two of split units", {PLAIN(".debug_info.dwo", "ONE"), PLAIN(".debug_info.dwo", "TWO")}, true},
		{"the other is empty", {PLAIN(".debug_info", "ONE"), PLAIN(".debug_info", "")}, false},
		{"the first is empty", {PLAIN(".debug_info", ""), PLAIN(".debug_info", "TWO")}, false},
		{"only lines are in two", {PLAIN(".debug_line", "ONE"), PLAIN(".debug_line", "TWO")}, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		struct subject subject;
		subject_open(&subject, files[i].parts);
		if (subject.found.is_divided != files[i].is_divided)
			fail_msg("%s", files[i].name);
		subject_close(&subject);
	}
}

/* libdw reads those of split units in a file that has no others, as clang's -gsplit-dwarf=single writes. */
static void sections_of_split_units(void **state)
{
	static const struct {
		const char *name;
		struct elf_part parts[PARTS_MAX];
		bool is_split;
	} files[] = {
		{"alone", {PLAIN(".debug_info.dwo", "SPLIT")}, true},
		{"beside others", {PLAIN(".debug_info.dwo", "SPLIT"), PLAIN(".debug_info", "INFO")}, false},
		{"not there", {PLAIN(".debug_info", "INFO")}, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		struct subject subject;
		subject_open(&subject, files[i].parts);
		if (subject.found.is_split != files[i].is_split)
			fail_msg("%s", files[i].name);
		subject_close(&subject);
	}
}

/* Each section of the file takes two steps, the names of all and the one for nothing aside. */
static void steps_of_sections(void **state)
{
	const struct elf_part parts[PARTS_MAX] = {PLAIN(".debug_info", "INFO"), PLAIN(".other", "O"),
						  PLAIN(".debug_str", "")};
	struct dwarf_sections found;
	struct subject subject;
	struct budget budget;
	(void)state;
	size_t count = subject_open(&subject, parts) + 1; /* with the names */
	budget_of_steps(&budget, 100);
	dwarf_sections_find(&found, subject.dwarf);
	assert_int_equal(budget_steps_left(&budget), 100 - 2 * count);
	budget_use(NULL);
	subject_close(&subject);
}

static void places_in_a_section(void **state)
{
	static const uint8_t bytes[] = "ab\0c";
	struct dwarf_sections sections = {.of = {[DEBUG_STR] = {bytes, sizeof(bytes)}}, .swap = true};
	(void)state;
	for (uint64_t offset = 0; offset <= sizeof(bytes) + 1; offset++) {
		struct cursor c = dwarf_sections_cursor(&sections, DEBUG_STR, offset);
		const char *string = dwarf_sections_string(&sections, DEBUG_STR, offset);
		bool is_behind = offset > sizeof(bytes);
		assert_int_equal(c.bad, is_behind);
		assert_int_equal(cursor_left(&c), is_behind ? 0 : sizeof(bytes) - offset);
		assert_true(c.swap);
		assert_ptr_equal(string, offset < sizeof(bytes) ? (const char *)bytes + offset : NULL);
	}
	struct cursor none = dwarf_sections_cursor(&sections, DEBUG_INFO, 0);
	assert_false(none.bad);
	assert_int_equal(cursor_left(&none), 0);
	assert_true(dwarf_sections_cursor(&sections, DEBUG_INFO, 1).bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_that_count),     cmocka_unit_test(units_in_several_sections),
		cmocka_unit_test(sections_of_split_units), cmocka_unit_test(steps_of_sections),
		cmocka_unit_test(places_in_a_section),
	};
	return cmocka_run_group_tests_name("dwarf_sections", tests, NULL, NULL);
}
