/* Names are escaped on the way, most of them a vector of plain bytes at a time. */
#include "cmd/common/out.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/common/patient_io.h"

void out_init(struct out *out, int fd)
{
	out->fd = fd;
	out->error = 0;
	out->is_held = out->is_full = false;
	out->used = 0;
	out->flushed = 0;
}

static void write_all(struct out *out, const char *data, size_t size)
{
	out->flushed += size;
	if (!out->error && !patient_write(out->fd, data, size))
		out->error = errno;
}

void out_flush(struct out *out)
{
	write_all(out, out->buffer, out->used);
	out->used = 0;
}

bool out_make_room(struct out *out, size_t size)
{
	if (size > sizeof(out->buffer) - out->used && !out->is_held)
		out_flush(out);
	return size <= sizeof(out->buffer) - out->used;
}

void out_hold(struct out *out)
{
	out_make_room(out, OUT_HELD_MAX);
	out->is_held = true;
	out->is_full = false;
}

void out_release(struct out *out)
{
	out->is_held = false;
}

void out_beyond(struct out *out, const void *data, size_t size)
{
	if (out->is_held) {
		out->is_full = true;
		out->flushed += size;
		return;
	}
	out_flush(out);
	if (size > sizeof(out->buffer))
		write_all(out, data, size);
	else
		out_bytes(out, data, size);
}

void out_hex_bytes(struct out *out, const void *data, size_t size)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < size; i++) {
		out_char(out, "0123456789abcdef"[bytes[i] >> 4]);
		out_char(out, "0123456789abcdef"[bytes[i] & 15]);
	}
}

void out_spaces(struct out *out, size_t count)
{
	static const char spaces[] = "                                ";
	enum { SPACES_SIZE = sizeof(spaces) - 1 };

	for (; count > SPACES_SIZE; count -= SPACES_SIZE)
		out_bytes(out, spaces, SPACES_SIZE);
	out_bytes(out, spaces, count);
}

void out_number(struct out *out, uint64_t value, unsigned base)
{
	char text[20];
	size_t at = sizeof(text);

	do
		text[--at] = "0123456789abcdef"[value % base];
	while (value /= base);
	out_bytes(out, text + at, sizeof(text) - at);
}

void out_format(struct out *out, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	out_text(out, text);
}

size_t utf8_length(const char *data, size_t size)
{
	const unsigned char *s = (const unsigned char *)data;
	size_t length;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (size < length)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	/* Overlong forms, surrogates, and code points above U+10FFFF. */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
	    (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return length;
}

bool changes_display(const char *data, size_t length)
{
	const unsigned char *s = (const unsigned char *)data;
	if (length == 1)
		return s[0] < 0x20 || s[0] == 0x7f;
	if (length == 2)
		return (s[0] == 0xc2 && s[1] < 0xa0) || (s[0] == 0xd8 && s[1] == 0x9c);
	if (length != 3 || s[0] != 0xe2)
		return false;
	return (s[1] == 0x80 && (s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xa8 && s[2] <= 0xae))) ||
	       (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9);
}

/* Writes the character at `data`, which is not plain, and returns its size. */
static size_t escape(struct out *out, const char *data, size_t size, bool quoted)
{
	size_t length = utf8_length(data, size);

	if (length && !changes_display(data, length)) {
		if (quoted && (data[0] == '"' || data[0] == '\\'))
			out_char(out, '\\');
		out_bytes(out, data, length);
		return length;
	}
	if (!length)
		length = 1;
	for (size_t i = 0; i < length; i++)
		out_format(out, "\\x%02x", (unsigned char)data[i]);
	return length;
}

static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

enum { VECTOR_SIZE = 16, WORD_SIZE = 8 };

/* Copies sixteen bytes and says whether all are plain. Long names spend most of their time here. */
static inline bool copy_vector(char *ret, const char *data)
{
	typedef uint8_t vector __attribute__((vector_size(VECTOR_SIZE)));
	typedef uint64_t words __attribute__((vector_size(VECTOR_SIZE)));
	vector v;

	memcpy(&v, data, sizeof(v));
	memcpy(ret, &v, sizeof(v));
	words special = (words)((v - 0x20 > 0x7e - 0x20) | (v == '"') | (v == '\\'));
	return !(special[0] | special[1]);
}

/* The same for the eight bytes of a word. */
static inline bool copy_word(char *ret, const char *data)
{
	typedef uint8_t vector __attribute__((vector_size(WORD_SIZE)));
	vector v;
	uint64_t word;

	memcpy(&v, data, sizeof(v));
	memcpy(ret, &v, sizeof(v));
	vector special = (vector)((v - 0x20 > 0x7e - 0x20) | (v == '"') | (v == '\\'));
	memcpy(&word, &special, sizeof(word));
	return !word;
}

size_t plain_copy(char *ret, const char *data, size_t size)
{
	size_t i = 0;

	while (size - i >= VECTOR_SIZE && copy_vector(ret + i, data + i))
		i += VECTOR_SIZE;
	/*
	 * The rest is shorter than a vector: copy the last vector of the text, which repeats some bytes. The same with
	 * two words.
	 */
	if (i && size - i < VECTOR_SIZE && copy_vector(ret + size - VECTOR_SIZE, data + size - VECTOR_SIZE))
		return size;
	if (size < VECTOR_SIZE && size >= WORD_SIZE && copy_word(ret, data) &&
	    copy_word(ret + size - WORD_SIZE, data + size - WORD_SIZE))
		return size;
	for (; i < size && is_plain(data[i]); i++)
		ret[i] = data[i];
	return i;
}

size_t out_plain(struct out *out, const char *data, size_t size)
{
	if (!out_make_room(out, size))
		size = sizeof(out->buffer) - out->used;
	size = plain_copy(out->buffer + out->used, data, size);
	out->used += size;
	return size;
}

void out_pieces(struct out *out, const char *data, size_t size, bool quoted)
{
	while (size) {
		size_t length = out_plain(out, data, size);
		if (!length)
			length = escape(out, data, size, quoted);
		data += length;
		size -= length;
	}
}

void out_quoted(struct out *out, const char *data, size_t size)
{
	out_char(out, '"');
	out_pieces(out, data, size, true);
	out_char(out, '"');
}
