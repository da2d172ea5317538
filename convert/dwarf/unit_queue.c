/*
 * A compressed .debug_info is inflated here, once, from front to back, in batches: many small units at a time, because
 * each call of the inflater moves its window of 32 KiB, and a large unit by itself. Only one thread can inflate. So
 * that others need not wait for it, a thread that finds nobody inflating makes some batches ready ahead.
 */
#include "convert/dwarf/unit_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

enum {
	BATCH_SIZE = 1 << 17,
	KEPT_MAX = 2 << 20, /* bytes: the memory of larger units is not kept for the next */
};

bool turns_init(struct turns *turns, struct dwarf *dwarf, const struct unit_choice *choice, unsigned thread_count)
{
	*turns = (struct turns){.dwarf = dwarf, .choice = choice};
	turns->whole =
		section_is_whole(dwarf_section(dwarf, DEBUG_INFO)) || (dwarf->refers_across && !dwarf->across_seldom);
	turns->ahead = !turns->whole && thread_count > 1;
	pthread_mutex_init(&turns->lock, NULL);
	pthread_mutex_init(&turns->ready_lock, NULL);
	turns->rest = turns->whole ? NULL : malloc(BATCH_SIZE);
	return turns->whole || turns->rest;
}

void turns_done(struct turns *turns)
{
	free(turns->rest);
	for (unsigned i = 0; i < READY_MAX; i++)
		free(turns->ready[i].bytes);
	pthread_mutex_destroy(&turns->lock);
	pthread_mutex_destroy(&turns->ready_lock);
}

void turn_done(struct turn *turn)
{
	free(turn->batch.bytes);
	*turn = (struct turn){0};
}

/* The size of the unit at `bytes`, of which `size` are there; 0: its length is not there as a whole, or is invalid. */
static uint64_t unit_size(const struct turns *turns, const uint8_t *bytes, size_t size)
{
	struct cursor c = {.p = bytes, .end = bytes + size, .swap = turns->dwarf->file->swap};
	uint8_t offset_size;
	uint64_t length = cursor_initial_length(&c, &offset_size);
	return c.bad || length > UINT64_MAX / 2 ? 0 : (uint64_t)(c.p - bytes) + length;
}

static enum locus_status cut_off(uint64_t offset, struct locus_error *error)
{
	return locus_fail_at(error, LOCUS_ERR_BAD_DWARF, offset,
			     "the unit at .debug_info+0x%llx is cut off: the file is truncated or damaged",
			     (unsigned long long)offset);
}

static bool grow_bytes(struct batch *batch, size_t size)
{
	if (size <= batch->room)
		return true;
	uint8_t *grown = realloc(batch->bytes, size);
	if (!grown)
		return false;
	batch->bytes = grown;
	batch->room = size;
	return true;
}

/* Finds the next unit, if all of .debug_info is in memory. */
static enum locus_status measure_unit(struct turns *turns, struct batch *batch, struct locus_error *error)
{
	const struct section *info = dwarf_section(turns->dwarf, DEBUG_INFO);
	uint64_t left = info->size - turns->next_offset;
	uint64_t size = unit_size(turns, info->data + turns->next_offset, left);
	if (!size || size > left)
		return cut_off(turns->next_offset, error);
	batch->start = batch->next = turns->next_offset;
	batch->end = turns->next_offset += size;
	batch->index = turns->count++;
	return LOCUS_OK;
}

/*
 * Inflates into the batch: BATCH_SIZE bytes, or as many as one unit takes. The beginning of a unit that does not fit is
 * kept.
 */
static enum locus_status inflate_batch(struct turns *turns, struct batch *batch, struct locus_error *error)
{
	struct section *info = dwarf_section(turns->dwarf, DEBUG_INFO);
	uint64_t left = info->size - turns->next_offset;
	size_t have = left < BATCH_SIZE ? left : BATCH_SIZE, whole = 0;

	/* It begins with what the last batch could not hold as a whole. */
	if (!grow_bytes(batch, BATCH_SIZE))
		return locus_fail_memory(error);
	memcpy(batch->bytes, turns->rest, turns->rest_size);
	enum locus_status status = section_take(info, batch->bytes + turns->rest_size, have - turns->rest_size, error);
	if (status != LOCUS_OK)
		return status;

	/* A unit larger than a batch makes a batch of its own. */
	uint64_t size = unit_size(turns, batch->bytes, have);
	if (!size || size > left)
		return cut_off(turns->next_offset, error);
	if (size > have) {
		if (!grow_bytes(batch, size))
			return locus_fail_memory(error);
		status = section_take(info, batch->bytes + have, size - have, error);
		if (status != LOCUS_OK)
			return status;
		have = size;
	}

	/* The whole units are the batch; the rest is kept for the next one. */
	batch->index = turns->count;
	for (; size && size <= have - whole; size = unit_size(turns, batch->bytes + whole, have - whole)) {
		whole += size;
		turns->count++;
	}
	turns->rest_size = have - whole;
	memcpy(turns->rest, batch->bytes + whole, turns->rest_size);
	batch->start = batch->next = turns->next_offset;
	batch->end = turns->next_offset += whole;
	return LOCUS_OK;
}

/* Fills a batch, which stays empty if no unit is left. The caller has the lock. */
static enum locus_status fill_batch(struct turns *turns, struct batch *batch, struct locus_error *error)
{
	if (turns->next_offset == dwarf_section(turns->dwarf, DEBUG_INFO)->size)
		return LOCUS_OK;
	return turns->whole ? measure_unit(turns, batch, error) : inflate_batch(turns, batch, error);
}

