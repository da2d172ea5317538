/*
 * ELF files through libelf. The file is mapped, and nothing is read or inflated before it is asked for. Exceptions are
 * the relocated debug sections of object files: their relocations are applied in the mapping, or in the inflated bytes;
 * those of a large .debug_info as it is read.
 *
 * libdwfl would do much of this, but holds every section inflated, knows fewer machines, and does not know zstd.
 */
#include "convert/elf/elf.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <endian.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/fail.h"
#include "base/order.h"
#include "convert/elf/cursor.h"
#include "convert/elf/relocate.h"
#include "convert/elf/section_content.h"
#include "convert/elf/section_layout.h"
#include "convert/elf/section_walk.h"
#include "convert/input/file_kind.h"

#ifndef SHT_CREL
#define SHT_CREL 0x40000014 /* LLVM's, newer than elf.h */
#endif

#define PREFIX ".debug_"

static const char *const section_names[DEBUG_SECTION_COUNT] = {
	[DEBUG_INFO] = PREFIX "info",         [DEBUG_ABBREV] = PREFIX "abbrev",
	[DEBUG_LINE] = PREFIX "line",         [DEBUG_STR] = PREFIX "str",
	[DEBUG_LINE_STR] = PREFIX "line_str", [DEBUG_STR_OFFSETS] = PREFIX "str_offsets",
	[DEBUG_ADDR] = PREFIX "addr",         [DEBUG_RANGES] = PREFIX "ranges",
	[DEBUG_RNGLISTS] = PREFIX "rnglists", [DEBUG_TYPES] = PREFIX "types",
	[DEBUG_CU_INDEX] = PREFIX "cu_index", [DEBUG_TU_INDEX] = PREFIX "tu_index",
	[DEBUG_ARANGES] = PREFIX "aranges",
};

const char *debug_section_name(enum debug_section which)
{
	return section_names[which];
}

/*
 * The debug section that a name means: .debug_x or .zdebug_x; with `is_split`, .debug_x.dwo. One object file may hold
 * both halves of split units (clang's -gsplit-dwarf=single). DEBUG_SECTION_COUNT: none.
 */
static enum debug_section section_from_name(const char *name, bool is_split)
{
	enum { SUFFIXED_MAX = 32 };
	const char *stem = NULL;
	if (strncmp(name, PREFIX, strlen(PREFIX)) == 0)
		stem = name + strlen(PREFIX);
	else if (strncmp(name, ".zdebug_", 8) == 0)
		stem = name + 8;
	if (!stem)
		return DEBUG_SECTION_COUNT;
	size_t size = strnlen(stem, SUFFIXED_MAX + 1); /* bounded, because many sections may share one very long name */
	if (size > SUFFIXED_MAX)
		return DEBUG_SECTION_COUNT;
	bool is_dwo = size > 4 && strcmp(stem + size - 4, ".dwo") == 0;
	size -= is_dwo ? 4 : 0;
	for (int i = 0; i < DEBUG_SECTION_COUNT; i++) {
		bool of_package = i == DEBUG_CU_INDEX || i == DEBUG_TU_INDEX; /* the indexes have no .dwo suffix */
		if (strlen(section_names[i]) == strlen(PREFIX) + size &&
		    memcmp(section_names[i] + strlen(PREFIX), stem, size) == 0)
			return is_dwo == (is_split && !of_package) ? (enum debug_section)i : DEBUG_SECTION_COUNT;
	}
	return DEBUG_SECTION_COUNT;
}

/* The bytes of a section as the file has them. */
struct raw_bytes {
	const uint8_t *data;
	size_t size;
};

static enum locus_status raw_section(const struct elf_file *file, Elf_Scn *scn, const GElf_Shdr *shdr,
				     struct raw_bytes *ret, struct locus_error *error)
{
	if (shdr->sh_offset > file->bytes.size || shdr->sh_size > file->bytes.size - shdr->sh_offset)
		return locus_fail_at(error, LOCUS_ERR_BAD_ELF, shdr->sh_offset,
				     "perhaps truncated: section %zu ends beyond the end of the file", elf_ndxscn(scn));
	*ret = (struct raw_bytes){file->bytes.data + shdr->sh_offset, shdr->sh_size};
	return LOCUS_OK;
}

