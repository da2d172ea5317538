/*
 * The command as it is started: answers one address of a .locus file itself, and hands everything else over to
 * locus-full, the whole command.
 *
 * Such an answer takes no longer than the start of an ordinary program, which waits for the dynamic loader and for
 * glibc: that asks the processor for its caches, and in a virtual machine each of those hundred instructions takes
 * microseconds. So this program is linked statically, with musl, and has only what one answer needs, from the same
 * files as locus-full. Whatever is unusual or fails is handed over before anything is written: options, messages and
 * exit codes stay in one place.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/report.h"
#include "cmd/common/stack_limit.h"
#include "cmd/common/standard_files.h"
#include "cmd/lookup/answer.h"
#include "cmd/lookup/query.h"

#define FULL "locus-full"

struct request {
	const char *path;
	struct question question;
	uint64_t address;
	bool as_json;
};

/* Under the name of a link, such as addr2line, the arguments mean something else. */
static bool is_run_as_locus(const char *program)
{
	const char *slash = strrchr(program, '/');

	return strcmp(slash ? slash + 1 : program, "locus") == 0;
}

/* Parses `locus lookup [--json] FILE ADDRESS`. False: the arguments are something else. */
static bool parse(int argc, char **argv, struct request *ret)
{
	struct query query;
	const char *reason;
	bool as_json = argc == 5 && strcmp(argv[2], "--json") == 0;

	if (argc - as_json != 4 || strcmp(argv[1], "lookup") != 0 || !is_run_as_locus(argv[0]))
		return false;
	const char *path = argv[argc - 2], *text = argv[argc - 1];
	if (path[0] == '-' || !query_parse(text, strlen(text), false, &query, &reason) || query.kind != QUERY_ADDRESS)
		return false;

	/* Only a program with a dynamic loader does what the user asks of that. */
	if (getenv("LD_PRELOAD"))
		return false;
	*ret = (struct request){path, {.text = text, .size = strlen(text)}, query.value, as_json};
	return true;
}

/*
 * False: there is no answer, or one for which only the whole command has a hint, and nothing was written. The process
 * ends here, which frees all memory.
 */
static bool answer_request(const struct request *request, int *ret_code)
{
	static struct out out;
	static struct answers answers;
	struct answer answer = {.address = request->address};
	struct locus *locus;
	struct locus_scratch *scratch;

	if (locus_open(request->path, NULL, &locus, NULL) != LOCUS_OK ||
	    locus_scratch_new(locus, &scratch, NULL) != LOCUS_OK ||
	    locus_lookup(locus, scratch, request->address, &answer.result, NULL) != LOCUS_OK ||
	    answer_is_behind_all(&answer))
		return false;

	out_init(&out, STDOUT_FILENO);
	answers = (struct answers){.out = &out,
				   .as_json = request->as_json,
				   .display = {.colour = display_wants_colour(STDOUT_FILENO)},
				   .has_locids = true};
	json_init(&answers.json, &out);
	answers_begin_file(&answers, locus, true);
	answer_begin(&answers, &request->question, &answer);
	answer_end(&answers);
	*ret_code = report_finish(&out, EXIT_OK);
	return true;
}

/*
 * The folder of this program, without a slash behind it: where it is, or, if /proc is not mounted, by which path it was
 * started. False: it is not known.
 */
static bool find_folder(char *ret, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", ret, size);
	const char *started = (const char *)getauxval(AT_EXECFN);

	if (length < 0 && started && strlen(started) < size)
		length = (ssize_t)strlen(strcpy(ret, started));
	char *slash = length > 0 && (size_t)length < size ? memrchr(ret, '/', (size_t)length) : NULL;
	if (slash)
		*slash = '\0';
	return slash;
}

/* Becomes locus-full, which has the same arguments. Returns only if that cannot be run. */
static int hand_over(char **argv)
{
	static const char *const places[] = {"/" FULL, "/../lib/locus/" FULL};
	char path[PATH_MAX + sizeof("/../lib/locus/" FULL)];

	if (find_folder(path, PATH_MAX)) {
		size_t length = strlen(path);
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
			strcpy(path + length, places[i]);
			execv(path, argv);
		}
	}
	report(NULL, FULL ", which belongs beside locus or in ../lib/locus, cannot be run: %s", strerror(errno));
	return EXIT_FAILED;
}

int main(int argc, char **argv)
{
	struct request request;
	int code;

	if (parse(argc, argv, &request)) {
		standard_files_prepare();
		if (stack_limit_suffices() && answer_request(&request, &code))
			return code;
	}
	return hand_over(argv);
}
