/*
 * Two search trees hold the tables, by what determines their content. A unit has shallow copies; the tables live as
 * long as the file.
 */
#include "convert/dwarf/unit_tables.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/order.h"

struct shared_abbrevs {
	const uint8_t *bytes;
	struct form_sizes sizes;
	struct abbrev_table table;
};

struct shared_files {
	uint64_t offset;
	uint64_t str_offsets_base; /* the base of DW_FORM_strx */
	uint8_t address_size;
	const char *comp_dir; /* borrowed; "": none */
	struct line_header lines;
	_Atomic uint32_t *ids;
};

struct unit_tables {
	void *abbrevs; /* tsearch trees */
	void *files;
};

static int compare_abbrevs(const void *x, const void *y)
{
	const struct shared_abbrevs *a = x, *b = y;
	int order = order_of((uintptr_t)a->bytes, (uintptr_t)b->bytes);
	return order ? order : memcmp(&a->sizes, &b->sizes, sizeof(a->sizes));
}

static int compare_files(const void *x, const void *y)
{
	const struct shared_files *a = x, *b = y;
	int order = order_of(a->offset, b->offset);
	if (!order)
		order = order_of(a->str_offsets_base, b->str_offsets_base);
	if (!order)
		order = order_of(a->address_size, b->address_size);
	return order || a->comp_dir == b->comp_dir ? order : strcmp(a->comp_dir, b->comp_dir);
}

static struct shared_files files_key(const struct unit *unit)
{
	return (struct shared_files){
		.offset = unit->stmt_list,
		.str_offsets_base = unit->str_offsets_base,
		.address_size = unit->sizes.address,
		.comp_dir = unit->comp_dir ? unit->comp_dir : "",
	};
}

static struct unit_tables *tables_of(struct dwarf *dwarf)
{
	if (!dwarf->tables)
		dwarf->tables = calloc(1, sizeof(*dwarf->tables));
	return dwarf->tables;
}

static void lend_abbrevs(const struct shared_abbrevs *shared, struct unit *unit)
{
	unit->abbrevs = shared->table;
	unit->abbrevs.own = (struct abbrev_store){0};
}

bool unit_tables_find_abbrevs(struct unit *unit, const uint8_t *bytes)
{
	const struct shared_abbrevs key = {.bytes = bytes, .sizes = unit->sizes};
	struct unit_tables *tables = tables_of(unit->dwarf);
	struct shared_abbrevs **found = tables ? tfind(&key, &tables->abbrevs, compare_abbrevs) : NULL;
	if (found)
		lend_abbrevs(*found, unit);
	return found != NULL;
}

bool unit_tables_keep_abbrevs(struct unit *unit, const uint8_t *bytes)
{
	struct unit_tables *tables = tables_of(unit->dwarf);
	struct shared_abbrevs *shared = calloc(1, sizeof(*shared));
	if (!tables || !shared) {
		free(shared);
		return false;
	}
	*shared = (struct shared_abbrevs){bytes, unit->sizes, unit->abbrevs};
	if (!tsearch(shared, &tables->abbrevs, compare_abbrevs)) {
		free(shared);
		return false;
	}
	lend_abbrevs(shared, unit);
	return true;
}

static void lend_files(const struct shared_files *shared, struct unit *unit)
{
	unit->lines = shared->lines;
	unit->file_ids = shared->ids;
	unit->file_id_count = shared->lines.file_count;
	unit->files_are_lent = true;
}

bool unit_tables_find_files(struct unit *unit)
{
	const struct shared_files key = files_key(unit);
	struct unit_tables *tables = tables_of(unit->dwarf);
	/* Directories may begin alike for megabytes. Beyond the budget the conversion fails, whatever is found here. */
	budget_spend(strlen(key.comp_dir) / BUDGET_BYTES_PER_STEP);
	struct shared_files **found = tables ? tfind(&key, &tables->files, compare_files) : NULL;
	if (found)
		lend_files(*found, unit);
	return found != NULL;
}

bool unit_tables_keep_files(struct unit *unit)
{
	struct unit_tables *tables = tables_of(unit->dwarf);
	struct shared_files *shared = calloc(1, sizeof(*shared));
	if (!tables || !shared) {
		free(shared);
		return false;
	}

	*shared = files_key(unit);
	shared->lines = unit->lines;
	shared->ids = unit->file_ids;
	if (!tsearch(shared, &tables->files, compare_files)) {
		free(shared);
		return false;
	}
	lend_files(shared, unit);
	return true;
}

static void free_abbrevs(void *node)
{
	struct shared_abbrevs *shared = node;
	abbrev_table_done(&shared->table);
	free(shared);
}

static void free_files(void *node)
{
	struct shared_files *shared = node;
	line_header_done(&shared->lines);
	free((void *)shared->ids);
	free(shared);
}

void unit_tables_free(struct unit_tables *tables)
{
	if (!tables)
		return;
	tdestroy(tables->abbrevs, free_abbrevs);
	tdestroy(tables->files, free_files);
	free(tables);
}
