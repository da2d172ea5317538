/*
 * Finds the names of functions. The whole chain of origins is searched for a linkage name before a plain name is taken
 * (RULES D2), across units and in the alternate file. A function without a linkage name is qualified by the scopes of
 * its declaration (RULES D3).
 */
#include "convert/unit/function_names.h"

#include <dwarf.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/budget.h"
#include "base/language.h"
#include "base/mix64.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/vm_pages.h"

/* The facts that a chain of origins has given so far; the first DIE that has a fact decides. */
struct facts {
	const char *linkage;
	const char *name;
	bool name_volatile;
	bool linkage_volatile;
	struct die_ref named; /* the DIE that gave the name or, as long as none did, the linkage name */
	const struct unit *decl_unit;
	uint64_t decl_file;
	uint64_t decl_line;
	bool has_file;
	bool has_line;
	bool of_function; /* the DIEs of the chain must be functions */
	bool lost_string; /* a name is not where its DIE says, or empty */
	uint32_t wanted;  /* by enum attr_use: the bits of what was not found yet */
	uint64_t work;    /* steps of what was looked at */
	bool trusts;      /* strings are not looked at, but taken for what they usually are: see facts_hold */
};

#define WANTED(use) (UINT32_C(1) << (use))

enum {
	WANTED_ORIGINS = WANTED(ATTR_ORIGIN) | WANTED(ATTR_SPECIFICATION),
	WANTED_ALL = WANTED_ORIGINS | WANTED(ATTR_NAME) | WANTED(ATTR_LINKAGE_NAME) | WANTED(ATTR_DECL_FILE) |
		     WANTED(ATTR_DECL_LINE),
};

static const char *nonempty(const struct facts *facts, const char *string) /* RULES D7 */
{
	return string && (facts->trusts || *string) ? string : NULL;
}

/* Whether the strings are what was trusted: no name is empty, and a linkage name is mangled. */
static bool facts_hold(const struct facts *facts)
{
	return !facts->trusts || ((!facts->linkage || is_mangled(facts->linkage)) && (!facts->name || *facts->name));
}

/*
 * The string of a name or linkage name. It is noted where there is none at the place that is told, or an empty one:
 * that no compiler gives a function or what it is in, but a hole of zeros in the section looks so.
 */
static const char *read_string(const struct unit *unit, const struct value *value, struct facts *facts,
			       bool *ret_volatile)
{
	const char *string = value_string(unit, value, ret_volatile);
	facts->lost_string |= !string || (!facts->trusts && !*string);
	return nonempty(facts, string);
}

/*
 * Takes the name that a DIE gives. A mangled linkage name contains it, and then the string is not looked at: it is
 * seldom in the cache.
 */
static void take_name(const struct die_ref *die, const struct value *name, struct facts *facts)
{
	bool is_contained = facts->linkage && (facts->trusts || is_mangled(facts->linkage));
	if (!is_contained)
		facts->name = read_string(die->unit, name, facts, &facts->name_volatile);
	if (is_contained || facts->name)
		facts->wanted &= ~WANTED(ATTR_NAME);
	facts->named = *die;
}

static bool is_function_tag(uint16_t tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_entry_point;
}

/*
 * Takes the facts from a DIE that are not known yet, and gives the reference to follow; form 0: none. False: the DIE
 * cannot be read, or is no function where it must be one: then the reference that led there is damaged.
 */
