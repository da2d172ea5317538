/* A table of answers by address, each with its frames and strings in one piece of memory. */
#include "cmd/symbolize/answer_cache.h"

#include <stdlib.h>
#include <string.h>

enum { SLOT_COUNT = 1 << 16, PROBE_COUNT = 4 };

struct remembered {
	uint64_t address;
	size_t size; /* of all of it, bytes */
	struct locus_result result;
	struct locus_frame frames[]; /* and behind them their strings */
};

struct answer_cache {
	size_t size;
	struct remembered *slots[SLOT_COUNT]; /* an answer is in one of PROBE_COUNT slots from its address's own on */
};

struct answer_cache *answer_cache_new(void)
{
	return calloc(1, sizeof(struct answer_cache));
}

static void forget_all(struct answer_cache *cache)
{
	for (size_t i = 0; i < SLOT_COUNT; i++) {
		free(cache->slots[i]);
		cache->slots[i] = NULL;
	}
	cache->size = 0;
}

void answer_cache_free(struct answer_cache *cache)
{
	if (cache)
		forget_all(cache);
	free(cache);
}

/* Multiplied, the bits of an address reach the upper half; both halves together say where it goes. */
static size_t slot_of(uint64_t address, size_t probe)
{
	uint64_t hash = address * 0x9e3779b97f4a7c15;

	hash = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15;
	return ((size_t)(hash >> 48) + probe) & (SLOT_COUNT - 1);
}

const struct locus_result *answer_cache_find(const struct answer_cache *cache, uint64_t address)
{
	for (size_t i = 0; cache && i < PROBE_COUNT; i++) {
		const struct remembered *remembered = cache->slots[slot_of(address, i)];
		if (remembered && remembered->address == address)
			return &remembered->result;
	}
	return NULL;
}

static size_t strings_size(const struct locus_frame *frame)
{
	return frame->function.size + frame->linkage.size + frame->directory.size + frame->file.size;
}

static char *copy_string(struct locus_string *string, char *to)
{
	if (string->size)
		memcpy(to, string->data, string->size);
	string->data = to;
	return to + string->size;
}

static struct remembered *copy_result(uint64_t address, const struct locus_result *result)
{
	size_t size = sizeof(struct remembered) + result->frame_count * sizeof(struct locus_frame);
	struct remembered *copy;
	char *strings;

	for (size_t i = 0; i < result->frame_count; i++)
		size += strings_size(&result->frames[i]);
	copy = malloc(size);
	if (!copy)
		return NULL;
	copy->address = address;
	copy->size = size;
	copy->result = *result;
	copy->result.frames = copy->frames;
	strings = (char *)&copy->frames[result->frame_count];
	for (size_t i = 0; i < result->frame_count; i++) {
		struct locus_frame *frame = &copy->frames[i];
		*frame = result->frames[i];
		strings = copy_string(&frame->function, strings);
		strings = copy_string(&frame->linkage, strings);
		strings = copy_string(&frame->directory, strings);
		strings = copy_string(&frame->file, strings);
	}
	return copy;
}

/* The slot for an address that is not there: an empty one, or the first, whose answer gives way. */
static struct remembered **place_for(struct answer_cache *cache, uint64_t address)
{
	for (size_t i = 0; i < PROBE_COUNT; i++) {
		if (!cache->slots[slot_of(address, i)])
			return &cache->slots[slot_of(address, i)];
	}
	return &cache->slots[slot_of(address, 0)];
}

void answer_cache_add(struct answer_cache *cache, uint64_t address, const struct locus_result *result)
{
	struct remembered *copy = cache ? copy_result(address, result) : NULL;
	struct remembered **place;

	if (!copy)
		return;
	if (cache->size + copy->size > ANSWER_CACHE_SIZE_MAX)
		forget_all(cache);
	place = place_for(cache, address);
	if (*place)
		cache->size -= (*place)->size;
	free(*place);
	*place = copy;
	cache->size += copy->size;
}
