/* Opening a unit: its header (DWARF 5, 7.5.1), abbreviations, own DIE and file table. */
#include "convert/dwarf/unit_open.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/fail.h"
#include "convert/dwarf/attr_value.h"
#include "convert/dwarf/unit_tables.h"

/* The sizes of the headers of .debug_str_offsets and .debug_addr, and of the range lists (DWARF 5, 7.26 to 7.28). */
enum { ADDR_HEADER_SIZE_32 = 8, ADDR_HEADER_SIZE_64 = 16, LIST_HEADER_SIZE_32 = 12, LIST_HEADER_SIZE_64 = 20 };

static enum locus_status bad_unit(const struct unit *unit, struct locus_error *error, const char *what)
{
	return locus_fail(error, LOCUS_ERR_BAD_DWARF, "the unit at .debug_%s+0x%llx %s",
			  unit->where == DEBUG_TYPES ? "types" : "info", (unsigned long long)unit->offset, what);
}

/* Makes the unit's bytes readable and finds its end; the cursor is left behind the length. */
static enum locus_status find_bytes(struct unit *unit, const uint8_t *bytes, struct cursor *ret_c,
				    struct locus_error *error)
{
	struct section *section = dwarf_section(unit->dwarf, unit->where);
	enum locus_status status = bytes ? LOCUS_OK : section_need(section, unit->offset + INITIAL_LENGTH_MAX, error);
	if (status != LOCUS_OK)
		return status;

	unit->bytes = bytes ? bytes : section->data + unit->offset;
	struct cursor c = {
		.p = unit->bytes,
		.end = unit->bytes + (section->size - unit->offset),
		.swap = unit->dwarf->file->swap,
	};
	uint64_t length = cursor_initial_length(&c, &unit->sizes.offset);
	if (c.bad || length > cursor_left(&c))
		return bad_unit(unit, error, "is cut off");

	c.end = c.p + length;
	unit->end = unit->offset + (uint64_t)(c.end - unit->bytes);
	*ret_c = c;
	return bytes ? LOCUS_OK : section_need(section, unit->end, error);
}

/* Reads the header; *ret_abbrev_offset is within the unit's share of .debug_abbrev. */
static enum locus_status read_header(struct unit *unit, const uint8_t *bytes, uint64_t *ret_abbrev_offset,
				     struct locus_error *error)
{
	struct cursor c = {0};
	enum locus_status status = find_bytes(unit, bytes, &c, error);
	if (status != LOCUS_OK)
		return status;
	unit->version = cursor_u16(&c);
	if (!c.bad && (unit->version < 2 || unit->version > 5))
		return bad_unit(unit, error, "has an unknown version");
	unit->type = unit->where == DEBUG_TYPES ? DW_UT_type : DW_UT_compile;
	if (unit->version >= 5) {
		unit->type = cursor_u8(&c);
		unit->sizes.address = cursor_u8(&c);
		*ret_abbrev_offset = cursor_unsigned(&c, unit->sizes.offset);
	} else {
		*ret_abbrev_offset = cursor_unsigned(&c, unit->sizes.offset);
		unit->sizes.address = cursor_u8(&c);
	}
	unit->sizes.ref_addr = unit->version == 2 ? unit->sizes.address : unit->sizes.offset;

	/* What follows depends on the type of the unit. */
	if (unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile)
		unit->id = cursor_u64(&c);
	if (unit->type == DW_UT_type || unit->type == DW_UT_split_type) {
		unit->id = cursor_u64(&c);
		unit->type_offset = cursor_unsigned(&c, unit->sizes.offset);
	}
	unit->die_offset = unit->offset + (uint64_t)(c.p - unit->bytes);

	if (c.bad)
		return bad_unit(unit, error, "has a header that is cut off");
	uint8_t size = unit->sizes.address;
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return bad_unit(unit, error, "has an unknown address size");
	return LOCUS_OK;
}

/* The attributes of a unit's own DIE that matter, before what they refer to is looked up. */
struct unit_attrs {
	struct value name, comp_dir, dwo_name, language, stmt_list, low_pc, str_offsets_base, addr_base;
	struct value rnglists_base, ranges_base, dwo_id, ranges;
};

