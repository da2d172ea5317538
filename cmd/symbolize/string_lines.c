/* A line is unescaped a character at a time; the text that it was read from is kept beside it. */
#include "cmd/symbolize/string_lines.h"

#include <string.h>

#include "cmd/common/string_compare.h"

bool string_lines_next(struct string_lines *lines)
{
	const char *start = lines->rest.data;
	bool is_ended = false;

	lines->size = lines->end_size = 0;
	lines->is_text = true;
	while (lines->rest.size && !is_ended) {
		char character[JSON_CHARACTER_MAX];
		size_t size, used = json_character(lines->rest, character, &size);
		bool has_room = size <= sizeof(lines->line) - lines->size;
		if (has_room)
			memcpy(lines->line + lines->size, character, size);
		lines->size += has_room ? size : 0;
		lines->rest.data += used;
		lines->rest.size -= used;
		lines->is_text &= size != 0 && has_room;
		is_ended = size == 1 && character[0] == '\n';
	}
	lines->raw = (struct locus_string){start, (size_t)(lines->rest.data - start)};
	if (is_ended) {
		bool has_return = lines->size > 1 && lines->line[lines->size - 2] == '\r';
		lines->line_break = has_return ? "\r\n" : "\n";
		lines->end_size = strlen(lines->line_break);
	}
	return lines->size || lines->raw.size;
}

void string_lines_keep(struct string_lines *lines)
{
	lines->before_size = lines->size - lines->end_size;
	lines->has_before = true;
	memcpy(lines->before, lines->line, lines->before_size);
}

void string_lines_take_before(struct string_lines *lines, struct locus_string text)
{
	lines->rest = text;
	while (string_lines_next(lines))
		string_lines_keep(lines);
}

size_t string_lines_start_before(const struct text_piece *piece)
{
	size_t start;

	if (piece->before && piece->before_size <= STREAM_LINE_MAX &&
	    json_line_find(piece->before, piece->before_size, &start))
		return start;
	return piece->before_size;
}

void string_lines_find_before(struct string_lines *lines, const struct text_piece *piece, size_t *at,
			      struct locus_string key)
{
	struct json_string string = {0};

	for (size_t next = *at; json_line_next(piece->before, piece->before_size, &next, &string); *at = next) {
		bool is_its = strings_are_equal(string.key, key);
		if (lines->has_before && !is_its)
			return;
		if (is_its)
			string_lines_take_before(lines, string.text);
	}
}
