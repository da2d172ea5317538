/* Adds the meaning of addresses to a text. */
#ifndef LOCUS_SYMBOLIZER_H
#define LOCUS_SYMBOLIZER_H

#include "cmd/modules/symbol_sources.h"
#include "cmd/show/display.h"
#include "cmd/symbolize/text_stream.h"

struct symbolizer;

/*
 * The output and the sources are borrowed until symbolizer_free. NULL: the library of forms could not be loaded, which
 * was reported. Ends the program if memory is out.
 */
struct symbolizer *symbolizer_new(struct out *out, struct symbol_sources *sources, const struct display *display);
void symbolizer_free(struct symbolizer *symbolizer);

/* Writes a piece of the text: as it is, unless it is a line in which a form is recognised. */
void symbolizer_put(struct symbolizer *symbolizer, const struct text_piece *piece);

/*
 * Ends a text, which messages call by `name`: what it said of mappings, build-ids and its stack says nothing of what
 * follows.
 */
void symbolizer_end_text(struct symbolizer *symbolizer, const char *name);

/*
 * Writes a whole text, which is read from `fd` and called by `name` in messages; what is written so far is flushed
 * before more of it is waited for. False, and it was reported: it cannot be read to its end.
 */
bool symbolizer_put_file(struct symbolizer *symbolizer, int fd, const char *name);

#endif
