/*
 * Each rule is written here as plainly as in RULES.md: who holds the address, which row, which inlinees, which name.
 * Whoever may answer is asked one after the other, until one agrees with the claim.
 */
#include "convert/cross_check/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "convert/cross_check/padding.h"
#include "convert/cross_check/source_place.h"

/* ---- What is said, in words ---- */

static void forget(struct verdict *verdict)
{
	verdict->agrees = false;
	verdict->used = 0;
}

static void say(struct verdict *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends as much as there is room for. */
static void say(struct verdict *verdict, const char *format, ...)
{
	va_list arguments;
	if (verdict->used >= verdict->size)
		return;
	va_start(arguments, format);
	int size = vsnprintf(verdict->text + verdict->used, verdict->size - verdict->used, format, arguments);
	va_end(arguments);
	verdict->used += size > 0 ? (size_t)size : 0;
	budget_spend(verdict->used / BUDGET_BYTES_PER_STEP); /* all of the name was formatted, although it may be cut */
}

/* The frame of a function; columns are said where the file has them. */
static void say_frame(struct verdict *verdict, const struct dwarf_name *name, const struct source_place *place)
{
	const char *shown = name->linkage ? name->linkage : name->qualified ? name->qualified : name->name;
	say(verdict, "%s%s", verdict->used ? ", inlined into " : "", shown ? shown : "(no name)");
	if (dwarf_name_beside_linkage(name))
		say(verdict, " (%s)", dwarf_name_beside_linkage(name));
	say(verdict, " at %s:%u", place->path ? place->path : "??", (unsigned)place->line);
	if (place->column && verdict->claim->has_columns)
		say(verdict, ":%u", (unsigned)place->column);
}

/* Behind the outermost frame: where the part of the function starts, from which offsets in it are counted. */
static void say_start(struct verdict *verdict, uint64_t start)
{
	say(verdict, ", which starts at 0x%llx", (unsigned long long)start);
}

/* ---- A function that holds the address ---- */

/* Where the opened function may be entered: as its DIE says, or where its parts start, the one at hand first. */
static struct entry_points entries_of(const struct evidence *evidence, uint64_t part_start)
{
	const struct tree_node *root = &evidence->tree.nodes[0];
	struct entry_points entries = {.symbols = &evidence->symbols, .first = part_start};
	if (tree_given_entry(&evidence->tree, &entries.first))
		return entries;
	entries.parts = evidence->tree.ranges + root->range_first;
	entries.part_count = root->range_count;
	return entries;
}

/* The name of a node, which one that is too deep has not. NULL: out of memory. */
static const struct dwarf_name *name_of(struct evidence *evidence, struct tree_node *node)
{
	static const struct dwarf_name none;
	return node->depth > TREE_DEPTH_MAX ? &none : dwarf_name_get(&evidence->names, &node->die);
}

/* Judges frame `index` of the answer against a node of the tree, whose place is given. False: out of memory. */
static bool judge_frame(struct verdict *verdict, size_t index, struct tree_node *node, const struct source_place *place,
			uint64_t part_start)
{
	struct evidence *evidence = verdict->evidence;
	const struct locus_claim *claim = verdict->claim;
	const struct locus_claimed_frame *frame = index < claim->frame_count ? &claim->frames[index] : NULL;
	bool is_outermost = node->parent == TREE_NO_NODE;
	const struct entry_points entries = entries_of(evidence, part_start);
	const struct dwarf_name *name = name_of(evidence, node);
	if (!name)
		return false;
	say_frame(verdict, name, place);
	if (is_outermost)
		say_start(verdict, part_start);
	verdict->agrees &=
		frame && source_place_is(place, claim, frame) &&
		dwarf_name_is(name, &(struct claimed_name){frame->function, frame->linkage, is_outermost}, &entries) &&
		(!is_outermost ||
		 (index + 1 == claim->frame_count && !claim->is_symbol && claim->part_start == part_start));
	return true;
}

/* Judges all frames against the opened function, with `row` as the innermost place; NULL: that is unknown. */
static bool judge_frames(struct verdict *verdict, const struct plain_row *row, const struct span *part)
{
	struct evidence *evidence = verdict->evidence;
	const struct locus_claim *claim = verdict->claim;
	struct tree *tree = &evidence->tree;
	const uint64_t part_start = tree_part_start(tree, part);
	uint32_t unit = tree->functions[part->item].unit;
	const struct tree_node *node = tree_innermost(tree, claim->address);
	if (!node)
		return false;
	struct source_file file = row ? source_file_of_unit(evidence, unit, row->file) : (struct source_file){0};
	struct source_place place;
	bool memory = source_place_make(evidence, &file, row ? row->line : 0, row ? row->column : 0, &place);
	for (size_t i = 0; memory; i++) {
		memory = judge_frame(verdict, i, &tree->nodes[node - tree->nodes], &place, part_start);
		if (node->parent == TREE_NO_NODE || !memory)
			break;

		/* The caller's place is where it calls this node. */
		bool is_known = node->call_file != UINT64_MAX;
		file = is_known ? source_file_of_unit(evidence, unit, node->call_file) : (struct source_file){0};
		source_place_done(&place);
		memory = source_place_make(evidence, &file, node->call_line, node->call_column, &place);
		node = &tree->nodes[node->parent];
	}
	source_place_done(&place);
	return memory;
}

/* Whether the row may be that of the answer's innermost frame, as its line tells if it has one. */
static bool may_be_of(const struct table_row *row, const struct locus_claim *claim)
{
	const uint32_t line = claim->frame_count ? claim->frames[0].line : 0;
	return !line || row->row.line == line;
}

/*
 * A function that holds the address answers with any of its unit's rows there, or without one where there is none. Of
 * rows that cannot be the answer's only the last is asked, for what it says: there may be thousands, for each of as
 * many functions.
 */
static bool judge_function(struct verdict *verdict, const struct span *part)
{
	struct evidence *evidence = verdict->evidence;
	const struct locus_claim *claim = verdict->claim;
	struct table_rows *rows = &evidence->rows;
	const struct tree_unit *unit = &evidence->tree.units[evidence->tree.functions[part->item].unit];
	uint32_t table = line_tables_find(&evidence->lines, unit->line_offset);
	rows->count = 0;
	bool memory = tree_open(&evidence->tree, part->item) &&
		      (table == UINT32_MAX || line_tables_rows_of(&evidence->lines, table, claim->address, rows));
	for (uint32_t i = 0; memory && !verdict->agrees && i < (rows->count ? rows->count : 1); i++) {
		if (i + 1 < rows->count && !may_be_of(&rows->rows[i], claim))
			continue;
		forget(verdict);
		verdict->agrees = true;
		memory = judge_frames(verdict, rows->count ? &rows->rows[i].row : NULL, part);
	}
	return memory;
}

/* ---- Where a function is, by its symbols ---- */

/* RULES C2: the entry of the opened function, which has this name. */
static uint64_t entry_of(const struct evidence *evidence, const struct dwarf_name *name)
{
	const struct tree *tree = &evidence->tree;
	const struct range *ranges = tree->ranges + tree->nodes[0].range_first;
	uint64_t entry;
	if (tree_given_entry(tree, &entry))
		return entry;
	for (uint32_t i = 0; i < tree->nodes[0].range_count; i++)
		if (dwarf_name_is_at(name, &evidence->symbols, ranges[i].start))
			return ranges[i].start;
	for (uint32_t i = 0; i < tree->nodes[0].range_count; i++)
		if (dwarf_name_has_clone_at(name, &evidence->symbols, ranges[i].start))
			return ranges[i].start;
	return tree->nodes[0].range_count ? ranges[0].start : UINT64_MAX;
}

/* RULES A2: whether a function must have its symbol at `addr`, and has not. `has_others`: other functions have. */
static bool lacks_symbol(const struct symbols *symbols, uint64_t addr, bool has_others)
{
	size_t count;
	return symbols_must_have(symbols, addr) && (has_others || !symbols_at(symbols, addr, &count));
}

/* What the symbols at a part's start say of its function, if the function's entry is in the part; else all is false. */
struct part_place {
	bool has_others;   /* all of them are of other functions (RULES C7) */
	bool is_misplaced; /* the same, and its own symbol is elsewhere: the linker dropped this copy (RULES A6) */
	bool is_dropped;   /* its own symbol is missing, and must be there: the linker dropped it (RULES A2) */
};

/* False, and then *ret says nothing: out of memory. */
static bool find_place(struct evidence *evidence, const struct span *part, struct part_place *ret)
{
	const struct dwarf_name *name = dwarf_name_get(&evidence->names, &evidence->tree.functions[part->item].die);
	*ret = (struct part_place){0};
	if (!name)
		return false;
	const bool has_others = dwarf_name_has_others_at(name, &evidence->symbols, part->start);
	const bool is_absent = lacks_symbol(&evidence->symbols, part->start, has_others);
	if (!has_others && !is_absent)
		return true;
	if (!tree_open(&evidence->tree, part->item))
		return false;
	uint64_t entry = entry_of(evidence, name);
	const bool is_entry = part->start <= entry && entry < part->end;
	ret->has_others = is_entry && has_others;
	ret->is_misplaced = ret->has_others && dwarf_name_is_anywhere(name, &evidence->symbols);
	ret->is_dropped = is_entry && is_absent;
	return true;
}

/* Notes which line table a function has that was dropped. */
static void note_dropped(struct evidence *evidence, uint32_t function)
{
	const struct tree_unit *unit = &evidence->tree.units[evidence->tree.functions[function].unit];
	const uint32_t table = line_tables_find(&evidence->lines, unit->line_offset);
	if (table != UINT32_MAX)
		evidence->has_dropped[table] = true;
}

/*
 * RULES A2: finds the functions that were dropped, which begin below all others, or have no bytes. False: out of
 * memory, or beyond the budget.
 */
static bool find_dropped(struct evidence *evidence)
{
	const struct tree *tree = &evidence->tree;
	const struct span_index *parts = &tree->parts;
	bool memory = (evidence->has_dropped = calloc(evidence->lines.count, sizeof(*evidence->has_dropped))) != NULL;
	for (uint32_t i = 0; memory && i < parts->count && parts->spans[i].start <= 1; i++) {
		struct part_place place;
		memory = find_place(evidence, &parts->spans[i], &place);
		if (memory && place.is_dropped)
			note_dropped(evidence, parts->spans[i].item);
	}

	for (uint32_t i = 0; memory && i < tree->bare_count; i++) {
		const struct dwarf_name *name = dwarf_name_get(&evidence->names, &tree->functions[tree->bare[i]].die);
		memory = name != NULL;
		if (memory &&
		    lacks_symbol(&evidence->symbols, 0, dwarf_name_has_others_at(name, &evidence->symbols, 0)))
			note_dropped(evidence, tree->bare[i]);
	}
	return memory;
}

/* Whether the row is that of a function which was dropped (RULES A2). False, and *ret says nothing: out of memory. */
static bool check_dropped(struct evidence *evidence, const struct table_row *row, bool *ret)
{
	const struct kept_table *kept = line_tables_get(&evidence->lines, row->table);
	if (!kept)
		return false;
	const bool is_low = kept->rows.sequences[row->sequence].start <= 1;
	if (is_low && !evidence->has_dropped && !find_dropped(evidence))
		return false;
	*ret = is_low && evidence->has_dropped[row->table];
	return true;
}

/* ---- No function holds the address ---- */

static bool is_named(const struct locus_claimed_frame *frame, const struct symbol *symbol)
{
	const char *shown = frame->linkage ? frame->linkage : frame->function;
	if (!symbol)
		return !shown;
	return shown && strcmp(shown, symbol->name) == 0 &&
	       (!frame->linkage || !frame->function || strcmp(frame->linkage, frame->function) == 0);
}

/* RULES E1, E3: the symbol alone, with the file of a local one. */
static bool judge_symbol(struct verdict *verdict, const struct symbol *symbol)
{
	struct evidence *evidence = verdict->evidence;
	const struct locus_claim *claim = verdict->claim;
	const struct source_file file = {.name = symbol->file ? evidence->symbols.files[symbol->file - 1].name : NULL};
	const struct dwarf_name name = {.linkage = symbol->name};
	struct source_place place;
	bool memory = source_place_make(evidence, &file, 0, 0, &place);
	if (memory) {
		say_frame(verdict, &name, &place);
		say_start(verdict, symbol->addr);
		verdict->agrees = claim->frame_count == 1 && claim->is_symbol && claim->part_start == symbol->addr &&
				  source_place_is(&place, claim, &claim->frames[0]) &&
				  is_named(&claim->frames[0], symbol);
	}
	source_place_done(&place);
	return memory;
}

/* RULES B14: a row that no function covers, named by a symbol where there is one. */
static bool judge_orphan_row(struct verdict *verdict, const struct table_row *row, const struct symbol *symbol)
{
	struct evidence *evidence = verdict->evidence;
	const struct locus_claim *claim = verdict->claim;
	const struct dwarf_name name = {.linkage = symbol ? symbol->name : NULL};
	const struct source_file file = source_file_of_table(evidence, row->table, row->row.file);
	struct source_place place;
	bool memory = source_place_make(evidence, &file, row->row.line, row->row.column, &place);
	if (memory) {
		say_frame(verdict, &name, &place);
		if (symbol)
			say_start(verdict, symbol->addr);
		verdict->agrees = claim->frame_count == 1 && source_place_is(&place, claim, &claim->frames[0]) &&
				  is_named(&claim->frames[0], symbol) && (!symbol || claim->part_start == symbol->addr);
	}
	source_place_done(&place);
	return memory;
}

/* A row answers with its place, but where it is another function's and the symbol stands in the padding behind that. */
static bool judge_row(struct verdict *verdict, const struct table_row *row, const struct symbol *symbol)
{
	struct evidence *evidence = verdict->evidence;
	const struct locus_claim *claim = verdict->claim;
	bool is_padding = false;
	if (symbol && !padding_check(evidence, row, symbol, claim, &is_padding))
		return false;
	return is_padding ? judge_symbol(verdict, symbol) : judge_orphan_row(verdict, row, symbol);
}

/* Asks the rows of any table, and the symbols where there are none. False: out of memory. */
static bool judge_without_function(struct verdict *verdict)
{
	struct evidence *evidence = verdict->evidence;
	const struct locus_claim *claim = verdict->claim;
	struct table_rows *rows = &evidence->rows;
	const struct symbol *symbol = evidence_symbol_at(evidence, claim->address);
	rows->count = 0;
	bool memory = line_tables_rows_at(&evidence->lines, claim->address, rows), any = false;
	for (uint32_t i = 0; memory && !verdict->agrees && i < rows->count; i++) {
		bool is_dropped;
		memory = check_dropped(evidence, &rows->rows[i], &is_dropped);
		if (!memory || is_dropped)
			continue;
		any = true;
		forget(verdict);
		memory = judge_row(verdict, &rows->rows[i], symbol);
	}
	if (!memory || any)
		return memory;
	if (symbol)
		return judge_symbol(verdict, symbol);
	say(verdict, "nothing");
	verdict->agrees = claim->frame_count == 0;
	return true;
}

/* ---- Who is asked ---- */

/* Whether the answer's outermost frame is of the function of this part, as its linkage name says. */
static bool is_claimed(const struct locus_claim *claim, const struct dwarf_name *name)
{
	const char *linkage = claim->frame_count ? claim->frames[claim->frame_count - 1].linkage : NULL;
	return linkage && name->linkage && strcmp(linkage, name->linkage) == 0;
}

/*
 * Where all functions that hold the address are misplaced, one of them answers nevertheless. There may be thousands, so
 * only those with the answer's name are asked, and none that was dropped (RULES A2): these begin below all others.
 * False: out of memory, or beyond the budget.
 */
static bool judge_misplaced(struct verdict *verdict)
{
	struct evidence *evidence = verdict->evidence;
	const struct locus_claim *claim = verdict->claim;
	const struct span_index *parts = &evidence->tree.parts;
	bool memory = true;
	for (uint32_t i = span_index_count_below(parts, claim->address);
	     memory && !verdict->agrees && i-- > 0 && parts->spans[i].reach > claim->address &&
	     !symbols_must_have(&evidence->symbols, parts->spans[i].start);) {
		const struct span *part = &parts->spans[i];
		memory = budget_count(&evidence->tree.uncounted, 1);
		if (!memory || part->end <= claim->address)
			continue;
		const struct dwarf_name *name =
			dwarf_name_get(&evidence->names, &evidence->tree.functions[part->item].die);
		memory = name && (!is_claimed(claim, name) || judge_function(verdict, part));
	}
	return memory;
}

/* Whether one of the functions that were found is of a unit with this line table. */
static bool has_function(const struct evidence *evidence, uint32_t table)
{
	const struct placed_parts *placed = &evidence->placed;
	const struct tree *tree = &evidence->tree;
	bool any = false;
	budget_spend(placed->found_count);
	for (uint32_t i = 0; i < placed->found_count && !any; i++) {
		const struct span *part = &tree->parts.spans[placed->found[i]];
		const struct tree_unit *unit = &tree->units[tree->functions[part->item].unit];
		any = line_tables_find(&evidence->lines, unit->line_offset) == table;
	}
	return any;
}

/* RULES C7: asks the rows of units that have no function here. False: out of memory. */
static bool judge_rows_alone(struct verdict *verdict)
{
	struct evidence *evidence = verdict->evidence;
	const struct locus_claim *claim = verdict->claim;
	struct table_rows *rows = &evidence->rows;
	const struct symbol *symbol = evidence_symbol_at(evidence, claim->address);
	rows->count = 0;
	bool memory = claim->frame_count != 1 || line_tables_rows_at(&evidence->lines, claim->address, rows);
	for (uint32_t i = 0; memory && !verdict->agrees && i < rows->count; i++) {
		if (!may_be_of(&rows->rows[i], claim) || has_function(evidence, rows->rows[i].table))
			continue;
		forget(verdict);
		memory = judge_row(verdict, &rows->rows[i], symbol);
	}
	return memory;
}

/* Asks rows, and then the first `count` functions that were found, at whose entries there are others' symbols. */
static bool judge_at_others(struct verdict *verdict, uint32_t count)
{
	struct evidence *evidence = verdict->evidence;
	bool memory = !count || judge_rows_alone(verdict);
	for (uint32_t i = 0; memory && !verdict->agrees && i < count; i++) {
		forget(verdict);
		memory = judge_function(verdict, &evidence->tree.parts.spans[evidence->placed.found[i]]);
	}
	return memory;
}

/* Exchanges two of the parts that were found. */
static void exchange(struct placed_parts *placed, uint32_t a, uint32_t b)
{
	uint32_t kept = placed->found[a];
	placed->found[a] = placed->found[b];
	placed->found[b] = kept;
}

/*
 * Asks the functions that hold the address, the first unit's first, but those at others' symbols last, and else what is
 * known without one. A linker may have kept one of thousands of copies.
 */
static bool judge_code(struct verdict *verdict)
{
	struct evidence *evidence = verdict->evidence;
	struct placed_parts *placed = &evidence->placed;
	const struct span_index *parts = &evidence->tree.parts;
	bool any_placed = false;
	uint32_t at_others = 0; /* number of these, which become the first of those that were found */
	bool memory = placed_parts_find(placed, parts, verdict->claim->address);
	for (uint32_t i = 0; memory && !verdict->agrees && i < placed->found_count; i++) {
		const struct span *part = &parts->spans[placed->found[i]];
		struct part_place place;
		memory = find_place(evidence, part, &place);
		const bool is_passed = place.is_dropped || (place.is_misplaced && !placed->is_only);
		if (memory && is_passed) {
			placed_parts_note_misplaced(placed, placed->found[i]);
			continue;
		}
		any_placed |= !place.is_misplaced;
		if (place.has_others) {
			exchange(placed, at_others++, i);
		} else if (memory) {
			forget(verdict);
			memory = judge_function(verdict, part);
		}
	}
	if (memory && !verdict->agrees)
		memory = judge_at_others(verdict, at_others);

	if (!memory || verdict->agrees || any_placed)
		return memory;
	if (!placed->is_only)
		memory = judge_misplaced(verdict);
	if (!memory || verdict->agrees)
		return memory;
	forget(verdict);
	return judge_without_function(verdict);
}

bool verdict_reach(struct verdict *verdict)
{
	const struct locus_claim *claim = verdict->claim;
	if (verdict->size)
		verdict->text[0] = 0;
	if (elf_file_exec(verdict->evidence->program, claim->address))
		return judge_code(verdict);
	verdict->agrees = claim->frame_count == 0;
	say(verdict, "nothing: it is no code");
	return true;
}
