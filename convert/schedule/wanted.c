/* The wanted addresses, and which units and symbols decide the answers for them. All lists of ranges are sorted. */
#include "convert/schedule/wanted.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/sort.h"

static int compare_windows(const void *a, const void *b)
{
	const struct exec_range *x = a, *y = b;
	return x->start < y->start ? -1 : x->start > y->start;
}

static int compare_offsets(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* ---- What is asked for ---- */

bool wanted_add(struct wanted *wanted, const struct elf_file *linked, uint64_t address)
{
	if (!elf_file_exec(linked, address))
		return true;
	if (!array_reserve(&wanted->windows, &wanted->window_room, wanted->window_count + UINT64_C(1),
			   sizeof(*wanted->windows)))
		return false;
	wanted->windows[wanted->window_count++] = (struct exec_range){address, address + 1};
	return true;
}

bool wanted_begin(struct wanted *wanted)
{
	struct exec_range *windows = wanted->windows;
	uint32_t kept = 0;
	bool memory = true;
	if (wanted->window_count)
		qsort(windows, wanted->window_count, sizeof(*windows), compare_windows);
	for (uint32_t i = 0; i < wanted->window_count; i++)
		if (!kept || windows[kept - 1].start != windows[i].start)
			windows[kept++] = windows[i];
	wanted->window_count = kept;
	for (uint32_t i = 0; i < kept && memory; i++)
		memory = range_list_add(&wanted->deciding, windows[i].start, windows[i].end);
	return memory;
}

void wanted_done(struct wanted *wanted)
{
	free(wanted->windows);
	range_list_done(&wanted->deciding);
	range_list_done(&wanted->reach);
	free(wanted->units);
	free(wanted->looked_for.names);
	*wanted = (struct wanted){0};
}

/* The index of the first window that ends above `addr`; window_count: none does. */
static size_t first_window(const struct wanted *wanted, uint64_t addr)
{
	size_t first;
	SEARCH_FIRST(first, 0, wanted->window_count, wanted->windows[first].end > addr);
	return first;
}

static bool has_window(const struct wanted *wanted, uint64_t start, uint64_t end)
{
	size_t first = first_window(wanted, start);
	return first < wanted->window_count && wanted->windows[first].start < end;
}

bool wanted_add_symbols(struct wanted *wanted, const struct symbols *symbols)
{
	for (size_t i = 0; i < wanted->window_count; i++) {
		const struct symbol *symbol = symbols_below(symbols, wanted->windows[i].start);
		if (symbol && !symbol->size && !range_list_add(&wanted->deciding, symbol->addr, wanted->windows[i].end))
			return false;
	}
	range_list_sort(&wanted->deciding);
	return true;
}

/* ---- Who decides ---- */

static bool add_unit(struct wanted *wanted, uint64_t unit)
{
	if (!array_reserve(&wanted->units, &wanted->unit_room, wanted->unit_count + UINT64_C(1),
			   sizeof(*wanted->units)))
		return false;
	wanted->units[wanted->unit_count++] = unit;
	return true;
}

bool wanted_choose(struct wanted *wanted, const struct claims *claims)
{
	const struct claim *all = claims->claims;
	wanted->reach.count = wanted->unit_count = 0;
	for (uint32_t i = 0; i < wanted->deciding.count; i++)
		if (!range_list_add(&wanted->reach, wanted->deciding.ranges[i].start, wanted->deciding.ranges[i].end))
			return false;
	for (uint32_t i = 0; i < claims->claim_count; i++)
		if (range_list_overlaps(&wanted->deciding, &all[i].range) &&
		    !range_list_add(&wanted->reach, all[i].range.start, all[i].range.end))
			return false;
	range_list_sort(&wanted->reach);

	for (uint32_t i = 0; i < claims->claim_count; i++)
		if (range_list_overlaps(&wanted->reach, &all[i].range) && !add_unit(wanted, all[i].unit))
			return false;
	for (uint32_t i = 0; i < claims->unsaid.count; i++)
		if (!add_unit(wanted, claims->unsaid.offsets[i]))
			return false;

	uint32_t kept = 0;
	sort_by_address(wanted->units, wanted->unit_count, sizeof(*wanted->units), compare_offsets);
	for (uint32_t i = 0; i < wanted->unit_count; i++)
		if (!kept || wanted->units[kept - 1] != wanted->units[i])
			wanted->units[kept++] = wanted->units[i];
	wanted->unit_count = kept;
	return true;
}

bool wanted_is_most(const struct wanted *wanted, const struct claims *claims, uint64_t info_size)
{
	enum { BYTES_PERCENT = 40, UNITS_PERCENT = 10 };
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < wanted->unit_count; i++)
		bytes += claims_unit_size(claims, wanted->units[i], info_size);
	return wanted->unit_count > 1 && bytes >= info_size / 100 * BYTES_PERCENT &&
	       wanted->unit_count >= (uint64_t)claims->units.count * UNITS_PERCENT / 100;
}