static enum locus_status open_compressed(struct elf_file *file, Elf_Scn *scn, struct raw_bytes raw, struct section *ret,
					 struct locus_error *error)
{
	GElf_Chdr chdr;
	size_t header = file->class == ELFCLASS64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	if (raw.size < header || !section_compression(scn, &chdr))
		return locus_fail(error, LOCUS_ERR_BAD_ELF, "section %zu has a damaged compression header",
				  elf_ndxscn(scn));
	if (chdr.ch_type != ELFCOMPRESS_ZLIB && chdr.ch_type != ELFCOMPRESS_ZSTD)
		return locus_fail(error, LOCUS_ERR_BAD_ELF, "section %zu has an unknown compression type %u",
				  elf_ndxscn(scn), (unsigned)chdr.ch_type);
	const struct packed_section packed = {
		.packing = chdr.ch_type == ELFCOMPRESS_ZLIB ? PACKING_ZLIB : PACKING_ZSTD,
		.data = raw.data + header,
		.size = raw.size - header,
		.inflated_size = chdr.ch_size,
		.is_pageable = file->bytes.is_mapped,
	};
	return section_init_packed(ret, &packed, error);
}

enum { ZDEBUG_HEADER = 12 };

/* The compression before SHF_COMPRESSED: "ZLIB", the inflated size as eight big-endian bytes, the stream. */
static enum locus_status open_zdebug(const struct elf_file *file, struct raw_bytes raw, struct section *ret,
				     struct locus_error *error)
{
	uint64_t inflated;
	if (raw.size < ZDEBUG_HEADER || memcmp(raw.data, "ZLIB", 4) != 0) {
		section_init(ret, raw.data, raw.size, file->bytes.is_mapped);
		return LOCUS_OK;
	}
	memcpy(&inflated, raw.data + 4, sizeof(inflated));
	const struct packed_section packed = {
		.packing = PACKING_ZLIB,
		.data = raw.data + ZDEBUG_HEADER,
		.size = raw.size - ZDEBUG_HEADER,
		.inflated_size = be64toh(inflated),
		.is_pageable = file->bytes.is_mapped,
	};
	return section_init_packed(ret, &packed, error);
}

static enum locus_status open_section(struct elf_file *file, Elf_Scn *scn, const GElf_Shdr *shdr, const char *name,
				      struct section *ret, struct locus_error *error)
{
	struct raw_bytes raw = {0};
	enum locus_status status = raw_section(file, scn, shdr, &raw, error);
	if (status != LOCUS_OK)
		return status;
	if (shdr->sh_flags & SHF_COMPRESSED)
		return open_compressed(file, scn, raw, ret, error);
	if (name[1] == 'z')
		return open_zdebug(file, raw, ret, error);
	section_init(ret, raw.data, raw.size, file->bytes.is_mapped);
	return LOCUS_OK;
}

static int compare_exec(const void *a, const void *b)
{
	const struct exec_range *x = a, *y = b;
	return order_of(x->start, y->start);
}

static bool add_exec(struct elf_file *file, uint64_t start, uint64_t size)
{
	if (!size || start + size < start)
		return true;
	if (!array_reserve(&file->exec, &file->exec_room, file->exec_count + UINT64_C(1), sizeof(*file->exec)))
		return false;
	file->exec[file->exec_count++] = (struct exec_range){start, start + size};
	return true;
}

static void join_exec(struct elf_file *file)
{
	if (!file->exec_count)
		return;
	qsort(file->exec, file->exec_count, sizeof(*file->exec), compare_exec);
	uint32_t last = 0;
	for (uint32_t i = 1; i < file->exec_count; i++) {
		if (file->exec[i].start >= file->exec[last].end) /* sections that touch are not joined */
			file->exec[++last] = file->exec[i];
		else if (file->exec[i].end > file->exec[last].end)
			file->exec[last].end = file->exec[i].end;
	}
	file->exec_count = last + 1;
}

