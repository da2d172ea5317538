/* How functions and places in the source are shown to people: in colour, names shortened, paths relative. */
#ifndef LOCUS_DISPLAY_H
#define LOCUS_DISPLAY_H

#include "cmd/show/function_labels.h"
#include "cmd/show/path_labels.h"

struct display {
	bool colour;
	bool short_names; /* see short_name.h */
};

/* Whether to use colour: on a terminal, unless NO_COLOR is set or TERM says that it has none. */
bool display_wants_colour(int fd);

/* Writes the name, escaped; "(no name)" if it is empty. */
void display_function(const struct display *display, struct out *out, struct name name, uint32_t language);

/* Writes PATH:LINE, or PATH if the line is unknown. The frame must have a file. */
void display_source(const struct display *display, struct path_labels *paths, const struct locus_frame *frame);

#endif
