/*
 * Debug sections use only a few of the many kinds of relocations: those that store an address, or the difference of
 * two. One table lists them for all machines. A relocation against a symbol without an address, undefined or
 * thread-local, changes nothing.
 */
#include "convert/elf/relocate.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/vm_pages.h"
#include "convert/elf/section_content.h"

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258 /* newer than some elf.h */
#endif

enum relocation_kind {
	RELOCATION_SET,
	RELOCATION_ADD,
	RELOCATION_SUBTRACT,
	RELOCATION_SUM,  /* like SET, but the bytes in place are part of the addend */
	RELOCATION_NONE, /* the bytes in place are right already */
};

enum {
	ULEB = 0, /* as long as the number that is in place */
	BITS_6 = -1,
};

/* How a kind of relocation stores the symbol's address plus the addend. */
struct relocation {
	uint16_t machine;
	uint16_t type;
	uint8_t kind;
	int8_t size; /* in bytes, or ULEB or BITS_6 */
};

static const struct relocation known[] = {
	{EM_386, 1 /* R_386_32 */, RELOCATION_SET, 4},
	{EM_386, 20 /* R_386_16 */, RELOCATION_SET, 2},
	{EM_X86_64, 1 /* R_X86_64_64 */, RELOCATION_SET, 8},
	{EM_X86_64, 10 /* R_X86_64_32 */, RELOCATION_SET, 4},
	{EM_X86_64, 11 /* R_X86_64_32S */, RELOCATION_SET, 4},
	{EM_X86_64, 12 /* R_X86_64_16 */, RELOCATION_SET, 2},
	{EM_ARM, 2 /* R_ARM_ABS32 */, RELOCATION_SET, 4},
	{EM_ARM, 5 /* R_ARM_ABS16 */, RELOCATION_SET, 2},
	{EM_AARCH64, 257 /* R_AARCH64_ABS64 */, RELOCATION_SET, 8},
	{EM_AARCH64, 258 /* R_AARCH64_ABS32 */, RELOCATION_SET, 4},
	{EM_AARCH64, 259 /* R_AARCH64_ABS16 */, RELOCATION_SET, 2},
	{EM_PPC, 1 /* R_PPC_ADDR32 */, RELOCATION_SET, 4},
	{EM_PPC, 24 /* R_PPC_UADDR32 */, RELOCATION_SET, 4},
	{EM_PPC64, 1 /* R_PPC64_ADDR32 */, RELOCATION_SET, 4},
	{EM_PPC64, 24 /* R_PPC64_UADDR32 */, RELOCATION_SET, 4},
	{EM_PPC64, 38 /* R_PPC64_ADDR64 */, RELOCATION_SET, 8},
	{EM_PPC64, 43 /* R_PPC64_UADDR64 */, RELOCATION_SET, 8},
	{EM_PPC64, 51 /* R_PPC64_TOC: of a descriptor, which nobody reads */, RELOCATION_NONE, 8},
	{EM_S390, 4 /* R_390_32 */, RELOCATION_SET, 4},
	{EM_S390, 22 /* R_390_64 */, RELOCATION_SET, 8},
	{EM_SPARC, 3 /* R_SPARC_32 */, RELOCATION_SET, 4},
	{EM_SPARC, 23 /* R_SPARC_UA32 */, RELOCATION_SET, 4},
	{EM_SPARC32PLUS, 3 /* R_SPARC_32 */, RELOCATION_SET, 4},
	{EM_SPARC32PLUS, 23 /* R_SPARC_UA32 */, RELOCATION_SET, 4},
	{EM_SPARCV9, 3 /* R_SPARC_32 */, RELOCATION_SET, 4},
	{EM_SPARCV9, 23 /* R_SPARC_UA32 */, RELOCATION_SET, 4},
	{EM_SPARCV9, 32 /* R_SPARC_64 */, RELOCATION_SET, 8},
	{EM_SPARCV9, 54 /* R_SPARC_UA64 */, RELOCATION_SET, 8},
	{EM_ALPHA, 1 /* R_ALPHA_REFLONG */, RELOCATION_SET, 4},
	{EM_ALPHA, 2 /* R_ALPHA_REFQUAD */, RELOCATION_SET, 8},
	{EM_IA_64, 0x25 /* R_IA64_DIR32LSB */, RELOCATION_SET, 4},
	{EM_IA_64, 0x27 /* R_IA64_DIR64LSB */, RELOCATION_SET, 8},
	{EM_IA_64, 0x65 /* R_IA64_SECREL32LSB */, RELOCATION_SET, 4},
	{EM_PARISC, 1 /* R_PARISC_DIR32 */, RELOCATION_SET, 4},
	{EM_PARISC, 41 /* R_PARISC_SECREL32 */, RELOCATION_SET, 4},
	{EM_PARISC, 80 /* R_PARISC_DIR64 */, RELOCATION_SET, 8},
	{EM_68K, 1 /* R_68K_32 */, RELOCATION_SET, 4},
	{EM_68K, 2 /* R_68K_16 */, RELOCATION_SET, 2},
	{EM_SH, 1 /* R_SH_DIR32 */, RELOCATION_SUM, 4},
	{EM_ARC_COMPACT, 4 /* R_ARC_32 */, RELOCATION_SET, 4},
	{EM_ARCV2, 4 /* R_ARC_32 */, RELOCATION_SET, 4},
	{EM_CSKY, 1 /* R_CKCORE_ADDR32 */, RELOCATION_SET, 4},
	{EM_MIPS, 2 /* R_MIPS_32 */, RELOCATION_SET, 4},
	{EM_MIPS, 18 /* R_MIPS_64 */, RELOCATION_SET, 8},
	{EM_QDSP6, 6 /* R_HEX_32 */, RELOCATION_SET, 4},
	{EM_AVR, 1 /* R_AVR_32 */, RELOCATION_SET, 4},
	{EM_AVR, 4 /* R_AVR_16 */, RELOCATION_SET, 2},
	{EM_AVR, 30 /* R_AVR_DIFF8 */, RELOCATION_NONE, 1},
	{EM_AVR, 31 /* R_AVR_DIFF16 */, RELOCATION_NONE, 2},
	{EM_AVR, 32 /* R_AVR_DIFF32 */, RELOCATION_NONE, 4},
	{EM_XTENSA, 1 /* R_XTENSA_32 */, RELOCATION_SUM, 4},
	{EM_XTENSA, 17 /* R_XTENSA_DIFF8 */, RELOCATION_NONE, 1},
	{EM_XTENSA, 18 /* R_XTENSA_DIFF16 */, RELOCATION_NONE, 2},
	{EM_XTENSA, 19 /* R_XTENSA_DIFF32 */, RELOCATION_NONE, 4},
	{EM_XTENSA, 57 /* R_XTENSA_PDIFF8 */, RELOCATION_NONE, 1},
	{EM_XTENSA, 58 /* R_XTENSA_PDIFF16 */, RELOCATION_NONE, 2},
	{EM_XTENSA, 59 /* R_XTENSA_PDIFF32 */, RELOCATION_NONE, 4},
	{EM_XTENSA, 60 /* R_XTENSA_NDIFF8 */, RELOCATION_NONE, 1},
	{EM_XTENSA, 61 /* R_XTENSA_NDIFF16 */, RELOCATION_NONE, 2},
	{EM_XTENSA, 62 /* R_XTENSA_NDIFF32 */, RELOCATION_NONE, 4},
	{EM_OPENRISC, 1 /* R_OR1K_32 */, RELOCATION_SET, 4},
	{EM_OPENRISC, 2 /* R_OR1K_16 */, RELOCATION_SET, 2},
	{EM_MSP430, 1 /* R_MSP430_32 */, RELOCATION_SET, 4},
	{EM_MSP430, 5 /* R_MSP430_16_BYTE */, RELOCATION_SET, 2},
	{EM_BPF, 2 /* R_BPF_64_ABS64 */, RELOCATION_SET, 8},
	{EM_BPF, 3 /* R_BPF_64_ABS32 */, RELOCATION_SET, 4},
	{EM_RISCV, 1 /* R_RISCV_32 */, RELOCATION_SET, 4},
	{EM_RISCV, 2 /* R_RISCV_64 */, RELOCATION_SET, 8},
	{EM_RISCV, 33 /* R_RISCV_ADD8 */, RELOCATION_ADD, 1},
	{EM_RISCV, 34 /* R_RISCV_ADD16 */, RELOCATION_ADD, 2},
	{EM_RISCV, 35 /* R_RISCV_ADD32 */, RELOCATION_ADD, 4},
	{EM_RISCV, 36 /* R_RISCV_ADD64 */, RELOCATION_ADD, 8},
	{EM_RISCV, 37 /* R_RISCV_SUB8 */, RELOCATION_SUBTRACT, 1},
	{EM_RISCV, 38 /* R_RISCV_SUB16 */, RELOCATION_SUBTRACT, 2},
	{EM_RISCV, 39 /* R_RISCV_SUB32 */, RELOCATION_SUBTRACT, 4},
	{EM_RISCV, 40 /* R_RISCV_SUB64 */, RELOCATION_SUBTRACT, 8},
	{EM_RISCV, 52 /* R_RISCV_SUB6 */, RELOCATION_SUBTRACT, BITS_6},
	{EM_RISCV, 53 /* R_RISCV_SET6 */, RELOCATION_SET, BITS_6},
	{EM_RISCV, 54 /* R_RISCV_SET8 */, RELOCATION_SET, 1},
	{EM_RISCV, 55 /* R_RISCV_SET16 */, RELOCATION_SET, 2},
	{EM_RISCV, 56 /* R_RISCV_SET32 */, RELOCATION_SET, 4},
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

/* Kinds that compilers use only in attributes that are not read: addresses of variables in the large code model. */
static bool does_not_matter(uint16_t machine, uint32_t type)
{
	return (machine == EM_X86_64 && type == 25 /* R_X86_64_GOTOFF64 */) ||
	       (machine == EM_386 && type == 9 /* R_386_GOTOFF */);
}

/* The bytes that relocations are applied to: all of a section, or a part of it. */
struct target {
	uint8_t *bytes;
	size_t start; /* the offset of bytes[0] in the section */
	size_t size;
	const char *name;
	bool is_big;
	bool has_addends;
};

struct relocated_symbol {
	uint64_t address;
	bool has_address;
};

static const struct relocation *find_relocation(uint16_t machine, uint32_t type)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].machine == machine && known[i].type == type)
			return &known[i];
	return NULL;
}

