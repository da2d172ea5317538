/*
 * Reading a unit, stage by stage, each with arrays of its own: rows and scopes of the whole unit; then, function by
 * function, its inlinees become segments, their places in the inline tree contexts, and each contiguous part of it a
 * piece with its intervals; at last the rows that no function covers.
 */
#include "convert/unit/unit_to_pieces.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"

void unit_reader_init(struct unit_reader *reader, struct shared *shared)
{
	*reader = (struct unit_reader){.shared = shared};
	reader->names.functions = &shared->functions;
	reader->names.strings = &shared->strings;
	reader->names.files = &shared->files;
	reader->symbol_names.symbols = shared->symbols;
	reader->symbol_names.functions = &shared->functions;
}

void unit_reader_done(struct unit_reader *reader)
{
	unit_rows_done(&reader->rows);
	scopes_done(&reader->scopes);
	names_done(&reader->names);
	function_scopes_done(&reader->functions);
	splitter_done(&reader->splitter);
	contexts_done(&reader->contexts);
	free(reader->intervals.intervals);
	interval_packer_done(&reader->packer);
	range_list_done(&reader->covered);
	range_list_done(&reader->orphans);
	free(reader->pieces);
	arena_done(&reader->arena);
	*reader = (struct unit_reader){0};
}

/*
 * Lays the rows that fit the piece best over its `segments`, whose contexts are by their scopes. reader->intervals are
 * then the piece's, until the next one.
 */
static bool lay_rows(struct unit_reader *reader, struct piece *piece, const struct segment *segments, uint32_t count,
		     const uint32_t *contexts, const struct preference *prefer)
{
	struct sequences *sequences = &reader->rows.sequences;
	const struct split_row *rows = reader->rows.table.rows;
	reader->intervals.count = 0;
	return sequences_choose(sequences, rows, piece->start, piece->end, prefer) &&
	       split_rows(segments, count, rows, sequences->chosen, sequences->chosen_count, contexts,
			  &reader->intervals);
}

/* What the intervals say of the piece: how rich it is, and how many of its bytes have a line. */
static void count_intervals(struct unit_reader *reader, struct piece *piece)
{
	const struct interval *intervals = reader->intervals.intervals;
	uint32_t count = reader->intervals.count;
	uint64_t size = piece->end - piece->start;
	bool has_inlinees = false, has_rows = false;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t end = i + 1 < count ? intervals[i + 1].start : size;
		has_rows |= intervals[i].line != 0;
		has_inlinees |= intervals[i].context != 0;
		reader->line_bytes += intervals[i].line ? end - intervals[i].start : 0;
	}
	piece->has_inlinees = has_inlinees;
	piece->has_rows = has_rows;
	reader->bytes += size;
}

/* Keeps the piece with the intervals at hand. */
static bool add_piece(struct unit_reader *reader, struct piece *piece)
{
	struct interval_packer *packer = &reader->packer;
	piece->interval_count = reader->intervals.count;
	if (!intervals_pack(packer, reader->intervals.intervals, piece->interval_count) ||
	    !(piece->intervals = arena_copy_packed(&reader->arena, packer->bytes, packer->size)) ||
	    !array_reserve(&reader->pieces, &reader->piece_room, reader->piece_count + UINT64_C(1),
			   sizeof(*reader->pieces)))
		return false;
	reader->pieces[reader->piece_count++] = *piece;
	return true;
}

/* One contiguous part of a function: `count` segments from `first` on. */
static bool read_part(struct unit_reader *reader, struct piece *piece, uint32_t first, uint32_t count,
		      const struct preference *function_prefer)
{
	const struct segment *segments = reader->splitter.segments + first;
	struct preference prefer = *function_prefer;
	size_t symbol_count;
	piece->start = prefer.start = segments[0].start;
	piece->end = segments[count - 1].end;
	piece->at_symbol = symbol_names_at(&reader->symbol_names, piece->start, &symbol_count) != NULL;
	if (!lay_rows(reader, piece, segments, count, reader->contexts.of_scope, &prefer))
		return false;
	count_intervals(reader, piece);
	return add_piece(reader, piece) && range_list_add(&reader->covered, piece->start, piece->end);
}

/* What is the same for all parts of a function. */
struct function_parts {
	struct piece piece; /* of any of them, but for what read_parts fills in */
	struct preference prefer;
	const char *linkage; /* as DWARF says it; NULL: it does not */
	uint64_t entry;
	bool symbol_is_name; /* of the part with the entry */
};

