/*
 * A radix sort by the bits in which the addresses differ, from the lowest up. Addresses that are sorted together mostly
 * differ in few bits, which are two or three digits, and a sort by comparison mispredicts every second branch. qsort
 * then sorts only the elements with equal addresses.
 */
#include "base/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void insertion_sort(struct sort_key *keys, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		struct sort_key key = keys[i];
		uint32_t at = i;
		for (; at && key.addr < keys[at - 1].addr; at--)
			keys[at] = keys[at - 1];
		keys[at] = key;
	}
}

enum { DIGIT_BITS_MAX = 11 };

static void sort_by_digit(const struct sort_key *from, struct sort_key *to, uint32_t count, unsigned shift,
			  unsigned bits)
{
	uint32_t places[1 << DIGIT_BITS_MAX], place = 0; /* first counts, then where the next of a digit goes */
	const uint32_t mask = (UINT32_C(1) << bits) - 1;
	memset(places, 0, (mask + 1) * sizeof(*places));
	for (uint32_t i = 0; i < count; i++)
		places[from[i].addr >> shift & mask]++;
	for (uint32_t i = 0; i <= mask; i++) {
		uint32_t next = place + places[i];
		places[i] = place;
		place = next;
	}
	for (uint32_t i = 0; i < count; i++)
		to[places[from[i].addr >> shift & mask]++] = from[i];
}

void sort_keys(struct sort_key **keys, struct sort_key **scratch, uint32_t count)
{
	enum { INSERTION_MAX = 16 };
	if (count <= INSERTION_MAX) {
		insertion_sort(*keys, count);
		return;
	}

	uint64_t varying = 0;
	for (uint32_t i = 1; i < count; i++)
		varying |= (*keys)[i].addr ^ (*keys)[0].addr;
	if (!varying)
		return;

	/* Digits that have about as many values as there are keys, all of one width. */
	unsigned width = 64 - (unsigned)(__builtin_clzll(varying) + __builtin_ctzll(varying));
	unsigned bits = 32 - (unsigned)__builtin_clz(count);
	bits = bits < DIGIT_BITS_MAX ? bits : DIGIT_BITS_MAX;
	unsigned digit_count = (width + bits - 1) / bits;
	bits = (width + digit_count - 1) / digit_count;

	while (varying) {
		unsigned shift = (unsigned)__builtin_ctzll(varying);
		struct sort_key *sorted = *scratch;
		sort_by_digit(*keys, sorted, count, shift, bits);
		*scratch = *keys;
		*keys = sorted;
		varying &= ~(((UINT64_C(1) << bits) - 1) << shift);
	}
}

static uint64_t address_of(const void *element)
{
	uint64_t addr;
	memcpy(&addr, element, sizeof(addr));
	return addr;
}

/* Moves element keys[i].value to place i, for all i, each once; keys[i].value becomes i. */
static void permute(char *array, size_t size, struct sort_key *keys, uint32_t count, char *spare)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = i;
		if (keys[i].value == i)
			continue;
		memcpy(spare, array + i * size, size);
		for (uint32_t from = keys[i].value; from != i; from = keys[at].value) {
			memcpy(array + at * size, array + from * size, size);
			keys[at].value = at;
			at = from;
		}
		memcpy(array + at * size, spare, size);
		keys[at].value = at;
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
	struct sort_key *memory = count < UINT32_MAX / 2 ? malloc(2 * count * sizeof(*memory) + size) : NULL;
	if (!memory) {
		qsort(array, count, size, compare);
		return;
	}

	/* Keys are sorted in place of the elements, which are moved once, in the end. */
	struct sort_key *keys = memory, *scratch = memory + count;
	for (uint32_t i = 0; i < count; i++)
		keys[i] = (struct sort_key){address_of(elements + i * size), i};
	sort_keys(&keys, &scratch, (uint32_t)count);
	permute(elements, size, keys, (uint32_t)count, (char *)(memory + 2 * count));

	for (uint32_t i = 0, end; i < count; i = end) {
		for (end = i; end < count && keys[end].addr == keys[i].addr;)
			end++;
		if (end - i > 1)
			qsort(elements + i * size, end - i, size, compare);
	}
	free(memory);
}
