/*
 * A .locus file whose checksums are made right again, so that damage reaches what stands behind them. A file that is
 * found to be whole and well-formed answers for every address.
 */
#include <string.h>
#include <xxhash.h>

#include "fuzz/fuzz.h"
#include "reader/locus.h"
#include "reader/mend_test.h"
#include "spec/format.h"

/* False: it has no end before `end`. */
static bool get_varint(uint8_t **at, const uint8_t *end, uint64_t *ret)
{
	*ret = 0;
	for (unsigned shift = 0; *at < end; shift += 7) {
		uint8_t byte = *(*at)++;
		if (shift < 64)
			*ret |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* The checksums of the blocks that an index of [at, end) tells of; they begin at *offset. Stops where it makes no
 * sense. */
static void mend_blocks(uint8_t *data, size_t size, uint8_t *at, const uint8_t *end, uint64_t *offset)
{
	uint64_t entries, key_or_size, block;
	while (get_varint(&at, end, &entries) && get_varint(&at, end, &key_or_size) && get_varint(&at, end, &block) &&
	       end - at >= 8 && block <= size - *offset) {
		put_u64(at, XXH3_64bits(data + *offset, block));
		at += 8;
		*offset += block;
	}
}

/* FORMAT.md 3 and 4: the indexes follow the directory, the blocks the indexes. */
static void mend_in_place(uint8_t *data, size_t size)
{
	uint64_t count = get(data + LOCUS_HEADER_SECTION_COUNT, 4), directory_size = count * LOCUS_ENTRY_SIZE;
	if (count > (size - LOCUS_HEADER_SIZE) / LOCUS_ENTRY_SIZE)
		return;
	uint64_t index = LOCUS_HEADER_SIZE + directory_size, offset = index;
	uint8_t *directory = data + LOCUS_HEADER_SIZE;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t index_size = get(directory + i * LOCUS_ENTRY_SIZE + LOCUS_ENTRY_INDEX_SIZE, 8);
		if (index_size > size - offset)
			return;
		offset += index_size;
	}
	for (uint64_t i = 0; i < count; i++) {
		uint8_t *entry = directory + i * LOCUS_ENTRY_SIZE;
		uint64_t index_size = get(entry + LOCUS_ENTRY_INDEX_SIZE, 8);
		mend_blocks(data, size, data + index, data + index + index_size, &offset);
		put_u64(entry + LOCUS_ENTRY_CHECKSUM, XXH3_64bits(data + index, index_size));
		index += index_size;
	}
	put_u64(data + LOCUS_HEADER_DIRECTORY, XXH3_64bits(directory, directory_size));
	put_u64(data + LOCUS_HEADER_CHECKSUM, XXH3_64bits(data, LOCUS_HEADER_CHECKSUM));
}

static uint64_t touch(struct locus_string string)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < string.size; i++)
		sum += (unsigned char)string.data[i];
	return sum;
}

static uint64_t touch_result(const struct locus_result *result)
{
	uint64_t sum = 0;
	HOLD((result->frame_count == 0) == (result->interval.answer == LOCUS_ANSWER_NONE));
	for (size_t i = 0; i < result->frame_count; i++) {
		const struct locus_frame *frame = &result->frames[i];
		sum += touch(frame->function) + touch(frame->linkage) + touch(frame->directory) + touch(frame->file);
		HOLD(frame->inlined == (i + 1 < result->frame_count));
	}
	return sum;
}

/* Asks for everything. `whole`: then nothing may fail. */
static uint64_t ask(struct locus *locus, struct locus_scratch *scratch, bool whole)
{
	enum { ASKED_MAX = 2000 };
	const struct locus_alternate_info *alternates;
	const struct locus_info *info;
	struct locus_function_info function;
	struct locus_file_info file;
	struct locus_result result;
	size_t count;
	uint64_t sum = 0;
#define ASK(call) (call == LOCUS_OK || (HOLD(!whole), false))
	for (uint32_t i = 0; i < locus_interval_count(locus) && i < ASKED_MAX; i++) {
		if (!ASK(locus_frames(locus, scratch, i, &result, NULL)))
			continue;
		sum += touch_result(&result);
		uint64_t start = result.interval.start;
		if (ASK(locus_lookup(locus, scratch, start, &result, NULL)))
			HOLD(!whole ||
			     (result.interval.locid == i && (start < result.interval.end || start == UINT64_MAX)));
		if (ASK(locus_alternates(locus, scratch, start, &alternates, &count, NULL)))
			sum += count;
	}
	for (uint32_t i = 0; i < locus_function_count(locus) && i < ASKED_MAX; i++)
		if (ASK(locus_function_at(locus, scratch, i + 1, &function, NULL)))
			sum += touch(function.name) + touch(function.linkage);
	for (uint32_t i = 0; i < locus_file_count(locus) && i < ASKED_MAX; i++)
		if (ASK(locus_file_at(locus, scratch, i + 1, &file, NULL)))
			sum += touch(file.directory) + touch(file.name);
	if (ASK(locus_info(locus, &info, NULL)))
		sum += touch(info->build_id) + touch(info->tool) + touch(info->options);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct locus *locus;
	struct locus_scratch *scratch;
	uint8_t *mended = malloc(size ? size : 1);
	if (!mended)
		return 0;
	if (size)
		memcpy(mended, data, size);
	if (size >= LOCUS_HEADER_SIZE)
		mend_in_place(mended, size);
	if (locus_open_memory(mended, size, NULL, &locus, NULL) == LOCUS_OK) {
		bool whole = locus_verify(locus, LOCUS_VERIFY_FULL, NULL) == LOCUS_OK;
		HOLD(locus_scratch_new(locus, &scratch, NULL) == LOCUS_OK);
		ask(locus, scratch, whole);
		locus_scratch_free(scratch);
		locus_close(locus);
	}
	free(mended);
	return 0;
}
