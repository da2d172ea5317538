/*
 * Finds where the functions of given names begin: one pass over the functions says which have such a name, one over the
 * intervals where these answer, and one over the alternates where they would.
 */
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/fail.h"
#include "base/order.h"
#include "base/symbol_version.h"
#include "reader/search.h"

/* A name that is looked for. */
struct wanted_name {
	struct locus_string name;
	size_t index; /* in the caller's arrays */
};

/* Of a function, the name and the linkage name, each with its version and without. */
enum { NAME_FORMS = 4 };

/* A function that has names that are looked for. */
struct bearer {
	uint32_t function_id;
	uint32_t names[NAME_FORMS]; /* indexes + 1; 0: there are no more */
	uint64_t noted;             /* where the part began that was noted last; UINT64_MAX: none was */
};

/* All of them, by function id. */
struct bearers {
	struct bearer *list;
	size_t count, capacity;
};

/* Where a function of a wanted name begins. */
struct beginning {
	uint32_t name; /* its index */
	uint64_t start;
};

/* All of them, in the order in which they were met, some several times. */
struct beginnings {
	struct beginning *list;
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

/* The index, + 1, of the first of the sorted names that equals `name`; 0: none does, or `name` is absent. */
static uint32_t find_name(const struct wanted_name *names, size_t count, struct locus_string name)
{
	size_t first;
	if (!name.size)
		return 0;
	SEARCH_FIRST(first, 0, count, compare_strings(names[first].name, name) >= 0);
	return first < count && compare_strings(names[first].name, name) == 0 ? (uint32_t)first + 1 : 0;
}

static void add_name(struct bearer *bearer, uint32_t name)
{
	int count = 0;
	if (!name)
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
	enum locus_status status =
		locus_allowance_grow(allowance, &ret->list, ret->count, &ret->capacity, sizeof(*ret->list), error);
	if (status == LOCUS_OK)
		ret->list[ret->count++] = *bearer;
	return status;
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

/* Notes where the function begins, for each of its names. */
static enum locus_status note(struct locus_allowance *allowance, struct beginnings *beginnings,
			      const struct bearer *bearer, uint64_t start, struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	for (int i = 0; i < NAME_FORMS && bearer->names[i] && status == LOCUS_OK; i++) {
		status = locus_allowance_grow(allowance, &beginnings->list, beginnings->count, &beginnings->capacity,
					      sizeof(*beginnings->list), error);
		if (status == LOCUS_OK)
			beginnings->list[beginnings->count++] = (struct beginning){bearer->names[i] - 1, start};
	}
	return status;
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

/* Notes where the functions begin, without parts that were split off. */
static enum locus_status note_parts(struct locus *locus, const struct taken_block *taken, const struct bearers *bearers,
				    struct beginnings *beginnings, struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	for (uint32_t i = 0; i < taken->block->count && status == LOCUS_OK; i++) {
		const struct locus_context *part = part_of(taken, i);
		if (!part || is_split_off(part))
			continue;

		/* A part is noted with its first interval, as its others mostly follow before another part's. */
		struct bearer *bearer = bearer_of(bearers, part->function);
		if (!bearer || bearer->noted == part->part_start)
			continue;
		bearer->noted = part->part_start;
		status = note(&locus->allowance, beginnings, bearer, part->part_start, error);
	}
	return status;
}

static enum locus_status note_all_parts(struct locus *locus, struct locus_scratch *scratch,
					const struct bearers *bearers, struct beginnings *beginnings,
					struct locus_error *error)
{
	struct taken_block taken = {.block = NULL};
	uint32_t count = locus->known[LOCUS_SECTION_INTERVALS]->block_count;
	enum locus_status status = LOCUS_OK;
	for (uint32_t i = 0; i < count && status == LOCUS_OK; i++) {
		status = take_block(locus, scratch, i, &taken, error);
		if (status == LOCUS_OK)
			status = note_parts(locus, &taken, bearers, beginnings, error);
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
 * Whether the alternate begins where a part that was split off another function does. What stands in for such code was
 * split off, too, so nothing begins there; but a symbol may name it.
 */
static enum locus_status is_of_split_off(struct locus *locus, struct locus_scratch *scratch,
					 const struct locus_alternate_info *alternate, struct taken_block *taken,
					 bool *ret, struct locus_error *error)
{
	const struct locus_context *part = NULL;
	enum locus_status status = LOCUS_OK;
	if (alternate->kind != LOCUS_ALTERNATE_ALIAS)
		status = find_part(locus, scratch, alternate->start, taken, &part, error);
	*ret = part && part->part_start == alternate->start && is_split_off(part);
	return status;
}

static enum locus_status note_alternates(struct locus *locus, struct locus_scratch *scratch,
					 const struct bearers *bearers, struct beginnings *beginnings,
					 struct locus_error *error)
{
	struct taken_block taken = {.block = NULL};
	uint32_t count = locus_alternate_count(locus);
	enum locus_status status = LOCUS_OK;
	for (uint32_t i = 0; i < count && status == LOCUS_OK; i++) {
		struct locus_alternate_info alternate;
		bool was_split_off;
		status = locus_alternate_at(locus, scratch, i, &alternate, error);
		const struct bearer *bearer = status == LOCUS_OK ? bearer_of(bearers, alternate.function_id) : NULL;
		if (!bearer)
			continue;
		status = is_of_split_off(locus, scratch, &alternate, &taken, &was_split_off, error);
		if (status == LOCUS_OK && !was_split_off)
			status = note(&locus->allowance, beginnings, bearer, alternate.start, error);
	}
	taken_block_done(locus, &taken);
	return status;
}

static int compare_beginnings(const void *a, const void *b)
{
	const struct beginning *x = a, *y = b;
	int order = order_of(x->name, y->name);
	return order ? order : order_of(x->start, y->start);
}

/* Counts the starts of each name; `places` are the caller's. A name that is asked for again has the same ones. */
static void count_starts(const struct wanted_name *wanted, size_t count, struct beginnings *beginnings,
			 struct locus_function_place *places)
{
	const struct beginning *list = beginnings->list;
	if (beginnings->count)
		qsort(beginnings->list, beginnings->count, sizeof(*list), compare_beginnings);
	for (size_t i = 0, at = 0; i < count; i++) {
		struct locus_function_place *place = &places[wanted[i].index];
		*place = (struct locus_function_place){.count = 0};
		if (i && compare_strings(wanted[i - 1].name, wanted[i].name) == 0)
			*place = places[wanted[i - 1].index];
		for (; at < beginnings->count && list[at].name == i; at++) {
			if (!place->count)
				place->start = list[at].start;
			else if (list[at - 1].start == list[at].start)
				continue;
			place->count++;
		}
	}
}

enum locus_status locus_function_places(struct locus *locus, struct locus_scratch *scratch,
					const struct locus_string *names, size_t count,
					struct locus_function_place *ret, struct locus_error *error)
{
	struct wanted_name *wanted = calloc(count + 1, sizeof(*wanted));
	struct bearers bearers = {.list = NULL};
	struct beginnings beginnings = {.list = NULL};
	enum locus_status status = wanted ? LOCUS_OK : locus_fail_memory(error);
	for (size_t i = 0; i < count && status == LOCUS_OK; i++)
		wanted[i] = (struct wanted_name){names[i], i};
	if (status == LOCUS_OK && count) {
		qsort(wanted, count, sizeof(*wanted), compare_names);
		status = find_bearers(locus, scratch, wanted, count, &bearers, error);
		if (status == LOCUS_OK)
			status = note_all_parts(locus, scratch, &bearers, &beginnings, error);
		if (status == LOCUS_OK)
			status = note_alternates(locus, scratch, &bearers, &beginnings, error);
	}
	if (status == LOCUS_OK)
		count_starts(wanted, count, &beginnings, ret);
	locus_allowance_free(&locus->allowance, beginnings.list);
	locus_allowance_free(&locus->allowance, bearers.list);
	free(wanted);
	return status;
}
