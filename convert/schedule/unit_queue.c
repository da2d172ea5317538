/*
 * A compressed .debug_info is inflated here, once, from front to back, in batches: many small units at a time, because
 * each call of the inflater moves its window of 32 KiB, and a large unit by itself. Only one thread fills batches. So
 * that others need not wait for it, a thread that finds nobody filling them makes some ready before it takes one:
 * meanwhile all that are ready are there for the others. Those who take them compute the checksum, too, and those who
 * find none inflate a part of what is still to come (inflate_ahead.h).
 */
#include "convert/schedule/unit_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

enum {
	BATCH_SIZE = 1 << 17,
	AHEAD_SIZE_LEAST = 1 << 20,
	/*
	 * Bytes of a section whose batches come from malloc: they are few, and in its heap pages are large. Those of a
	 * larger section would leave gaps there that nothing else fills.
	 */
	HEAP_SECTION_MAX = 16 << 20,
	AHEAD_SHARE = 8, /* an eighth of what is not inflated yet may be ready and spare */
	SPARE_SHARE = 4, /* a fourth of that is kept as well: the next batch is inflated there */
	/*
	 * Threads that wait are told of the first batch, and later only when a fourth of what may be ready in the end
	 * is: to wake them takes time of the one thread that inflates, which is what they wait for.
	 */
	WORTH_WAKING = 4,
};

/* In a small section there is less to make up for, and memory for it costs more than it saves. */
static size_t ahead_size_least(uint64_t info_size)
{
	uint64_t size = info_size / AHEAD_SHARE;
	return size < AHEAD_SIZE_LEAST ? AHEAD_SIZE_LEAST : size > AHEAD_SIZE ? AHEAD_SIZE : (size_t)size;
}

/* Sets how much may be ready and spare, while nobody fills a batch or by the thread that does, in the monitor. */
static void set_ahead_size(struct unit_queue *queue)
{
	uint64_t size = (dwarf_section(queue->dwarf, DEBUG_INFO)->size - queue->next_offset) / AHEAD_SHARE;
	queue->ahead_size_max = size < queue->ahead_size_least ? queue->ahead_size_least
				: size > AHEAD_SIZE_FIRST      ? AHEAD_SIZE_FIRST
							       : (size_t)size;
}

bool unit_queue_init(struct unit_queue *queue, struct dwarf *dwarf, const struct unit_choice *choice,
		     unsigned thread_count)
{
	struct section *info = dwarf_section(dwarf, DEBUG_INFO);
	*queue = (struct unit_queue){.dwarf = dwarf, .choice = choice};
	queue->whole = section_is_whole(info) || (dwarf->refers_across && !dwarf->across_seldom);
	queue->is_shared = thread_count > 1;
	queue->ahead_size_least = ahead_size_least(info->size);
	set_ahead_size(queue);
	monitor_init(&queue->monitor);
	queue->rest = queue->whole ? NULL : malloc(BATCH_SIZE);
	if (choice && !queue->whole) /* inflating ends at the last chosen unit */
		section_skip_checksum(info);
	queue->sums_batches =
		!queue->whole && queue->is_shared && !choice && section_leave_checksum(info, thread_count - 1);
	/* What may be ready and spare has room in the pool, and as much again for what threads read. */
	size_t pool_size = queue->whole || info->size <= HEAP_SECTION_MAX ? 0 : 2 * queue->ahead_size_max;
	return batch_pool_init(&queue->pool, pool_size) && (queue->whole || queue->rest);
}

void unit_queue_done(struct unit_queue *queue)
{
	free(queue->rest);
	for (unsigned i = 0; i < READY_MAX; i++)
		batch_pool_give(&queue->pool, &queue->ready[i].memory, 0);
	batch_pool_done(&queue->pool);
	monitor_done(&queue->monitor);
}

void taken_unit_done(struct unit_queue *queue, struct taken_unit *taken)
{
	batch_pool_give(&queue->pool, &taken->batch.memory, 0);
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
	return locus_fail(error, LOCUS_ERR_BAD_DWARF,
			  "the unit at .debug_info+0x%llx is cut off: the file is truncated or damaged",
			  (unsigned long long)offset);
}

/* Keeps memory for the next batches, but not where enough is ready or spare. */
static void give_back(struct unit_queue *queue, struct batch_block *memory)
{
	monitor_enter(&queue->monitor);
	size_t most = queue->ahead_size_max + queue->ahead_size_max / SPARE_SHARE;
	most = most > queue->ready_size ? most - queue->ready_size : 0;
	monitor_leave(&queue->monitor);
	batch_pool_give(&queue->pool, memory, most);
}

/* Makes room for `size` bytes in a batch of which `used` are filled. */
static bool grow_batch(struct unit_queue *queue, struct batch *batch, size_t used, size_t size)
{
	struct batch_block grown;
	if (size <= batch->memory.room)
		return true;
	if (!batch_pool_take(&queue->pool, size, &grown))
		return false;
	if (used)
		memcpy(grown.bytes, batch->memory.bytes, used);
	give_back(queue, &batch->memory);
	batch->memory = grown;
	return true;
}

