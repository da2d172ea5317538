/* Lines are found in a buffer that each read refills. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/input_lines.h"
#include "cmd/common/report.h"

void input_lines_init(struct input_lines *lines, int fd)
{
	lines->fd = fd;
	lines->error = 0;
	lines->ended = false;
	lines->cut = false;
	lines->number = 0;
	lines->start = 0;
	lines->end = 0;
}

int input_lines_end(const struct input_lines *lines)
{
	if (!lines->error)
		return EXIT_OK;
	report("standard input", "%s", strerror(lines->error));
	return EXIT_FAILED;
}

bool input_lines_must_read(const struct input_lines *lines)
{
	return !lines->ended && !memchr(lines->buffer + lines->start, '\n', lines->end - lines->start);
}

bool input_lines_ended(const struct input_lines *lines)
{
	return lines->ended && lines->start == lines->end;
}

static void fill(struct input_lines *lines)
{
	ssize_t done;

	memmove(lines->buffer, lines->buffer + lines->start, lines->end - lines->start);
	lines->end -= lines->start;
	lines->start = 0;
	do
		done = read(lines->fd, lines->buffer + lines->end, sizeof(lines->buffer) - lines->end);
	while (done < 0 && errno == EINTR);
	if (done < 0)
		lines->error = errno;
	if (done <= 0)
		lines->ended = true;
	else
		lines->end += (size_t)done;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Skips the rest of a line that was too long. */
static void skip_rest(struct input_lines *lines)
{
	while (lines->cut) {
		const char *newline = memchr(lines->buffer + lines->start, '\n', lines->end - lines->start);
		lines->start = newline ? (size_t)(newline + 1 - lines->buffer) : lines->end;
		if (newline || lines->ended)
			lines->cut = false;
		else
			fill(lines);
	}
}

bool input_lines_next(struct input_lines *lines, const char **ret, size_t *ret_size)
{
	const char *text, *newline;
	size_t size;

	skip_rest(lines);
	while (input_lines_must_read(lines) && lines->end - lines->start < sizeof(lines->buffer))
		fill(lines);
	text = lines->buffer + lines->start;
	size = lines->end - lines->start;
	if (size == 0)
		return false;
	newline = memchr(text, '\n', size);
	if (newline)
		size = (size_t)(newline - text);
	lines->start += size + (newline ? 1 : 0);
	lines->cut = !newline && !lines->ended;
	lines->number++;
	while (size && is_blank(text[0])) {
		text++;
		size--;
	}
	while (size && is_blank(text[size - 1]))
		size--;
	*ret = text;
	*ret_size = size;
	return true;
}
