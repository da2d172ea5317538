/* A file's debug information: what all its units share. */
#ifndef LOCUS_DWARF_FILE_H
#define LOCUS_DWARF_FILE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "convert/dwarf/abbrev_cache.h"
#include "convert/elf/elf.h"
#include "spec/status.h"

struct die_index;
struct split_index;
struct unit_tables;

/* One file's debug information. Set up by one thread, then read by any number of them. */
struct dwarf {
	struct elf_file *file;
	struct dwarf *alt;             /* dwz's alternate file; NULL: none */
	struct abbrev_section abbrevs; /* of .debug_abbrev */
	bool split;                    /* a .dwo or .dwp: addresses and ranges are its skeleton's */
	bool refers_across; /* functions are named by other units' DIEs: .debug_info must be there as a whole */
	bool across_seldom; /* so few may be that it is had as a whole when the first is: dwarf_need_info */
	enum locus_status info_status; /* why it could not be had: a conversion fails of that, not each reference */
	struct locus_error info_error;
	pthread_mutex_t lock;         /* guards the index and the units opened for references */
	struct die_index *index;      /* NULL until a reference across units is followed */
	struct unit_tables *tables;   /* what the units opened for references share; NULL: none yet */
	struct split_index *units;    /* of a .dwo or .dwp: its units by id; NULL until one is asked for */
	_Atomic uint64_t range_bytes; /* of the lists of ranges that were read, each as often as it was */
	_Atomic uint64_t line_bytes;  /* of the line tables, likewise */
};

/* The file's size counts for the budget at hand (base/budget.h). */
void dwarf_init(struct dwarf *dwarf, struct elf_file *file);
/* Frees neither the file nor the alternate; die_index_done and split_index_done come first. */
void dwarf_done(struct dwarf *dwarf);

/*
 * Inflates a section; of .debug_abbrev the declarations are read too. May be called for different sections by different
 * threads, and again.
 */
enum locus_status dwarf_prepare_section(struct dwarf *dwarf, enum debug_section which, struct locus_error *error);
/* .debug_info as a whole, for a reference across units that is followed; else dwarf->info_status. Under the lock. */
enum locus_status dwarf_need_info(struct dwarf *dwarf);

/*
 * Prepares what every unit needs and was not prepared yet, and decides refers_across: all sections but .debug_line,
 * which is inflated as units are opened, and .debug_info, where no unit refers to another. To be called once before any
 * unit is opened.
 */
enum locus_status dwarf_prepare(struct dwarf *dwarf, struct locus_error *error);

/* Gives back the sections but for strings, once no unit is read any more. */
void dwarf_drop_sections(struct dwarf *dwarf);

/* Says to the budget at hand what is read from where: see budget_at. */
void dwarf_at(const struct dwarf *dwarf, enum debug_section which, uint64_t offset, const char *what);

/*
 * As dwarf_prepare, where only some units will be read: what can be inflated as it is needed is not. Those are
 * .debug_str and .debug_line, and .debug_info where no unit refers to another.
 */
enum locus_status dwarf_prepare_some(struct dwarf *dwarf, struct locus_error *error);

static inline struct section *dwarf_section(const struct dwarf *dwarf, enum debug_section which)
{
	return &dwarf->file->sections[which];
}

#endif
