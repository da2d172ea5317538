/*
 * The live sequences of a unit. They mostly do not overlap, and a binary search finds those of a part. Where they
 * overlap, the one that fits the function best answers, and others fill what it leaves free.
 */
#include "convert/unit/sequences.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/budget.h"
#include "base/order.h"
#include "base/sort.h"

void sequences_done(struct sequences *sequences)
{
	free(sequences->spans);
	free(sequences->group_ends);
	free(sequences->outer_rows);
	*sequences = (struct sequences){0};
}

static int compare_spans(const void *a, const void *b)
{
	const struct sequence_span *x = a, *y = b;
	if (x->span.start != y->span.start)
		return order_of(x->span.start, y->span.start);
	return order_of(x->offset, y->offset);
}

bool sequences_gather(struct sequences *sequences, const struct line_table *lines, const struct elf_file *linked,
		      uint64_t dropped[LOCUS_DROPPED_COUNT])
{
	bool sorted = true;
	sequences->count = 0;
	if (!array_reserve(&sequences->spans, &sequences->room, lines->sequence_count, sizeof(*sequences->spans)))
		return false;
	for (uint32_t i = 0; i < lines->sequence_count; i++) {
		const struct sequence *sequence = &lines->sequences[i];
		const struct exec_range *exec = elf_file_exec(linked, sequence->start);
		if (!exec) {
			dropped[LOCUS_DROPPED_NOT_EXECUTABLE]++;
			continue;
		}
		struct sequence_span span = {
			.span = {sequence->start, sequence->end, sequence->row_first, sequence->row_count},
			.offset = sequence->offset,
			.first_file = sequence->first_file,
			.first_line = sequence->first_line,
			.last_file = sequence->last_file,
			.last_line = sequence->last_line,
		};
		if (span.span.end > exec->end) {
			span.span.end = exec->end;
			dropped[LOCUS_DROPPED_CLIPPED]++;
		}
		if (sequences->count)
			sorted &= compare_spans(&sequences->spans[sequences->count - 1], &span) < 0;
		sequences->spans[sequences->count++] = span;
	}

	/* Compilers mostly write sequences in the order of their addresses. */
	if (!sorted)
		sort_by_address(sequences->spans, sequences->count, sizeof(*sequences->spans), compare_spans);

	for (uint32_t i = 0; i < sequences->count; i++) {
		uint64_t before = i ? sequences->spans[i - 1].reach : 0;
		uint64_t end = sequences->spans[i].span.end;
		sequences->spans[i].reach = end > before ? end : before;
	}
	return true;
}

enum { CANDIDATES_MAX = 64 }; /* of the sequences that overlap at one place, only so many are compared one by one */

static int compare_outer_rows(const void *a, const void *b)
{
	const struct outer_row *x = a, *y = b;
	if (x->start != y->start)
		return order_of(x->start, y->start);
	if (x->file != y->file)
		return order_of(x->file, y->file);
	if (x->line != y->line)
		return order_of(x->line, y->line);
	return order_of(x->span, y->span);
}

/* Adds a group, and the rows with which its sequences begin and end. */
static bool add_group(struct sequences *sequences, uint32_t first, uint32_t end)
{
	const uint64_t row_count = 2 * (uint64_t)(end - first);
	if (!array_reserve(&sequences->group_ends, &sequences->group_room, sequences->group_count + UINT64_C(1),
			   sizeof(*sequences->group_ends)) ||
	    !array_reserve(&sequences->outer_rows, &sequences->outer_row_room, sequences->outer_row_count + row_count,
			   sizeof(*sequences->outer_rows)))
		return false;
	sequences->group_ends[sequences->group_count++] = end;
	struct outer_row *row = sequences->outer_rows + sequences->outer_row_count;
	for (uint32_t i = first; i < end; i++) {
		const struct sequence_span *span = &sequences->spans[i];
		*row++ = (struct outer_row){span->span.start, span->first_file, span->first_line, i};
		*row++ = (struct outer_row){span->span.start, span->last_file, span->last_line, i};
	}
	sequences->outer_row_count += (uint32_t)row_count;
	return true;
}

