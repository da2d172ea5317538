/* Opening and closing, scratches, and what the directory and the meta data say. */

#include <stdlib.h>

#include "base/fail.h"
#include "reader/blocks/meta.h"
#include "reader/handle/embedded.h"
#include "reader/handle/head.h"

/* What a new scratch takes: its frames and zstd's state, whose size zstd only tells once it is allocated. */
enum { ZSTD_SIZE = 160 << 10 };
#define SCRATCH_SIZE \
	(sizeof(struct locus_scratch) + LOCUS_DEPTH_MAX * (sizeof(struct locus_frame) + sizeof(void *)) + ZSTD_SIZE)

/* ---- Opening and closing ---- */

/*
 * How much of a handle's memory is set aside for blocks that are in use but not kept, for names and for working memory:
 * an eighth, but no less than an answer may need, half where there is little memory, and always what every handle has.
 * It is no more than it must be, because random lookups are ten times slower once a program has more blocks than are
 * kept.
 */
static size_t not_kept_max(size_t max)
{
	enum { ANSWER_SIZE = 16 << 20 };
	size_t half = max / 2 < ANSWER_SIZE ? max / 2 : ANSWER_SIZE;
	size_t least = half > LOCUS_MEMORY_MIN ? half : LOCUS_MEMORY_MIN;

	return max / 8 > least ? max / 8 : least;
}

/* What a handle may take where its opener does not say. */
static size_t default_max(uint64_t file_size)
{
	const uint64_t most = (SIZE_MAX - LOCUS_MEMORY_DEFAULT) / LOCUS_MEMORY_PER_BYTE;

	return LOCUS_MEMORY_DEFAULT + LOCUS_MEMORY_PER_BYTE * (size_t)(file_size < most ? file_size : most);
}

static enum locus_status open_source(struct locus_source source, const struct locus_open_options *options,
				     struct locus **ret, struct locus_error *error)
{
	struct locus *locus = calloc(1, sizeof(*locus));
	if (!locus) {
		locus_source_done(&source);
		return locus_fail_memory(error);
	}

	locus->source = source;
	locus_embedded_find(&locus->source);
	size_t max = options ? options->memory_max_bytes : 0;
	max = max ? max : default_max(locus->source.size);
	max = max > LOCUS_MEMORY_MIN ? max : LOCUS_MEMORY_MIN;
	locus->allowance.max = max;
	atomic_init(&locus->allowance.used, 0);
	locus->kept_max = max - not_kept_max(max);
	atomic_init(&locus->kept, 0);
	atomic_init(&locus->unfolded, 0);
	atomic_init(&locus->meta, NULL);
	enum locus_status status = locus_head_read(locus, error);
	if (status != LOCUS_OK) {
		locus_close(locus);
		return status;
	}
	*ret = locus;
	return LOCUS_OK;
}

enum locus_status locus_open(const char *path, const struct locus_open_options *options, struct locus **ret,
			     struct locus_error *error)
{
	struct locus_source source;
	enum locus_status status = locus_source_open(&source, path, error);
	return status == LOCUS_OK ? open_source(source, options, ret, error) : status;
}

enum locus_status locus_open_memory(const void *data, size_t size, const struct locus_open_options *options,
				    struct locus **ret, struct locus_error *error)
{
	struct locus_source source = {.fd = -1, .memory = data, .size = size};
	return open_source(source, options, ret, error);
}

void locus_close(struct locus *locus)
{
	if (!locus)
		return;
	locus_meta_free(locus, atomic_load(&locus->meta));
	locus_head_done(locus);
	locus_pool_done(&locus->pool, &locus->allowance);
	locus_source_done(&locus->source);
	free(locus);
}

enum locus_status locus_scratch_new(const struct locus *locus, struct locus_scratch **ret, struct locus_error *error)
{
	/* The cast is safe: handles are never const objects, and a new scratch must be counted in the allowance. */
	struct locus_allowance *allowance = &((struct locus *)locus)->allowance;
	enum locus_status status = locus_allowance_take(allowance, SCRATCH_SIZE, error);
	if (status != LOCUS_OK)
		return status;
	struct locus_scratch *scratch = calloc(1, sizeof(*scratch));
	if (!scratch) {
		locus_allowance_give(allowance, SCRATCH_SIZE);
		return locus_fail_memory(error);
	}
	scratch->allowance = allowance;
	scratch->context = ZSTD_createDCtx();
	scratch->frames = malloc(LOCUS_DEPTH_MAX * sizeof(*scratch->frames));
	scratch->functions = malloc(LOCUS_DEPTH_MAX * sizeof(*scratch->functions));
	if (!scratch->context || !scratch->frames || !scratch->functions) {
		locus_scratch_free(scratch);
		return locus_fail_memory(error);
	}
	*ret = scratch;
	return LOCUS_OK;
}

