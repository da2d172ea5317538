/*
 * Prints as other tools do. Programs that read the output compare it byte by byte, so even spaces and digits are the
 * same.
 */
#include "cmd/tools/tool_answer.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/report.h"
#include "cmd/show/demangle.h"
#include "cmd/show/short_name.h"
#include "cmd/tools/source_window.h"

void tool_init(struct tool *tool, const struct tool_options *options, struct out *out)
{
	*tool = (struct tool){.options = *options, .out = out, .bound = {.out = out}};
	json_init(&tool->json, out);
	tool->source_options = (struct symbol_options){
		.given = options->symbols,
		.given_count = options->symbol_count,
		.symbols_only = true,
		.conversion = options->conversion,
		.labels = {.out = out,
			   .as_json = options->style == TOOL_JSON,
			   .no_demangle = options->no_demangle && !options->own_names},
	};
	tool->sources = symbol_sources_new(&tool->source_options);
}

int tool_done(struct tool *tool, int code)
{
	symbol_sources_report_missing(tool->sources);
	code = exit_worst(code, symbol_sources_code(tool->sources));
	symbol_sources_free(tool->sources);
	return tool->is_too_much ? exit_worst(code, EXIT_FAILED) : code;
}

/* ---- Pieces ---- */

/* Only in languages whose names have colons are own names in debug information, too. */
static struct name name_of(const struct tool *tool, const struct symbol_file *symbols, const struct locus_frame *frame)
{
	struct name name = function_labels_get(symbols->names, frame->function_id, frame->function, frame->linkage,
					       frame->language);
	enum name_separator separator = name_separator_of(frame->language);
	size_t size;

	if (tool->options.own_names && separator == NAME_COLONS) {
		name.data = own_name(name.data, name.size, separator, &size);
		name.size = size;
	}
	return name;
}

static void put_function(struct tool *tool, const struct symbol_file *symbols, const struct locus_frame *frame)
{
	struct name name = name_of(tool, symbols, frame);

	if (name.size)
		out_escaped(tool->out, name.data, name.size);
	else
		out_text(tool->out, "??");
}

static void put_file(struct tool *tool, struct symbol_file *symbols, const struct locus_frame *frame)
{
	if (!frame->file.size)
		out_text(tool->out, "??");
	else if (tool->options.basenames)
		out_escaped(tool->out, frame->file.data, frame->file.size);
	else
		path_labels_put(&symbols->paths, frame);
}

static void put_place(struct tool *tool, struct symbol_file *symbols, const struct locus_frame *frame)
{
	put_file(tool, symbols, frame);
	out_char(tool->out, ':');
	if (frame->has_line)
		out_u64(tool->out, frame->line);
	else
		out_char(tool->out, tool->options.is_gnu ? '?' : '0');
	if (tool->options.style == TOOL_LLVM) {
		out_char(tool->out, ':');
		out_u64(tool->out, frame->column);
	}
}

static bool is_narrow(const struct symbol_file *symbols)
{
	const unsigned class_32 = 1; /* ELFCLASS32 */

	return symbols && symbols->info->elf_class == class_32;
}

/* GNU pads to the width of the file's addresses; without a file, to the widest. */
static void put_address(struct tool *tool, const struct symbol_file *symbols, uint64_t address)
{
	if (!tool->options.addresses)
		return;
	if (!tool->options.is_gnu)
		out_hex(tool->out, address);
	else
		out_format(tool->out, "0x%0*llx", is_narrow(symbols) ? 8 : 16, (unsigned long long)address);
	out_text(tool->out, tool->options.pretty ? ": " : "\n");
}

/* Tabs stay, as they are in the source. */
static void put_source_text(struct out *out, struct locus_string text)
{
	while (text.size) {
		const char *tab = memchr(text.data, '\t', text.size);
		size_t size = tab ? (size_t)(tab - text.data) : text.size;
		out_escaped(out, text.data, size);
		if (tab)
			out_char(out, '\t');
		size += tab != NULL;
		text = (struct locus_string){text.data + size, text.size - size};
	}
}

/* Reads the lines around the frame's. False: none are asked for, or there are none. The caller frees them. */
static bool read_source(struct tool *tool, const struct symbol_file *symbols, const struct locus_frame *frame,
			struct source_window *ret)
{
	uint32_t count = tool->options.source_count;
	struct locus_string directory = frame->directory, file = frame->file;
	char path[PATH_MAX];

