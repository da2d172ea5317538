/* Reads the symbol table of an ELF file: its symbols that name code, one by one (RULES E1). */
#ifndef LOCUS_SYMBOL_TABLE_H
#define LOCUS_SYMBOL_TABLE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "convert/elf/elf.h"

/* A string table, which begins with a NUL. The bytes behind its last NUL are left out, so that each string in it has an
 * end. */
struct symbol_strings {
	const char *data;
	size_t size;
};

/* PowerPC 64 (ELFv1): a function's symbol leads to a descriptor, whose first word is the address of the code. */
struct descriptors {
	const uint8_t *bytes;
	size_t size;
	uint64_t addr;
};

struct symbol_table {
	const struct elf_file *file;
	const struct elf_file *linked; /* says what is executable */
	bool is_dynamic;               /* .dynsym, because there is no .symtab */
	size_t count;                  /* of all symbols; 0: there is no table */
	size_t next;                   /* index of the symbol that symbol_table_next looks at next */
	const char *file_name;         /* the name of the last STT_FILE symbol; NULL: none yet */
	size_t zeros_end;              /* index behind the last entry that is all zeros */
	const char *damage;            /* what is wrong with what was read so far; NULL: nothing */

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

/* Finds the next symbol of a kind that names code, and that starts in executable code; its name was not read. */
bool symbol_table_next(struct symbol_table *table, struct table_symbol *ret);

/*
 * The symbol's name, owned by the file; NULL: the symbol names no code, but is a label or has no name, or it names what
 * is not in the string table, which `damage` then tells.
 */
const char *symbol_table_name(struct symbol_table *table, const struct table_symbol *symbol);

#endif
