/* Paths: joined, normalised and mapped by text alone. RULES F1 to F4, and RULES B11 on indices. */
#include "convert/unit/source_paths.h"

#include "base/path.h"
#include "base/steps_test.h"
#include "base/toolkit_test.h"

/* ---- Joining ---- */

struct join_case {
	const char *name;
	const char *parts[3];
	const char *expected;
};

static const struct join_case joins[] = {
	{"RULES F1: an absolute name stands alone", {"/comp", "dir", "/abs/a.c"}, "/abs/a.c"},
	{"RULES F1: an absolute directory", {"/comp", "/usr/include", "a.h"}, "/usr/include/a.h"},
	{"RULES F1: a relative directory is under comp_dir", {"/comp", "dir", "a.c"}, "/comp/dir/a.c"},
	{"RULES F1: no directory", {"/comp", NULL, "a.c"}, "/comp/a.c"},
	{"RULES F1: an empty directory", {"/comp", "", "a.c"}, "/comp/a.c"},
	{"RULES F1: no comp_dir", {NULL, "dir", "a.c"}, "dir/a.c"},
	{"RULES F1: a name alone", {NULL, NULL, "a.c"}, "a.c"},
	{"RULES F1: a relative comp_dir", {"build", "dir", "a.c"}, "build/dir/a.c"},
	{"RULES F2: C:\\ is a root", {"/comp", "dir", "C:\\src\\a.c"}, "C:\\src\\a.c"},
	{"RULES F2: c:/ is a root", {"/comp", "dir", "c:/src/a.c"}, "c:/src/a.c"},
	{"RULES F2: \\\\ is a root", {"/comp", "dir", "\\\\host\\share\\a.c"}, "\\\\host\\share\\a.c"},
	{"RULES F2: a directory with a Windows root", {"/comp", "D:\\src", "a.c"}, "D:\\src\\a.c"},
	{"RULES F2: a Windows comp_dir", {"D:\\src", "sub", "a.c"}, "D:\\src\\sub\\a.c"},
	{"RULES F2: a separator that is there is not doubled", {"D:/src/", "sub\\", "a.c"}, "D:/src/sub\\a.c"},
	{"RULES F2: a drive without a root is a name", {"/comp", NULL, "C:a.c"}, "/comp/C:a.c"},
	{"RULES F2: one backslash is a name", {"/comp", NULL, "\\a.c"}, "/comp/\\a.c"},
	{"RULES F2: two letters before the colon", {"/comp", NULL, "ab:/a.c"}, "/comp/ab:/a.c"},
	{"RULES F3: . is removed", {"/comp", "./dir/.", "./a.c"}, "/comp/dir/a.c"},
	{"RULES F3: // is removed", {"/comp//x", "dir//", "a.c"}, "/comp/x/dir/a.c"},
	{"RULES F3: // at the front", {"//comp", NULL, "a.c"}, "/comp/a.c"},
	{"RULES F3: .. stays", {"/comp", "../dir", "../a.c"}, "/comp/../dir/../a.c"},
	{"RULES F3: .. at the root stays", {"/", "..", "a.c"}, "/../a.c"},
	{"RULES F3: names that begin with dots", {"/comp", ".dir", "..a.c"}, "/comp/.dir/..a.c"},
	{"RULES F3: names that end in dots", {"/comp", "dir.", "a.."}, "/comp/dir./a.."},
	{"RULES F3: a path of dots", {".", ".", "a.c"}, "a.c"},
	{"the root as comp_dir", {"/", NULL, "a.c"}, "/a.c"},
	{"names are bytes", {"/c\xff", "d \n", "\xc3.c"}, "/c\xff/d \n/\xc3.c"},
	{"what the compiler calls its own", {"/comp", NULL, "<built-in>"}, "/comp/<built-in>"},
};

static void joining(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(joins); i++) {
		char *path = path_join(joins[i].parts, 3);
		if (strcmp(path, joins[i].expected) != 0)
			fail_msg("%s: %s, expected %s", joins[i].name, path, joins[i].expected);
		free(path);
	}
}

/* ---- Indices, and what is written ---- */

/* A unit with a file table, as if read. */
struct table {
	struct unit unit;
	const char *directories[4];
	struct line_file line_files[5];
	_Atomic uint32_t ids[5];
};

