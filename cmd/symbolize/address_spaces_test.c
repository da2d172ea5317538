/* Mappings: the newest counts, processes are apart, and memory is bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/symbolize/address_spaces.h"

static struct module_name named(const char *path)
{
	return (struct module_name){.path = {path, strlen(path)}};
}

static void map(struct address_spaces *spaces, uint64_t process, uint64_t start, uint64_t end, const char *path)
{
	struct module_name module = named(path);

	address_spaces_map(spaces, process, (struct mapped_range){.start = start, .end = end, .offset = start},
			   &module);
}

/* "PATH+OFFSET" of what is mapped at an address, or "". */
static const char *at(struct address_spaces *spaces, uint64_t process, uint64_t address)
{
	const struct mapping *mapping = address_spaces_find(spaces, process, address);
	static char text[64];

	text[0] = '\0';
	if (mapping) {
		struct module_name module = mapping_module(mapping);
		snprintf(text, sizeof(text), "%.*s+%llx", (int)module.path.size, module.path.data,
			 (unsigned long long)(address - mapping->range.start + mapping->range.offset));
	}
	return text;
}

static void newer_mappings_replace(void **state)
{
	struct address_spaces *spaces = address_spaces_new();

	(void)state;
	map(spaces, 1, 0x100, 0x200, "a");
	map(spaces, 1, 0x200, 0x300, "b");
	map(spaces, 2, 0x100, 0x200, "other");
	assert_string_equal(at(spaces, 1, 0xff), "");
	assert_string_equal(at(spaces, 1, 0x100), "a+100");
	assert_string_equal(at(spaces, 1, 0x1ff), "a+1ff");
	assert_string_equal(at(spaces, 1, 0x200), "b+200");
	assert_string_equal(at(spaces, 1, 0x300), "");
	assert_string_equal(at(spaces, 2, 0x180), "other+180");
	assert_string_equal(at(spaces, 3, 0x180), "");

	map(spaces, 1, 0x180, 0x280, "c"); /* cuts both */
	assert_string_equal(at(spaces, 1, 0x17f), "a+17f");
	assert_string_equal(at(spaces, 1, 0x180), "c+180");
	assert_string_equal(at(spaces, 1, 0x27f), "c+27f");
	assert_string_equal(at(spaces, 1, 0x280), "b+280");
	map(spaces, 1, 0x0, 0x1000, "d"); /* covers all */
	assert_string_equal(at(spaces, 1, 0x280), "d+280");
	map(spaces, 1, 0x10, 0x10, "e"); /* nothing */
	assert_string_equal(at(spaces, 1, 0x10), "d+10");
	address_spaces_free(spaces);
}

/* What is mapped, byte by byte: the number of a mapping; 0: none. */
enum { BYTES = 64, NUMBERS = 1000 };

/* A mapping in the midst of an older one cuts that off: the part behind is lost. */
static void map_bytes(unsigned bytes[BYTES], unsigned start, unsigned end, unsigned number)
{
	unsigned cut = start > 0 && bytes[start - 1] == bytes[start] ? bytes[start] : 0;

	for (unsigned i = start; i < BYTES; i++)
		if (i < end || (cut && bytes[i] == cut))
			bytes[i] = i < end ? number : 0;
}

static void random_mappings_replace_each_other(void **state)
{
	struct address_spaces *spaces = address_spaces_new();
	unsigned bytes[3][BYTES] = {{0}}, seed = 1;
	char path[16], expected[32];

	(void)state;
	for (unsigned number = 1; number < NUMBERS; number++) {
		unsigned process = (unsigned)rand_r(&seed) % 3, start = (unsigned)rand_r(&seed) % BYTES;
		unsigned end = start + (unsigned)rand_r(&seed) % (number % 10 ? 8 : BYTES);
		end = end < BYTES ? end : BYTES;
		snprintf(path, sizeof(path), "%u", number);
		map(spaces, process, start, end, path);
		if (start < end)
			map_bytes(bytes[process], start, end, number);
		for (unsigned i = 0; i < 3 * BYTES; i++) {
			unsigned of = bytes[i / BYTES][i % BYTES];
			expected[0] = '\0';
			if (of)
				snprintf(expected, sizeof(expected), "%u+%x", of, i % BYTES);
			if (strcmp(at(spaces, i / BYTES, i % BYTES), expected) != 0)
				fail_msg("mapping %u, byte %u of process %u: '%s', not '%s'", number, i % BYTES,
					 i / BYTES, at(spaces, i / BYTES, i % BYTES), expected);
		}
	}
	address_spaces_free(spaces);
}

