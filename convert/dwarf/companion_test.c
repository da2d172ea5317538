/*
 * Which of the files in all the places where a companion may be is taken, and what is said where none is. RULES G1, G2.
 */
#include "convert/dwarf/companion.h"

#include <ftw.h>
#include <isa-l/crc.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/same_file.h"
#include "convert/dwarf/dwarf_file.h"
#include "convert/elf/make_elf_test.h"

enum { PATH_ROOM = 256, ID_MAX = 64, MACHINE = EM_X86_64, OTHER_MACHINE = EM_AARCH64 };

static char root[] = "/tmp/locus-test-XXXXXX";
static struct budget budget; /* of memory, which nothing here may exceed */

static int setup(void **state)
{
	(void)state;
	setenv("DEBUGINFOD_CACHE_PATH", "/nonexistent", 1);
	budget_init(&budget, UINT64_C(1) << 30);
	budget_use(&budget);
	return mkdtemp(root) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *facts, int type, struct FTW *walk)
{
	(void)facts, (void)type, (void)walk;
	return remove(path);
}

static int teardown(void **state)
{
	(void)state;
	assert_false(budget.memory_out);
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* ---- Files ---- */

/* A file of which some are left out: a text of NULL, a size of 0. */
struct content {
	uint16_t machine;
	const char *id; /* build-id */
	size_t id_size;
	const char *link; /* .gnu_debuglink */
	uint32_t crc;
	const char *alternate; /* .gnu_debugaltlink; its id is alternate_id */
	const char *alternate_id;
	size_t alternate_id_size;
	const char *debug; /* the name of a section */
};

static struct bytes make_content(const struct content *content)
{
	struct bytes file = {0}, note = {0}, link = {0}, alternate = {0};
	struct elf_part parts[5] = {{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, "code", 4, 0, 0}};
	size_t count = 1;
	if (content->id) {
		put_number(&note, 4, 4);
		put_number(&note, content->id_size, 4);
		put_number(&note, NT_GNU_BUILD_ID, 4);
		put_string(&note, "GNU");
		put_bytes(&note, content->id, content->id_size);
		align(&note, 4);
		parts[count++] =
			(struct elf_part){".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0, note.data, note.size, 0, 0};
	}
	if (content->link) {
		put_string(&link, content->link);
		align(&link, 4);
		put_number(&link, content->crc, 4);
		parts[count++] = (struct elf_part){".gnu_debuglink", SHT_PROGBITS, 0, 0, link.data, link.size, 0, 0};
	}
	if (content->alternate) {
		put_string(&alternate, content->alternate);
		put_bytes(&alternate, content->alternate_id, content->alternate_id_size);
		parts[count++] = (struct elf_part){".gnu_debugaltlink", SHT_PROGBITS,   0, 0,
						   alternate.data,      alternate.size, 0, 0};
	}
	if (content->debug)
		parts[count++] = (struct elf_part){content->debug, SHT_PROGBITS, 0, 0, "information", 11, 0, 0};
	make_elf(&file, ET_EXEC, content->machine ? content->machine : MACHINE, parts, count);
	bytes_done(&note);
	bytes_done(&link);
	bytes_done(&alternate);
	return file;
}

static uint32_t crc_of(const struct content *content)
{
	struct bytes file = make_content(content);
	uint32_t crc = crc32_gzip_refl(0, file.data, file.size);
	bytes_done(&file);
	return crc;
}

/* A path below the folder of this test; `path` has PATH_ROOM bytes. */
static const char *below(const char *name, char *path)
{
	snprintf(path, PATH_ROOM, "%s/%s", root, name);
	return path;
}

/* Writes a file, in folders that are made for it. */
static void put_file(const char *path, const struct content *content)
{
	char folder[PATH_ROOM];
	for (const char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
		mkdir(folder, 0700);
	}
	struct bytes file = make_content(content);
	write_file(path, &file);
	bytes_done(&file);
}

static struct elf_file *opened(const char *path)
{
	struct elf_file *file;
	assert_int_equal(elf_file_open(path, &file, NULL), LOCUS_OK);
	return file;
}

/* ---- Debug files ---- */

#define ID "\xab\xcd\xef"

static const struct content debug_content = {.id = ID, .id_size = 3, .debug = ".debug_info"};

/* The debug directories, and the program; with room for their names. The third directory is not given to the search. */
struct places {
	char first[PATH_ROOM], second[PATH_ROOM], third[PATH_ROOM], program[PATH_ROOM];
	const char *dirs[3];
	struct locus_missing missing;
	struct companion_options options;
};

static void places_init(struct places *places, const struct content *program)
{
	*places = (struct places){.first = ""};
	places->dirs[0] = below("first", places->first);
	places->dirs[1] = below("second", places->second);
	places->dirs[2] = below("third", places->third);
	places->options = (struct companion_options){
		.debug_dirs = places->dirs, .debug_dir_count = 2, .missing = &places->missing};
	put_file(below("bin/program", places->program), program);
}

/* What the search gives: the path of the file, or its message. `text` has PATH_ROOM bytes. */
static enum locus_status find(struct places *places, char *text)
{
	struct elf_file *program = opened(places->program), *found = NULL;
	struct locus_error error = {{0}, 0};
	places->missing = (struct locus_missing){.kind = LOCUS_MISSING_NOTHING};
	enum locus_status status = companion_debug(program, &places->options, &found, &error);
	snprintf(text, PATH_ROOM, "%s", status == LOCUS_OK ? found->path : error.text);
	if (status == LOCUS_OK)
		elf_file_free(found);
	elf_file_free(program);
	return status;
}

/* Places below the folder of this test, in the order of the search. "%s" stands for that folder itself. */
static const char *const debug_places[] = {
	"first/.build-id/ab/cdef.debug",
	"second/.build-id/ab/cdef.debug",
	"fetched/abcdef/debuginfo",
	"bin/program.debug",
	"bin/.debug/program.debug",
	"first%s/bin/program.debug",
	"second%s/bin/program.debug",
	"first/program.debug",
	"second/program.debug",
	/* These are not searched. */
	"third/.build-id/ab/cdef.debug",
	"third%s/bin/program.debug",
	"third/program.debug",
};

enum { SEARCHED = COUNT_OF(debug_places) - 3 };

static const char *place(size_t index, char *path)
{
	char name[PATH_ROOM - sizeof(root)];
	const char *format = debug_places[index], *hole = strstr(format, "%s");
	if (hole)
		snprintf(name, sizeof(name), "%.*s%s%s", (int)(hole - format), format, root, hole + 2);
	else
		snprintf(name, sizeof(name), "%s", format);
	return below(name, path);
}

/* By build-id first, and then by link beside the program and below the debug directories. */
static void debug_files_in_their_order(void **state)
{
	(void)state;
	char path[PATH_ROOM], text[PATH_ROOM], fetched[PATH_ROOM];
	struct content program = {.id = ID, .id_size = 3, .link = "program.debug", .crc = crc_of(&debug_content) + 1};
	struct places places;
	places_init(&places, &program);
	setenv("DEBUGINFOD_CACHE_PATH", below("fetched", fetched), 1);
	for (size_t i = 0; i < COUNT_OF(debug_places); i++)
		put_file(place(i, path), &debug_content);
	for (size_t i = 0; i < SEARCHED; i++) {
		place(i, path);
		if (find(&places, text) != LOCUS_OK || strcmp(text, path) != 0)
			fail_msg("%s, not %s", text, path);
		assert_int_equal(places.missing.kind, LOCUS_MISSING_NOTHING);
		unlink(path);
	}
	assert_int_equal(find(&places, text), LOCUS_ERR_NO_DEBUG);
	assert_int_equal(places.missing.kind, LOCUS_MISSING_DEBUG);
	assert_int_equal(places.missing.build_id_size, 3);
	assert_memory_equal(places.missing.build_id, ID, 3);
	for (size_t i = SEARCHED; i < COUNT_OF(debug_places); i++)
		unlink(place(i, path));
	setenv("DEBUGINFOD_CACHE_PATH", "/nonexistent", 1);
}

/* Where debuginfod's clients keep what they fetched; each is asked only if those before are not set. */
static void places_of_fetched_files(void **state)
{
	static const struct {
		const char *cache, *xdg, *home; /* NULL: not set */
		const char *found;
	} cases[] = {
		{"x", "x", "x", "x/abcdef/debuginfo"},
		{NULL, "x", "x", "x/debuginfod_client/abcdef/debuginfo"},
		{"", "x", "x", "x/debuginfod_client/abcdef/debuginfo"},
		{NULL, NULL, "x", "x/.cache/debuginfod_client/abcdef/debuginfo"},
		{NULL, "x", "y", "y/.debuginfod_client_cache/abcdef/debuginfo"},
		{NULL, "", "x", "x/.cache/debuginfod_client/abcdef/debuginfo"},
		{NULL, NULL, "", NULL},
		{NULL, NULL, NULL, NULL},
	};
	static const char *const names[] = {"DEBUGINFOD_CACHE_PATH", "XDG_CACHE_HOME", "HOME"};
	(void)state;
	char path[PATH_ROOM], text[PATH_ROOM], x[PATH_ROOM];
	struct places places;
	places_init(&places, &(struct content){.id = ID, .id_size = 3});
	for (size_t i = 0; i < COUNT_OF(cases) && cases[i].found; i++)
		put_file(below(cases[i].found, path), &debug_content);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const char *const values[] = {cases[i].cache, cases[i].xdg, cases[i].home};
		for (size_t k = 0; k < 3; k++)
			if (values[k])
				setenv(names[k], *values[k] ? below(values[k], x) : "", 1);
			else
				unsetenv(names[k]);
		enum locus_status status = find(&places, text);
		if (cases[i].found ? strcmp(text, below(cases[i].found, path)) != 0 : status != LOCUS_ERR_NO_DEBUG)
			fail_msg("case %zu: %s", i, text);
	}
	setenv("DEBUGINFOD_CACHE_PATH", "/nonexistent", 1);
}

/* An id of two bytes is enough to ask for what was fetched, and one of one is not. */
static void fetched_by_a_short_id(void **state)
{
	(void)state;
	char path[PATH_ROOM], text[PATH_ROOM], fetched[PATH_ROOM];
	struct places places;
	places_init(&places, &(struct content){.id = ID, .id_size = 2});
	setenv("DEBUGINFOD_CACHE_PATH", below("short", fetched), 1);
	put_file(below("short/abcd/debuginfo", path),
		 &(struct content){.id = ID, .id_size = 2, .debug = ".debug_info"});
	assert_int_equal(find(&places, text), LOCUS_OK);
	assert_string_equal(text, path);
	places_init(&places, &(struct content){.id = ID, .id_size = 1});
	put_file(below("short/ab/debuginfo", path), &(struct content){.id = ID, .id_size = 1});
	assert_int_equal(find(&places, text), LOCUS_ERR_NO_DEBUG);
	setenv("DEBUGINFOD_CACHE_PATH", "/nonexistent", 1);
}

/* What a program has instead of debug information, and whether that has names. */
static void what_a_program_has_instead(void **state)
{
	static const struct {
		const char *section;
		uint32_t type;
		uint16_t file_type;
		bool has_headers;
		const char *message;
	} cases[] = {
		{".other", SHT_PROGBITS, ET_EXEC, true,
		 "no debug information: build with -g, or convert with --debug=FILE"},
		{".dynsym", SHT_DYNSYM, ET_EXEC, true,
		 "no debug information: build with -g, or convert with --debug=FILE or --symbols-only"},
		{".symtab", SHT_SYMTAB, ET_EXEC, true,
		 "no debug information, only a symbol table: build with -g, or convert with --debug=FILE or "
		 "--symbols-only"},
		{".gnu_debugdata", SHT_PROGBITS, ET_EXEC, true,
		 "no debug information but MiniDebugInfo, which only names functions: build with -g, or convert with "
		 "--debug=FILE or --symbols-only"},
		{".gnu.debuglto_.debug_info", SHT_PROGBITS, ET_REL, true,
		 "its code and debug information are gcc's own, for link-time optimisation: convert what is linked "
		 "from "
		 "it"},
		{".stab", SHT_PROGBITS, ET_EXEC, true,
		 "its debug information is stabs, and only DWARF is read: build with -gdwarf or another compiler, or "
		 "convert with --debug=FILE"},
		{".symtab", SHT_SYMTAB, ET_EXEC, false,
		 "no section headers, and so no debug information: build with -g, or convert with --debug=FILE"},
		{".symtab", SHT_SYMTAB, ET_CORE, true,
		 "a core file has no debug information: convert the programs and libraries it maps"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct elf_part parts[] = {{cases[i].section, cases[i].type, 0, 0, "content", 7, 0, 1}};
		struct places places;
		struct bytes image = {0};
		char text[PATH_ROOM];
		places_init(&places, &(struct content){.id = NULL});
		make_elf(&image, cases[i].file_type, MACHINE, parts, COUNT_OF(parts));
		if (!cases[i].has_headers) {
			patch_number(&image, offsetof(Elf64_Ehdr, e_shoff), 0, 8);
			patch_number(&image, offsetof(Elf64_Ehdr, e_shnum), 0, 2);
			patch_number(&image, offsetof(Elf64_Ehdr, e_shstrndx), 0, 2);
		}
		write_file(places.program, &image);
		assert_int_equal(find(&places, text), LOCUS_ERR_NO_DEBUG);
		assert_string_equal(text, cases[i].message);
		bytes_done(&image);
	}
}

/* A file that is not there is no lack of memory, which would end the conversion. */
static void files_that_are_not_there(void **state)
{
	struct places places;
	char text[PATH_ROOM];
	(void)state;
	places_init(&places, &(struct content){.id = ID, .id_size = 3, .link = "no.debug"});
	assert_int_equal(find(&places, text), LOCUS_ERR_NO_DEBUG);
	assert_false(budget.memory_out);
}

/* Every byte of an id is in the path, if there are two or more; and twenty of them in the message. */
static void ids_of_any_size(void **state)
{
	static const char id[] =
		"\x01\x23\x45\x67\x89\xab\xcd\xef\x10\x32\x54\x76\x98\xba\xdc\xfe\xff\x00\x11\x22\x33\x44";
	static const struct {
		size_t size;
		const char *path; /* NULL: it is not searched for */
		const char *shown;
		bool is_missed; /* so that it could be fetched */
	} cases[] = {
		{1, NULL, "build-id 01 in ", false},
		{2, "first/.build-id/01/23.debug", "build-id 0123 in ", true},
		{20, "first/.build-id/01/23456789abcdef1032547698badcfeff001122.debug",
		 "build-id 0123456789abcdef1032547698badcfeff001122 in ", true},
		{21, "first/.build-id/01/23456789abcdef1032547698badcfeff00112233.debug",
		 "build-id 0123456789abcdef1032547698badcfeff001122 in ", true},
	};
	(void)state;
	char path[PATH_ROOM], text[PATH_ROOM];
	put_file(below("first/.build-id/01/.debug", path), &(struct content){.id = id, .id_size = 1});
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct places places;
		places_init(&places, &(struct content){.id = id, .id_size = cases[i].size});
		assert_int_equal(find(&places, text), LOCUS_ERR_NO_DEBUG);
		if (!strstr(text, cases[i].shown))
			fail_msg("%zu bytes: %s", cases[i].size, text);
		assert_int_equal(places.missing.kind, cases[i].is_missed ? LOCUS_MISSING_DEBUG : LOCUS_MISSING_NOTHING);
		if (!cases[i].path)
			continue;
		struct content content = {.id = id, .id_size = cases[i].size, .debug = ".debug_info"};
		put_file(below(cases[i].path, path), &content);
		assert_int_equal(find(&places, text), LOCUS_OK);
		assert_string_equal(text, path);
		unlink(path);
	}
}

/* An id may have 64 bytes; a longer one is not asked for elsewhere. */
static void the_longest_ids(void **state)
{
	static char id[LOCUS_MISSING_ID_MAX + 1];
	(void)state;
	char text[PATH_ROOM];
	for (size_t size = LOCUS_MISSING_ID_MAX; size <= sizeof(id); size++) {
		struct places places;
		memset(id, 0x5a, sizeof(id));
		places_init(&places, &(struct content){.id = id, .id_size = size});
		assert_int_equal(find(&places, text), LOCUS_ERR_NO_DEBUG);
		assert_int_equal(places.missing.build_id_size, size == LOCUS_MISSING_ID_MAX ? size : 0);
	}
}

/* RULES G1: ids decide if both files have one, else the CRC-32; and the machine always. */
static void files_of_another_build(void **state)
{
	static const char first[] = "first/.build-id/ab/cdef.debug", link[] = "bin/program.debug";
	static const struct {
		const char *name;
		const char *id;
		bool is_crc_right;
		const char *place;
		struct content content;
		const char *differs; /* NULL: it is taken */
	} cases[] = {
		{"its id", ID, false, first, {.id = ID, .id_size = 3}, NULL},
		{"another id", ID, false, first, {.id = "\xab\xcd\xee", .id_size = 3}, "build-id"},
		{"a longer id", ID, true, link, {.id = ID "\1", .id_size = 4}, "build-id"},
		{"no id, the right CRC", ID, true, link, {.debug = ".debug_info"}, NULL},
		{"no id, another CRC", ID, false, link, {.debug = ".debug_info"}, "CRC-32"},
		{"an id that is not asked for, the right CRC", NULL, true, link, {.id = ID, .id_size = 3}, NULL},
		{"an id that is not asked for, another CRC", NULL, false, link, {.id = ID, .id_size = 3}, "CRC-32"},
		{"its id, another machine",
		 ID,
		 true,
		 first,
		 {.machine = OTHER_MACHINE, .id = ID, .id_size = 3},
		 "machine"},
		{"another machine alone", NULL, true, link, {.machine = OTHER_MACHINE}, "machine"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char path[PATH_ROOM], text[PATH_ROOM], expected[2 * PATH_ROOM];
		struct places places;
		struct content program = {.id = cases[i].id,
					  .id_size = cases[i].id ? 3 : 0,
					  .link = "program.debug",
					  .crc = crc_of(&cases[i].content) + !cases[i].is_crc_right};
		places_init(&places, &program);
		put_file(below(cases[i].place, path), &cases[i].content);
		enum locus_status status = find(&places, text);
		snprintf(expected, sizeof(expected), "%s is of another build: its %s differs", path,
			 cases[i].differs ? cases[i].differs : "");
		if (cases[i].differs ? status != LOCUS_ERR_NO_DEBUG || !strstr(text, expected)
				     : strcmp(text, path) != 0)
			fail_msg("%s: %s", cases[i].name, text);

		/* The caller's own choice is held against the same, and not looked for elsewhere. */
		places.options.debug_file = path;
		status = find(&places, text);
		snprintf(expected, sizeof(expected), "debug file %s belongs to another build: its %s differs", path,
			 cases[i].differs ? cases[i].differs : "");
		if (cases[i].differs ? status != LOCUS_ERR_COMPANION || strcmp(text, expected) != 0
				     : strcmp(text, path) != 0)
			fail_msg("%s, named: %s", cases[i].name, text);
		unlink(path);
	}
}

/* Of several files that cannot be read, or are of another build, the first is told of; an empty one, or a folder, is
 * none. */
static void the_first_that_is_not_it_is_told(void **state)
{
	static const struct content program = {.id = ID, .id_size = 3, .link = "program.debug"};
	static const struct content id_differs = {.id = "other", .id_size = 5}, crc_differs = {.debug = ".debug_info"};
	(void)state;
	char path[PATH_ROOM], first[PATH_ROOM], second[PATH_ROOM], text[PATH_ROOM];
	struct places places;
	places_init(&places, &program);
	put_file(place(0, path), &program);
	put_file(place(1, first), &id_differs);
	assert_int_equal(truncate(path, sizeof(Elf64_Ehdr) + 1), 0);
	assert_int_equal(find(&places, text), LOCUS_ERR_NO_DEBUG);
	assert_non_null(strstr(text, path));
	assert_non_null(strstr(text, "perhaps truncated"));
	assert_int_equal(truncate(path, 0), 0);
	unlink(path);
	mkdir(path, 0700);
	put_file(place(3, second), &crc_differs);
	assert_int_equal(find(&places, text), LOCUS_ERR_NO_DEBUG);
	assert_non_null(strstr(text, first));
	assert_non_null(strstr(text, "its build-id differs"));
	unlink(first);
	assert_int_equal(find(&places, text), LOCUS_ERR_NO_DEBUG);
	assert_non_null(strstr(text, second));
	assert_non_null(strstr(text, "its CRC-32 differs"));
	unlink(second);
	rmdir(path);
}

/* A file that is named is taken where nothing can be compared, but not if it is of another machine. */
static void named_files_that_cannot_be_compared(void **state)
{
	static const struct {
		const char *program_id, *id;
		uint16_t machine;
		bool is_taken;
	} cases[] = {
		{NULL, NULL, MACHINE, true},    {ID, NULL, MACHINE, true},   {NULL, ID, MACHINE, true},
		{ID, ID, MACHINE, true},        {ID, "abc", MACHINE, false}, {NULL, NULL, OTHER_MACHINE, false},
		{ID, ID, OTHER_MACHINE, false},
	};
	(void)state;
	char path[PATH_ROOM], text[PATH_ROOM];
	below("named", path);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct places places;
		places_init(&places, &(struct content){.id = cases[i].program_id, .id_size = 3});
		places.options.debug_file = path;
		put_file(path, &(struct content){.machine = cases[i].machine, .id = cases[i].id, .id_size = 3});
		enum locus_status status = find(&places, text);
		if (status != (cases[i].is_taken ? LOCUS_OK : LOCUS_ERR_COMPANION))
			fail_msg("case %zu: %s", i, text);
	}
	unlink(path);
	struct places places;
	places_init(&places, &debug_content);
	places.options.debug_file = path;
	assert_int_equal(find(&places, text), LOCUS_ERR_IO);
	assert_non_null(strstr(text, path));
}

/* RULES G2: not even its own CRC-32, which a file cannot know, would make it its own companion. */
static void a_link_of_a_file_to_itself(void **state)
{
	(void)state;
	char text[PATH_ROOM];
	char path[PATH_ROOM];
	struct places places;
	places_init(&places, &(struct content){.link = "program"});
	assert_int_equal(find(&places, text), LOCUS_ERR_NO_DEBUG);
	assert_string_equal(text, "no debug information: build with -g, or convert with --debug=FILE");
	places_init(&places, &(struct content){.link = "absent"});
	assert_int_equal(find(&places, text), LOCUS_ERR_NO_DEBUG);
	assert_non_null(strstr(text, "its debug file absent was not found in "));
	assert_non_null(strstr(text, "/first and others: "));
	places.options.debug_dir_count = 1;
	assert_int_equal(find(&places, text), LOCUS_ERR_NO_DEBUG);
	assert_non_null(strstr(text, "/first: "));

	/* Its id leads to it, too, where a debug directory has a link to the program, and not to its debug file. */
	places_init(&places, &(struct content){.id = ID, .id_size = 3});
	put_file(place(0, path), &debug_content);
	unlink(path);
	assert_int_equal(symlink(places.program, path), 0);
	put_file(place(1, path), &debug_content);
	assert_int_equal(find(&places, text), LOCUS_OK);
	assert_string_equal(text, path);
	unlink(path);
	unlink(place(0, path));
}

/* ---- Alternate files ---- */

static enum locus_status find_alternate(struct places *places, char *text)
{
	struct elf_file *debug = opened(places->program), *found = NULL;
	struct locus_error error = {{0}, 0};
	places->missing = (struct locus_missing){.kind = LOCUS_MISSING_NOTHING};
	enum locus_status status = companion_alt(debug, &places->options, &found, &error);
	snprintf(text, PATH_ROOM, "%s", status != LOCUS_OK ? error.text : found ? found->path : "none");
	elf_file_free(found);
	elf_file_free(debug);
	return status;
}

static void alternate_files_in_their_order(void **state)
{
	static const char *const names[] = {"bin/away/.dwz/x/shared",         "first/.build-id/ab/cdef.debug",
					    "second/.build-id/ab/cdef.debug", "first/.dwz/x/shared",
					    "second/.dwz/x/shared",           "third/.dwz/x/shared"};
	enum { NOT_SEARCHED = 5 };
	static const struct content debug = {
		.alternate = "away/.dwz/x/shared", .alternate_id = ID, .alternate_id_size = 3, .debug = ".debug_info"};
	(void)state;
	char path[PATH_ROOM], text[PATH_ROOM];
	struct places places;
	places_init(&places, &debug);
	for (size_t i = 0; i < COUNT_OF(names); i++)
		put_file(below(names[i], path), &debug_content);
	for (size_t i = 0; i < NOT_SEARCHED; i++) {
		assert_int_equal(find_alternate(&places, text), LOCUS_OK);
		assert_string_equal(text, below(names[i], path));
		unlink(path);
	}
	assert_int_equal(find_alternate(&places, text), LOCUS_ERR_COMPANION);
	assert_string_equal(text,
			    "its alternate debug file away/.dwz/x/shared with id abcdef was not found: install it, or "
			    "convert with --alt=FILE");
	assert_int_equal(places.missing.kind, LOCUS_MISSING_ALTERNATE);
}

static void alternate_files_that_are_named(void **state)
{
	static const struct {
		const char *name;
		const char *alternate, *id; /* what the debug file refers to, and the id of the file that is named */
		size_t id_size;             /* what the debug file says it needs has this many bytes of ID */
		bool is_there;
		enum locus_status status;
		const char *text; /* or its path */
		bool is_stripped; /* it has the link alone */
	} cases[] = {
		{"the right one", "shared", ID, 3, true, LOCUS_OK, NULL, false},
		{"no id", "shared", ID, 0, true, LOCUS_ERR_BAD_ELF,
		 "its link to the alternate debug file shared is damaged: it has no id", false},
		{"another build", "shared", "abc", 3, true, LOCUS_ERR_COMPANION, "it needs the one with id abcdef",
		 false},
		{"absent", "shared", NULL, 3, false, LOCUS_ERR_IO, "alternate debug file ", false},
		{"not needed", NULL, ID, 3, true, LOCUS_OK, "none", false},
		{"not needed any more", "shared", ID, 3, true, LOCUS_OK, "none", true},
		{"neither needed nor there", NULL, NULL, 3, false, LOCUS_ERR_IO, "alternate debug file ", false},
	};
	(void)state;
	char path[PATH_ROOM], text[PATH_ROOM];
	below("named", path);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct places places;
		places_init(&places, &(struct content){.alternate = cases[i].alternate,
						       .alternate_id = ID,
						       .alternate_id_size = cases[i].id_size,
						       .debug = cases[i].is_stripped ? NULL : ".debug_info"});
		if (cases[i].is_there)
			put_file(path, &(struct content){.id = cases[i].id, .id_size = 3});
		places.options.alt_file = path;
		enum locus_status status = find_alternate(&places, text);
		if (status != cases[i].status || !strstr(text, cases[i].text ? cases[i].text : path))
			fail_msg("%s: %s", cases[i].name, text);
		assert_int_equal(places.missing.kind, LOCUS_MISSING_NOTHING);
		unlink(path);
	}

	/* What is named is not looked for elsewhere. */
	struct places places;
	places_init(&places,
		    &(struct content){
			    .alternate = "shared", .alternate_id = ID, .alternate_id_size = 3, .debug = ".debug_info"});
	put_file(place(0, path), &debug_content);
	assert_int_equal(find_alternate(&places, text), LOCUS_OK);
	assert_string_equal(text, path);
	places.options.alt_file = "/nonexistent";
	assert_int_equal(find_alternate(&places, text), LOCUS_ERR_IO);
	unlink(path);
}

