/* Colour, short names and relative paths are decided here, for all commands alike. */
#include "cmd/show/display.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/show/demangle.h"
#include "cmd/show/short_name.h"

#define FUNCTION_COLOUR "\033[1m"
#define SOURCE_COLOUR   "\033[36m"
#define NO_COLOUR       "\033[0m"

bool display_wants_colour(int fd)
{
	const char *never = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	return isatty(fd) && !(never && never[0]) && terminal && strcmp(terminal, "dumb") != 0;
}

static void put_name(struct out *out, struct name name)
{
	if (name.is_plain)
		out_bytes(out, name.data, name.size);
	else
		out_escaped(out, name.data, name.size);
}

static void put_short_name(struct out *out, struct name name, uint32_t language)
{
	char text[DEMANGLED_SIZE_MAX];

	if (name.size > sizeof(text)) {
		put_name(out, name);
		return;
	}
	name.size = short_name(name.data, name.size, name_separator_of(language), text);
	name.data = text;
	put_name(out, name);
}

void display_function(const struct display *display, struct out *out, struct name name, uint32_t language)
{
	if (!name.size) {
		out_text(out, "(no name)");
		return;
	}
	if (display->colour)
		out_text(out, FUNCTION_COLOUR);
	if (display->short_names)
		put_short_name(out, name, language);
	else
		put_name(out, name);
	if (display->colour)
		out_text(out, NO_COLOUR);
}

void display_source(const struct display *display, struct path_labels *paths, const struct locus_frame *frame)
{
	struct out *out = paths->json.out;

	if (display->colour)
		out_text(out, SOURCE_COLOUR);
	path_labels_put(paths, frame);
	if (frame->line) {
		out_char(out, ':');
		out_u64(out, frame->line);
		if (frame->column) {
			out_char(out, ':');
			out_u64(out, frame->column);
		}
	}
	if (display->colour)
		out_text(out, NO_COLOUR);
}
