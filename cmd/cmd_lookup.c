/* locus lookup: answers for addresses from arguments or, a line at a time, from standard input. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/input_lines.h"
#include "cmd/common/options.h"
#include "cmd/common/output_bound.h"
#include "cmd/common/report.h"
#include "cmd/conversion/companion_options.h"
#include "cmd/conversion/content_options.h"
#include "cmd/conversion/fetch_options.h"
#include "cmd/conversion/limit_options.h"
#include "cmd/lookup/other_functions.h"
#include "cmd/lookup/question_batch.h"
#include "cmd/show/display_options.h"
#include "cmd/store/lookup_file.h"
#include "cmd/store/symbol_cache.h"
#include "cmd/store/symbol_store.h"
#include "cmd/subcommand.h"

enum { SHOWN_MAX = 80 }; /* bytes of a bad question that a message shows */

struct lookup {
	const struct lookup_options *options;
	struct asked_file asked;
	struct other_functions alternates;
	struct answers answers;
	struct output_bound bound; /* of what the answers show */
	bool is_too_much;          /* they show more */
	bool hinted;               /* see hint_at_base */
	bool is_damage_said;       /* see report_damage */
	int code;
};

static void fail_question(struct lookup *lookup, const struct question *question, const struct place *place)
{
	const char *text = place->reason;
	bool is_usage = !question->line_number && !place->is_outside;
	int shown = question->size < SHOWN_MAX ? (int)question->size : SHOWN_MAX;
	const char *more = question->size > SHOWN_MAX ? "..." : "";

	if (question->line_number)
		report("standard input", "line %llu: '%.*s%s': %s", (unsigned long long)question->line_number, shown,
		       question->text, more, text);
	else
		report(NULL, "'%.*s%s': %s", shown, question->text, more, text);
	lookup->code = exit_worst(lookup->code, is_usage ? EXIT_USAGE : EXIT_FAILED);
	answer_failure(&lookup->answers, question, text);
}

static enum locus_status find_answer(struct lookup *lookup, const struct query *query, uint64_t address,
				     struct answer *ret, struct locus_error *error)
{
	enum locus_status status;

	ret->address = address;
	ret->behind = 0;
	if (query->kind == QUERY_LOCID) {
		status = locus_frames(lookup->asked.file.locus, lookup->asked.scratch, (uint32_t)query->value,
				      &ret->result, error);
		if (status == LOCUS_OK)
			ret->address = ret->result.interval.start;
		return status;
	}
	ret->behind = asked_file_bytes_before(&lookup->asked, address);
	return locus_lookup(lookup->asked.file.locus, lookup->asked.scratch, address - ret->behind, &ret->result,
			    error);
}

static enum locus_status show_alternates(struct lookup *lookup, const struct question *question, uint64_t address,
					 struct locus_error *error)
{
	struct other_functions *alternates = &lookup->alternates;
	enum locus_status status = other_functions_find(alternates, lookup->asked.file.locus, lookup->asked.scratch,
							lookup->asked.name_scratch, address, error);

	for (size_t i = 0; i < alternates->count; i++)
		answer_alternate(&lookup->answers, question, &alternates->items[i]);
	return status;
}

/* Hints, once, that an address outside of all segments may be an address of a process. */
static void hint_at_base(struct lookup *lookup, const struct answer *answer)
{
	const struct locus_info *info;
	uint64_t end = 0;

	if (lookup->hinted || !answer_is_behind_all(answer) ||
	    locus_info(lookup->asked.file.locus, &info, NULL) != LOCUS_OK)
		return;
	for (size_t i = 0; i < info->segment_count; i++) {
		const struct locus_segment_info *segment = &info->segments[i];
		uint64_t segment_end = segment->address + segment->memory_size;
		end = segment_end > end ? segment_end : end;
	}
	if (!end || answer->address < end)
		return;
	lookup->hinted = true;
	report(lookup->options->file,
	       "0x%llx is outside the program, which ends at 0x%llx; if it is an address of a process, give where "
	       "the program was loaded: --base ADDRESS",
	       (unsigned long long)answer->address, (unsigned long long)end);
}

/* The file whose bytes answer: of an ELF file, what a cache has kept of it, if it is used. */
static const char *answering_file(const struct lookup *lookup)
{
	const struct lookup_file *file = &lookup->asked.file;

	return file->cached && file->whole ? file->cached : lookup->options->file;
}