static bool is_chosen(const struct wanted *wanted, uint64_t unit)
{
	return wanted->unit_count &&
	       bsearch(&unit, wanted->units, wanted->unit_count, sizeof(*wanted->units), compare_offsets);
}

bool wanted_surroundings(const struct wanted *wanted, const struct claims *claims, struct range_list *ret)
{
	bool memory = true;
	for (uint32_t i = 0; i < wanted->reach.count && memory; i++)
		memory = range_list_add(ret, wanted->reach.ranges[i].start, wanted->reach.ranges[i].end);
	for (uint32_t i = 0; i < claims->claim_count && memory; i++) {
		const struct claim *claim = &claims->claims[i];
		if (is_chosen(wanted, claim->unit))
			memory = range_list_add(ret, claim->range.start, claim->range.end);
	}
	range_list_sort(ret);
	return memory;
}

/* By wanted address: whether a unit claims it. To be freed. NULL: out of memory. */
static bool *find_claimed(const struct wanted *wanted, const struct claims *claims)
{
	bool *claimed = calloc(wanted->window_count + 1, sizeof(*claimed));
	for (uint32_t i = 0; claimed && i < claims->claim_count; i++) {
		const struct range *claim = &claims->claims[i].range;
		for (size_t at = first_window(wanted, claim->start);
		     at < wanted->window_count && wanted->windows[at].start < claim->end; at++)
			claimed[at] = true;
	}
	return claimed;
}

bool wanted_are_claimed(const struct wanted *wanted, const struct claims *claims, bool *ret_memory)
{
	bool *claimed = find_claimed(wanted, claims);
	bool all = claimed && (!wanted->window_count || !memchr(claimed, false, wanted->window_count));
	*ret_memory = claimed != NULL;
	free(claimed);
	return all;
}

bool wanted_add_claims_below(struct wanted *wanted, const struct claims *claims)
{
	bool *claimed = find_claimed(wanted, claims);
	uint64_t *ends = calloc(wanted->window_count + UINT64_C(1), sizeof(*ends));
	bool memory = claimed && ends;

	/* Each claim is noted at the first address behind its start, and then counts for the addresses that follow. */
	for (uint32_t i = 0; memory && i < claims->claim_count; i++) {
		uint64_t end = claims->claims[i].range.end;
		size_t at = first_window(wanted, end);
		if (at < wanted->window_count && ends[at] < end)
			ends[at] = end;
	}
	uint64_t end = 0;
	for (size_t i = 0; memory && i < wanted->window_count; i++) {
		end = ends[i] > end ? ends[i] : end;
		if (!claimed[i] && end)
			memory = range_list_add(&wanted->deciding, end - 1, end);
	}
	range_list_sort(&wanted->deciding);
	free(claimed);
	free(ends);
	return memory;
}

/* ---- What the answers show ---- */

/* Whether a symbol was found that is the function's name at its own entry. */
static bool is_symbol(const struct piece *pieces, uint32_t count, uint32_t function)
{
	bool found = false;
	for (uint32_t i = 0; i < count && !found; i++)
		found = pieces[i].symbol_is_name && pieces[i].contexts->function == function;
	return found;
}

/* Adds the name of a function without a known linkage name, unless the list has it. */
static bool add_name(struct name_list *list, const struct function_key *key, bool *ret_is_new)
{
	bool known = !key->name || key->linkage;
	for (uint32_t i = 0; i < list->count && !known; i++)
		known = strcmp(list->names[i], key->name) == 0;
	*ret_is_new = !known;
	if (known)
		return true;
	if (!array_reserve(&list->names, &list->room, list->count + UINT64_C(1), sizeof(*list->names)))
		return false;
	list->names[list->count++] = key->name;
	return true;
}

