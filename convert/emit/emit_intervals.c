/*
 * Emission. Each window, which is an executable range where all addresses are asked for, is walked once: where a merged
 * slice answers, its piece's intervals are cut to it; where none does, a symbol does (RULES E3), or nothing. Functions
 * that lost, and the other names of those that won, become alternates (RULES C7, D6); they are numbered after all that
 * is the primary answer somewhere.
 */
#include "convert/emit/emit_intervals.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/fail.h"
#include "base/sort.h"
#include "convert/unit/packed_intervals.h"

/* Addresses that one symbol answers for, if DWARF does not (RULES E2). */
struct symbol_span {
	uint64_t start;
	uint64_t end;
	uint32_t symbol;
};

struct symbol_spans {
	struct symbol_span *spans; /* sorted, disjoint */
	size_t count;
	size_t next;             /* the first that may end above where the walk is */
	uint64_t function_start; /* of the last DWARF function the walk has passed */
};

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

/* Closes what ends at or below `addr`, and gives what is on top the addresses from *from up to it. */
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
static uint64_t symbol_end(const struct emission *e, size_t index, size_t next, const struct exec_range *exec)
{
	const struct symbol *symbol = &e->symbols->symbols[index];
	uint64_t end = exec->end;
	if (symbol->size)
		return symbol->size < end - symbol->addr ? symbol->addr + symbol->size : end;
	if (symbol->dynamic)
		return symbol->addr + 1;
	return next < e->symbols->count && e->symbols->symbols[next].addr < end ? e->symbols->symbols[next].addr : end;
}

/* Lays the symbols out. Where they overlap, the one that starts last answers. */
static bool lay_out_symbols(const struct emission *e, struct symbol_spans *ret)
{
	size_t count = e->symbols->count;
	struct open_symbols open = {malloc((count + 1) * sizeof(*open.stack)), 0};
	struct symbol_spans spans = {.spans = malloc((2 * count + 1) * sizeof(*spans.spans))};
	uint64_t from = 0;
	if (!open.stack || !spans.spans) {
		free(open.stack);
		free(spans.spans);
		return false;
	}
	for (size_t i = 0, next; i < count; i = next) {
		const struct symbol *symbol = &e->symbols->symbols[i];
		const struct exec_range *exec = elf_file_exec(e->linked, symbol->addr);
		for (next = i + 1; next < count && e->symbols->symbols[next].addr == symbol->addr;)
			next++;
		close_symbols(&spans, &open, &from, symbol->addr);
		from = symbol->addr;
		open.stack[open.depth++] =
			(struct symbol_span){symbol->addr, symbol_end(e, i, next, exec), (uint32_t)i};
	}
	close_symbols(&spans, &open, &from, UINT64_MAX);
	free(open.stack);
	*ret = spans;
	return true;
}

static bool add_alternate(struct emission *e, uint64_t start, uint64_t size, uint32_t function, uint8_t kind)
{
	if (!array_reserve(&e->alternates, &e->alternate_room, e->alternate_count + UINT64_C(1),
			   sizeof(*e->alternates)))
		return false;
	e->alternates[e->alternate_count++] = (struct locus_alternate){start, size, function, kind};
	return true;
}

static struct part part_of(const struct piece *piece)
{
	return (struct part){
		.start = piece->start,
		.kind = piece->is_entry || !piece->is_function ? LOCUS_PART_ENTRY : LOCUS_PART_OTHER,
		.contexts = piece->contexts,
		.call_columns = piece_call_columns(piece),
		.context_count = piece->context_count,
	};
}

static enum locus_coverage coverage_of(const struct interval *interval, bool inlined)
{
	if (interval->line)
		return inlined ? LOCUS_COVERAGE_INLINE : LOCUS_COVERAGE_LINE;
	return interval->file ? LOCUS_COVERAGE_LINE_ZERO : LOCUS_COVERAGE_FUNCTION;
}

