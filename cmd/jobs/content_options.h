/* The options that say what is made of an ELF file's debug information. */
#ifndef LOCUS_CONTENT_OPTIONS_H
#define LOCUS_CONTENT_OPTIONS_H

#include <argp.h>

#include "convert/locus_convert.h"

/*
 * A child of a subcommand's argp: --symbols-only, --prefix-map and --columns. Its input is as that of companion_argp.
 */
extern const struct argp content_argp;

/* One of them that was given, as "--columns"; NULL: none was. */
const char *content_option_given(const struct locus_convert_options *options);

#endif
