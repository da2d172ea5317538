/* Where a function, inlinee, row, symbol or piece of executable code begins or ends. */
#include "convert/cross_check/change_points.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"

struct points {
	uint64_t *list;
	uint32_t count, room;
};

static bool add_point(struct points *points, uint64_t addr)
{
	if (!array_reserve(&points->list, &points->room, points->count + UINT64_C(1), sizeof(*points->list)))
		return false;
	points->list[points->count++] = addr;
	return true;
}

static bool add_both(struct points *points, uint64_t start, uint64_t end)
{
	return add_point(points, start) && add_point(points, end);
}

static bool add_spans(struct points *points, const struct span_index *index)
{
	bool memory = true;
	for (uint32_t i = 0; memory && i < index->count; i++)
		memory = add_both(points, index->spans[i].start, index->spans[i].end);
	return memory;
}

static bool add_inlinees(struct points *points, struct tree *tree)
{
	bool memory = true;
	for (uint32_t i = 0; memory && i < tree->function_count; i++) {
		memory = tree_open(tree, i);
		for (uint32_t k = 0; memory && k < tree->range_count; k++)
			memory = add_both(points, tree->ranges[k].start, tree->ranges[k].end);
	}
	return memory;
}

static bool add_rows(struct points *points, struct line_tables *tables)
{
	bool memory = true;
	for (uint32_t i = 0; memory && i < tables->count; i++) {
		const struct kept_table *kept = line_tables_get(tables, i);
		memory = kept != NULL;
		for (uint32_t k = 0; memory && k < kept->rows.row_count; k++)
			if (elf_file_exec(tables->program, kept->rows.rows[k].addr))
				memory = add_point(points, kept->rows.rows[k].addr);
	}
	return memory;
}

static bool add_executable_code(struct points *points, const struct elf_file *program)
{
	bool memory = true;
	for (uint32_t i = 0; memory && i < program->exec_count; i++)
		memory = add_both(points, program->exec[i].start, program->exec[i].end);
	return memory;
}

bool change_points_find(struct evidence *evidence, uint64_t **ret, size_t *ret_count)
{
	struct points points = {0};
	if (!add_spans(&points, &evidence->tree.parts) || !add_spans(&points, &evidence->lines.sequences) ||
	    !add_spans(&points, &evidence->symbol_ranges) || !add_inlinees(&points, &evidence->tree) ||
	    !add_rows(&points, &evidence->lines) || !add_executable_code(&points, evidence->program)) {
		free(points.list);
		return false;
	}
	*ret = points.list;
	*ret_count = sort_unique(points.list, points.count);
	return true;
}
