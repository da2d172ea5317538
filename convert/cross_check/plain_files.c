/* Each byte of the tables is read once, and counted as a step. */
#include "convert/cross_check/plain_files.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/budget.h"

bool plain_files_add(struct plain_files *files, const char *name, uint64_t directory)
{
	if (!array_reserve(&files->files, &files->file_room, files->file_count + UINT64_C(1), sizeof(*files->files)))
		return false;
	files->files[files->file_count++] = (struct plain_file){name, directory};
	return true;
}

static bool add_directory(struct plain_files *files, const char *name)
{
	if (!array_reserve(&files->directories, &files->directory_room, files->directory_count + UINT64_C(1),
			   sizeof(*files->directories)))
		return false;
	files->directories[files->directory_count++] = name;
	return true;
}

/* DWARF 2 to 4: an empty string ends each table. */
static bool read_lists(struct plain_files *files, struct cursor *c)
{
	bool memory = add_directory(files, NULL) && plain_files_add(files, NULL, 0);
	for (const char *name; memory && (name = cursor_string(c)) && *name;)
		memory = add_directory(files, name);
	for (const char *name; memory && (name = cursor_string(c)) && *name;) {
		uint64_t directory = cursor_uleb(c);
		cursor_uleb(c); /* time */
		cursor_uleb(c); /* size */
		memory = plain_files_add(files, name, directory);
	}
	return memory;
}

/* One field of an entry of DWARF 5: a text, a number, or what is of neither kind. */
struct field {
	const char *text;
	uint64_t number;
};

static struct field read_field(struct cursor *c, uint64_t form, const struct plain_header *header,
			       const struct dwarf_sections *sections)
{
	struct field field = {0};
	switch (form) {
	case DW_FORM_string:
		field.text = cursor_string(c);
		break;
	case DW_FORM_line_strp:
	case DW_FORM_strp:
		field.text = dwarf_sections_string(sections, form == DW_FORM_strp ? DEBUG_STR : DEBUG_LINE_STR,
						   cursor_unsigned(c, header->offset_size));
		break;
	case DW_FORM_udata:
		field.number = cursor_uleb(c);
		break;
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
		field.number = cursor_unsigned(c, form == DW_FORM_data1   ? 1
						  : form == DW_FORM_data2 ? 2
						  : form == DW_FORM_data4 ? 4
									  : 8);
		break;
	case DW_FORM_sdata:
		field.number = (uint64_t)cursor_sleb(c);
		break;
	case DW_FORM_strx: /* of content that only its producer knows; a path has no such form */
		cursor_uleb(c);
		break;
	case DW_FORM_flag:
	case DW_FORM_strx1:
		cursor_skip(c, 1);
		break;
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
		cursor_skip(c, form - DW_FORM_strx2 + 2);
		break;
	case DW_FORM_strp_sup: /* libdw reads no supplementary files */
	case DW_FORM_sec_offset:
		cursor_skip(c, header->offset_size);
		break;
	case DW_FORM_data16:
		cursor_skip(c, 16);
		break;
	case DW_FORM_block:
		cursor_skip(c, cursor_uleb(c));
		break;
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		cursor_skip(c, cursor_unsigned(c, form == DW_FORM_block1 ? 1 : form == DW_FORM_block2 ? 2 : 4));
		break;
	default:
		cursor_fail(c); /* DWARF 5, 6.2.4.1 and 6.2.4.2 have no other */
	}
	return field;
}

/* DWARF 5: a table says first what each of its entries consists of. */
static bool read_table(struct plain_files *files, struct cursor *c, const struct plain_header *header,
		       const struct dwarf_sections *sections, bool of_files)
{
	uint64_t types[256], forms[256];
	unsigned format_count = cursor_u8(c);
	for (unsigned i = 0; i < format_count; i++) {
		types[i] = cursor_uleb(c);
		forms[i] = cursor_uleb(c);
	}

	uint64_t count = cursor_uleb(c);
	for (uint64_t i = 0; format_count && i < count && !c->bad; i++) {
		struct plain_file file = {0};
		for (unsigned k = 0; k < format_count; k++) {
			struct field field = read_field(c, forms[k], header, sections);
			if (types[k] == DW_LNCT_path)
				file.name = field.text;
			else if (types[k] == DW_LNCT_directory_index)
				file.directory = field.number;
		}
		if (!c->bad &&
		    !(of_files ? plain_files_add(files, file.name, file.directory) : add_directory(files, file.name)))
			return false;
	}
	return true;
}

bool plain_files_read(struct plain_files *files, const struct plain_header *header,
		      const struct dwarf_sections *sections)
{
	struct cursor c = header->tables;
	files->version = header->version;
	if (!budget_spend(cursor_left(&c)))
		return false;
	if (header->version < 5)
		return read_lists(files, &c);
	return read_table(files, &c, header, sections, false) && read_table(files, &c, header, sections, true);
}

void plain_files_done(struct plain_files *files)
{
	free(files->directories);
	free(files->files);
	*files = (struct plain_files){0};
}
