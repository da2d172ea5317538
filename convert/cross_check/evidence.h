/* All that the cross-check has read of a program, from which it answers: symbols, functions, line tables. */
#ifndef LOCUS_EVIDENCE_H
#define LOCUS_EVIDENCE_H

#include "convert/cross_check/libdw_names.h"
#include "convert/cross_check/line_tables.h"
#include "convert/cross_check/placed_parts.h"
#include "convert/symbols/symbols.h"

/*
 * Zeroed before; the caller sets the first six, and frees what they point to after evidence_done. One thread uses it.
 */
struct evidence {
	const struct elf_file *program;
	struct libdw_file *debug; /* NULL: no debug information */
	struct unit_loads *loads;
	struct symbols symbols;
	const char *const *prefix_maps; /* "OLD=NEW" (RULES F4) */
	size_t prefix_map_count;

	struct span_index symbol_ranges; /* by index of the symbol: what it names, if nothing else does (RULES E2) */
	struct tree tree;
	struct line_tables lines;
	struct dwarf_name_cache names;
	struct placed_parts placed;
	bool *has_dropped;      /* by line table: a function of its units was dropped (RULES A2); NULL: not asked yet */
	struct table_rows rows; /* room for those at an address, for whoever asks for them */
};

/* Reads functions and line tables, and lays out the symbols. evidence_done frees it, also where this failed. */
enum locus_status evidence_read(struct evidence *evidence, struct locus_error *error);
void evidence_done(struct evidence *evidence);

/* The symbol that names an address where no DWARF function does (RULES E2); NULL: none. */
const struct symbol *evidence_symbol_at(const struct evidence *evidence, uint64_t addr);

#endif
