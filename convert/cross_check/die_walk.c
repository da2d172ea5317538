/*
 * libdw finds the sibling of a DIE by reading all that is below it, unless the DIE says where its sibling is. So a DIE
 * is asked for its sibling only if the walk was not below it. After the last of some siblings, libdw tells where their
 * list ends, and behind that stands what comes after their parent.
 */
#include "convert/cross_check/die_walk.h"

#include "base/budget.h"

/* libdw reads a DIE's attributes from the first on, for each that it is asked for. */
bool die_walk_spend(Dwarf_Die *die)
{
	enum { STEPS_PER_DIE = 4, STEPS_PER_ATTRIBUTE = 2 };
	size_t count = 0;
	dwarf_tag(die); /* has libdw find the declaration */
	if (die->abbrev)
		dwarf_getattrcnt(die->abbrev, &count);
	return budget_spend(STEPS_PER_DIE + STEPS_PER_ATTRIBUTE * count);
}

static bool go_to(struct die_walk *walk, const Dwarf_Die *die)
{
	walk->die = *die;
	return die_walk_spend(&walk->die);
}

bool die_walk_begin(struct die_walk *walk, Dwarf_Die *root)
{
	Dwarf_Die child;
	walk->depth = 1;
	return dwarf_child(root, &child) == 0 && go_to(walk, &child);
}

/* Goes to what stands behind a list of siblings that ends at `end`, or behind those that it is the end of, too. */
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

bool die_walk_next(struct die_walk *walk, bool descend)
{
	Dwarf_Die next;
	if (descend && dwarf_child(&walk->die, &next) == 0) {
		walk->depth++;
		return go_to(walk, &next);
	}
	int none = dwarf_siblingof(&walk->die, &next);
	if (none == 0)
		return go_to(walk, &next);
	return none > 0 && go_up(walk, next.addr);
}
