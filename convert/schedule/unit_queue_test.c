/*
 * Each unit is handed out once, in order and with its bytes, however .debug_info is kept; and units that are cut off.
 */
#include "convert/schedule/unit_queue.h"

#include <isa-l/igzip_lib.h>

#include "base/toolkit_test.h"

enum { BATCH = 1 << 17, LARGE = 3 << 18, UNITS_MAX = 4096 };

/* A .debug_info and the offsets of its units; the last is its end. */
struct program {
	struct bytes info, packed;
	uint64_t offsets[UNITS_MAX + 1];
	uint32_t count;
	struct elf_file file;
	struct dwarf dwarf;
};

/* Adds a unit of `size` bytes, its length included, with content that no other unit has. */
static void put_unit(struct program *program, size_t size, bool is_wide)
{
	struct bytes *info = &program->info;
	size_t start = info->size;
	uint64_t random = start + 1;
	if (is_wide)
		put_number(info, 0xffffffff, 4);
	put_number(info, size - (is_wide ? 12 : 4), is_wide ? 8 : 4);
	while (info->size < start + size)
		put_u8(info, (uint8_t)random_below(&random, 16));
	assert_true(program->count < UNITS_MAX);
	program->offsets[++program->count] = info->size;
}

/* Small units, and such as fill a batch just so, almost, not quite, or are larger by themselves. */
static struct program *make_program(bool big)
{
	static const size_t large[] = {BATCH, BATCH + 1, BATCH - 1, LARGE, 11, 2 * BATCH, LARGE + 1};
	struct program *program = calloc(1, sizeof(*program));
	uint64_t random = 3;
	assert_non_null(program);
	program->info.big = big;
	program->file.swap = big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	program->dwarf.file = &program->file;
	for (size_t i = 0; i < COUNT_OF(large); i++) {
		put_unit(program, large[i], i % 2);
		for (unsigned k = 0; k < 400; k++)
			put_unit(program, 12 + random_below(&random, 3000), random_one_in(&random, 4));
	}
	return program;
}

static void program_free(struct program *program)
{
	section_done(&program->file.sections[DEBUG_INFO]);
	bytes_done(&program->info);
	bytes_done(&program->packed);
	free(program);
}

/* The ways to keep .debug_info and to read it. */
static const struct way {
	const char *name;
	bool is_packed, refers_across;
	unsigned threads;
} ways[] = {
	{"in the file", false, false, 1},
	{"in the file, for threads", false, false, 4},
	{"packed", true, false, 1},
	{"packed, for threads", true, false, 4},
	{"packed, with references", true, true, 1},
	{"packed, with references, for threads", true, true, 4},
};

/* Makes .debug_info anew for a queue; with references, chosen units are only read where it is inflated already. */
static void lay_info(struct program *program, const struct way *way, bool is_chosen)
{
	static struct isal_zstream stream; /* too large for the stack */
	struct section *section = &program->file.sections[DEBUG_INFO];
	struct bytes *packed = &program->packed;
	section_done(section);
	program->dwarf.refers_across = way->refers_across;
	if (!way->is_packed) {
		section_init(section, program->info.data, program->info.size, false);
		return;
	}
	bytes_done(packed);
	packed->room = program->info.size * 2 + 1000;
	packed->data = malloc(packed->room);
	assert_non_null(packed->data);
	isal_deflate_init(&stream);
	stream.gzip_flag = IGZIP_ZLIB;
	stream.end_of_stream = 1;
	stream.next_in = program->info.data;
	stream.avail_in = (uint32_t)program->info.size;
	stream.next_out = packed->data;
	stream.avail_out = (uint32_t)packed->room;
	assert_int_equal(isal_deflate(&stream), COMP_OK);
	packed->size = stream.total_out;
	const struct packed_section from = {PACKING_ZLIB, packed->data, packed->size, program->info.size, false};
	assert_int_equal(section_init_packed(section, &from, NULL), LOCUS_OK);
	if (way->refers_across && is_chosen)
		assert_int_equal(section_need(section, section->size, NULL), LOCUS_OK);
}

