/*
 * Reading a unit. Line program and DIEs are read whole, then each function is split by itself: its inlinees into
 * segments, their places in the inline tree into contexts, and each contiguous part of it into a piece with its
 * intervals.
 */
#include "convert/unit/unit_to_pieces.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/sort.h"

void unit_reader_init(struct unit_reader *reader, struct shared *shared)
{
	*reader = (struct unit_reader){.shared = shared};
	reader->names.functions = &shared->functions;
	reader->names.strings = &shared->strings;
	reader->names.files = &shared->files;
}

void unit_reader_done(struct unit_reader *reader)
{
	names_done(&reader->names);
	scopes_done(&reader->scopes);
	line_table_done(&reader->lines);
	splitter_done(&reader->splitter);
	free(reader->intervals.intervals);
	spans_done(&reader->spans);
	free(reader->contexts);
	free(reader->pieces);
	arena_done(&reader->arena);
	free(reader->covered);
	free(reader->local);
	free(reader->scope_of);
	free(reader->local_of);
	free(reader->next_of);
	free(reader->context_of);
	free(reader->context_slots);
	*reader = (struct unit_reader){0};
}

/* From the table's file indices to ids, for the rows of live sequences. */
static bool number_files(struct unit_reader *reader, const struct unit *rows)
{
	for (uint32_t i = 0; i < reader->spans.count; i++) {
		const struct row_span *span = &reader->spans.spans[i].span;
		struct split_row *row = reader->lines.rows + span->row_first;
		uint32_t index = 0, id = FILE_UNKNOWN;
		for (uint32_t k = 0; k < span->row_count; k++, row++) {
			/* Rows mostly are of the file of the row before. One without a file is asked for: it is
			 * counted. */
			if (row->file != index || id == FILE_UNKNOWN) {
				index = row->file;
				id = files_id(&reader->shared->files, rows, index,
					      &reader->dropped[LOCUS_DROPPED_BAD_FILE]);
			}
			if (id == INTERN_FAILED)
				return false;
			row->file = id;
		}
	}
	return true;
}

/* RULES A7: whether so many units share line tables that no compiler can have written them. */
static bool lines_are_endless(const struct unit *rows)
{
	enum { READINGS_MAX = 16, BYTES_SPARE = 64 << 20 };
	uint64_t bytes = rows->lines.end - rows->lines.offset, size = dwarf_section(rows->dwarf, DEBUG_LINE)->size;
	return atomic_fetch_add_explicit(&rows->dwarf->line_bytes, bytes, memory_order_relaxed) + bytes >
	       size * READINGS_MAX + BYTES_SPARE;
}

static enum locus_status read_rows(struct unit_reader *reader, struct unit *rows, struct locus_error *error)
{
	struct line_table *lines = &reader->lines;
	reader->spans.count = 0;
	if (!rows->lines.version) {
		reader->dropped[LOCUS_DROPPED_DAMAGED_LINES] += rows->stmt_list != UINT64_MAX;
		return LOCUS_OK;
	}
	uint64_t size;
	const uint8_t *section = unit_section(rows, DEBUG_LINE, &size);
	if (lines_are_endless(rows))
		return locus_fail_at(error, LOCUS_ERR_BAD_DWARF, rows->lines.offset,
				     "more units share line tables than can be, at the one at .debug_line+0x%llx",
				     (unsigned long long)rows->lines.offset);
	enum locus_status status = line_table_read(lines, &rows->lines, section, rows->dwarf->file->swap, error);
	if (status != LOCUS_OK)
		return status;
	reader->dropped[LOCUS_DROPPED_DAMAGED_LINES] += lines->left_open;
	reader->dropped[LOCUS_DROPPED_TOMBSTONE] += lines->tombstone_count;
	reader->dropped[LOCUS_DROPPED_EMPTY_SEQUENCE] += lines->empty_count;
	reader->dropped[LOCUS_DROPPED_BACKWARD_ROW] += lines->backward_count;
	reader->dropped[LOCUS_DROPPED_LONG_LINE] += lines->long_line_count;
	if (!unit_grow_files(rows) || !spans_gather(&reader->spans, lines, reader->shared->linked, reader->dropped) ||
	    !number_files(reader, rows))
		return locus_fail_memory(error);
	return LOCUS_OK;
}

