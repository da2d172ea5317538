/* The options that say how an ELF file's debug information is found. */
#ifndef LOCUS_COMPANION_OPTIONS_H
#define LOCUS_COMPANION_OPTIONS_H

#include <argp.h>

#include "convert/locus_convert.h"

/*
 * For `children` of a subcommand's argp: --debug, --debug-dir, --alt and --dwp. The parent gives it a struct
 * locus_convert_options as input, in ARGP_KEY_INIT; what that points to then stays until the program ends.
 */
extern const struct argp companion_argp;

/* The name of one of them that was given, as "--debug"; NULL: none was. */
const char *companion_option_given(const struct locus_convert_options *options);

#endif
