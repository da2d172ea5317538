/* A line on the terminal that standard error is, which is drawn over itself and erased before other output. */
#ifndef LOCUS_STATUS_LINE_H
#define LOCUS_STATUS_LINE_H

#include <stdbool.h>

/* Whether standard error is a terminal on which a line can be erased. */
bool status_line_is_possible(void);

/* Draws the text, of plain ASCII, as far as the terminal's width has room for it. */
void status_line_draw(const char *format, ...) __attribute__((format(printf, 1, 2)));

void status_line_erase(void);

#endif
