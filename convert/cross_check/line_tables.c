/* Line tables are run twice: once for the addresses of their sequences, and again when their rows are asked for. */
#include "convert/cross_check/line_tables.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/budget.h"

uint32_t line_tables_find(const struct line_tables *tables, uint64_t offset)
{
	uint32_t at;
	SEARCH_FIRST(at, 0, tables->count, tables->tables[at].offset >= offset);
	return at < tables->count && tables->tables[at].offset == offset ? at : UINT32_MAX;
}

/* RULES A1: a sequence counts where it begins in executable code, up to the end of that. */
static bool add_sequences(struct line_tables *tables, const struct plain_rows *rows, uint32_t table)
{
	bool memory = true;
	for (uint32_t i = 0; memory && i < rows->sequence_count; i++) {
		const struct plain_sequence *sequence = &rows->sequences[i];
		const struct exec_range *exec = elf_file_exec(tables->program, sequence->start);
		uint64_t end = exec && exec->end < sequence->end ? exec->end : sequence->end;
		if (exec)
			memory = span_index_add(&tables->sequences, sequence->start, end, table);
	}
	return memory;
}

bool line_tables_read(struct line_tables *tables, const struct dwarf_sections *sections, const struct tree *tree,
		      const struct elf_file *program)
{
	struct plain_rows rows = {0};
	bool memory = true, is_known;
	tables->sections = sections;
	tables->program = program;
	for (unsigned i = 0; i < LINE_TABLES_KEPT; i++)
		tables->kept[i].table = UINT32_MAX;
	tables->bytes = (struct line_bytes){
		.data = sections->of[DEBUG_LINE].data,
		.size = sections->of[DEBUG_LINE].size,
		.swap = sections->swap,
		.addr_size = program->class == ELFCLASS64 ? 8 : 4,
		.mode_bit = elf_file_mode_bit(program),
	};

	for (uint64_t at = 0, next; memory && at < tables->bytes.size; at = next) {
		memory = plain_rows_read(&rows, &tables->bytes, at, &next, &is_known) &&
			 array_reserve(&tables->tables, &tables->room, tables->count + UINT64_C(1),
				       sizeof(*tables->tables));
		if (memory) {
			tables->tables[tables->count] = (struct table_place){.offset = at, .unit = UINT32_MAX};
			memory = add_sequences(tables, &rows, tables->count++);
		}
	}
	plain_rows_done(&rows);

	/* Several units may share a table: walking them backwards leaves the first one. */
	for (uint32_t i = tree->unit_count; i-- > 0;) {
		uint32_t table = line_tables_find(tables, tree->units[i].line_offset);
		if (table != UINT32_MAX)
			tables->tables[table].unit = i;
	}
	span_index_sort(&tables->sequences);
	return memory;
}

void line_tables_done(struct line_tables *tables)
{
	for (unsigned i = 0; i < LINE_TABLES_KEPT; i++) {
		plain_rows_done(&tables->kept[i].rows);
		span_index_done(&tables->kept[i].sequences);
	}
	span_index_done(&tables->sequences);
	for (uint32_t i = 0; i < tables->count; i++)
		plain_files_done(&tables->tables[i].files);
	free(tables->tables);
	*tables = (struct line_tables){0};
}

/* Runs the program of kept->table. False: out of memory. */
static bool load_rows(const struct line_tables *tables, struct kept_table *kept)
{
	uint64_t next;
	bool is_known;
	kept->sequences.count = 0;
	bool memory =
		plain_rows_read(&kept->rows, &tables->bytes, tables->tables[kept->table].offset, &next, &is_known);
	for (uint32_t i = 0; memory && i < kept->rows.sequence_count; i++)
		memory =
			span_index_add(&kept->sequences, kept->rows.sequences[i].start, kept->rows.sequences[i].end, i);
	span_index_sort(&kept->sequences);
	return memory;
}

const struct kept_table *line_tables_get(struct line_tables *tables, uint32_t table)
{
	struct kept_table *oldest = &tables->kept[0];
	for (unsigned i = 0; i < LINE_TABLES_KEPT; i++) {
		struct kept_table *kept = &tables->kept[i];
		if (kept->table == table) {
			kept->used = ++tables->question_count;
			return kept;
		}
		if (kept->used < oldest->used)
			oldest = kept;
	}
	oldest->table = table;
	oldest->used = ++tables->question_count;
	return load_rows(tables, oldest) ? oldest : NULL;
}

/* Files stand in the header, and the program may define more (DW_LNE_define_file): so it is run for them, too. */
static bool load_files(struct line_tables *tables, uint32_t table, struct plain_files *files)
{
	struct plain_header header;
	uint64_t next;
	const struct kept_table *kept = line_tables_get(tables, table);
	if (!kept || !plain_header_read(&tables->bytes, tables->tables[table].offset, &header, &next))
		return kept != NULL;
	bool memory = plain_files_read(files, &header, tables->sections);
	for (uint32_t i = 0; memory && i < kept->rows.defined_count; i++)
		memory = plain_files_add(files, kept->rows.defined[i].name, kept->rows.defined[i].directory);
	return memory;
}

const struct plain_files *line_tables_files(struct line_tables *tables, uint32_t table)
{
	struct table_place *place = &tables->tables[table];
	if (!place->has_files && !load_files(tables, table, &place->files))
		return NULL;
	place->has_files = true;
	return &place->files;
}

static bool add_row(struct table_rows *rows, const struct table_row *row)
{
	if (!array_reserve(&rows->rows, &rows->room, rows->count + UINT64_C(1), sizeof(*rows->rows)))
		return false;
	rows->rows[rows->count++] = *row;
	return true;
}

bool line_tables_rows_of(struct line_tables *tables, uint32_t table, uint64_t addr, struct table_rows *rows)
{
	const struct kept_table *kept = line_tables_get(tables, table);
	const struct exec_range *exec = elf_file_exec(tables->program, addr);
	if (!kept)
		return false;
	const struct span *spans = kept->sequences.spans;
	for (uint32_t i = span_index_count_below(&kept->sequences, addr); i-- > 0 && spans[i].reach > addr;) {
		const struct plain_sequence *sequence = &kept->rows.sequences[spans[i].item];
		const struct plain_row *row = plain_rows_find(&kept->rows, sequence, addr);
		bool is_code = elf_file_exec(tables->program, sequence->start) == exec;
		struct table_row found = {.table = table, .sequence = spans[i].item};
		if (!budget_spend(1))
			return false;
		if (!row || !is_code)
			continue;
		found.row = *row;
		found.index = (uint32_t)(row - kept->rows.rows);
		if (!add_row(rows, &found))
			return false;
	}
	return true;
}

bool line_tables_rows_at(struct line_tables *tables, uint64_t addr, struct table_rows *rows)
{
	const struct span *spans = tables->sequences.spans;
	const uint64_t question = ++tables->question_count;
	for (uint32_t i = span_index_count_below(&tables->sequences, addr); i-- > 0 && spans[i].reach > addr;) {
		struct table_place *place = &tables->tables[spans[i].item];
		bool is_asked = spans[i].end > addr && place->asked_at != question;
		if (is_asked)
			place->asked_at = question;
		if (!budget_spend(1) || (is_asked && !line_tables_rows_of(tables, spans[i].item, addr, rows)))
			return false;
	}
	return true;
}

void table_rows_done(struct table_rows *rows)
{
	free(rows->rows);
	*rows = (struct table_rows){0};
}