/* The first of `count` ranges, sorted and disjoint, that starts at or above `addr`. */
static size_t first_exec(const struct elf_file *file, size_t count, uint64_t addr)
{
	size_t first;
	SEARCH_FIRST(first, 0, count, file->exec[first].start >= addr);
	return first;
}

static bool add_base(struct elf_file *file, const char *name, const GElf_Shdr *shdr)
{
	if (!array_reserve(&file->bases, &file->base_room, file->base_count + UINT64_C(1), sizeof(*file->bases)))
		return false;
	file->bases[file->base_count++] = (struct section_base){name, shdr->sh_addr, shdr->sh_size};
	return true;
}

/*
 * RULES A1. Executable sections tell more exactly than executable segments where code is: a segment may hold read-only
 * data, and in a shared library the file's own headers, at address 0. So a whole segment counts only if no executable
 * section lies in it.
 */
static enum locus_status read_exec(struct elf_file *file, struct locus_error *error)
{
	bool memory = true;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	while (memory && (scn = elf_nextscn(file->elf, scn)))
		if (gelf_getshdr(scn, &shdr) && (shdr.sh_flags & SHF_ALLOC) && (shdr.sh_flags & SHF_EXECINSTR))
			memory = add_exec(file, shdr.sh_addr, shdr.sh_size);

	join_exec(file);
	size_t section_count = file->exec_count, phdr_count = 0;
	if (file->type == ET_REL || elf_getphdrnum(file->elf, &phdr_count) != 0)
		phdr_count = 0;
	for (size_t i = 0; memory && i < phdr_count; i++) {
		GElf_Phdr phdr;
		if (!gelf_getphdr(file->elf, (int)i, &phdr) || phdr.p_type != PT_LOAD || !(phdr.p_flags & PF_X))
			continue;
		size_t first = first_exec(file, section_count, phdr.p_vaddr);
		if (first == section_count || file->exec[first].start - phdr.p_vaddr >= phdr.p_memsz)
			memory = add_exec(file, phdr.p_vaddr, phdr.p_memsz);
	}
	join_exec(file);
	return memory ? LOCUS_OK : locus_fail_memory(error);
}

/*
 * Whether the first unit of a .debug_info is a type unit, which DWARF 5 puts there. Of one that is compressed only the
 * unit's header is inflated, and the section is then as it was: it may be relocated as it is read. If it is damaged it
 * is no type unit, and the section's reader reports the damage.
 */
static enum locus_status find_type_unit(const struct elf_file *file, struct section *section, bool *ret,
					struct locus_error *error)
{
	enum { HEAD_SIZE = 12 + 2 + 1 }; /* length, version and type */
	uint8_t head[HEAD_SIZE];
	struct cursor c = section_cursor(section, file->swap);
	*ret = false;
	if (file->type == ET_REL && !section_is_whole(section)) {
		size_t size = section->size < HEAD_SIZE ? section->size : HEAD_SIZE;
		enum locus_status status = section_take(section, head, size, error);
		section_rewind(section);
		if (status != LOCUS_OK)
			return status == LOCUS_ERR_MEMORY ? status : LOCUS_OK;
		c = (struct cursor){.p = head, .end = head + size, .swap = file->swap};
	}

	if (cursor_u32(&c) == UINT32_MAX)
		cursor_skip(&c, 8);
	bool is_new = cursor_u16(&c) == 5;
	uint8_t type = cursor_u8(&c);
	*ret = !c.bad && is_new && (type == DW_UT_type || type == DW_UT_split_type);
	return LOCUS_OK;
}

/* Applies a section's relocations to its bytes: in the mapping, or to all of it inflated. */
static enum locus_status relocate_chosen(struct relocator *relocator, Elf_Scn *scn, struct section *section,
					 const char *name, struct locus_error *error)
{
	enum locus_status status = section_need(section, section->size, error);
	section_stays(section);
	return status == LOCUS_OK
		       ? relocate_section(relocator, scn, (uint8_t *)section->data, section->size, name, error)
		       : status;
}

/*
 * Sets a large .debug_info up to be relocated as its units are read: relocated in place, all of its pages would be
 * copied. *ret_done becomes true if its relocations allow that.
 */
