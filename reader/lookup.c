/* Addresses to intervals, intervals to frames, and the tables' entries one by one (FORMAT.md 7). */
#include <stdlib.h>

#include "base/fail.h"
#include "reader/search.h"

/* ---- Entries of the tables ---- */

/* Gets the block that holds an entry of a table, whose ids count from 1, and the entry's index in that block. */
static enum locus_status get_entry(struct locus *locus, struct locus_scratch *scratch, enum locus_section table,
				   uint32_t id, const struct locus_decoded **ret, uint32_t *ret_index,
				   struct locus_error *error)
{
	struct locus_section_in *section = locus->known[table];
	uint32_t block_index = locus_section_block_of(section, id - 1);
	*ret_index = id - 1 - section->firsts[block_index];
	struct locus_want want = {.count = *ret_index + 1, .address = UINT64_MAX};
	struct locus_block_ref ref = {locus, scratch, section, block_index};
	return locus_cache_get(ref, want, ret, error);
}

static enum locus_status get_file(struct locus *locus, struct locus_scratch *scratch, uint32_t id,
				  const struct locus_file_info **ret, struct locus_error *error)
{
	const struct locus_decoded *block;
	uint32_t index;
	enum locus_status status = get_entry(locus, scratch, LOCUS_SECTION_FILES, id, &block, &index, error);
	if (status == LOCUS_OK)
		*ret = locus_files_records(block) + index;
	return status;
}

static struct locus_string name_of(const struct locus_function_in *function)
{
	return (struct locus_string){function->name_size ? function->name : NULL, function->name_size};
}

static struct locus_string linkage_of(const struct locus_function_in *function)
{
	uint32_t size = function->linkage_size;
	return (struct locus_string){size ? function->name + function->linkage : NULL, size};
}

enum locus_status locus_function_at(struct locus *locus, struct locus_scratch *scratch, uint32_t id,
				    struct locus_function_info *ret, struct locus_error *error)
{
	const struct locus_decoded *block;
	uint32_t index;
	scratch->use++;
	if (!id || id > locus_function_count(locus))
		return locus_fail_at(error, LOCUS_ERR_USAGE, LOCUS_NO_OFFSET, "no function %u", id);
	enum locus_status status = get_entry(locus, scratch, LOCUS_SECTION_FUNCTIONS, id, &block, &index, error);
	if (status != LOCUS_OK)
		return status;
	const struct locus_function_in *function = locus_functions_records(block) + index;
	*ret = (struct locus_function_info){
		.name = name_of(function),
		.linkage = linkage_of(function),
		.decl_file_id = function->decl_file,
		.decl_line = function->decl_line,
		.language = function->language,
	};
	return LOCUS_OK;
}

enum locus_status locus_file_at(struct locus *locus, struct locus_scratch *scratch, uint32_t id,
				struct locus_file_info *ret, struct locus_error *error)
{
	const struct locus_file_info *file;
	scratch->use++;
	if (!id || id > locus_file_count(locus))
		return locus_fail_at(error, LOCUS_ERR_USAGE, LOCUS_NO_OFFSET, "no file %u", id);
	enum locus_status status = get_file(locus, scratch, id, &file, error);
	if (status == LOCUS_OK)
		*ret = *file;
	return status;
}

/* ---- Intervals ---- */

static enum locus_status get_intervals(struct locus_block_ref ref, struct locus_want want,
				       const struct locus_intervals **ret, struct locus_error *error)
{
	const struct locus_decoded *block;
	enum locus_status status = locus_cache_get(ref, want, &block, error);
	if (status == LOCUS_OK)
		*ret = (const struct locus_intervals *)(const void *)block;
	return status;
}

static enum locus_answer answer_of(const struct locus_intervals *block, struct locus_place place)
{
	if (place.context == LOCUS_PLACE_GAP)
		return LOCUS_ANSWER_NONE;
	if (!(place.context & LOCUS_PLACE_UNKNOWN_LINE))
		return LOCUS_ANSWER_OK;
	const struct locus_context *context = &block->contexts[place.context & LOCUS_PLACE_CONTEXT];
	return context->caller & LOCUS_CONTEXT_IS_SYMBOL ? LOCUS_ANSWER_SYMBOL : LOCUS_ANSWER_NO_LINE;
}

