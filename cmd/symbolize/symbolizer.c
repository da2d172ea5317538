/* Recognises the lines of stacks, and writes what is at their frames. */
#include "cmd/symbolize/symbolizer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/memory.h"
#include "cmd/common/report.h"
#include "cmd/common/string_compare.h"
#include "cmd/symbolize/field_number.h"
#include "cmd/symbolize/forms_library.h"
#include "cmd/symbolize/frame_answer.h"
#include "cmd/symbolize/frame_text.h"
#include "cmd/symbolize/json_line.h"
#include "cmd/symbolize/markup.h"
#include "cmd/symbolize/plain_line.h"
#include "cmd/symbolize/string_lines.h"

/*
 * Lines for functions that were inlined into one frame, which the text itself has and which are kept back: what the
 * symbols say of the frame has them, too, with their places, and takes their place.
 */
struct held {
	bool is_first; /* their frame is the first of its stack */
	bool is_said;  /* what the symbols say of the frame was written before them */
	uint64_t address;
	size_t size; /* 0: none */
	char lines[1 << 16];
};

/* Whether a text has addresses of processes and lacks the mappings that would tell their modules. */
struct process_addresses {
	bool has_mappings;          /* the text had some so far, or they were looked for and found behind */
	bool has_looked;            /* mappings behind what was read so far were looked for */
	bool has_looked_for_folder; /* the same, for the folder of a module */
	bool has_others;            /* it has frames that needed none, or have an answer */
	uint64_t count;             /* number of addresses of a process before any mapping, without an answer */
	uint64_t first;             /* of these */
	uint64_t lost;              /* number of addresses without an answer whose mappings were too many to keep */
	uint64_t first_lost;
	char without_folder[128]; /* before any mapping, the first module that is named so and has no symbols */
	size_t without_folder_size;
};

struct symbolizer {
	struct out *out;
	struct output_bound bound;
	struct code_map map;
	struct display display; /* in a line of JSON without colours */
	const struct forms_library *library;
	struct forms *forms;
	struct frame_templates *templates;
	struct markup *markup;
	struct frame_answers answers;
	struct process_addresses addresses;
	const struct text_stream *stream; /* the text is read from it; NULL: from none */
	uint64_t added; /* number of lines, and of frame numbers, added to this stack for inlined functions */
	uint64_t next;  /* the number of its next frame in the text, where frames have one */
	struct held held;
	bool has_answer; /* the last frame got lines from the symbols, and none were kept back before it */
	uint64_t answer; /* the address of that frame */
	struct plain_line plain;
	const struct text_piece *coloured; /* the line that `plain` was made of; NULL: it is not in use */
	char unescaped[sizeof(((struct out *)NULL)->buffer)]; /* a part of JSON's strings, while it is escaped */
	bool is_in_stack;  /* the last line of a known form was one of a stack, and no empty line came since */
	bool is_behind_it; /* it was the line before */
};

enum { LINE_BREAK_MAX = 256 };

/* Bytes behind an address in which mappings are looked for: more than a report of one crash has. */
enum { LOOKED_AHEAD_MAX = 1 << 22 };

struct symbolizer *symbolizer_new(struct out *out, struct symbol_sources *sources, const struct display *display)
{
	const struct forms_library *library = forms_library_load();
	const struct form *table;
	size_t count;

	if (!library)
		return NULL;
	struct symbolizer *symbolizer = memory_checked(calloc(1, sizeof(*symbolizer)));
	symbolizer->forms = memory_checked(library->new ());
	table = library->table(&count);
	symbolizer->out = out;
	symbolizer->map.sources = sources;
	symbolizer->display = *display;
	symbolizer->library = library;
	symbolizer->templates = frame_templates_new(table, count, library->field_name);
	symbolizer->map.spaces = address_spaces_new();
	symbolizer->bound.out = out;
	symbolizer->answers = (struct frame_answers){
		.map = &symbolizer->map, .bound = &symbolizer->bound, .signal_returns = signal_returns_new()};
	symbolizer->markup = markup_new(out, &symbolizer->bound, sources, &symbolizer->display);
	return symbolizer;
}

