/* Names are copied, because a scratch holds those of one function at a time. */
#include "cmd/lookup/other_functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "cmd/common/memory.h"
#include "cmd/common/report.h"
#include "cmd/common/string_compare.h"

/* The most that the alternates of one address may take: some 600,000 of them, or 64 MiB of names. */
enum { BYTES_MAX = 64 << 20 };

/* Room for one item more and for its names. */
static void make_room(struct other_functions *others, const struct locus_function_info *function)
{
	size_t names_size = others->names_size + function->name.size + function->linkage.size;

	memory_reserve(&others->items, &others->room, others->count + 1, sizeof(*others->items));
	memory_reserve(&others->names, &others->names_room, names_size, 1);
}

static void copy_name(struct other_functions *others, struct locus_string name)
{
	if (name.size)
		memcpy(others->names + others->names_size, name.data, name.size);
	others->names_size += name.size;
}

/* The names were copied one behind the other, to where `names` may have moved since. */
static void point_to_names(struct other_functions *others)
{
	const char *name = others->names;

	for (size_t i = 0; i < others->count; i++) {
		struct locus_function_info *function = &others->items[i].function;
		function->name.data = name;
		function->linkage.data = name + function->name.size;
		name = function->linkage.data + function->linkage.size;
	}
}

static struct locus_string called(const struct locus_function_info *function)
{
	return function->linkage.size ? function->linkage : function->name;
}

static int compare_places(const struct other_function *x, const struct other_function *y)
{
	int order = order_of(x->info.start, y->info.start);

	return order ? order : compare_strings(called(&x->function), called(&y->function));
}

static bool is_symbol(const struct other_function *other)
{
	return other->info.kind == LOCUS_ALTERNATE_ALIAS;
}

/* Of one start and name, symbols come last. */
static int compare_items(const void *a, const void *b)
{
	const struct other_function *x = a, *y = b;
	int order = compare_places(x, y);

	if (!order)
		order = is_symbol(x) - is_symbol(y);
	if (!order)
		order = order_of(x->function.linkage.size, y->function.linkage.size);
	return order ? order : order_of(x->info.kind, y->info.kind);
}

/*
 * Drops the symbols of functions that were folded onto another one: such a function is an alternate by its debug
 * information, and so is its symbol, which is at the same start.
 */
static void drop_repeated(struct other_functions *others)
{
	size_t kept = 0;

	for (size_t i = 0; i < others->count; i++) {
		const struct other_function *other = &others->items[i];
		if (!kept || !is_symbol(other) || compare_places(&others->items[kept - 1], other) != 0)
			others->items[kept++] = *other;
	}
	others->count = kept;
}

enum locus_status other_functions_find(struct other_functions *others, struct locus *locus,
				       struct locus_scratch *scratch, struct locus_scratch *name_scratch,
				       uint64_t address, struct locus_error *error)
{
	const struct locus_alternate_info *found;
	struct locus_function_info function;
	size_t count;
	enum locus_status status = locus_alternates(locus, scratch, address, &found, &count, error);

	others->count = others->names_size = 0;
	for (size_t i = 0; status == LOCUS_OK && i < count; i++) {
		status = locus_function_at(locus, name_scratch, found[i].function_id, &function, error);
		if (status != LOCUS_OK)
			break;
		make_room(others, &function);
		others->items[others->count++] = (struct other_function){found[i], function};
		copy_name(others, function.name);
		copy_name(others, function.linkage);
		if (others->names_size + others->count * sizeof(*others->items) > BYTES_MAX) {
			status = error_fail(error, LOCUS_ERR_LIMIT, "more functions answer for %#llx than can be told",
					    (unsigned long long)address);
		}
	}

	point_to_names(others);
	if (others->count > 1)
		qsort(others->items, others->count, sizeof(*others->items), compare_items);
	drop_repeated(others);
	return status;
}
