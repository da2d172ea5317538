/*
 * The witness. Nothing of what it finds at one address is kept for the next but the tables that it was found in, so
 * that each rule stands here as plainly as in RULES.md: who holds the address, which row, which inlinees, which name.
 */
#include <dwarf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/path.h"
#include "convert/input_files.h"
#include "convert/program_symbols.h"
#include "convert/witness/libdw_names.h"
#include "convert/witness/libdw_tree.h"
#include "convert/witness/plain_rows.h"

enum {
	TABLES_KEPT = 16,
	NAMES_KEPT = 4096,
	CLAIMS_MAX = 4096, /* functions at one address: a linker may have kept one of many copies */
	ROWS_MAX = 64,     /* sequences of rows at one address */
	ENTRIES_MAX = 64,
};

/* A line table. */
struct table {
	uint64_t offset;
	uint32_t unit;      /* that refers to it first; UINT32_MAX: none does */
	Dwarf_Files *files; /* where no unit does */
	size_t file_count;
};

/* A table whose rows are there. */
struct kept_table {
	struct plain_rows rows;
	struct span_index sequences; /* of it */
	uint32_t table;              /* UINT32_MAX: none is */
	uint64_t used;               /* when: the number of that use */
};

/* What was said of a DIE's name: the same ones are asked for again and again. */
struct kept_name {
	const void *die; /* where its bytes are; NULL: nothing is kept */
	struct said_name name;
};

struct locus_witness {
	struct input_files files;
	struct elf_file *mini;
	struct symbols symbols;
	int fd, alternate_fd; /* of the files that libdw reads; -1: none */
	Dwarf *dwarf;
	Dwarf *alternate;
	struct tree tree;
	struct line_bytes lines;
	struct table *tables; /* by offset */
	uint32_t table_count, table_room;
	struct span_index sequences; /* by table: those that begin in executable code */
	struct span_index names;     /* by symbol: what it names, if nothing else does */
	struct kept_table kept[TABLES_KEPT];
	struct kept_name names_kept[NAMES_KEPT];
	uint64_t rows_asked;
	const char *const *maps; /* "OLD=NEW", borrowed */
	size_t map_count;
};

/* ---- Line tables ---- */

