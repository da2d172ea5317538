/* Which units have a table is kept by unit, so that one walk over all pieces finds what the functions of each cover. */
#include "convert/schedule/shared_tables.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/mix64.h"
#include "convert/dwarf/unit_open.h"

/* Nearly every unit has one, so it is small. */
struct table_claim {
	uint64_t offset;
	uint64_t str_offsets_base;
	uint64_t directory_hash;
	uint32_t first_unit;
	uint32_t shared; /* the index of its struct shared_table, + 1; 0: one unit has the table */
};

struct shared_table {
	char *comp_dir;            /* NULL: none */
	struct range_list covered; /* by functions of its units */
};

void shared_tables_init(struct shared_tables *tables)
{
	*tables = (struct shared_tables){0};
	short_lock_init(&tables->lock);
}

void shared_tables_done(struct shared_tables *tables)
{
	for (uint32_t i = 0; i < tables->shared_count; i++) {
		free(tables->shared[i].comp_dir);
		range_list_done(&tables->shared[i].covered);
	}
	free(tables->claims);
	free(tables->shared);
	free(tables->by_unit);
	hash_slots_done(&tables->slots);
	short_lock_done(&tables->lock);
}

static bool same_table(const struct table_claim *a, const struct table_claim *b)
{
	return a->offset == b->offset && a->str_offsets_base == b->str_offsets_base &&
	       a->directory_hash == b->directory_hash;
}

/* Finds the claim, or adds it. NULL: out of memory. The caller has the lock. */
static struct table_claim *find_claim(struct shared_tables *tables, const struct table_claim *claim, bool *ret_is_new)
{
	uint32_t hash = (uint32_t)mix64(claim->offset ^ claim->directory_hash);
	uint32_t at;
	if (!hash_slots_reserve(&tables->slots, tables->count) ||
	    !array_reserve(&tables->claims, &tables->room, tables->count + UINT64_C(1), sizeof(*tables->claims)))
		return NULL;
	HASH_SLOTS_FIND(at, &tables->slots, hash,
			same_table(&tables->claims[tables->slots.slots[at].index - 1], claim));
	*ret_is_new = !tables->slots.slots[at].index;
	if (*ret_is_new) {
		tables->claims[tables->count++] = *claim;
		tables->slots.slots[at] = (struct hash_slot){hash, tables->count};
	}
	return &tables->claims[tables->slots.slots[at].index - 1];
}

/* Makes a shared table of the claim, for another unit than the first. False: out of memory. */
static bool share(struct shared_tables *tables, struct table_claim *claim, const struct unit *unit)
{
	if (claim->shared)
		return true;
	if (!array_reserve(&tables->shared, &tables->shared_room, tables->shared_count + UINT64_C(1),
			   sizeof(*tables->shared)))
		return false;

	/* The directory of the unit before may be gone from memory; this one is the same. */
	struct shared_table made = {.comp_dir = unit->comp_dir ? strdup(unit->comp_dir) : NULL};
	if (unit->comp_dir && !made.comp_dir)
		return false;
	tables->shared[tables->shared_count++] = made;
	claim->shared = tables->shared_count;
	return true;
}

/* Notes that the unit has the table of the claim. The caller has the lock. */
static bool add_unit(struct shared_tables *tables, struct table_claim *claim, uint32_t unit_index)
{
	if (!array_reserve(&tables->by_unit, &tables->unit_room, unit_index + UINT64_C(1), sizeof(*tables->by_unit)))
		return false;
	while (tables->unit_count <= unit_index)
		tables->by_unit[tables->unit_count++] = 0;
	tables->by_unit[unit_index] = (uint32_t)(claim - tables->claims) + 1;
	if (unit_index < claim->first_unit)
		claim->first_unit = unit_index;
	return true;
}

