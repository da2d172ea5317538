/*
 * Functions are found in one pass over all intervals, which gives their ranges by address; alternates, which are in the
 * order of their starts, are shown between them.
 */
#include "cmd/find/range_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "cmd/common/memory.h"

struct other; /* see below */

struct range_search {
	struct locus *locus;
	const struct choice *choice;
	struct range_output *output;
	struct search_bounds bounds;
	struct locus_scratch *scratch;
	struct locus_scratch *frame_scratch; /* for the frames of a range, while the other scratch searches */
	uint32_t next_alternate;             /* the first whose start was not reached yet */
	struct other *others;                /* alternates of one start that are to be shown */
	size_t other_count, other_room;
	uint64_t part_end;        /* the end of the part that was searched for last */
	enum locus_status status; /* of what was done with a range */
	struct locus_error *error;
};

static enum locus_status count_frames(struct range_search *search, const struct locus_result *result)
{
	return search_bounds_frames(&search->bounds, result->frame_count, search->error);
}

static enum locus_status count_range(struct range_search *search)
{
	return search_bounds_part(&search->bounds, search->error);
}

/* Shows a range, and counts what that wrote. */
static enum locus_status show_frame(struct range_search *search, uint64_t start, uint64_t end,
				    const struct locus_result *result, size_t frame)
{
	range_output_frame(search->output, start, end, result, frame);
	return search_bounds_output(&search->bounds, search->output->out, search->error);
}

/* ---- Other names of code ---- */

/*
 * Finds the end of the part that answers at `start`: there an alias ends that is known by its start alone. It is
 * `start` where nothing answers. Aliases come by their starts, so the last one's part may be this one's, too.
 */
static enum locus_status find_part_end(struct range_search *search, uint64_t start)
{
	struct locus_result result;
	uint32_t function = 0;
	uint64_t part_start = 0;

	if (start < search->part_end)
		return LOCUS_OK;
	search->part_end = start;
	enum locus_status status = locus_lookup(search->locus, search->frame_scratch, start, &result, search->error);
	while (status == LOCUS_OK && result.frame_count) {
		const struct locus_frame *outermost = &result.frames[result.frame_count - 1];
		if (function && (outermost->function_id != function || outermost->part_start != part_start))
			break;
		function = outermost->function_id;
		part_start = outermost->part_start;
		search->part_end = result.interval.end;

		uint32_t next = result.interval.locid + 1;
		status = count_frames(search, &result);
		if (status != LOCUS_OK || next == locus_interval_count(search->locus))
			break;
		status = locus_frames(search->locus, search->frame_scratch, next, &result, search->error);
	}
	return status;
}

/* The function that answers where an alternate begins. */
struct primary {
	uint32_t function_id; /* 0: none does */
	struct name name;     /* a copy */
};

static struct name copy_of(struct name name)
{
	char *copy = memory_checked(malloc(name.size + 1));

	if (name.size)
		memcpy(copy, name.data, name.size);
	name.data = copy;
	return name;
}

/* Finds the function that answers at `start`; the copy of its name is to be freed. */
static enum locus_status find_primary(struct range_search *search, uint64_t start, struct primary *ret)
{
	struct locus_result result;
	enum locus_status status = locus_lookup(search->locus, search->frame_scratch, start, &result, search->error);

	*ret = (struct primary){0};
	if (status == LOCUS_OK)
		status = count_frames(search, &result);
	if (status != LOCUS_OK || !result.frame_count)
		return status;
	const struct locus_frame *outermost = &result.frames[result.frame_count - 1];
	*ret = (struct primary){outermost->function_id, copy_of(range_output_name(search->output, outermost))};
	return LOCUS_OK;
}

/* An alternate that is searched for. */
struct other {
	uint32_t index; /* in the file */
	struct locus_alternate_info info;
	struct name name; /* a copy, to be freed */
	bool is_repeated; /* a symbol, and the name of a function that was folded there */
};

