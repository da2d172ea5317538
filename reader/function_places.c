/*
 * Finds where the functions of given names begin: one pass over the functions says which have such a name, one over the
 * intervals where these answer, and one over the alternates where they would.
 */
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/fail.h"
#include "base/symbol_version.h"
#include "reader/search.h"

/* A name that is looked for, and what was found of it. */
struct wanted_name {
	struct locus_string name;
	size_t index; /* in the caller's arrays */
	struct locus_function_place place;
	uint64_t noted; /* where the alternate began that was noted last; UINT64_MAX: none was */
};

/* Of a function, the name and the linkage name, each with its version and without. */
enum { NAME_FORMS = 4 };

/* A function that has names that are looked for. */
struct bearer {
	uint32_t function_id;
	uint32_t names[NAME_FORMS]; /* indexes + 1, each once; 0: there are no more */
	uint64_t noted;             /* where the part began that was noted last; UINT64_MAX: none was */
};

/* All of them, by function id. */
struct bearers {
	struct bearer *list;
	size_t count, capacity;
};

static int compare_strings(struct locus_string a, struct locus_string b)
{
	if (a.size != b.size)
		return a.size < b.size ? -1 : 1;
	return a.size ? memcmp(a.data, b.data, a.size) : 0;
}

static int compare_names(const void *a, const void *b)
{
	return compare_strings(((const struct wanted_name *)a)->name, ((const struct wanted_name *)b)->name);
}

/* ---- Who has the names ---- */

/* The index, + 1, of the first of the sorted names that equals `name`; 0: none does. */
static uint32_t find_name(const struct wanted_name *names, size_t count, struct locus_string name)
{
	size_t first;
	SEARCH_FIRST(first, 0, count, compare_strings(names[first].name, name) >= 0);
	return first < count && compare_strings(names[first].name, name) == 0 ? (uint32_t)first + 1 : 0;
}

static bool has_name(const struct bearer *bearer, uint32_t name)
{
	bool found = false;
	for (int i = 0; i < NAME_FORMS; i++)
		found |= bearer->names[i] == name;
	return found;
}

static void add_name(struct bearer *bearer, uint32_t name)
{
	int count = 0;
	if (!name || has_name(bearer, name))
		return;
	while (bearer->names[count])
		count++;
	bearer->names[count] = name;
}

/* Adds a name of the function, and what it is without its version, as far as they are looked for. */
static void add_forms(struct bearer *bearer, const struct wanted_name *names, size_t count, struct locus_string name)
{
	struct locus_string plain = {name.data, size_without_version(name.data, name.size)};
	add_name(bearer, find_name(names, count, name));
	if (plain.size != name.size)
		add_name(bearer, find_name(names, count, plain));
}

static enum locus_status add_bearer(struct locus_allowance *allowance, const struct bearer *bearer, struct bearers *ret,
				    struct locus_error *error)
{
	if (ret->count == ret->capacity) {
		size_t capacity = ret->capacity ? 2 * ret->capacity : 16;
		struct bearer *list;
		enum locus_status status = locus_allowance_allocate(allowance, capacity * sizeof(*list), &list, error);
		if (status != LOCUS_OK)
			return status;
		if (ret->count)
			memcpy(list, ret->list, ret->count * sizeof(*list));
		locus_allowance_free(allowance, ret->list);
		ret->list = list;
		ret->capacity = capacity;
	}
	ret->list[ret->count++] = *bearer;
	return LOCUS_OK;
}

static enum locus_status find_bearers(struct locus *locus, struct locus_scratch *scratch,
				      const struct wanted_name *names, size_t count, struct bearers *ret,
				      struct locus_error *error)
{
	uint32_t function_count = locus_function_count(locus);
	for (uint32_t id = 1; id <= function_count; id++) {
		struct locus_function_info function;
		enum locus_status status = locus_function_at(locus, scratch, id, &function, error);
		if (status != LOCUS_OK)
			return status;
		struct bearer bearer = {.function_id = id, .noted = UINT64_MAX};
		add_forms(&bearer, names, count, function.name);
		add_forms(&bearer, names, count, function.linkage);
		if (bearer.names[0])
			status = add_bearer(&locus->allowance, &bearer, ret, error);
		if (status != LOCUS_OK)
			return status;
	}
	return LOCUS_OK;
}

