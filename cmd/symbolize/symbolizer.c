/* Recognises frames, finds their place in a module, and writes what is there. */
#include "cmd/symbolize/symbolizer.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/common/memory.h"
#include "cmd/common/page_size.h"
#include "cmd/common/report.h"
#include "cmd/common/return_address.h"
#include "cmd/common/string_compare.h"
#include "cmd/symbolize/address_spaces.h"
#include "cmd/symbolize/forms_library.h"
#include "cmd/symbolize/frame_text.h"
#include "cmd/symbolize/json_line.h"
#include "cmd/symbolize/markup.h"
#include "cmd/symbolize/signal_return.h"

/* The address at which valgrind loads position-independent programs; libraries come from VALGRIND_LIBRARIES on. */
enum { VALGRIND_PROGRAM = 0x108000, VALGRIND_LIBRARIES = 0x4000000 };

/* The stack that is being read. */
struct stack {
	bool is_first;         /* its next frame is the first */
	bool is_behind_header; /* and stands right behind the header of its form */
	bool was_signal;       /* the last frame was a signal's, so the next one was interrupted and did not call */
	bool was_kernel;       /* it was Linux's, entered by no system call, so the next one was interrupted too */
	uint64_t added;        /* number of lines, and of frame numbers, added for inlined functions */
	uint64_t process;      /* the process; 0: the text does not say */
};

/*
 * Lines for functions that were inlined into one frame, which the text itself has and which are kept back: what the
 * symbols say of the frame has them, too, with their places, and takes their place.
 */
struct held {
	bool is_first; /* their frame is the first of its stack */
	uint64_t address;
	size_t size; /* 0: none */
	char lines[1 << 16];
};

/*
 * The last place of which the text said that the processor was there, until its frame comes: an address, or one in the
 * function SYMBOL.
 */
struct told {
	uint64_t address;
	size_t size; /* of the symbol; 0: there is none */
	char symbol[256];
};

enum { LINE_END_MAX = 3 /* "\r\n" */ };

/* A line without what sets colours in it. All of that stands before its end, so that what follows has the same one. */
struct plain_line {
	struct text_piece piece;
	char text[STREAM_LINE_MAX];
	char line_end[STREAM_LINE_MAX + LINE_END_MAX];
};

struct symbolizer {
	struct out *out;
	struct output_bound bound;
	struct symbol_sources *sources;
	struct display display; /* in a line of JSON without colours */
	const struct forms_library *library;
	struct forms *forms;
	struct frame_templates *templates;
	struct address_spaces *spaces;
	struct markup *markup;
	struct signal_returns *signal_returns;
	struct stack stack;
	struct held held;
	struct plain_line plain;
	const struct text_piece *coloured; /* the line that `plain` was made of; NULL: it is not in use */
	struct told told;
	char unescaped[sizeof(((struct out *)NULL)->buffer)]; /* a part of JSON's strings, while it is escaped */
	bool is_in_stack;  /* the last line of a known form was one of a stack, and no empty line came since */
	bool is_behind_it; /* it was the line before */
};

/* Linux loads no program below this address, so an address below it is a position in its file, or made up. */
enum { FIXED_PROGRAM = 0x10000 };

enum { LINE_BREAK_MAX = 256 };

/* The answer for a place. */
struct found {
	struct symbol_file *symbols;
	struct locus_result result;
	uint64_t behind; /* how many bytes before the address the lookup was made: by the last byte of a call */
};

/* What is between an address in the text and the one to look up. */
enum step {
	STEP_NONE,   /* nothing */
	STEP_BACK,   /* it is a return address, and the call is looked up */
	STEP_MADE,   /* it was one: who wrote the text has stepped back already */
	STEP_UNDONE, /* who wrote the text has stepped back from it, but it was none */
};

/* The place in the code that a frame means. */
struct place {
	struct symbol_file *symbols;
	uint64_t address;
};

struct symbolizer *symbolizer_new(struct out *out, struct symbol_sources *sources, const struct display *display)
{
	const struct forms_library *library = forms_library_load();
	const struct form *table;
	size_t count;

	if (!library)
		return NULL;
	struct symbolizer *symbolizer = memory_checked(calloc(1, sizeof(*symbolizer)));
	symbolizer->forms = memory_checked(library->new ());
	table = library->table(&count);
	symbolizer->out = out;
	symbolizer->sources = sources;
	symbolizer->display = *display;
	symbolizer->library = library;
	symbolizer->templates = frame_templates_new(table, count, library->field_name);
	symbolizer->spaces = address_spaces_new();
	symbolizer->bound.out = out;
	symbolizer->markup = markup_new(out, &symbolizer->bound, sources, &symbolizer->display);
	symbolizer->signal_returns = signal_returns_new();
	return symbolizer;
}

void symbolizer_free(struct symbolizer *symbolizer)
{
	signal_returns_free(symbolizer->signal_returns);
	markup_free(symbolizer->markup);
	address_spaces_free(symbolizer->spaces);
	frame_templates_free(symbolizer->templates);
	symbolizer->library->free(symbolizer->forms);
	free(symbolizer);
}

/* ---- Fields ---- */