void symbolizer_free(struct symbolizer *symbolizer)
{
	signal_returns_free(symbolizer->answers.signal_returns);
	markup_free(symbolizer->markup);
	address_spaces_free(symbolizer->map.spaces);
	frame_templates_free(symbolizer->templates);
	symbolizer->library->free(symbolizer->forms);
	free(symbolizer);
}

/* ---- Lines ---- */

/* The line as it stands in the text. */
static const struct text_piece *original(const struct symbolizer *symbolizer, const struct text_piece *piece)
{
	return symbolizer->coloured ? symbolizer->coloured : piece;
}

static void put_as_it_is(struct symbolizer *symbolizer, const struct text_piece *piece)
{
	piece = original(symbolizer, piece);
	out_bytes(symbolizer->out, piece->data, piece->size);
	if (piece->is_candidate)
		out_text(symbolizer->out, piece->line_end);
}

/* The text before a frame, repeated on added lines; or blanks, if it would show another event. */
static void put_head(struct symbolizer *symbolizer, const struct text_piece *piece, const struct form_match *match)
{
	for (size_t i = 0; i < match->start; i++) {
		bool is_blank = piece->data[i] == '\t' || !match->form->is_head_once;
		out_char(symbolizer->out, is_blank ? piece->data[i] : ' ');
	}
}

/* The text between two lines for one frame. */
static struct locus_string find_line_break(const struct text_piece *piece, const struct form_match *match,
					   char buffer[LINE_BREAK_MAX])
{
	size_t size = strlen(piece->line_break);
	size_t head = match->start < LINE_BREAK_MAX - size && !match->form->is_head_once ? match->start : 0;

	memcpy(buffer, piece->line_break, size);
	memcpy(buffer + size, piece->data, head);
	return (struct locus_string){buffer, size + head};
}

/* Writes the lines for a frame. */
static void put_frames(struct symbolizer *symbolizer, const struct text_piece *piece, const struct form_match *match,
		       const struct frame_answer *found)
{
	struct out *out = symbolizer->out;
	struct frame_text text = {.match = match, .symbols = found->symbols};
	char buffer[LINE_BREAK_MAX];
	struct locus_string line_break = find_line_break(piece, match, buffer);

	for (size_t i = 0; i < found->result.frame_count; i++)
		function_labels_prefetch(found->symbols->names, found->result.frames[i].function_id);
	parse_decimal(match->fields[FIELD_NUMBER], &text.number);
	text.number += symbolizer->added;
	for (size_t i = 0; i < found->result.frame_count; i++) {
		text.frame = &found->result.frames[i];
		text.offset = text.frame->offset + found->behind;
		text.is_first = i == 0;
		if (i == 0) {
			out_bytes(out, piece->data, match->start);
		} else {
			out_text(out, piece->line_break);
			put_head(symbolizer, piece, match);
			text.number += match->form->is_renumbered ? 1 : 0;
		}
		frame_text_put(symbolizer->templates, &symbolizer->display, out, &text, line_break);
		out_bytes(out, piece->data + match->end, piece->size - match->end);
	}
	out_text(out, piece->line_end);
	symbolizer->added += match->form->is_renumbered ? found->result.frame_count - 1 : 0;
}

/* Writes the answer behind the match, on the same line. */
static void put_joined(struct symbolizer *symbolizer, const struct form_match *match, const struct frame_answer *found)
{
	struct frame_text text = {.match = match, .symbols = found->symbols};

	for (size_t i = 0; i < found->result.frame_count; i++) {
		text.frame = &found->result.frames[i];
		out_text(symbolizer->out, i == 0 ? " (" : ", inlined into ");
		frame_text_put(symbolizer->templates, &symbolizer->display, symbolizer->out, &text,
			       (struct locus_string){NULL, 0});
	}
	out_char(symbolizer->out, ')');
}

