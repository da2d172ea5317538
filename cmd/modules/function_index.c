/*
 * Maps function names to addresses: an array of parts by function, and an array of hashed names, both sorted. qsort
 * does, because keys are ids and hashes, not addresses.
 */
#include "cmd/modules/function_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/order.h"
#include "base/symbol_version.h"
#include "cmd/common/search_bounds.h"
#include "cmd/common/string_compare.h"

/*
 * The most bytes of padding between a function and the next symbol: a cache line, the largest alignment in use. The
 * last function of a kernel module is padded to the end of its page.
 */
enum { PADDING_MAX = 63, PAGE_PADDING_MAX = 4095 };

/* A contiguous part of a function. */
struct part {
	uint32_t function_id;
	uint32_t kind; /* enum locus_part_kind */
	uint64_t start, end;
};

/*
 * What stands for a name. Of 96 bits no two names are alike by chance, so that names need not be compared: to read them
 * again for each line of a text would take long where memory does not hold them all.
 */
struct name_hash {
	uint64_t first;
	uint32_t second;
};

struct name_entry {
	uint64_t first; /* as in struct name_hash, which would have padding here */
	uint32_t second;
	uint32_t function_id;
};

struct function_index {
	struct locus *locus;
	struct locus_scratch *scratch; /* for building it */
	const struct locus_info *info;
	struct part *parts;
	size_t part_count, part_capacity;
	struct name_entry *names;
	size_t name_count;
	struct search_bounds bounds; /* for building it */
};

static enum locus_status out_of_memory(struct locus_error *error)
{
	error->text[0] = '\0';
	error->offset = LOCUS_NO_OFFSET;
	return LOCUS_ERR_MEMORY;
}

/* FNV-1a of 64 bits, and FNV-1 of 32. */
static struct name_hash hash_name(struct locus_string name)
{
	struct name_hash hash = {0xcbf29ce484222325, 0x811c9dc5};

	for (size_t i = 0; i < name.size; i++) {
		hash.first = (hash.first ^ (unsigned char)name.data[i]) * 0x100000001b3;
		hash.second = (hash.second * 0x01000193) ^ (unsigned char)name.data[i];
	}
	return hash;
}

/* Symbols may have a version (__libc_start_main@@GLIBC_2.34), which texts leave out. */
static struct locus_string without_version(struct locus_string name)
{
	return (struct locus_string){name.data, size_without_version(name.data, name.size)};
}

/* ---- Building ---- */

static enum locus_status add_part(struct function_index *index, const struct part *part, struct locus_error *error)
{
	enum locus_status status = search_bounds_part(&index->bounds, error);

	if (status != LOCUS_OK)
		return status;
	if (index->part_count == index->part_capacity) {
		size_t capacity = index->part_capacity ? 2 * index->part_capacity : 1024;
		struct part *grown = realloc(index->parts, capacity * sizeof(*grown));
		if (!grown)
			return out_of_memory(error);
		index->parts = grown;
		index->part_capacity = capacity;
	}
	index->parts[index->part_count++] = *part;
	return LOCUS_OK;
}

/* Where the ranges of all parts go. */
struct taking {
	struct function_index *index;
	enum locus_status status;
	struct locus_error *error;
};

/* Adds the range to the last part, if it continues that, or as the start of another. */
static bool take_range(void *context, const struct locus_function_range *range)
{
	struct taking *taking = context;
	struct function_index *index = taking->index;
	struct part *last = index->part_count ? &index->parts[index->part_count - 1] : NULL;
	struct part part = {range->function_id, range->part, range->part_start, range->end};

	if (last && last->function_id == part.function_id && last->start == part.start)
		last->end = part.end;
	else
		taking->status = add_part(index, &part, taking->error);
	return taking->status == LOCUS_OK;
}

static enum locus_status read_intervals(struct function_index *index, struct locus_error *error)
{
	struct taking taking = {.index = index, .error = error};
	enum locus_status status =
		locus_function_ranges(index->locus, index->scratch, NULL, 0, take_range, &taking, error);

	return status == LOCUS_OK ? taking.status : status;
}

/* Adds aliases and folded functions, which have other names for the same code. */
static enum locus_status read_alternates(struct function_index *index, struct locus_error *error)
{
	uint32_t count = locus_alternate_count(index->locus);

	for (uint32_t i = 0; i < count; i++) {
		struct locus_alternate_info info;
		enum locus_status status = locus_alternate_at(index->locus, index->scratch, i, &info, error);
		if (status != LOCUS_OK)
			return status;
		struct part part = {info.function_id, LOCUS_PART_ENTRY, info.start,
				    info.size ? info.start + info.size : info.start};
		status = add_part(index, &part, error);
		if (status != LOCUS_OK)
			return status;
	}
	return LOCUS_OK;
}

static int compare_parts(const void *a, const void *b)
{
	const struct part *left = a, *right = b;

	return order_of(left->function_id, right->function_id);
}

static int compare_names(const void *a, const void *b)
{
	const struct name_entry *left = a, *right = b;

	return order_of(left->first, right->first);
}

static void add_name(struct function_index *index, uint32_t function_id, struct locus_string name)
{
	struct name_hash hash = hash_name(without_version(name));

	index->names[index->name_count++] = (struct name_entry){hash.first, hash.second, function_id};
}

/* Hashes the names of all functions with a part; functions that are only inlined have no address of their own. */
static enum locus_status read_names(struct function_index *index, struct locus_error *error)
{
	uint32_t last = 0;

