/* The options of `locus lookup`, once they are parsed. */
#ifndef LOCUS_LOOKUP_OPTIONS_H
#define LOCUS_LOOKUP_OPTIONS_H

#include "cmd/lookup/place.h"
#include "cmd/show/display_options.h"
#include "convert/locus_convert.h"

struct lookup_options {
	const char *file;                     /* its path */
	const char *store, *build_id;         /* where the file is in a store; NULL: it is not in one */
	char *cache;                          /* for an ELF file: the folder of the cache; NULL: none is used */
	struct locus_convert_options library; /* for an ELF file */
	char **queries;
	size_t query_count;
	bool json;
	const char *base; /* as given; NULL: none */
	struct place_options places;
	bool hex; /* numbers are hexadecimal without 0x */
	bool return_address;
	bool all;
	bool pretty;
	struct display_options display;
};

#endif
