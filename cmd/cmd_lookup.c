/* locus lookup: answers for addresses from arguments or, a line at a time, from standard input. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/answer.h"
#include "cmd/common/exit_code.h"
#include "cmd/common/input_lines.h"
#include "cmd/common/options.h"
#include "cmd/common/query.h"
#include "cmd/common/report.h"
#include "cmd/jobs/companion_options.h"
#include "cmd/jobs/limit_options.h"
#include "cmd/jobs/subject.h"
#include "cmd/subcommand.h"

enum {
	SHOWN_MAX = 80,   /* bytes of a bad question that a message repeats */
	GROUP_MAX = 32,   /* questions answered together, as locus_prefetch likes them */
	BATCH_MAX = 4096, /* questions parsed before the first one is answered */
};

struct lookup_options {
	const char *file;
	struct locus_convert_options library; /* for an ELF file */
	char **queries;
	size_t query_count;
	bool json;
	bool return_address;
	bool no_demangle;
	bool all;
};

struct lookup {
	const struct lookup_options *options;
	struct subject subject;
	struct locus_scratch *scratch;
	struct locus_scratch *name_scratch; /* for the names of alternates, which the other scratch holds */
	struct answers answers;
	bool batch_was_answered;
	int code;
};

/* A question, what it means, and the address that is looked up for it. */
struct asked {
	struct question question;
	struct query query;
	const char *reason; /* why there is none; NULL: there is one */
	uint64_t address;
};

static void fail_question(struct lookup *lookup, const struct question *question, const char *text)
{
	int shown = question->size < SHOWN_MAX ? (int)question->size : SHOWN_MAX;
	const char *more = question->size > SHOWN_MAX ? "..." : "";

	if (question->line_number)
		report("standard input", "line %llu: '%.*s%s': %s", (unsigned long long)question->line_number, shown,
		       question->text, more, text);
	else
		report(NULL, "'%.*s%s': %s", shown, question->text, more, text);
	lookup->code = exit_worst(lookup->code, question->line_number ? EXIT_FAILED : EXIT_USAGE);
	answer_failure(&lookup->answers, question, text);
}

/* Turns `.text+0x10` into an address. Returns NULL, or why it is none. */
static const char *resolve_section(const struct locus_info *info, const struct query *query, uint64_t *ret)
{
	const struct locus_base_info *found = NULL;

	if (info->base_count == 0)
		return "only a relocatable file's addresses are given by section";
	for (size_t i = 0; i < info->base_count; i++) {
		const struct locus_base_info *base = &info->bases[i];
		if (base->name.size != query->section_size ||
		    memcmp(base->name.data, query->section, query->section_size) != 0)
			continue;
		if (found)
			return "several sections have this name";
		found = base;
	}
	if (!found)
		return "no executable section has this name";
	if (query->value >= found->size)
		return "beyond the end of the section";
	*ret = found->base + query->value;
	return NULL;
}

static enum locus_status find_answer(struct lookup *lookup, const struct query *query, uint64_t address,
				     struct answer *ret, struct locus_error *error)
{
	enum locus_status status;

	ret->address = address;
	ret->behind = 0;
	if (query->kind == QUERY_LOCID) {
		status = locus_frames(lookup->subject.locus, lookup->scratch, (uint32_t)query->value, &ret->result,
				      error);
		if (status == LOCUS_OK)
			ret->address = ret->result.interval.start;
		return status;
	}
	if (lookup->options->return_address && address > 0)
		ret->behind = 1;
	return locus_lookup(lookup->subject.locus, lookup->scratch, address - ret->behind, &ret->result, error);
}

static enum locus_status show_alternates(struct lookup *lookup, const struct question *question, uint64_t address,
					 struct locus_error *error)
{
	const struct locus_alternate_info *found;
	struct locus_function_info function;
	enum locus_status status;
	size_t count;