/* The piece's intervals in [start, end), in the part that was begun. */
static enum locus_status emit_piece(struct emission *e, const struct piece *piece, uint64_t start, uint64_t end,
				    struct locus_error *error)
{
	uint32_t offset = start > piece->start ? (uint32_t)(start - piece->start) : 0; /* mostly the piece is whole */
	struct interval_cursor cursor =
		intervals_at(piece->intervals, piece->interval_count, piece->has_columns, offset);
	enum locus_status status = LOCUS_OK;
	for (bool more = true; more && status == LOCUS_OK;) {
		const struct interval interval = cursor.interval;
		uint64_t from = piece->start + interval.start, to = piece->end;
		more = interval_next(&cursor);
		if (more)
			to = piece->start + cursor.interval.start;
		if (from >= end)
			break;
		from = from < start ? start : from;
		to = to > end ? end : to;
		e->coverage[coverage_of(&interval, interval.context != 0)] += to - from;
		const struct place place = {interval.context, interval.file, interval.line, interval.column};
		status = blocks_interval(e->blocks, from, &place, error);
	}
	return status;
}

static enum locus_status emit_function(struct emission *e, const struct piece *piece, uint64_t start, uint64_t end,
				       struct locus_error *error)
{
	struct part part = part_of(piece);
	blocks_begin_part(e->blocks, &part);
	return emit_piece(e, piece, start, end, error);
}

/* The first span that ends above `addr`, which is mostly near the one found last; NULL: none. */
static const struct symbol_span *next_symbol(struct symbol_spans *spans, uint64_t addr)
{
	while (spans->next && spans->spans[spans->next - 1].end > addr)
		spans->next--;
	while (spans->next < spans->count && spans->spans[spans->next].end <= addr)
		spans->next++;
	return spans->next < spans->count ? &spans->spans[spans->next] : NULL;
}

/* Begins the part of the symbol that covers `addr`; NULL: none does. */
static const struct symbol *begin_symbol(struct emission *e, struct symbol_spans *spans, uint64_t addr,
					 struct part *part, uint64_t *until)
{
	const struct symbol_span *span = next_symbol(spans, addr);
	bool covers = span && span->start <= addr;
	if (span && !covers && span->start < *until)
		*until = span->start;
	if (!covers)
		return NULL;
	const struct symbol *symbol = &e->symbols->symbols[span->symbol];
	if (span->end < *until)
		*until = span->end;
	if (!symbol->size && symbol->addr < spans->function_start) /* RULES E2: ended by a DWARF function in between */
		return NULL;
	part->start = symbol->addr;
	part->kind = LOCUS_PART_SYMBOL;
	part->symbol = symbol->name;
	return symbol;
}

/* A symbol that no rows are known for, alone. `part` is begun. */
static enum locus_status emit_symbol(struct emission *e, const struct symbol *symbol, const struct part *part,
				     uint64_t start, uint64_t end, struct locus_error *error)
{
	const struct place place = {.file = symbol->file ? e->symbols->files[symbol->file - 1].id : FILE_UNKNOWN};
	blocks_begin_part(e->blocks, part);
	e->coverage[LOCUS_COVERAGE_SYMBOL] += end - start;
	return blocks_interval(e->blocks, start, &place, error);
}

