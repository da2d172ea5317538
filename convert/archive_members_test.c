/*
 * What is told of the members of an archive: their paths, and which need no conversion; and archives of too much work.
 */
#include <elf.h>
#include <unistd.h>

#include "convert/elf/make_elf_test.h"
#include "convert/locus_convert.h"

static char directory[] = "/tmp/locus-test-XXXXXX";
static char archive_path[64];

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(archive_path, sizeof(archive_path), "%s/lib.a", directory);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(directory);
}

/* The path of a file beside the archive; valid until the next call. */
static const char *beside(const char *name)
{
	static char path[128];
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

enum { HEADER_SIZE = 60, HEAD_SIZE = EI_NIDENT };

/* The first bytes of an ELF file, which is all that is looked at here. */
#define HEAD   \
	"\x7f" \
	"ELF\2\1\1\0\0\0\0\0\0\0\0\0"

static void put_header(struct bytes *archive, const char *name, size_t size)
{
	char header[HEADER_SIZE + 5], field[20];
	snprintf(field, sizeof(field), "%s/", name);
	snprintf(header, sizeof(header), "%-16s%-12s%-6s%-6s%-8s%-10zu`\n", field, "0", "0", "0", "644", size);
	put_bytes(archive, header, HEADER_SIZE);
}

static void put_member(struct bytes *archive, const char *name, const void *data, size_t size)
{
	put_header(archive, name, size);
	put_bytes(archive, data, size);
	if (size % 2)
		put_u8(archive, '\n');
}

static struct bytes archive_of(const char *magic)
{
	struct bytes archive = {0};
	put_bytes(&archive, magic, 8);
	return archive;
}

/* What was told, a line each: the member's path in the archive, its size, its place, and what is wrong with it. */
struct told {
	char text[2048];
	size_t size;
	unsigned count, candidates;
};

static void tell(void *context, const struct locus_archive_member *member)
{
	struct told *told = context;
	told->count++;
	told->candidates += !member->problem;
	assert_int_equal(strncmp(member->path, archive_path, strlen(archive_path)), 0);
	if (told->count <= 12)
		told->size += (size_t)snprintf(told->text + told->size, sizeof(told->text) - told->size,
					       "%s %llu at %llu%s%s\n", member->path + strlen(archive_path),
					       (unsigned long long)member->size, (unsigned long long)member->header,
					       member->problem ? ": " : "", member->problem ? member->problem : "");
}

/* Lists the members of the archive, which is freed. */
static enum locus_status list(struct bytes *archive, struct told *ret, bool *ret_is_archive, struct locus_error *error)
{
	*ret = (struct told){.size = 0};
	*error = (struct locus_error){{0}, 0};
	write_file(archive_path, archive);
	bytes_done(archive);
	enum locus_status status = locus_archive_members(archive_path, tell, ret, ret_is_archive, error);
	unlink(archive_path);
	return status;
}

static void check_told(struct bytes *archive, const char *expected)
{
	struct told told;
	struct locus_error error;
	bool is_archive;
	if (list(archive, &told, &is_archive, &error) != LOCUS_OK)
		fail_msg("%s", error.text);
	assert_true(is_archive);
	assert_string_equal(told.text, expected);
}

/* ---- What each member is, and its path ---- */

static void members_of_one_name_are_numbered_in_their_order(void **state)
{
	static const char *const names[] = {"b", "a", "aa", "b", "ab", "b", "a", "ba"};
	(void)state;
	struct bytes archive = archive_of("!<arch>\n");
	for (size_t i = 0; i < COUNT_OF(names); i++)
		put_member(&archive, names[i], HEAD, HEAD_SIZE);
	check_told(&archive, "(b) 16 at 8\n(a) 16 at 84\n(aa) 16 at 160\n(b#2) 16 at 236\n(ab) 16 at 312\n"
			     "(b#3) 16 at 388\n(a#2) 16 at 464\n(ba) 16 at 540\n");
	archive = archive_of("!<arch>\n");
	check_told(&archive, "");
}

static void what_cannot_be_converted_says_so(void **state)
{
	(void)state;
	struct bytes archive = archive_of("!<arch>\n");
	put_member(&archive, "whole", HEAD, HEAD_SIZE);
	put_member(&archive, "cut", HEAD, HEAD_SIZE - 1);
	put_member(&archive, "script", "#!/bin/sh and more\n", 19);
	put_member(&archive, "lib.rmeta", HEAD, HEAD_SIZE);
	put_member(&archive, "packed", "\x1f\x8b\x08\0\0\0\0\0\0\3", 10);
	put_member(&archive, "empty", "", 0);
	struct told told;
	struct locus_error error;
	bool is_archive;
	assert_int_equal(list(&archive, &told, &is_archive, &error), LOCUS_OK);
	assert_non_null(strstr(told.text, "(whole) 16 at 8\n"));
	assert_non_null(strstr(told.text, "(cut) 15 at 84: "));
	assert_non_null(strstr(told.text, "(script) 19 at 160: not an ELF file, but a script\n"));
	assert_null(strstr(told.text, "rmeta"));
	assert_non_null(strstr(told.text, "(packed) 10 at 316\n"));
	assert_non_null(strstr(told.text, "(empty) 0 at 386: not an ELF file: it is empty\n"));
	assert_int_equal(told.count, 5);
	assert_int_equal(told.candidates, 2);
}

/* A thin archive has its members beside it. */
static void members_of_a_thin_archive_are_looked_at_where_they_are(void **state)
{
	(void)state;
	struct bytes archive = archive_of("!<thin>\n"), head = {(uint8_t *)HEAD, HEAD_SIZE, 0, false},
		     text = {(uint8_t *)"#!/bin/sh\n", 10, 0, false};
	write_file(beside("whole"), &head);
	write_file(beside("script"), &text);
	put_header(&archive, "whole", HEAD_SIZE);
	put_header(&archive, "script", 10);
	put_header(&archive, "absent", 10);
	put_header(&archive, "whole", HEAD_SIZE);
	struct told told;
	struct locus_error error;
	bool is_archive;
	assert_int_equal(list(&archive, &told, &is_archive, &error), LOCUS_OK);
	assert_non_null(strstr(told.text, "(whole) 16 at 8\n"));
	assert_non_null(strstr(told.text, "(script) 10 at 68: not an ELF file, but a script\n"));
	assert_non_null(strstr(told.text, "(absent) 10 at 128: "));
	assert_non_null(strstr(told.text, "absent, which the thin archive names: No such file"));
	assert_non_null(strstr(told.text, "(whole#2) 16 at 188\n"));
	unlink(beside("whole"));
	unlink(beside("script"));
}

/* ---- What is no archive of objects ---- */

static void packages_and_other_files_are_no_archives(void **state)
{
	static const struct {
		const char *name;
		const char *magic;
		const char *members[2];
		bool is_archive;
	} cases[] = {
		{"a Debian package", "!<arch>\n", {"debian-binary", "a"}, false},
		{"a member of another name of that size", "!<arch>\n", {"debian-binarx", "a"}, true},
		{"a member of a longer name", "!<arch>\n", {"debian-binary2", "a"}, true},
		{"a member of a shorter name", "!<arch>\n", {"debian-binar", "a"}, true},
		{"a member of that name which is not the first", "!<arch>\n", {"a", "debian-binary"}, true},
		{"another magic number", "!<arsh>\n", {"a", "b"}, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct told told;
		struct locus_error error;
		bool is_archive;
		struct bytes archive = archive_of(cases[i].magic);
		for (int k = 0; k < 2; k++)
			put_member(&archive, cases[i].members[k], HEAD, HEAD_SIZE);
		if (list(&archive, &told, &is_archive, &error) != LOCUS_OK || is_archive != cases[i].is_archive ||
		    told.count != (cases[i].is_archive ? 2 : 0))
			fail_msg("%s: %u members: %s", cases[i].name, told.count, error.text);
	}
}

static void failures(void **state)
{
	(void)state;
	struct told told = {.size = 0};
	struct locus_error error = {{0}, 0};
	bool is_archive = true;
	assert_int_equal(locus_archive_members(archive_path, tell, &told, &is_archive, &error), LOCUS_ERR_IO);
	assert_false(is_archive);

	/* A damaged archive is refused whole. */
	struct bytes archive = archive_of("!<arch>\n");
	put_member(&archive, "whole", HEAD, HEAD_SIZE);
	put_header(&archive, "cut", HEAD_SIZE);
	assert_int_equal(list(&archive, &told, &is_archive, &error), LOCUS_ERR_BAD_ELF);
	assert_non_null(strstr(error.text, "damaged or truncated"));
	assert_int_equal(told.count, 0);
}

/* ---- Archives of too much work ---- */

/* Each member is a process: there may be 1000, and one for each 1024 bytes. Those with a problem cost none. */
static void as_many_members_as_the_archive_has_bytes_for(void **state)
{
	enum { EACH = HEADER_SIZE + HEAD_SIZE }; /* 1080 of them have 82,088 bytes, for 80 members; so have 1081 */
	static const struct {
		unsigned heads, texts;
		enum locus_status status;
	} cases[] = {{1080, 0, LOCUS_OK}, {1080, 10, LOCUS_OK}, {1081, 0, LOCUS_ERR_BAD_ELF}};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bytes archive = archive_of("!<arch>\n");
		struct told told;
		struct locus_error error;
		bool is_archive;
		for (unsigned k = 0; k < cases[i].heads; k++)
			put_member(&archive, "a", HEAD, HEAD_SIZE);
		for (unsigned k = 0; k < cases[i].texts; k++)
			put_member(&archive, "text", "hello", 5);
		enum locus_status status = list(&archive, &told, &is_archive, &error);
		if (status != cases[i].status)
			fail_msg("%u members and %u texts: %s", cases[i].heads, cases[i].texts, error.text);
		assert_int_equal(told.candidates, status == LOCUS_OK ? cases[i].heads : 0);
		if (status != LOCUS_OK)
			assert_string_equal(error.text, "it has 1081 members, too many for its size: unpack it to "
							"convert them one by one");
	}
}

/* A sparse file that begins as ELF files do. */
static void write_head(const char *name, size_t size)
{
	struct bytes head = {(uint8_t *)HEAD, HEAD_SIZE, 0, false};
	write_file(beside(name), &head);
	assert_int_equal(truncate(beside(name), (off_t)size), 0);
}

/* The files may be named four times, and 16 MiB more; of a file with two names the bytes are there once. */
static void a_thin_archive_names_files_again(void **state)
{
	enum { MIB = 1 << 20 };
	static const struct {
		const char *name;
		const char *files[3]; /* in turn; "again" is another name of "first" */
		unsigned count;
		enum locus_status status;
	} cases[] = {
		{"one file, as often as may be", {"first", "first", "first"}, 8, LOCUS_OK},
		{"one file, once too often", {"first", "first", "first"}, 9, LOCUS_ERR_BAD_ELF},
		{"one file by two names, as often as may be", {"first", "again", "first"}, 8, LOCUS_OK},
		{"one file by two names, once too often", {"first", "again", "first"}, 9, LOCUS_ERR_BAD_ELF},
		{"two files, as often as may be", {"first", "second", "again"}, 12, LOCUS_OK},
		{"two files, once too often", {"first", "second", "again"}, 13, LOCUS_ERR_BAD_ELF},
	};
	(void)state;
	write_head("first", 4 * MIB);
	write_head("second", 4 * MIB);
	char *first = strdup(beside("first"));
	assert_int_equal(link(first, beside("again")), 0);
	free(first);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bytes archive = archive_of("!<thin>\n");
		struct told told;
		struct locus_error error;
		bool is_archive;
		for (unsigned k = 0; k < cases[i].count; k++)
			put_header(&archive, cases[i].files[k % 3], 4 * MIB);
		enum locus_status status = list(&archive, &told, &is_archive, &error);
		if (status != cases[i].status)
			fail_msg("%s: status %d: %s", cases[i].name, status, error.text);
		if (status != LOCUS_OK && strcmp(cases[i].files[1], "second") != 0)
			assert_string_equal(error.text, "the thin archive names the same files again and again: "
							"37748736 bytes, of which 4194304 differ");
	}
	unlink(beside("first"));
	unlink(beside("second"));
	unlink(beside("again"));
}

