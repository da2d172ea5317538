/* What sets colours is gathered before the end of the line, so that what follows begins in the same colour. */
#include "cmd/symbolize/plain_line.h"

#include <string.h>

size_t colour_size(const char *text, size_t size)
{
	size_t at = 2;

	if (size < 3 || text[0] != '\033')
		return 0;
	if (text[1] == '(' && text[2] == 'B')
		return 3;
	if (text[1] != '[')
		return 0;
	while (at < size && (text[at] == ';' || text[at] == ':' || (text[at] >= '0' && text[at] <= '9')))
		at++;
	return at < size && (text[at] == 'm' || text[at] == 'K') ? at + 1 : 0;
}

void plain_line_make(struct plain_line *plain, const struct text_piece *piece)
{
	size_t end_size = 0, at = 0, size = 0;

	while (at < piece->size) {
		size_t colour = colour_size(piece->data + at, piece->size - at);
		if (colour)
			memcpy(plain->line_end + end_size, piece->data + at, colour);
		else
			plain->text[size++] = piece->data[at];
		end_size += colour;
		at += colour ? colour : 1;
	}
	strcpy(plain->line_end + end_size, piece->line_end);
	plain->piece = *piece;
	plain->piece.data = plain->text;
	plain->piece.size = size;
	plain->piece.line_end = plain->line_end;
}
