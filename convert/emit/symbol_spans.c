/* Symbols are walked by address with a stack of those that are open. Where they overlap, the last to start answers. */
#include "convert/emit/symbol_spans.h"

#include <stdlib.h>

/* While symbols are laid out: those that are open, the last opened on top. */
struct open_symbols {
	struct symbol_span *stack;
	size_t depth;
};

static void add_span(struct symbol_spans *spans, uint64_t start, uint64_t end, uint32_t symbol)
{
	if (start < end)
		spans->spans[spans->count++] = (struct symbol_span){start, end, symbol};
}

/*
 * Closes the symbols that end at or below `addr`. The addresses from *from up to there go to whichever symbol was open
 * on top.
 */
static void close_symbols(struct symbol_spans *spans, struct open_symbols *open, uint64_t *from, uint64_t addr)
{
	while (open->depth) {
		const struct symbol_span *top = &open->stack[open->depth - 1];
		uint64_t end = top->end < addr ? top->end : addr;
		add_span(spans, *from, end, top->symbol);
		*from = end > *from ? end : *from;
		if (top->end > addr)
			break;
		open->depth--;
	}
}

/* RULES E2: a sized symbol ends where it says; an unsized one at the next symbol or with its section. */
static uint64_t symbol_end(const struct symbols *symbols, size_t index, size_t next, const struct exec_range *exec)
{
	const struct symbol *symbol = &symbols->symbols[index];
	uint64_t end = exec->end;
	if (symbol->size)
		return symbol->size < end - symbol->addr ? symbol->addr + symbol->size : end;
	if (symbol->dynamic)
		return symbol->addr + 1;
	return next < symbols->count && symbols->symbols[next].addr < end ? symbols->symbols[next].addr : end;
}

bool symbol_spans_init(struct symbol_spans *spans, const struct symbols *symbols, const struct elf_file *program)
{
	size_t count = symbols->count;
	struct open_symbols open = {malloc((count + 1) * sizeof(*open.stack)), 0};
	uint64_t from = 0;
	*spans = (struct symbol_spans){.spans = malloc((2 * count + 1) * sizeof(*spans->spans))};
	if (!open.stack || !spans->spans) {
		free(open.stack);
		symbol_spans_done(spans);
		return false;
	}

	for (size_t i = 0, next; i < count; i = next) {
		const struct symbol *symbol = &symbols->symbols[i];
		const struct exec_range *exec = elf_file_exec(program, symbol->addr);
		for (next = i + 1; next < count && symbols->symbols[next].addr == symbol->addr;)
			next++;
		close_symbols(spans, &open, &from, symbol->addr);
		from = symbol->addr;
		open.stack[open.depth++] =
			(struct symbol_span){symbol->addr, symbol_end(symbols, i, next, exec), (uint32_t)i};
	}

	close_symbols(spans, &open, &from, UINT64_MAX);
	free(open.stack);
	return true;
}

void symbol_spans_done(struct symbol_spans *spans)
{
	free(spans->spans);
	*spans = (struct symbol_spans){0};
}

const struct symbol_span *symbol_spans_next(struct symbol_spans *spans, uint64_t addr)
{
	while (spans->next && spans->spans[spans->next - 1].end > addr)
		spans->next--;
	while (spans->next < spans->count && spans->spans[spans->next].end <= addr)
		spans->next++;
	return spans->next < spans->count ? &spans->spans[spans->next] : NULL;
}

uint64_t symbol_spans_bound(struct symbol_spans *spans, uint64_t addr)
{
	const struct symbol_span *span = symbol_spans_next(spans, addr);
	if (span && span->start <= addr)
		return span->start;
	return spans->next ? spans->spans[spans->next - 1].end : 0;
}
