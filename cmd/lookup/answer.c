/* Answers of `locus lookup`: text that a person reads at a glance, and JSON. */
#include "cmd/lookup/answer.h"

void answers_begin_file(struct answers *answers, const struct locus *locus, bool demangle)
{
	answers->names = function_labels_new(demangle, locus_function_count(locus));
	path_labels_init(&answers->paths, answers->out, answers->as_json, locus_file_count(locus));
}

static struct name frame_name(struct answers *answers, const struct locus_frame *frame)
{
	return function_labels_get(answers->names, frame->function_id, frame->function, frame->linkage,
				   frame->language);
}

/* ---- Text ---- */

static void text_frame(struct answers *answers, const struct locus_frame *frame, uint64_t behind)
{
	struct name name = frame_name(answers, frame);
	struct out *out = answers->out;

	display_function(&answers->display, out, name, frame->language);
	if (name.size && !frame->inlined && frame->offset + behind) {
		out_char(out, '+');
		out_hex(out, frame->offset + behind);
	}
	if (!frame->inlined && frame->part == LOCUS_PART_OTHER)
		out_text(out, " (split-off part)");
	if (frame->file.size) {
		out_text(out, " at ");
		display_source(&answers->display, &answers->paths, frame);
	}
}

/* The output of addr2line with -p -f -i -a, where ?? is for the unknown. */
static void pretty_frame(struct answers *answers, const struct locus_frame *frame)
{
	struct name name = frame_name(answers, frame);

	if (name.size)
		display_function(&answers->display, answers->out, name, frame->language);
	else
		out_text(answers->out, "??");
	out_text(answers->out, " at ");
	if (frame->file.size)
		display_source(&answers->display, &answers->paths, frame);
	else
		out_text(answers->out, "??");
	if (!frame->file.size || !frame->line)
		out_text(answers->out, ":0");
}

static void pretty_answer(struct answers *answers, const struct question *question, const struct answer *answer)
{
	struct out *out = answers->out;

	out_escaped(out, question->text, question->size);
	out_text(out, ": ");
	if (answer->result.frame_count == 0)
		out_text(out, "?? at ??:0");
	for (size_t i = 0; i < answer->result.frame_count; i++) {
		if (i > 0)
			out_text(out, "\n (inlined by) ");
		pretty_frame(answers, &answer->result.frames[i]);
	}
	out_char(out, '\n');
}

static void text_answer(struct answers *answers, const struct question *question, const struct answer *answer)
{
	const struct locus_result *result = &answer->result;
	struct out *out = answers->out;

	out_escaped(out, question->text, question->size);
	out_text(out, "  ");
	if (result->frame_count == 0)
		out_text(out, "(nothing known)");
	for (size_t i = 0; i < result->frame_count; i++) {
		if (i > 0) {
			out_char(out, '\n');
			out_spaces(out, question->size + 2);
			out_text(out, "inlined into ");
		}
		text_frame(answers, &result->frames[i], answer->behind);
		if (i == 0 && result->interval.answer == LOCUS_ANSWER_NO_LINE)
			out_text(out, " (no line)");
	}
	if (result->interval.answer == LOCUS_ANSWER_SYMBOL)
		out_text(out, " (symbol only)");
	out_char(out, '\n');
}

/* ---- JSON ---- */

static void json_name(struct json *json, const char *key, struct name name)
{
	if (!name.size)
		return;
	json_key(json, key);
	json_begin_string(json);
	if (name.is_plain)
		out_bytes(json->out, name.data, name.size);
	else
		json_piece(json, name.data, name.size);
	json_end_string(json);
}

static void json_linkage(struct json *json, struct locus_string linkage)
{
	json_name(json, "linkage_name", (struct name){linkage.data, linkage.size, false});
}

static void json_path(struct answers *answers, const struct locus_frame *frame)
{
	json_key(&answers->json, "file");
	json_begin_string(&answers->json);
	path_labels_put(&answers->paths, frame);
	json_end_string(&answers->json);
}

