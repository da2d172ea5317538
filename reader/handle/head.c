/* Reads and checks header, directory and block indexes (FORMAT.md 3, 4). */
#include "reader/handle/head.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/fail.h"
#include "reader/handle/scan.h"

enum {
	HEAD_GUESS = 4 << 10,  /* bytes, a page: of most programs enough for everything before the first block */
	GROUPS_PER_BLOCK = 16, /* at most: so the block of a place is rarely searched beyond the first step */
	KEYED_GROUPS_MAX = 2048,
	SECTION_FLAGS = LOCUS_SECTION_REQUIRED | LOCUS_SECTION_CONTENT | LOCUS_SECTION_KEYED,
};

static const uint16_t known_flags[LOCUS_SECTION_ID_END] = {
#define X(id, value, name, flags, columns) [value] = (flags),
	LOCUS_SECTIONS(X)
#undef X
};

static const char *const section_names[LOCUS_SECTION_ID_END] = {
#define X(id, value, name, flags, columns) [value] = (name),
	LOCUS_SECTIONS(X)
#undef X
};

const char *locus_section_name(const struct locus_section_in *section)
{
	return section->id < LOCUS_SECTION_ID_END ? section_names[section->id] : NULL;
}

void locus_head_done(struct locus *locus)
{
	for (uint32_t i = 0; i < locus->section_count; i++) {
		struct locus_section_in *section = &locus->sections[i];
		for (uint32_t k = 0; section->blocks && k < section->block_count; k++)
			locus_allowance_free(&locus->allowance, atomic_load(&section->blocks[k]));
		locus_allowance_free(&locus->allowance, section->index);
	}
	free(locus->sections);
	locus->sections = NULL;
	locus->section_count = 0;
}

/* ---- Header ---- */

static enum locus_status check_version(uint32_t version, struct locus_error *error)
{
	if (version == LOCUS_FORMAT_VERSION)
		return LOCUS_OK;
	if (version < LOCUS_FORMAT_VERSION)
		return locus_fail_at(error, LOCUS_ERR_VERSION, LOCUS_HEADER_VERSION,
				     "format version %u is no longer read: convert the program again", version);
	return locus_fail_at(error, LOCUS_ERR_VERSION, LOCUS_HEADER_VERSION,
			     "format version %u is newer than this reader's %u: it needs a newer locus", version,
			     LOCUS_FORMAT_VERSION);
}

/* Says what else the file is, where that helps the user who named it. */
static const char *what_else(const uint8_t *head, size_t size)
{
	if (size == 0)
		return ": it is empty";
	return size >= 4 && memcmp(head, "\177ELF", 4) == 0 ? " but an ELF file, which carries none: convert it first"
							    : "";
}

/* Checks magic number and version before the checksum, which another version may compute in another way. */
static enum locus_status check_magic(const uint8_t *head, size_t size, struct locus_error *error)
{
	if (size < LOCUS_MAGIC_SIZE || memcmp(head, LOCUS_MAGIC, LOCUS_MAGIC_SIZE) != 0)
		return locus_fail(error, LOCUS_ERR_NOT_LOCUS, "not a .locus file%s", what_else(head, size));
	struct locus_scan scan = locus_scan_of(head + LOCUS_HEADER_VERSION, size - LOCUS_HEADER_VERSION);
	uint32_t version = (uint32_t)locus_scan_little(&scan, 4);
	enum locus_status status = scan.failed ? LOCUS_OK : check_version(version, error);
	if (status == LOCUS_OK && size < LOCUS_HEADER_SIZE)
		return locus_fail_at(error, LOCUS_ERR_TRUNCATED, size, "the file ends in its header");
	return status;
}

static enum locus_status check_size(const struct locus *locus, struct locus_error *error)
{
	uint64_t has = locus->source.size, should = locus->file_size;
	if (has == should)
		return LOCUS_OK;
	return locus_fail_at(error, has < should ? LOCUS_ERR_TRUNCATED : LOCUS_ERR_CORRUPT, has < should ? has : should,
			     "the file has %llu bytes, and its header says %llu", (unsigned long long)has,
			     (unsigned long long)should);
}