static void table_init(struct table *table, uint16_t version, const char *comp_dir)
{
	*table = (struct table){
		.unit = {.comp_dir = comp_dir},
		.directories = {version < 5 ? NULL : "/comp", "/usr/include", "sub", NULL},
		.line_files =
			{{version < 5 ? NULL : "zero.c", 0}, {"one.c", 0}, {"two.h", 1}, {"three.c", 2}, {"far.c", 77}},
	};
	table->unit.files_unit = &table->unit;
	table->unit.file_ids = table->ids;
	table->unit.lines.version = version;
	table->unit.lines.directories = table->directories;
	table->unit.lines.directory_count = 4;
	table->unit.lines.files = table->line_files;
	table->unit.lines.file_count = 5;
}

static void put_path(const struct source_paths *files, uint32_t id, char *text, size_t size)
{
	if (id == FILE_UNKNOWN) {
		snprintf(text, size, "?");
		return;
	}
	const struct file_key *key = source_paths_get(files, id);
	snprintf(text, size, "%s|%s", key->directory, key->name);
}

struct index_case {
	const char *name;
	uint16_t version;
	uint64_t index;
	const char *expected; /* directory|name */
	uint64_t bad_count;
};

static const struct index_case indices[] = {
	{"RULES B11: 0 is unknown before version 5", 4, 0, "?", 0},
	{"RULES B11: 1 is the first before version 5", 4, 1, "/comp|one.c", 0},
	{"RULES B11: 0 is the first in version 5", 5, 0, "/comp|zero.c", 0},
	{"RULES B11: 1 in version 5", 5, 1, "/comp|one.c", 0},
	{"RULES F1: an absolute directory", 4, 2, "/usr/include|two.h", 0},
	{"RULES F1: a relative directory", 5, 3, "/comp/sub|three.c", 0},
	{"a directory out of range is none", 4, 4, "/comp|far.c", 0},
	{"RULES B11: a file out of range is unknown", 4, 5, "?", 1},
	{"RULES B11: far out of range", 5, UINT64_MAX, "?", 1},
	{"no table", 0, 1, "?", 1},
};

/* What finds the ids of files, with all that it needs. */
struct finding {
	struct string_set strings;
	struct source_paths files;
	struct path_finder finder;
	uint64_t bad; /* how many were out of range or unreadable */
};

static void finding_init(struct finding *f, const struct prefix_map *maps, size_t map_count)
{
	*f = (struct finding){.finder.paths = &f->files};
	string_set_init(&f->strings);
	source_paths_init(&f->files, &f->strings, maps, map_count);
}

static void finding_done(struct finding *f)
{
	source_paths_done(&f->files);
	string_set_done(&f->strings);
}

static void indexing(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(indices); i++) {
		const struct index_case *c = &indices[i];
		struct finding f;
		struct table table;
		char text[64];
		finding_init(&f, NULL, 0);
		table_init(&table, c->version, "/comp");
		uint32_t id = source_paths_id(&f.finder, &table.unit, c->index, &f.bad);
		put_path(&f.files, id, text, sizeof(text));
		if (strcmp(text, c->expected) != 0 || f.bad != c->bad_count)
			fail_msg("%s: %s, bad %llu", c->name, text, (unsigned long long)f.bad);
		assert_int_equal(source_paths_id(&f.finder, &table.unit, c->index, &f.bad), id);
		finding_done(&f);
	}
}

struct directory_case {
	const char *name;
	uint16_t version;
	const char *compilation; /* DW_AT_comp_dir */
	const char *first;       /* directory 0 of the table */
	uint64_t index;
	const char *expected;
};

static const struct directory_case directories[] = {
	{"RULES F1: directory 0 stands for a missing comp_dir", 5, NULL, "/first", 1, "/first|one.c"},
	{"RULES F1: a directory below it", 5, NULL, "/first", 3, "/first/sub|three.c"},
	{"RULES F1: it repeats a relative comp_dir", 5, "build", "build", 1, "build|one.c"},
	{"RULES F1: it is relative to comp_dir", 5, "/comp", "build", 1, "/comp/build|one.c"},
	{"RULES F1: it is relative, and there is no comp_dir", 5, NULL, "build", 1, "build|one.c"},
	{"RULES F1: before version 5 it is a directory like another", 4, NULL, "/first", 3, "sub|three.c"},
	{"RULES F1: before version 5 it is below comp_dir", 4, "build", "build", 1, "build/build|one.c"},
	{"RULES F1: the number of directories is the index of none", 5, "/comp", "/first", 4, "/comp|far.c"},
};