static bool read_facts(const struct die_ref *die, struct facts *facts, struct value *ret_next)
{
	const struct unit *unit = die->unit;
	struct cursor c = unit_cursor(unit, die->offset);
	const struct abbrev *abbrev = abbrev_table_get(&unit->abbrevs, cursor_uleb(&c));
	const uint8_t *attributes = c.p;
	struct value name = {0};
	*ret_next = (struct value){0};
	if (!abbrev || (facts->of_function && !is_function_tag(abbrev->tag)))
		return false;
	for (uint32_t i = 0; i < abbrev->attr_count; i++) {
		const struct attr_spec *spec = &unit->abbrevs.attrs[abbrev->attr_first + i];

		/* Attributes that an earlier DIE of the chain has given are not read again. */
		if (!(facts->wanted & WANTED(spec->use)) ||
		    (spec->use == ATTR_SPECIFICATION && value_present(ret_next))) {
			attr_skip(&c, spec, &unit->sizes);
			continue;
		}

		struct value value;
		value_read(&c, unit, spec, &value);
		bool found = false;
		switch (spec->use) {
		case ATTR_LINKAGE_NAME:
			facts->linkage = read_string(unit, &value, facts, &facts->linkage_volatile);
			found = facts->linkage != NULL;
			if (!facts->name)
				facts->named = *die;
			break;
		case ATTR_NAME:
			name = value;
			break;
		case ATTR_DECL_FILE:
			found = facts->has_file = value_unsigned(&value, &facts->decl_file);
			facts->decl_unit = unit;
			break;
		case ATTR_DECL_LINE:
			found = facts->has_line = value_unsigned(&value, &facts->decl_line);
			break;
		default:
			*ret_next = value;
		}
		facts->wanted &= found ? ~WANTED(spec->use) : UINT32_MAX;
	}
	/* Attributes may take no bytes, and one may take megabytes, such as a number with needless zeros. */
	facts->work += abbrev->attr_count + (size_t)(c.p - attributes) / BUDGET_BYTES_PER_STEP;
	if (value_present(&name))
		take_name(die, &name, facts);
	return !c.bad;
}

/* Follows the chain. False: it leads nowhere or in circles; the facts found before that still hold. */
static bool collect_facts(struct die_ref die, struct facts *facts)
{
	for (int hop = 0; hop < ORIGIN_HOPS_MAX; hop++) {
		struct value next;
		if (!read_facts(&die, facts, &next))
			return false;
		if (!value_present(&next))
			return true;
		if (!value_die(die.unit, &next, &die))
			return false;
	}
	return false;
}

/*
 * The name of a namespace or class: its own or, where it was declared before, that of the declaration; `anonymous` if
 * it has none. *bad_reference becomes true if it has one that is not found.
 */
static const char *scope_name(struct function_names *names, const struct unit *unit, uint64_t offset,
			      const char *anonymous, bool *bad_reference)
{
	struct facts facts = {.wanted = WANTED(ATTR_NAME) | WANTED(ATTR_SPECIFICATION)};
	*bad_reference |= !collect_facts((struct die_ref){unit, offset}, &facts) || facts.lost_string;
	names->work += facts.work;
	return facts.name ? facts.name : anonymous;
}

static const char *anonymous_name(const struct unit *unit, uint64_t offset)
{
	struct cursor c = unit_cursor(unit, offset);
	const struct abbrev *abbrev = abbrev_table_get(&unit->abbrevs, cursor_uleb(&c));
	switch (abbrev ? abbrev->tag : 0) {
	case DW_TAG_namespace:
		return "(anonymous namespace)";
	case DW_TAG_structure_type:
		return "(anonymous struct)";
	case DW_TAG_union_type:
		return "(anonymous union)";
	default:
		return "(anonymous class)";
	}
}

/* The name scopes of another unit; its other scopes are not kept. */
struct other_scopes {
	const struct unit *unit;
	struct scopes scopes;
	bool is_damaged; /* some may be missing */
};

static int compare_units(const void *x, const void *y)
{
	uintptr_t a = (uintptr_t)((const struct other_scopes *)x)->unit;
	uintptr_t b = (uintptr_t)((const struct other_scopes *)y)->unit;
	return order_of(a, b);
}

static void free_other_scopes(void *node)
{
	struct other_scopes *other = node;
	scopes_done(&other->scopes);
	free(other);
}

