/*
 * Parts of deflate streams against the streams inflated from the front: what they begin and end with, their bytes, and
 * the streams that have none.
 */
#include "convert/elf/deflate_part.h"

#include <isa-l/igzip_lib.h>
#include <sys/mman.h>

#include "convert/elf/deflate_stream_test.h"

enum { SIZE = 6 << 20, ZLIB_HEADER = 2, PART = 300 << 10, ROOM = 4 << 20 };

static uint8_t plain[SIZE], whole[SIZE];
static const atomic_bool go_on;

/* Inflates from the front, to the bit where a part begins, or should begin. */
struct front {
	struct inflate_state state;
	size_t given, made;
};

static void front_begin(struct front *front)
{
	isal_inflate_init(&front->state);
	front->given = ZLIB_HEADER;
	front->made = 0;
}

/* Returns whether a block begins at the bit. */
static bool front_goes_to(struct front *front, const struct bytes *packed, uint64_t bit)
{
	size_t to = (size_t)((bit + 7) / 8);
	front->state.next_in = packed->data + front->given;
	front->state.avail_in = (uint32_t)(to - front->given);
	front->state.next_out = whole + front->made;
	front->state.avail_out = (uint32_t)(SIZE - front->made);
	assert_int_equal(isal_inflate(&front->state), ISAL_DECOMP_OK);
	assert_int_equal(front->state.avail_in, 0);
	front->given = to;
	front->made = SIZE - front->state.avail_out;
	return deflate_block_bit(&front->state, to) == bit;
}

static struct deflate_range range_of(const struct bytes *packed, size_t from)
{
	return (struct deflate_range){packed->data, packed->size, from, from + PART, ROOM};
}

/* Compares the part from `from` on, copied in pieces, with the stream, which also goes on behind it. */
static void compare_part(struct deflate_part *part, struct front *front, const struct bytes *packed, size_t from)
{
	static uint8_t copied[ROOM];
	uint64_t random = from;
	const struct deflate_range range = range_of(packed, from);
	assert_true(deflate_part_inflate(part, &range, &go_on));
	assert_in_range(part->first_bit, from * 8, (from + (256 << 10)) * 8);
	assert_true(part->end_bit / 8 + 1 >= from + PART);

	assert_true(front_goes_to(front, packed, part->first_bit));
	size_t start = front->made;
	for (size_t done = 0, size; done < part->size; done += size) {
		size = 1 + random_below(&random, 5000);
		size = size < part->size - done ? size : part->size - done;
		deflate_part_copy(part, whole + start - DEFLATE_WINDOW, done, copied + done, size);
	}
	assert_true(front_goes_to(front, packed, part->end_bit));
	assert_int_equal(front->made - start, part->size);
	assert_memory_equal(copied, whole + start, part->size);

	/* From the end of the part, inflating goes on with no more than the bit and the window. */
	size_t given =
		deflate_begin_at(&front->state, packed->data, part->end_bit, copied + part->size - DEFLATE_WINDOW);
	assert_int_equal(given, front->given);
}

static void parts_are_what_the_stream_has(void **state)
{
	static const struct {
		size_t reach;
		uint32_t fresh;
		int level;
	} streams[] = {{200, 4, 6}, {30000, 10, 6}, {30000, 5, 9}, {32000, 30, 1}, {3000, 2, 6}};
	struct front *front = malloc(sizeof(*front));
	(void)state;
	assert_non_null(front);
	for (size_t i = 0; i < COUNT_OF(streams); i++) {
		struct deflate_part part = {0};
		struct bytes packed = {0};
		fill_alike(plain, SIZE, streams[i].reach, streams[i].fresh);
		pack_stream(&packed, plain, SIZE, streams[i].level, Z_DEFAULT_STRATEGY);
		assert_true(packed.size > 2 * PART);
		front_begin(front);
		for (size_t from = PART / 2; from + 2 * PART < packed.size; from += PART + PART / 2)
			compare_part(&part, front, &packed, from);
		assert_true(front_goes_to(front, &packed, packed.size * 8) || front->made == SIZE);
		assert_memory_equal(whole, plain, SIZE);
		deflate_part_done(&part);
		bytes_done(&packed);
	}
	free(front);
}