bool sequences_index(struct sequences *sequences)
{
	const struct sequence_span *spans = sequences->spans;
	sequences->group_count = sequences->outer_row_count = 0;
	for (uint32_t first = 0, end; first < sequences->count; first = end) {
		end = first + 1;
		while (end < sequences->count && spans[end].span.start < spans[end - 1].reach)
			end++;
		if (end - first > CANDIDATES_MAX && !add_group(sequences, first, end))
			return false;
	}
	sort_by_address(sequences->outer_rows, sequences->outer_row_count, sizeof(*sequences->outer_rows),
			compare_outer_rows);
	return true;
}

/* The first span that, or an earlier one, reaches beyond `addr`. */
static uint32_t first_span(const struct sequences *sequences, uint64_t addr)
{
	uint32_t first;
	SEARCH_FIRST(first, 0, sequences->count, sequences->spans[first].reach > addr);
	return first;
}

void chosen_spans_done(struct chosen_spans *chosen)
{
	free(chosen->spans);
	*chosen = (struct chosen_spans){0};
}

static bool add_chosen(struct chosen_spans *chosen, const struct row_span *span, uint64_t start, uint64_t end)
{
	if (!array_reserve(&chosen->spans, &chosen->room, chosen->count + UINT64_C(1), sizeof(*chosen->spans)))
		return false;
	struct row_span *added = &chosen->spans[chosen->count++];
	*added = *span;
	added->start = start;
	added->end = end;
	return true;
}

/* How many lines behind the function's declaration a row is; UINT64_MAX: it is before it, or in another file. */
static uint64_t lines_behind(uint32_t file, uint32_t line, const struct preference *prefer)
{
	bool is_behind = file == prefer->decl_file && prefer->decl_line && line >= prefer->decl_line;
	return is_behind ? (uint64_t)(line - prefer->decl_line) : UINT64_MAX;
}

/*
 * How badly a sequence fits the part of a function; lower is better. Code that a linker folded keeps the rows of every
 * function that was folded into it. The function's own rows begin in its own file, at its declaration or soon after, or
 * with what is inlined there: then they end in the function. In both cases they are nearer to the declaration than any
 * row of a function that stands behind. The rows of another part may begin on any line, and an assembler's function
 * says nothing of its declaration: a sequence that also ends with the part is more likely its own. Sequences at 0 or 1
 * may be of functions that a linker dropped (RULES A2).
 */
static uint64_t misfit(const struct sequence_span *span, const struct preference *prefer)
{
	if (span->offset == prefer->stmt_sequence)
		return 0;
	if (span->span.start != prefer->start)
		return span->span.start <= 1 ? UINT64_MAX : UINT64_MAX - 1;
	const uint64_t first = lines_behind(span->first_file, span->first_line, prefer);
	const uint64_t last = lines_behind(span->last_file, span->last_line, prefer);
	const uint64_t nearest = first < last ? first : last;
	if (nearest != UINT64_MAX)
		return 1 + nearest;
	return span->span.end == prefer->end ? UINT64_MAX - 3 : UINT64_MAX - 2;
}

enum {
	WORK_NOT_COUNTED = 64, /* steps */
	STEPS_PER_SPAN = 16,
	SPANS_PER_STEP = 16, /* that are only passed over */
};

