/* Answers in the formats of other symbolizers: GNU addr2line, llvm-symbolizer, and its JSON. */
#ifndef LOCUS_TOOL_ANSWER_H
#define LOCUS_TOOL_ANSWER_H

#include "cmd/common/output_bound.h"
#include "cmd/modules/symbol_sources.h"

enum tool_style {
	TOOL_GNU,  /* file:line; no empty line behind an answer */
	TOOL_LLVM, /* file:line:column; an empty line behind each answer */
	TOOL_JSON, /* a JSON object on each line, with llvm-symbolizer's keys */
};

/* The options of a tool. */
struct tool_options {
	enum tool_style style;
	bool is_gnu; /* the tool is GNU's; LLVM's output differs a little, also in the GNU style */
	bool functions;
	bool inlines;
	bool addresses; /* print the address before its answer */
	bool pretty;    /* print a line for each frame */
	bool verbose;   /* print a line for each part of a place */
	bool basenames;
	bool no_demangle;
	bool own_names;        /* names of functions without what they are in, and without parameters */
	uint32_t source_count; /* lines of the source that are shown behind a place */
	uint64_t adjustment;   /* addresses are so much larger than those of the file */
	const char *section;   /* addresses count from the start of this section; NULL: they do not */
	const char **symbols;  /* files and directories that have symbols, asked before all other places */
	size_t symbol_count;
	struct symbol_conversion conversion;
};

struct tool {
	struct tool_options options;
	struct out *out;
	struct output_bound bound; /* of what the answers show */
	bool is_too_much;          /* they show more, so no more is looked up */
	struct json json;
	struct symbol_options source_options; /* used by `sources` */
	struct symbol_sources *sources;
	uint64_t section_start, section_size; /* of options.section, in a linked file */
	bool is_list;                         /* objects are elements of a list, not lines */
};

/* Ends the program if memory is out. Freed by tool_done. */
void tool_init(struct tool *tool, const struct tool_options *options, struct out *out);

/* Reports the modules without symbols, and returns the exit code for `code` and what happened. */
int tool_done(struct tool *tool, int code);

/* A module as a request names it, and its path as it is shown. */
struct tool_module {
	struct module_name name;
	const char *text;
};

/*
 * Whether the module that an option names can be asked at all. Of what is no program these tools answer nothing, unlike
 * of one without debug information. Its symbols may be elsewhere.
 */
bool tool_is_program(struct tool *tool, const struct tool_module *module);

/*
 * Whether the module has the section from which addresses count, or nothing is known of it. False, and it was reported:
 * it has none of this name, or is a linked file of which there is only a .locus file.
 */
bool tool_has_section(struct tool *tool, const struct tool_module *module);

/* Answers for code at an address: frames, innermost first; "??" for what is unknown. */
void tool_answer_code(struct tool *tool, const struct tool_module *module, uint64_t address);

/*
 * Answers for code at an offset in the function that has this name or linkage name, by one frame: the function, and
 * where the innermost inlined one is. An offset that is not in it counts as 0, as in LLVM.
 */
void tool_answer_symbol(struct tool *tool, const struct tool_module *module, struct locus_string symbol,
			uint64_t offset);

/*
 * Answers for an offset in the function that has this name or linkage name, as for its address, in GNU's style; as for
 * an address of nothing, where none has it or several have.
 */
void tool_answer_place(struct tool *tool, const struct tool_module *module, const struct function_offset *place);

/* To be called before and after the answers to requests from arguments: in JSON these are one list, as in LLVM. */
void tool_list_begin(struct tool *tool);
void tool_list_end(struct tool *tool);

/*
 * Answers for data by the symbol table of the module's own file, or the ELF file found for its build-id, as .locus
 * files have no variables. `symbol`: a name that was asked for in place of the address, by which LLVM finds no data,
 * either; absent: none was.
 */
void tool_answer_data(struct tool *tool, const struct tool_module *module, struct locus_string symbol,
		      uint64_t address);

/* Answers for local variables as these tools do for unknown ones. */
void tool_answer_frame(struct tool *tool, const struct tool_module *module, struct locus_string symbol,
		       uint64_t address);

/* Answers a line that is no request. `module`: what it has in the place of a module; absent: nothing. */
void tool_answer_nothing(struct tool *tool, struct locus_string module);

#endif