/* An interval: its block and its index there. block NULL: an address below the first interval. */
struct found_interval {
	const struct locus_intervals *block;
	uint32_t block_index;
	uint32_t index;
	struct locus_interval interval;
	const struct locus_ahead *ahead; /* what locus_prefetch found of the address; NULL: nothing */
};

/* Completes what was found by its block and index, and makes it the next lookup's hint. */
static void describe(const struct locus_section_in *section, struct locus_scratch *scratch,
		     struct found_interval *found)
{
	const struct locus_intervals *block = found->block;
	uint32_t i = found->index;
	uint64_t end = UINT64_MAX;
	if (i + 1 < block->count)
		end = locus_intervals_start(block, i + 1);
	else if (found->block_index + 1 < section->block_count)
		end = section->keys[found->block_index + 1];
	found->interval = (struct locus_interval){
		.start = locus_intervals_start(block, i),
		.end = end,
		.locid = section->firsts[found->block_index] + block->first + i,
		.answer = answer_of(block, locus_intervals_place(block, i)),
	};
	scratch->block = found->block_index;
	scratch->interval = i;
}

/* What locus_prefetch found of the address, if its lookup is the next one expected; NULL: nothing. */
static const struct locus_ahead *take_ahead(struct locus_scratch *scratch, uint64_t address)
{
	if (scratch->ahead_next == scratch->ahead_count || scratch->ahead[scratch->ahead_next].address != address)
		return NULL;
	const struct locus_ahead *ahead = &scratch->ahead[scratch->ahead_next++];
	return ahead->block ? ahead : NULL;
}

/*
 * Whether a block holds the address. It takes one branch: of two, an address in another block would mispredict the
 * first.
 */
static bool holds_address(const struct locus_section_in *section, uint32_t index, uint64_t address)
{
	uint64_t start = section->keys[index];
	uint64_t end = index + 1 < section->block_count ? section->keys[index + 1] : UINT64_MAX;
	return address - start < end - start;
}

/* Finds the block and the index of an address that is not below the first interval. */
static enum locus_status search(struct locus *locus, struct locus_scratch *scratch, uint64_t address,
				struct found_interval *ret, struct locus_error *error)
{
	struct locus_section_in *section = locus->known[LOCUS_SECTION_INTERVALS];
	uint32_t index = scratch->block, hint = scratch->interval;
	if (!holds_address(section, index, address)) {
		index = locus_section_block_at(section, address);
		hint = UINT32_MAX;
	}
	struct locus_block_ref ref = {locus, scratch, section, index};
	struct locus_want want = {.count = UINT32_MAX, .address = address};
	enum locus_status status = get_intervals(ref, want, &ret->block, error);
	if (status != LOCUS_OK)
		return status;
	ret->block_index = index;
	ret->index = locus_intervals_find(ret->block, address, hint);
	return LOCUS_OK;
}

static enum locus_status find(struct locus *locus, struct locus_scratch *scratch, uint64_t address,
			      struct found_interval *ret, struct locus_error *error)
{
	const struct locus_section_in *section = locus->known[LOCUS_SECTION_INTERVALS];
	*ret = (struct found_interval){.ahead = take_ahead(scratch, address)};
	if (ret->ahead) {
		ret->block = ret->ahead->block;
		ret->block_index = ret->ahead->block_index;
		ret->index = ret->ahead->interval;
	} else if (!section->block_count || address < section->keys[0]) {
		uint64_t end = section->block_count ? section->keys[0] : UINT64_MAX;
		ret->interval = (struct locus_interval){0, end, LOCUS_NO_LOCID, LOCUS_ANSWER_NONE};
		return LOCUS_OK;
	} else {
		enum locus_status status = search(locus, scratch, address, ret, error);
		if (status != LOCUS_OK)
			return status;
	}
	describe(section, scratch, ret);
	return LOCUS_OK;
}

static uint32_t block_of_locid(const struct locus_section_in *section, uint32_t locid, uint32_t hint)
{
	if (hint < section->block_count && section->firsts[hint] <= locid && locid < section->firsts[hint + 1])
		return hint;
	return locus_keyed_block_of(section, locid);
}

