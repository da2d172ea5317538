/* The relocations of a relocatable file's debug sections that libdwfl does not know. */
#ifndef LOCUS_RELOCATE_H
#define LOCUS_RELOCATE_H

#include <libelf.h>
#include <stdbool.h>

#include "spec/status.h"

/*
 * Applies what libdwfl left over in the sections that `is_needed` holds for, by name. Errors: LOCUS_ERR_BAD_ELF where a
 * relocation against something that has an address is of a kind that neither knows: what it leaves out would be answers
 * left out.
 */
enum locus_status relocate_rest(Elf *elf, bool (*is_needed)(const char *name), struct locus_error *error);

#endif
