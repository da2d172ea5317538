/*
 * A radix sort by the bits in which the addresses differ, from the lowest up. Addresses that are sorted together mostly
 * differ in few bits, which are two or three digits, and a sort by comparison mispredicts every second branch. qsort
 * then sorts only the elements with equal addresses.
 */
#include "base/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The elements that keys stand for. */
struct elements {
	const char *first;
	size_t size;
};

static inline uint64_t address_of(const struct elements *elements, size_t index)
{
	uint64_t addr;
	memcpy(&addr, elements->first + index * elements->size, sizeof(addr));
	return addr;
}

static void insertion_sort(struct sort_key *keys, uint32_t count, const struct elements *elements)
{
	for (uint32_t i = 1; i < count; i++) {
		struct sort_key key = keys[i];
		const uint64_t addr = address_of(elements, key.element);
		uint32_t at = i;
		for (; at && addr < address_of(elements, keys[at - 1].element); at--)
			keys[at] = keys[at - 1];
		keys[at] = key;
	}
}

enum { DIGIT_BITS_MAX = 11 };

static void sort_by_digit(const struct sort_key *from, struct sort_key *to, uint32_t count,
			  const struct elements *elements, unsigned shift, unsigned bits)
{
	uint32_t places[1 << DIGIT_BITS_MAX], place = 0; /* first counts, then where the next of a digit goes */
	const uint32_t mask = (UINT32_C(1) << bits) - 1;
	memset(places, 0, (mask + 1) * sizeof(*places));
	for (uint32_t i = 0; i < count; i++)
		places[address_of(elements, from[i].element) >> shift & mask]++;
	for (uint32_t i = 0; i <= mask; i++) {
		uint32_t next = place + places[i];
		places[i] = place;
		place = next;
	}
	for (uint32_t i = 0; i < count; i++)
		to[places[address_of(elements, from[i].element) >> shift & mask]++] = from[i];
}

static void sort_by_digits(struct sort_key **keys, struct sort_key **scratch, uint32_t count,
			   const struct elements *elements)
{
	enum { INSERTION_MAX = 32 };
	if (count <= INSERTION_MAX) {
		insertion_sort(*keys, count, elements);
		return;
	}

	const uint64_t first = address_of(elements, (*keys)[0].element);
	uint64_t varying = 0;
	for (uint32_t i = 1; i < count; i++)
		varying |= address_of(elements, (*keys)[i].element) ^ first;
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
		sort_by_digit(*keys, sorted, count, elements, shift, bits);
		*scratch = *keys;
		*keys = sorted;
		varying &= ~(((UINT64_C(1) << bits) - 1) << shift);
	}
}

void sort_keys(struct sort_key **keys, struct sort_key **scratch, uint32_t count, const void *elements,
	       size_t element_size)
{
	const struct elements of = {elements, element_size};
	sort_by_digits(keys, scratch, count, &of);
}

/* Moves element keys[i].element to place i, for all i, each once; keys[i].element becomes i. */
static void permute(char *array, size_t size, struct sort_key *keys, uint32_t count, char *spare)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = i;
		if (keys[i].element == i)
			continue;
		memcpy(spare, array + i * size, size);
		for (uint32_t from = keys[i].element; from != i; from = keys[at].element) {
			memcpy(array + at * size, array + from * size, size);
			keys[at].element = at;
			at = from;
		}
		memcpy(array + at * size, spare, size);
		keys[at].element = at;
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
	const size_t room = 2 * sizeof(struct sort_key) + sizeof(uint64_t);
	char *memory = count < UINT32_MAX / 2 ? malloc(count * room + size) : NULL;
	if (!memory) {
		qsort(array, count, size, compare);
		return;
	}

	/*
	 * Keys are sorted in place of the elements, which are moved once, in the end. The addresses are copied, for
	 * they are read for each digit.
	 */
	uint64_t *addresses = (uint64_t *)(void *)memory;
	struct sort_key *keys = (struct sort_key *)(addresses + count), *scratch = keys + count;
	const struct elements from = {elements, size};
	for (uint32_t i = 0; i < count; i++) {
		addresses[i] = address_of(&from, i);
		keys[i] = (struct sort_key){i, 0};
	}
	sort_keys(&keys, &scratch, (uint32_t)count, addresses, sizeof(*addresses));
	permute(elements, size, keys, (uint32_t)count, memory + count * room);

	for (uint32_t i = 0, end; i < count; i = end) {
		for (end = i; end < count && address_of(&from, end) == address_of(&from, i);)
			end++;
		if (end - i > 1)
			qsort(elements + i * size, end - i, size, compare);
	}
	free(memory);
}
