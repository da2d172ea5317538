/* Each kind of address that forms have leads to its place in a way of its own. */
#include "cmd/symbolize/code_map.h"

#include <string.h>

#include "cmd/common/page_size.h"
#include "cmd/common/report.h"
#include "cmd/common/string_compare.h"
#include "cmd/show/name_ends.h"
#include "cmd/symbolize/field_number.h"

/* The address at which valgrind loads position-independent programs; libraries come from VALGRIND_LIBRARIES on. */
enum { VALGRIND_PROGRAM = 0x108000, VALGRIND_LIBRARIES = 0x4000000 };

/* ---- Modules ---- */

/* Whether the module is a name in brackets that is not the end of a title: "redis-server *:6379 [cluster]". */
static bool is_in_brackets(const struct form_match *match)
{
	struct locus_string module = match->fields[FIELD_MODULE];

	return module.size && module.data[0] == '[' && !match->program.size;
}

/*
 * Names in brackets are the kernel's in perf's output: [kernel.kallsyms], [ext4]. [vdso] has no file, nor has what perf
 * calls //anon, or systemd-coredump writes n/a for.
 */
static struct locus_string module_path(const struct form_match *match)
{
	static const char *const without_file[] = {"[vdso]",    "[vsyscall]", "[heap]", "[stack]",
						   "[unknown]", "[uprobes]",  "//anon", "n/a"};
	struct locus_string path = match->fields[FIELD_MODULE];

	if (!path.size && match->form->module)
		return (struct locus_string){match->form->module, strlen(match->form->module)};
	for (size_t i = 0; i < sizeof(without_file) / sizeof(without_file[0]); i++) {
		if (string_is(path, without_file[i]))
			return (struct locus_string){NULL, 0};
	}
	if (!is_in_brackets(match))
		return path;
	if (name_starts_with(path.data, path.size, "[kernel") ||
	    name_starts_with(path.data, path.size, "[guest.kernel"))
		return (struct locus_string){"vmlinux", strlen("vmlinux")};
	bool is_closed = path.size > 1 && path.data[path.size - 1] == ']';
	return is_closed ? (struct locus_string){path.data + 1, path.size - 2} : path;
}

bool frame_is_of_kernel(const struct form_match *match)
{
	return is_in_brackets(match) && module_path(match).size;
}

/* Whether the text or the user has said which file a module is. */
static bool is_given(const struct code_map *map, const struct module_name *module)
{
	return module->build_id.size || symbol_sources_is_given(map->sources, module->path);
}

/* Whether the text or the user has said which file a module is, or there is a file at its path. */
static bool is_there(const struct code_map *map, const struct module_name *module)
{
	return module->build_id.size || symbol_sources_is_there(map->sources, module->path);
}

/*
 * The module whose path stands where a title that begins with a path may stand: "/usr/bin/redis-server *:6379". It may
 * as well be the text before the name of a module that the user gave.
 */
static struct module_name path_or_program(const struct code_map *map, const struct form_match *match,
					  struct locus_string path)
{
	const struct module_name of_end = address_spaces_module(map->spaces, path);
	if (is_given(map, &of_end))
		return of_end;
	const struct module_name of_program = address_spaces_module(map->spaces, match->program);
	if (is_there(map, &of_program))
		return of_program;
	return address_spaces_module(map->spaces, match->path.size ? match->path : path);
}

/*
 * The module with this path, or, where the path may be the end of a longer one or of a title, the file that is there or
 * the program that has the title. Titles are free text, so a file that merely lies in the current folder does not count
 * as the program.
 */
static struct module_name module_or_program(const struct code_map *map, const struct form_match *match,
					    struct locus_string path)
{
	struct locus_string first = match->program;
	bool is_path = first.size && memchr(first.data, '/', first.size);