void locus_scratch_free(struct locus_scratch *scratch)
{
	if (!scratch)
		return;
	size_t file_lines_size = scratch->file_lines_size;
	struct locus_allowance *allowance = scratch->allowance;
	for (size_t i = 0; i < scratch->held_count; i++)
		locus_allowance_free(allowance, scratch->held[i].block);
	ZSTD_freeDCtx(scratch->context);
	locus_allowance_free(allowance, scratch->stored.data);
	locus_allowance_free(allowance, scratch->raw.data);
	locus_allowance_free(allowance, scratch->state.data);
	locus_allowance_free(allowance, scratch->alternates);
	locus_allowance_free(allowance, scratch->ahead);
	locus_allowance_free(allowance, scratch->held);
	free(scratch->file_lines);
	free(scratch->frames);
	free(scratch->functions);
	free(scratch);
	locus_allowance_give(allowance, SCRATCH_SIZE + file_lines_size);
}

/* ---- What the file says of itself ---- */

static uint32_t entry_count(const struct locus *locus, enum locus_section id)
{
	return (uint32_t)locus->known[id]->entry_count;
}

uint32_t locus_interval_count(const struct locus *locus)
{
	return entry_count(locus, LOCUS_SECTION_INTERVALS);
}

uint32_t locus_function_count(const struct locus *locus)
{
	return entry_count(locus, LOCUS_SECTION_FUNCTIONS);
}

uint32_t locus_file_count(const struct locus *locus)
{
	return entry_count(locus, LOCUS_SECTION_FILES);
}

uint32_t locus_alternate_count(const struct locus *locus)
{
	return entry_count(locus, LOCUS_SECTION_ALTERNATES);
}

struct locus_identity locus_identity(const struct locus *locus)
{
	return locus->identity;
}

uint64_t locus_file_size(const struct locus *locus)
{
	return locus->file_size;
}

size_t locus_memory_size(const struct locus *locus)
{
	return atomic_load_explicit(&locus->allowance.used, memory_order_relaxed);
}

uint32_t locus_format_version(const struct locus *locus)
{
	return locus->version;
}

uint32_t locus_section_count(const struct locus *locus)
{
	return locus->section_count;
}

enum locus_status locus_section_at(const struct locus *locus, uint32_t index, struct locus_section_info *ret,
				   struct locus_error *error)
{
	if (index >= locus->section_count)
		return locus_fail_at(error, LOCUS_ERR_USAGE, LOCUS_NO_OFFSET, "no section %u", index);
	const struct locus_section_in *section = &locus->sections[index];
	*ret = (struct locus_section_info){
		.id = section->id,
		.name = locus_section_name(section),
		.required = section->flags & LOCUS_SECTION_REQUIRED,
		.block_count = section->block_count,
		.entry_count = section->entry_count,
		.index_size = section->index_size,
		.data_size = section->data_size,
		.raw_size = section->raw_size,
	};
	return LOCUS_OK;
}

enum locus_status locus_info(struct locus *locus, const struct locus_info **ret, struct locus_error *error)
{
	struct locus_meta_in *meta = atomic_load(&locus->meta), *mine = NULL;
	if (!meta) {
		struct locus_scratch *scratch;
		enum locus_status status = locus_scratch_new(locus, &scratch, error);
		if (status != LOCUS_OK)
			return status;
		status = locus_meta_read(locus, scratch, &mine, error);
		locus_scratch_free(scratch);
		if (status != LOCUS_OK)
			return status;

		/* Two threads may have read them at once: the first one keeps its own. */
		if (atomic_compare_exchange_strong(&locus->meta, &meta, mine))
			meta = mine;
		else
			locus_meta_free(locus, mine);
	}
	*ret = locus_meta_info(meta);
	return LOCUS_OK;
}
