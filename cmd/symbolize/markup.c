/* Filters LLVM's symbolizer markup, a line at a time. */
#include "cmd/symbolize/markup.h"

#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/order.h"
#include "cmd/common/memory.h"
#include "cmd/common/report.h"
#include "cmd/common/string_compare.h"
#include "cmd/show/demangle.h"
#include "cmd/symbolize/markup_maps.h"

enum {
	FIELDS_MAX = 8,
	MODULES_MAX = 1 << 14, /* as many as mappings; text may be hostile: further ones stay as they are */
	SHOWN_MAPS_MAX = 64,   /* on one line */
};

static const char open_mark[] = "{{{", close_mark[] = "}}}";

enum { MARK_SIZE = sizeof(open_mark) - 1 };

/* {{{TAG:FIELD:FIELD...}}} */
struct element {
	struct locus_string text; /* the whole element */
	struct locus_string tag;
	struct locus_string fields[FIELDS_MAX];
	size_t field_count; /* may be above FIELDS_MAX: further fields are not kept */
};

struct markup_module {
	uint64_t id;
	struct locus_string path; /* owned */
	struct locus_string hex;  /* the build-id as written in the text; stored behind the path */
	uint8_t build_id[MODULE_BUILD_ID_MAX];
	size_t build_id_size;
};

/* The mode as it is shown: "r", "rx", ... */
struct shown_map {
	uint64_t start, size;
	size_t module; /* index */
	char mode[4];
};

struct markup {
	struct out *out;
	const struct output_bound *bound;
	struct symbol_sources *sources;
	const struct display *display;
	struct markup_module *modules;
	size_t module_count;
	uint16_t *modules_by_id; /* their indices */
	struct markup_maps maps;
	bool in_modules;     /* a line about a module was begun */
	size_t shown_module; /* index of that module */
	struct shown_map shown[SHOWN_MAPS_MAX];
	size_t shown_count;
	const char *line_break; /* of the line that was taken last */
};

struct markup *markup_new(struct out *out, const struct output_bound *bound, struct symbol_sources *sources,
			  const struct display *display)
{
	struct markup *markup = memory_checked(calloc(1, sizeof(*markup)));

	markup->out = out;
	markup->bound = bound;
	markup->sources = sources;
	markup->display = display;
	return markup;
}

static void forget_process(struct markup *markup)
{
	for (size_t i = 0; i < markup->module_count; i++)
		free((char *)markup->modules[i].path.data);
	markup->module_count = 0;
	markup_maps_clear(&markup->maps);
}

void markup_free(struct markup *markup)
{
	forget_process(markup);
	free(markup->modules);
	free(markup->modules_by_id);
	markup_maps_done(&markup->maps);
	free(markup);
}

/* ---- Reading elements ---- */

bool markup_is_in(const char *line, size_t size)
{
	return memmem(line, size, open_mark, MARK_SIZE) != NULL;
}

static void split_fields(struct locus_string content, struct element *ret)
{
	const char *colon = memchr(content.data, ':', content.size);

	ret->tag = (struct locus_string){content.data, colon ? (size_t)(colon - content.data) : content.size};
	ret->field_count = 0;
	while (colon) {
		const char *start = colon + 1, *end = content.data + content.size;
		colon = memchr(start, ':', (size_t)(end - start));
		if (ret->field_count < FIELDS_MAX)
			ret->fields[ret->field_count] =
				(struct locus_string){start, (size_t)((colon ? colon : end) - start)};
		ret->field_count++;
	}
}

/* Finds the first element in the text. An element without a tag does not count. */
static bool find_element(struct locus_string text, struct element *ret)
{
	const char *end = text.data + text.size, *open, *close;

	for (const char *at = text.data;; at = close + MARK_SIZE) {
		open = memmem(at, (size_t)(end - at), open_mark, MARK_SIZE);
		if (!open)
			return false;
		close = memmem(open + MARK_SIZE, (size_t)(end - open) - MARK_SIZE, close_mark, MARK_SIZE);
		if (!close)
			return false;
		ret->text = (struct locus_string){open, (size_t)(close - open) + MARK_SIZE};
		split_fields((struct locus_string){open + MARK_SIZE, ret->text.size - 2 * MARK_SIZE}, ret);
		if (ret->tag.size)
			return true;
	}
}