	if (match->path.size) {
		const struct module_name of_path = address_spaces_module(map->spaces, match->path);
		if (is_there(map, &of_path))
			return of_path;
	}
	if (is_path && first.data[first.size] == ' ')
		return path_or_program(map, match, path);
	struct module_name module = address_spaces_module(map->spaces, path);
	if (!first.size || is_path || is_given(map, &module))
		return module;
	struct module_name program = address_spaces_module(map->spaces, first);
	return is_given(map, &program) ? program : address_spaces_module(map->spaces, path);
}

/*
 * The module of a frame that is named without its folder, as Java's machine and minidumps name libraries: the one with
 * this name that the text has named by its path, in a list of mappings, unless the user has given another, or one lies
 * in the current folder. Linux names its own modules without a folder, too.
 */
static struct module_name module_or_mapped(const struct code_map *map, const struct form_match *match,
					   const struct module_name *module)
{
	bool is_of_program = match->form->kind == FORM_FRAME && !match->form->module && !is_in_brackets(match);

	if (!is_of_program || memchr(module->path.data, '/', module->path.size))
		return *module;
	struct locus_string path = address_spaces_path(map->spaces, module->path);
	return path.size && !is_there(map, module) ? address_spaces_module(map->spaces, path) : *module;
}

/* Whether what stands where a module may stand begins as a path does, or is called as a library: liba.so.6. */
static bool is_surely_module(struct locus_string path)
{
	const char *library = memmem(path.data, path.size, ".so", 3), *end = path.data + path.size;

	return name_starts_with(path.data, path.size, "/") || name_starts_with(path.data, path.size, "./") ||
	       name_starts_with(path.data, path.size, "../") || (library && (library + 3 == end || library[3] == '.'));
}

/*
 * Whether a module seldom has symbols, and nobody misses them: the code that Linux maps into each process, in which few
 * frames are but those that a signal's handler returns to; or code that a program made while it ran, for which perf
 * names the list of functions that it took the name from.
 */
static bool seldom_has_symbols(struct locus_string path)
{
	return name_starts_with(path.data, path.size, "linux-vdso") ||
	       name_starts_with(path.data, path.size, "linux-gate.so") ||
	       (name_starts_with(path.data, path.size, "/tmp/perf-") && string_remove_suffix(&path, ".map"));
}

/* Reads a build-id, which lldb divides by dashes. Returns its size; 0: it is none. */
static size_t parse_build_id(struct locus_string text, uint8_t ret[MODULE_BUILD_ID_MAX])
{
	char digits[2 * MODULE_BUILD_ID_MAX];
	size_t count = 0;

	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] == '-')
			continue;
		if (count == sizeof(digits))
			return 0;
		digits[count++] = text.data[i];
	}
	return build_id_parse((struct locus_string){digits, count}, ret);
}

/* The module that a frame or mapping names, with the build-id given there, or given for the name before. */
static bool name_module(const struct code_map *map, const struct form_match *match,
			uint8_t build_id[MODULE_BUILD_ID_MAX], struct module_name *ret)
{
	struct locus_string hex = match->fields[FIELD_BUILD_ID];
	struct locus_string path = module_path(match);

	*ret = (struct module_name){0};
	if (path.size) {
		const struct module_name named = module_or_program(map, match, path);
		*ret = module_or_mapped(map, match, &named);
	}
	ret->is_guess = (match->form->is_guess && !is_surely_module(path)) || seldom_has_symbols(path);
	/* What stands behind the path keeps the file that is there now from answering, unless its build is known. */
	if (match->fields[FIELD_DELETED].size && !ret->build_id.size)
		ret->path = (struct locus_string){path.data, path.size + match->fields[FIELD_DELETED].size};
	if (hex.size) {
		ret->build_id = (struct locus_string){(const char *)build_id, parse_build_id(hex, build_id)};
		if (!ret->build_id.size)
			return false;
	}
	return path.size || hex.size;
}