static void directories_of_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(directories); i++) {
		const struct directory_case *c = &directories[i];
		struct finding f;
		struct table table;
		char text[64];
		finding_init(&f, NULL, 0);
		table_init(&table, c->version, c->compilation);
		table.directories[0] = c->first;
		table.directories[3] = "beyond";
		table.unit.lines.directory_count = 3;
		table.line_files[4].directory = 3;
		uint32_t id = source_paths_id(&f.finder, &table.unit, c->index, &f.bad);
		put_path(&f.files, id, text, sizeof(text));
		if (strcmp(text, c->expected) != 0)
			fail_msg("%s: %s, expected %s", c->name, text, c->expected);
		finding_done(&f);
	}
}

/* A path is made once: then its id stands beside its index. */
static void an_index_keeps_its_id(void **state)
{
	(void)state;
	struct finding f;
	struct table table;
	finding_init(&f, NULL, 0);
	table_init(&table, 4, "/comp");
	uint32_t one = source_paths_id(&f.finder, &table.unit, 1, &f.bad),
		 two = source_paths_id(&f.finder, &table.unit, 2, &f.bad);
	assert_int_equal(table.ids[1], one);
	assert_int_equal(table.ids[2], two);
	table.ids[1] = two;
	assert_int_equal(source_paths_id(&f.finder, &table.unit, 1, &f.bad), two);
	table.unit.lines.file_count = 2;
	assert_int_equal(source_paths_id(&f.finder, &table.unit, 2, &f.bad), FILE_UNKNOWN);
	assert_int_equal(f.bad, 1);
	finding_done(&f);
}

/* Units of one compilation that name files by the same strings: what was found for one is not made for the next. */
static void a_finder_remembers(void **state)
{
	(void)state;
	struct finding f;
	struct table first, next;
	struct budget budget;
	finding_init(&f, NULL, 0);
	table_init(&first, 5, "/comp");
	struct path_finder fresh = f.finder;
	uint32_t ids[4];
	for (uint32_t i = 0; i < 4; i++)
		ids[i] = source_paths_id(&f.finder, &first.unit, i, &f.bad);

	/*
	 * What is made again takes steps. One path may have replaced another: where each is remembered depends on where
	 * the system has put its strings in memory.
	 */
	unsigned remembered = 0;
	budget_of_steps(&budget, 0);
	table_init(&next, 5, "/comp");
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(source_paths_id(&fresh, &next.unit, i, &f.bad), INTERN_FAILED);
		const uint32_t id = source_paths_id(&f.finder, &next.unit, i, &f.bad);
		if (id == INTERN_FAILED)
			continue;
		assert_int_equal(id, ids[i]);
		assert_int_equal(next.ids[i], ids[i]);
		remembered++;
	}
	assert_in_range(remembered, 3, 4);

	/* Each part counts. */
	table_init(&next, 5, "/other");
	next.directories[0] = "/other";
	assert_int_equal(source_paths_id(&f.finder, &next.unit, 1, &f.bad), INTERN_FAILED);
	table_init(&next, 5, "/comp");
	next.line_files[1].directory = 1;
	assert_int_equal(source_paths_id(&f.finder, &next.unit, 1, &f.bad), INTERN_FAILED);
	next.line_files[1] = (struct line_file){"another.c", 0};
	assert_int_equal(source_paths_id(&f.finder, &next.unit, 1, &f.bad), INTERN_FAILED);
	budget_use(NULL);
	assert_int_equal(f.bad, 0);
	finding_done(&f);
}

/* More paths than are remembered replace each other, and are found again. */
static void many_paths(void **state)
{
	enum { MANY = KNOWN_PATHS * 3 };
	(void)state;
	static char names[MANY][8];
	struct finding f;
	struct table table;
	finding_init(&f, NULL, 0);
	for (uint32_t i = 0; i < 2 * MANY; i++) {
		char path[32];
		snprintf(names[i % MANY], sizeof(names[0]), "%u.c", i % MANY);
		snprintf(path, sizeof(path), "/comp/%s", names[i % MANY]);
		table_init(&table, 5, "/comp");
		table.line_files[1].name = names[i % MANY];
		assert_int_equal(source_paths_id(&f.finder, &table.unit, 1, &f.bad),
				 source_paths_named(&f.files, path));
	}
	finding_done(&f);
}

