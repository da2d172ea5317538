/* While DIEs are walked, each DIE around the one at hand is kept with the node that its children are in. */
#include "convert/cross_check/libdw_tree.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/budget.h"
#include "base/fail.h"
#include "base/order.h"
#include "convert/cross_check/die_walk.h"

/*
 * Called for each DIE below the first. `around` is the node that it is in; *inner, the node that its children are in,
 * is the same at first; *descend, whether they are visited, is true at first. False: out of memory.
 */
typedef bool visit_die(struct tree *tree, Dwarf_Die *die, uint32_t unit, uint32_t *inner, bool *descend);

static bool walk(struct tree *tree, Dwarf_Die *root, uint32_t unit, uint32_t node, visit_die *visit)
{
	struct die_walk walk;
	bool descend;
	for (bool more = die_walk_begin(&walk, root); more; more = die_walk_next(&walk, descend)) {
		if (!array_reserve(&tree->inner, &tree->inner_room, walk.depth + UINT64_C(1), sizeof(*tree->inner)))
			return false;
		uint32_t inner = walk.depth == 1 ? node : tree->inner[walk.depth - 1];
		descend = true;
		if (!visit(tree, &walk.die, unit, &inner, &descend))
			return false;
		tree->inner[walk.depth] = inner;
	}
	if (walk.is_cut_off && !tree->is_cut_off) {
		tree->is_cut_off = true;
		tree->cut_off_at = dwarf_dieoffset(&walk.die);
	}
	return true;
}

static bool add_range(struct tree *tree, uint64_t start, uint64_t end)
{
	if (!array_reserve(&tree->ranges, &tree->range_room, tree->range_count + UINT64_C(1), sizeof(*tree->ranges)))
		return false;
	tree->ranges[tree->range_count++] = (struct range){start, end};
	return true;
}

/* RULES A1 to A4: adds a range, if it is a valid one. */
static bool add_valid_range(struct tree *tree, uint64_t start, uint64_t end, bool is_function)
{
	uint64_t highest = tree->program->class == ELFCLASS64 ? UINT64_MAX : UINT32_MAX;
	const uint64_t mode_bit = elf_file_mode_bit(tree->program);
	if (start >= highest - 1)
		return true;
	start &= ~mode_bit;
	end &= ~mode_bit;
	const struct exec_range *exec = elf_file_exec(tree->program, start);
	tree->is_bare |= start == end && start <= 1;
	if (start >= end || (is_function && !exec))
		return true;
	return add_range(tree, start, is_function && end > exec->end ? exec->end : end);
}

/*
 * The addresses that a DIE's DW_AT_low_pc and DW_AT_high_pc give. False: it has not both. libdw is not asked for them:
 * those of a split unit are in its skeleton's file, of which it does not know.
 */
static bool read_bounds(const struct tree_unit *unit, Dwarf_Die *die, uint64_t *ret_low, uint64_t *ret_high)
{
	Dwarf_Attribute low, high;
	Dwarf_Word size;
	if (!dwarf_attr(die, DW_AT_low_pc, &low) || !dwarf_attr(die, DW_AT_high_pc, &high) ||
	    !unit_ranges_address(&unit->ranges, &low, ret_low))
		return false;
	if (unit_ranges_address(&unit->ranges, &high, ret_high))
		return true;
	bool is_size = dwarf_formudata(&high, &size) == 0;
	*ret_high = *ret_low + size;
	return is_size;
}

/* Adds the valid ranges of a DIE: one, or a list of them. */
static bool read_ranges(struct tree *tree, Dwarf_Die *die, uint32_t unit, bool is_function)
{
	Dwarf_Attribute attribute;
	struct plain_ranges list;
	uint64_t low, high, start, end;
	bool memory = true;
	if (read_bounds(&tree->units[unit], die, &low, &high))
		return add_valid_range(tree, low, high, is_function);
	if (!dwarf_attr(die, DW_AT_ranges, &attribute) ||
	    !plain_ranges_begin(&list, &tree->units[unit].ranges, &attribute))
		return true;
	while (memory && plain_ranges_next(&list, &start, &end))
		memory = add_valid_range(tree, start, end, is_function);
	return memory && budget_is_left();
}

