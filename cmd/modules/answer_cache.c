/*
 * Answers are packed one behind the other and found by address; the names in them are kept once, by the ids of
 * functions and files.
 *
 * There are two generations of answers. New answers, and answers found in the older generation, go to the younger one.
 * When that is full it becomes the older one; the former older one, whose answers were not used since, is dropped.
 */
#include "cmd/modules/answer_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/mix64.h"

enum { GENERATION_MAX = ANSWER_CACHE_SIZE_MAX / 2, NAMES_MAX = ANSWER_CACHE_SIZE_MAX, FIRST_SLOT_COUNT = 1 << 10 };

/* Bytes; their content is referred to by offset. */
struct heap {
	size_t used, capacity;
	char *data;
};

/*
 * Maps keys to numbers, by open addressing, at most half full. The slots of base/hash_slots.h hold hashes of keys that
 * stand elsewhere, in fewer than 2^32 elements; here a key is a number in the slot, and a value an offset of any size.
 */
struct table {
	size_t count, slot_count;
	struct slot {
		uint64_t key;
		size_t value; /* the number + 1; 0: the slot is empty */
	} * slots;
};

struct generation {
	struct table places; /* by address: the offset in `answers` */
	struct heap answers; /* each a struct kept_answer with its frames behind it */
};

/*
 * Two strings, one behind the other in `names`: the names of a function, or directory and name of a file. A heap of
 * them is an array, so their size is a multiple of 8 on 32-bit machines too.
 */
struct kept_pair {
	_Alignas(8) uint32_t id;
	uint32_t language;
	size_t at, first_size, second_size;
};
_Static_assert(sizeof(struct kept_pair) % 8 == 0, "a heap of pairs is not an array");

/* Small, because much inlined code has ten to an answer. */
struct kept_frame {
	uint32_t function, file; /* the numbers of their pairs */
	uint32_t line, column;
	uint8_t part;
	bool has_line, inlined;
};

struct kept_answer {
	struct locus_interval interval;
	uint64_t part_start, offset; /* of the outermost frame */
	size_t frame_count;
	struct kept_frame frames[];
};

struct answer_cache {
	struct generation generations[2];
	unsigned young;
	struct table functions, files; /* by id: the index in `pairs` */
	struct heap pairs, names;
	struct locus_result result; /* the result found last */
	struct locus_frame *frames;
	size_t frame_capacity;
};

/* ---- Heaps and tables ---- */

/* Makes room for `size` bytes. Returns their offset, a multiple of 8; SIZE_MAX: out of memory. */
static size_t heap_add(struct heap *heap, size_t size)
{
	size_t whole = (size + 7) & ~(size_t)7, at = heap->used;

	if (whole > heap->capacity - at) {
		size_t capacity = heap->capacity ? heap->capacity : 1 << 16;
		while (capacity - at < whole)
			capacity *= 2;
		char *grown = realloc(heap->data, capacity);
		if (!grown)
			return SIZE_MAX;
		heap->data = grown;
		heap->capacity = capacity;
	}
	heap->used += whole;
	return at;
}

/* A text could name addresses that were chosen to meet in one slot, so where they meet differs from table to table. */
static struct slot *slot_of(const struct table *table, uint64_t key)
{
	size_t at;

	for (at = (size_t)mix64(key ^ hash_seed(table->slots)) & (table->slot_count - 1); table->slots[at].value;
	     at = (at + 1) & (table->slot_count - 1)) {
		if (table->slots[at].key == key)
			break;
	}
	return &table->slots[at];
}

static bool table_find(const struct table *table, uint64_t key, size_t *ret)
{
	const struct slot *slot = table->slot_count ? slot_of(table, key) : NULL;

	if (!slot || !slot->value)
		return false;
	*ret = slot->value - 1;
	return true;
}