bool shared_tables_claim(struct shared_tables *tables, const struct unit *unit, uint32_t unit_index, bool *ret_is_first)
{
	const char *directory = unit->comp_dir ? unit->comp_dir : "";
	const struct table_claim made = {
		.offset = unit->stmt_list,
		.str_offsets_base = unit->str_offsets_base,
		.directory_hash = XXH3_64bits_withSeed(directory, strlen(directory), hash_seed(tables)),
		.first_unit = unit_index,
	};
	short_lock_take(&tables->lock);
	struct table_claim *claim = find_claim(tables, &made, ret_is_first);
	bool memory = claim && add_unit(tables, claim, unit_index) && (*ret_is_first || share(tables, claim, unit));
	short_lock_release(&tables->lock);
	return memory;
}

/* The table of the piece's unit, if other units have it, too; else NULL. */
static struct shared_table *shared_table_of(struct shared_tables *tables, const struct piece *piece)
{
	const uint32_t unit = piece->function->unit_index;
	const uint32_t claim = unit < tables->unit_count ? tables->by_unit[unit] : 0;
	const uint32_t shared = claim ? tables->claims[claim - 1].shared : 0;
	return shared ? &tables->shared[shared - 1] : NULL;
}

/* Drops the pieces without a function of units that share their table, and notes what the others cover of each. */
static bool cover(struct shared_tables *tables, struct unit_results *results)
{
	uint32_t kept = 0;
	bool memory = true;
	for (uint32_t i = 0; memory && i < results->piece_count; i++) {
		const struct piece *piece = &results->pieces[i];
		struct shared_table *table = shared_table_of(tables, piece);
		if (table && piece->is_function)
			memory = range_list_add(&table->covered, piece->start, piece_end(piece));
		if (!table || piece->is_function)
			results->pieces[kept++] = *piece;
	}
	if (memory)
		results->piece_count = kept;
	return memory;
}

/* Makes pieces of what is not covered. `unit` is zeroed, or was used for another table. */
static enum locus_status read_rest(const struct table_claim *claim, struct shared_table *table, struct unit *unit,
				   struct unit_reader *reader, struct locus_error *error)
{
	struct unit_result *result;
	unit->comp_dir = table->comp_dir;
	unit->str_offsets_base = claim->str_offsets_base;
	enum locus_status status = unit_open_lines(unit, claim->offset, error);
	if (status != LOCUS_OK)
		return status == LOCUS_ERR_UNSUPPORTED ? LOCUS_OK : status;
	range_list_done(&reader->sum.covered);
	reader->sum.covered = table->covered;
	table->covered = (struct range_list){0};
	return unit_reader_read_lines(reader, unit, claim->first_unit, &result, error);
}

enum locus_status shared_tables_read(struct shared_tables *tables, struct dwarf *dwarf, struct shared *shared,
				     struct unit_results *results, struct locus_error *error)
{
	if (!tables->shared_count)
		return LOCUS_OK;
	if (!cover(tables, results))
		return locus_fail_memory(error);

	/* What readers of units have given back is needed again. */
	enum locus_status status = section_keep_all(dwarf_section(dwarf, DEBUG_LINE), error);
	if (status == LOCUS_OK)
		status = dwarf_prepare_section(dwarf, DEBUG_LINE, error);
	struct unit unit = {.dwarf = dwarf, .sizes.address = dwarf->file->class == ELFCLASS64 ? 8 : 4};
	struct unit_reader reader;
	unit_reader_init(&reader, shared);
	for (uint32_t i = 0; i < tables->count && status == LOCUS_OK; i++) {
		const struct table_claim *claim = &tables->claims[i];
		if (claim->shared)
			status = read_rest(claim, &tables->shared[claim->shared - 1], &unit, &reader, error);
	}

	/* What is dropped of the tables was counted when the units were read. */
	memset(reader.dropped, 0, sizeof(reader.dropped));
	if (status == LOCUS_OK)
		status = unit_results_collect(results, &reader, error);
	unit_reader_done(&reader);
	unit_done(&unit);
	return status;
}
