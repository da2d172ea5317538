/* The addresses at which what the debug information says may become another. */
#ifndef LOCUS_CHANGE_POINTS_H
#define LOCUS_CHANGE_POINTS_H

#include "convert/cross_check/evidence.h"

/* Malloc'd, sorted, each once. False: out of memory. */
bool change_points_find(struct evidence *evidence, uint64_t **ret, size_t *ret_count);

#endif
