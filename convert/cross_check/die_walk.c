/*
 * libdw finds the sibling of a DIE by reading all that is below it, unless the DIE says where its sibling is. So a DIE
 * is asked for its sibling only where it says so, or has nothing below it; else the walk goes through what is below.
 * After the last of some siblings, libdw tells where their list ends, and behind that stands what comes after their
 * parent.
 */
#include "convert/cross_check/die_walk.h"

#include <dwarf.h>
#include <string.h>

#include "base/budget.h"

enum {
	STEPS_PER_DIE = 4,
	STEPS_PER_ATTRIBUTE = 2,
	STRING_BYTES_PER_STEP = 16, /* libdw looks for the end of each string that it passes */
	ORIGINS_MAX = 16,           /* behind the DIE itself (RULES D1) */
};

/* libdw reads a DIE's attributes from the first on, for each that it is asked for. */
static bool spend_attributes(Dwarf_Die *die)
{
	size_t count = 0;
	if (dwarf_haschildren(die) >= 0) /* libdw has found its declaration */
		dwarf_getattrcnt(die->abbrev, &count);
	return budget_spend(STEPS_PER_DIE + STEPS_PER_ATTRIBUTE * count);
}

static int spend_string(Dwarf_Attribute *attribute, void *context)
{
	const char *string = dwarf_whatform(attribute) == DW_FORM_string ? dwarf_formstring(attribute) : NULL;
	(void)context;
	if (string)
		budget_spend(strlen(string) / STRING_BYTES_PER_STEP);
	return DWARF_CB_OK;
}

bool die_spend(Dwarf_Die *die)
{
	if (!spend_attributes(die))
		return false;
	dwarf_getattrs(die, spend_string, NULL, 0);
	return budget_is_left();
}

static bool is_function(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_entry_point;
}

/*
 * Goes to the DIE that this one originates in or completes. False: there is none; or it is no function, and this one
 * is (RULES D1).
 */
static bool go_to_origin(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const bool is_of_function = is_function(die);
	if (!dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &attribute), die) &&
	    !dwarf_formref_die(dwarf_attr(die, DW_AT_specification, &attribute), die))
		return false;
	return !is_of_function || is_function(die);
}

bool die_spend_origins(struct unit_loads *loads, Dwarf_Die die)
{
	unsigned hops = 0;
	do {
		if (!unit_loads_count_type(loads, &die) || !die_spend(&die))
			return false;
	} while (hops++ < ORIGINS_MAX && go_to_origin(&die));
	return true;
}

const char *die_find_name(Dwarf_Die die, Dwarf_Die *ret)
{
	unsigned hops = 0;
	do {
		Dwarf_Attribute attribute;
		const char *string = dwarf_formstring(dwarf_attr(&die, DW_AT_name, &attribute));
		if (string && *string) {
			*ret = die;
			return string;
		}
	} while (hops++ < ORIGINS_MAX && go_to_origin(&die));
	return NULL;
}

/* Takes the linkage name from the first attribute that gives one (RULES C5), if it is not empty. */
static int take_linkage(Dwarf_Attribute *attribute, void *context)
{
	const char **ret = context;
	const unsigned name = dwarf_whatattr(attribute);
	if (name != DW_AT_linkage_name && name != DW_AT_MIPS_linkage_name)
		return DWARF_CB_OK;
	const char *string = dwarf_formstring(attribute);
	*ret = string && *string ? string : NULL;
	return DWARF_CB_ABORT;
}

const char *die_find_linkage(Dwarf_Die die)
{
	const char *linkage = NULL;
	unsigned hops = 0;
	do
		dwarf_getattrs(&die, take_linkage, &linkage, 0);
	while (!linkage && hops++ < ORIGINS_MAX && go_to_origin(&die));
	return linkage;
}

/* A DIE's bytes are counted when the next one is reached, with those that were jumped over. */
static bool go_to(struct die_walk *walk, const Dwarf_Die *die)
{
	const char *addr = die->addr;
	uint64_t size = addr > walk->counted ? (uint64_t)(addr - walk->counted) : 0;
	walk->die = *die;
	walk->counted += size;
	return budget_spend(size / STRING_BYTES_PER_STEP) && spend_attributes(&walk->die);
}

bool die_walk_begin(struct die_walk *walk, Dwarf_Die *root)
{
	Dwarf_Die child;
	walk->depth = 1;
	walk->counted = root->addr;
	walk->is_cut_off = false;
	return dwarf_child(root, &child) == 0 && go_to(walk, &child);
}

/*
 * Goes to the DIE behind a list of siblings, whose last byte is at `end`. Where the lists that it is in end there as
 * well, it goes to the DIE behind these.
 */
static bool go_up(struct die_walk *walk, const char *end)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(walk->die.cu);
	const void *cu = walk->die.cu;
	Dwarf_Die die;
	while (end && --walk->depth > 0) {
		end++;
		if (!dwarf_die_addr_die(dwarf, (void *)end, &die) || die.cu != cu)
			return false;
		if (*end)
			return go_to(walk, &die);
	}
	return false;
}

/* Goes to the sibling, or to what comes after the parent. */
static bool go_on(struct die_walk *walk)
{
	Dwarf_Die next;
	int none = dwarf_siblingof(&walk->die, &next);
	walk->is_cut_off = none < 0;
	if (none == 0)
		return go_to(walk, &next);
	return none > 0 && go_up(walk, next.addr);
}

static bool go_below_or_on(struct die_walk *walk)
{
	Dwarf_Die next;
	if (dwarf_child(&walk->die, &next) != 0)
		return go_on(walk);
	walk->depth++;
	return go_to(walk, &next);
}

bool die_walk_next(struct die_walk *walk, bool descend)
{
	uint32_t depth = walk->depth;
	if (!descend && (dwarf_haschildren(&walk->die) <= 0 || dwarf_hasattr(&walk->die, DW_AT_sibling)))
		return go_on(walk);
	bool more = go_below_or_on(walk);
	while (more && !descend && walk->depth > depth)
		more = go_below_or_on(walk);
	return more;
}
