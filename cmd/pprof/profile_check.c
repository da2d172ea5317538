/* Checks a profile, part by part, before anything relies on its references. */
#include "cmd/pprof/profile_check.h"

#include <inttypes.h>

struct check {
	const Pprof__Profile *message;
	struct profile_ids *ids;
	char *error; /* PROFILE_ERROR_SIZE bytes */
};

/*
 * Fields that are not known are kept, and written again. One of number 0, which protobuf forbids, is read only if that
 * is written in two bytes, and it would be written in one: nobody could read what comes of it.
 */
static bool check_unknown_fields(const struct check *check, const ProtobufCMessage *part)
{
	for (unsigned i = 0; i < part->n_unknown_fields; i++) {
		if (!part->unknown_fields[i].tag)
			return profile_fail(check->error, "it has a field with the number 0");
	}
	return true;
}

/* ---- Strings ---- */

static bool check_string(const struct check *check, int64_t index)
{
	if (index >= 0 && (uint64_t)index < check->message->n_string_table)
		return true;
	return profile_fail(check->error, "string %" PRId64 " is referred to, and there are %zu", index,
			    check->message->n_string_table);
}

static bool check_strings(const struct check *check, const int64_t *indexes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!check_string(check, indexes[i]))
			return false;
	}
	return true;
}

static bool check_value_type(const struct check *check, const Pprof__ValueType *type)
{
	return !type || (check_unknown_fields(check, &type->base) && check_string(check, type->type) &&
			 check_string(check, type->unit));
}

/* Checks the fields of the profile itself. */
static bool check_head(const struct check *check)
{
	const Pprof__Profile *message = check->message;
	const int64_t strings[] = {message->drop_frames, message->keep_frames, message->default_sample_type,
				   message->doc_url};

	if (!check_unknown_fields(check, &message->base))
		return false;
	if (!message->n_string_table || message->string_table[0].len)
		return profile_fail(check->error, "its first string is not the empty one");
	if (!check_strings(check, strings, sizeof(strings) / sizeof(strings[0])) ||
	    !check_strings(check, message->comment, message->n_comment) ||
	    !check_value_type(check, message->period_type))
		return false;
	for (size_t i = 0; i < message->n_sample_type; i++) {
		if (!check_value_type(check, message->sample_type[i]))
			return false;
	}
	return true;
}

/* ---- Ids ---- */

/* Sorts a filled table; `what` names its elements for the message. */
static bool take_ids(const struct check *check, struct id_table *table, const char *what)
{
	uint64_t id;

	if (id_table_sort(table, &id))
		return true;
	if (id == 0)
		return profile_fail(check->error, "a %s has the id 0", what);
	return profile_fail(check->error, "two %ss have the id %" PRIu64, what, id);
}

static bool check_mappings(const struct check *check)
{
	const Pprof__Profile *message = check->message;
	struct id_table *ids = &check->ids->mappings;

	if (message->n_mapping > PROFILE_MAPPINGS_MAX)
		return profile_fail(check->error, "it has %zu mappings, more than any process", message->n_mapping);
	if (!id_table_init(ids, message->n_mapping))
		return profile_fail(check->error, "out of memory");
	for (size_t i = 0; i < message->n_mapping; i++) {
		const Pprof__Mapping *mapping = message->mapping[i];
		if (!check_unknown_fields(check, &mapping->base) || !check_string(check, mapping->filename) ||
		    !check_string(check, mapping->build_id))
			return false;
		ids->entries[i] = (struct id_entry){mapping->id, i};
	}
	return take_ids(check, ids, "mapping");
}

static bool check_functions(const struct check *check)
{
	const Pprof__Profile *message = check->message;
	struct id_table *ids = &check->ids->functions;

	if (!id_table_init(ids, message->n_function))
		return profile_fail(check->error, "out of memory");
	for (size_t i = 0; i < message->n_function; i++) {
		const Pprof__Function *function = message->function[i];
		if (!check_unknown_fields(check, &function->base) || !check_string(check, function->name) ||
		    !check_string(check, function->system_name) || !check_string(check, function->filename))
			return false;
		ids->entries[i] = (struct id_entry){function->id, i};
	}
	return take_ids(check, ids, "function");
}

/* A line may be without a function; its id is 0 then. */
static bool check_lines(const struct check *check, const Pprof__Location *location)
{
	for (size_t i = 0; i < location->n_line; i++) {
		uint64_t id = location->line[i]->function_id;
		size_t index;
		if (!check_unknown_fields(check, &location->line[i]->base))
			return false;
		if (id && !id_table_find(&check->ids->functions, id, &index))
			return profile_fail(check->error, "a line is in function %" PRIu64 ", which is not there", id);
	}
	return true;
}

static bool check_locations(const struct check *check)
{
	const Pprof__Profile *message = check->message;
	struct id_table *ids = &check->ids->locations;

	if (!id_table_init(ids, message->n_location))
		return profile_fail(check->error, "out of memory");
	for (size_t i = 0; i < message->n_location; i++) {
		const Pprof__Location *location = message->location[i];
		size_t index;
		if (location->mapping_id && !id_table_find(&check->ids->mappings, location->mapping_id, &index))
			return profile_fail(check->error, "a location is in mapping %" PRIu64 ", which is not there",
					    location->mapping_id);
		if (!check_unknown_fields(check, &location->base) || !check_lines(check, location))
			return false;
		ids->entries[i] = (struct id_entry){location->id, i};
	}
	return take_ids(check, ids, "location");
}

/* ---- Samples ---- */

static bool check_labels(const struct check *check, const Pprof__Sample *sample)
{
	for (size_t i = 0; i < sample->n_label; i++) {
		const Pprof__Label *label = sample->label[i];
		if (!check_unknown_fields(check, &label->base) || !check_string(check, label->key) ||
		    !check_string(check, label->str) || !check_string(check, label->num_unit))
			return false;
	}
	return true;
}

static bool check_samples(const struct check *check)
{
	const Pprof__Profile *message = check->message;

	for (size_t i = 0; i < message->n_sample; i++) {
		const Pprof__Sample *sample = message->sample[i];
		size_t index;
		if (!check_unknown_fields(check, &sample->base))
			return false;
		if (sample->n_value != message->n_sample_type)
			return profile_fail(check->error, "a sample has not one value of each of the %zu types",
					    message->n_sample_type);
		for (size_t j = 0; j < sample->n_location_id; j++) {
			if (!id_table_find(&check->ids->locations, sample->location_id[j], &index))
				return profile_fail(check->error,
						    "a sample is in location %" PRIu64 ", which is not there",
						    sample->location_id[j]);
		}
		if (!check_labels(check, sample))
			return false;
	}
	return true;
}

void profile_ids_done(struct profile_ids *ids)
{
	id_table_done(&ids->mappings);
	id_table_done(&ids->locations);
	id_table_done(&ids->functions);
}

bool profile_check(const Pprof__Profile *message, struct profile_ids *ret, char error[PROFILE_ERROR_SIZE])
{
	const struct check check = {message, ret, error};

	*ret = (struct profile_ids){0};
	if (check_head(&check) && check_mappings(&check) && check_functions(&check) && check_locations(&check) &&
	    check_samples(&check))
		return true;
	profile_ids_done(ret);
	return false;
}
