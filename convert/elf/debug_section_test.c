/*
 * Sections that are there, and compressed ones: whole, part by part, in pieces; cut off, damaged, and of claimed sizes.
 */
#include <isa-l/igzip_lib.h>
#include <pthread.h>
#include <zstd.h>

#include "base/steps_test.h"
#include <sys/mman.h>

#include "base/toolkit_test.h"
#include "convert/elf/debug_section.h"
#include "convert/elf/deflate_stream_test.h"

enum { SIZE = 9 << 20 }; /* some steps of inflating, and some granules */

static uint8_t plain[SIZE];
/* By enum packing. */
static uint8_t packed[2][SIZE + SIZE / 2];
static size_t packed_size[2];

static void pack_zlib(void)
{
	static struct isal_zstream stream; /* too large for the stack */
	isal_deflate_init(&stream);
	stream.gzip_flag = IGZIP_ZLIB;
	stream.end_of_stream = 1;
	stream.next_in = plain;
	stream.avail_in = SIZE;
	stream.next_out = packed[PACKING_ZLIB];
	stream.avail_out = sizeof(packed[PACKING_ZLIB]);
	assert_int_equal(isal_deflate(&stream), COMP_OK);
	assert_int_equal(stream.avail_in, 0);
	packed_size[PACKING_ZLIB] = stream.total_out;
}

static int setup(void **state)
{
	uint64_t random = 1;
	(void)state;
	for (size_t i = 0; i < SIZE; i++)
		plain[i] = (uint8_t)(1 + random_below(&random, 16));
	pack_zlib();
	packed_size[PACKING_ZSTD] = ZSTD_compress(packed[PACKING_ZSTD], sizeof(packed[PACKING_ZSTD]), plain, SIZE, 1);
	return ZSTD_isError(packed_size[PACKING_ZSTD]) ? -1 : 0;
}

static enum locus_status init(struct section *section, enum packing packing, size_t used, uint64_t size)
{
	struct locus_error error;
	const struct packed_section from = {packing, packed[packing], used, size, false};
	return section_init_packed(section, &from, &error);
}

static void part_by_part(void **state)
{
	static const size_t ends[] = {1, 1000, 1000, (1 << 20) + 1, 2 << 20, SIZE - 1, SIZE, SIZE + 10};
	(void)state;
	for (enum packing packing = PACKING_ZLIB; packing <= PACKING_ZSTD; packing++) {
		struct section section;
		assert_int_equal(init(&section, packing, packed_size[packing], SIZE), LOCUS_OK);
		assert_null(section.data);
		for (size_t i = 0; i < COUNT_OF(ends); i++) {
			size_t end = ends[i] < SIZE ? ends[i] : SIZE;
			assert_int_equal(section_need(&section, ends[i], NULL), LOCUS_OK);
			assert_true(section.ready >= end && section.ready <= SIZE);
			assert_memory_equal(section.data, plain, end);
		}
		section_done(&section);
	}
}

static void in_pieces(void **state)
{
	uint64_t random = 2;
	uint8_t *piece = malloc(SIZE);
	(void)state;
	assert_non_null(piece);
	for (enum packing packing = PACKING_ZLIB; packing <= PACKING_ZSTD; packing++) {
		struct section section;
		assert_int_equal(init(&section, packing, packed_size[packing], SIZE), LOCUS_OK);
		for (size_t at = 0, size; at < SIZE; at += size) {
			size = random_below(&random, 2) ? random_below(&random, 100) : random_below(&random, SIZE / 2);
			size = size < SIZE - at ? size : SIZE - at;
			assert_int_equal(section_take(&section, piece, size, NULL), LOCUS_OK);
			assert_memory_equal(piece, plain + at, size);
		}
		assert_null(section.data);
		assert_int_equal(section_take(&section, piece, 1, NULL), LOCUS_ERR_BAD_ELF);
		section_done(&section);
	}
	free(piece);
}

/* The bytes before the damage are there; what comes behind is an error, whichever way it is asked for. */
static void cut_off(void **state)
{
	uint8_t byte;
	(void)state;
	for (enum packing packing = PACKING_ZLIB; packing <= PACKING_ZSTD; packing++) {
		struct section section;
		struct locus_error error = {.text = ""};
		assert_int_equal(init(&section, packing, packed_size[packing] / 2, SIZE), LOCUS_OK);
		assert_int_equal(section_need(&section, 1000, NULL), LOCUS_OK);
		assert_memory_equal(section.data, plain, 1000);
		assert_int_equal(section_need(&section, SIZE, &error), LOCUS_ERR_BAD_ELF);
		assert_non_null(strstr(error.text, "damaged or truncated"));
		assert_int_equal(section_need(&section, SIZE, NULL), LOCUS_ERR_BAD_ELF);
		section_done(&section);

		assert_int_equal(init(&section, packing, 1, 100), LOCUS_OK);
		assert_int_equal(section_take(&section, &byte, 1, NULL), LOCUS_ERR_BAD_ELF);
		section_done(&section);
	}
}

