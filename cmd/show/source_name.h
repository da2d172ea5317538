/*
 * Names as programmers write them, of languages whose compilers encode them in a way of their own: what symbol tables
 * and debug information call pkg__proc, __geometry_MOD_area or camlList__map_12 is Pkg.Proc, geometry::area or
 * List.map.
 */
#ifndef LOCUS_SOURCE_NAME_H
#define LOCUS_SOURCE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOURCE_NAME_SIZE_MAX = 4096, SOURCE_NAME_ROOM = 2 * SOURCE_NAME_SIZE_MAX };

enum name_encoding {
	ENCODING_NONE,
	ENCODING_ADA,
	ENCODING_FORTRAN,
	ENCODING_PASCAL,
	ENCODING_OBJC,
	ENCODING_HASKELL,
	ENCODING_OCAML,
	ENCODING_CRYSTAL,
	ENCODING_NIM,
};

/*
 * By a DW_LANG code, or by the name alone where the language is unknown, 0, or an assembler. Names of C++ have none.
 * Nim is compiled to C, and a name of C may look like one of its own.
 */
enum name_encoding name_encoding_of(const char *name, size_t size, uint32_t language);

/*
 * Writes a function's name, of up to SOURCE_NAME_SIZE_MAX bytes, as people write it, and returns its length; 0: it is
 * not of the encoding. `ret` has SOURCE_NAME_ROOM bytes. In Ada, Fortran and Pascal letter case says nothing: all are
 * small. Parameters and results are left out, and so are, of Ada, the _ada_ of a main program, the number of an
 * overloaded subprogram, and the letters for a task's body and for what belongs to a protected object; and, unless
 * `with_brackets`, categories of Objective-C and arguments of Crystal's types.
 */
size_t source_name(enum name_encoding encoding, const char *name, size_t size, bool with_brackets, char *ret);

/*
 * The same of what somebody wrote: an operator, Ada's Pkg."+" or Nim's pkg.+, becomes what it is called in names,
 * pkg.oadd or pkg.plus_.
 */
size_t source_text(enum name_encoding encoding, const char *text, size_t size, char *ret);

/* Whether `wanted` means the name: it is this, as people write it, or its last components. */
bool source_name_matches(enum name_encoding encoding, const char *wanted, const char *name, size_t size,
			 uint32_t language);

/*
 * Whether `wanted` has the module of a file, then others, and means a function of this file by a name of OCaml's, whose
 * compiler knows no modules in that of a file: Geo.Inner.area camlGeo__area_12.
 */
bool source_name_in_inner_module(const char *wanted, const char *name, size_t size);

#endif
