/*
 * Where a block begins is not marked. But the header of a dynamic Huffman block (RFC 1951, 3.2.7) describes three
 * codes, and bits seldom do so by chance: each bit is tried, first cheaply, then by inflating from there.
 *
 * What a match copies from before the part is not known. So the part is inflated twice, behind two windows that differ
 * in every byte, and in which the two bytes at a place tell the place. Matches copy both of them alike, however often,
 * and what the part brings itself is the same in both results. So the part takes twice the time, until nothing of the
 * windows is left in the last 32 KiB: then one result is enough. For a .debug_info that is after about 400 KiB of
 * packed bytes. In this way isa-l's inflater can be used here, too. The alternative would be an inflater of our own
 * that notes for each byte where it was copied from.
 */
#include "convert/elf/deflate_part.h"

#include <endian.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	SEARCH_SIZE = 256 << 10, /* packed bytes in which a header is looked for: blocks mostly have a tenth of that */
	TRIAL_SIZE = 16 << 10,   /* packed bytes that have to be valid behind a header */
	/*
	 * At most so many packed bytes are tried in vain, headers included, and inflate to at most so many. In an
	 * honest stream some 4 KiB are, and little of that is inflated.
	 */
	TRIALS_PACKED = 64 << 10,
	TRIALS_INFLATED = 1 << 20,
	BITS_TRIED = 32,        /* looked at together: a word of 64 has them, and the counts behind the last of them */
	BITS_AT_ONCE = 1 << 13, /* tried before `stop` is looked at */
	STEP_SIZE = 64 << 10,   /* packed bytes inflated at a time, behind one window and then the other */
	END_STEP_SIZE = 64,     /* the same at the end, where a step should end within a header */
	HEADER_SIZE = 24,       /* bytes that are read to try a bit, rounded up */
};

/* A window's byte at a place, and the other window's, which is never the same: it tells the place's upper bits. */
static uint8_t first_byte(unsigned place)
{
	return (uint8_t)place;
}

static uint8_t other_byte(unsigned place)
{
	return (uint8_t)(first_byte(place) ^ ((place >> 8) + 1));
}

static unsigned place_of(uint8_t first, uint8_t other)
{
	return first | ((unsigned)(first ^ other) - 1) << 8;
}

/* The next 57 bits, or some more. */
static uint64_t bits_at(const uint8_t *packed, uint64_t bit)
{
	uint64_t ret;
	memcpy(&ret, packed + bit / 8, sizeof(ret));
	return le64toh(ret) >> bit % 8;
}

/*
 * Which of the next BITS_TRIED bits may begin a dynamic Huffman block that is not the last: in the result, bit i stands
 * for bit i of `bits`. The counts of codes have to be possible; the 30 and 31 that are not have all of their upper four
 * bits set.
 */
static uint32_t may_begin_header(uint64_t bits)
{
	const uint64_t is_last = bits, is_dynamic = ~(bits >> 1) & bits >> 2;
	const uint64_t too_many_literals = bits >> 4 & bits >> 5 & bits >> 6 & bits >> 7;
	const uint64_t too_many_distances = bits >> 9 & bits >> 10 & bits >> 11 & bits >> 12;
	return (uint32_t)(~is_last & is_dynamic & ~too_many_literals & ~too_many_distances);
}

/* Whether the code in which a header at `bit` would have the lengths of the other codes is complete. */
static bool has_complete_code(const uint8_t *packed, uint64_t bit)
{
	enum { COUNT_AT = 13, LENGTHS_AT = 17, COMPLETE = 1 << 7 };
	uint64_t lengths = bits_at(packed, bit + LENGTHS_AT);
	unsigned used = 0;
	for (unsigned left = (unsigned)(bits_at(packed, bit) >> COUNT_AT & 15) + 4; left; left--, lengths >>= 3)
		used += lengths & 7 ? (unsigned)COMPLETE >> (lengths & 7) : 0;
	return used == COMPLETE;
}

size_t deflate_begin_at(struct inflate_state *state, const uint8_t *packed, uint64_t bit, const uint8_t *window)
{
	unsigned within = bit % 8;
	isal_inflate_init(state);
	isal_inflate_set_dict(state, (uint8_t *)window, DEFLATE_WINDOW);
	state->read_in = within ? packed[bit / 8] >> within : 0;
	state->read_in_length = within ? 8 - (int32_t)within : 0;
	return (size_t)(bit / 8) + (within != 0);
}

uint64_t deflate_block_bit(const struct inflate_state *state, size_t given)
{
	/* It keeps a header that was not there as a whole, to read it again. */
	bool is_between = state->block_state == ISAL_BLOCK_NEW_HDR || state->block_state == ISAL_BLOCK_HDR;
	if (!is_between || state->read_in_length < 0)
		return UINT64_MAX;
	return (uint64_t)given * 8 - (uint64_t)state->read_in_length - 8 * (uint64_t)state->tmp_in_size;
}

/* One of the two results. */
struct result {
	struct inflate_state state;
	uint8_t window[DEFLATE_WINDOW];
	uint8_t *bytes;
	size_t size, room;
	size_t given; /* packed bytes */
};

static void result_init(struct result *result, uint8_t *bytes, size_t room, uint8_t (*byte)(unsigned place))
{
	result->bytes = bytes;
	result->room = room;
	for (unsigned i = 0; i < DEFLATE_WINDOW; i++)
		result->window[i] = byte(i);
}

static void begin_at(struct result *result, const uint8_t *packed, uint64_t bit)
{
	result->size = 0;
	result->given = deflate_begin_at(&result->state, packed, bit, result->window);
}

/*
 * Inflates the next packed bytes. False: they are damaged, go on behind the stream's end, or inflate to too much. Where
 * the stream ends with them, none of the next ones is taken.
 */