static bool table_grow(struct table *table)
{
	struct table grown = {.count = table->count};

	grown.slot_count = table->slot_count ? 2 * table->slot_count : FIRST_SLOT_COUNT;
	grown.slots = calloc(grown.slot_count, sizeof(*grown.slots));
	if (!grown.slots)
		return false;
	for (size_t i = 0; i < table->slot_count; i++) {
		if (table->slots[i].value)
			*slot_of(&grown, table->slots[i].key) = table->slots[i];
	}
	free(table->slots);
	*table = grown;
	return true;
}

/* Adds a key that is not there yet. False: out of memory. */
static bool table_add(struct table *table, uint64_t key, size_t value)
{
	if (2 * table->count >= table->slot_count && !table_grow(table))
		return false;
	*slot_of(table, key) = (struct slot){key, value + 1};
	table->count++;
	return true;
}

static void table_clear(struct table *table)
{
	if (table->slots)
		memset(table->slots, 0, table->slot_count * sizeof(*table->slots));
	table->count = 0;
}

/* ---- Names ---- */

static void put_string(char *to, struct locus_string string)
{
	if (string.size)
		memcpy(to, string.data, string.size);
}

/* The number of the pair with this id, which is added if it is new; SIZE_MAX: out of memory. */
static size_t keep_pair(struct answer_cache *cache, struct table *table, struct kept_pair pair,
			struct locus_string first, struct locus_string second)
{
	size_t place;

	if (table_find(table, pair.id, &place))
		return place;
	pair.first_size = first.size;
	pair.second_size = second.size;
	pair.at = heap_add(&cache->names, first.size + second.size);
	place = heap_add(&cache->pairs, sizeof(pair));
	if (pair.at == SIZE_MAX || place == SIZE_MAX || !table_add(table, pair.id, place / sizeof(pair)))
		return SIZE_MAX;
	put_string(cache->names.data + pair.at, first);
	put_string(cache->names.data + pair.at + first.size, second);
	memcpy(cache->pairs.data + place, &pair, sizeof(pair));
	return place / sizeof(pair);
}

static const struct kept_pair *get_pair(const struct answer_cache *cache, size_t number, struct locus_string *first,
					struct locus_string *second)
{
	const struct kept_pair *pair = (const struct kept_pair *)(const void *)cache->pairs.data + number;

	*first = (struct locus_string){cache->names.data + pair->at, pair->first_size};
	*second = (struct locus_string){cache->names.data + pair->at + pair->first_size, pair->second_size};
	return pair;
}

/* ---- Answers ---- */

static void forget(struct generation *generation)
{
	table_clear(&generation->places);
	generation->answers.used = 0;
}

static void forget_all(struct answer_cache *cache)
{
	forget(&cache->generations[0]);
	forget(&cache->generations[1]);
	table_clear(&cache->functions);
	table_clear(&cache->files);
	cache->pairs.used = cache->names.used = 0;
}

/* The generation that takes an answer; makes room, which may drop the older one. */
static struct generation *young_generation(struct answer_cache *cache)
{
	struct generation *young = &cache->generations[cache->young];

	if (young->answers.used + young->places.slot_count * sizeof(struct slot) < GENERATION_MAX)
		return young;
	cache->young ^= 1;
	forget(&cache->generations[cache->young]);
	return &cache->generations[cache->young];
}

static bool keep_frame(struct answer_cache *cache, const struct locus_frame *frame, struct kept_frame *ret)
{
	const struct kept_pair function_pair = {.id = frame->function_id, .language = frame->language};
	const struct kept_pair file_pair = {.id = frame->file_id};
	size_t function = keep_pair(cache, &cache->functions, function_pair, frame->function, frame->linkage);
	size_t file = keep_pair(cache, &cache->files, file_pair, frame->directory, frame->file);

	if (function >= UINT32_MAX || file >= UINT32_MAX)
		return false;
	*ret = (struct kept_frame){
		.function = (uint32_t)function,
		.file = (uint32_t)file,
		.line = frame->line,
		.column = frame->column,
		.part = (uint8_t)frame->part,
		.has_line = frame->has_line,
		.inlined = frame->inlined,
	};
	return true;
}

