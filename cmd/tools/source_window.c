/* A file is read from its start, in pieces, as nothing tells where a line is. */
#include "cmd/tools/source_window.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/common/memory.h"
#include "cmd/modules/symbol_file.h"

/*
 * Opens a regular file. -1: that cannot be done. A symbol file may name anything: to open a device can do something,
 * and to read some files of /proc waits for more, unless O_NONBLOCK is set.
 */
static int open_source(const char *path)
{
	struct stat found;

	if (!is_regular_file(path))
		return -1;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Keeps what of the piece belongs to the window; `line` is the one in which the piece begins, and then ends. */
static void take_piece(struct source_window *window, const char *data, size_t size, uint64_t *line, size_t *room)
{
	while (size && *line <= window->last && window->size < SOURCE_TEXT_MAX) {
		const char *newline = memchr(data, '\n', size);
		size_t part = newline ? (size_t)(newline - data) + 1 : size;
		size_t free_size = SOURCE_TEXT_MAX - window->size;
		size_t kept = *line < window->first ? 0 : part < free_size ? part : free_size;
		memory_reserve(&window->text, room, window->size + kept, 1);
		if (kept)
			memcpy(window->text + window->size, data, kept);
		window->size += kept;
		*line += newline != NULL;
		data += part;
		size -= part;
	}
}

void source_window_read(struct source_window *window, const char *path, uint32_t line, uint32_t count)
{
	uint64_t first = line > count / 2 ? line - count / 2 : 1, current = 1;
	int fd = open_source(path);
	size_t total = 0, room = 0;
	char piece[1 << 16];
	ssize_t size;

	*window = (struct source_window){.first = first, .last = first + count - 1, .next = first};
	if (fd < 0)
		return;
	while (current <= window->last && window->size < SOURCE_TEXT_MAX && total < SOURCE_FILE_MAX &&
	       (size = read(fd, piece, sizeof(piece))) > 0) {
		take_piece(window, piece, (size_t)size, &current, &room);
		total += (size_t)size;
	}
	close(fd);
}

void source_window_done(struct source_window *window)
{
	free(window->text);
	window->text = NULL;
	window->at = window->size = 0;
}

bool source_window_next(struct source_window *window, struct locus_string *ret, uint64_t *ret_number)
{
	if (window->at == window->size)
		return false;
	const char *start = window->text + window->at;
	size_t rest = window->size - window->at;
	const char *newline = memchr(start, '\n', rest);
	size_t size = newline ? (size_t)(newline - start) : rest;
	window->at += size + (newline != NULL);
	*ret = (struct locus_string){start, size && start[size - 1] == '\r' ? size - 1 : size};
	*ret_number = window->next++;
	return true;
}

int source_window_width(const struct source_window *window)
{
	int width = 0;

	for (uint64_t rest = window->last - 1; rest; rest /= 10)
		width++;
	return width;
}