static int compare_ranges(const void *x, const void *y)
{
	const struct range *a = x, *b = y;
	return a->start != b->start ? order_of(a->start, b->start) : order_of(a->end, b->end);
}

/* RULES C2: ranges that touch are one part. */
static bool add_parts(struct tree *tree, uint32_t function)
{
	uint64_t start = 0, end = 0;
	if (tree->range_count)
		qsort(tree->ranges, tree->range_count, sizeof(*tree->ranges), compare_ranges);
	for (uint32_t i = 0; i < tree->range_count; i++) {
		const struct range *range = &tree->ranges[i];
		if (range->start > end || i == 0) {
			if (!span_index_add(&tree->parts, start, end, function))
				return false;
			start = range->start;
		}
		end = range->end > end ? range->end : end;
	}
	return span_index_add(&tree->parts, start, end, function);
}

/* Whether no DIE below one of this tag has code. */
static bool is_without_code(int tag)
{
	return tag == DW_TAG_subroutine_type || tag == DW_TAG_array_type || tag == DW_TAG_variable ||
	       tag == DW_TAG_formal_parameter || tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site;
}

/* RULES C3: in DWARF 2, a function with one range is also where something is inlined into it. */
static bool add_truncated(struct tree *tree, uint32_t function, Dwarf_Die *inlinee)
{
	tree->range_count = 0;
	uint32_t unit = tree->functions[function].unit;
	if (!read_ranges(tree, &tree->functions[function].die, unit, true))
		return false;
	uint32_t own_count = tree->range_count;
	if (!read_ranges(tree, inlinee, unit, true))
		return false;
	if (own_count != 1 || tree->range_count != 2)
		return true;
	const struct range *own = tree->ranges, *other = own + 1;
	bool holds = own->start <= other->start && own->end >= other->end;
	return holds || span_index_add(&tree->parts, other->start, other->end, function);
}

/* RULES C3: in DWARF 2, gcc has a function of such a name for another part of one. A linkage name says of which. */
static bool is_second_section(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = dwarf_formstring(dwarf_attr(die, DW_AT_name, &attribute));
	return name && strncmp(name, "__second_sect_of_", strlen("__second_sect_of_")) == 0 &&
	       !dwarf_hasattr(die, DW_AT_MIPS_linkage_name);
}

static bool visit_for_functions(struct tree *tree, Dwarf_Die *die, uint32_t unit, uint32_t *inner, bool *descend)
{
	int tag = dwarf_tag(die);
	bool truncates = tree->units[unit].version == 2;
	*descend = !is_without_code(tag);
	if (tag == DW_TAG_inlined_subroutine && truncates && *inner != TREE_NO_NODE)
		return add_truncated(tree, *inner, die);
	if (tag != DW_TAG_subprogram)
		return true;

	*inner = TREE_NO_NODE;
	if (truncates && is_second_section(die))
		return true;
	tree->range_count = 0;
	tree->is_bare = false;
	if (!read_ranges(tree, die, unit, true))
		return false;
	if (!tree->range_count && !tree->is_bare)
		return true;
	if (!array_reserve(&tree->functions, &tree->function_room, tree->function_count + UINT64_C(1),
			   sizeof(*tree->functions)) ||
	    !array_reserve(&tree->bare, &tree->bare_room, tree->bare_count + UINT64_C(1), sizeof(*tree->bare)))
		return false;
	const uint32_t function = tree->function_count++;
	tree->functions[function] = (struct tree_function){*die, unit};
	if (!tree->range_count) {
		tree->bare[tree->bare_count++] = function;
		return true;
	}
	*inner = function;
	return add_parts(tree, function);
}

