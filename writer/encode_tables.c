/* Encodes meta, files and alternates (FORMAT.md 6.1, 6.2, 6.5). */
#include "writer/encode_tables.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/fail.h"

enum { FILES_IN_BLOCK = 512, ALTERNATES_IN_BLOCK = 4096 };

bool locus_tables_put_name(struct locus_buffer *buffer, struct locus_bytes name)
{
	if (name.size && memchr(name.data, 0, name.size))
		return false;
	locus_buffer_put(buffer, name.data, name.size);
	locus_buffer_put_byte(buffer, 0);
	return true;
}

static void buffers_done(struct locus_buffer *buffers, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		locus_buffer_done(&buffers[i]);
}

struct block {
	const struct locus_buffer *columns;
	unsigned column_count;
	uint32_t entry_count;
	uint64_t key;      /* 0: the section's blocks have none */
	uint64_t size_min; /* as locus_packer_pack_at_least has it */
};

/* Packs the columns and adds them to the section. */
static enum locus_status add_block(struct locus_packer *packer, const struct block *block,
				   struct locus_section_out *ret, struct locus_error *error)
{
	struct locus_packed packed;
	enum locus_status status = locus_packer_pack_at_least(packer, block->size_min, block->columns,
							      block->column_count, LOCUS_PACK_CODES, &packed, error);
	if (status != LOCUS_OK)
		return status;
	packed.key = block->key;
	packed.entry_count = block->entry_count;
	return locus_section_out_add(ret, &packed, error);
}

/* ---- Meta ---- */

static void put_field(struct locus_buffer *fields, enum locus_meta_field id, const void *data, size_t size)
{
	locus_buffer_put_varint(fields, id);
	locus_buffer_put_varint(fields, size);
	locus_buffer_put(fields, data, size);
}

/* Writes a string's field, or none if the string is absent. */
static void put_text(struct locus_buffer *fields, enum locus_meta_field id, struct locus_bytes text)
{
	if (text.size)
		put_field(fields, id, text.data, text.size);
}

/* Writes a field with the content of `scratch`, and clears that. */
static void put_scratch(struct locus_buffer *fields, enum locus_meta_field id, struct locus_buffer *scratch)
{
	fields->failed |= scratch->failed;
	put_field(fields, id, scratch->data, scratch->size);
	locus_buffer_clear(scratch);
}

static void put_counters(struct locus_buffer *fields, struct locus_buffer *scratch, enum locus_meta_field id,
			 const struct locus_counter *counters, size_t count)
{
	if (!count)
		return;
	for (size_t i = 0; i < count; i++) {
		locus_buffer_put_varint(scratch, counters[i].id);
		locus_buffer_put_varint(scratch, counters[i].value);
	}
	put_scratch(fields, id, scratch);
}

static void put_inputs(struct locus_buffer *fields, struct locus_buffer *scratch, const struct locus_input *inputs,
		       size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct locus_input *input = &inputs[i];
		locus_buffer_put_varint(scratch, input->role);
		locus_buffer_put_varint(scratch, input->size);
		locus_buffer_put_varint(scratch, input->digest_kind);
		if (input->digest_kind)
			locus_buffer_put(scratch, input->digest, sizeof(input->digest));
		locus_buffer_put_varint(scratch, input->build_id.size);
		locus_buffer_put(scratch, input->build_id.data, input->build_id.size);
		locus_buffer_put(scratch, input->name.data, input->name.size);
		put_scratch(fields, LOCUS_META_INPUT, scratch);
	}
}

static void put_segments(struct locus_buffer *fields, struct locus_buffer *scratch,
			 const struct locus_segment *segments, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		locus_buffer_put_varint(scratch, segments[i].address);
		locus_buffer_put_varint(scratch, segments[i].offset);
		locus_buffer_put_varint(scratch, segments[i].file_size);
		locus_buffer_put_varint(scratch, segments[i].memory_size);
		locus_buffer_put_varint(scratch, segments[i].flags);
		put_scratch(fields, LOCUS_META_SEGMENT, scratch);
	}
}

