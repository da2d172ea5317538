/*
 * zlib's streams are inflated by isa-l, which can be given the bytes in steps, and zstd's by its own library. Parts of
 * a zlib stream may have been inflated by other threads already (inflate_ahead.h). To isa-l they are all of deflate's
 * own format, because the checksum is computed here, or by the caller.
 */
#include "convert/elf/packed_stream.h"

#include <isa-l/igzip_lib.h> /* inflates three times as fast as zlib, and as a stream, which libdeflate does not */
#include <libdeflate.h>      /* Adler-32, five times as fast as isa-l's */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/vm_pages.h"
#include "convert/elf/inflate_ahead.h"

enum {
	RELEASE_SIZE = 2 << 20, /* bytes of packed pages given back at a time: each time interrupts every processor */
	MAP_SIZE = 1 << 20,     /* bytes of packed pages mapped at a time ahead of the thread that inflates */
};

/*
 * Reads the header, so that what follows is inflated as deflate's own format, which has no checksum. A header that is
 * not valid stays where it is, and is then found to be damaged.
 */
static void pass_zlib_header(struct packed_stream *stream)
{
	struct isal_zlib_header header = {0};
	uint32_t size = stream->packed_size < PACKED_STEP ? (uint32_t)stream->packed_size : PACKED_STEP;
	stream->zlib->next_in = (uint8_t *)stream->packed;
	stream->zlib->avail_in = size;
	if (isal_read_zlib_header(stream->zlib, &header) != ISAL_DECOMP_OK)
		return;
	stream->packed_done = size - stream->zlib->avail_in;
	stream->zlib->crc_flag = ISAL_DEFLATE;
}

bool packed_stream_open(struct packed_stream *stream)
{
	if (stream->zlib || stream->zstd || stream->packing == PACKING_NONE)
		return true;
	if (stream->packing == PACKING_ZSTD)
		return (stream->zstd = ZSTD_createDStream()) != NULL;
	stream->zlib = malloc(sizeof(*stream->zlib));
	if (!stream->zlib)
		return false;
	isal_inflate_init(stream->zlib);
	stream->zlib->crc_flag = ISAL_ZLIB;
	stream->sum = libdeflate_adler32(0, NULL, 0);
	pass_zlib_header(stream);
	return true;
}

void packed_stream_close(struct packed_stream *stream)
{
	free(stream->zlib);
	stream->zlib = NULL;
	ZSTD_freeDStream(stream->zstd);
	stream->zstd = NULL;
	if (stream->parts)
		inflate_ahead_end(stream->parts);
}

/* Finds the checksum behind the last block, if it is not cut off. */
static void find_checksum(struct packed_stream *stream)
{
	enum { CHECKSUM_SIZE = 4 };
	const struct inflate_state *zlib = stream->zlib;
	size_t unused = zlib->read_in_length > 0 ? (size_t)zlib->read_in_length / 8 : 0; /* of what it has read ahead */
	size_t left = stream->packed_size - stream->packed_done + unused;
	if (zlib->block_state == ISAL_BLOCK_FINISH && left >= CHECKSUM_SIZE)
		stream->checksum = zlib->next_in - unused;
}

/* Whether zlib's checksum is right, if it was reached, or left to the caller. */
static bool is_sum_right(const struct packed_stream *stream)
{
	return stream->skips_checksum || packed_stream_has_checksum(stream, stream->sum);
}

/* Inflates the next step of packed bytes to at most `room` bytes. Returns what isa-l does. */
static int run_zlib(struct packed_stream *stream, uint8_t *out, size_t room, size_t step)
{
	struct inflate_state *zlib = stream->zlib;
	zlib->next_in = (uint8_t *)stream->packed + stream->packed_done;
	zlib->avail_in = (uint32_t)step;
	zlib->next_out = out;
	zlib->avail_out = (uint32_t)room;
	int result = isal_inflate(zlib);
	if (result != ISAL_DECOMP_OK) /* it may report more input taken than there was */
		return result;
	stream->packed_done += step - zlib->avail_in;
	if (zlib->crc_flag == ISAL_DEFLATE)
		find_checksum(stream);
	return result;
}

/* The same, or takes bytes that another thread has inflated. Returns how many bytes they are; SIZE_MAX: damaged. */
static size_t inflate_zlib(struct packed_stream *stream, uint8_t *out, size_t room, size_t step)
{
	if (stream->parts && stream->zlib->crc_flag == ISAL_DEFLATE) {
		size_t made = inflate_ahead_take(stream->parts, stream->zlib, &stream->packed_done, step, out, room);
		find_checksum(stream);
		return made;
	}
	if (run_zlib(stream, out, room, step) != ISAL_DECOMP_OK)
		return SIZE_MAX;
	size_t made = room - stream->zlib->avail_out;
	if (!stream->skips_checksum)
		stream->sum = libdeflate_adler32(stream->sum, out, made);
	return is_sum_right(stream) ? made : SIZE_MAX;
}

