/* Asks an open .locus file for everything, and observes the answers. */
#ifndef LOCUS_ASK_FILE_H
#define LOCUS_ASK_FILE_H

#include <stdbool.h>

#include "reader/locus.h"

/* `whole`: the file was found to be whole and well-formed, so that nothing may fail. */
void ask_file(struct locus *locus, bool whole);

/* The same for one interval: a line of its frames, innermost first. */
void ask_interval(struct locus *locus, struct locus_scratch *scratch, uint32_t locid, bool whole);

#endif
