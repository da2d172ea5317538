/*
 * The bytes of a compressed section as the file has them, inflated from front to back in steps. The pages that they are
 * in are given back behind the thread that inflates, and mapped ahead of it.
 */
#ifndef LOCUS_PACKED_STREAM_H
#define LOCUS_PACKED_STREAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inflate_ahead;
struct inflate_state;
struct ZSTD_DCtx_s;

enum { PACKED_STEP = 1 << 20 }; /* bytes: at most so many are given to one step, and are to be asked of it */

enum packing {
	PACKING_ZLIB,
	PACKING_ZSTD,
	PACKING_NONE, /* not compressed: the bytes are copied, because their reader changes them */
};

struct packed_stream {
	/* Set by the caller; the rest is zeroed. */
	enum packing packing;
	const uint8_t *packed; /* borrowed */
	size_t packed_size;
	bool is_pageable;    /* `packed` is part of a mapped file: pages that are given back come back when read */
	bool skips_checksum; /* zlib's checksum is left to the caller; set before the first byte is inflated */

	/* Used by the thread that inflates. */
	size_t packed_done;
	const uint8_t *checksum;     /* where zlib's stands; NULL: not reached, or cut off */
	uint32_t sum;                /* that of the bytes so far, if it is not left to the caller */
	struct inflate_state *zlib;  /* while inflating is under way, as is `zstd`: each has tables and a window */
	struct inflate_ahead *parts; /* of the stream, which other threads inflate; NULL: none */
	struct ZSTD_DCtx_s *zstd;
	bool is_frame_over; /* zstd's: the last step came to its end */

	/* Also used by threads in packed_stream_tend and packed_stream_help. */
	atomic_size_t reached;  /* packed_done after the last step */
	atomic_size_t released; /* the pages below this were given back */
	atomic_size_t mapped;   /* the pages below this were mapped */
};

/* Makes it ready to inflate, at its front or where it was before. False: out of memory. */
bool packed_stream_open(struct packed_stream *stream);

/*
 * Inflates one step of an open stream to `out`, at most `room` bytes, and returns how many there are: none where the
 * step was all header. SIZE_MAX: the stream is damaged, or ends.
 */
size_t packed_stream_step(struct packed_stream *stream, uint8_t *out, size_t room);

/*
 * Goes on to the end of an open stream, of which as many bytes were inflated as there are to be: the last step may have
 * ended before zlib's checksum, or within it. False: the checksum is wrong or cut off, or the stream has more bytes.
 * Then it is damaged, perhaps from its front on. What follows its end is not looked at.
 */
bool packed_stream_end(struct packed_stream *stream);

/* Frees what inflating takes, once all bytes are there. */
void packed_stream_close(struct packed_stream *stream);

/* Makes it begin at its front again, without helpers. skips_checksum stays as it is. */
void packed_stream_rewind(struct packed_stream *stream);

/*
 * Lets so many `helpers` inflate parts of a stream of zlib's ahead, in packed_stream_help; `size`: of all inflated
 * bytes. Without effect if it is too short, or memory is out.
 */
void packed_stream_let_help(struct packed_stream *stream, uint64_t size, unsigned helpers);

/* Whether helpers may inflate parts of it, so that how many bytes a step yields depends on them. */
bool packed_stream_is_helped(const struct packed_stream *stream);

/* Inflates a part that the stream comes to later. False: there was nothing to do. Safe from many threads. */
bool packed_stream_help(struct packed_stream *stream);

/* Maps the packed pages that are read next, and gives back those that were, if it is due. Safe from many threads. */
void packed_stream_tend(struct packed_stream *stream);

/* Whether the checksum that was skipped is this one, or none was reached. All bytes were inflated. */
bool packed_stream_has_checksum(const struct packed_stream *stream, uint32_t checksum);

/* Frees what the stream owns. No thread is in packed_stream_help. */
void packed_stream_done(struct packed_stream *stream);

#endif
