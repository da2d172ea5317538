/* Memory is given back a few MiB at a time, because each time interrupts every processor. */
#include "convert/schedule/passed_sections.h"

#include <stdlib.h>

#include "convert/dwarf/die_reference.h"

enum {
	KEPT = 1 << 20,  /* bytes below what was reached that stay, as units do not quite read a section in its order */
	STEP = 2 << 20,  /* inflated bytes given back at a time */
	AHEAD = 1 << 20, /* bytes inflated beyond what was reached */
};

/* `reads_all`: as in passed_sections_init. */
static struct passing begin(const struct passed_sections *passed, enum debug_section which, bool reads_all)
{
	struct passing passing = {.section = dwarf_section(passed->dwarf, which)};
	if (reads_all && passing.section->inflater)
		passing.floors = malloc(passed->thread_count * sizeof(*passing.floors));
	for (unsigned i = 0; passing.floors && i < passed->thread_count; i++)
		atomic_init(&passing.floors[i], UINT64_MAX);
	return passing;
}

void passed_sections_init(struct passed_sections *passed, struct dwarf *dwarf, bool reads_all, unsigned thread_count)
{
	*passed = (struct passed_sections){.dwarf = dwarf, .thread_count = thread_count};
	short_lock_init(&passed->lock);
	passed->lines = begin(passed, DEBUG_LINE, reads_all);
	passed->ranges = begin(passed, DEBUG_RANGES, reads_all);
	passed->rnglists = begin(passed, DEBUG_RNGLISTS, reads_all);

	/*
	 * Units that are opened for references need .debug_info as a whole. Where few may be, that is seen to when the
	 * first is (dwarf_need_info).
	 */
	bool refers_across = dwarf->refers_across && !dwarf->across_seldom;
	if (reads_all && refers_across && dwarf_section(dwarf, DEBUG_INFO)->inflater)
		passed->info_floors = calloc(thread_count, sizeof(*passed->info_floors));
}

void passed_sections_done(struct passed_sections *passed)
{
	free(passed->lines.floors);
	free(passed->ranges.floors);
	free(passed->rnglists.floors);
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
	enum { PAGES_KEPT = 2 << 20, PAGES_STEP = 4 << 20 };
	struct extent passed = {*released, *released};
	if (reached >= *released + PAGES_KEPT + PAGES_STEP)
		passed.to = *released = reached - PAGES_KEPT;
	return passed;
}

/*
 * Gives inflated bytes back that no thread can be reading. If a later unit has its part there, that is inflated again.
 * The thread itself is done with its unit. The caller has the lock.
 */
static void forget(const struct passed_sections *passed, struct passing *passing, unsigned thread)
{
	uint64_t end = passing->reached;
	for (unsigned i = 0; i < passed->thread_count; i++) {
		const uint64_t floor = atomic_load_explicit(&passing->floors[i], memory_order_acquire);
		if (i != thread && floor < end)
			end = floor;
	}
	if (end < passing->released + KEPT + STEP)
		return;
	section_forget(passing->section, end - KEPT);
	passing->released = end - KEPT;
}

/*
 * The thread is done with a part that ends at `end`, unless that lies behind what can have been read: then it is in
 * another file. Says which pages to give back. The caller has the lock.
 */
static struct extent pass(const struct passed_sections *passed, struct passing *passing, unsigned thread, uint64_t end)
{
	if (end > passing->reached && section_has(passing->section, end) && end <= passing->section->size)
		passing->reached = end;
	if (!passing->floors)
		return pass_behind(&passing->released, passing->reached);
	forget(passed, passing, thread);
	return (struct extent){0};
}

/*
 * Gives .debug_info back where it is inflated in place. The thread has read what lies below `end`, and the other
 * threads what lies below the ends of their last units. The caller has the lock.
 */