static struct symbol_file *find_module(const struct code_map *map, const struct form_match *match)
{
	uint8_t build_id[MODULE_BUILD_ID_MAX];
	struct module_name module;

	return name_module(map, match, build_id, &module) ? symbol_sources_find(map->sources, &module) : NULL;
}

/* ---- Places ---- */

static bool locate_in_function(const struct code_map *map, const struct form_match *match, struct place *ret)
{
	struct function_offset place = {.name = match->fields[FIELD_SYMBOL]};
	struct locus_error error;
	enum locus_status status;
	bool is_found;

	ret->symbols = find_module(map, match);
	if (!ret->symbols || !parse_hex(match->fields[FIELD_DELTA], &place.delta))
		return false;
	parse_hex(match->fields[FIELD_SIZE], &place.size);
	error_clear(&error);
	status = symbol_file_find_function(ret->symbols, &place, &is_found, &ret->address, &error);
	if (status != LOCUS_OK)
		symbol_sources_report_failure(map->sources, status, &error);
	return is_found;
}

static bool locate_mapped(const struct code_map *map, const struct mapping *mapping, uint64_t runtime,
			  struct place *ret)
{
	struct module_name module = mapping_module(mapping);
	uint64_t base = address_spaces_base(map->spaces, map->process, mapping);
	const struct mapped_range *range = &mapping->range;

	ret->address = runtime;
	ret->symbols = symbol_sources_find(map->sources, &module);
	if (!ret->symbols)
		return false;
	if (range->part == MAPPED_ADDRESSES) {
		ret->address -= symbol_file_is_fixed(ret->symbols) ? 0 : range->start - range->offset;
		return true;
	}
	if (range->part == MAPPED_SEGMENT)
		return symbol_file_is_fixed(ret->symbols) ||
		       symbol_file_find_in_segment(ret->symbols, runtime, range->start, range->end - range->start,
						   &ret->address);
	ret->address = symbol_file_mapped_address(ret->symbols, runtime, range->start, range->end - range->start,
						  range->offset, base);
	return true;
}

/*
 * Finds the place without a mapping. In an executable that is not position-independent, the address is that of the
 * file. For others, perf prints positions in the file with stacks. Neither works for the kernel, which is loaded
 * anywhere, nor for a file whose code is elsewhere than perf assumes: there, the offset in the function decides.
 */
static bool locate_unmapped(const struct code_map *map, const struct form_match *match, uint64_t runtime,
			    struct place *ret)
{
	struct locus_string module = match->fields[FIELD_MODULE];
	bool is_kernel = is_in_brackets(match);

	ret->symbols = module.size ? find_module(map, match) : symbol_sources_only(map->sources);
	if (!ret->symbols || (!module.size && !symbol_file_is_fixed(ret->symbols)))
		return false;
	if (match->fields[FIELD_DELTA].size && (is_kernel || symbol_file_is_fixed(ret->symbols)) &&
	    locate_in_function(map, match, ret))
		return true;
	ret->address = runtime;
	if (module.size && (!symbol_file_is_fixed(ret->symbols) || runtime < FIXED_PROGRAM))
		symbol_file_find_position(ret->symbols, runtime, &ret->address);
	return !is_kernel;
}

static bool locate_runtime(const struct code_map *map, const struct form_match *match, struct place *ret)
{
	const struct mapping *mapping;
	uint64_t runtime;

	if (!parse_hex(match->fields[FIELD_ADDRESS], &runtime))
		return false;
	mapping = address_spaces_find(map->spaces, map->process, runtime);
	return mapping ? locate_mapped(map, mapping, runtime, ret) : locate_unmapped(map, match, runtime, ret);
}

static bool locate_under_valgrind(const struct code_map *map, const struct form_match *match, struct place *ret)
{
	uint64_t runtime;

	if (!locate_runtime(map, match, ret) || !parse_hex(match->fields[FIELD_ADDRESS], &runtime))
		return false;
	if (ret->address != runtime || symbol_file_is_fixed(ret->symbols))
		return true;
	if (ret->address < VALGRIND_PROGRAM || ret->address >= VALGRIND_LIBRARIES)
		return false;
	ret->address -= VALGRIND_PROGRAM;
	return true;
}