static struct table *find_table(const struct locus_witness *w, uint64_t offset)
{
	uint32_t low = 0, high = w->table_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (w->tables[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < w->table_count && w->tables[low].offset == offset ? &w->tables[low] : NULL;
}

/* Finds the section, which libdw has inflated if it was compressed. */
static void find_line_bytes(struct locus_witness *w)
{
	size_t names;
	Elf *elf = dwarf_getelf(w->dwarf);
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	w->lines.swap = w->files.program->swap;
	w->lines.addr_size = w->files.program->class == ELFCLASS64 ? 8 : 4;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name = gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;
		bool is_it = name && (strcmp(name, ".debug_line") == 0 || strcmp(name, ".zdebug_line") == 0);
		Elf_Data *data = is_it && shdr.sh_type != SHT_NOBITS ? elf_getdata(scn, NULL) : NULL;
		if (data && data->d_buf) {
			w->lines.data = data->d_buf;
			w->lines.size = data->d_size;
		}
	}
}

/* RULES A1: a sequence counts where it begins in executable code, up to the end of that. */
static bool add_sequences(struct locus_witness *w, const struct plain_rows *rows, uint32_t table)
{
	bool memory = true;
	for (uint32_t i = 0; memory && i < rows->sequence_count; i++) {
		const struct plain_sequence *sequence = &rows->sequences[i];
		const struct exec_range *exec = elf_file_exec(w->files.program, sequence->start);
		uint64_t end = exec && exec->end < sequence->end ? exec->end : sequence->end;
		if (exec)
			memory = span_index_add(&w->sequences, sequence->start, end, table);
	}
	return memory;
}

static enum locus_status read_tables(struct locus_witness *w, struct locus_error *error)
{
	struct plain_rows rows = {0};
	bool memory = true, is_known;
	find_line_bytes(w);
	for (uint64_t at = 0, next; memory && at < w->lines.size; at = next) {
		memory = plain_rows_read(&rows, &w->lines, at, &next, &is_known) &&
			 array_reserve(&w->tables, &w->table_room, w->table_count + UINT64_C(1), sizeof(*w->tables));
		if (memory) {
			w->tables[w->table_count] = (struct table){.offset = at, .unit = UINT32_MAX};
			memory = add_sequences(w, &rows, w->table_count++);
		}
	}
	plain_rows_done(&rows);
	for (uint32_t i = w->tree.unit_count; i-- > 0;) {
		struct table *table = find_table(w, w->tree.units[i].line_offset);
		if (table)
			table->unit = i;
	}
	span_index_sort(&w->sequences);
	return memory ? LOCUS_OK : locus_fail_memory(error);
}

static bool load_rows(const struct locus_witness *w, struct kept_table *kept)
{
	uint64_t next;
	bool is_known;
	kept->sequences.count = 0;
	bool memory = plain_rows_read(&kept->rows, &w->lines, w->tables[kept->table].offset, &next, &is_known);
	for (uint32_t i = 0; memory && i < kept->rows.sequence_count; i++)
		memory =
			span_index_add(&kept->sequences, kept->rows.sequences[i].start, kept->rows.sequences[i].end, i);
	span_index_sort(&kept->sequences);
	return memory;
}

/* A table with its rows, until as many others were asked for; NULL: out of memory. */
static const struct kept_table *rows_of(struct locus_witness *w, uint32_t table)
{
	struct kept_table *oldest = &w->kept[0];
	for (unsigned i = 0; i < TABLES_KEPT; i++) {
		struct kept_table *kept = &w->kept[i];
		if (kept->table == table) {
			kept->used = ++w->rows_asked;
			return kept;
		}
		if (kept->used < oldest->used)
			oldest = kept;
	}
	oldest->table = table;
	oldest->used = ++w->rows_asked;
	return load_rows(w, oldest) ? oldest : NULL;
}

/* ---- Paths ---- */

/* RULES F4. Takes over `path`. */
static char *map_path(const struct locus_witness *w, char *path)
{
	const char *best = NULL;
	size_t best_size = 0;
	for (size_t i = 0; i < w->map_count; i++) {
		const char *map = w->maps[i];
		size_t size = strcspn(map, "=");
		bool applies = strncmp(path, map, size) == 0 &&
			       (path[size] == 0 || path[size] == '/' || path[size] == '\\' || map[size - 1] == '/');
		if (size > best_size && applies) {
			best = map;
			best_size = size;
		}
	}
	char *mapped = NULL;
	if (!best)
		return path;
	if (asprintf(&mapped, "%s%s", best + best_size + 1, path + best_size) < 0)
		mapped = NULL;
	free(path);
	return mapped;
}

/* A file's name as libdw gives it, and the directory of its compilation; both borrowed, NULL: unknown. */
struct source_file {
	const char *name;
	const char *directory;
};

/* The path of a file as it is shown, malloc'd; NULL: no memory. `directory` may be NULL. */
static char *shown_path(const struct locus_witness *w, const char *directory, const char *name)
{
	const char *parts[] = {directory, name};
	char *joined = path_join(parts, 2);
	return joined ? map_path(w, joined) : NULL;
}

/*
 * RULES F1. What is relative is in the directory of its compilation, unless libdw has put that in front already, which
 * it does for some versions of DWARF, and which a relative directory does not show.
 */
static bool paths_make(const struct locus_witness *w, const struct source_file *file, char *ret[2])
{
	ret[0] = ret[1] = NULL;
	if (!file->name || !*file->name)
		return true;
	ret[0] = shown_path(w, NULL, file->name);
	ret[1] = shown_path(w, file->directory, file->name);
	return ret[0] && ret[1];
}

static bool load_files(struct locus_witness *w, uint32_t unit_index)
{
	struct tree_unit *unit = &w->tree.units[unit_index];
	if (!unit->files && dwarf_getsrcfiles(&unit->die, &unit->files, &unit->file_count) != 0)
		unit->file_count = 0;
	return unit->files != NULL;
}

/* RULES B11: the file of an index in the unit's table. */
static struct source_file unit_file(struct locus_witness *w, uint32_t unit_index, uint64_t index)
{
	struct tree_unit *unit = &w->tree.units[unit_index];
	Dwarf_Attribute attribute;
	if (!load_files(w, unit_index) || index >= unit->file_count || (index == 0 && unit->version < 5))
		return (struct source_file){0};
	return (struct source_file){
		.name = dwarf_filesrc(unit->files, index, NULL, NULL),
		.directory = dwarf_formstring(dwarf_attr(&unit->die, DW_AT_comp_dir, &attribute)),
	};
}

/* The same of a table, which may have no unit. */
static struct source_file table_file(struct locus_witness *w, uint32_t table_index, uint64_t index)
{
	struct table *table = &w->tables[table_index];
	Dwarf_Off next;
	Dwarf_CU *cu = NULL;
	Dwarf_Lines *lines;
	size_t line_count;
	if (table->unit != UINT32_MAX)
		return unit_file(w, table->unit, index);
	if (!table->files && dwarf_next_lines(w->dwarf, table->offset, &next, &cu, &table->files, &table->file_count,
					      &lines, &line_count) != 0)
		table->file_count = 0;
	bool is_known = table->files && index < table->file_count;
	return (struct source_file){.name = is_known ? dwarf_filesrc(table->files, index, NULL, NULL) : NULL};
}

/* ---- What is said of an address ---- */

/* A place in the source. */
struct place {
	char *paths[2]; /* owned: either is right; NULL: unknown */
	uint32_t line;
	uint32_t column;
};

static uint32_t small(uint64_t number)
{
	return number < UINT32_MAX ? (uint32_t)number : 0;
}

static void place_done(struct place *place)
{
	free(place->paths[0]);
	free(place->paths[1]);
	*place = (struct place){0};
}

/* False: out of memory. */
static bool place_make(const struct locus_witness *w, const struct source_file *file, uint64_t line, uint64_t column,
		       struct place *ret)
{
	*ret = (struct place){.line = small(line)};
	ret->column = ret->line ? small(column) : 0;
	return paths_make(w, file, ret->paths);
}

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : !a && !b;
}

