/* The asked addresses, and which units and symbols decide the answers for them. All lists of ranges are sorted. */
#include "convert/schedule/unit_selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/budget.h"
#include "base/order.h"
#include "base/sort.h"

static int compare_ranges(const void *a, const void *b)
{
	const struct exec_range *x = a, *y = b;
	return order_of(x->start, y->start);
}

/* ---- What is asked for ---- */

bool selection_add_address(struct unit_selection *selection, const struct elf_file *linked, uint64_t address)
{
	if (!elf_file_exec(linked, address))
		return true;
	if (!array_reserve(&selection->asked, &selection->asked_room, selection->asked_count + UINT64_C(1),
			   sizeof(*selection->asked)))
		return false;
	selection->asked[selection->asked_count++] = (struct exec_range){address, address + 1};
	return true;
}

bool selection_begin(struct unit_selection *selection)
{
	struct exec_range *asked = selection->asked;
	uint32_t kept = 0;
	bool memory = true;
	if (selection->asked_count)
		qsort(asked, selection->asked_count, sizeof(*asked), compare_ranges);
	for (uint32_t i = 0; i < selection->asked_count; i++)
		if (!kept || asked[kept - 1].start != asked[i].start)
			asked[kept++] = asked[i];
	selection->asked_count = kept;
	for (uint32_t i = 0; i < kept && memory; i++)
		memory = range_list_add(&selection->deciding, asked[i].start, asked[i].end);
	return memory;
}

void selection_done(struct unit_selection *selection)
{
	free(selection->asked);
	range_list_done(&selection->deciding);
	range_list_done(&selection->reach);
	free(selection->units);
	free(selection->looked_for.names);
	*selection = (struct unit_selection){0};
}

/* The index of the first asked range that ends above `addr`; asked_count: none does. */
static size_t first_asked(const struct unit_selection *selection, uint64_t addr)
{
	size_t first;
	SEARCH_FIRST(first, 0, selection->asked_count, selection->asked[first].end > addr);
	return first;
}

static bool has_asked(const struct unit_selection *selection, uint64_t start, uint64_t end)
{
	size_t first = first_asked(selection, start);
	return first < selection->asked_count && selection->asked[first].start < end;
}

bool selection_add_symbols(struct unit_selection *selection, const struct symbols *symbols)
{
	for (size_t i = 0; i < selection->asked_count; i++) {
		const struct symbol *symbol = symbols_below(symbols, selection->asked[i].start);
		if (symbol && !symbol->size &&
		    !range_list_add(&selection->deciding, symbol->addr, selection->asked[i].end))
			return false;
	}
	range_list_sort(&selection->deciding);
	return true;
}

/* ---- Who decides ---- */

static bool add_unit(struct unit_selection *selection, uint64_t unit)
{
	if (!array_reserve(&selection->units, &selection->unit_room, selection->unit_count + UINT64_C(1),
			   sizeof(*selection->units)))
		return false;
	selection->units[selection->unit_count++] = unit;
	return true;
}

bool selection_choose_units(struct unit_selection *selection, const struct unit_ranges *unit_ranges)
{
	const struct unit_range *all = unit_ranges->ranges;
	selection->reach.count = selection->unit_count = 0;
	for (uint32_t i = 0; i < selection->deciding.count; i++)
		if (!range_list_add(&selection->reach, selection->deciding.ranges[i].start,
				    selection->deciding.ranges[i].end))
			return false;
	for (uint32_t i = 0; i < unit_ranges->range_count; i++)
		if (range_list_overlaps(&selection->deciding, &all[i].range) &&
		    !range_list_add(&selection->reach, all[i].range.start, all[i].range.end))
			return false;
	range_list_sort(&selection->reach);

	for (uint32_t i = 0; i < unit_ranges->range_count; i++)
		if (range_list_overlaps(&selection->reach, &all[i].range) && !add_unit(selection, all[i].unit))
			return false;
	for (uint32_t i = 0; i < unit_ranges->unsaid.count; i++)
		if (!add_unit(selection, unit_ranges->unsaid.offsets[i]))
			return false;

	selection->unit_count = sort_unique(selection->units, selection->unit_count);
	return true;
}

/* Whether the chosen units' line tables, each counted for each of its units, have more bytes than all that is read. */
static bool tables_are_most(const struct unit_selection *selection, const struct unit_ranges *unit_ranges,
			    uint64_t info_size, uint64_t lines_size)
{
	const uint32_t table_count = unit_ranges->line_tables.count;
	return table_count && lines_size / table_count * selection->unit_count > info_size + lines_size;
}

