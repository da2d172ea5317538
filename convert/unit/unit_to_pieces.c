/*
 * Reads a unit in stages, each with arrays of its own: first rows and scopes of the whole unit. Then, function by
 * function: its inlinees become segments, their places in the inline tree become contexts, and each contiguous part
 * becomes a piece with its intervals. In the end come the rows that no function covers.
 */
#include "convert/unit/unit_to_pieces.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/fail.h"
#include "base/vm_pages.h"

/* Packs intervals of a piece that has very many, before the others are known. */
static bool pack_some(void *packer, const struct interval *intervals, uint32_t count)
{
	return intervals_pack_some(packer, intervals, count);
}

void unit_reader_init(struct unit_reader *reader, struct shared *shared)
{
	*reader = (struct unit_reader){.shared = shared};
	reader->names.functions = &shared->functions;
	reader->names.strings = &shared->strings;
	reader->paths.paths = &shared->files;
	reader->names.paths = &reader->paths;
	reader->symbol_names.symbols = shared->symbols;
	reader->symbol_names.functions = &shared->functions;
	reader->rows.table.keeps_columns = shared->keeps_columns;
	reader->scopes.keeps_columns = shared->keeps_columns;
	reader->contexts.keeps_columns = shared->keeps_columns;
	reader->packer.keeps_columns = shared->keeps_columns;
	reader->intervals.sink = (struct interval_sink){pack_some, &reader->packer};
}

void unit_reader_done(struct unit_reader *reader)
{
	unit_rows_done(&reader->rows);
	scopes_done(&reader->scopes);
	function_names_done(&reader->names);
	symbol_names_done(&reader->symbol_names);
	function_scopes_done(&reader->functions);
	splitter_done(&reader->splitter);
	contexts_done(&reader->contexts);
	chosen_rows_done(&reader->chosen);
	free(reader->intervals.intervals);
	interval_packer_done(&reader->packer);
	unit_sum_done(&reader->sum);
	free(reader->pieces);
	arena_done(&reader->arena);
	*reader = (struct unit_reader){0};
}

/*
 * Lays the rows that fit the piece best over its `segments`; `contexts` are by scope. The result is in
 * reader->intervals until the next piece.
 */
static bool lay_rows(struct unit_reader *reader, const struct unit_view *view, const struct piece *piece,
		     const struct segment *segments, uint32_t count, const uint32_t *contexts,
		     const struct preference *prefer)
{
	const struct chosen_rows *chosen = &reader->chosen;
	reader->intervals.count = 0;
	reader->intervals.line_bytes = 0;
	if (!unit_rows_choose(view->rows, piece->start, piece_end(piece), prefer, &reader->chosen))
		return false;
	const struct covering_rows covering = {
		.rows = chosen->rows,
		.columns = chosen->columns,
		.spans = chosen->chosen.spans,
		.span_count = chosen->chosen.count,
	};
	return split_rows(segments, count, &covering, contexts, &reader->intervals);
}

/* Sets the facts of a function's part that decide between pieces, and counts its bytes. */
static void count_part(struct unit_reader *reader, struct piece *piece, const struct segment *segments, uint32_t count)
{
	const uint32_t *contexts = reader->contexts.of_scope;
	bool has_inlinees = false;
	for (uint32_t i = 0; i < count; i++)
		has_inlinees |= contexts[segments[i].scope] != 0;
	piece->has_inlinees = has_inlinees;
	piece->has_rows = reader->intervals.line_bytes != 0;
	reader->sum.line_bytes += reader->intervals.line_bytes;
	reader->sum.bytes += piece->size;
}

/* Keeps the piece and its intervals. */
static bool add_piece(struct unit_reader *reader, struct piece *piece)
{
	struct interval_packer *packer = &reader->packer;
	piece->has_columns = packer->keeps_columns;
	if (!intervals_pack(packer, reader->intervals.intervals, reader->intervals.count))
		return false;
	const uint32_t size = packer->size - INTERVALS_PADDING;
	piece->is_small = size <= sizeof(piece->small);
	if (piece->is_small)
		memcpy(piece->small, packer->bytes, size);
	else if (!(piece->large = arena_copy_packed(&reader->arena, packer->bytes, packer->size)))
		return false;
	if (!array_reserve(&reader->pieces, &reader->piece_room, reader->piece_count + UINT64_C(1),
			   sizeof(*reader->pieces)))
		return false;
	reader->pieces[reader->piece_count++] = *piece;
	return true;
}