/* Reads the field at `at`; *ret_size is its size. False: it lies outside of the section. */
static bool read_field(const struct target *target, uint64_t at, int size, uint64_t *ret, size_t *ret_size)
{
	const uint8_t *bytes = target->bytes;
	size_t left = at < target->size ? target->size - (size_t)at : 0;
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
		*ret |= (uint64_t)bytes[at + i] << 8 * (target->is_big ? *ret_size - 1 - i : i);
	return true;
}

static void write_field(const struct target *target, uint64_t at, int size, uint64_t value, size_t byte_count)
{
	uint8_t *bytes = target->bytes + at;
	for (size_t i = 0; i < byte_count; i++) {
		if (size == BITS_6)
			bytes[i] = (uint8_t)((bytes[i] & 0xc0) | (value & 0x3f));
		else if (size == ULEB)
			bytes[i] = (uint8_t)((value >> 7 * i & 0x7f) | (i + 1 < byte_count ? 0x80 : 0));
		else
			bytes[i] = (uint8_t)(value >> 8 * (target->is_big ? byte_count - 1 - i : i));
	}
}

/* The address of a symbol, the address of its section included, if it has one. */
static struct relocated_symbol read_symbol(Elf *elf, Elf_Data *symbols, Elf_Data *long_numbers, int index)
{
	struct relocated_symbol none = {0};
	GElf_Sym symbol;
	GElf_Shdr shdr;
	Elf32_Word number; /* 0: of a section whose number is in the symbol itself */
	if (!gelf_getsymshndx(symbols, long_numbers, index, &symbol, &number))
		return none;
	if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_COMMON || GELF_ST_TYPE(symbol.st_info) == STT_TLS)
		return none;
	bool in_section = symbol.st_shndx < SHN_LORESERVE || symbol.st_shndx == SHN_XINDEX;
	Elf_Scn *scn = elf_getscn(elf, symbol.st_shndx == SHN_XINDEX ? number : symbol.st_shndx);
	uint64_t base = in_section && scn && gelf_getshdr(scn, &shdr) ? shdr.sh_addr : 0;
	return (struct relocated_symbol){base + symbol.st_value, true};
}

