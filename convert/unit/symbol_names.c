/* Joins DWARF functions and symbols. A mangled symbol is parsed for the name that it ends in. */
#include "convert/unit/symbol_names.h"

#include <ctype.h>
#include <string.h>

#include "base/budget.h"
#include "base/language.h"
#include "convert/unit/mangled_name.h"

/* If there are more symbols at one address, only those that have a word of a function's name are compared with it. */
enum { SYMBOLS_TRIED = 256, STEPS_PER_CLONE = 8 /* of work, for each that may be a clone's */ };

void symbol_names_done(struct symbol_names *names)
{
	crowded_symbols_done(&names->crowded);
	*names = (struct symbol_names){0};
}

const struct symbol *symbol_names_at(struct symbol_names *names, uint64_t addr, size_t *ret_count)
{
	/* Most functions begin at a multiple of 16. */
	struct symbols_found *found = &names->found[(addr >> 4) % SYMBOL_NAMES_KNOWN];
	if (!found->first || found->addr != addr) {
		found->first = symbols_at(names->symbols, addr, &found->count);
		found->addr = addr;
	}
	*ret_count = found->count;
	return found->first;
}

void symbol_names_ahead(struct symbol_names *names, uint64_t addr)
{
	size_t count;
	const struct symbol *first = symbol_names_at(names, addr, &count);
	if (first)
		__builtin_prefetch(first->name);
}

/*
 * Counts the work of comparing `name` with `count` symbols: symbols can have megabytes and begin alike. When the budget
 * is exceeded the conversion fails, whatever the comparison gives.
 */
static bool may_compare(struct symbol_names *names, const char *name, size_t count)
{
	return budget_count(&names->work, strlen(name) * count / BUDGET_BYTES_PER_STEP);
}

/* Whether one of the symbols that symbol_names_at gave has exactly this name. False, too, beyond the budget. */
static bool any_has_name(struct symbol_names *names, const struct symbol *first, size_t count, const char *name)
{
	enum { COMPARED_MAX = 64 }; /* symbols that are compared with it: of very many, few */
	return first && may_compare(names, name, count < COMPARED_MAX ? count : COMPARED_MAX) &&
	       symbols_find_name(first, count, name);
}

/*
 * Whether the symbol contains `name` with only separators around it, such as Pascal's P$PROGRAM_$$_INIT. Letter case
 * must match, but in Pascal: there symbols are in capitals, and from DWARF 3 on Free Pascal gives names as in the
 * source.
 */
static bool has_word(const char *symbol, const char *name, uint16_t language)
{
	char *(*const find)(const char *, const char *) = language == LANG_PASCAL83 ? strcasestr : strstr;
	size_t size = strlen(name);
	for (const char *at = find(symbol, name); at && size; at = find(at + 1, name))
		if ((at == symbol || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[size]))
			return true;
	return false;
}

/* Whether a plain symbol is the name itself, up to what a compiler adds to it. */
static bool is_plain_name(uint16_t language)
{
	return language_is_c(language) || language_qualifies(language);
}

bool symbol_names_function(const char *symbol, const char *name, uint16_t language)
{
	if (symbol_is_of_part(symbol))
		return false;
	if (is_mangled(symbol))
		return mangled_name_is(symbol, name);
	if (is_plain_name(language))
		return symbol_is_name_of(symbol, name, strlen(name));
	return has_word(symbol, name, language);
}

/*
 * Counts the work of symbol_names_function: some symbols are compared with the name at each of their places, and
 * mangled ones may be parsed.
 */
static bool may_ask(struct symbol_names *names, const char *symbol, const char *name, uint16_t language)
{
	const bool is_parsed = is_mangled(symbol);
	const bool is_searched = is_parsed ? symbol[1] != 'Z' : !is_plain_name(language);
	return may_compare(names, symbol, is_searched ? 1 + strlen(name) : 1) &&
	       (!is_parsed || budget_count(&names->work, mangled_name_steps(symbol)));
}

/* A function without a name gets the first symbol's. */
static const char *only_name(struct symbol_names *names, uint64_t entry)
{
	size_t count;
	const struct symbol *symbol = symbol_names_at(names, entry, &count);
	bool is_name = symbol && may_compare(names, symbol->name, 1) && !symbol_is_of_part(symbol->name);
	return is_name ? symbol->name : NULL;
}

/* Sets *ret to the symbol if it names the function. False: beyond the budget. */
static bool ask(struct symbol_names *names, const struct symbol *symbol, const struct die_names *named,
		const char **ret)
{
	const uint16_t language = (uint16_t)named->key.language;
	if (!may_ask(names, symbol->name, named->bare, language))
		return false;
	if (symbol_names_function(symbol->name, named->bare, language))
		*ret = symbol->name;
	return true;
}

