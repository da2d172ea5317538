/* The symbol table through libelf. Which symbols name code is RULES E1; which of several comes first is RULES D6. */
#include "convert/elf/symbols.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/budget.h"
#include "base/fail.h"
#include "base/sort.h"
#include "convert/elf/cursor.h"

/* RULES E1: ARM's and RISC-V's mapping symbols, and local labels. */
static bool is_label(const char *name)
{
	if (name[0] == '$' && strchr("atdx", name[1]) && name[1])
		return name[2] == 0 || name[2] == '.';
	return name[0] == '.' && name[1] == 'L';
}

/* RULES D6, as a number: FUNC over NOTYPE, GLOBAL over WEAK over LOCAL, sized over unsized, no leading _ over one. */
static uint8_t rank_of(const GElf_Sym *sym, const char *name)
{
	uint32_t bind = GELF_ST_BIND(sym->st_info);
	uint32_t bind_rank = bind == STB_LOCAL ? 2 : bind == STB_WEAK ? 1 : 0;
	bool typed = GELF_ST_TYPE(sym->st_info) != STT_NOTYPE;
	return (uint8_t)((uint32_t)!typed << 4 | bind_rank << 2 | (uint32_t)!sym->st_size << 1 | (name[0] == '_'));
}

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	int order = strcmp(x->name, y->name);
	if (order)
		return order;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return x->file < y->file ? -1 : x->file > y->file;
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
	size_t names;
	Elf_Scn *scn = NULL;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name = gelf_getshdr(scn, ret_shdr) ? elf_strptr(elf, names, ret_shdr->sh_name) : NULL;
		if (name && strcmp(name, ".opd") == 0 && ret_shdr->sh_type != SHT_NOBITS)
			return scn;
	}
	return NULL;
}

/* PowerPC 64 with descriptors (ELFv1): a function's symbol is its descriptor's, whose first word is the code's address.
 */
struct descriptors {
	const uint8_t *bytes;
	size_t size;
	uint64_t addr;
};

static uint64_t code_address(const struct elf_file *file, const struct descriptors *opd, const GElf_Sym *sym)
{
	uint64_t addr = sym->st_value;
	if (file->machine == EM_ARM && GELF_ST_TYPE(sym->st_info) != STT_NOTYPE)
		return addr & ~UINT64_C(1);
	if (opd->bytes && addr >= opd->addr && addr - opd->addr < opd->size) {
		struct cursor c = {opd->bytes + (addr - opd->addr), opd->bytes + opd->size, file->swap, false};
		return cursor_u64(&c);
	}
	return addr;
}

/* The section a symbol is in, where it is in one. Numbers that need more than 16 bits are in a table of their own. */
static Elf_Scn *section_of(const struct elf_file *file, const GElf_Sym *sym, Elf32_Word long_number)
{
	if (sym->st_shndx == SHN_XINDEX)
		return elf_getscn(file->elf, long_number);
	return sym->st_shndx < SHN_LORESERVE ? elf_getscn(file->elf, sym->st_shndx) : NULL;
}

static bool names_code(const GElf_Sym *sym, Elf_Scn *section)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);
	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS)
		return false;
	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return false;
	GElf_Shdr shdr;
	return type != STT_NOTYPE || (section && gelf_getshdr(section, &shdr) && (shdr.sh_flags & SHF_EXECINSTR));
}

/* In a relocatable file a symbol's value counts from its section. */
static void add_section_address(const struct elf_file *file, GElf_Sym *sym, Elf_Scn *section)
{
	GElf_Shdr shdr;
	if (file->type == ET_REL && section && gelf_getshdr(section, &shdr))
		sym->st_value += shdr.sh_addr;
}

static void drop_repeated(struct symbols *symbols)
{
	size_t kept = 0;
	for (size_t i = 0; i < symbols->count; i++) {
		const struct symbol *symbol = &symbols->symbols[i];
		bool repeated = false;
		for (size_t k = kept; k-- && symbols->symbols[k].addr == symbol->addr && !repeated && kept - k <= 32;)
			repeated = strcmp(symbols->symbols[k].name, symbol->name) == 0;
		if (!repeated)
			symbols->symbols[kept++] = *symbol;
	}
	symbols->count = kept;
}

void symbols_sort(struct symbols *symbols)
{
	sort_by_address(symbols->symbols, symbols->count, sizeof(*symbols->symbols), compare_symbols);
	drop_repeated(symbols);
}

/* What the last STT_FILE symbol said. */
struct current_file {
	const char *name;
	uint32_t file; /* as in struct symbol; 0: no symbol is of it yet */
};

