/*
 * Prints as other tools do. Programs that read the output compare it byte by byte, so even spaces and digits are the
 * same.
 */
#include "cmd/tools/tool_answer.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/language.h"
#include "cmd/common/exit_code.h"
#include "cmd/common/file_magic.h"
#include "cmd/common/report.h"
#include "cmd/common/string_compare.h"
#include "cmd/conversion/converter.h"
#include "cmd/conversion/find_variable.h"
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

/*
 * Counts what is asked, as so many bytes, of the module or file that is called `name`. False: the answers before it
 * were too much, which is reported once.
 */
static bool may_show(struct tool *tool, const char *name, uint64_t size)
{
	struct locus_error error;

	tool->bound.read += size;
	enum locus_status status = output_bound_check(&tool->bound, &error);
	if (status != LOCUS_OK && !tool->is_too_much)
		report_error(name, status, &error);
	tool->is_too_much |= status != LOCUS_OK;
	return status == LOCUS_OK;
}

static bool may_look_up(struct tool *tool, const struct tool_module *module)
{
	return may_show(tool, module->text, OUTPUT_BOUND_QUESTION);
}

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

	if (!count || !file.size || !may_show(tool, symbols->path, count))
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

/* ---- Answers ---- */

static void copy_path(const struct tool_module *module, char ret[MODULE_PATH_MAX + 1])
{
	snprintf(ret, MODULE_PATH_MAX + 1, "%.*s", (int)module->name.path.size, module->name.path.data);
}

bool tool_is_program(struct tool *tool, const struct tool_module *module)
{
	char path[MODULE_PATH_MAX + 1];

	if (symbol_sources_find(tool->sources, &module->name))
		return true;
	if (!module->name.path.size)
		report("", "%s", strerror(ENOENT)); /* no module is reported by no name */
	copy_path(module, path);
	return file_begins_with(path, FILE_MAGIC_ELF, false);
}

static size_t frame_count(const struct tool *tool, const struct locus_result *result)
{
	return tool->options.inlines || !result->frame_count ? result->frame_count : 1;
}

/* Whether GNU's tool takes any name for a linkage name: in the languages of which it knows no mangling. */
static bool is_never_mangled(uint32_t language)
{
	static const uint32_t languages[] = {LANG_C89,     LANG_C,         LANG_C99,      LANG_C11, LANG_COBOL74,
					     LANG_COBOL85, LANG_FORTRAN77, LANG_PASCAL83, LANG_PLI, LANG_UPC};

	for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++)
		if (language == languages[i])
			return true;
	return false;
}

/*
 * Whether a tool that shows no inlined frames names the innermost one, where the address is, and not the function whose
 * code it is: LLVM in GNU's style and for own names, and GNU if that one has a linkage name, or what it takes for one.
 */
static bool is_innermost_named(const struct tool *tool, const struct locus_frame *innermost)
{
	if (tool->options.is_gnu)
		return innermost->linkage.size || is_never_mangled(innermost->language);
	return tool->options.style == TOOL_GNU || !tool->options.functions || tool->options.own_names;
}

/* The outermost function, with the place of the innermost one. */
static struct locus_frame outermost_function(const struct locus_result *result)
{
	const struct locus_frame *outer = &result->frames[result->frame_count - 1];
	struct locus_frame frame = result->frames[0];

	frame.function = outer->function;
	frame.linkage = outer->linkage;
	frame.language = outer->language;
	frame.function_id = outer->function_id;
	frame.part_start = outer->part_start;
	frame.inlined = false;
	return frame;
}

/* Without inlined frames, both tools give the line of the innermost one. */
static struct locus_frame frame_at(const struct tool *tool, const struct locus_result *result, size_t index)
{
	const struct locus_frame *frame = &result->frames[index];
	bool is_outermost = !tool->options.inlines && result->frame_count > 1 && !is_innermost_named(tool, frame);

	return is_outermost ? outermost_function(result) : *frame;
}

static bool has_section_with_code(const struct symbol_file *symbols, const char *name)
{
	for (size_t i = 0; i < symbols->info->base_count; i++)
		if (string_is(symbols->info->bases[i].name, name))
			return true;
	return false;
}

