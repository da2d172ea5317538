/*
 * LLVM's symbolizer markup (https://llvm.org/docs/SymbolizerMarkupFormat.html): elements like {{{bt:0:0x1149}}} in
 * text, which say of themselves what they mean. What becomes of them is what `llvm-symbolizer --filter-markup` makes of
 * them, but that an element which is not well-formed stays as it is.
 */
#ifndef LOCUS_MARKUP_H
#define LOCUS_MARKUP_H

#include "cmd/common/display.h"
#include "cmd/symbolize/symbol_sources.h"

struct markup;

/* What is given is borrowed until markup_free. Never NULL: out of memory ends the program. */
struct markup *markup_new(struct out *out, struct symbol_sources *sources, const struct display *display);
void markup_free(struct markup *markup);

/* Whether a line has an element, or might. */
bool markup_is_in(const char *line, size_t size);

/* Writes what becomes of a line that has an element. `line_end` is "\n" or "". */
void markup_line(struct markup *markup, const char *line, size_t size, const char *line_end);

/* Modules and their mappings share a line, which any other text ends: to be called before that is written, and last. */
void markup_end_modules(struct markup *markup);

#endif
