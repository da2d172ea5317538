/*
 * libdwfl applies the relocations of those machines that libdw has a backend for, and takes what it applied out of the
 * relocation section. What it leaves is of a machine or of a kind that it does not know, or against a symbol without an
 * address: undefined, or of thread-local storage.
 */
#include "convert/elf/relocate.h"

#include <gelf.h>
#include <string.h>

#include "base/fail.h"

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258 /* newer than some elf.h */
#endif

enum relocation_kind {
	RELOCATION_SET,
	RELOCATION_ADD,
	RELOCATION_SUBTRACT,
};

enum {
	ULEB = 0, /* as long as what is there */
	BITS_6 = -1,
};

/* What a relocation does with the symbol's address and the addend. */
struct relocation {
	uint16_t machine;
	uint16_t type;
	uint8_t kind;
	int8_t size; /* in bytes, or ULEB or BITS_6 */
};

static const struct relocation known[] = {
	/* libdwfl knows these, and leaves them where memory was short. */
	{EM_386, 1 /* R_386_32 */, RELOCATION_SET, 4},
	{EM_X86_64, 1 /* R_X86_64_64 */, RELOCATION_SET, 8},
	{EM_X86_64, 10 /* R_X86_64_32 */, RELOCATION_SET, 4},
	{EM_X86_64, 11 /* R_X86_64_32S */, RELOCATION_SET, 4},
	{EM_ARM, 2 /* R_ARM_ABS32 */, RELOCATION_SET, 4},
	{EM_AARCH64, 257 /* R_AARCH64_ABS64 */, RELOCATION_SET, 8},
	{EM_AARCH64, 258 /* R_AARCH64_ABS32 */, RELOCATION_SET, 4},
	{EM_PPC, 1 /* R_PPC_ADDR32 */, RELOCATION_SET, 4},
	{EM_PPC64, 1 /* R_PPC64_ADDR32 */, RELOCATION_SET, 4},
	{EM_PPC64, 38 /* R_PPC64_ADDR64 */, RELOCATION_SET, 8},
	{EM_S390, 4 /* R_390_32 */, RELOCATION_SET, 4},
	{EM_S390, 22 /* R_390_64 */, RELOCATION_SET, 8},
	{EM_RISCV, 1 /* R_RISCV_32 */, RELOCATION_SET, 4},
	{EM_RISCV, 2 /* R_RISCV_64 */, RELOCATION_SET, 8},
	/* These it does not. */
	{EM_MIPS, 2 /* R_MIPS_32 */, RELOCATION_SET, 4},
	{EM_MIPS, 18 /* R_MIPS_64 */, RELOCATION_SET, 8},
	{EM_QDSP6, 6 /* R_HEX_32 */, RELOCATION_SET, 4},
	{EM_AVR, 1 /* R_AVR_32 */, RELOCATION_SET, 4},
	{EM_AVR, 4 /* R_AVR_16 */, RELOCATION_SET, 2},
	{EM_MSP430, 1 /* R_MSP430_32 */, RELOCATION_SET, 4},
	{EM_MSP430, 5 /* R_MSP430_16_BYTE */, RELOCATION_SET, 2},
	{EM_BPF, 2 /* R_BPF_64_ABS64 */, RELOCATION_SET, 8},
	{EM_BPF, 3 /* R_BPF_64_ABS32 */, RELOCATION_SET, 4},
	{EM_RISCV, 60 /* R_RISCV_SET_ULEB128 */, RELOCATION_SET, ULEB},
	{EM_RISCV, 61 /* R_RISCV_SUB_ULEB128 */, RELOCATION_SUBTRACT, ULEB},
	{EM_LOONGARCH, 1 /* R_LARCH_32 */, RELOCATION_SET, 4},
	{EM_LOONGARCH, 2 /* R_LARCH_64 */, RELOCATION_SET, 8},
	{EM_LOONGARCH, 47 /* R_LARCH_ADD8 */, RELOCATION_ADD, 1},
	{EM_LOONGARCH, 48 /* R_LARCH_ADD16 */, RELOCATION_ADD, 2},
	{EM_LOONGARCH, 50 /* R_LARCH_ADD32 */, RELOCATION_ADD, 4},
	{EM_LOONGARCH, 51 /* R_LARCH_ADD64 */, RELOCATION_ADD, 8},
	{EM_LOONGARCH, 52 /* R_LARCH_SUB8 */, RELOCATION_SUBTRACT, 1},
	{EM_LOONGARCH, 53 /* R_LARCH_SUB16 */, RELOCATION_SUBTRACT, 2},
	{EM_LOONGARCH, 55 /* R_LARCH_SUB32 */, RELOCATION_SUBTRACT, 4},
	{EM_LOONGARCH, 56 /* R_LARCH_SUB64 */, RELOCATION_SUBTRACT, 8},
	{EM_LOONGARCH, 105 /* R_LARCH_ADD6 */, RELOCATION_ADD, BITS_6},
	{EM_LOONGARCH, 106 /* R_LARCH_SUB6 */, RELOCATION_SUBTRACT, BITS_6},
	{EM_LOONGARCH, 107 /* R_LARCH_ADD_ULEB128 */, RELOCATION_ADD, ULEB},
	{EM_LOONGARCH, 108 /* R_LARCH_SUB_ULEB128 */, RELOCATION_SUBTRACT, ULEB},
};

