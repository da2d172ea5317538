/*
 * Emission. Each executable range where all addresses are asked for is walked once: where a piece answers, its
 * intervals are cut to the addresses that it answers for; where none does, a symbol does (RULES E3), or nothing.
 */
#include "convert/emit/emit_intervals.h"

#include <string.h>

#include "base/always_inline.h"
#include "convert/unit/packed_intervals.h"

/* How far the walk over all addresses has come. */
struct walk {
	struct emission *emission;
	size_t range;  /* index of the range that it is in */
	uint64_t addr; /* where it is, if that is in the range */
	struct slice_walk slices;
	struct slice slice;      /* the first that may end above where the walk is; empty: there is none */
	uint32_t next_piece;     /* the first that last_function has not passed */
	uint64_t function_start; /* where the last DWARF function before that piece starts */
};

static struct part part_of(const struct piece *piece)
{
	return (struct part){
		.start = piece->start,
		.kind = piece->is_entry || !piece->is_function ? LOCUS_PART_ENTRY : LOCUS_PART_OTHER,
		.contexts = piece_contexts(piece),
		.call_columns = piece_call_columns(piece),
		.context_count = piece->function->context_count,
	};
}

static enum locus_status emit_function(struct emission *e, const struct piece *piece, uint64_t start, uint64_t end,
				       struct locus_error *error)
{
	struct part part = part_of(piece);
	blocks_begin_part(e->blocks, &part);
	return blocks_piece(e->blocks, piece, start, end, e->coverage, error);
}

/*
 * Where the last DWARF function starts that starts at or below `addr`, whichever function answers there; 0: none. To be
 * asked in the order of addresses, as unsized symbols are when the walk comes to them.
 */
static uint64_t last_function(struct walk *walk, uint64_t addr)
{
	const struct emission *e = walk->emission;
	for (; walk->next_piece < e->piece_count && e->pieces[walk->next_piece].start <= addr; walk->next_piece++)
		if (e->pieces[walk->next_piece].is_function)
			walk->function_start = e->pieces[walk->next_piece].start;
	return walk->function_start;
}

/*
 * Fills `part` for the symbol that answers at `addr`, and lowers *until to where that may change. NULL: no symbol
 * answers.
 */
static const struct symbol *begin_symbol(struct walk *walk, uint64_t addr, struct part *part, uint64_t *until)
{
	struct emission *e = walk->emission;
	const struct symbol_span *span = symbol_spans_next(&e->symbol_spans, addr);
	bool covers = span && span->start <= addr;
	if (span && !covers && span->start < *until)
		*until = span->start;
	if (!covers)
		return NULL;
	const struct symbol *symbol = &e->symbols->symbols[span->symbol];
	if (span->end < *until)
		*until = span->end;
	if (!symbol->size &&
	    symbol->addr < last_function(walk, addr)) /* RULES E2: ended by a DWARF function in between */
		return NULL;
	part->start = symbol->addr;
	part->kind = LOCUS_PART_SYMBOL;
	part->symbol = symbol->name;
	return symbol;
}

/* Emits a symbol for which no rows are known, as `part`. */
static enum locus_status emit_symbol(struct emission *e, const struct symbol *symbol, const struct part *part,
				     uint64_t start, uint64_t end, struct locus_error *error)
{
	const struct place place = {.file = symbol->file ? e->symbols->files[symbol->file - 1].id : FILE_UNKNOWN};
	blocks_begin_part(e->blocks, part);
	e->coverage[LOCUS_COVERAGE_SYMBOL] += end - start;
	return blocks_interval(e->blocks, start, place, error);
}

/*
 * The mangled name of a thunk, which stands behind its function and is of the same source: of C++ (Itanium C++ ABI,
 * 5.1.4), and of D, where gcc writes _DTi and LLVM's compiler _DTh.
 */
