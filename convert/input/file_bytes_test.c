/* Which bytes a path names: a file's own, unpacked ones, or those of an archive's member; and what is refused. */
#include "convert/input/file_bytes.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/toolkit_test.h"

static char folder[] = "/tmp/locus-test-XXXXXX";

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[64];
	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

static void write_at(const char *path, off_t at, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, data, size, at), size);
	close(fd);
}

static void write_text(const char *path, const char *text)
{
	write_at(path, 0, text, strlen(text));
}

/* The content must be `text`, and so must the image on disk be unless it is packed. */
static void expect(const char *path, uint64_t header, const char *text)
{
	struct file_bytes bytes = {0};
	struct locus_error error = {.text = ""};
	if (file_bytes_open(path, header, &bytes, &error) != LOCUS_OK)
		fail_msg("%s: %s", path, error.text);
	assert_int_equal(bytes.size, strlen(text));
	assert_memory_equal(bytes.data, text, bytes.size);
	assert_int_equal(bytes.image_size, bytes.size);
	assert_memory_equal(bytes.image, text, bytes.size);
	assert_int_equal(bytes.stored_size, bytes.size);
	assert_int_equal(bytes.stat.st_size, bytes.map_size);
	assert_true((const uint8_t *)bytes.map <= bytes.image);
	assert_true(bytes.image + bytes.image_size <= (const uint8_t *)bytes.map + bytes.map_size);
	file_bytes_done(&bytes);
	assert_null(bytes.data);
}

static void refused(const char *path, enum locus_status expected, const char *message)
{
	struct file_bytes bytes = {.size = 1};
	struct locus_error error = {.text = ""};
	enum locus_status status = file_bytes_open(path, 0, &bytes, &error);
	if (status != expected || !strstr(error.text, message))
		fail_msg("%s: %d %s", path, status, error.text);
	assert_int_equal(bytes.size, 1); /* untouched */
}

static void a_file(void **state)
{
	struct file_bytes bytes;
	(void)state;
	write_text("a", "abc");
	expect("a", 0, "abc");
	assert_int_equal(file_bytes_open("a", 0, &bytes, NULL), LOCUS_OK);
	assert_true(bytes.is_mapped);
	assert_string_equal(bytes.path, "a");
	assert_ptr_equal(bytes.map, bytes.image);
	file_bytes_done(&bytes);
}

static void what_is_no_file(void **state)
{
	(void)state;
	write_text("empty", "");
	write_text("a", "abc");
	mkdir("d", 0700);
	mkfifo("pipe", 0600);
	refused("empty", LOCUS_ERR_NOT_ELF, "not an ELF file: it is empty");
	refused("d", LOCUS_ERR_IO, "cannot read: Is a directory");
	refused("pipe", LOCUS_ERR_IO, "cannot read: not a regular file");
	refused("none", LOCUS_ERR_IO, "No such file or directory");
	refused("(a)", LOCUS_ERR_IO, "No such file or directory");
	refused("none(a", LOCUS_ERR_IO, "No such file or directory");
	refused("none(a) ", LOCUS_ERR_IO, "No such file or directory");
	refused("none(a)", LOCUS_ERR_IO, "No such file or directory");
	refused("a(b)", LOCUS_ERR_IO, "there is no such file, and a is no archive");
}

/* A path is that of a file before it is that of a member. */
static void a_file_named_as_a_member(void **state)
{
	(void)state;
	write_text("other.a(b)", "file");
	expect("other.a(b)", 0, "file");
}

/* Holes do not count where they are most of the file: a file of holes is given little memory. */
static void holes(void **state)
{
	enum { BLOCK = 4096, ROUND = 512 };
	static const unsigned sizes[] = {8, 15, 17, 256}; /* times what is stored */
	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct file_bytes bytes;
		unlink("holes");
		write_at("holes", (off_t)(sizes[i] - 1) * BLOCK, (const uint8_t[BLOCK]){1}, BLOCK);
		assert_int_equal(file_bytes_open("holes", 0, &bytes, NULL), LOCUS_OK);
		uint64_t stored = (uint64_t)bytes.stat.st_blocks * ROUND;
		bool has_holes = stored && stored * 16 < bytes.size;
		assert_true(!has_holes || sizes[i] > 16);
		assert_int_equal(bytes.stored_size, has_holes ? stored : bytes.size);
		assert_int_equal(file_bytes_counted(&bytes), bytes.stored_size);
		file_bytes_done(&bytes);
	}
}

