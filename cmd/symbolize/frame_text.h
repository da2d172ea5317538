/* The lines that a recognised frame becomes, by the templates of its form. */
#ifndef LOCUS_FRAME_TEXT_H
#define LOCUS_FRAME_TEXT_H

#include "cmd/common/display.h"
#include "cmd/symbolize/symbol_file.h"
#include "cmd/symbolize/text_forms.h"

struct frame_templates;

/* What one line says. */
struct frame_text {
	const struct form_match *match;
	struct symbols *symbols;
	const struct locus_frame *frame;
	uint64_t offset; /* into the function, for {into}; only where the frame is not inlined */
	uint64_t number; /* for {number} */
	bool is_first;   /* of the lines that this frame becomes */
};

/* Reads the templates of the table. Never NULL: out of memory ends the program, and so does a template that is wrong.
 */
struct frame_templates *frame_templates_new(const struct form *forms, size_t count, __typeof__(form_field_name) *name);
void frame_templates_free(struct frame_templates *templates);

/* Writes what stands in the place of the match. `line_break` is what begins another line of the same frame. */
void frame_text_put(const struct frame_templates *templates, const struct display *display, struct out *out,
		    const struct frame_text *text, struct locus_string line_break);

/* A number takes the place of the text's own with the spaces behind it, so that columns stay. */
void put_frame_number(struct out *out, struct locus_string field, uint64_t number);

/* Reads the digits at the start of a text; false: there are none, or they are too many. */
bool parse_decimal(struct locus_string text, uint64_t *ret);

#endif
