/* Text in, the same text out, with what the addresses in it mean. */
#ifndef LOCUS_SYMBOLIZER_H
#define LOCUS_SYMBOLIZER_H

#include "cmd/common/display.h"
#include "cmd/symbolize/symbol_sources.h"
#include "cmd/symbolize/text_stream.h"

struct symbolizer;

/*
 * What is given is borrowed until symbolizer_free. NULL: the library of forms could not be loaded, as was reported; out
 * of memory ends the program.
 */
struct symbolizer *symbolizer_new(struct out *out, struct symbol_sources *sources, const struct display *display);
void symbolizer_free(struct symbolizer *symbolizer);

/* Writes what becomes of a piece of the text: itself, unless it is a line in which a form is recognised. */
void symbolizer_put(struct symbolizer *symbolizer, const struct text_piece *piece);

/* The text has ended; another one may follow, which says everything anew. */
void symbolizer_end_text(struct symbolizer *symbolizer);

#endif