/* That memory was out is noted for who cannot say so; that a section is damaged is not. */
static void what_went_wrong_is_noted(void **state)
{
	(void)state;
	for (enum packing packing = PACKING_ZLIB; packing <= PACKING_ZSTD; packing++)
		for (int is_out = 0; is_out < 2; is_out++) {
			struct section section;
			struct budget budget;
			struct locus_error error;
			assert_int_equal(init(&section, packing, packed_size[packing] / (is_out ? 1 : 2), SIZE),
					 LOCUS_OK);
			budget_of_steps(&budget, 0);
			atomic_store(&budget.bytes_left, is_out ? SIZE - 1 : SIZE);
			assert_int_equal(section_need(&section, SIZE, &error),
					 is_out ? LOCUS_ERR_MEMORY : LOCUS_ERR_BAD_ELF);
			budget_use(NULL);
			assert_int_equal(atomic_load(&budget.memory_out), is_out);
			assert_int_equal(atomic_load(&budget.exceeded), is_out);
			assert_int_equal(section_is_damaged(&section), true);
			section_done(&section);
		}
}

static void no_stream(void **state)
{
	static const uint8_t bytes[64] = {0xff, 0xff, 0xff, 0xff};
	struct section section;
	(void)state;
	for (enum packing packing = PACKING_ZLIB; packing <= PACKING_ZSTD; packing++) {
		const struct packed_section from = {packing, bytes, sizeof(bytes), 1000, false};
		assert_int_equal(section_init_packed(&section, &from, NULL), LOCUS_OK);
		assert_int_equal(section_need(&section, 1, NULL), LOCUS_ERR_BAD_ELF);
		section_done(&section);
	}
}

/* What no stream of that size can yield is refused before any memory is asked for. */
static void claimed_sizes(void **state)
{
	static const uint64_t ratio[] = {[PACKING_ZLIB] = 1032, [PACKING_ZSTD] = 32768};
	struct section section;
	(void)state;
	for (enum packing packing = PACKING_ZLIB; packing <= PACKING_ZSTD; packing++) {
		assert_int_equal(init(&section, packing, 100, 101 * ratio[packing] - 1), LOCUS_OK);
		section_done(&section);
		assert_int_equal(init(&section, packing, 100, 101 * ratio[packing]), LOCUS_ERR_BAD_ELF);
		assert_int_equal(init(&section, packing, 100, UINT64_MAX), LOCUS_ERR_BAD_ELF);
	}
}

static void *need_all(void *argument)
{
	struct section *section = argument;
	for (size_t end = 1; end <= SIZE; end += 1 << 16)
		if (section_need(section, end, NULL) != LOCUS_OK || memcmp(section->data, plain, end) != 0)
			return section;
	return NULL;
}

static void many_threads(void **state)
{
	pthread_t threads[4];
	struct section section;
	(void)state;
	assert_int_equal(init(&section, PACKING_ZLIB, packed_size[PACKING_ZLIB], SIZE), LOCUS_OK);
	for (size_t i = 0; i < COUNT_OF(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, need_all, &section), 0);
	for (size_t i = 0; i < COUNT_OF(threads); i++) {
		void *wrong;
		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
	}
	section_done(&section);
}

static void strings(void **state)
{
	static const uint8_t ended[] = "one\0two", open[] = {'a', 0, 'b'}, endless[] = {'a', 'b'};
	struct section section;
	(void)state;
	section_init(&section, ended, sizeof(ended), false);
	assert_int_equal(section_need(&section, SIZE, NULL), LOCUS_OK);
	assert_string_equal(section_string(&section, 4), "two");
	assert_string_equal(section_string(&section, 7), "");
	assert_null(section_string(&section, 8));
	assert_null(section_string(&section, UINT64_MAX));
	section_init(&section, open, sizeof(open), false);
	assert_string_equal(section_string(&section, 0), "a");
	assert_null(section_string(&section, 2));
	assert_string_equal(section_string(&section, 1), ""); /* also when the last NUL is known */
	assert_null(section_string(&section, 2));
	section_init(&section, endless, sizeof(endless), false);
	for (uint64_t offset = 0; offset < 3; offset++)
		assert_null(section_string(&section, offset));
	section_init(&section, NULL, 0, false);
	assert_null(section_string(&section, 0));
	section_done(&section);
}

static void what_was_forgotten_comes_back(void **state)
{
	enum { ONE = SECTION_GRANULE, TWO = 2 * ONE, THREE = 3 * ONE };
	static const uint8_t zeros[4096];
	(void)state;
	for (enum packing packing = PACKING_ZLIB; packing <= PACKING_ZSTD; packing++) {
		struct section section;
		assert_int_equal(init(&section, packing, packed_size[packing], SIZE), LOCUS_OK);
		section_forget(&section, ONE); /* nothing is there yet */
		assert_int_equal(section_need(&section, TWO, NULL), LOCUS_OK);
		section_forget(&section, TWO - 1); /* of the second granule something is still needed */
		assert_memory_equal(section.data + ONE, plain + ONE, ONE);

		/* What begins behind it needs nothing, and goes on where it was, in the pages that are free. */
		assert_int_equal(section_recall(&section, ONE, NULL), LOCUS_OK);
		assert_int_equal(section_need(&section, THREE, NULL), LOCUS_OK);
		assert_memory_equal(section.data, zeros, sizeof(zeros));
		assert_memory_equal(section.data + ONE, plain + ONE, TWO);

		/* What begins in it brings all of it back, for good. */
		assert_int_equal(section_recall(&section, ONE - 1, NULL), LOCUS_OK);
		assert_memory_equal(section.data, plain, THREE);
		section_forget(&section, TWO);
		assert_int_equal(section_need(&section, SIZE, NULL), LOCUS_OK);
		assert_memory_equal(section.data, plain, SIZE);
		section_drop(&section);
		section_done(&section);
	}
}

