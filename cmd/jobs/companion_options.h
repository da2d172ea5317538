/* The options that say how an ELF file's debug information is found. */
#ifndef LOCUS_COMPANION_OPTIONS_H
#define LOCUS_COMPANION_OPTIONS_H

#include <argp.h>

#include "convert/locus_convert.h"

/*
 * A child of a subcommand's argp: --debug, --debug-dir, --alt and --dwp. Its input, which the parent gives it in
 * ARGP_KEY_INIT, is a struct locus_convert_options; what that then points to stays until the program ends.
 */
extern const struct argp companion_argp;

/* One of them that was given, as "--debug"; NULL: none was. */
const char *companion_option_given(const struct locus_convert_options *options);

#endif
