/* Rows that say the same are one, and padding is what one of them covers between two functions of its table. */
#include "convert/cross_check/padding.h"

#include <string.h>

#include "base/budget.h"

/* Addresses [start, end) of neighbouring rows that say the same. */
struct run {
	uint64_t start;
	uint64_t end;
};

static bool say_the_same(const struct plain_row *a, const struct plain_row *b, bool has_columns)
{
	return a->file == b->file && a->line == b->line && (!has_columns || a->column == b->column);
}

/* Where a sequence ends, or the code that it begins in (RULES A1). */
static uint64_t sequence_end(const struct evidence *evidence, const struct plain_sequence *sequence)
{
	const struct exec_range *exec = elf_file_exec(evidence->program, sequence->start);
	return exec && exec->end < sequence->end ? exec->end : sequence->end;
}

/* The run that the row is in; none goes on behind the end of its sequence, which is `last`. */
static struct run run_of(const struct plain_rows *rows, const struct table_row *row, uint64_t last, bool has_columns)
{
	const struct plain_sequence *sequence = &rows->sequences[row->sequence];
	uint32_t first = row->index, end = row->index + 1, row_end = sequence->first + sequence->count;
	while (first > sequence->first && say_the_same(&rows->rows[first - 1], &row->row, has_columns))
		first--;
	while (end < row_end && say_the_same(&rows->rows[end], &row->row, has_columns))
		end++;
	budget_spend(end - first);
	return (struct run){rows->rows[first].addr,
			    end < row_end && rows->rows[end].addr < last ? rows->rows[end].addr : last};
}

/* Whether the part is of a function whose unit refers to the table. */
static bool is_of_table(const struct evidence *evidence, const struct span *part, uint32_t table)
{
	const struct tree_unit *unit = &evidence->tree.units[evidence->tree.functions[part->item].unit];
	return unit->line_offset == evidence->lines.tables[table].offset;
}

/* Where the last function of the table ends that ends in (after, addr]; 0: none does. */
static uint64_t end_before(struct evidence *evidence, uint32_t table, uint64_t after, uint64_t addr)
{
	const struct span_index *parts = &evidence->tree.parts;
	uint64_t end = 0;
	for (uint32_t i = span_index_count_below(parts, addr); i-- > 0 && parts->spans[i].reach > after;) {
		const struct span *part = &parts->spans[i];
		if (!budget_count(&evidence->tree.uncounted, 1))
			return 0;
		if (part->end > after && part->end <= addr && part->end > end && is_of_table(evidence, part, table))
			end = part->end;
	}
	return end;
}

/* Where the first function of the table starts that starts in (addr, last]; 0: none does. */
static uint64_t start_behind(struct evidence *evidence, uint32_t table, uint64_t addr, uint64_t last)
{
	const struct span_index *parts = &evidence->tree.parts;
	for (uint32_t i = span_index_count_below(parts, addr); i < parts->count && parts->spans[i].start <= last; i++) {
		if (!budget_count(&evidence->tree.uncounted, 1))
			return 0;
		if (is_of_table(evidence, &parts->spans[i], table))
			return parts->spans[i].start;
	}
	return 0;
}

/*
 * Thunks of C++ (Itanium C++ ABI, 5.1.4) and of D. They have no row of their own, or one that says what the function's
 * last does: they are of its source.
 */
static bool is_thunk(const char *name)
{
	return (strncmp(name, "_ZT", 3) == 0 && name[3] && strchr("hvc", name[3])) ||
	       (strncmp(name, "_DT", 3) == 0 && name[3] && strchr("ih", name[3]));
}

bool padding_check(struct evidence *evidence, const struct table_row *row, const struct symbol *symbol,
		   const struct locus_claim *claim, bool *ret)
{
	const uint64_t addr = claim->address;
	*ret = false;
	const struct kept_table *kept = line_tables_get(&evidence->lines, row->table);
	if (!kept)
		return false;
	if (is_thunk(symbol->name))
		return true;

	/*
	 * The padding begins where a function ends behind which the row runs on, and ends where the table's next
	 * function or row begins. What the row covers up to the end of its sequence is no padding, but code of its own.
	 */
	const uint64_t last = sequence_end(evidence, &kept->rows.sequences[row->sequence]);
	const struct run run = run_of(&kept->rows, row, last, claim->has_columns);
	uint64_t start = end_before(evidence, row->table, run.start, addr);
	uint64_t function = start_behind(evidence, row->table, addr, run.end), end = function ? function : run.end;
	if (!start || end == last)
		return true;

	/*
	 * The symbol starts in the padding and has all of it from there on, and no function of another table begins in
	 * that. Where a row follows, the symbol ends before it: otherwise the row may be the symbol's own.
	 */
	*ret = symbol->addr >= start && evidence_symbol_at(evidence, end - 1) == symbol &&
	       (function || evidence_symbol_at(evidence, end) != symbol) &&
	       span_index_below(&evidence->tree.parts, end - 1)->start <= addr;
	return true;
}