/* What a number had mapped before it became a thread's is gone, also when it is a process again. */
static void a_thread_begins_without_mappings_of_its_own(void **state)
{
	struct address_spaces *spaces = address_spaces_new();

	(void)state;
	map(spaces, 1, 0x100, 0x200, "a");
	map(spaces, 5, 0x300, 0x400, "old");
	address_spaces_thread(spaces, 1, 5);
	address_spaces_thread(spaces, 1, 1);
	assert_string_equal(at(spaces, 1, 0x100), "a+100");
	assert_string_equal(at(spaces, 5, 0x100), "a+100");
	assert_string_equal(at(spaces, 5, 0x300), "");
	map(spaces, 5, 0x500, 0x600, "new");
	assert_string_equal(at(spaces, 5, 0x300), "");
	assert_string_equal(at(spaces, 5, 0x500), "new+500");
	assert_string_equal(at(spaces, 5, 0x100), "");
	address_spaces_free(spaces);
}

static void base_of_a_module(void **state)
{
	struct address_spaces *spaces = address_spaces_new();
	struct module_name a = named("a"), b = named("b");

	(void)state;
	address_spaces_map(spaces, 0, (struct mapped_range){.start = 0x1000, .end = 0x2000, .offset = 0}, &a);
	address_spaces_map(spaces, 0, (struct mapped_range){.start = 0x2000, .end = 0x3000, .offset = 0x800}, &a);
	address_spaces_map(spaces, 0, (struct mapped_range){.start = 0x3000, .end = 0x4000, .offset = 0x800}, &b);
	assert_int_equal(address_spaces_base(spaces, 0, address_spaces_find(spaces, 0, 0x2800)), 0x1000);
	assert_true(address_spaces_base(spaces, 0, address_spaces_find(spaces, 0, 0x3800)) == UINT64_MAX);
	address_spaces_free(spaces);
}

/* Of a module with more mappings than real ones have, only those near the first byte know where it is. */
static void base_of_very_many_mappings(void **state)
{
	enum { NEAR = 255, MANY = 1000 };
	struct address_spaces *spaces = address_spaces_new();

	(void)state;
	for (uint64_t i = 0; i < MANY; i++)
		map(spaces, 0, i * 0x100, (i + 1) * 0x100, "a");
	assert_int_equal(address_spaces_base(spaces, 0, address_spaces_find(spaces, 0, NEAR * 0x100)), 0);
	for (uint64_t i = NEAR + 1; i < MANY; i++)
		assert_true(address_spaces_base(spaces, 0, address_spaces_find(spaces, 0, i * 0x100)) == UINT64_MAX);
	address_spaces_free(spaces);
}

static void map_build(struct address_spaces *spaces, uint64_t process, uint64_t start, const char *build_id)
{
	struct module_name module = named("a");

	module.build_id = (struct locus_string){build_id, strlen(build_id)};
	address_spaces_map(spaces, process,
			   (struct mapped_range){.start = start, .end = start + 0x100, .offset = start}, &module);
}

static const char *build_at(struct address_spaces *spaces, uint64_t process, uint64_t address)
{
	static char text[MODULE_BUILD_ID_MAX + 1];
	struct locus_string build_id = mapping_module(address_spaces_find(spaces, process, address)).build_id;

	snprintf(text, sizeof(text), "%.*s", (int)build_id.size, build_id.data);
	return text;
}

