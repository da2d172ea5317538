/* Names are collected in any order and sorted at the end, so that the file does not depend on it. */
#include "convert/emit/alternate_names.h"

#include <string.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/fail.h"
#include "base/sort.h"

static bool add_alternate(struct emission *e, uint64_t start, uint64_t size, uint32_t function, uint8_t kind)
{
	if (!array_reserve(&e->alternates, &e->alternate_room, e->alternate_count + UINT64_C(1),
			   sizeof(*e->alternates)))
		return false;
	e->alternates[e->alternate_count++] = (struct locus_alternate){start, size, function, kind};
	return true;
}

/* Whether any of [start, end) is answered for. */
static bool is_asked(const struct emission *e, uint64_t start, uint64_t end)
{
	size_t first;
	SEARCH_FIRST(first, 0, e->asked_count, e->asked[first].end > start);
	return first < e->asked_count && e->asked[first].start < end;
}

/* The interned function that the piece is a part of. */
static uint32_t root_function(const struct piece *piece)
{
	return piece->contexts[0].function;
}

static uint32_t function_of(struct emission *e, const struct piece *piece)
{
	return output_ids_function(e->ids, root_function(piece));
}

/* RULES C7, C8: a function that lost to another keeps its name as an alternate. */
static bool add_displaced(struct emission *e)
{
	for (uint32_t i = 0; i < e->piece_count; i++) {
		const struct piece *piece = &e->pieces[i];
		if (e->overlaps->displaced_by[i] == NOT_DISPLACED || !piece->is_function ||
		    !is_asked(e, piece->start, piece->end))
			continue;
		const struct piece *winner = &e->pieces[e->overlaps->displaced_by[i]];
		bool same_range = winner->start == piece->start && winner->end == piece->end;
		uint32_t function = function_of(e, piece);
		if (function == function_of(e, winner) || function == LOCUS_UNKNOWN) {
			e->dropped[LOCUS_DROPPED_DUPLICATE]++;
			continue;
		}
		e->dropped[LOCUS_DROPPED_OVERLAP] += !same_range;
		if (!add_alternate(e, piece->start, piece->end - piece->start, function,
				   same_range ? LOCUS_ALTERNATE_FOLDED : LOCUS_ALTERNATE_OVERLAP))
			return false;
	}
	return true;
}

/*
 * RULES D3: where a symbol at a function's entry has the function's own name, that name is its linkage name too, in all
 * answers: also where it was inlined, and where another function answers at the entry.
 */
static void mark_symbol_names(struct emission *e)
{
	for (uint32_t i = 0; i < e->overlaps->slice_count; i++) {
		const struct piece *piece = &e->pieces[e->overlaps->slices[i].piece];
		if (piece->symbol_is_name)
			output_ids_symbol_is_name(e->ids, output_ids_used_function(e->ids, root_function(piece)));
	}
}

static bool is_named(struct locus_bytes name, const char *symbol)
{
	return name.size && strlen(symbol) == name.size && memcmp(symbol, name.data, name.size) == 0;
}

/* Compilers give one body the symbols of several variants of a constructor; they demangle to one name. */
static bool is_variant_of(struct locus_bytes linkage, const char *symbol)
{
	return strlen(symbol) == linkage.size && symbol_is_name_of(symbol, linkage.data, linkage.size);
}

/* Adds the symbols at `addr` whose names `function` does not have already. */
static bool add_aliases_at(struct emission *e, uint64_t addr, uint32_t function)
{
	size_t count;
	const struct symbol *symbol = symbols_at(e->symbols, addr, &count);
	for (size_t i = 0; symbol && i < count; i++) {
		const struct locus_function *named = &e->ids->functions[function - 1];
		if (is_named(named->name, symbol[i].name) || is_named(named->linkage, symbol[i].name) ||
		    is_variant_of(named->linkage, symbol[i].name))
			continue;
		uint32_t alias = output_ids_symbol(e->ids, symbol[i].name);
		if (alias == LOCUS_UNKNOWN || !add_alternate(e, addr, 0, alias, LOCUS_ALTERNATE_ALIAS))
			return false;
	}
	return true;
}

/* RULES D6: the other symbols at the start of a function, and of what only symbols name. */
static bool add_aliases(struct emission *e)
{
	const struct symbol_spans *spans = &e->symbol_spans;
	const struct slice *slices = e->overlaps->slices;
	bool memory = true;
	for (uint32_t i = 0; memory && i < e->overlaps->slice_count; i++) {
		if (!is_asked(e, slices[i].start, slices[i].start + 1))
			continue;
		const struct piece *piece = &e->pieces[slices[i].piece];
		uint32_t function = piece->is_function && slices[i].start == piece->start ? function_of(e, piece) : 0;
		if (function != LOCUS_UNKNOWN)
			memory = add_aliases_at(e, piece->start, function);
	}

	for (size_t i = 0, next = 0; memory && i < spans->count; i++) {
		const struct symbol *symbol = &e->symbols->symbols[spans->spans[i].symbol];
		if (!is_asked(e, symbol->addr, symbol->addr + 1))
			continue;
		while (next < e->overlaps->slice_count && slices[next].end <= symbol->addr)
			next++;
		bool answered = next < e->overlaps->slice_count && slices[next].start <= symbol->addr &&
				e->pieces[slices[next].piece].is_function;
		if (!answered && spans->spans[i].start == symbol->addr)
			memory = add_aliases_at(e, symbol->addr, output_ids_symbol(e->ids, symbol->name));
	}
	return memory;
}

static int compare_alternates(const void *a, const void *b)
{
	const struct locus_alternate *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

static void sort_alternates(struct emission *e)
{
	uint32_t kept = 0;
	sort_by_address(e->alternates, e->alternate_count, sizeof(*e->alternates), compare_alternates);
	for (uint32_t i = 0; i < e->alternate_count; i++)
		if (!kept || compare_alternates(&e->alternates[kept - 1], &e->alternates[i]) != 0)
			e->alternates[kept++] = e->alternates[i];
	e->alternate_count = kept;
}

enum locus_status alternate_names_find(struct emission *e, struct locus_error *error)
{
	if (!add_displaced(e) || !add_aliases(e))
		return locus_fail_memory(error);
	mark_symbol_names(e);
	sort_alternates(e);
	return LOCUS_OK;
}