/* What readers keep pointers to is not forgotten, whether something was forgotten before or not. */
static void all_is_kept(void **state)
{
	enum { ONE = SECTION_GRANULE, TWO = 2 * ONE, THREE = 3 * ONE };
	(void)state;
	for (enum packing packing = PACKING_ZLIB; packing <= PACKING_ZSTD; packing++)
		for (size_t forgotten = 0; forgotten <= ONE; forgotten += ONE) {
			struct section section;
			assert_int_equal(init(&section, packing, packed_size[packing], SIZE), LOCUS_OK);
			assert_int_equal(section_need(&section, TWO, NULL), LOCUS_OK);
			section_forget(&section, forgotten);
			assert_int_equal(section_keep_all(&section, NULL), LOCUS_OK);
			section_forget(&section, TWO);
			assert_int_equal(section_need(&section, THREE, NULL), LOCUS_OK);
			section_forget(&section, THREE);
			assert_memory_equal(section.data, plain, THREE);
			section_done(&section);
		}
	struct section section;
	section_init(&section, plain, SIZE, false);
	assert_int_equal(section_keep_all(&section, NULL), LOCUS_OK);
}

/* What a reader has pinned stays until it unpins it, and what lies before that does not. */
static void what_is_pinned_stays(void **state)
{
	enum { ONE = SECTION_GRANULE, TWO = 2 * ONE, THREE = 3 * ONE };
	(void)state;
	for (enum packing packing = PACKING_ZLIB; packing <= PACKING_ZSTD; packing++) {
		struct section section;
		assert_int_equal(init(&section, packing, packed_size[packing], SIZE), LOCUS_OK);
		assert_int_equal(section_need(&section, THREE, NULL), LOCUS_OK);
		section_pin(&section, TWO - 1);
		section_forget(&section, THREE);
		assert_int_equal(section.forgotten, ONE);
		assert_memory_equal(section.data + ONE, plain + ONE, TWO);
		section_unpin(&section);
		section_forget(&section, THREE);
		assert_int_equal(section.forgotten, THREE);
		section_done(&section);
	}
	struct section section;
	section_init(&section, plain, SIZE, false);
	section_pin(&section, 0);
	section_unpin(&section);
}

/*
 * A stream that has more bytes than the section is damaged: a wrong bit near its front may be why, so that all behind
 * it is wrong.
 */
static void a_stream_of_more_bytes(void **state)
{
	static uint8_t taken[SIZE];
	(void)state;
	for (enum packing packing = PACKING_ZLIB; packing <= PACKING_ZSTD; packing++)
		for (size_t size = SIZE; size >= SIZE - 2; size--) {
			const enum locus_status expected = size == SIZE ? LOCUS_OK : LOCUS_ERR_BAD_ELF;
			struct locus_error error = {.text = ""};
			struct section section;
			assert_int_equal(init(&section, packing, packed_size[packing], size), LOCUS_OK);
			assert_int_equal(section_need(&section, size, &error), expected);
			assert_true(size == SIZE || strstr(error.text, "damaged or truncated"));
			section_done(&section);
			assert_int_equal(init(&section, packing, packed_size[packing], size), LOCUS_OK);
			assert_int_equal(section_take(&section, taken, size - 1, NULL), LOCUS_OK);
			assert_int_equal(section_take(&section, taken, 1, NULL), expected);
			assert_int_equal(section_verify(&section, NULL), expected);
			section_done(&section);
		}
	/* zstd's frame ends with a checksum, where its writer wanted one. */
	for (size_t cut = 0; cut <= 4; cut++) {
		ZSTD_CCtx *context = ZSTD_createCCtx();
		uint8_t *bytes = malloc(ZSTD_compressBound(SIZE));
		struct section section;
		assert_true(context && bytes);
		ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
		const size_t size = ZSTD_compress2(context, bytes, ZSTD_compressBound(SIZE), plain, SIZE);
		assert_false(ZSTD_isError(size));
		const struct packed_section from = {PACKING_ZSTD, bytes, size - cut, SIZE, false};
		assert_int_equal(section_init_packed(&section, &from, NULL), LOCUS_OK);
		assert_int_equal(section_need(&section, SIZE, NULL), cut ? LOCUS_ERR_BAD_ELF : LOCUS_OK);
		section_done(&section);
		free(bytes);
		ZSTD_freeCCtx(context);
	}
}

/* Whether a stream is whole is found from its front, whatever was read of it before. */
static void streams_are_verified(void **state)
{
	enum { WHOLE, CUT, WRONG_CHECKSUM };
	static uint8_t taken[SIZE];
	(void)state;
	for (enum packing packing = PACKING_ZLIB; packing <= PACKING_ZSTD; packing++)
		for (int kind = WHOLE; kind <= (packing == PACKING_ZLIB ? WRONG_CHECKSUM : CUT); kind++) {
			char told[sizeof(((struct locus_error *)NULL)->text)] = "";
			uint8_t *copy = malloc(packed_size[packing]);
			assert_non_null(copy);
			memcpy(copy, packed[packing], packed_size[packing]);
			copy[packed_size[packing] - 1] ^= kind == WRONG_CHECKSUM;
			const size_t size = kind == CUT ? packed_size[packing] / 2 : packed_size[packing];
			const struct packed_section from = {packing, copy, size, SIZE, false};
			for (size_t before = 0; before <= SIZE / 4; before += SIZE / 8) {
				struct locus_error error = {.text = ""};
				struct section section;
				assert_int_equal(section_init_packed(&section, &from, NULL), LOCUS_OK);
				/* Also where the checksum is left to who takes the bytes. */
				if (before)
					section_skip_checksum(&section);
				assert_int_equal(section_take(&section, taken, before, NULL), LOCUS_OK);
				assert_int_equal(section_verify(&section, &error),
						 kind == WHOLE ? LOCUS_OK : LOCUS_ERR_BAD_ELF);
				if (before)
					assert_string_equal(error.text, told);
				strcpy(told, error.text);
				section_done(&section);
			}
			free(copy);
		}
	struct section section;
	section_init(&section, plain, SIZE, false);
	assert_int_equal(section_verify(&section, NULL), LOCUS_OK);
}

