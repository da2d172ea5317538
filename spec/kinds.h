/* Kinds of parts, alternates and inputs, with their values on disk: public, shared by reader and writer. */
#ifndef LOCUS_KINDS_H
#define LOCUS_KINDS_H

/* A part is a run of code of one function: the outermost context of an interval. */
enum locus_part_kind {
	LOCUS_PART_ENTRY = 0,  /* holds the function's entry; offsets count from it */
	LOCUS_PART_OTHER = 1,  /* another part of the function (.cold); offsets count from the part's start */
	LOCUS_PART_SYMBOL = 2, /* known from the symbol table only: no DWARF function covers it */
};

/* Why a function that is not the primary answer also answers for an address (RULES C7, D6). */
enum locus_alternate_kind {
	LOCUS_ALTERNATE_ALIAS = 0,   /* another symbol at the same start */
	LOCUS_ALTERNATE_FOLDED = 1,  /* another function folded onto the same code */
	LOCUS_ALTERNATE_OVERLAP = 2, /* another function that claims the same addresses */
};

/* What a file was read for. */
enum locus_input_role {
	LOCUS_INPUT_PROGRAM = 0,   /* the one that was asked for: its addresses are the file's */
	LOCUS_INPUT_DEBUG = 1,     /* a separate debug file */
	LOCUS_INPUT_ALTERNATE = 2, /* what several debug files share (dwz, DWARF 5's supplementary file) */
	LOCUS_INPUT_PACKAGE = 3,   /* a package of split units (.dwp) */
	LOCUS_INPUT_SPLIT = 4,     /* a split unit's own file (.dwo, .o) */
};

/* What an input's digest is of: XXH3-128, in 16 bytes, low half first. */
enum locus_digest_kind {
	LOCUS_DIGEST_NONE = 0,  /* there is none */
	LOCUS_DIGEST_BYTES = 1, /* all bytes of the file */
	LOCUS_DIGEST_HEADERS =
		2, /* its ELF header, then its program headers, then its section headers, as they stand */
};

enum { LOCUS_DIGEST_SIZE = 16 };

#endif