/* Links the scopes of each function; next_of[i] is UINT32_MAX at the end. */
static bool link_functions(struct unit_reader *reader)
{
	const struct scopes *scopes = &reader->scopes;
	uint32_t room = reader->scope_room, next_room = room;
	if (!array_reserve(&reader->local_of, &room, scopes->count, sizeof(*reader->local_of)) ||
	    !array_reserve(&reader->next_of, &next_room, scopes->count, sizeof(*reader->next_of)))
		return false;
	reader->scope_room = room;
	uint32_t *last_of = reader->local_of; /* free until a function's scopes are numbered */
	for (uint32_t i = 0; i < scopes->count; i++) {
		uint32_t function = scopes->scopes[i].function;
		reader->next_of[i] = UINT32_MAX;
		if (function != i)
			reader->next_of[last_of[function]] = i;
		last_of[function] = i;
	}
	return true;
}

/* The scopes of one function as split wants them. */
static bool gather_function(struct unit_reader *reader, uint32_t function, uint32_t *ret_count)
{
	uint32_t count = 0, room = reader->local_room, scope_room = room;
	for (uint32_t i = function; i != UINT32_MAX; i = reader->next_of[i])
		count++;
	if (!array_reserve(&reader->local, &room, count, sizeof(*reader->local)) ||
	    !array_reserve(&reader->scope_of, &scope_room, count, sizeof(*reader->scope_of)))
		return false;
	reader->local_room = room;
	count = 0;
	for (uint32_t i = function; i != UINT32_MAX; i = reader->next_of[i]) {
		const struct scope *scope = &reader->scopes.scopes[i];
		reader->local_of[i] = count;
		reader->scope_of[count] = i;
		reader->local[count++] = (struct split_scope){
			.parent = scope->parent == NO_SCOPE ? 0 : reader->local_of[scope->parent],
			.range_first = scope->range_first,
			.range_count = scope->range_count,
		};
	}
	*ret_count = count;
	return true;
}

static bool same_context(const struct context *a, const struct context *b)
{
	return a->function == b->function && a->caller == b->caller && a->call_file == b->call_file &&
	       a->call_line == b->call_line;
}

/* The function's context that equals `context`, added if there is none yet. slot_mask is of reader->context_slots. */
static bool put_context(struct unit_reader *reader, const struct context *context, uint32_t slot_mask, uint32_t *ret)
{
	uint64_t hash = context->function * UINT64_C(0x9e3779b97f4a7c15) ^
			context->caller * UINT64_C(0xc2b2ae3d27d4eb4f) ^
			((uint64_t)context->call_file << 32 | context->call_line) * UINT64_C(0x165667b19e3779f9);
	uint32_t at = (uint32_t)(hash >> 32) & slot_mask;
	for (; reader->context_slots[at] != UINT32_MAX; at = (at + 1) & slot_mask) {
		uint32_t index = reader->context_slots[at];
		if (same_context(&reader->contexts[index], context)) {
			*ret = index;
			return true;
		}
	}
	if (!array_reserve(&reader->contexts, &reader->context_room, reader->context_count + UINT64_C(1),
			   sizeof(*reader->contexts)))
		return false;
	reader->context_slots[at] = *ret = reader->context_count;
	reader->contexts[reader->context_count++] = *context;
	return true;
}

static bool make_context(struct unit_reader *reader, uint32_t local, uint32_t function, uint32_t slot_mask)
{
	const struct scope *scope = &reader->scopes.scopes[reader->scope_of[local]];
	struct context context = {.function = function, .caller = NO_CONTEXT};
	if (local) {
		context.caller = reader->context_of[reader->local[local].parent];
		struct named named;
		if (!names_function(&reader->names, scope->origin, &named))
			return false;
		context.function = named.function;
		if (scope->call_file != UINT64_MAX)
			context.call_file = files_id(&reader->shared->files, reader->names.unit, scope->call_file,
						     &reader->dropped[LOCUS_DROPPED_BAD_FILE]);
		if (context.call_file == INTERN_FAILED)
			return false;
		context.call_line = scope->call_line; /* RULES C5: 0 where it is missing */
	}
	return put_context(reader, &context, slot_mask, &reader->context_of[local]);
}