static enum locus_status find_locid(struct locus *locus, struct locus_scratch *scratch, uint32_t locid,
				    struct found_interval *ret, struct locus_error *error)
{
	struct locus_section_in *section = locus->known[LOCUS_SECTION_INTERVALS];
	if (locid >= section->entry_count)
		return locus_fail_at(error, LOCUS_ERR_USAGE, LOCUS_NO_OFFSET, "no locid %u", locid);
	struct found_interval found = {.block_index = block_of_locid(section, locid, scratch->block)};
	uint32_t before = section->firsts[found.block_index];
	struct locus_block_ref ref = {locus, scratch, section, found.block_index};
	struct locus_want want = {.count = locid - before + 1, .address = UINT64_MAX};
	enum locus_status status = get_intervals(ref, want, &found.block, error);
	if (status != LOCUS_OK)
		return status;

	found.index = locid - before - found.block->first;
	describe(section, scratch, &found);
	*ret = found;
	return LOCUS_OK;
}

/* ---- Frames ---- */

/*
 * Fills every frame with what the block of intervals says: its line is relative, and its file may stand for the
 * declaration's; the functions' records complete both later. In two passes, because the chain of contexts must be
 * followed step by step, while the records can be prefetched together, so that their cache misses overlap. The depth of
 * a chain was bounded when the block was decoded, so the frames have room.
 */
static size_t outline_frames(const struct locus *locus, struct locus_scratch *scratch,
			     const struct found_interval *found, uint64_t address, bool *ret_all_kept)
{
	const struct locus_intervals *block = found->block;
	struct locus_place place = locus_intervals_place(block, found->index);
	const struct locus_context *context = &block->contexts[place.context & LOCUS_PLACE_CONTEXT];
	uint32_t line = place.line, file = place.file;
	bool is_known = !(place.context & LOCUS_PLACE_UNKNOWN_LINE);
	struct locus_frame *frame = scratch->frames;
	const struct locus_ahead *ahead = found->ahead;
	size_t ahead_count = ahead ? ahead->function_count : 0;
	*ret_all_kept = true;
	for (size_t i = 0;; i++, frame++) {
		scratch->functions[i] =
			i < ahead_count ? ahead->functions[i] : locus_kept_function(locus, context->function);
		*ret_all_kept &= scratch->functions[i] != NULL;
		locus_prefetch_line(scratch->functions[i]);
		frame->function_id = context->function;
		frame->line = line;
		frame->column = 0;
		frame->file_id = file;
		frame->has_line = is_known;
		frame->inlined = !(context->caller & LOCUS_CONTEXT_IS_PART);
		frame->part = LOCUS_PART_ENTRY;
		frame->part_start = 0;
		frame->offset = 0;
		frame->reserved[0] = frame->reserved[1] = 0;
		if (!frame->inlined)
			break;

		/* The caller's frame is at the place of the call. */
		line = context->call_line;
		file = context->call_file;
		is_known = !(context->caller & LOCUS_CONTEXT_UNKNOWN_LINE);
		context = &block->contexts[context->caller & LOCUS_CONTEXT_CALLER];
	}

	/* The outermost frame is a part of a function that has code of its own. */
	frame->part = (enum locus_part_kind)(context->caller & LOCUS_CONTEXT_CALLER);
	frame->part_start = context->part_start;
	frame->offset = address - frame->part_start;
	return (size_t)(frame - scratch->frames) + 1;
}

/* The id of a frame's file, or 0. */
static uint32_t file_of(const struct locus_frame *frame, const struct locus_function_in *function)
{
	return frame->file_id == LOCUS_DECL_FILE ? function->decl_file : frame->file_id;
}

/* The id of what is not found yet of a frame; 0: nothing. */
typedef uint32_t missing_id(const struct locus_scratch *scratch, size_t frame);

static uint32_t missing_function(const struct locus_scratch *scratch, size_t frame)
{
	return scratch->functions[frame] ? 0 : scratch->frames[frame].function_id;
}

static uint32_t missing_file(const struct locus_scratch *scratch, size_t frame)
{
	const struct locus_frame *at = &scratch->frames[frame];
	return at->file.data ? 0 : file_of(at, scratch->functions[frame]);
}

/* What is missing of the frames, and the block that was found for it. */
struct missing {
	enum locus_section section; /* where it is: of functions or of files */
	missing_id *id;
	size_t frame_count;
	const struct locus_decoded *block; /* NULL: nothing is missing */
	uint32_t first;                    /* the id of its first entry */
};

