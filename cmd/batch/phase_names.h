/* The names of the phases of a conversion, for people and programs. */
#ifndef LOCUS_PHASE_NAMES_H
#define LOCUS_PHASE_NAMES_H

#include "convert/locus_convert.h"

const char *phase_name(enum locus_convert_phase phase);

#endif
