/*
 * The writer collects encoded blocks, then lays out header, directory, indexes and data in one pass.
 *
 * The blocks wait in memory: encoded, they take a tenth of what the converter holds for the same intervals. The file is
 * then written front to back, and its first bytes have everything that a reader needs first.
 */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/fail.h"
#include "writer/complete_intervals.h"
#include "writer/encode_functions.h"
#include "writer/encode_tables.h"
#include "writer/name_order.h"
#include "writer/output.h"

struct locus_writer {
	struct locus_writer_options options;
	struct locus_output output;
	struct locus_section_out sections[LOCUS_SECTION_ID_END]; /* by id */
	struct locus_encoded *blocks;                            /* blocks of intervals appended so far */
	uint32_t block_count;
	uint32_t block_capacity;
	uint64_t interval_count;
};

enum locus_status locus_writer_new(const char *path, const struct locus_writer_options *options,
				   struct locus_writer **ret, struct locus_error *error)
{
	if (options->level < 0 || options->level > LOCUS_WRITER_LEVEL_MAX)
		return locus_fail(error, LOCUS_ERR_USAGE, "level %d is not 0 to %d", options->level,
				  LOCUS_WRITER_LEVEL_MAX);
	if (!options->block_size || options->block_size > LOCUS_BLOCK_ENTRIES_MAX)
		return locus_fail(error, LOCUS_ERR_USAGE, "block size %u is not 1 to %u", options->block_size,
				  LOCUS_BLOCK_ENTRIES_MAX);

	struct locus_writer *writer = calloc(1, sizeof(*writer));
	if (!writer)
		return locus_fail_memory(error);
	writer->options = *options;
	enum locus_status status = locus_output_init(&writer->output, path, error);
	if (status != LOCUS_OK) {
		locus_writer_free(writer);
		return status;
	}
	*ret = writer;
	return LOCUS_OK;
}

void locus_writer_free(struct locus_writer *writer)
{
	if (!writer)
		return;
	for (unsigned i = 0; i < LOCUS_SECTION_ID_END; i++)
		locus_section_out_done(&writer->sections[i]);
	for (uint32_t i = 0; i < writer->block_count; i++)
		locus_encoded_free(&writer->blocks[i]);
	free(writer->blocks);
	locus_output_done(&writer->output);
	free(writer);
}

static bool grow_blocks(struct locus_writer *writer)
{
	if (writer->block_count < writer->block_capacity)
		return true;
	uint64_t capacity = (uint64_t)writer->block_capacity * 2 + 16;
	struct locus_encoded *blocks =
		capacity > UINT32_MAX ? NULL : realloc(writer->blocks, capacity * sizeof(*blocks));
	if (!blocks)
		return false;
	writer->blocks = blocks;
	writer->block_capacity = (uint32_t)capacity;
	return true;
}

enum locus_status locus_writer_append(struct locus_writer *writer, struct locus_encoded *encoded,
				      struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	if (writer->block_count && encoded->start <= writer->blocks[writer->block_count - 1].last_start)
		status = locus_fail(error, LOCUS_ERR_USAGE, "blocks do not come in address order");
	else if (encoded->interval_count > LOCUS_INTERVALS_MAX - writer->interval_count)
		status = locus_fail(error, LOCUS_ERR_USAGE, "more than %u intervals", LOCUS_INTERVALS_MAX);
	else if (!grow_blocks(writer))
		status = locus_fail_memory(error);

	if (status != LOCUS_OK) {
		locus_encoded_free(encoded);
		return status;
	}

	writer->interval_count += encoded->interval_count;
	writer->blocks[writer->block_count++] = *encoded;
	*encoded = (struct locus_encoded){0};
	return LOCUS_OK;
}

/* ---- Finishing ---- */

/* Collects section 6, whose blocks came with the blocks of intervals. */
static enum locus_status take_source_columns(struct locus_writer *writer, struct locus_error *error)
{
	struct locus_section_out *section = &writer->sections[LOCUS_SECTION_SOURCE_COLUMNS];
	enum locus_status status = LOCUS_OK;
	for (uint32_t i = 0; i < writer->block_count && status == LOCUS_OK; i++) {
		struct locus_packed *packed = &writer->blocks[i].columns->source_columns;
		if (!packed->data && !section->count)
			continue;
		if (!packed->data || section->count != i)
			return locus_fail(error, LOCUS_ERR_USAGE, "some blocks have columns, and some have not");
		status = locus_section_out_add(section, packed, error);
	}
	return status;
}

