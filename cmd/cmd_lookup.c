/* locus lookup: answers for addresses from arguments or, a line at a time, from standard input. */
#include <string.h>
#include <unistd.h>

#include "cmd/common/answer.h"
#include "cmd/common/exit_code.h"
#include "cmd/common/input_lines.h"
#include "cmd/common/options.h"
#include "cmd/common/query.h"
#include "cmd/common/report.h"
#include "cmd/subcommand.h"

enum {
	SHOWN_MAX = 80, /* bytes of a bad question that a message repeats */
	GROUP_MAX = 32, /* questions parsed before the first one is answered, as locus_prefetch likes them */
};

struct lookup_options {
	const char *file;
	char **queries;
	size_t query_count;
	bool json;
	bool return_address;
	bool no_demangle;
	bool all;
};

struct lookup {
	const struct lookup_options *options;
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_scratch *name_scratch; /* for the names of alternates, which the other scratch holds */
	struct answers answers;
	int code;
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
		status = locus_frames(lookup->locus, lookup->scratch, (uint32_t)query->value, &ret->result, error);
		if (status == LOCUS_OK)
			ret->address = ret->result.interval.start;
		return status;
	}
	if (lookup->options->return_address && address > 0)
		ret->behind = 1;
	return locus_lookup(lookup->locus, lookup->scratch, address - ret->behind, &ret->result, error);
}

static enum locus_status show_alternates(struct lookup *lookup, const struct question *question, uint64_t address,
					 struct locus_error *error)
{
	const struct locus_alternate_info *found;
	struct locus_function_info function;
	enum locus_status status;
	size_t count;

	status = locus_alternates(lookup->locus, lookup->scratch, address, &found, &count, error);
	for (size_t i = 0; status == LOCUS_OK && i < count; i++) {
		status = locus_function_at(lookup->locus, lookup->name_scratch, found[i].function_id, &function, error);
		if (status == LOCUS_OK)
			answer_alternate(&lookup->answers, question, &found[i], &function);
	}
	return status;
}

/* The address a query means, or why there is none: a text that is reported. */
static const char *resolve(struct lookup *lookup, const struct query *query, uint64_t *ret, struct locus_error *error)
{
	const struct locus_info *info;
	enum locus_status status;

	*ret = query->value;
	if (query->kind == QUERY_LOCID && query->value >= locus_interval_count(lookup->locus))
		return "no such locid in this file";
	if (query->kind != QUERY_SECTION)
		return NULL;
	status = locus_info(lookup->locus, &info, error);
	if (status != LOCUS_OK)
		return error_text(status, error);
	return resolve_section(info, query, ret);
}

static void answer_question(struct lookup *lookup, const struct question *question, const struct query *query)
{
	struct locus_error error;
	struct answer answer;
	const char *reason;
	uint64_t address;
	enum locus_status status;

	error_clear(&error);
	reason = resolve(lookup, query, &address, &error);
	if (reason) {
		fail_question(lookup, question, reason);
		return;
	}
	status = find_answer(lookup, query, address, &answer, &error);
	if (status == LOCUS_OK) {
		answer_begin(&lookup->answers, question, &answer);
		if (lookup->options->all)
			status = show_alternates(lookup, question, answer.address - answer.behind, &error);
		answer_end(&lookup->answers);
	} else {
		answer_failure(&lookup->answers, question, error_text(status, &error));
	}
	if (status != LOCUS_OK) {
		report_error(lookup->options->file, status, &error);
		lookup->code = exit_worst(lookup->code, EXIT_FAILED);
	}
}

/* Answers questions in order, those behind being fetched for meanwhile. */
static void answer_group(struct lookup *lookup, const struct question *questions, size_t count)
{
	struct query queries[GROUP_MAX];
	const char *reasons[GROUP_MAX];
	bool is_query[GROUP_MAX];
	uint64_t addresses[GROUP_MAX];
	size_t address_count = 0;

	for (size_t i = 0; i < count; i++) {
		is_query[i] = query_parse(questions[i].text, questions[i].size, &queries[i], &reasons[i]);
		if (is_query[i] && queries[i].kind == QUERY_ADDRESS)
			addresses[address_count++] = queries[i].value;
	}
	if (address_count > 1)
		locus_prefetch(lookup->locus, addresses, address_count);
	for (size_t i = 0; i < count && !lookup->answers.out->error; i++) {
		if (is_query[i])
			answer_question(lookup, &questions[i], &queries[i]);
		else
			fail_question(lookup, &questions[i], reasons[i]);
	}
}