/* Numbers the contexts of the scopes that own a segment, and of their callers. The function's own comes first. */
static bool make_contexts(struct unit_reader *reader, uint32_t count, uint32_t function)
{
	enum { UNUSED = 0, USED = 1 };
	uint32_t slots = 8;
	while (slots < 2 * count)
		slots *= 2;
	if (!array_reserve(&reader->context_of, &reader->context_of_room, count, sizeof(*reader->context_of)) ||
	    !array_reserve(&reader->context_slots, &reader->slot_room, slots, sizeof(*reader->context_slots)))
		return false;
	memset(reader->context_slots, 0xff, slots * sizeof(*reader->context_slots));
	for (uint32_t i = 0; i < count; i++)
		reader->context_of[i] = UNUSED;
	reader->context_of[0] = USED;
	for (uint32_t i = 0; i < reader->splitter.segment_count; i++)
		for (uint32_t at = reader->splitter.segments[i].scope; reader->context_of[at] == UNUSED;
		     at = reader->local[at].parent)
			reader->context_of[at] = USED;
	for (uint32_t i = 0; i < count; i++) {
		if (reader->context_of[i] == UNUSED)
			reader->dropped[LOCUS_DROPPED_OUTSIDE_PARENT]++; /* RULES C3 */
		else if (!make_context(reader, i, function, slots - 1))
			return false;
	}
	return true;
}

/* Of more symbols at one address than this the others are not held against a function's name. */
enum { SYMBOLS_TRIED = 256 };

static bool add_covered(struct unit_reader *reader, uint64_t start, uint64_t end)
{
	if (!array_reserve(&reader->covered, &reader->covered_room, reader->covered_count + UINT64_C(1),
			   sizeof(*reader->covered)))
		return false;
	reader->covered[reader->covered_count++] = (struct range){start, end};
	return true;
}

static bool add_piece(struct unit_reader *reader, const struct piece *piece)
{
	if (!array_reserve(&reader->pieces, &reader->piece_room, reader->piece_count + UINT64_C(1),
			   sizeof(*reader->pieces)))
		return false;
	reader->pieces[reader->piece_count++] = *piece;
	return true;
}

/*
 * Whether a symbol is the linkage name of a function called `name` (RULES D3). A mangled one holds plain identifiers as
 * they are, but not operators and template arguments.
 */
static bool symbol_names(const char *symbol, const char *name)
{
	if (strstr(symbol, ".cold")) /* RULES D5: a part, never the function */
		return false;
	name += name[0] == '~';
	size_t stem = strcspn(name, "<");
	if (symbol[0] == '_' && symbol[1] == 'Z' && (!stem || strncmp(name, "operator", 8) == 0))
		return true;
	return stem && memmem(symbol, strlen(symbol), name, stem);
}

/* As symbols_at. */
static const struct symbol *symbols_here(struct unit_reader *reader, uint64_t addr, size_t *ret_count)
{
	if (!reader->symbol || reader->symbol_addr != addr) {
		reader->symbol = symbols_at(reader->shared->symbols, addr, &reader->symbol_count);
		reader->symbol_addr = addr;
	}
	*ret_count = reader->symbol_count;
	return reader->symbol;
}

/*
 * RULES D3: without a linkage name, the symbol that starts at the entry is one if the name is in it, or if there is no
 * name either. Gives the function's id with it, and says where the symbol is just the name.
 */
static bool link_symbol(struct unit_reader *reader, uint64_t entry, const struct named *named, uint32_t *function,
			bool *ret_is_name)
{
	struct function_key key = named->key;
	size_t count;
	const struct symbol *symbol = symbols_here(reader, entry, &count);
	const char *found = NULL;
	*ret_is_name = false;
	if (!named->bare) {
		if (!symbol || strstr(symbol->name, ".cold"))
			return true;
		*ret_is_name = !is_mangled(symbol->name);
		*(*ret_is_name ? &key.name : &key.linkage) = symbol->name;
		*function = intern_put(&reader->shared->functions, &key);
		return *function != INTERN_FAILED;
	}
	for (size_t i = 0; symbol && i < count && i < SYMBOLS_TRIED && !*ret_is_name; i++)
		*ret_is_name = strcmp(symbol[i].name, key.name) == 0;
	for (size_t i = 0; symbol && i < count && i < SYMBOLS_TRIED && !found && !*ret_is_name; i++)
		found = symbol_names(symbol[i].name, named->bare) ? symbol[i].name : NULL;
	if (!found)
		return true;
	key.linkage = found;
	if (found[0] == '_' && found[1] == 'Z')
		key.name = NULL; /* the mangled name says it, as where DWARF has it */
	*function = intern_put(&reader->shared->functions, &key);
	return *function != INTERN_FAILED;
}

/*
 * RULES A6: whether the symbol table has another function at `addr`, and this one elsewhere. Linkers point the debug
 * information of a copy that they dropped at the one they kept, which may be laid out otherwise.
 */
