/* What is too long for the terminal would go on in the line below, and only that one would be erased. */
#include "cmd/common/status_line.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ERASE "\r\033[K"

enum { TEXT_SIZE = 160 };

bool status_line_is_possible(void)
{
	const char *terminal = getenv("TERM");

	return terminal && strcmp(terminal, "dumb") != 0 && isatty(STDERR_FILENO);
}

/* The width may change at any time. In its last column some terminals begin the next line. */
static int room(void)
{
	struct winsize window;
	bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col;

	return is_known ? window.ws_col - 1 : TEXT_SIZE;
}

void status_line_draw(const char *format, ...)
{
	char text[TEXT_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	dprintf(STDERR_FILENO, ERASE "%.*s", room(), text);
}

void status_line_erase(void)
{
	dprintf(STDERR_FILENO, ERASE);
}