/* Itanium C++ ABI, 5.1.4: the mangled name of a thunk, which stands behind its function and is of the same source. */
static bool is_thunk(const struct symbol *symbol)
{
	static const char *const prefixes[] = {"_ZTh", "_ZTv", "_ZTc"};
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (strncmp(symbol->name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/*
 * Rows without a function: the name comes from the symbol table (RULES B14). Where that has none the part starts where
 * the last symbol ends, or with the slice, of which only [start, end) is emitted.
 */
static enum locus_status emit_orphan(struct emission *e, const struct slice *slice, struct symbol_spans *spans,
				     uint64_t start, uint64_t end, struct locus_error *error)
{
	const struct piece *piece = &e->pieces[slice->piece];
	enum locus_status status = LOCUS_OK;
	for (uint64_t addr = slice->start, until; status == LOCUS_OK && addr < end; addr = until) {
		struct part part = part_of(piece);
		part.start = addr;
		until = slice->end;
		const struct symbol *symbol = begin_symbol(e, spans, addr, &part, &until);
		uint64_t from = addr > start ? addr : start, to = until < end ? until : end;
		if (until <= start)
			continue;
		if (symbol && symbol->addr >= piece->start && until == piece->end && piece->is_padding &&
		    !is_thunk(symbol)) {
			const struct part alone = {
				.start = symbol->addr, .kind = LOCUS_PART_SYMBOL, .symbol = symbol->name};
			status = emit_symbol(e, symbol, &alone, from, to, error);
			continue;
		}
		blocks_begin_part(e->blocks, &part);
		status = emit_piece(e, piece, from, to, error);
	}
	return status;
}

/* No DWARF here: symbols, and gaps between them. */
static enum locus_status emit_symbols(struct emission *e, struct symbol_spans *spans, uint64_t start, uint64_t end,
				      struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	for (uint64_t addr = start, until; status == LOCUS_OK && addr < end; addr = until) {
		struct part part = {0};
		until = end;
		const struct symbol *symbol = begin_symbol(e, spans, addr, &part, &until);
		if (symbol) {
			status = emit_symbol(e, symbol, &part, addr, until, error);
		} else {
			status = blocks_gap(e->blocks, addr, error);
			e->coverage[LOCUS_COVERAGE_NONE] += until - addr;
		}
	}
	return status;
}

/* The first slice that ends above `addr`, moving on; NULL: none. */
static const struct slice *next_slice(const struct emission *e, uint64_t addr, uint32_t *next,
				      struct symbol_spans *spans)
{
	for (; *next < e->merged->slice_count; (*next)++) {
		const struct slice *slice = &e->merged->slices[*next];
		if (slice->end > addr)
			return slice;
		if (e->pieces[slice->piece].is_function)
			spans->function_start = slice->start;
	}
	return NULL;
}

static enum locus_status emit_window(struct emission *e, const struct exec_range *window, uint32_t *next,
				     struct symbol_spans *spans, struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	uint64_t addr = window->start;
	while (status == LOCUS_OK && addr < window->end) {
		const struct slice *slice = next_slice(e, addr, next, spans);
		bool answers = slice && slice->start <= addr;
		uint64_t until = !slice ? window->end : answers ? slice->end : slice->start;
		until = until < window->end ? until : window->end;
		const struct piece *piece = answers ? &e->pieces[slice->piece] : NULL;
		if (!piece)
			status = emit_symbols(e, spans, addr, until, error);
		else if (piece->is_function)
			status = emit_function(e, piece, addr, until, error);
		else
			status = emit_orphan(e, slice, spans, addr, until, error);
		addr = until;
	}
	/* Where the next window touches this one, what it begins with ends this one. */
	bool touches = window + 1 < e->windows + e->window_count && window[1].start <= addr;
	return status == LOCUS_OK && !touches ? blocks_gap(e->blocks, addr, error) : status;
}

/* Whether any of [start, end) is answered for. */
static bool in_windows(const struct emission *e, uint64_t start, uint64_t end)
{
	size_t first;
	SEARCH_FIRST(first, 0, e->window_count, e->windows[first].end > start);
	return first < e->window_count && e->windows[first].start < end;
}

/* The interned function that the piece is a part of. */
static uint32_t root_function(const struct piece *piece)
{
	return piece->contexts[0].function;
}

static uint32_t function_of(struct emission *e, const struct piece *piece)
{
	return numbering_function(e->numbering, root_function(piece));
}

/* RULES C7, C8: who lost to another function keeps its name as an alternate. */
static bool keep_beaten(struct emission *e)
{
	for (uint32_t i = 0; i < e->piece_count; i++) {
		const struct piece *piece = &e->pieces[i];
		if (e->merged->beaten_by[i] == NOT_BEATEN || !piece->is_function ||
		    !in_windows(e, piece->start, piece->end))
			continue;
		const struct piece *winner = &e->pieces[e->merged->beaten_by[i]];
		bool same_range = winner->start == piece->start && winner->end == piece->end;
		uint32_t function = function_of(e, piece);
		if (function == function_of(e, winner) || function == LOCUS_UNKNOWN) {
			e->dropped[LOCUS_DROPPED_DUPLICATE]++;
			continue;
		}
		e->dropped[LOCUS_DROPPED_OVERLAP] += !same_range;
		if (!add_alternate(e, piece->start, piece->end - piece->start, function,
				   same_range ? LOCUS_ALTERNATE_FOLDED : LOCUS_ALTERNATE_OVERLAP))
			return false;
	}
	return true;
}

/*
 * RULES D3: where a symbol bears an entry's own name, this is the linkage name of the function wherever it is used,
 * also where it was inlined and the entry is not answered for.
 */
static void keep_symbol_names(struct emission *e)
{
	for (uint32_t i = 0; i < e->merged->slice_count; i++) {
		const struct piece *piece = &e->pieces[e->merged->slices[i].piece];
		if (piece->symbol_is_name)
			numbering_symbol_is_name(e->numbering,
						 numbering_used_function(e->numbering, root_function(piece)));
	}
}

static bool is_named(struct locus_bytes name, const char *symbol)
{
	return name.size && strlen(symbol) == name.size && memcmp(symbol, name.data, name.size) == 0;
}

/* Compilers give one body the symbols of several variants of a constructor; they demangle to one name. */
static bool is_variant_of(struct locus_bytes linkage, const char *symbol)
{
	return strlen(symbol) == linkage.size && symbol_bears(symbol, linkage.data, linkage.size);
}

/* The names among the symbols at `addr` that `function` does not bear. */
static bool keep_aliases(struct emission *e, uint64_t addr, uint32_t function)
{
	size_t count;
	const struct symbol *symbol = symbols_at(e->symbols, addr, &count);
	for (size_t i = 0; symbol && i < count; i++) {
		const struct locus_function *named = &e->numbering->functions[function - 1];
		if (is_named(named->name, symbol[i].name) || is_named(named->linkage, symbol[i].name) ||
		    is_variant_of(named->linkage, symbol[i].name))
			continue;
		uint32_t alias = numbering_symbol(e->numbering, symbol[i].name);
		if (alias == LOCUS_UNKNOWN || !add_alternate(e, addr, 0, alias, LOCUS_ALTERNATE_ALIAS))
			return false;
	}
	return true;
}

/* RULES D6: the other symbols at the start of a function, and of what only symbols name. */
static bool keep_all_aliases(struct emission *e, const struct symbol_spans *spans)
{
	const struct slice *slices = e->merged->slices;
	bool memory = true;
	for (uint32_t i = 0; memory && i < e->merged->slice_count; i++) {
		if (!in_windows(e, slices[i].start, slices[i].start + 1))
			continue;
		const struct piece *piece = &e->pieces[slices[i].piece];
		uint32_t function = piece->is_function && slices[i].start == piece->start ? function_of(e, piece) : 0;
		if (function != LOCUS_UNKNOWN)
			memory = keep_aliases(e, piece->start, function);
	}
	for (size_t i = 0, next = 0; memory && i < spans->count; i++) {
		const struct symbol *symbol = &e->symbols->symbols[spans->spans[i].symbol];
		if (!in_windows(e, symbol->addr, symbol->addr + 1))
			continue;
		while (next < e->merged->slice_count && slices[next].end <= symbol->addr)
			next++;
		bool answered = next < e->merged->slice_count && slices[next].start <= symbol->addr &&
				e->pieces[slices[next].piece].is_function;
		if (!answered && spans->spans[i].start == symbol->addr)
			memory = keep_aliases(e, symbol->addr, numbering_symbol(e->numbering, symbol->name));
	}
	return memory;
}

static int compare_alternates(const void *a, const void *b)
{
	const struct locus_alternate *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

static void sort_alternates(struct emission *e)
{
	uint32_t kept = 0;
	sort_by_address(e->alternates, e->alternate_count, sizeof(*e->alternates), compare_alternates);
	for (uint32_t i = 0; i < e->alternate_count; i++)
		if (!kept || compare_alternates(&e->alternates[kept - 1], &e->alternates[i]) != 0)
			e->alternates[kept++] = e->alternates[i];
	e->alternate_count = kept;
}

enum locus_status emit(struct emission *e, struct locus_error *error)
{
	struct symbol_spans spans;
	uint32_t next = 0;
	enum locus_status status = LOCUS_OK;
	if (!lay_out_symbols(e, &spans))
		return locus_fail_memory(error);
	for (size_t i = 0; status == LOCUS_OK && i < e->window_count; i++)
		status = emit_window(e, &e->windows[i], &next, &spans, error);
	if (status == LOCUS_OK)
		status = blocks_finish(e->blocks, error);
	if (status == LOCUS_OK && (!keep_beaten(e) || !keep_all_aliases(e, &spans)))
		status = locus_fail_memory(error);
	keep_symbol_names(e);
	sort_alternates(e);
	free(spans.spans);
	return status;
}