/* As in containers; or where a program was replaced and started again. */
static void processes_may_have_other_builds_of_a_path(void **state)
{
	enum { MANY = 300 };
	struct address_spaces *spaces = address_spaces_new();
	char id[8];

	(void)state;
	map_build(spaces, 1, 0x0, "one");
	map_build(spaces, 2, 0x0, "two");
	map_build(spaces, 1, 0x100, "one");
	assert_string_equal(build_at(spaces, 1, 0x0), "one");
	assert_string_equal(build_at(spaces, 2, 0x0), "two");
	assert_int_equal(address_spaces_base(spaces, 1, address_spaces_find(spaces, 1, 0x100)), 0);
	assert_memory_equal(address_spaces_module(spaces, named("a").path).build_id.data, "one", 3);
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(id, sizeof(id), "%u", i);
		map_build(spaces, 3 + i, 0x0, id);
		assert_string_equal(build_at(spaces, 3 + i, 0x0), id);
	}
	assert_string_equal(build_at(spaces, 1, 0x100), "one");
	address_spaces_free(spaces);
}

static void names_keep_their_build_id(void **state)
{
	struct address_spaces *spaces = address_spaces_new();
	struct module_name module = named("libz.so.1");
	struct locus_string path = module.path;

	(void)state;
	assert_int_equal(address_spaces_module(spaces, path).build_id.size, 0);
	module.build_id = (struct locus_string){"\1\2\3\4", 4};
	address_spaces_name(spaces, &module);
	map(spaces, 0, 0x100, 0x200, "libz.so.1");
	assert_int_equal(address_spaces_module(spaces, path).build_id.size, 4);
	assert_int_equal(mapping_module(address_spaces_find(spaces, 0, 0x100)).build_id.size, 4);
	address_spaces_free(spaces);
}

/* "PATH" of the only module with a name at the end of its path, or "". */
static const char *path_with(struct address_spaces *spaces, const char *name)
{
	struct locus_string found = address_spaces_path(spaces, named(name).path);
	static char text[64];

	snprintf(text, sizeof(text), "%.*s", (int)found.size, found.data);
	return text;
}

static void paths_by_their_last_name(void **state)
{
	struct address_spaces *spaces = address_spaces_new();

	(void)state;
	assert_string_equal(path_with(spaces, "a.so"), "");
	map(spaces, 1, 0x100, 0x200, "/x/a.so");
	map(spaces, 2, 0x100, 0x200, "/x/a.so");
	map(spaces, 1, 0x200, 0x300, "b.so");
	map(spaces, 1, 0x300, 0x400, "/x/");
	address_spaces_name(spaces, &(struct module_name){named("/x/a.so").path, {"id", 2}, false});
	assert_string_equal(path_with(spaces, "a.so"), "/x/a.so");
	assert_string_equal(path_with(spaces, "b.so"), "");
	assert_string_equal(path_with(spaces, "/x/a.so"), "");
	assert_string_equal(path_with(spaces, ""), "");
	map(spaces, 3, 0x100, 0x200, "/y/a.so");
	assert_string_equal(path_with(spaces, "a.so"), "");
	address_spaces_forget(spaces);
	map(spaces, 3, 0x100, 0x200, "/y/a.so");
	assert_string_equal(path_with(spaces, "a.so"), "/y/a.so");
	address_spaces_free(spaces);
}