static struct value *unit_attr_slot(struct unit_attrs *attrs, uint16_t name)
{
	switch (name) {
	case DW_AT_name:
		return &attrs->name;
	case DW_AT_comp_dir:
		return &attrs->comp_dir;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		return &attrs->dwo_name;
	case DW_AT_language:
		return &attrs->language;
	case DW_AT_stmt_list:
		return &attrs->stmt_list;
	case DW_AT_low_pc:
		return &attrs->low_pc;
	case DW_AT_str_offsets_base:
		return &attrs->str_offsets_base;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		return &attrs->addr_base;
	case DW_AT_rnglists_base:
		return &attrs->rnglists_base;
	case DW_AT_GNU_ranges_base:
		return &attrs->ranges_base;
	case DW_AT_GNU_dwo_id:
		return &attrs->dwo_id;
	case DW_AT_ranges:
		return &attrs->ranges;
	default:
		return NULL;
	}
}

/* If the base of a table is absent, the table begins behind the header of the section's (or the share's) only one. */
static void default_bases(struct unit *unit)
{
	bool wide = unit->sizes.offset == 8;
	unit->str_offsets_base = unit->version >= 5 ? (wide ? ADDR_HEADER_SIZE_64 : ADDR_HEADER_SIZE_32) : 0;
	unit->addr_base = unit->str_offsets_base;
	unit->rnglists_base = wide ? LIST_HEADER_SIZE_64 : LIST_HEADER_SIZE_32;
	unit->ranges_base = 0;
}

/* Reads a string of the unit's own DIE, if it has that. False: it is not where the DIE says. */
static bool read_string(const struct unit *unit, const struct value *value, const char **ret)
{
	bool is_volatile;
	*ret = value_present(value) ? value_string(unit, value, &is_volatile) : NULL;
	return *ret || !value_present(value);
}

/* False: a string is not where the DIE says. Without its directory or .dwo, answers would be wrong in silence. */
static bool apply_attrs(struct unit *unit, const struct unit_attrs *attrs)
{
	uint64_t number = 0;
	default_bases(unit);
	value_offset(&attrs->str_offsets_base, &unit->str_offsets_base);
	value_offset(&attrs->addr_base, &unit->addr_base);
	value_offset(&attrs->rnglists_base, &unit->rnglists_base);
	value_offset(&attrs->ranges_base, &unit->ranges_base);
	const bool has_strings = read_string(unit, &attrs->name, &unit->name) &&
				 read_string(unit, &attrs->comp_dir, &unit->comp_dir) &&
				 read_string(unit, &attrs->dwo_name, &unit->dwo_name);
	unit->language = value_unsigned(&attrs->language, &number) && number <= UINT16_MAX ? (uint16_t)number : 0;
	unit->stmt_list = UINT64_MAX;
	value_offset(&attrs->stmt_list, &unit->stmt_list);
	unit->low_pc = 0;
	value_address(unit, &attrs->low_pc, &unit->low_pc);
	if (value_present(&attrs->dwo_id))
		value_unsigned(&attrs->dwo_id, &unit->id);
	if (unit->skeleton) {
		unit->low_pc = unit->skeleton->low_pc;
		if (!unit->comp_dir)
			unit->comp_dir = unit->skeleton->comp_dir;
	}
	return has_strings;
}

/*
 * Reads the abbreviations. Units made by link-time optimisation share one table, so the last unit's is reused if it is
 * the same.
 */
static enum locus_status read_abbrevs(struct unit *unit, const uint8_t *bytes, size_t size, struct locus_error *error)
{
	uint64_t offset = (uint64_t)(bytes - dwarf_section(unit->dwarf, DEBUG_ABBREV)->data);
	enum locus_status status = LOCUS_OK;
	bool found;
	if (bytes == unit->abbrev_bytes && !memcmp(&unit->abbrev_sizes, &unit->sizes, sizeof(unit->sizes)))
		return LOCUS_OK;

	unit->abbrev_bytes = NULL;
	if (unit->borrows && unit_tables_find_abbrevs(unit, bytes))
		return LOCUS_OK;
	dwarf_at(unit->dwarf, DEBUG_ABBREV, offset, "abbreviations");
	if (!abbrev_section_get(&unit->dwarf->abbrevs, offset, &unit->sizes, &unit->abbrevs, &found))
		return locus_fail_memory(error);

	struct locus_error why = {0};
	if (!found)
		status = abbrev_table_read(&unit->abbrevs, bytes, size, &unit->sizes, &why);
	if (status == LOCUS_ERR_BAD_DWARF)
		return locus_fail(error, status, "the abbreviations at .debug_abbrev+0x%llx: %s",
				  (unsigned long long)offset, why.text);
	if (status != LOCUS_OK)
		return locus_fail_memory(error);

