/*
 * The writer: collects encoded blocks, then lays out header, directory, indexes and data in one pass.
 *
 * Encoded blocks are a tenth of what the converter holds for the same intervals, so they wait in memory. The file is
 * then written front to back, with everything a reader needs first in its first bytes.
 */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/fail.h"
#include "writer/encode_functions.h"
#include "writer/locus_writer.h"
#include "writer/output.h"
#include "writer/section.h"
#include "writer/tables.h"

enum { LEVEL_MAX = 22 };

struct locus_writer {
	struct locus_writer_options options;
	struct locus_output output;
	struct locus_section_out sections[LOCUS_SECTION_ID_END]; /* by id */
	uint64_t interval_count;
	uint64_t last_start; /* of the intervals so far */
	uint32_t function_next;
	bool ends_in_gap;
};

enum locus_status locus_writer_new(const char *path, const struct locus_writer_options *options,
				   struct locus_writer **ret, struct locus_error *error)
{
	if (options->level < 0 || options->level > LEVEL_MAX)
		return locus_fail(error, LOCUS_ERR_USAGE, "level %d is not 0 to %d", options->level, LEVEL_MAX);
	if (!options->block_size || options->block_size > LOCUS_BLOCK_ENTRIES_MAX)
		return locus_fail(error, LOCUS_ERR_USAGE, "block size %u is not 1 to %u", options->block_size,
				  LOCUS_BLOCK_ENTRIES_MAX);
	struct locus_writer *writer = calloc(1, sizeof(*writer));
	if (!writer)
		return locus_fail_memory(error);
	writer->options = *options;
	writer->function_next = 1;
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
	locus_output_done(&writer->output);
	free(writer);
}

enum locus_status locus_writer_append(struct locus_writer *writer, struct locus_encoded *encoded,
				      struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	if (writer->interval_count && encoded->start <= writer->last_start)
		status = locus_fail(error, LOCUS_ERR_USAGE, "blocks do not come in address order");
	else if (encoded->function_first != writer->function_next)
		status = locus_fail(error, LOCUS_ERR_USAGE, "a block's functions start at %u, not at %u",
				    encoded->function_first, writer->function_next);
	else if (encoded->interval_count > LOCUS_INTERVALS_MAX - writer->interval_count)
		status = locus_fail(error, LOCUS_ERR_USAGE, "more than %u intervals", LOCUS_INTERVALS_MAX);
	if (status != LOCUS_OK) {
		locus_encoded_free(encoded);
		return status;
	}
	writer->interval_count += encoded->interval_count;
	writer->last_start = encoded->last_start;
	writer->function_next = encoded->function_next;
	writer->ends_in_gap = encoded->ends_in_gap;
	struct locus_packed packed = {
		.data = encoded->data,
		.size = encoded->size,
		.checksum = encoded->checksum,
		.digest = {encoded->digest[0], encoded->digest[1]},
		.raw_size = encoded->raw_size,
		.key = encoded->start,
		.entry_count = encoded->interval_count,
	};
	*encoded = (struct locus_encoded){0};
	return locus_section_out_add(&writer->sections[LOCUS_SECTION_INTERVALS], &packed, error);
}

/* ---- Finishing ---- */

static enum locus_status check_tables(const struct locus_writer *writer, const struct locus_tables *tables,
				      unsigned thread_count, struct locus_error *error)
{
	if (!thread_count)
		return locus_fail(error, LOCUS_ERR_USAGE, "no thread to encode with");
	if (writer->interval_count && !writer->ends_in_gap)
		return locus_fail(error, LOCUS_ERR_USAGE, "the last interval is not a gap");
	if (tables->function_count < writer->function_next - 1)
		return locus_fail(error, LOCUS_ERR_USAGE, "intervals use %u functions, the table has %u",
				  writer->function_next - 1, tables->function_count);
	return LOCUS_OK;
}

