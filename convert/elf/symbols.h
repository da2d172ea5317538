/* The symbol table: names for code that DWARF says nothing of, and other names of functions (RULES D6, E). */
#ifndef LOCUS_SYMBOLS_H
#define LOCUS_SYMBOLS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_slots.h"
#include "base/range_list.h"
#include "convert/elf/elf.h"

struct symbol {
	uint64_t addr;
	uint64_t size;    /* 0: not sized */
	const char *name; /* owned by the file */
	uint32_t file;    /* 1 + index into the files; 0: not known, as for all but local symbols */
	uint8_t rank;     /* at one address the lowest counts (RULES D6) */
	bool dynamic;     /* of .dynsym: unsized, it is that address alone (RULES E2) */
};

/* What a STT_FILE symbol names. */
struct symbol_file {
	const char *name; /* owned by the file */
	uint32_t id;      /* for whoever uses the table; 0 at first */
};

/* Sorted by address, then by RULES D6; no name twice at an address. */
struct symbols {
	struct symbol *symbols;
	uint32_t count, room;
	struct symbol_file *files; /* those of symbols above, in the table's order */
	uint32_t file_count, file_room;
	bool full;        /* of .symtab */
	char *made_names; /* of symbols that no table has (RULES E4); NULL: none */

	/* Where only some were read: */
	const struct elf_file *rest_of; /* whose table the others are in; NULL: all were read */
	const struct elf_file *linked;

	pthread_mutex_t names_lock; /* guards what follows */
	struct symbols *whole;      /* for names, of a table of which only some were read; NULL: none was asked for */
	struct hash_slots names;    /* symbols by name, once symbols_have_name was asked */
};

/*
 * Reads .symtab, or .dynsym where there is none, of `file`; what does not start in executable code of `linked` is left
 * out. `near`, in order, is where symbols are asked for: then only those are read that decide of these addresses, which
 * are those that start there or reach there, and the next ones on both sides. NULL: everywhere. A damaged table is
 * LOCUS_ERR_BAD_ELF.
 */
enum locus_status symbols_read(struct symbols *symbols, const struct elf_file *file, const struct elf_file *linked,
			       const struct range_list *near, struct locus_error *error);

/* Adds those near further addresses (NULL: all) where only some were read. */
enum locus_status symbols_widen(struct symbols *symbols, const struct range_list *near, struct locus_error *error);
void symbols_done(struct symbols *symbols);

/* Puts symbols that were added where they belong. */
void symbols_sort(struct symbols *symbols);

/* Adds what `other` has; it is emptied. Of the two, the files of both must stay. False: out of memory. */
bool symbols_join(struct symbols *symbols, struct symbols *other);

/* The first by RULES D6 of those that start next below `addr`, or at it. NULL: none. */
const struct symbol *symbols_below(const struct symbols *symbols, uint64_t addr);

/* The symbols that start at `addr`, the first by RULES D6 first. NULL: none. */
const struct symbol *symbols_at(const struct symbols *symbols, uint64_t addr, size_t *ret_count);

/*
 * Whether a symbol bears the mangled or plain name `linkage`, says which clone of it this is (foo.constprop.0), or
 * names another variant of the same constructor or destructor (Itanium C++ ABI, 5.1.4.3: C1 to C4, D0 to D4), which
 * demangles to the same.
 */
bool symbol_bears(const char *symbol, const char *linkage, size_t linkage_size);

/* Whether a symbol of that very name is anywhere, also among those that were not read. Safe from many threads. */
bool symbols_have_name(struct symbols *symbols, const char *name);

/*
 * Tells the symbols whose names are asked for, also those that were not read, some of them twice: of these name,
 * address and size alone are known. False: `tell` has said so, which ends it.
 */
typedef bool symbol_is_named(void *context, const char *name);
typedef bool symbol_tell(void *context, const struct symbol *symbol);
bool symbols_named(const struct symbols *symbols, symbol_is_named *is_named, symbol_tell *tell, void *context);

#endif