static bool place_is(const struct place *place, const struct locus_told *told, const struct locus_told_frame *frame)
{
	return (is_same_text(place->paths[0], frame->path) || is_same_text(place->paths[1], frame->path)) &&
	       place->line == frame->line && (!told->has_columns || place->column == frame->column);
}

/* A text that grows to what there is room for. */
struct saying {
	char *text;
	size_t size, used;
};

static void say(struct saying *saying, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct saying *saying, const char *format, ...)
{
	va_list arguments;
	if (saying->used >= saying->size)
		return;
	va_start(arguments, format);
	int size = vsnprintf(saying->text + saying->used, saying->size - saying->used, format, arguments);
	va_end(arguments);
	saying->used += size > 0 ? (size_t)size : 0;
}

static void say_frame(struct saying *saying, const struct said_name *name, const struct place *place)
{
	const char *shown = name->linkage ? name->linkage : name->qualified ? name->qualified : name->name;
	say(saying, "%s%s at %s:%u", saying->used ? ", inlined into " : "", shown ? shown : "(no name)",
	    place->paths[1] ? place->paths[1] : "??", (unsigned)place->line);
	if (place->column)
		say(saying, ":%u", (unsigned)place->column);
}

/* What is said of a DIE's name, until the next question for one; NULL: out of memory. */
static const struct said_name *name_of(struct locus_witness *w, Dwarf_Die *die)
{
	struct kept_name *kept = &w->names_kept[((uintptr_t)die->addr * 0x9E3779B1u >> 8) % NAMES_KEPT];
	if (kept->die == die->addr)
		return &kept->name;
	said_name_done(&kept->name);
	kept->die = NULL;
	if (!said_name_read(die, &kept->name))
		return NULL;
	kept->die = die->addr;
	return &kept->name;
}

/* One function that may answer: what it says, in words and as a verdict. */
struct claim {
	bool agrees;
	struct saying saying;
};

/* The starts of the parts of the opened function, the one at hand first. */
static uint32_t entries_of(const struct locus_witness *w, uint64_t part_start, uint64_t entries[ENTRIES_MAX])
{
	const struct tree_node *root = &w->tree.nodes[0];
	uint32_t count = 0;
	entries[count++] = part_start;
	for (uint32_t i = 0; i < root->range_count && count < ENTRIES_MAX; i++)
		entries[count++] = w->tree.ranges[root->range_first + i].start;
	return count;
}

