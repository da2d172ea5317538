#include "fuzz/variation.h"

#include <stdio.h>
#include <string.h>

#include "base/mix64.h"
#include "fuzz/fuzz.h"

/* What can be done at a byte. */
enum change {
	CHANGE_TO_00,
	CHANGE_TO_01,
	CHANGE_TO_7F,
	CHANGE_TO_80,
	CHANGE_TO_FF,
	CHANGE_INCREMENT,
	CHANGE_SWAP, /* with the next one */
	CHANGE_CUT,  /* the input ends before it */
	CHANGE_COUNT
};

uint64_t variation_count(size_t size, unsigned max)
{
	return (uint64_t)size * CHANGE_COUNT < max ? (uint64_t)size * CHANGE_COUNT : max;
}

/* The new value of data[at]; a swap also sets the byte behind it. */
static uint8_t changed(uint8_t *data, size_t size, size_t at, enum change change)
{
	static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
	uint8_t value = data[at];

	if (change <= CHANGE_TO_FF)
		return values[change];
	if (change == CHANGE_SWAP && at + 1 < size) {
		uint8_t next = data[at + 1];
		data[at + 1] = value;
		return next;
	}
	return (uint8_t)(value + 1);
}

/* The place of the change among all that there are is at random in its share of them, so that no kind meets only every
 * eighth byte. */
struct variation variation_make(const uint8_t *data, size_t size, uint64_t number, uint64_t count)
{
	uint64_t all = (uint64_t)size * CHANGE_COUNT, seed = mix64(all) + number;
	uint64_t first = number * all / count, share = (number + 1) * all / count - first;
	uint64_t chosen = first + random_next(&seed) % share;
	size_t at = (size_t)(chosen / CHANGE_COUNT);
	enum change change = (enum change)(chosen % CHANGE_COUNT);
	struct variation made = {.size = change == CHANGE_CUT ? at : size};

	made.data = malloc(made.size ? made.size : 1);
	HOLD(made.data);
	memcpy(made.data, data, made.size);
	if (change == CHANGE_CUT) {
		snprintf(made.text, sizeof(made.text), "it ends at byte 0x%zx", at);
		return made;
	}
	made.data[at] = changed(made.data, size, at, change);
	/* What had that value already is made another one. */
	if (memcmp(made.data, data, size) == 0)
		made.data[at] ^= (uint8_t)(1 << random_next(&seed) % 8);
	snprintf(made.text, sizeof(made.text),
		 change == CHANGE_SWAP ? "bytes 0x%zx and next begin with 0x%02x" : "byte 0x%zx is 0x%02x", at,
		 made.data[at]);
	return made;
}