static void put_meta(struct locus_buffer *fields, struct locus_buffer *scratch, const struct locus_meta *meta)
{
	put_text(fields, LOCUS_META_BUILD_ID, meta->build_id);
	locus_buffer_put_varint(scratch, meta->elf_machine);
	locus_buffer_put_varint(scratch, meta->elf_type);
	locus_buffer_put_varint(scratch, meta->elf_class);
	locus_buffer_put_varint(scratch, meta->elf_data);
	put_scratch(fields, LOCUS_META_ELF, scratch);
	put_text(fields, LOCUS_META_TOOL, meta->tool);
	locus_buffer_put_varint(scratch, meta->rules_epoch);
	put_scratch(fields, LOCUS_META_RULES_EPOCH, scratch);
	put_text(fields, LOCUS_META_OPTIONS, meta->options);
	put_counters(fields, scratch, LOCUS_META_COVERAGE, meta->coverage, meta->coverage_count);
	put_counters(fields, scratch, LOCUS_META_DROPPED, meta->dropped, meta->dropped_count);

	for (size_t i = 0; i < meta->section_count; i++) {
		locus_buffer_put_varint(scratch, meta->sections[i].base);
		locus_buffer_put_varint(scratch, meta->sections[i].size);
		locus_buffer_put(scratch, meta->sections[i].name.data, meta->sections[i].name.size);
		put_scratch(fields, LOCUS_META_BASE, scratch);
	}
	put_inputs(fields, scratch, meta->inputs, meta->input_count);
	put_segments(fields, scratch, meta->segments, meta->segment_count);
}

enum locus_status locus_tables_meta(const struct locus_meta *meta, struct locus_packer *packer,
				    struct locus_section_out *ret, struct locus_error *error)
{
	struct locus_buffer buffers[2] = {0};
	const size_t listed = meta->coverage_count + meta->dropped_count + meta->section_count + meta->input_count +
			      meta->segment_count;
	put_meta(&buffers[0], &buffers[1], meta);

	/* Readers take so many, and one for each byte (FORMAT.md 11). Before compression each has two bytes or more. */
	const struct block block = {
		.columns = buffers,
		.column_count = 1,
		.entry_count = 1,
		.size_min = listed > LOCUS_META_LISTED_SPARE ? listed - LOCUS_META_LISTED_SPARE : 0,
	};
	enum locus_status status = add_block(packer, &block, ret, error);
	buffers_done(buffers, 2);
	return status;
}

/* ---- Files ---- */

/*
 * The directories of one block by their names. This is not base/hash_slots.h, whose table would be allocated for each
 * block.
 */
struct directories {
	uint32_t count;
	size_t slot_mask;
	struct {
		struct locus_bytes name;
		uint32_t number;     /* 1 or more; 0: free */
	} slots[2 * FILES_IN_BLOCK]; /* only as many are used as the number of files needs */
};

static void directories_clear(struct directories *directories, uint32_t file_count)
{
	size_t slot_count = 2;
	while (slot_count < 2 * (size_t)file_count)
		slot_count *= 2;
	directories->count = 0;
	directories->slot_mask = slot_count - 1;
	memset(directories->slots, 0, slot_count * sizeof(directories->slots[0]));
}

/* Finds the directory's number in the block, from 1; 0: it is new, and is added. */
static uint32_t directory_find(struct directories *directories, struct locus_bytes name)
{
	size_t mask = directories->slot_mask;
	size_t at = XXH3_64bits(name.size ? name.data : "", name.size) & mask;
	while (directories->slots[at].number) {
		struct locus_bytes other = directories->slots[at].name;
		if (other.size == name.size && (!name.size || !memcmp(other.data, name.data, name.size)))
			return directories->slots[at].number;
		at = (at + 1) & mask;
	}
	directories->slots[at].name = name;
	directories->slots[at].number = ++directories->count;
	return 0;
}

static enum locus_status put_files(const struct locus_file *files, uint32_t count, struct directories *directories,
				   struct locus_buffer *columns, struct locus_error *error)
{
	directories_clear(directories, count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t number = directory_find(directories, files[i].directory);
		locus_buffer_put_varint(&columns[LOCUS_FILE_DIRECTORY], number);
		if ((!number && !locus_tables_put_name(&columns[LOCUS_FILE_DIRECTORY_NAMES], files[i].directory)) ||
		    !locus_tables_put_name(&columns[LOCUS_FILE_NAMES], files[i].name))
			return locus_fail(error, LOCUS_ERR_USAGE, "a file's name holds a NUL");
	}
	return LOCUS_OK;
}

enum locus_status locus_tables_files(const struct locus_tables *tables, struct locus_packer *packer,
				     struct locus_section_out *ret, struct locus_error *error)
{
	struct locus_buffer columns[LOCUS_FILE_COLUMNS] = {0};
	struct directories *directories = malloc(sizeof(*directories));
	enum locus_status status = directories ? LOCUS_OK : locus_fail_memory(error);
	for (uint32_t i = 0; i < tables->file_count && status == LOCUS_OK; i += FILES_IN_BLOCK) {
		uint32_t left = tables->file_count - i, count = left < FILES_IN_BLOCK ? left : FILES_IN_BLOCK;
		for (unsigned k = 0; k < LOCUS_FILE_COLUMNS; k++)
			locus_buffer_clear(&columns[k]);
		status = put_files(tables->files + i, count, directories, columns, error);
		if (status == LOCUS_OK)
			status = add_block(packer, &(struct block){columns, LOCUS_FILE_COLUMNS, count, 0, 0}, ret,
					   error);
		if (left <= FILES_IN_BLOCK)
			break;
	}

