/* Lines are found in a buffer that each read refills. */
#include "cmd/common/input_lines.h"

#include <errno.h>
#include <string.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/patient_io.h"
#include "cmd/common/report.h"

void input_lines_init(struct input_lines *lines, int fd, struct out *answers)
{
	lines->fd = fd;
	lines->answers = answers;
	lines->error = 0;
	lines->ended = false;
	lines->cut = false;
	lines->number = 0;
	lines->start = 0;
	lines->end = 0;
	lines->has_newline = false;
}

int input_lines_end(const struct input_lines *lines)
{
	if (!lines->error)
		return EXIT_OK;
	report("standard input", "%s", strerror(lines->error));
	return EXIT_FAILED;
}

/* Finds the end of the next line, which is not before `from`. */
static void find_newline(struct input_lines *lines, size_t from)
{
	const char *newline = memchr(lines->buffer + from, '\n', lines->end - from);

	lines->has_newline = newline;
	if (newline)
		lines->newline = (size_t)(newline - lines->buffer);
}

bool input_lines_must_read(const struct input_lines *lines)
{
	return !lines->ended && !lines->has_newline;
}

bool input_lines_ended(const struct input_lines *lines)
{
	return lines->ended && lines->start == lines->end;
}

/* Reads on, where the buffer has no whole line. */
static void fill(struct input_lines *lines)
{
	memmove(lines->buffer, lines->buffer + lines->start, lines->end - lines->start);
	lines->end -= lines->start;
	lines->start = 0;
	size_t before = lines->end;
	out_flush(lines->answers);
	ssize_t done = patient_read(lines->fd, lines->buffer + lines->end, sizeof(lines->buffer) - lines->end);
	if (done < 0)
		lines->error = errno;
	if (done <= 0)
		lines->ended = true;
	else
		lines->end += (size_t)done;
	find_newline(lines, before);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Skips the rest of a line that was too long. */
static void skip_rest(struct input_lines *lines)
{
	while (lines->cut) {
		bool is_end = lines->has_newline || lines->ended;
		lines->start = lines->has_newline ? lines->newline + 1 : lines->end;
		lines->cut = !is_end;
		if (is_end)
			find_newline(lines, lines->start);
		else
			fill(lines);
	}
}

bool input_lines_next(struct input_lines *lines, const char **ret, size_t *ret_size)
{
	const char *text;
	size_t size;

	skip_rest(lines);
	while (input_lines_must_read(lines) && lines->end - lines->start < sizeof(lines->buffer))
		fill(lines);
	if (lines->start == lines->end)
		return false;
	text = lines->buffer + lines->start;
	size = (lines->has_newline ? lines->newline : lines->end) - lines->start;
	lines->start += size + lines->has_newline;
	lines->cut = !lines->has_newline && !lines->ended;
	lines->number++;
	find_newline(lines, lines->start);
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
