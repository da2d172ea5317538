/* Memory is given back a few MiB at a time, because each time interrupts every processor. */
#include "convert/schedule/passed_sections.h"

#include <stdlib.h>

#include "convert/dwarf/die_reference.h"

void passed_sections_init(struct passed_sections *passed, struct dwarf *dwarf, bool reads_all, unsigned thread_count)
{
	*passed = (struct passed_sections){.dwarf = dwarf, .thread_count = thread_count};
	short_lock_init(&passed->lock);

	/*
	 * Units that are opened for references need .debug_info as a whole. Where few may be, that is seen to when the
	 * first is (dwarf_need_info).
	 */
	bool refers_across = dwarf->refers_across && !dwarf->across_seldom;
	if (reads_all && dwarf_section(dwarf, DEBUG_LINE)->inflater)
		passed->line_floors = calloc(thread_count, sizeof(*passed->line_floors));
	if (reads_all && refers_across && dwarf_section(dwarf, DEBUG_INFO)->inflater)
		passed->info_floors = calloc(thread_count, sizeof(*passed->info_floors));
}

void passed_sections_done(struct passed_sections *passed)
{
	free(passed->line_floors);
	free(passed->info_floors);
	short_lock_done(&passed->lock);
}

/* A part of a section. */
struct extent {
	uint64_t from, to;
};

/*
 * Says which pages of the file to give back. If a slow thread still needs some of them, they come back, so the lock is
 * not needed while they are given back. The caller has the lock.
 */
static struct extent pass_behind(uint64_t *released, uint64_t reached)
{
	enum { KEPT = 2 << 20, STEP = 4 << 20 };
	struct extent passed = {*released, *released};
	if (reached >= *released + KEPT + STEP)
		passed.to = *released = reached - KEPT;
	return passed;
}

/*
 * Gives inflated bytes of .debug_line back that no thread can be reading. If a later unit has its table there, that is
 * inflated again. The thread itself has no unit now. The caller has the lock.
 */
static void forget_lines(struct passed_sections *passed, unsigned thread)
{
	enum { KEPT = 1 << 20, STEP = 2 << 20 };
	uint64_t end = passed->lines_reached;
	for (unsigned i = 0; i < passed->thread_count; i++)
		if (i != thread && passed->line_floors[i] < end)
			end = passed->line_floors[i];
	if (end < passed->lines_released + KEPT + STEP)
		return;
	section_forget(dwarf_section(passed->dwarf, DEBUG_LINE), end - KEPT);
	passed->lines_released = end - KEPT;
}

/*
 * Gives .debug_info back where it is inflated in place. The thread has read what lies below `end`, and the other
 * threads what lies below the ends of their last units. The caller has the lock.
 */
static void forget_info(struct passed_sections *passed, unsigned thread, uint64_t end)
{
	enum { STEP = 2 << 20 };
	passed->info_floors[thread] = end;
	for (unsigned i = 0; i < passed->thread_count; i++)
		end = passed->info_floors[i] < end ? passed->info_floors[i] : end;
	if (end < passed->info_released + STEP || !die_index_pass(passed->dwarf, end))
		return;
	section_forget(dwarf_section(passed->dwarf, DEBUG_INFO), end);
	passed->info_released = end;
}

/* Sets from where on the thread may still read .debug_line. The caller has the lock. */
static void set_line_floor(struct passed_sections *passed, unsigned thread, uint64_t floor)
{
	if (passed->line_floors)
		passed->line_floors[thread] = floor;
}

/* Inflates some of .debug_line ahead, so that threads seldom meet where they need a table that is not there yet. */
static void advance_lines(const struct passed_sections *passed, uint64_t reached)
{
	enum { AHEAD = 1 << 20 };
	struct section *lines = dwarf_section(passed->dwarf, DEBUG_LINE);
	if (passed->thread_count > 1 && !section_has(lines, reached + AHEAD))
		section_advance(lines);
}

void passed_sections_begin_unit(struct passed_sections *passed, unsigned thread)
{
	short_lock_take(&passed->lock);
	uint64_t reached = passed->lines_reached;
	set_line_floor(passed, thread, passed->lines_released);
	short_lock_release(&passed->lock);
	advance_lines(passed, reached);
}

void passed_sections_note_table(struct passed_sections *passed, unsigned thread, uint64_t offset)
{
	short_lock_take(&passed->lock);
	set_line_floor(passed, thread, offset);
	short_lock_release(&passed->lock);
}

void passed_sections_end_unit(struct passed_sections *passed, unsigned thread, uint64_t end,
			      const struct line_header *lines)
{
	struct extent info_passed = {0}, lines_passed = {0};
	short_lock_take(&passed->lock);
	if (passed->info_floors)
		forget_info(passed, thread, end);
	else
		info_passed = pass_behind(&passed->info_released, end);
	if (lines->version && lines->end > passed->lines_reached)
		passed->lines_reached = lines->end;
	if (passed->line_floors)
		forget_lines(passed, thread);
	else
		lines_passed = pass_behind(&passed->lines_released, passed->lines_reached);
	short_lock_release(&passed->lock);

	section_release(dwarf_section(passed->dwarf, DEBUG_INFO), info_passed.from, info_passed.to);
	section_release(dwarf_section(passed->dwarf, DEBUG_LINE), lines_passed.from, lines_passed.to);
}

void passed_sections_leave(struct passed_sections *passed, unsigned thread)
{
	short_lock_take(&passed->lock);
	set_line_floor(passed, thread, UINT64_MAX);
	if (passed->info_floors)
		passed->info_floors[thread] = UINT64_MAX;
	short_lock_release(&passed->lock);
}
