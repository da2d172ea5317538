/* Buffered output to a file descriptor: fast to append to, remembers its first error. */
#ifndef LOCUS_OUT_H
#define LOCUS_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cmd/common/digits.h"

struct out {
	int fd;
	int error;    /* errno of the first write that failed; nothing is written after it */
	bool is_held; /* what is written stays in the buffer: see out_hold */
	bool is_full; /* and that had no room for all of it */
	size_t used;
	uint64_t flushed; /* bytes that have left the buffer, or went past it */
	char buffer[1 << 16];
};

void out_init(struct out *out, int fd);

/* The bytes of all output so far. */
static inline uint64_t out_total(const struct out *out)
{
	return out->flushed + out->used;
}

/* The slow path of out_bytes, if the buffer has no room. */
void out_beyond(struct out *out, const void *data, size_t size);

/* These are inline, because most writes are a few bytes, often of a size known to the compiler. */
static inline void out_bytes(struct out *out, const void *data, size_t size)
{
	if (size > sizeof(out->buffer) - out->used) {
		out_beyond(out, data, size);
		return;
	}
	memcpy(out->buffer + out->used, data, size);
	out->used += size;
}

static inline void out_text(struct out *out, const char *text)
{
	out_bytes(out, text, strlen(text));
}

static inline void out_char(struct out *out, char c)
{
	out_bytes(out, &c, 1);
}

/* The slow path of out_u64 and out_hex. */
void out_number(struct out *out, uint64_t value, unsigned base);

static inline void out_u64(struct out *out, uint64_t value)
{
	if (value < DIGITS_DECIMAL_END && DIGITS_PUT_SIZE <= sizeof(out->buffer) - out->used)
		out->used += digits_put_decimal(out->buffer + out->used, (uint32_t)value);
	else
		out_number(out, value, 10);
}

static inline void out_hex(struct out *out, uint64_t value) /* 0x1149 */
{
	out_bytes(out, "0x", 2);
	if (value <= UINT32_MAX && DIGITS_PUT_SIZE <= sizeof(out->buffer) - out->used)
		out->used += digits_put_hex(out->buffer + out->used, (uint32_t)value);
	else
		out_number(out, value, 16);
}

void out_hex_bytes(struct out *out, const void *data, size_t size); /* 0a1b, two digits a byte */
void out_spaces(struct out *out, size_t count);
void out_format(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

void out_flush(struct out *out);

/* Flushes if `size` bytes do not fit in the buffer in one piece. False: it is smaller than that. */
bool out_make_room(struct out *out, size_t size);

/*
 * Keeps what is written from now on in the buffer, behind what `used` is now, so that it can be looked at, and be taken
 * back by setting `used` to that, until out_release. There is room for OUT_HELD_MAX bytes; where the buffer has no more
 * room, pieces are left out, and `is_full` says so.
 */
enum { OUT_HELD_MAX = 48 << 10 };
void out_hold(struct out *out);
void out_release(struct out *out);

/*
 * Copies plain bytes, which are printable ASCII except quote and backslash, up to the first other one, and returns
 * their number. The bytes of `ret` behind them, up to `size`, are overwritten.
 */
size_t plain_copy(char *ret, const char *data, size_t size);
size_t out_plain(struct out *out, const char *data, size_t size);

/* The slow path of out_escaped, and out_quoted without its quotes. */
void out_pieces(struct out *out, const char *data, size_t size, bool quoted);

/*
 * A name from a file, made safe for a terminal: control characters, invalid UTF-8 and the marks that reorder text
 * become \xNN, byte by byte (RULES D7). out_quoted also puts it in quotes and escapes these, so that it can be read
 * back.
 */
static inline void out_escaped(struct out *out, const char *data, size_t size)
{
	size_t plain = 0;

	if (size <= sizeof(out->buffer) - out->used)
		plain = plain_copy(out->buffer + out->used, data, size);
	out->used += plain;
	if (plain < size)
		out_pieces(out, data + plain, size - plain, false);
}

void out_quoted(struct out *out, const char *data, size_t size);

/*
 * Whether a terminal obeys the character, a valid UTF-8 sequence, instead of showing it: C0 and C1 controls, DEL, line
 * separators, and marks and overrides of direction.
 */
bool changes_display(const char *data, size_t length);

/* The size of the valid UTF-8 sequence at `data`; 0: there is none. `size` is 1 or more. */
size_t utf8_length(const char *data, size_t size);

#endif
