/* The blocks of one section as the writer collects them, their index and their part of the digest (FORMAT.md 4, 5). */
#include "writer/section_blocks.h"

#include <stdlib.h>

#include <xxhash.h>

#include "base/fail.h"

static const uint16_t section_flags[LOCUS_SECTION_ID_END] = {
#define X(id, value, name, flags, columns) [value] = (flags),
	LOCUS_SECTIONS(X)
#undef X
};

void locus_section_out_done(struct locus_section_out *section)
{
	for (uint32_t i = 0; i < section->count; i++)
		free(section->blocks[i].data);
	free(section->blocks);
	*section = (struct locus_section_out){0};
}

enum locus_status locus_section_out_reserve(struct locus_section_out *section, uint32_t count,
					    struct locus_error *error)
{
	if (section->capacity - section->count >= count)
		return LOCUS_OK;
	uint64_t capacity = (uint64_t)section->count + count + section->count / 2 + 16;
	struct locus_packed *blocks =
		capacity > UINT32_MAX ? NULL : realloc(section->blocks, capacity * sizeof(*blocks));
	if (!blocks)
		return locus_fail_memory(error);
	section->blocks = blocks;
	section->capacity = (uint32_t)capacity;
	return LOCUS_OK;
}

enum locus_status locus_section_out_add(struct locus_section_out *section, struct locus_packed *block,
					struct locus_error *error)
{
	enum locus_status status = locus_section_out_reserve(section, 1, error);
	if (status == LOCUS_OK)
		section->blocks[section->count++] = *block;
	else
		free(block->data);
	*block = (struct locus_packed){0};
	return status;
}

void locus_section_out_index(const struct locus_section_out *section, enum locus_section id, struct locus_buffer *index,
			     struct locus_buffer *directory)
{
	size_t start = index->size;
	uint64_t key = 0, entry_count = 0, data_size = 0, raw_size = 0;
	for (uint32_t i = 0; i < section->count; i++) {
		const struct locus_packed *block = &section->blocks[i];
		locus_buffer_put_varint(index, block->key - key);
		locus_buffer_put_varint(index, block->entry_count);
		locus_buffer_put_varint(index, block->size);
		locus_buffer_put_u64(index, block->checksum);
		key = block->key;
		entry_count += block->entry_count;
		data_size += block->size;
		raw_size += block->raw_size;
	}

	size_t size =
		index->failed ? 0 : index->size - start; /* what failed has lost the indexes before this one, too */
	const void *bytes = size ? index->data + start : (const void *)"";
	locus_buffer_put_u16(directory, (uint16_t)id);
	locus_buffer_put_u16(directory, section_flags[id]);
	locus_buffer_put_u32(directory, section->count);
	locus_buffer_put_u64(directory, entry_count);
	locus_buffer_put_u64(directory, size);
	locus_buffer_put_u64(directory, data_size);
	locus_buffer_put_u64(directory, raw_size);
	locus_buffer_put_u64(directory, XXH3_64bits(bytes, size));
}

void locus_section_out_digest(const struct locus_section_out *section, enum locus_section id,
			      struct locus_buffer *digest)
{
	if (!(section_flags[id] & LOCUS_SECTION_CONTENT))
		return;
	locus_buffer_put_u64(digest, id);
	locus_buffer_put_u64(digest, section->count);
	for (uint32_t i = 0; i < section->count; i++) {
		const struct locus_packed *block = &section->blocks[i];
		locus_buffer_put_u64(digest, block->key);
		locus_buffer_put_u64(digest, block->entry_count);
		locus_buffer_put_u64(digest, block->digest[0]);
		locus_buffer_put_u64(digest, block->digest[1]);
	}
}
