/* The options that limit the memory and time of conversions. */
#ifndef LOCUS_LIMIT_OPTIONS_H
#define LOCUS_LIMIT_OPTIONS_H

#include <argp.h>

/* For the `children` of another argp; sets the limits of cmd/conversion/child.h. Needs no input. */
extern const struct argp limit_argp;

/* The name of one of them that was given, as "--timeout"; NULL: none was. */
const char *limit_option_given(void);

#endif