/* NULL: the function has no name that is looked for. */
static struct bearer *bearer_of(const struct bearers *bearers, uint32_t function_id)
{
	size_t first;
	SEARCH_FIRST(first, 0, bearers->count, bearers->list[first].function_id >= function_id);
	bool found = first < bearers->count && bearers->list[first].function_id == function_id;
	return found ? &bearers->list[first] : NULL;
}

/* ---- Where they begin ---- */

static void note_place(struct locus_function_place *place, uint64_t start)
{
	if (!place->count || start < place->start)
		place->start = start;
	place->count++;
}

/* A block of intervals. It is not cached, so that a pass over all of them evicts none that lookups use. */
struct taken_block {
	struct locus_intervals *block; /* NULL: none yet */
	uint32_t *parts;               /* by context: the one of the part that it is in */
	uint32_t index;
};

static void taken_block_done(struct locus *locus, struct taken_block *taken)
{
	locus_allowance_free(&locus->allowance, taken->block);
	locus_allowance_free(&locus->allowance, taken->parts);
	*taken = (struct taken_block){.block = NULL};
}

/*
 * Takes block `index` in place of the one before. Callers stand before the contexts that were inlined into them, so one
 * pass finds the parts of all, however deep they are.
 */
static enum locus_status take_block(struct locus *locus, struct locus_scratch *scratch, uint32_t index,
				    struct taken_block *ret, struct locus_error *error)
{
	struct locus_block_ref ref = {locus, scratch, locus->known[LOCUS_SECTION_INTERVALS], index};
	struct locus_decoded *decoded;
	if (ret->block && ret->index == index)
		return LOCUS_OK;
	taken_block_done(locus, ret);
	enum locus_status status = locus_cache_decode(&ref, LOCUS_WANT_ALL, &decoded, error);
	if (status != LOCUS_OK)
		return status;
	struct locus_intervals *block = (struct locus_intervals *)(void *)decoded;
	*ret = (struct taken_block){.block = block, .index = index};
	status = locus_allowance_allocate(&locus->allowance, block->context_count * sizeof(*ret->parts), &ret->parts,
					  error);
	for (uint32_t i = 0; status == LOCUS_OK && i < block->context_count; i++) {
		uint32_t caller = block->contexts[i].caller;
		ret->parts[i] = caller & LOCUS_CONTEXT_IS_PART ? i : ret->parts[caller & LOCUS_CONTEXT_CALLER];
	}
	return status;
}

/* The part that an interval of the block is in; NULL: none, it is a gap. */
static const struct locus_context *part_of(const struct taken_block *taken, uint32_t interval)
{
	struct locus_place place = locus_intervals_place(taken->block, interval);
	bool is_gap = place.context == LOCUS_PLACE_GAP;
	return is_gap ? NULL : &taken->block->contexts[taken->parts[place.context & LOCUS_PLACE_CONTEXT]];
}

static bool is_split_off(const struct locus_context *part)
{
	return (part->caller & LOCUS_CONTEXT_CALLER) == LOCUS_PART_OTHER;
}

/*
 * Notes where the functions begin, without parts that were split off. A part is noted with its first interval: the
 * others of it come before those of the function's next part.
 */
static void note_parts(const struct taken_block *taken, struct wanted_name *names, const struct bearers *bearers)
{
	for (uint32_t i = 0; i < taken->block->count; i++) {
		const struct locus_context *part = part_of(taken, i);
		if (!part || is_split_off(part))
			continue;

		/* Each part is noted once: its other intervals say the same. */
		struct bearer *bearer = bearer_of(bearers, part->function);
		if (!bearer || bearer->noted == part->part_start)
			continue;
		bearer->noted = part->part_start;
		for (int k = 0; k < NAME_FORMS && bearer->names[k]; k++)
			note_place(&names[bearer->names[k] - 1].place, part->part_start);
	}
}

static enum locus_status note_all_parts(struct locus *locus, struct locus_scratch *scratch, struct wanted_name *names,
					const struct bearers *bearers, struct locus_error *error)
{
	struct taken_block taken = {.block = NULL};
	uint32_t count = locus->known[LOCUS_SECTION_INTERVALS]->block_count;
	enum locus_status status = LOCUS_OK;
	for (uint32_t i = 0; i < count && status == LOCUS_OK; i++) {
		status = take_block(locus, scratch, i, &taken, error);
		if (status == LOCUS_OK)
			note_parts(&taken, names, bearers);
	}
	taken_block_done(locus, &taken);
	return status;
}