/* When the room for names is taken up, a new name has all others forgotten, but one that is kept already does not. */
static void a_kept_name_needs_no_room(void **state)
{
	enum { NAMES_SIZE_MAX = 64 << 20, ENTRY = 128, ENTRY_HEAD = 3 * sizeof(size_t) + MODULE_BUILD_ID_MAX };
	enum { ENTRY_COUNT = NAMES_SIZE_MAX / ENTRY, SIZE = ENTRY - ENTRY_HEAD };
	static const char id[] = "0123456789abcdef0123";
	struct address_spaces *spaces = address_spaces_new();
	char path[SIZE + 1];

	(void)state;
	for (int i = 0; i < ENTRY_COUNT; i++) {
		snprintf(path, sizeof(path), "%0*d", SIZE, i);
		address_spaces_name(spaces,
				    &(struct module_name){.path = {path, SIZE}, .build_id = {id, i == 0 ? 20 : 0}});
	}
	snprintf(path, sizeof(path), "%0*d", SIZE, 0);
	struct module_name module = address_spaces_module(spaces, (struct locus_string){path, SIZE});
	address_spaces_map(spaces, 1, (struct mapped_range){.start = 0x100, .end = 0x200, .offset = 0}, &module);
	module = mapping_module(address_spaces_find(spaces, 1, 0x100));
	assert_int_equal(module.build_id.size, 20);
	assert_memory_equal(module.build_id.data, id, 20);

	map(spaces, 1, 0x200, 0x300, "new");
	assert_string_equal(at(spaces, 1, 0x100), "");
	assert_string_equal(at(spaces, 1, 0x200), "new+200");

	/* Then there is room again. */
	map(spaces, 1, 0x300, 0x400, "newer");
	assert_string_equal(at(spaces, 1, 0x200), "new+200");
	address_spaces_free(spaces);
}

/* Those of which only the start is known go up to the next one. */
static void mappings_without_an_end(void **state)
{
	struct address_spaces *spaces = address_spaces_new();

	(void)state;
	map(spaces, 1, 0x200, UINT64_MAX, "b");
	map(spaces, 1, 0x400, UINT64_MAX, "d");
	map(spaces, 1, 0x100, UINT64_MAX, "a");
	map(spaces, 1, 0x300, UINT64_MAX, "c");
	assert_string_equal(at(spaces, 1, 0xff), "");
	assert_string_equal(at(spaces, 1, 0x100), "a+100");
	assert_string_equal(at(spaces, 1, 0x1ff), "a+1ff");
	assert_string_equal(at(spaces, 1, 0x200), "b+200");
	assert_string_equal(at(spaces, 1, 0x2ff), "b+2ff");
	assert_string_equal(at(spaces, 1, 0x300), "c+300");
	assert_string_equal(at(spaces, 1, 0x3ff), "c+3ff");
	assert_string_equal(at(spaces, 1, 0x400), "d+400");
	assert_string_equal(at(spaces, 1, UINT64_MAX - 1), "d+fffffffffffffffe");

	/* One at the same place replaces it. */
	map(spaces, 1, 0x200, UINT64_MAX, "new");
	assert_string_equal(at(spaces, 1, 0x200), "new+200");
	assert_string_equal(at(spaces, 1, 0x2ff), "new+2ff");
	assert_string_equal(at(spaces, 1, 0x300), "c+300");
	address_spaces_free(spaces);
}

