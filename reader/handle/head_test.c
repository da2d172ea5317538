/* What is no .locus file is told apart from one that ends early, byte by byte, and from what else it may be. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reader/locus.h"
#include "reader/sample_bytes_test.h"
#include "spec/format.h"

static void what_a_file_is_instead_is_said(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		enum locus_status status;
		const char *text;
	} cases[] = {
		{"", 0, LOCUS_ERR_NOT_LOCUS, "not a .locus file: it is empty"},
		{"x", 1, LOCUS_ERR_NOT_LOCUS, "not a .locus file"},
		{"\177EL", 3, LOCUS_ERR_NOT_LOCUS, "not a .locus file"},
		{"\177ELF", 4, LOCUS_ERR_NOT_LOCUS,
		 "not a .locus file but an ELF file, which carries none: convert it first"},
		{"\177ELF\2\1\1\0\0\0\0\0", 12, LOCUS_ERR_NOT_LOCUS,
		 "not a .locus file but an ELF file, which carries none: convert it first"},
		{"\177ELG\2\1\1\0\0\0\0\0", 12, LOCUS_ERR_NOT_LOCUS, "not a .locus file"},
		{LOCUS_MAGIC, LOCUS_MAGIC_SIZE - 1, LOCUS_ERR_NOT_LOCUS, "not a .locus file"},
		{LOCUS_MAGIC, LOCUS_MAGIC_SIZE, LOCUS_ERR_TRUNCATED, "the file ends in its header"},
		{LOCUS_MAGIC "\1\0\0", LOCUS_MAGIC_SIZE + 3, LOCUS_ERR_TRUNCATED, "the file ends in its header"},
		{LOCUS_MAGIC "\1\0\0\0", LOCUS_MAGIC_SIZE + 4, LOCUS_ERR_VERSION,
		 "format version 1 is no longer read: convert the program again"},
		{LOCUS_MAGIC "\2\0\0\0", LOCUS_MAGIC_SIZE + 4, LOCUS_ERR_TRUNCATED, "the file ends in its header"},
		{LOCUS_MAGIC "\3\0\0\0", LOCUS_MAGIC_SIZE + 4, LOCUS_ERR_VERSION,
		 "format version 3 is newer than this reader's 2: it needs a newer locus"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct locus *locus;
		struct locus_error error = {.text = ""};
		enum locus_status status = locus_open_memory(cases[i].bytes, cases[i].size, NULL, &locus, &error);
		if (status != cases[i].status || strcmp(error.text, cases[i].text) != 0)
			fail_msg("case %zu: status %d, %s", i, status, error.text);
	}
}

/* Whose head and size say so, and whose checksums are right. */
static void a_byte_between_the_indexes_and_the_blocks(void **state)
{
	struct bytes bytes = make_file(0, 50, 100);
	struct locus *locus;
	struct locus_error error;
	uint8_t *head_size = bytes.data + LOCUS_HEADER_HEAD_SIZE;
	(void)state;
	assert_int_equal(locus_open_memory(bytes.data, bytes.size, NULL, &locus, &error), LOCUS_OK);
	locus_close(locus);
	uint64_t head = get(head_size, 8);
	memmove(bytes.data + head + 1, bytes.data + head, bytes.size++ - head);
	put_u64(head_size, head + 1);
	put_u64(bytes.data + LOCUS_HEADER_FILE_SIZE, bytes.size);
	put_u64(bytes.data + LOCUS_HEADER_CHECKSUM, XXH3_64bits(bytes.data, LOCUS_HEADER_CHECKSUM));
	assert_int_equal(locus_open_memory(bytes.data, bytes.size, NULL, &locus, &error), LOCUS_ERR_CORRUPT);
	assert_string_equal(error.text, "the sections do not fill the file");
	free(bytes.data);
}

/* Opening refuses it, before a lookup could answer from the other sections. */
static void meta_of_two_entries(void **state)
{
	struct bytes bytes = make_file(0, 50, 100);
	struct locus *locus;
	struct locus_error error;
	uint8_t *entry = bytes.data + LOCUS_HEADER_SIZE;
	uint8_t *index = entry + get(bytes.data + LOCUS_HEADER_SECTION_COUNT, 4) * LOCUS_ENTRY_SIZE;
	size_t index_size = get(entry + LOCUS_ENTRY_INDEX_SIZE, 8);
	(void)state;
	assert_int_equal(get(entry + LOCUS_ENTRY_ID, 2), LOCUS_SECTION_META);
	assert_int_equal(index[1], 1);
	index[1] = 2;
	put_u64(entry + LOCUS_ENTRY_COUNT, 2);
	put_u64(entry + LOCUS_ENTRY_CHECKSUM, XXH3_64bits(index, index_size));
	put_u64(bytes.data + LOCUS_HEADER_DIRECTORY, XXH3_64bits(entry, (size_t)(index - entry)));
	put_u64(bytes.data + LOCUS_HEADER_CHECKSUM, XXH3_64bits(bytes.data, LOCUS_HEADER_CHECKSUM));
	assert_int_equal(locus_open_memory(bytes.data, bytes.size, NULL, &locus, &error), LOCUS_ERR_CORRUPT);
	assert_string_equal(error.text, "the meta data are not one block");
	free(bytes.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_a_file_is_instead_is_said),
					   cmocka_unit_test(a_byte_between_the_indexes_and_the_blocks),
					   cmocka_unit_test(meta_of_two_entries)};
	return cmocka_run_group_tests_name("head", tests, NULL, NULL);
}