	unit->abbrev_bytes = bytes;
	unit->abbrev_sizes = unit->sizes;
	if (!budget_spend(unit->abbrevs.count + UINT64_C(2) * unit->abbrevs.own.attr_count) ||
	    (unit->borrows && !unit_tables_keep_abbrevs(unit, bytes)))
		return locus_fail_memory(error);
	return LOCUS_OK;
}

/* RULES A8: what the unit's DIEs refer to must be there. */
static enum locus_status check_needs(const struct unit *unit, struct locus_error *error)
{
	const struct dwarf *dwarf = unit->dwarf;
	const uint8_t needs = unit->abbrevs.needs;
	if (needs & NEED_ALTERNATE && !dwarf->alt)
		return bad_unit(unit, error, "refers to an alternate debug file, but the file has no link to one");
	if (needs & NEED_STR_OFFSETS && !dwarf_section(dwarf, DEBUG_STR_OFFSETS)->size)
		return bad_unit(unit, error, "has strings by the index of .debug_str_offsets, which is not there");
	if (needs & NEED_STR && !dwarf_section(dwarf, DEBUG_STR)->size)
		return bad_unit(unit, error, "has strings in .debug_str, which is not there");
	if (needs & NEED_LINE_STR && !dwarf_section(dwarf, DEBUG_LINE_STR)->size)
		return bad_unit(unit, error, "has strings in .debug_line_str, which is not there");
	return LOCUS_OK;
}

/*
 * Whether a DIE may be a unit's own (DWARF 5, 3.1). If it is another, the unit's header or its abbreviations are
 * damaged, or of another unit: what its DIEs would say is nonsense.
 */
static bool is_unit_tag(uint16_t tag)
{
	return tag == DW_TAG_compile_unit || tag == DW_TAG_partial_unit || tag == DW_TAG_type_unit ||
	       tag == DW_TAG_skeleton_unit;
}

/*
 * Whether the unit's strings by index, if it has any, are those of a table: what DW_AT_str_offsets_base leads to has a
 * header before it (DWARF 5, 7.26). Otherwise they would be strings of other names. A .dwo has no such attribute, and
 * before DWARF 5 no header.
 */
static bool has_string_table(const struct unit *unit, const struct value *base_attr)
{
	const uint64_t header_size = unit->sizes.offset == 8 ? ADDR_HEADER_SIZE_64 : ADDR_HEADER_SIZE_32;
	const uint64_t base = unit->str_offsets_base;
	uint64_t size;
	uint8_t offset_size;
	if (!value_present(base_attr) || unit->version < 5 || !(unit->abbrevs.needs & NEED_STR_OFFSETS))
		return true;
	const uint8_t *section = unit_section(unit, DEBUG_STR_OFFSETS, &size);
	if (base < header_size || base > size)
		return false;
	struct cursor c = {section + base - header_size, section + size, unit->dwarf->file->swap, false};
	const uint64_t length = cursor_initial_length(&c, &offset_size);
	return length <= cursor_left(&c) && offset_size == unit->sizes.offset && cursor_u16(&c) == 5 &&
	       cursor_u16(&c) == 0 && !c.bad;
}

static enum locus_status read_own_die(struct unit *unit, struct locus_error *error)
{
	struct cursor c = unit_cursor(unit, unit->die_offset);
	uint64_t code = cursor_uleb(&c);
	const struct abbrev *abbrev = abbrev_table_get(&unit->abbrevs, code);
	struct unit_attrs attrs = {0};
	if (!abbrev && code)
		return bad_unit(unit, error, "uses an abbreviation that is not there");
	if (abbrev && !is_unit_tag(abbrev->tag))
		return bad_unit(unit, error, "begins with a DIE that is not a unit's");
	dwarf_at(unit->dwarf, unit->where, unit->offset, "attributes");
	if (abbrev && !budget_spend(abbrev->attr_count))
		return locus_fail_memory(error);
	for (uint32_t i = 0; abbrev && i < abbrev->attr_count && !c.bad; i++) { /* a unit may be empty */
		const struct attr_spec *spec = &unit->abbrevs.attrs[abbrev->attr_first + i];
		struct value value;
		value_read(&c, unit, spec, &value);
		struct value *slot = unit_attr_slot(&attrs, spec->name);
		if (slot && !value_present(slot)) /* of two of one kind the first counts */
			*slot = value;
	}
	if (c.bad)
		return bad_unit(unit, error, "has a first DIE that is cut off");
	unit->is_partial = abbrev && abbrev->tag == DW_TAG_partial_unit;
	bool is_shared = unit->type == DW_UT_type || unit->is_partial;
	bool has_range = value_present(&attrs.low_pc) || value_present(&attrs.ranges);
	/* RULES G3: a skeleton that tells no addresses, not even its split unit's table of them, has no code there. */
	bool is_only_link = value_present(&attrs.dwo_name) && !unit->dwarf->split && !value_present(&attrs.addr_base);
	unit->has_code = has_range || (!is_shared && !is_only_link);
	const bool has_strings = apply_attrs(unit, &attrs);
	if (!has_string_table(unit, &attrs.str_offsets_base))
		return bad_unit(unit, error, "has a DW_AT_str_offsets_base that leads to no table");
	if (!has_strings)
		return bad_unit(unit, error, "has a first DIE with a string outside of its section");
	return LOCUS_OK;
}