/* What compilers have in attributes that are not read here: the places of variables in the large code model. */
static bool does_not_matter(uint16_t machine, uint32_t type)
{
	return (machine == EM_X86_64 && type == 25 /* R_X86_64_GOTOFF64 */) ||
	       (machine == EM_386 && type == 9 /* R_386_GOTOFF */);
}

/* The section that relocations are for, and their symbols. */
struct relocated {
	Elf *elf;
	GElf_Ehdr ehdr;
	Elf_Data *data;
	Elf_Data *symbols;
	const char *name;
	bool has_addends;
};

static const struct relocation *find_relocation(uint16_t machine, uint32_t type)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].machine == machine && known[i].type == type)
			return &known[i];
	return NULL;
}

/* Reads the field at `at`; *ret_size: its bytes. False: it does not lie in the section. */
static bool read_field(const struct relocated *r, uint64_t at, int size, uint64_t *ret, size_t *ret_size)
{
	const uint8_t *bytes = r->data->d_buf;
	size_t left = at < r->data->d_size ? r->data->d_size - (size_t)at : 0;
	bool big = r->ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	*ret = 0;
	*ret_size = size == BITS_6 ? 1 : (size_t)size;
	if (size == ULEB) {
		for (size_t i = 0; i < left && i < 10; i++) {
			*ret |= (uint64_t)(bytes[at + i] & 0x7f) << 7 * i;
			*ret_size = i + 1;
			if (bytes[at + i] < 0x80)
				return true;
		}
		return false;
	}
	if (*ret_size > left)
		return false;
	for (size_t i = 0; i < *ret_size; i++)
		*ret |= (uint64_t)bytes[at + i] << 8 * (big ? *ret_size - 1 - i : i);
	return true;
}

static void write_field(const struct relocated *r, uint64_t at, int size, uint64_t value, size_t byte_count)
{
	uint8_t *bytes = (uint8_t *)r->data->d_buf + at;
	bool big = r->ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	for (size_t i = 0; i < byte_count; i++) {
		if (size == BITS_6)
			bytes[i] = (uint8_t)((bytes[i] & 0xc0) | (value & 0x3f));
		else if (size == ULEB)
			bytes[i] = (uint8_t)((value >> 7 * i & 0x7f) | (i + 1 < byte_count ? 0x80 : 0));
		else
			bytes[i] = (uint8_t)(value >> 8 * (big ? byte_count - 1 - i : i));
	}
}

/* Whether the symbol has an address, and which: that of its section, which libdwfl laid out, is part of it. */
static bool symbol_address(const struct relocated *r, uint32_t index, uint64_t *ret)
{
	GElf_Sym symbol;
	GElf_Shdr shdr;
	Elf_Scn *scn;
	*ret = 0;
	if (!index)
		return true;
	if (!r->symbols || index > INT32_MAX || !gelf_getsym(r->symbols, (int)index, &symbol))
		return false;
	if (symbol.st_shndx == SHN_UNDEF || GELF_ST_TYPE(symbol.st_info) == STT_TLS)
		return false;
	*ret = symbol.st_value;
	if (symbol.st_shndx < SHN_LORESERVE && (scn = elf_getscn(r->elf, symbol.st_shndx)) && gelf_getshdr(scn, &shdr))
		*ret += shdr.sh_addr;
	return true;
}

