/* Names are collected in any order and sorted at the end, so that the file does not depend on it. */
#include "convert/emit/alternate_names.h"

#include "base/array.h"
#include "base/fail.h"
#include "base/order.h"
#include "base/sort.h"

static bool add_alternate(struct emission *e, uint64_t start, uint64_t size, uint32_t function, uint8_t kind)
{
	if (!array_reserve(&e->alternates, &e->alternate_room, e->alternate_count + UINT64_C(1),
			   sizeof(*e->alternates)))
		return false;
	e->alternates[e->alternate_count++] = (struct locus_alternate){start, size, function, kind};
	return true;
}

/* The interned function that the piece is a part of. */
static uint32_t root_function(const struct piece *piece)
{
	return piece_contexts(piece)[0].function;
}

static uint32_t function_of(struct emission *e, const struct piece *piece)
{
	return output_ids_function(e->ids, root_function(piece)).id;
}

/* RULES C7, C8: a function that lost to another keeps its name as an alternate. */
static bool add_displaced(struct emission *e)
{
	for (uint32_t i = 0; i < e->piece_count; i++) {
		const struct piece *piece = &e->pieces[i];
		if (!piece->is_displaced || !piece->is_function ||
		    !aliases_asked(&e->aliases, piece->start, piece_end(piece)))
			continue;
		const struct piece *winner = &e->pieces[e->overlaps->displaced_by[i]];
		bool same_range = winner->start == piece->start && winner->size == piece->size;
		/* One without a name would say nothing. */
		if (root_function(piece) == FUNCTION_UNKNOWN) {
			e->dropped[same_range ? LOCUS_DROPPED_DUPLICATE : LOCUS_DROPPED_OVERLAP]++;
			continue;
		}
		uint32_t function = function_of(e, piece);
		if (function == function_of(e, winner) || function == LOCUS_UNKNOWN) {
			e->dropped[LOCUS_DROPPED_DUPLICATE]++;
			continue;
		}
		e->dropped[LOCUS_DROPPED_OVERLAP] += !same_range;
		if (!add_alternate(e, piece->start, piece->size, function,
				   same_range ? LOCUS_ALTERNATE_FOLDED : LOCUS_ALTERNATE_OVERLAP))
			return false;
	}
	return true;
}

/* RULES D6: the other symbols at the start of a function, and of what only symbols name. */
static bool add_aliases(struct emission *e)
{
	const struct aliases *aliases = &e->aliases;
	bool memory = !aliases->failed;
	for (uint32_t i = 0; memory && i < aliases->count; i++) {
		uint32_t function = output_ids_symbol(e->ids, aliases->found[i].name);
		memory = function != LOCUS_UNKNOWN &&
			 add_alternate(e, aliases->found[i].addr, 0, function, LOCUS_ALTERNATE_ALIAS);
	}
	return memory;
}

static int compare_alternates(const void *a, const void *b)
{
	const struct locus_alternate *x = a, *y = b;
	if (x->start != y->start)
		return order_of(x->start, y->start);
	if (x->function != y->function)
		return order_of(x->function, y->function);
	if (x->size != y->size)
		return order_of(x->size, y->size);
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
	/*
	 * RULES D3: where a symbol at a function's entry has the function's own name, that name is its linkage name
	 * too, in all answers: also where it was inlined, and where another function answers at the entry.
	 */
	output_ids_symbols_are_names(e->ids, e->aliases.has_own_symbol);
	sort_alternates(e);
	return LOCUS_OK;
}