/* Writes a frame unchanged, except for its number if earlier frames have become several. */
static void put_renumbered(struct symbolizer *symbolizer, const struct text_piece *piece,
			   const struct form_match *match)
{
	struct locus_string field = match->fields[FIELD_NUMBER];
	uint64_t number;

	if (!match->form->is_renumbered || !symbolizer->added || !parse_decimal(field, &number)) {
		put_as_it_is(symbolizer, piece);
		return;
	}
	out_bytes(symbolizer->out, piece->data, (size_t)(field.data - piece->data));
	put_frame_number(symbolizer->out, field, number + symbolizer->added);
	out_bytes(symbolizer->out, field.data + field.size,
		  (size_t)(piece->data + piece->size - field.data) - field.size);
	out_text(symbolizer->out, piece->line_end);
}

/* Whether a line is one before a stack of this form. The process is that which it names, or else stays as it is. */
static bool read_header(struct symbolizer *symbolizer, const struct form *form, const char *line, size_t size,
			uint64_t *ret_process)
{
	struct locus_string process;

	if (!form->header || !line)
		return false;
	for (size_t colour; (colour = colour_size(line, size)) != 0; size -= colour)
		line += colour;
	if (!symbolizer->library->header(symbolizer->forms, form, line, size, &process))
		return false;
	return !process.size || parse_decimal(process, ret_process);
}

/* Whether a frame stands in the line of its event, or is the only one of that. */
static bool is_first_of_event(const struct text_piece *piece, const struct form_match *match)
{
	size_t at = 0;

	if (match->fields[FIELD_ALONE].size)
		return true;
	while (at < match->start && (piece->data[at] == ' ' || piece->data[at] == '\t'))
		at++;
	return match->form->is_head_once && at < match->start;
}

/*
 * Finds whether a new stack begins. It does behind the header of the form, be that the line before or the start of the
 * frame's own; but for forms that need one, also where frames are numbered from 0 again, or those without numbers stand
 * behind an empty line or an event. Other text may be in the midst of a stack: sources, and what another thread writes.
 */
static void find_stack(struct symbolizer *symbolizer, const struct text_piece *piece, const struct form_match *match)
{
	struct stack *stack = &symbolizer->answers.stack;
	const struct form *form = match->form;
	uint64_t number, process = 0;
	bool is_numbered = parse_decimal(match->fields[FIELD_NUMBER], &number);
	bool goes_on = form->is_headed || (is_numbered ? number != 0 : symbolizer->is_in_stack);

	stack->is_behind_header = read_header(symbolizer, form, piece->data, match->start, &process) ||
				  (!symbolizer->is_behind_it &&
				   read_header(symbolizer, form, piece->before, piece->before_size, &process));
	stack->is_first = stack->is_behind_header || !goes_on || is_first_of_event(piece, match);
	/* A number that does not follow is of other text, or of a frame that a debugger was asked for. */
	if (is_numbered && number != symbolizer->next)
		symbolizer->added = 0;
	if (is_numbered)
		symbolizer->next = number + 1;
	if (!stack->is_first)
		return;
	*stack = (struct stack){.is_first = true, .is_behind_header = stack->is_behind_header};
	symbolizer->map.process = process;
	symbolizer->added = 0;
}

/* Writes the lines that were kept back, unless what they say was written before. */
static void put_held(struct symbolizer *symbolizer)
{
	if (!symbolizer->held.is_said)
		out_bytes(symbolizer->out, symbolizer->held.lines, symbolizer->held.size);
	symbolizer->held.size = 0;
}

/* Whether a line is about the same frame as those kept back. */
static bool is_of_held(const struct held *held, const struct form_match *match)
{
	uint64_t address;

	return (match->form->kind == FORM_FRAME || match->form->kind == FORM_INLINED) &&
	       parse_hex(match->fields[FIELD_ADDRESS], &address) && address == held->address;
}

