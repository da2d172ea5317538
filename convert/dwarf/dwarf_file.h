/* The debug information of a file: what all its units share. */
#ifndef LOCUS_DWARF_FILE_H
#define LOCUS_DWARF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/short_lock.h"
#include "convert/dwarf/abbrev_cache.h"
#include "convert/elf/elf.h"
#include "spec/status.h"

struct die_index;
struct split_index;
struct unit_tables;

/* The debug information of a file. One thread sets it up, then any number of threads read it. */
struct dwarf {
	struct elf_file *file;
	struct dwarf *alt;             /* dwz's alternate file; NULL: none */
	struct dwarf *skeletons;       /* of a .dwo: the file that has the skeletons of its units; NULL: not needed */
	struct abbrev_section abbrevs; /* the tables of .debug_abbrev */
	bool split;                    /* it is a .dwo or .dwp, whose addresses and ranges are its skeleton's */
	bool units_in_order;           /* set by the caller: all units are read, from front to back */
	bool skips_lines;   /* set by the caller: only some tables of .debug_line are read, mostly from front to back */
	bool refers_across; /* functions may get names from other units' DIEs: what is referred to stays in memory */
	bool across_seldom; /* perhaps none does: .debug_info becomes readable as a whole when the first does
			       (dwarf_need_info) */
	enum locus_status
		info_status; /* why making it readable failed: the conversion fails then, not each reference */
	struct locus_error info_error;
	struct short_lock lock;          /* guards the index and the units opened for references */
	struct die_index *_Atomic index; /* NULL until a reference across units is followed */
	struct unit_tables *tables;      /* what the units opened for references share; NULL: none yet */
	struct split_index *split_index; /* split units, or skeletons, by their id; NULL until one is asked for */
	_Atomic uint64_t range_bytes;    /* bytes of lists of ranges, of each time that one is read */
};

/* Zeroes and sets up. The file's size is added to the thread's budget (base/budget.h). */
void dwarf_init(struct dwarf *dwarf, struct elf_file *file);
/* Frees neither the file nor the alternate; die_index_done and split_index_done come first. */
void dwarf_done(struct dwarf *dwarf);

/*
 * Inflates a section, except long lists of ranges that units read in their order (units_in_order), of which only the
 * front is: these are inflated as units need them. Reads the declarations of .debug_abbrev. May be called again, and
 * for different sections by different threads.
 */
enum locus_status dwarf_prepare_section(struct dwarf *dwarf, enum debug_section which, struct locus_error *error);

/*
 * Makes at least the first `end` bytes of .debug_info readable, for a reference that leads to another unit. Returns
 * dwarf->info_status, as does dwarf_keep_info. The caller of either has the lock.
 */
enum locus_status dwarf_need_info(struct dwarf *dwarf, uint64_t end);

/*
 * Why dwarf_need_info or dwarf_keep_info failed for this file or for its alternate, which is named then; LOCUS_OK:
 * neither did. To be asked when no unit is read any more.
 */
enum locus_status dwarf_info_failure(const struct dwarf *dwarf, struct locus_error *error);

/* Says that bytes [from, to) of .debug_info stay in use: with units_in_order, others are given back. */
enum locus_status dwarf_keep_info(struct dwarf *dwarf, uint64_t from, uint64_t to);

/* Inflates the beginning of .debug_line, and so fixes its place in memory before threads inflate more of it. */
enum locus_status dwarf_begin_lines(struct dwarf *dwarf, struct locus_error *error);

/*
 * Decides by the abbreviations whether .debug_info has to be there as a whole, and begins to inflate it then.
 * .debug_abbrev is prepared. dwarf_prepare does this, too: whoever did it before only did it earlier.
 */
enum locus_status dwarf_begin_info(struct dwarf *dwarf, struct locus_error *error);

/*
 * Inflates some more of .debug_str. False: all of it is there already, or it is damaged, which whoever needs it is told
 * of.
 */
bool dwarf_advance_strings(struct dwarf *dwarf);

/*
 * Maps the next pages of a .debug_info that is read as it lies in the file: *mapped bytes are mapped already, at first
 * 0. False: it is no such section, or all of it is mapped, or so much that more would raise the peak of resident
 * memory.
 */
bool dwarf_map_info(struct dwarf *dwarf, size_t *mapped);

/*
 * Prepares all sections that are not prepared yet, and decides refers_across. Left out are .debug_line, which is
 * inflated as units are opened; .debug_info if no unit refers to another, or with units_in_order, as its units are
 * handed out; and with units_in_order long lists of ranges, and .debug_str, which one thread inflates while another
 * begins with .debug_info. To be called once, before any unit is opened.
 */
enum locus_status dwarf_prepare(struct dwarf *dwarf, struct locus_error *error);

/* Prepares the alternate file `alt`, to which units of `dwarf` refer. A failure names it. `alt` is borrowed. */
enum locus_status dwarf_add_alternate(struct dwarf *dwarf, struct dwarf *alt, struct locus_error *error);

/*
 * Puts the path of a .dwo or .dwp before what is wrong in it, as the message would be taken for one about the program.
 * Returns `status`.
 */
enum locus_status dwarf_name_split(const struct dwarf *dwarf, enum locus_status status, struct locus_error *error);

/* Gives back all sections except those with strings, once no unit is read any more. */
void dwarf_drop_sections(struct dwarf *dwarf);

/* Tells the budget what is read from where; see budget_at. */
void dwarf_at(const struct dwarf *dwarf, enum debug_section which, uint64_t offset, const char *what);

/*
 * Like dwarf_prepare, if only some units will be read: sections that can be inflated as they are needed are left. These
 * are .debug_str, .debug_line, .debug_ranges and .debug_rnglists, and .debug_info if no unit refers to another.
 */
enum locus_status dwarf_prepare_some(struct dwarf *dwarf, struct locus_error *error);

static inline struct section *dwarf_section(const struct dwarf *dwarf, enum debug_section which)
{
	return &dwarf->file->sections[which];
}

#endif
