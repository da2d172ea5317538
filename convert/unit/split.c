/*
 * First scopes: a sweep over all ranges, in the order of their starts, keeps those that are open by their ends and, for
 * each scope, the list of its open children, the last opened first; following the first ones down from the function
 * gives the innermost. Compilers write ranges that nest, so what opens is nearly always inside the innermost, and what
 * closes is the innermost: then nothing is followed. Then rows: the segments of a part and its rows are walked
 * together.
 */
#include "convert/unit/split.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/budget.h"
#include "base/sort.h"

#define NONE UINT32_MAX

/* A range of a scope; while it is open it is linked into its parent's list of open children. */
struct split_entry {
	uint64_t start;
	uint64_t end;
	uint32_t scope;
	uint32_t parent; /* of the scope; NONE for the function */
	uint32_t below;
	uint32_t above;
};

void splitter_done(struct splitter *s)
{
	free(s->starts);
	free(s->sorted);
	free(s->entries);
	free(s->open);
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
	    !array_reserve(&s->open, &s->open_room, total, sizeof(*s->open)) ||
	    !array_reserve(&s->starts, &s->start_room, total, sizeof(*s->starts)) ||
	    !array_reserve(&s->sorted, &s->sorted_room, s->start_room, sizeof(*s->sorted)) ||
	    !array_reserve(&s->segments, &s->segment_room, 2 * total, sizeof(*s->segments)) ||
	    !array_reserve(&s->tops, &s->top_room, scope_count + UINT64_C(1), sizeof(*s->tops)))
		return false;
	/* The two are exchanged while sorting, so they must have the same size. */
	s->start_room = s->sorted_room = s->start_room < s->sorted_room ? s->start_room : s->sorted_room;
	return true;
}

static void add_entry(struct splitter *s, uint32_t *count, const struct split_scope *scopes, uint32_t scope,
		      const struct range *range)
{
	s->starts[*count] = (struct sort_key){range->start, *count};
	s->entries[(*count)++] = (struct split_entry){
		.start = range->start,
		.end = range->end,
		.scope = scope,
		.parent = scope ? scopes[scope].parent : NONE,
	};
}

/* Fills entries and their starts. *ret_count is their number. */
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

	for (uint32_t i = 0; i < scope_count; i++) {
		const struct range *range = ranges + scopes[i].range_first;
		for (uint32_t k = 0; k < scopes[i].range_count; k++, range++) {
			if (range->start >= range->end)
				continue;
			uint32_t count = truncated ? truncated_parents(scopes, ranges, i, range, parents) : 0;
			while (count)
				add_entry(s, &entry, scopes, parents[--count], range);
			add_entry(s, &entry, scopes, i, range);
		}
	}
	*ret_count = entry;
	return true;
}

/* The sweep over the ranges of a function. Its arrays are the splitter's. */
struct sweep {
	struct split_entry *entries;
	uint32_t *open;      /* entries; the one that ends first is the last */
	uint32_t *tops;      /* by parent + 1: its open child that answers; [0]: the function itself */
	struct segment *end; /* of the segments so far */
	const struct segment *first;
	uint32_t open_count;
	uint32_t owner; /* the scope that answers, from `from` on; NONE */
	uint64_t from;
	uint64_t work; /* steps that the number of ranges does not bound, not counted in the budget yet */
};

/* The innermost of the scopes that are open in `scope`, or itself; of NONE, in the function. */
static inline uint32_t innermost(struct sweep *sweep, uint32_t scope)
{
	for (uint32_t top; (top = sweep->tops[scope + 1]) != NONE; sweep->work++)
		scope = sweep->entries[top].scope;
	return scope;
}

/*
 * From `addr` on `scope` answers. The one before gets its segment; that of the same scope goes on if it ends where this
 * one begins.
 */
static inline void change_owner(struct sweep *sweep, uint64_t addr, uint32_t scope)
{
	if (sweep->owner != NONE && sweep->from < addr) {
		if (sweep->end > sweep->first && sweep->end[-1].scope == sweep->owner &&
		    sweep->end[-1].end == sweep->from)
			sweep->end[-1].end = addr;
		else
			*sweep->end++ = (struct segment){sweep->from, addr, sweep->owner};
	}
	sweep->owner = scope;
	sweep->from = addr;
}

static inline void open_entry(struct sweep *sweep, uint32_t index)
{
	struct split_entry *entry = &sweep->entries[index];
	uint32_t *top = &sweep->tops[entry->parent + 1], at = sweep->open_count++;
	for (; at && sweep->entries[sweep->open[at - 1]].end < entry->end; at--, sweep->work++)
		sweep->open[at] = sweep->open[at - 1];
	sweep->open[at] = index;

	entry->below = *top;
	entry->above = NONE;
	if (*top != NONE)
		sweep->entries[*top].above = index;
	*top = index;
	change_owner(sweep, entry->start, innermost(sweep, sweep->owner == entry->parent ? entry->scope : NONE));
}

