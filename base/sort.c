/*
 * A radix sort by the bits in which the addresses differ, from the lowest up. Addresses that are sorted together mostly
 * differ in few bits, which are two or three digits, and a sort by comparison mispredicts every second branch. qsort
 * then sorts only the elements with equal addresses.
 */
#include "base/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

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

static bool ascends(const struct elements *elements, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (address_of(elements, i) < address_of(elements, i - 1))
			return false;
	return true;
}

static bool is_sorted(const char *array, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	for (size_t i = 1; i < count; i++)
		if (compare(array + (i - 1) * size, array + i * size) > 0)
			return false;
	return true;
}

/* Sorts the elements of each address, where addresses ascend. */
static void sort_equal(char *array, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	const struct elements elements = {array, size};
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && address_of(&elements, end) == address_of(&elements, i);)
			end++;
		if (end - i > 1 && !is_sorted(array + i * size, end - i, size, compare))
			qsort(array + i * size, end - i, size, compare);
	}
}

/* What sort_parts works on: memory for elements that are sorted at once, and for one element. */
struct sorting {
	size_t size; /* of an element */
	int (*compare)(const void *, const void *);
	struct sort_key *keys, *scratch;
	uint64_t *addresses;
	char *spare;
};

/*
 * Keys are sorted in place of the elements, which are moved once, in the end. The addresses are copied, for they are
 * read for each digit.
 */
static void sort_part(const struct sorting *sorting, char *array, uint32_t count)
{
	const struct elements from = {array, sorting->size};
	struct sort_key *keys = sorting->keys, *scratch = sorting->scratch;
	for (uint32_t i = 0; i < count; i++) {
		sorting->addresses[i] = address_of(&from, i);
		keys[i] = (struct sort_key){i, 0};
	}
	sort_keys(&keys, &scratch, count, sorting->addresses, sizeof(*sorting->addresses));
	permute(array, sorting->size, keys, count, sorting->spare);

	sort_equal(array, count, sorting->size, sorting->compare);
}

/* Moves elements in whose addresses `bit` is set behind the others. Returns the number of the others. */
static size_t part_by_bit(const struct sorting *sorting, char *array, size_t count, uint64_t bit)
{
	const struct elements elements = {array, sorting->size};
	const size_t size = sorting->size;
	size_t low = 0, high = count;
	while (low < high) {
		if (!(address_of(&elements, low) & bit)) {
			low++;
		} else if (address_of(&elements, --high) & bit) {
			continue;
		} else {
			memcpy(sorting->spare, array + low * size, size);
			memcpy(array + low * size, array + high * size, size);
			memcpy(array + high * size, sorting->spare, size);
			low++;
		}
	}
	return low;
}

/* Elements that are sorted at once: keys for more would take memory, and the processor's caches would not hold them. */
enum { PART_MAX = 1 << 16 };

/* Many elements are parted, one bit of their addresses after the other: so it calls itself at most 64 deep. */
static void sort_parts(const struct sorting *sorting, char *array, size_t count)
{
	const struct elements elements = {array, sorting->size};
	while (count > PART_MAX) {
		uint64_t varying = 0;
		for (size_t i = 1; i < count; i++)
			varying |= address_of(&elements, i) ^ address_of(&elements, 0);
		if (!varying) {
			qsort(array, count, sorting->size, sorting->compare);
			return;
		}
		const uint64_t bit = UINT64_C(1) << (63 - __builtin_clzll(varying));
		const size_t below = part_by_bit(sorting, array, count, bit);
		sort_parts(sorting, array + below * sorting->size, count - below);
		count = below;
	}
	sort_part(sorting, array, (uint32_t)count);
}

void sort_by_address(void *array, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	if (ascends(&(struct elements){array, size}, count)) {
		sort_equal(array, count, size, compare);
		return;
	}
	const size_t part = count < PART_MAX ? count : PART_MAX;
	char *memory = malloc(part * (2 * sizeof(struct sort_key) + sizeof(uint64_t)) + size);
	if (!memory) {
		qsort(array, count, size, compare);
		return;
	}
	uint64_t *addresses = (uint64_t *)(void *)memory;
	struct sort_key *keys = (struct sort_key *)(addresses + part);
	const struct sorting sorting = {
		.size = size,
		.compare = compare,
		.keys = keys,
		.scratch = keys + part,
		.addresses = addresses,
		.spare = (char *)(keys + 2 * part),
	};
	sort_parts(&sorting, array, count);
	free(memory);
}

uint32_t sort_unique(uint64_t *addrs, uint32_t count)
{
	uint32_t kept = 0;
	sort_by_address(addrs, count, sizeof(*addrs), compare_uint64);
	for (uint32_t i = 0; i < count; i++)
		if (!kept || addrs[kept - 1] != addrs[i])
			addrs[kept++] = addrs[i];
	return kept;
}