/*
 * Says what is wrong with the file. Of standard input, which may ask for a million addresses, each answer has its
 * reason, so that it is said only once.
 */
static void report_damage(struct lookup *lookup, const struct question *question, enum locus_status status,
			  const struct locus_error *error)
{
	if (!lookup->is_damage_said || !question->line_number)
		report_error(answering_file(lookup), status, error);
	lookup->is_damage_said = true;
	lookup->code = exit_worst(lookup->code, EXIT_FAILED);
}

static void answer_question(struct lookup *lookup, const struct question *question, const struct place *place)
{
	struct locus_error error;
	struct answer answer;
	enum locus_status status;

	if (!question->size && question->line_number) {
		answer_failure(&lookup->answers, question, "an empty line asks for nothing");
		return;
	}
	if (place->reason) {
		fail_question(lookup, question, place);
		return;
	}

	/* A file that is damaged here still answers elsewhere: the question gets the reason as its answer. */
	error_clear(&error);
	status = find_answer(lookup, &place->query, place->address, &answer, &error);
	if (status == LOCUS_OK) {
		answer_begin(&lookup->answers, question, &answer);
		if (lookup->options->all)
			status = show_alternates(lookup, question, answer.address - answer.behind, &error);
		answer_end(&lookup->answers);
		hint_at_base(lookup, &answer);
	} else {
		answer_failure(&lookup->answers, question, error_text(status, &error));
	}
	if (status != LOCUS_OK)
		report_damage(lookup, question, status, &error);
}

/* Whether no more is to be answered: nobody reads it, or the file has made more of it than any program's would. */
static bool is_over(const struct lookup *lookup)
{
	return lookup->answers.out->error || lookup->is_too_much;
}

/* Answers the next question, unless the answers before it were too much. */
static void answer_next(struct lookup *lookup, const struct question *question, const struct place *place)
{
	struct locus_error error;

	lookup->bound.read += OUTPUT_BOUND_QUESTION;
	enum locus_status status = output_bound_check(&lookup->bound, &error);
	if (status == LOCUS_OK) {
		answer_question(lookup, question, place);
		return;
	}
	report_error(answering_file(lookup), status, &error);
	lookup->code = exit_worst(lookup->code, EXIT_FAILED);
	lookup->is_too_much = true;
}

/* Answers questions in order, after the memory for all of them was requested. */
static void answer_group(struct lookup *lookup, const struct question_batch *batch, size_t first)
{
	size_t end = batch->count - first < LOCUS_PREFETCH_MAX ? batch->count : first + LOCUS_PREFETCH_MAX;
	uint64_t addresses[LOCUS_PREFETCH_MAX];
	size_t address_count = 0;

	for (size_t i = first; i < end; i++) {
		uint64_t address = batch->places[i].address;
		if (!batch->places[i].reason && batch->places[i].query.kind != QUERY_LOCID)
			addresses[address_count++] = address - asked_file_bytes_before(&lookup->asked, address);
	}
	if (address_count > 1)
		locus_prefetch(lookup->asked.file.locus, lookup->asked.scratch, addresses, address_count);
	for (size_t i = first; i < end && !is_over(lookup); i++)
		answer_next(lookup, &batch->questions[i], &batch->places[i]);
}

/* Answers a batch. False: the file cannot be read, and the reason was reported. */
static bool answer_batch(struct lookup *lookup, struct question_batch *batch)
{
	struct locus_error error;
	enum locus_status status;

	error_clear(&error);
	status = question_batch_prepare(batch, &lookup->asked, &error);
	if (status != LOCUS_OK) {
		report_error(lookup->options->file, status, &error);
		lookup->code = exit_of(status);
		return false;
	}
	for (size_t i = 0; i < batch->count && !is_over(lookup); i += LOCUS_PREFETCH_MAX)
		answer_group(lookup, batch, i);
	return true;
}

static void answer_arguments(struct lookup *lookup, struct question_batch *batch)
{
	const struct lookup_options *options = lookup->options;

	batch->count = 0;
	for (size_t i = 0; i < options->query_count && !is_over(lookup); i++) {
		const char *text = options->queries[i];
		batch->questions[batch->count++] = (struct question){.text = text, .size = strlen(text)};
		if (batch->count == question_batch_max(batch, &lookup->asked) || i + 1 == options->query_count) {
			if (!answer_batch(lookup, batch))
				return;
			batch->count = 0;
		}
	}
}

