/*
 * Walks a unit's DIEs once, in the order of the file. Most DIEs are skipped by their compiled abbreviation; of those
 * that cannot hold code, the children are skipped by the sibling reference. The depth of the tree takes heap, not
 * stack.
 */
#include "convert/unit/scopes.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/budget.h"
#include "base/fail.h"
#include "base/language.h"

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
	bool endless;                /* RULES A7 */
	uint64_t work;               /* attributes read that are not counted in the budget yet */
	uint8_t passing[ROLE_COUNT]; /* enum passing */
};

/* The attributes of a function or inlinee, by enum attr_use. */
struct scope_attrs {
	struct value values[ATTR_CODE_COUNT];
};

/*
 * Reads the attributes at `p` of a DIE whose abbreviation is_fixed, behind which eight bytes can be read: each from its
 * place, so that none waits for the one before. Those that do not matter become the value of ATTR_UNUSED.
 */
static void read_fixed_attrs(const uint8_t *p, const struct attr_spec *spec, uint32_t count, struct scope_attrs *ret)
{
	for (const struct attr_spec *end = spec + count; spec < end; spec++) {
		struct value *value = &ret->values[spec->use < ATTR_CODE_COUNT ? spec->use : ATTR_UNUSED];
		value->form = spec->form;
		value->number = number_at(p + spec->at, spec->step) | (uint64_t)spec->implicit;
	}
}

/* Reads the attributes that matter, of which an abbreviation has one of a kind. */
static void read_attrs(struct cursor *ret_behind, const struct unit *unit, const struct abbrev *abbrev,
		       struct scope_attrs *ret)
{
	const struct attr_spec *spec = &unit->abbrevs.attrs[abbrev->attr_first];
	struct cursor c = *ret_behind;
#pragma GCC unroll 16 /* a loop takes four times as many instructions */
	for (unsigned i = 0; i < ATTR_CODE_COUNT; i++)
		ret->values[i].form = 0; /* absent */
	if (abbrev->is_fixed && cursor_is_native(&c) && cursor_left(&c) >= abbrev->fixed + sizeof(uint64_t)) {
		read_fixed_attrs(c.p, spec, abbrev->attr_count, ret);
		ret_behind->p += abbrev->fixed;
		return;
	}
	for (const struct attr_spec *end = spec + abbrev->attr_count; spec < end; spec++) {
		if (spec->use == ATTR_UNUSED || spec->use >= ATTR_CODE_COUNT)
			attr_skip(&c, spec, &unit->sizes);
		else
			value_read(&c, unit, spec, &ret->values[spec->use]);
	}
	*ret_behind = c;
}

/*
 * The offset from which names are looked up: the origin's, if it is in this section and the scope has no name of its
 * own.
 */
static uint64_t names_offset(const struct unit *unit, uint64_t die, const struct abbrev *abbrev,
			     const struct scope_attrs *attrs)
{
	const struct value *origin = &attrs->values[ATTR_ORIGIN];
	if (!value_present(origin))
		origin = &attrs->values[ATTR_SPECIFICATION];
	if (abbrev->named)
		return die;
	switch (origin->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		return origin->number < unit->end - unit->offset ? unit->offset + origin->number : die;
	case DW_FORM_ref_addr:
		return unit->where == DEBUG_INFO && unit_may_refer_across(unit) ? origin->number : die;
	default:
		return die;
	}
}

/*
 * DW_AT_entry_pc is an address, or a distance from DW_AT_low_pc or, without one, from the start of the first range,
 * which is `first` (DWARF 5, 2.17 and 2.18). UINT64_MAX: the entry is not given.
 */
static uint64_t entry_address(const struct unit *unit, const struct scope_attrs *attrs, uint64_t first)
{
	const uint64_t mask = ~elf_file_mode_bit(unit->dwarf->file);
	const struct value *entry = &attrs->values[ATTR_ENTRY];
	uint64_t addr, distance;
	if (value_address(unit, entry, &addr))
		return addr & mask;
	const bool has_low = value_address(unit, &attrs->values[ATTR_LOW], &addr);
	if (value_present(entry) && value_unsigned(entry, &distance))
		return ((has_low ? addr : first) + distance) & mask;
	return has_low ? addr & mask : UINT64_MAX;
}

