/*
 * Functions, and what is inlined into them, as libdw's own functions tell it: a second reading beside the converter's
 * (convert/unit/scopes.c), which it is held against, and slower. One thread uses it.
 */
#ifndef LOCUS_LIBDW_TREE_H
#define LOCUS_LIBDW_TREE_H

#include <elfutils/libdw.h>

#include "base/range_list.h"
#include "convert/cross_check/libdw_file.h"
#include "convert/cross_check/plain_ranges.h"
#include "convert/cross_check/span_index.h"
#include "convert/cross_check/split_dwarfs.h"
#include "convert/elf/elf.h"

#define TREE_NO_NODE UINT32_MAX

/* An inlinee that is nested deeper has no name, and none are in it (RULES C9). */
enum { TREE_DEPTH_MAX = 256 };

/* A unit that has code. */
struct tree_unit {
	Dwarf_Die die;      /* of the skeleton, where the unit is split */
	Dwarf_Die code_die; /* what has the functions */
	uint16_t version;
	uint64_t line_offset;  /* of its line table; UINT64_MAX: none */
	const char *directory; /* of the compilation; NULL: unknown */
	struct unit_ranges ranges;
};

struct tree_function {
	Dwarf_Die die;
	uint32_t unit;
};

/* A function, or an inlinee in one. */
struct tree_node {
	Dwarf_Die die;
	uint32_t parent; /* TREE_NO_NODE: the function itself, the first of the nodes */
	uint32_t range_first;
	uint32_t range_count;
	uint32_t child_first; /* the ranges of its children, in `children` */
	uint32_t child_count;
	uint32_t depth;     /* of the function 0 */
	uint64_t call_file; /* UINT64_MAX: unknown, as of functions */
	uint64_t call_line; /* 0: unknown */
	uint64_t call_column;
};

struct tree {
	const struct elf_file *program; /* whose executable code counts (RULES A1) */
	struct tree_unit *units;
	uint32_t unit_count, unit_room;
	struct tree_function *functions;
	uint32_t function_count, function_room;
	struct span_index parts; /* by function: each contiguous part of it */
	uint32_t *bare; /* functions that have no bytes, at 0 or 1: a linker may have dropped them (RULES A2) */
	uint32_t bare_count, bare_room;
	bool is_bare; /* a range that was read last was such a one */

	struct split_dwarfs split_files;

	bool is_cut_off; /* libdw could not tell what is behind the DIE at this offset */
	uint64_t cut_off_at;

	/* Of the function that was opened last. */
	uint32_t opened;
	struct tree_node *nodes;
	uint32_t node_count, node_room;
	struct range *ranges;
	uint32_t range_count, range_room;
	struct span_index children; /* by node: its ranges, those of the children of one node behind each other */
	uint64_t uncounted;         /* steps of searching in them (budget_count) */

	/* While DIEs are walked: by depth, the node that the children of the DIE there are in. */
	uint32_t *inner;
	uint32_t inner_room;
};

/* Reads every unit of `file`. Zeroed before; freed by tree_done, also where this failed. */
enum locus_status tree_read(struct tree *tree, const struct libdw_file *file, const struct elf_file *program,
			    struct locus_error *error);
void tree_done(struct tree *tree);

/*
 * Where the part of a function begins that `part`, one of `parts`, belongs to. Mostly that is `part` itself. But the
 * ranges that inlinees show of a function of DWARF 2 (RULES C3) stand one by one, and those that touch are one part
 * (RULES C2).
 */
uint64_t tree_part_start(struct tree *tree, const struct span *part);

/* Makes `nodes` those of the function. False: out of memory. */
bool tree_open(struct tree *tree, uint32_t function);

/* The address of the opened function's entry, as its DIE gives it (RULES C2). False: it gives none in its ranges. */
bool tree_given_entry(const struct tree *tree, uint64_t *ret);

/*
 * Sorts the ranges of nodes by their parent, and then by address, as tree_open does: a function may have tens of
 * thousands of inlinees. False: out of memory.
 */
bool tree_index_children(struct tree *tree);

/*
 * The innermost node of the opened function at `addr` (RULES C4), which the function holds. NULL: beyond the budget
 * (base/budget.h).
 */
const struct tree_node *tree_innermost(struct tree *tree, uint64_t addr);

#endif
