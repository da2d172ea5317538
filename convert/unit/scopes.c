/*
 * Walks a unit's DIEs once, in the order of the file. Most DIEs are skipped by their compiled abbreviation; of those
 * that cannot hold code, the children are skipped by the sibling reference. The depth of the tree takes heap, not
 * stack.
 */
#include "convert/unit/scopes.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/budget.h"
#include "base/fail.h"

#ifndef DW_AT_LLVM_stmt_sequence
#define DW_AT_LLVM_stmt_sequence 0x3e0c /* newer than elfutils 0.188 */
#endif

bool language_qualifies(uint16_t language)
{
	switch (language) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2a: /* C++17 */
	case 0x2b: /* C++20 */
	case DW_LANG_ObjC_plus_plus:
	case DW_LANG_Rust:
	case DW_LANG_D:
		return true;
	default:
		return false;
	}
}

bool language_is_c(uint16_t language)
{
	return language == DW_LANG_C || language == DW_LANG_C89 || language == DW_LANG_C99 || language == DW_LANG_C11 ||
	       language == 0x2c /* C17 */;
}

struct scan {
	struct scopes *scopes;
	const struct unit *unit;
	const struct elf_file *linked;
	struct cursor c;
	uint32_t depth;      /* index in `levels`; 0: outside the unit's own DIE */
	uint64_t stride;     /* for a survey: the bytes from one start to the next; 0: this is none */
	uint64_t next_start; /* the next start is noted here or behind */
	bool qualify;
	bool opaque_records;
	bool endless;  /* RULES A7 */
	uint64_t work; /* attributes read that are not counted in the budget yet */
};

/* The attributes of a function or inlinee that matter here, before what they refer to is looked up. */
struct scope_attrs {
	struct value low, high, ranges, entry, origin, call_file, call_line, call_column, stmt_sequence;
	bool named; /* the DIE itself has a name, so names are looked up from it and not from its origin */
};

/* Where the attribute is stored; NULL: it does not matter. */
static struct value *place_of(struct scope_attrs *attrs, uint16_t name, bool keeps_columns)
{
	switch (name) {
	case DW_AT_low_pc:
		return &attrs->low;
	case DW_AT_high_pc:
		return &attrs->high;
	case DW_AT_ranges:
		return &attrs->ranges;
	case DW_AT_entry_pc:
		return &attrs->entry;
	case DW_AT_abstract_origin:
		return &attrs->origin;
	case DW_AT_specification:
		return value_present(&attrs->origin) ? NULL : &attrs->origin;
	case DW_AT_call_file:
		return &attrs->call_file;
	case DW_AT_call_line:
		return &attrs->call_line;
	case DW_AT_call_column:
		return keeps_columns ? &attrs->call_column : NULL;
	case DW_AT_LLVM_stmt_sequence:
		return &attrs->stmt_sequence;
	case DW_AT_name:
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
	case DW_AT_decl_line:
		attrs->named = true;
		return NULL;
	default:
		return NULL;
	}
}

static void read_attrs(struct cursor *c, const struct unit *unit, const struct abbrev *abbrev, bool keeps_columns,
		       struct scope_attrs *ret)
{
	for (uint32_t i = 0; i < abbrev->attr_count; i++) {
		const struct attr_spec *spec = &unit->abbrevs.attrs[abbrev->attr_first + i];
		struct value *place = place_of(ret, spec->name, keeps_columns);
		if (place)
			*place = value_read(c, unit, spec);
		else
			attr_skip(c, spec, &unit->sizes);
	}
}

/*
 * The offset from which names are looked up: the origin's, if it is in this section and the scope has no name of its
 * own.
 */
static uint64_t names_offset(const struct unit *unit, uint64_t die, const struct scope_attrs *attrs)
{
	if (attrs->named)
		return die;
	switch (attrs->origin.form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		return unit->offset + attrs->origin.number;
	case DW_FORM_ref_addr:
		return unit->where == DEBUG_INFO ? attrs->origin.number : die;
	default:
		return die;
	}
}