/* Gets, of the section's blocks that have something missing, the last one, with all that is missing from it. */
static enum locus_status get_missing(struct locus *locus, struct locus_scratch *scratch, struct missing *missing,
				     struct locus_error *error)
{
	struct locus_section_in *section = locus->known[missing->section];
	uint32_t highest = 0;
	for (size_t i = 0; i < missing->frame_count; i++)
		highest = missing->id(scratch, i) > highest ? missing->id(scratch, i) : highest;
	missing->block = NULL;
	if (!highest)
		return LOCUS_OK;

	uint32_t index = locus_section_block_of(section, highest - 1), first = section->firsts[index] + 1;
	uint8_t *only = calloc(highest - first + 1, sizeof(*only));
	if (!only)
		return locus_fail_memory(error);
	for (size_t i = 0; i < missing->frame_count; i++)
		if (missing->id(scratch, i) >= first)
			only[missing->id(scratch, i) - first] = 1;
	struct locus_block_ref ref = {locus, scratch, section, index};
	struct locus_want want = {.count = highest - first + 1, .address = UINT64_MAX, .only = only};
	enum locus_status status = locus_cache_get(ref, want, &missing->block, error);
	free(only);
	missing->first = first;
	return status;
}

/* Finds the functions that outline_frames did not find; each of their blocks is decoded once. */
static enum locus_status find_functions(struct locus *locus, struct locus_scratch *scratch, size_t count,
					struct locus_error *error)
{
	struct missing missing = {LOCUS_SECTION_FUNCTIONS, missing_function, count, NULL, 0};
	for (;;) {
		enum locus_status status = get_missing(locus, scratch, &missing, error);
		if (status != LOCUS_OK || !missing.block)
			return status;
		const struct locus_function_in *functions = locus_functions_records(missing.block);
		for (size_t i = 0; i < count; i++) {
			uint32_t id = missing_function(scratch, i);
			if (id >= missing.first)
				scratch->functions[i] = &functions[id - missing.first];
		}
	}
}

static void set_file(struct locus_frame *frame, const struct locus_file_info *file)
{
	frame->directory = file->directory;
	frame->file = file->name;
}

static const struct locus_file_info unknown_file;

/* Sets the files of all frames, whose functions are found; each of their blocks is decoded once. */
static enum locus_status find_files(struct locus *locus, struct locus_scratch *scratch, size_t count,
				    struct locus_error *error)
{
	struct missing missing = {LOCUS_SECTION_FILES, missing_file, count, NULL, 0};
	for (size_t i = 0; i < count; i++)
		set_file(&scratch->frames[i], &unknown_file);
	for (;;) {
		enum locus_status status = get_missing(locus, scratch, &missing, error);
		if (status != LOCUS_OK || !missing.block)
			return status;
		const struct locus_file_info *files = locus_files_records(missing.block);
		for (size_t i = 0; i < count; i++) {
			uint32_t id = missing_file(scratch, i);
			if (id >= missing.first)
				set_file(&scratch->frames[i], &files[id - missing.first]);
		}
	}
}

/* Completes frame `index` by its function's record, and by its file where that was not found before. */
static enum locus_status complete_frame(struct locus *locus, struct locus_scratch *scratch, size_t index, bool has_file,
					struct locus_error *error)
{
	const struct locus_function_in *function = scratch->functions[index];
	struct locus_frame *frame = &scratch->frames[index];
	const struct locus_file_info *file = &unknown_file;
	enum locus_status status = LOCUS_OK;
	frame->function = name_of(function);
	frame->linkage = linkage_of(function);
	frame->language = function->language;
	locus_prefetch_line(function->name);
	if (frame->has_line)
		frame->line += function->decl_line;
	frame->file_id = file_of(frame, function);
	if (has_file)
		return LOCUS_OK;
	if (frame->file_id)
		status = get_file(locus, scratch, frame->file_id, &file, error);
	set_file(frame, file);
	return status;
}