/* What cannot be inflated again, because the file was written to or memory is out, every thread is told of. */
static void what_was_forgotten_cannot_come_back(void **state)
{
	(void)state;
	for (enum packing packing = PACKING_ZLIB; packing <= PACKING_ZSTD; packing++) {
		uint8_t *copy = malloc(packed_size[packing]);
		struct section section;
		assert_non_null(copy);
		memcpy(copy, packed[packing], packed_size[packing]);
		const struct packed_section from = {packing, copy, packed_size[packing], SIZE, false};
		assert_int_equal(section_init_packed(&section, &from, NULL), LOCUS_OK);
		assert_int_equal(section_need(&section, SIZE, NULL), LOCUS_OK);
		section_forget(&section, SECTION_GRANULE);
		memset(copy, 0xff, packed_size[packing]);
		for (int thread = 0; thread < 2; thread++) {
			assert_int_equal(section_recall(&section, 0, NULL), LOCUS_ERR_BAD_ELF);
			assert_int_equal(section_keep(&section, 0, 1, NULL), LOCUS_ERR_BAD_ELF);
		}
		section_done(&section);
		free(copy);
	}
}

static void what_is_kept_stays(void **state)
{
	enum { ONE = SECTION_GRANULE, TWO = 2 * ONE, THREE = 3 * ONE, FOUR = 4 * ONE };
	static const uint8_t zeros[4096];
	(void)state;
	for (enum packing packing = PACKING_ZLIB; packing <= PACKING_ZSTD; packing++) {
		struct section section;
		assert_int_equal(init(&section, packing, packed_size[packing], SIZE), LOCUS_OK);
		assert_int_equal(section_need(&section, FOUR, NULL), LOCUS_OK);
		assert_int_equal(section_keep(&section, TWO - 1, TWO + 1, NULL), LOCUS_OK);
		section_forget(&section, FOUR);
		assert_int_equal(section_need(&section, SIZE, NULL), LOCUS_OK);
		assert_memory_equal(section.data + ONE, plain + ONE, TWO);
		assert_memory_equal(section.data + THREE, zeros, sizeof(zeros));
		assert_memory_equal(section.data + FOUR, plain + FOUR, SIZE - FOUR);

		/* To keep what is there changes nothing; to keep something else has all of it again, for good. */
		assert_int_equal(section_keep(&section, ONE, THREE, NULL), LOCUS_OK);
		assert_memory_equal(section.data + THREE, zeros, sizeof(zeros));
		((uint8_t *)section.data)[ONE]++; /* what is kept may be being read, and is not written to */
		assert_int_equal(section_keep(&section, 0, 1, NULL), LOCUS_OK);
		((uint8_t *)section.data)[ONE]--;
		assert_memory_equal(section.data, plain, FOUR);
		section_forget(&section, FOUR);
		assert_memory_equal(section.data, plain, FOUR);
		section_done(&section);
	}
}

/* Pages of two granules wait for the bytes that follow, and all others are given back. */
static void few_pages_wait(void **state)
{
	enum { ONE = SECTION_GRANULE, TWO = 2 * ONE, THREE = 3 * ONE, FOUR = 4 * ONE };
	static const uint8_t zeros[ONE];
	(void)state;
	for (enum packing packing = PACKING_ZLIB; packing <= PACKING_ZSTD; packing++) {
		struct section section;
		assert_int_equal(init(&section, packing, packed_size[packing], SIZE), LOCUS_OK);
		assert_int_equal(section_need(&section, THREE, NULL), LOCUS_OK);
		section_forget(&section, THREE);
		assert_memory_equal(section.data, plain, TWO);
		assert_memory_equal(section.data + TWO, zeros, ONE);
		assert_int_equal(section_need(&section, SIZE, NULL), LOCUS_OK);
		assert_memory_equal(section.data, zeros, ONE);
		assert_memory_equal(section.data + ONE, zeros, ONE);
		assert_memory_equal(section.data + THREE, plain + THREE, SIZE - THREE);

		/* Nothing follows any more. */
		section_forget(&section, FOUR);
		assert_memory_equal(section.data + THREE, zeros, ONE);
		section_done(&section);

		/* Those that wait are lost where the bytes that were in them are inflated again. */
		assert_int_equal(init(&section, packing, packed_size[packing], SIZE), LOCUS_OK);
		assert_int_equal(section_need(&section, TWO, NULL), LOCUS_OK);
		section_forget(&section, TWO);
		assert_int_equal(section_recall(&section, 0, NULL), LOCUS_OK);
		assert_int_equal(section_need(&section, SIZE, NULL), LOCUS_OK);
		assert_memory_equal(section.data, plain, SIZE);
		section_done(&section);
	}
}