static enum locus_status read_header(struct locus *locus, const uint8_t *head, struct locus_error *error)
{
	struct locus_scan scan = locus_scan_of(head, LOCUS_HEADER_SIZE);
	locus_scan_bytes(&scan, LOCUS_MAGIC_SIZE);
	locus->version = (uint32_t)locus_scan_little(&scan, 4);
	locus->section_count = (uint32_t)locus_scan_little(&scan, 4);
	locus->file_size = locus_scan_little(&scan, 8);
	memcpy(locus->identity.bytes, locus_scan_bytes(&scan, sizeof(locus->identity.bytes)),
	       sizeof(locus->identity.bytes));
	locus->head_size = locus_scan_little(&scan, 8);
	locus_scan_little(&scan, 8);
	if (locus_scan_little(&scan, 8) != XXH3_64bits(head, LOCUS_HEADER_CHECKSUM))
		return locus_fail_at(error, LOCUS_ERR_CHECKSUM, 0, "the header does not match its checksum");

	enum locus_status status = check_size(locus, error);
	if (status != LOCUS_OK)
		return status;
	uint64_t least = LOCUS_HEADER_SIZE + (uint64_t)locus->section_count * LOCUS_ENTRY_SIZE;
	if (!locus->section_count || locus->section_count > LOCUS_SECTIONS_MAX || locus->head_size < least ||
	    locus->head_size > locus->file_size)
		return locus_fail_at(error, LOCUS_ERR_CORRUPT, 0, "the header's fields are out of range");
	return LOCUS_OK;
}

/* ---- Directory ---- */

static enum locus_status check_section(const struct locus_section_in *section, uint16_t before,
				       struct locus_error *error)
{
	if (section->id <= before)
		return locus_fail_at(error, LOCUS_ERR_CORRUPT, LOCUS_HEADER_SIZE,
				     "section %u stands where an id above %u should", section->id, before);
	if (section->id >= LOCUS_SECTION_ID_END && (section->flags & LOCUS_SECTION_REQUIRED))
		return locus_fail_at(error, LOCUS_ERR_UNSUPPORTED, LOCUS_HEADER_SIZE,
				     "needs section %u, which a newer reader knows", section->id);
	if (section->id < LOCUS_SECTION_ID_END ? section->flags != known_flags[section->id]
					       : section->flags & ~SECTION_FLAGS)
		return locus_fail_at(error, LOCUS_ERR_CORRUPT, LOCUS_HEADER_SIZE,
				     "section %u has flags 0x%x, which it cannot have", section->id, section->flags);
	if (section->block_count > section->index_size / LOCUS_INDEX_ENTRY_MIN ||
	    section->entry_count > LOCUS_INTERVALS_MAX)
		return locus_fail_at(error, LOCUS_ERR_CORRUPT, LOCUS_HEADER_SIZE, "section %u's sizes are out of range",
				     section->id);
	return LOCUS_OK;
}

static void read_section(struct locus_scan *scan, struct locus_section_in *ret)
{
	ret->id = (uint16_t)locus_scan_little(scan, 2);
	ret->flags = (uint16_t)locus_scan_little(scan, 2);
	ret->block_count = (uint32_t)locus_scan_little(scan, 4);
	ret->entry_count = locus_scan_little(scan, 8);
	ret->index_size = locus_scan_little(scan, 8);
	ret->data_size = locus_scan_little(scan, 8);
	ret->raw_size = locus_scan_little(scan, 8);
	ret->index_checksum = locus_scan_little(scan, 8);
}

/* Whether header, directory and indexes fill the head, and the blocks the rest of the file (FORMAT.md 4.2). */
static bool is_filled(const struct locus *locus)
{
	uint64_t head_left = locus->head_size - LOCUS_HEADER_SIZE - (uint64_t)locus->section_count * LOCUS_ENTRY_SIZE;
	uint64_t data_left = locus->file_size - locus->head_size;
	for (uint32_t i = 0; i < locus->section_count; i++) {
		const struct locus_section_in *section = &locus->sections[i];
		if (section->index_size > head_left || section->data_size > data_left)
			return false;
		head_left -= section->index_size;
		data_left -= section->data_size;
	}
	return !head_left && !data_left;
}