/* What the text has not named is known by its path alone, and what no file can be called is not kept. */
static void modules_by_path(void **state)
{
	static char longest[MODULE_PATH_MAX + 1];
	static const char id[MODULE_BUILD_ID_MAX + 1] = "an id";
	struct address_spaces *spaces = address_spaces_new();
	struct module_name module = named("a");

	(void)state;
	memset(longest, 'x', sizeof(longest));
	for (size_t size = MODULE_PATH_MAX; size <= sizeof(longest); size++) {
		struct module_name long_named = {.path = {longest, size}, .build_id = {id, 20}};
		struct module_name found = address_spaces_module(spaces, long_named.path);
		assert_ptr_equal(found.path.data, longest);
		assert_int_equal(found.path.size, size);
		assert_int_equal(found.build_id.size, 0);
		address_spaces_name(spaces, &long_named);
		found = address_spaces_module(spaces, long_named.path);
		assert_int_equal(found.path.size, size);
		assert_int_equal(found.build_id.size, size <= MODULE_PATH_MAX ? 20 : 0);
		address_spaces_map(spaces, 1, (struct mapped_range){.start = 0x100, .end = 0x200, .offset = 0},
				   &long_named);
		assert_int_equal(address_spaces_find(spaces, 1, 0x100) != NULL, true); /* the shorter one's stays */
	}

	/* A build-id is kept until another is named, and none that is too long. */
	for (size_t size = MODULE_BUILD_ID_MAX + 1; size >= MODULE_BUILD_ID_MAX; size--) {
		module.build_id = (struct locus_string){id, size};
		address_spaces_name(spaces, &module);
		struct locus_string found = address_spaces_module(spaces, module.path).build_id;
		assert_int_equal(found.size, size <= MODULE_BUILD_ID_MAX ? size : 0);
	}
	module.build_id = (struct locus_string){0};
	address_spaces_name(spaces, &module);
	assert_int_equal(address_spaces_module(spaces, module.path).build_id.size, MODULE_BUILD_ID_MAX);
	assert_memory_equal(address_spaces_module(spaces, module.path).build_id.data, id, MODULE_BUILD_ID_MAX);
	module.build_id = (struct locus_string){"other", 5};
	address_spaces_name(spaces, &module);
	assert_memory_equal(address_spaces_module(spaces, module.path).build_id.data, "other", 5);
	assert_int_equal(address_spaces_module(spaces, named("b").path).build_id.size, 0);
	assert_int_equal(address_spaces_module(spaces, named("a2").path).build_id.size, 0);
	address_spaces_free(spaces);
}

static void children_inherit_mappings(void **state)
{
	struct address_spaces *spaces = address_spaces_new();

	(void)state;
	map(spaces, 1, 0x100, 0x200, "a");
	address_spaces_fork(spaces, 1, 2);
	address_spaces_fork(spaces, 99, 3);
	address_spaces_fork(spaces, 1, 1);
	map(spaces, 1, 0x200, 0x300, "later");
	map(spaces, 2, 0x180, 0x200, "b");
	assert_string_equal(at(spaces, 2, 0x17f), "a+17f");
	assert_string_equal(at(spaces, 2, 0x180), "b+180");
	assert_string_equal(at(spaces, 2, 0x200), "");
	assert_string_equal(at(spaces, 1, 0x180), "a+180");
	assert_string_equal(at(spaces, 3, 0x100), "");

	address_spaces_thread(spaces, 2, 20);
	map(spaces, 2, 0x400, 0x500, "c");
	assert_string_equal(at(spaces, 20, 0x100), "a+100");
	assert_string_equal(at(spaces, 20, 0x400), "c+400");
	address_spaces_fork(spaces, 20, 21);
	assert_string_equal(at(spaces, 21, 0x400), "c+400");

	address_spaces_exec(spaces, 2);
	assert_string_equal(at(spaces, 2, 0x100), "");
	assert_string_equal(at(spaces, 20, 0x100), "");
	assert_string_equal(at(spaces, 21, 0x100), "a+100");
	map(spaces, 20, 0x100, 0x200, "of its own");
	assert_string_equal(at(spaces, 20, 0x100), "of its own+100");
	address_spaces_free(spaces);
}

/* Processes that fork and threads that start without end: what came last is there. */
static void hostile_forks_stay_bounded(void **state)
{
	struct address_spaces *spaces = address_spaces_new();

	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		map(spaces, 1, i * 16, i * 16 + 16, "one");
	for (uint64_t i = 1; i < 3000; i++)
		address_spaces_fork(spaces, i, i + 1);
	assert_string_equal(at(spaces, 3000, 999 * 16), "one+3e70");
	assert_string_equal(at(spaces, 1, 0), "");
	for (uint64_t i = 0; i < 200000; i++)
		address_spaces_thread(spaces, 3000, 10000 + i);
	map(spaces, 3000, 0, 16, "again");
	assert_string_equal(at(spaces, 209999, 0), "again+0");
	address_spaces_free(spaces);
}