/* Makes a piece of a contiguous part of a function: `count` segments from `first` on. */
static bool read_part(struct unit_reader *reader, const struct unit_view *view, struct piece *piece, uint32_t first,
		      uint32_t count, const struct preference *function_prefer)
{
	const struct segment *segments = reader->splitter.segments + first;
	struct preference prefer = *function_prefer;
	size_t symbol_count;
	piece->start = prefer.start = segments[0].start;
	prefer.end = segment_end(&segments[count - 1]);
	piece->size = (uint32_t)(prefer.end - piece->start);
	/*
	 * RULES C3: in DWARF 2, inlinees alone show a part without the entry. It counts as one at a symbol (C8), or the
	 * function of its own that gcc makes of such a part would be preferred for having one.
	 */
	bool is_shown = unit_truncates_ranges(reader->names.unit) && !piece->is_entry;
	piece->at_symbol = is_shown || symbol_names_at(&reader->symbol_names, piece->start, &symbol_count) != NULL;
	if (!lay_rows(reader, view, piece, segments, count, reader->contexts.of_scope, &prefer))
		return false;
	count_part(reader, piece, segments, count);
	return add_piece(reader, piece);
}

/* What all parts of a function have in common. */
struct function_parts {
	struct piece piece; /* a piece without the fields that read_parts fills in */
	struct preference prefer;
	const char *linkage; /* as DWARF gives it; NULL: it gives none */
	bool is_named;       /* without a linkage name: a symbol at the entry names it */
	uint64_t entry;
};

/*
 * The end of the part that begins at segment `first`: the next segment that does not touch the one before it. A piece
 * counts its addresses in 32 bits.
 */
static uint32_t part_end(const struct splitter *splitter, uint32_t first)
{
	const struct segment *segments = splitter->segments;
	uint32_t end = first + 1;
	while (end < splitter->segment_count && segments[end].start == segment_end(&segments[end - 1]) &&
	       segment_end(&segments[end]) - segments[first].start <= UINT32_MAX)
		end++;
	return end;
}

/*
 * Sets what the symbols at the part's start tell of its function. Linkers that drop a copy of a function let its debug
 * information point at the copy that they kept, whose code may be different, or at address 0, where there may be code.
 */
static void compare_symbols(struct symbol_names *names, struct piece *piece, const struct function_parts *function,
			    uint64_t start)
{
	size_t count = 0;
	bool are_others = false, is_misplaced = false, has_one_name = false;
	if (piece->is_entry && function->linkage) {
		are_others = symbol_names_are_others(names, start, function->linkage, &has_one_name);
		is_misplaced = are_others && symbols_have_name(names->symbols, function->linkage);
	} else if (start == function->entry) {
		are_others = symbol_names_at(names, start, &count) && !function->is_named;
		has_one_name = piece->symbol_is_name && count == 1;
	}
	piece->at_others_symbol = are_others;
	piece->is_misplaced = is_misplaced;
	piece->has_one_name = has_one_name;
}

/* RULES A2: whether the part is of a function that the linker dropped: its symbol is not where it must be. */
static bool is_dropped(struct symbol_names *names, const struct piece *piece, uint64_t start)
{
	size_t count;
	return piece->is_entry && symbols_must_have(names->symbols, start) &&
	       (piece->at_others_symbol || !symbol_names_at(names, start, &count));
}

/*
 * Makes pieces of the function's parts. The part that holds the entry is the function's entry; if none does, the first.
 */