/* DW_AT_entry_pc may be an address, or a distance from the lowest (DWARF 5, 2.18). */
static uint64_t entry_address(const struct unit *unit, const struct scope_attrs *attrs)
{
	uint64_t entry;
	bool known = value_address(unit, &attrs->entry, &entry) || value_address(unit, &attrs->low, &entry);
	return known ? entry : UINT64_MAX;
}

/* RULES A1: drops the ranges from `first` on that do not start in executable code, and clips the others to it. */
static void keep_executable(struct scopes *scopes, const struct elf_file *linked, uint32_t first)
{
	struct range_list *list = &scopes->ranges;
	uint32_t kept = first;
	for (uint32_t i = first; i < list->count; i++) {
		struct range range = list->ranges[i];
		const struct exec_range *exec = elf_file_exec(linked, range.start);
		if (!exec) {
			scopes->not_executable_count++;
			continue;
		}
		if (range.end > exec->end) {
			range.end = exec->end;
			scopes->clipped_count++;
		}
		list->ranges[kept++] = range;
	}
	list->count = kept;
}

/* A line or column; 0: it is absent, or beyond 32 bits. */
static uint32_t small_number(const struct value *value)
{
	uint64_t number;
	return value_unsigned(value, &number) && number < UINT32_MAX ? (uint32_t)number : 0;
}

/*
 * Adds the function or inlinee whose attributes are at the cursor. *ret_index is NO_SCOPE if it has no code. False: out
 * of memory.
 */
static bool add_scope(struct scan *scan, const struct abbrev *abbrev, uint64_t die, uint32_t parent,
		      uint32_t *ret_index)
{
	struct scopes *scopes = scan->scopes;
	const struct unit *unit = scan->unit;
	struct cursor *c = &scan->c;
	struct scope_attrs attrs = {0};
	uint64_t number;
	read_attrs(c, unit, abbrev, scopes->keeps_columns, &attrs);
	*ret_index = NO_SCOPE;
	/* Attributes may take no bytes, so the size of the unit does not bound their number. */
	if (!budget_count(&scan->work, abbrev->attr_count))
		return false;
	if (c->bad || !scan->linked->exec_count)
		return true;

	/* Ranges decide whether it has code at all. */
	struct scope scope = {.die = die, .parent = NO_SCOPE, .function = scopes->count};
	scope.range_first = scopes->ranges.count;
	if (!die_ranges(unit, &attrs.low, &attrs.high, &attrs.ranges, &scopes->ranges))
		return false;
	scan->endless = value_present(&attrs.ranges) && ranges_are_endless(unit);
	if (abbrev->role == ROLE_FUNCTION)
		keep_executable(scopes, scan->linked, scope.range_first);
	scope.range_count = scopes->ranges.count - scope.range_first;
	bool may_be_truncated = unit_truncates_ranges(unit) && abbrev->role == ROLE_INLINEE && abbrev->has_children;
	if (!scope.range_count && !may_be_truncated)
		return true;

	if (!array_reserve(&scopes->scopes, &scopes->room, scopes->count + UINT64_C(1), sizeof(*scopes->scopes)))
		return false;
	if (abbrev->role == ROLE_INLINEE) {
		scope.parent = parent;
		scope.function = scopes->scopes[parent].function;
		scope.depth = scopes->scopes[parent].depth + 1;
		scope.call_file = value_unsigned(&attrs.call_file, &number) ? number : UINT64_MAX;
		scope.call_line = small_number(&attrs.call_line);
		scope.call_column = scope.call_line ? small_number(&attrs.call_column) : 0;
	} else {
		scope.entry = entry_address(unit, &attrs);
		scope.stmt_sequence = value_offset(&attrs.stmt_sequence, &number) ? number : UINT64_MAX;
	}
	scope.origin = names_offset(unit, die, &attrs);
	*ret_index = scopes->count;
	scopes->scopes[scopes->count++] = scope;
	return true;
}

