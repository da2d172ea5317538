/*
 * What all threads have read of .debug_info, .debug_line, .debug_ranges and .debug_rnglists is given back behind them:
 * pages of the file, which would come back if they were read again, or inflated bytes, which would have to be inflated
 * again.
 */
#ifndef LOCUS_PASSED_SECTIONS_H
#define LOCUS_PASSED_SECTIONS_H

#include <stdatomic.h>

#include "base/short_lock.h"
#include "convert/dwarf/dwarf_file.h"
#include "convert/dwarf/line_header.h"

/*
 * A section of which units read parts, mostly from front to back: their line tables, or their lists of ranges. What is
 * given back ends some way below what is said here, because the order is not strict.
 */
struct passing {
	struct section *section;
	uint64_t released; /* the bytes below this were given back */
	uint64_t reached;  /* the highest end of a part that is done */
	/*
	 * By thread, where the part begins that it may still read, or UINT64_MAX, while it has no unit; NULL: nothing
	 * is given back that would have to be inflated again. A thread raises its own at any time, and lowers it only
	 * with the lock, for whoever has the lock may be giving back what lies below all of them.
	 */
	atomic_uint_least64_t *floors;
};

struct passed_sections {
	struct dwarf *dwarf;
	unsigned thread_count;

	struct short_lock lock; /* guards the fields below */
	struct passing lines, ranges, rnglists;
	uint64_t info_released; /* the bytes of .debug_info below this were given back */
	/* As in struct passing, but a thread may also read what units have referred to, which section_keep has kept. */
	uint64_t *info_floors;
};

/*
 * `dwarf` is borrowed, and prepared. `reads_all`: all units are read, in the file's order. Freed by
 * passed_sections_done.
 */
void passed_sections_init(struct passed_sections *passed, struct dwarf *dwarf, bool reads_all, unsigned thread_count);
void passed_sections_done(struct passed_sections *passed);

/*
 * What each thread says while it reads units. It calls passed_sections_begin_unit as soon as it has taken a unit, so
 * that few bytes, if any, that the unit has were given back by then, and passed_sections_note_table before it reads a
 * line table: those at `offset` or behind stay from then on, and the ones that were given back before have to be
 * recalled. Of lists of ranges it may read those at, or behind, the places that passed_sections_begin_unit returns:
 * they become its unit's floors. With passed_sections_end_unit it is done with what is below `end` of .debug_info, with
 * the table `lines`, whose version is 0 if it has none, and with the lists below `lists`, which may also be places in
 * the file of a split unit. Until it begins the next one, for which it may have to wait long, all lines and lists may
 * be given back. passed_sections_leave says that it reads no further unit.
 */
struct list_places passed_sections_begin_unit(struct passed_sections *passed, unsigned thread);
void passed_sections_note_table(struct passed_sections *passed, unsigned thread, uint64_t offset);
void passed_sections_end_unit(struct passed_sections *passed, unsigned thread, uint64_t end,
			      const struct line_header *lines, const struct list_places *lists);
void passed_sections_leave(struct passed_sections *passed, unsigned thread);

#endif