static enum locus_status check_tables(const struct locus_writer *writer, unsigned thread_count,
				      struct locus_error *error)
{
	if (!thread_count)
		return locus_fail(error, LOCUS_ERR_USAGE, "no thread to encode with");
	if (writer->block_count && !writer->blocks[writer->block_count - 1].ends_in_gap)
		return locus_fail(error, LOCUS_ERR_USAGE, "the last interval is not a gap");
	return LOCUS_OK;
}

/* How the functions' records are numbered. NULL: as the functions are. */
struct numbering {
	uint32_t *order;     /* by record, the index of its function */
	uint32_t *record_of; /* by index of the function */
};

/* The tables that a thread encodes as a whole, the largest first. */
static const enum locus_section small_tables[] = {
	LOCUS_SECTION_ALTERNATES,
	LOCUS_SECTION_FILES,
	LOCUS_SECTION_META,
};

struct small_encoding {
	const struct locus_tables *tables;
	const uint32_t *record_of;
	struct locus_section_out *sections;
};

static enum locus_status encode_small(void *argument, uint32_t index, struct locus_packer *packer,
				      struct locus_error *error)
{
	const struct small_encoding *encoding = argument;
	const struct locus_tables *tables = encoding->tables;
	struct locus_section_out *ret = &encoding->sections[small_tables[index]];
	switch (small_tables[index]) {
	case LOCUS_SECTION_ALTERNATES:
		return locus_tables_alternates(tables, encoding->record_of, packer, ret, error);
	case LOCUS_SECTION_FILES:
		return locus_tables_files(tables, packer, ret, error);
	default:
		return locus_tables_meta(&tables->meta, packer, ret, error);
	}
}

static enum locus_status encode_sections(struct locus_writer *writer, const struct locus_tables *tables,
					 const struct numbering *numbering, unsigned thread_count,
					 struct locus_error *error)
{
	const struct locus_effort effort = {writer->options.level, thread_count};
	const struct locus_completion intervals = {writer->blocks, writer->block_count, tables->function_count,
						   numbering->record_of};
	struct locus_section_out *sections = writer->sections;
	struct small_encoding small = {tables, numbering->record_of, sections};
	const struct locus_other_work other = {encode_small, &small, sizeof(small_tables) / sizeof(*small_tables)};
	enum locus_status status =
		locus_intervals_complete(&intervals, other, effort, &sections[LOCUS_SECTION_INTERVALS], error);
	if (status == LOCUS_OK)
		status = locus_functions_encode(tables, numbering->order, effort, &sections[LOCUS_SECTION_FUNCTIONS],
						error);
	return status;
}

static enum locus_status encode_tables(struct locus_writer *writer, const struct locus_tables *tables,
				       unsigned thread_count, struct locus_error *error)
{
	struct numbering numbering = {0};
	enum locus_status status = locus_order_choose(tables, thread_count, &numbering.order, error);
	if (status != LOCUS_OK)
		return status;

	if (numbering.order) {
		numbering.record_of = malloc(tables->function_count * sizeof(*numbering.record_of));
		if (!numbering.record_of)
			status = locus_fail_memory(error);
		for (uint32_t i = 0; numbering.record_of && i < tables->function_count; i++)
			numbering.record_of[numbering.order[i]] = i;
	}
	if (status == LOCUS_OK)
		status = encode_sections(writer, tables, &numbering, thread_count, error);
	free(numbering.order);
	free(numbering.record_of);
	return status;
}

/* What stands before the blocks, and what it is made of. */
struct head {
	struct locus_buffer bytes;   /* header and directory */
	struct locus_buffer indexes; /* which stand behind them */
	struct locus_buffer directory;
	struct locus_buffer digest; /* the input of the content digest */
};

static void head_done(struct head *head)
{
	locus_buffer_done(&head->bytes);
	locus_buffer_done(&head->indexes);
	locus_buffer_done(&head->directory);
	locus_buffer_done(&head->digest);
}