/* Fills the frames for an address of the interval but for their columns. */
static enum locus_status fill_frames(struct locus *locus, struct locus_scratch *scratch,
				     const struct found_interval *found, uint64_t address, size_t *ret_count,
				     struct locus_error *error)
{
	bool all_kept;
	size_t count = outline_frames(locus, scratch, found, address, &all_kept);
	enum locus_status status = LOCUS_OK;
	if (!all_kept)
		status = find_functions(locus, scratch, count, error);
	if (!all_kept && status == LOCUS_OK)
		status = find_files(locus, scratch, count, error);
	size_t size = 0;
	for (size_t i = 0; status == LOCUS_OK && i < count; i++) {
		struct locus_frame *frame = &scratch->frames[i];
		status = complete_frame(locus, scratch, i, !all_kept, error);
		size += frame->function.size + frame->linkage.size + frame->directory.size + frame->file.size;
		if (status == LOCUS_OK && size > LOCUS_ANSWER_BYTES_MAX)
			status = locus_fail(error, LOCUS_ERR_LIMIT, "the names in the answer for %#llx are too long",
					    (unsigned long long)address);
	}
	*ret_count = count;
	return status;
}

/* Fills the frames' columns, if the file has any. The last frame is a part, which was called from nowhere. */
static enum locus_status fill_columns(struct locus *locus, struct locus_scratch *scratch,
				      const struct found_interval *found, size_t frame_count, struct locus_error *error)
{
	struct locus_section_in *section = locus->known[LOCUS_SECTION_SOURCE_COLUMNS];
	const struct locus_decoded *block;
	if (!section->block_count)
		return LOCUS_OK;

	struct locus_block_ref ref = {locus, scratch, section, found->block_index};
	enum locus_status status = locus_cache_get(ref, LOCUS_WANT_ALL, &block, error);
	if (status != LOCUS_OK)
		return status;

	const struct locus_source_columns *columns = (const struct locus_source_columns *)(const void *)block;
	uint32_t context = locus_intervals_place(found->block, found->index).context & LOCUS_PLACE_CONTEXT;
	uint32_t column = columns->column[found->block->first + found->index];
	for (size_t i = 0; i < frame_count; i++) {
		scratch->frames[i].column = column;
		column = locus_source_column_of_call(columns, context);
		context = found->block->contexts[context].caller & LOCUS_CONTEXT_CALLER;
	}
	return LOCUS_OK;
}

static enum locus_status resolve(struct locus *locus, struct locus_scratch *scratch, const struct found_interval *found,
				 uint64_t address, struct locus_result *ret, struct locus_error *error)
{
	size_t count = 0;
	if (found->interval.answer != LOCUS_ANSWER_NONE) {
		enum locus_status status = fill_frames(locus, scratch, found, address, &count, error);
		if (status == LOCUS_OK)
			status = fill_columns(locus, scratch, found, count, error);
		if (status != LOCUS_OK)
			return status;
	}
	*ret = (struct locus_result){.interval = found->interval, .frames = scratch->frames, .frame_count = count};
	return LOCUS_OK;
}

enum locus_status locus_find(struct locus *locus, struct locus_scratch *scratch, uint64_t address,
			     struct locus_interval *ret, struct locus_error *error)
{
	struct found_interval found;
	scratch->use++;
	enum locus_status status = find(locus, scratch, address, &found, error);
	if (status == LOCUS_OK)
		*ret = found.interval;
	return status;
}

enum locus_status locus_interval_at(struct locus *locus, struct locus_scratch *scratch, uint32_t locid,
				    struct locus_interval *ret, struct locus_error *error)
{
	struct found_interval found;
	scratch->use++;
	enum locus_status status = find_locid(locus, scratch, locid, &found, error);
	if (status == LOCUS_OK)
		*ret = found.interval;
	return status;
}

enum locus_status locus_frames(struct locus *locus, struct locus_scratch *scratch, uint32_t locid,
			       struct locus_result *ret, struct locus_error *error)
{
	struct found_interval found;
	scratch->use++;
	enum locus_status status = find_locid(locus, scratch, locid, &found, error);
	if (status != LOCUS_OK)
		return status;
	return resolve(locus, scratch, &found, found.interval.start, ret, error);
}

enum locus_status locus_lookup(struct locus *locus, struct locus_scratch *scratch, uint64_t address,
			       struct locus_result *ret, struct locus_error *error)
{
	struct found_interval found;
	scratch->use++;
	enum locus_status status = find(locus, scratch, address, &found, error);
	if (status != LOCUS_OK)
		return status;
	return resolve(locus, scratch, &found, address, ret, error);
}

/* ---- Alternates ---- */