	if (!count || !file.size || !tool_may_show(tool, symbols->path, count))
		return false;
	const char *slash = directory.size && directory.data[directory.size - 1] != '/' ? "/" : "";
	int size = snprintf(path, sizeof(path), "%.*s%s%.*s", (int)directory.size, directory.data, slash,
			    (int)file.size, file.data);
	if (size >= (int)sizeof(path))
		return false;
	source_window_read(ret, path, frame->line, count);
	return ret->size;
}

/* The frame's own line has a mark behind its number. */
static void put_source_number(struct out *out, const struct source_window *window, uint64_t number,
			      const struct locus_frame *frame)
{
	out_format(out, "%*llu %s: ", source_window_width(window), (unsigned long long)number,
		   number == frame->line ? ">" : " ");
}

static void put_source(struct tool *tool, const struct symbol_file *symbols, const struct locus_frame *frame)
{
	struct source_window window;
	struct locus_string text;
	uint64_t number;

	if (!read_source(tool, symbols, frame, &window))
		return;
	while (source_window_next(&window, &text, &number)) {
		put_source_number(tool->out, &window, number, frame);
		put_source_text(tool->out, text);
		out_char(tool->out, '\n');
	}
	source_window_done(&window);
}

static void json_source(struct tool *tool, const struct symbol_file *symbols, const struct locus_frame *frame)
{
	struct json *json = &tool->json;
	struct source_window window;
	struct locus_string text;
	uint64_t number;

	if (!read_source(tool, symbols, frame, &window))
		return;
	json_key(json, "Source");
	json_begin_string(json);
	while (source_window_next(&window, &text, &number)) {
		put_source_number(json->out, &window, number, frame);
		json_piece(json, text.data, text.size);
		out_text(json->out, "\\n");
	}
	json_end_string(json);
	source_window_done(&window);
}

/* The place in a line for each of its parts, and where the function begins, if that is known. */
static void put_verbose_place(struct tool *tool, struct symbol_file *symbols, const struct locus_frame *frame,
			      uint32_t start_line)
{
	out_text(tool->out, "  Filename: ");
	put_file(tool, symbols, frame);
	if (start_line)
		out_format(tool->out, "\n  Function start line: %u", start_line);
	if (tool->options.style == TOOL_LLVM && !frame->inlined)
		out_format(tool->out, "\n  Function start address: 0x%llx", (unsigned long long)frame->part_start);
	out_format(tool->out, "\n  Line: %u\n  Column: %u", frame->line, frame->column);
}

static void put_frame(struct tool *tool, struct symbol_file *symbols, const struct locus_frame *frame,
		      uint32_t start_line, bool is_first)
{
	if (tool->options.pretty && !is_first && (tool->options.is_gnu || tool->options.functions))
		out_text(tool->out, " (inlined by) ");
	if (tool->options.functions) {
		put_function(tool, symbols, frame);
		out_text(tool->out, tool->options.pretty ? " at " : "\n");
	}
	if (tool->options.verbose)
		put_verbose_place(tool, symbols, frame, start_line);
	else
		put_place(tool, symbols, frame);
	out_char(tool->out, '\n');
	if (!tool->options.verbose)
		put_source(tool, symbols, frame);
}

static void put_unknown(struct tool *tool)
{
	bool is_gnu = tool->options.is_gnu;

	if (tool->options.functions)
		out_text(tool->out, !tool->options.pretty ? "??\n" : is_gnu ? "?? " : "?? at ");
	if (tool->options.verbose)
		out_text(tool->out, "  Filename: ??\n  Line: 0\n  Column: 0\n");
	else
		out_text(tool->out, tool->options.style == TOOL_LLVM ? "??:0:0\n" : "??:0\n");
}

static void end_answer(struct tool *tool)
{
	if (tool->options.style == TOOL_LLVM)
		out_char(tool->out, '\n');
}

static void json_frame(struct tool *tool, struct symbol_file *symbols, const struct locus_frame *frame,
		       uint32_t start_line)
{
	struct name name = name_of(tool, symbols, frame);
	struct json *json = &tool->json;

	json_open(json, '{');
	json_key_u64(json, "Column", frame->column);
	json_key_u64(json, "Discriminator", 0);
	json_key(json, "FileName");
	json_begin_string(json);
	if (tool->options.basenames)
		json_piece(json, frame->file.data, frame->file.size);
	else if (frame->file.size)
		path_labels_put(&symbols->paths, frame);
	json_end_string(json);
	json_key_bytes(json, "FunctionName", name.data, tool->options.functions ? name.size : 0);
	json_key_u64(json, "Line", frame->line);
	json_source(tool, symbols, frame);
	if (frame->inlined)
		json_key_text(json, "StartAddress", "");
	else
		json_key_hex(json, "StartAddress", frame->part_start);
	json_key_text(json, "StartFileName", "");
	json_key_u64(json, "StartLine", start_line);
	json_close(json, '}');
}

