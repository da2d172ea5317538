/* Writes the lines for a recognised frame, by the templates of its form. */
#ifndef LOCUS_FRAME_TEXT_H
#define LOCUS_FRAME_TEXT_H

#include "cmd/modules/symbol_file.h"
#include "cmd/show/display.h"
#include "cmd/symbolize/text_forms.h"

struct frame_templates;

/* The content of a line. */
struct frame_text {
	const struct form_match *match;
	struct symbol_file *symbols;
	const struct locus_frame *frame;
	uint64_t offset; /* offset in the function, for {into}; only if the frame is not inlined */
	uint64_t number; /* for {number} */
	bool is_first;   /* it is the first line for this frame */
};

/* Reads the templates of the table. Never NULL: the program ends if memory is out, or a template is wrong. */
struct frame_templates *frame_templates_new(const struct form *forms, size_t count, __typeof__(form_field_name) *name);
void frame_templates_free(struct frame_templates *templates);

/* Writes the lines that replace the match. `line_break` begins each further line. */
void frame_text_put(const struct frame_templates *templates, const struct display *display, struct out *out,
		    const struct frame_text *text, struct locus_string line_break);

/* Writes a number over the text's own and the spaces behind it, so that columns stay aligned. */
void put_frame_number(struct out *out, struct locus_string field, uint64_t number);

#endif
