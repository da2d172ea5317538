/*
 * First scopes: a sweep over the starts and ends of all ranges keeps, for each scope, the list of its open children,
 * the last opened first; following the first ones down from the function gives the innermost. Then rows: the segments
 * of a part and its rows are walked together.
 */
#include "convert/unit/split.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/budget.h"
#include "base/sort.h"

#define NONE UINT32_MAX

enum { WORK_NOT_COUNTED = 1 << 12 }; /* steps */

/*
 * In the key of an event: a range opens. At one address closings come before openings, and each in the order of the
 * entries.
 */
#define OPENS UINT32_C(0x80000000)

/* A range of a scope; while it is open it is linked into its parent's list of open children. */
struct split_entry {
	uint32_t scope;
	uint32_t below;
	uint32_t above;
};

void splitter_done(struct splitter *s)
{
	free(s->events);
	free(s->sorted);
	free(s->entries);
	free(s->tops);
	free(s->segments);
	*s = (struct splitter){0};
}

/* At most so many scopes around an inlinee also get its range: only crafted input has more. */
enum { TRUNCATED_MAX = 16 };

/*
 * Finds the scopes around `scope` whose only range does not hold this one: they cover it too. Returns their number.
 */
static uint32_t truncated_parents(const struct split_scope *scopes, const struct range *ranges, uint32_t scope,
				  const struct range *range, uint32_t ret[TRUNCATED_MAX])
{
	uint32_t count = 0;
	for (uint32_t at = scope; at && count < TRUNCATED_MAX; ret[count++] = at) {
		at = scopes[at].parent;
		const struct range *own = ranges + scopes[at].range_first;
		bool holds = scopes[at].range_count && own->start <= range->start && own->end >= range->end;
		if (scopes[at].range_count > 1 || holds)
			break;
	}
	return count;
}

/* Makes room for `total` ranges. */
static bool reserve(struct splitter *s, uint64_t total, uint32_t scope_count)
{
	if (!array_reserve(&s->entries, &s->entry_room, total, sizeof(*s->entries)) ||
	    !array_reserve(&s->events, &s->event_room, 2 * total, sizeof(*s->events)) ||
	    !array_reserve(&s->sorted, &s->sorted_room, s->event_room, sizeof(*s->sorted)) ||
	    !array_reserve(&s->segments, &s->segment_room, 2 * total, sizeof(*s->segments)) ||
	    !array_reserve(&s->tops, &s->top_room, scope_count + UINT64_C(1), sizeof(*s->tops)))
		return false;
	/* The two are exchanged while sorting, so they must have the same size. */
	s->event_room = s->sorted_room = s->event_room < s->sorted_room ? s->event_room : s->sorted_room;
	return true;
}

static void add_entry(struct splitter *s, uint32_t *count, uint32_t scope, const struct range *range)
{
	s->events[*count] = (struct sort_key){range->end, *count};
	s->sorted[*count] = (struct sort_key){range->start, OPENS | *count};
	s->entries[(*count)++].scope = scope;
}

/* Fills events and entries. *ret_count is the number of entries; there are two events to each. */
static bool gather(struct splitter *s, const struct split_scope *scopes, uint32_t scope_count,
		   const struct range *ranges, bool truncated, uint32_t *ret_count)
{
	uint32_t parents[TRUNCATED_MAX], entry = 0;
	uint64_t total = 0;
	for (uint32_t i = 0; i < scope_count; i++) {
		const struct range *range = ranges + scopes[i].range_first;
		total += scopes[i].range_count;
		for (uint32_t k = 0; truncated && k < scopes[i].range_count; k++)
			total += truncated_parents(scopes, ranges, i, &range[k], parents);
	}
	if (!reserve(s, total, scope_count))
		return false;

	/* At one address ranges close before others open, and each in the order of the entries. */
	for (uint32_t i = 0; i < scope_count; i++) {
		const struct range *range = ranges + scopes[i].range_first;
		for (uint32_t k = 0; k < scopes[i].range_count; k++, range++) {
			if (range->start >= range->end)
				continue;
			uint32_t count = truncated ? truncated_parents(scopes, ranges, i, range, parents) : 0;
			while (count)
				add_entry(s, &entry, parents[--count], range);
			add_entry(s, &entry, i, range);
		}
	}
	if (entry)
		memcpy(s->events + entry, s->sorted, entry * sizeof(*s->sorted));
	*ret_count = entry;
	return true;
}

/* tops[parent + 1] is the open child that answers; tops[0] is for the function itself. */
static uint32_t *top_of(struct splitter *s, const struct split_scope *scopes, uint32_t scope)
{
	return &s->tops[scope ? scopes[scope].parent + 1 : 0];
}

