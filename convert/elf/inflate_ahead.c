/*
 * The thread in front inflates the stream step by step. A thread that helps it takes a part some MiB farther ahead.
 * When the thread in front comes to a block where a part that is ready begins, it takes the part's bytes instead of
 * inflating them; a part that is not ready by then is dropped.
 */
#include "convert/elf/inflate_ahead.h"

#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* Packed bytes: */
	PART_SIZE = 3 << 19,       /* 1.5 MiB; of less, a larger share is inflated twice, and more takes more memory */
	LEAD_SIZE = 2 * PART_SIZE, /* from the thread in front to a new part: it is ready when that thread arrives */
	BEHIND_SIZE = 2 * PART_SIZE, /* from the beginning of a part to the stream's end, at least */
	LEAST_SIZE = LEAD_SIZE + BEHIND_SIZE,
	KEPT_SIZE = 10 * PART_SIZE, /* without a new part, until the memory of the last ones is given back */
	NEAR_SIZE = PART_SIZE,      /* in front of a part: in these, what may be its window is noted */

	ROOM_RATIO_MAX = 16, /* inflated bytes for a packed one */
};

/* Twice what it is on the average, within limits: the sizes may be a lie. */
static size_t room_of_part(size_t packed_size, uint64_t size)
{
	uint64_t ratio = 2 * (size / packed_size + 1);
	return (size_t)PART_SIZE * (ratio < ROOM_RATIO_MAX ? (size_t)ratio : ROOM_RATIO_MAX);
}

struct inflate_ahead *inflate_ahead_new(const uint8_t *packed, size_t packed_size, uint64_t size, unsigned helpers)
{
	struct inflate_ahead *ahead = packed_size > LEAST_SIZE ? calloc(1, sizeof(*ahead)) : NULL;
	if (!ahead)
		return NULL;
	ahead->packed = packed;
	ahead->packed_size = packed_size;
	ahead->room = room_of_part(packed_size, size);
	ahead->count = helpers < AHEAD_MAX ? helpers : AHEAD_MAX;
	short_lock_init(&ahead->lock);
	return ahead;
}

void inflate_ahead_free(struct inflate_ahead *ahead)
{
	if (!ahead)
		return;
	for (unsigned i = 0; i < ahead->count; i++)
		deflate_part_done(&ahead->parts[i].part);
	short_lock_done(&ahead->lock);
	free(ahead);
}

/* Claims the next part; NULL: see inflate_ahead_help. */
static struct part_ahead *claim(struct inflate_ahead *ahead, size_t given)
{
	struct part_ahead *ret = NULL;
	short_lock_take(&ahead->lock);
	size_t from = given + LEAD_SIZE > ahead->claimed ? given + LEAD_SIZE : ahead->claimed;
	for (unsigned i = 0; i < ahead->count && !ret; i++)
		if (ahead->parts[i].state == AHEAD_FREE)
			ret = &ahead->parts[i];
	if (ahead->packed_size < from + BEHIND_SIZE)
		ret = NULL;
	if (ret) {
		ret->state = AHEAD_BEGUN;
		ret->from = from;
		atomic_store_explicit(&ret->stop, false, memory_order_relaxed);
		ahead->claimed = from + PART_SIZE;
	}
	short_lock_release(&ahead->lock);
	return ret;
}

bool inflate_ahead_help(struct inflate_ahead *ahead, size_t given)
{
	struct part_ahead *part = claim(ahead, given);
	if (!part)
		return false;
	const struct deflate_range range = {
		.packed = ahead->packed,
		.size = ahead->packed_size,
		.from = part->from,
		.to = part->from + PART_SIZE,
		.room = ahead->room,
	};
	bool is_good = deflate_part_inflate(&part->part, &range, &part->stop);
	short_lock_take(&ahead->lock);
	part->state = is_good && part->state == AHEAD_BEGUN ? AHEAD_READY : AHEAD_FREE;
	short_lock_release(&ahead->lock);
	return true;
}

/* The packed byte before which the thread in front has to stop for a part. */
static size_t stop_of(const struct part_ahead *part)
{
	return part->state == AHEAD_READY ? (size_t)((part->part.first_bit + 7) / 8) : part->from;
}

static bool is_awaited(const struct part_ahead *part)
{
	return part->state == AHEAD_BEGUN || part->state == AHEAD_READY;
}

/* Drops a part that the thread in front has passed. The caller has the lock. */
static void drop(struct part_ahead *part)
{
	atomic_store_explicit(&part->stop, true, memory_order_relaxed);
	part->state = part->state == AHEAD_BEGUN ? AHEAD_TOO_LATE : AHEAD_FREE;
}