static bool is_thunk(const struct symbol *symbol)
{
	static const char *const prefixes[] = {"_ZTh", "_ZTv", "_ZTc", "_DTi", "_DTh"};
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (strncmp(symbol->name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/* Where padding that the piece begins with ends, which its first row covers; the piece's start: it begins with none. */
static uint64_t padding_end(const struct piece *piece)
{
	if (!piece->is_padding)
		return piece->start;
	struct interval_cursor cursor = intervals_at(piece_intervals(piece), piece->has_columns, 0);
	return interval_next(&cursor) ? piece->start + cursor.interval.start : piece_end(piece);
}

/*
 * Emits [start, end) of rows that no function covers: their name comes from the symbol table (RULES B14). Where that
 * has none, the part starts where the last symbol ends, or else with the slice.
 */
static enum locus_status emit_orphan(struct walk *walk, const struct slice *slice, uint64_t start, uint64_t end,
				     struct locus_error *error)
{
	struct emission *e = walk->emission;
	const struct piece *piece = &e->pieces[slice->piece];
	enum locus_status status = LOCUS_OK;
	const uint64_t bound = symbol_spans_bound(&e->symbol_spans, start), padded = padding_end(piece);
	for (uint64_t addr = bound > slice->start ? bound : slice->start, until; status == LOCUS_OK && addr < end;
	     addr = until) {
		struct part part = part_of(piece);
		part.start = addr;
		until = slice_end(slice);
		const struct symbol *symbol = begin_symbol(walk, addr, &part, &until);
		uint64_t from = addr > start ? addr : start, to = until < end ? until : end;

		/* Rows that only pad what ends before the symbol say nothing of its code, unless that is a thunk. */
		if (symbol && symbol->addr >= piece->start && until == padded && !is_thunk(symbol)) {
			const struct part alone = {
				.start = symbol->addr, .kind = LOCUS_PART_SYMBOL, .symbol = symbol->name};
			status = emit_symbol(e, symbol, &alone, from, to, error);
			continue;
		}
		blocks_begin_part(e->blocks, &part);
		status = blocks_piece(e->blocks, piece, from, to, e->coverage, error);
	}
	return status;
}

/* Emits [start, end), of which DWARF says nothing: symbols, and gaps between them. */
static enum locus_status emit_symbols(struct walk *walk, uint64_t start, uint64_t end, struct locus_error *error)
{
	struct emission *e = walk->emission;
	enum locus_status status = LOCUS_OK;
	for (uint64_t addr = start, until; status == LOCUS_OK && addr < end; addr = until) {
		struct part part = {0};
		until = end;
		const struct symbol *symbol = begin_symbol(walk, addr, &part, &until);
		if (symbol) {
			status = emit_symbol(e, symbol, &part, addr, until, error);
		} else {
			status = blocks_gap(e->blocks, addr, error);
			e->coverage[LOCUS_COVERAGE_NONE] += until - addr;
		}
	}
	return status;
}

static void move_slice(struct walk *walk)
{
	if (!slice_walk_next(&walk->slices, &walk->slice))
		walk->slice.size = 0;
}

/* Moves on to the first slice that ends above `addr`; NULL: none. */
static const struct slice *next_slice(struct walk *walk, uint64_t addr)
{
	while (walk->slice.size && slice_end(&walk->slice) <= addr)
		move_slice(walk);
	return walk->slice.size ? &walk->slice : NULL;
}

/* The piece that is `distance` pieces on, and probably answers; NULL: there is none. */
static const struct piece *piece_ahead(const struct walk *walk, uint32_t distance)
{
	const struct emission *e = walk->emission;
	uint32_t next = walk->slices.next_piece;
	return distance <= e->piece_count - next ? &e->pieces[next + distance - 1] : NULL;
}

enum { CONTEXTS_MOST = 32 }; /* of a piece, that are fetched ahead */

/* Has the processor fetch the contexts of the piece's inlinees, behind the first ones, which came with the function. */
static void fetch_contexts(const struct piece *piece)
{
	enum { IN_A_LINE = 64 / sizeof(struct context) };
	const struct context *contexts = piece_contexts(piece);
	for (uint32_t i = IN_A_LINE; i < CONTEXTS_MOST && i < piece->function->context_count; i += IN_A_LINE)
		__builtin_prefetch(&contexts[i]);
}

/* Calls `fetch` for the functions of the piece's first contexts. */
static ALWAYS_INLINE void for_functions(const struct output_ids *ids, const struct piece *piece,
					void (*fetch)(const struct output_ids *, uint32_t))
{
	const struct context *contexts = piece_contexts(piece);
	for (uint32_t i = 0; i < CONTEXTS_MOST && i < piece->function->context_count; i++)
		fetch(ids, contexts[i].function);
}

/*
 * Has the processor fetch what the next pieces refer to, each in five steps, as one leads to the next. Pieces are
 * sorted by address, but all else lies in the order in which units were read, so that most of it would be waited for.
 */
static void look_ahead(const struct walk *walk)
{
	enum { TO_PIECE = 7, TO_CONTEXTS = 5, TO_IDS = 3, TO_CONTENT = 2, TO_SLOTS = 1 }; /* pieces */
	const struct output_ids *ids = walk->emission->ids;
	const struct piece *piece = piece_ahead(walk, TO_PIECE);
	if (piece) {
		__builtin_prefetch(piece_intervals(piece));
		__builtin_prefetch(piece->function);
	}
	if ((piece = piece_ahead(walk, TO_CONTEXTS)))
		fetch_contexts(piece);
	if ((piece = piece_ahead(walk, TO_IDS)))
		for_functions(ids, piece, output_ids_prefetch);
	if ((piece = piece_ahead(walk, TO_CONTENT)))
		for_functions(ids, piece, output_ids_prefetch_content);
	if ((piece = piece_ahead(walk, TO_SLOTS)))
		for_functions(ids, piece, output_ids_prefetch_slot);
}

/* Emits what answers where the walk is, and moves it behind that. */
static enum locus_status emit_next(struct walk *walk, struct locus_error *error)
{
	struct emission *e = walk->emission;
	const struct exec_range *range = &e->asked[walk->range];
	enum locus_status status = LOCUS_OK;
	uint64_t addr = walk->addr > range->start ? walk->addr : range->start;
	if (addr < range->end) {
		const struct slice *slice = next_slice(walk, addr);
		bool answers = slice && slice->start <= addr;
		uint64_t until = !slice ? range->end : answers ? slice_end(slice) : slice->start;
		until = until < range->end ? until : range->end;
		const struct piece *piece = answers ? &e->pieces[slice->piece] : NULL;
		if (piece)
			look_ahead(walk);
		if (!piece)
			status = emit_symbols(walk, addr, until, error);
		else if (piece->is_function)
			status = emit_function(e, piece, addr, until, error);
		else
			status = emit_orphan(walk, slice, addr, until, error);
		walk->addr = addr = until;
	}
	if (status != LOCUS_OK || addr < range->end)
		return status;
	/* A gap ends the range, unless the next range begins right there: then that one's first interval does. */
	walk->range++;
	bool touches = walk->range < e->asked_count && range[1].start <= addr;
	return touches ? LOCUS_OK : blocks_gap(e->blocks, addr, error);
}

static enum locus_status emit_some(void *context, bool *ret_ended, struct locus_error *error)
{
	struct walk *walk = context;
	const struct emission *e = walk->emission;
	enum locus_status status = LOCUS_OK;
	while (status == LOCUS_OK && walk->range < e->asked_count && !blocks_is_due(e->blocks))
		status = emit_next(walk, error);
	*ret_ended = walk->range == e->asked_count;
	if (*ret_ended || status != LOCUS_OK)
		blocks_end(e->blocks);
	return status;
}

enum locus_status emit_intervals(struct emission *emission, struct locus_error *error)
{
	struct walk walk = {.emission = emission, .slices.overlaps = emission->overlaps};
	move_slice(&walk);
	return blocks_emit(emission->blocks, (struct interval_source){emit_some, &walk}, error);
}
