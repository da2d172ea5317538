/* All symbols of an address are parsed when the first function there is asked for, and sorted by hashes of words. */
#include "convert/unit/crowded_symbols.h"

#include <search.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/budget.h"
#include "base/mix64.h"
#include "base/order.h"
#include "base/sort.h"
#include "convert/unit/function_names.h"
#include "convert/unit/mangled_name.h"

struct crowd {
	uint64_t addr;
	struct worded_symbol *symbols; /* by hash, then index */
	uint32_t count, room;
};

static int compare_crowds(const void *a, const void *b)
{
	return order_of(((const struct crowd *)a)->addr, ((const struct crowd *)b)->addr);
}

static void crowd_free(void *node)
{
	struct crowd *crowd = node;
	free(crowd->symbols);
	free(crowd);
}

void crowded_symbols_done(struct crowded_symbols *crowded)
{
	tdestroy(crowded->crowds, crowd_free);
	crowded->crowds = NULL;
}

static int compare_worded(const void *a, const void *b)
{
	const struct worded_symbol *x = a, *y = b;
	return x->hash != y->hash ? order_of(x->hash, y->hash) : order_of(x->index, y->index);
}

bool symbol_has_words(const char *symbol)
{
	return is_mangled(symbol) && symbol[1] == 'Z';
}

/* Parses the symbols. NULL: out of memory, or beyond the budget. */
static struct crowd *make_crowd(struct crowded_symbols *crowded, const struct symbol *symbols, size_t count)
{
	struct crowd *crowd = budget_take(sizeof(*crowd)) ? calloc(1, sizeof(*crowd)) : NULL;
	if (!crowd) {
		budget_memory_out();
		return NULL;
	}
	crowd->addr = symbols->addr;
	bool memory = array_reserve(&crowd->symbols, &crowd->room, count, sizeof(*crowd->symbols));
	for (size_t i = 0; i < count && memory; i++) {
		struct worded_symbol worded = {.index = (uint32_t)i};
		if (!symbol_has_words(symbols[i].name))
			continue;
		memory = budget_count(&crowded->work, mangled_name_steps(symbols[i].name));
		if (memory && mangled_name_word(symbols[i].name, hash_seed(crowded), &worded.hash))
			crowd->symbols[crowd->count++] = worded;
	}
	if (!memory) {
		crowd_free(crowd);
		return NULL;
	}
	sort_by_address(crowd->symbols, crowd->count, sizeof(*crowd->symbols), compare_worded);
	return crowd;
}

/* The crowd at the address of the symbols, which is made once; NULL as make_crowd. */
static const struct crowd *crowd_of(struct crowded_symbols *crowded, const struct symbol *symbols, size_t count)
{
	const struct crowd key = {.addr = symbols->addr};
	struct crowd *const *found = tfind(&key, &crowded->crowds, compare_crowds);
	if (found)
		return *found;
	struct crowd *made = make_crowd(crowded, symbols, count);
	if (made && !tsearch(made, &crowded->crowds, compare_crowds)) {
		crowd_free(made);
		budget_memory_out();
		return NULL;
	}
	return made;
}

bool crowded_symbols_find(struct crowded_symbols *crowded, const struct symbol *symbols, size_t count, const char *name,
			  struct worded_symbols *ret, bool *ret_is_known)
{
	const struct name_word word = name_word(name);
	*ret = (struct worded_symbols){0};
	*ret_is_known = word.size != 0;
	if (!word.size)
		return true;
	const struct crowd *crowd = crowd_of(crowded, symbols, count);
	if (!crowd)
		return false;

	const uint64_t hash = XXH3_64bits_withSeed(word.text, word.size, hash_seed(crowded));
	uint32_t first, end;
	SEARCH_FIRST(first, 0, crowd->count, crowd->symbols[first].hash >= hash);
	SEARCH_FIRST(end, first, crowd->count, crowd->symbols[end].hash > hash);
	*ret = (struct worded_symbols){crowd->symbols + first, end - first};
	return true;
}