static enum locus_status relocate_as_read(struct elf_file *file, Elf_Scn *scn, const char *name, bool *ret_done,
					  struct locus_error *error)
{
	enum { LARGE = 1 << 20 };
	struct section *section = &file->sections[DEBUG_INFO];
	const struct section_patch patch = {&file->info_relocations, relocation_stream_apply, relocation_stream_rewind};
	if (section->size < LARGE || file->info_relocations.count)
		return LOCUS_OK;
	enum locus_status status = relocation_stream_open(&file->info_relocations, &file->relocator, scn, section->size,
							  name, ret_done, error);
	if (status == LOCUS_OK && *ret_done && !section_set_patch(section, &patch))
		status = locus_fail_memory(error);
	return status;
}

/*
 * Applies relocations to the debug sections. index_of: the index of the section that was chosen of each kind; 0: none.
 */
static enum locus_status relocate_sections(struct elf_file *file, const size_t index_of[DEBUG_SECTION_COUNT],
					   size_t names_index, struct locus_error *error)
{
	/* Sections that share their entries must not together have more than the file. */
	uint64_t bytes_left = file->bytes.stored_size;
	enum locus_status status = LOCUS_OK;
	Elf_Scn *scn = NULL;
	file->relocator = (struct relocator){
		.elf = file->elf,
		.mapped = file->bytes.is_mapped ? file->bytes.data : NULL,
		.mapped_size = file->bytes.size,
	};

	/* Relocation sections name their target by its index; only those for the chosen debug sections matter. */
	while (status == LOCUS_OK && (scn = elf_nextscn(file->elf, scn))) {
		GElf_Shdr shdr, target;
		if (!gelf_getshdr(scn, &shdr) ||
		    (shdr.sh_type != SHT_REL && shdr.sh_type != SHT_RELA && shdr.sh_type != SHT_CREL))
			continue;
		for (int i = 0; i < DEBUG_SECTION_COUNT && status == LOCUS_OK; i++) {
			if (!index_of[i] || index_of[i] != shdr.sh_info ||
			    !gelf_getshdr(elf_getscn(file->elf, index_of[i]), &target))
				continue;

			if (shdr.sh_size > bytes_left)
				status = locus_fail(error, LOCUS_ERR_BAD_ELF,
						    "its relocations have more bytes than the file");
			else if (shdr.sh_type == SHT_CREL)
				status = locus_fail(error, LOCUS_ERR_BAD_ELF,
						    "its relocations are compact ones (CREL), which locus does not "
						    "read: convert what is linked from it");
			bytes_left -= shdr.sh_size;
			const char *name = elf_strptr(file->elf, names_index, target.sh_name);
			bool is_done = false;
			if (status == LOCUS_OK && i == DEBUG_INFO)
				status = relocate_as_read(file, scn, name, &is_done, error);
			if (status == LOCUS_OK && !is_done)
				status = relocate_chosen(&file->relocator, scn, &file->sections[i], name, error);
		}
	}
	return status;
}

/*
 * Applies relocations to .opd, in whose words functions' symbols of PowerPC 64 (ELFv1) have the addresses of their code
 * (RULES E3).
 */
static enum locus_status relocate_descriptors(struct elf_file *file, size_t names_index, struct locus_error *error)
{
	Elf_Scn *scn = NULL;
	while ((scn = elf_nextscn(file->elf, scn))) {
		GElf_Shdr shdr, target;
		struct raw_bytes raw = {0};
		if (!gelf_getshdr(scn, &shdr) || (shdr.sh_type != SHT_REL && shdr.sh_type != SHT_RELA) ||
		    !gelf_getshdr(elf_getscn(file->elf, shdr.sh_info), &target))
			continue;
		const char *name = elf_strptr(file->elf, names_index, target.sh_name);
		if (!name || strcmp(name, ".opd") != 0 || target.sh_type == SHT_NOBITS)
			continue;
		enum locus_status status = raw_section(file, scn, &target, &raw, error);
		return status == LOCUS_OK
			       ? relocate_section(&file->relocator, scn, (uint8_t *)raw.data, raw.size, name, error)
			       : status;
	}
	return LOCUS_OK;
}

