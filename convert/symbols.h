/* The symbol table: names for code that DWARF says nothing of, and other names of functions (RULES D6, E). */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "convert/elf.h"

struct symbol {
	uint64_t addr;
	uint64_t size;    /* 0: not sized */
	const char *name; /* owned by the file */
	uint32_t rank;    /* at one address the lowest counts (RULES D6) */
	bool dynamic;     /* of .dynsym: unsized, it is that address alone (RULES E2) */
};

/* Sorted by address, then by RULES D6; no name twice at an address. */
struct symbols {
	struct symbol *symbols;
	size_t count;
	bool full; /* of .symtab */
};

/* Reads .symtab, or .dynsym where there is none, of `file`. A damaged table is LOCUS_ERR_BAD_ELF. */
enum locus_status symbols_read(struct symbols *symbols, struct elf_file *file, struct locus_error *error);
void symbols_done(struct symbols *symbols);

/* The symbols that start at `addr`, the first by RULES D6 first. NULL: none. */
const struct symbol *symbols_at(const struct symbols *symbols, uint64_t addr, size_t *ret_count);

/* The first symbol at or above `addr`: an index, symbols->count where there is none. */
size_t symbols_lower_bound(const struct symbols *symbols, uint64_t addr);

#endif
