/*
 * Files of a newer writer: a section and a field of meta that this reader does not know, made up here. FORMAT.md 10
 * promises that readers skip them, so every answer must be what it is without them.
 */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reader/locus.h"
#include "reader/same_result_test.h"
#include "reader/sample_bytes_test.h"

enum { FUTURE_SECTION = 0x4321, FUTURE_FIELD = 0xC8, ROOM = 1 << 20 };

/* A file taken apart: its sections, which can then be others, and the file that they make. */
struct section {
	uint16_t id, flags;
	uint32_t block_count;
	uint64_t entry_count;
	struct bytes index, blocks; /* owned */
};

struct parts {
	struct section sections[LOCUS_SECTIONS_MAX + 1];
	unsigned count;
};

static void append(struct bytes *to, const void *data, size_t size)
{
	assert_true(to->size + size <= ROOM);
	to->data = to->data ? to->data : malloc(ROOM);
	memcpy(to->data + to->size, data, size);
	to->size += size;
}

static void append_number(struct bytes *to, uint64_t value, unsigned size)
{
	uint8_t bytes[8];
	for (unsigned i = 0; i < size; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	append(to, bytes, size);
}

static void append_varint(struct bytes *to, uint64_t value)
{
	for (; value > 0x7F; value >>= 7)
		append_number(to, (value & 0x7F) | 0x80, 1);
	append_number(to, value, 1);
}

static struct parts take_apart(const struct bytes *file)
{
	struct parts parts = {.count = (unsigned)get(file->data + LOCUS_HEADER_SECTION_COUNT, 4)};
	const uint8_t *index = file->data + LOCUS_HEADER_SIZE + parts.count * LOCUS_ENTRY_SIZE;
	const uint8_t *blocks = file->data + get(file->data + LOCUS_HEADER_HEAD_SIZE, 8);
	for (unsigned i = 0; i < parts.count; i++) {
		const uint8_t *entry = file->data + LOCUS_HEADER_SIZE + i * LOCUS_ENTRY_SIZE;
		struct section *section = &parts.sections[i];
		section->id = (uint16_t)get(entry + LOCUS_ENTRY_ID, 2);
		section->flags = (uint16_t)get(entry + LOCUS_ENTRY_FLAGS, 2);
		section->block_count = (uint32_t)get(entry + LOCUS_ENTRY_BLOCK_COUNT, 4);
		section->entry_count = get(entry + LOCUS_ENTRY_COUNT, 8);
		append(&section->index, index, get(entry + LOCUS_ENTRY_INDEX_SIZE, 8));
		append(&section->blocks, blocks, get(entry + LOCUS_ENTRY_DATA_SIZE, 8));
		index += section->index.size;
		blocks += section->blocks.size;
	}
	return parts;
}

static void parts_free(struct parts *parts)
{
	for (unsigned i = 0; i < parts->count; i++) {
		free(parts->sections[i].index.data);
		free(parts->sections[i].blocks.data);
	}
}

/* One more block of a section: its columns, stored. */
static void add_block(struct section *section, uint64_t entries, const struct bytes *columns, unsigned count)
{
	struct bytes block = {0};
	append_number(&block, count, 1);
	for (unsigned i = 0; i < count; i++)
		append_varint(&block, 2 * columns[i].size);
	for (unsigned i = 0; i < count; i++)
		append(&block, columns[i].data, columns[i].size);

	append_varint(&section->index, 0);
	append_varint(&section->index, entries);
	append_varint(&section->index, block.size);
	append_number(&section->index, XXH3_64bits(block.data, block.size), 8);
	append(&section->blocks, block.data, block.size);
	section->block_count++;
	section->entry_count += entries;
	free(block.data);
}

/* Appends what a block's digest is over (FORMAT.md 5.3) and returns the size of its columns. All are stored. */
static uint64_t digest_columns(const uint8_t *block, struct bytes *ret)
{
	unsigned count = *block++;
	uint64_t sizes[LOCUS_COLUMNS_MAX], sum = 0;
	for (unsigned i = 0; i < count; i++) {
		sizes[i] = skip_varint(&block);
		assert_int_equal(sizes[i] & 1, 0);
		sizes[i] /= 2;
		sum += sizes[i];
	}
	for (unsigned i = 0; i < count; i++) {
		XXH128_hash_t hash = XXH3_128bits(block, sizes[i]);
		append_number(ret, sizes[i], 8);
		append_number(ret, hash.low64, 8);
		append_number(ret, hash.high64, 8);
		block += sizes[i];
	}
	return sum;
}

/* The section's share of the content digest, if it has one, and the size of all its columns. */
static uint64_t digest_section(const struct section *section, struct bytes *ret)
{
	const uint8_t *at = section->index.data, *block = section->blocks.data;
	struct bytes share = {0};
	uint64_t key = 0, raw_size = 0;
	append_number(&share, section->id, 8);
	append_number(&share, section->block_count, 8);
	for (uint32_t i = 0; i < section->block_count; i++) {
		struct bytes columns = {0};
		key += skip_varint(&at);
		append_number(&share, key, 8);
		append_number(&share, skip_varint(&at), 8);
		raw_size += digest_columns(block, &columns);
		XXH128_hash_t hash = XXH3_128bits(columns.data, columns.size);
		append_number(&share, hash.low64, 8);
		append_number(&share, hash.high64, 8);
		block += skip_varint(&at);
		at += 8;
		free(columns.data);
	}
	if (section->flags & LOCUS_SECTION_CONTENT)
		append(ret, share.data, share.size);
	free(share.data);
	return raw_size;
}

static void append_entry(struct bytes *to, const struct section *section, uint64_t raw_size)
{
	append_number(to, section->id, 2);
	append_number(to, section->flags, 2);
	append_number(to, section->block_count, 4);
	append_number(to, section->entry_count, 8);
	append_number(to, section->index.size, 8);
	append_number(to, section->blocks.size, 8);
	append_number(to, raw_size, 8);
	append_number(to, XXH3_64bits(section->index.data, section->index.size), 8);
}

static struct bytes put_together(const struct parts *parts)
{
	struct bytes directory = {0}, indexes = {0}, blocks = {0}, content = {0}, file = {0};
	for (unsigned i = 0; i < parts->count; i++) {
		const struct section *section = &parts->sections[i];
		append_entry(&directory, section, digest_section(section, &content));
		append(&indexes, section->index.data, section->index.size);
		append(&blocks, section->blocks.data, section->blocks.size);
	}

	XXH128_hash_t digest = XXH3_128bits(content.data, content.size);
	uint64_t head_size = LOCUS_HEADER_SIZE + directory.size + indexes.size;
	append(&file, LOCUS_MAGIC, LOCUS_MAGIC_SIZE);
	append_number(&file, LOCUS_FORMAT_VERSION, 4);
	append_number(&file, parts->count, 4);
	append_number(&file, head_size + blocks.size, 8);
	append_number(&file, digest.low64, 8);
	append_number(&file, digest.high64, 8);
	append_number(&file, head_size, 8);
	append_number(&file, XXH3_64bits(directory.data, directory.size), 8);
	append_number(&file, XXH3_64bits(file.data, file.size), 8);
	append(&file, directory.data, directory.size);
	append(&file, indexes.data, indexes.size);
	append(&file, blocks.data, blocks.size);
	free(directory.data);
	free(indexes.data);
	free(blocks.data);
	free(content.data);
	return file;
}

/* ---- What a newer writer might add ---- */

static void add_section(struct parts *parts, uint16_t flags)
{
	uint8_t text[] = "what nobody knows yet";
	struct bytes columns[3] = {{text, sizeof(text)}, {text, 0}, {text, 4}};
	struct section *section = &parts->sections[parts->count++];
	*section = (struct section){.id = FUTURE_SECTION, .flags = flags};
	add_block(section, 5, columns, 3);
	add_block(section, 65536, columns, 1);
}

static void add_meta_field(struct parts *parts)
{
	struct section *meta = &parts->sections[0], longer = {.id = meta->id, .flags = meta->flags};
	const uint8_t *block = meta->blocks.data + 1;
	uint64_t size = skip_varint(&block) / 2;
	struct bytes column = {0};
	append(&column, block, size);
	append_varint(&column, FUTURE_FIELD);
	append_varint(&column, 3);
	append(&column, "\xFF\0x", 3);
	add_block(&longer, 1, &column, 1);
	free(column.data);
	free(meta->index.data);
	free(meta->blocks.data);
	*meta = longer;
}

/* ---- What a reader must make of it ---- */

static struct locus *opened(const struct bytes *file)
{
	struct locus *locus;
	struct locus_error error = {.text = ""};
	if (locus_open_memory(file->data, file->size, NULL, &locus, &error) != LOCUS_OK ||
	    locus_verify(locus, LOCUS_VERIFY_FULL, &error) != LOCUS_OK)
		fail_msg("%s", error.text);
	return locus;
}

static void check_same_answers(struct locus *a, struct locus *b)
{
	struct locus_scratch *of_a, *of_b;
	struct locus_result result_a, result_b;
	assert_int_equal(locus_scratch_new(a, &of_a, NULL), LOCUS_OK);
	assert_int_equal(locus_scratch_new(b, &of_b, NULL), LOCUS_OK);
	assert_int_equal(locus_interval_count(a), locus_interval_count(b));
	for (uint32_t i = 0; i < locus_interval_count(a); i++) {
		assert_int_equal(locus_frames(a, of_a, i, &result_a, NULL), LOCUS_OK);
		assert_int_equal(locus_lookup(b, of_b, result_a.interval.start, &result_b, NULL), LOCUS_OK);
		assert_same_result(&result_a, &result_b);
	}
	locus_scratch_free(of_a);
	locus_scratch_free(of_b);
}

static void check_same_info(struct locus *a, struct locus *b)
{
	const struct locus_info *of_a, *of_b;
	assert_int_equal(locus_info(a, &of_a, NULL), LOCUS_OK);
	assert_int_equal(locus_info(b, &of_b, NULL), LOCUS_OK);
	assert_same_string(of_a->build_id, of_b->build_id);
	assert_same_string(of_a->tool, of_b->tool);
	assert_same_string(of_a->options, of_b->options);
	assert_int_equal(of_a->rules_epoch, of_b->rules_epoch);
	assert_int_equal(of_a->coverage_count, of_b->coverage_count);
	assert_int_equal(of_a->input_count, of_b->input_count);
	assert_int_equal(of_a->segment_count, of_b->segment_count);
}

static bool same_identity(struct locus *a, struct locus *b)
{
	struct locus_identity of_a = locus_identity(a), of_b = locus_identity(b);
	return memcmp(&of_a, &of_b, sizeof(of_a)) == 0;
}

static void test_unchanged(void **state)
{
	struct bytes file = make_file(0, 50, 1000);
	struct parts parts = take_apart(&file);
	struct bytes again = put_together(&parts);
	(void)state;
	assert_int_equal(again.size, file.size);
	assert_memory_equal(again.data, file.data, file.size);
	free(again.data);
	parts_free(&parts);
	free(file.data);
}

static void test_skipped(void **state)
{
	static const struct {
		const char *what;
		bool has_section, has_field;
		uint16_t flags;
		bool same_identity;
	} cases[] = {
		{"an optional section", true, false, 0, true},
		{"a section that is content", true, false, LOCUS_SECTION_CONTENT, false},
		{"a section with keys", true, false, LOCUS_SECTION_CONTENT | LOCUS_SECTION_KEYED, false},
		{"a field of meta", false, true, 0, false},
		{"a section and a field", true, true, 0, false},
	};
	struct bytes file = make_file(0, 50, 1000);
	struct locus *locus = opened(&file);
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct parts parts = take_apart(&file);
		print_message("# %s\n", cases[i].what);
		if (cases[i].has_field)
			add_meta_field(&parts);
		if (cases[i].has_section)
			add_section(&parts, cases[i].flags);
		struct bytes newer = put_together(&parts);
		struct locus *read = opened(&newer);

		check_same_answers(locus, read);
		check_same_info(locus, read);
		assert_int_equal(same_identity(locus, read), cases[i].same_identity);
		assert_int_equal(locus_section_count(read), locus_section_count(locus) + cases[i].has_section);
		locus_close(read);
		free(newer.data);
		parts_free(&parts);
	}
	locus_close(locus);
	free(file.data);
}