static void hold(struct symbolizer *symbolizer, const struct text_piece *piece, const struct form_match *match)
{
	struct held *held = &symbolizer->held;

	if (!held->size) {
		find_stack(symbolizer, piece, match);
		held->is_first = symbolizer->answers.stack.is_first;
		parse_hex(match->fields[FIELD_ADDRESS], &held->address);
		held->is_said =
			symbolizer->is_behind_it && symbolizer->has_answer && symbolizer->answer == held->address;
	}
	piece = original(symbolizer, piece);
	size_t end_size = strlen(piece->line_end);
	if (piece->size + end_size > sizeof(held->lines) - held->size)
		put_held(symbolizer);
	memcpy(held->lines + held->size, piece->data, piece->size);
	memcpy(held->lines + held->size + piece->size, piece->line_end, end_size);
	held->size += piece->size + end_size;
}

/*
 * Whether a frame's module is named without its folder, and its place counts from where that is loaded, as in Java's
 * reports of crashes: mappings tell its path.
 */
static bool lacks_folder(const struct form_match *match)
{
	struct locus_string module = match->fields[FIELD_MODULE];

	return match->form->address == ADDRESS_FROM_LOWEST && module.size && !memchr(module.data, '/', module.size);
}

/* Notes the first module whose symbols may be missing because its folder is told only behind its frames. */
static void note_without_folder(struct symbolizer *symbolizer, const struct form_match *match)
{
	struct process_addresses *addresses = &symbolizer->addresses;
	struct locus_string module = match->fields[FIELD_MODULE];
	struct place place;

	if (addresses->has_mappings || addresses->without_folder_size || !lacks_folder(match) ||
	    module.size > sizeof(addresses->without_folder))
		return;
	code_map_locate(&symbolizer->map, match, &place);
	if (place.symbols)
		return;
	memcpy(addresses->without_folder, module.data, module.size);
	addresses->without_folder_size = module.size;
}

/*
 * Notes what became of a frame. That there are no symbols for its module is said already, and mappings would not change
 * that. Nor would they for an address below all programs, at which stacks often end: 0.
 */
static void note_address(struct symbolizer *symbolizer, const struct form_match *match, bool is_found)
{
	struct process_addresses *addresses = &symbolizer->addresses;
	uint64_t address;
	struct place place;

	if (!is_found && code_map_has_lost(&symbolizer->map, match, &address) && addresses->lost++ == 0)
		addresses->first_lost = address;
	addresses->has_others |= is_found || match->form->address != ADDRESS_RUNTIME;
	if (addresses->has_others || addresses->has_mappings || match->form->has_place ||
	    !parse_hex(match->fields[FIELD_ADDRESS], &address) || address < FIXED_PROGRAM)
		return;
	code_map_locate(&symbolizer->map, match, &place);
	if (match->fields[FIELD_MODULE].size && !place.symbols)
		return;
	if (addresses->count++ == 0)
		addresses->first = address;
}

static bool find_answer(struct symbolizer *symbolizer, const struct form_match *match, struct frame_answer *ret)
{
	bool is_found = frame_answers_find(&symbolizer->answers, match, ret);

	note_address(symbolizer, match, is_found);
	if (!is_found)
		note_without_folder(symbolizer, match);
	return is_found;
}

static void put_frame(struct symbolizer *symbolizer, const struct text_piece *piece, const struct form_match *match)
{
	struct held *held = &symbolizer->held;
	struct frame_answer found;

	/* perf gives the innermost function as the frame itself where GNU addr2line tells it the wrong name of that. */
	if (held->size && held->is_said) {
		put_held(symbolizer);
		return;
	}
	find_stack(symbolizer, piece, match);
	if (held->size)
		symbolizer->answers.stack.is_first = held->is_first;
	bool is_found = find_answer(symbolizer, match, &found);
	bool has_lines = is_found && frame_answer_has_lines(&found.result);
	symbolizer->has_answer =
		has_lines && !held->size && parse_hex(match->fields[FIELD_ADDRESS], &symbolizer->answer);
	if (has_lines)
		held->size = 0;
	put_held(symbolizer);
	if (is_found)
		put_frames(symbolizer, piece, match, &found);
	else
		put_renumbered(symbolizer, piece, match);
}

