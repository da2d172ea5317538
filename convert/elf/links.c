/* Links are only read here. convert/dwarf/companion.c decides whether they lead to a file that is there and matches. */
#include "convert/elf/links.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <string.h>

#include "base/budget.h"
#include "convert/elf/cursor.h"
#include "convert/elf/section_content.h"
#include "convert/elf/section_walk.h"

const char *links_debug(const struct elf_file *file, uint32_t *ret_crc)
{
	GElf_Word crc = 0;
	errno = 0;
	const char *name = dwelf_elf_gnu_debuglink(file->elf, &crc);
	if (errno == ENOMEM)
		budget_memory_out();
	*ret_crc = crc;
	return name;
}

bool links_find_section(const struct elf_file *file, const char *wanted, struct cursor *ret)
{
	for (struct section_walk at = section_walk_begin(file->elf); section_walk_next(&at);) {
		if (at.shdr.sh_type == SHT_NOBITS || strcmp(at.name, wanted) != 0)
			continue;
		const Elf_Data *data = section_raw_content(at.scn);
		if (!data || !data->d_buf)
			continue;
		const uint8_t *bytes = data->d_buf;
		*ret = (struct cursor){.p = bytes, .end = bytes + data->d_size, .swap = file->swap};
		return true;
	}
	return false;
}

/* DWARF 5, 7.3.6: the version, whether this is the supplementary file itself, the other's name, the checksum. */
static void read_supplement(struct cursor c, bool *ret_is_supplement, struct alternate_link *ret)
{
	bool known = cursor_u16(&c) == 5;
	*ret_is_supplement = cursor_u8(&c) == 1;
	ret->path = cursor_string(&c);
	ret->id_size = (size_t)cursor_uleb(&c);
	ret->id = c.p;
	cursor_skip(&c, ret->id_size);
	if (!known || c.bad)
		*ret = (struct alternate_link){0};
}

bool links_alternate(const struct elf_file *file, struct alternate_link *ret)
{
	struct cursor c;
	bool is_supplement = false;
	*ret = (struct alternate_link){0};
	if (links_find_section(file, ".gnu_debugaltlink", &c)) {
		const char *path = cursor_string(&c);
		if (path)
			*ret = (struct alternate_link){path, c.p, cursor_left(&c), false};
		return true;
	}
	if (!links_find_section(file, ".debug_sup", &c))
		return false;
	read_supplement(c, &is_supplement, ret);
	ret->is_supplement = true;
	return !is_supplement;
}

static bool same_id(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
	return a_size == b_size && a_size && memcmp(a, b, a_size) == 0;
}

/* The file's own identity in .debug_sup; path NULL: it has none. */
static struct alternate_link own_supplement(const struct elf_file *file)
{
	struct alternate_link own = {0};
	struct cursor c;
	bool is_supplement = false;
	if (links_find_section(file, ".debug_sup", &c))
		read_supplement(c, &is_supplement, &own);
	return is_supplement ? own : (struct alternate_link){0};
}

bool links_have_id(const struct elf_file *file, const uint8_t *id, size_t id_size)
{
	struct alternate_link own = own_supplement(file);
	return same_id(file->build_id, file->build_id_size, id, id_size) || same_id(own.id, own.id_size, id, id_size);
}