static bool add_name_scope(struct scopes *scopes, struct name_scope scope)
{
	if (!array_reserve(&scopes->names, &scopes->name_room, scopes->name_count + UINT64_C(1),
			   sizeof(*scopes->names)))
		return false;
	scopes->names[scopes->name_count++] = scope;
	return true;
}

static bool open_name_scope(struct scopes *scopes, uint64_t die, struct scan_level *inner)
{
	uint32_t index = scopes->name_count;
	if (!add_name_scope(scopes, (struct name_scope){.die = die, .parent = inner->name_scope}))
		return false;
	inner->name_scope = index;
	inner->opened_name_scope = true;
	return true;
}

/* Moves the cursor behind a DIE and its children by DW_AT_sibling. False: there is none that can be followed. */
static bool skip_by_sibling(struct cursor *c, const struct unit *unit, const struct abbrev *abbrev)
{
	if (abbrev->sibling == NO_SIBLING)
		return false;
	struct cursor attr = *c;
	cursor_skip(&attr, abbrev->sibling);
	uint64_t offset = cursor_u32(&attr);
	struct cursor target = unit_cursor(unit, unit->offset);
	cursor_skip(&target, offset);
	if (attr.bad || target.bad || target.p < attr.p)
		return false;
	c->p = target.p;
	return true;
}

/* Handles a DIE by its role. False: out of memory. */
static bool scan_die(struct scan *scan, uint64_t die, const struct abbrev *abbrev)
{
	struct scopes *scopes = scan->scopes;
	struct scan_level inner = scopes->levels[scan->depth];
	uint32_t index, depth;
	inner.opened_name_scope = false;
	switch (abbrev->role) {
	case ROLE_RECORD:
	case ROLE_OPAQUE:
		if (abbrev->has_children && (abbrev->role == ROLE_OPAQUE || scan->opaque_records) &&
		    skip_by_sibling(&scan->c, scan->unit, abbrev))
			return true;
		/* fall through */
	case ROLE_NAMESPACE:
		if (scan->qualify && abbrev->has_children && abbrev->role != ROLE_OPAQUE &&
		    !open_name_scope(scopes, die, &inner))
			return false;
		break;
	case ROLE_SUBPROGRAM:
		inner.scope = NO_SCOPE;
		break;
	case ROLE_FUNCTION:
		inner.in_function = true;
		if (scan->stride)
			break;
		if (!add_scope(scan, abbrev, die, NO_SCOPE, &index))
			return false;
		inner.scope = index;
		goto children;
	case ROLE_INLINEE:
		if (inner.scope == NO_SCOPE)
			break;
		/* The first inlinee that is too deep also stands for all that is inlined into it. */
		depth = scopes->scopes[inner.scope].depth;
		scopes->too_deep_count += depth >= INLINE_DEPTH_MAX;
		if (depth > INLINE_DEPTH_MAX)
			break;
		if (!add_scope(scan, abbrev, die, inner.scope, &index))
			return false;
		/*
		 * An inlinee without code is dropped; what is inlined into it still belongs to the function (RULES C3).
		 */
		if (index != NO_SCOPE)
			inner.scope = index;
		goto children;
	default:
		break;
	}

	/* The roles that were not read above are skipped; then the children of any follow. */
	scan->c = abbrev_skip(scan->c, &scan->unit->abbrevs, abbrev, &scan->unit->sizes);
children:
	if (!abbrev->has_children)
		return true;
	if (!array_reserve(&scopes->levels, &scopes->level_room, scan->depth + 1 + UINT64_C(1),
			   sizeof(*scopes->levels)))
		return false;
	scopes->levels[++scan->depth] = inner;
	return true;
}