static enum locus_status read_directory(struct locus *locus, const uint8_t *directory, struct locus_error *error)
{
	struct locus_scan scan = locus_scan_of(directory, (size_t)locus->section_count * LOCUS_ENTRY_SIZE);
	uint16_t before = 0;
	for (uint32_t i = 0; i < locus->section_count; i++) {
		struct locus_section_in *section = &locus->sections[i];
		read_section(&scan, section);
		enum locus_status status = check_section(section, before, error);
		if (status != LOCUS_OK)
			return status;
		before = section->id;
		if (section->id < LOCUS_SECTION_ID_END)
			locus->known[section->id] = section;
	}

	if (!is_filled(locus))
		return locus_fail_at(error, LOCUS_ERR_CORRUPT, LOCUS_HEADER_SIZE, "the sections do not fill the file");
	for (unsigned id = LOCUS_SECTION_META; id < LOCUS_SECTION_ID_END; id++)
		if (locus->known[id] == &locus->empty && !(LOCUS_SECTIONS_MAY_LACK & 1u << id))
			return locus_fail_at(error, LOCUS_ERR_CORRUPT, LOCUS_HEADER_SIZE, "section %u is missing", id);
	return LOCUS_OK;
}

/* ---- Indexes ---- */

/* The most groups. To fill more of them for all addresses would take long for a process that makes a single lookup. */
static uint64_t group_max(const struct locus_section_in *section)
{
	uint64_t count = GROUPS_PER_BLOCK * (uint64_t)section->block_count;
	return section->flags & LOCUS_SECTION_KEYED && count > KEYED_GROUPS_MAX ? KEYED_GROUPS_MAX : count;
}

/* Puts all arrays of the index in one allocation, the widest elements first, so that each is aligned. */
static enum locus_status allocate_index(struct locus *locus, struct locus_section_in *section,
					struct locus_error *error)
{
	uint64_t count = section->block_count, group_count = group_max(section) + 2;
	uint64_t whole = count * (sizeof(*section->keys) + sizeof(*section->checksums) + sizeof(*section->blocks) +
				  sizeof(*section->met)) +
			 (count + 1) * (sizeof(*section->offsets) + sizeof(*section->firsts)) +
			 group_count * sizeof(*section->group_blocks);
	size_t size = locus_array_size(whole, 1);
	enum locus_status status = locus_allowance_allocate(&locus->allowance, size, &section->index, error);
	if (status != LOCUS_OK)
		return status;

	section->keys = section->index;
	section->offsets = section->keys + count;
	section->checksums = section->offsets + count + 1;
	section->blocks = (_Atomic(struct locus_decoded *) *)(void *)(section->checksums + count);
	section->firsts = (uint32_t *)(void *)(section->blocks + count);
	section->group_blocks = section->firsts + count + 1;
	section->met = (_Atomic uint8_t *)(void *)(section->group_blocks + group_count);

	atomic_init(&section->kept, 0);
	for (size_t i = 0; i < count; i++) {
		atomic_init(&section->blocks[i], NULL);
		atomic_init(&section->met[i], 0);
	}
	return LOCUS_OK;
}