bool selection_is_most(const struct unit_selection *selection, const struct unit_ranges *unit_ranges,
		       uint64_t info_size, uint64_t lines_size)
{
	enum { BYTES_PERCENT = 40, UNITS_PERCENT = 10 };
	uint64_t bytes = 0;
	if (tables_are_most(selection, unit_ranges, info_size, lines_size))
		return true;
	for (uint32_t i = 0; i < selection->unit_count; i++)
		bytes += unit_ranges_unit_size(unit_ranges, selection->units[i], info_size);
	return selection->unit_count > 1 && bytes >= info_size / 100 * BYTES_PERCENT &&
	       selection->unit_count >= (uint64_t)unit_ranges->units.count * UNITS_PERCENT / 100;
}

static bool is_chosen(const struct unit_selection *selection, uint64_t unit)
{
	return selection->unit_count &&
	       bsearch(&unit, selection->units, selection->unit_count, sizeof(*selection->units), compare_uint64);
}

bool selection_surroundings(const struct unit_selection *selection, const struct unit_ranges *unit_ranges,
			    struct range_list *ret)
{
	bool memory = true;
	for (uint32_t i = 0; i < selection->reach.count && memory; i++)
		memory = range_list_add(ret, selection->reach.ranges[i].start, selection->reach.ranges[i].end);
	for (uint32_t i = 0; i < unit_ranges->range_count && memory; i++) {
		const struct unit_range *range = &unit_ranges->ranges[i];
		if (is_chosen(selection, range->unit))
			memory = range_list_add(ret, range->range.start, range->range.end);
	}
	range_list_sort(ret);
	return memory;
}

/* By asked address: whether a unit claims it. To be freed. NULL: out of memory. */
static bool *find_covered(const struct unit_selection *selection, const struct unit_ranges *unit_ranges)
{
	bool *covered = calloc(selection->asked_count + 1, sizeof(*covered));
	for (uint32_t i = 0; covered && i < unit_ranges->range_count; i++) {
		const struct range *range = &unit_ranges->ranges[i].range;
		for (size_t at = first_asked(selection, range->start);
		     at < selection->asked_count && selection->asked[at].start < range->end; at++)
			covered[at] = true;
	}
	return covered;
}

bool selection_is_covered(const struct unit_selection *selection, const struct unit_ranges *unit_ranges,
			  bool *ret_memory)
{
	bool *covered = find_covered(selection, unit_ranges);
	bool all = covered && (!selection->asked_count || !memchr(covered, false, selection->asked_count));
	*ret_memory = covered != NULL;
	free(covered);
	return all;
}

bool selection_add_units_below(struct unit_selection *selection, const struct unit_ranges *unit_ranges)
{
	bool *covered = find_covered(selection, unit_ranges);
	uint64_t *ends = calloc(selection->asked_count + UINT64_C(1), sizeof(*ends));
	bool memory = covered && ends;

	/*
	 * Each range is noted at the first asked address that is not below its end. So the nearest range below an
	 * address that no unit claims is noted there or, if none ends in between, at an asked address before it. No
	 * unit claims that one either: the range by which it does would end in between.
	 */
	for (uint32_t i = 0; memory && i < unit_ranges->range_count; i++) {
		uint64_t end = unit_ranges->ranges[i].range.end;
		size_t at = first_asked(selection, end);
		if (at < selection->asked_count && ends[at] < end)
			ends[at] = end;
	}
	for (size_t i = 0; memory && i < selection->asked_count; i++)
		if (!covered[i] && ends[i])
			memory = range_list_add(&selection->deciding, ends[i] - 1, ends[i]);
	range_list_sort(&selection->deciding);
	free(covered);
	free(ends);
	return memory;
}

/* ---- What the answers show ---- */

/* The answers so far: the pieces of all units, and the functions named in them. */
struct answering {
	struct unit_selection *selection;
	const struct piece *pieces;
	uint32_t count;
	const struct intern_set *functions;
	struct intern_numbers numbers;
	bool *is_settled; /* by number of a function: it needs no symbol, or was asked for one already */
	uint64_t work;    /* not counted in the budget yet */
};

/* Settles the functions for which a symbol was found that is their name at their own entries. False: out of memory. */
static bool answering_begin(struct answering *answering)
{
	answering->numbers = intern_numbers_of(answering->functions);
	answering->is_settled = calloc(answering->numbers.count + UINT64_C(1), sizeof(*answering->is_settled));
	for (uint32_t i = 0; answering->is_settled && i < answering->count; i++) {
		const struct piece *piece = &answering->pieces[i];
		const uint32_t function = piece_contexts(piece)->function;
		if (piece->symbol_is_name && function != FUNCTION_UNKNOWN)
			answering->is_settled[intern_number(&answering->numbers, function)] = true;
	}
	return answering->is_settled;
}

static bool add_name(struct name_list *list, const char *name)
{
	if (!array_reserve(&list->names, &list->room, list->count + UINT64_C(1), sizeof(*list->names)))
		return false;
	list->names[list->count++] = name;
	return true;
}