/* Finds headers wherever the search begins before them. Returns which bits of a byte they begin at. */
static unsigned headers_found(const struct bytes *packed)
{
	enum { HEADERS = 8, BEFORE_MOST = 8 };
	struct deflate_part part = {0};
	unsigned within = 0;
	size_t from = PART / 2;
	for (unsigned i = 0; i < HEADERS; i++) {
		struct deflate_range range = range_of(packed, from);
		range.to = from + 1;
		assert_true(deflate_part_inflate(&part, &range, &go_on));
		const uint64_t first = part.first_bit;
		within |= 1u << first % 8;
		for (size_t before = 0; before < BEFORE_MOST; before++) {
			range.from = (size_t)(first / 8) - before;
			assert_true(deflate_part_inflate(&part, &range, &go_on));
			assert_int_equal(part.first_bit, first);
		}
		from = (size_t)(first / 8) + 1;
	}
	deflate_part_done(&part);
	return within;
}

/* Many bits are looked at together, and the counts in a header are as different as what it describes. */
static void the_first_header_is_found(void **state)
{
	static const size_t reaches[] = {8, 40, 100, 200, 1000, 3000, 12000, 30000};
	struct bytes packed = {0};
	unsigned within = 0;
	(void)state;
	for (size_t i = 0; i < COUNT_OF(reaches); i++) {
		fill_alike(plain, SIZE, reaches[i], 4);
		pack_stream(&packed, plain, SIZE, 6, Z_DEFAULT_STRATEGY);
		within |= headers_found(&packed);
		bytes_done(&packed);
	}
	assert_int_equal(within, 0xff);
}

/* Fills bytes with what only the longest matches and the farthest ones pack well: each block has all codes. */
static void fill_far_and_long(uint8_t *bytes, size_t size)
{
	enum { LONGEST = 258, FARTHEST = 32000 };
	uint64_t random = 5;
	for (size_t i = 0; i < size; i++) {
		bool is_copy = i >= FARTHEST && i % (2 * LONGEST) < LONGEST;
		bytes[i] = is_copy ? bytes[i - FARTHEST] : (uint8_t)random_below(&random, 256);
	}
}

static void headers_with_all_codes(void **state)
{
	struct deflate_part part = {0};
	struct bytes packed = {0};
	struct front *front = malloc(sizeof(*front));
	(void)state;
	assert_non_null(front);
	fill_far_and_long(plain, SIZE);
	pack_stream(&packed, plain, SIZE, 6, Z_DEFAULT_STRATEGY);
	front_begin(front);
	compare_part(&part, front, &packed, PART);
	deflate_part_done(&part);
	bytes_done(&packed);
	free(front);
}

/* What is copied again and again from before the part is in the second result to the end, and else it ends early. */
static void the_second_result_ends_when_it_may(void **state)
{
	struct deflate_part part = {0};
	struct bytes packed = {0};
	(void)state;
	fill_alike(plain, SIZE, 100, 3);
	pack_stream(&packed, plain, SIZE, 6, Z_DEFAULT_STRATEGY);
	struct deflate_range range = range_of(&packed, PART);
	assert_true(deflate_part_inflate(&part, &range, &go_on));
	assert_in_range(part.differ_size, DEFLATE_WINDOW, part.size / 2);
	bytes_done(&packed);

	fill_alike(plain, SIZE, 30000, 1000000);
	for (size_t i = 0; i < SIZE; i += 50) /* without this it packs to next to nothing */
		plain[i] = (uint8_t)(i * 2654435761 >> 13);
	pack_stream(&packed, plain, SIZE, 6, Z_DEFAULT_STRATEGY);
	range = range_of(&packed, PART);
	assert_true(deflate_part_inflate(&part, &range, &go_on));
	assert_int_equal(part.differ_size, part.size);
	deflate_part_done(&part);
	bytes_done(&packed);
}

