/* A symbol table through libelf. Which symbols name code is RULES E1. */
#include "convert/symbols/symbol_table.h"

#include <string.h>

#include "base/fail.h"
#include "convert/elf/cursor.h"
#include "convert/elf/section_content.h"
#include "convert/elf/section_walk.h"

/*
 * RULES E1: ARM's and RISC-V's mapping symbols, of which RISC-V's may tell what the code is made for; local labels; and
 * those that annobin, with which Fedora and Red Hat compile, puts around the code of each file.
 */
static bool is_label(const char *name)
{
	static const char annobin[] = ".annobin_";
	if (strncmp(name, "$xrv", 4) == 0)
		return true;
	if (name[0] == '$' && strchr("atdx", name[1]) && name[1])
		return name[2] == 0 || name[2] == '.';
	return name[0] == '.' && (name[1] == 'L' || strncmp(name, annobin, sizeof(annobin) - 1) == 0);
}

static Elf_Scn *find_section(Elf *elf, GElf_Word type, GElf_Shdr *ret_shdr)
{
	Elf_Scn *scn = NULL;
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, ret_shdr) && ret_shdr->sh_type == type)
			return scn;
	return NULL;
}

static Elf_Scn *find_opd(Elf *elf, GElf_Shdr *ret_shdr)
{
	struct section_walk at = section_walk_begin(elf);
	while (section_walk_next(&at) && (strcmp(at.name, ".opd") != 0 || at.shdr.sh_type == SHT_NOBITS))
		continue;
	*ret_shdr = at.shdr;
	return at.scn;
}

struct symbol_strings symbol_strings_open(Elf *elf, size_t index)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_getscn(elf, index);
	Elf_Data *data = scn && gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_STRTAB ? section_content(scn) : NULL;
	const char *first = data && data->d_size ? data->d_buf : NULL;
	if (!first || *first) /* where it begins with anything else, it begins elsewhere */
		return (struct symbol_strings){"", 0};
	const char *last = memrchr(first, 0, data->d_size);
	return (struct symbol_strings){first, (size_t)(last - first) + 1};
}

const char *symbol_string(const struct symbol_strings *strings, size_t offset)
{
	return offset < strings->size ? strings->data + offset : NULL;
}

enum locus_status symbol_table_open(struct symbol_table *table, const struct elf_file *file,
				    const struct elf_file *linked, struct locus_error *error)
{
	GElf_Shdr shdr, opd_shdr;
	*table = (struct symbol_table){.file = file, .linked = linked, .next = 1};
	Elf_Scn *scn = find_section(file->elf, SHT_SYMTAB, &shdr);
	table->is_dynamic = !scn;
	if (!scn && !(scn = find_section(file->elf, SHT_DYNSYM, &shdr)))
		return LOCUS_OK;
	table->entries = section_content(scn);
	if (!table->entries || shdr.sh_entsize != gelf_fsize(file->elf, ELF_T_SYM, 1, EV_CURRENT))
		return locus_fail_at(error, LOCUS_ERR_BAD_ELF, shdr.sh_offset,
				     "perhaps truncated: the symbol table cannot be read");
	int numbers = elf_scnshndx(scn);
	table->long_numbers = numbers > 0 ? section_content(elf_getscn(file->elf, (size_t)numbers)) : NULL;
	table->count = table->entries->d_size / shdr.sh_entsize;
	table->strings = symbol_strings_open(file->elf, shdr.sh_link);

	/* A separate debug file has the table, but not what is in the sections of the program. */
	Elf_Scn *opd = file->machine == EM_PPC64 ? find_opd(file->elf, &opd_shdr) : NULL;
	if (!opd && file->machine == EM_PPC64)
		opd = find_opd(linked->elf, &opd_shdr);
	Elf_Data *data = opd ? section_raw_content(opd) : NULL;
	if (data && data->d_buf)
		table->opd = (struct descriptors){data->d_buf, data->d_size, opd_shdr.sh_addr};
	return LOCUS_OK;
}

static uint64_t code_address(const struct symbol_table *table, const GElf_Sym *sym)
{
	const struct descriptors *opd = &table->opd;
	uint64_t addr = sym->st_value;
	if (GELF_ST_TYPE(sym->st_info) != STT_NOTYPE)
		addr &= ~elf_file_mode_bit(table->file);
	if (opd->bytes && addr >= opd->addr && addr - opd->addr < opd->size) {
		struct cursor c = {opd->bytes + (addr - opd->addr), opd->bytes + opd->size, table->file->swap, false};
		return cursor_u64(&c);
	}
	return addr;
}