static bool parse_number(struct locus_string text, unsigned base, uint64_t *ret)
{
	uint64_t value = 0;

	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i];
		unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
				 : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
							: 16;
		if (digit >= base || value > (UINT64_MAX - digit) / base)
			return false;
		value = value * base + digit;
	}
	*ret = value;
	return text.size > 0;
}

/* Reads a %p of the format's description: 0x and digits, or zeros. */
static bool parse_address(struct locus_string text, uint64_t *ret)
{
	if (text.size > 2 && text.data[0] == '0' && text.data[1] == 'x')
		return parse_number((struct locus_string){text.data + 2, text.size - 2}, 16, ret);
	return parse_number(text, 10, ret) && *ret == 0;
}

/* Reads a %i: decimal, or hexadecimal with 0x. */
static bool parse_integer(struct locus_string text, uint64_t *ret)
{
	return parse_number(text, 10, ret) || parse_address(text, ret);
}

/* Reads a mode: r, w and x in this order, each of which may be missing; it is shown in lower case. */
static bool parse_mode(struct locus_string text, char ret[4])
{
	static const char letters[] = "rwx";
	size_t used = 0;

	for (size_t i = 0; i < 3 && used < text.size; i++) {
		if ((text.data[used] | 0x20) == letters[i])
			ret[used++] = letters[i];
	}
	ret[used] = '\0';
	return used > 0 && used == text.size;
}

/* ---- Modules and mappings ---- */

/* The first place in modules_by_id whose module has no lower id. */
static size_t module_place(const struct markup *markup, uint64_t id)
{
	size_t at;

	SEARCH_FIRST(at, 0, markup->module_count, markup->modules[markup->modules_by_id[at]].id >= id);
	return at;
}

static const struct markup_module *find_module(const struct markup *markup, uint64_t id)
{
	size_t at = module_place(markup, id);
	const struct markup_module *module =
		at < markup->module_count ? &markup->modules[markup->modules_by_id[at]] : NULL;

	return module && module->id == id ? module : NULL;
}

static void keep_module(struct markup *markup, const struct markup_module *module)
{
	size_t at = module_place(markup, module->id);
	uint16_t *place = &markup->modules_by_id[at];

	memmove(place + 1, place, (markup->module_count - at) * sizeof(*place));
	*place = (uint16_t)markup->module_count;
	markup->modules[markup->module_count++] = *module;
}

static int compare_shown(const void *a, const void *b)
{
	const struct shown_map *left = a, *right = b;

	return order_of(left->start, right->start);
}

void markup_end_modules(struct markup *markup)
{
	struct out *out = markup->out;

	if (!markup->in_modules)
		return;
	qsort(markup->shown, markup->shown_count, sizeof(*markup->shown), compare_shown);
	for (size_t i = 0; i < markup->shown_count; i++) {
		const struct shown_map *map = &markup->shown[i];
		out_text(out, i == 0 ? " [" : ",[");
		out_hex(out, map->start);
		out_char(out, '-');
		out_hex(out, map->start + map->size - 1);
		out_format(out, "](%s)", map->mode);
	}
	out_text(out, "]]]");
	out_text(out, markup->line_break);
	markup->in_modules = false;
}

static void begin_modules(struct markup *markup, size_t index)
{
	const struct markup_module *module = &markup->modules[index];

	out_text(markup->out, "[[[ELF module #");
	out_hex(markup->out, module->id);
	out_text(markup->out, " \"");
	out_bytes(markup->out, module->path.data, module->path.size);
	out_text(markup->out, "\"; ");
	markup->in_modules = true;
	markup->shown_module = index;
	markup->shown_count = 0;
}