/* A file is mapped, which a limit of virtual memory counts, and the system's error alone does not tell. */
static void a_limit_of_virtual_memory_is_named(void **state)
{
	const off_t size = SIZE_MAX > UINT32_MAX ? (off_t)1 << 33 : (off_t)1 << 30;
	struct rlimit before, low;
	(void)state;
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	low = (struct rlimit){.rlim_cur = (rlim_t)size, .rlim_max = before.rlim_max};
	write_text("large", "");
	if (truncate("large", size) != 0 || setrlimit(RLIMIT_AS, &low) != 0)
		skip();
	refused("large", LOCUS_ERR_IO, "is ulimit -v");
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
}

/* On a machine of 32 bits, its size would else be taken for what is left of it in 32 bits. */
static void a_file_beyond_all_addresses(void **state)
{
	(void)state;
	write_text("large", "");
	if (SIZE_MAX > UINT32_MAX || truncate("large", (off_t)1 << 33) != 0)
		skip();
	refused("large", LOCUS_ERR_IO, "larger than all that a machine of 32 bits can address");
}

static void packed(void **state)
{
	static const char text[] = "what is packed, packed, packed, packed and packed again";
	char content[256];
	struct file_bytes bytes;
	struct locus_error error;
	(void)state;
	size_t size = ZSTD_compress(content, sizeof(content), text, sizeof(text), 1);
	write_at("packed", 0, content, size);
	assert_int_equal(file_bytes_open("packed", 0, &bytes, &error), LOCUS_OK);
	assert_int_equal(bytes.size, sizeof(text));
	assert_memory_equal(bytes.data, text, sizeof(text));
	assert_int_equal(bytes.stored_size, sizeof(text));
	assert_int_equal(bytes.image_size, size);
	assert_memory_equal(bytes.image, content, size);
	assert_false(bytes.is_mapped);

	/* It keeps the mapping of what lies on disk: its memory shows something else. */
	assert_int_equal(file_bytes_share(&bytes, NULL), LOCUS_OK);
	assert_memory_equal(bytes.image, content, size);
	file_bytes_done(&bytes);
	assert_int_equal(truncate("packed", (off_t)size - 1), 0);
	refused("packed", LOCUS_ERR_BAD_ELF, "it is compressed, and damaged or truncated");
}

/* 64 times as many bytes and 16 MiB more are honest; beyond that a file was made to take memory. */
static void packed_to_a_bomb(void **state)
{
	enum { SPARE = 16 << 20, MORE = 300000, PER_BYTE = 64 };
	size_t room = ZSTD_compressBound(SPARE + MORE);
	uint8_t *zeros = calloc(1, SPARE + MORE), *content = malloc(room);
	(void)state;
	assert_true(zeros && content);
	size_t size = ZSTD_compress(content, room, zeros, SPARE, 1);
	assert_true(size * PER_BYTE < MORE);
	for (int over = 0; over < 2; over++) {
		size_t most = SPARE, made = 0;
		/* How much the packed bytes may become depends on their number, which depends on it. */
		for (int i = 0; i < 8; i++) {
			made = ZSTD_compress(content, room, zeros, most + (size_t)over, 1);
			most = SPARE + made * PER_BYTE;
		}
		made = ZSTD_compress(content, room, zeros, most + (size_t)over, 1);
		assert_int_equal(most, SPARE + made * PER_BYTE);
		unlink("bomb");
		write_at("bomb", 0, content, made);
		struct file_bytes bytes;
		if (over) {
			refused("bomb", LOCUS_ERR_BAD_ELF, "unpack to more than");
			continue;
		}
		assert_int_equal(file_bytes_open("bomb", 0, &bytes, NULL), LOCUS_OK);
		assert_int_equal(bytes.size, most);
		assert_int_equal(file_bytes_counted(&bytes), 4 * made);
		file_bytes_done(&bytes);
	}
	free(zeros);
	free(content);
}