static bool is_misplaced(struct unit_reader *reader, uint64_t addr, const char *linkage)
{
	size_t count, size = strlen(linkage);
	const struct symbol *symbol = symbols_here(reader, addr, &count);
	bool borne = count > SYMBOLS_TRIED;
	for (size_t i = 0; symbol && i < count && !borne; i++)
		borne = symbol_bears(symbol[i].name, linkage, size);
	return symbol && !borne && symbols_have_name(reader->shared->symbols, linkage);
}

/* One contiguous part: `count` segments from `first` on. */
static bool read_part(struct unit_reader *reader, struct piece *piece, uint32_t first, uint32_t count,
		      const struct preference *function_prefer)
{
	const struct segment *segments = reader->splitter.segments + first;
	struct preference prefer = *function_prefer;
	size_t symbol_count;
	piece->start = prefer.start = segments[0].start;
	piece->end = segments[count - 1].end;
	piece->interval_first = reader->intervals.count;
	if (!spans_choose(&reader->spans, reader->lines.rows, piece->start, piece->end, &prefer) ||
	    !split_rows(segments, count, reader->lines.rows, reader->spans.chosen, reader->spans.chosen_count,
			reader->context_of, &reader->intervals))
		return false;
	piece->interval_count = reader->intervals.count - piece->interval_first;
	piece->at_symbol = symbols_here(reader, piece->start, &symbol_count) != NULL;
	piece->row_count = piece->inlinee_count = 0;
	const struct interval *intervals = reader->intervals.intervals + piece->interval_first;
	uint64_t size = piece->end - piece->start;
	for (uint32_t i = 0; i < piece->interval_count; i++) {
		uint64_t end = i + 1 < piece->interval_count ? intervals[i + 1].start : size;
		piece->row_count += intervals[i].line != 0;
		piece->inlinee_count += intervals[i].context != piece->context_first;
		reader->line_bytes += intervals[i].line ? end - intervals[i].start : 0;
	}
	reader->bytes += size;
	return add_piece(reader, piece) && add_covered(reader, piece->start, piece->end);
}

/*
 * The function's entry where DWARF does not say it: the start of a range at which a symbol bears the function's very
 * name, else of the first range. Compilers that split functions may list the cold range first.
 */
static uint64_t guess_entry(struct unit_reader *reader, const struct scope *scope, const struct named *named)
{
	const struct range *ranges = reader->scopes.ranges.ranges + scope->range_first;
	const char *name = named->key.linkage ? named->key.linkage : named->bare;
	for (uint32_t i = 0; name && i < scope->range_count; i++) {
		size_t count;
		const struct symbol *symbol = symbols_here(reader, ranges[i].start, &count);
		for (size_t k = 0; symbol && k < count && k < SYMBOLS_TRIED; k++)
			if (strcmp(symbol[k].name, name) == 0)
				return ranges[i].start;
	}
	return ranges[0].start;
}