static bool has_part(const struct bytes *packed, size_t from, size_t room, const atomic_bool *stop)
{
	struct deflate_part part = {0};
	struct deflate_range range = range_of(packed, from);
	range.room = room;
	bool ret = deflate_part_inflate(&part, &range, stop);
	deflate_part_done(&part);
	return ret;
}

static size_t size_of_part(const struct bytes *packed)
{
	struct deflate_part part = {0};
	const struct deflate_range range = range_of(packed, PART);
	assert_true(deflate_part_inflate(&part, &range, &go_on));
	size_t ret = part.size;
	deflate_part_done(&part);
	return ret;
}

/* Behind a stream that is cut off nothing is read, be it in a part or where a header is looked for. */
static void streams_that_are_cut_off(void **state)
{
	enum { CUT_OFF = 1 << 20, PAGES = CUT_OFF + (64 << 10) };
	struct bytes packed = {0};
	(void)state;
	fill_alike(plain, SIZE, 3000, 3);
	pack_stream(&packed, plain, SIZE, 6, Z_DEFAULT_STRATEGY);
	assert_true(packed.size > CUT_OFF);
	uint8_t *pages = mmap(NULL, PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(pages != MAP_FAILED);
	memcpy(pages, packed.data, CUT_OFF);
	assert_int_equal(mprotect(pages + CUT_OFF, PAGES - CUT_OFF, PROT_NONE), 0);
	const struct bytes cut_off = {.data = pages, .size = CUT_OFF};
	for (size_t left = 0; left < PART + PART / 2; left += 9973)
		assert_true(!has_part(&cut_off, CUT_OFF - left, ROOM, &go_on) || left > PART);
	munmap(pages, PAGES);
	bytes_done(&packed);
}

static void streams_without_parts(void **state)
{
	static const atomic_bool stop = true;
	struct bytes packed = {0};
	(void)state;
	fill_alike(plain, SIZE, 3000, 3);

	/* Blocks that are stored, or have the fixed Huffman codes, are not looked for. */
	pack_stream(&packed, plain, SIZE, 0, Z_DEFAULT_STRATEGY);
	assert_false(has_part(&packed, PART, ROOM, &go_on));
	bytes_done(&packed);
	pack_stream(&packed, plain, SIZE, 6, Z_FIXED);
	assert_false(has_part(&packed, PART, ROOM, &go_on));
	bytes_done(&packed);

	pack_stream(&packed, plain, SIZE, 6, Z_DEFAULT_STRATEGY);
	assert_true(has_part(&packed, PART, ROOM, &go_on));
	assert_false(has_part(&packed, PART, ROOM, &stop));
	assert_false(has_part(&packed, PART, PART, &go_on)); /* it inflates to more */
	for (size_t over = 1; over < 64 << 10; over *= 4)
		assert_false(has_part(&packed, PART, size_of_part(&packed) - over, &go_on));
	assert_false(has_part(&packed, packed.size - PART, ROOM, &go_on)); /* the last block is in it */
	assert_false(has_part(&packed, packed.size, ROOM, &go_on));

	/* Nor where a step ends with the stream, some bytes before the checksum behind it. */
	struct deflate_part part = {0};
	for (size_t left = 0; left < 8; left++) {
		struct deflate_range range = range_of(&packed, packed.size - PART);
		range.to = packed.size - left;
		assert_false(deflate_part_inflate(&part, &range, &go_on));
		range.size = range.to;
		assert_false(deflate_part_inflate(&part, &range, &go_on));
	}
	deflate_part_done(&part);
	bytes_done(&packed);
}

/* Packs bytes, and gives the byte in which the first header behind PART begins. */
static size_t pack_and_find_header(struct bytes *packed)
{
	struct deflate_part part = {0};
	fill_alike(plain, SIZE, 3000, 3);
	pack_stream(packed, plain, SIZE, 6, Z_DEFAULT_STRATEGY);
	const struct deflate_range range = range_of(packed, PART);
	assert_true(deflate_part_inflate(&part, &range, &go_on));
	size_t header = (size_t)(part.first_bit / 8);
	deflate_part_done(&part);
	return header;
}

/* Only so many bytes are searched for a header. */
static void a_header_that_is_far(void **state)
{
	enum { SEARCHED = 256 << 10 };
	static uint8_t nothing[SEARCHED];
	struct bytes packed = {0}, shifted = {0};
	(void)state;
	size_t header = pack_and_find_header(&packed);
	put_bytes(&shifted, nothing, sizeof(nothing));
	put_bytes(&shifted, packed.data + header, packed.size - header);
	assert_true(has_part(&shifted, 1, ROOM, &go_on));
	assert_false(has_part(&shifted, 0, ROOM, &go_on));
	bytes_done(&shifted);
	bytes_done(&packed);
}

/* Huffman codes find back to where they were: what lies behind damage may be the same nonsense as from the front. */
static void damage_does_the_same_as_from_the_front(void **state)
{
	struct front *front = malloc(sizeof(*front));
	struct deflate_part part = {0};
	struct bytes packed = {0};
	unsigned compared = 0;
	(void)state;
	assert_non_null(front);
	fill_alike(plain, SIZE, 3000, 3);
	pack_stream(&packed, plain, SIZE, 6, Z_DEFAULT_STRATEGY);
	for (size_t at = PART + PART / 4; at < 2 * PART; at += PART / 8) {
		uint8_t was = packed.data[at];
		packed.data[at] ^= 0x10;
		if (has_part(&packed, PART, ROOM, &go_on)) {
			front_begin(front);
			compare_part(&part, front, &packed, PART);
			compared++;
		}
		packed.data[at] = was;
	}
	assert_true(compared);
	deflate_part_done(&part);
	bytes_done(&packed);
	free(front);
}

/*
 * Headers that are tried in vain cost no more than so much: here each is of a block without content, and behind it is a
 * block of a type that there is not.
 */
static void headers_tried_in_vain(void **state)
{
	static const uint8_t bait[] = {0x04, 0xc0, 0x81, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0xff, 0xd5, 0x34};
	static const struct {
		size_t count;
		bool has_part;
	} cases[] = {{200, true}, {4000, false}};
	struct bytes packed = {0};
	(void)state;
	size_t header = pack_and_find_header(&packed);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bytes baited = {0};
		for (size_t k = 0; k < cases[i].count; k++)
			put_bytes(&baited, bait, sizeof(bait));
		put_bytes(&baited, packed.data + header, packed.size - header);
		assert_int_equal(has_part(&baited, 0, ROOM, &go_on), cases[i].has_part);
		bytes_done(&baited);
	}
	bytes_done(&packed);
}