/* False: out of memory. */
static bool close_level(struct scan *scan, uint64_t end)
{
	const struct scan_level *level = &scan->scopes->levels[scan->depth--];
	struct name_scope close = {.die = end, .closes = true};
	if (!level->opened_name_scope)
		return true;
	close.parent = scan->scopes->names[level->name_scope].parent;
	return add_name_scope(scan->scopes, close);
}

/* Moves behind DIEs that do not matter and whose abbreviation gives their size, which most do. */
static const uint8_t *skip_fixed_leaves(const struct abbrev_table *table, const uint8_t *p, const uint8_t *end)
{
	const struct abbrev *abbrevs = table->abbrevs;
	while (end - p >= 2) {
		uint64_t code = *p;
		uint32_t size = 1;
		if (code >= 0x80) {
			if (p[1] >= 0x80)
				break;
			code = (code & 0x7f) | (uint64_t)p[1] << 7;
			size = 2;
		}
		if (code - 1 >= table->count || abbrevs[code - 1].leaf_size > (size_t)(end - p) - size)
			break;
		p += size + abbrevs[code - 1].leaf_size;
	}
	return p;
}

/* A DIE that matters to the walk: where it begins, its code, and its abbreviation (NULL: there is none). */
struct found_die {
	const uint8_t *start;
	uint64_t code;
	const struct abbrev *abbrev;
};

/*
 * Moves behind the code of the next DIE that matters, or that is cut off. False: none is left. It is inline, so that
 * the cursor stays in registers.
 */
static inline bool find_die(struct scan *scan, struct found_die *ret)
{
	const struct abbrev_table *table = &scan->unit->abbrevs;
	struct cursor c = scan->c, behind = c;
	do {
		c = behind;
		if (table->dense)
			c.p = skip_fixed_leaves(table, c.p, c.end);
		ret->start = c.p;
		if (!cursor_left(&c))
			return false;
		ret->code = cursor_uleb(&c);
		ret->abbrev = ret->code ? abbrev_table_get(table, ret->code) : NULL;
		if (!ret->abbrev || ret->abbrev->role != ROLE_LEAF)
			break;
		behind = abbrev_skip(c, table, ret->abbrev, &scan->unit->sizes);
	} while (!behind.bad);
	scan->c = c;
	return true;
}

/* In a survey, notes the DIE as a place to begin at. */
static bool note_start(struct scan *scan, uint64_t die)
{
	struct scopes *scopes = scan->scopes;
	if (!array_reserve(&scopes->starts, &scopes->start_room, scopes->start_count + UINT64_C(1),
			   sizeof(*scopes->starts)))
		return false;
	scopes->starts[scopes->start_count++] = (struct scan_start){die, scan->depth};
	scan->next_start = scan->stride < UINT64_MAX - die ? die + scan->stride : UINT64_MAX;
	return true;
}

/* Walks from the cursor to its end, or to the end of the unit's own DIE. */
static enum locus_status walk(struct scan *scan, struct locus_error *error)
{
	const struct unit *unit = scan->unit;
	struct found_die found;
	while (find_die(scan, &found)) {
		uint64_t die = unit->offset + (uint64_t)(found.start - unit->bytes);
		if (die >= scan->next_start && !scan->scopes->levels[scan->depth].in_function && !note_start(scan, die))
			return locus_fail_memory(error);
		if (!found.code && !scan->c.bad) {
			if (scan->depth && !close_level(scan, die))
				return locus_fail_memory(error);
			if (!scan->depth)
				break; /* what follows the unit's own DIE is padding */
			continue;
		}

		/* Damage ends the walk; what was read before it is kept. */
		if (!found.abbrev && !scan->c.bad)
			return locus_fail_at(error, LOCUS_ERR_BAD_DWARF, die,
					     "the DIE at .debug_info+0x%llx uses an abbreviation that is not there",
					     (unsigned long long)die);
		if (found.abbrev && !scan_die(scan, die, found.abbrev))
			return locus_fail_memory(error);
		if (scan->endless)
			return locus_fail_at(error, LOCUS_ERR_BAD_DWARF, die,
					     "more ranges than the file has room for, at the DIE at .debug_info+0x%llx",
					     (unsigned long long)die);
		if (scan->c.bad)
			return locus_fail_at(error, LOCUS_ERR_BAD_DWARF, die,
					     "the DIE at .debug_info+0x%llx is cut off", (unsigned long long)die);
	}
	return budget_spend(scan->work) ? LOCUS_OK : locus_fail_memory(error);
}