/* Checks a unit that was taken, which must not be one that was `seen`. Returns its index. */
static uint32_t check_unit(const struct program *program, const struct taken_unit *unit, bool *seen, const char *name)
{
	const uint8_t *bytes = unit->bytes ? unit->bytes : program->file.sections[DEBUG_INFO].data + unit->offset;
	uint32_t at = unit->index;
	if (at >= program->count || seen[at] || unit->offset != program->offsets[at] ||
	    unit->end != program->offsets[at + 1])
		fail_msg("%s: unit %u at 0x%llx", name, at, (unsigned long long)unit->offset);
	assert_memory_equal(bytes, program->info.data + unit->offset, unit->end - unit->offset);
	seen[at] = true;
	return at;
}

/* Takes units until none is left, by turns for two threads. */
static void check_taken(struct program *program, const struct way *way, const struct unit_choice *choice)
{
	struct unit_queue *queue = malloc(sizeof(*queue));
	struct taken_unit taken[2] = {{0}, {0}};
	struct locus_error error = {{0}, 0};
	bool *seen = calloc(program->count, sizeof(*seen)), any[2] = {true, way->threads > 1};
	uint32_t count = 0;
	assert_true(queue && seen);
	lay_info(program, way, choice != NULL);
	assert_true(unit_queue_init(queue, &program->dwarf, choice, way->threads));
	for (unsigned turn = 0; any[0] || any[1]; turn++) {
		unsigned thread = any[0] && any[1] ? turn % 2 : any[1];
		if (unit_queue_take(queue, &taken[thread], &any[thread], &error) != LOCUS_OK)
			fail_msg("%s: %s", way->name, error.text);
		if (!any[thread])
			continue;
		uint32_t at = check_unit(program, &taken[thread], seen, way->name);
		if (way->threads == 1)
			assert_int_equal(at, choice ? choice->indexes[count] : count);
		count++;
	}
	for (uint32_t i = 0; i < (choice ? choice->count : program->count); i++)
		if (!seen[choice ? choice->indexes[i] : i])
			fail_msg("%s: unit %u of the choice is left out", way->name, i);
	assert_int_equal(count, choice ? choice->count : program->count);
	taken_unit_done(queue, &taken[0]);
	taken_unit_done(queue, &taken[1]);
	unit_queue_done(queue);
	free(queue);
	free(seen);
}

static void every_unit_once(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct program *program = make_program(big);
		for (size_t i = 0; i < COUNT_OF(ways); i++)
			check_taken(program, &ways[i], NULL);
		program_free(program);
	}
}

/* Chosen units are read by one thread where .debug_info is compressed. */
static void chosen_units(void **state)
{
	(void)state;
	struct program *program = make_program(false);
	uint32_t last = program->count - 1;
	const uint32_t choices[][4] = {{0, 1, 2, 3}, {1, 402, 802, last}, {5, 401, 1203, 1204}, {last - 1, last}, {0}};
	const uint32_t counts[] = {4, 4, 4, 2, 0};
	for (size_t i = 0; i < COUNT_OF(choices); i++) {
		uint64_t offsets[4];
		for (uint32_t k = 0; k < counts[i]; k++)
			offsets[k] = program->offsets[choices[i][k]];
		const struct unit_choice choice = {offsets, choices[i], counts[i]};
		for (size_t k = 0; k < COUNT_OF(ways); k++)
			if (!ways[k].is_packed || ways[k].threads == 1)
				check_taken(program, &ways[k], &choice);
	}
	program_free(program);
}

/* A unit that a table of addresses names and that lies behind all units is cut off, wherever that is found. */
static void a_unit_that_is_not_there(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct program *program = make_program(false);
		struct unit_queue *queue = malloc(sizeof(*queue));
		struct taken_unit taken = {0};
		const uint64_t offset = program->info.size + i;
		const struct unit_choice choice = {&offset, &(const uint32_t){7}, 1};
		bool any = true;
		assert_non_null(queue);
		lay_info(program, &ways[0], true);
		assert_true(unit_queue_init(queue, &program->dwarf, &choice, 1));
		assert_int_equal(unit_queue_take(queue, &taken, &any, NULL), LOCUS_ERR_BAD_DWARF);
		taken_unit_done(queue, &taken);
		unit_queue_done(queue);
		free(queue);
		program_free(program);
	}
}