/* A process with very many mappings that forks again and again: in the end, its children begin without. */
static void hostile_forks_are_few_copies(void **state)
{
	enum { SPACE_MAX = 1 << 15, COPIES_SPARE = 1 << 22, COPIES_PER_FORK = 1 << 10, FORKS = 1 << 10 };
	struct address_spaces *spaces = address_spaces_new();
	size_t copied = 0;

	(void)state;
	for (uint64_t i = 0; i < SPACE_MAX; i++)
		map(spaces, 1, i * 16, i * 16 + 16, "one");
	for (uint64_t i = 0; i < FORKS; i++) {
		address_spaces_fork(spaces, 1, 2);
		copied += at(spaces, 2, 0)[0] ? SPACE_MAX : 0;
	}
	assert_in_range(copied, COPIES_SPARE, COPIES_SPARE + FORKS * COPIES_PER_FORK);
	assert_true(address_spaces_have_lost(spaces));

	/* Children of others still inherit. */
	map(spaces, 3, 0x100, 0x200, "a");
	address_spaces_fork(spaces, 3, 4);
	assert_string_equal(at(spaces, 4, 0x100), "a+100");
	address_spaces_free(spaces);
}

/* More of everything than is kept: what came last is there, or of one process what came first. */
static void hostile_numbers_stay_bounded(void **state)
{
	enum { NAMES = 200000, NAME_SIZE = 350 };
	struct address_spaces *spaces = address_spaces_new();
	char path[NAME_SIZE + 1];

	(void)state;
	for (uint64_t i = 0; i < 40000; i++) {
		map(spaces, 7, i * 16, i * 16 + 16, "one");
		map(spaces, 1000 + i, 0x100, 0x200, "many");
	}
	assert_string_equal(at(spaces, 7, 0), "one+0");
	assert_string_equal(at(spaces, 1000 + 39999, 0x100), "many+100");
	for (int i = 0; i < NAMES; i++) {
		snprintf(path, sizeof(path), "/%d/%0*d", i, NAME_SIZE - 10, 0);
		map(spaces, 8, 0x100, 0x200, path);
	}
	assert_memory_equal(at(spaces, 8, 0x100), "/199999/", 8);
	assert_string_equal(at(spaces, 7, 0), "");
	address_spaces_free(spaces);
}

