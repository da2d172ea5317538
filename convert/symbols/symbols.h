/* The symbol table: names for code that DWARF says nothing of, and other names of functions (RULES D6, E). */
#ifndef LOCUS_SYMBOLS_H
#define LOCUS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_slots.h"
#include "base/range_list.h"
#include "base/short_lock.h"
#include "convert/elf/elf.h"

struct symbol {
	uint64_t addr;
	uint64_t size;    /* 0: not sized */
	const char *name; /* owned by the file */
	uint32_t file;    /* 1 + index into the files; 0: not known, as for all symbols that are not local */
	uint8_t rank;     /* of several at one address the lowest answers (RULES D6) */
	bool dynamic;     /* from .dynsym: if unsized, it names that address alone (RULES E2) */
};

/* A source file, as an STT_FILE symbol names it. */
struct symbol_file {
	const char *name; /* owned by the file */
	uint32_t id;      /* for the user of the table; 0 at first */
};

/* The symbols, sorted by address, then by RULES D6; no name stands twice at an address. */
struct symbols {
	struct symbol *symbols;
	uint32_t count, room;
	struct symbol_file *files; /* those of symbols above, in the table's order */
	uint32_t file_count, file_room;
	bool full;        /* they are from .symtab */
	char *made_names; /* names of symbols that no table has (RULES E4); NULL: none */

	/* If only some symbols were read: */
	const struct elf_file *rest_of; /* the file whose table has the others; NULL: all were read */
	const struct elf_file *linked;

	struct short_lock names_lock; /* guards the fields below */
	struct symbols
		*whole; /* all symbols, read for their names when only some were read before; NULL: not needed yet */
	struct hash_slots names; /* symbols by name, filled when symbols_have_name is first called */
};

/*
 * Reads .symtab of `file`, or .dynsym if there is none. Symbols that do not start in executable code of `linked` are
 * left out. `of_interest`, which is sorted, lists the addresses of interest: then only the symbols are read that decide
 * the answers there, which are those that start or reach there, and the next ones on both sides. NULL: all are read. A
 * damaged table is LOCUS_ERR_BAD_ELF.
 */
enum locus_status symbols_read(struct symbols *symbols, const struct elf_file *file, const struct elf_file *linked,
			       const struct range_list *of_interest, struct locus_error *error);

/* Adds the symbols near further addresses (NULL: all) if only some were read. */
enum locus_status symbols_widen(struct symbols *symbols, const struct range_list *of_interest,
				struct locus_error *error);
void symbols_done(struct symbols *symbols);

/* Sorts the symbols again after some were added. */
void symbols_sort(struct symbols *symbols);

/* Moves the symbols of `other` into `symbols`. The files of both must stay open. False: out of memory. */
bool symbols_join(struct symbols *symbols, struct symbols *other);

/* The symbol that starts next below `addr`, or at it; of several the first by RULES D6. NULL: none. */
const struct symbol *symbols_below(const struct symbols *symbols, uint64_t addr);

/* The symbols that start at `addr`, in the order of RULES D6. NULL: none. */
const struct symbol *symbols_at(const struct symbols *symbols, uint64_t addr, size_t *ret_count);

/* Of the `count` symbols at `first`, as symbols_at gives them, the one with exactly this name; NULL: none has it. */
const struct symbol *symbols_find_name(const struct symbol *first, size_t count, const char *name);

/*
 * RULES A2: whether a function in code at `addr` must have a symbol there. Linkers leave the debug information of what
 * they dropped at 0 or 1, where firmware has other code, and .symtab, where it is, names all functions.
 */
static inline bool symbols_must_have(const struct symbols *symbols, uint64_t addr)
{
	return addr <= 1 && symbols->full && symbols->count;
}

/*
 * Whether a symbol has the mangled or plain name `linkage`, or that name with the suffix of a clone (foo.constprop.0),
 * or the name of another variant of the same constructor or destructor (Itanium C++ ABI, 5.1.4.3: C1 to C4, CI1 and
 * CI2, D0 to D4), which demangles to the same text.
 */
bool symbol_is_name_of(const char *symbol, const char *linkage, size_t linkage_size);

/*
 * RULES D5: whether a symbol is that of a part that a compiler split off a function: a cold one, or one of those that
 * clang's -fbasic-block-sections makes.
 */
bool symbol_is_of_part(const char *symbol);

/* Whether any symbol has exactly this name, also one that was not read. Safe from many threads. */
bool symbols_have_name(struct symbols *symbols, const char *name);

/*
 * Calls `tell` for the symbols whose names are wanted, also for those that were not read before, and for some twice. Of
 * these only name, address and size are set. False: `tell` has returned false, which ends the walk.
 */
typedef bool symbol_is_named(void *context, const char *name);
typedef bool symbol_tell(void *context, const struct symbol *symbol);
bool symbols_named(const struct symbols *symbols, symbol_is_named *is_named, symbol_tell *tell, void *context);

#endif