/*
 * Whether a section is lost in a hole of zeros, as a lost write leaves it: its name is empty where names have bytes, or
 * its header and the one before are all zeros. Alone, such a header is one that is not used, which the gABI allows.
 */
static bool is_hole(const GElf_Shdr *shdr, const char *name, bool *is_behind_zeros)
{
	static const GElf_Shdr zeros;
	const bool was_behind_zeros = *is_behind_zeros;
	*is_behind_zeros = memcmp(shdr, &zeros, sizeof(zeros)) == 0;
	return *is_behind_zeros ? was_behind_zeros : shdr->sh_name && !*name;
}

/*
 * Refuses a file of which some debug sections have lost their bytes and others not (RULES A8). `lost` are those that
 * have a size and, as sections of zeros do, no bytes in the file.
 */
static enum locus_status check_lost(const struct elf_file *file, const bool lost[DEBUG_SECTION_COUNT],
				    struct locus_error *error)
{
	int first = -1;
	bool any_bytes = false;
	for (int i = DEBUG_SECTION_COUNT; i-- > 0;) {
		any_bytes |= file->sections[i].size != 0;
		first = lost[i] && !file->sections[i].size ? i : first;
	}
	if (first < 0 || !any_bytes)
		return LOCUS_OK;
	return locus_fail(error, LOCUS_ERR_BAD_ELF,
			  "the debug information was stripped in part: %s has a size, but no bytes in the file",
			  section_names[first]);
}

static enum locus_status read_sections(struct elf_file *file, struct locus_error *error)
{
	size_t names_index, count, index_of[DEBUG_SECTION_COUNT] = {0};
	bool is_of_type[DEBUG_SECTION_COUNT] = {false}, is_behind_zeros = false; /* the first header, of none, aside */
	bool lost[DEBUG_SECTION_COUNT] = {false};
	if (elf_getshdrstrndx(file->elf, &names_index) != 0 || elf_getshdrnum(file->elf, &count) != 0)
		return locus_fail(error, LOCUS_ERR_BAD_ELF, "perhaps truncated: the section headers cannot be read");
	for (size_t i = 1; i < count; i++) {
		Elf_Scn *scn = elf_getscn(file->elf, i);
		GElf_Shdr shdr;
		if (!scn || !gelf_getshdr(scn, &shdr))
			return locus_fail(error, LOCUS_ERR_BAD_ELF,
					  "perhaps truncated: section header %zu cannot be read", i);
		const char *name = elf_strptr(file->elf, names_index, shdr.sh_name);
		if (!name)
			return locus_fail(error, LOCUS_ERR_BAD_ELF,
					  "perhaps truncated: the name of section %zu cannot be read", i);
		if (is_hole(&shdr, name, &is_behind_zeros))
			return locus_fail(error, LOCUS_ERR_BAD_ELF,
					  "the header or the name of section %zu is a hole of zeros", i);
		if (file->type == ET_REL && (shdr.sh_flags & SHF_EXECINSTR) && !add_base(file, name, &shdr))
			return locus_fail_memory(error);

		enum debug_section which = section_from_name(name, file->is_split);
		if (which == DEBUG_SECTION_COUNT)
			continue;
		if (shdr.sh_type == SHT_NOBITS) {
			lost[which] |= shdr.sh_size != 0;
			continue;
		}
		struct section section = {0}, *chosen = &file->sections[which];
		enum locus_status status = open_section(file, scn, &shdr, name, &section, error);
		if (status != LOCUS_OK)
			return status;
		section.name = debug_section_name(which);

		/* An object file has a section for each type unit, and one for all others: that one is chosen. */
		bool of_type = shdr.sh_flags & SHF_GROUP;
		if (which == DEBUG_INFO && !of_type)
			status = find_type_unit(file, &section, &of_type, error);
		if (status != LOCUS_OK) {
			section_done(&section);
			return status;
		}
		if (chosen->size && (of_type || !is_of_type[which])) {
			section_done(&section);
			continue;
		}
		section_done(chosen);
		*chosen = section;
		is_of_type[which] = of_type;
		index_of[which] = i;
	}