/* Takes the next questions: the first, for which it waits, and as many more as are there already; none at the end. */
static void read_batch(struct input_lines *lines, size_t max, struct question_batch *ret)
{
	ret->count = 0;
	do {
		struct question question;
		if (!input_lines_next(lines, &question.text, &question.size))
			break;
		question.line_number = lines->number;
		ret->questions[ret->count++] = question;
	} while (ret->count < max && !input_lines_must_read(lines));
}

static void answer_standard_input(struct lookup *lookup, struct question_batch *batch)
{
	static struct input_lines lines;

	input_lines_init(&lines, STDIN_FILENO, lookup->answers.out);
	while (!input_lines_ended(&lines) && !is_over(lookup)) {
		read_batch(&lines, question_batch_max(batch, &lookup->asked), batch);
		if (batch->count && !answer_batch(lookup, batch))
			return;
	}
	lookup->code = exit_worst(lookup->code, input_lines_end(&lines));
}

/* The name of an option about conversion that was given with a .locus file; NULL: none was. */
static const char *useless_option(const struct lookup *lookup)
{
	const struct locus_convert_options *given = &lookup->options->library;
	const char *companion = companion_option_given(given);

	return lookup->asked.file.is_elf ? NULL : companion ? companion : content_option_given(given);
}

/* The process ends here, which frees all memory at once, faster than freeing each part. */
static int lookup_in_file(const struct lookup_options *options)
{
	static struct out out;
	static struct question_batch batch;
	static struct lookup lookup; /* static, because names and paths refer to it until the process ends */
	struct locus_error error;
	enum locus_status status;

	lookup = (struct lookup){
		.options = options,
		.asked = {.options = options, .answers = &lookup.answers},
		.answers = {.out = &out,
			    .as_json = options->json,
			    .pretty = options->pretty,
			    .display = {.colour = display_wants_colour(STDOUT_FILENO),
					.short_names = options->display.short_names}},
		.bound = {.out = &out},
	};

	error_clear(&error);
	out_init(&out, STDOUT_FILENO);
	json_init(&lookup.answers.json, &out);

	/* Nothing is answered unless the file can be read and the options fit it. */
	status = asked_file_open(&lookup.asked, &error);
	if (status != LOCUS_OK) {
		report_error(options->file, status, &error);
		lookup.code = exit_of(status);
	} else if (useless_option(&lookup)) {
		report(options->file, "%s says how to convert an ELF file, and this was converted before",
		       useless_option(&lookup));
		lookup.code = EXIT_USAGE;
	} else if (options->query_count) {
		answer_arguments(&lookup, &batch);
	} else {
		answer_standard_input(&lookup, &batch);
	}
	return report_finish(&out, lookup.code);
}

enum {
	OPTION_JSON = 0x100,
	OPTION_RETURN_ADDRESS,
	OPTION_ALL,
	OPTION_BASE,
	OPTION_OFFSET,
	OPTION_HEX,
	OPTION_STORE,
	OPTION_CACHE,
};

static const struct argp_option argument_table[] = {
	{"json", OPTION_JSON, NULL, 0, "Answer with one JSON object on each line", 0},
	{"store", OPTION_STORE, "DIR", 0, "FILE is a build-id: look up in what the store DIR has for it", 0},
	{"cache", OPTION_CACHE, NULL, 0, "Keep what an ELF file is converted to, and use it again (see LOCUS_CACHE)",
	 0},
	{"base", OPTION_BASE, "ADDRESS", 0,
	 "The addresses are those of a process that has the program loaded here, as /proc/PID/maps says", 0},
	{"offset", OPTION_OFFSET, NULL, 0, "The numbers are offsets in the program's file", 0},
	{"hex", OPTION_HEX, NULL, 0, "Addresses are hexadecimal also without 0x, as perf and nm write them", 0},
	{"return-address", OPTION_RETURN_ADDRESS, NULL, 0,
	 "The addresses are return addresses, as in a stack trace: look up the call before each", 0},
	{"pretty", 'p', NULL, 0, "Show each frame on a line, as addr2line -p does", 0},
	{"all", OPTION_ALL, NULL, 0, "Also name the other functions at an address: aliases and folded code", 0},
	{0},
};