static enum locus_status apply(const struct relocated *r, uint64_t at, uint32_t index, uint32_t type, uint64_t addend,
			       struct locus_error *error)
{
	uint64_t address, value, field;
	size_t byte_count;
	if (!type || !symbol_address(r, index, &address))
		return LOCUS_OK;
	const struct relocation *relocation = find_relocation(r->ehdr.e_machine, type);
	if (!relocation && does_not_matter(r->ehdr.e_machine, type))
		return LOCUS_OK;
	if (!relocation)
		return locus_fail(error, LOCUS_ERR_BAD_ELF,
				  "cannot apply relocations of type %u in %s; convert what is linked from it", type,
				  r->name);
	if (!read_field(r, at, relocation->size, &field, &byte_count))
		return locus_fail(error, LOCUS_ERR_BAD_ELF, "%s has a relocation at 0x%llx, outside it", r->name,
				  (unsigned long long)at);
	value = address + (r->has_addends ? addend : field);
	if (relocation->kind == RELOCATION_ADD)
		value = field + value;
	else if (relocation->kind == RELOCATION_SUBTRACT)
		value = field - value;
	write_field(r, at, relocation->size, value, byte_count);
	return LOCUS_OK;
}

/* The 64-bit MIPS has room for three types; a little-endian one keeps them in an order of its own. */
static void split_info(const struct relocated *r, uint64_t info, uint32_t *ret_symbol, uint32_t *ret_type)
{
	*ret_symbol = (uint32_t)GELF_R_SYM(info);
	*ret_type = (uint32_t)GELF_R_TYPE(info);
	if (r->ehdr.e_machine != EM_MIPS || r->ehdr.e_ident[EI_CLASS] != ELFCLASS64)
		return;
	bool big = r->ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	*ret_symbol = (uint32_t)(big ? info >> 32 : info);
	*ret_type = (uint32_t)(big ? info : info >> 56) & 0xff;
}

static enum locus_status apply_all(struct relocated *r, Elf_Scn *scn, const GElf_Shdr *shdr, struct locus_error *error)
{
	Elf_Data *entries = elf_getdata(scn, NULL);
	size_t count = entries && shdr->sh_entsize ? entries->d_size / shdr->sh_entsize : 0;
	enum locus_status status = LOCUS_OK;
	r->has_addends = shdr->sh_type == SHT_RELA;
	for (size_t i = 0; i < count && i < INT32_MAX && status == LOCUS_OK; i++) {
		GElf_Rela rela = {0};
		GElf_Rel rel;
		uint32_t symbol, type;
		if (r->has_addends) {
			if (!gelf_getrela(entries, (int)i, &rela))
				break;
		} else if (gelf_getrel(entries, (int)i, &rel)) {
			rela.r_offset = rel.r_offset;
			rela.r_info = rel.r_info;
		} else {
			break;
		}
		split_info(r, rela.r_info, &symbol, &type);
		status = apply(r, rela.r_offset, symbol, type, (uint64_t)rela.r_addend, error);
	}
	return status;
}

enum locus_status relocate_rest(Elf *elf, bool (*is_needed)(const char *name), struct locus_error *error)
{
	struct relocated r = {.elf = elf};
	size_t names_index;
	Elf_Scn *scn = NULL;
	enum locus_status status = LOCUS_OK;
	if (!gelf_getehdr(elf, &r.ehdr) || elf_getshdrstrndx(elf, &names_index) != 0)
		return LOCUS_OK; /* read_sections says what is wrong */
	while (status == LOCUS_OK && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr, target_shdr;
		Elf_Scn *target, *symbols;
		if (!gelf_getshdr(scn, &shdr) || (shdr.sh_type != SHT_REL && shdr.sh_type != SHT_RELA) ||
		    !shdr.sh_size || !(target = elf_getscn(elf, shdr.sh_info)) || !gelf_getshdr(target, &target_shdr) ||
		    target_shdr.sh_type == SHT_NOBITS)
			continue;
		r.name = elf_strptr(elf, names_index, target_shdr.sh_name);
		if (!r.name || !is_needed(r.name) || !(r.data = elf_getdata(target, NULL)) || !r.data->d_buf)
			continue;
		if (target_shdr.sh_flags & SHF_COMPRESSED)
			return locus_fail(
				error, LOCUS_ERR_UNSUPPORTED,
				"%s is compressed and has relocations: use objcopy --decompress-debug-sections",
				r.name);
		symbols = elf_getscn(elf, shdr.sh_link);
		r.symbols = symbols ? elf_getdata(symbols, NULL) : NULL;
		status = apply_all(&r, scn, &shdr, error);
	}
	return status;
}