static void json_nobody(struct json *json)
{
	json_open(json, '{');
	json_key_u64(json, "Column", 0);
	json_key_u64(json, "Discriminator", 0);
	json_key_text(json, "FileName", "");
	json_key_text(json, "FunctionName", "");
	json_key_u64(json, "Line", 0);
	json_key_text(json, "StartAddress", "");
	json_key_text(json, "StartFileName", "");
	json_key_u64(json, "StartLine", 0);
	json_close(json, '}');
}

/* `symbol`: what was asked for in place of an address; absent: an address was. */
static void json_begin(struct tool *tool, struct locus_string symbol, uint64_t address)
{
	json_open(&tool->json, '{');
	if (!symbol.data)
		json_key_hex(&tool->json, "Address", address);
}

static void json_end(struct tool *tool)
{
	json_close(&tool->json, '}');
	if (!tool->is_list)
		json_end_line(&tool->json);
}

static void json_end_asked(struct tool *tool, const struct tool_module *module, struct locus_string symbol)
{
	json_key_text(&tool->json, "ModuleName", module->text);
	if (symbol.data)
		json_key_bytes(&tool->json, "SymName", symbol.data, symbol.size);
	json_end(tool);
}

void tool_list_begin(struct tool *tool)
{
	if (tool->options.style != TOOL_JSON)
		return;
	json_open(&tool->json, '[');
	tool->is_list = true;
}

void tool_list_end(struct tool *tool)
{
	if (tool->options.style != TOOL_JSON)
		return;
	json_close(&tool->json, ']');
	json_end_line(&tool->json);
}

static void json_no_module(struct json *json)
{
	json_key(json, "Error");
	json_open(json, '{');
	json_key_text(json, "Message", "no symbols for this module");
	json_close(json, '}');
}

static void json_code(struct tool *tool, const struct tool_module *module, uint64_t address)
{
	struct json *json = &tool->json;
	uint32_t start_lines[FRAMES_MAX];
	struct locus_result result;
	struct symbol_file *symbols = tool_look_up(tool, module, address, &result, start_lines);

	json_begin(tool, (struct locus_string){0}, address);
	if (!symbols)
		json_no_module(json);
	json_key_text(json, "ModuleName", module->text);
	if (symbols) {
		json_key(json, "Symbol");
		json_open(json, '[');
		for (size_t i = 0; i < tool_frame_count(tool, &result); i++) {
			const struct locus_frame frame = tool_frame(tool, symbols, &result, i, address);
			json_frame(tool, symbols, &frame, start_lines[i]);
		}
		if (!result.frame_count)
			json_nobody(json);
		json_close(json, ']');
	}
	json_end(tool);
}

/* `start_lines` may be NULL, where the answer has none. */
static void text_frames(struct tool *tool, struct symbol_file *symbols, uint64_t address,
			const struct locus_result *result, const uint32_t *start_lines)
{
	put_address(tool, symbols, address);
	for (size_t i = 0; i < tool_frame_count(tool, result); i++) {
		const struct locus_frame frame = tool_frame(tool, symbols, result, i, address);
		put_frame(tool, symbols, &frame, start_lines ? start_lines[i] : 0, i == 0);
	}
	if (!result->frame_count)
		put_unknown(tool);
	end_answer(tool);
}

static void text_code(struct tool *tool, const struct tool_module *module, uint64_t address)
{
	uint32_t lines[FRAMES_MAX], *start_lines = tool->options.verbose ? lines : NULL;
	struct locus_result result;

	/* GNU leaves off what a file of 32 bits has no addresses for, as the bits that a sign was extended to. */
	if (tool->options.is_gnu && is_narrow(symbol_sources_find(tool->sources, &module->name)))
		address &= UINT32_MAX;
	struct symbol_file *symbols = tool_look_up(tool, module, address, &result, start_lines);

	text_frames(tool, symbols, address, &result, start_lines);
}

void tool_answer_code(struct tool *tool, const struct tool_module *module, uint64_t address)
{
	if (tool->options.style == TOOL_JSON)
		json_code(tool, module, address);
	else
		text_code(tool, module, address);
}

