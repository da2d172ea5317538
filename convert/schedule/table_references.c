/* A thread's units mostly have one directory after the other, so its name is kept once for neighbours. */
#include "convert/schedule/table_references.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"
#include "base/sort.h"

void table_references_done(struct table_references *references)
{
	free(references->references);
	*references = (struct table_references){0};
}

bool table_references_may_have(const struct table_references *references, uint64_t offset)
{
	return offset < references->read_below;
}

static int compare_directories(const char *a, const char *b)
{
	return a == b ? 0 : strcmp(a ? a : "", b ? b : "");
}

/* Sets *ret to a copy of the directory's name: that of the reference before, if it is the same. */
static bool keep_directory(const struct table_references *references, const char *directory, struct arena *arena,
			   const char **ret)
{
	const uint32_t count = references->count;
	const char *last = count ? references->references[count - 1].comp_dir : NULL;
	const bool is_known = !directory || (last && strcmp(last, directory) == 0);
	*ret = !directory ? NULL : is_known ? last : arena_copy_packed(arena, directory, strlen(directory) + 1);
	return *ret || !directory;
}

bool table_references_add(struct table_references *references, const struct unit *unit, uint32_t unit_index,
			  bool leaves_rows, struct arena *arena)
{
	struct table_reference made = {.offset = unit->stmt_list};
	if (unit->lines.version) {
		made.end = unit->lines.end;
		made.str_offsets_base = unit->str_offsets_base;
		made.unit_offset = unit->offset;
		made.unit_index = unit_index;
		made.leaves_rows = leaves_rows;
		if (!keep_directory(references, unit->comp_dir, arena, &made.comp_dir))
			return false;
		if (made.end > references->read_below)
			references->read_below = made.end;
	}
	if (!array_reserve(&references->references, &references->room, references->count + UINT64_C(1),
			   sizeof(*references->references)))
		return false;
	references->references[references->count++] = made;
	return true;
}

bool table_references_join(struct table_references *references, const struct table_references *from)
{
	if (!from->count)
		return true;
	if (!array_reserve(&references->references, &references->room, references->count + (uint64_t)from->count,
			   sizeof(*references->references)))
		return false;
	memcpy(references->references + references->count, from->references, from->count * sizeof(*from->references));
	references->count += from->count;
	return true;
}

/* Orders references to different tables, or to one table with other files. */
static int compare_tables(const struct table_reference *a, const struct table_reference *b)
{
	int order = order_of(a->offset, b->offset);
	if (!order)
		order = order_of(a->end, b->end);
	if (!order)
		order = order_of(a->str_offsets_base, b->str_offsets_base);
	return order ? order : compare_directories(a->comp_dir, b->comp_dir);
}

static int compare_references(const void *a, const void *b)
{
	const struct table_reference *x = a, *y = b;
	int order = compare_tables(x, y);
	return order ? order : order_of(x->unit_index, y->unit_index);
}

void table_references_sort(struct table_references *references)
{
	sort_by_address(references->references, references->count, sizeof(*references->references), compare_references);
}

bool table_references_same(const struct table_reference *a, const struct table_reference *b)
{
	return compare_tables(a, b) == 0;
}

static int compare_units(const void *a, const void *b)
{
	const struct table_reference *x = a, *y = b;
	return order_of(x->unit_index, y->unit_index);
}

const struct table_reference *table_references_beyond(struct table_references *references, uint64_t most)
{
	struct table_reference *all = references->references;
	const struct table_reference *last = NULL; /* the table that was read last */
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < references->count && bytes <= most; i++)
		bytes += all[i].end ? all[i].end - all[i].offset : 0;
	if (bytes <= most)
		return NULL;

	/* That is too much if each unit reads its table. But units that follow each other may share one. */
	qsort(all, references->count, sizeof(*all), compare_units);
	bytes = 0;
	for (uint32_t i = 0; i < references->count; i++) {
		if (!all[i].end || (last && !last->is_for_unit_only && table_references_same(last, &all[i])))
			continue;
		last = &all[i];
		bytes += last->end - last->offset;
		if (bytes > most)
			return last;
	}
	return NULL;
}

/*
 * Of the units that have one table, some may not have read it: their references come first. So a table ends where the
 * last reference to it says.
 */
bool table_references_fill(const struct table_references *references, uint64_t size)
{
	const struct table_reference *all = references->references;
	uint64_t reached = 0;
	for (uint32_t i = 0; i < references->count; i++) {
		if (i + 1 < references->count && all[i + 1].offset == all[i].offset)
			continue;
		if (all[i].offset != reached)
			return false;
		reached = all[i].end;
	}
	return reached == size;
}