/* The end of the part that begins at segment `first`: the first segment that does not touch the one before. */
static uint32_t part_end(struct unit_reader *reader, uint32_t first)
{
	struct segment *segments = reader->splitter.segments;
	uint32_t end = first + 1;
	/* No code is that long: a piece's intervals count in 32 bits. */
	if (segments[first].end - segments[first].start > UINT32_MAX) {
		segments[first].end = segments[first].start + UINT32_MAX;
		reader->dropped[LOCUS_DROPPED_CLIPPED]++;
	}
	while (end < reader->splitter.segment_count && segments[end].start == segments[end - 1].end &&
	       segments[end].end - segments[first].start <= UINT32_MAX)
		end++;
	return end;
}

/* The function's parts become pieces. The one with the entry is the entry's; the first, where none has it. */
static bool read_parts(struct unit_reader *reader, const struct function_parts *function)
{
	const struct segment *segments = reader->splitter.segments;
	const uint32_t count = reader->splitter.segment_count;
	struct piece piece = function->piece;
	uint64_t entry = function->entry;
	bool any_entry = false;
	for (uint32_t i = 0; i < count; i++)
		any_entry |= entry >= segments[i].start && entry < segments[i].end;
	for (uint32_t first = 0, end; first < count; first = end) {
		end = part_end(reader, first);
		piece.is_entry =
			any_entry ? entry >= segments[first].start && entry < segments[end - 1].end : first == 0;
		piece.symbol_is_name = function->symbol_is_name && piece.is_entry;
		piece.is_misplaced =
			piece.is_entry && function->linkage &&
			symbol_names_misplaced(&reader->symbol_names, segments[first].start, function->linkage);
		if (!read_part(reader, &piece, first, end - first, &function->prefer))
			return false;
	}
	return true;
}

/* The function whose own scope is `index`. */
static bool read_function(struct unit_reader *reader, uint32_t index, uint32_t unit_index)
{
	const struct scopes *scopes = &reader->scopes;
	const struct scope *scope = &scopes->scopes[index];
	struct splitter *splitter = &reader->splitter;
	struct function_scopes *functions = &reader->functions;
	struct named named;

	/* Who answers where, inlinees and the function itself; one that answers nowhere is named all the same, so that
	 * what is wrong with its name is counted. */
	if (!function_scopes_gather(functions, scopes, index) ||
	    !split_scopes(splitter, functions->local, functions->count, scopes->ranges.ranges,
			  unit_truncates_ranges(reader->names.unit)) ||
	    !names_function(&reader->names, scope->origin, &named))
		return false;
	if (!splitter->segment_count)
		return true;

	/* Its identity, which a symbol may complete. */
	struct function_parts parts = {
		.piece = {.die = scope->die, .unit_index = unit_index, .is_function = true},
		.prefer = {scope->stmt_sequence, named.key.decl_file, named.key.decl_line, 0},
		.linkage = named.key.linkage,
		.entry = scope->entry,
	};
	if (parts.entry == UINT64_MAX)
		parts.entry = symbol_names_entry(&reader->symbol_names, scopes->ranges.ranges + scope->range_first,
						 scope->range_count, &named);
	uint32_t function = named.function;
	parts.piece.has_linkage = named.key.linkage != NULL;
	if (!named.key.linkage &&
	    !symbol_names_link(&reader->symbol_names, parts.entry, &named, &function, &parts.symbol_is_name))
		return false;

	/* Its contexts come first: the intervals of its parts refer to them. */
	struct context_source source = {
		scopes, functions, splitter->segments, splitter->segment_count, function, &reader->names,
	};
	struct contexts *contexts = &reader->contexts;
	if (!contexts_make(contexts, &source, reader->dropped))
		return false;
	parts.piece.contexts =
		arena_copy(&reader->arena, contexts->contexts, contexts->count * sizeof(*contexts->contexts));
	parts.piece.context_count = contexts->count;
	if (!parts.piece.contexts)
		return false;
	return read_parts(reader, &parts);
}

