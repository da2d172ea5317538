/*
 * First comes the step from the address in the text to the one to look up, then what is there, and at last what both
 * say of the next frame.
 */
#include "cmd/symbolize/frame_answer.h"

#include <string.h>

#include "cmd/common/page_size.h"
#include "cmd/common/report.h"
#include "cmd/common/return_address.h"
#include "cmd/common/string_compare.h"
#include "cmd/show/name_ends.h"
#include "cmd/symbolize/field_number.h"

/* What is between an address in the text and the one to look up. */
enum step {
	STEP_NONE,         /* nothing */
	STEP_BACK,         /* it is a return address, and the call is looked up */
	STEP_TOLD,         /* so it is, and the text tells the function that the call is in */
	STEP_MADE,         /* it was one: who wrote the text has stepped back already */
	STEP_UNDONE,       /* who wrote the text has stepped back from it, but it was none */
	STEP_UNDONE_THREE, /* the same, by three */
};

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

static bool look_up_at(struct frame_answers *answers, struct frame_answer *found, uint64_t address)
{
	struct locus_error error;
	enum locus_status status;

	error_clear(&error);
	status = output_bound_check(answers->bound, &error);
	if (status == LOCUS_OK)
		status = symbol_file_lookup(found->symbols, address, &found->result, &error);
	if (status != LOCUS_OK)
		symbol_sources_report_failure(answers->map->sources, status, &error);
	return status == LOCUS_OK;
}

/*
 * Looks the place up; if it is behind a call, by the last byte of that. That byte may as well be the last one before
 * what a signal's handler returns to, which nothing called; or before a function, and in none itself, so that no call
 * is there and a signal came where the function starts.
 */
static bool look_up(struct frame_answers *answers, const struct place *place, enum step step, struct frame_answer *ret)
{
	struct stack *stack = &answers->stack;
	uint64_t at = place->address;

	ret->symbols = place->symbols;
	if (step == STEP_BACK || step == STEP_TOLD)
		at = return_address_call(at, place->symbols->info->elf_machine);
	else if (step == STEP_UNDONE)
		at++;
	else if (step == STEP_UNDONE_THREE)
		at += 3;
	ret->behind = at < place->address ? place->address - at : 0;
	if (!look_up_at(answers, ret, at))
		return false;
	if ((step == STEP_BACK || step == STEP_MADE) && ret->result.interval.end == at + 1) {
		bool may_be_call = is_in_function(&ret->result);
		if (!look_up_at(answers, ret, at + 1))
			return false;
		if (starts_signal_return(&ret->result))
			stack->was_signal = true;
		else if (may_be_call || !starts_function(&ret->result))
			return look_up_at(answers, ret, at) && ret->result.frame_count > 0;
		ret->behind = 0;
	}
	return ret->result.frame_count > 0;
}

/*
 * Whether Linux tells the function, and its size. Of a return address it tells the function that has the byte before
 * it, though that is behind the function's code where the address is a pointer to the next one.
 */
static bool tells_function(const struct form_match *match)
{
	return match->fields[FIELD_SIZE].size > 0;
}

/*
 * Whether a place is where a function of Linux starts. That is no return address, but a pointer to the function, as of
 * an initcall or a timer.
 */
static bool is_pointer(const struct form_match *match)
{
	uint64_t delta;

	return tells_function(match) && parse_hex(match->fields[FIELD_DELTA], &delta) && delta == 0;
}

/* Whether Linux was entered by a system call there: the address behind that is a return address like others. */
static bool is_system_call(const struct form_match *match)
{
	struct locus_string symbol = match->fields[FIELD_SYMBOL];

	return name_starts_with(symbol.data, symbol.size, "entry_");
}

bool frame_answer_has_lines(const struct locus_result *result)
{
	return result->frame_count > 1 || result->frames[0].has_line;
}

