/* Tables of directories and files by hand: those of DWARF 2 to 4, each form of DWARF 5's, and each prefix of all. */
#include "convert/cross_check/plain_files.h"

#include <dwarf.h>

#include "base/steps_test.h"
#include "base/toolkit_test.h"

static const char strings[] = "zero\0nine", line_strings[] = "null\0ten";

struct table {
	const char *name;
	unsigned version;
	const uint8_t *bytes;
	size_t size;
	const char *expected; /* "DIRECTORY, ...; NAME in DIRECTORY, ..."; "-": it is unknown */
	bool is_wide, big;
};

/* clang-format off */
#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})
#define PATH DW_LNCT_path, DW_FORM_string
#define INDEX(form) DW_LNCT_directory_index, form
#define NO_DIRECTORIES 0, 0

/* A field of another kind is passed over, whatever its form is: the name stands behind it. */
#define PASSES(what, form, ...) \
	{what, 5, BYTES(NO_DIRECTORIES, 2, DW_LNCT_timestamp, form, PATH, 1, __VA_ARGS__, 'a', 0), "; a in 0", false, false}

static const struct table tables[] = {
	{"none", 4, BYTES(0, 0), "-; - in 0", false, false},
	{"lists", 4, BYTES('d', 0, 'e', 'f', 0, 0, 'a', 0, 1, 2, 3, 'b', 0, 0x82, 1, 0x80, 1, 0x80, 1, 0),
	 "-, d, ef; - in 0, a in 1, b in 130", false, false},
	{"what is behind the lists", 3, BYTES(0, 'a', 0, 1, 2, 3, 0, 'x', 0, 1, 2, 3, 0), "-; - in 0, a in 1", false, false},
	{"version 2", 2, BYTES('d', 0, 0, 'a', 0, 2, 0, 0, 0), "-, d; - in 0, a in 2", false, false},

	{"no fields, and so no entries", 5, BYTES(0, 9, 0, 9), ";", false, false},
	{"texts", 5, BYTES(1, PATH, 2, 'd', 0, 'e', 0, 1, PATH, 2, 'a', 0, 'b', 0), "d, e; a in 0, b in 0", false, false},
	{"an index before the name", 5, BYTES(NO_DIRECTORIES, 2, INDEX(DW_FORM_udata), PATH, 1, 0x81, 1, 'a', 0), "; a in 129",
	 false, false},
	{"a byte", 5, BYTES(NO_DIRECTORIES, 2, INDEX(DW_FORM_data1), PATH, 1, 0x81, 'a', 0), "; a in 129", false, false},
	{"2 bytes", 5, BYTES(NO_DIRECTORIES, 2, INDEX(DW_FORM_data2), PATH, 1, 1, 2, 'a', 0), "; a in 513", false, false},
	{"2 bytes of the other order", 5, BYTES(NO_DIRECTORIES, 2, INDEX(DW_FORM_data2), PATH, 1, 1, 2, 'a', 0), "; a in 258",
	 false, true},
	{"4 bytes", 5, BYTES(NO_DIRECTORIES, 2, INDEX(DW_FORM_data4), PATH, 1, 1, 2, 0, 1, 'a', 0), "; a in 16777729", false,
	 false},
	{"8 bytes", 5, BYTES(NO_DIRECTORIES, 2, INDEX(DW_FORM_data8), PATH, 1, 1, 0, 0, 0, 1, 0, 0, 0, 'a', 0),
	 "; a in 4294967297", false, false},
	{"a signed number", 5, BYTES(NO_DIRECTORIES, 2, INDEX(DW_FORM_sdata), PATH, 1, 0x3f, 'a', 0), "; a in 63", false, false},
	{"the name is what is last called so", 5, BYTES(NO_DIRECTORIES, 2, PATH, PATH, 1, 'a', 0, 'b', 0), "; b in 0", false,
	 false},
	{"a number is no name", 5, BYTES(NO_DIRECTORIES, 1, DW_LNCT_path, DW_FORM_udata, 1, 7), "; - in 0", false, false},
	{"a text is no number", 5, BYTES(NO_DIRECTORIES, 2, INDEX(DW_FORM_string), PATH, 1, 'x', 0, 'a', 0), "; a in 0", false,
	 false},
	{"a string of .debug_str", 5, BYTES(NO_DIRECTORIES, 1, DW_LNCT_path, DW_FORM_strp, 1, 5, 0, 0, 0), "; nine in 0", false,
	 false},
	{"of .debug_line_str", 5, BYTES(NO_DIRECTORIES, 1, DW_LNCT_path, DW_FORM_line_strp, 1, 5, 0, 0, 0), "; ten in 0", false,
	 false},
	{"of 64 bits", 5, BYTES(NO_DIRECTORIES, 1, DW_LNCT_path, DW_FORM_line_strp, 1, 0, 0, 0, 0, 0, 0, 0, 5), "; ten in 0",
	 true, true},
	{"the last byte of the strings", 5, BYTES(NO_DIRECTORIES, 1, DW_LNCT_path, DW_FORM_strp, 1, sizeof(strings) - 1, 0, 0, 0),
	 ";  in 0", false, false},
	{"a string behind its section", 5, BYTES(NO_DIRECTORIES, 1, DW_LNCT_path, DW_FORM_strp, 1, sizeof(strings), 0, 0, 0),
	 "; - in 0", false, false},
	{"of a supplementary file", 5, BYTES(NO_DIRECTORIES, 1, DW_LNCT_path, DW_FORM_strp_sup, 1, 5, 0, 0, 0), "; - in 0", false,
	 false},
	PASSES("a flag", DW_FORM_flag, 1),
	PASSES("an indexed string", DW_FORM_strx, 0x82, 1),
	PASSES("one of a byte's index", DW_FORM_strx1, 1),
	PASSES("one of two", DW_FORM_strx2, 1, 2),
	PASSES("one of three", DW_FORM_strx3, 1, 2, 3),
	PASSES("one of four", DW_FORM_strx4, 1, 2, 3, 4),
	PASSES("an offset", DW_FORM_sec_offset, 1, 2, 3, 4),
	PASSES("16 bytes", DW_FORM_data16, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8),
	PASSES("a block", DW_FORM_block, 0x82, 0, 1, 2),
	PASSES("a block of a byte's length", DW_FORM_block1, 2, 1, 2),
	PASSES("of two", DW_FORM_block2, 2, 0, 1, 2),
	PASSES("of four", DW_FORM_block4, 2, 0, 0, 0, 1, 2),
	PASSES("a number", DW_FORM_udata, 0x82, 1),
	PASSES("a long signed number", DW_FORM_sdata, 0x82, 1),
	{"an offset of 64 bits", 5, BYTES(NO_DIRECTORIES, 2, DW_LNCT_size, DW_FORM_sec_offset, PATH, 1, 1, 2, 3, 4, 5, 6, 7, 8, 'a',
	 0), "; a in 0", true, false},
	{"a form that is not allowed ends the table", 5, BYTES(NO_DIRECTORIES, 2, PATH, 5, DW_FORM_addr, 2, 'a', 0, 1, 2, 3, 4, 5, 6,
	 7, 8, 'b', 0, 1, 2, 3, 4, 5, 6, 7, 8), ";", false, false},
	{"of directories, too, and then there are no files", 5, BYTES(2, PATH, 5, DW_FORM_addr, 1, 'd', 0, 1, 2, 3, 4, 5, 6, 7, 8, 1,
	 PATH, 1, 'a', 0), ";", false, false},
};
/* clang-format on */

