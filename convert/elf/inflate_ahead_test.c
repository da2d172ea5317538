/*
 * A stream that is inflated with the help of other threads is the one that is inflated without, however they take
 * turns: parts that are ready in time, too late, dropped, or nonsense.
 */
#include "convert/elf/inflate_ahead.h"

#include <isa-l/igzip_lib.h>
#include <pthread.h>

#include "convert/elf/deflate_stream_test.h"

enum { SIZE = 22 << 20, ZLIB_HEADER = 2, STEP = 1 << 20, HELPERS = 3, LEAST = 6 << 20 };

static uint8_t plain[SIZE], taken[SIZE];
static struct bytes packed;

static int setup(void **state)
{
	(void)state;
	fill_alike(plain, SIZE, 20000, 2);
	pack_stream(&packed, plain, SIZE, 1, Z_DEFAULT_STRATEGY);
	return packed.size > 10 << 20 ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	bytes_done(&packed);
	return 0;
}

/* The thread in front. */
struct front {
	struct inflate_ahead *ahead;
	struct inflate_state state;
	atomic_size_t given;
	size_t made;
	size_t in_parts; /* bytes that came from parts */
};

static struct front *front_new(void)
{
	struct front *front = calloc(1, sizeof(*front));
	assert_non_null(front);
	front->ahead = inflate_ahead_new(packed.data, packed.size, SIZE, AHEAD_MAX);
	assert_non_null(front->ahead);
	isal_inflate_init(&front->state);
	atomic_store(&front->given, ZLIB_HEADER);
	return front;
}

static void front_free(struct front *front)
{
	inflate_ahead_end(front->ahead);
	inflate_ahead_free(front->ahead);
	free(front);
}

/* Takes at most `room` bytes, of at most `step` packed ones. False: the stream is damaged. */
static bool front_steps(struct front *front, size_t step, size_t room)
{
	size_t given = atomic_load(&front->given), before = given, left = packed.size - given;
	room = room < SIZE - front->made ? room : SIZE - front->made;
	bool in_part = front->ahead->reached;
	size_t made = inflate_ahead_take(front->ahead, &front->state, &given, left < step ? left : step,
					 taken + front->made, room);
	atomic_store(&front->given, given);
	if (made == SIZE_MAX)
		return false;
	assert_true(made || given > before);
	assert_true(given <= packed.size);
	front->made += made;
	front->in_parts += in_part ? made : 0;
	return true;
}

static bool front_takes(struct front *front, size_t room)
{
	return front_steps(front, STEP, room);
}

static void any_turns(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct front *front = front_new();
		uint64_t random = seed;
		uint32_t most = seed % 2 ? 1 << 20 : 200000;
		memset(taken, 0, SIZE);
		while (front->made < SIZE) {
			assert_true(front_takes(front, 1 + random_below(&random, most)));
			if (random_one_in(&random, 1 + (uint32_t)(seed % 4) * 3))
				inflate_ahead_help(front->ahead, atomic_load(&front->given));
		}
		assert_memory_equal(taken, plain, SIZE);
		assert_true(front->in_parts);
		front_free(front);
	}
}

/* Parts that were begun next to each other are taken one behind the other. */
static void parts_in_a_row(void **state)
{
	struct front *front = front_new();
	unsigned parts = 0;
	(void)state;
	while (inflate_ahead_help(front->ahead, ZLIB_HEADER))
		parts++;
	assert_in_range(parts, 5, AHEAD_MAX);
	while (front->made < SIZE)
		assert_true(front_takes(front, 1 << 17));
	assert_memory_equal(taken, plain, SIZE);
	assert_true(front->in_parts > SIZE / 3);
	front_free(front);
}

/*
 * Where all bytes before a part are given, but there is no room for what they inflate to, that comes before the part.
 */
static void little_room_at_a_stop(void **state)
{
	enum { NEAR = 2000 };
	(void)state;
	for (size_t room = 1; room <= 3; room++) {
		struct front *front = front_new();
		unsigned at_stop = 0;
		memset(taken, 0, SIZE);
		assert_true(inflate_ahead_help(front->ahead, ZLIB_HEADER));
		size_t stop = (size_t)((front->ahead->parts[0].part.first_bit + 7) / 8);
		while (front->made < SIZE && !front->ahead->reached) {
			assert_true(front_takes(front, stop - atomic_load(&front->given) < NEAR ? room : NEAR / 2));
			at_stop += front->ahead->is_at_stop;
		}
		assert_true(at_stop);
		while (front->made < SIZE)
			assert_true(front_takes(front, 1 << 17));
		assert_memory_equal(taken, plain, SIZE);
		assert_true(front->in_parts);
		front_free(front);
	}
}