/* The symbol table in a section; NULL: it has none that can be read. */
static Elf_Data *symbol_table(Elf_Scn *scn)
{
	GElf_Shdr shdr;
	bool is_table = scn && gelf_getshdr(scn, &shdr) && (shdr.sh_type == SHT_SYMTAB || shdr.sh_type == SHT_DYNSYM);
	return is_table ? section_content(scn) : NULL;
}

/* How many entries of a type a section has. Their size is the class's, whatever the section's header says. */
static size_t entry_count(Elf *elf, const Elf_Data *data, Elf_Type type)
{
	size_t size = gelf_fsize(elf, type, 1, EV_CURRENT);
	return data && size ? data->d_size / size : 0;
}

/* Reads the symbol table at `index`, once for all sections that use it. False: out of memory. */
static bool read_symbols(struct relocator *r, size_t index)
{
	Elf_Scn *scn = elf_getscn(r->elf, index);
	Elf_Data *data = symbol_table(scn);
	if (r->symbols && r->symbols_index == index)
		return true;
	int numbers_index = data ? elf_scnshndx(scn) : 0;
	Elf_Data *numbers = numbers_index > 0 ? section_content(elf_getscn(r->elf, (size_t)numbers_index)) : NULL;
	size_t count = entry_count(r->elf, data, ELF_T_SYM);
	free(r->symbols);
	r->symbols_index = index;
	r->symbol_count = 0;
	r->symbols = calloc(count + 1, sizeof(*r->symbols));
	if (!r->symbols)
		return false;
	r->symbols[0].has_address = true; /* a relocation without a symbol stores its addend alone */
	for (r->symbol_count = 1; r->symbol_count < count && r->symbol_count <= INT32_MAX; r->symbol_count++)
		r->symbols[r->symbol_count] = read_symbol(r->elf, data, numbers, (int)r->symbol_count);
	return true;
}