/* Exchanges an empty batch for the first ready one. False: there is none. */
static bool take_ready(struct turns *turns, struct batch *batch)
{
	pthread_mutex_lock(&turns->ready_lock);
	bool any = turns->ready_count > 0;
	if (any) {
		struct batch empty = *batch;
		*batch = turns->ready[turns->ready_first];
		turns->ready[turns->ready_first] = empty;
		turns->ready_first = (turns->ready_first + 1) % READY_MAX;
		turns->ready_count--;
	}
	pthread_mutex_unlock(&turns->ready_lock);
	return any;
}

/*
 * The empty batch behind those that are ready; it stays the same while some are taken. NULL: none. The caller has the
 * lock.
 */
static struct batch *first_empty(struct turns *turns)
{
	pthread_mutex_lock(&turns->ready_lock);
	unsigned at = (turns->ready_first + turns->ready_count) % READY_MAX;
	struct batch *batch = turns->ready_count < READY_MAX ? &turns->ready[at] : NULL;
	pthread_mutex_unlock(&turns->ready_lock);
	return batch;
}

static void add_ready(struct turns *turns)
{
	pthread_mutex_lock(&turns->ready_lock);
	turns->ready_count++;
	pthread_mutex_unlock(&turns->ready_lock);
}

static enum locus_status take_batch(struct turns *turns, struct batch *batch, struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	if (batch->room > KEPT_MAX) {
		free(batch->bytes);
		*batch = (struct batch){0};
	}
	if (turns->ahead && take_ready(turns, batch))
		return LOCUS_OK;
	pthread_mutex_lock(&turns->lock);
	if (!turns->ahead || !take_ready(turns, batch))
		status = fill_batch(turns, batch, error);
	pthread_mutex_unlock(&turns->lock);
	return status;
}

/* If another thread is inflating there is nothing to do: the next call waits for it. */
static enum locus_status make_ready(struct turns *turns, struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	struct batch *batch;
	if (pthread_mutex_trylock(&turns->lock) != 0)
		return LOCUS_OK;
	while (status == LOCUS_OK && (batch = first_empty(turns))) {
		status = fill_batch(turns, batch, error);
		if (batch->next == batch->end)
			break;
		add_ready(turns);
	}
	pthread_mutex_unlock(&turns->lock);
	return status;
}

static enum locus_status take_next(struct turns *turns, struct turn *turn, bool *ret_any, struct locus_error *error)
{
	struct batch *batch = &turn->batch;
	enum locus_status status = LOCUS_OK;
	*ret_any = false;
	if (batch->next == batch->end)
		status = take_batch(turns, batch, error);
	if (status == LOCUS_OK && turns->ahead)
		status = make_ready(turns, error);
	if (status != LOCUS_OK || batch->next == batch->end)
		return status;
	const uint8_t *bytes = turns->whole ? dwarf_section(turns->dwarf, DEBUG_INFO)->data + batch->next
					    : batch->bytes + (batch->next - batch->start);
	turn->offset = batch->next;
	turn->end = batch->next += unit_size(turns, bytes, batch->end - batch->next);
	turn->index = batch->index++;
	turn->bytes = turns->whole ? NULL : bytes;
	*ret_any = true;
	return LOCUS_OK;
}

/* Takes the next chosen unit, if all of .debug_info is in memory: units between are not read. */
static enum locus_status take_chosen(struct turns *turns, struct turn *turn, bool *ret_any, struct locus_error *error)
{
	const struct section *info = dwarf_section(turns->dwarf, DEBUG_INFO);
	pthread_mutex_lock(&turns->lock);
	uint32_t at = turns->chosen_next;
	*ret_any = at < turns->choice->count;
	turns->chosen_next += *ret_any;
	pthread_mutex_unlock(&turns->lock);
	if (!*ret_any)
		return LOCUS_OK;
	uint64_t offset = turns->choice->offsets[at], left = offset < info->size ? info->size - offset : 0;
	uint64_t size = unit_size(turns, info->data + offset, left);
	*ret_any = size && size <= left;
	if (!*ret_any)
		return cut_off(offset, error);
	turn->offset = offset;
	turn->end = offset + size;
	turn->index = turns->choice->indexes[at];
	turn->bytes = NULL;
	return LOCUS_OK;
}

/* Whether the unit at `offset` is chosen. To be asked in ascending order. */
static bool is_chosen(struct turns *turns, uint64_t offset)
{
	const struct unit_choice *choice = turns->choice;
	while (turns->chosen_next < choice->count && choice->offsets[turns->chosen_next] < offset)
		turns->chosen_next++;
	return turns->chosen_next < choice->count && choice->offsets[turns->chosen_next] == offset;
}

enum locus_status turns_take(struct turns *turns, struct turn *turn, bool *ret_any, struct locus_error *error)
{
	const struct unit_choice *choice = turns->choice;
	if (choice && turns->whole)
		return take_chosen(turns, turn, ret_any, error);
	for (;;) {
		enum locus_status status = LOCUS_OK;
		*ret_any = false;
		/* Nothing is inflated behind the last chosen unit. */
		if (!choice || (choice->count && turn->batch.next <= choice->offsets[choice->count - 1]))
			status = take_next(turns, turn, ret_any, error);
		if (status != LOCUS_OK || !*ret_any || !choice || is_chosen(turns, turn->offset))
			return status;
	}
}