/* Walks a unit for its name scopes. NULL: out of memory. */
static struct other_scopes *read_other_scopes(const struct unit *unit)
{
	struct other_scopes *other = budget_take(sizeof(*other)) ? calloc(1, sizeof(*other)) : NULL;
	if (!other)
		return NULL;
	other->unit = unit;
	enum locus_status status = scopes_survey(&other->scopes, unit, UINT64_MAX, NULL);
	if (status == LOCUS_ERR_MEMORY) {
		free_other_scopes(other);
		return NULL;
	}
	other->is_damaged = status != LOCUS_OK;
	struct scopes kept = {.names = other->scopes.names, .name_count = other->scopes.name_count};
	other->scopes.names = NULL;
	scopes_done(&other->scopes);
	other->scopes = kept;
	return other;
}

/* Finds those of the unit, which is walked once. False: out of memory. */
static bool find_other_scopes(struct function_names *names, const struct unit *unit)
{
	const struct other_scopes key = {.unit = unit};
	struct other_scopes **found = tfind(&key, &names->other_scopes, compare_units);
	if (!found) {
		struct other_scopes *other = read_other_scopes(unit);
		found = other ? tsearch(other, &names->other_scopes, compare_units) : NULL;
		if (!found) {
			if (other)
				free_other_scopes(other);
			return false;
		}
	}
	names->other = *found;
	return true;
}

/*
 * The name scopes of the unit: of the current one, or of another. *bad_reference becomes true if that is damaged, so
 * that some may be missing. NULL: out of memory.
 */
static const struct scopes *scopes_of(struct function_names *names, const struct unit *unit, bool *bad_reference)
{
	if (unit == names->unit)
		return names->scopes;
	if ((!names->other || names->other->unit != unit) && !find_other_scopes(names, unit))
		return NULL;
	*bad_reference |= names->other->is_damaged;
	return &names->other->scopes;
}

static bool spend_bytes(struct function_names *names, uint64_t bytes)
{
	return budget_count(&names->work, bytes / BUDGET_BYTES_PER_STEP);
}

/* Returns a string that outlives the unit. */
static const char *keep(struct function_names *names, const char *string, bool is_volatile)
{
	if (!string || !is_volatile)
		return string;
	size_t size = strlen(string);
	return spend_bytes(names, size) ? string_put(names->strings, string, size) : NULL;
}

/* RULES D3: puts the namespaces and classes before the name that it was declared in. */
static const char *qualify(struct function_names *names, const struct facts *facts, bool *bad_reference)
{
	enum { SCOPES_MAX = 64, QUALIFIED_MAX = 1 << 16 };
	const char *parts[SCOPES_MAX + 1];
	unsigned count = 0;
	size_t size = strlen(facts->name);
	const struct unit *unit = facts->named.unit;
	const struct scopes *scopes = scopes_of(names, unit, bad_reference);
	if (!scopes)
		return NULL;

	/* Collect the names of the enclosing scopes, from the inside out. */
	uint32_t at = scopes_enclosing(scopes, facts->named.offset);
	parts[count++] = facts->name;
	for (; at != NO_SCOPE && count <= SCOPES_MAX && size <= QUALIFIED_MAX; at = scopes->names[at].parent) {
		uint64_t die = scopes->names[at].die;
		parts[count] = scope_name(names, unit, die, anonymous_name(unit, die), bad_reference);
		size += strlen(parts[count++]) + 2;
	}
	if (!spend_bytes(names, size))
		return NULL;

	/* A name that would be too long stays as it is. Most other names stand in no scope and need no copy. */
	if (size > QUALIFIED_MAX)
		return keep(names, facts->name, facts->name_volatile);
	if (count == 1 && !facts->name_volatile)
		return facts->name;

	/* Join them from the outside in. */
	char *text = malloc(size + 1), *end = text;
	if (!text)
		return NULL;
	while (count--)
		end += sprintf(end, "%s%s", parts[count], count ? "::" : "");
	const char *interned = string_put(names->strings, text, size);
	free(text);
	return interned;
}

bool is_mangled(const char *linkage)
{
	return linkage[0] == '_' && (linkage[1] == 'Z' || linkage[1] == 'R' || linkage[1] == 'D');
}