	free(directories);
	buffers_done(columns, LOCUS_FILE_COLUMNS);
	return status;
}

/* ---- Alternates ---- */

/* The last address of the range, which fits where the end would wrap; the start of one that has no size. */
static uint64_t alternate_last(const struct locus_alternate *alternate)
{
	uint64_t more = alternate->size ? alternate->size - 1 : 0;
	return more > UINT64_MAX - alternate->start ? UINT64_MAX : alternate->start + more;
}

/* The table, while its blocks are encoded one after the other. */
struct alternates {
	const struct locus_tables *tables;
	const uint32_t *record_of;
	uint32_t reaching; /* no alternate before this one reaches into the last block or behind it */
	struct locus_buffer columns[LOCUS_ALTERNATE_COLUMNS];
};

/* The lowest start of an alternate before index `first` that reaches beyond `address`; `address` if none does. */
static uint64_t lowest_reaching(struct alternates *encoding, uint32_t first, uint64_t address)
{
	const struct locus_alternate *alternates = encoding->tables->alternates;
	while (encoding->reaching < first && alternate_last(&alternates[encoding->reaching]) < address)
		encoding->reaching++;
	return encoding->reaching < first ? alternates[encoding->reaching].start : address;
}

/* Puts `count` alternates, from the one at index `first` on, into the columns of a block. */
static enum locus_status put_alternates(struct alternates *encoding, uint32_t first, uint32_t count,
					struct locus_error *error)
{
	const struct locus_tables *tables = encoding->tables;
	const struct locus_alternate *alternates = tables->alternates;
	const uint32_t *record_of = encoding->record_of;
	struct locus_buffer *columns = encoding->columns;
	uint64_t start = alternates[first].start;
	uint32_t function = 0;
	for (unsigned k = 0; k < LOCUS_ALTERNATE_COLUMNS; k++)
		locus_buffer_clear(&columns[k]);

	locus_buffer_put_varint(&columns[LOCUS_ALTERNATE_START], start - lowest_reaching(encoding, first, start));
	for (uint32_t i = first; i < first + count; i++) {
		const struct locus_alternate *at = &alternates[i];
		const struct locus_alternate *before = i ? &alternates[i - 1] : NULL;
		if (before &&
		    (at->start < before->start || (at->start == before->start && at->function < before->function)))
			return locus_fail(error, LOCUS_ERR_USAGE, "alternates are not sorted");
		if (at->kind > LOCUS_ALTERNATE_OVERLAP || !at->function || at->function > tables->function_count)
			return locus_fail(error, LOCUS_ERR_USAGE, "an alternate's kind or function is out of range");
		if (i != first)
			locus_buffer_put_varint(&columns[LOCUS_ALTERNATE_START], at->start - start);
		locus_buffer_put_varint(&columns[LOCUS_ALTERNATE_SIZE], at->size);
		uint32_t id = record_of ? record_of[at->function - 1] + 1 : at->function;
		locus_buffer_put_varint(&columns[LOCUS_ALTERNATE_FUNCTION], locus_zigzag(id - function));
		locus_buffer_put_byte(&columns[LOCUS_ALTERNATE_KIND], at->kind);
		start = at->start;
		function = id;
	}
	return LOCUS_OK;
}

enum locus_status locus_tables_alternates(const struct locus_tables *tables, const uint32_t *record_of,
					  struct locus_packer *packer, struct locus_section_out *ret,
					  struct locus_error *error)
{
	struct alternates encoding = {.tables = tables, .record_of = record_of};
	enum locus_status status = LOCUS_OK;
	for (uint32_t i = 0; i < tables->alternate_count && status == LOCUS_OK; i += ALTERNATES_IN_BLOCK) {
		uint32_t left = tables->alternate_count - i;
		uint32_t count = left < ALTERNATES_IN_BLOCK ? left : ALTERNATES_IN_BLOCK;
		const struct block block = {encoding.columns, LOCUS_ALTERNATE_COLUMNS, count,
					    tables->alternates[i].start, 0};
		status = put_alternates(&encoding, i, count, error);
		if (status == LOCUS_OK)
			status = add_block(packer, &block, ret, error);
		if (left <= ALTERNATES_IN_BLOCK)
			break;
	}
	buffers_done(encoding.columns, LOCUS_ALTERNATE_COLUMNS);
	return status;
}