static void apply_event(struct splitter *s, const struct split_scope *scopes, uint32_t order)
{
	uint32_t index = order & ~OPENS;
	struct split_entry *entry = &s->entries[index];
	uint32_t *top = top_of(s, scopes, entry->scope);
	if (order & OPENS) {
		entry->below = *top;
		entry->above = NONE;
		if (*top != NONE)
			s->entries[*top].above = index;
		*top = index;
		return;
	}

	if (entry->below != NONE)
		s->entries[entry->below].above = entry->above;
	if (entry->above != NONE)
		s->entries[entry->above].below = entry->below;
	else
		*top = entry->below;
}

/* Adds the scopes that are passed to *work: many may be open at once, and are passed again at each address. */
static uint32_t innermost(const struct splitter *s, uint64_t *work)
{
	uint32_t scope = NONE;
	uint64_t passed = 0;
	for (uint32_t top = s->tops[0]; top != NONE; top = s->tops[scope + 1], passed++)
		scope = s->entries[top].scope;
	*work += passed;
	return scope;
}

bool split_scopes(struct splitter *s, const struct split_scope *scopes, uint32_t scope_count,
		  const struct range *ranges, bool truncated)
{
	uint32_t entry_count, owner = NONE;
	uint64_t from = 0, work = 0;
	s->segment_count = 0;
	if (!gather(s, scopes, scope_count, ranges, truncated, &entry_count))
		return false;
	sort_keys(&s->events, &s->sorted, 2 * entry_count);
	memset(s->tops, 0xff, (scope_count + 1) * sizeof(*s->tops));
	for (uint32_t i = 0; i < 2 * entry_count;) {
		uint64_t addr = s->events[i].addr;
		for (; i < 2 * entry_count && s->events[i].addr == addr; i++)
			apply_event(s, scopes, s->events[i].value);
		uint32_t next = innermost(s, &work);
		if (next == owner)
			continue;
		if (owner != NONE)
			s->segments[s->segment_count++] = (struct segment){from, addr, owner};
		owner = next;
		from = addr;
	}
	/* For a usual function this is not worth counting. */
	return work < WORK_NOT_COUNTED || budget_spend(work);
}

static bool add_interval(struct interval_list *list, uint32_t first, const struct interval *interval)
{
	if (list->count > first) {
		const struct interval *last = &list->intervals[list->count - 1];
		if (last->context == interval->context && last->file == interval->file &&
		    last->line == interval->line && last->column == interval->column)
			return true;
	}
	if (!array_reserve(&list->intervals, &list->room, list->count + UINT64_C(1), sizeof(*list->intervals)))
		return false;
	list->intervals[list->count++] = *interval;
	return true;
}

/* Finds the last row of the span at or below `addr`. */
static uint32_t row_at(const struct split_row *rows, const struct row_span *span, uint64_t addr)
{
	uint32_t above;
	SEARCH_FIRST(above, span->row_first + 1, span->row_first + span->row_count, rows[above].addr > addr);
	return above - 1;
}

bool split_rows(const struct segment *segments, uint32_t segment_count, const struct covering_rows *covering,
		const uint32_t *contexts, struct interval_list *list)
{
	const struct split_row *rows = covering->rows;
	const uint32_t *columns = covering->columns;
	const struct row_span *span = covering->spans;
	const struct row_span *span_end = covering->span_count ? span + covering->span_count : span;
	uint64_t base = segments[0].start, addr = base;
	uint32_t first = list->count, row = NONE;
	for (uint32_t i = 0; i < segment_count; i++) {
		const struct segment *segment = &segments[i];
		while (addr < segment->end) {
			struct interval interval = {.start = (uint32_t)(addr - base),
						    .context = contexts[segment->scope]};
			uint64_t next = segment->end;
			while (span < span_end && span->end <= addr) {
				span++;
				row = NONE;
			}

			/*
			 * Between spans nothing is known. In a span, its first row is searched, and the others follow
			 * it.
			 */
			if (span < span_end && span->start > addr) {
				next = span->start < next ? span->start : next;
			} else if (span < span_end) {
				uint32_t last = span->row_first + span->row_count - 1;
				if (row == NONE)
					row = row_at(rows, span, addr);
				while (row < last && rows[row + 1].addr <= addr)
					row++;
				uint64_t row_end =
					row < last && rows[row + 1].addr < span->end ? rows[row + 1].addr : span->end;
				next = row_end < next ? row_end : next;
				interval.file = rows[row].file;
				interval.line = rows[row].line;
				interval.column = columns ? columns[row] : 0;
			}
			if (!add_interval(list, first, &interval))
				return false;
			addr = next;
		}
	}
	return true;
}