/* Whether a line that looks like one of a stack is not behind the header that makes it one. */
static bool lacks_header(struct symbolizer *symbolizer, const struct text_piece *piece, const struct form *form)
{
	uint64_t process;

	return form->is_joined && form->is_headed &&
	       !read_header(symbolizer, form, piece->before, piece->before_size, &process);
}

/* Handles the match of a form within other text, and then the rest of the line. */
static void put_joined_line(struct symbolizer *symbolizer, const struct text_piece *piece, struct form_match *match)
{
	size_t at = 0;

	do {
		struct frame_answer found;
		out_bytes(symbolizer->out, piece->data + at, match->end - at);
		if (match->form->calls == CALLS_BEHIND_FIRST)
			find_stack(symbolizer, piece, match);
		if (!lacks_header(symbolizer, piece, match->form) && find_answer(symbolizer, match, &found))
			put_joined(symbolizer, match, &found);
		at = match->end;
	} while (symbolizer->library->match_joined(symbolizer->forms, piece->data, piece->size, at, match));
	out_bytes(symbolizer->out, piece->data + at, piece->size - at);
	out_text(symbolizer->out, piece->line_end);
}

static bool is_of_stack(const struct form *form)
{
	return form->kind == FORM_FRAME || form->kind == FORM_COMPLETE || form->kind == FORM_INLINED ||
	       form->kind == FORM_SIGNAL;
}

/*
 * Finds the form of a line, which may be in colour. Then it is that of the plain line, to which *piece is set, but for
 * forms within other text: that keeps its colours.
 */
static bool match_line(struct symbolizer *symbolizer, const struct text_piece **piece, struct form_match *ret)
{
	const struct text_piece *plain = &symbolizer->plain.piece;

	if (memchr((*piece)->data, '\033', (*piece)->size)) {
		plain_line_make(&symbolizer->plain, *piece);
		if (symbolizer->library->match(symbolizer->forms, plain->data, plain->size, ret) &&
		    !ret->form->is_joined) {
			symbolizer->coloured = *piece;
			*piece = plain;
			return true;
		}
	}
	return symbolizer->library->match(symbolizer->forms, (*piece)->data, (*piece)->size, ret);
}

/* ---- Mappings behind a stack ---- */

/*
 * Takes the mappings that come next in the text, up to another stack. Those of perf tell of their process, and since
 * when it has had them, so that they say nothing of what was before.
 */
static void take_mappings_ahead(struct symbolizer *symbolizer, struct text_stream *ahead)
{
	struct process_addresses *addresses = &symbolizer->addresses;
	size_t looked_at = 0;
	struct text_piece piece;
	struct form_match match;

	while (looked_at < LOOKED_AHEAD_MAX) {
		if (!text_stream_next(ahead, &piece)) {
			if (ahead->ended)
				return;
			text_stream_read(ahead);
			continue;
		}
		looked_at += piece.size;
		if (!piece.is_candidate || piece.size > STREAM_LINE_MAX ||
		    !symbolizer->library->match(symbolizer->forms, piece.data, piece.size, &match))
			continue;
		if (addresses->has_mappings && match.form->kind == FORM_FRAME)
			return;
		if (match.form->kind != FORM_MAPPING || match.fields[FIELD_PROCESS].size)
			continue;
		addresses->has_mappings = true;
		code_map_take(&symbolizer->map, &match);
	}
}

/*
 * Looks for mappings behind the first address of a process that has none before it, as in Ruby's reports of crashes:
 * once in a text, and once for the first module that lacks its folder; and only if it is a file, which can be read
 * again. Returns whether it did.
 */
static bool look_ahead(struct symbolizer *symbolizer, const struct form_match *match)
{
	static struct text_stream ahead;
	struct process_addresses *addresses = &symbolizer->addresses;
	bool is_runtime = match->form->address == ADDRESS_RUNTIME, *has_looked;
	off_t offset;

	has_looked = is_runtime ? &addresses->has_looked : &addresses->has_looked_for_folder;
	if (addresses->has_mappings || *has_looked || match->form->kind != FORM_FRAME ||
	    !(is_runtime || lacks_folder(match)) || !symbolizer->stream || !symbolizer->stream->is_file)
		return false;
	*has_looked = true;
	if ((offset = lseek(symbolizer->stream->fd, 0, SEEK_CUR)) < 0)
		return false;
	ahead = *symbolizer->stream;
	take_mappings_ahead(symbolizer, &ahead);
	lseek(symbolizer->stream->fd, offset, SEEK_SET);
	return true;
}