static void lower_hex(char *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		data[i] = (char)(data[i] >= 'A' && data[i] <= 'F' ? data[i] | 0x20 : data[i]);
}

/* Handles {{{module:ID:PATH:elf:BUILDID}}}. */
static bool add_module(struct markup *markup, const struct element *element)
{
	const struct locus_string *fields = element->fields;
	struct markup_module module = {0};

	if (element->field_count != 4 || !string_is(fields[2], "elf") || !parse_integer(fields[0], &module.id) ||
	    fields[1].size > MODULE_PATH_MAX || markup->module_count == MODULES_MAX || find_module(markup, module.id))
		return false;
	module.build_id_size = build_id_parse(fields[3], module.build_id);
	if (!module.build_id_size)
		return false;
	if (!markup->modules) {
		markup->modules = memory_checked(calloc(MODULES_MAX, sizeof(*markup->modules)));
		markup->modules_by_id = memory_checked(calloc(MODULES_MAX, sizeof(*markup->modules_by_id)));
	}

	char *text = memory_checked(malloc(fields[1].size + fields[3].size));
	memcpy(text, fields[1].data, fields[1].size);
	memcpy(text + fields[1].size, fields[3].data, fields[3].size);
	lower_hex(text + fields[1].size, fields[3].size);
	module.path = (struct locus_string){text, fields[1].size};
	module.hex = (struct locus_string){text + fields[1].size, fields[3].size};
	keep_module(markup, &module);
	return true;
}

/* Handles {{{mmap:START:SIZE:load:MODULE:MODE:RELATIVE}}}. */
static bool add_map(struct markup *markup, const struct element *element, struct shown_map *ret)
{
	const struct locus_string *fields = element->fields;
	const struct markup_module *module;
	struct markup_map map;
	uint64_t id;

	if (element->field_count != 6 || !string_is(fields[2], "load") || !parse_address(fields[0], &map.start) ||
	    !parse_integer(fields[1], &map.size) || map.size == 0 || !parse_integer(fields[3], &id) ||
	    !parse_mode(fields[4], ret->mode) || !parse_address(fields[5], &map.relative))
		return false;
	module = find_module(markup, id);
	if (!module)
		return false;
	map.module = (size_t)(module - markup->modules);
	if (!markup_maps_add(&markup->maps, &map))
		return false;
	ret->module = map.module;
	ret->start = map.start;
	ret->size = map.size;
	return true;
}

/* ---- Elements that are shown ---- */

/* Writes an element that cannot be replaced in brackets of its own: llvm-symbolizer marks so that it was looked at. */
static void put_raw(struct out *out, const struct element *element)
{
	out_text(out, "[[[");
	out_bytes(out, element->text.data + MARK_SIZE, element->text.size - 2 * MARK_SIZE);
	out_text(out, "]]]");
}

/* What is known of an address of a process. */
struct markup_place {
	uint64_t address;
	const struct markup_module *module;
	uint64_t relative;
	struct symbol_file *symbols; /* NULL: no symbols, or nothing is known there */
	struct locus_result result;
};

/* Looks an address up in the module's symbols, if there are any. A failure is reported, and nothing is known then. */
static void look_up(struct markup *markup, struct markup_place *place)
{
	const struct markup_module *module = place->module;
	struct module_name name = {.path = module->path,
				   .build_id = {(const char *)module->build_id, module->build_id_size}};
	struct locus_error error;
	enum locus_status status = LOCUS_OK;

	error_clear(&error);
	place->symbols = symbol_sources_find(markup->sources, &name);
	if (place->symbols)
		status = output_bound_check(markup->bound, &error);
	if (place->symbols && status == LOCUS_OK)
		status = symbol_file_lookup(place->symbols, place->relative, &place->result, &error);
	if (status != LOCUS_OK)
		symbol_sources_report_failure(markup->sources, status, &error);
	if (status != LOCUS_OK || !place->result.frame_count)
		place->symbols = NULL;
}

