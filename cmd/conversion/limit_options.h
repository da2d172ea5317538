/* The options that limit the memory and time of conversions. */
#ifndef LOCUS_LIMIT_OPTIONS_H
#define LOCUS_LIMIT_OPTIONS_H

#include <argp.h>

/* For the `children` of another argp; sets the limits of cmd/conversion/child.h. Needs no input. */
extern const struct argp limit_argp;

#endif