/* RULES D8: the language; a partial unit has none, so the unit that refers to it decides. */
static uint16_t language_of(const struct function_names *names, const struct facts *facts)
{
	uint16_t language = facts->named.unit->language;
	return language ? language : names->unit->language;
}

/* Whether a name is that of a method of Objective-C, `-[Class method]`, which has its class in it. */
static bool is_objc_method(const char *name)
{
	return (name[0] == '-' || name[0] == '+') && name[1] == '[';
}

/* Makes names of what was collected, but for the function's id. *bad_reference: as scope_name says. */
static bool make_names(struct function_names *names, const struct facts *facts, struct die_names *ret,
		       uint64_t *bad_file_count, bool *bad_reference)
{
	struct function_key key = {0};
	*ret = (struct die_names){.function = FUNCTION_UNKNOWN};
	if (!facts->linkage && !facts->name)
		return true;

	key.linkage = keep(names, facts->linkage, facts->linkage_volatile);
	if (facts->linkage && !key.linkage)
		return false;
	if (!facts->linkage || (facts->name && !is_mangled(facts->linkage))) {
		bool qualified = !facts->linkage && !is_objc_method(facts->name) &&
				 language_qualifies(language_of(names, facts));
		ret->bare = keep(names, facts->name, facts->name_volatile);
		key.name = qualified ? qualify(names, facts, bad_reference) : ret->bare;
		if (!ret->bare || !key.name)
			return false;
	}
	if (facts->has_file) {
		key.decl_file = source_paths_id(names->paths, facts->decl_unit, facts->decl_file, bad_file_count);
		if (key.decl_file == INTERN_FAILED)
			return false;
	}

	if (facts->has_line && facts->decl_line < UINT32_MAX)
		key.decl_line = (uint32_t)facts->decl_line;
	key.language = language_of(names, facts);
	ret->key = key;
	return true;
}

/* Whether the slot is of a DIE of the current unit. */
static inline bool is_current(const struct names_cache *cache, const struct names_slot *slot)
{
	return slot->number - cache->first < cache->count;
}

/* Where a DIE is looked for first. */
static inline uint32_t home_slot(const struct names_cache *cache, uint64_t offset, uint32_t mask)
{
	return (uint32_t)mix64(offset ^ hash_seed(cache)) & mask;
}

/*
 * This table is not base/hash_slots.h, which has no slots of earlier units to pass over, and no place for the result.
 */
static bool cache_grow(struct names_cache *cache)
{
	uint32_t old_size = cache->mask ? cache->mask + 1 : 0, size = old_size ? old_size * 2 : 1024;
	struct names_slot *grown = pages_zeroed(size, sizeof(*grown));
	if (!grown)
		return false;

	for (uint32_t i = 0; i < old_size; i++) {
		if (!is_current(cache, &cache->slots[i]))
			continue;
		uint32_t at = home_slot(cache, cache->slots[i].offset, size - 1);
		while (grown[at].number)
			at = (at + 1) & (size - 1);
		grown[at] = cache->slots[i];
	}

	free(cache->slots);
	cache->slots = grown;
	cache->mask = size - 1;
	return true;
}

/* Finds the slot of `offset`, or the free one where it belongs. NULL: out of memory. */
static struct names_slot *cache_slot(struct names_cache *cache, uint64_t offset)
{
	if ((!cache->mask || cache->count >= cache->mask / 4 * 3) && !cache_grow(cache))
		return NULL;
	uint32_t at = home_slot(cache, offset, cache->mask);
	while (is_current(cache, &cache->slots[at]) && cache->slots[at].offset != offset)
		at = (at + 1) & cache->mask;
	return &cache->slots[at];
}

/*
 * Goes on with numbers that no slot has. They start over where half of them are used: a unit cannot use the other half,
 * because array_reserve allows fewer DIEs in `named`.
 */
