/* The worked example of FORMAT.md: its listing is read, answers as the text says, and is what the writer writes. */
#define _POSIX_C_SOURCE 200809L

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "reader/locus.h"
#include "reader/mend_test.h"
#include "writer/locus_writer.h"

#define NAME(text)                     \
	{                              \
		text, sizeof(text) - 1 \
	}

enum { EXAMPLE_MAX = 4096 };

static uint8_t example[EXAMPLE_MAX];
static size_t example_size;

/* The bytes of a listing's line: pairs of hexadecimal digits up to a semicolon. */
static void read_line(const char *line)
{
	for (; *line && *line != ';'; line++) {
		unsigned byte;
		if (!isxdigit((unsigned char)*line))
			continue;
		assert_int_equal(sscanf(line, "%2x", &byte), 1);
		assert_true(example_size < EXAMPLE_MAX);
		example[example_size++] = (uint8_t)byte;
		line++;
	}
}

static int setup(void **state)
{
	char line[512];
	bool inside = false;
	FILE *file = fopen("spec/FORMAT.md", "r");
	(void)state;
	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "```listing", 10))
			inside = true;
		else if (!strncmp(line, "```", 3))
			inside = false;
		else if (inside)
			read_line(line);
	}
	fclose(file);
	return example_size ? 0 : -1;
}

static void check_frame(const struct locus_frame *frame, const char *function, const char *file, uint32_t line)
{
	assert_int_equal(frame->function.size, strlen(function));
	assert_memory_equal(frame->function.data, function, strlen(function));
	assert_int_equal(frame->directory.size, 4);
	assert_memory_equal(frame->directory.data, "/src", 4);
	assert_int_equal(frame->file.size, strlen(file));
	assert_memory_equal(frame->file.data, file, strlen(file));
	assert_int_equal(frame->line, line);
}

static void test_answers(void **state)
{
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_result result;
	struct locus_error error = {.text = ""};
	(void)state;
	assert_int_equal(locus_open_memory(example, example_size, NULL, &locus, &error), LOCUS_OK);
	if (locus_verify(locus, LOCUS_VERIFY_FULL, &error) != LOCUS_OK)
		fail_msg("%s", error.text);
	assert_int_equal(locus_scratch_new(locus, &scratch, NULL), LOCUS_OK);
	assert_int_equal(locus_lookup(locus, scratch, 0x1005, &result, NULL), LOCUS_OK);
	assert_int_equal(result.interval.answer, LOCUS_ANSWER_OK);
	assert_int_equal(result.interval.locid, 1);
	assert_int_equal(result.frame_count, 2);
	check_frame(&result.frames[0], "twice", "a.h", 4);
	check_frame(&result.frames[1], "main", "a.c", 12);
	assert_int_equal(result.frames[1].offset, 5);
	assert_int_equal(locus_lookup(locus, scratch, 0x100F, &result, NULL), LOCUS_OK);
	assert_int_equal(result.frame_count, 1);
	check_frame(&result.frames[0], "main", "a.c", 13);
	assert_int_equal(locus_lookup(locus, scratch, 0x1010, &result, NULL), LOCUS_OK);
	assert_int_equal(result.interval.answer, LOCUS_ANSWER_NONE);
	locus_scratch_free(scratch);
	locus_close(locus);
}

/* ---- The writer's side ---- */

static void write_example(const char *path)
{
	static const uint64_t starts[] = {0x1000, 0x1004, 0x100A, 0x1010};
	static const uint32_t contexts[] = {0, 1, 0, LOCUS_NO_CONTEXT}, files[] = {1, 2, 1, 0},
			      lines[] = {11, 4, 13, 0};
	static const struct locus_block_context context[] = {
		{.caller = LOCUS_NO_CONTEXT, .function = 1, .decl_file = 1, .decl_line = 10, .start = 0x1000},
		{.caller = 0, .function = 2, .call_file = 1, .call_line = 12, .decl_file = 2, .decl_line = 3},
	};
	static const struct locus_block block = {4, starts, contexts, files, lines, 2, context, NULL};
	static const struct locus_function functions[] = {
		{.name = NAME("main"), .linkage = NAME("main"), .decl_file = 1, .decl_line = 10, .language = 12},
		{.name = NAME("twice"), .decl_file = 2, .decl_line = 3, .language = 12},
	};
	static const struct locus_file file_table[] = {{NAME("/src"), NAME("a.c")}, {NAME("/src"), NAME("a.h")}};
	struct locus_tables tables = {functions, 2, file_table, 2, NULL, 0, {.elf_machine = 62, .elf_type = 2}};
	struct locus_writer_options options = {.level = 0, .block_size = 8192};
	struct locus_writer *writer;
	struct locus_encoder *encoder;
	struct locus_encoded encoded;
	tables.meta.elf_class = 2;
	tables.meta.elf_data = 1;
	assert_int_equal(locus_writer_new(path, &options, &writer, NULL), LOCUS_OK);
	assert_int_equal(locus_encoder_new(&options, &encoder, NULL), LOCUS_OK);
	assert_int_equal(locus_encoder_block(encoder, &block, &encoded, NULL), LOCUS_OK);
	assert_int_equal(locus_writer_append(writer, &encoded, NULL), LOCUS_OK);
	assert_int_equal(locus_writer_tables(writer, &tables, 1, NULL), LOCUS_OK);
	assert_int_equal(locus_writer_finish(writer, NULL, NULL), LOCUS_OK);
	locus_encoder_free(encoder);
	locus_writer_free(writer);
}

