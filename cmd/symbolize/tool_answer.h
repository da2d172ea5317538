/* Answers as other people's symbolizers print them: GNU addr2line, llvm-symbolizer, and its JSON. */
#ifndef LOCUS_TOOL_ANSWER_H
#define LOCUS_TOOL_ANSWER_H

#include "cmd/symbolize/symbol_sources.h"

enum tool_style {
	TOOL_GNU,  /* file:line; no empty line behind an answer */
	TOOL_LLVM, /* file:line:column; an empty line behind each answer */
	TOOL_JSON, /* an object a line, with llvm-symbolizer's keys */
};

/* How a tool was told to answer. */
struct tool_options {
	enum tool_style style;
	bool is_gnu; /* the tool is GNU's; LLVM's differs a little, also in the GNU style */
	bool functions;
	bool inlines;
	bool addresses; /* the address before its answer */
	bool pretty;    /* a line for each frame */
	bool basenames;
	bool no_demangle;
};

struct tool {
	struct tool_options options;
	struct out *out;
	struct json json;
	struct symbol_options source_options; /* `sources` refers to it */
	struct symbol_sources *sources;
	bool reported_error;
	bool is_list; /* objects are parts of a list: no lines of their own */
};

/* Ends the program where memory is out. Freed by tool_done. */
void tool_init(struct tool *tool, const struct tool_options *options, struct out *out);

/* Says which modules there were no symbols for, and returns the exit code for `code` and for what happened. */
int tool_done(struct tool *tool, int code);

/* A module as a request names it, and the path as it is to be shown. */
struct tool_module {
	struct module_name name;
	const char *text;
};

/* Code at an address: frames, innermost first; what is not known is "??". */
void tool_answer_code(struct tool *tool, const struct tool_module *module, uint64_t address);

/* Around the answers to requests that were arguments: in JSON they are one list, as LLVM has it. */
void tool_list_begin(struct tool *tool);
void tool_list_end(struct tool *tool);

/* Data and local variables, which .locus files do not hold: the answer that these tools give for what is unknown. */
void tool_answer_data(struct tool *tool, const struct tool_module *module, uint64_t address);
void tool_answer_frame(struct tool *tool, const struct tool_module *module, uint64_t address);

/* A request that is none. */
void tool_answer_nothing(struct tool *tool);

#endif