/* Takes the units until one fails. Returns how many there were before it. */
static uint32_t take_until_failure(struct program *program, const struct way *way, const struct unit_choice *choice,
				   enum locus_status *ret_status, struct locus_error *error)
{
	struct unit_queue *queue = malloc(sizeof(*queue));
	struct taken_unit taken = {0};
	uint32_t count = 0;
	bool any = true;
	assert_non_null(queue);
	lay_info(program, way, choice != NULL);
	assert_true(unit_queue_init(queue, &program->dwarf, choice, way->threads));
	*ret_status = LOCUS_OK;
	while (*ret_status == LOCUS_OK && any) {
		*ret_status = unit_queue_take(queue, &taken, &any, error);
		count += *ret_status == LOCUS_OK && any;
	}
	taken_unit_done(queue, &taken);
	unit_queue_done(queue);
	free(queue);
	return count;
}

/*
 * Three units, the last of which says that it is longer than what is there, or does not say its length. It is inflated
 * with the others or, where the second is large, its beginning alone is.
 */
static void cut_off_units(void **state)
{
	static const struct {
		const char *name;
		uint8_t bytes[16];
		size_t size;
		bool is_cut;
	} cases[] = {
		{"whole", {4, 0, 0, 0, 1, 2, 3, 4}, 8, false},
		{"empty", {0, 0, 0, 0}, 4, false},
		{"a byte short", {4, 0, 0, 0, 1, 2, 3}, 7, true},
		{"no length", {4, 0, 0}, 3, true},
		{"no length of 64 bits", {0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0}, 11, true},
		{"whole, of 64 bits", {0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0, 0, 9}, 13, false},
		{"a byte short, of 64 bits", {0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 0, 0, 0, 9}, 13, true},
		{"a length that wraps",
		 {0xff, 0xff, 0xff, 0xff, 0xf5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 9},
		 13,
		 true},
		{"a length of a terabyte", {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 9}, 13, true},
		{"a reserved length", {0xf0, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0, 0, 9}, 13, true},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		for (size_t k = 0; k < 4 * COUNT_OF(ways); k++) {
			const struct way *way = &ways[k / 4];
			struct program *program = calloc(1, sizeof(*program));
			struct locus_error error = {{0}, 0};
			enum locus_status status;
			assert_non_null(program);
			program->dwarf.file = &program->file;
			put_unit(program, 20, false);
			put_unit(program, k / 2 % 2 ? BATCH - 33 : 30, false);
			uint64_t last = program->info.size;
			char where[48];
			snprintf(where, sizeof(where), ".debug_info+0x%llx is cut off", (unsigned long long)last);
			put_bytes(&program->info, cases[i].bytes, cases[i].size);
			const struct unit_choice choice = {&last, &(const uint32_t){2}, 1};
			bool chosen = k % 2;
			if (chosen && way->is_packed && way->threads > 1) {
				program_free(program);
				continue;
			}
			uint32_t count = take_until_failure(program, way, chosen ? &choice : NULL, &status, &error);
			if (status != (cases[i].is_cut ? LOCUS_ERR_BAD_DWARF : LOCUS_OK))
				fail_msg("%s, %s: status %d", cases[i].name, way->name, status);
			/* What is inflated for threads is looked at ahead of them, but told after what is before. */
			assert_int_equal(count, (chosen ? 1 : 3) - cases[i].is_cut);
			if (cases[i].is_cut && !strstr(error.text, where))
				fail_msg("%s, %s: %s", cases[i].name, way->name, error.text);
			program_free(program);
		}
}

/* Where a unit cannot be inflated to its end, every thread is told the same, though its beginning is not had again. */
static void one_failure_for_all(void **state)
{
	struct program *program = calloc(1, sizeof(*program));
	struct unit_queue *queue = malloc(sizeof(*queue));
	struct taken_unit taken[2] = {{0}, {0}};
	struct locus_error errors[2] = {{{0}, 0}, {{0}, 0}};
	(void)state;
	assert_true(program && queue);
	program->dwarf.file = &program->file;
	put_unit(program, LARGE, false);
	lay_info(program, &(const struct way){"packed, for threads", true, false, 2}, false);
	/* The stream is the first half of what it was. */
	struct section *section = &program->file.sections[DEBUG_INFO];
	const struct packed_section half = {PACKING_ZLIB, program->packed.data, program->packed.size / 2, LARGE, false};
	section_done(section);
	assert_int_equal(section_init_packed(section, &half, NULL), LOCUS_OK);
	assert_true(unit_queue_init(queue, &program->dwarf, NULL, 2));
	for (unsigned thread = 0; thread < 2; thread++) {
		bool any;
		assert_int_equal(unit_queue_take(queue, &taken[thread], &any, &errors[thread]), LOCUS_ERR_BAD_ELF);
		taken_unit_done(queue, &taken[thread]);
	}
	assert_string_equal(errors[0].text, errors[1].text);
	unit_queue_done(queue);
	free(queue);
	program_free(program);
}

/* A checksum that is wrong, or cut off, is found in the same place whoever computes it. */
static void wrong_checksum(void **state)
{
	enum { RIGHT, WRONG, CUT };
	char alone[sizeof(((struct locus_error *)NULL)->text)] = "";
	(void)state;
	for (int kind = RIGHT; kind <= CUT; kind++)
		for (int threads = 1; threads <= 2; threads++) {
			struct program *program = make_program(false);
			struct unit_queue *queue = malloc(sizeof(*queue));
			struct taken_unit taken = {0};
			struct locus_error error = {{0}, 0};
			enum locus_status status = LOCUS_OK;
			bool any = true;
			assert_non_null(queue);
			lay_info(program, &(const struct way){"packed", true, false, (unsigned)threads}, false);
			program->packed.data[program->packed.size - 1] ^= kind == WRONG;
			if (kind == CUT) {
				struct section *section = &program->file.sections[DEBUG_INFO];
				const struct packed_section from = {PACKING_ZLIB, program->packed.data,
								    program->packed.size - 1, section->size, false};
				section_done(section);
				assert_int_equal(section_init_packed(section, &from, NULL), LOCUS_OK);
			}
			assert_true(unit_queue_init(queue, &program->dwarf, NULL, (unsigned)threads));
			assert_int_equal(queue->sums_batches, threads > 1);
			/* Before all units are taken it is of some, and says nothing. */
			assert_int_equal(unit_queue_check(queue, &error), LOCUS_OK);
			while (any && status == LOCUS_OK)
				status = unit_queue_take(queue, &taken, &any, &error);
			if (status == LOCUS_OK)
				status = unit_queue_check(queue, &error);
			assert_int_equal(status, kind == RIGHT ? LOCUS_OK : LOCUS_ERR_BAD_ELF);
			if (kind != RIGHT && threads == 1)
				memcpy(alone, error.text, sizeof(alone));
			if (kind != RIGHT)
				assert_string_equal(error.text, alone);
			taken_unit_done(queue, &taken);
			unit_queue_done(queue);
			free(queue);
			program_free(program);
		}
}

/* All the memory that the queue holds. */
static size_t memory_of(const struct unit_queue *queue)
{
	size_t size = 0;
	for (size_t i = 0; i < READY_MAX; i++)
		size += queue->ready[i].memory.room;
	return size + queue->pool.kept;
}

/* A program of units full of zeros, of `size` bytes, but every sixteenth of `large_size`. */
static struct program *make_zeroed(uint32_t count, uint32_t size, uint32_t large_size)
{
	struct program *program = calloc(1, sizeof(*program));
	assert_non_null(program);
	program->dwarf.file = &program->file;
	program->count = count;
	for (uint32_t i = 0; i < count; i++)
		program->offsets[i + 1] = program->offsets[i] + (i % 16 == 15 ? large_size : size);
	program->info.size = program->offsets[count];
	program->info.data = calloc(1, program->info.size);
	assert_non_null(program->info.data);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t length = (uint32_t)(program->offsets[i + 1] - program->offsets[i]) - 4;
		memcpy(program->info.data + program->offsets[i], &length, sizeof(length));
	}
	lay_info(program, &(const struct way){"packed, for threads", true, false, 2}, false);
	return program;
}