/* DW_AT_comp_dir may stand where another unit's stood before: it is then not taken for the same. */
static void a_compilation_is_overwritten(void **state)
{
	static const struct {
		uint16_t version;
		const char *first; /* directory 0 of the table */
	} cases[] = {{4, NULL}, {5, "/comp"}, {5, "sub"}, {5, NULL}};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char compilation[8];
		struct finding f;
		struct table table;
		uint32_t ids[2];
		finding_init(&f, NULL, 0);
		for (int k = 0; k < 2; k++) {
			strcpy(compilation, k ? "/other" : "/comp");
			table_init(&table, cases[i].version, compilation);
			table.directories[0] = cases[i].first;
			ids[k] = source_paths_id(&f.finder, &table.unit, 3, &f.bad);
			assert_int_equal(source_paths_get(&f.files, ids[k])->directory[1], k ? 'o' : 'c');
		}
		assert_int_not_equal(ids[0], ids[1]);
		finding_done(&f);
	}
}

/* Two bytes of a path are a step, each time that it is made; one that was not made for want of steps is not known. */
static void paths_are_counted(void **state)
{
	static const struct {
		uint64_t index, steps;
	} cases[] = {{1, 5 /* "/comp/one.c" */}, {2, 9 /* "/usr/include/two.h" */}, {3, 8 /* "/comp/sub/three.c" */}};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct finding f;
		struct table table;
		struct budget budget;
		finding_init(&f, NULL, 0);
		table_init(&table, 4, "/comp");
		budget_of_steps(&budget, cases[i].steps - 1);
		assert_int_equal(source_paths_id(&f.finder, &table.unit, cases[i].index, &f.bad), INTERN_FAILED);
		assert_int_equal(table.ids[cases[i].index], 0);
		budget_of_steps(&budget, cases[i].steps);
		uint32_t id = source_paths_id(&f.finder, &table.unit, cases[i].index, &f.bad);
		assert_true(id != FILE_UNKNOWN && id != INTERN_FAILED);
		assert_int_equal(budget_steps_left(&budget), 0);
		assert_int_equal(source_paths_id(&f.finder, &table.unit, cases[i].index, &f.bad),
				 id); /* it is known now */
		budget_use(NULL);
		assert_int_equal(f.bad, 0);
		finding_done(&f);
	}
}

/* Whether a directory is told twice is asked for each file of each unit, and costs a step for eight bytes of it. */
static void directories_that_are_compared_are_counted(void **state)
{
	char first[1 << 10], same[sizeof(first)];
	struct finding f;
	(void)state;
	finding_init(&f, NULL, 0);
	memset(first, 'd', sizeof(first) - 1);
	first[sizeof(first) - 1] = '\0';
	memcpy(same, first, sizeof(first));
	for (uint64_t unit = 0; unit < 4; unit++) {
		struct table table;
		table_init(&table, 5, unit < 3 ? same : first);
		table.directories[0] = first;
		assert_true(source_paths_id(&f.finder, &table.unit, 1, &f.bad) != INTERN_FAILED);
		assert_int_equal(f.finder.work, (unit < 3 ? unit + 1 : 3) * ((sizeof(first) - 1) / 8));
	}
	finding_done(&f);
}

/* One path, one id: from two indices, two units, however it is spelt. */
static void one_path_one_id(void **state)
{
	(void)state;
	struct finding f;
	struct table a, b;
	finding_init(&f, NULL, 0);
	table_init(&a, 4, "/comp");
	table_init(&b, 4, "//comp/.");
	uint32_t one = source_paths_id(&f.finder, &a.unit, 1, &f.bad),
		 three = source_paths_id(&f.finder, &a.unit, 3, &f.bad);
	assert_int_equal(source_paths_id(&f.finder, &b.unit, 1, &f.bad), one);
	assert_int_equal(source_paths_id(&f.finder, &b.unit, 3, &f.bad), three);
	assert_int_not_equal(one, three);
	b.line_files[4] = (struct line_file){"/comp/sub/./three.c", 1};
	assert_int_equal(source_paths_id(&f.finder, &b.unit, 4, &f.bad), three);
	b.line_files[2] = (struct line_file){"", 1};
	assert_int_equal(source_paths_id(&f.finder, &b.unit, 2, &f.bad), FILE_UNKNOWN);
	assert_int_equal(f.bad, 1);
	finding_done(&f);
}

