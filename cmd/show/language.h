/* The languages whose names are read in a way of their own, as DW_LANG codes (DWARF 5, 7.12, and codes given since). */
#ifndef LOCUS_LANGUAGE_H
#define LOCUS_LANGUAGE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	LANG_ADA83 = 0x03,
	LANG_ADA95 = 0x0d,
	LANG_D = 0x13,
	LANG_GO = 0x16,
	LANG_ADA2005 = 0x2e,
	LANG_ADA2012 = 0x2f,
};

static inline bool language_is_ada(uint32_t language)
{
	return language == LANG_ADA83 || language == LANG_ADA95 || language == LANG_ADA2005 || language == LANG_ADA2012;
}

#endif
