/* The option that forbids fetching of missing companions. */
#ifndef LOCUS_FETCH_OPTIONS_H
#define LOCUS_FETCH_OPTIONS_H

#include <argp.h>

/* For the `children` of another argp: --no-debuginfod. Needs no input. */
extern const struct argp fetch_argp;

#endif
