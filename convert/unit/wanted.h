/* The addresses that a conversion is to answer for, where these are not all. */
#ifndef LOCUS_WANTED_H
#define LOCUS_WANTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "convert/elf/elf.h"

struct wanted {
	struct exec_range *windows; /* what is answered for: sorted, disjoint, each within executable code */
	size_t window_count;
};

/*
 * The addresses, in any order, that are in executable code of `linked`; there is no answer for others. `wanted` is
 * zeroed. False: out of memory. Freed by wanted_done in either case.
 */
bool wanted_init(struct wanted *wanted, const struct elf_file *linked, const uint64_t *addresses, size_t count);
void wanted_done(struct wanted *wanted);

#endif