/* An eighth of what is not inflated yet is ready, or 4 MiB; memory that this no longer takes is given back. */
static void less_is_ready_in_the_end(void **state)
{
	enum { UNITS = 128, UNIT = 1 << 20, LEAST = 4 };
	struct program *program = make_zeroed(UNITS, UNIT, UNIT);
	struct unit_queue *queue = malloc(sizeof(*queue));
	struct taken_unit taken = {0};
	bool any = true;
	(void)state;
	assert_non_null(queue);
	assert_true(unit_queue_init(queue, &program->dwarf, NULL, 2));
	for (uint32_t count = 1; count <= UNITS; count++) {
		assert_int_equal(unit_queue_take(queue, &taken, &any, NULL), LOCUS_OK);
		assert_true(any);
		/*
		 * The units that are ready and the one that was taken are inflated; the last of them passed the limit.
		 */
		uint32_t ready = (uint32_t)(queue->ready_size / UNIT), left = UNITS - count - ready;
		uint32_t most = left / 8 + 1 > LEAST ? left / 8 + 1 : LEAST;
		assert_in_range(ready, left && most > LEAST ? most - 2 : left ? LEAST - 1 : 0, most);
		/* A fourth more is kept, and a MiB that is not worth a call of the kernel. */
		assert_in_range(memory_of(queue), 0, (most + most / 4 + 1) * UNIT);
	}
	assert_int_equal(unit_queue_take(queue, &taken, &any, NULL), LOCUS_OK);
	assert_false(any);
	taken_unit_done(queue, &taken);
	unit_queue_done(queue);
	free(queue);
	program_free(program);
}

