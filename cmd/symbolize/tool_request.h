/* A line that llvm-symbolizer is asked with: [CODE|DATA|FRAME] [FILE:|BUILDID:]MODULE[:ARCH] ADDRESS. */
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
	bool is_build_id;   /* `module` is one, in hexadecimal digits */
	const char *module; /* borrowed from the line; NULL: the line names none */
	size_t module_size;
	uint64_t address;
};

/* False: it is no request. Where `has_module`, lines name no module, they are addresses. */
bool tool_request_parse(const char *line, size_t size, bool has_module, struct tool_request *ret);

#endif