/* Nonsense that looks like a part, and parts that the thread in front has passed, change nothing. */
static void parts_that_are_of_no_use(void **state)
{
	struct front *front = front_new();
	(void)state;
	assert_true(inflate_ahead_help(front->ahead, 0));
	assert_true(inflate_ahead_help(front->ahead, 0));
	assert_true(inflate_ahead_help(front->ahead, 0));
	front->ahead->parts[0].part.first_bit += 3;
	front->ahead->parts[1].state = AHEAD_BEGUN;
	while (front->made < SIZE)
		assert_true(front_takes(front, 100000));
	assert_memory_equal(taken, plain, SIZE);
	assert_int_equal(front->ahead->parts[0].state, AHEAD_FREE);
	assert_int_equal(front->ahead->parts[1].state, AHEAD_TOO_LATE);
	assert_true(atomic_load(&front->ahead->parts[1].stop));
	assert_int_equal(front->ahead->parts[2].state, AHEAD_FREE);
	assert_true(front->in_parts);

	/* What was dropped may be begun again, elsewhere. */
	assert_true(inflate_ahead_help(front->ahead, 0));
	assert_int_equal(front->ahead->parts[0].state, AHEAD_READY);
	front_free(front);
}

static void nothing_to_help_with(void **state)
{
	struct front *front = front_new();
	(void)state;
	assert_false(inflate_ahead_help(front->ahead, packed.size));
	assert_false(inflate_ahead_help(front->ahead, packed.size - LEAST + 1));
	assert_true(inflate_ahead_help(front->ahead, packed.size - LEAST));
	front_free(front);

	struct inflate_ahead *ahead = inflate_ahead_new(packed.data, LEAST + 1, SIZE, HELPERS);
	assert_null(inflate_ahead_new(packed.data, LEAST, SIZE, HELPERS));
	assert_non_null(ahead);
	inflate_ahead_free(ahead);
	inflate_ahead_free(NULL);
}

/* A part has twice the room that it takes on the average, but no more than 24 MiB, whatever size is claimed. */
static void room_of_parts(void **state)
{
	static const struct {
		uint64_t size;
		size_t room;
	} cases[] = {
		{0, 3 << 20},
		{3 * (LEAST + UINT64_C(1)) - 1, 9 << 20},
		{3 * (LEAST + UINT64_C(1)), 12 << 20},
		{7 * (LEAST + UINT64_C(1)), 24 << 20},
		{8 * (LEAST + UINT64_C(1)), 24 << 20},
		{UINT64_MAX, 24 << 20},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct inflate_ahead *ahead = inflate_ahead_new(packed.data, LEAST + 1, cases[i].size, HELPERS);
		assert_non_null(ahead);
		assert_int_equal(ahead->room, cases[i].room);
		inflate_ahead_free(ahead);
	}
}

/* Where a block behind `from` begins. */
static uint64_t block_behind(size_t from)
{
	static const atomic_bool stop;
	const struct deflate_range range = {packed.data, packed.size, from, from + 1, 1 << 20};
	struct deflate_part part = {0};
	assert_true(deflate_part_inflate(&part, &range, &stop));
	uint64_t ret = part.first_bit;
	deflate_part_done(&part);
	return ret;
}

/*
 * A thread that was slow begins a part just before the thread in front, which has not kept the bytes before it since it
 * passed the last part.
 */
static void part_without_its_window(void **state)
{
	enum { BEFORE = 4 << 10, BEHIND = 1 << 20 };
	struct front *front = front_new();
	struct part_ahead *parts = front->ahead->parts;
	(void)state;
	assert_true(inflate_ahead_help(front->ahead, 0));
	parts[0].part.first_bit += 3;
	const size_t next = (size_t)(block_behind(front->ahead->claimed) / 8);
	for (size_t given; (given = atomic_load(&front->given)) < next - BEFORE;)
		assert_true(front_steps(front, next - BEFORE - given < STEP ? next - BEFORE - given : STEP, SIZE));
	assert_int_equal(front->ahead->noted, 0);
	assert_true(inflate_ahead_help(front->ahead, 0));
	assert_int_equal(parts[0].state, AHEAD_READY);
	while (atomic_load(&front->given) < next + BEHIND)
		assert_true(front_takes(front, 1 << 17));
	assert_memory_equal(taken, plain, front->made);
	assert_int_equal(front->in_parts, 0);
	front_free(front);
}

/* When all bytes are taken, parts that are ready are given back, and threads that inflate others stop. */
static void nothing_is_left_at_the_end(void **state)
{
	struct front *front = front_new();
	struct part_ahead *parts = front->ahead->parts;
	(void)state;
	assert_true(inflate_ahead_help(front->ahead, 0));
	assert_true(inflate_ahead_help(front->ahead, 0));
	assert_non_null(parts[0].part.bytes);
	parts[1].state = AHEAD_BEGUN;
	inflate_ahead_end(front->ahead);
	assert_null(parts[0].part.bytes);
	assert_true(atomic_load(&parts[1].stop));
	assert_non_null(parts[1].part.bytes);
	parts[1].state = AHEAD_FREE;
	front_free(front);
}