/* Finds what is known of an address. False: no mapping covers it. */
static bool find_place(struct markup *markup, uint64_t address, struct markup_place *ret)
{
	const struct markup_map *map = markup_maps_find(&markup->maps, address);

	if (!map)
		return false;
	*ret = (struct markup_place){.address = address, .module = &markup->modules[map->module]};
	ret->relative = address - map->start + map->relative;
	look_up(markup, ret);
	return true;
}

/* Whether an address is behind a call: the third field says so, or else the kind of element. */
static bool parse_kind(const struct element *element, size_t index, bool *ret_behind)
{
	if (element->field_count <= index)
		return true;
	*ret_behind = string_is(element->fields[index], "ra");
	return *ret_behind || string_is(element->fields[index], "pc");
}

static void put_function(struct markup *markup, const struct markup_place *place, const struct locus_frame *frame)
{
	display_function(markup->display, markup->out,
			 function_labels_get(place->symbols->names, frame->function_id, frame->function, frame->linkage,
					     frame->language),
			 frame->language);
}

/* Writes FILE:LINE; here, unknown parts are written, too. */
static void put_source(struct markup *markup, const struct markup_place *place, const struct locus_frame *frame)
{
	if (frame->file.size)
		display_source(markup->display, &place->symbols->paths, frame);
	else
		out_text(markup->out, "<invalid>");
	if (!frame->line)
		out_text(markup->out, ":0");
}

/* Handles {{{pc:ADDRESS}}}. */
static bool put_pc(struct markup *markup, const struct element *element)
{
	struct markup_place place;
	bool behind = false;
	uint64_t address;

	if (element->field_count < 1 || element->field_count > 2 || !parse_address(element->fields[0], &address) ||
	    !parse_kind(element, 1, &behind))
		return false;
	if (!find_place(markup, address - (behind ? 1 : 0), &place) || !place.symbols) {
		put_raw(markup->out, element);
		return true;
	}
	struct locus_frame frame = place.result.frames[0];
	frame.column = 0; /* columns are not shown here */
	put_function(markup, &place, &frame);
	out_char(markup->out, '[');
	put_source(markup, &place, &frame);
	out_char(markup->out, ']');
	return true;
}

static size_t line_count(const struct markup_place *place)
{
	return place->symbols ? place->result.frame_count : 1;
}

/* Writes line `index` for {{{bt:...}}}: inlined functions are numbered 3.1, 3.2, ..., the function around them is 3. */
static void put_frame(struct markup *markup, const struct element *element, const struct markup_place *place,
		      size_t index)
{
	struct out *out = markup->out;
	int width = (int)element->fields[0].size;

	out_format(out, "%*s#%.*s", width < 5 ? 5 - width : 0, "", width, element->fields[0].data);
	if (index + 1 < line_count(place))
		out_format(out, ".%-2zu", index + 1);
	else
		out_text(out, "   ");
	out_format(out, " 0x%016llx ", (unsigned long long)place->address);
	if (place->symbols) {
		put_function(markup, place, &place->result.frames[index]);
		out_char(out, ' ');
		put_source(markup, place, &place->result.frames[index]);
		out_text(out, place->result.frames[index].column ? " " : ":0 "); /* an unknown column is shown as 0 */
	}
	out_char(out, '(');
	out_bytes(out, place->module->path.data, place->module->path.size);
	out_char(out, '+');
	out_hex(out, place->relative);
	out_char(out, ')');
}

/* Handles {{{bt:NUMBER:ADDRESS}}}. */
static bool put_backtrace(struct markup *markup, const struct element *element)
{
	enum { DIGITS_MAX = 19 }; /* of a frame's number */
	struct markup_place place;
	bool behind = true;
	uint64_t address, number;

	if (element->field_count < 2 || element->field_count > 3 || element->fields[0].size > DIGITS_MAX ||
	    !parse_number(element->fields[0], 10, &number) || !parse_address(element->fields[1], &address) ||
	    !parse_kind(element, 2, &behind))
		return false;
	address -= behind ? 1 : 0;
	if (!find_place(markup, address, &place)) {
		put_raw(markup->out, element);
		return true;
	}
	for (size_t i = 0; i < line_count(&place); i++) {
		if (i > 0)
			out_text(markup->out, markup->line_break);
		put_frame(markup, element, &place, i);
	}
	return true;
}