uint64_t tree_part_start(struct tree *tree, const struct span *part)
{
	const struct span *spans = tree->parts.spans;
	uint64_t start = part->start;
	if (tree->units[tree->functions[part->item].unit].version != 2)
		return start;
	for (uint32_t i = (uint32_t)(part - spans); i-- > 0 && spans[i].reach >= start;) {
		if (!budget_count(&tree->uncounted, 1))
			break;
		if (spans[i].item == part->item && spans[i].end >= start)
			start = spans[i].start;
	}
	return start;
}

static bool visit_inlinee(struct tree *tree, Dwarf_Die *die, uint32_t unit, uint32_t *inner)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	struct tree_node node = {
		.die = *die,
		.parent = *inner,
		.range_first = tree->range_count,
		.depth = tree->nodes[*inner].depth + 1,
		.call_file = UINT64_MAX,
	};
	if (node.depth > TREE_DEPTH_MAX + 1)
		return true;

	/* What is not known stays as it was set above. */
	if (!read_ranges(tree, die, unit, false))
		return false;
	node.range_count = tree->range_count - node.range_first;
	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &number) == 0)
		node.call_file = number;
	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &number) == 0)
		node.call_line = number;
	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_column, &attribute), &number) == 0)
		node.call_column = number;
	if (!node.range_count && dwarf_haschildren(die) <= 0)
		return true;
	if (!array_reserve(&tree->nodes, &tree->node_room, tree->node_count + UINT64_C(1), sizeof(*tree->nodes)))
		return false;
	*inner = tree->node_count;
	tree->nodes[tree->node_count++] = node;
	return true;
}

static bool visit_for_nodes(struct tree *tree, Dwarf_Die *die, uint32_t unit, uint32_t *inner, bool *descend)
{
	int tag = dwarf_tag(die);
	/* A nested function is a function of its own. */
	*descend = tag != DW_TAG_subprogram && tag != DW_TAG_structure_type && tag != DW_TAG_class_type &&
		   tag != DW_TAG_union_type && !is_without_code(tag);
	return tag == DW_TAG_inlined_subroutine ? visit_inlinee(tree, die, unit, inner) : true;
}

/* The ranges of a node's children, sorted by their start. */
static struct span_index children_of(const struct tree *tree, const struct tree_node *node)
{
	return (struct span_index){.spans = tree->children.spans + node->child_first, .count = node->child_count};
}

bool tree_index_children(struct tree *tree)
{
	struct span_index *children = &tree->children;
	if (!array_reserve(&children->spans, &children->room, tree->range_count + UINT64_C(1),
			   sizeof(*children->spans)))
		return false;
	for (uint32_t i = 1; i < tree->node_count; i++)
		tree->nodes[tree->nodes[i].parent].child_count += tree->nodes[i].range_count;
	for (uint32_t i = 0, first = 0; i < tree->node_count; i++) {
		tree->nodes[i].child_first = first;
		first += tree->nodes[i].child_count;
		tree->nodes[i].child_count = 0;
	}

	for (uint32_t i = 1; i < tree->node_count; i++) {
		struct tree_node *node = &tree->nodes[i], *parent = &tree->nodes[node->parent];
		for (uint32_t k = node->range_first; k < node->range_first + node->range_count; k++)
			children->spans[parent->child_first + parent->child_count++] =
				(struct span){tree->ranges[k].start, tree->ranges[k].end, 0, i};
	}
	for (uint32_t i = 0; i < tree->node_count; i++) {
		struct span_index of_node = children_of(tree, &tree->nodes[i]);
		span_index_sort(&of_node);
	}
	return true;
}