/* The answers so far: the pieces of all units, and the functions named in them. */
struct answering {
	struct wanted *wanted;
	const struct piece *pieces;
	uint32_t count;
	const struct intern_set *functions;
};

/* Adds the function that the context is in, and those that it is inlined into. */
static bool add_chain(struct answering *answering, const struct context *contexts, uint32_t at)
{
	bool is_new, memory = true;
	for (; at != NO_CONTEXT && memory; at = contexts[at].caller) {
		uint32_t function = contexts[at].function;
		if (function == FUNCTION_UNKNOWN)
			continue;
		struct name_list *names = &answering->wanted->looked_for;
		memory = add_name(names, intern_get(answering->functions, function), &is_new);
		if (is_new && is_symbol(answering->pieces, answering->count, function))
			names->count--;
	}
	return memory;
}

/* Adds the functions of the piece at wanted addresses. */
static bool add_names_of(struct answering *answering, const struct piece *piece)
{
	const struct wanted *wanted = answering->wanted;
	bool memory = true;
	for (size_t i = first_window(wanted, piece->start);
	     memory && i < wanted->window_count && wanted->windows[i].start < piece->end; i++) {
		uint32_t offset = (uint32_t)(wanted->windows[i].start - piece->start);
		struct interval_cursor at =
			intervals_at(piece->intervals, piece->interval_count, piece->has_columns, offset);
		memory = add_chain(answering, piece->contexts, at.interval.context);
	}
	return memory;
}

/* Collects the starts of symbols that may belong to functions of some names. */
struct namesakes {
	struct wanted *wanted;
	uint32_t first; /* index in wanted->looked_for, which is sorted; the names before it were looked for already */
	bool *grown;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_namesake(void *context, const char *name)
{
	const struct namesakes *namesakes = context;
	const struct name_list *names = &namesakes->wanted->looked_for;
	return bsearch(&name, names->names + namesakes->first, names->count - namesakes->first, sizeof(*names->names),
		       compare_names) != NULL;
}

static bool add_namesake(void *context, const struct symbol *symbol)
{
	const struct namesakes *namesakes = context;
	struct wanted *wanted = namesakes->wanted;
	const struct range start = {symbol->addr, symbol->addr + 1};
	if (range_list_holds(&wanted->reach, &start))
		return true;
	*namesakes->grown = true;
	return range_list_add(&wanted->deciding, start.start, start.end);
}

bool wanted_leave(const struct wanted *wanted, const struct piece *pieces, uint32_t count,
		  const struct range_list *near)
{
	bool leaves = false;
	for (uint32_t i = 0; i < count && !leaves; i++) {
		const struct range range = {pieces[i].start, pieces[i].end};
		leaves = has_window(wanted, range.start, range.end) && !range_list_holds(near, &range);
	}
	return leaves;
}

bool wanted_grow(struct wanted *wanted, const struct piece *pieces, uint32_t count, const struct shared *shared,
		 bool *ret_grown)
{
	struct answering answering = {wanted, pieces, count, &shared->functions};
	struct namesakes namesakes = {wanted, wanted->looked_for.count, ret_grown};
	bool memory = true;
	*ret_grown = false;
	for (uint32_t i = 0; i < count && memory; i++) {
		const struct range range = {pieces[i].start, pieces[i].end};
		if (!pieces[i].is_function || !has_window(wanted, range.start, range.end))
			continue;
		memory = add_names_of(&answering, &pieces[i]);
		if (!memory || range_list_holds(&wanted->reach, &range))
			continue;
		*ret_grown = true;
		memory = range_list_add(&wanted->deciding, range.start, range.end);
	}
	uint32_t new_count = wanted->looked_for.count - namesakes.first;
	if (memory && new_count) {
		qsort(wanted->looked_for.names + namesakes.first, new_count, sizeof(*wanted->looked_for.names),
		      compare_names);
		memory = symbols_named(shared->symbols, is_namesake, add_namesake, &namesakes);
	}
	range_list_sort(&wanted->deciding);
	return memory;
}