static bool read_parts(struct unit_reader *reader, const struct unit_view *view, const struct function_parts *function)
{
	const struct segment *segments = reader->splitter.segments;
	const uint32_t count = reader->splitter.segment_count;
	struct piece piece = function->piece;
	uint64_t entry = function->entry;
	bool any_entry = false;
	reader->dropped[LOCUS_DROPPED_CLIPPED] += reader->splitter.clipped_count;
	for (uint32_t i = 0; i < count; i++)
		any_entry |= entry >= segments[i].start && entry < segment_end(&segments[i]);

	for (uint32_t first = 0, end; first < count; first = end) {
		end = part_end(&reader->splitter, first);
		piece.is_entry = any_entry ? entry >= segments[first].start && entry < segment_end(&segments[end - 1])
					   : first == 0;
		compare_symbols(&reader->symbol_names, &piece, function, segments[first].start);
		if (is_dropped(&reader->symbol_names, &piece, segments[first].start)) {
			reader->dropped[LOCUS_DROPPED_TOMBSTONE]++;
			reader->sum.has_dropped = true;
			continue;
		}
		if (!read_part(reader, view, &piece, first, end - first, &function->prefer))
			return false;
	}
	return true;
}

/*
 * Keeps what the pieces of a function share. Behind it stand the function's contexts, and behind these the columns of
 * their calls. NULL: out of memory.
 */
static const struct unit_function *keep_function(struct unit_reader *reader, const struct unit_function *function,
						 const struct context *contexts, const uint32_t *call_columns)
{
	size_t size = function->context_count * sizeof(*contexts);
	size_t columns_size = reader->packer.keeps_columns ? function->context_count * sizeof(*call_columns) : 0;
	struct unit_function *kept = arena_take(&reader->arena, sizeof(*kept) + size + columns_size);
	if (!kept)
		return NULL;
	*kept = *function;
	uint8_t *behind = (uint8_t *)(kept + 1);
	memcpy(behind, contexts, size);
	if (columns_size)
		memcpy(behind + size, call_columns, columns_size);
	return kept;
}

/*
 * In DWARF 2 a function has one range, and gcc's -gstrict-dwarf makes a function of its own of the part that is
 * elsewhere, as in .text.unlikely. Without a linkage name it has nothing but a made-up name and the range: the
 * function's own inlinees are what is known there, and between them rows and symbols (RULES B14, C3).
 */
static bool is_second_section(const struct unit *unit, const struct die_names *named)
{
	static const char prefix[] = "__second_sect_of_";
	return unit_truncates_ranges(unit) && named->key.name && !named->key.linkage &&
	       strncmp(named->key.name, prefix, sizeof(prefix) - 1) == 0;
}

/*
 * Gives back the ranges of the function, of which the segments have been made. Many ranges in one function are rare,
 * and its pieces, which are made next, take more memory again.
 */
static void release_ranges(const struct unit_reader *reader)
{
	enum { RANGES_KEPT = 1 << 16 };
	const struct range *ranges = reader->scopes.ranges.list.ranges;
	const struct function_scopes *functions = &reader->functions;
	if (reader->splitter.segment_count <= RANGES_KEPT)
		return;
	for (uint32_t i = 0; i < functions->count; i++) {
		size_t from = functions->local[i].range_first, to = from + functions->local[i].range_count;
		pages_release((const uint8_t *)ranges, from * sizeof(*ranges), to * sizeof(*ranges));
	}
}

/*
 * The address of the function's entry, as its DIE gives it; UINT64_MAX: it does not. Beside ranges, DW_AT_low_pc may be
 * no address of the function: BOLT writes 0 there (RULES C2).
 */
static uint64_t entry_in_ranges(const struct scopes *scopes, const struct scope *scope)
{
	const struct range *ranges = scopes->ranges.list.ranges + scope->range_first;
	for (uint32_t i = 0; i < scope->range_count; i++)
		if (scope->entry >= ranges[i].start && scope->entry < ranges[i].end)
			return scope->entry;
	return UINT64_MAX;
}

/*
 * Completes *ret, in which the entry is set, with the function's identity. *function becomes its id. False: out of
 * memory.
 */
static bool identify(struct unit_reader *reader, const struct die_names *named, struct function_parts *ret,
		     uint32_t *function)
{
	bool symbol_is_name = false;
	*function = named->function;
	ret->linkage = named->key.linkage;
	ret->piece.has_linkage = named->key.linkage != NULL;
	if (!named->key.linkage &&
	    !symbol_names_link(&reader->symbol_names, ret->entry, named, function, &symbol_is_name))
		return false;
	ret->piece.symbol_is_name = symbol_is_name;
	ret->is_named = symbol_is_name || *function != named->function;
	return true;
}

