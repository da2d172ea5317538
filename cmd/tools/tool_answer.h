/* Answers in the formats of other symbolizers: GNU addr2line, llvm-symbolizer, and its JSON. */
#ifndef LOCUS_TOOL_ANSWER_H
#define LOCUS_TOOL_ANSWER_H

#include "cmd/tools/tool_lookup.h"

/* Ends the program if memory is out. Freed by tool_done. */
void tool_init(struct tool *tool, const struct tool_options *options, struct out *out);

/* Reports the modules without symbols, and returns the exit code for `code` and what happened. */
int tool_done(struct tool *tool, int code);

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
