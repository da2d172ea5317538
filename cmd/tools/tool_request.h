/* A request to llvm-symbolizer, a line: [CODE|DATA|FRAME] [FILE:|BUILDID:]MODULE[:ARCH] ADDRESS|SYMBOL[+OFFSET]. */
#ifndef LOCUS_TOOL_REQUEST_H
#define LOCUS_TOOL_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tool_request_kind {
	TOOL_CODE,
	TOOL_DATA,
	TOOL_FRAME,
};

struct tool_request {
	enum tool_request_kind kind;
	bool is_build_id;   /* `module` is a build-id in hexadecimal digits */
	const char *module; /* borrowed from the line; NULL: the line names none */
	size_t module_size;
	uint64_t address;
	const char *symbol; /* a name, from which `address` is an offset; borrowed likewise; NULL: none */
	size_t symbol_size;
};

/*
 * Reads an integer as LLVM does: 0x for hexadecimal, 0b for binary, 0 or 0o for octal, else decimal. False: it is
 * none.
 */
bool tool_request_integer(const char *text, size_t size, uint64_t *ret);

/*
 * Reads a request. False: the line is none; *ret then has the module if that could be read. `has_module`: lines name no
 * module, they are just addresses.
 */
bool tool_request_parse(const char *line, size_t size, bool has_module, struct tool_request *ret);

#endif