/* Holds the frame of a node, whose place is given, against the told one. False: out of memory. */
static bool hear_frame(struct locus_witness *w, const struct locus_told *told, size_t index, struct tree_node *node,
		       const struct place *place, uint64_t part_start, struct claim *claim)
{
	const struct locus_told_frame *frame = index < told->frame_count ? &told->frames[index] : NULL;
	bool is_outermost = node->parent == TREE_NO_NODE;
	uint64_t entries[ENTRIES_MAX];
	uint32_t entry_count = entries_of(w, part_start, entries);
	const struct said_name *name = name_of(w, &node->die);
	if (!name)
		return false;
	say_frame(&claim->saying, name, place);
	claim->agrees &= frame && place_is(place, told, frame) &&
			 said_name_is(name, &(struct told_name){frame->function, frame->linkage}, &w->symbols, entries,
				      entry_count, is_outermost) &&
			 (!is_outermost ||
			  (index + 1 == told->frame_count && !told->is_symbol && told->part_start == part_start));
	return true;
}

/* Holds the frames of the opened function, with `row` as the innermost place, NULL: none, against what is told. */
static bool hear_frames(struct locus_witness *w, const struct locus_told *told, const struct plain_row *row,
			const struct span *part, struct claim *claim)
{
	uint32_t unit = w->tree.functions[part->item].unit;
	const struct tree_node *node = tree_innermost(&w->tree, told->address);
	struct source_file file = row ? unit_file(w, unit, row->file) : (struct source_file){0};
	struct place place;
	bool memory = place_make(w, &file, row ? row->line : 0, row ? row->column : 0, &place);
	for (size_t i = 0; memory; i++) {
		memory = hear_frame(w, told, i, &w->tree.nodes[node - w->tree.nodes], &place, part->start, claim);
		if (node->parent == TREE_NO_NODE || !memory)
			break;
		file = node->call_file == UINT64_MAX ? (struct source_file){0} : unit_file(w, unit, node->call_file);
		place_done(&place);
		memory = place_make(w, &file, node->call_line, node->call_column, &place);
		node = &w->tree.nodes[node->parent];
	}
	place_done(&place);
	return memory;
}

/* A row, and the table that it is of. */
struct row_there {
	struct plain_row row;
	uint32_t table;
};

/* Adds the table's row at an address, of each of its sequences that holds it. False: out of memory. */
static bool add_rows_of(struct locus_witness *w, uint32_t table, uint64_t addr, struct row_there ret[ROWS_MAX],
			uint32_t *count)
{
	const struct span *spans[ROWS_MAX];
	const struct kept_table *kept = rows_of(w, table);
	uint32_t found = kept ? span_index_find(&kept->sequences, addr, spans, ROWS_MAX) : 0;
	for (uint32_t i = 0; i < found && *count < ROWS_MAX; i++) {
		const struct plain_sequence *sequence = &kept->rows.sequences[spans[i]->item];
		const struct plain_row *row = plain_rows_find(&kept->rows, sequence, addr);
		bool is_code =
			elf_file_exec(w->files.program, sequence->start) == elf_file_exec(w->files.program, addr);
		if (row && is_code)
			ret[(*count)++] = (struct row_there){*row, table};
	}
	return kept != NULL;
}

/* The same of any table that has rows there. */
static bool add_rows_anywhere(struct locus_witness *w, uint64_t addr, struct row_there ret[ROWS_MAX], uint32_t *count)
{
	const struct span *spans[CLAIMS_MAX];
	uint32_t found = span_index_find(&w->sequences, addr, spans, CLAIMS_MAX);
	bool memory = true;
	while (memory && found-- > 0 && *count < ROWS_MAX) {
		bool is_new = true;
		for (uint32_t i = 0; i < *count; i++)
			is_new &= ret[i].table != spans[found]->item;
		memory = !is_new || add_rows_of(w, spans[found]->item, addr, ret, count);
	}
	return memory;
}

/* A function that holds the address answers with any of its unit's rows there, or without one where there is none. */
static bool hear_function(struct locus_witness *w, const struct locus_told *told, const struct span *part,
			  struct claim *claim)
{
	struct row_there rows[ROWS_MAX];
	uint32_t count = 0;
	const struct saying empty = claim->saying;
	const struct tree_unit *unit = &w->tree.units[w->tree.functions[part->item].unit];
	const struct table *table = find_table(w, unit->line_offset);
	bool memory = tree_open(&w->tree, part->item) &&
		      (!table || add_rows_of(w, (uint32_t)(table - w->tables), told->address, rows, &count));
	for (uint32_t i = 0; memory && !claim->agrees && i < (count ? count : 1); i++) {
		*claim = (struct claim){.agrees = true, .saying = empty};
		memory = hear_frames(w, told, count ? &rows[i].row : NULL, part, claim);
	}
	return memory;
}