static void put_candidate(struct symbolizer *symbolizer, const struct text_piece *piece)
{
	const struct text_piece *line = piece;
	struct form_match match;
	bool is_any = match_line(symbolizer, &piece, &match);

	/* Which forms were found in a line is known of the last one alone. */
	if (is_any && look_ahead(symbolizer, &match)) {
		piece = line;
		is_any = match_line(symbolizer, &piece, &match);
	}
	is_any = is_any && !lacks_header(symbolizer, piece, match.form);

	/* Without the frame itself, the lines kept back stand for it. */
	if (symbolizer->held.size && !(is_any && is_of_held(&symbolizer->held, &match))) {
		put_held(symbolizer);
		symbolizer->answers.stack.was_signal = symbolizer->answers.stack.was_kernel = false;
	}
	if (!is_any) {
		/* It may be a program's frame, of a module that has brackets in its name. */
		symbolizer->answers.stack.was_kernel = false;
		put_as_it_is(symbolizer, piece);
	} else if (match.form->is_joined) {
		put_joined_line(symbolizer, piece, &match);
	} else if (match.form->kind == FORM_FRAME) {
		put_frame(symbolizer, piece, &match);
	} else if (match.form->kind == FORM_INLINED) {
		hold(symbolizer, piece, &match);
	} else if (match.form->kind == FORM_COMPLETE || match.form->kind == FORM_SIGNAL) {
		find_stack(symbolizer, piece, &match);
		frame_answers_pass(&symbolizer->answers, &match);
		put_renumbered(symbolizer, piece, &match);
	} else {
		symbolizer->addresses.has_mappings |= match.form->kind == FORM_MAPPING;
		code_map_take(&symbolizer->map, &match);
		put_as_it_is(symbolizer, piece);
	}
	symbolizer->coloured = NULL;
	symbolizer->has_answer = symbolizer->has_answer && is_any && match.form->kind == FORM_FRAME;
	symbolizer->is_behind_it = is_any && is_of_stack(match.form);
	if (is_any)
		symbolizer->is_in_stack = symbolizer->is_behind_it;
}

/* Whether text that begins with a line has one that is empty. */
static bool has_empty_line(const char *text, size_t size)
{
	static const char *const within[] = {"\n\n", "\n\r\n"};

	for (size_t i = 0; i < sizeof(within) / sizeof(within[0]); i++) {
		size_t empty = strlen(within[i]) - 1;
		if ((size >= empty && memcmp(text, within[i] + 1, empty) == 0) ||
		    memmem(text, size, within[i], empty + 1))
			return true;
	}
	return false;
}

/* Writes what was kept back, to be called before text that is not of the line that comes next. */
static void put_kept_back(struct symbolizer *symbolizer)
{
	put_held(symbolizer);
	markup_end_modules(symbolizer->markup);
}

/* ---- Lines of JSON ---- */

static void put_piece(struct symbolizer *symbolizer, const struct text_piece *piece);

/* Writes what was written behind `start` as part of a string. */
static void escape_from(struct symbolizer *symbolizer, size_t start)
{
	struct out *out = symbolizer->out;
	size_t size = out->used - start;

	memcpy(symbolizer->unescaped, out->buffer + start, size);
	out->used = start;
	json_put_escaped(out, symbolizer->unescaped, size);
}

/*
 * Writes a line of a string, or keeps it back: as it stands there, if nothing is added to it, or too much would be to
 * it and the lines that were kept back. What is added stays in the buffer for this, up to the line's end in the
 * outermost string.
 */