/* Whether a row that was laid begins at `addr`, and not before it. */
static bool row_begins(const struct unit_reader *reader, uint64_t addr)
{
	const struct sequences *sequences = &reader->rows.sequences;
	const struct row_span *span = sequences->chosen; /* the first of them covers the piece's start */
	const struct split_row *rows = reader->rows.table.rows + span->row_first;
	uint32_t low = 0, high = span->row_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (rows[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < span->row_count && rows[low].addr == addr;
}

/* A piece of rows that no function of the unit covers (RULES B14). */
static bool read_orphan(struct unit_reader *reader, const struct range *orphan, uint32_t unit_index)
{
	static const struct context none = {.function = FUNCTION_UNKNOWN, .caller = NO_CONTEXT};
	static const uint32_t context = 0;
	struct preference prefer = {.stmt_sequence = UINT64_MAX, .start = orphan->start};
	struct segment segment = {orphan->start, orphan->end, 0};
	if (segment.end - segment.start > UINT32_MAX)
		segment.end = segment.start + UINT32_MAX;
	struct piece piece = {
		.start = segment.start,
		.end = segment.end,
		.die = UINT64_MAX,
		.unit_index = unit_index,
		.contexts = &none,
		.context_count = 1,
	};
	if (!lay_rows(reader, &piece, &segment, 1, &context, &prefer))
		return false;
	piece.is_padding =
		reader->intervals.count == 1 && reader->rows.sequences.chosen_count && !row_begins(reader, piece.start);
	return add_piece(reader, &piece);
}

static bool read_orphans(struct unit_reader *reader, uint32_t unit_index)
{
	bool memory = orphans_find(&reader->rows.sequences, &reader->covered, &reader->orphans);
	for (uint32_t i = 0; memory && i < reader->orphans.count; i++)
		memory = read_orphan(reader, &reader->orphans.ranges[i], unit_index);
	return memory;
}

/* What is said of the unit as a whole; its pieces are kept already. */
static enum locus_status hand_over(struct unit_reader *reader, const char *name, struct unit_result **ret,
				   struct locus_error *error)
{
	struct arena *arena = &reader->arena;
	struct unit_result result = {
		.name = name ? arena_copy_packed(arena, name, strlen(name) + 1) : NULL,
		.bytes = reader->bytes,
		.line_bytes = reader->line_bytes,
	};
	*ret = arena_copy(arena, &result, sizeof(result));
	return *ret && (result.name || !name) ? LOCUS_OK : locus_fail_memory(error);
}

static void begin_unit(struct unit_reader *reader)
{
	reader->covered.count = reader->orphans.count = 0;
	reader->bytes = reader->line_bytes = 0;
}

static enum locus_status read_rows(struct unit_reader *reader, struct unit *rows, struct locus_error *error)
{
	struct shared *shared = reader->shared;
	return unit_rows_read(&reader->rows, rows, shared->linked, &shared->files, reader->dropped, error);
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

enum locus_status unit_reader_read(struct unit_reader *reader, const struct unit *unit, struct unit *rows,
				   uint32_t unit_index, struct unit_result **ret, struct locus_error *error)
{
	begin_unit(reader);
	enum locus_status status = read_rows(reader, rows, error);
	if (status != LOCUS_OK)
		return status;
	status = scopes_read(&reader->scopes, unit, reader->shared->linked, error);
	if (status != LOCUS_OK)
		return status;
	count_scopes(reader);
	dwarf_at(unit->dwarf, unit->where, unit->offset, "functions");
	names_begin(&reader->names, unit, &reader->scopes);
	bool memory = function_scopes_link(&reader->functions, &reader->scopes);
	for (uint32_t i = 0; memory && i < reader->scopes.count; i++)
		if (reader->scopes.scopes[i].function == i)
			memory = read_function(reader, i, unit_index);
	if (!memory || !read_orphans(reader, unit_index))
		return locus_fail_memory(error);
	reader->dropped[LOCUS_DROPPED_BAD_REFERENCE] += reader->names.bad_reference_count;
	reader->dropped[LOCUS_DROPPED_BAD_FILE] += reader->names.bad_file_count;
	reader->names.bad_reference_count = reader->names.bad_file_count = 0;
	return hand_over(reader, unit->name, ret, error);
}

enum locus_status unit_reader_read_lines(struct unit_reader *reader, struct unit *rows, uint32_t unit_index,
					 struct unit_result **ret, struct locus_error *error)
{
	begin_unit(reader);
	enum locus_status status = read_rows(reader, rows, error);
	if (status != LOCUS_OK)
		return status;
	if (!read_orphans(reader, unit_index))
		return locus_fail_memory(error);
	return hand_over(reader, NULL, ret, error);
}
