/* What a tool answers with: frames and variables as other symbolizers find them. tool_answer.h prints them. */
#ifndef LOCUS_TOOL_LOOKUP_H
#define LOCUS_TOOL_LOOKUP_H

#include "cmd/common/output_bound.h"
#include "cmd/conversion/find_variable.h"
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

/*
 * Counts what is asked, as so many bytes, of the module or file that is called `name`. False: the answers before it
 * were too much, which is reported once.
 */
bool tool_may_show(struct tool *tool, const char *name, uint64_t size);

/*
 * Finds the frames at an address. NULL, or result->frame_count is 0: nothing is known. `start_lines`: receives the
 * lines of the functions' declarations; may be NULL.
 */
struct symbol_file *tool_look_up(struct tool *tool, const struct tool_module *module, uint64_t address,
				 struct locus_result *result, uint32_t start_lines[FRAMES_MAX]);

/*
 * The same for an offset in a function; an offset that is not in it counts as 0. A frame without a file does not count.
 * LLVM does both.
 */
struct symbol_file *tool_look_up_function(struct tool *tool, const struct tool_module *module,
					  const struct function_offset *place, struct locus_result *result,
					  uint32_t start_lines[FRAMES_MAX]);

/*
 * The same as GNU has it: nothing is known where none or several functions have the name. *ret_address: what is shown
 * as the address, which in a relocatable file counts from the section; 0: none is known.
 */
struct symbol_file *tool_look_up_place(struct tool *tool, const struct tool_module *module,
				       const struct function_offset *place, struct locus_result *result,
				       uint64_t *ret_address);

/*
 * Finds the variable at an address, in the file that answers for a build-id where the module has no path; all of it
 * stays 0 if there is none.
 */
void tool_look_up_variable(struct tool *tool, const struct tool_module *module, uint64_t address,
			   struct locus_elf_variable *ret);

/* How many of the frames are shown. */
size_t tool_frame_count(const struct tool *tool, const struct locus_result *result);

/*
 * The frame that is shown at `index`, below tool_frame_count. Its function starts at an address that counts as
 * `address` does, at which it was found.
 */
struct locus_frame tool_frame(const struct tool *tool, struct symbol_file *symbols, const struct locus_result *result,
			      size_t index, uint64_t address);

/* The outermost function, with the place of the innermost one. */
struct locus_frame tool_outermost_function(const struct locus_result *result);

#endif
