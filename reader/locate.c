/* Converts file offsets, runtime addresses and functions' names into the file's own addresses. */
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/fail.h"
#include "reader/locus.h"

enum { SEGMENT_EXECUTABLE = 1, PAGE_SIZE_MIN = 4096 };

enum locus_status locus_address_of_offset(struct locus *locus, uint64_t offset, uint64_t *ret,
					  struct locus_error *error)
{
	const struct locus_info *info;
	const struct locus_segment_info *found = NULL;
	enum locus_status status = locus_info(locus, &info, error);
	if (status != LOCUS_OK)
		return status;
	if (!info->segment_count)
		return locus_fail_at(error, LOCUS_ERR_USAGE, LOCUS_NO_OFFSET,
				     "the program's segments are not known: file offsets mean nothing");

	/* A page of the file may be loaded twice, as code and as data; the code is meant. */
	for (size_t i = 0; i < info->segment_count; i++) {
		const struct locus_segment_info *segment = &info->segments[i];
		bool holds = offset >= segment->offset && offset - segment->offset < segment->file_size;
		if (holds && (!found || (segment->flags & SEGMENT_EXECUTABLE)))
			found = segment;
	}
	if (!found)
		return locus_fail_at(error, LOCUS_ERR_USAGE, LOCUS_NO_OFFSET,
				     "no segment of the program holds this file offset");
	*ret = found->address + (offset - found->offset);
	return LOCUS_OK;
}

/* Whether a segment holds the address once it is loaded. */
static bool is_loaded(const struct locus_info *info, uint64_t address)
{
	bool found = false;
	for (size_t i = 0; i < info->segment_count; i++)
		found |= address >= info->segments[i].address &&
			 address - info->segments[i].address < info->segments[i].memory_size;
	return found;
}

enum locus_status locus_address_of_runtime(struct locus *locus, uint64_t base, uint64_t runtime, uint64_t *ret,
					   struct locus_error *error)
{
	const struct locus_info *info;
	uint64_t lowest = UINT64_MAX;
	enum locus_status status = locus_info(locus, &info, error);
	if (status != LOCUS_OK)
		return status;
	for (size_t i = 0; i < info->segment_count; i++)
		lowest = info->segments[i].address < lowest ? info->segments[i].address : lowest;

	/* Segments are mapped by whole pages, so the program begins with the page of its lowest segment. */
	lowest = info->segment_count ? lowest & ~(uint64_t)(PAGE_SIZE_MIN - 1) : 0;
	uint64_t address = runtime - base + lowest;
	if (runtime < base || (info->segment_count && !is_loaded(info, address)))
		return locus_fail_at(error, LOCUS_ERR_USAGE, LOCUS_NO_OFFSET,
				     "with this base the address is outside the program");
	*ret = address;
	return LOCUS_OK;
}

/* ---- Functions by name ---- */

/* A name that is looked for, and where the answer goes. */
struct wanted_name {
	struct locus_string name;
	struct locus_function_place *place;
};

/* A function that has one or two of the names that are looked for. */
struct bearer {
	uint32_t by_name; /* index + 1; 0: none */
	uint32_t by_linkage;
	uint64_t noted; /* where the part began that was noted last; UINT64_MAX: none was */
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

/* The index, + 1, of the first of the sorted names that equals `name`; 0: none does. */
static uint32_t find_name(const struct wanted_name *names, size_t count, struct locus_string name)
{
	size_t first;
	SEARCH_FIRST(first, 0, count, compare_strings(names[first].name, name) >= 0);
	return first < count && compare_strings(names[first].name, name) == 0 ? (uint32_t)first + 1 : 0;
}

static void note_place(struct locus_function_place *place, uint64_t start)
{
	if (!place->count || start < place->start)
		place->start = start;
	place->count++;
}

static enum locus_status find_bearers(struct locus *locus, struct locus_scratch *scratch,
				      const struct wanted_name *names, size_t count, struct bearer *bearers,
				      struct locus_error *error)
{
	uint32_t function_count = locus_function_count(locus);
	for (uint32_t id = 1; id <= function_count; id++) {
		struct locus_function_info function;
		enum locus_status status = locus_function_at(locus, scratch, id, &function, error);
		if (status != LOCUS_OK)
			return status;
		bearers[id] = (struct bearer){
			.by_name = find_name(names, count, function.name),
			.by_linkage = find_name(names, count, function.linkage),
			.noted = UINT64_MAX,
		};
	}
	return LOCUS_OK;
}

/*
 * Notes where the functions begin, without parts that were split off. A part is noted with its first interval: the
 * others of it come before those of the function's next part.
 */
static enum locus_status find_places(struct locus *locus, struct locus_scratch *scratch,
				     const struct wanted_name *names, struct bearer *bearers, struct locus_error *error)
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
		struct bearer *bearer = &bearers[outermost->function_id];
		if (bearer->noted == outermost->part_start)
			continue;
		bearer->noted = outermost->part_start;
		if (bearer->by_name)
			note_place(names[bearer->by_name - 1].place, outermost->part_start);
		if (bearer->by_linkage && bearer->by_linkage != bearer->by_name)
			note_place(names[bearer->by_linkage - 1].place, outermost->part_start);
	}
	return LOCUS_OK;
}

enum locus_status locus_function_places(struct locus *locus, struct locus_scratch *scratch,
					const struct locus_string *names, size_t count,
					struct locus_function_place *ret, struct locus_error *error)
{
	struct wanted_name *wanted = calloc(count + 1, sizeof(*wanted));
	struct bearer *bearers = calloc(locus_function_count(locus) + (size_t)1, sizeof(*bearers));
	enum locus_status status = wanted && bearers ? LOCUS_OK : locus_fail_memory(error);
	for (size_t i = 0; i < count && status == LOCUS_OK; i++) {
		ret[i] = (struct locus_function_place){0};
		wanted[i] = (struct wanted_name){names[i], &ret[i]};
	}
	if (status == LOCUS_OK && count) {
		qsort(wanted, count, sizeof(*wanted), compare_names);
		status = find_bearers(locus, scratch, wanted, count, bearers, error);
		if (status == LOCUS_OK)
			status = find_places(locus, scratch, wanted, bearers, error);
	}

	/* Where a name is asked for more than once, only the first was answered: copy that to the others. */
	for (size_t i = 1; i < count && status == LOCUS_OK; i++)
		if (compare_strings(wanted[i - 1].name, wanted[i].name) == 0)
			*wanted[i].place = *wanted[i - 1].place;
	free(bearers);
	free(wanted);
	return status;
}
