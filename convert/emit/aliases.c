/*
 * Runs before the functions of the output have ids. So whether a symbol is another name is decided by comparing texts,
 * not ids.
 */
#include "convert/emit/aliases.h"

#include <string.h>

#include "base/array.h"
#include "base/binary_search.h"

bool aliases_asked(const struct aliases *aliases, uint64_t start, uint64_t end)
{
	size_t first;
	SEARCH_FIRST(first, 0, aliases->asked_count, aliases->asked[first].end > start);
	return first < aliases->asked_count && aliases->asked[first].start < end;
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

/* Adds the symbols at `addr` whose names the function does not have already. */
static bool add_at(struct aliases *aliases, uint64_t addr, const struct locus_function *function)
{
	size_t count;
	const struct symbol *symbol = symbols_at(aliases->symbols, addr, &count);
	for (size_t i = 0; symbol && i < count; i++) {
		if (is_named(function->name, symbol[i].name) || is_named(function->linkage, symbol[i].name) ||
		    is_variant_of(function->linkage, symbol[i].name))
			continue;
		if (!array_reserve(&aliases->found, &aliases->room, aliases->count + UINT64_C(1),
				   sizeof(*aliases->found)))
			return false;
		aliases->found[aliases->count++] = (struct alias){addr, symbol[i].name};
	}
	return true;
}

/* The slice's piece, if a function begins there; NULL: none does. */
static const struct piece *function_at(const struct aliases *aliases, const struct slice *slice)
{
	const struct piece *piece = &aliases->pieces[slice->piece];
	return piece->is_function && slice->start == piece->start ? piece : NULL;
}

static bool find_of_functions(struct aliases *aliases)
{
	const struct overlaps *overlaps = aliases->overlaps;
	bool memory = true;
	for (uint32_t i = 0; memory && i < overlaps->slice_count; i++) {
		const struct piece *piece = function_at(aliases, &overlaps->slices[i]);
		if (!piece || !aliases_asked(aliases, piece->start, piece->start + 1))
			continue;
		struct locus_function function = output_function(aliases->function_keys, piece->contexts[0].function);
		memory = add_at(aliases, piece->start, &function);
	}
	return memory;
}

static bool find_of_symbols(struct aliases *aliases)
{
	const struct symbol_spans *spans = aliases->spans;
	const struct overlaps *overlaps = aliases->overlaps;
	const struct slice *slice = overlaps->slices, *end = slice + overlaps->slice_count;
	bool memory = true;
	for (size_t i = 0; memory && i < spans->count; i++) {
		const struct symbol *symbol = &aliases->symbols->symbols[spans->spans[i].symbol];
		while (slice < end && slice->end <= symbol->addr)
			slice++;
		bool answered =
			slice < end && slice->start <= symbol->addr && aliases->pieces[slice->piece].is_function;
		if (answered || spans->spans[i].start != symbol->addr ||
		    !aliases_asked(aliases, symbol->addr, symbol->addr + 1))
			continue;
		struct locus_function function = output_function_of_symbol(symbol->name);
		memory = add_at(aliases, symbol->addr, &function);
	}
	return memory;
}

void aliases_find(void *argument)
{
	struct aliases *aliases = argument;
	aliases->failed = !find_of_functions(aliases) || !find_of_symbols(aliases);
}