/* The section that a symbol is in; NULL: none. Numbers that need more than 16 bits are in a table of their own. */
static Elf_Scn *section_of(const struct symbol_table *table, const GElf_Sym *sym, Elf32_Word long_number)
{
	if (sym->st_shndx == SHN_XINDEX)
		return elf_getscn(table->file->elf, long_number);
	return sym->st_shndx < SHN_LORESERVE ? elf_getscn(table->file->elf, sym->st_shndx) : NULL;
}

/* Whether a symbol may name code, by its type alone, which rules out most others. */
static bool may_name_code(const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);
	return sym->st_shndx != SHN_UNDEF && sym->st_shndx != SHN_ABS &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

/*
 * Reads entry `index`. libelf has converted the entries to this machine's; for 64-bit files they are read as they
 * stand.
 */
static bool read_entry(const struct symbol_table *table, size_t index, GElf_Sym *ret, Elf32_Word *ret_long_number)
{
	const Elf_Data *entries = table->entries;
	*ret_long_number = 0;
	if (index > INT32_MAX)
		return false;
	if (table->file->class != ELFCLASS64 || table->long_numbers)
		return gelf_getsymshndx(table->entries, table->long_numbers, (int)index, ret, ret_long_number);
	*ret = ((const Elf64_Sym *)entries->d_buf)[index];
	return true;
}

static const char outside_of_strings[] = "has names that are outside of its string table";

/*
 * The name at `offset` of the string table; NULL: it is not there. The empty name is the first string, or the end of
 * another one. In a hole of zeros it is everywhere, and the byte before is 0, too.
 */
static const char *name_at(struct symbol_table *table, size_t offset)
{
	const char *name = symbol_string(&table->strings, offset);
	if (!name)
		table->damage = outside_of_strings;
	else if (offset && !*name && !name[-1])
		table->damage = "has names that are holes in its string table";
	return name;
}

/*
 * Notes what shows that the table is damaged: a name, of whatever it is, outside of the string table, or a hole of
 * zeros, which takes more than one entry. Only the first entry of a table, which is not read, is all zeros.
 */
static void note_damage(struct symbol_table *table, size_t index, const GElf_Sym *sym)
{
	if (sym->st_name && sym->st_name >= table->strings.size)
		table->damage = outside_of_strings;
	if (sym->st_name || sym->st_info || sym->st_other || sym->st_shndx || sym->st_value || sym->st_size)
		return;
	if (table->zeros_end == index)
		table->damage = "has entries that are holes";
	table->zeros_end = index + 1;
}

/* Whether a symbol starts in code; its address is found too. */
static bool starts_code(const struct symbol_table *table, Elf32_Word long_number, struct table_symbol *symbol)
{
	bool is_untyped = GELF_ST_TYPE(symbol->sym.st_info) == STT_NOTYPE;
	GElf_Shdr shdr;

	/* In a linked file, only symbols without a type need their section. */
	if (is_untyped || table->file->type == ET_REL) {
		Elf_Scn *section = section_of(table, &symbol->sym, long_number);
		bool has_section = section && gelf_getshdr(section, &shdr);
		if (is_untyped && !(has_section && (shdr.sh_flags & SHF_EXECINSTR)))
			return false;
		if (has_section &&
		    table->file->type == ET_REL) /* in object files a value is an offset in the section */
			symbol->sym.st_value += shdr.sh_addr;
	}
	symbol->addr = code_address(table, &symbol->sym);
	return elf_file_exec(table->linked, symbol->addr) != NULL;
}

bool symbol_table_next(struct symbol_table *table, struct table_symbol *ret)
{
	while (table->next < table->count) {
		Elf32_Word long_number;
		const size_t index = table->next++;
		if (!read_entry(table, index, &ret->sym, &long_number))
			continue;
		note_damage(table, index, &ret->sym);
		if (GELF_ST_TYPE(ret->sym.st_info) == STT_FILE)
			table->file_name = name_at(table, ret->sym.st_name);
		else if (may_name_code(&ret->sym) && starts_code(table, long_number, ret))
			return true;
	}
	return false;
}

const char *symbol_table_name(struct symbol_table *table, const struct table_symbol *symbol)
{
	const char *name = name_at(table, symbol->sym.st_name);
	return name && *name && !is_label(name) ? name : NULL;
}
