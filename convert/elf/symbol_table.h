/* A symbol table as an ELF file has it: those of its symbols that name code, one by one (RULES E1). */
#ifndef LOCUS_SYMBOL_TABLE_H
#define LOCUS_SYMBOL_TABLE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "convert/elf/elf.h"

/* A string table, of which what stands behind the last NUL is left out: so each string in it has an end. */
struct symbol_strings {
	const char *data;
	size_t size;
};

/*
 * PowerPC 64 with descriptors (ELFv1): a function's symbol is its descriptor's, whose first word is the code's address.
 */
struct descriptors {
	const uint8_t *bytes;
	size_t size;
	uint64_t addr;
};

struct symbol_table {
	const struct elf_file *file;
	const struct elf_file *linked; /* says what is executable */
	bool is_dynamic;               /* .dynsym, because there is no .symtab */
	size_t count;                  /* of all its symbols; 0: there is no table */
	size_t next;                   /* the one that symbol_table_next looks at next */
	const char *file_name;         /* what the last STT_FILE symbol said; NULL: nothing */

	Elf_Data *entries, *long_numbers;
	struct symbol_strings strings;
	struct descriptors opd;
};

struct table_symbol {
	GElf_Sym sym;
	uint64_t addr; /* of the code */
};

/* The string table of section `index`: empty where there is none. Nothing needs to be freed. */
struct symbol_strings symbol_strings_open(Elf *elf, size_t index);

/* The string at `offset`, owned by the file; NULL: none. Unlike elf_strptr it does not search the table for its end. */
const char *symbol_string(const struct symbol_strings *strings, size_t offset);

/* Opens .symtab, or .dynsym where there is none. A damaged table is LOCUS_ERR_BAD_ELF. Nothing needs to be freed. */
enum locus_status symbol_table_open(struct symbol_table *table, const struct elf_file *file,
				    const struct elf_file *linked, struct locus_error *error);

/* The next symbol that is of a kind that names code and starts in executable code; its name was not looked at. */
bool symbol_table_next(struct symbol_table *table, struct table_symbol *ret);

/* The symbol's name, owned by the file; NULL: it is no name of code after all, but a label or nothing. */
const char *symbol_table_name(const struct symbol_table *table, const struct table_symbol *symbol);

#endif