/* The bytes of the files that a thin archive names count as its own. */
static void a_thin_archive_has_the_bytes_of_its_files(void **state)
{
	enum { HEADERS = 1100 };
	/* The headers and the small file have 66,024 bytes, for 64 members; so many more are enough for 36 more. */
	static const struct {
		size_t large;
		enum locus_status status;
	} cases[] = {{36375, LOCUS_ERR_BAD_ELF}, {36376, LOCUS_OK}};
	(void)state;
	write_head("small", HEAD_SIZE);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bytes archive = archive_of("!<thin>\n");
		struct told told;
		struct locus_error error;
		bool is_archive;
		write_head("large", cases[i].large);
		for (unsigned k = 0; k < HEADERS; k++)
			put_header(&archive, k ? "small" : "large", HEAD_SIZE);
		if (list(&archive, &told, &is_archive, &error) != cases[i].status)
			fail_msg("%zu bytes: %s", cases[i].large, error.text);
	}
	unlink(beside("small"));
	unlink(beside("large"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_of_one_name_are_numbered_in_their_order),
		cmocka_unit_test(what_cannot_be_converted_says_so),
		cmocka_unit_test(members_of_a_thin_archive_are_looked_at_where_they_are),
		cmocka_unit_test(packages_and_other_files_are_no_archives),
		cmocka_unit_test(failures),
		cmocka_unit_test(as_many_members_as_the_archive_has_bytes_for),
		cmocka_unit_test(a_thin_archive_names_files_again),
		cmocka_unit_test(a_thin_archive_has_the_bytes_of_its_files),
	};
	return cmocka_run_group_tests_name("archive_members", tests, setup, teardown);
}