static void free_others(struct range_search *search)
{
	for (size_t i = 0; i < search->other_count; i++)
		free((char *)search->others[i].name.data);
	search->other_count = 0;
}

static enum locus_status add_other(struct range_search *search, uint32_t index,
				   const struct locus_alternate_info *alternate)
{
	struct locus_function_info function;
	enum locus_status status = locus_function_at(search->locus, search->frame_scratch, alternate->function_id,
						     &function, search->error);

	if (status == LOCUS_OK)
		status = count_range(search);
	if (status != LOCUS_OK)
		return status;
	struct name name = copy_of(function_labels_get(search->output->names, alternate->function_id, function.name,
						       function.linkage, function.language));
	memory_reserve(&search->others, &search->other_room, search->other_count + 1, sizeof(*search->others));
	search->others[search->other_count++] = (struct other){index, *alternate, name, false};
	return search_bounds_name(&search->bounds, name.size, search->error);
}

static int compare_text(struct name a, struct name b)
{
	if (a.size != b.size)
		return a.size < b.size ? -1 : 1;
	return a.size ? memcmp(a.data, b.data, a.size) : 0;
}

/* Of one name, symbols come last. */
static int compare_names(const void *a, const void *b)
{
	const struct other *x = a, *y = b;
	int order = compare_text(x->name, y->name);

	return order ? order : (x->info.kind == LOCUS_ALTERNATE_ALIAS) - (y->info.kind == LOCUS_ALTERNATE_ALIAS);
}

static int compare_indexes(const void *a, const void *b)
{
	const struct other *x = a, *y = b;

	return order_of(x->index, y->index);
}

/*
 * A function that was folded onto another one is an alternate by its debug information, and so is its symbol, which is
 * at the same start: it is shown once.
 */
static void find_repeated(struct other *others, size_t count)
{
	if (count < 2)
		return;
	qsort(others, count, sizeof(*others), compare_names);
	for (size_t i = 1; i < count; i++)
		others[i].is_repeated =
			others[i].info.kind == LOCUS_ALTERNATE_ALIAS &&
			(others[i - 1].info.kind != LOCUS_ALTERNATE_ALIAS || others[i - 1].is_repeated) &&
			compare_text(others[i - 1].name, others[i].name) == 0;
	qsort(others, count, sizeof(*others), compare_indexes);
}

/* Shows alternates of one start, but for what names the function that answers there, if that is searched for too. */
static enum locus_status show_others(struct range_search *search)
{
	uint64_t start = search->others[0].info.start;
	struct primary primary = {0};
	enum locus_status status = find_primary(search, start, &primary);

	find_repeated(search->others, search->other_count);
	for (size_t i = 0; i < search->other_count && status == LOCUS_OK; i++) {
		const struct other *other = &search->others[i];
		uint64_t size = other->info.size;
		bool is_shown =
			choice_has(search->choice, primary.function_id) && compare_text(other->name, primary.name) == 0;
		if (is_shown || other->is_repeated)
			continue;
		if (!size)
			status = find_part_end(search, start);
		if (status != LOCUS_OK)
			break;
		range_output_alternate(search->output, &other->info, size ? start + size : search->part_end,
				       other->name, primary.name);
		status = search_bounds_output(&search->bounds, search->output->out, search->error);
	}
	free((char *)primary.name.data);
	return status;
}

/* Shows the alternates that begin before an address and were not shown yet: they are in the order of their starts. */
static enum locus_status show_alternates(struct range_search *search, uint64_t before)
{
	uint32_t count = locus_alternate_count(search->locus);
	enum locus_status status = LOCUS_OK;