	enum locus_status status = check_lost(file, lost, error);
	const bool is_relocated = file->type == ET_REL && !file->is_split;
	if (status == LOCUS_OK && is_relocated)
		status = relocate_sections(file, index_of, names_index, error);
	if (status == LOCUS_OK && is_relocated && file->machine == EM_PPC64)
		status = relocate_descriptors(file, names_index, error);
	return status == LOCUS_OK ? read_exec(file, error) : status;
}

/* Gives the sections of a relocatable file addresses, in the private mapping's headers. */
static enum locus_status lay_out(struct elf_file *file, struct locus_error *error)
{
	if (mprotect((void *)file->bytes.data, file->bytes.size, PROT_READ | PROT_WRITE) != 0)
		return locus_fail_memory(error);
	return section_layout(file->elf, error);
}

static enum locus_status read_identity(struct elf_file *file, struct locus_error *error)
{
	GElf_Ehdr ehdr;
	if (!gelf_getehdr(file->elf, &ehdr))
		return locus_fail_at(error, LOCUS_ERR_BAD_ELF, 0, "the ELF header is damaged or truncated");
	file->machine = ehdr.e_machine;
	file->type = ehdr.e_type;
	file->class = ehdr.e_ident[EI_CLASS];
	file->data = ehdr.e_ident[EI_DATA];
	file->swap = (file->data == ELFDATA2MSB) != (BYTE_ORDER == BIG_ENDIAN);
	if (ehdr.e_shoff && (ehdr.e_shoff > file->bytes.size ||
			     (uint64_t)ehdr.e_shnum * ehdr.e_shentsize > file->bytes.size - ehdr.e_shoff))
		return locus_fail_at(error, LOCUS_ERR_BAD_ELF, ehdr.e_shoff,
				     "perhaps truncated: the section headers end beyond the end of the file");
	return LOCUS_OK;
}

/*
 * The size that a compressed section declares for its content; 0: it is not compressed, or its header cannot be read.
 */
static uint64_t unfolded_size(const struct elf_file *file, const struct section_walk *at)
{
	const GElf_Shdr *shdr = &at->shdr;
	uint64_t size;
	GElf_Chdr chdr;
	if (shdr->sh_flags & SHF_COMPRESSED)
		return section_compression(at->scn, &chdr) ? chdr.ch_size : 0;
	if (at->name[1] != 'z' || shdr->sh_size < ZDEBUG_HEADER || shdr->sh_offset > file->bytes.size ||
	    shdr->sh_size > file->bytes.size - shdr->sh_offset)
		return 0;
	memcpy(&size, file->bytes.data + shdr->sh_offset + 4, sizeof(size));
	return be64toh(size);
}

/* Whether the name is that of a debug section, of either half of split units. */
static bool may_be_read(const char *name)
{
	return section_from_name(name, false) != DEBUG_SECTION_COUNT ||
	       section_from_name(name, true) != DEBUG_SECTION_COUNT;
}

/*
 * Refuses files whose sections declare far larger content than real ones have, before anything is inflated. Real debug
 * sections inflate to two or three times their size, strings to nine times.
 */
static enum locus_status check_unfolding(const struct elf_file *file, struct locus_error *error)
{
	enum { UNFOLDED_PER_BYTE = 64, UNFOLDED_SPARE = 32 << 20 };
	uint64_t left = file->bytes.stored_size * UNFOLDED_PER_BYTE + UNFOLDED_SPARE;
	/* Headers and names that cannot be read are reported by read_sections. */
	for (struct section_walk at = section_walk_begin(file->elf); section_walk_next(&at);) {
		uint64_t size = may_be_read(at.name) ? unfolded_size(file, &at) : 0;
		if (size > left)
			return locus_fail_at(error, LOCUS_ERR_BAD_ELF, at.shdr.sh_offset,
					     "its compressed sections have more inflated bytes than a file of its size "
					     "can need: %s says %llu from %llu",
					     at.name, (unsigned long long)size, (unsigned long long)at.shdr.sh_size);
		left -= size;
	}
	return LOCUS_OK;
}

/*
 * Whether the split half of units is read: in a .dwo or .dwp, which have no other, and where it is asked for. Such
 * files are relocatable by their type, but have nothing to relocate.
 */
