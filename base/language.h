/*
 * The languages whose names are made or read in a way of their own, as DW_LANG codes (DWARF 5, 7.12, and codes given
 * since).
 */
#ifndef LOCUS_LANGUAGE_H
#define LOCUS_LANGUAGE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	LANG_C89 = 0x01,
	LANG_C = 0x02,
	LANG_ADA83 = 0x03,
	LANG_CPP = 0x04,
	LANG_COBOL74 = 0x05,
	LANG_COBOL85 = 0x06,
	LANG_FORTRAN77 = 0x07,
	LANG_FORTRAN90 = 0x08,
	LANG_PASCAL83 = 0x09,
	LANG_C99 = 0x0c,
	LANG_ADA95 = 0x0d,
	LANG_FORTRAN95 = 0x0e,
	LANG_PLI = 0x0f,
	LANG_OBJC_CPP = 0x11,
	LANG_UPC = 0x12,
	LANG_D = 0x13,
	LANG_GO = 0x16,
	LANG_HASKELL = 0x18,
	LANG_CPP03 = 0x19,
	LANG_CPP11 = 0x1a,
	LANG_RUST = 0x1c,
	LANG_C11 = 0x1d,
	LANG_CPP14 = 0x21,
	LANG_FORTRAN03 = 0x22,
	LANG_FORTRAN08 = 0x23,
	LANG_CPP17 = 0x2a,
	LANG_CPP20 = 0x2b,
	LANG_C17 = 0x2c,
	LANG_FORTRAN18 = 0x2d,
	LANG_ADA2005 = 0x2e,
	LANG_ADA2012 = 0x2f,
	LANG_CPP23 = 0x3a,
	LANG_C23 = 0x3e,
	LANG_FORTRAN23 = 0x3f,
	LANG_ASSEMBLER = 0x8001, /* DW_LANG_Mips_Assembler, as assemblers have it for all machines */
};

static inline bool language_is_c(uint32_t language)
{
	return language == LANG_C89 || language == LANG_C || language == LANG_C99 || language == LANG_C11 ||
	       language == LANG_C17 || language == LANG_C23;
}

static inline bool language_is_cpp(uint32_t language)
{
	return language == LANG_CPP || language == LANG_CPP03 || language == LANG_CPP11 || language == LANG_CPP14 ||
	       language == LANG_CPP17 || language == LANG_CPP20 || language == LANG_CPP23;
}

/* Whether a function is named with the namespaces and classes that DWARF has it in: C++, Objective-C++, Rust and D. */
static inline bool language_qualifies(uint32_t language)
{
	return language_is_cpp(language) || language == LANG_OBJC_CPP || language == LANG_RUST || language == LANG_D;
}

static inline bool language_is_ada(uint32_t language)
{
	return language == LANG_ADA83 || language == LANG_ADA95 || language == LANG_ADA2005 || language == LANG_ADA2012;
}

static inline bool language_is_fortran(uint32_t language)
{
	return language == LANG_FORTRAN77 || language == LANG_FORTRAN90 || language == LANG_FORTRAN95 ||
	       language == LANG_FORTRAN03 || language == LANG_FORTRAN08 || language == LANG_FORTRAN18 ||
	       language == LANG_FORTRAN23;
}

#endif