static void answer_arguments(struct lookup *lookup)
{
	const struct lookup_options *options = lookup->options;
	struct question group[GROUP_MAX];
	size_t count = 0;

	for (size_t i = 0; i < options->query_count && !lookup->answers.out->error; i++) {
		const char *text = options->queries[i];
		group[count++] = (struct question){.text = text, .size = strlen(text)};
		if (count == GROUP_MAX || i + 1 == options->query_count) {
			answer_group(lookup, group, count);
			count = 0;
		}
	}
}

/* Some questions, if any are left: as many as need no waiting behind the first. */
static size_t read_group(struct lines *lines, struct question *ret)
{
	size_t count = 0;

	do {
		struct question question;
		if (!lines_next(lines, &question.text, &question.size))
			break;
		question.line_number = lines->number;
		if (question.size)
			ret[count++] = question;
	} while (count < GROUP_MAX && !lines_must_read(lines));
	return count;
}

/* Answers are flushed before waiting for more questions: at once where they come one by one, in bulk where they don't.
 */
static void answer_standard_input(struct lookup *lookup)
{
	static struct lines lines;
	struct question group[GROUP_MAX];

	lines_init(&lines, STDIN_FILENO);
	while (!lines_ended(&lines) && !lookup->answers.out->error) {
		if (lines_must_read(&lines))
			out_flush(lookup->answers.out);
		answer_group(lookup, group, read_group(&lines, group));
	}
	if (lines.error) {
		report("standard input", "%s", strerror(lines.error));
		lookup->code = exit_worst(lookup->code, EXIT_FAILED);
	}
}

static enum locus_status open_file(struct lookup *lookup, struct locus_error *error)
{
	enum locus_status status = locus_open(lookup->options->file, NULL, &lookup->locus, error);

	if (status == LOCUS_OK)
		status = locus_scratch_new(lookup->locus, &lookup->scratch, error);
	if (status == LOCUS_OK && lookup->options->all)
		status = locus_scratch_new(lookup->locus, &lookup->name_scratch, error);
	return status;
}

/* The process ends with this, and gives all memory back at once: to free each part before takes longer. */
static int lookup_file(const struct lookup_options *options)
{
	static struct out out;
	static struct lookup lookup; /* static: what it refers to is in use until the end, not leaked */
	struct locus_error error;
	enum locus_status status;

	lookup = (struct lookup){.options = options, .answers = {.out = &out, .as_json = options->json}};
	error_clear(&error);
	out_init(&out, STDOUT_FILENO);
	json_init(&lookup.answers.json, &out);
	status = open_file(&lookup, &error);
	if (status == LOCUS_OK) {
		lookup.answers.names = names_new(!options->no_demangle, locus_function_count(lookup.locus));
		paths_init(&lookup.answers.paths, &out, options->json, locus_file_count(lookup.locus));
		if (options->query_count)
			answer_arguments(&lookup);
		else
			answer_standard_input(&lookup);
	} else {
		report_error(options->file, status, &error);
		lookup.code = EXIT_FAILED;
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
		usage_error(state, "name a .locus file");
	default:
		(void)text;
		return ARGP_ERR_UNKNOWN;
	}
}

static int run(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argument_table,
		.parser = parse_option,
		.args_doc = "FILE [ADDRESS...]",
		.doc = "Say which function, file and line each address is, and what it was inlined into.\v"
		       "An ADDRESS is 0x1149, .text+0x10 in a relocatable file, or #17, the locid of an earlier "
		       "answer. "
		       "Without any, they are read from standard input, one a line.",
	};
	struct lookup_options options = {0};

	parse_arguments(&argp, argc, argv, &options);
	return lookup_file(&options);
}

const struct subcommand subcommand_lookup = {
	"lookup", run, "say which function, file and line addresses are, and what they were inlined into"};