static void cache_begin(struct names_cache *cache)
{
	cache->first += cache->count;
	cache->count = 0;
	if (!cache->first || cache->first > UINT32_MAX / 2) {
		if (cache->slots)
			memset(cache->slots, 0, (cache->mask + UINT64_C(1)) * sizeof(*cache->slots));
		cache->first = 1;
	}
}

void function_names_begin(struct function_names *names, const struct unit *unit, const struct scopes *scopes)
{
	names->unit = unit;
	names->scopes = scopes;
	cache_begin(&names->cache);
}

void function_names_done(struct function_names *names)
{
	free(names->cache.slots);
	free(names->cache.named);
	tdestroy(names->other_scopes, free_other_scopes);
	complaints_done(&names->complaints);
	*names = (struct function_names){0};
}

static bool complain(struct complaints *c, const struct complaint *complaint)
{
	if (!array_reserve(&c->complaints, &c->room, c->count + UINT64_C(1), sizeof(*c->complaints)))
		return false;
	c->complaints[c->count++] = *complaint;
	return true;
}

bool complaints_join(struct complaints *c, struct complaints *from)
{
	bool memory = true;
	for (uint32_t i = 0; memory && i < from->count; i++)
		memory = complain(c, &from->complaints[i]);
	from->count = 0;
	return memory;
}

static int compare_complaints(const void *a, const void *b)
{
	const struct complaint *x = a, *y = b;
	return order_of(x->offset, y->offset);
}

void complaints_count(struct complaints *c, uint64_t dropped[LOCUS_DROPPED_COUNT])
{
	sort_by_address(c->complaints, c->count, sizeof(*c->complaints), compare_complaints);
	for (uint32_t i = 0; i < c->count; i++) {
		if (i && c->complaints[i].offset == c->complaints[i - 1].offset)
			continue;
		dropped[LOCUS_DROPPED_BAD_REFERENCE] += c->complaints[i].bad_reference;
		dropped[LOCUS_DROPPED_BAD_FILE] += c->complaints[i].bad_file;
	}
	c->count = 0;
}

void complaints_done(struct complaints *c)
{
	free(c->complaints);
	*c = (struct complaints){0};
}

/* A DIE that is asked for the first time. */
struct lookup {
	uint64_t offset;
	uint32_t *ret; /* where its function's id goes */
	struct facts facts;
	bool bad_reference, bad_file;
	struct die_names named;
	uint64_t hash; /* of the key */
};

/* Whether the DIE is in the unit, and not elsewhere in its section. */
static bool is_inside(const struct unit *unit, uint64_t offset)
{
	return offset >= unit->die_offset && offset < unit->end;
}

/* Follows the chain from the DIE. Its strings are not looked at if they are trusted. */
static void collect(struct function_names *names, struct lookup *lookup, bool trusts)
{
	const struct unit *unit = names->unit;
	struct die_ref die = {unit, lookup->offset};
	bool inside = is_inside(unit, lookup->offset);
	lookup->facts = (struct facts){.wanted = WANTED_ALL, .of_function = true, .trusts = trusts};
	lookup->bad_reference = (!inside && !dwarf_die_at(unit->dwarf, unit->where, lookup->offset, &die)) ||
				!collect_facts(die, &lookup->facts) || lookup->facts.lost_string;
	names->work += lookup->facts.work;
}

/* Whether the DIE has a name, and so a function. */
static bool has_name(const struct die_names *named)
{
	return named->key.linkage || named->key.name;
}

/* Makes names of what was collected, and has their function's slot fetched. */
static bool find_names(struct function_names *names, struct lookup *lookup)
{
	uint64_t bad_file_count = 0;
	if (!facts_hold(&lookup->facts))
		collect(names, lookup, false);
	if (!make_names(names, &lookup->facts, &lookup->named, &bad_file_count, &lookup->bad_reference) ||
	    !budget_count(&names->work, 0))
		return false;
	lookup->bad_file = bad_file_count != 0;
	if (has_name(&lookup->named)) {
		/* Most functions of a file are in one unit alone, and so found by one thread. */
		const struct function_key *key = &lookup->named.key;
		lookup->hash = intern_hash(names->functions, key, key->decl_file);
		intern_prefetch(names->functions, lookup->hash);
	}
	return true;
}

