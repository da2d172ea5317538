/*
 * Finds where the functions of given names begin: one pass over the functions says which have such a name, one over the
 * intervals where these answer, and one over the alternates where they would.
 */
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/fail.h"
#include "base/symbol_version.h"
#include "reader/handle/handle.h"

/* A name that is looked for, and where the answer goes. */
struct wanted_name {
	struct locus_string name;
	struct locus_function_place *place;
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

/*
 * Notes where the functions begin, without parts that were split off. A part is noted with its first interval: the
 * others of it come before those of the function's next part.
 */
static enum locus_status note_parts(struct locus *locus, struct locus_scratch *scratch, const struct wanted_name *names,
				    const struct bearers *bearers, struct locus_error *error)
{
	uint32_t count = locus_interval_count(locus);
	for (uint32_t locid = 0; locid < count; locid++) {
		struct locus_result result;
		enum locus_status status = locus_frames(locus, scratch, locid, &result, error);
		if (status != LOCUS_OK)
			return status;
		const struct locus_frame *outermost =
			result.frame_count ? &result.frames[result.frame_count - 1] : NULL;
		if (!outermost || outermost->part == LOCUS_PART_OTHER)
			continue;

		/* Each part is noted once: its other intervals say the same. */
		struct bearer *bearer = bearer_of(bearers, outermost->function_id);
		if (!bearer || bearer->noted == outermost->part_start)
			continue;
		bearer->noted = outermost->part_start;
		for (int i = 0; i < NAME_FORMS && bearer->names[i]; i++)
			note_place(names[bearer->names[i] - 1].place, outermost->part_start);
	}
	return LOCUS_OK;
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
		note_place(name->place, start);
	}
}

/*
 * Notes where alternates begin, unless a function of that name was noted there. What stands in for code that was split
 * off another function was split off, too, so nothing begins there; but a symbol may name it.
 */
static enum locus_status note_alternates(struct locus *locus, struct locus_scratch *scratch, struct wanted_name *names,
					 const struct bearers *bearers, struct locus_error *error)
{
	uint32_t count = locus_alternate_count(locus);
	for (uint32_t i = 0; i < count; i++) {
		struct locus_alternate_info alternate;
		enum locus_status status = locus_alternate_at(locus, scratch, i, &alternate, error);
		if (status != LOCUS_OK)
			return status;
		const struct bearer *bearer = bearer_of(bearers, alternate.function_id);
		if (!bearer)
			continue;

		struct locus_result result;
		status = locus_lookup(locus, scratch, alternate.start, &result, error);
		if (status != LOCUS_OK)
			return status;
		const struct locus_frame *outermost =
			result.frame_count ? &result.frames[result.frame_count - 1] : NULL;
		bool begins = outermost && outermost->part_start == alternate.start;
		if (begins && outermost->part == LOCUS_PART_OTHER && alternate.kind != LOCUS_ALTERNATE_ALIAS)
			continue;
		const struct bearer *primary = begins ? bearer_of(bearers, outermost->function_id) : NULL;
		note_alternate(names, bearer, primary, alternate.start);
	}
	return LOCUS_OK;
}

enum locus_status locus_function_places(struct locus *locus, struct locus_scratch *scratch,
					const struct locus_string *names, size_t count,
					struct locus_function_place *ret, struct locus_error *error)
{
	struct wanted_name *wanted = calloc(count + 1, sizeof(*wanted));
	struct bearers bearers = {.list = NULL};
	enum locus_status status = wanted ? LOCUS_OK : locus_fail_memory(error);
	for (size_t i = 0; i < count && status == LOCUS_OK; i++) {
		ret[i] = (struct locus_function_place){0};
		wanted[i] = (struct wanted_name){names[i], &ret[i], UINT64_MAX};
	}
	if (status == LOCUS_OK && count) {
		qsort(wanted, count, sizeof(*wanted), compare_names);
		status = find_bearers(locus, scratch, wanted, count, &bearers, error);
		if (status == LOCUS_OK)
			status = note_parts(locus, scratch, wanted, &bearers, error);
		if (status == LOCUS_OK)
			status = note_alternates(locus, scratch, wanted, &bearers, error);
	}

	/* Where a name is asked for more than once, only the first was answered: copy that to the others. */
	for (size_t i = 1; i < count && status == LOCUS_OK; i++)
		if (compare_strings(wanted[i - 1].name, wanted[i].name) == 0)
			*wanted[i].place = *wanted[i - 1].place;
	locus_allowance_free(&locus->allowance, bearers.list);
	free(wanted);
	return status;
}