/* RULES C3: where an inlinee without code is, if not DWARF 2: where those inlined into it are, which come behind it. */
static bool give_children_ranges(struct tree *tree)
{
	for (uint32_t at = tree->node_count; at-- > 1;) {
		struct tree_node *node = &tree->nodes[at];
		if (node->range_count)
			continue;
		node->range_first = tree->range_count;
		for (uint32_t i = at + 1; i < tree->node_count && tree->nodes[i].depth > node->depth; i++) {
			uint32_t count = tree->nodes[i].parent == at ? tree->nodes[i].range_count : 0;
			if (!budget_spend(1 + (uint64_t)count) ||
			    !array_reserve(&tree->ranges, &tree->range_room, tree->range_count + (uint64_t)count,
					   sizeof(*tree->ranges)))
				return false;
			for (uint32_t k = 0; k < count; k++)
				tree->ranges[tree->range_count++] = tree->ranges[tree->nodes[i].range_first + k];
		}
		node->range_count = tree->range_count - node->range_first;
	}
	return true;
}

bool tree_open(struct tree *tree, uint32_t function)
{
	Dwarf_Die *die = &tree->functions[function].die;
	uint32_t unit = tree->functions[function].unit;
	if (tree->opened == function)
		return true;
	tree->opened = function;
	tree->node_count = tree->range_count = 0;
	if (!array_reserve(&tree->nodes, &tree->node_room, 1, sizeof(*tree->nodes)) ||
	    !read_ranges(tree, die, unit, true))
		return false;
	tree->nodes[tree->node_count++] = (struct tree_node){
		.die = *die, .parent = TREE_NO_NODE, .range_count = tree->range_count, .call_file = UINT64_MAX};
	return walk(tree, die, unit, 0, visit_for_nodes) &&
	       (tree->units[unit].version == 2 || give_children_ranges(tree)) && tree_index_children(tree);
}

/* DW_AT_entry_pc is an address, or a distance from DW_AT_low_pc or the first range; without it that is DW_AT_low_pc. */
static bool read_entry(const struct tree *tree, uint64_t *ret)
{
	const struct tree_node *root = &tree->nodes[0];
	const struct unit_ranges *addresses = &tree->units[tree->functions[tree->opened].unit].ranges;
	Dwarf_Die die = root->die;
	Dwarf_Attribute attribute;
	Dwarf_Word distance;
	uint64_t low;
	bool has_low = dwarf_attr(&die, DW_AT_low_pc, &attribute) && unit_ranges_address(addresses, &attribute, &low);
	if (dwarf_attr(&die, DW_AT_entry_pc, &attribute)) {
		if (unit_ranges_address(addresses, &attribute, ret))
			return true;
		if (dwarf_formudata(&attribute, &distance) == 0 && (has_low || root->range_count)) {
			*ret = (has_low ? low : tree->ranges[root->range_first].start) + distance;
			return true;
		}
	}
	if (has_low)
		*ret = low;
	return has_low;
}

bool tree_given_entry(const struct tree *tree, uint64_t *ret)
{
	const struct range *ranges = tree->ranges + tree->nodes[0].range_first;
	uint64_t entry;
	if (!read_entry(tree, &entry))
		return false;
	entry &= ~elf_file_mode_bit(tree->program);
	for (uint32_t i = 0; i < tree->nodes[0].range_count; i++)
		if (ranges[i].start <= entry && entry < ranges[i].end) {
			*ret = entry;
			return true;
		}
	return false;
}

/* Finds the start of the node's range that holds `addr`. False: none does. */
static bool holds(const struct tree *tree, const struct tree_node *node, uint64_t addr, uint64_t *ret_start)
{
	bool found = false;
	for (uint32_t i = 0; i < node->range_count; i++) {
		const struct range *range = &tree->ranges[node->range_first + i];
		if (range->start <= addr && addr < range->end && (!found || range->start > *ret_start)) {
			*ret_start = range->start;
			found = true;
		}
	}
	return found;
}

/* RULES C3: in DWARF 2, an inlinee also covers what was inlined into it. */
static bool is_at(struct tree *tree, uint32_t index, uint64_t addr, uint64_t *ret_start)
{
	const struct tree_node *node = &tree->nodes[index];
	if (!budget_count(&tree->uncounted, 1 + (uint64_t)node->range_count))
		return false;
	if (holds(tree, node, addr, ret_start))
		return true;
	if (node->range_count > 1)
		return false;
	for (uint32_t i = index + 1; i < tree->node_count && tree->nodes[i].depth > node->depth; i++) {
		if (!budget_count(&tree->uncounted, 1))
			return false;
		if (tree->nodes[i].parent == index && is_at(tree, i, addr, ret_start))
			return true;
	}
	return false;
}

