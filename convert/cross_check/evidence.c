/* Reads what the cross-check answers from. */
#include "convert/cross_check/evidence.h"

#include <stdlib.h>

#include "base/budget.h"
#include "base/fail.h"

/* RULES E2: what each symbol names. Of several at one address the first counts. False: out of memory. */
static bool lay_out_symbols(struct evidence *evidence)
{
	const struct symbols *symbols = &evidence->symbols;
	bool memory = true;
	for (size_t i = 0, next; memory && i < symbols->count; i = next) {
		const struct symbol *symbol = &symbols->symbols[i];
		const struct exec_range *exec = elf_file_exec(evidence->program, symbol->addr);
		for (next = i + 1; next < symbols->count && symbols->symbols[next].addr == symbol->addr;)
			next++;

		/* One without a size goes on to the next symbol; a dynamic one names its start alone. */
		uint64_t end = exec->end;
		if (symbol->size)
			end = symbol->size < end - symbol->addr ? symbol->addr + symbol->size : end;
		else if (symbol->dynamic)
			end = symbol->addr + 1;
		else if (next < symbols->count && symbols->symbols[next].addr < end)
			end = symbols->symbols[next].addr;
		memory = span_index_add(&evidence->symbol_ranges, symbol->addr, end, (uint32_t)i);
	}
	span_index_sort(&evidence->symbol_ranges);
	return memory;
}

enum locus_status evidence_read(struct evidence *evidence, struct locus_error *error)
{
	if (!lay_out_symbols(evidence))
		return locus_fail_memory(error);
	evidence->names.scopes.loads = evidence->loads;
	if (!evidence->debug)
		return LOCUS_OK;
	budget_at("entries", NULL, ".debug_info", 0);
	enum locus_status status = tree_read(&evidence->tree, evidence->debug, evidence->program, error);
	budget_at("rows", NULL, ".debug_line", 0);
	if (status == LOCUS_OK &&
	    !line_tables_read(&evidence->lines, &evidence->debug->sections, &evidence->tree, evidence->program))
		status = locus_fail_memory(error);
	return status;
}

void evidence_done(struct evidence *evidence)
{
	table_rows_done(&evidence->rows);
	dwarf_name_cache_done(&evidence->names);
	placed_parts_done(&evidence->placed);
	free(evidence->has_dropped);
	line_tables_done(&evidence->lines);
	tree_done(&evidence->tree);
	span_index_done(&evidence->symbol_ranges);
}

const struct symbol *evidence_symbol_at(const struct evidence *evidence, uint64_t addr)
{
	const struct span *span;
	if (!span_index_find(&evidence->symbol_ranges, addr, &span, 1))
		return NULL;
	const struct symbol *symbol = &evidence->symbols.symbols[span->item];
	/* A symbol without a size ends where the next function begins (RULES E2). */
	const struct span *function = span_index_below(&evidence->tree.parts, addr);
	return !symbol->size && function && function->start > symbol->addr ? NULL : symbol;
}