/* Gives back the memory of parts that are done. The caller has the lock. */
static void release_free(struct inflate_ahead *ahead)
{
	for (unsigned i = 0; i < ahead->count; i++)
		if (ahead->parts[i].state == AHEAD_FREE)
			deflate_part_done(&ahead->parts[i].part);
}

/*
 * How many packed bytes may be given in all, so as to stop where the next part may begin. Drops the parts that lie
 * before `given`.
 */
static size_t next_stop(struct inflate_ahead *ahead, size_t given)
{
	size_t ret = SIZE_MAX;
	short_lock_take(&ahead->lock);
	for (unsigned i = 0; i < ahead->count; i++) {
		struct part_ahead *part = &ahead->parts[i];
		size_t stop = stop_of(part);
		if (is_awaited(part) && stop <= given)
			drop(part);
		else if (is_awaited(part) && stop < ret)
			ret = stop;
	}
	if (given > ahead->claimed + KEPT_SIZE)
		release_free(ahead);
	short_lock_release(&ahead->lock);
	return ret;
}

void inflate_ahead_end(struct inflate_ahead *ahead)
{
	next_stop(ahead, SIZE_MAX);
}

/*
 * Goes over to the part that begins at `bit`, if one does and a whole window was noted. Even this far into the packed
 * bytes less than a window may have been inflated, as blocks may be empty. Then a match could begin before the stream
 * does, which is damage that `state` finds, and a part does not.
 */
static void reach(struct inflate_ahead *ahead, uint64_t bit, size_t *given)
{
	if (ahead->noted < DEFLATE_WINDOW)
		return;
	short_lock_take(&ahead->lock);
	for (unsigned i = 0; i < ahead->count && !ahead->reached; i++)
		if (ahead->parts[i].state == AHEAD_READY && ahead->parts[i].part.first_bit == bit)
			ahead->reached = &ahead->parts[i];
	if (ahead->reached)
		ahead->reached->state = AHEAD_REACHED;
	short_lock_release(&ahead->lock);
	if (!ahead->reached)
		return;
	ahead->taken = 0;
	memcpy(ahead->before, ahead->window, sizeof(ahead->before));
	*given = (size_t)((ahead->reached->part.end_bit + 7) / 8);
}

/* Notes the last bytes inflated: what comes next may refer to them. */
static void note(struct inflate_ahead *ahead, const uint8_t *bytes, size_t size)
{
	uint8_t *window = ahead->window;
	size_t last = size < DEFLATE_WINDOW ? size : DEFLATE_WINDOW, kept = DEFLATE_WINDOW - last;
	memmove(window, window + last, kept);
	memcpy(window + kept, bytes + size - last, last);
	ahead->noted += size;
}

/* Takes bytes of the part that was reached. Behind its last, `state` goes on, or the next part. */
static size_t take_part(struct inflate_ahead *ahead, struct inflate_state *state, size_t *given, uint8_t *out,
			size_t room)
{
	struct part_ahead *reached = ahead->reached;
	size_t left = reached->part.size - ahead->taken, size = left < room ? left : room;
	deflate_part_copy(&reached->part, ahead->before, ahead->taken, out, size);
	note(ahead, out, size);
	ahead->taken += size;
	if (size < left)
		return size;

	uint64_t bit = reached->part.end_bit;
	ahead->reached = NULL;
	short_lock_take(&ahead->lock);
	reached->state = AHEAD_FREE;
	short_lock_release(&ahead->lock);
	*given = deflate_begin_at(state, ahead->packed, bit, ahead->window);
	reach(ahead, bit, given);
	return size;
}

size_t inflate_ahead_take(struct inflate_ahead *ahead, struct inflate_state *state, size_t *given, size_t step,
			  uint8_t *out, size_t room)
{
	if (ahead->reached)
		return take_part(ahead, state, given, out, room);

	bool was_at_stop = ahead->is_at_stop;
	size_t stop = was_at_stop ? *given : next_stop(ahead, *given), most = stop - *given;
	state->next_in = (uint8_t *)ahead->packed + *given;
	state->avail_in = (uint32_t)(step < most ? step : most);
	state->next_out = out;
	state->avail_out = (uint32_t)room;
	if (isal_inflate(state) != ISAL_DECOMP_OK) /* on damage it may report more input taken than there was */
		return SIZE_MAX;
	*given = (size_t)(state->next_in - ahead->packed);
	size_t made = room - state->avail_out;
	if (stop - *given <= NEAR_SIZE)
		note(ahead, out, made);
	else
		ahead->noted = 0;

	ahead->is_at_stop = *given == stop && !state->avail_out;
	if (*given == stop && state->avail_out)
		reach(ahead, deflate_block_bit(state, *given), given);
	/* Nothing was made, because isa-l had held nothing back: so go on, once, behind the stop. */
	return was_at_stop && !made ? inflate_ahead_take(ahead, state, given, step, out, room) : made;
}