/* Bytes that are no file's mapping would not come back: what was inflated from them can be inflated again. */
static void what_is_packed_stays(void **state)
{
	(void)state;
	for (enum packing packing = PACKING_ZLIB; packing <= PACKING_ZSTD; packing++) {
		uint8_t *copy = aligned_alloc(4096, sizeof(packed[packing]));
		struct section section;
		assert_non_null(copy);
		memcpy(copy, packed[packing], sizeof(packed[packing]));
		const struct packed_section from = {packing, copy, packed_size[packing], SIZE, false};
		assert_int_equal(section_init_packed(&section, &from, NULL), LOCUS_OK);
		assert_int_equal(section_need(&section, SIZE, NULL), LOCUS_OK);
		assert_memory_equal(copy, packed[packing], packed_size[packing]);
		section_done(&section);
		free(copy);
	}
}

/* Going ahead is seen by who needs the bytes, and so is what went wrong then. */
static void ahead(void **state)
{
	(void)state;
	for (enum packing packing = PACKING_ZLIB; packing <= PACKING_ZSTD; packing++) {
		struct section section;
		struct locus_error error = {.text = ""}, again = {.text = ""};
		assert_int_equal(init(&section, packing, packed_size[packing], SIZE), LOCUS_OK);
		assert_false(section_has(&section, 1));
		section_advance(&section);
		assert_true(section_has(&section, 1));
		assert_false(section_has(&section, SIZE));
		while (!section_is_whole(&section))
			section_advance(&section);
		assert_true(section_has(&section, SIZE + 1));
		assert_memory_equal(section.data, plain, SIZE);
		section_done(&section);

		assert_int_equal(init(&section, packing, packed_size[packing] / 2, SIZE), LOCUS_OK);
		while (!section_is_damaged(&section))
			section_advance(&section);
		assert_int_equal(section_need(&section, SIZE, &error), LOCUS_ERR_BAD_ELF);
		assert_int_equal(section_need(&section, SIZE, &again), LOCUS_ERR_BAD_ELF);
		assert_string_equal(error.text, again.text);
		assert_non_null(strstr(error.text, "damaged or truncated"));
		section_done(&section);
	}
}

/* Adds 1 to the eight bytes at each of some places, as far as the section has them. */
struct increments {
	size_t places[4000];
	size_t count, next;
};

static enum locus_status increment(void *context, uint8_t *bytes, size_t offset, size_t size, size_t room,
				   struct locus_error *error)
{
	struct increments *increments = context;
	(void)error;
	for (; increments->next < increments->count; increments->next++) {
		size_t place = increments->places[increments->next];
		if (place >= offset + size)
			break;
		assert_true(place >= offset);
		assert_true(place + 8 - offset <= room || offset + room == SIZE);
		for (size_t i = place - offset; i < place - offset + 8 && i < room; i++)
			bytes[i]++;
	}
	return LOCUS_OK;
}

static enum locus_status change_nothing(void *context, uint8_t *bytes, size_t offset, size_t size, size_t room,
					struct locus_error *error)
{
	(void)context, (void)bytes, (void)offset, (void)size, (void)room, (void)error;
	return LOCUS_OK;
}

static void begin_increments(void *context)
{
	((struct increments *)context)->next = 0;
}

/* A wrong checksum is damage, unless the section's user asked that none be computed. */
static void checksum_is_skipped(void **state)
{
	uint8_t *piece = malloc(SIZE);
	(void)state;
	assert_non_null(piece);
	packed[PACKING_ZLIB][packed_size[PACKING_ZLIB] - 1] ^= 1;
	for (int skips = 0; skips < 2; skips++) {
		struct section section;
		assert_int_equal(init(&section, PACKING_ZLIB, packed_size[PACKING_ZLIB], SIZE), LOCUS_OK);
		if (skips)
			section_skip_checksum(&section);
		for (int times = 0; times < 2; times++, section_rewind(&section)) {
			assert_int_equal(section_take(&section, piece, SIZE, NULL),
					 skips ? LOCUS_OK : LOCUS_ERR_BAD_ELF);
			assert_memory_equal(piece, plain, SIZE);
		}
		section_done(&section);
	}
	packed[PACKING_ZLIB][packed_size[PACKING_ZLIB] - 1] ^= 1;
	free(piece);
}

/*
 * Packs random bytes without compressing them, and an empty block behind them, so that a step of inflating ends after
 * `cut` of the bytes that follow them. Returns how many random bytes there are. The checksum is damaged by `flip`.
 */
static size_t pack_stored(struct bytes *stream, const uint8_t *random, unsigned cut, uint8_t flip)
{
	enum { STEP = 1 << 20, BLOCK = 0xfff0 };
	static const uint8_t empty[] = {3, 0}; /* the last block: its code has ten bits */
	size_t blocks = STEP / BLOCK + 1, size = STEP - 2 - 5 * blocks - cut;
	*stream = (struct bytes){0};
	put_number(stream, 0x0178, 2);
	for (size_t at = 0, length; at < size; at += length) {
		length = size - at < BLOCK ? size - at : BLOCK;
		put_u8(stream, 0);
		put_number(stream, length, 2);
		put_number(stream, ~length & 0xffff, 2);
		put_bytes(stream, random + at, length);
	}
	assert_int_equal(stream->size, STEP - cut);
	put_bytes(stream, empty, sizeof(empty));
	uint32_t checksum = isal_adler32(1, random, (uint32_t)size) ^ flip;
	for (int shift = 24; shift >= 0; shift -= 8)
		put_u8(stream, (uint8_t)(checksum >> shift));
	return size;
}