/* As much as the bounds say is kept, and what comes then goes in the place of what was used least lately. */
static void bounds_are_reached(void **state)
{
	enum { MAPPINGS_MAX = 1 << 20, SPACES_MAX = 1 << 18, SPACE_MAX = 1 << 15, NAMES_SIZE_MAX = 64 << 20 };
	enum { FULL = MAPPINGS_MAX / SPACE_MAX, ENTRY = 1024, ENTRY_HEAD = 3 * sizeof(size_t) + MODULE_BUILD_ID_MAX };
	struct address_spaces *spaces = address_spaces_new();
	char path[ENTRY - ENTRY_HEAD + 1];

	(void)state;
	for (uint64_t i = 0; i < SPACES_MAX; i++)
		map(spaces, 1 + i, 0x100, 0x200, "a");
	assert_string_equal(at(spaces, 1, 0x100), "a+100");
	assert_false(address_spaces_have_lost(spaces));
	map(spaces, 1 + SPACES_MAX, 0x100, 0x200, "a");
	assert_true(address_spaces_have_lost(spaces));
	assert_string_equal(at(spaces, 2, 0x100), ""); /* the first was asked for just now */
	assert_string_equal(at(spaces, 1, 0x100), "a+100");
	assert_string_equal(at(spaces, 3, 0x100), "a+100");
	address_spaces_exec(spaces, 5);
	map(spaces, 5, 0x100, 0x200, "b"); /* in the place that it had before */
	assert_string_equal(at(spaces, 4, 0x100), "a+100");
	address_spaces_free(spaces);

	spaces = address_spaces_new();
	for (uint64_t i = 0; i < SPACE_MAX; i++)
		map(spaces, 1, 16 * i, 16 * i + 16, "a");
	assert_string_equal(at(spaces, 1, 0), "a+0");
	for (uint64_t i = 2; i <= FULL; i++)
		address_spaces_fork(spaces, 1, i);
	assert_string_equal(at(spaces, 2, 0), "a+0");
	assert_string_equal(at(spaces, 1, 0), "a+0");
	assert_false(address_spaces_have_lost(spaces));
	map(spaces, FULL + 1, 0x100, 0x200, "a");
	assert_true(address_spaces_have_lost(spaces));
	assert_string_equal(at(spaces, 3, 0), ""); /* unused for longest */
	assert_string_equal(at(spaces, 2, 0), "a+0");
	for (uint64_t i = 1; i < SPACE_MAX; i++)
		map(spaces, FULL + 1, 0x100 + 16 * i, 0x110 + 16 * i, "a");
	assert_string_equal(at(spaces, 4, 0), "a+0");
	map(spaces, 4, 16 * SPACE_MAX, 16 * SPACE_MAX + 16, "a");
	assert_string_equal(at(spaces, 4, 16 * SPACE_MAX), ""); /* that would be one too many */
	assert_string_equal(at(spaces, 4, 0), "a+0");
	map(spaces, 4, 0, 16, "b");
	assert_string_equal(at(spaces, 4, 0), "b+0"); /* but what is there no more is not kept either */
	map(spaces, 4, 4, 8, "c");
	map(spaces, 4, 16, 48, "d");
	assert_string_equal(at(spaces, 4, 16), "d+10");
	map(spaces, 4, 16 * SPACE_MAX, 16 * SPACE_MAX + 16, "a");
	assert_string_equal(at(spaces, 4, 16 * SPACE_MAX), "a+80000"); /* in the place of two that became one */
	address_spaces_free(spaces);

	spaces = address_spaces_new();
	for (int i = 0; i < NAMES_SIZE_MAX / ENTRY; i++) {
		snprintf(path, sizeof(path), "%0*d", (int)sizeof(path) - 1, i);
		map(spaces, 1, 16 * (uint64_t)i, 16 * (uint64_t)i + 16, path);
	}
	assert_non_null(address_spaces_find(spaces, 1, 0));
	assert_true(address_spaces_have_lost(spaces)); /* those of the process that were too many */
	address_spaces_exec(spaces, 1);
	map(spaces, 1, 0, 16, path);
	map(spaces, 2, 0, 16, "more");
	assert_null(address_spaces_find(spaces, 1, 0));
	assert_string_equal(at(spaces, 2, 0), "more+0");
	assert_true(address_spaces_have_lost(spaces));
	address_spaces_forget(spaces); /* the text ends */
	assert_false(address_spaces_have_lost(spaces));
	address_spaces_free(spaces);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newer_mappings_replace),
		cmocka_unit_test(base_of_a_module),
		cmocka_unit_test(base_of_very_many_mappings),
		cmocka_unit_test(processes_may_have_other_builds_of_a_path),
		cmocka_unit_test(names_keep_their_build_id),
		cmocka_unit_test(paths_by_their_last_name),
		cmocka_unit_test(a_kept_name_needs_no_room),
		cmocka_unit_test(mappings_without_an_end),
		cmocka_unit_test(modules_by_path),
		cmocka_unit_test(hostile_numbers_stay_bounded),
		cmocka_unit_test(children_inherit_mappings),
		cmocka_unit_test(hostile_forks_stay_bounded),
		cmocka_unit_test(hostile_forks_are_few_copies),
		cmocka_unit_test(bounds_are_reached),
		cmocka_unit_test(random_mappings_replace_each_other),
		cmocka_unit_test(a_thread_begins_without_mappings_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
