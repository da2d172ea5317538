/*
 * An entry jumps through a slot of the global offset table, and the relocation of that slot names the function. The
 * slot's address is read from the entry's code, so that neither the order of entries matters nor which table they are
 * in.
 */
#include "convert/symbols/plt.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/budget.h"
#include "base/fail.h"
#include "base/order.h"
#include "base/sort.h"
#include "convert/elf/cursor.h"
#include "convert/elf/section_content.h"
#include "convert/elf/section_walk.h"
#include "convert/symbols/plt_jump.h"
#include "convert/symbols/symbol_table.h"

/* A slot, as a relocation describes it. */
struct slot {
	uint64_t addr;
	const char *name; /* in a file */
	uint64_t chooser; /* the relocation names this function, which chooses among others when the program starts */
	bool is_chosen;   /* `chooser` is set, and the name is that of the symbol there */
	bool is_in_place; /* `chooser` is still to be read from the slot itself */
};

/* A section of slots. */
struct got {
	uint64_t addr;
	Elf_Data *content; /* NULL: it has none in this file */
};

struct entry {
	uint64_t addr;
	uint32_t size;
	const char *name;
};

struct plt {
	struct elf_file *file;
	const struct plt_machine *machine;
	uint64_t got;       /* address of .got.plt, or of .got if there is none */
	struct got gots[2]; /* .got and .got.plt */
	struct slot *slots; /* sorted by address */
	uint32_t slot_count, slot_room;
	struct slot *numbered; /* the slots of .rela.plt, in its order */
	uint32_t numbered_count, numbered_room;
	struct entry *entries;
	uint32_t entry_count, entry_room;
};

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;
	return order_of(x->addr, y->addr);
}

static const char *slot_name(const struct plt *plt, uint64_t addr)
{
	size_t at;
	SEARCH_FIRST(at, 0, plt->slot_count, plt->slots[at].addr >= addr);
	return at < plt->slot_count && plt->slots[at].addr == addr ? plt->slots[at].name : NULL;
}

static bool add_slot(struct slot **slots, uint32_t *count, uint32_t *room, struct slot slot)
{
	if (!array_reserve(slots, room, *count + UINT64_C(1), sizeof(**slots)))
		return false;
	(*slots)[(*count)++] = slot;
	return true;
}

static bool is_table(const char *name)
{
	return strcmp(name, ".plt") == 0 || strncmp(name, ".plt.", 5) == 0 || strcmp(name, ".iplt") == 0;
}

/*
 * Whether a relocation section fills slots while the program runs, and is to be read. Where nothing is linked
 * dynamically, it refers to no dynamic symbols.
 */
static bool fills_slots(Elf *elf, const struct section_walk *at)
{
	const GElf_Shdr *shdr = &at->shdr;
	GElf_Shdr symbols;
	return (shdr->sh_type == SHT_RELA || shdr->sh_type == SHT_REL) &&
	       gelf_getshdr(elf_getscn(elf, shdr->sh_link), &symbols) &&
	       (symbols.sh_type == SHT_DYNSYM || ((shdr->sh_flags & SHF_ALLOC) && strncmp(at->name, ".rel", 4) == 0));
}

/* Reads the slots that a relocation section fills. */
static bool read_slots(struct plt *plt, Elf_Scn *scn, const GElf_Shdr *shdr, bool is_plt)
{
	Elf *elf = plt->file->elf;
	GElf_Shdr symbols_shdr;
	Elf_Scn *symbols_scn = elf_getscn(elf, shdr->sh_link);
	if (!gelf_getshdr(symbols_scn, &symbols_shdr))
		return true;

	Elf_Data *data = section_content(scn), *symbols = section_content(symbols_scn);
	struct symbol_strings strings = symbol_strings_open(elf, symbols_shdr.sh_link);
	size_t count = data && shdr->sh_entsize ? data->d_size / shdr->sh_entsize : 0;
	for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
		GElf_Rela rela;
		GElf_Sym symbol;
		if (!section_relocation(data, (int)i, shdr->sh_type == SHT_RELA, &rela))
			break;
		bool named = symbols && GELF_R_SYM(rela.r_info) && GELF_R_SYM(rela.r_info) <= INT32_MAX &&
			     gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &symbol);
		const char *name = named ? symbol_string(&strings, symbol.st_name) : NULL;
		bool is_chosen = GELF_R_TYPE(rela.r_info) == plt->machine->irelative;
		struct slot slot = {
			.addr = rela.r_offset,
			.name = name && *name ? name : NULL,
			.chooser = is_chosen ? (uint64_t)rela.r_addend : 0,
			.is_chosen = is_chosen,
			.is_in_place = is_chosen && shdr->sh_type == SHT_REL,
		};

		/* Most relocations of a program that may be loaded anywhere are of data and name nothing. */
		bool is_of_use = slot.name || slot.is_chosen;
		if ((is_of_use && !add_slot(&plt->slots, &plt->slot_count, &plt->slot_room, slot)) ||
		    (is_plt && !add_slot(&plt->numbered, &plt->numbered_count, &plt->numbered_room, slot)))
			return false;
	}
	return true;
}

