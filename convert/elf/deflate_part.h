/*
 * A part of a deflate stream (RFC 1951) that is inflated before the bytes in front of it are: by a thread that would
 * otherwise wait for the one that inflates the stream from its front.
 */
#ifndef LOCUS_DEFLATE_PART_H
#define LOCUS_DEFLATE_PART_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inflate_state;

enum { DEFLATE_WINDOW = 32 << 10 }; /* bytes: what a match copies begins at most so far before it */

struct deflate_part {
	uint64_t first_bit, end_bit; /* of the packed bytes: where the headers of two blocks begin */
	size_t size;                 /* inflated bytes between them: at least DEFLATE_WINDOW */

	/*
	 * Two results, inflated behind two windows that were made up. Where they are the same, so is the part; where
	 * they differ, they say which byte of the true window stands there. From `differ_size` on they are the same,
	 * and `other` has no bytes.
	 */
	uint8_t *bytes, *other;
	size_t differ_size;
	size_t room; /* mapped for each */
};

/* Where a part is looked for in the packed bytes. */
struct deflate_range {
	const uint8_t *packed;
	size_t size;     /* of all packed bytes */
	size_t from, to; /* the part begins with the first block behind `from`, and ends with the one that has `to` */
	size_t room;     /* the part inflates to less than that */
};

/*
 * Inflates a part into `part`, which is zeroed, or whose memory is used again. False: no dynamic Huffman block begins
 * in the first 256 KiB, the part is damaged, has the stream's last block, or inflates to more than the room,
 * memory is out, or *stop was set meanwhile.
 *
 * A true result may still be nonsense, since other bits may look like a header: `first_bit` is to be compared with
 * where the stream's blocks begin.
 */
bool deflate_part_inflate(struct deflate_part *part, const struct deflate_range *range, const atomic_bool *stop);

/* Copies the `size` inflated bytes from `offset` on; `window` has the DEFLATE_WINDOW bytes before the part. */
void deflate_part_copy(const struct deflate_part *part, const uint8_t *window, size_t offset, uint8_t *ret,
		       size_t size);

/* Gives the memory back. Safe on a zeroed part. */
void deflate_part_done(struct deflate_part *part);

/*
 * Makes `state` inflate from a bit of the packed bytes on, where a block begins, behind the DEFLATE_WINDOW bytes of
 * `window`. Returns the index of the packed byte to give it next.
 */
size_t deflate_begin_at(struct inflate_state *state, const uint8_t *packed, uint64_t bit, const uint8_t *window);

/*
 * The bit of the packed bytes that `state` has come to, if it was given the first `given` of them and a block begins
 * there; else UINT64_MAX.
 */
uint64_t deflate_block_bit(const struct inflate_state *state, size_t given);

#endif