/* Inflates .debug_line up to the end of the table at `offset` of the section. */
static enum locus_status need_lines(const struct dwarf *dwarf, uint64_t offset, struct locus_error *error)
{
	struct section *section = dwarf_section(dwarf, DEBUG_LINE);
	if (!section->inflater || offset >= section->size)
		return LOCUS_OK;
	uint64_t head = section->size - offset < INITIAL_LENGTH_MAX ? section->size : offset + INITIAL_LENGTH_MAX;
	enum locus_status status = section_recall(section, offset, error);
	if (status == LOCUS_OK && dwarf->skips_lines)
		status = section_skip(section, (size_t)offset, error);
	if (status == LOCUS_OK)
		status = section_need(section, head, error);
	if (status != LOCUS_OK)
		return status;
	struct cursor c = {section->data + offset, section->data + head, .swap = dwarf->file->swap};
	uint8_t offset_size;
	uint64_t length = cursor_initial_length(&c, &offset_size), done = (uint64_t)(c.p - section->data);
	return section_need(section, length < section->size - done ? done + length : section->size, error);
}

/* Reads the header of the line table at `offset`; reading the same ones over and over is counted as work. */
static enum locus_status read_line_header(struct unit *unit, uint64_t offset, struct locus_error *error)
{
	uint64_t size;
	enum locus_status status = need_lines(unit->dwarf, unit->share[DEBUG_LINE].offset + offset, error);
	if (status != LOCUS_OK)
		return status;

	const uint8_t *lines = unit_section(unit, DEBUG_LINE, &size);
	const struct line_section section = {lines, size, unit->dwarf->file->swap, unit->sizes.address};
	struct line_strings strings = {
		.str = dwarf_section(unit->dwarf, DEBUG_STR),
		.line_str = dwarf_section(unit->dwarf, DEBUG_LINE_STR),
		.supplementary_str = unit->dwarf->alt ? dwarf_section(unit->dwarf->alt, DEBUG_STR) : NULL,
		.offsets = unit_string_offsets(unit),
	};
	dwarf_at(unit->dwarf, DEBUG_LINE, offset, "file tables");
	status = line_header_read(&unit->lines, &section, offset, &strings, error);
	unit->lines.mode_bit = (uint8_t)elf_file_mode_bit(unit->dwarf->file);
	if (status != LOCUS_OK)
		return status;
	unit->file_id_count = 0;
	uint64_t steps = (unit->lines.program - unit->lines.offset) / 2 +
			 UINT64_C(2) * (unit->lines.directory_count + (uint64_t)unit->lines.file_count);
	return budget_spend(steps) && unit_grow_files(unit) ? LOCUS_OK : locus_fail_memory(error);
}

/*
 * Reads the header of a line table for units that are opened for references, which share it. The table may lie
 * anywhere, also where all threads that read units in their order are past. Its names are read for as long as the file
 * is, so where they stand in .debug_line itself, that stays.
 */
static enum locus_status read_shared_header(struct unit *unit, uint64_t offset, struct locus_error *error)
{
	struct section *section = dwarf_section(unit->dwarf, DEBUG_LINE);
	section_pin(section, (size_t)(unit->share[DEBUG_LINE].offset + offset));
	enum locus_status status = read_line_header(unit, offset, error);
	if (status == LOCUS_OK && unit->lines.has_own_names)
		status = section_keep_all(section, error);
	section_unpin(section);
	if (status == LOCUS_OK && !unit_tables_keep_files(unit))
		status = locus_fail_memory(error);
	return status;
}