/*
 * A checksum is compared wherever a step of inflating ends, by whoever is to do so, whatever follows the stream. Where
 * the section claims to have fewer bytes than the stream, that is damage in itself.
 */
static void checksum_is_cut_in_two(void **state)
{
	enum { NEED, TAKE, LEAVE, WAYS, CUT_MAX = 6 };
	uint8_t *random = malloc(1 << 20), *piece = malloc(1 << 20), *zeros = calloc(1, 1 << 20);
	uint64_t seed = 5;
	(void)state;
	assert_true(random && piece && zeros);
	for (size_t i = 0; i < 1 << 20; i++)
		random[i] = (uint8_t)random_below(&seed, 256);
	for (unsigned i = 0; i < (CUT_MAX + 1) * 8 * WAYS; i++) {
		unsigned way = i % WAYS, cut = i / WAYS / 8;
		bool wrong = i / WAYS & 1, behind = i / WAYS & 2, claims_less = i / WAYS & 4;
		struct bytes stream;
		size_t size = pack_stored(&stream, random, cut, wrong) - claims_less;
		if (behind)
			put_number(&stream, 0, 3);
		wrong |= claims_less;
		const struct packed_section from = {PACKING_ZLIB, stream.data, stream.size, size, false};
		struct section section;
		struct locus_error error = {.text = ""};
		enum locus_status status;
		assert_int_equal(section_init_packed(&section, &from, NULL), LOCUS_OK);
		if (way == LEAVE)
			assert_true(section_leave_checksum(&section, 2));
		if (way == NEED)
			status = section_need(&section, size, &error);
		else
			status = section_take(&section, piece, size, &error);
		if (way == LEAVE) {
			assert_int_equal(status, claims_less ? LOCUS_ERR_BAD_ELF : LOCUS_OK);
			if (!claims_less)
				status = section_compare_checksum(&section, isal_adler32(1, random, (uint32_t)size),
								  &error);
		}
		if (status != (wrong ? LOCUS_ERR_BAD_ELF : LOCUS_OK))
			fail_msg("%u bytes in the step, %u behind, way %u: %d", cut, behind, way, status);
		if (wrong)
			assert_non_null(strstr(error.text, "truncated after 0 of"));
		/* Of a damaged section nothing can be read, and nothing is left that was in the memory before. */
		assert_memory_equal(way == NEED ? section.data : piece, way == NEED && wrong ? zeros : random, size);
		section_done(&section);
		bytes_done(&stream);
	}
	free(zeros);
	free(random);
	free(piece);
}

/*
 * A checksum that is left to who takes the bytes is the one that follows them, and can only be had of zlib. Where it is
 * cut off, the stream is.
 */
static void checksum_is_left(void **state)
{
	uint8_t *piece = malloc(SIZE);
	struct section section;
	(void)state;
	assert_non_null(piece);
	assert_int_equal(init(&section, PACKING_ZSTD, packed_size[PACKING_ZSTD], SIZE), LOCUS_OK);
	assert_false(section_leave_checksum(&section, 2));
	section_done(&section);
	uint32_t right = isal_adler32(1, plain, SIZE);
	for (size_t cut = 0; cut <= 4; cut++) {
		assert_int_equal(init(&section, PACKING_ZLIB, packed_size[PACKING_ZLIB] - cut, SIZE), LOCUS_OK);
		assert_true(section_leave_checksum(&section, 2));
		assert_int_equal(section_take(&section, piece, SIZE - 5, NULL), LOCUS_OK);
		assert_int_equal(section_compare_checksum(&section, 0, NULL), LOCUS_OK);
		assert_int_equal(section_take(&section, piece, 5, NULL), cut ? LOCUS_ERR_BAD_ELF : LOCUS_OK);
		assert_int_equal(section_compare_checksum(&section, right, NULL), LOCUS_OK);
		assert_int_equal(section_compare_checksum(&section, right ^ 1, NULL),
				 cut ? LOCUS_OK : LOCUS_ERR_BAD_ELF);
		section_rewind(&section);
		assert_int_equal(section_compare_checksum(&section, right ^ 1, NULL), LOCUS_OK);
		section_done(&section);
	}
	free(piece);
}

/* Bytes that were inflated ahead are taken in their turn, and the checksum behind them all is found. */
static void helped_while_it_is_taken(void **state)
{
	enum { LARGE = 16 << 20, PIECE = 1 << 17 };
	uint8_t *bytes = malloc(LARGE), *taken = malloc(LARGE);
	struct bytes stream = {0};
	struct section section;
	unsigned helped = 0;
	(void)state;
	assert_true(bytes && taken);
	fill_alike(bytes, LARGE, 3000, 2);
	pack_stream(&stream, bytes, LARGE, 1, Z_DEFAULT_STRATEGY);
	const struct packed_section from = {PACKING_ZLIB, stream.data, stream.size, LARGE, false};
	assert_int_equal(section_init_packed(&section, &from, NULL), LOCUS_OK);
	assert_false(section_help(&section));
	assert_true(section_leave_checksum(&section, 2));

	for (unsigned turn = 0; turn < 2; turn++) {
		for (size_t done = 0; done < LARGE; done += PIECE) {
			helped += section_help(&section);
			assert_int_equal(section_take(&section, taken + done, PIECE, NULL), LOCUS_OK);
		}
		assert_memory_equal(taken, bytes, LARGE);
		assert_int_equal(section_compare_checksum(&section, isal_adler32(1, bytes, LARGE), NULL), LOCUS_OK);
		assert_int_equal(section_compare_checksum(&section, 1, NULL), LOCUS_ERR_BAD_ELF);
		assert_int_equal(helped > 0, !turn); /* behind the rewind there is no help */
		assert_false(section_help(&section));
		section_rewind(&section);
		helped = 0;
	}
	section_done(&section);
	bytes_done(&stream);
	free(taken);
	free(bytes);
}

