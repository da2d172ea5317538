/* The options that decide the content of a conversion. */
#ifndef LOCUS_CONTENT_OPTIONS_H
#define LOCUS_CONTENT_OPTIONS_H

#include <argp.h>

#include "convert/locus_convert.h"

/*
 * For `children` of a subcommand's argp: --symbols-only, --prefix-map and --columns. Its input is that of
 * companion_argp.
 */
extern const struct argp content_argp;

/* The name of one of them that was given, as "--columns"; NULL: none was. */
const char *content_option_given(const struct locus_convert_options *options);

#endif