static bool is_split(const struct elf_file *file, bool asked_for)
{
	bool has_split = false, has_plain = false;
	for (struct section_walk at = section_walk_begin(file->elf); section_walk_next(&at);) {
		has_plain |= section_from_name(at.name, false) == DEBUG_INFO;
		has_split |= section_from_name(at.name, true) == DEBUG_INFO;
	}
	return has_split && (asked_for || !has_plain);
}

/*
 * Whether all notes of segments and sections have at most four times the bytes of the file. Real notes may stand in two
 * headers; thousands of headers may share one content, and searching them all would take seconds.
 */
static bool notes_fit(const struct elf_file *file)
{
	uint64_t left = 4 * file->bytes.stored_size;
	size_t count = 0; /* of a file that does not say how many they are, which is refused with its segments */
	elf_getphdrnum(file->elf, &count);

	for (size_t i = 0; i < count; i++) {
		GElf_Phdr phdr;
		if (!gelf_getphdr(file->elf, (int)i, &phdr) || phdr.p_type != PT_NOTE)
			continue;
		if (phdr.p_filesz > left)
			return false;
		left -= phdr.p_filesz;
	}

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(file->elf, scn));) {
		GElf_Shdr shdr;
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_NOTE)
			continue;
		if (shdr.sh_size > left)
			return false;
		left -= shdr.sh_size;
	}
	return true;
}

/*
 * Checks that the table of section names ends in a NUL, as real ones do, or that few names lie behind its last NUL.
 * libelf searches a table backwards for a NUL each time it is asked for a name: with thousands of sections and a
 * damaged table that would take seconds.
 */
static enum locus_status check_section_names(const struct elf_file *file, struct locus_error *error)
{
	enum { MOST_SEARCHES = 4 }; /* searches of a table as large as the file */
	size_t names_index, count;
	GElf_Shdr shdr;
	if (elf_getshdrstrndx(file->elf, &names_index) != 0 || elf_getshdrnum(file->elf, &count) != 0 ||
	    !gelf_getshdr(elf_getscn(file->elf, names_index), &shdr) || shdr.sh_type == SHT_NOBITS ||
	    shdr.sh_offset > file->bytes.size || shdr.sh_size > file->bytes.size - shdr.sh_offset)
		return LOCUS_OK; /* without such a table no section has a name */
	const uint8_t *names = file->bytes.data + shdr.sh_offset;
	const uint8_t *last = memrchr(names, 0, shdr.sh_size);
	uint64_t unended = last ? shdr.sh_size - (uint64_t)(last + 1 - names) : shdr.sh_size;
	if (count && unended > MOST_SEARCHES * file->bytes.stored_size / count)
		return locus_fail_at(error, LOCUS_ERR_BAD_ELF, shdr.sh_offset,
				     "the table of section names is damaged: its last %llu bytes hold no end of a name",
				     (unsigned long long)unended);
	return LOCUS_OK;
}

static enum locus_status open_elf(struct elf_file *file, bool split, struct locus_error *error)
{
	elf_version(EV_CURRENT);
	if (file->bytes.size < SELFMAG || memcmp(file->bytes.data, ELFMAG, SELFMAG) != 0)
		return locus_fail(error, LOCUS_ERR_NOT_ELF, "%s", file_kind_text(file->bytes.data, file->bytes.size));
	errno = 0;
	file->elf = elf_memory((char *)file->bytes.data, file->bytes.size);
	if (!file->elf && errno == ENOMEM)
		return locus_fail_memory(error);
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF)
		return locus_fail_at(error, LOCUS_ERR_BAD_ELF, 0, "the ELF header is damaged or truncated");

	/* Damage that would make later steps slow is refused before them. */
	enum locus_status status = read_identity(file, error);
	if (status == LOCUS_OK)
		status = check_section_names(file, error);
	if (status == LOCUS_OK)
		status = check_unfolding(file, error);
	file->is_split = status == LOCUS_OK && is_split(file, split);
	if (file->is_split)
		status = file_bytes_share(&file->bytes, error);
	if (status == LOCUS_OK && file->type == ET_REL && !file->is_split)
		status = lay_out(file, error);
	if (status == LOCUS_OK)
		status = read_sections(file, error);
	if (status != LOCUS_OK)
		return status;

	const void *id = NULL;
	errno = 0;
	ssize_t id_size = notes_fit(file) ? dwelf_elf_gnu_build_id(file->elf, &id) : 0;
	if (errno == ENOMEM)
		return locus_fail_memory(error);
	file->build_id = id;
	file->build_id_size = id_size > 0 ? (size_t)id_size : 0;
	return LOCUS_OK;
}

