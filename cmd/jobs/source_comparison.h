/* Holds a .locus file's answers against the debug information that it was made from, read another way. */
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
	uint64_t samples;                            /* addresses to ask for; 0: every one that may matter */
};

struct comparison_difference {
	uint64_t address;
	char file_says[COMPARISON_TEXT_SIZE];
	char source_says[COMPARISON_TEXT_SIZE];
};

struct comparison {
	uint64_t asked;
	uint64_t differing;
	size_t shown; /* of these the first, by address */
	struct comparison_difference differences[COMPARISON_SHOWN];
};

/*
 * Asks both sides. Half of the sampled addresses are those where intervals begin, half are anywhere in the code that
 * the file answers for; which ones depends on the file alone. The converter is loaded. Errors are the ELF file's, but
 * for those of reading the file.
 */
enum locus_status comparison_make(const struct comparison_question *question, struct comparison *ret,
				  struct locus_error *error);

/* Whether a comparison that came from another process can be shown. */
bool comparison_is_sound(const struct comparison *comparison);

#endif
