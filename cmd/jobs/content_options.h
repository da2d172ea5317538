/* The options that say what is made of an ELF file's debug information. */
#ifndef LOCUS_CONTENT_OPTIONS_H
#define LOCUS_CONTENT_OPTIONS_H

#include <argp.h>

/*
 * A child of a subcommand's argp: --symbols-only, --prefix-map and --columns. Its input is as that of companion_argp.
 */
extern const struct argp content_argp;

#endif
