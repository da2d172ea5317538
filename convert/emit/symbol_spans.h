/* Which symbol answers for which addresses, where DWARF does not (RULES E2). */
#ifndef LOCUS_SYMBOL_SPANS_H
#define LOCUS_SYMBOL_SPANS_H

#include "convert/elf/elf.h"
#include "convert/symbols/symbols.h"

/* Addresses [start, end) that one symbol answers for. */
struct symbol_span {
	uint64_t start;
	uint64_t end;
	uint32_t symbol; /* index into the symbols */
};

struct symbol_spans {
	struct symbol_span *spans; /* sorted, disjoint */
	size_t count;
	size_t next; /* where symbol_spans_next looks first */
};

/* Lays the symbols of `program` out; freed by symbol_spans_done. False: out of memory. */
bool symbol_spans_init(struct symbol_spans *spans, const struct symbols *symbols, const struct elf_file *program);
void symbol_spans_done(struct symbol_spans *spans);

/* The first span that ends above `addr`; NULL: none. Fast where `addr` is near the one asked for before. */
const struct symbol_span *symbol_spans_next(struct symbol_spans *spans, uint64_t addr);

/* The last place at or below `addr` where a span begins or ends; 0: there is none. Fast where symbol_spans_next is. */
uint64_t symbol_spans_bound(struct symbol_spans *spans, uint64_t addr);

#endif