/* Adds blocks that end with a byte, and adds to *ret_size the size that they inflate to. */
static void put_deflated(struct bytes *stream, size_t size, size_t *ret_size)
{
	z_stream z = {.next_in = plain, .avail_in = (uInt)size};
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY), Z_OK);
	uint8_t *out = malloc(size);
	assert_non_null(out);
	z.next_out = out;
	z.avail_out = (uInt)size;
	assert_int_equal(deflate(&z, Z_FULL_FLUSH), Z_OK);
	put_bytes(stream, out, z.total_out);
	*ret_size += size;
	free(out);
	deflateEnd(&z);
}

/* The same with stored blocks, so that `end` bytes are there. */
static void put_stored_until(struct bytes *stream, size_t end, size_t *ret_size)
{
	enum { HEADER = 5, MOST = 60000 };
	while (stream->size < end) {
		size_t left = end - stream->size - HEADER, size = left < 2 * MOST ? left : MOST;
		size = size > MOST ? MOST / 2 : size;
		put_u8(stream, 0);
		put_number(stream, size, 2);
		put_number(stream, ~size & 0xffff, 2);
		put_bytes(stream, plain, size);
		*ret_size += size;
	}
}

/*
 * Where a section claims to end within a part, the stream has more bytes than it, and is damaged. What is behind the
 * part is not looked at: it would pass for a last block, and a checksum.
 */
static void an_end_within_a_part(void **state)
{
	enum { PART = 3 << 20, PART_END = (4 << 20) - 10, BEHIND = 3 << 20, LESS = 10 };
	static const uint8_t last[12] = {0x05, 0xc0, 0x81, 0, 0, 0, 0, 0, 0x10, 0xff, 0xd5, 0x34};
	struct bytes stream = {0};
	size_t size = 0;
	(void)state;
	put_u8(&stream, 0x78);
	put_u8(&stream, 0x01);
	put_deflated(&stream, 1 << 20, &size);
	put_stored_until(&stream, PART, &size);
	put_deflated(&stream, 1800000, &size);
	put_stored_until(&stream, PART_END, &size);
	put_bytes(&stream, last, sizeof(last));
	while (stream.size < PART_END + BEHIND)
		put_u8(&stream, 0xff);

	for (unsigned helped = 0; helped < 2; helped++) {
		const struct packed_section from = {PACKING_ZLIB, stream.data, stream.size, size - LESS, false};
		static uint8_t out[16 << 20];
		struct locus_error error;
		struct section section;
		assert_int_equal(section_init_packed(&section, &from, &error), LOCUS_OK);
		assert_true(section_leave_checksum(&section, 1));
		assert_true(!helped || section_help(&section));
		for (size_t done = 0, step; done < size - LESS; done += step) {
			step = size - LESS - done < 100000 ? size - LESS - done : 100000;
			const bool is_last = done + step == size - LESS;
			assert_int_equal(section_take(&section, out + done, step, &error),
					 is_last ? LOCUS_ERR_BAD_ELF : LOCUS_OK);
		}
		assert_int_equal(section_compare_checksum(&section, 1, &error), LOCUS_OK);
		section_done(&section);
	}
	bytes_done(&stream);
}

/* Tending gives back what was read, and nothing that is still to be read: these pages come back as zeros. */
static void tended_while_it_is_taken(void **state)
{
	enum { LARGE = 5 << 20, PIECE = 100000, GIVEN_BACK = 2 << 20 };
	static uint8_t expected[LARGE], piece[PIECE];
	const struct section_patch none = {NULL, change_nothing, NULL};
	uint8_t *pages = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t random = 5;
	(void)state;
	assert_ptr_not_equal(pages, MAP_FAILED);
	for (size_t i = 0; i < LARGE; i++)
		expected[i] = (uint8_t)(1 + random_below(&random, 255));
	memcpy(pages, expected, LARGE);
	struct section section;
	section_init(&section, pages, LARGE, true);
	section_tend(&section);
	assert_true(section_set_patch(&section, &none));
	for (size_t done = 0, size; done < LARGE; done += size) {
		size = LARGE - done < PIECE ? LARGE - done : PIECE;
		assert_int_equal(section_take(&section, piece, size, NULL), LOCUS_OK);
		assert_memory_equal(piece, expected + done, size);
		section_tend(&section);
		if (done + size > GIVEN_BACK + PIECE && done + size < LARGE)
			assert_int_equal(pages[0], 0);
	}
	section_done(&section);
	munmap(pages, LARGE);
}

/* A header that is not zlib's is damage also where no checksum is computed. */
static void header_is_checked(void **state)
{
	struct section section;
	uint8_t byte;
	(void)state;
	packed[PACKING_ZLIB][0] ^= 1;
	assert_int_equal(init(&section, PACKING_ZLIB, packed_size[PACKING_ZLIB], SIZE), LOCUS_OK);
	section_skip_checksum(&section);
	assert_int_equal(section_take(&section, &byte, 1, NULL), LOCUS_ERR_BAD_ELF);
	section_done(&section);
	packed[PACKING_ZLIB][0] ^= 1;
}