/*
 * RULES A2: up to DWARF 3 both ends of a function are addresses, and of one that a linker dropped there is nothing left
 * but 0. An assembler's function may be at 0 without a size: then it has its symbol there.
 */
static bool read_bare(struct unit_reader *reader, const struct die_names *named)
{
	struct function_parts parts = {.piece = {.is_function = true, .is_entry = true}, .entry = 0};
	uint32_t function;
	if (!identify(reader, named, &parts, &function))
		return false;
	compare_symbols(&reader->symbol_names, &parts.piece, &parts, 0);
	reader->sum.has_dropped |= is_dropped(&reader->symbol_names, &parts.piece, 0);
	return true;
}

/* Reads the function whose own scope is `index`. */
static bool read_function(struct unit_reader *reader, const struct unit_view *view, uint32_t index)
{
	const struct scopes *scopes = &reader->scopes;
	const struct scope *scope = &scopes->scopes[index];
	struct splitter *splitter = &reader->splitter;
	struct function_scopes *functions = &reader->functions;
	struct die_names named;

	/*
	 * Which scope answers where. A function that answers nowhere is still named, so that faults of its name are
	 * counted.
	 */
	if (!function_scopes_gather(functions, scopes, index) ||
	    !split_scopes(splitter, functions->local, functions->count, scopes->ranges.list.ranges,
			  unit_truncates_ranges(reader->names.unit)) ||
	    !function_names_find(&reader->names, scope->origin, &named))
		return false;
	if (is_second_section(reader->names.unit, &named))
		return true;
	if (!splitter->segment_count)
		return read_bare(reader, &named);

	/* Its identity, which a symbol may complete. */
	struct function_parts parts = {
		.piece = {.is_function = true},
		.prefer = {scope->stmt_sequence, named.key.decl_file, named.key.decl_line, 0, 0},
		.entry = entry_in_ranges(scopes, scope),
	};
	if (parts.entry == UINT64_MAX)
		parts.entry = symbol_names_entry(&reader->symbol_names, scopes->ranges.list.ranges + scope->range_first,
						 scope->range_count, &named);
	uint32_t function;
	if (!identify(reader, &named, &parts, &function))
		return false;

	/* Contexts come before parts, whose intervals refer to them. */
	struct context_source source = {
		scopes, functions, splitter->segments, splitter->segment_count, function, &reader->names,
	};
	const struct contexts *contexts = &reader->contexts;
	release_ranges(reader);
	if (!contexts_make(&reader->contexts, &source, reader->dropped))
		return false;
	const struct unit_function shared = {scope->die, view->index, contexts->count};
	parts.piece.function = keep_function(reader, &shared, contexts->contexts, contexts->call_columns);
	return parts.piece.function && read_parts(reader, view, &parts);
}

/* Whether a row begins exactly at `addr`. */
static bool row_begins(const struct chosen_rows *chosen, uint64_t addr)
{
	const struct row_span *span = chosen->chosen.spans; /* the first span covers the start of the piece */
	const struct split_row *rows = chosen->rows + span->row_first;
	uint32_t row;
	SEARCH_FIRST(row, 0, span->row_count, rows[row].addr >= addr);
	return row < span->row_count && rows[row].addr == addr;
}

/*
 * Makes a piece of rows that no function of the unit covers (RULES B14); `function` is what such pieces share. As of a
 * function's part, what is beyond 4 GiB is left out and counted.
 */
static bool read_orphan(struct unit_reader *reader, const struct unit_view *view, const struct unit_function *function,
			const struct range *orphan)
{
	static const uint32_t context = 0;
	struct preference prefer = {.stmt_sequence = UINT64_MAX, .start = orphan->start};
	const uint64_t size = orphan->end - orphan->start;
	const struct segment segment = {orphan->start, size > UINT32_MAX ? UINT32_MAX : (uint32_t)size, 0};
	struct piece piece = {
		.start = segment.start,
		.size = segment.size,
		.function = function,
	};
	reader->dropped[LOCUS_DROPPED_CLIPPED] += size > UINT32_MAX;
	if (!lay_rows(reader, view, &piece, &segment, 1, &context, &prefer))
		return false;

	/* A row that begins before the piece. If it were meant to cover this code, its sequence would end with it. */
	const struct interval_list *list = &reader->intervals;
	piece.is_padding =
		!reader->packer.count && reader->chosen.chosen.count && !row_begins(&reader->chosen, piece.start) &&
		!sequences_end_at(&view->rows->sequences, piece.start,
				  list->count > 1 ? piece.start + list->intervals[1].start : piece_end(&piece));
	return add_piece(reader, &piece);
}