/* Finds the next unit where units stand in their places, and makes it readable. */
static enum locus_status measure_unit(struct unit_queue *queue, struct batch *batch, struct locus_error *error)
{
	struct section *info = dwarf_section(queue->dwarf, DEBUG_INFO);
	uint64_t left = info->size - queue->next_offset;
	enum locus_status status = section_need(info, queue->next_offset + INITIAL_LENGTH_MAX, error);
	if (status != LOCUS_OK)
		return status;

	uint64_t size = unit_size(queue, info->data + queue->next_offset, left);
	if (!size || size > left)
		return cut_off(queue->next_offset, error);
	status = section_need(info, queue->next_offset + size, error);
	if (status != LOCUS_OK)
		return status;

	batch->start = batch->next = queue->next_offset;
	batch->end = queue->next_offset += size;
	batch->index = queue->count++;
	return LOCUS_OK;
}

/*
 * The bytes of a large unit of `size` and of the number behind it, the next unit's length, which is inflated with it;
 * but no more than the `left` bytes that the section still has.
 */
static size_t with_next_length(uint64_t size, uint64_t left)
{
	return (size_t)(size + (left - size < INITIAL_LENGTH_MAX ? left - size : INITIAL_LENGTH_MAX));
}

/*
 * Inflates into the batch: BATCH_SIZE bytes, or as many as one unit takes, but at most `most`. The beginning of a unit
 * that does not fit is kept. The batch stays empty if that is the first one.
 */
static enum locus_status inflate_batch(struct unit_queue *queue, struct batch *batch, size_t most,
				       struct locus_error *error)
{
	struct section *info = dwarf_section(queue->dwarf, DEBUG_INFO);
	uint64_t left = info->size - queue->next_offset;
	size_t have = left < BATCH_SIZE ? left : BATCH_SIZE, whole = 0;

	/*
	 * It begins with what the last batch could not hold as a whole. That mostly tells the size of its first unit:
	 * then there is room for all of a large one from the beginning, it is inflated at once, and nothing is copied
	 * to larger memory.
	 */
	uint64_t known = unit_size(queue, queue->rest, queue->rest_size);
	batch->start = batch->next = batch->end = queue->next_offset;
	if (known > have && known <= left) {
		if (known > most)
			return LOCUS_OK;
		have = with_next_length(known, left);
	}
	if (!grow_batch(queue, batch, 0, have))
		return locus_fail_memory(error);
	memcpy(batch->memory.bytes, queue->rest, queue->rest_size);
	enum locus_status status =
		section_take(info, batch->memory.bytes + queue->rest_size, have - queue->rest_size, error);
	if (status != LOCUS_OK)
		return status;

	/* A unit larger than a batch makes a batch of its own. */
	uint64_t size = unit_size(queue, batch->memory.bytes, have);
	if (!size || size > left)
		return cut_off(queue->next_offset, error);
	if (size > have && size <= most) {
		size_t wanted = with_next_length(size, left);
		if (!grow_batch(queue, batch, have, wanted))
			return locus_fail_memory(error);
		status = section_take(info, batch->memory.bytes + have, wanted - have, error);
		if (status != LOCUS_OK)
			return status;
		have = wanted;
	}

	/* The whole units are the batch; the rest is kept for the next one. */
	batch->index = queue->count;
	for (; size && size <= have - whole; size = unit_size(queue, batch->memory.bytes + whole, have - whole)) {
		whole += size;
		queue->count++;
	}
	queue->rest_size = have - whole;
	memcpy(queue->rest, batch->memory.bytes + whole, queue->rest_size);
	batch->end = queue->next_offset += whole;
	return LOCUS_OK;
}

/*
 * Whether all units are in batches. Only for a thread that fills one, or that has entered the monitor while nobody
 * does.
 */
static bool is_at_end(const struct unit_queue *queue)
{
	return queue->next_offset == dwarf_section(queue->dwarf, DEBUG_INFO)->size;
}

/*
 * Makes batches ready until enough are, or until a unit comes that would be too many: it waits until all before it are
 * taken. A failure ends that for good: what was inflated for the batch that failed is not had again. The caller has
 * entered the monitor, which it leaves meanwhile; nobody fills a batch.
 */
static void make_ready(struct unit_queue *queue)
{
	bool is_too_large = false;
	queue->is_filling = true;
	while (queue->status == LOCUS_OK && !is_at_end(queue) && queue->ready_count < READY_MAX &&
	       queue->ready_size < queue->ahead_size_max && !(is_too_large && queue->ready_count)) {
		/* The place behind those that are ready stays the same while some of them are taken. */
		struct batch *batch = &queue->ready[(queue->ready_first + queue->ready_count) % READY_MAX];
		size_t most = queue->ready_count ? queue->ahead_size_max - queue->ready_size : SIZE_MAX;
		monitor_leave(&queue->monitor);
		queue->status = inflate_batch(queue, batch, most, &queue->error);
		monitor_enter(&queue->monitor);
		if (queue->status != LOCUS_OK)
			break;
		is_too_large = batch->end == batch->start;
		if (is_too_large)
			continue;
		queue->ready_count++;
		queue->ready_size += batch->end - batch->start;
		set_ahead_size(queue);
		if (!batch->start || queue->ready_size >= queue->ahead_size_least / WORTH_WAKING)
			monitor_tell_all(&queue->monitor);
	}
	queue->is_filling = false;
	monitor_tell_all(&queue->monitor);
}