static void test_described(void **state)
{
	struct bytes file = make_file(0, 50, 100);
	struct parts parts = take_apart(&file);
	struct locus_section_info section;
	(void)state;
	add_section(&parts, 0);
	struct bytes newer = put_together(&parts);
	struct locus *locus = opened(&newer);
	assert_int_equal(locus_section_at(locus, parts.count - 1, &section, NULL), LOCUS_OK);
	assert_int_equal(section.id, FUTURE_SECTION);
	assert_null(section.name);
	assert_false(section.required);
	assert_int_equal(section.block_count, 2);
	assert_int_equal(section.entry_count, 65541);
	assert_int_equal(section.raw_size, 22 + 4 + 22);
	locus_close(locus);
	free(newer.data);
	parts_free(&parts);
	free(file.data);
}

/* What is skipped is under checksums all the same: who verifies a file vouches for every byte. */
static void test_damage_in_it(void **state)
{
	struct bytes file = make_file(0, 50, 100);
	struct parts parts = take_apart(&file);
	struct locus *locus;
	struct locus_error error;
	(void)state;
	add_section(&parts, 0);
	struct bytes newer = put_together(&parts);
	newer.data[newer.size - 1] ^= 1;
	assert_int_equal(locus_open_memory(newer.data, newer.size, NULL, &locus, &error), LOCUS_OK);
	assert_int_equal(locus_verify(locus, LOCUS_VERIFY_FULL, &error), LOCUS_ERR_CHECKSUM);
	locus_close(locus);
	free(newer.data);
	parts_free(&parts);
	free(file.data);
}