/* 64-bit MIPS packs three types into r_info, and little-endian files have an order of their own. */
static void split_info(const struct relocator *r, uint64_t info, uint32_t *ret_symbol, uint32_t *ret_type)
{
	*ret_symbol = (uint32_t)GELF_R_SYM(info);
	*ret_type = (uint32_t)GELF_R_TYPE(info);
	if (r->ehdr.e_machine == EM_SPARCV9)
		*ret_type &= 0xff; /* the other bits are data of the relocation */
	if (r->ehdr.e_machine != EM_MIPS || r->ehdr.e_ident[EI_CLASS] != ELFCLASS64)
		return;
	bool big = r->ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	*ret_symbol = (uint32_t)(big ? info >> 32 : info);
	*ret_type = (uint32_t)(big ? info : info >> 56) & 0xff;
}

/* Applies one relocation: stores the symbol's address and the addend as its kind says. */
static enum locus_status apply(const struct relocator *r, const struct target *target, const GElf_Rela *rela,
			       struct locus_error *error)
{
	uint64_t value, field;
	uint32_t index, type;
	size_t byte_count;
	split_info(r, rela->r_info, &index, &type);
	if (!type)
		return LOCUS_OK;
	if (index >= r->symbol_count)
		return locus_fail(error, LOCUS_ERR_BAD_ELF,
				  "%s has a relocation against symbol %u, which is not in the symbol table",
				  target->name, index);
	if (!r->symbols[index].has_address)
		return LOCUS_OK;
	const struct relocation *relocation = find_relocation(r->ehdr.e_machine, type);
	if (!relocation && does_not_matter(r->ehdr.e_machine, type))
		return LOCUS_OK;
	if (!relocation)
		return locus_fail(error, LOCUS_ERR_BAD_ELF,
				  "cannot apply relocations of type %u in %s; convert what is linked from it", type,
				  target->name);

	uint64_t at = rela->r_offset - target->start;
	if (!read_field(target, at, relocation->size, &field, &byte_count))
		return locus_fail(error, LOCUS_ERR_BAD_ELF, "%s has a relocation at 0x%llx, outside it", target->name,
				  (unsigned long long)rela->r_offset);

	/* In a section without addends, the field in place is the addend. */
	value = r->symbols[index].address + (target->has_addends ? (uint64_t)rela->r_addend : field);
	if (relocation->kind == RELOCATION_NONE)
		value = field;
	else if (relocation->kind == RELOCATION_ADD)
		value = field + value;
	else if (relocation->kind == RELOCATION_SUBTRACT)
		value = field - value;
	else if (relocation->kind == RELOCATION_SUM && target->has_addends)
		value += field;
	write_field(target, at, relocation->size, value, byte_count);
	return LOCUS_OK;
}

/* Whether libelf gives the entries in the mapping: those of another byte order, or not aligned, it copies. */
static bool is_mapped(const struct relocator *r, const void *data)
{
	uintptr_t at = (uintptr_t)data, start = (uintptr_t)r->mapped;
	return r->mapped && at >= start && at - start < r->mapped_size;
}

/*
 * Gives back the memory of the entries before `next`, in large steps; the pages are in the file if they are read again.
 */
