/* The number of a variation says which byte is changed and how, so that each can be made by itself. */
#include "fuzz/variation.h"

#include <stdio.h>
#include <string.h>

#include "base/mix64.h"
#include "fuzz/fuzz.h"

enum { RUN_MAX = 16 }; /* of a longer run of one byte, the bytes behind so many are left as they are */

struct varied varied_new(const uint8_t *data, size_t size)
{
	struct varied varied = {data, size, malloc((size + 1) * sizeof(size_t)), 0};
	HOLD(varied.places);
	for (size_t i = 0, run = 0; i < size; i++) {
		run = i && data[i] == data[i - 1] ? run + 1 : 0;
		if (run < RUN_MAX)
			varied.places[varied.place_count++] = i;
	}
	return varied;
}

void varied_done(struct varied *varied)
{
	free(varied->places);
}

/* What can be done at a byte. */
enum change {
	CHANGE_TO_00,
	CHANGE_TO_01,
	CHANGE_TO_7F,
	CHANGE_TO_80,
	CHANGE_TO_FF,
	CHANGE_INCREMENT,
	CHANGE_SWAP, /* with the next one */
	CHANGE_CUT,  /* the input ends before it; every fourth time, for most inputs then end in the same way */
	CHANGE_COUNT
};

uint64_t variation_count(const struct varied *varied, unsigned max)
{
	uint64_t all = (uint64_t)varied->place_count * CHANGE_COUNT;
	return all < max ? all : max;
}

/* Changes data[at], and in a swap the byte behind it. */
static void change_byte(uint8_t *data, size_t size, size_t at, enum change change)
{
	static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
	uint8_t value = data[at];

	if (change <= CHANGE_TO_FF) {
		data[at] = values[change];
	} else if (change == CHANGE_SWAP && at + 1 < size) {
		data[at] = data[at + 1];
		data[at + 1] = value;
	} else {
		data[at]++;
	}
}

/*
 * The change is at random in its share of all that there are, so that no kind of change meets only every eighth byte.
 */
struct variation variation_make(const struct varied *varied, uint64_t number, uint64_t count)
{
	uint64_t all = (uint64_t)varied->place_count * CHANGE_COUNT, seed = mix64(all) + number;
	uint64_t first = number * all / count, share = (number + 1) * all / count - first;
	uint64_t chosen = first + random_next(&seed) % share, luck = random_next(&seed);
	size_t at = varied->places[chosen / CHANGE_COUNT];
	enum change change = (enum change)(chosen % CHANGE_COUNT);
	bool cuts = change == CHANGE_CUT && luck % 4 == 0;
	struct variation made = {.size = cuts ? at : varied->size};

	made.data = malloc(made.size ? made.size : 1);
	HOLD(made.data);
	memcpy(made.data, varied->data, made.size);
	if (cuts) {
		snprintf(made.text, sizeof(made.text), "it ends at byte 0x%zx", at);
		return made;
	}
	change_byte(made.data, made.size, at, change);
	/* What had that value already is made another one. */
	if (memcmp(made.data, varied->data, made.size) == 0)
		made.data[at] ^= (uint8_t)(1 << (luck >> 8) % 8);
	snprintf(made.text, sizeof(made.text), "byte 0x%zx is 0x%02x%s", at, made.data[at],
		 change == CHANGE_SWAP ? ", swapped with the next" : "");
	return made;
}
