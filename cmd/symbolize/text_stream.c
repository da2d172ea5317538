/* Finds the lines that may name an address, at the speed of memory. */
#include "cmd/symbolize/text_stream.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/common/patient_io.h"

enum { BEFORE_MAX = 512 /* bytes of text already given that are kept, for the line before a candidate */ };

/*
 * What marks a line to be looked at: a text, and the offset of its pair of characters that is searched for; the rest is
 * compared there. As a macro, it makes a search without a loop over them, and what pairs share is compared once.
 */
#define TRIGGERS(TRIGGER)                                                          \
	TRIGGER("0x", 0)                                                           \
	TRIGGER("{{{", 0)                                                          \
	TRIGGER(" pc ", 1)                /* Android */                            \
	TRIGGER("  $", 1)                 /* Free Pascal */                        \
	TRIGGER(" (/", 1)                 /* perf */                               \
	TRIGGER(" ([", 1)                 /* perf, in a kernel */                  \
	TRIGGER(" (inlined)", 1)          /* perf */                               \
	TRIGGER("_RECORD_FORK(", 11)      /* perf */                               \
	TRIGGER("_COMM exec: ", 0)        /* perf */                               \
	TRIGGER(" r--p ", 1)              /* maps */                               \
	TRIGGER(" r-xp ", 2)              /* maps */                               \
	TRIGGER("with build-id ", 10)     /* systemd-coredump */                   \
	TRIGGER(", build-id=", 7)         /* systemd-coredump */                   \
	TRIGGER("<signal handler ", 0)    /* gdb */                                \
	TRIGGER("<function called ", 0)   /* gdb */                                \
	TRIGGER(") at ", 0)               /* gdb, of a frame without an address */ \
	TRIGGER("segfault ", 2)           /* Linux, of a program */                \
	TRIGGER("traps: ", 3)             /* Linux, of other faults of programs */ \
	TRIGGER("Address mapping: ", 0)   /* Envoy */                              \
	TRIGGER("Unknown  Unknown", 0)    /* Intel's Fortran */                    \
	TRIGGER("    @ 0", 4)             /* folly */                              \
	TRIGGER("pc = ", 0)               /* Linux, of a program on MIPS: epc */   \
	TRIGGER("uild_id: '", 3)          /* Dart: build_id, but b is a digit */   \
	TRIGGER("0123456789abcdef /", 16) /* a build-id and a path; any 16 digits */

enum { VECTOR_SIZE = 16 };

typedef uint8_t vector __attribute__((vector_size(VECTOR_SIZE)));

void text_stream_init(struct text_stream *stream, int fd)
{
	struct stat found;

	stream->fd = fd;
	stream->is_file = fstat(fd, &found) == 0 && S_ISREG(found.st_mode);
	stream->error = 0;
	stream->ended = stream->in_line = false;
	stream->start = stream->searched = stream->end = 0;
}

