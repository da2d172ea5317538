/* Reads the headers of line tables of versions 2 to 5, the last with self-describing entries (RULES B12). */
#include "convert/dwarf/line_header.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/fail.h"
#include "convert/dwarf/abbrev.h"

static bool add_directory(struct line_header *header, const char *name)
{
	if (!array_reserve(&header->directories, &header->directory_room, header->directory_count + UINT64_C(1),
			   sizeof(*header->directories)))
		return false;
	header->directories[header->directory_count++] = name;
	return true;
}

bool line_header_add_file(struct line_header *header, const char *name, uint64_t directory)
{
	if (!array_reserve(&header->files, &header->file_room, header->file_count + UINT64_C(1),
			   sizeof(*header->files)))
		return false;
	header->files[header->file_count++] = (struct line_file){name, directory};
	header->has_bad_directory |= directory && directory >= header->directory_count;
	return true;
}

/* DWARF 2 to 4: directories until an empty string, then files until an empty name. Both count from 1 (RULES B11). */
static bool read_tables_v2(struct line_header *header, struct cursor *c)
{
	header->has_own_names = true;
	if (!add_directory(header, NULL) || !line_header_add_file(header, NULL, 0))
		return false;
	for (const char *name; (name = cursor_string(c)) && *name;)
		if (!add_directory(header, name))
			return false;
	for (const char *name; (name = cursor_string(c)) && *name;) {
		uint64_t directory = cursor_uleb(c);
		cursor_uleb(c); /* time */
		cursor_uleb(c); /* size */
		if (!line_header_add_file(header, name, directory))
			return false;
	}
	return true;
}

static const char *indexed_string(const struct line_strings *strings, uint64_t index, uint8_t offset_size)
{
	uint64_t offset;
	return string_offsets_get(&strings->offsets, index, offset_size, &offset) ? section_string(strings->str, offset)
										  : NULL;
}

static const char *read_path(struct cursor *c, uint16_t form, struct line_header *header,
			     const struct line_strings *strings)
{
	switch (form) {
	case DW_FORM_string:
		header->has_own_names = true;
		return cursor_string(c);
	case DW_FORM_line_strp:
		return section_string(strings->line_str, cursor_unsigned(c, header->offset_size));
	case DW_FORM_strp:
		return section_string(strings->str, cursor_unsigned(c, header->offset_size));
	case DW_FORM_strp_sup: {
		uint64_t offset = cursor_unsigned(c, header->offset_size);
		return strings->supplementary_str ? section_string(strings->supplementary_str, offset) : NULL;
	}
	case DW_FORM_strx:
		return indexed_string(strings, cursor_uleb(c), header->offset_size);
	case DW_FORM_strx1:
		return indexed_string(strings, cursor_u8(c), header->offset_size);
	case DW_FORM_strx2:
		return indexed_string(strings, cursor_u16(c), header->offset_size);
	case DW_FORM_strx3:
		return indexed_string(strings, cursor_u24(c), header->offset_size);
	case DW_FORM_strx4:
		return indexed_string(strings, cursor_u32(c), header->offset_size);
	default: {
		struct form_sizes sizes = {header->address_size, header->offset_size, header->offset_size};
		form_skip(c, form, &sizes);
		return NULL;
	}
	}
}

static uint64_t read_number(struct cursor *c, uint16_t form, const struct form_sizes *sizes)
{
	int size = form_fixed_size(form, sizes);
	if (form == DW_FORM_udata)
		return cursor_uleb(c);
	if (form == DW_FORM_sdata)
		return (uint64_t)cursor_sleb(c); /* one below 0 is a directory that there is not */
	if (size == 1 || size == 2 || size == 4 || size == 8)
		return cursor_unsigned(c, (unsigned)size);
	form_skip(c, form, sizes);
	return 0;
}

static bool is_zeros(const uint8_t *p, size_t size)
{
	while (size && !*p)
		p++, size--;
	return !size;
}

/*
 * What shows a hole of zeros in the tables, as a lost write leaves it. Zeros in a table may be an entry with the first
 * string, or an empty one, and the first directory, but the entries of a table differ, except that compilers give the
 * unit's own file and directory twice. Where zeros end a table too early, more of them follow.
 */
enum { HOLE_ENTRIES = 3, HOLE_BEHIND = 16 };

/*
 * Reads a self-describing table of DWARF 5: directories or files. Unknown types of content are skipped by their form.
 * *has_hole becomes true if entries are missing.
 */
static bool read_table_v5(struct line_header *header, struct cursor *c, const struct line_strings *strings, bool files,
			  bool *has_hole)
{
	uint16_t types[256], forms[256];
	struct form_sizes sizes = {header->address_size, header->offset_size, header->offset_size};
	unsigned listed_count = cursor_u8(c), format_count = 0, zeros_count = 0;
	for (unsigned i = 0; i < listed_count; i++) {
		uint64_t type = cursor_uleb(c), form = cursor_uleb(c);
		if (form <= UINT16_MAX && form_fixed_size((uint16_t)form, &sizes) == 0)
			continue; /* a form without bytes gives nothing, but would cost a step for each entry */
		types[format_count] = type > UINT16_MAX ? UINT16_MAX : (uint16_t)type;
		forms[format_count++] = form > UINT16_MAX ? UINT16_MAX : (uint16_t)form;
	}

	uint64_t count = cursor_uleb(c);
	/* Each entry takes at least a byte, so a larger count is damage. */
	if (count && (!format_count || count > cursor_left(c)))
		cursor_fail(c);
	for (uint64_t i = 0; i < count && !c->bad; i++) {
		const uint8_t *entry = c->p;
		const char *name = NULL;
		uint64_t directory = 0;
		for (unsigned k = 0; k < format_count; k++) {
			if (types[k] == DW_LNCT_path)
				name = read_path(c, forms[k], header, strings);
			else if (types[k] == DW_LNCT_directory_index)
				directory = read_number(c, forms[k], &sizes);
			else
				form_skip(c, forms[k], &sizes);
		}
		if (c->bad)
			break;
		zeros_count = is_zeros(entry, (size_t)(c->p - entry)) ? zeros_count + 1 : 0;
		*has_hole |= zeros_count == HOLE_ENTRIES;
		if (!(files ? line_header_add_file(header, name, directory) : add_directory(header, name)))
			return false;
	}
	return true;
}

