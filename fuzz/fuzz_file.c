/*
 * A .locus file whose checksums are made right again, so that damage reaches what stands behind them. A file that is
 * found to be whole and well-formed answers for every address.
 */
#include <string.h>
#include <xxhash.h>

#include "fuzz/ask_file.h"
#include "fuzz/fuzz.h"
#include "reader/locus.h"
#include "reader/mend_test.h"
#include "spec/format.h"

const struct fuzz_target fuzz_target = {.name = "file", .files = "file", .variations = 400};

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct locus *locus;
	struct locus_error error;
	uint8_t *mended = malloc(size ? size : 1);
	if (!mended)
		return 0;
	if (size)
		memcpy(mended, data, size);
	if (size >= LOCUS_HEADER_SIZE)
		mend_in_place(mended, size);
	enum locus_status status = locus_open_memory(mended, size, NULL, &locus, &error);
	if (status == LOCUS_OK) {
		status = locus_verify(locus, LOCUS_VERIFY_FULL, &error);
		observe("%s: %s\n", locus_status_text(status), status == LOCUS_OK ? "it is whole" : error.text);
		ask_file(locus, status == LOCUS_OK);
		locus_close(locus);
	} else {
		observe("not opened, %s: %s\n", locus_status_text(status), error.text);
	}
	free(mended);
	return 0;
}
