/*
 * Chooses the sections that libdw chooses: the first of each name, and those of split units (.dwo) only in a file that
 * has no others. So what is counted here, before libdw reads a section, is counted in the very section that it reads.
 */
#include "convert/cross_check/dwarf_sections.h"

#include <gelf.h>
#include <string.h>

#include "base/budget.h"

/* The name behind ".debug_" or ".zdebug_", and what else it tells; `rest` NULL: it is no debug section. */
struct section_name {
	const char *rest;
	size_t size; /* of `rest`, without ".dwo" */
	bool is_packed;
	bool is_split;
};

static struct section_name parse_name(const char *text)
{
	struct section_name name = {.is_packed = text && strncmp(text, ".z", 2) == 0};
	const char *begin = name.is_packed ? ".zdebug_" : ".debug_";
	if (!text || strncmp(text, begin, strlen(begin)) != 0)
		return name;
	name.rest = text + strlen(begin);
	name.size = strlen(name.rest);
	name.is_split = name.size >= strlen(".dwo") && strcmp(name.rest + name.size - strlen(".dwo"), ".dwo") == 0;
	name.size -= name.is_split ? strlen(".dwo") : 0;
	return name;
}

static struct section_name name_of(Elf *elf, size_t names, Elf_Scn *scn, GElf_Shdr *ret_header)
{
	return parse_name(gelf_getshdr(scn, ret_header) ? elf_strptr(elf, names, ret_header->sh_name) : NULL);
}

/* Whether libdw takes the sections of split units, because there are no others. */
static bool takes_split(Elf *elf, size_t names)
{
	GElf_Shdr header;
	bool any_split = false;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
		struct section_name name = name_of(elf, names, scn, &header);
		if (name.rest && !name.is_split)
			return false;
		any_split |= name.is_split;
	}
	return any_split;
}

static struct section_bytes *place_for(struct dwarf_sections *sections, const struct section_name *name)
{
	for (unsigned which = 0; which < DEBUG_SECTION_COUNT; which++) {
		const char *wanted = debug_section_name(which) + strlen(".debug_");
		if (strlen(wanted) == name->size && strncmp(wanted, name->rest, name->size) == 0)
			return &sections->of[which];
	}
	return NULL;
}

static bool is_still_packed(const struct section_name *name, const GElf_Shdr *header, const Elf_Data *data)
{
	bool has_magic = data && data->d_buf && data->d_size > 4 && memcmp(data->d_buf, "ZLIB", 4) == 0;
	return (header->sh_flags & SHF_COMPRESSED) || (name->is_packed && has_magic);
}

static void end_at_last_nul(struct section_bytes *strings)
{
	const uint8_t *last = strings->size ? memrchr(strings->data, 0, strings->size) : NULL;
	strings->size = last ? (size_t)(last - strings->data) + 1 : 0;
}

void dwarf_sections_find(struct dwarf_sections *ret, Dwarf *dwarf)
{
	size_t names, count = 0;
	GElf_Shdr header;
	GElf_Ehdr file_header;
	Elf *elf = dwarf_getelf(dwarf);
	*ret = (struct dwarf_sections){0};
	if (elf_getshdrstrndx(elf, &names) != 0 || !gelf_getehdr(elf, &file_header))
		return;
	bool is_little = file_header.e_ident[EI_DATA] == ELFDATA2LSB;
	ret->swap = is_little != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

	ret->is_split = takes_split(elf, names);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL; count++) {
		struct section_name name = name_of(elf, names, scn, &header);
		/* Where a packed section of split units stands among others, libdw takes it too. */
		bool is_wanted = name.rest && (name.is_split == ret->is_split || (name.is_split && name.is_packed));
		if (!is_wanted || header.sh_type == SHT_NOBITS || (header.sh_flags & SHF_GROUP))
			continue;
		struct section_bytes *place = place_for(ret, &name);
		if (!place) /* libdw does not inflate a section that it does not know, such as .debug_gnu_pubnames */
			continue;
		if (place->size) { /* libdw takes the first section of a name, and inflates no other */
			ret->is_divided |= place == &ret->of[DEBUG_INFO] && header.sh_size;
			continue;
		}
		Elf_Data *data = elf_getdata(scn, NULL);
		if (is_still_packed(&name, &header, data)) {
			ret->packed = scn;
			ret->packed_name = name.rest;
		} else if (data && data->d_buf) {
			*place = (struct section_bytes){data->d_buf, data->d_size};
		}
	}
	end_at_last_nul(&ret->of[DEBUG_STR]);
	end_at_last_nul(&ret->of[DEBUG_LINE_STR]);
	budget_spend(2 * count);
}

struct cursor section_bytes_cursor(const struct section_bytes *bytes, bool swap, uint64_t offset)
{
	struct cursor c = {.p = bytes->data, .end = bytes->data, .swap = swap};
	if (!bytes->size) { /* there is no address to go on from */
		c.bad = offset > 0;
		return c;
	}
	c.end += bytes->size;
	cursor_skip(&c, offset);
	return c;
}

struct cursor dwarf_sections_cursor(const struct dwarf_sections *sections, enum debug_section which, uint64_t offset)
{
	return section_bytes_cursor(&sections->of[which], sections->swap, offset);
}

const char *dwarf_sections_string(const struct dwarf_sections *sections, enum debug_section which, uint64_t offset)
{
	const struct section_bytes *section = &sections->of[which];
	return offset < section->size ? (const char *)section->data + offset : NULL;
}