/* Takes the first ready batch. The caller has entered the monitor. */
static struct batch take_ready(struct unit_queue *queue)
{
	struct batch batch = queue->ready[queue->ready_first];
	queue->ready[queue->ready_first] = (struct batch){0};
	queue->ready_first = (queue->ready_first + 1) % READY_MAX;
	queue->ready_count--;
	queue->ready_size -= batch.end - batch.start;
	return batch;
}

/* Adds a batch that was taken to the checksum. */
static void sum_batch(struct unit_queue *queue, const struct batch *batch)
{
	size_t size = batch->end - batch->start;
	uint32_t sum = adler_of_part(batch->memory.bytes, size);
	monitor_enter(&queue->monitor);
	adler_parts_add(&queue->checksum, sum, size, dwarf_section(queue->dwarf, DEBUG_INFO)->size - batch->end);
	monitor_leave(&queue->monitor);
}

enum locus_status unit_queue_check(struct unit_queue *queue, struct locus_error *error)
{
	struct section *info = dwarf_section(queue->dwarf, DEBUG_INFO);
	if (!queue->sums_batches || queue->checksum.size != info->size)
		return LOCUS_OK;
	return section_compare_checksum(info, adler_parts_value(&queue->checksum), error);
}

/* Helps the thread that fills batches, or waits for it. The caller has entered the monitor. */
static void help_or_wait(struct unit_queue *queue)
{
	monitor_leave(&queue->monitor);
	bool helped = section_help(dwarf_section(queue->dwarf, DEBUG_INFO));
	monitor_enter(&queue->monitor);
	if (!helped && !queue->ready_count && queue->is_filling)
		monitor_wait(&queue->monitor);
}

/*
 * Takes the first ready batch, after making some ready if nobody else does. It stays empty if no unit is left. A
 * failure is told to every thread that comes when all batches before it are taken.
 */
static enum locus_status take_inflated(struct unit_queue *queue, struct batch *batch, struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	bool any = false;
	give_back(queue, &batch->memory);
	if (!queue->is_shared) {
		set_ahead_size(queue);
		return is_at_end(queue) ? LOCUS_OK : inflate_batch(queue, batch, SIZE_MAX, error);
	}

	monitor_enter(&queue->monitor);
	if (!queue->is_filling)
		make_ready(queue);
	while (!queue->ready_count && (queue->is_filling || (queue->status == LOCUS_OK && !is_at_end(queue)))) {
		if (queue->is_filling)
			help_or_wait(queue);
		else
			make_ready(queue);
	}
	any = queue->ready_count;
	if (any) {
		*batch = take_ready(queue);
	} else if (queue->status != LOCUS_OK) {
		status = queue->status;
		*error = queue->error;
	}
	monitor_leave(&queue->monitor);
	if (any)
		section_tend(dwarf_section(queue->dwarf, DEBUG_INFO));
	if (any && queue->sums_batches)
		sum_batch(queue, batch);
	return status;
}

/* Takes the next unit as a batch of its own, and inflates some of those behind it ahead. */
static enum locus_status take_in_place(struct unit_queue *queue, struct batch *batch, struct locus_error *error)
{
	struct section *info = dwarf_section(queue->dwarf, DEBUG_INFO);
	enum locus_status status = LOCUS_OK;
	monitor_enter(&queue->monitor);
	if (!is_at_end(queue))
		status = measure_unit(queue, batch, error);
	monitor_leave(&queue->monitor);
	if (status == LOCUS_OK && queue->is_shared && !section_has(info, batch->end + AHEAD_SIZE))
		section_advance(info);
	return status;
}

static enum locus_status take_next(struct unit_queue *queue, struct taken_unit *taken, bool *ret_any,
				   struct locus_error *error)
{
	struct batch *batch = &taken->batch;
	enum locus_status status = LOCUS_OK;
	*ret_any = false;
	if (batch->next == batch->end)
		status = queue->whole ? take_in_place(queue, batch, error) : take_inflated(queue, batch, error);
	if (status != LOCUS_OK || batch->next == batch->end)
		return status;

	const uint8_t *bytes = queue->whole ? dwarf_section(queue->dwarf, DEBUG_INFO)->data + batch->next
					    : batch->memory.bytes + (batch->next - batch->start);
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
	monitor_enter(&queue->monitor);
	uint32_t at = queue->chosen_next;
	*ret_any = at < queue->choice->count;
	queue->chosen_next += *ret_any;
	monitor_leave(&queue->monitor);
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
