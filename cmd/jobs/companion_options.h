/* The options that say how an ELF file's debug information is found and what is made of it. */
#ifndef LOCUS_COMPANION_OPTIONS_H
#define LOCUS_COMPANION_OPTIONS_H

#include <argp.h>

/*
 * A child of a subcommand's argp: --debug, --debug-dir, --alt, --dwp, --prefix-map and --columns. Its input, which the
 * parent gives it in ARGP_KEY_INIT, is a struct locus_convert_options; what that then points to stays until the program
 * ends.
 */
extern const struct argp companion_argp;

#endif
