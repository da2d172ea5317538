/* Compares the answers of a .locus file with the debug information that it was made from, read in another way. */
#ifndef LOCUS_SOURCE_COMPARISON_H
#define LOCUS_SOURCE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "convert/locus_convert.h"

enum { COMPARISON_SAMPLES = 10000, COMPARISON_SHOWN = 10, COMPARISON_TEXT_SIZE = 1024 };

/* All is borrowed. */
struct comparison_question {
	const char *file;
	const char *elf;
	const struct locus_convert_options *options; /* how companions are found */
	uint64_t samples;                            /* addresses to compare; 0: all at which answers may change */
};

struct comparison_difference {
	uint64_t address;
	char file_says[COMPARISON_TEXT_SIZE];
	char source_says[COMPARISON_TEXT_SIZE];
};

struct comparison {
	uint64_t asked;
	uint64_t differing;
	size_t shown;           /* number of these that are shown, the first by address */
	uint8_t is_other_build; /* 1: there are some, and the ELF file's build-id is another than the file records */
	struct comparison_difference differences[COMPARISON_SHOWN];
};

/*
 * Compares both sides. Half of the sampled addresses are starts of intervals, the others are anywhere in the code that
 * the file answers for; the file alone decides which. The converter must be loaded. Errors are those of reading the
 * file, and otherwise the ELF file's.
 */
enum locus_status comparison_make(const struct comparison_question *question, struct comparison *ret,
				  struct locus_error *error);

/* Whether a comparison that another process sent is valid. */
bool comparison_is_sound(const struct comparison *comparison);

#endif
