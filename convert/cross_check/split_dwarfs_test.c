/* The split half of a skeleton, which is looked for in one .dwo after the other, and how many of these are mapped. */
#include "convert/cross_check/split_dwarfs.h"

#include <dwarf.h>
#include <fcntl.h>
#include <unistd.h>

#include "convert/elf/make_elf_test.h"

enum { ID = 7, MAPPED_MAX = 1 << 15 };

static char folder[] = "/tmp/locus-splits-XXXXXX";
static char program[64], split_path[64];

/* A unit of DWARF 5 with that id, whose DIE has the two names. */
static void put_unit(struct bytes *out, uint8_t type, uint8_t id, const char *directory, const char *name)
{
	struct bytes unit = {0};
	put_number(&unit, 5, 2);
	put_u8(&unit, type);
	put_u8(&unit, 8);
	put_number(&unit, 0, 4);
	put_number(&unit, id, 8);
	put_u8(&unit, 1);
	put_string(&unit, directory);
	put_string(&unit, name);
	put_number(out, unit.size, 4);
	put_bytes(out, unit.data, unit.size);
	bytes_done(&unit);
}

/* Writes a file of one unit: a program with a skeleton, or a .dwo with the half that belongs to it. */
static void write_unit(const char *path, uint8_t id, bool is_split)
{
	static const uint8_t abbreviations[] = {
		1, DW_TAG_compile_unit, 0, DW_AT_comp_dir, DW_FORM_string, DW_AT_dwo_name, DW_FORM_string, 0, 0, 0};
	struct bytes info = {0}, file = {0};
	put_unit(&info, is_split ? DW_UT_split_compile : DW_UT_skeleton, id, folder, "a.dwo");
	const struct elf_part parts[] = {
		{is_split ? ".debug_abbrev.dwo" : ".debug_abbrev", SHT_PROGBITS, 0, 0, abbreviations,
		 sizeof(abbreviations), 0, 0},
		{is_split ? ".debug_info.dwo" : ".debug_info", SHT_PROGBITS, 0, 0, info.data, info.size, 0, 0},
	};
	make_elf(&file, is_split ? ET_REL : ET_DYN, EM_X86_64, parts, COUNT_OF(parts));
	write_file(path, &file);
	bytes_done(&info);
	bytes_done(&file);
}

/* The program, opened by libdw, and its skeleton. */
struct subject {
	int fd;
	struct libdw_file file;
	Dwarf_CU *cu;
	Dwarf_Die skeleton;
	struct split_dwarfs splits;
};

static void subject_init(struct subject *subject)
{
	uint8_t type;
	*subject = (struct subject){.fd = open(program, O_RDONLY), .splits.program = program};
	subject->file.dwarf = dwarf_begin(subject->fd, DWARF_C_READ);
	assert_non_null(subject->file.dwarf);
	assert_int_equal(
		dwarf_get_units(subject->file.dwarf, NULL, &subject->cu, NULL, &type, &subject->skeleton, NULL), 0);
	assert_int_equal(type, DW_UT_skeleton);
}

static void subject_done(struct subject *subject)
{
	split_dwarfs_done(&subject->splits);
	dwarf_end(subject->file.dwarf);
	close(subject->fd);
}

static enum locus_status find(struct subject *subject, struct locus_error *error)
{
	Dwarf_Die found;
	*error = (struct locus_error){0};
	enum locus_status status =
		split_dwarfs_find(&subject->splits, &subject->file, subject->cu, &subject->skeleton, &found, error);
	if (status == LOCUS_OK)
		assert_int_equal(dwarf_tag(&found), DW_TAG_compile_unit);
	return status;
}

/* Each find looks again, and opens what it has not met yet. */
static void a_half_is_known_by_its_id(void **state)
{
	struct subject subject;
	struct locus_error error;
	(void)state;
	unlink(split_path);
	subject_init(&subject);
	assert_int_equal(find(&subject, &error), LOCUS_ERR_COMPANION);
	assert_string_equal(error.text, "its split debug file a.dwo was not found");
	write_unit(split_path, ID + 1, true);
	assert_int_equal(find(&subject, &error), LOCUS_ERR_COMPANION);
	assert_non_null(strstr(error.text, "is of another build: it lacks the unit's id"));
	assert_int_equal(subject.splits.count, 1);

	/* The other file stays where it is, so that this one is another. */
	char moved[80];
	snprintf(moved, sizeof(moved), "%s.moved", split_path);
	assert_int_equal(rename(split_path, moved), 0);
	write_unit(split_path, ID, true);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(find(&subject, &error), LOCUS_OK);
		assert_int_equal(subject.splits.count, 2);
	}
	unlink(moved);
	subject_done(&subject);
}

/* As if all but one of the files that are mapped had been opened before. */
static void a_process_has_no_more_mappings(void **state)
{
	struct subject subject;
	struct locus_error error;
	struct split_dwarfs *splits = &subject.splits;
	char moved[80];
	(void)state;
	subject_init(&subject);
	splits->files = calloc(MAPPED_MAX - 1, sizeof(*splits->files));
	assert_non_null(splits->files);
	splits->count = splits->room = MAPPED_MAX - 1;

	snprintf(moved, sizeof(moved), "%s.moved", split_path);
	write_unit(split_path, ID, true);
	assert_int_equal(find(&subject, &error), LOCUS_OK);
	assert_int_equal(rename(split_path, moved), 0);
	write_unit(split_path, ID, true);
	assert_int_equal(find(&subject, &error), LOCUS_OK);
	assert_int_equal(splits->count, MAPPED_MAX + 1);
	assert_null(splits->files[MAPPED_MAX - 1].file.copy);
	assert_non_null(splits->files[MAPPED_MAX].file.copy);
	unlink(moved);
	subject_done(&subject);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	elf_version(EV_CURRENT);
	snprintf(program, sizeof(program), "%s/program", folder);
	snprintf(split_path, sizeof(split_path), "%s/a.dwo", folder);
	write_unit(program, ID, false);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(split_path);
	unlink(program);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_half_is_known_by_its_id),
		cmocka_unit_test(a_process_has_no_more_mappings),
	};
	return cmocka_run_group_tests_name("split_dwarfs", tests, set_up, tear_down);
}