static enum locus_status get_alternates(struct locus *locus, struct locus_scratch *scratch, uint32_t index,
					const struct locus_alternates **ret, struct locus_error *error)
{
	const struct locus_decoded *block;
	struct locus_block_ref ref = {locus, scratch, locus->known[LOCUS_SECTION_ALTERNATES], index};
	enum locus_status status = locus_cache_get(ref, LOCUS_WANT_ALL, &block, error);
	if (status == LOCUS_OK)
		*ret = (const struct locus_alternates *)(const void *)block;
	return status;
}

enum locus_status locus_alternate_at(struct locus *locus, struct locus_scratch *scratch, uint32_t index,
				     struct locus_alternate_info *ret, struct locus_error *error)
{
	const struct locus_section_in *section = locus->known[LOCUS_SECTION_ALTERNATES];
	const struct locus_alternates *block;
	scratch->use++;
	if (index >= section->entry_count)
		return locus_fail_at(error, LOCUS_ERR_USAGE, LOCUS_NO_OFFSET, "no alternate %u", index);
	uint32_t block_index = locus_keyed_block_of(section, index);
	enum locus_status status = get_alternates(locus, scratch, block_index, &block, error);
	if (status == LOCUS_OK)
		*ret = block->alternate[index - section->firsts[block_index]];
	return status;
}

static enum locus_status add_alternate(struct locus_scratch *scratch, const struct locus_alternate_info *alternate,
				       size_t *count, struct locus_error *error)
{
	enum locus_status status =
		locus_allowance_grow(scratch->allowance, &scratch->alternates, *count, &scratch->alternate_capacity,
				     sizeof(*scratch->alternates), error);
	if (status == LOCUS_OK)
		scratch->alternates[(*count)++] = *alternate;
	return status;
}

/* Adds those of a block that hold the address. Of the groups that end before it nothing else is read. */
static enum locus_status add_alternates(struct locus_scratch *scratch, const struct locus_alternates *block,
					uint64_t address, size_t *count, struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	for (uint32_t first = 0; first < block->head.count && block->alternate[first].start <= address;
	     first += LOCUS_ALTERNATE_GROUP) {
		if (block->group_last[first / LOCUS_ALTERNATE_GROUP] < address)
			continue;
		uint32_t left = block->head.count - first;
		uint32_t end = first + (left < LOCUS_ALTERNATE_GROUP ? left : LOCUS_ALTERNATE_GROUP);
		for (uint32_t i = first; i < end && status == LOCUS_OK && block->alternate[i].start <= address; i++)
			if (locus_alternate_last(&block->alternate[i]) >= address)
				status = add_alternate(scratch, &block->alternate[i], count, error);
	}
	return status;
}

/* Finds the first block to search. The reach of the last one tells which earlier blocks can hold the address. */
static enum locus_status alternates_first(struct locus *locus, struct locus_scratch *scratch, uint32_t last,
					  uint32_t *ret, struct locus_error *error)
{
	const struct locus_section_in *section = locus->known[LOCUS_SECTION_ALTERNATES];
	const struct locus_alternates *block;
	enum locus_status status = get_alternates(locus, scratch, last, &block, error);
	if (status != LOCUS_OK)
		return status;
	*ret = last;
	while (*ret && section->keys[*ret] >= block->reach)
		--*ret;
	return LOCUS_OK;
}

enum locus_status locus_alternates(struct locus *locus, struct locus_scratch *scratch, uint64_t address,
				   const struct locus_alternate_info **ret, size_t *ret_count,
				   struct locus_error *error)
{
	const struct locus_section_in *section = locus->known[LOCUS_SECTION_ALTERNATES];
	enum locus_status status = LOCUS_OK;
	uint32_t first = 1, last = 0;
	size_t count = 0;
	scratch->use++;
	if (section->block_count && section->keys[0] <= address) {
		last = locus_section_block_at(section, address);
		status = alternates_first(locus, scratch, last, &first, error);
	}

	for (uint32_t i = first; i <= last && status == LOCUS_OK; i++) {
		const struct locus_alternates *block;
		status = get_alternates(locus, scratch, i, &block, error);
		if (status == LOCUS_OK)
			status = add_alternates(scratch, block, address, &count, error);
	}

	if (status != LOCUS_OK)
		return status;
	*ret = scratch->alternates;
	*ret_count = count;
	return LOCUS_OK;
}
