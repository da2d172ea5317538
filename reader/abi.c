/*
 * What a caller's binary was built with and this library must still offer: the version, and the sizes of the structs
 * that a caller allocates or steps through. They change with the soname only; locus.h says how the structs grow.
 */
#include "reader/locus.h"

/* Sizes where pointers have 64 bits; with 32 the same fields make other ones. */
#define HOLDS(type, size) _Static_assert(sizeof(void *) != 8 || sizeof(type) == (size), #type " has another size")

HOLDS(struct locus_string, 16);
HOLDS(struct locus_error, 264);
HOLDS(struct locus_open_options, 64);
HOLDS(struct locus_interval, 24);
HOLDS(struct locus_frame, 128);
HOLDS(struct locus_result, 64);
HOLDS(struct locus_alternate_info, 24);
HOLDS(struct locus_function_info, 64);
HOLDS(struct locus_file_info, 32);
HOLDS(struct locus_identity, 16);
HOLDS(struct locus_counter_info, 16);
HOLDS(struct locus_base_info, 32);
HOLDS(struct locus_section_info, 64);

unsigned locus_version(void)
{
	return LOCUS_VERSION_NUMBER;
}

const char *locus_version_text(void)
{
	return LOCUS_VERSION;
}
