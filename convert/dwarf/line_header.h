/* The header of a line table (DWARF 5, 6.2.4): its parameters, directories and files. */
#ifndef LOCUS_LINE_HEADER_H
#define LOCUS_LINE_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/dwarf/string_offsets.h"
#include "convert/elf/debug_section.h"
#include "spec/status.h"

struct line_file {
	const char *name;   /* NULL: could not be read */
	uint64_t directory; /* index */
};

struct line_header {
	uint16_t version; /* 0: no table */
	uint8_t offset_size;
	uint8_t address_size;
	uint8_t min_inst_length;
	uint8_t max_ops;
	int8_t line_base;
	uint8_t line_range;
	uint8_t opcode_base;
	uint8_t mode_bit;              /* elf_file_mode_bit of the file; set by the caller after line_header_read */
	const uint8_t *opcode_lengths; /* opcode_base - 1 of them */
	uint64_t offset;               /* of the header in .debug_line */
	uint64_t program;              /* offset of the first opcode */
	uint64_t end;                  /* offset behind the table */
	/* Indexed as the table counts: element 0 is DWARF 5's file 0; before DWARF 5 a placeholder. */
	const char **directories;
	uint32_t directory_count, directory_room;
	struct line_file *files;
	uint32_t file_count, file_room;
	bool has_bad_directory; /* a file is in a directory that is not there (RULES B11) */
	bool has_own_names;     /* names in them are bytes of .debug_line, not of a section of strings */
};

/* The string sections that an entry may refer to. */
struct line_strings {
	struct section *str;
	struct section *line_str;
	struct section *supplementary_str; /* .debug_str of the alternate file; NULL: there is none */
	struct string_offsets offsets;     /* for DW_FORM_strx: the unit's table; may be empty */
};

/* The bytes of .debug_line, borrowed, as a unit refers to them. */
struct line_section {
	const uint8_t *data;
	uint64_t size;
	bool swap;            /* they are of the other byte order than this machine's */
	uint8_t address_size; /* the unit's, for tables before DWARF 5 */
};

/*
 * Reads the header at `offset`, which may be any. The header's memory is reused if it was read before; freed by
 * line_header_done. Strings are borrowed from the sections. LOCUS_ERR_BAD_DWARF: it is cut off. LOCUS_ERR_UNSUPPORTED:
 * its version is unknown, or its parameters make no sense. In both cases `version` is 0, and `end` is set if the length
 * could be read, else 0.
 */
enum locus_status line_header_read(struct line_header *header, const struct line_section *section, uint64_t offset,
				   const struct line_strings *strings, struct locus_error *error);

/* Adds a file, as DW_LNE_define_file does. False: out of memory. */
bool line_header_add_file(struct line_header *header, const char *name, uint64_t directory);
void line_header_done(struct line_header *header);

#endif
