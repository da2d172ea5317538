/*
 * An entry jumps through a slot of the global offset table, and the relocation of that slot names the function. The
 * slot is read from the entry's code, so that it does not matter in which order linkers put the entries, nor in which
 * table.
 */
#include "convert/elf/plt.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "convert/elf/cursor.h"

/* What a relocation says of a slot. */
struct slot {
	uint64_t addr;
	const char *name; /* in the file */
};

struct entry {
	uint64_t addr;
	uint32_t size;
	const char *name;
};

struct plt {
	struct elf_file *file;
	struct slot *slots; /* sorted by address */
	uint32_t slot_count, slot_room;
	struct slot *numbered; /* those of .rela.plt, in its order */
	uint32_t numbered_count, numbered_room;
	struct entry *entries;
	uint32_t entry_count, entry_room;
};

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static const char *slot_name(const struct plt *plt, uint64_t addr)
{
	size_t low = 0, high = plt->slot_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (plt->slots[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < plt->slot_count && plt->slots[low].addr == addr ? plt->slots[low].name : NULL;
}

static bool add_slot(struct slot **slots, uint32_t *count, uint32_t *room, struct slot slot)
{
	if (!array_reserve(slots, room, *count + UINT64_C(1), sizeof(**slots)))
		return false;
	(*slots)[(*count)++] = slot;
	return true;
}

/* The slots that a relocation section of the dynamic symbols fills. */
static bool read_slots(struct plt *plt, Elf_Scn *scn, const GElf_Shdr *shdr, bool is_plt)
{
	Elf *elf = plt->file->elf;
	GElf_Shdr symbols_shdr;
	Elf_Scn *symbols_scn = elf_getscn(elf, shdr->sh_link);
	if (!symbols_scn || !gelf_getshdr(symbols_scn, &symbols_shdr) || symbols_shdr.sh_type != SHT_DYNSYM)
		return true;
	Elf_Data *data = elf_getdata(scn, NULL), *symbols = elf_getdata(symbols_scn, NULL);
	size_t count = data && symbols && shdr->sh_entsize ? data->d_size / shdr->sh_entsize : 0;
	for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
		GElf_Rela rela;
		GElf_Sym symbol;
		if (!gelf_getrela(data, (int)i, &rela))
			break;
		bool named = GELF_R_SYM(rela.r_info) && GELF_R_SYM(rela.r_info) <= INT32_MAX &&
			     gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &symbol);
		const char *name = named ? elf_strptr(elf, symbols_shdr.sh_link, symbol.st_name) : NULL;
		struct slot slot = {rela.r_offset, name && *name ? name : NULL};
		if (!add_slot(&plt->slots, &plt->slot_count, &plt->slot_room, slot) ||
		    (is_plt && !add_slot(&plt->numbered, &plt->numbered_count, &plt->numbered_room, slot)))
			return false;
	}
	return true;
}

static bool add_entry(struct plt *plt, uint64_t addr, uint32_t size, const char *name)
{
	if (!name)
		return true;
	if (!array_reserve(&plt->entries, &plt->entry_room, plt->entry_count + UINT64_C(1), sizeof(*plt->entries)))
		return false;
	plt->entries[plt->entry_count++] = (struct entry){addr, size, name};
	return true;
}

static uint32_t read_u32(const uint8_t *bytes)
{
	struct cursor c = {.p = bytes, .end = bytes + 4, .swap = __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__};
	return cursor_u32(&c);
}

/* What an entry of x86-64 jumps to: through a slot, by rip; or, before that is bound, by its number in .rela.plt. */
static const char *name_x86_64(const struct plt *plt, const uint8_t *code, size_t size, uint64_t addr)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	size_t at = size > sizeof(endbr64) && memcmp(code, endbr64, sizeof(endbr64)) == 0 ? sizeof(endbr64) : 0;
	if (at + 5 <= size && code[at] == 0x68) { /* push $number */
		uint32_t number = read_u32(code + at + 1);
		return number < plt->numbered_count ? plt->numbered[number].name : NULL;
	}
	at += at < size && code[at] == 0xf2; /* bnd */
	if (at + 6 > size || code[at] != 0xff || code[at + 1] != 0x25)
		return NULL;
	return slot_name(plt, addr + at + 6 + (uint64_t)(int64_t)(int32_t)read_u32(code + at + 2));
}