/* The symbol that names an address where no DWARF function does (RULES E2); NULL: none. */
static const struct symbol *symbol_for(const struct locus_witness *w, uint64_t addr)
{
	const struct span *span;
	if (!span_index_find(&w->names, addr, &span, 1))
		return NULL;
	const struct symbol *symbol = &w->symbols.symbols[span->item];
	const struct span *function = span_index_below(&w->tree.parts, addr);
	return !symbol->size && function && function->start > symbol->addr ? NULL : symbol;
}

static bool is_named(const struct locus_told_frame *frame, const struct symbol *symbol)
{
	if (!symbol)
		return !frame->function && !frame->linkage;
	return is_same_text(frame->linkage ? frame->linkage : frame->function, symbol->name) &&
	       (!frame->linkage || !frame->function || strcmp(frame->linkage, frame->function) == 0);
}

/* RULES E1, E3: the symbol alone, with the file of a local one. */
static bool hear_symbol(struct locus_witness *w, const struct locus_told *told, const struct symbol *symbol,
			struct claim *claim)
{
	const struct source_file file = {.name = symbol->file ? w->symbols.files[symbol->file - 1].name : NULL};
	const struct said_name name = {.linkage = symbol->name};
	struct place place;
	if (!place_make(w, &file, 0, 0, &place))
		return false;
	say_frame(&claim->saying, &name, &place);
	claim->agrees = told->frame_count == 1 && told->is_symbol && told->part_start == symbol->addr &&
			place_is(&place, told, &told->frames[0]) && is_named(&told->frames[0], symbol);
	place_done(&place);
	return true;
}

/* RULES B14: rows that no function covers, named by a symbol where there is one. */
static bool hear_orphan(struct locus_witness *w, const struct locus_told *told, uint32_t table,
			const struct plain_row *row, const struct symbol *symbol, struct claim *claim)
{
	const struct said_name name = {.linkage = symbol ? symbol->name : NULL};
	const struct source_file file = table_file(w, table, row->file);
	struct place place;
	if (!place_make(w, &file, row->line, row->column, &place))
		return false;
	say_frame(&claim->saying, &name, &place);
	claim->agrees = told->frame_count == 1 && place_is(&place, told, &told->frames[0]) &&
			is_named(&told->frames[0], symbol);
	place_done(&place);
	return true;
}

/* No function holds the address. */
static bool hear_rest(struct locus_witness *w, const struct locus_told *told, struct claim *claim)
{
	struct row_there rows[ROWS_MAX];
	const struct saying empty = claim->saying;
	const struct symbol *symbol = symbol_for(w, told->address);
	uint32_t count = 0;
	bool is_padding = false, memory = add_rows_anywhere(w, told->address, rows, &count);
	for (uint32_t i = 0; memory && !claim->agrees && i < count; i++) {
		claim->saying = empty;
		is_padding |= symbol && rows[i].row.addr < symbol->addr;
		memory = hear_orphan(w, told, rows[i].table, &rows[i].row, symbol, claim);
	}
	/* A row that runs on from before the symbol is of what is before, and not the symbol's. */
	if (!memory || claim->agrees || (count && !is_padding))
		return memory;
	claim->saying = empty;
	if (symbol)
		return hear_symbol(w, told, symbol, claim);
	say(&claim->saying, "nothing");
	claim->agrees = told->frame_count == 0;
	return true;
}

/* RULES A6: whether the part is where a dropped copy was said to be. False, in *ret_misplaced too, where memory is out.
 */
static bool check_place(struct locus_witness *w, const struct span *part, bool *ret_misplaced)
{
	const struct said_name *name = name_of(w, &w->tree.functions[part->item].die);
	*ret_misplaced = name && said_name_is_misplaced(name, &w->symbols, part->start);
	return name != NULL;
}

/* Lets all who hold the address speak, the first unit's first, until one agrees. False: out of memory. */
static bool hear(struct locus_witness *w, const struct locus_told *told, struct claim *claim)
{
	const struct span *parts[CLAIMS_MAX];
	const struct saying empty = claim->saying;
	bool any = false, all_misplaced = true, memory = true;
	uint32_t count = span_index_find(&w->tree.parts, told->address, parts, CLAIMS_MAX);
	for (uint32_t i = count; memory && !claim->agrees && i-- > 0;) {
		bool is_misplaced;
		memory = check_place(w, parts[i], &is_misplaced);
		if (memory && is_misplaced && count > 1)
			continue;
		all_misplaced &= is_misplaced;
		any = true;
		claim->saying = empty;
		memory = memory && hear_function(w, told, parts[i], claim);
	}
	if (!memory || claim->agrees || (any && !all_misplaced))
		return memory;
	/* What is known otherwise is preferred to a misplaced function. */
	claim->saying = empty;
	return hear_rest(w, told, claim);
}

