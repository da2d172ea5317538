/* The options that bound what a conversion may take. */
#ifndef LOCUS_LIMIT_OPTIONS_H
#define LOCUS_LIMIT_OPTIONS_H

#include <argp.h>

/* For the `children` of another argp; sets the limits of cmd/jobs/child.h. Needs no input. */
extern const struct argp limit_argp;

#endif