	status = locus_alternates(lookup->subject.locus, lookup->scratch, address, &found, &count, error);
	for (size_t i = 0; status == LOCUS_OK && i < count; i++) {
		status = locus_function_at(lookup->subject.locus, lookup->name_scratch, found[i].function_id, &function,
					   error);
		if (status == LOCUS_OK)
			answer_alternate(&lookup->answers, question, &found[i], &function);
	}
	return status;
}

/* ---- The file that is asked ---- */

/* The process ends with what is made here: names and paths are there until then. */
static enum locus_status begin_handle(struct lookup *lookup, struct locus_error *error)
{
	struct locus *locus = lookup->subject.locus;
	enum locus_status status = locus_scratch_new(locus, &lookup->scratch, error);

	if (status == LOCUS_OK && lookup->options->all)
		status = locus_scratch_new(locus, &lookup->name_scratch, error);
	if (status != LOCUS_OK)
		return status;
	lookup->answers.names = names_new(!lookup->options->no_demangle, locus_function_count(locus));
	paths_init(&lookup->answers.paths, lookup->answers.out, lookup->options->json, locus_file_count(locus));
	return LOCUS_OK;
}

/* Has the file answer for these addresses, as subject_ask does. */
static enum locus_status ask_for(struct lookup *lookup, const uint64_t *addresses, size_t count,
				 struct locus_error *error)
{
	if (lookup->subject.whole)
		return LOCUS_OK;
	locus_scratch_free(lookup->scratch);
	locus_scratch_free(lookup->name_scratch);
	lookup->scratch = lookup->name_scratch = NULL;
	enum locus_status status = subject_ask(&lookup->subject, addresses, count, error);
	return status == LOCUS_OK ? begin_handle(lookup, error) : status;
}

static enum locus_status open_file(struct lookup *lookup, struct locus_error *error)
{
	const struct lookup_options *options = lookup->options;
	enum locus_status status = subject_open(&lookup->subject, options->file, &options->library, error);

	lookup->answers.has_locids = !lookup->subject.is_elf;
	return status == LOCUS_OK && lookup->subject.locus ? begin_handle(lookup, error) : status;
}

/* What the file says of itself. */
static enum locus_status read_info(struct lookup *lookup, const struct locus_info **ret, struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;

	if (!lookup->subject.locus)
		status = ask_for(lookup, &(uint64_t){0}, 0, error);
	return status == LOCUS_OK ? locus_info(lookup->subject.locus, ret, error) : status;
}

/* ---- Questions ---- */

/* The address a query means, or why there is none. `info` is there where a query of the batch needs it. */
static const char *resolve(const struct lookup *lookup, const struct locus_info *info, const struct query *query,
			   uint64_t *ret)
{
	*ret = query->value;
	if (query->kind == QUERY_LOCID && lookup->subject.is_elf)
		return "only a .locus file has locids";
	if (query->kind == QUERY_LOCID && query->value >= locus_interval_count(lookup->subject.locus))
		return "no such locid in this file";
	return query->kind == QUERY_SECTION ? resolve_section(info, query, ret) : NULL;
}

static void answer_question(struct lookup *lookup, const struct asked *asked)
{
	struct locus_error error;
	struct answer answer;
	enum locus_status status;

	if (asked->reason) {
		fail_question(lookup, &asked->question, asked->reason);
		return;
	}
	error_clear(&error);
	status = find_answer(lookup, &asked->query, asked->address, &answer, &error);
	if (status == LOCUS_OK) {
		answer_begin(&lookup->answers, &asked->question, &answer);
		if (lookup->options->all)
			status = show_alternates(lookup, &asked->question, answer.address - answer.behind, &error);
		answer_end(&lookup->answers);
	} else {
		answer_failure(&lookup->answers, &asked->question, error_text(status, &error));
	}
	if (status != LOCUS_OK) {
		report_error(lookup->options->file, status, &error);
		lookup->code = exit_worst(lookup->code, EXIT_FAILED);
	}
}