enum locus_status locus_witness_hear(struct locus_witness *witness, const struct locus_told *told, bool *ret_agrees,
				     char *says, size_t says_size, struct locus_error *error)
{
	struct claim claim = {.saying = {.text = says, .size = says_size}};
	if (says_size)
		says[0] = 0;
	bool is_code = elf_file_exec(witness->files.program, told->address);
	if (!is_code) {
		claim.agrees = told->frame_count == 0;
		say(&claim.saying, "nothing: it is no code");
	} else if (!hear(witness, told, &claim)) {
		return locus_fail_memory(error);
	}
	*ret_agrees = claim.agrees;
	return LOCUS_OK;
}

/* ---- Where it may change ---- */

struct bounds {
	uint64_t *list;
	uint32_t count, room;
};

static bool add_bound(struct bounds *bounds, uint64_t addr)
{
	if (!array_reserve(&bounds->list, &bounds->room, bounds->count + UINT64_C(1), sizeof(*bounds->list)))
		return false;
	bounds->list[bounds->count++] = addr;
	return true;
}

static bool add_spans(struct bounds *bounds, const struct span_index *index)
{
	bool memory = true;
	for (uint32_t i = 0; memory && i < index->count; i++)
		memory = add_bound(bounds, index->spans[i].start) && add_bound(bounds, index->spans[i].end);
	return memory;
}

static bool add_inlinees(struct locus_witness *w, struct bounds *bounds)
{
	bool memory = true;
	for (uint32_t i = 0; memory && i < w->tree.function_count; i++) {
		memory = tree_open(&w->tree, i);
		for (uint32_t k = 0; memory && k < w->tree.range_count; k++)
			memory = add_bound(bounds, w->tree.ranges[k].start) && add_bound(bounds, w->tree.ranges[k].end);
	}
	return memory;
}

static bool add_rows(struct locus_witness *w, struct bounds *bounds)
{
	bool memory = true;
	for (uint32_t i = 0; memory && i < w->table_count; i++) {
		const struct kept_table *kept = rows_of(w, i);
		memory = kept != NULL;
		for (uint32_t k = 0; memory && k < kept->rows.row_count; k++)
			if (elf_file_exec(w->files.program, kept->rows.rows[k].addr))
				memory = add_bound(bounds, kept->rows.rows[k].addr);
	}
	return memory;
}

static int compare_bounds(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;
	return *a < *b ? -1 : *a > *b;
}

enum locus_status locus_witness_bounds(struct locus_witness *witness, uint64_t **ret, size_t *ret_count,
				       struct locus_error *error)
{
	const struct elf_file *program = witness->files.program;
	struct bounds bounds = {0};
	uint32_t kept = 0;
	bool memory = add_spans(&bounds, &witness->tree.parts) && add_spans(&bounds, &witness->sequences) &&
		      add_spans(&bounds, &witness->names) && add_inlinees(witness, &bounds) &&
		      add_rows(witness, &bounds);
	for (uint32_t i = 0; memory && i < program->exec_count; i++)
		memory = add_bound(&bounds, program->exec[i].start) && add_bound(&bounds, program->exec[i].end);
	if (!memory) {
		free(bounds.list);
		return locus_fail_memory(error);
	}
	if (bounds.count)
		qsort(bounds.list, bounds.count, sizeof(*bounds.list), compare_bounds);
	for (uint32_t i = 0; i < bounds.count; i++)
		if (!kept || bounds.list[kept - 1] != bounds.list[i])
			bounds.list[kept++] = bounds.list[i];
	*ret = bounds.list;
	*ret_count = kept;
	return LOCUS_OK;
}

/* ---- Opening ---- */