_Static_assert((int)FUNCTION_NAMES_AT_ONCE <= (int)INTERN_KEYS_MAX, "all keys are put at once");

/* Finds the functions of the names. False: out of memory. */
static bool find_functions(struct function_names *names, struct lookup *lookups, uint32_t count)
{
	struct intern_key keys[FUNCTION_NAMES_AT_ONCE];
	uint32_t key_count = 0;
	bool memory = true;
	for (uint32_t i = 0; i < count; i++)
		if (has_name(&lookups[i].named))
			keys[key_count++] = (struct intern_key){.key = &lookups[i].named.key, .hash = lookups[i].hash};
	intern_put_keys(names->functions, keys, key_count);
	for (uint32_t i = count; i-- > 0;)
		if (has_name(&lookups[i].named)) {
			lookups[i].named.function = keys[--key_count].id;
			memory &= lookups[i].named.function != INTERN_FAILED;
		}
	return memory;
}

/* Fills the DIE's slot. */
static bool keep_named(struct function_names *names, const struct lookup *lookup, struct names_slot *slot)
{
	struct names_cache *cache = &names->cache;
	if (!array_reserve(&cache->named, &cache->room, cache->count + UINT64_C(1), sizeof(*cache->named)))
		return false;
	cache->named[cache->count] = lookup->named;
	const struct complaint complaint = {lookup->offset, lookup->bad_reference, lookup->bad_file};
	if ((complaint.bad_reference || complaint.bad_file) && !complain(&names->complaints, &complaint))
		return false;

	*slot = (struct names_slot){lookup->offset, cache->first + cache->count++, lookup->named.function};
	return true;
}

bool function_names_ids(struct function_names *names, const uint64_t *offsets, uint32_t count, uint32_t *ret)
{
	struct lookup lookups[FUNCTION_NAMES_AT_ONCE];
	uint32_t missing = 0;

	/* What one step needs is on its way from memory while the step before is done for the other DIEs. */
	for (uint32_t i = 0; i < count; i++) {
		const struct names_slot *slot = cache_slot(&names->cache, offsets[i]);
		if (!slot)
			return false;
		if (is_current(&names->cache, slot)) {
			ret[i] = slot->function;
			continue;
		}
		lookups[missing].offset = offsets[i];
		lookups[missing++].ret = &ret[i];
		if (is_inside(names->unit, offsets[i]))
			__builtin_prefetch(unit_cursor(names->unit, offsets[i]).p);
	}
	for (uint32_t i = 0; i < missing; i++) {
		const struct facts *facts = &lookups[i].facts;
		collect(names, &lookups[i], true);
		__builtin_prefetch(facts->linkage ? facts->linkage : facts->name);
	}
	for (uint32_t i = 0; i < missing; i++)
		if (!find_names(names, &lookups[i]))
			return false;
	if (!find_functions(names, lookups, missing))
		return false;
	for (uint32_t i = 0; i < missing; i++) {
		struct names_slot *slot = cache_slot(&names->cache, lookups[i].offset);
		if (!slot || (!is_current(&names->cache, slot) && !keep_named(names, &lookups[i], slot)))
			return false;
		*lookups[i].ret = slot->function;
	}
	return true;
}

bool function_names_find(struct function_names *names, uint64_t offset, struct die_names *ret)
{
	struct names_slot *slot = cache_slot(&names->cache, offset);
	if (slot && !is_current(&names->cache, slot)) {
		struct lookup lookup = {.offset = offset};
		collect(names, &lookup, true);
		bool memory = find_names(names, &lookup) && find_functions(names, &lookup, 1);
		slot = memory && keep_named(names, &lookup, slot) ? slot : NULL;
	}
	if (slot)
		*ret = names->cache.named[slot->number - names->cache.first];
	return slot != NULL;
}
