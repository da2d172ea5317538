/* The functions and inlinees of a unit with their ranges, and the scopes that qualify names. */
#ifndef LOCUS_SCOPES_H
#define LOCUS_SCOPES_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/dwarf/ranges.h"
#include "convert/dwarf/unit.h"

#define NO_SCOPE UINT32_MAX

enum { INLINE_DEPTH_MAX = 256 }; /* RULES C9: one more level, without a name, stands for all that is deeper */

/*
 * A function or inlinee that has code, or a function at 0 or 1 without a byte: what a linker may have left of one that
 * it dropped (RULES A2). Scopes are in the order of their DIEs.
 */
struct scope {
	uint64_t die;    /* offset in the unit's section */
	uint64_t origin; /* offset of the DIE from which its names are looked up, in the unit's section; may be `die` */
	uint64_t entry;  /* functions: the address of the entry; UINT64_MAX: not given */
	uint64_t stmt_sequence; /* functions: DW_AT_LLVM_stmt_sequence; UINT64_MAX: absent */
	uint64_t call_file;     /* inlinees: index; UINT64_MAX: absent */
	uint32_t call_line;     /* inlinees; 0: absent */
	uint32_t call_column;   /* inlinees; 0: absent, as where the line is */
	uint32_t parent;        /* inlinees: the scope it is inlined into; NO_SCOPE for functions */
	uint32_t function;      /* the function it is in: its own index for a function */
	uint32_t range_first;
	uint32_t range_count;
	uint16_t depth; /* 0 for functions */
};

/*
 * From the DIE behind `die` on, DIEs are inside this namespace, class or module; or, if it `closes`, inside `parent`
 * again.
 */
struct name_scope {
	uint64_t die;
	uint32_t parent; /* NO_SCOPE: none */
	bool closes;
};

/* What encloses the DIEs at one depth of the tree. */
struct scan_level {
	uint32_t scope;      /* the innermost function or inlinee with code; NO_SCOPE */
	uint32_t name_scope; /* the innermost namespace or class; NO_SCOPE */
	bool opened_name_scope;
	bool in_function; /* this DIE or an enclosing one is a function */
};

/* A DIE outside of all functions, where a walk over a part of the unit may begin or end. */
struct scan_start {
	uint64_t die;
	uint32_t depth;
};

struct scopes {
	struct scope *scopes;
	uint32_t count, room;
	struct name_scope *names; /* in the order of their DIEs; only in languages that qualify (RULES D3) */
	uint32_t name_count, name_room;
	struct given_ranges ranges;
	struct scan_start *starts; /* the starts that scopes_survey found */
	uint32_t start_count, start_room;
	bool keeps_columns;        /* columns of calls are kept; set by the caller before the first unit */
	struct scan_level *levels; /* scratch */
	uint32_t level_room;
	uint64_t too_deep_count;       /* RULES C9 */
	uint64_t not_executable_count; /* RULES A1 */
	uint64_t clipped_count;        /* RULES A1 */
};

/*
 * Walks all DIEs of the unit. Functions keep the ranges that start in executable code of `linked` (RULES A1); a
 * function without any is dead, and its inlinees are not read (RULES C1). `scopes` is emptied first, its memory reused;
 * freed by scopes_done. LOCUS_ERR_BAD_DWARF: a DIE cannot be read; what was read before it is kept.
 */
enum locus_status scopes_read(struct scopes *scopes, const struct unit *unit, const struct elf_file *linked,
			      struct locus_error *error);

/*
 * Walks all DIEs of the unit, but keeps only name scopes, and the places to begin at: the unit's first DIE, and then
 * one about every `stride` bytes. Otherwise like scopes_read.
 */
enum locus_status scopes_survey(struct scopes *scopes, const struct unit *unit, uint64_t stride,
				struct locus_error *error);

/*
 * Like scopes_read, for the DIEs from `start` up to `end`, which is the next start or UINT64_MAX; without name scopes,
 * which the survey has found.
 */
enum locus_status scopes_read_part(struct scopes *scopes, const struct unit *unit, const struct elf_file *linked,
				   const struct scan_start *start, uint64_t end, struct locus_error *error);

void scopes_done(struct scopes *scopes);

/* The innermost name scope around the DIE at `offset`; NO_SCOPE: none. */
uint32_t scopes_enclosing(const struct scopes *scopes, uint64_t offset);

#endif
