/* The addresses that a conversion is to answer for, if these are not all, and what decides the answers. */
#ifndef LOCUS_UNIT_SELECTION_H
#define LOCUS_UNIT_SELECTION_H

#include "convert/schedule/unit_ranges.h"
#include "convert/symbols/symbols.h"
#include "convert/unit/piece.h"
#include "convert/unit/unit_to_pieces.h"

struct unit_selection {
	struct exec_range *asked; /* what is asked for: sorted, disjoint, each within executable code */
	uint32_t asked_count, asked_room;
	struct range_list deciding; /* addresses at which every function must be known for the answers to be right */
	struct range_list reach;    /* the same, and all that is claimed by units that claim some of it */
	uint64_t *units;            /* offsets of the units chosen last, ascending: those that claim any of `reach` */
	uint32_t unit_count, unit_room;
	struct name_list {
		const char **names;
		uint32_t count, room;
	} looked_for;     /* names of functions whose symbols are known: ascending, each once */
	bool prefers_all; /* converting everything is cheaper, so nothing more was read */
	bool all_read;    /* no unit claims executable code, so every unit was read */
};

/*
 * Adds an address, in any order, to a zeroed selection. Addresses outside of executable code of `linked` are ignored,
 * as they have no answer. After the last, selection_begin is called once. False: out of memory. Freed by selection_done
 * in any case.
 */
bool selection_add_address(struct unit_selection *selection, const struct elf_file *linked, uint64_t address);
bool selection_begin(struct unit_selection *selection);
void selection_done(struct unit_selection *selection);

/*
 * RULES E2: adds what decides which unsized symbol answers for an address: the functions between the two. False, here
 * and of what adds or chooses below: out of memory.
 */
bool selection_add_symbols(struct unit_selection *selection, const struct symbols *symbols);

/*
 * Chooses the units that claim any deciding address, or an address that a unit which claims a deciding one claims with
 * it: a function that overlaps the answer's decides what is answered (RULES C7, C8).
 */
bool selection_choose_units(struct unit_selection *selection, const struct unit_ranges *unit_ranges);

/*
 * Whether so much of a .debug_info of `info_size` bytes was chosen that converting everything is cheaper. Measured with
 * one thread and random addresses, that is so from 26 % of the bytes on in glibc (9 % of the units), 40 % in a kernel
 * (20 %), 50 % in ceph-osd (15 %). The bytes of units cost time, but a few large units alone cost no more than they do
 * in a whole conversion. A line table in a .debug_line of `lines_size` bytes, too, costs time: where units share one, a
 * whole conversion tells once what no function covers of it, but each chosen unit tells all of it.
 */
bool selection_is_most(const struct unit_selection *selection, const struct unit_ranges *unit_ranges,
		       uint64_t info_size, uint64_t lines_size);

/*
 * The addresses at which symbols can matter to the chosen units: all that these claim, and those that decide. `ret` is
 * empty; it becomes sorted.
 */
bool selection_surroundings(const struct unit_selection *selection, const struct unit_ranges *unit_ranges,
			    struct range_list *ret);

/* Whether a piece that answers has addresses outside of `ranges`. */
bool selection_reaches_beyond(const struct unit_selection *selection, const struct piece *pieces, uint32_t count,
			      const struct range_list *ranges);

/* Whether each asked address is claimed by a unit. *ret_memory: whether there was the memory to find that out. */
bool selection_is_covered(const struct unit_selection *selection, const struct unit_ranges *unit_ranges,
			  bool *ret_memory);

/*
 * Adds what decides for addresses that no unit claims. Their rows belong to the unit that has code below them:
 * compilers claim functions, and the last row of one runs on over the padding behind it (RULES B14). So the nearest
 * range below decides too.
 */
bool selection_add_units_below(struct unit_selection *selection, const struct unit_ranges *unit_ranges);

/*
 * Adds what decides too, now that the answering pieces are known: all of their addresses, and those of symbols that may
 * be linkage names of their functions (RULES D3), which depends on the functions that start there. *ret_grown: some of
 * it was new.
 */
bool selection_grow(struct unit_selection *selection, const struct piece *pieces, uint32_t count,
		    const struct shared *shared, bool *ret_grown);

#endif
