/* Line tables are run twice: once for the addresses of their sequences, and again when their rows are asked for. */
#include "convert/cross_check/line_tables.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/binary_search.h"

enum { TABLES_MAX = 4096 }; /* with rows at one address */

uint32_t line_tables_find(const struct line_tables *tables, uint64_t offset)
{
	uint32_t at;
	SEARCH_FIRST(at, 0, tables->count, tables->tables[at].offset >= offset);
	return at < tables->count && tables->tables[at].offset == offset ? at : UINT32_MAX;
}

/* Finds .debug_line, which libdw has inflated if it was compressed. */
static void find_bytes(struct line_tables *tables)
{
	size_t names;
	Elf *elf = dwarf_getelf(tables->dwarf);
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	tables->bytes.swap = tables->program->swap;
	tables->bytes.addr_size = tables->program->class == ELFCLASS64 ? 8 : 4;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return;

	while ((scn = elf_nextscn(elf, scn))) {
		const char *name = gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;
		bool is_it = name && (strcmp(name, ".debug_line") == 0 || strcmp(name, ".zdebug_line") == 0);
		Elf_Data *data = is_it && shdr.sh_type != SHT_NOBITS ? elf_getdata(scn, NULL) : NULL;
		if (data && data->d_buf) {
			tables->bytes.data = data->d_buf;
			tables->bytes.size = data->d_size;
		}
	}
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

bool line_tables_read(struct line_tables *tables, Dwarf *dwarf, const struct tree *tree, const struct elf_file *program)
{
	struct plain_rows rows = {0};
	bool memory = true, is_known;
	tables->dwarf = dwarf;
	tables->program = program;
	for (unsigned i = 0; i < LINE_TABLES_KEPT; i++)
		tables->kept[i].table = UINT32_MAX;
	find_bytes(tables);

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

bool line_tables_rows_of(struct line_tables *tables, uint32_t table, uint64_t addr, struct table_rows *rows)
{
	const struct span *spans[LINE_TABLES_ROWS_MAX];
	const struct kept_table *kept = line_tables_get(tables, table);
	uint32_t found = kept ? span_index_find(&kept->sequences, addr, spans, LINE_TABLES_ROWS_MAX) : 0;
	for (uint32_t i = 0; i < found && rows->count < LINE_TABLES_ROWS_MAX; i++) {
		const struct plain_sequence *sequence = &kept->rows.sequences[spans[i]->item];
		const struct plain_row *row = plain_rows_find(&kept->rows, sequence, addr);
		bool is_code = elf_file_exec(tables->program, sequence->start) == elf_file_exec(tables->program, addr);
		if (row && is_code)
			rows->rows[rows->count++] = (struct table_row){
				.row = *row,
				.table = table,
				.sequence = spans[i]->item,
				.index = (uint32_t)(row - kept->rows.rows),
			};
	}
	return kept != NULL;
}

bool line_tables_rows_at(struct line_tables *tables, uint64_t addr, struct table_rows *rows)
{
	const struct span *spans[TABLES_MAX];
	uint32_t found = span_index_find(&tables->sequences, addr, spans, TABLES_MAX);
	bool memory = true;
	while (memory && found-- > 0 && rows->count < LINE_TABLES_ROWS_MAX) {
		bool is_new = true;
		for (uint32_t i = 0; i < rows->count; i++)
			is_new &= rows->rows[i].table != spans[found]->item;
		memory = !is_new || line_tables_rows_of(tables, spans[found]->item, addr, rows);
	}
	return memory;
}
