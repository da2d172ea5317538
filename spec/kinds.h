/* Kinds of parts and alternates, with their values on disk: public, shared by reader and writer. */
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

#endif
