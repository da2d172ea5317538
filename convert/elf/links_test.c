/* What files say of others: names, checksums and ids, whole and cut off at every byte. DWARF 5, 7.3.6. */
#include "convert/elf/links.h"

#include "convert/elf/open_elf_test.h"

#define ID "\xab\xcd\xef"

/* A file with a build-id of its own, and one section. */
static struct elf_file *file_with(const char *name, uint32_t type, const void *data, size_t size)
{
	struct bytes note = {0}, image = {0};
	put_number(&note, 4, 4);
	put_number(&note, 3, 4);
	put_number(&note, NT_GNU_BUILD_ID, 4);
	put_bytes(&note, "GNU\0\1\2\3", 8);
	const struct elf_part parts[] = {
		{".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0, note.data, note.size, 0, 0},
		{name, type, 0, 0, data, size, 0, 0},
	};
	make_elf(&image, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts));
	struct elf_file *file = opened(&image);
	bytes_done(&note);
	bytes_done(&image);
	return file;
}

static void sections_found(void **state)
{
	struct cursor c;
	struct elf_file *file = file_with(".wanted", SHT_PROGBITS, "content", 7);
	(void)state;
	assert_true(links_find_section(file, ".wanted", &c));
	assert_int_equal(cursor_left(&c), 7);
	assert_memory_equal(c.p, "content", 7);
	assert_int_equal(c.swap, file->swap);
	assert_false(c.bad);
	assert_false(links_find_section(file, ".wante", &c));
	assert_false(links_find_section(file, ".wanted.", &c));
	elf_file_free(file);

	/* Nothing of these is in the file. */
	file = file_with(".wanted", SHT_NOBITS, "content", 7);
	assert_false(links_find_section(file, ".wanted", &c));
	elf_file_free(file);
	file = file_with(".wanted", SHT_PROGBITS, "", 0);
	assert_false(links_find_section(file, ".wanted", &c));
	elf_file_free(file);
}

#define SUP(version, is_supplement) version is_supplement "shared.sup\0\3" ID

struct alternate_case {
	const char *name, *section, *content;
	size_t size;
	bool is_link;
	const char *path; /* NULL: the link is damaged, or there is none */
	size_t id_size;
	bool is_own; /* the file itself has the id */
};

static const struct alternate_case alternate_cases[] = {
	{"none", ".other", "shared\0" ID, 10, false, NULL, 0, false},
	{"GNU's", ".gnu_debugaltlink", "shared\0" ID, 10, true, "shared", 3, false},
	{"GNU's without an id", ".gnu_debugaltlink", "shared", 7, true, "shared", 0, false},
	{"GNU's without an end", ".gnu_debugaltlink", "shared", 6, true, NULL, 0, false},
	{"DWARF 5's", ".debug_sup", SUP("\5\0", "\0"), 18, true, "shared.sup", 3, false},
	{"the supplementary file itself", ".debug_sup", SUP("\5\0", "\1"), 18, false, "shared.sup", 3, true},
	{"neither the one nor the other", ".debug_sup", SUP("\5\0", "\2"), 18, true, "shared.sup", 3, false},
	{"version 4", ".debug_sup", SUP("\4\0", "\0"), 18, true, NULL, 0, false},
	{"version 6, of the file itself", ".debug_sup", SUP("\6\0", "\1"), 18, false, NULL, 0, false},
	{"bytes behind it", ".debug_sup", SUP("\5\0", "\0") "behind", 24, true, "shared.sup", 3, false},
	{"no id", ".debug_sup", "\5\0\0shared.sup\0", 15, true, "shared.sup", 0, false},
};

static void check_alternate(const struct alternate_case *c, struct elf_file *file, const char *path, size_t id_size)
{
	struct alternate_link link;
	bool is_link = links_alternate(file, &link), same = is_link == c->is_link && link.id_size == id_size;
	if (!same || (path ? !link.path || strcmp(link.path, path) != 0 : link.path != NULL))
		fail_msg("%s: %d %s, id of %zu", c->name, is_link, link.path ? link.path : "-", link.id_size);
	if (id_size)
		assert_memory_equal(link.id, ID, id_size);
}

static void alternate_links(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(alternate_cases); i++) {
		const struct alternate_case *c = &alternate_cases[i];
		struct elf_file *file = file_with(c->section, SHT_PROGBITS, c->content, c->size);
		check_alternate(c, file, c->path, c->id_size);
		assert_int_equal(links_have_id(file, (const uint8_t *)ID, 3), c->is_own);
		assert_int_equal(links_have_id(file, (const uint8_t *)ID "\4", 4), false);
		assert_int_equal(links_have_id(file, (const uint8_t *)ID, 2), false);
		assert_true(links_have_id(file, (const uint8_t *)"\1\2\3", 3)); /* by its build-id */
		assert_false(links_have_id(file, (const uint8_t *)"\1\2\4", 3));
		assert_false(links_have_id(file, (const uint8_t *)"", 0));
		elf_file_free(file);
	}
}

/* Each prefix of a link of DWARF 5 is damaged: there is a link, and it leads nowhere. */
static void links_cut_off(void **state)
{
	static const struct alternate_case cut = {"cut off", ".debug_sup", SUP("\5\0", "\0"), 18, true, NULL, 0, false};
	(void)state;
	for (size_t size = 1; size < cut.size; size++) {
		struct elf_file *file = file_with(cut.section, SHT_PROGBITS, cut.content, size);
		check_alternate(&cut, file, NULL, 0);
		elf_file_free(file);
	}
}

static void debug_links(void **state)
{
	uint32_t crc = 99;
	struct elf_file *file = file_with(".gnu_debuglink", SHT_PROGBITS, "a.debug\0\4\3\2\1", 12);
	(void)state;
	assert_string_equal(links_debug(file, &crc), "a.debug");
	assert_int_equal(crc, 0x01020304);
	elf_file_free(file);
	file = file_with(".other", SHT_PROGBITS, "a.debug\0\4\3\2\1", 12);
	assert_null(links_debug(file, &crc));
	assert_int_equal(crc, 0);
	elf_file_free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_found),
		cmocka_unit_test(alternate_links),
		cmocka_unit_test(links_cut_off),
		cmocka_unit_test(debug_links),
	};
	return cmocka_run_group_tests_name("links", tests, NULL, NULL);
}