/* Empties the scopes and begins to walk at the depth of the scan, with nothing open there. */
static enum locus_status begin_walk(struct scan *scan, struct locus_error *error)
{
	struct scopes *scopes = scan->scopes;
	scan->opaque_records = language_is_c(scan->unit->language); /* C has no functions inside of structs */
	scopes->count = scopes->name_count = scopes->ranges.count = scopes->start_count = 0;
	scopes->ranges.tombstone_count = scopes->ranges.bad_count = scopes->too_deep_count = 0;
	scopes->not_executable_count = scopes->clipped_count = 0;
	dwarf_at(scan->unit->dwarf, scan->unit->where, scan->unit->offset, "entries");
	if (!array_reserve(&scopes->levels, &scopes->level_room, scan->depth + UINT64_C(1), sizeof(*scopes->levels)))
		return locus_fail_memory(error);
	for (uint32_t i = 0; i <= scan->depth; i++)
		scopes->levels[i] = (struct scan_level){.scope = NO_SCOPE, .name_scope = NO_SCOPE};
	return walk(scan, error);
}

/*
 * Whether names need the scopes that they are in (RULES D8). A unit without a language may be asked for names of any.
 */
static bool unit_qualifies(const struct unit *unit)
{
	return !unit->language || language_qualifies(unit->language);
}

enum locus_status scopes_read(struct scopes *scopes, const struct unit *unit, const struct elf_file *linked,
			      struct locus_error *error)
{
	struct scan scan = {
		.scopes = scopes,
		.unit = unit,
		.linked = linked,
		.c = unit_cursor(unit, unit->die_offset),
		.next_start = UINT64_MAX,
		.qualify = unit_qualifies(unit),
	};
	return begin_walk(&scan, error);
}

enum locus_status scopes_survey(struct scopes *scopes, const struct unit *unit, uint64_t stride,
				struct locus_error *error)
{
	struct scan scan = {
		.scopes = scopes,
		.unit = unit,
		.c = unit_cursor(unit, unit->die_offset),
		.stride = stride,
		.qualify = unit_qualifies(unit),
	};
	return begin_walk(&scan, error);
}

enum locus_status scopes_read_part(struct scopes *scopes, const struct unit *unit, const struct elf_file *linked,
				   const struct scan_start *start, uint64_t end, struct locus_error *error)
{
	struct scan scan = {
		.scopes = scopes,
		.unit = unit,
		.linked = linked,
		.c = unit_cursor(unit, start->die),
		.depth = start->depth,
		.next_start = UINT64_MAX,
	};
	if (end < unit->end)
		scan.c.end = unit->bytes + (end - unit->offset);
	return begin_walk(&scan, error);
}

void scopes_done(struct scopes *scopes)
{
	free(scopes->scopes);
	free(scopes->names);
	free(scopes->starts);
	free(scopes->levels);
	range_list_done(&scopes->ranges);
	*scopes = (struct scopes){0};
}

uint32_t scopes_enclosing(const struct scopes *scopes, uint64_t offset)
{
	uint32_t behind;
	SEARCH_FIRST(behind, 0, scopes->name_count, scopes->names[behind].die >= offset);
	if (!behind)
		return NO_SCOPE;
	return scopes->names[behind - 1].closes ? scopes->names[behind - 1].parent : behind - 1;
}
