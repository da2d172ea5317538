/* Templates are read into pieces once; frames are then written piece by piece. */
#include "cmd/symbolize/frame_text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/memory.h"

enum { PIECES_MAX = 24, CHOICES_MAX = 31 /* bits of unknown_choices, but for that of 0 */ };

enum piece_kind { PIECE_TEXT, PIECE_BREAK, PIECE_FIELD, PIECE_FUNCTION, PIECE_SOURCE, PIECE_INTO };

struct piece {
	enum piece_kind kind;
	struct locus_string text; /* PIECE_TEXT */
	enum form_field field;    /* PIECE_FIELD */
	unsigned choice;          /* number of the [a|b] that it is in; 0: none */
	bool is_other;            /* it is in the b of an [a|b]; says nothing where choice is 0 */
};

struct template
{
	struct piece pieces[PIECES_MAX];
	size_t count;
};

struct frame_templates {
	const struct form *forms;
	struct template *of_frames, *of_inlined; /* by form */
};

/* ---- Reading ---- */

static struct piece *add(struct template *template, enum piece_kind kind, unsigned choice, bool is_other)
{
	struct piece *piece = &template->pieces[template->count++];

	assert(template->count <= PIECES_MAX);
	*piece = (struct piece){.kind = kind, .choice = choice, .is_other = is_other};
	return piece;
}

static bool is_called(const char *name, size_t size, const char *text)
{
	return strlen(name) == size && memcmp(name, text, size) == 0;
}

static void read_name(struct piece *piece, const char *text, size_t size, __typeof__(form_field_name) *field_name)
{
	if (is_called("function", size, text)) {
		piece->kind = PIECE_FUNCTION;
	} else if (is_called("source", size, text)) {
		piece->kind = PIECE_SOURCE;
	} else if (is_called("into", size, text)) {
		piece->kind = PIECE_INTO;
	} else {
		while (piece->field < FIELD_COUNT && !is_called(field_name(piece->field), size, text))
			piece->field++;
		assert(piece->field < FIELD_COUNT);
	}
}

/* Cuts a template into pieces. Templates are part of this program, so a wrong one is a bug. */
static void read_template(const char *text, __typeof__(form_field_name) *field_name, struct template *ret)
{
	unsigned choices = 0, choice = 0;
	bool is_other = false;

	while (*text) {
		size_t size = strcspn(text, "[|]{\n");
		if (size) {
			add(ret, PIECE_TEXT, choice, is_other)->text = (struct locus_string){text, size};
			text += size;
		}

		/* The sign that ended the text says what comes next. */
		switch (*text) {
		case '[':
			choice = ++choices;
			is_other = false;
			break;
		case '|':
			is_other = true;
			break;
		case ']':
			choice = 0;
			break;
		case '\n':
			add(ret, PIECE_BREAK, choice, is_other);
			break;
		case '{':
			size = strcspn(text, "}");
			read_name(add(ret, PIECE_FIELD, choice, is_other), text + 1, size - 1, field_name);
			text += size;
			break;
		default:
			continue;
		}
		text++;
	}
	assert(choices <= CHOICES_MAX && choice == 0);
}

struct frame_templates *frame_templates_new(const struct form *forms, size_t count, __typeof__(form_field_name) *name)
{
	struct frame_templates *templates = memory_checked(calloc(1, sizeof(*templates)));

	templates->of_frames = memory_checked(calloc(count, sizeof(*templates->of_frames)));
	templates->of_inlined = memory_checked(calloc(count, sizeof(*templates->of_inlined)));
	templates->forms = forms;
	for (size_t i = 0; i < count; i++) {
		if (forms[i].kind != FORM_FRAME)
			continue;
		read_template(forms[i].frame, name, &templates->of_frames[i]);
		read_template(forms[i].inlined ? forms[i].inlined : forms[i].frame, name, &templates->of_inlined[i]);
	}
	return templates;
}

void frame_templates_free(struct frame_templates *templates)
{
	free(templates->of_frames);
	free(templates->of_inlined);
	free(templates);
}

/* ---- Writing ---- */

static bool is_known(const struct piece *piece, const struct frame_text *text)
{
	if (piece->kind == PIECE_SOURCE)
		return text->frame->file.size != 0;
	if (piece->kind != PIECE_FIELD)
		return true;
	return text->match->fields[piece->field].size != 0 && (piece->field != FIELD_FIRST || text->is_first);
}

/* A bit, by its number, of each [a|b] of which b is written: something in a is not known. */
static unsigned unknown_choices(const struct template *template, const struct frame_text *text)
{
	unsigned unknown = 0;

	for (size_t i = 0; i < template->count; i++) {
		const struct piece *piece = &template->pieces[i];
		if (piece->choice && !piece->is_other && !is_known(piece, text))
			unknown |= 1u << piece->choice;
	}
	return unknown;
}

void put_frame_number(struct out *out, struct locus_string field, uint64_t number)
{
	bool has_space = field.size && field.data[field.size - 1] == ' ';
	size_t digits = 1;

	for (uint64_t rest = number; rest >= 10; rest /= 10)
		digits++;
	out_u64(out, number);
	if (has_space)
		out_spaces(out, digits < field.size ? field.size - digits : 1);
}

/* Writes one piece of a template for a frame. */
static void put_piece(const struct piece *piece, const struct display *display, struct out *out,
		      const struct frame_text *text, struct locus_string line_break)
{
	const struct locus_frame *frame = text->frame;
	struct locus_string field;

	switch (piece->kind) {
	case PIECE_TEXT:
		out_bytes(out, piece->text.data, piece->text.size);
		break;
	case PIECE_BREAK:
		out_bytes(out, line_break.data, line_break.size);
		break;
	case PIECE_FIELD:
		field = text->match->fields[piece->field];
		if (piece->field == FIELD_NUMBER)
			put_frame_number(out, field, text->number);
		else if (field.size)
			out_bytes(out, field.data, field.size);
		break;
	case PIECE_FUNCTION:
		display_function(display, out,
				 function_labels_get(text->symbols->names, frame->function_id, frame->function,
						     frame->linkage, frame->language),
				 frame->language);
		break;
	case PIECE_SOURCE:
		display_source(display, &text->symbols->paths, frame);
		break;
	case PIECE_INTO:
		if (!frame->inlined && text->offset) {
			out_char(out, '+');
			out_hex(out, text->offset);
		}
		break;
	}
}

void frame_text_put(const struct frame_templates *templates, const struct display *display, struct out *out,
		    const struct frame_text *text, struct locus_string line_break)
{
	size_t index = (size_t)(text->match->form - templates->forms);
	const struct template *template =
		text->frame->inlined ? &templates->of_inlined[index] : &templates->of_frames[index];
	const unsigned unknown = unknown_choices(template, text);

	for (size_t i = 0; i < template->count; i++) {
		const struct piece *piece = &template->pieces[i];
		if (piece->choice == 0 || (unknown >> piece->choice & 1) == piece->is_other)
			put_piece(piece, display, out, text, line_break);
	}
}
