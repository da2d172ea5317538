/*
 * A file that is read by libdw. What libdw does of its own accord when it is given a file, or asked for its units, is
 * judged before: what it inflates, what it loads, and which other files it opens.
 */
#ifndef LOCUS_LIBDW_FILE_H
#define LOCUS_LIBDW_FILE_H

#include "convert/cross_check/dwarf_sections.h"
#include "convert/cross_check/unit_loads.h"

/* Zeroed before libdw_file_open, but for the first two; freed by libdw_file_close, also where that failed. */
struct libdw_file {
	Dwarf_OOM end;  /* is called where libdw lacks memory, and does not return; set by the caller */
	bool is_copied; /* it is read, and not mapped, of which a process may have 65,530; set by the caller */
	int fd;         /* if is_open */
	bool is_open;
	void *copy;   /* of its bytes, if is_copied */
	Elf *elf;     /* of these */
	Dwarf *dwarf; /* NULL: not open */
	struct dwarf_sections sections;
};

/*
 * Opens a file again for libdw. `shown`: its name in messages, NULL: it is the input itself. `is_alternate_known`: the
 * caller sets the alternate file that it refers to; else there may be none. LOCUS_ERR_UNSUPPORTED: libdw cannot read
 * it, or would open a file of its own choice. LOCUS_ERR_MEMORY: also beyond the budget (base/budget.h).
 */
enum locus_status libdw_file_open(struct libdw_file *file, const struct elf_file *elf, const char *shown,
				  bool is_alternate_known, struct unit_loads *loads, struct locus_error *error);
void libdw_file_close(struct libdw_file *file);

/* Closes the descriptor, as there may be more files than descriptors: what libdw reads stays mapped. */
void libdw_file_let_go(struct libdw_file *file);

/* Whether libdw lacked memory in the call before, in front of which errno was 0. It does not tell otherwise. */
bool libdw_lacked_memory(void);

#endif