#define HEADER_END(size)            "0           0     0     644     " size "       `\n"
#define HEADER(name, size)          name "              " HEADER_END(size)
#define NUMBERED_HEADER(name, size) name "            " HEADER_END(size)

static void members(void **state)
{
	static const char archive[] = "!<arch>\n" HEADER("a/", "1  ") "x\n" HEADER("b/", "3  ") "one\n" HEADER(
		"a/", "3  ") "two\n" HEADER("e/", "0  ") HEADER("3#", "2  ") "no";
	enum { FIRST = 8, SECOND = FIRST + 62, THIRD = SECOND + 64 };
	struct file_bytes bytes;
	(void)state;
	write_text("lib.a", archive);
	expect("lib.a(a)", 0, "x");
	expect("lib.a(a#1)", 0, "x");
	expect("lib.a(a#2)", 0, "two");
	expect("lib.a(b)", 0, "one");
	expect("lib.a(3#)", 0, "no");
	/* Where the header is thought to be is believed only where a member of that name is. */
	expect("lib.a(a)", THIRD, "two");
	expect("lib.a(a)", FIRST, "x");
	expect("lib.a(a)", SECOND, "x");
	expect("lib.a(b)", FIRST, "one");
	expect("lib.a(b)", sizeof(archive) - 1, "one");
	expect("lib.a(b)", UINT64_MAX, "one");
	refused("lib.a(a#3)", LOCUS_ERR_IO, "lib.a has no such member");
	refused("lib.a(a#0)", LOCUS_ERR_IO, "lib.a has no such member");
	refused("lib.a(a#1x)", LOCUS_ERR_IO, "lib.a has no such member");
	refused("lib.a(e)", LOCUS_ERR_NOT_ELF, "it is empty");

	assert_int_equal(file_bytes_open("lib.a(b)", 0, &bytes, NULL), LOCUS_OK);
	assert_string_equal(bytes.path, "lib.a");
	assert_false(bytes.is_mapped);
	assert_int_equal(bytes.image - (const uint8_t *)bytes.map, SECOND + 60);
	file_bytes_done(&bytes);
}

/* The archive's name ends where an archive is: brackets in the names of members, folders and archives do not matter. */
static void names_with_brackets(void **state)
{
	(void)state;
	mkdir("of (1)", 0700);
	write_text("of (1)/lib(2).a", "!<arch>\n" HEADER("m/", "1  ") "m\n" HEADER("()", "2  ") "ab" HEADER(
					      "((", "3  ") "one\n" HEADER("()", "2  ") "cd");
	expect("of (1)/lib(2).a(m)", 0, "m");
	expect("of (1)/lib(2).a(())", 0, "ab");
	expect("of (1)/lib(2).a(()#2)", 0, "cd");
	expect("of (1)/lib(2).a((()", 0, "one");
	refused("of (1)/lib(2).a(()", LOCUS_ERR_IO, "of (1)/lib(2).a has no such member");
	refused("of (1)/lib(3).a(())", LOCUS_ERR_IO, "No such file or directory");
	unlink("of (1)/lib(2).a");
	rmdir("of (1)");
}