/* A unit that would be too many beside those that are ready is not inflated before they are taken. */
static void large_units_wait(void **state)
{
	enum { UNITS = 48, UNIT = 1 << 19, UNIT_LARGE = 9 << 20 };
	struct program *program = make_zeroed(UNITS, UNIT, UNIT_LARGE);
	struct unit_queue *queue = malloc(sizeof(*queue));
	struct taken_unit taken[2] = {{0}, {0}};
	bool any = true;
	(void)state;
	assert_non_null(queue);
	assert_true(unit_queue_init(queue, &program->dwarf, NULL, 2));
	for (uint32_t count = 0; count < UNITS; count++) {
		struct taken_unit *next = &taken[count % 2];
		assert_int_equal(unit_queue_take(queue, next, &any, NULL), LOCUS_OK);
		assert_true(any);
		assert_int_equal(next->index, count);
		assert_int_equal(next->end - next->offset, count % 16 == 15 ? UNIT_LARGE : UNIT);
		if (queue->ready_count > 1)
			assert_in_range(queue->ready_size, 0, queue->ahead_size_max + UNIT);
		if (count % 16 == 13) /* the next but one is large */
			assert_int_equal(queue->ready_count, 1);
	}
	assert_int_equal(unit_queue_take(queue, &taken[0], &any, NULL), LOCUS_OK);
	assert_false(any);
	taken_unit_done(queue, &taken[0]);
	taken_unit_done(queue, &taken[1]);
	unit_queue_done(queue);
	free(queue);
	program_free(program);
}

/* While a large unit is inflated, so is the next one's length, and nothing more. */
static void the_next_length_is_known(void **state)
{
	enum { UNITS = 33, LENGTH = 12 };
	struct program *program = make_zeroed(UNITS, LARGE, BATCH + 1);
	struct unit_queue *queue = malloc(sizeof(*queue));
	struct taken_unit taken = {0};
	bool any = true;
	(void)state;
	assert_non_null(queue);
	assert_true(unit_queue_init(queue, &program->dwarf, NULL, 1));
	for (uint32_t count = 1; count <= UNITS; count++) {
		assert_int_equal(unit_queue_take(queue, &taken, &any, NULL), LOCUS_OK);
		assert_int_equal(queue->rest_size, count < UNITS ? LENGTH : 0);
	}
	taken_unit_done(queue, &taken);
	unit_queue_done(queue);
	free(queue);
	program_free(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_unit_once),
		cmocka_unit_test(less_is_ready_in_the_end),
		cmocka_unit_test(chosen_units),
		cmocka_unit_test(cut_off_units),
		cmocka_unit_test(wrong_checksum),
		cmocka_unit_test(large_units_wait),
		cmocka_unit_test(one_failure_for_all),
		cmocka_unit_test(a_unit_that_is_not_there),
		cmocka_unit_test(the_next_length_is_known),
	};
	return cmocka_run_group_tests_name("unit_queue", tests, NULL, NULL);
}