/* ---- Split units ---- */

static const struct content split_content = {.debug = ".debug_info.dwo"};

/*
 * The packages must be those at these places below the folder of this test, of which there are `count`. `other`: the
 * place of something else; NULL: there is none.
 */
static void expect_packages(const char *input, const char *debug_path, const char *const *names, size_t count,
			    const char *other)
{
	char path[PATH_ROOM];
	const struct companion_options options = {.dwp_file = NULL};
	struct elf_file *debug = opened(debug_path);
	struct companion_packages found = {.files = {NULL}};
	size_t at = 0;
	assert_int_equal(companion_dwp(input, debug, &options, &found, NULL), LOCUS_OK);
	for (size_t i = 0; i < COMPANION_DWP_PLACES; i++) {
		if (!found.files[i])
			continue;
		assert_true(at < count);
		assert_true(paths_are_same_file(found.files[i]->path, below(names[at++], path)));
		elf_file_free(found.files[i]);
	}
	assert_int_equal(at, count);
	/* The first thing that is no package is told of. */
	assert_int_equal(found.other_status, other ? LOCUS_ERR_COMPANION : LOCUS_OK);
	if (other)
		assert_non_null(strstr(found.other.text, below(other, path)));
	elf_file_free(debug);
}

static void packages_beside_the_input_and_the_debug_file(void **state)
{
	static const char *const names[] = {"input/program.dwp", "bin/program.dwp"};
	static const struct {
		struct content content;
		enum locus_status status; /* where it is named */
		const char *text;
	} wrong[] = {
		{{.debug = ".debug_info"}, LOCUS_ERR_COMPANION, "no split debug information"},
		{{.machine = OTHER_MACHINE, .debug = ".debug_info.dwo"}, LOCUS_ERR_COMPANION, "its machine differs"},
	};
	(void)state;
	char input[PATH_ROOM], path[PATH_ROOM];
	struct places places;
	struct locus_error error;
	places_init(&places, &debug_content);
	struct elf_file *debug = opened(places.program);
	struct companion_packages found = {.files = {NULL}};
	below("input/program", input);
	for (size_t i = 0; i < 2; i++)
		put_file(below(names[i], path), &split_content);

	/* Both are opened, but one file only once. */
	expect_packages(input, places.program, names, 2, NULL);
	expect_packages(places.program, places.program, names + 1, 1, NULL);

	/* One that is no package, or one of another machine, is passed over, and refused where it is named. */
	for (size_t i = 0; i < 2; i++)
		put_file(below(names[i], path), &wrong[i].content);
	expect_packages(input, places.program, NULL, 0, names[0]);
	for (size_t i = 0; i < 2; i++) {
		places.options.dwp_file = below(names[i], path);
		assert_int_equal(companion_dwp(input, debug, &places.options, &found, &error), wrong[i].status);
		assert_true(strstr(error.text, path) && strstr(error.text, wrong[i].text));
	}
	/* A folder is no package either. */
	unlink(below(names[0], path));
	mkdir(path, 0700);
	assert_int_equal(companion_dwp(input, debug, &(struct companion_options){.dwp_file = NULL}, &found, NULL),
			 LOCUS_OK);
	assert_int_equal(found.other_status, LOCUS_ERR_COMPANION);
	assert_non_null(strstr(found.other.text, path));
	rmdir(path);

	places.options.dwp_file = below("absent.dwp", path);
	assert_int_equal(companion_dwp(input, debug, &places.options, &found, &error), LOCUS_ERR_IO);
	assert_true(strstr(error.text, path) == error.text + strlen("its package of split units "));
	elf_file_free(debug);
}