static enum locus_status refuse(struct line_header *header, enum locus_status status, struct locus_error *error,
				const char *what)
{
	header->version = 0;
	return locus_fail(error, status, "the line table at .debug_line+0x%llx %s", (unsigned long long)header->offset,
			  what);
}

static bool is_address_size(uint8_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* How the program counts (DWARF 5, 6.2.4). */
static void read_counts(struct line_header *header, struct cursor *c, bool has_max_ops)
{
	header->min_inst_length = cursor_u8(c);
	header->max_ops = has_max_ops ? cursor_u8(c) : 1;
	cursor_u8(c); /* default_is_stmt: RULES B3 filters nothing by it */
	header->line_base = (int8_t)cursor_u8(c);
	header->line_range = cursor_u8(c);
	header->opcode_base = cursor_u8(c);
	header->opcode_lengths = c->p;
	cursor_skip(c, header->opcode_base ? header->opcode_base - 1u : 0);
}

enum locus_status line_header_read(struct line_header *header, const struct line_section *section, uint64_t offset,
				   const struct line_strings *strings, struct locus_error *error)
{
	header->offset = offset;
	header->end = 0;
	header->directory_count = header->file_count = 0;
	header->has_own_names = header->has_bad_directory = false;
	if (offset >= section->size)
		return refuse(header, LOCUS_ERR_BAD_DWARF, error, "is outside the section");

	/* The length bounds all that follows. */
	struct cursor c = {.p = section->data + offset, .end = section->data + section->size, .swap = section->swap};
	uint64_t length = cursor_initial_length(&c, &header->offset_size);
	if (c.bad || length > cursor_left(&c))
		return refuse(header, LOCUS_ERR_BAD_DWARF, error, "is cut off");
	c.end = c.p + length;
	header->end = (uint64_t)(c.end - section->data);
	header->version = cursor_u16(&c);
	if (header->version < 2 || header->version > 5)
		return refuse(header, LOCUS_ERR_UNSUPPORTED, error, "has an unknown version");

	/* Before version 5 the size of addresses is the unit's. */
	header->address_size = section->address_size;
	if (header->version >= 5) {
		header->address_size = cursor_u8(&c);
		cursor_u8(&c); /* segment selector size */
		if (!c.bad && !is_address_size(header->address_size))
			return refuse(header, LOCUS_ERR_UNSUPPORTED, error, "has an unknown address size");
	}

	/* The program begins where the header's own length says: producers may put more between. */
	uint64_t header_length = cursor_unsigned(&c, header->offset_size);
	if (c.bad || header_length > cursor_left(&c))
		return refuse(header, LOCUS_ERR_BAD_DWARF, error, "has a header that is cut off");
	header->program = (uint64_t)(c.p - section->data) + header_length;
	struct cursor program_end = c;
	cursor_skip(&program_end, header_length);
	c.end = program_end.p;

	/* Without max_ops the length of the first opcode, 0, stands where opcode_base should be (RULES B2). */
	const struct cursor counts = c;
	read_counts(header, &c, header->version >= 4);
	if (header->version == 4 && !header->opcode_base && !c.bad) {
		c = counts;
		read_counts(header, &c, false);
		header->opcode_base = c.bad ? 0 : header->opcode_base;
		c.bad = false;
	}
	if (c.bad)
		return refuse(header, LOCUS_ERR_BAD_DWARF, error, "has a header that is cut off");
	bool is_address = header->address_size == 2 || header->address_size == 4 || header->address_size == 8;
	if (!header->max_ops || !header->opcode_base || !is_address) /* RULES B2 */
		return refuse(header, LOCUS_ERR_UNSUPPORTED, error, "has a header without a meaning");

	/* The tables of directories and files. */
	bool has_hole = false;
	bool memory = header->version < 5 ? read_tables_v2(header, &c)
					  : read_table_v5(header, &c, strings, false, &has_hole) &&
						    read_table_v5(header, &c, strings, true, &has_hole);
	if (!memory)
		return locus_fail_memory(error);
	if (c.bad)
		return refuse(header, LOCUS_ERR_BAD_DWARF, error, "has a file table that is cut off");
	if (has_hole || (cursor_left(&c) >= HOLE_BEHIND && is_zeros(c.p, HOLE_BEHIND)))
		return refuse(header, LOCUS_ERR_BAD_DWARF, error, "has a hole in its file table");
	return LOCUS_OK;
}

void line_header_done(struct line_header *header)
{
	free(header->directories);
	free(header->files);
	*header = (struct line_header){0};
}