/* Reads a block's entry of the index (FORMAT.md 4.3). False: a key, count or size is out of range. */
static bool read_entry(struct locus_section_in *section, struct locus_scan *scan, uint32_t i)
{
	uint64_t delta = locus_scan_varint(scan);
	uint64_t count = locus_scan_varint(scan);
	uint64_t size = locus_scan_varint(scan);
	uint64_t key = i ? section->keys[i - 1] : 0;
	section->checksums[i] = locus_scan_little(scan, 8);
	if (scan->failed || delta > UINT64_MAX - key || (delta && !(section->flags & LOCUS_SECTION_KEYED)))
		return false;
	if (section->id == LOCUS_SECTION_INTERVALS && i && !delta)
		return false;
	if (!count || count > LOCUS_BLOCK_ENTRIES_MAX || section->firsts[i] + count > section->entry_count || !size ||
	    size > section->data_size)
		return false;

	section->keys[i] = key + delta;
	section->firsts[i + 1] = section->firsts[i] + (uint32_t)count;
	section->offsets[i + 1] = section->offsets[i] + size;
	return section->offsets[i + 1] - section->offsets[0] <= section->data_size;
}

/* Where a block begins in what is divided into groups. */
static uint64_t block_place(const struct locus_section_in *section, uint32_t block)
{
	return section->flags & LOCUS_SECTION_KEYED ? section->keys[block] - section->keys[0] : section->firsts[block];
}

/* Sets group_blocks: by group, the block that holds its first place; behind these stands the last block, twice. */
static void fill_groups(struct locus_section_in *section)
{
	const uint32_t block_count = section->block_count;
	if (!block_count)
		return;
	uint64_t last =
		section->flags & LOCUS_SECTION_KEYED ? block_place(section, block_count - 1) : section->entry_count - 1;
	while (last >> section->group_shift >= group_max(section))
		section->group_shift++;

	uint32_t block = 0, count = 0;
	for (; count <= last >> section->group_shift; count++) {
		uint64_t place = (uint64_t)count << section->group_shift;
		while (block + 1 < block_count && block_place(section, block + 1) <= place)
			block++;
		section->group_blocks[count] = block;
	}
	section->group_count = count;
	section->group_blocks[count] = section->group_blocks[count + 1] = block_count - 1;
}

static enum locus_status read_index(struct locus *locus, struct locus_section_in *section, const uint8_t *index,
				    uint64_t index_offset, uint64_t data_offset, struct locus_error *error)
{
	struct locus_scan scan = locus_scan_of(index, (size_t)section->index_size);
	if (XXH3_64bits(index, (size_t)section->index_size) != section->index_checksum)
		return locus_fail_at(error, LOCUS_ERR_CHECKSUM, index_offset,
				     "section %u's index does not match its checksum", section->id);

	enum locus_status status = allocate_index(locus, section, error);
	if (status != LOCUS_OK)
		return status;
	section->firsts[0] = 0;
	section->offsets[0] = data_offset;
	bool ok = true;
	for (uint32_t i = 0; i < section->block_count && ok; i++)
		ok = read_entry(section, &scan, i);
	if (!ok || !locus_scan_is_done(&scan) || section->firsts[section->block_count] != section->entry_count ||
	    section->offsets[section->block_count] - data_offset != section->data_size)
		return locus_fail_at(error, LOCUS_ERR_CORRUPT, index_offset, "section %u's index is not well-formed",
				     section->id);
	fill_groups(section);
	return LOCUS_OK;
}

static enum locus_status read_indexes(struct locus *locus, const uint8_t *head, struct locus_error *error)
{
	uint64_t index_offset = LOCUS_HEADER_SIZE + (uint64_t)locus->section_count * LOCUS_ENTRY_SIZE;
	uint64_t data_offset = locus->head_size;
	for (uint32_t i = 0; i < locus->section_count; i++) {
		struct locus_section_in *section = &locus->sections[i];
		enum locus_status status =
			read_index(locus, section, head + index_offset, index_offset, data_offset, error);
		if (status != LOCUS_OK)
			return status;
		index_offset += section->index_size;
		data_offset += section->data_size;
	}
	return LOCUS_OK;
}

