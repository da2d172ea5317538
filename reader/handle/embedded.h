/* A .locus file inside of a program: the section .locus of an ELF file. */
#ifndef LOCUS_EMBEDDED_H
#define LOCUS_EMBEDDED_H

#include "reader/handle/source.h"

/*
 * Where the source is an ELF file with a section named .locus, narrows it to that section. Of very many sections only
 * the last are looked at: that bounds the work, and converters add theirs at the end. A file of any other kind stays as
 * it is, and so does an ELF file that is damaged.
 */
void locus_embedded_find(struct locus_source *source);

#endif