/* Stands for the bytes of a missing section: C does not define NULL + 0. */
static const uint8_t no_bytes[1];

/* Makes a file of the bytes, which it owns from then on, also on failure. */
static enum locus_status open_bytes(const char *path, bool split, struct file_bytes *bytes, struct elf_file **ret,
				    struct locus_error *error)
{
	struct elf_file *file = calloc(1, sizeof(*file));
	if (!file || !(file->path = strdup(path))) {
		free(file);
		file_bytes_done(bytes);
		return locus_fail_memory(error);
	}

	file->bytes = *bytes;
	*bytes = (struct file_bytes){0};
	for (int i = 0; i < DEBUG_SECTION_COUNT; i++)
		section_init(&file->sections[i], no_bytes, 0, false);
	enum locus_status status = open_elf(file, split, error);
	if (status != LOCUS_OK)
		elf_file_free(file);
	else
		*ret = file;
	return status;
}

static enum locus_status open_path(const char *path, uint64_t header, bool split, struct elf_file **ret,
				   struct locus_error *error)
{
	struct file_bytes bytes;
	enum locus_status status = file_bytes_open(path, header, &bytes, error);
	return status == LOCUS_OK ? open_bytes(path, split, &bytes, ret, error) : status;
}

enum locus_status elf_file_open_bytes(const char *path, struct file_bytes *bytes, struct elf_file **ret,
				      struct locus_error *error)
{
	return open_bytes(path, false, bytes, ret, error);
}

enum locus_status elf_file_open(const char *path, struct elf_file **ret, struct locus_error *error)
{
	return open_path(path, 0, false, ret, error);
}

enum locus_status elf_file_open_member(const char *path, uint64_t header, struct elf_file **ret,
				       struct locus_error *error)
{
	return open_path(path, header, false, ret, error);
}

enum locus_status elf_file_open_split(const char *path, struct elf_file **ret, struct locus_error *error)
{
	return open_path(path, 0, true, ret, error);
}

void elf_file_free(struct elf_file *file)
{
	if (!file)
		return;
	for (int i = 0; i < DEBUG_SECTION_COUNT; i++)
		section_done(&file->sections[i]);
	relocator_done(&file->relocator);
	elf_end(file->elf);
	file_bytes_done(&file->bytes);
	free(file->exec);
	free(file->bases);
	free(file->path);
	free(file);
}

bool elf_file_is_unchanged(const struct elf_file *file)
{
	const struct stat *before = &file->bytes.stat;
	struct stat now;
	if (stat(file->bytes.path, &now) != 0 || now.st_dev != before->st_dev || now.st_ino != before->st_ino)
		return true; /* the path leads to another file now; the one that was read is still mapped */
	return now.st_size == before->st_size && now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == before->st_mtim.tv_nsec;
}

bool elf_file_has_debug(const struct elf_file *file)
{
	return file->sections[DEBUG_INFO].size || file->sections[DEBUG_LINE].size;
}

void elf_file_keep_lines(struct elf_file *file)
{
	for (int i = 0; i < DEBUG_SECTION_COUNT; i++) {
		if (i == DEBUG_LINE || i == DEBUG_LINE_STR || i == DEBUG_STR)
			continue;
		section_done(&file->sections[i]);
		section_init(&file->sections[i], no_bytes, 0, false);
	}
}

const struct exec_range *elf_file_exec(const struct elf_file *file, uint64_t addr)
{
	size_t first;
	SEARCH_FIRST(first, 0, file->exec_count, file->exec[first].end > addr);
	return first < file->exec_count && file->exec[first].start <= addr ? &file->exec[first] : NULL;
}