static void forget_info(struct passed_sections *passed, unsigned thread, uint64_t end)
{
	passed->info_floors[thread] = end;
	for (unsigned i = 0; i < passed->thread_count; i++)
		end = passed->info_floors[i] < end ? passed->info_floors[i] : end;
	if (end < passed->info_released + STEP || !die_index_pass(passed->dwarf, end))
		return;
	section_forget(dwarf_section(passed->dwarf, DEBUG_INFO), end);
	passed->info_released = end;
}

/* Sets from where on the thread may still read. */
static void set_floor(struct passing *passing, unsigned thread, uint64_t floor)
{
	if (passing->floors)
		atomic_store_explicit(&passing->floors[thread], floor, memory_order_release);
}

/*
 * Sets from where on the thread may read lists of the unit that it begins now, and returns that place: those below may
 * be given back meanwhile. The caller has the lock.
 */
static uint64_t begin_lists(struct passing *passing, unsigned thread)
{
	set_floor(passing, thread, passing->reached);
	return passing->floors && passing->reached > KEPT ? passing->reached - KEPT : 0;
}

/* Inflates some bytes ahead, so that threads seldom meet where they need a part that is not there yet. */
static void advance(struct section *section, uint64_t reached)
{
	if (!section_has(section, reached + AHEAD))
		section_advance(section);
}

struct list_places passed_sections_begin_unit(struct passed_sections *passed, unsigned thread)
{
	short_lock_take(&passed->lock);
	const uint64_t lines = passed->lines.reached;
	const struct list_places lists = {passed->ranges.reached, passed->rnglists.reached};
	set_floor(&passed->lines, thread, lines);
	const struct list_places floors = {begin_lists(&passed->ranges, thread),
					   begin_lists(&passed->rnglists, thread)};
	short_lock_release(&passed->lock);

	if (passed->thread_count > 1) {
		advance(passed->lines.section, lines);
		advance(passed->ranges.section, lists.ranges);
		advance(passed->rnglists.section, lists.rnglists);
	}
	return floors;
}

void passed_sections_note_table(struct passed_sections *passed, unsigned thread, uint64_t offset)
{
	const atomic_uint_least64_t *floors = passed->lines.floors;
	const bool is_lower = floors && offset < atomic_load_explicit(&floors[thread], memory_order_relaxed);
	if (is_lower)
		short_lock_take(&passed->lock);
	set_floor(&passed->lines, thread, offset);
	if (is_lower)
		short_lock_release(&passed->lock);
}

/* The thread reads nothing until it begins the next unit. */
static void set_no_floors(struct passed_sections *passed, unsigned thread)
{
	set_floor(&passed->lines, thread, UINT64_MAX);
	set_floor(&passed->ranges, thread, UINT64_MAX);
	set_floor(&passed->rnglists, thread, UINT64_MAX);
}

void passed_sections_end_unit(struct passed_sections *passed, unsigned thread, uint64_t end,
			      const struct line_header *lines, const struct list_places *lists)
{
	struct extent info_passed = {0};
	short_lock_take(&passed->lock);
	if (passed->info_floors)
		forget_info(passed, thread, end);
	else
		info_passed = pass_behind(&passed->info_released, end);
	struct extent lines_passed = pass(passed, &passed->lines, thread, lines->version ? lines->end : 0);
	struct extent ranges_passed = pass(passed, &passed->ranges, thread, lists->ranges);
	struct extent rnglists_passed = pass(passed, &passed->rnglists, thread, lists->rnglists);
	set_no_floors(passed, thread);
	short_lock_release(&passed->lock);

	section_release(dwarf_section(passed->dwarf, DEBUG_INFO), info_passed.from, info_passed.to);
	section_release(passed->lines.section, lines_passed.from, lines_passed.to);
	section_release(passed->ranges.section, ranges_passed.from, ranges_passed.to);
	section_release(passed->rnglists.section, rnglists_passed.from, rnglists_passed.to);
}

void passed_sections_leave(struct passed_sections *passed, unsigned thread)
{
	short_lock_take(&passed->lock);
	if (passed->info_floors)
		passed->info_floors[thread] = UINT64_MAX;
	short_lock_release(&passed->lock);
}
