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

#include "base/always_inline.h"
#include "base/array.h"
#include "base/binary_search.h"
#include "base/budget.h"
#include "base/sort.h"

#define NONE UINT32_MAX

/* A range of a scope that is open, linked into its parent's list of open children. */
struct open_range {
	uint64_t end;
	uint32_t scope;
	uint32_t parent; /* of the scope; NONE for the function */
	uint32_t below;
	uint32_t above;
};

static void free_scratch(struct splitter *s)
{
	free(s->scratch);
	s->scratch = NULL;
	s->scratch_room = 0;
}

static void free_keys(struct splitter *s)
{
	free_scratch(s);
	free(s->keys);
	s->keys = NULL;
	s->key_room = 0;
}

void splitter_done(struct splitter *s)
{
	free_keys(s);
	free(s->open);
	free(s->by_end);
	free(s->tops);
	free(s->segments);
	*s = (struct splitter){0};
}

/* Many ranges in one function are rare, and what is made of them next takes more memory again. */
enum { KEYS_KEPT = 1 << 16, SEGMENTS_KEPT = 1 << 16 };

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

/* Adds a key for each scope that a range belongs to: its own and, in DWARF 2, those around it that do not hold it. */
static void add_keys(struct splitter *s, uint32_t *count, const struct split_scope *scopes, const struct range *ranges,
		     uint32_t scope, uint32_t range, bool truncated)
{
	uint32_t parents[TRUNCATED_MAX];
	uint32_t parent_count = truncated ? truncated_parents(scopes, ranges, scope, &ranges[range], parents) : 0;
	while (parent_count)
		s->keys[(*count)++] = (struct sort_key){range, parents[--parent_count]};
	s->keys[(*count)++] = (struct sort_key){range, scope};
}

/*
 * Fills keys, in the order of their ranges' starts; of equal starts, in the order of the scopes. *ret_count is their
 * number. `ranges` is NULL where no scope has one.
 */
static bool gather(struct splitter *s, const struct split_scope *scopes, uint32_t scope_count,
		   const struct range *ranges, bool truncated, uint32_t *ret_count)
{
	uint32_t parents[TRUNCATED_MAX], count = 0;
	uint64_t total = 0, last = 0;
	bool sorted = true;
	for (uint32_t i = 0; i < scope_count; i++) {
		const uint32_t first = scopes[i].range_first;
		total += scopes[i].range_count;
		for (uint32_t k = 0; truncated && k < scopes[i].range_count; k++)
			total += truncated_parents(scopes, ranges, i, &ranges[first + k], parents);
	}
	if (!array_reserve(&s->keys, &s->key_room, total, sizeof(*s->keys)) ||
	    !array_reserve(&s->tops, &s->top_room, scope_count + UINT64_C(1), sizeof(*s->tops)))
		return false;

	for (uint32_t i = 0; i < scope_count; i++) {
		const uint32_t end = scopes[i].range_first + scopes[i].range_count;
		for (uint32_t k = scopes[i].range_first; k < end; k++) {
			if (ranges[k].start >= ranges[k].end)
				continue;
			sorted &= ranges[k].start >= last;
			last = ranges[k].start;
			add_keys(s, &count, scopes, ranges, i, k, truncated);
		}
	}
	*ret_count = count;
	if (sorted)
		return true; /* as nearly always where there is one list */

	if (!array_reserve(&s->scratch, &s->scratch_room, s->key_room, sizeof(*s->scratch)))
		return false;
	/* The two are exchanged while sorting, so they must have the same size. */
	s->key_room = s->scratch_room = s->key_room < s->scratch_room ? s->key_room : s->scratch_room;
	sort_keys(&s->keys, &s->scratch, count, ranges, sizeof(*ranges));
	if (s->scratch_room > KEYS_KEPT)
		free_scratch(s);
	return true;
}

/* The sweep over the ranges of a function. Its arrays are the splitter's. */
struct sweep {
	struct open_range *open;
	uint32_t *by_end; /* places in `open`: `open_count` in use, of which the last ends first; then the others */
	uint32_t *tops;   /* by parent + 1: its open child that answers; [0]: the function itself */
	struct segment *first, *end, *limit; /* of the segments so far, and of their room */
	uint32_t open_count, place_count;
	uint32_t owner; /* the scope that answers, from `from` on; NONE */
	uint64_t from;
	uint64_t reached; /* where the last segment ends, or would if it were not clipped; UINT64_MAX: there is none */
	uint32_t clipped_count;
	uint64_t work; /* steps that the number of ranges does not bound, not counted in the budget yet */
};