/* Adds `span` where [start, end) is still free between the chosen ones, which stay sorted; *free_bytes falls. */
static bool fill_free(struct chosen_spans *chosen, const struct row_span *span, uint64_t start, uint64_t end,
		      uint64_t *free_bytes)
{
	uint64_t from = span->start > start ? span->start : start, to = span->end < end ? span->end : end;
	uint32_t before = chosen->count;
	for (uint32_t i = 0; i <= before && from < to; i++) {
		uint64_t taken_start = i < before ? chosen->spans[i].start : UINT64_MAX;
		uint64_t taken_end = i < before ? chosen->spans[i].end : UINT64_MAX;
		if (taken_end <= from)
			continue;
		uint64_t until = taken_start < to ? taken_start : to;
		if (from < until && !add_chosen(chosen, span, from, until))
			return false;
		*free_bytes -= from < until ? until - from : 0;
		from = taken_end;
	}
	/* The new ones were added at the end; move them to their places. */
	for (uint32_t i = before; i < chosen->count; i++) {
		struct row_span moved = chosen->spans[i];
		uint32_t at = i;
		for (; at && chosen->spans[at - 1].start > moved.start; at--)
			chosen->spans[at] = chosen->spans[at - 1];
		chosen->spans[at] = moved;
	}
	return true;
}

bool sequences_end_at(const struct sequences *sequences, uint64_t addr, uint64_t end)
{
	uint32_t first = first_span(sequences, addr);
	for (uint32_t i = first; i < sequences->count && i - first < CANDIDATES_MAX; i++) {
		const struct row_span *span = &sequences->spans[i].span;
		if (span->start > addr)
			return false;
		if (span->end == end)
			return true;
	}
	return false;
}

/* Whether `a` is taken before `b`. */
static bool is_better(const struct sequence_span *a, const struct sequence_span *b, const struct preference *prefer)
{
	uint64_t misfit_a = misfit(a, prefer), misfit_b = misfit(b, prefer);
	return misfit_a != misfit_b ? misfit_a < misfit_b : a->offset < b->offset;
}

/*
 * The best of the sequences that begin with the part, if they are many; NULL: there is none. A linker may have folded
 * tens of thousands of functions into one, each of which looks for its own.
 */
static const struct sequence_span *find_fitting(const struct sequences *sequences, const struct preference *prefer)
{
	const struct sequence_span named = {.span.start = prefer->start, .offset = prefer->stmt_sequence};
	const struct outer_row own = {prefer->start, prefer->decl_file, prefer->decl_line, 0};
	uint32_t at;
	SEARCH_FIRST(at, 0, sequences->count, compare_spans(&sequences->spans[at], &named) >= 0);
	if (at < sequences->count && compare_spans(&sequences->spans[at], &named) == 0)
		return &sequences->spans[at];

	SEARCH_FIRST(at, 0, sequences->outer_row_count, compare_outer_rows(&sequences->outer_rows[at], &own) >= 0);
	const struct outer_row *found = &sequences->outer_rows[at];
	bool fits = at < sequences->outer_row_count && found->start == own.start && found->file == own.file &&
		    prefer->decl_line;
	if (fits)
		return &sequences->spans[found->span];

	const struct sequence_span first = {.span.start = prefer->start};
	SEARCH_FIRST(at, 0, sequences->count, compare_spans(&sequences->spans[at], &first) >= 0);
	const struct sequence_span *best = NULL;
	for (uint32_t i = at; i < sequences->count && i - at < CANDIDATES_MAX; i++) {
		const struct sequence_span *span = &sequences->spans[i];
		if (span->span.start != prefer->start || (best && best->span.end == prefer->end))
			break;
		best = !best || span->span.end == prefer->end ? span : best;
	}
	return best;
}

/*
 * Adds to `ret`, which has `count`, the first of the sequences [first, last) that end behind `start`. Returns how many
 * it has then.
 */
static uint32_t add_candidates(const struct sequence_span *first, const struct sequence_span *last, uint64_t start,
			       const struct sequence_span *ret[CANDIDATES_MAX], uint32_t count, uint64_t *work)
{
	const struct sequence_span *span = first;
	for (; span < last && count < CANDIDATES_MAX; span++)
		if (span->span.end > start)
			ret[count++] = span;
	*work += (uint64_t)(span - first) / SPANS_PER_STEP;
	return count;
}