static void json_symbol(struct tool *tool, const struct tool_module *module, const struct function_offset *place)
{
	struct json *json = &tool->json;
	uint32_t start_lines[FRAMES_MAX];
	struct locus_result result;
	struct symbol_file *symbols = tool_look_up_function(tool, module, place, &result, start_lines);

	json_open(json, '{');
	if (symbols) {
		json_key(json, "Loc");
		json_open(json, '[');
		if (result.frame_count) {
			const struct locus_frame frame = tool_outermost_function(&result);
			json_frame(tool, symbols, &frame, start_lines[0]);
		}
		json_close(json, ']');
	} else {
		json_no_module(json);
	}
	json_end_asked(tool, module, place->name);
}

static void text_symbol(struct tool *tool, const struct tool_module *module, const struct function_offset *place)
{
	uint32_t start_lines[FRAMES_MAX];
	struct locus_result result;
	struct symbol_file *symbols = tool_look_up_function(tool, module, place, &result, start_lines);

	if (result.frame_count) {
		const struct locus_frame frame = tool_outermost_function(&result);
		put_frame(tool, symbols, &frame, start_lines[0], true);
	} else {
		put_unknown(tool);
	}
	end_answer(tool);
}

void tool_answer_symbol(struct tool *tool, const struct tool_module *module, struct locus_string symbol,
			uint64_t offset)
{
	const struct function_offset place = {.name = symbol, .delta = offset};

	if (tool->options.style == TOOL_JSON)
		json_symbol(tool, module, &place);
	else
		text_symbol(tool, module, &place);
}

void tool_answer_place(struct tool *tool, const struct tool_module *module, const struct function_offset *place)
{
	struct locus_result result;
	uint64_t address;
	struct symbol_file *symbols = tool_look_up_place(tool, module, place, &result, &address);

	text_frames(tool, symbols, address, &result, NULL);
}

/* The name of a variable, demangled if that is wanted; `buffer` has DEMANGLED_SIZE_MAX bytes. */
static struct locus_string variable_name(const struct tool *tool, const struct locus_elf_variable *variable,
					 char *buffer)
{
	size_t size = strlen(variable->name);
	size_t demangled = tool->options.no_demangle ? 0 : demangle(variable->name, size, 0, buffer);

	return demangled ? (struct locus_string){buffer, demangled} : (struct locus_string){variable->name, size};
}

static void text_data(struct tool *tool, const struct locus_elf_variable *variable, struct locus_string name,
		      uint64_t address)
{
	put_address(tool, NULL, address);
	if (name.size)
		out_escaped(tool->out, name.data, name.size);
	else
		out_text(tool->out, "??");
	out_format(tool->out, "\n%llu %llu\n", (unsigned long long)variable->start, (unsigned long long)variable->size);
	out_escaped(tool->out, variable->file, strlen(variable->file));
	out_text(tool->out, variable->file[0] ? ":0\n" : "??:?\n");
	end_answer(tool);
}

void tool_answer_data(struct tool *tool, const struct tool_module *module, struct locus_string symbol, uint64_t address)
{
	struct json *json = &tool->json;
	struct locus_elf_variable variable = {0};
	char buffer[DEMANGLED_SIZE_MAX];

	if (!symbol.data)
		tool_look_up_variable(tool, module, address, &variable);
	struct locus_string name = variable_name(tool, &variable, buffer);
	if (tool->options.style != TOOL_JSON) {
		text_data(tool, &variable, name, symbol.data ? 0 : address);
		return;
	}
	json_begin(tool, symbol, address);
	json_key(json, "Data");
	json_open(json, '{');
	json_key_bytes(json, "Name", name.data, name.size);
	json_key_hex(json, "Size", variable.size);
	json_key_hex(json, "Start", variable.start);
	json_close(json, '}');
	json_end_asked(tool, module, symbol);
}

void tool_answer_frame(struct tool *tool, const struct tool_module *module, struct locus_string symbol,
		       uint64_t address)
{
	if (tool->options.style != TOOL_JSON) {
		put_address(tool, NULL, symbol.data ? 0 : address);
		out_text(tool->out, "??\n");
		end_answer(tool);
		return;
	}
	json_begin(tool, symbol, address);
	json_key(&tool->json, "Frame");
	json_open(&tool->json, '[');
	json_close(&tool->json, ']');
	json_end_asked(tool, module, symbol);
}

void tool_answer_nothing(struct tool *tool, struct locus_string module)
{
	if (tool->options.style == TOOL_JSON) {
		json_open(&tool->json, '{');
		json_key_bytes(&tool->json, "ModuleName", module.data, module.size);
		json_key(&tool->json, "Symbol");
		json_open(&tool->json, '[');
		json_nobody(&tool->json);
		json_close(&tool->json, ']');
		json_end(tool);
		return;
	}
	put_unknown(tool);
	end_answer(tool);
}