/* Adds the names of the function that the context is in, and of those that it is inlined into. */
static bool add_chain(struct answering *answering, const struct context *contexts, uint32_t at)
{
	bool memory = true;
	for (; at != NO_CONTEXT && memory; at = contexts[at].caller) {
		const uint32_t function = contexts[at].function;
		answering->work++;
		if (function == FUNCTION_UNKNOWN)
			continue;
		bool *is_settled = &answering->is_settled[intern_number(&answering->numbers, function)];
		const struct function_key *key = *is_settled ? NULL : intern_get(answering->functions, function);
		*is_settled = true;
		if (key && key->name && !key->linkage)
			memory = add_name(&answering->selection->looked_for, key->name);
	}
	return memory;
}

/*
 * Adds the functions of the piece at asked addresses. Each is in a piece or two, but there may be many pieces that each
 * hold all: so it is counted.
 */
static bool add_names_of(struct answering *answering, const struct piece *piece)
{
	enum { STEPS_PER_ADDRESS = 16 };
	const struct unit_selection *selection = answering->selection;
	bool memory = true;
	for (size_t i = first_asked(selection, piece->start);
	     memory && i < selection->asked_count && selection->asked[i].start < piece_end(piece); i++) {
		uint32_t offset = (uint32_t)(selection->asked[i].start - piece->start);
		struct interval_cursor at = intervals_at(piece_intervals(piece), piece->has_columns, offset);
		memory = budget_count(&answering->work, STEPS_PER_ADDRESS) &&
			 add_chain(answering, piece_contexts(piece), at.interval.context);
	}
	return memory;
}

/* Collects the starts of symbols that may belong to functions of some names. */
struct name_search {
	struct unit_selection *selection;
	uint32_t first; /* index in selection->looked_for: of the first name that was not searched before */
	bool *grown;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort_names(const char **names, uint32_t count)
{
	if (count)
		qsort(names, count, sizeof(*names), compare_names);
}

/* Whether a sorted list has the name. */
static bool has_name(const char *const *names, uint32_t count, const char *name)
{
	return count && bsearch(&name, names, count, sizeof(*names), compare_names);
}

/* Sorts the new names, and drops those that repeat or were searched before. */
static void keep_new_names(const struct name_search *search)
{
	struct name_list *list = &search->selection->looked_for;
	uint32_t kept = search->first;
	if (list->count == search->first)
		return;
	sort_names(list->names + search->first, list->count - search->first);
	for (uint32_t i = search->first; i < list->count; i++) {
		const char *name = list->names[i];
		bool repeats = kept > search->first && strcmp(list->names[kept - 1], name) == 0;
		if (!repeats && !has_name(list->names, search->first, name))
			list->names[kept++] = name;
	}
	list->count = kept;
}

static bool is_looked_for(void *context, const char *name)
{
	const struct name_search *search = context;
	const struct name_list *list = &search->selection->looked_for;
	return has_name(list->names + search->first, list->count - search->first, name);
}

static bool add_found(void *context, const struct symbol *symbol)
{
	const struct name_search *search = context;
	struct unit_selection *selection = search->selection;
	const struct range start = {symbol->addr, symbol->addr + 1};
	if (range_list_holds(&selection->reach, &start))
		return true;
	*search->grown = true;
	return range_list_add(&selection->deciding, start.start, start.end);
}

bool selection_reaches_beyond(const struct unit_selection *selection, const struct piece *pieces, uint32_t count,
			      const struct range_list *ranges)
{
	bool beyond = false;
	for (uint32_t i = 0; i < count && !beyond; i++) {
		const struct range range = {pieces[i].start, piece_end(&pieces[i])};
		beyond = has_asked(selection, range.start, range.end) && !range_list_holds(ranges, &range);
	}
	return beyond;
}

bool selection_grow(struct unit_selection *selection, const struct piece *pieces, uint32_t count,
		    const struct shared *shared, bool *ret_grown)
{
	struct answering answering = {selection, pieces, count, &shared->functions, .is_settled = NULL};
	struct name_list *names = &selection->looked_for;
	struct name_search search = {selection, names->count, ret_grown};
	bool memory = answering_begin(&answering);
	*ret_grown = false;
	for (uint32_t i = 0; i < count && memory; i++) {
		const struct range range = {pieces[i].start, piece_end(&pieces[i])};
		if (!pieces[i].is_function || !has_asked(selection, range.start, range.end))
			continue;
		memory = add_names_of(&answering, &pieces[i]);
		if (!memory || range_list_holds(&selection->reach, &range))
			continue;
		*ret_grown = true;
		memory = range_list_add(&selection->deciding, range.start, range.end);
	}
	free(answering.is_settled);

	keep_new_names(&search);
	if (memory && names->count > search.first)
		memory = symbols_named(shared->symbols, is_looked_for, add_found, &search);
	sort_names(names->names, names->count);
	range_list_sort(&selection->deciding);
	return memory;
}