/*
 * Finds the first of the symbols at one address that names the function; of very many, the first that has a word of its
 * name. *ret is NULL if none does. False: out of memory, or beyond the budget.
 */
static bool find_linkage(struct symbol_names *names, const struct symbol *symbols, size_t count,
			 const struct die_names *named, const char **ret)
{
	struct worded_symbols worded = {0};
	bool is_known = false;
	*ret = NULL;
	if (count > SYMBOLS_TRIED &&
	    !crowded_symbols_find(&names->crowded, symbols, count, named->bare, &worded, &is_known))
		return false;
	for (size_t i = 0; i < worded.count && i < SYMBOLS_TRIED && !*ret; i++)
		if (!ask(names, &symbols[worded.symbols[i].index], named, ret))
			return false;
	for (size_t i = 0; i < count && i < SYMBOLS_TRIED && !*ret; i++)
		if (!(is_known && symbol_has_words(symbols[i].name)) && !ask(names, &symbols[i], named, ret))
			return false;
	return true;
}

bool symbol_names_link(struct symbol_names *names, uint64_t entry, const struct die_names *named, uint32_t *function,
		       bool *ret_is_name)
{
	struct function_key key = named->key;
	const char *found = NULL;
	*ret_is_name = false;
	if (!named->bare) {
		found = only_name(names, entry);
		if (!found)
			return true;
		*ret_is_name = !is_mangled(found);
		*(*ret_is_name ? &key.name : &key.linkage) = found;
		*function = intern_put(names->functions, &key);
		return *function != INTERN_FAILED;
	}

	size_t count;
	const struct symbol *symbols = symbol_names_at(names, entry, &count);
	*ret_is_name = any_has_name(names, symbols, count, key.name);
	if (!*ret_is_name && !find_linkage(names, symbols, count, named, &found))
		return false;
	if (!found)
		return true;
	key.linkage = found;
	if (is_mangled(found))
		key.name = NULL; /* the mangled name contains it, as in DWARF with a linkage name */
	*function = intern_put(names->functions, &key);
	return *function != INTERN_FAILED;
}

bool symbol_names_are_others(struct symbol_names *names, uint64_t addr, const char *linkage, bool *ret_has_one)
{
	size_t count, size = strlen(linkage);
	const struct symbol *symbol = symbol_names_at(names, addr, &count);
	bool borne = count > SYMBOLS_TRIED || !may_compare(names, linkage, count + 1);
	for (size_t i = 0; symbol && i < count && !borne; i++)
		borne = symbol_is_name_of(symbol[i].name, linkage, size);
	*ret_has_one = count == 1 && borne && strcmp(symbol->name, linkage) == 0;
	return symbol && !borne;
}

/*
 * Finds whether one of the symbols at an address is that of a clone of the function: its linkage name with a suffix,
 * or, where it has none, a symbol that names it. Each symbol counts as work, however short it is: many functions may
 * share a list of ranges, and each range may have as many symbols as are tried. False: beyond the budget.
 */
static bool find_clone(struct symbol_names *names, const struct symbol *symbols, size_t count,
		       const struct die_names *named, bool *ret_is_there)
{
	const char *found = NULL, *linkage = named->key.linkage;
	const size_t tried = count < SYMBOLS_TRIED ? count : SYMBOLS_TRIED;
	*ret_is_there = false;
	if (!budget_count(&names->work, STEPS_PER_CLONE * tried))
		return false;
	if (!linkage) {
		bool is_known = find_linkage(names, symbols, count, named, &found);
		*ret_is_there = found != NULL;
		return is_known;
	}
	const size_t size = strlen(linkage);
	for (size_t i = 0; i < tried && !*ret_is_there; i++) {
		if (!may_compare(names, symbols[i].name, 1))
			return false;
		*ret_is_there =
			symbol_is_name_of(symbols[i].name, linkage, size) && !symbol_is_of_part(symbols[i].name);
	}
	return true;
}

uint64_t symbol_names_entry(struct symbol_names *names, const struct range *ranges, uint32_t count,
			    const struct die_names *named)
{
	const char *name = named->key.linkage ? named->key.linkage : named->bare;
	size_t symbol_count;
	for (uint32_t i = 0; name && i < count; i++) {
		const struct symbol *symbols = symbol_names_at(names, ranges[i].start, &symbol_count);
		if (any_has_name(names, symbols, symbol_count, name))
			return ranges[i].start;
	}
	for (uint32_t i = 0; name && count > 1 && i < count; i++) {
		const struct symbol *symbols = symbol_names_at(names, ranges[i].start, &symbol_count);
		bool is_clone = false;
		if (symbols && !find_clone(names, symbols, symbol_count, named, &is_clone))
			break;
		if (is_clone)
			return ranges[i].start;
	}
	return ranges[0].start;
}