static void split_files_in_their_places(void **state)
{
	static const char *const names[] = {"built/sub/a.dwo", "bin/a.dwo", "bin/sub/a.dwo"};
	(void)state;
	char comp_dir[PATH_ROOM], path[PATH_ROOM];
	struct places places;
	struct locus_error error;
	places_init(&places, &debug_content);
	struct elf_file *program = opened(places.program), *found;
	struct dwarf dwarf = {.file = program};
	struct unit skeleton = {.dwarf = &dwarf, .comp_dir = below("built", comp_dir), .dwo_name = "sub/a.dwo"};
	for (unsigned i = 0; i < COUNT_OF(names); i++) {
		put_file(below(names[i], path), &split_content);
		assert_int_equal(companion_dwo(places.program, &skeleton, i, &found, &error), LOCUS_OK);
		assert_string_equal(found->path, path);
		elf_file_free(found);
		unlink(path);
		assert_int_equal(companion_dwo(places.program, &skeleton, i, &found, &error), LOCUS_OK);
		assert_null(found);

		/* What is there and cannot be it is another thing than nothing. */
		put_file(path, &(struct content){.machine = OTHER_MACHINE, .debug = ".debug_info.dwo"});
		assert_int_equal(companion_dwo(places.program, &skeleton, i, &found, &error), LOCUS_ERR_COMPANION);
		assert_true(strstr(error.text, path) && strstr(error.text, "its machine differs"));
		unlink(path);
		mkdir(path, 0700);
		assert_int_equal(companion_dwo(places.program, &skeleton, i, &found, &error), LOCUS_ERR_COMPANION);
		assert_non_null(strstr(error.text, path));
		rmdir(path);
	}

	/* A name without a folder is looked for as it is. */
	skeleton.dwo_name = "a.dwo";
	put_file(below("bin/a.dwo", path), &split_content);
	for (unsigned i = 1; i < COMPANION_DWO_PLACES; i++) {
		assert_int_equal(companion_dwo(places.program, &skeleton, i, &found, &error), LOCUS_OK);
		assert_string_equal(found->path, path);
		elf_file_free(found);
	}
	elf_file_free(program);
}