/* Reads a chooser that stands in the slot itself. False: the file does not have the slot's bytes. */
static bool read_in_place(const struct plt *plt, struct slot *slot)
{
	unsigned size = plt->file->class == ELFCLASS64 ? 8 : 4;
	for (size_t i = 0; i < sizeof(plt->gots) / sizeof(plt->gots[0]); i++) {
		const struct got *got = &plt->gots[i];
		uint64_t at = slot->addr - got->addr;
		if (!got->content || got->content->d_size < size || at > got->content->d_size - size)
			continue;
		const uint8_t *bytes = (const uint8_t *)got->content->d_buf + at;
		struct cursor c = {.p = bytes, .end = bytes + size, .swap = plt->file->swap};
		slot->chooser = cursor_unsigned(&c, size) & ~elf_file_mode_bit(plt->file);
		return true;
	}
	return false;
}

/* Relocations without addends have their choosers in the slots. */
static void read_all_in_place(const struct plt *plt, struct slot *slots, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (slots[i].is_in_place)
			slots[i].is_chosen = read_in_place(plt, &slots[i]);
}

/* Names slots for the symbols at their choosers, all of which were read. */
static void name_chosen(struct slot *slots, uint32_t count, const struct symbols *symbols)
{
	size_t symbol_count;
	for (uint32_t i = 0; i < count; i++) {
		const struct symbol *symbol =
			slots[i].is_chosen ? symbols_at(symbols, slots[i].chooser, &symbol_count) : NULL;
		slots[i].name = symbol ? symbol->name : slots[i].name;
	}
}

/*
 * Names the slots of functions of which a program has several and chooses one when it starts (STT_GNU_IFUNC): such a
 * function's symbol is where its chooser is, so the symbols there are read, too.
 */
static enum locus_status read_choosers(struct plt *plt, struct symbols *symbols, struct locus_error *error)
{
	struct range_list choosers = {0};
	bool memory = true;
	read_all_in_place(plt, plt->slots, plt->slot_count);
	read_all_in_place(plt, plt->numbered, plt->numbered_count);
	for (uint32_t i = 0; memory && i < plt->slot_count; i++)
		if (plt->slots[i].is_chosen && plt->slots[i].chooser < UINT64_MAX)
			memory = range_list_add(&choosers, plt->slots[i].chooser, plt->slots[i].chooser + 1);
	range_list_sort(&choosers);
	enum locus_status status = memory ? LOCUS_OK : locus_fail_memory(error);
	if (status == LOCUS_OK && choosers.count)
		status = symbols_widen(symbols, &choosers, error);
	range_list_done(&choosers);
	if (status != LOCUS_OK)
		return status;
	name_chosen(plt->slots, plt->slot_count, symbols);
	name_chosen(plt->numbered, plt->numbered_count, symbols);
	return LOCUS_OK;
}

/* As a symbol does, an entry counts where the file's code is. */
static bool add_entry(struct plt *plt, uint64_t addr, uint32_t size, const char *name)
{
	if (!name || !elf_file_exec(plt->file, addr))
		return true;
	if (!array_reserve(&plt->entries, &plt->entry_room, plt->entry_count + UINT64_C(1), sizeof(*plt->entries)))
		return false;
	plt->entries[plt->entry_count++] = (struct entry){addr, size, name};
	return true;
}

static const char *jump_name(const struct plt *plt, const struct plt_jump *jump)
{
	if (!jump->is_numbered)
		return slot_name(plt, jump->target);
	return jump->target < plt->numbered_count ? plt->numbered[jump->target].name : NULL;
}

/*
 * Reads the entries of a table. On some machines entries are searched for by their code, at any place; on others they
 * stand one behind the other.
 */
static bool read_entries(struct plt *plt, struct plt_code code, bool are_small)
{
	uint32_t size = are_small ? 8 : 16; /* some linkers give no size, or 16 for the whole table */
	uint32_t step = plt->machine->step ? plt->machine->step : size;
	for (size_t left = code.size; left; left -= code.size < left ? code.size : left) {
		struct plt_jump jump = {0};
		code.size = plt->machine->step || left < size ? left : size;
		bool is_entry = plt->machine->read(&code, &jump);
		if (is_entry && !add_entry(plt, code.addr, jump.size ? jump.size : size, jump_name(plt, &jump)))
			return false;
		code.size = is_entry && jump.size ? jump.size : step;
		code.bytes += code.size;
		code.addr += code.size;
	}
	return true;
}

static bool read_table(struct plt *plt, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = shdr->sh_type == SHT_NOBITS ? NULL : section_raw_content(scn);
	if (!data || !data->d_buf)
		return true;
	struct plt_code code = {data->d_buf, data->d_size, shdr->sh_addr, plt->got};
	if (plt->machine->find_got)
		code.got = plt->got = plt->machine->find_got(&code);
	/* In programs that are not linked dynamically GNU ld tells of entries of 8 bytes by their alignment alone. */
	return read_entries(plt, code, shdr->sh_entsize == 8 || (!shdr->sh_entsize && shdr->sh_addralign == 8));
}