/* Finds the part that answers at an address; NULL: none does. It stays until another block is taken. */
static enum locus_status find_part(struct locus *locus, struct locus_scratch *scratch, uint64_t address,
				   struct taken_block *taken, const struct locus_context **ret,
				   struct locus_error *error)
{
	const struct locus_section_in *section = locus->known[LOCUS_SECTION_INTERVALS];
	*ret = NULL;
	if (!section->block_count || address < section->keys[0])
		return LOCUS_OK;
	uint32_t index = locus_section_block_at(section, address);
	enum locus_status status = take_block(locus, scratch, index, taken, error);
	if (status == LOCUS_OK)
		*ret = part_of(taken, locus_intervals_find(taken->block, address, UINT32_MAX));
	return status;
}

/*
 * Notes one alternate. `primary` is the function that answers at its start and begins there; NULL: none does that has a
 * name that is looked for.
 */
static void note_alternate(struct wanted_name *names, const struct bearer *bearer, const struct bearer *primary,
			   uint64_t start)
{
	for (int i = 0; i < NAME_FORMS && bearer->names[i]; i++) {
		struct wanted_name *name = &names[bearer->names[i] - 1];
		if (name->noted == start || (primary && has_name(primary, bearer->names[i])))
			continue;
		name->noted = start;
		note_place(&name->place, start);
	}
}

/*
 * Notes where an alternate begins, unless a function of that name was noted there. What stands in for code that was
 * split off another function was split off, too, so nothing begins there; but a symbol may name it.
 */
static void note_beginning(struct wanted_name *names, const struct bearers *bearers,
			   const struct locus_alternate_info *alternate, const struct locus_context *part)
{
	bool begins = part && part->part_start == alternate->start;
	if (begins && is_split_off(part) && alternate->kind != LOCUS_ALTERNATE_ALIAS)
		return;
	note_alternate(names, bearer_of(bearers, alternate->function_id),
		       begins ? bearer_of(bearers, part->function) : NULL, alternate->start);
}

static enum locus_status note_alternates(struct locus *locus, struct locus_scratch *scratch, struct wanted_name *names,
					 const struct bearers *bearers, struct locus_error *error)
{
	struct taken_block taken = {.block = NULL};
	uint32_t count = locus_alternate_count(locus);
	enum locus_status status = LOCUS_OK;
	for (uint32_t i = 0; i < count && status == LOCUS_OK; i++) {
		struct locus_alternate_info alternate;
		const struct locus_context *part;
		status = locus_alternate_at(locus, scratch, i, &alternate, error);
		if (status != LOCUS_OK || !bearer_of(bearers, alternate.function_id))
			continue;
		status = find_part(locus, scratch, alternate.start, &taken, &part, error);
		if (status == LOCUS_OK)
			note_beginning(names, bearers, &alternate, part);
	}
	taken_block_done(locus, &taken);
	return status;
}

enum locus_status locus_function_places(struct locus *locus, struct locus_scratch *scratch,
					const struct locus_string *names, size_t count,
					struct locus_function_place *ret, struct locus_error *error)
{
	struct wanted_name *wanted = calloc(count + 1, sizeof(*wanted));
	struct bearers bearers = {.list = NULL};
	enum locus_status status = wanted ? LOCUS_OK : locus_fail_memory(error);
	for (size_t i = 0; i < count && status == LOCUS_OK; i++)
		wanted[i] = (struct wanted_name){.name = names[i], .index = i, .noted = UINT64_MAX};
	if (status == LOCUS_OK && count) {
		qsort(wanted, count, sizeof(*wanted), compare_names);
		status = find_bearers(locus, scratch, wanted, count, &bearers, error);
		if (status == LOCUS_OK)
			status = note_all_parts(locus, scratch, wanted, &bearers, error);
		if (status == LOCUS_OK)
			status = note_alternates(locus, scratch, wanted, &bearers, error);
	}

	/* Where a name is asked for more than once, only the first was answered: the others have the same answer. */
	for (size_t i = 0; i < count && status == LOCUS_OK; i++) {
		if (i && compare_strings(wanted[i - 1].name, wanted[i].name) == 0)
			wanted[i].place = wanted[i - 1].place;
		ret[wanted[i].index] = wanted[i].place;
	}
	locus_allowance_free(&locus->allowance, bearers.list);
	free(wanted);
	return status;
}