/* Reads the file table. */
static enum locus_status read_files(struct unit *unit, struct locus_error *error)
{
	uint64_t size, offset = unit->stmt_list;
	unit_section(unit, DEBUG_LINE, &size);
	if (unit->skeleton && offset == UINT64_MAX && (unit->skeleton->lines.version || !size)) {
		unit->files_unit = unit->skeleton; /* RULES B13; the .dwo's own table is for its type units */
		return LOCUS_OK;
	}
	if (unit->dwarf->split && offset == UINT64_MAX && size)
		offset = 0; /* DWARF 5, 7.3.2.2: the .dwo's only line table, of file names alone */
	if (offset == UINT64_MAX || !size)
		return LOCUS_OK;
	if (!unit->borrows)
		return read_line_header(unit, offset, error);
	return unit_tables_find_files(unit) ? LOCUS_OK : read_shared_header(unit, offset, error);
}

enum locus_status unit_open_lines(struct unit *unit, uint64_t offset, struct locus_error *error)
{
	unit->stmt_list = offset;
	unit->files_unit = unit;
	return read_files(unit, error);
}

/* Reads header, abbreviations and the unit's own DIE. */
static enum locus_status open_die(struct unit *unit, const uint8_t *bytes, struct locus_error *error)
{
	uint64_t abbrev_offset = 0, abbrev_size;
	unit->id = 0;
	unit->files_unit = unit;
	unit->lines.version = 0;
	unit->lines.file_count = 0;
	enum locus_status status = read_header(unit, bytes, &abbrev_offset, error);
	if (status != LOCUS_OK)
		return status;

	const uint8_t *abbrevs = unit_section(unit, DEBUG_ABBREV, &abbrev_size);
	if (abbrev_offset >= abbrev_size)
		return bad_unit(unit, error, "has its abbreviations outside their section");
	status = read_abbrevs(unit, abbrevs + abbrev_offset, abbrev_size - abbrev_offset, error);
	if (status == LOCUS_OK)
		status = check_needs(unit, error);
	return status == LOCUS_OK ? read_own_die(unit, error) : status;
}

enum locus_status unit_open_die(struct unit *unit, struct dwarf *dwarf, uint64_t offset, const uint8_t *bytes,
				struct locus_error *error)
{
	unit->dwarf = dwarf;
	unit->skeleton = NULL;
	unit->where = DEBUG_INFO;
	unit->offset = offset;
	return dwarf_name_split(dwarf, open_die(unit, bytes, error), error);
}

enum locus_status unit_open(struct unit *unit, struct dwarf *dwarf, enum debug_section where, uint64_t offset,
			    const uint8_t *bytes, const struct unit *skeleton, struct locus_error *error)
{
	unit->dwarf = dwarf;
	unit->skeleton = skeleton;
	unit->where = where;
	unit->offset = offset;
	enum locus_status status = dwarf_name_split(dwarf, open_die(unit, bytes, error), error);
	/* Units without code need their files only if other units refer to them. */
	if (status == LOCUS_OK && (unit->has_code || unit->borrows))
		status = read_files(unit, error);
	/* A unit whose line table has an unknown version is read all the same: its functions have names. */
	return status == LOCUS_ERR_UNSUPPORTED ? LOCUS_OK : status;
}

bool unit_own_ranges(const struct unit *unit, struct given_ranges *ret, bool *ret_says)
{
	struct cursor c = unit_cursor(unit, unit->die_offset);
	const struct abbrev *abbrev = abbrev_table_get(&unit->abbrevs, cursor_uleb(&c));
	struct value low = {0}, high = {0}, list = {0};
	for (uint32_t i = 0; abbrev && i < abbrev->attr_count; i++) {
		const struct attr_spec *spec = &unit->abbrevs.attrs[abbrev->attr_first + i];
		struct value value;
		value_read(&c, unit, spec, &value);
		if (spec->use == ATTR_LOW)
			low = value;
		else if (spec->use == ATTR_HIGH)
			high = value;
		else if (spec->use == ATTR_RANGES)
			list = value;
	}
	const uint64_t bad_count = ret->bad_count;
	const bool memory = die_ranges(unit, &low, &high, &list, ret);
	*ret_says =
		((value_present(&low) && value_present(&high)) || value_present(&list)) && ret->bad_count == bad_count;
	return memory;
}