/* RULES E1: a local symbol is of the file that the STT_FILE symbol before it names, if it names one. */
static bool file_of(struct symbols *symbols, struct current_file *current, const GElf_Sym *sym, uint32_t *ret)
{
	*ret = 0;
	if (GELF_ST_BIND(sym->st_info) != STB_LOCAL || !current->name || !*current->name)
		return true;
	if (!current->file) {
		if (!array_reserve(&symbols->files, &symbols->file_room, symbols->file_count + UINT64_C(1),
				   sizeof(*symbols->files)))
			return false;
		symbols->files[symbols->file_count++] = (struct symbol_file){.name = current->name};
		current->file = symbols->file_count;
	}
	*ret = current->file;
	return true;
}

/* A string table, of which what stands behind the last NUL is left out: so each string in it has an end. */
struct names {
	const char *data;
	size_t size;
};

static struct names open_names(Elf *elf, size_t index)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_getscn(elf, index);
	Elf_Data *data = scn && gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_STRTAB ? elf_getdata(scn, NULL) : NULL;
	const char *last = data && data->d_buf ? memrchr(data->d_buf, 0, data->d_size) : NULL;
	if (!last)
		return (struct names){"", 0};
	return (struct names){data->d_buf, (size_t)(last - (const char *)data->d_buf) + 1};
}

static const char *name_at(const struct names *names, size_t offset)
{
	return offset < names->size ? names->data + offset : NULL;
}

/* Names may be parts of each other, so that they are longer together than their table; each is compared with others. */
static bool spend_on_name(const char *name, uint64_t *work)
{
	enum { COMPARISONS = 4 };
	return budget_count(work, strlen(name) * COMPARISONS / BUDGET_BYTES_PER_STEP);
}

enum locus_status symbols_read(struct symbols *symbols, struct elf_file *file, const struct elf_file *linked,
			       struct locus_error *error)
{
	GElf_Shdr shdr, opd_shdr;
	struct current_file current = {0};
	*symbols = (struct symbols){.names_lock = PTHREAD_MUTEX_INITIALIZER};
	Elf_Scn *scn = find_section(file->elf, SHT_SYMTAB, &shdr);
	bool dynamic = !scn;
	if (!scn && !(scn = find_section(file->elf, SHT_DYNSYM, &shdr)))
		return LOCUS_OK;
	Elf_Data *data = elf_getdata(scn, NULL);
	int long_numbers = elf_scnshndx(scn);
	Elf_Data *numbers = long_numbers > 0 ? elf_getdata(elf_getscn(file->elf, (size_t)long_numbers), NULL) : NULL;
	if (!data || !shdr.sh_entsize)
		return locus_fail_at(error, LOCUS_ERR_BAD_ELF, shdr.sh_offset,
				     "the symbol table cannot be read: truncated?");
	struct descriptors opd = {0};
	Elf_Scn *opd_scn = file->machine == EM_PPC64 ? find_opd(file->elf, &opd_shdr) : NULL;
	Elf_Data *opd_data = opd_scn ? elf_rawdata(opd_scn, NULL) : NULL;
	if (opd_data && opd_data->d_buf)
		opd = (struct descriptors){opd_data->d_buf, opd_data->d_size, opd_shdr.sh_addr};
	struct names names = open_names(file->elf, shdr.sh_link);
	uint64_t work = 0;
	budget_at("symbols' names", NULL, dynamic ? ".dynsym" : ".symtab", 0);
	symbols->full = !dynamic;
	size_t count = data->d_size / shdr.sh_entsize;
	symbols->symbols = malloc((count ? count : 1) * sizeof(*symbols->symbols));
	if (!symbols->symbols)
		return locus_fail_memory(error);
	for (size_t i = 1; i < count; i++) {
		GElf_Sym sym;
		Elf32_Word long_number = 0;
		uint32_t number;
		if (!gelf_getsymshndx(data, numbers, (int)i, &sym, &long_number))
			continue;
		if (GELF_ST_TYPE(sym.st_info) == STT_FILE)
			current = (struct current_file){name_at(&names, sym.st_name), 0};
		Elf_Scn *section = section_of(file, &sym, long_number);
		if (!names_code(&sym, section))
			continue;
		const char *name = name_at(&names, sym.st_name);
		if (!name || !*name || is_label(name))
			continue;
		if (!spend_on_name(name, &work))
			return locus_fail_memory(error);
		add_section_address(file, &sym, section);
		uint64_t addr = code_address(file, &opd, &sym);
		if (!elf_file_exec(linked, addr))
			continue;
		if (!file_of(symbols, &current, &sym, &number))
			return locus_fail_memory(error);
		symbols->symbols[symbols->count++] =
			(struct symbol){addr, sym.st_size, name, number, rank_of(&sym, name), dynamic};
	}
	symbols_sort(symbols);
	return LOCUS_OK;
}

