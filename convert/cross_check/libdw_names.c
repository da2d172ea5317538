/*
 * libdw follows the chain of origins, attribute by attribute. Which names are mangled and which languages qualify names
 * is written here a second time, and not taken from conversion: a mistake there would otherwise agree with itself.
 */
#include "convert/cross_check/libdw_names.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* RULES D7: an empty string counts as none. */
static const char *string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	const char *string = dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
	return string && *string ? string : NULL;
}

static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' || name[1] == 'D');
}

/* Finds the DIE of the chain of origins that has the name itself. */
static bool find_named(Dwarf_Die die, Dwarf_Die *ret)
{
	for (unsigned hops = 0; hops < 16; hops++) {
		Dwarf_Attribute attribute;
		if (dwarf_hasattr(&die, DW_AT_name)) {
			*ret = die;
			return true;
		}
		if (!dwarf_formref_die(dwarf_attr(&die, DW_AT_abstract_origin, &attribute), &die) &&
		    !dwarf_formref_die(dwarf_attr(&die, DW_AT_specification, &attribute), &die))
			return false;
	}
	return false;
}

/* Whether names of the language are shown behind their scopes: C++, Rust, D. */
static bool qualifies(int language)
{
	switch (language) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2a: /* C++17 and C++20, newer than libdw */
	case 0x2b:
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
	return dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1;
}

/* The name of an enclosing DIE; NULL: it is no scope of names. */
static const char *scope_name(Dwarf_Die *die)
{
	const char *anonymous;
	switch (dwarf_tag(die)) {
	case DW_TAG_namespace:
		anonymous = "(anonymous namespace)";
		break;
	case DW_TAG_structure_type:
		anonymous = "(anonymous struct)";
		break;
	case DW_TAG_union_type:
		anonymous = "(anonymous union)";
		break;
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_module:
		anonymous = "(anonymous class)";
		break;
	default:
		return NULL;
	}
	const char *name = dwarf_diename(die);
	return name && *name ? name : anonymous;
}

/*
 * Puts the names of the enclosing scopes before the name. From the unit down, the DIE that encloses the named one is
 * the last that begins before it; dwarf_getscopes_die would visit the whole unit.
 */
static char *qualify(Dwarf_Die *named, const char *name)
{
	Dwarf_Off offset = dwarf_dieoffset(named);
	char *scopes = strdup(""), *text = NULL;
	Dwarf_Die at, child, next;
	bool is_below = dwarf_diecu(named, &at, NULL, NULL) != NULL;
	while (scopes && is_below && dwarf_dieoffset(&at) != offset && dwarf_child(&at, &child) == 0) {
		while (dwarf_siblingof(&child, &next) == 0 && dwarf_dieoffset(&next) <= offset)
			child = next;
		at = child;
		const char *scope = dwarf_dieoffset(&at) != offset ? scope_name(&at) : NULL;
		if (!scope)
			continue;
		if (asprintf(&text, "%s%s::", scopes, scope) < 0)
			text = NULL;
		free(scopes);
		scopes = text;
	}
	text = NULL;
	if (scopes && asprintf(&text, "%s%s", scopes, name) < 0)
		text = NULL;
	free(scopes);
	return text;
}

/* Reads the name of a DIE. False: out of memory. */
static bool read_name(Dwarf_Die *die, struct dwarf_name *ret)
{
	Dwarf_Die named;
	*ret = (struct dwarf_name){.linkage = string_of(die, DW_AT_linkage_name), .name = string_of(die, DW_AT_name)};
	if (!ret->linkage)
		ret->linkage = string_of(die, DW_AT_MIPS_linkage_name);
	if (ret->linkage || !ret->name || !find_named(*die, &named))
		return true;
	int language = language_of(&named);
	if (!qualifies(language > 0 ? language : language_of(die)))
		return true;
	ret->qualified = qualify(&named, ret->name);
	return ret->qualified != NULL;
}

static void free_name(struct dwarf_name *dwarf)
{
	free(dwarf->qualified);
	*dwarf = (struct dwarf_name){0};
}

bool dwarf_name_is_misplaced(const struct dwarf_name *dwarf, struct symbols *symbols, uint64_t start)
{
	size_t count;
	const struct symbol *symbol = symbols_at(symbols, start, &count);
	if (!dwarf->linkage || !symbol)
		return false;
	for (size_t i = 0; i < count; i++)
		if (symbol_is_name_of(symbol[i].name, dwarf->linkage, strlen(dwarf->linkage)))
			return false;
	return symbols_have_name(symbols, dwarf->linkage);
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : !a && !b;
}

static bool starts_at(const struct symbols *symbols, const uint64_t *entries, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++) {
		size_t found;
		const struct symbol *symbol = symbols_at(symbols, entries[i], &found);
		for (size_t k = 0; k < found; k++)
			if (strcmp(symbol[k].name, name) == 0)
				return true;
	}
	return false;
}

/* Whether a symbol gives the linkage name of a function for which DWARF has only a name (RULES D3). */
static bool is_linked_by_symbol(const struct dwarf_name *dwarf, const struct claimed_name *claim,
				const struct symbols *symbols, const uint64_t *entries, uint32_t entry_count,
				bool is_outermost)
{
	const char *name = dwarf->qualified ? dwarf->qualified : dwarf->name;
	if (!claim->linkage)
		return is_same(claim->function, name) &&
		       (!is_outermost || !starts_at(symbols, entries, entry_count, name));
	if (strcmp(claim->linkage, name) == 0)
		return is_same(claim->function, name);
	return is_outermost && starts_at(symbols, entries, entry_count, claim->linkage) &&
	       (is_mangled(claim->linkage) ? !claim->function : is_same(claim->function, name));
}

bool dwarf_name_is(const struct dwarf_name *dwarf, const struct claimed_name *claim, const struct symbols *symbols,
		   const uint64_t *entries, uint32_t entry_count, bool is_outermost)
{
	if (dwarf->linkage)
		return is_same(claim->linkage, dwarf->linkage) &&
		       is_same(claim->function, is_mangled(dwarf->linkage) ? NULL : dwarf->name);
	if (dwarf->name)
		return is_linked_by_symbol(dwarf, claim, symbols, entries, entry_count, is_outermost);
	const char *only = claim->linkage ? claim->linkage : claim->function;
	return !only || (is_outermost && starts_at(symbols, entries, entry_count, only));
}

const struct dwarf_name *dwarf_name_get(struct dwarf_name_cache *cache, Dwarf_Die *die)
{
	struct kept_name *kept = &cache->names[((uintptr_t)die->addr * 0x9E3779B1u >> 8) % DWARF_NAMES_KEPT];
	if (kept->die == die->addr)
		return &kept->name;
	free_name(&kept->name);
	kept->die = NULL;
	if (!read_name(die, &kept->name))
		return NULL;
	kept->die = die->addr;
	return &kept->name;
}

void dwarf_name_cache_done(struct dwarf_name_cache *cache)
{
	for (unsigned i = 0; i < DWARF_NAMES_KEPT; i++)
		free_name(&cache->names[i].name);
}