static inline void close_entry(struct sweep *sweep, const struct split_entry *entry)
{
	if (entry->below != NONE)
		sweep->entries[entry->below].above = entry->above;
	if (entry->above != NONE) {
		sweep->entries[entry->above].below = entry->below;
		return; /* another one answers instead of it */
	}
	sweep->tops[entry->parent + 1] = entry->below;
	change_owner(sweep, entry->end, innermost(sweep, sweep->owner == entry->scope ? entry->parent : NONE));
}

/* Closes the entries that end at `addr` or before it. */
static inline void close_until(struct sweep *sweep, uint64_t addr)
{
	for (; sweep->open_count; sweep->open_count--) {
		const struct split_entry *last = &sweep->entries[sweep->open[sweep->open_count - 1]];
		if (last->end > addr)
			break;
		close_entry(sweep, last);
	}
}

bool split_scopes(struct splitter *s, const struct split_scope *scopes, uint32_t scope_count,
		  const struct range *ranges, bool truncated)
{
	uint32_t count;
	s->segment_count = 0;
	if (!gather(s, scopes, scope_count, ranges, truncated, &count))
		return false;
	sort_keys(&s->starts, &s->sorted, count);
	memset(s->tops, 0xff, (scope_count + 1) * sizeof(*s->tops));

	/* A copy, so that the compiler may keep it in registers. */
	struct sweep sweep = {s->entries, s->open, s->tops, s->segments, s->segments, 0, NONE, 0, s->work};
	for (uint32_t i = 0; i <= count && budget_count(&sweep.work, 0); i++) {
		close_until(&sweep, i < count ? s->starts[i].addr : UINT64_MAX);
		if (i < count)
			open_entry(&sweep, s->starts[i].value);
	}
	s->segment_count = (uint32_t)(sweep.end - s->segments);
	s->work = sweep.work;
	return sweep.open_count == 0; /* else the budget is exceeded */
}

/* Adds an interval unless it says the same as the last one, of which `last` is a copy. */
static inline bool add_interval(struct interval_list *list, struct interval *last, const struct interval *interval)
{
	if (last->context == interval->context && last->line == interval->line && last->file == interval->file &&
	    last->column == interval->column)
		return true;
	if (!array_reserve(&list->intervals, &list->room, list->count + UINT64_C(1), sizeof(*list->intervals)))
		return false;
	list->intervals[list->count++] = *last = *interval;
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
	const struct segment *segment = segments;
	const uint64_t base = segments[0].start, part_end = segments[segment_count - 1].end;
	struct interval last = {.context = NONE};
	uint64_t addr = base, unknown = 0;
	for (uint32_t i = 0; addr < part_end; i++) {
		/* Before a span and behind the last one nothing is known. */
		const struct row_span *span = i < covering->span_count ? &covering->spans[i] : NULL;
		const uint64_t start = span && span->start < part_end ? span->start : part_end;
		while (addr < start) {
			const struct interval none = {(uint32_t)(addr - base), contexts[segment->scope], 0, 0, 0};
			uint64_t next = segment->end < start ? segment->end : start;
			if (!add_interval(list, &last, &none))
				return false;
			unknown += next - addr;
			addr = next;
			segment += addr == segment->end;
		}
		if (!span || span->end <= addr)
			continue;

		/*
		 * In a span, its first row is searched, and the others follow it. Whether a row or a segment ends next
		 * can hardly be foreseen, so neither is asked for by a branch.
		 */
		const uint64_t end = span->end < part_end ? span->end : part_end;
		const uint32_t row_last = span->row_first + span->row_count - 1;
		uint32_t row = addr < end ? row_at(rows, span, addr) : 0;
		while (addr < end) {
			const struct interval interval = {
				(uint32_t)(addr - base), contexts[segment->scope],   rows[row].file,
				rows[row].line,          columns ? columns[row] : 0,
			};
			uint64_t row_end = rows[row + (row < row_last)].addr, next = segment->end;
			row_end = row < row_last && row_end < end ? row_end : end;
			next = row_end < next ? row_end : next;
			if (!add_interval(list, &last, &interval))
				return false;
			unknown += interval.line ? 0 : next - addr;
			segment += segment->end == next;
			row += row_end == next;
			addr = next;
		}
	}
	list->line_bytes += part_end - base - unknown;
	return true;
}