/* Answers questions in order, those behind being fetched for meanwhile. */
static void answer_group(struct lookup *lookup, const struct asked *asked, size_t count)
{
	uint64_t addresses[GROUP_MAX];
	size_t address_count = 0;

	for (size_t i = 0; i < count; i++) {
		if (!asked[i].reason && asked[i].query.kind != QUERY_LOCID)
			addresses[address_count++] = asked[i].address;
	}
	if (address_count > 1)
		locus_prefetch(lookup->subject.locus, addresses, address_count);
	for (size_t i = 0; i < count && !lookup->answers.out->error; i++)
		answer_question(lookup, &asked[i]);
}

/* Has the file answer for a batch. Of an ELF file a second one asks for the whole, since more may follow. */
static enum locus_status ask_for_batch(struct lookup *lookup, const struct asked *asked, size_t count,
				       struct locus_error *error)
{
	static uint64_t addresses[BATCH_MAX];
	size_t address_count = 0;

	for (size_t i = 0; i < count; i++) {
		if (!asked[i].reason)
			addresses[address_count++] = asked[i].address - lookup->options->return_address;
	}
	bool is_first = !lookup->batch_was_answered;
	lookup->batch_was_answered = true;
	return ask_for(lookup, is_first ? addresses : NULL, address_count, error);
}

/* Finds out what the questions mean, and has the file answer for them. */
static enum locus_status prepare_batch(struct lookup *lookup, struct asked *asked, size_t count,
				       struct locus_error *error)
{
	const struct locus_info *info = NULL;
	bool needs_info = false;

	for (size_t i = 0; i < count; i++) {
		const struct question *question = &asked[i].question;
		bool is_query = query_parse(question->text, question->size, &asked[i].query, &asked[i].reason);
		if (is_query)
			asked[i].reason = NULL;
		needs_info |= is_query && asked[i].query.kind == QUERY_SECTION;
	}
	enum locus_status status = needs_info ? read_info(lookup, &info, error) : LOCUS_OK;
	if (status != LOCUS_OK)
		return status;
	for (size_t i = 0; i < count; i++) {
		if (!asked[i].reason)
			asked[i].reason = resolve(lookup, info, &asked[i].query, &asked[i].address);
	}
	return ask_for_batch(lookup, asked, count, error);
}

/* False: the file cannot be asked, and the reason was reported. */
static bool answer_batch(struct lookup *lookup, struct asked *asked, size_t count)
{
	struct locus_error error;
	enum locus_status status;

	error_clear(&error);
	status = prepare_batch(lookup, asked, count, &error);
	if (status != LOCUS_OK) {
		report_error(lookup->options->file, status, &error);
		lookup->code = exit_of(status);
		return false;
	}
	for (size_t i = 0; i < count && !lookup->answers.out->error; i += GROUP_MAX)
		answer_group(lookup, asked + i, count - i < GROUP_MAX ? count - i : GROUP_MAX);
	return true;
}

static void answer_arguments(struct lookup *lookup, struct asked *batch)
{
	const struct lookup_options *options = lookup->options;
	size_t count = 0;

	for (size_t i = 0; i < options->query_count && !lookup->answers.out->error; i++) {
		const char *text = options->queries[i];
		batch[count++].question = (struct question){.text = text, .size = strlen(text)};
		if (count == BATCH_MAX || i + 1 == options->query_count) {
			if (!answer_batch(lookup, batch, count))
				return;
			count = 0;
		}
	}
}

/* Some questions, if any are left: as many as need no waiting behind the first. */
static size_t read_batch(struct lines *lines, struct asked *ret)
{
	size_t count = 0;

	do {
		struct question question;
		if (!lines_next(lines, &question.text, &question.size))
			break;
		question.line_number = lines->number;
		if (question.size)
			ret[count++].question = question;
	} while (count < BATCH_MAX && !lines_must_read(lines));
	return count;
}

/* Answers are flushed before waiting for more questions: at once where they come one by one, in bulk where they don't.
 */
