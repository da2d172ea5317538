/*
 * The chain of origins is followed with libdw, attribute by attribute. Which names are mangled and which languages
 * qualify names is written here a second time, and not taken from conversion: a mistake there would otherwise agree
 * with itself.
 */
#include "convert/cross_check/libdw_names.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "convert/cross_check/die_walk.h"

static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' || name[1] == 'D');
}

/* Whether names of the language are shown behind their scopes: C++, Rust, D. */
static bool qualifies(int language)
{
	switch (language) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2a: /* C++17, C++20 and C++23, newer than libdw */
	case 0x2b:
	case 0x3a:
	case DW_LANG_ObjC_plus_plus:
	case DW_LANG_Rust:
	case DW_LANG_D:
		return true;
	default:
		return false;
	}
}

static int language_of(Dwarf_Die *die)
{
	Dwarf_Die unit;
	return dwarf_diecu(die, &unit, NULL, NULL) && die_spend(&unit) ? dwarf_srclang(&unit) : -1;
}

/*
 * Puts the names of the enclosing scopes before the name. RULES D3: a name that would be too long stays as it is.
 * NULL: out of memory.
 */
static char *qualify(struct unit_scopes *scopes, Dwarf_Die *named, const char *name)
{
	enum { QUALIFIED_MAX = 1 << 16, SCOPES_MAX = 64 };
	const char *outer[SCOPES_MAX]; /* the names of the scopes, from the inside out */
	unsigned count = 0;
	uint32_t at;
	size_t size = strlen(name);
	const struct unit_with_scopes *unit = unit_scopes_around(scopes, named, &at);
	if (!unit)
		return NULL;
	for (; at != NO_ENCLOSING_SCOPE && count < SCOPES_MAX && size <= QUALIFIED_MAX; at = unit->scopes[at].parent) {
		outer[count] = unit->scopes[at].name;
		size += strlen(outer[count++]) + strlen("::");
	}
	if (size > QUALIFIED_MAX)
		return strdup(name);

	char *text = malloc(size + 1), *end = text;
	while (text && count--)
		end = stpcpy(stpcpy(end, outer[count]), "::");
	if (text)
		strcpy(end, name);
	return text;
}

/* Reads the name of a DIE. False: out of memory. */
static bool read_name(struct unit_scopes *scopes, Dwarf_Die *die, struct dwarf_name *ret)
{
	Dwarf_Die named;
	if (!die_spend_origins(scopes->loads, *die))
		return false;
	*ret = (struct dwarf_name){.linkage = die_find_linkage(*die), .name = die_find_name(*die, &named)};
	budget_spend(((ret->linkage ? strlen(ret->linkage) : 0) + (ret->name ? strlen(ret->name) : 0)) /
		     BUDGET_BYTES_PER_STEP);
	if (ret->linkage || !ret->name)
		return true;

	bool is_objc =
		strncmp(ret->name, "-[", 2) == 0 || strncmp(ret->name, "+[", 2) == 0; /* it names its class itself */
	int language = language_of(&named);
	if (is_objc || !qualifies(language > 0 ? language : language_of(die)))
		return true;
	ret->qualified = qualify(scopes, &named, ret->name);
	return ret->qualified != NULL;
}

static void free_name(struct dwarf_name *dwarf)
{
	free(dwarf->qualified);
	*dwarf = (struct dwarf_name){0};
}

bool dwarf_name_is_at(const struct dwarf_name *dwarf, const struct symbols *symbols, uint64_t addr)
{
	size_t count;
	const struct symbol *symbol = symbols_at(symbols, addr, &count);
	return dwarf->linkage && symbol && budget_spend(1) && symbols_find_name(symbol, count, dwarf->linkage);
}