/* In DWARF 2, of the children of node `at` that are at `addr`. TREE_NO_NODE: none is, or beyond the budget. */
static uint32_t child_by_search(struct tree *tree, uint32_t at, uint64_t addr)
{
	uint32_t best = TREE_NO_NODE;
	uint64_t best_start = 0, start;
	for (uint32_t i = at + 1; i < tree->node_count && tree->nodes[i].depth > tree->nodes[at].depth; i++) {
		if (!budget_count(&tree->uncounted, 1))
			return TREE_NO_NODE;
		if (tree->nodes[i].parent != at || !is_at(tree, i, addr, &start))
			continue;
		if (best == TREE_NO_NODE || start >= best_start) {
			best = i;
			best_start = start;
		}
	}
	return best;
}

/* The child of node `at` that answers at `addr`: of those that begin at the same place the last one. */
static uint32_t child_at(struct tree *tree, uint32_t at, uint64_t addr)
{
	if (tree->units[tree->functions[tree->opened].unit].version == 2)
		return child_by_search(tree, at, addr);
	const struct span_index children = children_of(tree, &tree->nodes[at]);
	for (uint32_t i = span_index_count_below(&children, addr); i-- > 0 && children.spans[i].reach > addr;) {
		if (!budget_count(&tree->uncounted, 1))
			break;
		if (children.spans[i].end > addr)
			return children.spans[i].item;
	}
	return TREE_NO_NODE;
}

const struct tree_node *tree_innermost(struct tree *tree, uint64_t addr)
{
	uint32_t at = 0;
	for (uint32_t inner; (inner = child_at(tree, at, addr)) != TREE_NO_NODE;)
		at = inner;
	return budget_is_left() ? &tree->nodes[at] : NULL;
}

/*
 * Adds a unit and its functions. `sections` are of the file with the unit, `code_sections` of that with the functions.
 */
static bool add_unit(struct tree *tree, struct tree_unit unit, const struct dwarf_sections *sections,
		     const struct dwarf_sections *code_sections)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset;
	if (!die_spend(&unit.die) || !die_spend(&unit.code_die) ||
	    !array_reserve(&tree->units, &tree->unit_room, tree->unit_count + UINT64_C(1), sizeof(*tree->units)))
		return false;
	unit.line_offset = UINT64_MAX;
	if (dwarf_formudata(dwarf_attr(&unit.die, DW_AT_stmt_list, &attribute), &offset) == 0)
		unit.line_offset = offset;
	unit.directory = dwarf_formstring(dwarf_attr(&unit.die, DW_AT_comp_dir, &attribute));
	unit_ranges_find(&unit.ranges, &unit.die, sections, &unit.code_die, code_sections);
	tree->units[tree->unit_count++] = unit;
	return walk(tree, &unit.code_die, tree->unit_count - 1, TREE_NO_NODE, visit_for_functions);
}

/* Reads a unit whose functions are in a file of their own. */
static enum locus_status read_skeleton(struct tree *tree, const struct libdw_file *file, Dwarf_CU *cu,
				       struct tree_unit unit, struct locus_error *error)
{
	struct dwarf_sections code_sections;
	enum locus_status status = split_dwarfs_find(&tree->split_files, file, cu, &unit.die, &unit.code_die, error);
	if (status != LOCUS_OK)
		return status;
	dwarf_sections_find(&code_sections, dwarf_cu_getdwarf(unit.code_die.cu));
	return add_unit(tree, unit, &file->sections, &code_sections) ? LOCUS_OK : locus_fail_memory(error);
}