static void answer_standard_input(struct lookup *lookup, struct asked *batch)
{
	static struct lines lines;

	lines_init(&lines, STDIN_FILENO);
	while (!lines_ended(&lines) && !lookup->answers.out->error) {
		if (lines_must_read(&lines))
			out_flush(lookup->answers.out);
		if (!answer_batch(lookup, batch, read_batch(&lines, batch)))
			return;
	}
	if (lines.error) {
		report("standard input", "%s", strerror(lines.error));
		lookup->code = exit_worst(lookup->code, EXIT_FAILED);
	}
}

/* The process ends with this, and gives all memory back at once: to free each part before takes longer. */
static int lookup_file(const struct lookup_options *options)
{
	static struct out out;
	static struct asked batch[BATCH_MAX];
	static struct lookup lookup; /* static: what it refers to is in use until the end, not leaked */
	struct locus_error error;
	enum locus_status status;

	lookup = (struct lookup){.options = options, .answers = {.out = &out, .as_json = options->json}};
	error_clear(&error);
	out_init(&out, STDOUT_FILENO);
	json_init(&lookup.answers.json, &out);
	status = open_file(&lookup, &error);
	if (status != LOCUS_OK) {
		report_error(options->file, status, &error);
		lookup.code = EXIT_FAILED;
	} else if (options->query_count) {
		answer_arguments(&lookup, batch);
	} else {
		answer_standard_input(&lookup, batch);
	}
	return report_finish(&out, lookup.code);
}

enum { OPTION_JSON = 0x100, OPTION_RETURN_ADDRESS, OPTION_DEMANGLE, OPTION_NO_DEMANGLE, OPTION_ALL };

static const struct argp_option argument_table[] = {
	{"json", OPTION_JSON, NULL, 0, "Answer with one JSON object a line", 0},
	{"return-address", OPTION_RETURN_ADDRESS, NULL, 0,
	 "The addresses are return addresses, as in a stack trace: look up the call before each", 0},
	{"demangle", OPTION_DEMANGLE, NULL, 0, "Demangle C++, Rust and D names (default)", 0},
	{"no-demangle", OPTION_NO_DEMANGLE, NULL, 0, "Show linkage names as they are", 0},
	{"all", OPTION_ALL, NULL, 0, "Also name the other functions at an address: aliases and folded code", 0},
	{0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct lookup_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->library;
		return 0;
	case OPTION_JSON:
		options->json = true;
		return 0;
	case OPTION_RETURN_ADDRESS:
		options->return_address = true;
		return 0;
	case OPTION_DEMANGLE:
		options->no_demangle = false;
		return 0;
	case OPTION_NO_DEMANGLE:
		options->no_demangle = true;
		return 0;
	case OPTION_ALL:
		options->all = true;
		return 0;
	case ARGP_KEY_ARGS:
		options->file = state->argv[state->next];
		options->queries = &state->argv[state->next + 1];
		options->query_count = (size_t)(state->argc - state->next - 1);
		return 0;
	case ARGP_KEY_NO_ARGS:
		usage_error(state, "name a .locus file or an ELF file");
	default:
		(void)text;
		return ARGP_ERR_UNKNOWN;
	}
}

static int run(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{&companion_argp, 0, "Where FILE is an ELF file:", 0},
		{&limit_argp, 0, NULL, 0},
		{0},
	};
	static const struct argp argp = {
		.options = argument_table,
		.parser = parse_option,
		.children = children,
		.args_doc = "FILE [ADDRESS...]",
		.doc = "Say which function, file and line each address is, and what it was inlined into. FILE is a "
		       ".locus file, or an ELF file, of which then only what is asked for is read.\v"
		       "An ADDRESS is 0x1149, .text+0x10 in a relocatable file, or #17, the locid of an earlier "
		       "answer. "
		       "Without any, they are read from standard input, one a line.",
	};
	struct lookup_options options = {.library = subject_options()};

	parse_arguments(&argp, argc, argv, &options);
	return lookup_file(&options);
}

const struct subcommand subcommand_lookup = {
	"lookup", run, "say which function, file and line addresses are, and what they were inlined into"};
