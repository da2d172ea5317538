/*
 * Looks up as other tools do: what they count addresses from, and which frame they name where inlined ones are not
 * shown.
 */
#include "cmd/tools/tool_lookup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/language.h"
#include "cmd/common/file_magic.h"
#include "cmd/common/report.h"
#include "cmd/common/string_compare.h"
#include "cmd/conversion/converter.h"
#include "cmd/conversion/find_variable.h"

bool tool_may_show(struct tool *tool, const char *name, uint64_t size)
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
	return tool_may_show(tool, module->text, OUTPUT_BOUND_QUESTION);
}

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

struct symbol_file *tool_look_up(struct tool *tool, const struct tool_module *module, uint64_t address,
				 struct locus_result *result, uint32_t start_lines[FRAMES_MAX])
{
	struct symbol_file *symbols = symbol_sources_find(tool->sources, &module->name);
	uint64_t base;

	*result = (struct locus_result){0};
	if (symbols && may_look_up(tool, module) && find_base(tool, symbols, address, &base))
		look_up_in(tool, symbols, address + base, result, start_lines);
	return symbols;
}

struct symbol_file *tool_look_up_function(struct tool *tool, const struct tool_module *module,
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

struct symbol_file *tool_look_up_place(struct tool *tool, const struct tool_module *module,
				       const struct function_offset *place, struct locus_result *result,
				       uint64_t *ret_address)
{
	struct symbol_file *symbols = symbol_sources_find(tool->sources, &module->name);
	uint64_t address = 0;

	*result = (struct locus_result){0};
	*ret_address = 0;
	if (!symbols || !may_look_up(tool, module) || !find_function(tool, symbols, place, &address))
		return symbols;
	*ret_address = in_section(symbols, address - place->delta) + place->delta;
	/* Behind the end of a section comes another one. */
	if (in_section(symbols, address) == *ret_address)
		look_up_in(tool, symbols, address, result, NULL);
	return symbols;
}

void tool_look_up_variable(struct tool *tool, const struct tool_module *module, uint64_t address,
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

/* ---- Which frames ---- */

size_t tool_frame_count(const struct tool *tool, const struct locus_result *result)
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

struct locus_frame tool_outermost_function(const struct locus_result *result)
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

	return is_outermost ? tool_outermost_function(result) : *frame;
}

struct locus_frame tool_frame(const struct tool *tool, struct symbol_file *symbols, const struct locus_result *result,
			      size_t index, uint64_t address)
{
	struct locus_frame frame = frame_at(tool, result, index);
	uint64_t base;

	find_base(tool, symbols, address, &base);
	frame.part_start -= base + tool->options.adjustment;
	return frame;
}