bool unit_reader_orphans(struct unit_reader *reader, const struct unit_view *view, const struct range *orphans,
			 uint32_t count)
{
	static const struct context none = {.function = FUNCTION_UNKNOWN, .caller = NO_CONTEXT};
	static const uint32_t call_column = 0;
	const struct unit_function shared = {.die = UINT64_MAX, .unit_index = view->index, .context_count = 1};
	if (!count)
		return true;
	const struct unit_function *function = keep_function(reader, &shared, &none, &call_column);
	bool memory = function != NULL;
	for (uint32_t i = 0; memory && i < count; i++)
		memory = read_orphan(reader, view, function, &orphans[i]);
	return memory;
}

/* Makes pieces of all rows that the functions of reader->sum leave; its `covered` is empty then. */
static bool read_orphans(struct unit_reader *reader, const struct unit_view *view)
{
	struct range orphans[ORPHANS_AT_ONCE];
	if (reader->leaves_rows) {
		reader->sum.covered.count = 0;
		return true;
	}
	struct orphan_walk walk = orphans_begin(&view->rows->sequences, &reader->sum.covered, reader->sum.has_dropped);
	for (uint32_t count = ORPHANS_AT_ONCE; count == ORPHANS_AT_ONCE;) {
		count = orphans_take(&walk, orphans);
		if (!unit_reader_orphans(reader, view, orphans, count))
			return false;
	}
	return true;
}

bool unit_reader_finish(struct unit_reader *reader, struct unit_sum *sum, const char *name, uint32_t unit_index)
{
	struct arena *arena = &reader->arena;

	/* The result for the unit as a whole; its pieces are kept already. */
	const struct unit_result result = {
		.before = reader->last_result,
		.name = name ? arena_copy_packed(arena, name, strlen(name) + 1) : NULL,
		.bytes = sum->bytes,
		.line_bytes = sum->line_bytes,
		.unit_index = unit_index,
		.has_dropped = sum->has_dropped,
	};
	complaints_count(&sum->complaints, reader->dropped);
	sum->bytes = sum->line_bytes = 0;
	sum->has_dropped = false;
	struct unit_result *kept = result.name || !name ? arena_copy(arena, &result, sizeof(result)) : NULL;
	if (kept)
		reader->last_result = kept;
	return kept != NULL;
}

bool unit_sum_join(struct unit_sum *sum, struct unit_sum *from)
{
	bool memory = complaints_join(&sum->complaints, &from->complaints);
	if (!sum->covered.count) {
		const struct range_list empty = sum->covered;
		sum->covered = from->covered;
		from->covered = empty;
	}
	for (uint32_t i = 0; memory && i < from->covered.count; i++)
		memory = range_list_add(&sum->covered, from->covered.ranges[i].start, from->covered.ranges[i].end);
	sum->bytes += from->bytes;
	sum->line_bytes += from->line_bytes;
	sum->has_dropped |= from->has_dropped;
	from->has_dropped = false;
	from->covered.count = 0;
	from->bytes = from->line_bytes = 0;
	return memory;
}

void unit_sum_done(struct unit_sum *sum)
{
	range_list_done(&sum->covered);
	complaints_done(&sum->complaints);
}

static enum locus_status read_rows(struct unit_reader *reader, struct unit *rows, struct locus_error *error)
{
	struct shared *shared = reader->shared;
	return unit_rows_read(&reader->rows, rows, shared->linked, &reader->paths, reader->dropped, error);
}

static void count_scopes(struct unit_reader *reader)
{
	const struct scopes *scopes = &reader->scopes;
	reader->dropped[LOCUS_DROPPED_TOMBSTONE] += scopes->ranges.tombstone_count;
	reader->dropped[LOCUS_DROPPED_BAD_RANGE] += scopes->ranges.bad_count;
	reader->dropped[LOCUS_DROPPED_TOO_DEEP] += scopes->too_deep_count;
	reader->dropped[LOCUS_DROPPED_NOT_EXECUTABLE] += scopes->not_executable_count;
	reader->dropped[LOCUS_DROPPED_CLIPPED] += scopes->clipped_count;
}