static void json_frame(struct answers *answers, const struct locus_frame *frame, uint64_t behind)
{
	struct json *json = &answers->json;

	json_open(json, '{');
	json_name(json, "function", frame_name(answers, frame));
	json_linkage(json, frame->linkage);
	if (frame->file.size)
		json_path(answers, frame);
	if (frame->line)
		json_key_u64(json, "line", frame->line);
	if (frame->column)
		json_key_u64(json, "column", frame->column);
	if (!frame->inlined) {
		json_key_hex(json, "offset", frame->offset + behind);
		if (frame->part == LOCUS_PART_OTHER)
			json_key_text(json, "part", "other");
	}
	json_key_bool(json, "inlined", frame->inlined);
	json_close(json, '}');
}

static void json_answer(struct answers *answers, const struct answer *answer)
{
	const struct locus_result *result = &answer->result;
	struct json *json = &answers->json;

	json_open(json, '{');
	json_key_hex(json, "address", answer->address);
	json_key_text(json, "status", locus_answer_name(result->interval.answer));
	if (answers->has_locids && result->interval.locid != LOCUS_NO_LOCID)
		json_key_u64(json, "locid", result->interval.locid);
	json_key(json, "frames");
	json_open(json, '[');
	for (size_t i = 0; i < result->frame_count; i++)
		json_frame(answers, &result->frames[i], answer->behind);
	json_close(json, ']');
}

/* ---- Either ---- */

void answer_begin(struct answers *answers, const struct question *question, const struct answer *answer)
{
	answers->alternate_count = 0;
	for (size_t i = 0; i < answer->result.frame_count; i++) {
		function_labels_prefetch(answers->names, answer->result.frames[i].function_id);
		path_labels_prefetch(&answers->paths, answer->result.frames[i].file_id);
	}
	if (answers->as_json)
		json_answer(answers, answer);
	else if (answers->pretty)
		pretty_answer(answers, question, answer);
	else
		text_answer(answers, question, answer);
}

static void json_alternate(struct answers *answers, struct name name, struct locus_string linkage, const char *kind)
{
	struct json *json = &answers->json;

	if (answers->alternate_count == 0) {
		json_key(json, "alternates");
		json_open(json, '[');
	}
	json_open(json, '{');
	json_name(json, "function", name);
	json_linkage(json, linkage);
	json_key_text(json, "kind", kind);
	json_close(json, '}');
}

void answer_alternate(struct answers *answers, const struct question *question, const struct other_function *alternate)
{
	const struct locus_function_info *function = &alternate->function;
	const char *kind = alternate_kind_name(alternate->info.kind);
	struct name name = function_labels_get(answers->names, alternate->info.function_id, function->name,
					       function->linkage, function->language);

	if (answers->as_json) {
		json_alternate(answers, name, function->linkage, kind);
	} else {
		out_spaces(answers->out, question->size + 2);
		out_text(answers->out, "also ");
		display_function(&answers->display, answers->out, name, function->language);
		out_format(answers->out, " (%s)\n", kind);
	}
	answers->alternate_count++;
}

void answer_end(struct answers *answers)
{
	if (!answers->as_json)
		return;
	if (answers->alternate_count)
		json_close(&answers->json, ']');
	json_close(&answers->json, '}');
	json_end_line(&answers->json);
}

/* A blank line gets a blank answer. An argument gets none, because whoever gave it reads the message. */
static void text_failure(struct answers *answers, const struct question *question, const char *text)
{
	struct out *out = answers->out;

	if (!question->line_number)
		return;
	if (question->size) {
		out_escaped(out, question->text, question->size);
		out_text(out, answers->pretty ? ": (" : "  (");
		out_escaped(out, text, strlen(text));
		out_char(out, ')');
	}
	out_char(out, '\n');
}

static void json_failure(struct json *json, const struct question *question, const char *text)
{
	json_open(json, '{');
	json_key_bytes(json, "query", question->text, question->size);
	json_key_text(json, "status", "error");
	json_key_text(json, "error", text);
	json_close(json, '}');
	json_end_line(json);
}

void answer_failure(struct answers *answers, const struct question *question, const char *text)
{
	if (answers->as_json)
		json_failure(&answers->json, question, text);
	else
		text_failure(answers, question, text);
}
