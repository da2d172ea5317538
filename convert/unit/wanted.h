/* The addresses that a conversion is to answer for, where these are not all, and what decides of them. */
#ifndef LOCUS_WANTED_H
#define LOCUS_WANTED_H

#include "convert/dwarf/unit_queue.h"
#include "convert/elf/symbols.h"
#include "convert/unit/claims.h"
#include "convert/unit/packed_intervals.h"
#include "convert/unit/piece.h"
#include "convert/unit/unit_to_pieces.h"

struct wanted {
	struct exec_range *windows; /* what is answered for: sorted, disjoint, each within executable code */
	uint32_t window_count, window_room;
	struct range_list deciding; /* where every function must be known to answer */
	struct range_list reach;    /* the same, and what the units that claim some of it claim with it */
	uint64_t *units;            /* the last choice, ascending: those that claim any of `reach` */
	uint32_t unit_count, unit_room;
	struct name_list {
		const char **names;
		uint32_t count, room;
	} looked_for;     /* names of functions, of which the symbols that bear them are known */
	bool prefers_all; /* to convert all is cheaper, and so nothing more was read */
	bool all_read;    /* no unit claims executable code, and so each was read: what they hold is all there is */
};

/*
 * Asks for an address, in any order, of a zeroed `wanted`; nothing happens where it is in no executable code of
 * `linked`, for then there is no answer. wanted_begin follows once, after the last. False: out of memory. Freed by
 * wanted_done in any case.
 */
bool wanted_add(struct wanted *wanted, const struct elf_file *linked, uint64_t address);
bool wanted_begin(struct wanted *wanted);
void wanted_done(struct wanted *wanted);

/*
 * RULES E2: which unsized symbol answers for an address depends on the functions between the two. Out of memory is
 * false, here and below.
 */
bool wanted_add_symbols(struct wanted *wanted, const struct symbols *symbols);

/*
 * Chooses the units that claim any deciding address, or one that somebody who claims a deciding address claims with it:
 * whose function overlaps an answer's decides what is said of that (RULES C7, C8).
 */
bool wanted_choose(struct wanted *wanted, const struct claims *claims);

/*
 * Whether so much of a .debug_info of `info_size` bytes was chosen that to convert all is cheaper. Measured at one
 * thread, on random addresses: that is so from 26 % of the bytes on in glibc (9 % of the units), 40 % in a kernel
 * (20 %), 50 % in ceph-osd (15 %). It is units' bytes that cost, but a few large units alone cost no more than they do
 * in the whole.
 */
bool wanted_is_most(const struct wanted *wanted, const struct claims *claims, uint64_t info_size);

/*
 * Where symbols can matter to the chosen units: all that they claim, and what decides. `ret` is empty; it is put in
 * order.
 */
bool wanted_surroundings(const struct wanted *wanted, const struct claims *claims, struct range_list *ret);

/* Whether a piece that answers has addresses outside of `near`. */
bool wanted_leave(const struct wanted *wanted, const struct piece *pieces, uint32_t count,
		  const struct range_list *near);

/* Whether a unit claims each of the addresses that are asked for. */
bool wanted_are_claimed(const struct wanted *wanted, const struct claims *claims, bool *ret_memory);

/*
 * Where no unit claims an address, the rows there are of the unit that has code below it: compilers claim their
 * functions, and the last row of one runs on over the padding behind it (RULES B14). What is claimed nearest below
 * decides too.
 */
bool wanted_add_claims_below(struct wanted *wanted, const struct claims *claims);

/*
 * Adds what the pieces that answer show to decide with them: all of their own addresses, and the symbols that may be
 * linkage names of the functions in them (RULES D3), which the functions that start there tell. *ret_grown: it was not
 * known yet.
 */
bool wanted_grow(struct wanted *wanted, const struct piece *pieces, uint32_t count, const struct shared *shared,
		 bool *ret_grown);

#endif