static bool is_hex_digit(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Whether the whole trigger stands in the text where its pair, at the offset `pair` of it, is at `at`. */
static bool is_trigger(const char *text, size_t end, size_t at, const char *trigger, size_t pair)
{
	size_t size = strlen(trigger), first = at - pair;

	if (at < pair || size > end - first)
		return false;
	if (!is_hex_digit(trigger[0]) || pair == 0)
		return memcmp(text + first, trigger, size) == 0;
	for (size_t i = 0; i < pair; i++) {
		if (!is_hex_digit(text[first + i]))
			return false;
	}
	return memcmp(text + at, trigger + pair, size - pair) == 0;
}

static bool has_trigger(const char *text, size_t end, size_t at)
{
#define FIND_TRIGGER(trigger, pair)                                                 \
	if (text[at] == (trigger)[pair] && text[at + 1] == (trigger)[(pair) + 1] && \
	    is_trigger(text, end, at, trigger, pair))                               \
		return true;
	TRIGGERS(FIND_TRIGGER)
#undef FIND_TRIGGER
	return false;
}

/* Finds at which of the 16 bytes a pair starts: 0xff in *ret there, and 0 elsewhere. False: at none. */
static inline bool find_pairs(const char *data, vector *ret)
{
	typedef uint64_t words __attribute__((vector_size(VECTOR_SIZE)));
	vector first, second, found = {0};

	memcpy(&first, data, sizeof(first));
	memcpy(&second, data + 1, sizeof(second));
#define FIND_PAIR(text, pair) \
	found |= (vector)(first == (uint8_t)text[pair]) & (vector)(second == (uint8_t)text[(pair) + 1]);
	TRIGGERS(FIND_PAIR)
#undef FIND_PAIR
	words both = (words)found;
	*ret = found;
	return (both[0] | both[1]) != 0;
}

/* The first trigger in whole lines from `at` on, and before `end`; else `end`. */
static size_t find_trigger(const char *text, size_t at, size_t end)
{
	vector pairs;

	for (; at + VECTOR_SIZE + 1 <= end; at += VECTOR_SIZE) {
		if (!find_pairs(text + at, &pairs))
			continue;
		for (size_t i = 0; i < VECTOR_SIZE; i++) {
			if (pairs[i] && has_trigger(text, end, at + i))
				return at + i;
		}
	}
	for (; at + 1 < end; at++) {
		if (has_trigger(text, end, at))
			return at;
	}
	return end;
}

bool text_has_trigger(const char *text, size_t size)
{
	return find_trigger(text, 0, size) < size;
}

static bool give_text(struct text_stream *stream, size_t end, struct text_piece *ret)
{
	if (end <= stream->start)
		return false;
	*ret = (struct text_piece){.data = stream->buffer + stream->start, .size = end - stream->start};
	stream->start = end;
	if (stream->searched < end)
		stream->searched = end;
	return true;
}

/* The line that ends before `start`, if it is still in the buffer. */
static void find_before(const struct text_stream *stream, size_t start, struct text_piece *ret)
{
	const char *newline;
	size_t size;

	if (start == 0)
		return;
	size = start - 1;
	newline = memrchr(stream->buffer, '\n', size);
	ret->before = newline ? newline + 1 : stream->buffer;
	ret->before_size = size - (size_t)(ret->before - stream->buffer);
}

static bool give_line(struct text_stream *stream, size_t start, size_t end, bool is_ended, struct text_piece *ret)
{
	/* A last line that has no end is of the kind of the one before it. */
	bool has_return = is_ended ? end > start && stream->buffer[end - 1] == '\r'
				   : start > 1 && stream->buffer[start - 2] == '\r';
	const char *line_break = has_return ? "\r\n" : "\n";

	*ret = (struct text_piece){.data = stream->buffer + start,
				   .size = end - start - (is_ended && has_return ? 1 : 0),
				   .is_candidate = true,
				   .line_end = is_ended ? line_break : "",
				   .line_break = line_break};
	find_before(stream, start, ret);
	stream->start = stream->searched = end + (is_ended ? 1 : 0);
	return true;
}

/* The end of the last whole line; at the end of the stream all is whole. */
static size_t whole_lines_end(const struct text_stream *stream)
{
	const char *newline;

	if (stream->ended)
		return stream->end;
	newline = memrchr(stream->buffer + stream->start, '\n', stream->end - stream->start);
	return newline ? (size_t)(newline + 1 - stream->buffer) : stream->start;
}

/* A line that does not fit is given in pieces, up to its end. */
static bool give_long_line(struct text_stream *stream, struct text_piece *ret)
{
	const char *newline = memchr(stream->buffer + stream->start, '\n', stream->end - stream->start);

	stream->in_line = !newline;
	return give_text(stream, newline ? (size_t)(newline + 1 - stream->buffer) : stream->end, ret);
}

bool text_stream_next(struct text_stream *stream, struct text_piece *ret)
{
	size_t limit, at, line, end;
	const char *newline;

	if (stream->in_line)
		return give_long_line(stream, ret);
	limit = whole_lines_end(stream);
	if (limit == stream->start && stream->end - stream->start > STREAM_RECORD_MAX) {
		stream->in_line = true;
		return give_long_line(stream, ret);
	}
	at = stream->start +
	     find_trigger(stream->buffer + stream->start, stream->searched - stream->start, limit - stream->start);
	if (at == limit)
		return give_text(stream, limit, ret);

	newline = memrchr(stream->buffer + stream->start, '\n', at - stream->start);
	line = newline ? (size_t)(newline + 1 - stream->buffer) : stream->start;
	stream->searched = at;
	if (line > stream->start)
		return give_text(stream, line, ret);
	newline = memchr(stream->buffer + at, '\n', limit - at);
	end = newline ? (size_t)(newline - stream->buffer) : limit;
	if (end - line > STREAM_RECORD_MAX)
		return give_text(stream, newline ? end + 1 : end, ret);
	return give_line(stream, line, end, newline != NULL, ret);
}

/* Makes room behind the text: what was given is dropped, except its last bytes. */
static void compact(struct text_stream *stream)
{
	size_t gone = stream->start > BEFORE_MAX ? stream->start - BEFORE_MAX : 0;

	memmove(stream->buffer, stream->buffer + gone, stream->end - gone);
	stream->start -= gone;
	stream->searched -= gone;
	stream->end -= gone;
}

void text_stream_read(struct text_stream *stream)
{
	compact(stream);
	ssize_t done = patient_read(stream->fd, stream->buffer + stream->end, sizeof(stream->buffer) - stream->end);
	if (done < 0)
		stream->error = errno;
	if (done <= 0)
		stream->ended = true;
	else
		stream->end += (size_t)done;
}
