/* Two search trees over the profile's own arrays. */
#include "cmd/pprof/profile_tables.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/*
 * Only so many of the profile's own strings and functions are found again, so that a hostile profile with many costs no
 * time.
 */
enum { KNOWN_MAX = 1 << 20 };

struct known_string {
	struct locus_string text; /* part of the profile's memory */
	int64_t index;
};

static int compare_strings(const void *a, const void *b)
{
	const struct locus_string *left = &((const struct known_string *)a)->text,
				  *right = &((const struct known_string *)b)->text;

	if (left->size != right->size)
		return left->size < right->size ? -1 : 1;
	return left->size ? memcmp(left->data, right->data, left->size) : 0;
}

static int compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_functions(const void *a, const void *b)
{
	const Pprof__Function *left = a, *right = b;
	int order = compare_numbers(left->name, right->name);

	if (!order)
		order = compare_numbers(left->system_name, right->system_name);
	if (!order)
		order = compare_numbers(left->filename, right->filename);
	return order ? order : compare_numbers(left->start_line, right->start_line);
}

/* Makes room for one more in an array of pointers or structs. */
static bool make_room(struct profile_memory *memory, void **array, size_t count, size_t item_size, size_t *capacity)
{
	if (count < *capacity)
		return true;
	size_t wanted = count < 64 ? 128 : 2 * count;
	void *grown = profile_memory_grow(memory, *array, count * item_size, wanted * item_size);
	if (!grown)
		return false;
	*array = grown;
	*capacity = wanted;
	return true;
}

/* ---- Strings ---- */

/* Of equal strings the first is found. */
static bool know_string(struct profile_tables *tables, int64_t index)
{
	const ProtobufCBinaryData *bytes = &tables->message->string_table[index];
	struct known_string *known = malloc(sizeof(*known)), **found = NULL;

	if (known) {
		*known = (struct known_string){{(const char *)bytes->data, bytes->len}, index};
		found = tsearch(known, &tables->strings, compare_strings);
	}
	if (!found || *found != known)
		free(known);
	return found != NULL;
}

static bool append_string(struct profile_tables *tables, struct locus_string text)
{
	Pprof__Profile *message = tables->message;
	void *array = message->string_table;
	uint8_t *copy;

	if (!make_room(tables->memory, &array, message->n_string_table, sizeof(*message->string_table),
		       &tables->string_capacity))
		return false;
	message->string_table = array;
	copy = profile_memory_grow(tables->memory, NULL, 0, text.size);
	if (!copy)
		return false;
	memcpy(copy, text.data, text.size);
	message->string_table[message->n_string_table++] = (ProtobufCBinaryData){text.size, copy};
	return true;
}

int64_t profile_string(struct profile_tables *tables, struct locus_string text)
{
	const struct known_string key = {.text = text};
	struct known_string *const *found;
	int64_t index = (int64_t)tables->message->n_string_table;

	if (!text.size)
		return 0;
	found = tfind(&key, &tables->strings, compare_strings);
	if (found)
		return (*found)->index;
	return append_string(tables, text) && know_string(tables, index) ? index : -1;
}

/* ---- Functions ---- */

static Pprof__Function *append_function(struct profile_tables *tables, const Pprof__Function *function)
{
	Pprof__Profile *message = tables->message;
	void *array = message->function;
	Pprof__Function *copy;

	if (tables->function_id == UINT64_MAX || !make_room(tables->memory, &array, message->n_function,
							    sizeof(Pprof__Function *), &tables->function_capacity))
		return NULL;
	message->function = array;
	copy = profile_memory_grow(tables->memory, NULL, 0, sizeof(*copy));
	if (!copy)
		return NULL;
	*copy = *function;
	copy->id = ++tables->function_id;
	message->function[message->n_function++] = copy;
	return copy;
}

uint64_t profile_function(struct profile_tables *tables, const Pprof__Function *function)
{
	Pprof__Function *const *found = tfind(function, &tables->functions, compare_functions);
	Pprof__Function *added;

	if (found)
		return (*found)->id;
	added = append_function(tables, function);
	return added && tsearch(added, &tables->functions, compare_functions) ? added->id : 0;
}

/* ---- Beginning and end ---- */

bool profile_tables_init(struct profile_tables *tables, Pprof__Profile *message, struct profile_memory *memory,
			 uint64_t function_id)
{
	*tables = (struct profile_tables){.message = message, .memory = memory, .function_id = function_id};
	for (size_t i = 0; i < message->n_string_table && i < KNOWN_MAX; i++) {
		if (!know_string(tables, (int64_t)i))
			return false;
	}
	for (size_t i = 0; i < message->n_function && i < KNOWN_MAX; i++) {
		if (!tsearch(message->function[i], &tables->functions, compare_functions))
			return false;
	}
	return true;
}

static void keep(void *node)
{
	(void)node; /* functions belong to the message */
}

void profile_tables_done(struct profile_tables *tables)
{
	tdestroy(tables->strings, free);
	tdestroy(tables->functions, keep);
}