static bool read_function(struct unit_reader *reader, uint32_t index, uint32_t unit_index)
{
	const struct scope *scope = &reader->scopes.scopes[index];
	struct splitter *splitter = &reader->splitter;
	struct piece piece = {.die = scope->die, .unit_index = unit_index, .is_function = true};
	struct named named;
	uint32_t count, function;
	bool symbol_is_name = false;
	if (!gather_function(reader, index, &count) ||
	    !split_scopes(splitter, reader->local, count, reader->scopes.ranges.ranges) ||
	    !names_function(&reader->names, scope->origin, &named))
		return false;
	function = named.function;
	if (!splitter->segment_count)
		return true;
	uint64_t entry = scope->entry != UINT64_MAX ? scope->entry : guess_entry(reader, scope, &named);
	piece.has_linkage = named.key.linkage != NULL;
	if (!named.key.linkage && !link_symbol(reader, entry, &named, &function, &symbol_is_name))
		return false;
	piece.context_first = reader->context_count;
	if (!make_contexts(reader, count, function))
		return false;
	piece.context_count = reader->context_count - piece.context_first;
	struct preference prefer = {scope->stmt_sequence, named.key.decl_file, named.key.decl_line, 0};
	bool any_entry = false;
	for (uint32_t i = 0; i < splitter->segment_count; i++)
		any_entry |= entry >= splitter->segments[i].start && entry < splitter->segments[i].end;
	for (uint32_t first = 0, end; first < splitter->segment_count; first = end) {
		struct segment *segments = splitter->segments;
		/* No code is that long: a piece's intervals count in 32 bits. */
		if (segments[first].end - segments[first].start > UINT32_MAX) {
			segments[first].end = segments[first].start + UINT32_MAX;
			reader->dropped[LOCUS_DROPPED_CLIPPED]++;
		}
		for (end = first + 1; end < splitter->segment_count; end++)
			if (segments[end].start != segments[end - 1].end ||
			    segments[end].end - segments[first].start > UINT32_MAX)
				break;
		piece.is_entry =
			any_entry ? entry >= segments[first].start && entry < segments[end - 1].end : first == 0;
		piece.symbol_is_name = symbol_is_name && piece.is_entry;
		piece.is_misplaced = piece.is_entry && named.key.linkage &&
				     is_misplaced(reader, segments[first].start, named.key.linkage);
		if (!read_part(reader, &piece, first, end - first, &prefer))
			return false;
	}
	return true;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* A piece of rows that no function of the unit covers (RULES B14). */
static bool read_orphan(struct unit_reader *reader, uint64_t start, uint64_t end, uint32_t unit_index)
{
	uint32_t context = 0;
	struct segment segment = {start, end, 0};
	struct preference prefer = {.stmt_sequence = UINT64_MAX, .start = start};
	if (end - start > UINT32_MAX)
		end = segment.end = start + UINT32_MAX;
	if (!array_reserve(&reader->contexts, &reader->context_room, reader->context_count + UINT64_C(1),
			   sizeof(*reader->contexts)))
		return false;
	context = reader->context_count++;
	reader->contexts[context] = (struct context){.function = FUNCTION_UNKNOWN, .caller = NO_CONTEXT};
	struct piece piece = {
		.start = start,
		.end = end,
		.die = UINT64_MAX,
		.unit_index = unit_index,
		.interval_first = reader->intervals.count,
		.context_first = context,
		.context_count = 1,
	};
	if (!spans_choose(&reader->spans, reader->lines.rows, start, end, &prefer) ||
	    !split_rows(&segment, 1, reader->lines.rows, reader->spans.chosen, reader->spans.chosen_count, &context,
			&reader->intervals))
		return false;
	piece.interval_count = reader->intervals.count - piece.interval_first;
	return add_piece(reader, &piece);
}

/* What is left of the sequences once the functions are taken out. */
static bool read_orphans(struct unit_reader *reader, uint32_t unit_index)
{
	uint32_t next = 0;
	uint64_t done = 0;
	sort_by_address(reader->covered, reader->covered_count, sizeof(*reader->covered), compare_ranges);
	for (uint32_t i = 0; i < reader->spans.count; i++) {
		uint64_t at = reader->spans.spans[i].span.start, end = reader->spans.spans[i].span.end;
		at = at > done ? at : done;
		while (at < end) {
			while (next < reader->covered_count && reader->covered[next].end <= at)
				next++;
			bool more = next < reader->covered_count;
			uint64_t until = more && reader->covered[next].start < end ? reader->covered[next].start : end;
			if (at < until && !read_orphan(reader, at, until, unit_index))
				return false;
			at = more && reader->covered[next].start < end ? reader->covered[next].end : end;
		}
		done = at > done ? at : done;
	}
	return true;
}

static void *copy_of(struct arena *arena, const void *data, size_t size)
{
	void *copy = arena_take(arena, size);
	if (copy && size)
		memcpy(copy, data, size);
	return copy;
}

/* Copies the result out of the reused memory. */
static enum locus_status hand_over(struct unit_reader *reader, const char *name, struct unit_result **ret,
				   struct locus_error *error)
{
	struct arena *arena = &reader->arena;
	const struct interval_list *list = &reader->intervals;
	struct unit_result made = {
		.intervals = copy_of(arena, list->intervals, list->count * sizeof(*list->intervals)),
		.contexts = copy_of(arena, reader->contexts, reader->context_count * sizeof(*reader->contexts)),
		.name = name ? copy_of(arena, name, strlen(name) + 1) : NULL,
		.bytes = reader->bytes,
		.line_bytes = reader->line_bytes,
	};
	struct unit_result *result = copy_of(arena, &made, sizeof(made));
	if (!made.intervals || !made.contexts || (name && !made.name) || !result)
		return locus_fail_memory(error);
	for (uint32_t i = reader->piece_first; i < reader->piece_count; i++)
		reader->pieces[i].unit = result;
	*ret = result;
	return LOCUS_OK;
}

static void begin_unit(struct unit_reader *reader)
{
	reader->intervals.count = 0;
	reader->piece_first = reader->piece_count;
	reader->context_count = reader->covered_count = 0;
	reader->bytes = reader->line_bytes = 0;
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
	names_begin(&reader->names, unit, &reader->scopes);
	bool memory = link_functions(reader);
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