/*
 * libdw reads no address of another size than 4 or 8 bytes, as there are on AVR, and then says of the unit's DIE that
 * its addresses have 8. So the header is asked.
 */
static enum locus_status demand_known_addresses(Dwarf *dwarf, Dwarf_Die *unit, struct locus_error *error)
{
	Dwarf_Off start = dwarf_dieoffset(unit) - dwarf_cuoffset(unit), next;
	uint8_t size = 0;

	dwarf_next_unit(dwarf, start, &next, NULL, NULL, NULL, &size, NULL, NULL, NULL);
	if (size == 4 || size == 8)
		return LOCUS_OK;
	return locus_fail(error, LOCUS_ERR_UNSUPPORTED, "libdw cannot read addresses of %u bytes", size);
}

/* RULES G3: a skeleton without any has no code in its split unit. */
static bool has_addresses(Dwarf_Die *skeleton)
{
	return dwarf_hasattr(skeleton, DW_AT_low_pc) || dwarf_hasattr(skeleton, DW_AT_ranges) ||
	       dwarf_hasattr(skeleton, DW_AT_addr_base) || dwarf_hasattr(skeleton, DW_AT_GNU_addr_base);
}

/*
 * libdw takes a unit of DWARF 4 with the id of a split unit for the skeleton only if it has no children, and else for
 * the split unit. With -fsplit-dwarf-inlining clang writes skeletons that have some.
 */
static bool is_skeleton(uint8_t type, Dwarf_Die *unit)
{
	return type == DW_UT_skeleton || (type == DW_UT_split_compile && dwarf_hasattr(unit, DW_AT_GNU_dwo_name));
}

enum locus_status tree_read(struct tree *tree, const struct libdw_file *file, const struct elf_file *program,
			    struct locus_error *error)
{
	Dwarf_CU *cu = NULL;
	struct tree_unit unit = {0};
	uint8_t type;
	int more = 1;
	tree->program = program;
	tree->split_files.program = program->path;
	tree->opened = UINT32_MAX;

	/* Line tables may stand alone; that there is no .debug_info at all is a failure to libdw. */
	const bool has_units = file->sections.of[DEBUG_INFO].size != 0;
	while (has_units &&
	       (more = dwarf_get_units(file->dwarf, cu, &cu, &unit.version, &type, &unit.die, NULL)) == 0) {
		enum locus_status status;
		unit.code_die = unit.die;
		budget_at("entries", NULL, ".debug_info", dwarf_dieoffset(&unit.die));
		if (type == DW_UT_type || type == DW_UT_split_type)
			continue;
		status = demand_known_addresses(file->dwarf, &unit.die, error);
		if (status != LOCUS_OK)
			return status;
		if (is_skeleton(type, &unit.die) && has_addresses(&unit.die))
			status = read_skeleton(tree, file, cu, unit, error);
		else if (!add_unit(tree, unit, &file->sections, &file->sections))
			status = locus_fail_memory(error);
		if (status == LOCUS_OK && tree->is_cut_off)
			status = locus_fail(error, LOCUS_ERR_UNSUPPORTED,
					    "libdw cannot read what is behind the entry at 0x%llx of its .debug_info",
					    (unsigned long long)tree->cut_off_at);
		if (status != LOCUS_OK)
			return status;
	}

	if (more < 0) {
		const char *why = dwarf_errmsg(0); /* NULL: libdw says nothing */
		return locus_fail(error, LOCUS_ERR_BAD_DWARF, "libdw cannot read its units: %s",
				  why ? why : "a header is damaged");
	}
	span_index_sort(&tree->parts);
	return LOCUS_OK;
}

void tree_done(struct tree *tree)
{
	free(tree->units);
	free(tree->functions);
	span_index_done(&tree->parts);
	free(tree->bare);
	free(tree->nodes);
	free(tree->ranges);
	span_index_done(&tree->children);
	free(tree->inner);
	split_dwarfs_done(&tree->split_files);
	*tree = (struct tree){0};
}
