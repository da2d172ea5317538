/* Finds a variable in the symbol table of an ELF file: for what sanitizers ask, which .locus files do not have. */
#include <string.h>

#include "convert/elf/elf.h"
#include "convert/locus_convert.h"
#include "convert/symbols/symbol_table.h"

/* The best symbol so far. */
struct found {
	GElf_Sym sym; /* where there is none, st_shndx is SHN_UNDEF */
	const char *file;
};

/*
 * Whether a symbol is one of code or data, at the address or before it, and starts later than the best one, or is
 * larger.
 */
static bool is_better(const GElf_Sym *sym, uint64_t address, const GElf_Sym *best)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	if (type != STT_NOTYPE && type != STT_OBJECT && type != STT_FUNC && type != STT_GNU_IFUNC)
		return false;
	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS || sym->st_shndx == SHN_COMMON ||
	    sym->st_value > address)
		return false;
	return best->st_shndx == SHN_UNDEF || sym->st_value > best->st_value ||
	       (sym->st_value == best->st_value && sym->st_size >= best->st_size);
}

static struct found find_symbol(const struct symbol_table *table, uint64_t address)
{
	struct found found = {.file = NULL};
	const char *file = NULL;
	GElf_Sym sym;

	for (size_t i = 1; i < table->count && gelf_getsym(table->entries, (int)i, &sym); i++) {
		if (GELF_ST_TYPE(sym.st_info) == STT_FILE)
			file = symbol_string(&table->strings, sym.st_name);
		else if (is_better(&sym, address, &found.sym))
			found = (struct found){sym, GELF_ST_BIND(sym.st_info) == STB_LOCAL ? file : NULL};
	}
	return found;
}

/* Copies a text that is cut to fit. */
static void copy(char ret[LOCUS_ELF_TEXT_SIZE], const char *text)
{
	size_t size = text ? strnlen(text, LOCUS_ELF_TEXT_SIZE - 1) : 0;

	if (size)
		memcpy(ret, text, size);
	ret[size] = '\0';
}

static bool find_variable(const struct elf_file *file, uint64_t address, struct locus_elf_variable *ret)
{
	struct symbol_table table;
	struct found found;

	if (file->type == ET_REL || symbol_table_open(&table, file, file, NULL) != LOCUS_OK)
		return false;
	found = find_symbol(&table, address);
	if (found.sym.st_shndx == SHN_UNDEF || (found.sym.st_size && address - found.sym.st_value >= found.sym.st_size))
		return false;
	ret->start = found.sym.st_value;
	ret->size = found.sym.st_size;
	copy(ret->name, symbol_string(&table.strings, found.sym.st_name));
	copy(ret->file, found.file);
	return true;
}

bool locus_elf_variable(const char *path, uint64_t address, struct locus_elf_variable *ret)
{
	struct elf_file *file;

	if (elf_file_open(path, &file, NULL) != LOCUS_OK)
		return false;
	bool is_found = find_variable(file, address, ret);
	elf_file_free(file);
	return is_found;
}