static enum locus_status encode_tables(struct locus_writer *writer, const struct locus_tables *tables,
				       unsigned thread_count, struct locus_error *error)
{
	struct locus_section_out *sections = writer->sections;
	struct locus_packer packer;
	enum locus_status status = locus_packer_init(&packer, writer->options.level, error);
	if (status == LOCUS_OK)
		status = locus_tables_meta(&tables->meta, &packer, &sections[LOCUS_SECTION_META], error);
	if (status == LOCUS_OK)
		status = locus_tables_files(tables, &packer, &sections[LOCUS_SECTION_FILES], error);
	if (status == LOCUS_OK)
		status = locus_tables_alternates(tables, &packer, &sections[LOCUS_SECTION_ALTERNATES], error);
	locus_packer_done(&packer);
	if (status == LOCUS_OK)
		status = locus_functions_encode(tables, writer->options.level, thread_count, sections, error);
	return status;
}

/* Header and directory to `head`, the indexes to `indexes`. */
static void put_head(const struct locus_writer *writer, struct locus_buffer *head, struct locus_buffer *directory,
		     struct locus_buffer *indexes, struct locus_buffer *digest, uint64_t *ret_size)
{
	uint32_t count = 0;
	uint64_t size = 0;
	for (unsigned id = 1; id < LOCUS_SECTION_ID_END; id++) {
		const struct locus_section_out *section = &writer->sections[id];
		if (id == LOCUS_SECTION_ORDER && !section->count)
			continue;
		locus_section_out_index(section, id, indexes, directory);
		locus_section_out_digest(section, id, digest);
		for (uint32_t i = 0; i < section->count; i++)
			size += section->blocks[i].size;
		count++;
	}
	if (directory->failed || indexes->failed || digest->failed)
		return;
	XXH128_hash_t hash = XXH3_128bits(digest->data, digest->size);
	size += LOCUS_HEADER_SIZE + directory->size + indexes->size;
	locus_buffer_put(head, LOCUS_MAGIC, LOCUS_MAGIC_SIZE);
	locus_buffer_put_u32(head, LOCUS_FORMAT_VERSION);
	locus_buffer_put_u32(head, count);
	locus_buffer_put_u64(head, size);
	locus_buffer_put_u64(head, hash.low64);
	locus_buffer_put_u64(head, hash.high64);
	locus_buffer_put_u64(head, 0);
	locus_buffer_put_u64(head, XXH3_64bits(directory->data, directory->size));
	if (!head->failed)
		locus_buffer_put_u64(head, XXH3_64bits(head->data, LOCUS_HEADER_CHECKSUM));
	locus_buffer_put(head, directory->data, directory->size);
	*ret_size = size;
}

static enum locus_status write_blocks(struct locus_writer *writer, struct locus_error *error)
{
	for (unsigned id = 1; id < LOCUS_SECTION_ID_END; id++) {
		const struct locus_section_out *section = &writer->sections[id];
		for (uint32_t i = 0; i < section->count; i++) {
			enum locus_status status = locus_output_write(&writer->output, section->blocks[i].data,
								      section->blocks[i].size, error);
			if (status != LOCUS_OK)
				return status;
		}
	}
	return LOCUS_OK;
}

static enum locus_status write_file(struct locus_writer *writer, uint64_t *ret_size, struct locus_error *error)
{
	struct locus_buffer head = {0}, directory = {0}, indexes = {0}, digest = {0};
	put_head(writer, &head, &directory, &indexes, &digest, ret_size);
	bool failed = head.failed || directory.failed || indexes.failed || digest.failed;
	enum locus_status status = failed ? locus_fail_memory(error) : locus_output_create(&writer->output, error);
	if (status == LOCUS_OK)
		status = locus_output_write(&writer->output, head.data, head.size, error);
	if (status == LOCUS_OK)
		status = locus_output_write(&writer->output, indexes.data, indexes.size, error);
	if (status == LOCUS_OK)
		status = write_blocks(writer, error);
	if (status == LOCUS_OK)
		status = locus_output_commit(&writer->output, error);
	locus_buffer_done(&head);
	locus_buffer_done(&directory);
	locus_buffer_done(&indexes);
	locus_buffer_done(&digest);
	return status;
}

enum locus_status locus_writer_finish(struct locus_writer *writer, const struct locus_tables *tables,
				      unsigned thread_count, uint64_t *ret_size, struct locus_error *error)
{
	uint64_t size = 0;
	enum locus_status status = check_tables(writer, tables, thread_count, error);
	if (status == LOCUS_OK)
		status = encode_tables(writer, tables, thread_count, error);
	if (status == LOCUS_OK)
		status = write_file(writer, &size, error);
	if (status == LOCUS_OK && ret_size)
		*ret_size = size;
	return status;
}