/* Finds a section of a linked file in that file itself: a .locus file does not have its name. */
static bool find_linked_section(struct tool *tool, const struct tool_module *module)
{
	char path[MODULE_PATH_MAX + 1];

	copy_path(module, path);
	return is_regular_file(path) && converter_load() &&
	       converter_section(path, tool->options.section, &tool->section_start, &tool->section_size);
}

bool tool_has_section(struct tool *tool, const struct tool_module *module)
{
	const char *section = tool->options.section;
	const struct symbol_file *symbols = section ? symbol_sources_find(tool->sources, &module->name) : NULL;

	if (!symbols)
		return true;
	if (symbols->info->base_count ? has_section_with_code(symbols, section) : find_linked_section(tool, module))
		return true;
	report(module->text,
	       symbols->info->base_count ? "no section with code is called %s"
					 : "no section is called %s, or the ELF file itself is not here",
	       section);
	return false;
}

/*
 * Gives what is to be added to an address for it to be the file's own. In a relocatable file the tools count from 0 in
 * each section, and mean the first that has it, or the one that is named. False: none has.
 */
static bool find_base(const struct tool *tool, struct symbol_file *symbols, uint64_t address, uint64_t *ret)
{
	const char *name = tool->options.section;
	uint64_t offset = address - tool->options.adjustment;

	*ret = -tool->options.adjustment;
	if (!symbols->info->base_count) {
		*ret += name ? tool->section_start : 0;
		return !name || offset < tool->section_size;
	}
	const struct locus_base_info *section = symbol_file_find_section(symbols, name, offset);
	*ret += section ? section->base : 0;
	return section;
}

/* Finds the frames at an address of the file; result->frame_count is 0 if nothing is known. */
static void look_up_in(struct tool *tool, struct symbol_file *symbols, uint64_t address, struct locus_result *result,
		       uint32_t start_lines[FRAMES_MAX])
{
	struct locus_error error;

	error_clear(&error);
	enum locus_status status = start_lines
					   ? symbol_file_lookup_declared(symbols, address, result, start_lines, &error)
					   : symbol_file_lookup(symbols, address, result, &error);
	if (status == LOCUS_OK)
		return;
	symbol_sources_report_failure(tool->sources, status, &error);
	*result = (struct locus_result){0};
}

/* Finds the address of an offset in a function. */
static bool find_function(struct tool *tool, struct symbol_file *symbols, const struct function_offset *place,
			  uint64_t *ret)
{
	struct locus_error error;
	bool is_found;

	error_clear(&error);
	enum locus_status status = symbol_file_find_function(symbols, place, &is_found, ret, &error);
	if (status != LOCUS_OK)
		symbol_sources_report_failure(tool->sources, status, &error);
	return is_found;
}

/*
 * Finds the frames; symbols are NULL, or result->frame_count is 0, if nothing is known. `start_lines`: receives the
 * lines of the functions' declarations; may be NULL.
 */
static struct symbol_file *look_up(struct tool *tool, const struct tool_module *module, uint64_t address,
				   struct locus_result *result, uint32_t start_lines[FRAMES_MAX])
{
	struct symbol_file *symbols = symbol_sources_find(tool->sources, &module->name);
	uint64_t base;

	*result = (struct locus_result){0};
	if (symbols && may_look_up(tool, module) && find_base(tool, symbols, address, &base))
		look_up_in(tool, symbols, address + base, result, start_lines);
	return symbols;
}

