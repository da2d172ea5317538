/* Finds what questions mean in an open file: sections and functions by name, addresses by segments. */
#include "cmd/lookup/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/memory.h"

/* Finds the section of that name; *ret_count is how many there are. */
static const struct locus_base_info *find_section(const struct locus_info *info, const struct query *query,
						  size_t *ret_count)
{
	const struct locus_base_info *found = NULL;

	*ret_count = 0;
	for (size_t i = 0; i < info->base_count; i++) {
		const struct locus_base_info *base = &info->bases[i];
		if (base->name.size != query->name_size || memcmp(base->name.data, query->name, query->name_size) != 0)
			continue;
		found = base;
		(*ret_count)++;
	}
	return found;
}

bool place_is_function(const struct locus_info *info, const struct query *query)
{
	size_t count;

	return query->kind == QUERY_NAME && !find_section(info, query, &count);
}

static void find_in_section(const struct locus_info *info, struct place *place)
{
	size_t count;
	const struct locus_base_info *section = find_section(info, &place->query, &count);

	if (count > 1)
		place->reason = "several sections have this name";
	else if (place->query.value >= section->size)
		place->reason = "beyond the end of the section";
	else
		place->address = section->base + place->query.value;
}

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
	place->address = function->start + place->query.value;
	place->is_unknown = function->count == 0;
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
		if (!places[i].reason && place_is_function(info, query))
			names[name_count++] = (struct locus_string){query->name, query->name_size};
	}
	enum locus_status status = LOCUS_OK;
	if (name_count)
		status = locus_function_places(locus, scratch, names, name_count, found, error);
	for (size_t i = 0; i < count && name_count && status == LOCUS_OK; i++) {
		if (!places[i].reason && place_is_function(info, &places[i].query))
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

	if (status == LOCUS_OK)
		status = find_functions(locus, scratch, info, places, count, error);
	for (size_t i = 0; i < count && status == LOCUS_OK; i++) {
		size_t section_count;
		struct place *place = &places[i];
		if (place->reason || place->query.kind == QUERY_LOCID)
			continue;
		if (place->query.kind == QUERY_ADDRESS)
			status = find_number(locus, options, place, error);
		else if (find_section(info, &place->query, &section_count))
			find_in_section(info, place);
	}
	return status;
}