/* Whatever pieces a section is taken in, its bytes are changed as if they had been there together. */
static void changed_as_it_is_read(void **state)
{
	static const size_t pieces[] = {1, 3, 8, 15, 16, 17, 1000, 1 << 16, (1 << 20) + 5};
	static struct increments increments;
	static uint8_t taken[SIZE], expected[SIZE];
	const struct section_patch patch = {&increments, increment, begin_increments};
	uint64_t random = 7;
	(void)state;
	increments.count = COUNT_OF(increments.places);
	for (size_t i = 0, at = 0; i < increments.count; i++)
		increments.places[i] = at += i < 1000 ? random_below(&random, 12) : random_below(&random, 900);
	increments.places[increments.count - 1] = SIZE - 3;
	memcpy(expected, plain, SIZE);
	assert_int_equal(increment(&increments, expected, 0, SIZE, SIZE, NULL), LOCUS_OK);

	for (enum packing packing = PACKING_ZLIB; packing <= PACKING_NONE; packing++) {
		struct section section;
		if (packing == PACKING_NONE)
			section_init(&section, plain, SIZE, false);
		else
			assert_int_equal(init(&section, packing, packed_size[packing], SIZE), LOCUS_OK);
		assert_true(section_set_patch(&section, &patch));
		for (size_t first = 0; first < COUNT_OF(pieces); first++) {
			section_rewind(&section);
			begin_increments(&increments);
			for (size_t at = 0, i = first; at < SIZE; i++) {
				size_t size = pieces[i % COUNT_OF(pieces)];
				size = size < SIZE - at ? size : SIZE - at;
				assert_int_equal(section_take(&section, taken + at, size, NULL), LOCUS_OK);
				at += size;
			}
			assert_memory_equal(taken, expected, SIZE);
		}
		section_rewind(&section);
		assert_int_equal(section_need(&section, 1, NULL), LOCUS_OK);
		assert_true(section_is_whole(&section));
		assert_memory_equal(section.data, expected, SIZE);
		section_done(&section);
	}
}

/* What is skipped has the memory of a granule or two at a time, and comes back when it is recalled. */
static void skipped_bytes(void **state)
{
	static const size_t ends[] = {0, 1, SECTION_GRANULE - 1, SECTION_GRANULE, SECTION_GRANULE + 1, SIZE / 2, SIZE};
	(void)state;
	for (enum packing packing = PACKING_ZLIB; packing <= PACKING_ZSTD; packing++)
		for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
			struct section section;
			size_t end = ends[i];
			assert_int_equal(init(&section, packing, packed_size[packing], SIZE), LOCUS_OK);
			assert_int_equal(section_skip(&section, end, NULL), LOCUS_OK);
			assert_true(section_has(&section, end));
			assert_true(section.forgotten <= end);
			assert_true(end < 3 * SECTION_GRANULE || section.forgotten > 0);
			assert_int_equal(section_skip(&section, end / 2, NULL), LOCUS_OK);
			assert_int_equal(section_need(&section, SIZE, NULL), LOCUS_OK);
			assert_memory_equal(section.data + end, plain + end, SIZE - end);
			assert_int_equal(section_recall(&section, 0, NULL), LOCUS_OK);
			assert_memory_equal(section.data, plain, SIZE);
			section_done(&section);

			assert_int_equal(init(&section, packing, packed_size[packing] / 2, SIZE), LOCUS_OK);
			assert_int_equal(section_skip(&section, SIZE, NULL), LOCUS_ERR_BAD_ELF);
			section_done(&section);
		}
	struct section mapped;
	section_init(&mapped, plain, SIZE, false);
	assert_int_equal(section_skip(&mapped, SIZE, NULL), LOCUS_OK);
	assert_ptr_equal(mapped.data, plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changed_as_it_is_read),
		cmocka_unit_test(part_by_part),
		cmocka_unit_test(in_pieces),
		cmocka_unit_test(checksum_is_skipped),
		cmocka_unit_test(checksum_is_left),
		cmocka_unit_test(checksum_is_cut_in_two),
		cmocka_unit_test(helped_while_it_is_taken),
		cmocka_unit_test(an_end_within_a_part),
		cmocka_unit_test(a_stream_of_more_bytes),
		cmocka_unit_test(tended_while_it_is_taken),
		cmocka_unit_test(header_is_checked),
		cmocka_unit_test(cut_off),
		cmocka_unit_test(what_went_wrong_is_noted),
		cmocka_unit_test(no_stream),
		cmocka_unit_test(claimed_sizes),
		cmocka_unit_test(many_threads),
		cmocka_unit_test(strings),
		cmocka_unit_test(what_was_forgotten_comes_back),
		cmocka_unit_test(all_is_kept),
		cmocka_unit_test(what_is_pinned_stays),
		cmocka_unit_test(streams_are_verified),
		cmocka_unit_test(what_was_forgotten_cannot_come_back),
		cmocka_unit_test(what_is_kept_stays),
		cmocka_unit_test(few_pages_wait),
		cmocka_unit_test(what_is_packed_stays),
		cmocka_unit_test(ahead),
		cmocka_unit_test(skipped_bytes),
	};
	return cmocka_run_group_tests_name("debug_section", tests, setup, NULL);
}