void answer_cache_add(struct answer_cache *cache, uint64_t address, const struct locus_result *result)
{
	size_t size = sizeof(struct kept_answer) + result->frame_count * sizeof(struct kept_frame), at;
	struct generation *young;
	struct kept_answer *kept;

	if (!cache)
		return;
	if (cache->names.used + cache->pairs.used > NAMES_MAX)
		forget_all(cache);
	young = young_generation(cache);
	at = heap_add(&young->answers, size);
	if (at == SIZE_MAX)
		return;
	kept = (struct kept_answer *)(void *)(young->answers.data + at);
	*kept = (struct kept_answer){.interval = result->interval, .frame_count = result->frame_count};
	for (size_t i = 0; i < result->frame_count; i++) {
		if (!keep_frame(cache, &result->frames[i], &kept->frames[i]))
			return;
		kept->part_start = result->frames[i].part_start;
		kept->offset = result->frames[i].offset;
	}
	table_add(&young->places, address, at);
}

/* Finds the answer, in the younger generation if it is there. */
static const struct kept_answer *find_kept(struct answer_cache *cache, uint64_t address)
{
	struct generation *young = &cache->generations[cache->young], *old = &cache->generations[cache->young ^ 1];
	size_t at, copied, size;

	if (table_find(&young->places, address, &at))
		return (const struct kept_answer *)(const void *)(young->answers.data + at);
	if (!table_find(&old->places, address, &at))
		return NULL;
	const struct kept_answer *kept = (const struct kept_answer *)(const void *)(old->answers.data + at);
	if (young_generation(cache) != young)
		return NULL; /* it was dropped with the older generation just now */
	size = sizeof(*kept) + kept->frame_count * sizeof(kept->frames[0]);
	copied = heap_add(&young->answers, size);
	if (copied != SIZE_MAX) {
		memcpy(young->answers.data + copied, kept, size);
		table_add(&young->places, address, copied);
	}
	return kept;
}

static bool make_room(struct answer_cache *cache, size_t frame_count)
{
	if (frame_count <= cache->frame_capacity)
		return true;
	struct locus_frame *frames = realloc(cache->frames, frame_count * sizeof(*frames));
	if (!frames)
		return false;
	cache->frames = frames;
	cache->frame_capacity = frame_count;
	return true;
}

const struct locus_result *answer_cache_find(struct answer_cache *cache, uint64_t address)
{
	const struct kept_answer *kept = cache ? find_kept(cache, address) : NULL;

	if (!kept || !make_room(cache, kept->frame_count))
		return NULL;
	for (size_t i = 0; i < kept->frame_count; i++) {
		const struct kept_frame *from = &kept->frames[i];
		struct locus_frame *frame = &cache->frames[i];
		*frame = (struct locus_frame){
			.line = from->line,
			.column = from->column,
			.has_line = from->has_line,
			.inlined = from->inlined,
			.part = (enum locus_part_kind)from->part,
		};

		/* Strings are kept once for all frames with the same ids. */
		const struct kept_pair *function = get_pair(cache, from->function, &frame->function, &frame->linkage);
		frame->function_id = function->id;
		frame->language = function->language;
		frame->file_id = get_pair(cache, from->file, &frame->directory, &frame->file)->id;
	}
	if (kept->frame_count) {
		cache->frames[kept->frame_count - 1].part_start = kept->part_start;
		cache->frames[kept->frame_count - 1].offset = kept->offset;
	}
	cache->result = (struct locus_result){
		.interval = kept->interval, .frames = cache->frames, .frame_count = kept->frame_count};
	return &cache->result;
}

/* ---- Beginning and end ---- */

struct answer_cache *answer_cache_new(void)
{
	return calloc(1, sizeof(struct answer_cache));
}

void answer_cache_free(struct answer_cache *cache)
{
	if (!cache)
		return;
	for (size_t i = 0; i < 2; i++) {
		free(cache->generations[i].places.slots);
		free(cache->generations[i].answers.data);
	}
	free(cache->functions.slots);
	free(cache->files.slots);
	free(cache->pairs.data);
	free(cache->names.data);
	free(cache->frames);
	free(cache);
}