/* A member may be called as the second one of a name is in a path. */
static void names_with_numbers(void **state)
{
	enum { FIRST = 8, SECOND = FIRST + 62, THIRD = SECOND + 64 };
	(void)state;
	write_text(
		"lib.a",
		"!<arch>\n" HEADER("a/", "1  ") "x\n" NUMBERED_HEADER("a#2/", "3  ") "one\n" HEADER(
			"a/", "3  ") "two\n" NUMBERED_HEADER("b#2/", "1  ") "y\n" NUMBERED_HEADER("b#2/", "1  ") "z\n");
	expect("lib.a(a#2)", 0, "one");
	expect("lib.a(a#2)", SECOND, "one");
	expect("lib.a(a#2)", THIRD, "two");
	expect("lib.a(a#2#1)", 0, "one");
	expect("lib.a(b#2)", 0, "y");
	expect("lib.a(b#2#2)", 0, "z");
	refused("lib.a(b#1)", LOCUS_ERR_IO, "lib.a has no such member");
	refused("lib.a(a#3)", LOCUS_ERR_IO, "lib.a has no such member");
	mkdir("thin", 0700);
	write_text("thin/lib.a", "!<thin>\n" HEADER("m/", "5  ") NUMBERED_HEADER("m#2/", "5  "));
	write_text("thin/m#2", "inside");
	expect("thin/lib.a(m#2)", 0, "inside");
}

static void members_of_a_thin_archive(void **state)
{
	struct file_bytes bytes;
	(void)state;
	mkdir("thin", 0700);
	write_text("thin/lib.a", "!<thin>\n" HEADER("m/", "5  ") HEADER("n/", "5  "));
	write_text("thin/m", "inside");
	expect("thin/lib.a(m)", 0, "inside");
	assert_int_equal(file_bytes_open("thin/lib.a(m)", 0, &bytes, NULL), LOCUS_OK);
	assert_string_equal(bytes.path, "thin/m");
	file_bytes_done(&bytes);
	refused("thin/lib.a(n)", LOCUS_ERR_IO, "n, which the thin archive names: No such file or directory");
}

static size_t count_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	size_t count = 0;
	assert_non_null(maps);
	for (int c; (c = getc(maps)) != EOF;)
		count += c == '\n';
	fclose(maps);
	return count;
}

/* A system limits the mappings of a process: behind half of what Linux allows, small files take no more of them. */
static void tens_of_thousands_of_files(void **state)
{
	enum { MAPPED = 1 << 15, COPIED = 1000, COUNT = MAPPED + COPIED };
	struct file_bytes *all = calloc(COUNT, sizeof(*all));
	size_t before = 0;
	(void)state;
	assert_non_null(all);
	write_text("small", "content");
	for (size_t i = 0; i < COUNT; i++) {
		if (i == MAPPED)
			before = count_mappings();
		assert_int_equal(file_bytes_open("small", 0, &all[i], NULL), LOCUS_OK);
		const uint8_t *data = all[i].data;
		assert_int_equal(file_bytes_share(&all[i], NULL), LOCUS_OK);
		assert_ptr_equal(all[i].data, data);
		assert_ptr_equal(all[i].image, data);
		assert_int_equal(all[i].is_mapped, i < MAPPED);
		assert_memory_equal(data, "content", 7);
	}
	assert_true(count_mappings() < before + COPIED / 4);

	/* Those that are closed count no more. */
	for (size_t i = 0; i < COUNT; i++)
		file_bytes_done(&all[i]);
	assert_int_equal(file_bytes_open("small", 0, &all[0], NULL), LOCUS_OK);
	assert_int_equal(file_bytes_share(&all[0], NULL), LOCUS_OK);
	assert_true(all[0].is_mapped);
	file_bytes_done(&all[0]);
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file),
		cmocka_unit_test(what_is_no_file),
		cmocka_unit_test(a_file_named_as_a_member),
		cmocka_unit_test(holes),
		cmocka_unit_test(a_limit_of_virtual_memory_is_named),
		cmocka_unit_test(a_file_beyond_all_addresses),
		cmocka_unit_test(packed),
		cmocka_unit_test(packed_to_a_bomb),
		cmocka_unit_test(members),
		cmocka_unit_test(names_with_brackets),
		cmocka_unit_test(names_with_numbers),
		cmocka_unit_test(members_of_a_thin_archive),
		cmocka_unit_test(tens_of_thousands_of_files),
	};
	return cmocka_run_group_tests_name("file_bytes", tests, set_up, tear_down);
}