bool dwarf_name_has_clone_at(const struct dwarf_name *dwarf, const struct symbols *symbols, uint64_t addr)
{
	size_t count;
	const struct symbol *symbol = symbols_at(symbols, addr, &count);
	if (!dwarf->linkage || !symbol || !budget_spend(count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (symbol_is_name_of(symbol[i].name, dwarf->linkage, strlen(dwarf->linkage)) &&
		    !symbol_is_of_part(symbol[i].name))
			return true;
	return false;
}

/* Whether the symbol names the function; a mangled one may, if it contains the name. */
static bool is_named_by(const struct dwarf_name *dwarf, const char *symbol)
{
	if (dwarf->linkage)
		return symbol_is_name_of(symbol, dwarf->linkage, strlen(dwarf->linkage));
	if (!dwarf->name)
		return true;
	return is_mangled(symbol) ? strstr(symbol, dwarf->name) != NULL
				  : symbol_is_name_of(symbol, dwarf->name, strlen(dwarf->name));
}

bool dwarf_name_has_others_at(const struct dwarf_name *dwarf, const struct symbols *symbols, uint64_t addr)
{
	size_t count;
	const struct symbol *symbol = symbols_at(symbols, addr, &count);
	if (!symbol || !budget_spend(count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (is_named_by(dwarf, symbol[i].name))
			return false;
	return true;
}

bool dwarf_name_is_anywhere(const struct dwarf_name *dwarf, struct symbols *symbols)
{
	return dwarf->linkage && symbols_have_name(symbols, dwarf->linkage);
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : !a && !b;
}

const char *dwarf_name_beside_linkage(const struct dwarf_name *dwarf)
{
	if (!dwarf->linkage || !dwarf->name || is_mangled(dwarf->linkage) || is_same(dwarf->linkage, dwarf->name))
		return NULL;
	return dwarf->name;
}

static bool is_symbol_at(const struct symbols *symbols, uint64_t addr, const char *name)
{
	size_t found;
	const struct symbol *symbol = symbols_at(symbols, addr, &found);
	budget_spend(found);
	for (size_t i = 0; i < found; i++)
		if (strcmp(symbol[i].name, name) == 0)
			return true;
	return false;
}

static bool is_symbol_at_any(const struct entry_points *entries, const char *name)
{
	bool is_there = is_symbol_at(entries->symbols, entries->first, name);
	for (uint32_t i = 0; i < entries->part_count && !is_there && budget_spend(1); i++)
		is_there = is_symbol_at(entries->symbols, entries->parts[i].start, name);
	return is_there;
}

/* Whether a symbol gives the linkage name of a function for which DWARF has only a name (RULES D3). */
static bool is_linked_by_symbol(const struct dwarf_name *dwarf, const struct claimed_name *claim,
				const struct entry_points *entries)
{
	const char *name = dwarf->qualified ? dwarf->qualified : dwarf->name;
	if (!claim->linkage)
		return is_same(claim->function, name) && (!claim->is_outermost || !is_symbol_at_any(entries, name));
	if (strcmp(claim->linkage, name) == 0)
		return is_same(claim->function, name);
	return claim->is_outermost && is_symbol_at_any(entries, claim->linkage) &&
	       (is_mangled(claim->linkage) ? !claim->function : is_same(claim->function, name));
}

bool dwarf_name_is(const struct dwarf_name *dwarf, const struct claimed_name *claim, const struct entry_points *entries)
{
	if (dwarf->linkage)
		return is_same(claim->linkage, dwarf->linkage) &&
		       is_same(claim->function, is_mangled(dwarf->linkage) ? NULL : dwarf->name);
	if (dwarf->name)
		return is_linked_by_symbol(dwarf, claim, entries);
	const char *only = claim->linkage ? claim->linkage : claim->function;
	bool is_one_name = !claim->linkage || !claim->function || strcmp(claim->linkage, claim->function) == 0;
	return !only || (is_one_name && claim->is_outermost && is_symbol_at_any(entries, only));
}

const struct dwarf_name *dwarf_name_get(struct dwarf_name_cache *cache, Dwarf_Die *die)
{
	struct kept_name *kept = &cache->names[((uintptr_t)die->addr * 0x9E3779B1u >> 8) % DWARF_NAMES_KEPT];
	if (kept->die == die->addr)
		return &kept->name;
	free_name(&kept->name);
	kept->die = NULL;
	if (!read_name(&cache->scopes, die, &kept->name))
		return NULL;
	kept->die = die->addr;
	return &kept->name;
}

void dwarf_name_cache_done(struct dwarf_name_cache *cache)
{
	for (unsigned i = 0; i < DWARF_NAMES_KEPT; i++)
		free_name(&cache->names[i].name);
	unit_scopes_done(&cache->scopes);
}