/* Makes room for one more open range, and for the segments that end when it opens and when all that are open close. */
static bool reserve(struct splitter *s, struct sweep *sweep)
{
	const uint32_t segment_count = (uint32_t)(sweep->end - sweep->first), place = s->place_count;
	if (!array_reserve(&s->segments, &s->segment_room, segment_count + UINT64_C(2) + sweep->open_count,
			   sizeof(*s->segments)) ||
	    !array_reserve(&s->by_end, &s->by_end_room, place + UINT64_C(1), sizeof(*s->by_end)) ||
	    !array_reserve(&s->open, &s->open_room, place + UINT64_C(1), sizeof(*s->open)))
		return false;
	if (sweep->open_count == place)
		s->by_end[s->place_count++] = place;
	sweep->first = s->segments;
	sweep->end = s->segments + segment_count;
	sweep->limit = s->segments + s->segment_room;
	sweep->by_end = s->by_end;
	sweep->open = s->open;
	sweep->place_count = s->place_count;
	return true;
}

/* The innermost of the scopes that are open in `scope`, or itself; of NONE, in the function. */
static inline uint32_t innermost(struct sweep *sweep, uint32_t scope)
{
	for (uint32_t top; (top = sweep->tops[scope + 1]) != NONE; sweep->work++)
		scope = sweep->open[top].scope;
	return scope;
}

/*
 * From `addr` on `scope` answers. The one before gets its segment; that of the same scope goes on if it ends where this
 * one begins. No code is longer than a size can say: the segment is clipped then.
 */
static inline void change_owner(struct sweep *sweep, uint64_t addr, uint32_t scope)
{
	if (sweep->owner != NONE && sweep->from < addr) {
		if (sweep->reached != sweep->from || sweep->end[-1].scope != sweep->owner)
			*sweep->end++ = (struct segment){.start = sweep->from, .scope = sweep->owner};
		struct segment *last = &sweep->end[-1];
		last->size = (uint32_t)(addr - last->start);
		if (__builtin_expect(addr - last->start > UINT32_MAX, 0)) {
			sweep->clipped_count += sweep->from - last->start <= UINT32_MAX; /* else it was before */
			last->size = UINT32_MAX;
		}
		sweep->reached = addr;
	}
	sweep->owner = scope;
	sweep->from = addr;
}

/* Lets an open range end at `end`, if it ends before that. */
static void extend_range(struct sweep *sweep, uint32_t place, uint64_t end)
{
	uint32_t at = sweep->open_count - 1;
	if (sweep->open[place].end >= end)
		return;
	for (; sweep->by_end[at] != place; at--)
		sweep->work++;
	for (; at && sweep->open[sweep->by_end[at - 1]].end < end; at--, sweep->work++)
		sweep->by_end[at] = sweep->by_end[at - 1];
	sweep->by_end[at] = place;
	sweep->open[place].end = end;
}

/* Opens the range for `scope`, whose parent is `parent`. There is room for it. */
static inline void open_range(struct sweep *sweep, const struct range *range, uint32_t scope, uint32_t parent)
{
	uint32_t *top = &sweep->tops[parent + 1];
	if (*top != NONE && sweep->open[*top].scope == scope) {
		extend_range(sweep, *top, range->end); /* it answers as this one would */
		return;
	}
	uint32_t at = sweep->open_count++, place = sweep->by_end[at];
	for (; at && sweep->open[sweep->by_end[at - 1]].end < range->end; at--, sweep->work++)
		sweep->by_end[at] = sweep->by_end[at - 1];
	sweep->by_end[at] = place;

	sweep->open[place] = (struct open_range){range->end, scope, parent, .below = *top, .above = NONE};
	if (*top != NONE)
		sweep->open[*top].above = place;
	*top = place;
	change_owner(sweep, range->start, innermost(sweep, sweep->owner == parent ? scope : NONE));
}

static inline void close_range(struct sweep *sweep, const struct open_range *closing)
{
	if (closing->below != NONE)
		sweep->open[closing->below].above = closing->above;
	if (closing->above != NONE) {
		sweep->open[closing->above].below = closing->below;
		return; /* another one answers instead of it */
	}
	sweep->tops[closing->parent + 1] = closing->below;
	change_owner(sweep, closing->end, innermost(sweep, sweep->owner == closing->scope ? closing->parent : NONE));
}

/* Closes the ranges that end at `addr` or before it. */
static ALWAYS_INLINE void close_until(struct sweep *sweep, uint64_t addr)
{
	for (; sweep->open_count; sweep->open_count--) {
		const struct open_range *last = &sweep->open[sweep->by_end[sweep->open_count - 1]];
		if (last->end > addr)
			break;
		close_range(sweep, last);
	}
}

void splitter_trim(struct splitter *s)
{
	if (s->segment_room <= SEGMENTS_KEPT)
		return;
	free(s->segments);
	s->segments = NULL;
	s->segment_count = s->segment_room = 0;
}

