/* The head of a file: header, directory and indexes (FORMAT.md 3 and 4). */
#ifndef LOCUS_HEAD_H
#define LOCUS_HEAD_H

#include "reader/handle/handle.h"

/* Reads header, directory and indexes into a handle whose source is open. */
enum locus_status locus_head_read(struct locus *locus, struct locus_error *error);
void locus_head_done(struct locus *locus);

/* NULL: this version does not know the section. */
const char *locus_section_name(const struct locus_section_in *section);

#endif
