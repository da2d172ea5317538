/* The parts of one zlib stream that are inflated ahead of the thread that inflates it from its front. */
#ifndef LOCUS_INFLATE_AHEAD_H
#define LOCUS_INFLATE_AHEAD_H

#include "base/short_lock.h"
#include "convert/elf/deflate_part.h"

enum { AHEAD_MAX = 8 }; /* parts at one time */

enum ahead_state {
	AHEAD_FREE,
	AHEAD_BEGUN,    /* a thread inflates it */
	AHEAD_TOO_LATE, /* the same, but the thread in front has passed its beginning */
	AHEAD_READY,    /* it is inflated */
	AHEAD_REACHED,  /* the thread in front takes its bytes */
};

struct part_ahead {
	enum ahead_state state;
	size_t from;              /* packed bytes: it begins here or behind */
	atomic_bool stop;         /* it is too late */
	struct deflate_part part; /* has memory to use again, where it is free */
};

struct inflate_ahead {
	const uint8_t *packed;
	size_t packed_size;
	size_t room;            /* inflated bytes of a part, at most */
	unsigned count;         /* of `parts` that are used */
	struct short_lock lock; /* guards the next two */
	size_t claimed;         /* no further part begins below this packed byte */
	struct part_ahead parts[AHEAD_MAX];

	/* The rest is used by the thread in front alone. */
	bool is_at_stop; /* isa-l has every packed byte before the next part, and may hold back what had no room */
	struct part_ahead *reached;     /* the part whose bytes it takes; NULL: none */
	size_t taken;                   /* bytes of it */
	uint8_t before[DEFLATE_WINDOW]; /* the bytes before it */
	uint64_t noted;                 /* bytes inflated since the window is kept, which it is before a part */
	uint8_t window[DEFLATE_WINDOW]; /* the last of them, at its end */
};

/*
 * `packed` is borrowed; `size`: what it should inflate to; `helpers`: threads for which parts are kept, one for each.
 * NULL: it is too short for parts, or out of memory.
 */
struct inflate_ahead *inflate_ahead_new(const uint8_t *packed, size_t packed_size, uint64_t size, unsigned helpers);
void inflate_ahead_free(struct inflate_ahead *ahead); /* NULL is fine; no thread may be in inflate_ahead_help */

/*
 * Inflates a part that begins well behind packed[given]. Safe from many threads. False: nothing was tried, because
 * little is left, or enough parts are ready.
 */
bool inflate_ahead_help(struct inflate_ahead *ahead, size_t given);

/*
 * Inflates the next bytes of the stream, for one thread at a time: from a part that is ready, or else by `state`, which
 * is given at most `step` packed bytes from *given on. Returns how many bytes there are at `out`, at most `room`, which
 * may be none if *given has grown; SIZE_MAX: the stream is damaged.
 */
size_t inflate_ahead_take(struct inflate_ahead *ahead, struct inflate_state *state, size_t *given, size_t step,
			  uint8_t *out, size_t room);

/* Gives memory back, and makes threads stop that are in inflate_ahead_help: the thread in front has taken all bytes. */
void inflate_ahead_end(struct inflate_ahead *ahead);

#endif
