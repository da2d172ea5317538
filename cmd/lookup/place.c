/* Finds what questions mean in an open file: sections and functions by name, addresses by segments. */
#include "cmd/lookup/place.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/binary_search.h"
#include "cmd/common/memory.h"
#include "cmd/common/string_compare.h"

/* ---- Sections ---- */

/* By name, for qsort. */
static int compare_places(const void *a, const void *b)
{
	const struct query *x = &(*(const struct place *const *)a)->query,
			   *y = &(*(const struct place *const *)b)->query;

	return compare_strings((struct locus_string){x->name, x->name_size},
			       (struct locus_string){y->name, y->name_size});
}

static bool is_of_same_name(const struct place *a, const struct place *b)
{
	return compare_places(&a, &b) == 0;
}

/* The first of the places that names the section, or NULL. */
static struct place *find_namesake(struct place *const *sorted, size_t count, const struct locus_base_info *section)
{
	const struct place wanted = {.query = {.name = section->name.data, .name_size = section->name.size}};
	const struct place *key = &wanted;
	size_t first;

	SEARCH_FIRST(first, 0, count, compare_places(&sorted[first], &key) >= 0);
	return first < count && is_of_same_name(sorted[first], &wanted) ? sorted[first] : NULL;
}

/*
 * Sections and questions may both be many, and all of one name: so the questions are sorted by their names, each
 * section is looked for among them, and what the first question of a name finds the others take over.
 */
void places_find_sections(const struct locus_info *info, struct place *places, size_t count)
{
	struct place **sorted = memory_checked(calloc(count + 1, sizeof(struct place *)));
	size_t name_count = 0;

	for (size_t i = 0; i < count; i++) {
		places[i].section = NULL;
		places[i].section_count = 0;
		if (!places[i].reason && places[i].query.kind == QUERY_NAME)
			sorted[name_count++] = &places[i];
	}
	qsort(sorted, name_count, sizeof(*sorted), compare_places);
	for (size_t i = 0; i < info->base_count; i++) {
		struct place *place = find_namesake(sorted, name_count, &info->bases[i]);
		if (!place)
			continue;
		place->section = &info->bases[i];
		place->section_count++;
	}
	for (size_t i = 1; i < name_count; i++) {
		if (!is_of_same_name(sorted[i], sorted[i - 1]))
			continue;
		sorted[i]->section = sorted[i - 1]->section;
		sorted[i]->section_count = sorted[i - 1]->section_count;
	}
	free(sorted);
}

bool place_is_function(const struct place *place)
{
	return !place->reason && place->query.kind == QUERY_NAME && !place->section;
}

static void find_in_section(struct place *place)
{
	if (place->section_count > 1)
		place->reason = "several sections have this name";
	else if (place->query.value >= place->section->size)
		place->reason = "beyond the end of the section";
	else
		place->address = place->section->base + place->query.value;
}

/* ---- Functions and numbers ---- */

static const char *why_unknown(const struct locus_info *info, const struct query *query)
{
	if (info->base_count)
		return "no executable section and no function has this name";
	if (query->name[0] == '.')
		return "no function has this name, and sections can be named in relocatable files only";
	return "no function with code of its own has this name; see locus find";
}

static void find_in_function(const struct locus_info *info, const struct locus_function_place *function,
			     struct place *place)
{
	place->is_unknown = function->count == 0;
	if (__builtin_add_overflow(function->start, place->query.value, &place->address))
		place->reason = "beyond the last address";
	if (place->is_unknown)
		place->reason = why_unknown(info, &place->query);
	if (function->count <= 1)
		return;
	snprintf(place->text, LOCUS_ERROR_TEXT_SIZE, "%u functions have this name, the first at 0x%llx",
		 function->count, (unsigned long long)function->start);
	place->reason = place->text;
}

/* All names are found in one pass, because each pass reads the whole table. */
static enum locus_status find_functions(struct locus *locus, struct locus_scratch *scratch,
					const struct locus_info *info, struct place *places, size_t count,
					struct locus_error *error)
{
	struct locus_string *names = memory_checked(calloc(count, sizeof(*names)));
	struct locus_function_place *found = memory_checked(calloc(count, sizeof(*found)));
	size_t name_count = 0, next = 0;

	for (size_t i = 0; i < count; i++) {
		const struct query *query = &places[i].query;
		if (place_is_function(&places[i]))
			names[name_count++] = (struct locus_string){query->name, query->name_size};
	}
	enum locus_status status = LOCUS_OK;
	if (name_count)
		status = locus_function_places(locus, scratch, names, name_count, found, error);
	for (size_t i = 0; i < count && name_count && status == LOCUS_OK; i++) {
		if (place_is_function(&places[i]))
			find_in_function(info, &found[next++], &places[i]);
	}
	free(names);
	free(found);
	return status;
}

static enum locus_status find_number(struct locus *locus, const struct place_options *options, struct place *place,
				     struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;

	place->address = place->query.value;
	if (options->has_base)
		status = locus_address_of_runtime(locus, options->base, place->query.value, &place->address, error);
	else if (options->from_offset)
		status = locus_address_of_offset(locus, place->query.value, &place->address, error);
	if (status != LOCUS_ERR_USAGE)
		return status;
	snprintf(place->text, LOCUS_ERROR_TEXT_SIZE, "%s", error->text);
	place->reason = place->text;
	place->is_outside = true;
	return LOCUS_OK;
}

enum locus_status places_find(struct locus *locus, struct locus_scratch *scratch, const struct place_options *options,
			      struct place *places, size_t count, struct locus_error *error)
{
	const struct locus_info *info;
	enum locus_status status = locus_info(locus, &info, error);

	if (status == LOCUS_OK) {
		places_find_sections(info, places, count);
		status = find_functions(locus, scratch, info, places, count, error);
	}
	for (size_t i = 0; i < count && status == LOCUS_OK; i++) {
		struct place *place = &places[i];
		if (place->reason || place->query.kind == QUERY_LOCID)
			continue;
		if (place->query.kind == QUERY_ADDRESS)
			status = find_number(locus, options, place, error);
		else if (place->section)
			find_in_section(place);
	}
	return status;
}