/* RULES E2: what each symbol names. Of several at one address the first counts. */
static bool lay_out_names(struct locus_witness *w)
{
	const struct symbols *symbols = &w->symbols;
	bool memory = true;
	for (size_t i = 0, next; memory && i < symbols->count; i = next) {
		const struct symbol *symbol = &symbols->symbols[i];
		const struct exec_range *exec = elf_file_exec(w->files.program, symbol->addr);
		for (next = i + 1; next < symbols->count && symbols->symbols[next].addr == symbol->addr;)
			next++;
		uint64_t end = exec->end;
		if (symbol->size)
			end = symbol->size < end - symbol->addr ? symbol->addr + symbol->size : end;
		else if (symbol->dynamic)
			end = symbol->addr + 1;
		else if (next < symbols->count && symbols->symbols[next].addr < end)
			end = symbols->symbols[next].addr;
		memory = span_index_add(&w->names, symbol->addr, end, (uint32_t)i);
	}
	span_index_sort(&w->names);
	return memory;
}

static enum locus_status open_libdw(const char *path, int *ret_fd, Dwarf **ret, struct locus_error *error)
{
	*ret_fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	*ret = *ret_fd < 0 ? NULL : dwarf_begin(*ret_fd, DWARF_C_READ);
	return *ret ? LOCUS_OK : locus_fail(error, LOCUS_ERR_UNSUPPORTED, "libdw cannot read it: %s", dwarf_errmsg(-1));
}

/* RULES I5: what libdw does not read, or not as it is. */
static enum locus_status check_readable(const struct input_files *files, struct locus_error *error)
{
	if (files->program->type == ET_REL || !files->program->bytes.is_mapped)
		return locus_fail(error, LOCUS_ERR_UNSUPPORTED,
				  "only linked files can be held against libdw, no object files or packed ones");
	if (files->package)
		return locus_fail(error, LOCUS_ERR_UNSUPPORTED, "libdw reads no packages of split units");
	return LOCUS_OK;
}

static enum locus_status open_debug(struct locus_witness *w, struct locus_error *error)
{
	if (w->files.has_no_debug)
		return LOCUS_OK;
	enum locus_status status = open_libdw(input_files_debug(&w->files)->path, &w->fd, &w->dwarf, error);
	if (status == LOCUS_OK && w->files.alternate) {
		status = open_libdw(w->files.alternate->path, &w->alternate_fd, &w->alternate, error);
		if (status == LOCUS_OK)
			dwarf_setalt(w->dwarf, w->alternate);
	}
	if (status == LOCUS_OK)
		status = tree_read(&w->tree, w->dwarf, w->files.program, error);
	return status == LOCUS_OK ? read_tables(w, error) : status;
}

enum locus_status locus_witness_open(const char *path, const struct locus_convert_options *options,
				     struct locus_witness **ret, struct locus_error *error)
{
	const struct companion_options companions = input_files_options(options);
	struct locus_witness *w = calloc(1, sizeof(*w));
	if (!w)
		return locus_fail_memory(error);
	w->fd = w->alternate_fd = -1;
	w->maps = options->prefix_maps;
	w->map_count = options->prefix_map_count;
	for (unsigned i = 0; i < TABLES_KEPT; i++)
		w->kept[i].table = UINT32_MAX;
	enum locus_status status = input_files_find(path, &companions, options->symbols_only, &w->files, error);
	if (status == LOCUS_OK)
		status = check_readable(&w->files, error);
	if (status == LOCUS_OK)
		status = program_symbols_read(&w->files, NULL, &w->symbols, &w->mini, error);
	if (status == LOCUS_OK && !lay_out_names(w))
		status = locus_fail_memory(error);
	if (status == LOCUS_OK)
		status = open_debug(w, error);
	if (status == LOCUS_OK)
		*ret = w;
	else
		locus_witness_free(w);
	return status;
}

static void kept_table_done(struct kept_table *kept)
{
	plain_rows_done(&kept->rows);
	span_index_done(&kept->sequences);
}

void locus_witness_free(struct locus_witness *witness)
{
	if (!witness)
		return;
	for (unsigned i = 0; i < TABLES_KEPT; i++)
		kept_table_done(&witness->kept[i]);
	for (unsigned i = 0; i < NAMES_KEPT; i++)
		said_name_done(&witness->names_kept[i].name);
	span_index_done(&witness->names);
	span_index_done(&witness->sequences);
	free(witness->tables);
	tree_done(&witness->tree);
	dwarf_end(witness->dwarf);
	dwarf_end(witness->alternate);
	if (witness->fd >= 0)
		close(witness->fd);
	if (witness->alternate_fd >= 0)
		close(witness->alternate_fd);
	symbols_done(&witness->symbols);
	elf_file_free(witness->mini);
	input_files_done(&witness->files);
	free(witness);
}