static bool locate_in_module(const struct code_map *map, const struct form_match *match, struct place *ret)
{
	uint64_t offset;

	ret->symbols = find_module(map, match);
	if (!ret->symbols || !parse_hex(match->fields[FIELD_OFFSET], &offset))
		return false;
	if (match->form->address == ADDRESS_FROM_LOWEST && symbol_file_is_fixed(ret->symbols))
		return parse_hex(match->fields[FIELD_ADDRESS], &ret->address) ||
		       symbol_file_find_offset(ret->symbols, offset, &ret->address);
	if (match->form->address == ADDRESS_IN_FILE)
		return symbol_file_find_code(ret->symbols, offset, &ret->address);
	ret->address = offset;
	return true;
}

static bool locate_in_segment(const struct code_map *map, const struct form_match *match, struct place *ret)
{
	uint64_t runtime, start, size;

	ret->symbols = find_module(map, match);
	return ret->symbols && parse_hex(match->fields[FIELD_ADDRESS], &runtime) &&
	       parse_hex(match->fields[FIELD_START], &start) && parse_hex(match->fields[FIELD_LENGTH], &size) &&
	       symbol_file_find_in_segment(ret->symbols, runtime, start, size, &ret->address);
}

/*
 * Finds the place of a frame in a program that may have a title, by the mapping that its address is in. An offset in
 * the file that is given, too, must agree.
 */
static bool locate_titled(const struct code_map *map, const struct form_match *match, struct place *ret)
{
	struct locus_string module = match->fields[FIELD_MODULE];
	const struct mapping *mapping;
	uint64_t runtime, offset;

	if (!match->form->has_titles || memchr(module.data, '/', module.size) ||
	    !parse_hex(match->fields[FIELD_ADDRESS], &runtime))
		return false;
	mapping = address_spaces_find(map->spaces, map->process, runtime);
	if (!mapping || !locate_mapped(map, mapping, runtime, ret))
		return false;
	return !parse_hex(match->fields[FIELD_OFFSET], &offset) || offset == ret->address;
}

bool code_map_locate(const struct code_map *map, const struct form_match *match, struct place *ret)
{
	ret->symbols = NULL;
	if (locate_titled(map, match, ret))
		return true;
	switch (match->form->address) {
	case ADDRESS_OF_MODULE:
	case ADDRESS_FROM_LOWEST:
	case ADDRESS_IN_FILE:
		return locate_in_module(map, match, ret);
	case ADDRESS_RUNTIME:
		return locate_runtime(map, match, ret);
	case ADDRESS_IN_SEGMENT:
		return locate_in_segment(map, match, ret);
	case ADDRESS_UNDER_VALGRIND:
		return locate_under_valgrind(map, match, ret);
	case ADDRESS_IN_FUNCTION:
		return locate_in_function(map, match, ret);
	}
	return false;
}

bool code_map_has_lost(const struct code_map *map, const struct form_match *match, uint64_t *ret_address)
{
	return address_spaces_have_lost(map->spaces) && match->form->address == ADDRESS_RUNTIME &&
	       match->fields[FIELD_MODULE].size && module_path(match).size && !is_in_brackets(match) &&
	       parse_hex(match->fields[FIELD_ADDRESS], ret_address) &&
	       !address_spaces_find(map->spaces, map->process, *ret_address);
}

bool place_fits_address(const struct place *place, const struct form_match *match)
{
	const uint64_t in_page = PAGE_SIZE_MIN - 1;
	uint64_t runtime;

	if (match->form->address != ADDRESS_IN_FUNCTION || !parse_hex(match->fields[FIELD_ADDRESS], &runtime) ||
	    runtime < FIXED_PROGRAM)
		return true;
	return symbol_file_is_fixed(place->symbols) ? runtime == place->address
						    : ((runtime - place->address) & in_page) == 0;
}