/* Source columns, if there are any, have a block for each block of intervals (FORMAT.md 6.6). */
static enum locus_status check_source_columns(const struct locus *locus, struct locus_error *error)
{
	const struct locus_section_in *columns = locus->known[LOCUS_SECTION_SOURCE_COLUMNS];
	const struct locus_section_in *intervals = locus->known[LOCUS_SECTION_INTERVALS];
	if (columns == &locus->empty)
		return LOCUS_OK;
	bool is_same = columns->block_count == intervals->block_count;
	for (uint32_t i = 0; is_same && i <= columns->block_count; i++)
		is_same = columns->firsts[i] == intervals->firsts[i];
	return is_same ? LOCUS_OK
		       : locus_fail_at(error, LOCUS_ERR_CORRUPT, LOCUS_HEADER_SIZE,
				       "the blocks of columns are not those of the intervals");
}

/* Meta is one block of one entry (FORMAT.md 6.1). */
static enum locus_status check_meta(const struct locus *locus, struct locus_error *error)
{
	const struct locus_section_in *meta = locus->known[LOCUS_SECTION_META];
	if (meta->block_count == 1 && meta->entry_count == 1)
		return LOCUS_OK;
	return locus_fail_at(error, LOCUS_ERR_CORRUPT, LOCUS_HEADER_SIZE, "the meta data are not one block");
}

/* ---- All of it ---- */

/* Reads on until `head` has `size` bytes; the file has as many. */
static enum locus_status extend(struct locus *locus, struct locus_room *head, size_t size, struct locus_error *error)
{
	if (size <= head->size)
		return LOCUS_OK;
	uint8_t *data;
	enum locus_status status = locus_allowance_allocate(&locus->allowance, size, &data, error);
	if (status != LOCUS_OK)
		return status;
	size_t before = head->size;
	if (before)
		memcpy(data, head->data, before);
	locus_allowance_free(&locus->allowance, head->data);
	head->data = data;
	head->size = size;
	return locus_source_read(&locus->source, before, data + before, size - before, error);
}

/* Reads the head. The first read mostly gets all of it; if not, its header says how much is missing. */
static enum locus_status read_start(struct locus *locus, struct locus_room *head, struct locus_error *error)
{
	size_t size = locus->source.size < HEAD_GUESS ? (size_t)locus->source.size : HEAD_GUESS;
	enum locus_status status = extend(locus, head, size, error);
	if (status == LOCUS_OK)
		status = check_magic(head->data, head->size, error);
	if (status == LOCUS_OK)
		status = read_header(locus, head->data, error);
	if (status == LOCUS_OK && locus->head_size > SIZE_MAX)
		status = locus_fail_memory(error);
	return status == LOCUS_OK ? extend(locus, head, (size_t)locus->head_size, error) : status;
}

static enum locus_status read_head(struct locus *locus, struct locus_room *head, struct locus_error *error)
{
	enum locus_status status = read_start(locus, head, error);
	uint32_t section_count = locus->section_count;
	locus->section_count = 0;
	if (status != LOCUS_OK)
		return status;

	locus->sections = calloc(section_count, sizeof(*locus->sections));
	if (!locus->sections)
		return locus_fail_memory(error);
	locus->section_count = section_count;

	/* The directory's checksum stands in the header. */
	struct locus_scan scan = locus_scan_of(head->data + LOCUS_HEADER_DIRECTORY, 8);
	const uint8_t *directory = head->data + LOCUS_HEADER_SIZE;
	if (XXH3_64bits(directory, (size_t)section_count * LOCUS_ENTRY_SIZE) != locus_scan_little(&scan, 8))
		return locus_fail_at(error, LOCUS_ERR_CHECKSUM, LOCUS_HEADER_SIZE,
				     "the directory does not match its checksum");
	status = read_directory(locus, directory, error);
	if (status == LOCUS_OK)
		status = read_indexes(locus, head->data, error);
	if (status == LOCUS_OK)
		status = check_source_columns(locus, error);
	return status == LOCUS_OK ? check_meta(locus, error) : status;
}

enum locus_status locus_head_read(struct locus *locus, struct locus_error *error)
{
	struct locus_room head = {0};
	for (unsigned id = 0; id < LOCUS_SECTION_ID_END; id++)
		locus->known[id] = &locus->empty;
	enum locus_status status = read_head(locus, &head, error);
	locus_allowance_free(&locus->allowance, head.data);
	return status;
}