/* A program that is reached by a symbolic link has its companions beside the link, or beside itself. */
static void companions_beside_what_a_link_leads_to(void **state)
{
	static const struct content program = {.id = ID,
					       .id_size = 3,
					       .link = "program.debug",
					       .alternate = "shared",
					       .alternate_id = ID,
					       .alternate_id_size = 3,
					       .debug = ".debug_info"};
	static const char *const debug[] = {"links/.debug/program.debug", "links/program.debug",
					    "real/.debug/program.debug", "real/program.debug"};
	static const char *const packages[] = {"links/linked.dwp", "real/program.dwp"};
	static const char *const split[] = {"links/a.dwo", "links/sub/a.dwo", "real/a.dwo", "real/sub/a.dwo"};
	(void)state;
	char path[PATH_ROOM], text[PATH_ROOM], linked[PATH_ROOM];
	struct places places;
	struct elf_file *found;
	places_init(&places, &program);
	put_file(below("real/program", path), &program);
	put_file(below("links/other", path), &program);
	assert_int_equal(symlink("../real/program", below("links/linked", linked)), 0);
	strcpy(places.program, linked);

	for (size_t i = 0; i < COUNT_OF(debug); i++) {
		put_file(below(debug[i], path), &debug_content);
		assert_int_equal(find(&places, text), LOCUS_OK);
		assert_true(paths_are_same_file(text, path));
	}

	put_file(below("real/shared", path), &debug_content);
	assert_int_equal(find_alternate(&places, text), LOCUS_OK);
	assert_true(paths_are_same_file(text, path));
	put_file(below("links/shared", path), &debug_content);
	assert_int_equal(find_alternate(&places, text), LOCUS_OK);
	assert_true(paths_are_same_file(text, path));

	for (size_t i = COUNT_OF(packages); i-- > 0;) {
		put_file(below(packages[i], path), &split_content);
		expect_packages(linked, linked, packages + i, COUNT_OF(packages) - i, NULL);
	}

	struct elf_file *file = opened(linked);
	struct dwarf dwarf = {.file = file};
	const struct unit skeleton = {.dwarf = &dwarf, .comp_dir = "/nowhere", .dwo_name = "sub/a.dwo"};
	for (unsigned i = 0; i < COUNT_OF(split); i++) {
		put_file(below(split[i], path), &split_content);
		assert_int_equal(companion_dwo(linked, &skeleton, 1 + i, &found, NULL), LOCUS_OK);
		assert_non_null(found);
		assert_true(paths_are_same_file(found->path, path));
		elf_file_free(found);
	}
	elf_file_free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(debug_files_in_their_order),
		cmocka_unit_test(places_of_fetched_files),
		cmocka_unit_test(fetched_by_a_short_id),
		cmocka_unit_test(what_a_program_has_instead),
		cmocka_unit_test(files_that_are_not_there),
		cmocka_unit_test(ids_of_any_size),
		cmocka_unit_test(the_longest_ids),
		cmocka_unit_test(files_of_another_build),
		cmocka_unit_test(the_first_that_is_not_it_is_told),
		cmocka_unit_test(named_files_that_cannot_be_compared),
		cmocka_unit_test(a_link_of_a_file_to_itself),
		cmocka_unit_test(alternate_files_in_their_order),
		cmocka_unit_test(alternate_files_that_are_named),
		cmocka_unit_test(packages_beside_the_input_and_the_debug_file),
		cmocka_unit_test(split_files_in_their_places),
		cmocka_unit_test(companions_beside_what_a_link_leads_to),
	};
	return cmocka_run_group_tests_name("companion", tests, setup, teardown);
}
