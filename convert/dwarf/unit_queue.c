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

bool unit_queue_init(struct unit_queue *queue, struct dwarf *dwarf, const struct unit_choice *choice,
		     unsigned thread_count)
{
	*queue = (struct unit_queue){.dwarf = dwarf, .choice = choice};
	queue->whole =
		section_is_whole(dwarf_section(dwarf, DEBUG_INFO)) || (dwarf->refers_across && !dwarf->across_seldom);
	queue->ahead = !queue->whole && thread_count > 1;
	pthread_mutex_init(&queue->lock, NULL);
	pthread_mutex_init(&queue->ready_lock, NULL);
	queue->rest = queue->whole ? NULL : malloc(BATCH_SIZE);
	return queue->whole || queue->rest;
}

void unit_queue_done(struct unit_queue *queue)
{
	free(queue->rest);
	for (unsigned i = 0; i < READY_MAX; i++)
		free(queue->ready[i].bytes);
	pthread_mutex_destroy(&queue->lock);
	pthread_mutex_destroy(&queue->ready_lock);
}

void taken_unit_done(struct taken_unit *taken)
{
	free(taken->batch.bytes);
	*taken = (struct taken_unit){0};
}

/* The size of the unit at `bytes`, of which `size` are there; 0: its length is not there as a whole, or is invalid. */
static uint64_t unit_size(const struct unit_queue *queue, const uint8_t *bytes, size_t size)
{
	struct cursor c = {.p = bytes, .end = bytes + size, .swap = queue->dwarf->file->swap};
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
static enum locus_status measure_unit(struct unit_queue *queue, struct batch *batch, struct locus_error *error)
{
	const struct section *info = dwarf_section(queue->dwarf, DEBUG_INFO);
	uint64_t left = info->size - queue->next_offset;
	uint64_t size = unit_size(queue, info->data + queue->next_offset, left);
	if (!size || size > left)
		return cut_off(queue->next_offset, error);
	batch->start = batch->next = queue->next_offset;
	batch->end = queue->next_offset += size;
	batch->index = queue->count++;
	return LOCUS_OK;
}

/*
 * Inflates into the batch: BATCH_SIZE bytes, or as many as one unit takes. The beginning of a unit that does not fit is
 * kept.
 */
static enum locus_status inflate_batch(struct unit_queue *queue, struct batch *batch, struct locus_error *error)
{
	struct section *info = dwarf_section(queue->dwarf, DEBUG_INFO);
	uint64_t left = info->size - queue->next_offset;
	size_t have = left < BATCH_SIZE ? left : BATCH_SIZE, whole = 0;

	/* It begins with what the last batch could not hold as a whole. */
	if (!grow_bytes(batch, BATCH_SIZE))
		return locus_fail_memory(error);
	memcpy(batch->bytes, queue->rest, queue->rest_size);
	enum locus_status status = section_take(info, batch->bytes + queue->rest_size, have - queue->rest_size, error);
	if (status != LOCUS_OK)
		return status;

	/* A unit larger than a batch makes a batch of its own. */
	uint64_t size = unit_size(queue, batch->bytes, have);
	if (!size || size > left)
		return cut_off(queue->next_offset, error);
	if (size > have) {
		if (!grow_bytes(batch, size))
			return locus_fail_memory(error);
		status = section_take(info, batch->bytes + have, size - have, error);
		if (status != LOCUS_OK)
			return status;
		have = size;
	}

	/* The whole units are the batch; the rest is kept for the next one. */
	batch->index = queue->count;
	for (; size && size <= have - whole; size = unit_size(queue, batch->bytes + whole, have - whole)) {
		whole += size;
		queue->count++;
	}
	queue->rest_size = have - whole;
	memcpy(queue->rest, batch->bytes + whole, queue->rest_size);
	batch->start = batch->next = queue->next_offset;
	batch->end = queue->next_offset += whole;
	return LOCUS_OK;
}

/* Fills a batch, which stays empty if no unit is left. The caller has the lock. */
static enum locus_status fill_batch(struct unit_queue *queue, struct batch *batch, struct locus_error *error)
{
	if (queue->next_offset == dwarf_section(queue->dwarf, DEBUG_INFO)->size)
		return LOCUS_OK;
	return queue->whole ? measure_unit(queue, batch, error) : inflate_batch(queue, batch, error);
}

/* Exchanges an empty batch for the first ready one. False: there is none. */
static bool take_ready(struct unit_queue *queue, struct batch *batch)
{
	pthread_mutex_lock(&queue->ready_lock);
	bool any = queue->ready_count > 0;
	if (any) {
		struct batch empty = *batch;
		*batch = queue->ready[queue->ready_first];
		queue->ready[queue->ready_first] = empty;
		queue->ready_first = (queue->ready_first + 1) % READY_MAX;
		queue->ready_count--;
	}
	pthread_mutex_unlock(&queue->ready_lock);
	return any;
}

/*
 * The empty batch behind those that are ready; it stays the same while some are taken. NULL: none. The caller has the
 * lock.
 */
static struct batch *first_empty(struct unit_queue *queue)
{
	pthread_mutex_lock(&queue->ready_lock);
	unsigned at = (queue->ready_first + queue->ready_count) % READY_MAX;
	struct batch *batch = queue->ready_count < READY_MAX ? &queue->ready[at] : NULL;
	pthread_mutex_unlock(&queue->ready_lock);
	return batch;
}

static void add_ready(struct unit_queue *queue)
{
	pthread_mutex_lock(&queue->ready_lock);
	queue->ready_count++;
	pthread_mutex_unlock(&queue->ready_lock);
}

static enum locus_status take_batch(struct unit_queue *queue, struct batch *batch, struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	if (batch->room > KEPT_MAX) {
		free(batch->bytes);
		*batch = (struct batch){0};
	}
	if (queue->ahead && take_ready(queue, batch))
		return LOCUS_OK;
	pthread_mutex_lock(&queue->lock);
	if (!queue->ahead || !take_ready(queue, batch))
		status = fill_batch(queue, batch, error);
	pthread_mutex_unlock(&queue->lock);
	return status;
}

/* If another thread is inflating there is nothing to do: the next call waits for it. */
static enum locus_status make_ready(struct unit_queue *queue, struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	struct batch *batch;
	if (pthread_mutex_trylock(&queue->lock) != 0)
		return LOCUS_OK;
	while (status == LOCUS_OK && (batch = first_empty(queue))) {
		status = fill_batch(queue, batch, error);
		if (batch->next == batch->end)
			break;
		add_ready(queue);
	}
	pthread_mutex_unlock(&queue->lock);
	return status;
}

static enum locus_status take_next(struct unit_queue *queue, struct taken_unit *taken, bool *ret_any,
				   struct locus_error *error)
{
	struct batch *batch = &taken->batch;
	enum locus_status status = LOCUS_OK;
	*ret_any = false;
	if (batch->next == batch->end)
		status = take_batch(queue, batch, error);
	if (status == LOCUS_OK && queue->ahead)
		status = make_ready(queue, error);
	if (status != LOCUS_OK || batch->next == batch->end)
		return status;
	const uint8_t *bytes = queue->whole ? dwarf_section(queue->dwarf, DEBUG_INFO)->data + batch->next
					    : batch->bytes + (batch->next - batch->start);
	taken->offset = batch->next;
	taken->end = batch->next += unit_size(queue, bytes, batch->end - batch->next);
	taken->index = batch->index++;
	taken->bytes = queue->whole ? NULL : bytes;
	*ret_any = true;
	return LOCUS_OK;
}

/* Takes the next chosen unit, if all of .debug_info is in memory: units between are not read. */
static enum locus_status take_chosen(struct unit_queue *queue, struct taken_unit *taken, bool *ret_any,
				     struct locus_error *error)
{
	const struct section *info = dwarf_section(queue->dwarf, DEBUG_INFO);
	pthread_mutex_lock(&queue->lock);
	uint32_t at = queue->chosen_next;
	*ret_any = at < queue->choice->count;
	queue->chosen_next += *ret_any;
	pthread_mutex_unlock(&queue->lock);
	if (!*ret_any)
		return LOCUS_OK;
	uint64_t offset = queue->choice->offsets[at], left = offset < info->size ? info->size - offset : 0;
	uint64_t size = unit_size(queue, info->data + offset, left);
	*ret_any = size && size <= left;
	if (!*ret_any)
		return cut_off(offset, error);
	taken->offset = offset;
	taken->end = offset + size;
	taken->index = queue->choice->indexes[at];
	taken->bytes = NULL;
	return LOCUS_OK;
}

/* Whether the unit at `offset` is chosen. To be asked in ascending order. */
static bool is_chosen(struct unit_queue *queue, uint64_t offset)
{
	const struct unit_choice *choice = queue->choice;
	while (queue->chosen_next < choice->count && choice->offsets[queue->chosen_next] < offset)
		queue->chosen_next++;
	return queue->chosen_next < choice->count && choice->offsets[queue->chosen_next] == offset;
}

enum locus_status unit_queue_take(struct unit_queue *queue, struct taken_unit *taken, bool *ret_any,
				  struct locus_error *error)
{
	const struct unit_choice *choice = queue->choice;
	if (choice && queue->whole)
		return take_chosen(queue, taken, ret_any, error);
	for (;;) {
		enum locus_status status = LOCUS_OK;
		*ret_any = false;
		/* Nothing is inflated behind the last chosen unit. */
		if (!choice || (choice->count && taken->batch.next <= choice->offsets[choice->count - 1]))
			status = take_next(queue, taken, ret_any, error);
		if (status != LOCUS_OK || !*ret_any || !choice || is_chosen(queue, taken->offset))
			return status;
	}
}