/* Writes the head of the file, whose size becomes *ret_size. False: out of memory. */
static bool put_head(const struct locus_writer *writer, struct head *ret, uint64_t *ret_size)
{
	struct locus_buffer *head = &ret->bytes, *indexes = &ret->indexes, *directory = &ret->directory,
			    *digest = &ret->digest;
	uint32_t count = 0;
	uint64_t size = 0;
	for (unsigned id = 1; id < LOCUS_SECTION_ID_END; id++) {
		const struct locus_section_out *section = &writer->sections[id];
		if (LOCUS_SECTIONS_MAY_LACK & 1u << id && !section->count)
			continue;
		locus_section_out_index(section, id, indexes, directory);
		locus_section_out_digest(section, id, digest);
		for (uint32_t i = 0; i < section->count; i++)
			size += section->blocks[i].size;
		count++;
	}
	if (directory->failed || indexes->failed || digest->failed)
		return false;

	/* The checksums come last: the directory's stands in the header, whose own covers the bytes before it. */
	XXH128_hash_t hash = XXH3_128bits(digest->data, digest->size);
	size += LOCUS_HEADER_SIZE + directory->size + indexes->size;
	locus_buffer_put(head, LOCUS_MAGIC, LOCUS_MAGIC_SIZE);
	locus_buffer_put_u32(head, LOCUS_FORMAT_VERSION);
	locus_buffer_put_u32(head, count);
	locus_buffer_put_u64(head, size);
	locus_buffer_put_u64(head, hash.low64);
	locus_buffer_put_u64(head, hash.high64);
	locus_buffer_put_u64(head, LOCUS_HEADER_SIZE + directory->size + indexes->size);
	locus_buffer_put_u64(head, XXH3_64bits(directory->data, directory->size));
	if (!head->failed)
		locus_buffer_put_u64(head, XXH3_64bits(head->data, LOCUS_HEADER_CHECKSUM));
	locus_buffer_put(head, directory->data, directory->size);
	*ret_size = size;
	return !head->failed;
}

static enum locus_status write_blocks(struct locus_writer *writer, struct locus_error *error)
{
	struct iovec parts[LOCUS_OUTPUT_PARTS_MAX];
	unsigned count = 0;
	for (unsigned id = 1; id < LOCUS_SECTION_ID_END; id++) {
		const struct locus_section_out *section = &writer->sections[id];
		for (uint32_t i = 0; i < section->count; i++) {
			parts[count++] = (struct iovec){section->blocks[i].data, section->blocks[i].size};
			if (count < LOCUS_OUTPUT_PARTS_MAX)
				continue;
			enum locus_status status = locus_output_write_parts(&writer->output, parts, count, error);
			if (status != LOCUS_OK)
				return status;
			count = 0;
		}
	}
	return locus_output_write_parts(&writer->output, parts, count, error);
}

static enum locus_status write_file(struct locus_writer *writer, uint64_t *ret_size, struct locus_error *error)
{
	struct head head = {0};
	bool memory = put_head(writer, &head, ret_size);
	enum locus_status status = memory ? locus_output_create(&writer->output, error) : locus_fail_memory(error);

	/* The order in the file: header and directory, the indexes, the blocks. */
	if (status == LOCUS_OK)
		status = locus_output_write(&writer->output, head.bytes.data, head.bytes.size, error);
	if (status == LOCUS_OK)
		status = locus_output_write(&writer->output, head.indexes.data, head.indexes.size, error);
	if (status == LOCUS_OK)
		status = write_blocks(writer, error);
	if (status == LOCUS_OK)
		status = locus_output_commit(&writer->output, writer->options.sync, error);

	head_done(&head);
	return status;
}

enum locus_status locus_writer_tables(struct locus_writer *writer, const struct locus_tables *tables,
				      unsigned thread_count, struct locus_error *error)
{
	enum locus_status status = check_tables(writer, thread_count, error);
	if (status == LOCUS_OK)
		status = encode_tables(writer, tables, thread_count, error);
	if (status == LOCUS_OK)
		status = take_source_columns(writer, error);
	return status;
}

enum locus_status locus_writer_finish(struct locus_writer *writer, uint64_t *ret_size, struct locus_error *error)
{
	uint64_t size = 0;
	enum locus_status status = write_file(writer, &size, error);
	if (status == LOCUS_OK && ret_size)
		*ret_size = size;
	return status;
}

void locus_writer_take(struct locus_writer *writer, void **ret_data, size_t *ret_size)
{
	struct locus_buffer *memory = &writer->output.memory;
	*ret_data = memory->data;
	*ret_size = memory->size;
	*memory = (struct locus_buffer){0};
}