/*
 * Finds the sequences to compare, and returns how many they are: those at 0 or 1, which stand first and answer last
 * (`misfit`), only if there is room for them. A linker may have dropped hundreds of functions of a unit that has live
 * code near 0.
 */
static uint32_t find_candidates(const struct sequence_span *first, const struct sequence_span *last, uint64_t start,
				const struct sequence_span *ret[CANDIDATES_MAX], uint64_t *work)
{
	size_t live;
	SEARCH_FIRST(live, 0, (size_t)(last - first), first[live].span.start > 1);
	const uint32_t count = add_candidates(first + live, last, start, ret, 0, work);
	return add_candidates(first, first + live, start, ret, count, work);
}

/* RULES B10, where sequences overlap: takes the best one that was not taken yet, again and again. */
static bool choose_overlapping(const struct sequences *sequences, const struct sequence_span *first,
			       const struct sequence_span *last, uint64_t start, uint64_t end,
			       const struct preference *prefer, struct chosen_spans *ret, uint64_t *work)
{
	const struct sequence_span *candidates[CANDIDATES_MAX];
	const bool are_many = last - first > CANDIDATES_MAX;
	const struct sequence_span *fitting = are_many ? find_fitting(sequences, prefer) : NULL;
	uint64_t free_bytes = end - start;
	*work += fitting ? ret->count : 0;
	if (fitting && !fill_free(ret, &fitting->span, start, end, &free_bytes))
		return false;

	/* Of many, the one that fits mostly leaves nothing. */
	uint32_t candidate_count = free_bytes ? find_candidates(first, last, start, candidates, work) : 0;
	while (candidate_count && free_bytes) {
		uint32_t best = 0;
		for (uint32_t i = 1; i < candidate_count; i++)
			if (is_better(candidates[i], candidates[best], prefer))
				best = i;
		*work += candidate_count + ret->count;
		if (!fill_free(ret, &candidates[best]->span, start, end, &free_bytes))
			return false;
		candidates[best] = candidates[--candidate_count];
	}
	return true;
}

/*
 * The index behind the sequences that begin before `end` and overlap the one at index `first`, or one of those that do
 * so. If these are very many, the end of their group tells it, and they are not passed one by one.
 */
static uint32_t overlapping_end(const struct sequences *sequences, uint32_t first, uint64_t end)
{
	const struct sequence_span *spans = sequences->spans;
	uint32_t next = first + 1, group, last = sequences->count;
	while (next < last && next - first <= CANDIDATES_MAX && spans[next].span.start < end &&
	       spans[next].span.start < spans[next - 1].reach)
		next++;
	if (next - first <= CANDIDATES_MAX)
		return next;
	SEARCH_FIRST(group, 0, sequences->group_count, sequences->group_ends[group] > first);
	last = sequences->group_ends[group];
	SEARCH_FIRST(next, next, last, spans[next].span.start >= end);
	return next;
}

bool sequences_choose(const struct sequences *sequences, uint64_t start, uint64_t end, const struct preference *prefer,
		      struct chosen_spans *ret)
{
	const struct sequence_span *spans = sequences->spans;
	uint64_t work = 0;
	ret->count = 0;
	for (uint32_t i = first_span(sequences, start), next; i < sequences->count && spans[i].span.start < end;
	     i = next) {
		next = overlapping_end(sequences, i, end);
		const uint64_t from = spans[i].span.start > start ? spans[i].span.start : start;
		const uint64_t to = spans[next - 1].reach < end ? spans[next - 1].reach : end;
		if (next == i + 1
			    ? !add_chosen(ret, &spans[i].span, from, to)
			    : !choose_overlapping(sequences, &spans[i], &spans[next], from, to, prefer, ret, &work))
			return false;
	}
	/* A few sequences are not worth counting; many in each of many functions are. */
	work += ret->count < WORK_NOT_COUNTED ? 0 : (uint64_t)ret->count * STEPS_PER_SPAN;
	return work < WORK_NOT_COUNTED || budget_spend(work);
}
