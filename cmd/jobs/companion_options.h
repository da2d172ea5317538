/* The options that say how an ELF file's debug information is found. */
#ifndef LOCUS_COMPANION_OPTIONS_H
#define LOCUS_COMPANION_OPTIONS_H

#include <argp.h>

/*
 * A child of a subcommand's argp: --debug, --debug-dir, --alt and --dwp. Its input, which the parent gives it in
 * ARGP_KEY_INIT, is a struct locus_convert_options; what that then points to stays until the program ends.
 */
extern const struct argp companion_argp;

#endif
