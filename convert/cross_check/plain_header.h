/* The header of a line table, read by the book (DWARF 5, 6.2.4): what its program and its tables of files depend on. */
#ifndef LOCUS_PLAIN_HEADER_H
#define LOCUS_PLAIN_HEADER_H

#include "convert/elf/cursor.h"

/* The bytes of .debug_line. */
struct line_bytes {
	const uint8_t *data;
	size_t size;
	bool swap;          /* of the other byte order than this machine's */
	unsigned addr_size; /* before DWARF 5, where the table does not say it */
	uint64_t mode_bit;  /* elf_file_mode_bit of the file */
};

struct plain_header {
	unsigned version;
	uint8_t offset_size;
	unsigned addr_size;
	unsigned min_inst_length;
	unsigned max_ops;
	int line_base;
	unsigned line_range;
	unsigned opcode_base;
	uint8_t operands[256]; /* by standard opcode: how many it has */
	struct cursor tables;  /* of directories and files */
	struct cursor code;
};

/*
 * Reads the header at `offset`, which is in the section. *ret_next is where the next table is. False: the table's
 * version has no meaning, or it is cut off.
 */
bool plain_header_read(const struct line_bytes *bytes, uint64_t offset, struct plain_header *ret, uint64_t *ret_next);

#endif
