/* liblocus: which function, file and line is this address, and what was it inlined into, from a .locus file. */
#ifndef LOCUS_H
#define LOCUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spec/status.h" /* installed as <locus/status.h> beside this file */

struct locus; /* an open file: serves any number of threads at once */

#endif