/* Handles {{{symbol:_Z3foov}}}. */
static bool put_symbol(struct markup *markup, const struct element *element)
{
	char text[DEMANGLED_SIZE_MAX];
	size_t size;

	if (element->field_count != 1)
		return false;
	size = demangle(element->fields[0].data, element->fields[0].size, 0, text);
	if (size)
		out_escaped(markup->out, text, size);
	else
		out_bytes(markup->out, element->fields[0].data, element->fields[0].size);
	return true;
}

/* For data: a .locus file has only code. */
static bool put_data(struct markup *markup, const struct element *element)
{
	put_raw(markup->out, element);
	return true;
}

static void put_element(struct markup *markup, const struct element *element)
{
	static const struct {
		const char *tag;
		bool (*put)(struct markup *, const struct element *);
	} shown[] = {{"bt", put_backtrace}, {"pc", put_pc}, {"symbol", put_symbol}, {"data", put_data}};

	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		if (string_is(element->tag, shown[i].tag) && shown[i].put(markup, element))
			return;
	}
	out_bytes(markup->out, element->text.data, element->text.size);
}

/* ---- Lines ---- */

static void put_text(struct markup *markup, struct locus_string text)
{
	struct element element;

	while (find_element(text, &element)) {
		size_t before = (size_t)(element.text.data - text.data);
		out_bytes(markup->out, text.data, before);
		put_element(markup, &element);
		text.data += before + element.text.size;
		text.size -= before + element.text.size;
	}
	out_bytes(markup->out, text.data, text.size);
}

/*
 * Handles an element about the process, which stands for no text: the text before it is written, and the rest of the
 * line is dropped. False: it is another element, or not well-formed.
 */
static bool take_context(struct markup *markup, const struct element *element, struct locus_string before)
{
	if (string_is(element->tag, "module") && add_module(markup, element)) {
		const struct markup_module *module = &markup->modules[markup->module_count - 1];
		markup_end_modules(markup);
		put_text(markup, before);
		begin_modules(markup, markup->module_count - 1);
		out_text(markup->out, "BuildID=");
		out_bytes(markup->out, module->hex.data, module->hex.size);
		return true;
	}

	struct shown_map map;
	if (string_is(element->tag, "mmap") && add_map(markup, element, &map)) {
		if (!markup->in_modules || markup->shown_module != map.module ||
		    markup->shown_count == SHOWN_MAPS_MAX) {
			markup_end_modules(markup);
			put_text(markup, before);
			begin_modules(markup, map.module);
			out_text(markup->out, "adds");
		}
		markup->shown[markup->shown_count++] = map;
		return true;
	}
	return false;
}

static bool take_reset(struct markup *markup, const struct element *element, struct locus_string before)
{
	if (!string_is(element->tag, "reset") || element->field_count)
		return false;
	if (markup->module_count) {
		markup_end_modules(markup);
		put_text(markup, before);
		put_raw(markup->out, element);
		out_text(markup->out, markup->line_break);
		forget_process(markup);
	}
	return true;
}

void markup_end_text(struct markup *markup)
{
	markup_end_modules(markup);
	forget_process(markup);
}

void markup_line(struct markup *markup, const struct text_piece *line)
{
	struct locus_string text = {line->data, line->size}, rest = text;
	struct element element;

	markup->line_break = line->line_break;
	while (find_element(rest, &element)) {
		struct locus_string before = {text.data, (size_t)(element.text.data - text.data)};
		if (take_context(markup, &element, before) || take_reset(markup, &element, before))
			return;
		rest.data = element.text.data + element.text.size;
		rest.size = text.size - before.size - element.text.size;
	}
	markup_end_modules(markup);
	put_text(markup, text);
	out_text(markup->out, line->line_end);
}