bool code_map_find_position(const struct code_map *map, const struct form_match *match, struct locus_string *ret_path,
			    uint64_t *ret)
{
	const struct mapping *mapping;
	uint64_t runtime;

	if (match->form->address == ADDRESS_OF_MODULE || match->form->address == ADDRESS_IN_FILE) {
		*ret_path = match->fields[FIELD_MODULE];
		return parse_hex(match->fields[FIELD_OFFSET], ret);
	}
	if (match->form->address != ADDRESS_RUNTIME || !parse_hex(match->fields[FIELD_ADDRESS], &runtime))
		return false;
	mapping = address_spaces_find(map->spaces, map->process, runtime);
	if (!mapping || mapping->range.part == MAPPED_SEGMENT)
		return false;
	*ret_path = mapping_module(mapping).path;
	*ret = runtime - mapping->range.start + mapping->range.offset;
	return true;
}

/* ---- Lines that describe a process ---- */

static enum mapped_part mapped_part(const struct form_match *match)
{
	if (match->form->address == ADDRESS_FROM_LOWEST)
		return MAPPED_ADDRESSES;
	return match->fields[FIELD_OFFSET].size ? MAPPED_BYTES : MAPPED_SEGMENT;
}

/* Notes a mapping: its process, place and module. */
static void take_mapping(const struct code_map *map, const struct form_match *match)
{
	uint8_t build_id[MODULE_BUILD_ID_MAX];
	struct module_name module;
	struct mapped_range range = {.end = UINT64_MAX, .part = mapped_part(match)};
	uint64_t process = 0;

	parse_decimal(match->fields[FIELD_PROCESS], &process);
	if (!parse_hex(match->fields[FIELD_START], &range.start) ||
	    (range.part == MAPPED_BYTES && !parse_hex(match->fields[FIELD_OFFSET], &range.offset)))
		return;
	if (match->fields[FIELD_END].size) {
		if (!parse_hex(match->fields[FIELD_END], &range.end))
			return;
	} else if (match->fields[FIELD_LENGTH].size) {
		if (!parse_hex(match->fields[FIELD_LENGTH], &range.end))
			return;
		range.end += range.start; /* one that wraps ends before its start, and counts as none */
	}
	if (name_module(map, match, build_id, &module))
		address_spaces_map(map->spaces, process, range, &module);
}

static void take_module(const struct code_map *map, const struct form_match *match)
{
	uint8_t build_id[MODULE_BUILD_ID_MAX];
	struct module_name module;

	if (name_module(map, match, build_id, &module))
		address_spaces_name(map->spaces, &module);
}

static void take_fork(const struct code_map *map, const struct form_match *match)
{
	uint64_t process, thread, parent;

	if (!parse_decimal(match->fields[FIELD_PROCESS], &process) ||
	    !parse_decimal(match->fields[FIELD_THREAD], &thread) ||
	    !parse_decimal(match->fields[FIELD_PARENT], &parent))
		return;
	if (process == parent)
		address_spaces_thread(map->spaces, process, thread);
	else
		address_spaces_fork(map->spaces, parent, process);
}

static void take_exec(const struct code_map *map, const struct form_match *match)
{
	uint64_t process;

	if (parse_decimal(match->fields[FIELD_PROCESS], &process))
		address_spaces_exec(map->spaces, process);
}

void code_map_take(const struct code_map *map, const struct form_match *match)
{
	if (match->form->kind == FORM_MAPPING)
		take_mapping(map, match);
	else if (match->form->kind == FORM_MODULE)
		take_module(map, match);
	else if (match->form->kind == FORM_FORK)
		take_fork(map, match);
	else if (match->form->kind == FORM_EXEC)
		take_exec(map, match);
}
