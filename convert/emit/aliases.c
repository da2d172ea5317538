/*
 * Runs before the functions of the output have ids. So whether a symbol is another name is decided by comparing texts,
 * not ids.
 */
#include "convert/emit/aliases.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/binary_search.h"

bool aliases_asked(const struct aliases *aliases, uint64_t start, uint64_t end)
{
	size_t first;
	SEARCH_FIRST(first, 0, aliases->asked_count, aliases->asked[first].end > start);
	return first < aliases->asked_count && aliases->asked[first].start < end;
}

/* The names that a function has already; NULL: it does not have this one. */
struct names {
	const char *name;
	const char *linkage;
};

static bool is_equal(const char *name, const char *symbol)
{
	return name && strcmp(name, symbol) == 0;
}

/*
 * Compilers give one body the symbols of several variants of a constructor; they demangle to one name. Of the linkage
 * name no more is read than the symbol has: many symbols may be compared with a name of megabytes.
 */
static bool is_variant_of(const struct names *names, const char *symbol)
{
	size_t size = strlen(symbol);
	return names->linkage && strnlen(names->linkage, size + 1) == size && !is_equal(names->name, names->linkage) &&
	       symbol_is_name_of(symbol, names->linkage, size);
}

/* Adds the symbols from index `first` on that are at `addr` and whose names the function does not have already. */
static bool add_at(struct aliases *aliases, uint64_t addr, uint32_t first, const struct names *names)
{
	for (uint32_t i = first; i < aliases->symbols->count; i++) {
		const struct symbol *symbol = &aliases->symbols->symbols[i];
		if (symbol->addr != addr)
			break;
		if (is_equal(names->name, symbol->name) || is_equal(names->linkage, symbol->name) ||
		    is_variant_of(names, symbol->name))
			continue;
		if (!array_reserve(&aliases->found, &aliases->room, aliases->count + UINT64_C(1),
				   sizeof(*aliases->found)))
			return false;
		aliases->found[aliases->count++] = (struct alias){addr, symbol->name};
	}
	return true;
}

/* Whether the piece is of a function that may have several names. */
static bool may_have_names(const struct piece *piece)
{
	return piece->is_function && !piece->has_one_name;
}

static struct names names_of(const struct aliases *aliases, uint32_t interned)
{
	if (interned == FUNCTION_UNKNOWN)
		return (struct names){0};
	const struct function_key *key = intern_get(aliases->function_keys, interned);
	return (struct names){key->name, key->linkage};
}

/*
 * Has the processor fetch what names_of reads of the functions of the pieces from `next` on, in two steps, as one leads
 * to the next: neither is in the order of addresses.
 */
static void look_ahead(const struct aliases *aliases, uint32_t next)
{
	enum { TO_FUNCTION = 15, TO_KEY = 7 }; /* pieces */
	const struct piece *piece = &aliases->overlaps->pieces[next];
	const uint32_t left = aliases->overlaps->piece_count - next;
	if (left > TO_FUNCTION && (may_have_names(&piece[TO_FUNCTION]) || piece[TO_FUNCTION].symbol_is_name))
		__builtin_prefetch(piece_contexts(&piece[TO_FUNCTION]));
	if (left <= TO_KEY || !may_have_names(&piece[TO_KEY]))
		return;
	const uint32_t function = piece_contexts(&piece[TO_KEY])->function;
	if (function != FUNCTION_UNKNOWN)
		__builtin_prefetch(intern_get(aliases->function_keys, function));
}

static void note_own_symbol(struct aliases *aliases, const struct intern_numbers *numbers, const struct piece *piece)
{
	const uint32_t function = piece_contexts(piece)[0].function;
	if (function != FUNCTION_UNKNOWN)
		aliases->has_own_symbol[intern_number(numbers, function)] = true;
}

/* Slices and symbols are both in the order of addresses. */
static bool find_of_functions(struct aliases *aliases)
{
	const struct symbols *symbols = aliases->symbols;
	const struct intern_numbers numbers = intern_numbers_of(aliases->function_keys);
	struct slice_walk walk = {.overlaps = aliases->overlaps};
	uint32_t symbol = 0; /* the first one that is not below the piece */
	bool memory = true;
	for (struct slice slice; memory && slice_walk_next(&walk, &slice);) {
		const struct piece *piece = &walk.overlaps->pieces[slice.piece];
		look_ahead(aliases, walk.next_piece);
		if (piece->symbol_is_name)
			note_own_symbol(aliases, &numbers, piece);
		if (!may_have_names(piece) || slice.start != piece->start ||
		    !aliases_asked(aliases, piece->start, piece->start + 1))
			continue;
		while (symbol < symbols->count && symbols->symbols[symbol].addr < piece->start)
			symbol++;
		struct names names = names_of(aliases, piece_contexts(piece)[0].function);
		memory = add_at(aliases, piece->start, symbol, &names);
	}
	return memory;
}

static bool find_of_symbols(struct aliases *aliases)
{
	const struct symbol_spans *spans = aliases->spans;
	const struct piece *pieces = aliases->overlaps->pieces;
	struct slice_walk walk = {.overlaps = aliases->overlaps};
	struct slice slice;
	bool any = slice_walk_next(&walk, &slice), memory = true;
	for (size_t i = 0; memory && i < spans->count; i++) {
		const struct symbol *symbol = &aliases->symbols->symbols[spans->spans[i].symbol];
		while (any && slice_end(&slice) <= symbol->addr)
			any = slice_walk_next(&walk, &slice);
		bool answered = any && slice.start <= symbol->addr && pieces[slice.piece].is_function;
		if (answered || spans->spans[i].start != symbol->addr ||
		    !aliases_asked(aliases, symbol->addr, symbol->addr + 1))
			continue;
		size_t count;
		const struct symbol *first = symbols_at(aliases->symbols, symbol->addr, &count);
		struct locus_function function = output_function_of_symbol(symbol->name);
		struct names names = {function.name.data, function.linkage.data};
		memory = add_at(aliases, symbol->addr, (uint32_t)(first - aliases->symbols->symbols), &names);
	}
	return memory;
}

void aliases_find(void *argument)
{
	struct aliases *aliases = argument;
	const size_t function_count = intern_numbers_of(aliases->function_keys).count;
	aliases->has_own_symbol = calloc(function_count + 1, sizeof(*aliases->has_own_symbol));
	aliases->failed = !aliases->has_own_symbol || !find_of_functions(aliases) || !find_of_symbols(aliases);
}

void aliases_done(struct aliases *aliases)
{
	free(aliases->found);
	free(aliases->has_own_symbol);
	aliases->found = NULL;
	aliases->has_own_symbol = NULL;
}