/* A path without a unit. */
static void named(void **state)
{
	(void)state;
	static const struct {
		const char *path;
		const char *expected; /* NULL: unknown */
	} wanted[] = {{"a.c", "|a.c"}, {"sub/./a.c", "sub|a.c"}, {"/a.c", "/|a.c"}, {"/x/a.c", "/y|a.c"}, {"", NULL},
		      {"./", NULL}};
	static const struct prefix_map map = {"/x", 2, "/y"};
	struct finding f;
	struct table table;
	char text[64];
	finding_init(&f, &map, 1);
	for (size_t i = 0; i < COUNT_OF(wanted); i++) {
		uint32_t id = source_paths_named(&f.files, wanted[i].path);
		if (wanted[i].expected)
			put_path(&f.files, id, text, sizeof(text));
		if ((id != FILE_UNKNOWN) != (wanted[i].expected != NULL) ||
		    (wanted[i].expected && strcmp(text, wanted[i].expected) != 0))
			fail_msg("%s: %s", wanted[i].path, id == FILE_UNKNOWN ? "unknown" : text);
	}
	table_init(&table, 4, "/x");
	table.line_files[1].name = "a.c";
	assert_int_equal(source_paths_id(&f.finder, &table.unit, 1, &f.bad), source_paths_named(&f.files, "/x/a.c"));
	finding_done(&f);
}

/* ---- Prefix maps ---- */

struct map_case {
	const char *name;
	const char *path;
	const char *maps[4]; /* old, new, old, new */
	const char *expected;
};

static const struct map_case mappings[] = {
	{"RULES F4: a prefix", "/build/x/a.c", {"/build", "/src"}, "/src/x|a.c"},
	{"RULES F4: on a component's boundary only", "/builder/a.c", {"/build", "/src"}, "/builder|a.c"},
	{"RULES F4: a prefix that ends in a slash", "/build/a.c", {"/build/", "/src/"}, "/src|a.c"},
	{"RULES F4: the longest", "/build/x/a.c", {"/build", "/1", "/build/x", "/2"}, "/2|a.c"},
	{"RULES F4: the longest, given first", "/build/x/a.c", {"/build/x", "/2", "/build", "/1"}, "/2|a.c"},
	{"RULES F4: applied once", "/a/x.c", {"/a", "/b", "/b", "/c"}, "/b|x.c"},
	{"RULES F4: the whole path", "/build/a.c", {"/build/a.c", "b.c"}, "|b.c"},
	{"RULES F4: to nothing", "/build/a.c", {"/build/", ""}, "|a.c"},
	{"RULES F4: to a relative directory", "/build/x/a.c", {"/build", "."}, "./x|a.c"},
	{"RULES F4: in the middle is no prefix", "/x/build/a.c", {"/build", "/src"}, "/x/build|a.c"},
	{"RULES F4: after normalising", "/./build//x/a.c", {"/build/x", "/src"}, "/src|a.c"},
	{"RULES F4: of two that are equal, the first", "/build/a.c", {"/build", "/1", "/build", "/2"}, "/1|a.c"},
	{"RULES F4: an empty prefix is none", "/build/a.c", {"", "/src"}, "/build|a.c"},
	{"RULES F4: to something longer",
	 "/b/a.c",
	 {"/b", "/a/directory/of/many/parts"},
	 "/a/directory/of/many/parts|a.c"},
	{"RULES F4: Windows", "C:\\build\\a.c", {"C:\\build", "/src"}, "/|src\\a.c"},
	{"the root", "/a.c", {"/none", "/src"}, "/|a.c"},
	{"Windows names stand whole", "C:\\x\\a.c", {"/none", "/src"}, "|C:\\x\\a.c"},
};

static void mapping(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(mappings); i++) {
		const struct map_case *c = &mappings[i];
		struct prefix_map maps[2];
		size_t map_count = 0;
		for (size_t k = 0; k < 4 && c->maps[k]; k += 2)
			maps[map_count++] = (struct prefix_map){c->maps[k], strlen(c->maps[k]), c->maps[k + 1]};
		struct finding f;
		struct table table;
		char text[64];
		finding_init(&f, maps, map_count);
		table_init(&table, 4, "/comp");
		table.line_files[1].name = c->path;
		put_path(&f.files, source_paths_id(&f.finder, &table.unit, 1, &f.bad), text, sizeof(text));
		if (strcmp(text, c->expected) != 0)
			fail_msg("%s: %s, expected %s", c->name, text, c->expected);
		finding_done(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joining),
		cmocka_unit_test(indexing),
		cmocka_unit_test(one_path_one_id),
		cmocka_unit_test(named),
		cmocka_unit_test(mapping),
		cmocka_unit_test(directories_of_files),
		cmocka_unit_test(an_index_keeps_its_id),
		cmocka_unit_test(a_finder_remembers),
		cmocka_unit_test(many_paths),
		cmocka_unit_test(a_compilation_is_overwritten),
		cmocka_unit_test(paths_are_counted),
		cmocka_unit_test(directories_that_are_compared_are_counted),
	};
	return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