static void put_line_of_string(struct symbolizer *symbolizer, struct string_lines *lines)
{
	struct out *out = symbolizer->out;
	bool is_outermost = !out->is_held;
	size_t text_size = lines->size - lines->end_size;
	struct text_piece piece = {.data = lines->line,
				   .size = text_size ? text_size : lines->size,
				   .is_candidate = text_size != 0,
				   .line_end = lines->end_size ? lines->line_break : "",
				   .line_break = lines->line_break,
				   .before = lines->has_before ? lines->before : NULL,
				   .before_size = lines->has_before ? lines->before_size : 0};

	if (is_outermost)
		out_hold(out);
	size_t start = out->used;
	if (lines->is_text)
		put_piece(symbolizer, &piece);
	if (!lines->is_text || !lines->rest.size)
		put_kept_back(symbolizer);
	if (is_outermost)
		out_release(out);

	bool is_too_long = is_outermost && (out->is_full || out->used - start > OUT_HELD_MAX);
	bool is_same = out->used - start == lines->size && memcmp(out->buffer + start, lines->line, lines->size) == 0;
	bool is_kept = out->used == start && lines->is_text && lines->rest.size;
	if (is_same || is_too_long)
		out->used = start;
	else
		escape_from(symbolizer, start);
	if (is_too_long)
		out_bytes(out, lines->kept.data, lines->kept.size);
	if (is_same || is_too_long || !lines->is_text)
		out_bytes(out, lines->raw.data, lines->raw.size);
	lines->kept.data = lines->kept.size ? lines->kept.data : lines->raw.data;
	lines->kept.size = is_kept ? lines->kept.size + lines->raw.size : 0;
}

/* Writes a string, all of which is read as a text. */
static void put_string(struct symbolizer *symbolizer, struct string_lines *lines, struct locus_string text)
{
	lines->rest = text;
	lines->kept = (struct locus_string){text.data, 0};
	lines->line_break = "\n";
	while (string_lines_next(lines)) {
		put_line_of_string(symbolizer, lines);
		string_lines_keep(lines);
	}
}

/* Writes a line that has JSON from `at` on: its strings are texts, which may have JSON in them in turn. */
static void put_json(struct symbolizer *symbolizer, const struct text_piece *piece, size_t at)
{
	const struct display display = symbolizer->display;
	struct json_string string = {0}, last;
	struct string_lines lines;
	size_t before_at = string_lines_start_before(piece), done = 0;

	symbolizer->display.colour = false;
	while (last = string, json_line_next(piece->data, piece->size, &at, &string)) {
		if (!text_has_trigger(string.text.data, string.text.size))
			continue;
		size_t start = (size_t)(string.text.data - piece->data);
		out_bytes(symbolizer->out, piece->data + done, start - done);
		done = start + string.text.size;
		lines.has_before = false;
		if (last.key.size && last.key.data == string.key.data)
			string_lines_take_before(&lines, last.text);
		else
			string_lines_find_before(&lines, piece, &before_at, string.key);
		put_string(symbolizer, &lines, string.text);
	}
	out_bytes(symbolizer->out, piece->data + done, piece->size - done);
	out_text(symbolizer->out, piece->line_end);
	symbolizer->display = display;
}

/* ---- Text ---- */

static void put_text(struct symbolizer *symbolizer, const struct text_piece *piece)
{
	symbolizer->is_behind_it = false;
	if (symbolizer->is_in_stack && has_empty_line(piece->data, piece->size))
		symbolizer->is_in_stack = false;
	put_as_it_is(symbolizer, piece);
}

static void put_piece(struct symbolizer *symbolizer, const struct text_piece *piece)
{
	bool is_line = piece->is_candidate && piece->size <= STREAM_LINE_MAX;
	bool is_markup = is_line && markup_is_in(piece->data, piece->size);
	size_t json;

	if (piece->is_candidate && json_line_find(piece->data, piece->size, &json)) {
		put_kept_back(symbolizer);
		put_json(symbolizer, piece, json);
		return;
	}
	if (!is_markup)
		markup_end_modules(symbolizer->markup);
	if (is_line && !is_markup) {
		put_candidate(symbolizer, piece);
		return;
	}
	put_held(symbolizer);
	if (is_markup)
		markup_line(symbolizer->markup, piece);
	else
		put_text(symbolizer, piece);
}

