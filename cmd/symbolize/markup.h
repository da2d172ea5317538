/*
 * LLVM's symbolizer markup (https://llvm.org/docs/SymbolizerMarkupFormat.html): text with elements like
 * {{{bt:0:0x1149}}}. They are replaced as `llvm-symbolizer --filter-markup` does, except that an element which is not
 * well-formed stays as it is, and that {{{pc:0x1149}}} in inlined code names the function that its line is of.
 */
#ifndef LOCUS_MARKUP_H
#define LOCUS_MARKUP_H

#include "cmd/common/output_bound.h"
#include "cmd/modules/symbol_sources.h"
#include "cmd/show/display.h"
#include "cmd/symbolize/text_stream.h"

struct markup;

/* The arguments are borrowed until markup_free. Never NULL: the program ends if memory is out. */
struct markup *markup_new(struct out *out, const struct output_bound *bound, struct symbol_sources *sources,
			  const struct display *display);
void markup_free(struct markup *markup);

/* Whether a line may have an element. */
bool markup_is_in(const char *line, size_t size);

/* Writes a line, which is a candidate, with its elements replaced. */
void markup_line(struct markup *markup, const struct text_piece *line);

/* Ends the line that modules and their mappings share: to be called before other text is written. */
void markup_end_modules(struct markup *markup);

/* Ends the text: what comes next is of another process, of which nothing is known. */
void markup_end_text(struct markup *markup);

#endif