bool split_scopes(struct splitter *s, const struct split_scope *scopes, uint32_t scope_count,
		  const struct range *ranges, bool truncated)
{
	uint32_t count;
	s->segment_count = 0;
	if (!gather(s, scopes, scope_count, ranges, truncated, &count))
		return false;
	memset(s->tops, 0xff, (scope_count + 1) * sizeof(*s->tops));

	/* A copy, so that the compiler may keep it in registers. */
	struct sweep sweep = {.tops = s->tops, .owner = NONE, .reached = UINT64_MAX, .work = s->work};
	if (!reserve(s, &sweep))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t scope = s->keys[i].value;
		const struct range *range = &ranges[s->keys[i].element];
		bool has_room = sweep.limit - sweep.end >= (ptrdiff_t)sweep.open_count + 2;
		if ((!has_room || sweep.open_count == sweep.place_count) && !reserve(s, &sweep))
			return false;
		close_until(&sweep, range->start);
		open_range(&sweep, range, scope, scope ? scopes[scope].parent : NONE);
		if (!budget_count(&sweep.work, 0))
			return false;
	}
	close_until(&sweep, UINT64_MAX);
	s->segment_count = (uint32_t)(sweep.end - s->segments);
	s->clipped_count = sweep.clipped_count;
	s->work = sweep.work;
	if (s->key_room > KEYS_KEPT)
		free_keys(s);
	return true;
}

/* Makes room for another interval in a list that is full. */
static bool make_room(struct interval_list *list)
{
	enum { HELD_MAX = 1 << 16 };
	if (!list->sink.take || list->count < HELD_MAX)
		return array_reserve(&list->intervals, &list->room, list->count + UINT64_C(1),
				     sizeof(*list->intervals));
	const uint32_t count = list->count;
	list->count = 0;
	return list->sink.take(list->sink.context, list->intervals, count);
}

/* A list while intervals are added to it, and what the last one said: a copy, so that it stays in registers. */
struct adding {
	struct interval_list *list; /* its count is set when all are added */
	struct interval *next, *limit;
	uint32_t context, file, line, column;
};

static struct adding adding_begin(struct interval_list *list)
{
	struct interval *start = list->intervals; /* NULL until there is one, and C adds nothing to that */
	return (struct adding){list, start ? start + list->count : NULL, start ? start + list->room : NULL,
			       .context = NONE};
}

static void adding_end(const struct adding *adding)
{
	adding->list->count = (uint32_t)(adding->next - adding->list->intervals);
}

/*
 * Adds an interval unless it says the same as the last one. Whether it does can hardly be foreseen, so it is written in
 * any case, and then counted or not.
 */
static ALWAYS_INLINE bool add_interval(struct adding *adding, struct interval interval)
{
	const bool is_other = (adding->context ^ interval.context) | (adding->line ^ interval.line) |
			      (adding->file ^ interval.file) | (adding->column ^ interval.column);
	if (adding->next == adding->limit) {
		if (!is_other)
			return true;
		adding_end(adding);
		if (!make_room(adding->list))
			return false;
		adding->next = adding->list->intervals + adding->list->count;
		adding->limit = adding->list->intervals + adding->list->room;
	}
	*adding->next = interval;
	adding->next += is_other;
	adding->context = interval.context;
	adding->file = interval.file;
	adding->line = interval.line;
	adding->column = interval.column;
	return true;
}

/*
 * Finds the last row of the span at or below `addr`: the first, where a sequence begins with its function or rows were
 * unpacked from there on.
 */
static uint32_t row_at(const struct split_row *rows, const struct row_span *span, uint64_t addr)
{
	uint32_t above = span->row_first + 1;
	if (span->row_count == 1 || rows[above].addr > addr)
		return span->row_first;
	SEARCH_FIRST(above, above + 1, span->row_first + span->row_count, rows[above].addr > addr);
	return above - 1;
}

bool split_rows(const struct segment *segments, uint32_t segment_count, const struct covering_rows *covering,
		const uint32_t *contexts, struct interval_list *list)
{
	const struct split_row *rows = covering->rows;
	const uint32_t *columns = covering->columns;
	const struct segment *segment = segments;
	const uint64_t base = segments[0].start, part_end = segment_end(&segments[segment_count - 1]);
	struct adding adding = adding_begin(list);
	uint64_t addr = base, unknown = 0;
	for (uint32_t i = 0; addr < part_end; i++) {
		/* Before a span and behind the last one nothing is known. */
		const struct row_span *span = i < covering->span_count ? &covering->spans[i] : NULL;
		const uint64_t start = span && span->start < part_end ? span->start : part_end;
		while (addr < start) {
			const struct interval none = {(uint32_t)(addr - base), contexts[segment->scope], 0, 0, 0};
			const uint64_t owned_end = segment_end(segment), next = owned_end < start ? owned_end : start;
			if (!add_interval(&adding, none))
				return false;
			unknown += next - addr;
			addr = next;
			segment += addr == owned_end;
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
			uint64_t row_end = rows[row + (row < row_last)].addr;
			row_end = row < row_last && row_end < end ? row_end : end;
			const uint64_t owned_end = segment_end(segment),
				       next = row_end < owned_end ? row_end : owned_end;
			if (!add_interval(&adding, interval))
				return false;
			unknown += interval.line ? 0 : next - addr;
			segment += owned_end == next;
			row += row_end == next;
			addr = next;
		}
	}
	adding_end(&adding);
	list->line_bytes += part_end - base - unknown;
	return true;
}