static void test_is_what_the_writer_writes(void **state)
{
	char directory[] = "/tmp/locus-test-XXXXXX", path[64];
	uint8_t written[EXAMPLE_MAX];
	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/a.locus", directory);
	write_example(path);
	FILE *file = fopen(path, "rb");
	size_t size = fread(written, 1, sizeof(written), file);
	fclose(file);
	remove(path);
	rmdir(directory);
	assert_int_equal(size, example_size);
	assert_memory_equal(written, example, size);
}

/* ---- The example, changed: refused, each with its status ---- */

/* Finds `pattern` in the example, puts `byte` at `at` behind its start, and makes the checksums good again. */
static const struct {
	const char *name;
	const char *pattern;
	size_t pattern_size;
	size_t at;
	uint8_t byte;
	enum locus_status status;
} changes[] = {
	{"first byte", "\x8CLCS", 4, 0, 'L', LOCUS_ERR_NOT_LOCUS},
	{"older version", "\x8CLCS", 4, 8, 1, LOCUS_ERR_VERSION},
	{"newer version", "\x8CLCS", 4, 8, 3, LOCUS_ERR_VERSION},
	{"size of the head", "\x8CLCS", 4, 40, 1, LOCUS_ERR_CORRUPT},
	{"no sections", "\x8CLCS", 4, 12, 0, LOCUS_ERR_CORRUPT},
	{"larger than it is", "\x8CLCS", 4, 17, 0x40, LOCUS_ERR_TRUNCATED},
	{"digest", "\x8CLCS", 4, 24, 0, LOCUS_ERR_CHECKSUM},
	{"section out of order", "\x03\x00\x07\x00", 4, 0, 1, LOCUS_ERR_CORRUPT},
	{"section that must be there", "\x05\x00\x06\x00", 4, 0, 9, LOCUS_ERR_CORRUPT},
	{"flags of a section", "\x03\x00\x07\x00", 4, 2, 0x0F, LOCUS_ERR_CORRUPT},
	{"no starts", "\x03\x05\x05", 3, 2, 0x85, LOCUS_ERR_CORRUPT},
	{"op that is not defined", "\x23\x29\x03\x01", 4, 0, 0x76, LOCUS_ERR_CORRUPT},
	{"op without a context", "\x23\x29\x03\x01", 4, 0, 0x00, LOCUS_ERR_CORRUPT},
	{"gap that has a file", "\x23\x29\x03\x01", 4, 3, 0x81, LOCUS_ERR_CORRUPT},
	{"table without an end", "\x23\x29\x03\x01", 4, 3, 0x00, LOCUS_ERR_CORRUPT},
	{"recent context that is not there", "\x23\x29\x03\x01", 4, 2, 0x05, LOCUS_ERR_CORRUPT},
	{"function flags", "\x05\x01\x00\x00main", 8, 1, 0x11, LOCUS_ERR_CORRUPT},
	{"name that shares with none", "\x05\x01\x00\x00main", 8, 2, 1, LOCUS_ERR_CORRUPT},
	{"name without an end", "twice\0", 6, 5, 'x', LOCUS_ERR_CORRUPT},
	{"name that is empty", "twice\0", 6, 0, 0, LOCUS_ERR_CORRUPT},
};

static size_t find(const char *pattern, size_t size)
{
	for (size_t i = 0; i + size <= example_size; i++)
		if (!memcmp(example + i, pattern, size))
			return i;
	fail_msg("the example holds no such bytes");
	return 0;
}

static void test_changes_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		uint8_t data[EXAMPLE_MAX];
		struct bytes good = {example, example_size};
		struct locus *locus;
		struct locus_error error;
		memcpy(data, example, example_size);
		data[find(changes[i].pattern, changes[i].pattern_size) + changes[i].at] = changes[i].byte;
		mend(&good, data);
		enum locus_status status = locus_open_memory(data, example_size, NULL, &locus, &error);
		if (status == LOCUS_OK) {
			status = locus_verify(locus, LOCUS_VERIFY_FULL, &error);
			locus_close(locus);
		}
		if (status != changes[i].status)
			fail_msg("%s: %s", changes[i].name, locus_status_text(status));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_is_what_the_writer_writes),
		cmocka_unit_test(test_changes_are_refused),
	};
	return cmocka_run_group_tests(tests, setup, NULL);
}