static void release_entries(struct relocation_stream *stream, size_t next)
{
	enum { STEP = 4 << 20 };
	size_t entry_size = stream->count ? stream->entries->d_size / stream->count : 0, done = next * entry_size;
	if (!stream->in_file || done < stream->released + STEP)
		return;
	pages_release(stream->entries->d_buf, stream->released, done);
	stream->released = done;
}

static enum locus_status cannot_read(const char *name, struct locus_error *error)
{
	return locus_fail(error, LOCUS_ERR_BAD_ELF, "perhaps truncated: the relocations of %s cannot be read", name);
}

enum locus_status relocation_stream_open(struct relocation_stream *stream, struct relocator *r, Elf_Scn *scn,
					 size_t target_size, const char *name, bool *ret_can, struct locus_error *error)
{
	GElf_Shdr shdr;
	if (!gelf_getehdr(r->elf, &r->ehdr) || !gelf_getshdr(scn, &shdr))
		return cannot_read(name, error);
	if (!read_symbols(r, shdr.sh_link))
		return locus_fail_memory(error);
	Elf_Data *entries = section_content(scn);
	if (!entries && shdr.sh_size)
		return cannot_read(name, error);
	size_t count = entry_count(r->elf, entries, shdr.sh_type == SHT_RELA ? ELF_T_RELA : ELF_T_REL);
	*stream = (struct relocation_stream){
		.relocator = r,
		.name = name,
		.symbols_index = shdr.sh_link,
		.entries = entries,
		.has_addends = shdr.sh_type == SHT_RELA,
		.in_file = entries && is_mapped(r, entries->d_buf),
		.count = count < INT32_MAX ? count : INT32_MAX,
	};

	/*
	 * Entries out of order, or outside of the target, cannot be applied as the target is read from front to back.
	 */
	*ret_can = true;
	uint64_t last = 0;
	for (size_t i = 0; i < stream->count && *ret_can; i++) {
		GElf_Rela rela;
		*ret_can = section_relocation(entries, (int)i, stream->has_addends, &rela) && rela.r_offset >= last &&
			   rela.r_offset < target_size;
		last = rela.r_offset;
		release_entries(stream, i);
	}
	stream->released = 0;
	return LOCUS_OK;
}

/* Applies entries up to the first that begins behind the byte at `last`. */
static enum locus_status apply_through(struct relocation_stream *stream, const struct target *target, uint64_t last,
				       struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	if (!read_symbols(stream->relocator,
			  stream->symbols_index)) /* the symbols of another section may have been read since */
		return locus_fail_memory(error);
	for (; stream->next < stream->count && status == LOCUS_OK; stream->next++) {
		GElf_Rela rela;
		if (!section_relocation(stream->entries, (int)stream->next, stream->has_addends, &rela) ||
		    rela.r_offset > last)
			break;
		status = apply(stream->relocator, target, &rela, error);
	}
	return status;
}

enum locus_status relocation_stream_apply(void *context, uint8_t *bytes, size_t offset, size_t size, size_t room,
					  struct locus_error *error)
{
	struct relocation_stream *stream = context;
	struct target target = {
		.bytes = bytes,
		.start = offset,
		.size = room,
		.name = stream->name,
		.is_big = stream->relocator->ehdr.e_ident[EI_DATA] == ELFDATA2MSB,
		.has_addends = stream->has_addends,
	};
	enum locus_status status = size ? apply_through(stream, &target, offset + (uint64_t)size - 1, error) : LOCUS_OK;
	release_entries(stream, stream->next);
	return status;
}

void relocation_stream_rewind(void *context)
{
	struct relocation_stream *stream = context;
	stream->next = stream->released = 0;
}

enum locus_status relocate_section(struct relocator *r, Elf_Scn *scn, uint8_t *bytes, size_t size, const char *name,
				   struct locus_error *error)
{
	struct relocation_stream stream;
	bool is_in_order;
	enum locus_status status = relocation_stream_open(&stream, r, scn, size, name, &is_in_order, error);
	if (status != LOCUS_OK)
		return status;
	struct target target = {
		.bytes = bytes,
		.size = size,
		.name = name,
		.is_big = r->ehdr.e_ident[EI_DATA] == ELFDATA2MSB,
		.has_addends = stream.has_addends,
	};
	return apply_through(&stream, &target, UINT64_MAX, error);
}

void relocator_done(struct relocator *relocator)
{
	free(relocator->symbols);
	*relocator = (struct relocator){0};
}
