/*
 * A merge sort of keys that are compared in place: qsort's calls through a pointer cost more than what is sorted here
 * is otherwise worth. Arrays are sorted by their addresses first; only what is equal then is left to qsort.
 */
#include "convert/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool key_before(const struct sort_key *a, const struct sort_key *b)
{
	return a->addr != b->addr ? a->addr < b->addr : a->order < b->order;
}

static void insertion_sort(struct sort_key *keys, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		struct sort_key key = keys[i];
		uint32_t at = i;
		for (; at && key_before(&key, &keys[at - 1]); at--)
			keys[at] = keys[at - 1];
		keys[at] = key;
	}
}

/* Merges runs of RUN sorted keys upwards. */
void sort_keys(struct sort_key **keys, struct sort_key **scratch, uint32_t count)
{
	enum { RUN = 16 };
	for (uint32_t at = 0; at < count; at += RUN)
		insertion_sort(*keys + at, count - at < RUN ? count - at : RUN);
	for (uint32_t width = RUN; width < count; width *= 2) {
		struct sort_key *from = *keys, *to = *scratch;
		for (uint32_t at = 0; at < count; at += 2 * width) {
			uint32_t middle = count - at < width ? count : at + width;
			uint32_t end = count - at < 2 * width ? count : at + 2 * width;
			uint32_t left = at, right = middle;
			for (uint32_t out = at; out < end; out++) {
				bool take_right =
					right < end && (left == middle || key_before(&from[right], &from[left]));
				to[out] = from[take_right ? right++ : left++];
			}
		}
		*keys = to;
		*scratch = from;
	}
}

static uint64_t address_of(const void *element)
{
	uint64_t addr;
	memcpy(&addr, element, sizeof addr);
	return addr;
}

/* Moves element keys[i].order to place i, for all i, each once; keys[i].order becomes i. */
static void permute(char *array, size_t size, struct sort_key *keys, uint32_t count, char *spare)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = i;
		if (keys[i].order == i)
			continue;
		memcpy(spare, array + i * size, size);
		for (uint32_t from = keys[i].order; from != i; from = keys[at].order) {
			memcpy(array + at * size, array + from * size, size);
			keys[at].order = at;
			at = from;
		}
		memcpy(array + at * size, spare, size);
		keys[at].order = at;
	}
}

static bool is_sorted(const char *array, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	for (size_t i = 1; i < count; i++)
		if (compare(array + (i - 1) * size, array + i * size) > 0)
			return false;
	return true;
}

void sort_by_address(void *array, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	char *elements = array;
	if (is_sorted(elements, count, size, compare))
		return;
	struct sort_key *memory = count < UINT32_MAX / 2 ? malloc(2 * count * sizeof *memory + size) : NULL;
	if (!memory) {
		qsort(array, count, size, compare);
		return;
	}
	struct sort_key *keys = memory, *scratch = memory + count;
	for (uint32_t i = 0; i < count; i++)
		keys[i] = (struct sort_key){address_of(elements + i * size), i};
	sort_keys(&keys, &scratch, (uint32_t)count);
	permute(elements, size, keys, (uint32_t)count, (char *)(memory + 2 * count));
	for (uint32_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && keys[end].addr == keys[i].addr;)
			end++;
		if (end - i > 1)
			qsort(elements + i * size, end - i, size, compare);
	}
	free(memory);
}
