/*
 * What all threads have read of .debug_info and .debug_line is given back behind them: pages of the file, which would
 * come back if they were read again, or inflated bytes, which would have to be inflated again.
 */
#ifndef LOCUS_PASSED_SECTIONS_H
#define LOCUS_PASSED_SECTIONS_H

#include "base/short_lock.h"
#include "convert/dwarf/dwarf_file.h"
#include "convert/dwarf/line_header.h"

struct passed_sections {
	struct dwarf *dwarf;
	unsigned thread_count;

	struct short_lock lock;  /* guards the fields below */
	uint64_t info_released;  /* the bytes below this were given back */
	uint64_t lines_released; /* the same of .debug_line */
	uint64_t lines_reached;  /* the highest end of a line table that is done */

	/*
	 * By thread, where the part begins that it may still read; NULL: nothing is given back that would have to be
	 * inflated again. Of .debug_info a thread may also read what units referred to (section_keep).
	 */
	uint64_t *line_floors, *info_floors;
};

/*
 * `dwarf` is borrowed, and prepared. `reads_all`: all units are read, in the file's order. Freed by
 * passed_sections_done.
 */
void passed_sections_init(struct passed_sections *passed, struct dwarf *dwarf, bool reads_all, unsigned thread_count);
void passed_sections_done(struct passed_sections *passed);

/*
 * What each thread says while it reads units. It may read any line table that is still there from
 * passed_sections_begin_unit on, and from passed_sections_note_table on those at `offset` or behind. With
 * passed_sections_end_unit it is done with what is below `end` of .debug_info, and with the table `lines`, whose
 * version is 0 if it has none. passed_sections_leave says that it reads no further unit.
 */
void passed_sections_begin_unit(struct passed_sections *passed, unsigned thread);
void passed_sections_note_table(struct passed_sections *passed, unsigned thread, uint64_t offset);
void passed_sections_end_unit(struct passed_sections *passed, unsigned thread, uint64_t end,
			      const struct line_header *lines);
void passed_sections_leave(struct passed_sections *passed, unsigned thread);

#endif