/* A table that is read from memory which ends where it does. */
struct subject {
	uint8_t *bytes;
	struct plain_header header;
	struct dwarf_sections sections;
};

static struct subject subject_of(const struct table *table, size_t size)
{
	struct subject subject = {.bytes = exact_copy(table->bytes, size)};
	subject.header = (struct plain_header){
		.version = table->version,
		.offset_size = table->is_wide ? 8 : 4,
		.tables = {.p = subject.bytes,
			   .end = subject.bytes + size,
			   .swap = table->big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)},
	};
	subject.sections.of[DEBUG_STR] = (struct section_bytes){(const uint8_t *)strings, sizeof(strings)};
	subject.sections.of[DEBUG_LINE_STR] =
		(struct section_bytes){(const uint8_t *)line_strings, sizeof(line_strings)};
	return subject;
}

static void show(const struct plain_files *files, char *text, size_t size)
{
	size_t at = 0;
	text[0] = 0;
#define SHOW(...) at += (size_t)snprintf(text + at, size - at, __VA_ARGS__)
	for (uint32_t i = 0; i < files->directory_count; i++)
		SHOW("%s%s", i ? ", " : "", files->directories[i] ? files->directories[i] : "-");
	SHOW(";");
	for (uint32_t i = 0; i < files->file_count; i++)
		SHOW("%s%s in %llu", i ? ", " : " ", files->files[i].name ? files->files[i].name : "-",
		     (unsigned long long)files->files[i].directory);
	assert_true(at < size);
}

static void each_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(tables); i++) {
		struct subject subject = subject_of(&tables[i], tables[i].size);
		struct plain_files files = {0};
		char text[256];
		assert_true(plain_files_read(&files, &subject.header, &subject.sections));
		show(&files, text, sizeof(text));
		if (strcmp(text, tables[i].expected) != 0)
			fail_msg("%s: [%s], not [%s]", tables[i].name, text, tables[i].expected);
		assert_int_equal(files.version, tables[i].version);
		plain_files_done(&files);
		free(subject.bytes);
	}
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : !a && !b;
}

/* A table that is cut off has the first of the names, and no others. */
static void each_prefix(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(tables); i++) {
		struct subject whole = subject_of(&tables[i], tables[i].size);
		struct plain_files all = {0};
		assert_true(plain_files_read(&all, &whole.header, &whole.sections));
		for (size_t size = 0; size < tables[i].size; size++) {
			struct subject subject = subject_of(&tables[i], size);
			struct plain_files files = {0};
			assert_true(plain_files_read(&files, &subject.header, &subject.sections));
			assert_true(files.directory_count <= all.directory_count);
			assert_true(files.file_count <= all.file_count);
			for (uint32_t k = 0; k < files.directory_count; k++)
				assert_true(is_same(files.directories[k], all.directories[k]));
			for (uint32_t k = 0; k < files.file_count; k++)
				assert_true(is_same(files.files[k].name, all.files[k].name));
			plain_files_done(&files);
			free(subject.bytes);
		}
		plain_files_done(&all);
		free(whole.bytes);
	}
}

/* A step for each byte of the tables. */
static void steps_of_a_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(tables); i++)
		for (uint64_t steps = tables[i].size - 1; steps <= tables[i].size; steps++) {
			struct subject subject = subject_of(&tables[i], tables[i].size);
			struct plain_files files = {0};
			struct budget budget;
			budget_of_steps(&budget, steps);
			assert_int_equal(plain_files_read(&files, &subject.header, &subject.sections),
					 steps == tables[i].size);
			budget_use(NULL);
			plain_files_done(&files);
			free(subject.bytes);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_table),
		cmocka_unit_test(each_prefix),
		cmocka_unit_test(steps_of_a_table),
	};
	return cmocka_run_group_tests_name("plain_files", tests, NULL, NULL);
}