/* Looks up the symbols where parts of the function may begin. */
static void symbols_ahead(struct unit_reader *reader, const struct scope *function)
{
	enum { TRIED = 2 }; /* ranges: few functions have more */

	/* NULL where no function of the unit has a range */
	const struct range *ranges = reader->scopes.ranges.list.ranges;
	for (uint32_t i = 0; i < function->range_count && i < TRIED; i++)
		symbol_names_ahead(&reader->symbol_names, ranges[function->range_first + i].start);
}

/*
 * Looks up the names of some functions from scope `first` on, and their symbols; *ret_end is the scope behind them.
 * What is read of one function has to be waited for; asked for together, much of that comes at once.
 */
static bool name_ahead(struct unit_reader *reader, uint32_t first, uint32_t *ret_end)
{
	const struct scopes *scopes = &reader->scopes;
	uint64_t origins[FUNCTION_NAMES_AT_ONCE];
	uint32_t ids[FUNCTION_NAMES_AT_ONCE], count = 0, i = first;
	for (; i < scopes->count && count < FUNCTION_NAMES_AT_ONCE; i++)
		if (scopes->scopes[i].function == i) {
			origins[count++] = scopes->scopes[i].origin;
			symbols_ahead(reader, &scopes->scopes[i]);
		}
	*ret_end = i;
	return function_names_ids(&reader->names, origins, count, ids);
}

/*
 * Adds the pieces from index `first` on to the addresses that functions cover. This waits until all are made: what they
 * are made of takes more memory, and some of it is freed first.
 */
static bool cover_pieces(struct unit_reader *reader, uint32_t first)
{
	bool memory = true;
	splitter_trim(&reader->splitter);
	for (uint32_t i = first; memory && i < reader->piece_count; i++) {
		const struct piece *piece = &reader->pieces[i];
		memory = range_list_add(&reader->sum.covered, piece->start, piece_end(piece));
	}
	return memory;
}

bool unit_reader_functions(struct unit_reader *reader, const struct unit_view *view)
{
	const struct scopes *scopes = &reader->scopes;
	const uint32_t first_piece = reader->piece_count;
	count_scopes(reader);
	dwarf_at(view->unit->dwarf, view->unit->where, view->unit->offset, "functions");
	bool memory = function_scopes_link(&reader->functions, scopes);
	for (uint32_t i = 0, named = 0; memory && i < scopes->count; i++) {
		if (scopes->scopes[i].function != i)
			continue;
		memory = (i < named || name_ahead(reader, i, &named)) && read_function(reader, view, i);
	}
	return memory && cover_pieces(reader, first_piece) &&
	       complaints_join(&reader->sum.complaints, &reader->names.complaints);
}

enum locus_status unit_reader_read(struct unit_reader *reader, const struct unit *unit, struct unit *rows,
				   uint32_t unit_index, struct locus_error *error)
{
	const struct unit_view view = {unit, unit_index, &reader->rows, &reader->scopes};
	enum locus_status status = read_rows(reader, rows, error);
	if (status != LOCUS_OK)
		return status;
	status = scopes_read(&reader->scopes, unit, reader->shared->linked, error);
	if (status != LOCUS_OK)
		return status;
	function_names_begin(&reader->names, unit, view.name_scopes);
	reader->large_unit = 0;
	const bool memory = unit_reader_functions(reader, &view) && read_orphans(reader, &view) &&
			    unit_reader_finish(reader, &reader->sum, unit->name, unit_index);
	return memory ? LOCUS_OK : locus_fail_memory(error);
}

enum locus_status unit_reader_read_lines(struct unit_reader *reader, struct unit *rows, uint32_t unit_index,
					 struct locus_error *error)
{
	const struct unit_view view = {rows, unit_index, &reader->rows, NULL};
	enum locus_status status = read_rows(reader, rows, error);
	if (status != LOCUS_OK)
		return status;
	const bool memory = read_orphans(reader, &view) && unit_reader_finish(reader, &reader->sum, NULL, unit_index);
	return memory ? LOCUS_OK : locus_fail_memory(error);
}