/* Reads the sections that tables refer to. */
static bool read_other(struct plt *plt, const struct section_walk *at)
{
	const char *name = at->name;
	bool is_got = strcmp(name, ".got") == 0, is_got_plt = strcmp(name, ".got.plt") == 0;
	if (is_got_plt || (is_got && !plt->got))
		plt->got = at->shdr.sh_addr;
	if (is_got || is_got_plt)
		plt->gots[is_got_plt] = (struct got){
			at->shdr.sh_addr, at->shdr.sh_type == SHT_NOBITS ? NULL : section_raw_content(at->scn)};
	if (!fills_slots(plt->file->elf, at))
		return true;
	return read_slots(plt, at->scn, &at->shdr, strcmp(name, ".rela.plt") == 0 || strcmp(name, ".rel.plt") == 0);
}

/*
 * Refuses files whose tables and relocations have more bytes than the file: thousands of headers may share one content,
 * and each of them would be read and kept.
 */
static enum locus_status check_sizes(const struct elf_file *file, struct locus_error *error)
{
	uint64_t left = file->bytes.stored_size;
	for (struct section_walk at = section_walk_begin(file->elf); section_walk_next(&at);) {
		if (at.shdr.sh_type == SHT_NOBITS || !(is_table(at.name) || fills_slots(file->elf, &at)))
			continue;
		if (at.shdr.sh_size > left)
			return locus_fail_at(error, LOCUS_ERR_BAD_ELF, at.shdr.sh_offset,
					     "its linkage tables and their relocations, %s the last of them, "
					     "have more bytes than the file",
					     at.name);
		left -= at.shdr.sh_size;
	}
	return LOCUS_OK;
}

/* Calls for each section: slots first, then tables. */
static bool read_sections(struct plt *plt, bool tables)
{
	bool memory = true;
	for (struct section_walk at = section_walk_begin(plt->file->elf); memory && section_walk_next(&at);) {
		if (tables && is_table(at.name))
			memory = read_table(plt, at.scn, &at.shdr);
		else if (!tables)
			memory = read_other(plt, &at);
	}
	return memory;
}

/*
 * Measures all names before they are copied: many entries may have the same long one. False: more than the file can
 * need.
 */
static bool measure_names(const struct plt *plt, size_t suffix_size, size_t *ret)
{
	uint64_t work = 0;
	*ret = 0;
	for (uint32_t i = 0; i < plt->entry_count; i++) {
		size_t size = strlen(plt->entries[i].name) + suffix_size;
		if (!budget_count(&work, size / BUDGET_BYTES_PER_STEP) || !budget_take(size))
			return false;
		*ret += size;
	}
	return true;
}

/* Adds the entries behind the symbols that are there; their names are in symbols->made_names. */
static bool hand_over(const struct plt *plt, struct symbols *symbols)
{
	static const char suffix[] = "@plt";
	enum { RANK_LAST = UINT8_MAX };
	size_t text_size;
	if (!measure_names(plt, sizeof(suffix), &text_size))
		return false;

	uint64_t count = symbols->count + (uint64_t)plt->entry_count;
	if (!array_reserve(&symbols->symbols, &symbols->room, count, sizeof(*symbols->symbols)))
		return false;
	char *text = malloc(text_size);
	if (!text)
		return false;

	symbols->made_names = text;
	for (uint32_t i = 0; i < plt->entry_count; i++) {
		const struct entry *entry = &plt->entries[i];
		symbols->symbols[symbols->count++] =
			(struct symbol){.addr = entry->addr, .size = entry->size, .name = text, .rank = RANK_LAST};
		text += sprintf(text, "%s%s", entry->name, suffix) + 1;
	}
	symbols_sort(symbols);
	return true;
}

enum locus_status plt_add_symbols(struct symbols *symbols, struct elf_file *file, struct locus_error *error)
{
	struct plt plt = {.file = file, .machine = plt_machine_find(file->machine, file->class, file->data)};
	if (!plt.machine || file->type == ET_REL)
		return LOCUS_OK;
	enum locus_status status = check_sizes(file, error);
	if (status != LOCUS_OK)
		return status;

	budget_at("linkage tables' names", NULL, ".plt", 0);
	status = read_sections(&plt, false) ? read_choosers(&plt, symbols, error) : locus_fail_memory(error);
	sort_by_address(plt.slots, plt.slot_count, sizeof(*plt.slots), compare_slots);
	if (status == LOCUS_OK && (!read_sections(&plt, true) || (plt.entry_count && !hand_over(&plt, symbols))))
		status = locus_fail_memory(error);
	free(plt.slots);
	free(plt.numbered);
	free(plt.entries);
	return status;
}
