/*
 * Where code is, by what a text says of processes and what files of symbols say: which file a frame of the text is in,
 * and at which address of that.
 */
#ifndef LOCUS_CODE_MAP_H
#define LOCUS_CODE_MAP_H

#include "cmd/modules/symbol_sources.h"
#include "cmd/symbolize/address_spaces.h"
#include "cmd/symbolize/text_forms.h"

/* Linux loads no program below this address, so an address below it is a position in its file, or made up. */
enum { FIXED_PROGRAM = 0x10000 };

struct code_map {
	struct symbol_sources *sources; /* borrowed */
	struct address_spaces *spaces;  /* borrowed: what the text has said so far */
	uint64_t process;               /* whose stack is read; 0: the text does not say */
};

/* The place in the code that a frame means. */
struct place {
	struct symbol_file *symbols;
	uint64_t address;
};

/* Notes what a line says that is no frame, but describes a process: its mappings, modules, children and programs. */
void code_map_take(const struct code_map *map, const struct form_match *match);

/* Finds the place that a frame means. False: neither the text nor the files of symbols say. */
bool code_map_locate(const struct code_map *map, const struct form_match *match, struct place *ret);

/*
 * Whether a place in a function, of which the text also says where it was at run time, may have been there: programs
 * are loaded in whole pages.
 */
bool place_fits_address(const struct place *place, const struct form_match *match);

/*
 * Finds which file a frame is in, and where: by its position there, by an address of a library, where both are equal,
 * or by a mapping. False: the text does not say. The path is borrowed until the next call.
 */
bool code_map_find_position(const struct code_map *map, const struct form_match *match, struct locus_string *ret_path,
			    uint64_t *ret);

/*
 * Whether a frame may have no place because the text gave more mappings than are kept: it names its module, and is in
 * none that is known.
 */
bool code_map_has_lost(const struct code_map *map, const struct form_match *match, uint64_t *ret_address);

/* Whether perf says that a frame is Linux's: such modules are in brackets. */
bool frame_is_of_kernel(const struct form_match *match);

#endif