static bool go_on(struct result *result, const uint8_t *packed, size_t size)
{
	struct inflate_state *state = &result->state;
	state->next_in = (uint8_t *)packed + result->given;
	state->avail_in = (uint32_t)size;
	state->next_out = result->bytes + result->size;
	state->avail_out = (uint32_t)(result->room - result->size);
	bool is_good = isal_inflate(state) == ISAL_DECOMP_OK;
	result->size = result->room - state->avail_out;
	result->given += size;
	return is_good && !state->avail_in && state->avail_out;
}

/* What was tried in vain. */
struct trials {
	size_t packed, inflated; /* bytes */
};

/* Begins a result at `bit`. False: no header is there. */
static bool try_header(struct result *result, const uint8_t *packed, uint64_t bit, struct trials *trials)
{
	begin_at(result, packed, bit);
	if (go_on(result, packed, TRIAL_SIZE))
		return true;
	/* On damage it may report more input taken than there was. */
	size_t taken = (size_t)(result->state.next_in - (packed + bit / 8));
	trials->packed += HEADER_SIZE + (taken < TRIAL_SIZE ? taken : TRIAL_SIZE);
	trials->inflated += result->size;
	return false;
}

/* Begins a result at the first header. */
static bool find_header(struct result *result, const struct deflate_range *range, uint64_t *ret_bit,
			const atomic_bool *stop)
{
	const uint64_t begin = (uint64_t)range->from * 8, end = begin + SEARCH_SIZE * UINT64_C(8);
	struct trials trials = {0};
	for (uint64_t at = begin; at < end; at += BITS_TRIED) {
		if ((at - begin) % BITS_AT_ONCE == 0 && atomic_load_explicit(stop, memory_order_relaxed))
			return false;
		uint32_t left = may_begin_header(bits_at(range->packed, at));
		for (; left; left &= left - 1) {
			const uint64_t bit = at + (unsigned)__builtin_ctz(left);
			if (!has_complete_code(range->packed, bit))
				continue;
			*ret_bit = bit;
			if (try_header(result, range->packed, bit, &trials))
				return true;
			if (trials.packed > TRIALS_PACKED || trials.inflated > TRIALS_INFLATED)
				return false;
		}
	}
	return false;
}

/* Whether nothing of the windows is left in the last bytes, so that both results would go on alike. */
static bool are_alike(const struct result *first, const struct result *other)
{
	size_t size = first->size;
	return size >= DEFLATE_WINDOW &&
	       memcmp(first->bytes + size - DEFLATE_WINDOW, other->bytes + size - DEFLATE_WINDOW, DEFLATE_WINDOW) == 0;
}

static bool inflate(struct deflate_part *part, struct result results[2], const struct deflate_range *range,
		    const atomic_bool *stop)
{
	struct result *first = results, *other = results + 1;
	result_init(first, part->bytes, part->room, first_byte);
	result_init(other, part->other, part->room, other_byte);
	if (!find_header(first, range, &part->first_bit, stop))
		return false;
	begin_at(other, range->packed, part->first_bit);
	part->end_bit = UINT64_MAX;

	for (bool alike = false; part->end_bit == UINT64_MAX;) {
		size_t left = range->to > first->given ? range->to - first->given : 0;
		size_t step = !left ? END_STEP_SIZE : left < STEP_SIZE ? left : STEP_SIZE;
		if (step > range->size - first->given || atomic_load_explicit(stop, memory_order_relaxed) ||
		    !go_on(first, range->packed, step))
			return false;
		if (first->given >= range->to)
			part->end_bit = deflate_block_bit(&first->state, first->given);
		if (alike || (!left && part->end_bit == UINT64_MAX))
			continue;
		if (!go_on(other, range->packed, first->given - other->given))
			return false;
		alike = are_alike(first, other);
		part->differ_size = other->size;
	}
	part->size = first->size;
	return part->size >= DEFLATE_WINDOW;
}

/* Maps memory for both results: malloc's heap would keep gaps. */
static bool make_room(struct deflate_part *part, size_t room)
{
	if (part->bytes && part->room == room)
		return true;
	deflate_part_done(part);
	void *both = mmap(NULL, 2 * room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (both == MAP_FAILED)
		return false;
	*part = (struct deflate_part){.bytes = both, .other = (uint8_t *)both + room, .room = room};
	return true;
}

bool deflate_part_inflate(struct deflate_part *part, const struct deflate_range *range, const atomic_bool *stop)
{
	if (range->from > range->size || range->size - range->from < SEARCH_SIZE + TRIAL_SIZE + HEADER_SIZE ||
	    !make_room(part, range->room))
		return false;
	struct result *results = malloc(2 * sizeof(*results));
	bool is_good = results && inflate(part, results, range, stop);
	free(results);
	return is_good;
}

void deflate_part_copy(const struct deflate_part *part, const uint8_t *window, size_t offset, uint8_t *ret, size_t size)
{
	enum { WORD = 8 };
	const uint8_t *first = part->bytes + offset, *other = part->other + offset;
	size_t differ = part->differ_size > offset ? part->differ_size - offset : 0, i = 0;
	if (differ > size)
		differ = size;
	while (i < differ) {
		if (differ - i >= WORD && memcmp(first + i, other + i, WORD) == 0) {
			memcpy(ret + i, first + i, WORD);
			i += WORD;
			continue;
		}
		ret[i] = first[i] == other[i] ? first[i] : window[place_of(first[i], other[i])];
		i++;
	}
	memcpy(ret + i, first + i, size - i);
}

void deflate_part_done(struct deflate_part *part)
{
	if (part->bytes)
		munmap(part->bytes, 2 * part->room);
	*part = (struct deflate_part){0};
}
