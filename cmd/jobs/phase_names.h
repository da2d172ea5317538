/* What the phases of a conversion are called, where people and programs read of them. */
#ifndef LOCUS_PHASE_NAMES_H
#define LOCUS_PHASE_NAMES_H

#include "convert/locus_convert.h"

const char *phase_name(enum locus_convert_phase phase);

#endif