/* Damage is found at the same place as without help, and what was taken before is the same. */
static void damage_is_found_as_without_help(void **state)
{
	enum { ROOM = 1 << 16 };
	size_t made[2];
	uint64_t type_bit = block_behind(packed.size / 2) + 1;
	(void)state;
	packed.data[type_bit / 8] |= (uint8_t)(1 << type_bit % 8); /* a type of block that there is not */
	for (unsigned helped = 0; helped < 2; helped++) {
		struct front *front = front_new();
		while (front->made < SIZE && front_takes(front, ROOM))
			if (helped)
				inflate_ahead_help(front->ahead, atomic_load(&front->given));
		made[helped] = front->made;
		if (!helped)
			memcpy(plain, taken, front->made);
		front_free(front);
	}
	packed.data[type_bit / 8] ^= (uint8_t)(1 << type_bit % 8);
	size_t both = made[0] < made[1] ? made[0] : made[1];
	assert_true(made[0] < SIZE && made[1] < SIZE);
	assert_in_range(made[0] - both, 0, ROOM);
	assert_in_range(made[1] - both, 0, ROOM);
	assert_memory_equal(plain, taken, both);
}

/*
 * A stream of a few bytes and many empty blocks, and then the second half of the other one: its matches begin before
 * the stream's first byte, where there is nothing.
 */
static struct bytes stream_that_refers_before_itself(void)
{
	static const uint8_t block[5 + 200] = {0, 200, 0, 0xff - 200, 0xff}, empty_block[] = {0, 0, 0, 0xff, 0xff};
	uint64_t first_bit = block_behind(packed.size / 2);
	struct bytes ret = {0};
	put_bytes(&ret, packed.data, ZLIB_HEADER);
	put_bytes(&ret, block, sizeof(block));
	while (ret.size < (3 << 20) + (100 << 10))
		put_bytes(&ret, empty_block, sizeof(empty_block));
	for (size_t at = (size_t)(first_bit / 8); at + 1 < packed.size; at++)
		put_u8(&ret, (uint8_t)((packed.data[at] | packed.data[at + 1] << 8) >> first_bit % 8));
	return ret;
}

static void nothing_stands_before_the_stream(void **state)
{
	struct bytes whole = packed;
	(void)state;
	packed = stream_that_refers_before_itself();
	for (unsigned helped = 0; helped < 2; helped++) {
		struct front *front = front_new();
		if (helped) {
			assert_true(inflate_ahead_help(front->ahead, ZLIB_HEADER));
			assert_int_equal(front->ahead->parts[0].state, AHEAD_READY);
		}
		while (front->made < DEFLATE_WINDOW && front_takes(front, 100))
			;
		assert_in_range(front->made, 200, DEFLATE_WINDOW - 1);
		front_free(front);
	}
	bytes_done(&packed);
	packed = whole;
}

static void *help(void *context)
{
	struct front *front = context;
	while (inflate_ahead_help(front->ahead, atomic_load(&front->given)) || atomic_load(&front->given) < 5 << 20)
		;
	return NULL;
}

static void helpers_at_the_same_time(void **state)
{
	struct front *front = front_new();
	pthread_t helpers[HELPERS];
	(void)state;
	memset(taken, 0, SIZE);
	for (unsigned i = 0; i < HELPERS; i++)
		assert_int_equal(pthread_create(&helpers[i], NULL, help, front), 0);
	while (front->made < SIZE)
		assert_true(front_takes(front, 1 << 17));
	inflate_ahead_end(front->ahead);
	for (unsigned i = 0; i < HELPERS; i++)
		assert_int_equal(pthread_join(helpers[i], NULL), 0);
	assert_memory_equal(taken, plain, SIZE);
	front_free(front);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_turns),
		cmocka_unit_test(parts_in_a_row),
		cmocka_unit_test(little_room_at_a_stop),
		cmocka_unit_test(parts_that_are_of_no_use),
		cmocka_unit_test(nothing_to_help_with),
		cmocka_unit_test(room_of_parts),
		cmocka_unit_test(part_without_its_window),
		cmocka_unit_test(nothing_is_left_at_the_end),
		cmocka_unit_test(nothing_stands_before_the_stream),
		cmocka_unit_test(helpers_at_the_same_time),
		cmocka_unit_test(
			damage_is_found_as_without_help), /* the last: it changes what the others compare with */
	};
	return cmocka_run_group_tests_name("inflate_ahead", tests, setup, teardown);
}