/*
 * Whether the module's file has there what a signal's handler returns to. Frames of some forms do not say where that
 * is; valgrind's only where in a page of memory.
 */
static bool is_signal_return(struct frame_answers *answers, const struct form_match *match)
{
	struct signal_returns *returns = answers->signal_returns;
	uint64_t step = match->form->calls == CALLS_STEPPED ? 1 : 0, at;
	struct locus_string path;

	if (match->form->calls == CALLS_NONE)
		return false;
	if (match->form->address == ADDRESS_UNDER_VALGRIND)
		return parse_hex(match->fields[FIELD_ADDRESS], &at) &&
		       signal_return_is_in_page(returns, match->fields[FIELD_MODULE], (at + step) % PAGE_SIZE_MIN);
	return code_map_find_position(answers->map, match, &path, &at) && signal_return_is_at(returns, path, at + step);
}

/*
 * Whether the function is the one that the text gives, which is told by its name if that can be compared, but starts
 * elsewhere than the text says.
 */
static bool is_shifted(const struct form_match *match, const struct frame_answer *found)
{
	const struct locus_frame *own = own_frame(&found->result);
	uint64_t delta;

	return parse_hex(match->fields[FIELD_DELTA], &delta) && own->offset + found->behind != delta &&
	       (match->form->is_demangled || strings_are_equal(match->fields[FIELD_SYMBOL], function_name(own)));
}

/* Looks up what a frame means. What contradicts the text is of another build than that, and not used. */
static bool find_answer(struct frame_answers *answers, const struct form_match *match, enum step step,
			struct frame_answer *ret)
{
	struct place place;

	if (!code_map_locate(answers->map, match, &place) || !look_up(answers, &place, step, ret))
		return false;
	if (place_fits_address(&place, match) && !is_shifted(match, ret))
		return true;
	symbol_sources_report_misfit(answers->map->sources);
	return false;
}

/*
 * Whether a frame, which by its form is behind a call, is a place of which the text has said before that the processor
 * was there: Go's first frame behind a signal, or that of a stack of Linux where the processor was, as on arm64. That
 * is one frame, the first with this place.
 */
static bool was_told(struct frame_answers *answers, const struct form_match *match)
{
	struct told *told = &answers->told;
	enum form_calls calls = match->form->calls;
	bool is_linux = match->form->address == ADDRESS_IN_FUNCTION && tells_function(match);
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

/* Whether who wrote the text has stepped back by three from a place that it has told of before. That is one frame. */
static bool was_told_behind(struct frame_answers *answers, const struct form_match *match)
{
	struct told *told = &answers->told;
	uint64_t address;

	if (!parse_hex(match->fields[FIELD_ADDRESS], &address) || address + 3 != told->address)
		return false;
	*told = (struct told){0};
	return true;
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

	for (size_t i = 0; tells_function(match) && i < sizeof(names) / sizeof(names[0]); i++) {
		if (string_is(match->fields[FIELD_SYMBOL], names[i]))
			return true;
	}
	return false;
}

/* The module that a frame names, or else that is mapped there; of size 0: the text does not say. */
static struct locus_string find_module(const struct frame_answers *answers, const struct form_match *match)
{
	struct locus_string module = match->fields[FIELD_MODULE];
	const struct mapping *mapping = NULL;
	uint64_t address;

	if (!module.size && match->form->address == ADDRESS_RUNTIME &&
	    parse_hex(match->fields[FIELD_ADDRESS], &address))
		mapping = address_spaces_find(answers->map->spaces, answers->map->process, address);
	return mapping ? mapping_module(mapping).path : module;
}

/*
 * Whether a module is glibc, of which the threads' library was once a file of its own. A module that is not known
 * counts as glibc in texts that name exported functions: those of Envoy say where the program is, and nothing else, and
 * that is linked to all but glibc statically.
 */
static bool is_c_library(const struct form_match *match, struct locus_string module)
{
	static const char *const names[] = {"libc.so.", "libc-2.", "libpthread.so.", "libpthread-2."};
	struct locus_string name = path_base_name(module);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (name_starts_with(name.data, name.size, names[i]))
			return true;
	}
	return !module.size && match->form->names != NAMES_ANY;
}