bool symbols_join(struct symbols *symbols, struct symbols *other)
{
	size_t count = symbols->count + other->count;
	struct symbol *all = realloc(symbols->symbols, (count ? count : 1) * sizeof(*all));
	if (!all)
		return false;
	symbols->symbols = all;
	if (!array_reserve(&symbols->files, &symbols->file_room, symbols->file_count + (uint64_t)other->file_count,
			   sizeof(*symbols->files)))
		return false;

	/* Their files come behind those that are there. */
	for (size_t i = 0; i < other->count; i++) {
		struct symbol symbol = other->symbols[i];
		symbol.file += symbol.file ? symbols->file_count : 0;
		all[symbols->count++] = symbol;
	}
	for (uint32_t i = 0; i < other->file_count; i++)
		symbols->files[symbols->file_count++] = other->files[i];
	symbols->full |= other->full;
	symbols_sort(symbols);
	symbols_done(other);
	return true;
}

void symbols_done(struct symbols *symbols)
{
	hash_slots_done(&symbols->names);
	free(symbols->made_names);
	free(symbols->files);
	free(symbols->symbols);
	*symbols = (struct symbols){0};
}

/* Whether two names of one size differ only in the digit that says which constructor or destructor. */
static bool is_variant(const char *symbol, const char *linkage, size_t size)
{
	size_t at = 2;
	if (size < 4 || memcmp(linkage, "_Z", 2) != 0)
		return false;
	while (at < size && linkage[at] == symbol[at])
		at++;
	if (at == size || (linkage[at - 1] != 'C' && linkage[at - 1] != 'D'))
		return false;
	bool digits = linkage[at] >= '0' && linkage[at] <= '4' && symbol[at] >= '0' && symbol[at] <= '4';
	return digits && memcmp(linkage + at + 1, symbol + at + 1, size - at - 1) == 0;
}

bool symbol_bears(const char *symbol, const char *linkage, size_t linkage_size)
{
	size_t size = strcspn(symbol, ".@");
	if (linkage_size && strncmp(symbol, linkage, linkage_size) == 0)
		return symbol[linkage_size] == 0 || symbol[linkage_size] == '.' || symbol[linkage_size] == '@';
	return size == linkage_size && is_variant(symbol, linkage, size);
}

static uint32_t name_slot(const struct symbols *symbols, const char *name, uint32_t hash)
{
	const struct hash_slot *slots = symbols->names.slots;
	uint32_t at;
	HASH_SLOTS_FIND(at, &symbols->names, hash, strcmp(symbols->symbols[slots[at].index - 1].name, name) == 0);
	return at;
}

static uint32_t name_hash(const char *name)
{
	return (uint32_t)XXH3_64bits(name, strlen(name));
}

/* Of symbols of one name any may stand for it. */
static void index_names(struct symbols *symbols)
{
	for (uint32_t i = 0; i < symbols->count && hash_slots_reserve(&symbols->names, i); i++) {
		uint32_t hash = name_hash(symbols->symbols[i].name);
		uint32_t at = name_slot(symbols, symbols->symbols[i].name, hash);
		symbols->names.slots[at] = (struct hash_slot){hash, i + 1};
	}
}

bool symbols_have_name(struct symbols *symbols, const char *name)
{
	pthread_mutex_lock(&symbols->names_lock);
	if (!symbols->names.slots)
		index_names(symbols);
	const struct hash_slot *slots = symbols->names.slots;
	bool found = slots && slots[name_slot(symbols, name, name_hash(name))].index;
	pthread_mutex_unlock(&symbols->names_lock);
	return found;
}

/* The first symbol at or above `addr`: an index, symbols->count where there is none. */
static size_t lower_bound(const struct symbols *symbols, uint64_t addr)
{
	size_t first;
	SEARCH_FIRST(first, 0, symbols->count, symbols->symbols[first].addr >= addr);
	return first;
}

const struct symbol *symbols_below(const struct symbols *symbols, uint64_t addr)
{
	size_t above = addr == UINT64_MAX ? symbols->count : lower_bound(symbols, addr + 1);
	return above ? &symbols->symbols[lower_bound(symbols, symbols->symbols[above - 1].addr)] : NULL;
}

const struct symbol *symbols_at(const struct symbols *symbols, uint64_t addr, size_t *ret_count)
{
	enum { FEW = 8 };
	size_t first = lower_bound(symbols, addr), end = first;
	while (end < symbols->count && symbols->symbols[end].addr == addr && end - first < FEW)
		end++;
	if (end - first == FEW)
		end = addr == UINT64_MAX ? symbols->count : lower_bound(symbols, addr + 1);
	*ret_count = end - first;
	return end > first ? &symbols->symbols[first] : NULL;
}