	while (status == LOCUS_OK && search->next_alternate < count && !search->output->out->error) {
		struct locus_alternate_info alternate;
		status = locus_alternate_at(search->locus, search->frame_scratch, search->next_alternate, &alternate,
					    search->error);
		if (status != LOCUS_OK || alternate.start >= before)
			break;
		if (search->other_count && alternate.start != search->others[0].info.start) {
			status = show_others(search);
			free_others(search);
		}
		uint32_t index = search->next_alternate++;
		if (status == LOCUS_OK && choice_has(search->choice, alternate.function_id))
			status = add_other(search, index, &alternate);
	}
	if (status == LOCUS_OK && search->other_count)
		status = show_others(search);
	free_others(search);
	return status;
}

/* ---- Functions and lines ---- */

static bool take_range(void *context, const struct locus_function_range *range)
{
	struct range_search *search = context;
	struct locus_result result = {0};

	search->status = show_alternates(search, range->start);
	if (search->status == LOCUS_OK)
		search->status =
			locus_lookup(search->locus, search->frame_scratch, range->start, &result, search->error);
	if (search->status == LOCUS_OK)
		search->status = count_frames(search, &result);
	if (search->status == LOCUS_OK)
		search->status = count_range(search);
	for (size_t i = result.frame_count; search->status == LOCUS_OK && i-- > 0;) {
		if (result.frames[i].function_id != range->function_id)
			continue;
		search->status = show_frame(search, range->start, range->end, &result, i);
		break;
	}
	return search->status == LOCUS_OK && !search->output->out->error;
}

static enum locus_status show_functions(struct range_search *search)
{
	enum locus_status status = locus_function_ranges(search->locus, search->scratch, search->choice->ids,
							 search->choice->id_count, take_range, search, search->error);

	if (status == LOCUS_OK)
		status = search->status;
	return status == LOCUS_OK ? show_alternates(search, UINT64_MAX) : status;
}

static bool is_wanted_line(const struct choice *choice, const struct locus_frame *frame)
{
	return frame->line == choice->line && choice_has(choice, frame->file_id);
}

/* Intervals of the line that follow each other in one function are shown as one range. */
static enum locus_status show_lines(struct range_search *search)
{
	struct locus *locus = search->locus;
	uint32_t count = locus_interval_count(locus), function = 0;
	uint64_t start = 0, end = 0;
	struct locus_result result;
	enum locus_status status = LOCUS_OK;

	for (uint32_t i = 0; i < count && status == LOCUS_OK && !search->output->out->error; i++) {
		status = locus_frames(locus, search->scratch, i, &result, search->error);
		if (status == LOCUS_OK)
			status = count_frames(search, &result);
		bool is_found =
			status == LOCUS_OK && result.frame_count && is_wanted_line(search->choice, &result.frames[0]);
		bool goes_on = is_found && end == result.interval.start && function == result.frames[0].function_id;

		/* The range so far ends here: show it with the frames at its start. */
		if (end > start && !goes_on) {
			struct locus_result first;
			status = locus_lookup(locus, search->frame_scratch, start, &first, search->error);
			if (status == LOCUS_OK)
				status = count_range(search);
			if (status == LOCUS_OK)
				status = show_frame(search, start, end, &first, 0);
			end = start;
		}

		if (!is_found)
			continue;
		start = goes_on ? start : result.interval.start;
		end = result.interval.end;
		function = result.frames[0].function_id;
	}
	return status;
}

enum locus_status range_search(struct locus *locus, struct choice *choice, struct range_output *output,
			       struct locus_error *error)
{
	struct range_search search = {.locus = locus, .choice = choice, .output = output, .error = error};
	enum locus_status status = locus_scratch_new(locus, &search.scratch, error);

	search_bounds_init(&search.bounds, locus);
	if (status == LOCUS_OK)
		status = locus_scratch_new(locus, &search.frame_scratch, error);
	if (status == LOCUS_OK)
		status = choice_find(choice, locus, search.scratch, &search.bounds, error);
	if (status == LOCUS_OK && choice->id_count)
		status = choice->path_size ? show_lines(&search) : show_functions(&search);
	free(search.others);
	locus_scratch_free(search.scratch);
	locus_scratch_free(search.frame_scratch);
	return status;
}