static bool end_zlib(struct packed_stream *stream)
{
	const struct inflate_state *zlib = stream->zlib;
	uint8_t none;
	if (stream->parts && stream->parts->reached) /* more bytes follow in the part */
		return false;
	while (zlib->block_state != ISAL_BLOCK_FINISH) {
		const size_t before = stream->packed_done, left = stream->packed_size - before;
		const int32_t bits_before = zlib->read_in_length;
		const int result = run_zlib(stream, &none, 0, left < PACKED_STEP ? left : PACKED_STEP);
		if (result != ISAL_DECOMP_OK || (stream->packed_done == before && zlib->read_in_length == bits_before))
			return false;
	}
	return stream->checksum && is_sum_right(stream);
}

static size_t inflate_zstd(struct packed_stream *stream, uint8_t *out, size_t room, size_t step)
{
	ZSTD_inBuffer input = {stream->packed + stream->packed_done, step, 0};
	ZSTD_outBuffer output = {out, room, 0};
	size_t result = ZSTD_decompressStream(stream->zstd, &output, &input);
	stream->packed_done += input.pos;
	stream->is_frame_over = result == 0;
	return ZSTD_isError(result) ? SIZE_MAX : output.pos;
}

static bool end_zstd(struct packed_stream *stream)
{
	uint8_t none;
	while (!stream->is_frame_over) {
		const size_t before = stream->packed_done, left = stream->packed_size - before;
		if (inflate_zstd(stream, &none, 0, left < PACKED_STEP ? left : PACKED_STEP) == SIZE_MAX ||
		    (stream->packed_done == before && !stream->is_frame_over))
			return false;
	}
	return true;
}

bool packed_stream_end(struct packed_stream *stream)
{
	return stream->packing == PACKING_ZLIB   ? end_zlib(stream)
	       : stream->packing == PACKING_ZSTD ? end_zstd(stream)
						 : true;
}

static size_t copy_stored(struct packed_stream *stream, uint8_t *out, size_t room, size_t step)
{
	size_t size = room < step ? room : step;
	memcpy(out, stream->packed + stream->packed_done, size);
	stream->packed_done += size;
	return size;
}

/* Gives back the packed pages that were read up to `reached`, if they are at least `least` bytes. */
static void release_packed(struct packed_stream *stream, size_t reached, size_t least)
{
	size_t released = atomic_load_explicit(&stream->released, memory_order_relaxed);
	if (stream->is_pageable && reached > released && reached - released >= least &&
	    atomic_compare_exchange_strong_explicit(&stream->released, &released, reached, memory_order_relaxed,
						    memory_order_relaxed))
		pages_release(stream->packed, released, reached);
}

size_t packed_stream_step(struct packed_stream *stream, uint8_t *out, size_t room)
{
	size_t left = stream->packed_size - stream->packed_done;
	size_t step = left < PACKED_STEP ? left : PACKED_STEP;
	size_t before = stream->packed_done;
	size_t made = stream->packing == PACKING_ZLIB   ? inflate_zlib(stream, out, room, step)
		      : stream->packing == PACKING_ZSTD ? inflate_zstd(stream, out, room, step)
							: copy_stored(stream, out, room, step);
	if (made == 0 && stream->packed_done == before)
		return SIZE_MAX;
	bool is_last = stream->packed_done == stream->packed_size;
	atomic_store_explicit(&stream->reached, stream->packed_done, memory_order_relaxed);
	/* Where other threads call packed_stream_tend, they do this before so much has come together. */
	release_packed(stream, stream->packed_done, is_last ? 0 : 2 * RELEASE_SIZE);
	return made;
}

void packed_stream_tend(struct packed_stream *stream)
{
	if (!stream->is_pageable)
		return;
	size_t reached = atomic_load_explicit(&stream->reached, memory_order_relaxed);
	size_t mapped = atomic_load_explicit(&stream->mapped, memory_order_relaxed);
	release_packed(stream, reached, RELEASE_SIZE);
	size_t from = reached > mapped ? reached : mapped;
	size_t left = stream->packed_size - from, size = left < MAP_SIZE ? left : MAP_SIZE;
	if (size && from < reached + MAP_SIZE &&
	    atomic_compare_exchange_strong_explicit(&stream->mapped, &mapped, from + size, memory_order_relaxed,
						    memory_order_relaxed))
		pages_map(stream->packed + from, size);
}

void packed_stream_let_help(struct packed_stream *stream, uint64_t size, unsigned helpers)
{
	stream->parts = inflate_ahead_new(stream->packed, stream->packed_size, size, helpers);
}

bool packed_stream_is_helped(const struct packed_stream *stream)
{
	return stream->parts != NULL;
}

bool packed_stream_help(struct packed_stream *stream)
{
	return stream->parts &&
	       inflate_ahead_help(stream->parts, atomic_load_explicit(&stream->reached, memory_order_relaxed));
}

bool packed_stream_has_checksum(const struct packed_stream *stream, uint32_t checksum)
{
	const uint8_t *at = stream->checksum;
	return !at || ((uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3]) == checksum;
}

void packed_stream_rewind(struct packed_stream *stream)
{
	packed_stream_done(stream);
	stream->packed_done = 0;
	stream->checksum = NULL;
	atomic_store_explicit(&stream->reached, 0, memory_order_relaxed);
	atomic_store_explicit(&stream->released, 0, memory_order_relaxed);
	atomic_store_explicit(&stream->mapped, 0, memory_order_relaxed);
}

void packed_stream_done(struct packed_stream *stream)
{
	packed_stream_close(stream);
	inflate_ahead_free(stream->parts);
	stream->parts = NULL;
}