/* Bits that look like headers everywhere cost no more than some tries, and a bomb no more than its room. */
static void hostile_streams(void **state)
{
	static uint8_t bytes[1 << 20];
	const struct bytes packed = {.data = bytes, .size = sizeof(bytes)};
	uint64_t random = 3;
	(void)state;
	for (unsigned pattern = 0; pattern < 256; pattern += 3) {
		memset(bytes, (int)pattern, sizeof(bytes));
		assert_false(has_part(&packed, 1000, ROOM, &go_on));
	}
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)random_below(&random, 256);
	has_part(&packed, 1000, ROOM, &go_on);

	struct bytes bomb = {0};
	memset(plain, 0, SIZE);
	pack_stream(&bomb, plain, SIZE, 9, Z_DEFAULT_STRATEGY);
	for (size_t at = 0; at + bomb.size < sizeof(bytes); at += bomb.size)
		memcpy(bytes + at, bomb.data, bomb.size);
	assert_false(has_part(&packed, 1000, 1 << 20, &go_on));
	bytes_done(&bomb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_what_the_stream_has),
		cmocka_unit_test(the_first_header_is_found),
		cmocka_unit_test(headers_with_all_codes),
		cmocka_unit_test(the_second_result_ends_when_it_may),
		cmocka_unit_test(streams_without_parts),
		cmocka_unit_test(streams_that_are_cut_off),
		cmocka_unit_test(a_header_that_is_far),
		cmocka_unit_test(damage_does_the_same_as_from_the_front),
		cmocka_unit_test(headers_tried_in_vain),
		cmocka_unit_test(hostile_streams),
	};
	return cmocka_run_group_tests_name("deflate_part", tests, NULL, NULL);
}