	index->names = malloc((2 * index->part_count + 1) * sizeof(*index->names));
	if (!index->names)
		return out_of_memory(error);
	for (size_t i = 0; i < index->part_count; i++) {
		struct locus_function_info function;
		uint32_t id = index->parts[i].function_id;
		if (id == last)
			continue;
		last = id;
		enum locus_status status = locus_function_at(index->locus, index->scratch, id, &function, error);
		if (status == LOCUS_OK)
			status = search_bounds_name(&index->bounds, function.name.size + function.linkage.size, error);
		if (status != LOCUS_OK)
			return status;
		if (function.name.size)
			add_name(index, id, function.name);
		if (function.linkage.size && !strings_are_equal(function.linkage, function.name))
			add_name(index, id, function.linkage);
	}
	qsort(index->names, index->name_count, sizeof(*index->names), compare_names);
	return LOCUS_OK;
}

enum locus_status function_index_new(struct locus *locus, struct locus_scratch *scratch, struct function_index **ret,
				     struct locus_error *error)
{
	struct function_index *index = calloc(1, sizeof(*index));
	enum locus_status status;

	if (!index)
		return out_of_memory(error);
	index->locus = locus;
	index->scratch = scratch;
	search_bounds_init(&index->bounds, locus);
	status = locus_info(locus, &index->info, error);
	if (status == LOCUS_OK)
		status = read_intervals(index, error);
	if (status == LOCUS_OK)
		status = read_alternates(index, error);
	if (status == LOCUS_OK) {
		qsort(index->parts, index->part_count, sizeof(*index->parts), compare_parts);
		status = read_names(index, error);
	}
	if (status != LOCUS_OK) {
		function_index_free(index);
		return status;
	}
	*ret = index;
	return LOCUS_OK;
}

void function_index_free(struct function_index *index)
{
	if (!index)
		return;
	free(index->parts);
	free(index->names);
	free(index);
}

size_t function_index_memory(const struct function_index *index)
{
	return index->part_capacity * sizeof(*index->parts) + (2 * index->part_count + 1) * sizeof(*index->names);
}

/* ---- Asking ---- */

/* The index of the first name with this hash, or where it would be. */
static size_t first_name(const struct function_index *index, uint64_t hash)
{
	size_t first;

	SEARCH_FIRST(first, 0, index->name_count, index->names[first].first >= hash);
	return first;
}

static size_t first_part(const struct function_index *index, uint32_t function_id)
{
	size_t first;

	SEARCH_FIRST(first, 0, index->part_count, index->parts[first].function_id >= function_id);
	return first;
}

/*
 * The most steps of a search: to look at a part is one, to look for a function's parts several. Only in a file that was
 * made for it have more functions one name, and each line of a text would be compared with all of them.
 */
enum { STEPS_MAX = 1 << 12, STEPS_OF_NAME = 16 };

/* What is searched for, and the result. */
struct search {
	bool is_split_off; /* the cold part, split off by the compiler, is meant */
	uint64_t size;
	bool is_found, is_ambiguous;
	uint64_t start;
	unsigned steps;
};

static bool goes_on(const struct search *search)
{
	return !search->is_ambiguous && search->steps < STEPS_MAX;
}

/*
 * Whether only padding follows the part in its section of a relocatable file, such as a kernel module. Sections stand
 * in the order of their bases.
 */
static bool ends_section(const struct function_index *index, const struct part *part)
{
	const struct locus_info *info = index->info;
	size_t behind;

	SEARCH_FIRST(behind, 0, info->base_count, info->bases[behind].base > part->start);
	if (!behind)
		return false;
	const struct locus_base_info *section = &info->bases[behind - 1];
	uint64_t end = part->end - section->base;
	return end <= section->size && section->size - end <= PADDING_MAX;
}

/* Whether a part may have this size. An alias known by its start alone has no end to compare. */
static bool has_size(const struct function_index *index, const struct part *part, uint64_t size)
{
	uint64_t own = part->end - part->start;

	if (size == 0 || own == 0)
		return true;
	if (size < own || size - own > PAGE_PADDING_MAX)
		return false;
	return size - own <= PADDING_MAX || ends_section(index, part);
}

static void search_parts(const struct function_index *index, uint32_t function_id, struct search *search)
{
	for (size_t i = first_part(index, function_id);
	     i < index->part_count && index->parts[i].function_id == function_id && goes_on(search); i++) {
		const struct part *part = &index->parts[i];
		search->steps++;
		if ((part->kind == LOCUS_PART_OTHER) != search->is_split_off || !has_size(index, part, search->size))
			continue;
		if (search->is_found && search->start != part->start)
			search->is_ambiguous = true;
		search->is_found = true;
		search->start = part->start;
	}
}

static void search_name(struct function_index *index, struct locus_string name, struct search *search)
{
	struct name_hash hash = hash_name(name);

	for (size_t i = first_name(index, hash.first);
	     i < index->name_count && index->names[i].first == hash.first && goes_on(search); i++) {
		search->steps += STEPS_OF_NAME;
		if (index->names[i].second == hash.second)
			search_parts(index, index->names[i].function_id, search);
	}
}

bool function_index_find(struct function_index *index, const struct function_offset *place, uint64_t *ret)
{
	const struct locus_string name = place->name;
	struct search search = {.size = place->size};
	const char *dot = memchr(name.data, '.', name.size);

	search_name(index, name, &search);
	if (!search.is_found && dot) {
		struct locus_string suffix = {dot, name.size - (size_t)(dot - name.data)};
		search.is_split_off = memmem(suffix.data, suffix.size, ".cold", strlen(".cold")) != NULL;
		search_name(index, (struct locus_string){name.data, (size_t)(dot - name.data)}, &search);
	}
	if (!search.is_found || !goes_on(&search))
		return false;
	*ret = search.start + place->delta;
	return true;
}