/* The same for an offset in a function. A frame without a file does not count: LLVM leaves it out here. */
static struct symbol_file *look_up_symbol(struct tool *tool, const struct tool_module *module,
					  const struct function_offset *place, struct locus_result *result,
					  uint32_t start_lines[FRAMES_MAX])
{
	struct symbol_file *symbols = symbol_sources_find(tool->sources, &module->name);
	uint64_t address;

	*result = (struct locus_result){0};
	if (!symbols || !may_look_up(tool, module) || !find_function(tool, symbols, place, &address))
		return symbols;
	look_up_in(tool, symbols, address, result, start_lines);
	if (!result->frame_count || result->frames[result->frame_count - 1].offset != place->delta)
		look_up_in(tool, symbols, address - place->delta, result, start_lines);
	if (result->frame_count && !result->frames[0].file.size)
		*result = (struct locus_result){0};
	return symbols;
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

/* A frame whose function starts at an address as they are asked for, near `address`. */
static struct locus_frame frame_asked(const struct tool *tool, struct symbol_file *symbols,
				      const struct locus_result *result, size_t index, uint64_t address)
{
	struct locus_frame frame = frame_at(tool, result, index);
	uint64_t base;

	find_base(tool, symbols, address, &base);
	frame.part_start -= base + tool->options.adjustment;
	return frame;
}

static void json_code(struct tool *tool, const struct tool_module *module, uint64_t address)
{
	struct json *json = &tool->json;
	uint32_t start_lines[FRAMES_MAX];
	struct locus_result result;
	struct symbol_file *symbols = look_up(tool, module, address, &result, start_lines);

	json_begin(tool, (struct locus_string){0}, address);
	if (!symbols)
		json_no_module(json);
	json_key_text(json, "ModuleName", module->text);
	if (symbols) {
		json_key(json, "Symbol");
		json_open(json, '[');
		for (size_t i = 0; i < frame_count(tool, &result); i++) {
			const struct locus_frame frame = frame_asked(tool, symbols, &result, i, address);
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
	for (size_t i = 0; i < frame_count(tool, result); i++) {
		const struct locus_frame frame = frame_asked(tool, symbols, result, i, address);
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
	struct symbol_file *symbols = look_up(tool, module, address, &result, start_lines);

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
	struct symbol_file *symbols = look_up_symbol(tool, module, place, &result, start_lines);

	json_open(json, '{');
	if (symbols) {
		json_key(json, "Loc");
		json_open(json, '[');
		if (result.frame_count) {
			const struct locus_frame frame = outermost_function(&result);
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
	struct symbol_file *symbols = look_up_symbol(tool, module, place, &result, start_lines);

	if (result.frame_count) {
		const struct locus_frame frame = outermost_function(&result);
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

/* The offset in its section that an address of a relocatable file is; of another file, the address. */
static uint64_t in_section(const struct symbol_file *symbols, uint64_t address)
{
	for (size_t i = 0; i < symbols->info->base_count; i++) {
		const struct locus_base_info *section = &symbols->info->bases[i];
		if (address - section->base < section->size)
			return address - section->base;
	}
	return address;
}

void tool_answer_place(struct tool *tool, const struct tool_module *module, const struct function_offset *place)
{
	struct symbol_file *symbols = symbol_sources_find(tool->sources, &module->name);
	struct locus_result result = {0};
	uint64_t address = 0, shown = 0;

	if (symbols && may_look_up(tool, module) && find_function(tool, symbols, place, &address)) {
		shown = in_section(symbols, address - place->delta) + place->delta;
		/* Behind the end of a section comes another one. */
		if (in_section(symbols, address) == shown)
			look_up_in(tool, symbols, address, &result, NULL);
	}
	text_frames(tool, symbols, shown, &result, NULL);
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

/*
 * Finds the variable at an address, in the file that answers for a build-id where the module has no path; all of it
 * stays 0 if there is none.
 */
static void look_up_variable(struct tool *tool, const struct tool_module *module, uint64_t address,
			     struct locus_elf_variable *ret)
{
	const struct symbol_file *symbols =
		module->name.path.size ? NULL : symbol_sources_find(tool->sources, &module->name);
	char own_path[MODULE_PATH_MAX + 1];
	enum locus_status status = LOCUS_OK;
	struct locus_error error;

	copy_path(module, own_path);
	const char *path = symbols ? symbols->path : own_path;
	error_clear(&error);
	if (is_regular_file(path) && converter_load())
		status = find_variable(path, address - tool->options.adjustment, ret, &error);
	if (status != LOCUS_OK)
		report_error(module->text, status, &error);
}

void tool_answer_data(struct tool *tool, const struct tool_module *module, struct locus_string symbol, uint64_t address)
{
	struct json *json = &tool->json;
	struct locus_elf_variable variable = {0};
	char buffer[DEMANGLED_SIZE_MAX];

	if (!symbol.data)
		look_up_variable(tool, module, address, &variable);
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