/* Reads hexadecimal digits, with 0x or without. False: there are none, or they exceed 64 bits. */
static bool parse_hex(struct locus_string text, uint64_t *ret)
{
	uint64_t value = 0;

	if (text.size > 2 && text.data[1] == 'x') {
		text.data += 2;
		text.size -= 2;
	}
	for (size_t i = 0; i < text.size; i++) {
		unsigned char c = (unsigned char)text.data[i];
		if (value >> 60)
			return false;
		value = value << 4 | (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	*ret = value;
	return text.size > 0;
}

static bool starts_with(struct locus_string text, const char *prefix)
{
	return text.size >= strlen(prefix) && memcmp(text.data, prefix, strlen(prefix)) == 0;
}

/* Names in brackets are the kernel's in perf's output: [kernel.kallsyms], [ext4]. [vdso] has no file. */
static struct locus_string module_path(const struct form_match *match)
{
	static const char *const without_file[] = {"[vdso]",  "[vsyscall]", "[heap]",
						   "[stack]", "[unknown]",  "[uprobes]"};
	struct locus_string path = match->fields[FIELD_MODULE];

	if (!path.size && match->form->module)
		return (struct locus_string){match->form->module, strlen(match->form->module)};
	if (!path.size || path.data[0] != '[')
		return path;
	for (size_t i = 0; i < sizeof(without_file) / sizeof(without_file[0]); i++) {
		if (string_is(path, without_file[i]))
			return (struct locus_string){NULL, 0};
	}
	if (starts_with(path, "[kernel") || starts_with(path, "[guest.kernel"))
		return (struct locus_string){"vmlinux", strlen("vmlinux")};
	bool is_closed = path.size > 1 && path.data[path.size - 1] == ']';
	return is_closed ? (struct locus_string){path.data + 1, path.size - 2} : path;
}

/* ---- Where a frame is ---- */

/* Whether the text or the user has said which file a module is. */
static bool is_given(const struct symbolizer *symbolizer, const struct module_name *module)
{
	return module->build_id.size || symbol_sources_is_given(symbolizer->sources, module->path);
}

/*
 * The module with this path, or, where the path may be the end of a title, the program that has it. Titles are free
 * text, so a file that merely lies in the current folder does not count as the program.
 */
static struct module_name module_or_program(struct symbolizer *symbolizer, const struct form_match *match,
					    struct locus_string path)
{
	struct module_name module = address_spaces_module(symbolizer->spaces, path);

	if (!match->program.size || is_given(symbolizer, &module))
		return module;
	struct module_name program = address_spaces_module(symbolizer->spaces, match->program);
	return is_given(symbolizer, &program) ? program : address_spaces_module(symbolizer->spaces, path);
}

/* The module that a frame or mapping names, with the build-id given there, or given for the name before. */
static bool name_module(struct symbolizer *symbolizer, const struct form_match *match,
			uint8_t build_id[MODULE_BUILD_ID_MAX], struct module_name *ret)
{
	struct locus_string hex = match->fields[FIELD_BUILD_ID];
	struct locus_string path = module_path(match);

	*ret = path.size ? module_or_program(symbolizer, match, path) : (struct module_name){0};
	/* What stands behind the path keeps the file that is there now from answering, unless its build is known. */
	if (match->fields[FIELD_DELETED].size && !ret->build_id.size)
		ret->path = (struct locus_string){path.data, path.size + match->fields[FIELD_DELETED].size};
	if (hex.size) {
		ret->build_id = (struct locus_string){(const char *)build_id, build_id_parse(hex, build_id)};
		if (!ret->build_id.size)
			return false;
	}
	return path.size || hex.size;
}

static struct symbol_file *find_module(struct symbolizer *symbolizer, const struct form_match *match)
{
	uint8_t build_id[MODULE_BUILD_ID_MAX];
	struct module_name module;

	return name_module(symbolizer, match, build_id, &module) ? symbol_sources_find(symbolizer->sources, &module)
								 : NULL;
}

static bool locate_in_function(struct symbolizer *symbolizer, const struct form_match *match, struct place *ret)
{
	struct function_offset place = {.name = match->fields[FIELD_SYMBOL]};
	struct locus_error error;
	enum locus_status status;
	bool is_found;

	ret->symbols = find_module(symbolizer, match);
	if (!ret->symbols || !parse_hex(match->fields[FIELD_DELTA], &place.delta))
		return false;
	parse_hex(match->fields[FIELD_SIZE], &place.size);
	error_clear(&error);
	status = symbol_file_find_function(ret->symbols, &place, &is_found, &ret->address, &error);
	if (status != LOCUS_OK)
		symbol_sources_report_failure(symbolizer->sources, status, &error);
	return is_found;
}

static bool locate_mapped(struct symbolizer *symbolizer, const struct mapping *mapping, uint64_t runtime,
			  struct place *ret)
{
	struct module_name module = mapping_module(mapping);
	uint64_t base = address_spaces_base(symbolizer->spaces, symbolizer->stack.process, mapping);

	ret->symbols = symbol_sources_find(symbolizer->sources, &module);
	if (!ret->symbols)
		return false;
	ret->address =
		symbol_file_mapped_address(ret->symbols, runtime, mapping->range.start,
					   mapping->range.end - mapping->range.start, mapping->range.offset, base);
	return true;
}

/*
 * Finds the place without a mapping. In an executable that is not position-independent, the address is that of the
 * file. For others, perf prints positions in the file with stacks. Neither works for the kernel, which is loaded
 * anywhere, nor for a file whose code is elsewhere than perf assumes: there, the offset in the function decides.
 */
static bool locate_unmapped(struct symbolizer *symbolizer, const struct form_match *match, uint64_t runtime,
			    struct place *ret)
{
	struct locus_string module = match->fields[FIELD_MODULE];
	bool is_kernel = module.size && module.data[0] == '[';

	ret->symbols = module.size ? find_module(symbolizer, match) : symbol_sources_only(symbolizer->sources);
	if (!ret->symbols || (!module.size && !symbol_file_is_fixed(ret->symbols)))
		return false;
	if (match->fields[FIELD_DELTA].size && (is_kernel || symbol_file_is_fixed(ret->symbols)) &&
	    locate_in_function(symbolizer, match, ret))
		return true;
	ret->address = runtime;
	if (module.size && (!symbol_file_is_fixed(ret->symbols) || runtime < FIXED_PROGRAM))
		symbol_file_find_position(ret->symbols, runtime, &ret->address);
	return !is_kernel;
}

static bool locate_runtime(struct symbolizer *symbolizer, const struct form_match *match, struct place *ret)
{
	const struct mapping *mapping;
	uint64_t runtime;

	if (!parse_hex(match->fields[FIELD_ADDRESS], &runtime))
		return false;
	mapping = address_spaces_find(symbolizer->spaces, symbolizer->stack.process, runtime);
	return mapping ? locate_mapped(symbolizer, mapping, runtime, ret)
		       : locate_unmapped(symbolizer, match, runtime, ret);
}

static bool locate_under_valgrind(struct symbolizer *symbolizer, const struct form_match *match, struct place *ret)
{
	uint64_t runtime;

	if (!locate_runtime(symbolizer, match, ret) || !parse_hex(match->fields[FIELD_ADDRESS], &runtime))
		return false;
	if (ret->address != runtime || symbol_file_is_fixed(ret->symbols))
		return true;
	if (ret->address < VALGRIND_PROGRAM || ret->address >= VALGRIND_LIBRARIES)
		return false;
	ret->address -= VALGRIND_PROGRAM;
	return true;
}

static bool locate_in_module(struct symbolizer *symbolizer, const struct form_match *match, struct place *ret)
{
	uint64_t offset;

	ret->symbols = find_module(symbolizer, match);
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

static bool locate_in_segment(struct symbolizer *symbolizer, const struct form_match *match, struct place *ret)
{
	uint64_t runtime, start, size;

	ret->symbols = find_module(symbolizer, match);
	return ret->symbols && parse_hex(match->fields[FIELD_ADDRESS], &runtime) &&
	       parse_hex(match->fields[FIELD_START], &start) && parse_hex(match->fields[FIELD_LENGTH], &size) &&
	       symbol_file_find_in_segment(ret->symbols, runtime, start, size, &ret->address);
}

/*
 * Finds the place of a frame in a program that may have a title, by the mapping that its address is in. An offset in
 * the file that is given, too, must agree.
 */
static bool locate_titled(struct symbolizer *symbolizer, const struct form_match *match, struct place *ret)
{
	struct locus_string module = match->fields[FIELD_MODULE];
	const struct mapping *mapping;
	uint64_t runtime, offset;

	if (!match->form->has_titles || memchr(module.data, '/', module.size) ||
	    !parse_hex(match->fields[FIELD_ADDRESS], &runtime))
		return false;
	mapping = address_spaces_find(symbolizer->spaces, symbolizer->stack.process, runtime);
	if (!mapping || !locate_mapped(symbolizer, mapping, runtime, ret))
		return false;
	return !parse_hex(match->fields[FIELD_OFFSET], &offset) || offset == ret->address;
}

/*
 * Whether a place in a function, of which the text also says where it was at run time, may have been there: programs
 * are loaded in whole pages.
 */
static bool fits_address(const struct form_match *match, const struct place *place)
{
	const uint64_t in_page = PAGE_SIZE_MIN - 1;
	uint64_t runtime;

	if (match->form->address != ADDRESS_IN_FUNCTION || !parse_hex(match->fields[FIELD_ADDRESS], &runtime) ||
	    runtime < FIXED_PROGRAM)
		return true;
	return symbol_file_is_fixed(place->symbols) ? runtime == place->address
						    : ((runtime - place->address) & in_page) == 0;
}

static bool locate(struct symbolizer *symbolizer, const struct form_match *match, struct place *ret)
{
	ret->symbols = NULL;
	if (locate_titled(symbolizer, match, ret))
		return true;
	switch (match->form->address) {
	case ADDRESS_OF_MODULE:
	case ADDRESS_FROM_LOWEST:
	case ADDRESS_IN_FILE:
		return locate_in_module(symbolizer, match, ret);
	case ADDRESS_RUNTIME:
		return locate_runtime(symbolizer, match, ret);
	case ADDRESS_IN_SEGMENT:
		return locate_in_segment(symbolizer, match, ret);
	case ADDRESS_UNDER_VALGRIND:
		return locate_under_valgrind(symbolizer, match, ret);
	case ADDRESS_IN_FUNCTION:
		return locate_in_function(symbolizer, match, ret);
	}
	return false;
}

/* ---- What is there ---- */

/* The frame whose own code is there: the one that all others were inlined into; NULL: nothing is known. */
static const struct locus_frame *own_frame(const struct locus_result *result)
{
	return result->frame_count ? &result->frames[result->frame_count - 1] : NULL;
}

static struct locus_string function_name(const struct locus_frame *frame)
{
	return frame->linkage.size ? frame->linkage : frame->function;
}

static bool is_in_function(const struct locus_result *result)
{
	const struct locus_frame *own = own_frame(result);

	return own && function_name(own).size;
}

static bool starts_function(const struct locus_result *result)
{
	return is_in_function(result) && own_frame(result)->offset == 0;
}

static bool starts_signal_return(const struct locus_result *result)
{
	return starts_function(result) && signal_return_is_name(function_name(own_frame(result)));
}

static bool look_up_at(struct symbolizer *symbolizer, struct found *found, uint64_t address)
{
	struct locus_error error;
	enum locus_status status;

	error_clear(&error);
	status = output_bound_check(&symbolizer->bound, &error);
	if (status == LOCUS_OK)
		status = symbol_file_lookup(found->symbols, address, &found->result, &error);
	if (status != LOCUS_OK)
		symbol_sources_report_failure(symbolizer->sources, status, &error);
	return status == LOCUS_OK;
}

/*
 * Looks the place up; if it is behind a call, by the last byte of that. That byte may as well be the last one before
 * what a signal's handler returns to, which nothing called; or before a function, and in none itself, so that no call
 * is there and a signal came where the function starts.
 */
static bool look_up(struct symbolizer *symbolizer, const struct place *place, enum step step, struct found *ret)
{
	struct stack *stack = &symbolizer->stack;
	uint64_t at = place->address;

	ret->symbols = place->symbols;
	if (step == STEP_BACK)
		at = return_address_call(at, place->symbols->info->elf_machine);
	else if (step == STEP_UNDONE)
		at++;
	ret->behind = step == STEP_BACK ? place->address - at : 0;
	if (!look_up_at(symbolizer, ret, at))
		return false;
	if ((ret->behind || step == STEP_MADE) && ret->result.interval.end == at + 1) {
		bool may_be_call = is_in_function(&ret->result);
		if (!look_up_at(symbolizer, ret, at + 1))
			return false;
		if (starts_signal_return(&ret->result))
			stack->was_signal = true;
		else if (may_be_call || !starts_function(&ret->result))
			return look_up_at(symbolizer, ret, at) && ret->result.frame_count > 0;
		ret->behind = 0;
	}
	return ret->result.frame_count > 0;
}

/*
 * Whether a place is where a function of Linux starts. Of a return address Linux tells the function that has the byte
 * before it, so that this is none: it is a pointer to the function, as of an initcall or a timer.
 */
static bool is_pointer(const struct form_match *match)
{
	uint64_t delta;

	return match->fields[FIELD_SIZE].size && parse_hex(match->fields[FIELD_DELTA], &delta) && delta == 0;
}

/* Whether perf says that a frame is Linux's: such modules are in brackets. */
static bool is_of_kernel(const struct form_match *match)
{
	struct locus_string module = match->fields[FIELD_MODULE];

	return module.size && module.data[0] == '[' && module_path(match).size;
}

/* The addresses behind system calls are behind an instruction for that, as return addresses are. */
static bool is_system_call(const struct form_match *match)
{
	return starts_with(match->fields[FIELD_SYMBOL], "entry_");
}

/* Whether an answer comes from debug information, which has the inlined functions, too. */
static bool has_lines(const struct locus_result *result)
{
	return result->frame_count > 1 || result->frames[0].has_line;
}

/*
 * Finds which file a frame is in, and where: by its position there, by an address of a library, where both are equal,
 * or by a mapping. False: the text does not say.
 */
static bool find_position(struct symbolizer *symbolizer, const struct form_match *match, struct locus_string *ret_path,
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
	mapping = address_spaces_find(symbolizer->spaces, symbolizer->stack.process, runtime);
	if (!mapping)
		return false;
	*ret_path = mapping_module(mapping).path;
	*ret = runtime - mapping->range.start + mapping->range.offset;
	return true;
}

/*
 * Whether the module's file has there what a signal's handler returns to. Frames of some forms do not say where that
 * is; valgrind's only where in a page of memory.
 */
static bool is_signal_return(struct symbolizer *symbolizer, const struct form_match *match)
{
	struct signal_returns *returns = symbolizer->signal_returns;
	uint64_t step = match->form->calls == CALLS_STEPPED ? 1 : 0, at;
	struct locus_string path;

	if (match->form->calls == CALLS_NONE)
		return false;
	if (match->form->address == ADDRESS_UNDER_VALGRIND)
		return parse_hex(match->fields[FIELD_ADDRESS], &at) &&
		       signal_return_is_in_page(returns, match->fields[FIELD_MODULE], (at + step) % PAGE_SIZE_MIN);
	return find_position(symbolizer, match, &path, &at) && signal_return_is_at(returns, path, at + step);
}

/* Whether the function has the name that the text gives, but starts elsewhere than the text says. */
static bool is_shifted(const struct form_match *match, const struct found *found)
{
	const struct locus_frame *outer = &found->result.frames[found->result.frame_count - 1];
	uint64_t delta;

	return parse_hex(match->fields[FIELD_DELTA], &delta) && outer->offset + found->behind != delta &&
	       strings_are_equal(match->fields[FIELD_SYMBOL], outer->linkage.size ? outer->linkage : outer->function);
}

/* Looks up what a frame means. What contradicts the text is of another build than that, and not used. */
static bool find_answer(struct symbolizer *symbolizer, const struct form_match *match, enum step step,
			struct found *ret)
{
	struct place place;

	if (!locate(symbolizer, match, &place) || !look_up(symbolizer, &place, step, ret))
		return false;
	if (fits_address(match, &place) && !is_shifted(match, ret))
		return true;
	symbol_sources_report_misfit(symbolizer->sources);
	return false;
}

/*
 * Whether a frame, which by its form is behind a call, is a place of which the text has said before that the processor
 * was there: Go's first frame behind a signal, or that of a stack of Linux where the processor was, as on arm64. That
 * is one frame, the first with this place.
 */
static bool was_told(struct symbolizer *symbolizer, const struct form_match *match)
{
	struct told *told = &symbolizer->told;
	enum form_calls calls = match->form->calls;
	bool is_linux = match->form->address == ADDRESS_IN_FUNCTION && match->fields[FIELD_SIZE].size;
	struct locus_string symbol = is_linux ? match->fields[FIELD_SYMBOL] : (struct locus_string){NULL, 0};
	uint64_t address;

	if ((!is_linux && match->form->address != ADDRESS_RUNTIME) || symbol.size > sizeof(told->symbol) ||
	    !parse_hex(match->fields[is_linux ? FIELD_DELTA : FIELD_ADDRESS], &address))
		return false;
	bool is_told = calls == CALLS_ALL && address == told->address &&
		       strings_are_equal(symbol, (struct locus_string){told->symbol, told->size});
	if (is_told)
		*told = (struct told){0};
	if (calls != CALLS_NONE)
		return is_told;
	told->address = address;
	told->size = symbol.size;
	if (symbol.size)
		memcpy(told->symbol, symbol.data, symbol.size);
	return false;
}

/*
 * Whether a frame is where Linux on arm64 is entered by an exception, in the kernel itself: behind it comes what was
 * interrupted, which Linux marks so only since 6.13.
 */
static bool is_exception_entry(const struct form_match *match)
{
	static const char *const names[] = {"el1h_64_sync", "el1h_64_irq", "el1h_64_fiq", "el1h_64_error",
					    "el1t_64_sync", "el1t_64_irq", "el1t_64_fiq", "el1t_64_error",
					    "el1_sync",     "el1_irq",     "el1_fiq",     "el1_error"};

	for (size_t i = 0; match->fields[FIELD_SIZE].size && i < sizeof(names) / sizeof(names[0]); i++) {
		if (string_is(match->fields[FIELD_SYMBOL], names[i]))
			return true;
	}
	return false;
}

/* What is between a frame's address and the one to look up, by its form and the text before it. */
static enum step find_step(struct symbolizer *symbolizer, const struct form_match *match)
{
	const struct stack *stack = &symbolizer->stack;
	enum form_calls calls = match->form->calls;
	bool may_call = calls == CALLS_ALL ? !stack->is_behind_header : calls == CALLS_BEHIND_FIRST && !stack->is_first;
	bool was_interrupted = stack->was_signal || (stack->was_kernel && !is_of_kernel(match));

	if (calls == CALLS_STEPPED && !stack->is_first)
		return stack->was_signal ? STEP_UNDONE : STEP_MADE;
	bool is_place = was_told(symbolizer, match) || was_interrupted || is_pointer(match);
	return may_call && !is_place ? STEP_BACK : STEP_NONE;
}

/* Finds the answer for the place that a frame means. */
static bool find_frame(struct symbolizer *symbolizer, const struct form_match *match, struct found *ret)
{
	struct stack *stack = &symbolizer->stack;
	enum step step = find_step(symbolizer, match);

	stack->was_signal = stack->is_behind_header = false; /* of whatever frame it was, known or not */
	bool is_found = find_answer(symbolizer, match, step, ret);

	/* No compiler made that code, so where there is a line it is other code. */
	if (signal_return_is_name(match->fields[FIELD_SYMBOL]) || is_exception_entry(match) ||
	    (!(is_found && has_lines(&ret->result)) && is_signal_return(symbolizer, match)))
		stack->was_signal = true;
	stack->was_kernel = is_of_kernel(match) && !is_system_call(match);
	return is_found;
}

/* ---- Lines ---- */

/* The line as it stands in the text. */
static const struct text_piece *original(const struct symbolizer *symbolizer, const struct text_piece *piece)
{
	return symbolizer->coloured ? symbolizer->coloured : piece;
}

static void put_as_it_is(struct symbolizer *symbolizer, const struct text_piece *piece)
{
	piece = original(symbolizer, piece);
	out_bytes(symbolizer->out, piece->data, piece->size);
	if (piece->is_candidate)
		out_text(symbolizer->out, piece->line_end);
}

/* The text before a frame, repeated on added lines; or blanks, if it would show another event. */
static void put_head(struct symbolizer *symbolizer, const struct text_piece *piece, const struct form_match *match)
{
	for (size_t i = 0; i < match->start; i++) {
		bool is_blank = piece->data[i] == '\t' || !match->form->is_head_once;
		out_char(symbolizer->out, is_blank ? piece->data[i] : ' ');
	}
}

/* The text between two lines for one frame. */
static struct locus_string find_line_break(const struct text_piece *piece, const struct form_match *match,
					   char buffer[LINE_BREAK_MAX])
{
	size_t size = strlen(piece->line_break);
	size_t head = match->start < LINE_BREAK_MAX - size && !match->form->is_head_once ? match->start : 0;

	memcpy(buffer, piece->line_break, size);
	memcpy(buffer + size, piece->data, head);
	return (struct locus_string){buffer, size + head};
}

/* Writes the lines for a frame. */
static void put_frames(struct symbolizer *symbolizer, const struct text_piece *piece, const struct form_match *match,
		       const struct found *found)
{
	struct out *out = symbolizer->out;
	struct frame_text text = {.match = match, .symbols = found->symbols};
	char buffer[LINE_BREAK_MAX];
	struct locus_string line_break = find_line_break(piece, match, buffer);

	for (size_t i = 0; i < found->result.frame_count; i++)
		function_labels_prefetch(found->symbols->names, found->result.frames[i].function_id);
	parse_decimal(match->fields[FIELD_NUMBER], &text.number);
	text.number += symbolizer->stack.added;
	for (size_t i = 0; i < found->result.frame_count; i++) {
		text.frame = &found->result.frames[i];
		text.offset = text.frame->offset + found->behind;
		text.is_first = i == 0;
		if (i == 0) {
			out_bytes(out, piece->data, match->start);
		} else {
			out_text(out, piece->line_break);
			put_head(symbolizer, piece, match);
			text.number += match->form->is_renumbered ? 1 : 0;
		}
		frame_text_put(symbolizer->templates, &symbolizer->display, out, &text, line_break);
		out_bytes(out, piece->data + match->end, piece->size - match->end);
	}
	out_text(out, piece->line_end);
	symbolizer->stack.added += match->form->is_renumbered ? found->result.frame_count - 1 : 0;
}

/* Writes the answer behind the match, on the same line. */
static void put_joined(struct symbolizer *symbolizer, const struct form_match *match, const struct found *found)
{
	struct frame_text text = {.match = match, .symbols = found->symbols};

	for (size_t i = 0; i < found->result.frame_count; i++) {
		text.frame = &found->result.frames[i];
		out_text(symbolizer->out, i == 0 ? " (" : ", inlined into ");
		frame_text_put(symbolizer->templates, &symbolizer->display, symbolizer->out, &text,
			       (struct locus_string){NULL, 0});
	}
	out_char(symbolizer->out, ')');
}

/* Writes a frame unchanged, except for its number if earlier frames have become several. */
static void put_renumbered(struct symbolizer *symbolizer, const struct text_piece *piece,
			   const struct form_match *match)
{
	struct locus_string field = match->fields[FIELD_NUMBER];
	uint64_t number;

	if (!match->form->is_renumbered || !symbolizer->stack.added || !parse_decimal(field, &number)) {
		put_as_it_is(symbolizer, piece);
		return;
	}
	out_bytes(symbolizer->out, piece->data, (size_t)(field.data - piece->data));
	put_frame_number(symbolizer->out, field, number + symbolizer->stack.added);
	out_bytes(symbolizer->out, field.data + field.size,
		  (size_t)(piece->data + piece->size - field.data) - field.size);
	out_text(symbolizer->out, piece->line_end);
}

/*
 * The size of a sequence that sets a colour, or clears the rest of a line, as programs write it to terminals; "\033(B"
 * is what `tput sgr0` writes before it resets colours.
 */
static size_t colour_size(const char *text, size_t size)
{
	size_t at = 2;

	if (size < 3 || text[0] != '\033')
		return 0;
	if (text[1] == '(' && text[2] == 'B')
		return 3;
	if (text[1] != '[')
		return 0;
	while (at < size && (text[at] == ';' || text[at] == ':' || (text[at] >= '0' && text[at] <= '9')))
		at++;
	return at < size && (text[at] == 'm' || text[at] == 'K') ? at + 1 : 0;
}

/* Whether a line is one before a stack of this form. The process is that which it names, or else stays as it is. */
static bool read_header(struct symbolizer *symbolizer, const struct form *form, const char *line, size_t size,
			uint64_t *ret_process)
{
	struct locus_string process;

	if (!form->header || !line)
		return false;
	for (size_t colour; (colour = colour_size(line, size)) != 0; size -= colour)
		line += colour;
	if (!symbolizer->library->header(symbolizer->forms, form, line, size, &process))
		return false;
	return !process.size || parse_decimal(process, ret_process);
}

/*
 * Finds whether a new stack begins. It does behind the header of the form, be that the line before or the start of the
 * frame's own; but for forms that need one, also where frames are numbered from 0 again, or those without numbers stand
 * behind an empty line. Other text may be in the midst of a stack: sources, and what another thread writes.
 */
static void find_stack(struct symbolizer *symbolizer, const struct text_piece *piece, const struct form_match *match)
{
	struct stack *stack = &symbolizer->stack;
	const struct form *form = match->form;
	uint64_t number, process = 0;
	bool is_numbered = parse_decimal(match->fields[FIELD_NUMBER], &number);
	bool goes_on = form->is_headed || (is_numbered ? number != 0 : symbolizer->is_in_stack);

	stack->is_behind_header = read_header(symbolizer, form, piece->data, match->start, &process) ||
				  (!symbolizer->is_behind_it &&
				   read_header(symbolizer, form, piece->before, piece->before_size, &process));
	stack->is_first = stack->is_behind_header || !goes_on;
	if (stack->is_first)
		*stack = (struct stack){
			.is_first = true, .is_behind_header = stack->is_behind_header, .process = process};
}

/* Writes the lines that were kept back. */
static void put_held(struct symbolizer *symbolizer)
{
	out_bytes(symbolizer->out, symbolizer->held.lines, symbolizer->held.size);
	symbolizer->held.size = 0;
}

/* Whether a line is about the same frame as those kept back. */
static bool is_of_held(const struct held *held, const struct form_match *match)
{
	uint64_t address;

	return (match->form->kind == FORM_FRAME || match->form->kind == FORM_INLINED) &&
	       parse_hex(match->fields[FIELD_ADDRESS], &address) && address == held->address;
}

static void hold(struct symbolizer *symbolizer, const struct text_piece *piece, const struct form_match *match)
{
	struct held *held = &symbolizer->held;

	if (!held->size) {
		find_stack(symbolizer, piece, match);
		held->is_first = symbolizer->stack.is_first;
		parse_hex(match->fields[FIELD_ADDRESS], &held->address);
	}
	piece = original(symbolizer, piece);
	size_t end_size = strlen(piece->line_end);
	if (piece->size + end_size > sizeof(held->lines) - held->size)
		put_held(symbolizer);
	memcpy(held->lines + held->size, piece->data, piece->size);
	memcpy(held->lines + held->size + piece->size, piece->line_end, end_size);
	held->size += piece->size + end_size;
}

static void put_frame(struct symbolizer *symbolizer, const struct text_piece *piece, const struct form_match *match)
{
	struct held *held = &symbolizer->held;
	struct found found;

	find_stack(symbolizer, piece, match);
	if (held->size)
		symbolizer->stack.is_first = held->is_first;
	bool is_found = find_frame(symbolizer, match, &found);
	if (is_found && has_lines(&found.result))
		held->size = 0;
	put_held(symbolizer);
	if (is_found)
		put_frames(symbolizer, piece, match, &found);
	else
		put_renumbered(symbolizer, piece, match);
}

/* Notes a mapping: its process, place and module. */
static void take_mapping(struct symbolizer *symbolizer, const struct form_match *match)
{
	uint8_t build_id[MODULE_BUILD_ID_MAX];
	struct module_name module;
	struct mapped_range range;
	uint64_t process = 0;

	parse_decimal(match->fields[FIELD_PROCESS], &process);
	if (!parse_hex(match->fields[FIELD_START], &range.start) ||
	    !parse_hex(match->fields[FIELD_OFFSET], &range.offset))
		return;
	if (match->fields[FIELD_END].size) {
		if (!parse_hex(match->fields[FIELD_END], &range.end))
			return;
	} else {
		if (!parse_hex(match->fields[FIELD_LENGTH], &range.end))
			return;
		range.end += range.start; /* one that wraps ends before its start, and counts as none */
	}
	if (name_module(symbolizer, match, build_id, &module))
		address_spaces_map(symbolizer->spaces, process, range, &module);
}

static void take_module(struct symbolizer *symbolizer, const struct form_match *match)
{
	uint8_t build_id[MODULE_BUILD_ID_MAX];
	struct module_name module;

	if (name_module(symbolizer, match, build_id, &module))
		address_spaces_name(symbolizer->spaces, &module);
}

static void take_fork(struct symbolizer *symbolizer, const struct form_match *match)
{
	uint64_t process, thread, parent;

	if (!parse_decimal(match->fields[FIELD_PROCESS], &process) ||
	    !parse_decimal(match->fields[FIELD_THREAD], &thread) ||
	    !parse_decimal(match->fields[FIELD_PARENT], &parent))
		return;
	if (process == parent)
		address_spaces_thread(symbolizer->spaces, process, thread);
	else
		address_spaces_fork(symbolizer->spaces, parent, process);
}

static void take_exec(struct symbolizer *symbolizer, const struct form_match *match)
{
	uint64_t process;

	if (parse_decimal(match->fields[FIELD_PROCESS], &process))
		address_spaces_exec(symbolizer->spaces, process);
}

/* Whether a line that looks like one of a stack is not behind the header that makes it one. */
static bool lacks_header(struct symbolizer *symbolizer, const struct text_piece *piece, const struct form *form)
{
	uint64_t process;

	return form->is_joined && form->is_headed &&
	       !read_header(symbolizer, form, piece->before, piece->before_size, &process);
}

/* Handles the match of a form within other text, and then the rest of the line. */
static void put_joined_line(struct symbolizer *symbolizer, const struct text_piece *piece, struct form_match *match)
{
	size_t at = 0;

	do {
		struct found found;
		out_bytes(symbolizer->out, piece->data + at, match->end - at);
		if (match->form->calls == CALLS_BEHIND_FIRST)
			find_stack(symbolizer, piece, match);
		if (!lacks_header(symbolizer, piece, match->form) && find_frame(symbolizer, match, &found))
			put_joined(symbolizer, match, &found);
		at = match->end;
	} while (symbolizer->library->match_joined(symbolizer->forms, piece->data, piece->size, at, match));
	out_bytes(symbolizer->out, piece->data + at, piece->size - at);
	out_text(symbolizer->out, piece->line_end);
}

/* Handles a line that is no frame, but describes the process. */
static void take_context(struct symbolizer *symbolizer, const struct form_match *match)
{
	if (match->form->kind == FORM_MAPPING)
		take_mapping(symbolizer, match);
	else if (match->form->kind == FORM_MODULE)
		take_module(symbolizer, match);
	else if (match->form->kind == FORM_FORK)
		take_fork(symbolizer, match);
	else if (match->form->kind == FORM_EXEC)
		take_exec(symbolizer, match);
}

static bool is_of_stack(const struct form *form)
{
	return form->kind == FORM_FRAME || form->kind == FORM_COMPLETE || form->kind == FORM_INLINED ||
	       form->kind == FORM_SIGNAL;
}

static void make_plain(struct plain_line *plain, const struct text_piece *piece)
{
	size_t end_size = 0, at = 0, size = 0;

	while (at < piece->size) {
		size_t colour = colour_size(piece->data + at, piece->size - at);
		if (colour)
			memcpy(plain->line_end + end_size, piece->data + at, colour);
		else
			plain->text[size++] = piece->data[at];
		end_size += colour;
		at += colour ? colour : 1;
	}
	strcpy(plain->line_end + end_size, piece->line_end);
	plain->piece = *piece;
	plain->piece.data = plain->text;
	plain->piece.size = size;
	plain->piece.line_end = plain->line_end;
}

/*
 * Finds the form of a line, which may be in colour. Then it is that of the plain line, to which *piece is set, but for
 * forms within other text: that keeps its colours.
 */
static bool match_line(struct symbolizer *symbolizer, const struct text_piece **piece, struct form_match *ret)
{
	const struct text_piece *plain = &symbolizer->plain.piece;

	if (memchr((*piece)->data, '\033', (*piece)->size)) {
		make_plain(&symbolizer->plain, *piece);
		if (symbolizer->library->match(symbolizer->forms, plain->data, plain->size, ret) &&
		    !ret->form->is_joined) {
			symbolizer->coloured = *piece;
			*piece = plain;
			return true;
		}
	}
	return symbolizer->library->match(symbolizer->forms, (*piece)->data, (*piece)->size, ret);
}

static void put_candidate(struct symbolizer *symbolizer, const struct text_piece *piece)
{
	struct form_match match;
	bool is_any = match_line(symbolizer, &piece, &match) && !lacks_header(symbolizer, piece, match.form);

	/* Without the frame itself, the lines kept back stand for it. */
	if (symbolizer->held.size && !(is_any && is_of_held(&symbolizer->held, &match))) {
		put_held(symbolizer);
		symbolizer->stack.was_signal = symbolizer->stack.was_kernel = false;
	}
	if (!is_any) {
		/* It may be a program's frame, of a module that has brackets in its name. */
		symbolizer->stack.was_kernel = false;
		put_as_it_is(symbolizer, piece);
	} else if (match.form->is_joined) {
		put_joined_line(symbolizer, piece, &match);
	} else if (match.form->kind == FORM_FRAME) {
		put_frame(symbolizer, piece, &match);
	} else if (match.form->kind == FORM_INLINED) {
		hold(symbolizer, piece, &match);
	} else if (match.form->kind == FORM_COMPLETE || match.form->kind == FORM_SIGNAL) {
		find_stack(symbolizer, piece, &match);
		symbolizer->stack.was_signal = match.form->kind == FORM_SIGNAL;
		symbolizer->stack.was_kernel = is_of_kernel(&match) && !is_system_call(&match);
		put_renumbered(symbolizer, piece, &match);
	} else {
		take_context(symbolizer, &match);
		put_as_it_is(symbolizer, piece);
	}
	symbolizer->coloured = NULL;
	symbolizer->is_behind_it = is_any && is_of_stack(match.form);
	if (is_any)
		symbolizer->is_in_stack = symbolizer->is_behind_it;
}

/* Whether text that begins with a line has one that is empty. */
static bool has_empty_line(const char *text, size_t size)
{
	static const char *const within[] = {"\n\n", "\n\r\n"};

	for (size_t i = 0; i < sizeof(within) / sizeof(within[0]); i++) {
		size_t empty = strlen(within[i]) - 1;
		if ((size >= empty && memcmp(text, within[i] + 1, empty) == 0) ||
		    memmem(text, size, within[i], empty + 1))
			return true;
	}
	return false;
}

/* Writes what was kept back, to be called before text that is not of the line that comes next. */
static void put_kept_back(struct symbolizer *symbolizer)
{
	put_held(symbolizer);
	markup_end_modules(symbolizer->markup);
}

/* ---- Lines of JSON ---- */

/* The lines that a string is read into, one after the other. */
struct string_lines {
	struct locus_string rest; /* of the string, as it stands there */
	struct locus_string raw;  /* the line, as it stands there */
	bool is_text;             /* it is text that can be read */
	size_t size, end_size;    /* its bytes, with its end, and those of the end alone */
	const char *line_break;   /* the end of it, or if it has none, of the one before */
	char line[STREAM_LINE_MAX], before[STREAM_LINE_MAX];
	size_t before_size; /* of the line before it, without its end */
	bool has_before;
};

/* Reads the next line. False: there is none. */
static bool next_line(struct string_lines *lines)
{
	const char *start = lines->rest.data;
	bool is_ended = false;

	lines->size = lines->end_size = 0;
	lines->is_text = true;
	while (lines->rest.size && !is_ended) {
		char character[JSON_CHARACTER_MAX];
		size_t size, used = json_character(lines->rest, character, &size);
		memcpy(lines->line + lines->size, character, size);
		lines->size += size;
		lines->rest.data += used;
		lines->rest.size -= used;
		lines->is_text &= size != 0;
		is_ended = size == 1 && character[0] == '\n';
	}
	lines->raw = (struct locus_string){start, (size_t)(lines->rest.data - start)};
	if (is_ended) {
		bool has_return = lines->size > 1 && lines->line[lines->size - 2] == '\r';
		lines->line_break = has_return ? "\r\n" : "\n";
		lines->end_size = strlen(lines->line_break);
	}
	return lines->size || lines->raw.size;
}

static void keep_as_before(struct string_lines *lines)
{
	lines->before_size = lines->size - lines->end_size;
	lines->has_before = true;
	memcpy(lines->before, lines->line, lines->before_size);
}

/* Takes the last line of a string as the one before what comes next. */
static void take_as_before(struct string_lines *lines, struct locus_string text)
{
	lines->rest = text;
	while (next_line(lines))
		keep_as_before(lines);
}

/*
 * Finds the line before a string: the last one of the strings with its key in the line of JSON before its own. Records
 * have their keys in the same order, and are read once, so this goes on where it was for the string before.
 */
static void find_line_before(struct string_lines *lines, const struct text_piece *piece, size_t *at,
			     struct locus_string key)
{
	struct json_string string = {0};

	for (size_t next = *at; json_line_next(piece->before, piece->before_size, &next, &string); *at = next) {
		bool is_its = strings_are_equal(string.key, key);
		if (lines->has_before && !is_its)
			return;
		if (is_its)
			take_as_before(lines, string.text);
	}
}

/* Where the line before one has JSON that is to be read; else its end. */
static size_t start_before(const struct text_piece *piece)
{
	size_t start;

	if (piece->before && piece->before_size <= STREAM_LINE_MAX &&
	    json_line_find(piece->before, piece->before_size, &start))
		return start;
	return piece->before_size;
}

static void put_piece(struct symbolizer *symbolizer, const struct text_piece *piece);

/* Writes what was written behind `start` as part of a string. */
static void escape_from(struct symbolizer *symbolizer, size_t start)
{
	struct out *out = symbolizer->out;
	size_t size = out->used - start;

	memcpy(symbolizer->unescaped, out->buffer + start, size);
	out->used = start;
	json_put_escaped(out, symbolizer->unescaped, size);
}

/* Writes a line of a string: as it stands there, if nothing is added to it. */
static void put_line_of_string(struct symbolizer *symbolizer, const struct string_lines *lines)
{
	struct out *out = symbolizer->out;
	size_t start = out->used, text_size = lines->size - lines->end_size;
	struct text_piece piece = {.data = lines->line,
				   .size = text_size ? text_size : lines->size,
				   .is_candidate = text_size != 0,
				   .line_end = lines->end_size ? lines->line_break : "",
				   .line_break = lines->line_break,
				   .before = lines->has_before ? lines->before : NULL,
				   .before_size = lines->has_before ? lines->before_size : 0};

	if (lines->is_text)
		put_piece(symbolizer, &piece);
	if (!lines->is_text || !lines->rest.size)
		put_kept_back(symbolizer);
	bool is_same = out->used - start == lines->size && memcmp(out->buffer + start, lines->line, lines->size) == 0;
	if (is_same)
		out->used = start;
	else
		escape_from(symbolizer, start);
	if (is_same || !lines->is_text)
		out_bytes(out, lines->raw.data, lines->raw.size);
}

/* Writes a string, all of which is read as a text. */
static void put_string(struct symbolizer *symbolizer, struct string_lines *lines, struct locus_string text)
{
	lines->rest = text;
	lines->line_break = "\n";
	while (next_line(lines)) {
		put_line_of_string(symbolizer, lines);
		keep_as_before(lines);
	}
}

/* Writes a line that has JSON from `at` on: its strings are texts, which may have JSON in them in turn. */
static void put_json(struct symbolizer *symbolizer, const struct text_piece *piece, size_t at)
{
	struct json_string string = {0}, last;
	struct string_lines lines;
	size_t before_at = start_before(piece), done = 0;

	while (last = string, json_line_next(piece->data, piece->size, &at, &string)) {
		if (!text_has_trigger(string.text.data, string.text.size))
			continue;
		size_t start = (size_t)(string.text.data - piece->data);
		out_bytes(symbolizer->out, piece->data + done, start - done);
		done = start + string.text.size;
		lines.has_before = false;
		if (last.key.size && last.key.data == string.key.data)
			take_as_before(&lines, last.text);
		else
			find_line_before(&lines, piece, &before_at, string.key);
		put_string(symbolizer, &lines, string.text);
	}
	out_bytes(symbolizer->out, piece->data + done, piece->size - done);
	out_text(symbolizer->out, piece->line_end);
}

/* The same of a line of the text itself, which stays as it is where too much would be added to it. */
static void put_whole_json(struct symbolizer *symbolizer, const struct text_piece *piece, size_t at)
{
	const struct display display = symbolizer->display;
	struct out *out = symbolizer->out;

	symbolizer->display.colour = false;
	out_hold(out);
	size_t start = out->used;
	put_json(symbolizer, piece, at);
	out_release(out);
	symbolizer->display = display;
	if (!out->is_full && out->used - start <= OUT_HELD_MAX)
		return;
	out->used = start;
	put_as_it_is(symbolizer, piece);
}

/* ---- Text ---- */

static void put_text(struct symbolizer *symbolizer, const struct text_piece *piece)
{
	symbolizer->is_behind_it = false;
	if (symbolizer->is_in_stack && has_empty_line(piece->data, piece->size))
		symbolizer->is_in_stack = false;
	put_as_it_is(symbolizer, piece);
}

static void put_piece(struct symbolizer *symbolizer, const struct text_piece *piece)
{
	bool is_markup = piece->is_candidate && markup_is_in(piece->data, piece->size);
	size_t json;

	if (piece->is_candidate && json_line_find(piece->data, piece->size, &json)) {
		put_kept_back(symbolizer);
		if (symbolizer->out->is_held)
			put_json(symbolizer, piece, json);
		else
			put_whole_json(symbolizer, piece, json);
		return;
	}
	if (!is_markup)
		markup_end_modules(symbolizer->markup);
	if (piece->is_candidate && !is_markup) {
		put_candidate(symbolizer, piece);
		return;
	}
	put_held(symbolizer);
	if (is_markup)
		markup_line(symbolizer->markup, piece);
	else
		put_text(symbolizer, piece);
}

void symbolizer_put(struct symbolizer *symbolizer, const struct text_piece *piece)
{
	symbolizer->bound.read += piece->size;
	put_piece(symbolizer, piece);
}

void symbolizer_end_text(struct symbolizer *symbolizer)
{
	put_held(symbolizer);
	markup_end_text(symbolizer->markup);
	address_spaces_forget(symbolizer->spaces);
	symbolizer->stack = (struct stack){0};
	symbolizer->told = (struct told){0};
	symbolizer->is_in_stack = symbolizer->is_behind_it = false;
}
