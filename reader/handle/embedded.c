/* Knows just enough of ELF to find one section, in both classes and byte orders (gABI, chapter 4). */
#include "reader/handle/embedded.h"

#include <stdbool.h>
#include <string.h>

#include "spec/format.h"

enum { EHDR_SIZE = 64, SHDR_SIZE = 64, SHT_NOBITS = 8 };

/* Where the fields of the headers are. Numbers have `width` bytes, except where both classes have 2 or 4. */
struct layout {
	unsigned width, shoff, shentsize, shnum, shstrndx; /* of the file's header */
	unsigned shdr_size, offset, size, link;            /* of a section's */
};

static const struct layout layouts[] = {
	{4, 32, 46, 48, 50, 40, 16, 20, 24}, /* 32-bit */
	{8, 40, 58, 60, 62, 64, 24, 32, 40}, /* 64-bit */
};

struct elf {
	const struct locus_source *source;
	const struct layout *layout;
	bool is_big;
	uint64_t table;  /* of sections */
	uint64_t stride; /* from one to the next */
};

static uint64_t number(const struct elf *elf, const uint8_t *bytes, unsigned width)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < width; i++)
		value = value << 8 | bytes[elf->is_big ? i : width - 1 - i];
	return value;
}

/* Reads bytes that may be outside of the file: false then, and where they cannot be read. */
static bool read_bytes(const struct elf *elf, uint64_t offset, void *ret, size_t size)
{
	uint64_t whole = elf->source->size;
	return offset <= whole && size <= whole - offset &&
	       locus_source_read(elf->source, offset, ret, size, NULL) == LOCUS_OK;
}

static bool read_section(const struct elf *elf, uint64_t index, uint8_t *ret)
{
	uint64_t offset = elf->table + index * elf->stride;
	return offset >= elf->table && read_bytes(elf, offset, ret, elf->layout->shdr_size);
}

/* A section's place in the file. */
static bool section_range(const struct elf *elf, const uint8_t *shdr, uint64_t *ret_start, uint64_t *ret_size)
{
	uint64_t whole = elf->source->size;
	*ret_start = number(elf, shdr + elf->layout->offset, elf->layout->width);
	*ret_size = number(elf, shdr + elf->layout->size, elf->layout->width);
	return number(elf, shdr + 4, 4) != SHT_NOBITS && *ret_start <= whole && *ret_size <= whole - *ret_start;
}

static bool open_elf(struct elf *elf, uint64_t *ret_count, uint64_t *ret_names)
{
	uint8_t ehdr[EHDR_SIZE], first[SHDR_SIZE];
	if (!read_bytes(elf, 0, ehdr, sizeof(ehdr)) || memcmp(ehdr, "\177ELF", 4) != 0 || ehdr[4] < 1 || ehdr[4] > 2)
		return false;
	elf->layout = &layouts[ehdr[4] - 1];
	elf->is_big = ehdr[5] == 2;
	elf->table = number(elf, ehdr + elf->layout->shoff, elf->layout->width);
	elf->stride = number(elf, ehdr + elf->layout->shentsize, 2);
	*ret_count = number(elf, ehdr + elf->layout->shnum, 2);
	*ret_names = number(elf, ehdr + elf->layout->shstrndx, 2);
	if (elf->table == 0 || elf->stride < elf->layout->shdr_size || !read_section(elf, 0, first))
		return false;

	/*
	 * Numbers that are too large for the file's header stand in the first section's (gABI, "extended numbering").
	 */
	if (*ret_count == 0)
		*ret_count = number(elf, first + elf->layout->size, elf->layout->width);
	if (*ret_names == 0xffff)
		*ret_names = number(elf, first + elf->layout->link, 4);
	return *ret_names < *ret_count && *ret_count <= elf->source->size / elf->layout->shdr_size;
}

void locus_embedded_find(struct locus_source *source)
{
	static const char wanted[] = ".locus";
	struct elf elf = {.source = source};
	uint64_t count, names_index, names_start, names_size, start, size;
	uint8_t shdr[SHDR_SIZE];

	if (!open_elf(&elf, &count, &names_index) || !read_section(&elf, names_index, shdr) ||
	    !section_range(&elf, shdr, &names_start, &names_size))
		return;
	uint64_t first = count > LOCUS_EMBEDDED_AMONG ? count - LOCUS_EMBEDDED_AMONG : 1;
	for (uint64_t i = count; i-- > first;) {
		char name[sizeof(wanted)];
		if (!read_section(&elf, i, shdr) || !section_range(&elf, shdr, &start, &size))
			continue;
		uint64_t at = number(&elf, shdr, 4);
		if (at > names_size || names_size - at < sizeof(wanted) ||
		    !read_bytes(&elf, names_start + at, name, sizeof(name)) ||
		    memcmp(name, wanted, sizeof(wanted)) != 0)
			continue;
		source->base += start;
		source->size = size;
		return;
	}
}