void symbolizer_put(struct symbolizer *symbolizer, const struct text_piece *piece)
{
	symbolizer->bound.read += piece->size;
	put_piece(symbolizer, piece);
}

/* Where mappings are, and what helps. What comes over a pipe was not looked at before it came. */
static const char *advice_on_mappings_behind(bool has_looked)
{
	return has_looked ? "far behind the stack: put them before it"
			  : "behind the stack: put them before it, or give the text as a file";
}

/* A text of which nothing could be completed for want of mappings looks like one that was not understood. */
static void report_missing_mappings(const struct symbolizer *symbolizer, const char *name)
{
	const struct process_addresses *addresses = &symbolizer->addresses;
	const char *others = addresses->count > 1 ? " and at other addresses" : "";
	unsigned long long first = addresses->first;

	if (!addresses->count || addresses->has_others)
		return;
	if (address_spaces_find(symbolizer->map.spaces, symbolizer->map.process, first))
		report(name, "the mappings that say what is at 0x%llx%s stand %s", first, others,
		       advice_on_mappings_behind(addresses->has_looked));
	else
		report(name,
		       "no mappings say what is at 0x%llx%s: put the process's /proc/PID/maps before the stack; or, "
		       "for a program that is always loaded at the same place, name it alone with --symbols",
		       first, others);
}

/* Behind a pipe, nothing else says why there are no symbols for a library that is there. */
static void report_missing_folder(const struct symbolizer *symbolizer, const char *name)
{
	const struct process_addresses *addresses = &symbolizer->addresses;
	struct locus_string module = {addresses->without_folder, addresses->without_folder_size};

	if (module.size && address_spaces_path(symbolizer->map.spaces, module).size)
		report(name, "the mappings that say where %.*s is stand %s", (int)module.size, module.data,
		       advice_on_mappings_behind(addresses->has_looked_for_folder));
}

/* Without a word, a frame whose mapping was forgotten would look like one of a module without symbols. */
static void report_lost_mappings(const struct symbolizer *symbolizer, const char *name)
{
	const struct process_addresses *addresses = &symbolizer->addresses;

	if (addresses->lost)
		report(name,
		       "more mappings than are kept: those that say what is at 0x%llx%s were forgotten; give what each "
		       "process did as a text of its own",
		       (unsigned long long)addresses->first_lost, addresses->lost > 1 ? " and at other addresses" : "");
}

void symbolizer_end_text(struct symbolizer *symbolizer, const char *name)
{
	put_held(symbolizer);
	markup_end_text(symbolizer->markup);
	report_missing_mappings(symbolizer, name);
	report_missing_folder(symbolizer, name);
	report_lost_mappings(symbolizer, name);
	address_spaces_forget(symbolizer->map.spaces);
	symbolizer->answers.stack = (struct stack){0};
	symbolizer->map.process = symbolizer->added = 0;
	symbolizer->answers.told = (struct told){0};
	symbolizer->addresses = (struct process_addresses){0};
	symbolizer->is_in_stack = symbolizer->is_behind_it = false;
}

/* Of a regular file nobody waits for the output. */
bool symbolizer_put_file(struct symbolizer *symbolizer, int fd, const char *name)
{
	static struct text_stream stream;
	struct text_piece piece;

	text_stream_init(&stream, fd);
	symbolizer->stream = &stream;
	while (!symbolizer->out->error) {
		if (text_stream_next(&stream, &piece)) {
			symbolizer_put(symbolizer, &piece);
			continue;
		}
		if (stream.ended)
			break;
		if (!stream.is_file)
			out_flush(symbolizer->out);
		text_stream_read(&stream);
	}
	symbolizer->stream = NULL;
	symbolizer_end_text(symbolizer, name);
	if (stream.error)
		report(name, "%s", strerror(stream.error));
	return !stream.error;
}