/* RULES A1: drops the ranges from `first` on that do not start in executable code, and clips the others to it. */
static void keep_executable(struct scopes *scopes, const struct elf_file *linked, uint32_t first)
{
	struct range_list *list = &scopes->ranges.list;
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
 * Drops the last inlinees that have no code, none below index `first`. They must not be open any more: then nothing
 * that is still to come is inlined into them.
 */
static void drop_codeless(struct scopes *scopes, uint32_t first)
{
	for (const struct scope *last; scopes->count > first; scopes->count--) {
		last = &scopes->scopes[scopes->count - 1];
		if (last->range_count || last->parent == NO_SCOPE)
			break;
	}
}

/* The index from which on no scope is open: behind the innermost one that is. */
static uint32_t closed_from(const struct scan *scan)
{
	const struct scan_level *level = &scan->scopes->levels[scan->depth];
	if (level->scope != NO_SCOPE)
		return level->scope + 1;
	return level->in_function ? scan->scopes->count : 0; /* an abstract function may stand in one that has code */
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
	struct scope_attrs attrs;
	uint64_t number;
	const struct value *values = attrs.values;
	read_attrs(c, unit, abbrev, &attrs);
	*ret_index = NO_SCOPE;
	/* Attributes may take no bytes, so the size of the unit does not bound their number. */
	if (!budget_count(&scan->work, abbrev->attr_count))
		return false;
	if (c->bad || !scan->linked->exec_count)
		return true;

	/* Ranges decide whether it has code at all. */
	drop_codeless(scopes, closed_from(scan));
	struct scope scope = {.die = die, .parent = NO_SCOPE, .function = scopes->count};
	scope.range_first = scopes->ranges.list.count;
	const uint64_t bare_before = scopes->ranges.bare_count;
	if (!die_ranges(unit, &values[ATTR_LOW], &values[ATTR_HIGH], &values[ATTR_RANGES], &scopes->ranges))
		return false;
	if (scopes->ranges.read_bytes >= RANGE_BYTES_AT_ONCE)
		scan->endless = !ranges_count(unit, &scopes->ranges);
	uint64_t first = 0;
	if (abbrev->role == ROLE_FUNCTION && scopes->ranges.list.count > scope.range_first) {
		first = scopes->ranges.list.ranges[scope.range_first].start;
		keep_executable(scopes, scan->linked, scope.range_first);
	}
	scope.range_count = scopes->ranges.list.count - scope.range_first;
	bool may_cover_inlinees = abbrev->role == ROLE_INLINEE && abbrev->has_children; /* RULES C3 */
	bool is_bare = abbrev->role == ROLE_FUNCTION && scopes->ranges.bare_count > bare_before &&
		       elf_file_exec(scan->linked, 0); /* RULES A2 */
	if (!scope.range_count && !may_cover_inlinees && !is_bare)
		return true;

	if (!array_reserve(&scopes->scopes, &scopes->room, scopes->count + UINT64_C(1), sizeof(*scopes->scopes)))
		return false;
	if (abbrev->role == ROLE_INLINEE) {
		scope.parent = parent;
		scope.function = scopes->scopes[parent].function;
		scope.depth = scopes->scopes[parent].depth + 1;
		scope.call_file = value_unsigned(&values[ATTR_CALL_FILE], &number) ? number : UINT64_MAX;
		scope.call_line = small_number(&values[ATTR_CALL_LINE]);
		bool has_column = scopes->keeps_columns && scope.call_line;
		scope.call_column = has_column ? small_number(&values[ATTR_CALL_COLUMN]) : 0;
	} else {
		scope.entry = entry_address(unit, &attrs, first);
		scope.stmt_sequence = value_offset(&values[ATTR_STMT_SEQUENCE], &number) ? number : UINT64_MAX;
	}
	scope.origin = names_offset(unit, die, abbrev, &attrs);
	if (scope.range_count || may_cover_inlinees)
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

/*
 * The sibling at `offset` of the unit; NULL: it is not behind `p`, or it is where the unit ends, and so no DIE and no
 * end of any.
 */
static inline const uint8_t *sibling_at(const struct unit *unit, uint64_t offset, const uint8_t *p)
{
	bool is_ahead = offset < unit->end - unit->offset && unit->bytes + offset >= p;
	return is_ahead ? unit->bytes + offset : NULL;
}

/*
 * sibling_of for siblings of other forms than ref4, or behind attributes of no fixed size: dwz writes such ones. It is
 * a function of its own, because the walk is slower if this stands among what it does for most DIEs.
 */
__attribute__((noinline)) static const uint8_t *short_sibling_of(const uint8_t *p, const uint8_t *end, bool swap,
								 const struct unit *unit, const struct abbrev *abbrev)
{
	struct cursor c = {
		.p = abbrev_at(p, end, swap, &unit->abbrevs, abbrev, abbrev->sibling_steps, abbrev->sibling,
			       &unit->sizes),
		.end = end,
		.swap = swap,
	};
	if (!c.p)
		return NULL;
	uint64_t offset = abbrev->sibling_size ? cursor_unsigned(&c, abbrev->sibling_size) : cursor_uleb(&c);
	return c.bad ? NULL : sibling_at(unit, offset, c.p);
}

/*
 * Where the next sibling begins of a DIE whose attributes are at `p`, by DW_AT_sibling. NULL: there is none that can be
 * followed.
 */
static inline const uint8_t *sibling_of(const uint8_t *p, const uint8_t *end, bool swap, const struct unit *unit,
					const struct abbrev *abbrev)
{
	uint32_t offset;
	if (abbrev->sibling == NO_SIBLING)
		return NULL;
	if (abbrev->sibling_size != sizeof(offset) || abbrev->sibling_steps)
		return short_sibling_of(p, end, swap, unit, abbrev);
	if ((size_t)(end - p) < abbrev->sibling + sizeof(offset))
		return NULL;
	memcpy(&offset, p + abbrev->sibling, sizeof(offset));
	return sibling_at(unit, swap ? __builtin_bswap32(offset) : offset, p + abbrev->sibling + sizeof(offset));
}

/* Moves behind the children of a DIE whose attributes are at the cursor. False: it has no sibling to move to. */
static bool skip_by_sibling(struct cursor *c, const struct unit *unit, const struct abbrev *abbrev)
{
	const uint8_t *sibling = sibling_of(c->p, c->end, c->swap, unit, abbrev);
	c->p = sibling ? sibling : c->p;
	return sibling != NULL;
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
		if (index != NO_SCOPE)
			inner.scope = index;
		goto children;
	default:
		break;
	}

	/* The roles that were not read above are skipped; then the children of any follow. */
	abbrev_skip(&scan->c, &scan->unit->abbrevs, abbrev, &scan->unit->sizes);
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

/* What decides whether a DIE is passed without a look at its attributes. */
enum passing {
	PASS_NOT,
	PASS,         /* it says nothing about its children */
	PASS_JUMP,    /* its children are passed with it, if they can be */
	PASS_BARE,    /* what is inlined into its children belongs to no function */
	PASS_CODELESS /* an inlinee: passed if the function around it has no code */
};

static void choose_passing(struct scan *scan)
{
	enum passing of_name = scan->qualify ? PASS_NOT : PASS;
	scan->passing[ROLE_LEAF] = scan->passing[ROLE_OTHER] = PASS;
	scan->passing[ROLE_OPAQUE] = PASS_JUMP;
	scan->passing[ROLE_RECORD] = scan->opaque_records ? PASS_JUMP : of_name;
	scan->passing[ROLE_NAMESPACE] = of_name;
	scan->passing[ROLE_SUBPROGRAM] = PASS_BARE;
	scan->passing[ROLE_FUNCTION] = PASS_NOT;
	scan->passing[ROLE_INLINEE] = PASS_CODELESS;
}

/* The abbreviation code at `p`, of which two bytes can be read. 0 bytes: it is longer. */
static inline size_t short_code(const uint8_t *p, size_t *ret_size)
{
	*ret_size = p[0] < 0x80 ? 1 : p[1] < 0x80 ? 2 : 0;
	return p[0] < 0x80 ? p[0] : (p[0] & 0x7fu) | (size_t)p[1] << 7;
}

/*
 * Passes DIEs that hold no code and name no scope, and the ends of their children: most of a unit. It stops at any DIE
 * that needs more, and where something is unusual. All that changes is local, and so in registers.
 */
static void pass_plain(struct scan *scan)
{
	const struct unit *unit = scan->unit;
	const struct abbrev_table *table = &unit->abbrevs;
	struct scan_level *levels = scan->scopes->levels, *level = levels + scan->depth;
	const struct scan_level *last = levels + scan->scopes->level_room - 1;
	const uint8_t *p = scan->c.p, *end = scan->c.end;
	const bool swap = scan->c.swap;
	const struct abbrev *const abbrevs = table->abbrevs;
	const size_t code_max = table->count;
	uint64_t here = unit->offset + (uint64_t)(p - unit->bytes);
	if (scan->next_start < here + (size_t)(end - p))
		end = scan->next_start > here ? p + (scan->next_start - here) : p;
	while (end - p >= 2) {
		size_t size;
		const size_t code = short_code(p, &size);
		if (!code && size) {
			if (level <= levels + 1 || level->opened_name_scope)
				break;
			level--;
			p += size;
			continue;
		}
		if (!size || code > code_max)
			break;
		__builtin_prefetch(p + 4096);

		/* Most are leaves whose abbreviation gives their size. */
		const struct abbrev *abbrev = &abbrevs[code - 1];
		const uint8_t *attrs = p + size;
		if (abbrev->leaf_size <= (size_t)(end - attrs)) {
			p = attrs + abbrev->leaf_size;
			continue;
		}
		const uint8_t *behind_pair = abbrev->is_block_pair ? block_pair_behind(attrs, end) : NULL;
		if (behind_pair) {
			p = behind_pair;
			continue;
		}
		uint8_t passing = scan->passing[abbrev->role];
		if (passing == PASS_NOT || (passing == PASS_CODELESS && level->scope != NO_SCOPE) || level == last)
			break;
		const uint8_t *sibling = passing == PASS_JUMP ? sibling_of(attrs, end, swap, unit, abbrev) : NULL;
		const uint8_t *behind =
			sibling ? sibling : abbrev_behind(attrs, end, swap, table, abbrev, &unit->sizes);
		if (!behind || behind > end)
			break;
		p = behind;
		if (sibling || !abbrev->has_children)
			continue;
		level[1] = *level;
		(++level)->opened_name_scope = false;
		if (passing == PASS_BARE)
			level->scope = NO_SCOPE;
	}
	scan->c.p = p;
	scan->depth = (uint32_t)(level - levels);
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

/* RULES A7. At which DIE it is noticed depends on the other threads, so none is named. */
static enum locus_status fail_endless(struct locus_error *error)
{
	return locus_fail(error, LOCUS_ERR_BAD_DWARF,
			  "the DIEs of .debug_info share lists of ranges so often that they have more ranges than the "
			  "file has room for");
}

/*
 * RULES C3: gives an inlinee without code the ranges of what is inlined into it. What is inside comes first, because it
 * may be without code, too. Ranges that are copied count as read again (RULES A7). False: out of memory.
 */
static bool cover_inlinees(struct scan *scan)
{
	struct scopes *scopes = scan->scopes;
	struct range_list *ranges = &scopes->ranges.list;
	drop_codeless(scopes, 0);
	for (uint32_t i = unit_truncates_ranges(scan->unit) ? 0 : scopes->count; i-- > 0;) {
		struct scope *scope = &scopes->scopes[i], *end = &scopes->scopes[scopes->count];
		if (scope->range_count)
			continue;
		scope->range_first = ranges->count;
		for (const struct scope *inner = scope + 1; inner < end && inner->depth > scope->depth; inner++) {
			if (!budget_count(&scan->work, 1))
				return false;
			if (inner->parent != i)
				continue;
			if (!array_reserve(&ranges->ranges, &ranges->room, ranges->count + (uint64_t)inner->range_count,
					   sizeof(*ranges->ranges)))
				return false;
			for (uint32_t k = 0; k < inner->range_count; k++)
				ranges->ranges[ranges->count++] = ranges->ranges[inner->range_first + k];
		}
		scope->range_count = ranges->count - scope->range_first;
		scopes->ranges.read_bytes += scope->range_count * sizeof(*ranges->ranges);
	}
	return true;
}

/*
 * RULES A8: the unit's own DIE and the unit end together, but for padding. Otherwise what stands behind, or a DIE in it
 * that stays open, shows that a DIE, an abbreviation or a reference to a sibling before it is damaged: DIEs are left
 * out. Where only the unit's own DIE stays open, as in assembly that was written by hand, none is.
 */
static enum locus_status check_end(const struct scan *scan, struct locus_error *error)
{
	enum { PADDING_MAX = 32 }; /* nasm pads with 4 bytes, and no other compiler at hand does */
	const struct unit *unit = scan->unit;
	const uint8_t *p = scan->c.p, *end = unit->bytes + (unit->end - unit->offset);
	const unsigned long long offset = unit->offset;
	/* Where gold links for changes to come (--incremental), a unit of zeros keeps room for them. */
	const bool is_room = scan->c.p == unit->bytes + (unit->die_offset - unit->offset) + 1;
	if (scan->depth) /* a part that is not the last ends with a DIE open */
		return scan->depth == 1 || scan->c.end < end
			       ? LOCUS_OK
			       : locus_fail(error, LOCUS_ERR_BAD_DWARF,
					    "the DIEs of the unit at .debug_info+0x%llx have no end", offset);
	while (p < end && !*p)
		p++;
	if (p - scan->c.p > PADDING_MAX && !is_room)
		return locus_fail(
			error, LOCUS_ERR_BAD_DWARF,
			"the DIEs of the unit at .debug_info+0x%llx end before the unit: behind them are %llu zeros",
			offset, (unsigned long long)(p - scan->c.p));
	return p == end ? LOCUS_OK
			: locus_fail(error, LOCUS_ERR_BAD_DWARF,
				     "the DIEs of the unit at .debug_info+0x%llx end before the unit, whose bytes go "
				     "on at 0x%llx",
				     offset, offset + (unsigned long long)(p - unit->bytes));
}

/* Walks from the cursor to its end, or to the end of the unit's own DIE. */
static enum locus_status walk(struct scan *scan, struct locus_error *error)
{
	const struct unit *unit = scan->unit;
	for (;;) {
		if (unit->abbrevs.dense)
			pass_plain(scan);
		if (!cursor_left(&scan->c))
			break;
		uint64_t die = unit->offset + (uint64_t)(scan->c.p - unit->bytes);
		if (die >= scan->next_start && !scan->scopes->levels[scan->depth].in_function && !note_start(scan, die))
			return locus_fail_memory(error);
		uint64_t code = cursor_uleb(&scan->c);
		if (!code && !scan->c.bad) {
			if (scan->depth && !close_level(scan, die))
				return locus_fail_memory(error);
			if (!scan->depth)
				break;
			continue;
		}

		/* Damage ends the walk; what was read before it is kept. */
		const struct abbrev *abbrev = abbrev_table_get(&unit->abbrevs, code);
		if (!abbrev && !scan->c.bad)
			return locus_fail(error, LOCUS_ERR_BAD_DWARF,
					  "the DIE at .debug_info+0x%llx uses an abbreviation that is not there",
					  (unsigned long long)die);
		if (!scan->c.bad && !scan_die(scan, die, abbrev))
			return locus_fail_memory(error);
		if (scan->endless)
			return fail_endless(error);
		if (scan->c.bad)
			return locus_fail(error, LOCUS_ERR_BAD_DWARF, "the DIE at .debug_info+0x%llx is cut off",
					  (unsigned long long)die);
	}
	enum locus_status status = check_end(scan, error);
	if (status != LOCUS_OK)
		return status;
	if (!cover_inlinees(scan))
		return locus_fail_memory(error);
	if (!ranges_count(unit, &scan->scopes->ranges))
		return fail_endless(error);
	return budget_spend(scan->work) ? LOCUS_OK : locus_fail_memory(error);
}

/* Empties the scopes and begins to walk at the depth of the scan, with nothing open there. */
static enum locus_status begin_walk(struct scan *scan, struct locus_error *error)
{
	struct scopes *scopes = scan->scopes;
	scan->opaque_records = language_is_c(scan->unit->language); /* C has no functions inside of structs */
	choose_passing(scan);
	scopes->count = scopes->name_count = scopes->ranges.list.count = scopes->start_count = 0;
	scopes->ranges.tombstone_count = scopes->ranges.bad_count = scopes->too_deep_count = 0;
	scopes->not_executable_count = scopes->clipped_count = 0;
	dwarf_at(scan->unit->dwarf, scan->unit->where, scan->unit->offset, "entries");
	if (!array_reserve(&scopes->levels, &scopes->level_room, scan->depth + UINT64_C(1), sizeof(*scopes->levels)))
		return locus_fail_memory(error);
	for (uint32_t i = 0; i <= scan->depth; i++)
		scopes->levels[i] = (struct scan_level){.scope = NO_SCOPE, .name_scope = NO_SCOPE};
	return dwarf_name_split(scan->unit->dwarf, walk(scan, error), error);
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
	range_list_done(&scopes->ranges.list);
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