/* Whether a frame of the C library may be in a function that this does not export, by what the text says of names. */
static bool may_be_internal(const struct form_match *match)
{
	static const char *const none[] = {"n/a", "Unknown"};
	struct locus_string symbol = match->fields[FIELD_SYMBOL];
	bool is_unnamed = !symbol.size;

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		is_unnamed |= string_is(symbol, none[i]);
	return match->form->names == NAMES_NEAREST || (match->form->names == NAMES_EXPORTS && is_unnamed);
}

/*
 * Notes whether a frame may be what a signal's handler returns to, by the text alone, as the C library may not be at
 * hand: the start of a function that this does not export, which has called one elsewhere. It may be the first frame,
 * too, where those of the handler are left out. Return addresses in such functions, as in that which pthread_once
 * becomes, are seldom where such code may be.
 */
static void note_library(struct frame_answers *answers, const struct form_match *match)
{
	struct stack *stack = &answers->stack;
	struct locus_string module = find_module(answers, match);
	bool is_library = is_c_library(match, module);
	bool may_be_called = stack->was_elsewhere || (stack->is_first && match->form->calls == CALLS_ALL);
	uint64_t address;

	stack->may_be_signal = is_library && may_be_called && may_be_internal(match) &&
			       parse_hex(match->fields[FIELD_ADDRESS], &address) &&
			       address % SIGNAL_RETURN_ALIGNMENT == 0;
	stack->was_elsewhere = !is_library && module.size;
}

/* What is between a frame's address and the one to look up, by its form and the text before it. */
static enum step find_step(struct frame_answers *answers, const struct form_match *match)
{
	const struct stack *stack = &answers->stack;
	enum form_calls calls = match->form->calls;
	bool may_call = calls == CALLS_ALL ? !stack->is_behind_header : calls == CALLS_BEHIND_FIRST && !stack->is_first;
	bool was_interrupted = stack->was_signal || (stack->was_kernel && !frame_is_of_kernel(match)) ||
			       (stack->may_be_signal && !is_c_library(match, find_module(answers, match)));

	if (calls == CALLS_STEPPED_THREE)
		return was_told_behind(answers, match) ? STEP_UNDONE_THREE : STEP_NONE;
	if (calls == CALLS_STEPPED && !stack->is_first)
		return stack->was_signal ? STEP_UNDONE : STEP_MADE;
	bool is_place = was_told(answers, match) || was_interrupted || is_pointer(match);
	if (!may_call || is_place)
		return STEP_NONE;
	return tells_function(match) ? STEP_TOLD : STEP_BACK;
}

bool frame_answers_find(struct frame_answers *answers, const struct form_match *match, struct frame_answer *ret)
{
	struct stack *stack = &answers->stack;
	enum step step = find_step(answers, match);

	stack->was_signal = stack->is_behind_header = false; /* of whatever frame it was, known or not */
	bool is_found = find_answer(answers, match, step, ret);

	/* No compiler made that code, so where there is a line it is other code. */
	if (signal_return_is_name(match->fields[FIELD_SYMBOL]) || is_exception_entry(match) ||
	    (!(is_found && frame_answer_has_lines(&ret->result)) && is_signal_return(answers, match)))
		stack->was_signal = true;
	stack->was_kernel = frame_is_of_kernel(match) && !is_system_call(match);
	note_library(answers, match);
	return is_found;
}

void frame_answers_pass(struct frame_answers *answers, const struct form_match *match)
{
	answers->stack.was_signal = match->form->kind == FORM_SIGNAL;
	answers->stack.was_kernel = frame_is_of_kernel(match) && !is_system_call(match);
	note_library(answers, match);
}