static void parse_base(const struct argp_state *state, struct lookup_options *options)
{
	const char *text = options->base;
	struct query query;
	const char *reason;

	if (!query_parse(text, strlen(text), options->hex, &query, &reason) || query.kind != QUERY_ADDRESS)
		usage_error(state, "--base takes an address, such as 0x7f0012340000, not '%s'", text);
	options->places.has_base = true;
	options->places.base = query.value;
}

/* What can be said only when all arguments are known: an address may need --hex, and FILE may be a build-id. */
static void end_arguments(const struct argp_state *state, struct lookup_options *options)
{
	if (options->base)
		parse_base(state, options);
	if (options->places.has_base && options->places.from_offset)
		usage_error(state, "--base and --offset exclude each other");
	if (options->store && !store_is_build_id(options->file))
		usage_error(state, "--store takes a build-id in hexadecimal, not '%s'", options->file);
	if (options->store) {
		options->build_id = options->file;
		options->file = store_path(options->store, options->build_id);
	}
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct lookup_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->display;
		state->child_inputs[1] = &options->library;
		return 0;
	case OPTION_JSON:
		options->json = true;
		return 0;
	case OPTION_STORE:
		options->store = option_path(state, "--store", text);
		return 0;
	case OPTION_CACHE:
		if (!options->cache)
			options->cache = symbol_cache_folder();
		if (!options->cache)
			usage_error(state, "--cache finds no place: set LOCUS_CACHE, XDG_CACHE_HOME or HOME");
		return 0;
	case OPTION_BASE:
		options->base = text;
		return 0;
	case OPTION_OFFSET:
		options->places.from_offset = true;
		return 0;
	case OPTION_HEX:
		options->hex = true;
		return 0;
	case OPTION_RETURN_ADDRESS:
		options->return_address = true;
		return 0;
	case OPTION_ALL:
		options->all = true;
		return 0;
	case 'p':
		options->pretty = true;
		return 0;
	case ARGP_KEY_ARGS:
		options->file = state->argv[state->next];
		options->queries = &state->argv[state->next + 1];
		options->query_count = (size_t)(state->argc - state->next - 1);
		return 0;
	case ARGP_KEY_END:
		end_arguments(state, options);
		return 0;
	case ARGP_KEY_NO_ARGS:
		usage_error(state, options->store ? "name a build-id" : "name a .locus file or an ELF file");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Of the options of a conversion, which --help lists together: gives those that have an input the same one. */
static error_t pass_library(int key, char *text, struct argp_state *state)
{
	(void)text;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = state->child_inputs[1] = state->input;
	return 0;
}

static int run(int argc, char **argv)
{
	static const struct argp_child conversion_children[] = {
		{&companion_argp, 0, NULL, 0},
		{&content_argp, 0, NULL, 0},
		{&limit_argp, 0, NULL, 0},
		{&fetch_argp, 0, NULL, 0},
		{0},
	};
	static const struct argp conversion_argp = {.parser = pass_library, .children = conversion_children};
	static const struct argp_child children[] = {
		{&display_argp, 0, NULL, 0},
		{&conversion_argp, 0, "Where FILE is an ELF file:", 0},
		{0},
	};
	static const struct argp argp = {
		.options = argument_table,
		.parser = parse_option,
		.children = children,
		.args_doc = "FILE [ADDRESS...]",
		.doc = "Say which function, file and line each address is, and what it was inlined into. FILE is a "
		       ".locus file, or an ELF file, of which then only what is asked for is read.\v"
		       "An ADDRESS is 0x1149; main+0x10, or .text+0x10 in a relocatable file; or #17, the locid of an "
		       "earlier answer. "
		       "Without any, they are read from standard input, one a line.",
	};
	static struct lookup_options options; /* static, because other structs point into it until the process ends */

	options.library = lookup_file_options();
	options.cache = symbol_cache_asked_for();

	parse_arguments(&argp, argc, argv, &options);
	return lookup_in_file(&options);
}

const struct subcommand subcommand_lookup = {
	"lookup", run, "say which function, file and line addresses are, and what they were inlined into"};
