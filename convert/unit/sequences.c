/*
 * The live sequences of a unit. They mostly do not overlap, and a binary search finds those of a part. If they overlap,
 * the one that fits the function best answers, and others fill what it leaves free.
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

	sequences->overlap = false;
	for (uint32_t i = 0; i < sequences->count; i++) {
		uint64_t before = i ? sequences->spans[i - 1].reach : 0;
		const struct row_span *span = &sequences->spans[i].span;
		sequences->overlap |= span->start < before;
		sequences->spans[i].reach = span->end > before ? span->end : before;
	}
	return true;
}

enum { CANDIDATES_MAX = 64 }; /* sequences that are compared if they overlap */

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

/*
 * How badly a sequence fits the function; lower is better. Code that a linker folded keeps the rows of every function
 * that was folded into it. The function's own rows begin in its own file, at its declaration or soon after.
 */
static uint64_t misfit(const struct sequence_span *span, const struct preference *prefer)
{
	if (span->offset == prefer->stmt_sequence)
		return 0;
	bool fits = span->span.start == prefer->start && span->first_file == prefer->decl_file && prefer->decl_line &&
		    span->first_line >= prefer->decl_line;
	return fits ? 1 + (uint64_t)(span->first_line - prefer->decl_line) : UINT64_MAX;
}

enum {
	WORK_NOT_COUNTED = 64, /* steps */
	STEPS_PER_SPAN = 16,
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

/* RULES B10, if sequences overlap: takes the best one that was not taken yet, again and again. */
static bool choose_overlapping(const struct sequences *sequences, uint64_t start, uint64_t end,
			       const struct preference *prefer, struct chosen_spans *ret)
{
	const struct sequence_span *candidates[CANDIDATES_MAX];
	uint32_t candidate_count = 0;
	for (uint32_t i = first_span(sequences, start); i < sequences->count && candidate_count < CANDIDATES_MAX; i++) {
		const struct sequence_span *span = &sequences->spans[i];
		if (span->span.start >= end)
			break;
		if (span->span.end > start)
			candidates[candidate_count++] = span;
	}

	uint64_t free_bytes = end - start, work = 0;
	while (candidate_count && free_bytes) {
		uint32_t best = 0;
		uint64_t best_misfit = misfit(candidates[0], prefer);
		for (uint32_t i = 1; i < candidate_count; i++) {
			uint64_t other = misfit(candidates[i], prefer);
			if (other < best_misfit ||
			    (other == best_misfit && candidates[i]->offset < candidates[best]->offset)) {
				best = i;
				best_misfit = other;
			}
		}
		work += candidate_count + ret->count;
		if (!fill_free(ret, &candidates[best]->span, start, end, &free_bytes))
			return false;
		candidates[best] = candidates[--candidate_count];
	}
	/* The work for a few sequences is not worth counting. */
	return work < WORK_NOT_COUNTED || budget_spend(work);
}

bool sequences_choose(const struct sequences *sequences, uint64_t start, uint64_t end, const struct preference *prefer,
		      struct chosen_spans *ret)
{
	ret->count = 0;
	if (sequences->overlap)
		return choose_overlapping(sequences, start, end, prefer, ret);
	for (uint32_t i = first_span(sequences, start); i < sequences->count; i++) {
		const struct row_span *span = &sequences->spans[i].span;
		if (span->start >= end)
			break;
		if (!add_chosen(ret, span, span->start > start ? span->start : start,
				span->end < end ? span->end : end))
			return false;
	}
	/* Many sequences in one function are not worth counting; in each of many functions they are. */
	return ret->count < WORK_NOT_COUNTED || budget_spend((uint64_t)ret->count * STEPS_PER_SPAN);
}