static void test_required(void **state)
{
	struct bytes file = make_file(0, 50, 100);
	struct parts parts = take_apart(&file);
	struct locus *locus;
	struct locus_error error = {.text = ""};
	(void)state;
	add_section(&parts, LOCUS_SECTION_REQUIRED);
	struct bytes newer = put_together(&parts);
	assert_int_equal(locus_open_memory(newer.data, newer.size, NULL, &locus, &error), LOCUS_ERR_UNSUPPORTED);
	assert_non_null(strstr(error.text, "newer"));
	free(newer.data);
	parts_free(&parts);
	free(file.data);
}

/* A file may have as many sections as FORMAT.md 3 says, and no more. */
static void test_section_count(void **state)
{
	struct bytes file = make_file(0, 50, 100);
	struct parts parts = take_apart(&file);
	struct locus *locus;
	struct locus_error error = {.text = ""};
	(void)state;
	while (parts.count < LOCUS_SECTIONS_MAX) {
		add_section(&parts, 0);
		parts.sections[parts.count - 1].id += (uint16_t)parts.count;
	}
	struct bytes newer = put_together(&parts);
	locus = opened(&newer);
	assert_int_equal(locus_section_count(locus), LOCUS_SECTIONS_MAX);
	locus_close(locus);
	free(newer.data);

	add_section(&parts, 0);
	parts.sections[parts.count - 1].id += (uint16_t)parts.count;
	newer = put_together(&parts);
	assert_int_equal(locus_open_memory(newer.data, newer.size, NULL, &locus, &error), LOCUS_ERR_CORRUPT);
	assert_non_null(strstr(error.text, "out of range"));
	free(newer.data);
	parts_free(&parts);
	free(file.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unchanged), cmocka_unit_test(test_skipped),
		cmocka_unit_test(test_described), cmocka_unit_test(test_damage_in_it),
		cmocka_unit_test(test_required),  cmocka_unit_test(test_section_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