static bool read_x86_64(struct plt *plt, const uint8_t *code, size_t size, uint64_t addr, uint64_t entry_size)
{
	uint32_t step = entry_size == 8 ? 8 : 16; /* some linkers say nothing, or 16 for the table of them all */
	for (size_t at = 0; at < size; at += step)
		if (!add_entry(plt, addr + at, step,
			       name_x86_64(plt, code + at, size - at < step ? size - at : step, addr + at)))
			return false;
	return true;
}

/* Of AArch64: adrp x16, PAGE; ldr x17, [x16, OFFSET], maybe behind a landing pad. */
static bool read_aarch64(struct plt *plt, const uint8_t *code, size_t size, uint64_t addr)
{
	enum { BTI_C = 0xd503245fu, ENTRY_SIZE = 16 };
	for (size_t at = 0; at + 8 <= size; at += 4) {
		uint32_t adrp = read_u32(code + at), ldr = read_u32(code + at + 4);
		if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
			continue;
		uint64_t pages = (uint64_t)(adrp >> 3 & 0x1ffffc) | (adrp >> 29 & 3);
		uint64_t page = ((addr + at) & ~UINT64_C(0xfff)) + (((pages ^ 0x100000) - 0x100000) << 12);
		bool has_pad = at >= 4 && read_u32(code + at - 4) == BTI_C;
		uint32_t pad = has_pad ? 4 : 0;
		if (!add_entry(plt, addr + at - pad, ENTRY_SIZE + pad, slot_name(plt, page + (ldr >> 10 & 0xfff) * 8)))
			return false;
	}
	return true;
}

static bool read_table(struct plt *plt, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = shdr->sh_type == SHT_NOBITS ? NULL : elf_rawdata(scn, NULL);
	if (!data || !data->d_buf)
		return true;
	if (plt->file->machine == EM_X86_64)
		return read_x86_64(plt, data->d_buf, data->d_size, shdr->sh_addr, shdr->sh_entsize);
	return read_aarch64(plt, data->d_buf, data->d_size, shdr->sh_addr);
}

/* Calls for each section: slots first, then tables. */
static bool read_sections(struct plt *plt, bool tables)
{
	size_t names_index;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	bool memory = elf_getshdrstrndx(plt->file->elf, &names_index) == 0;
	while (memory && (scn = elf_nextscn(plt->file->elf, scn))) {
		const char *name =
			gelf_getshdr(scn, &shdr) ? elf_strptr(plt->file->elf, names_index, shdr.sh_name) : NULL;
		bool is_table = name && (strcmp(name, ".plt") == 0 || strncmp(name, ".plt.", 5) == 0);
		if (tables && is_table)
			memory = read_table(plt, scn, &shdr);
		else if (!tables && name && shdr.sh_type == SHT_RELA)
			memory = read_slots(plt, scn, &shdr, strcmp(name, ".rela.plt") == 0);
	}
	return memory;
}

/* The entries as symbols, behind those that are there; their names are symbols->made_names. */
static bool hand_over(const struct plt *plt, struct symbols *symbols)
{
	static const char suffix[] = "@plt";
	enum { RANK_LAST = UINT8_MAX };
	size_t text_size = 0;
	for (uint32_t i = 0; i < plt->entry_count; i++)
		text_size += strlen(plt->entries[i].name) + sizeof(suffix);
	struct symbol *all = realloc(symbols->symbols, (symbols->count + plt->entry_count) * sizeof(*all));
	char *text = all ? malloc(text_size) : NULL;
	symbols->symbols = all ? all : symbols->symbols;
	if (!text)
		return false;
	symbols->made_names = text;
	for (uint32_t i = 0; i < plt->entry_count; i++) {
		const struct entry *entry = &plt->entries[i];
		all[symbols->count++] =
			(struct symbol){.addr = entry->addr, .size = entry->size, .name = text, .rank = RANK_LAST};
		text += sprintf(text, "%s%s", entry->name, suffix) + 1;
	}
	symbols_sort(symbols);
	return true;
}

bool plt_add_symbols(struct symbols *symbols, struct elf_file *file)
{
	struct plt plt = {.file = file};
	bool is_known = (file->machine == EM_X86_64 || file->machine == EM_AARCH64) && file->class == ELFCLASS64 &&
			file->data == ELFDATA2LSB && file->type != ET_REL;
	if (!is_known)
		return true;
	bool memory = read_sections(&plt, false);
	sort_by_address(plt.slots, plt.slot_count, sizeof(*plt.slots), compare_slots);
	memory = memory && read_sections(&plt, true);
	if (memory && plt.entry_count)
		memory = hand_over(&plt, symbols);
	free(plt.slots);
	free(plt.numbered);
	free(plt.entries);
	return memory;
}
