/* Messages on standard error, exit codes, and the parts of argument parsing that subcommands share. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/out.h"
#include "reader/locus.h"

enum { MESSAGE_SIZE = 8192 };

int exit_worst(int a, int b)
{
	static const int rank[] = {
		[EXIT_OK] = 0, [EXIT_NO_DEBUG] = 1, [EXIT_STALE] = 2, [EXIT_USAGE] = 3, [EXIT_FAILED] = 4};

	return rank[a] > rank[b] ? a : b;
}

int exit_of(enum locus_status status)
{
	if (status == LOCUS_OK)
		return EXIT_OK;
	return status == LOCUS_ERR_NO_DEBUG ? EXIT_NO_DEBUG : EXIT_FAILED;
}

/* One write for one line, so that lines of several processes do not mix. */
void report(const char *file, const char *format, ...)
{
	static struct out out;
	char text[MESSAGE_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);

	out_init(&out, STDERR_FILENO);
	out_text(&out, "locus: ");
	if (file) {
		out_escaped(&out, file, strlen(file));
		out_text(&out, ": ");
	}
	out_escaped(&out, text, strlen(text));
	out_char(&out, '\n');
	out_flush(&out);
}

const char *error_text(enum locus_status status, const struct locus_error *error)
{
	return error->text[0] ? error->text : locus_status_text(status);
}

void report_error(const char *file, enum locus_status status, const struct locus_error *error)
{
	const char *text = error_text(status, error);

	if (error->offset == LOCUS_NO_OFFSET)
		report(file, "%s", text);
	else
		report(file, "%s, at offset 0x%llx", text, (unsigned long long)error->offset);
}

void error_clear(struct locus_error *error)
{
	error->text[0] = '\0';
	error->offset = LOCUS_NO_OFFSET;
}

void parse_arguments(const struct argp *argp, int argc, char **argv, void *input)
{
	error_t error = argp_parse(argp, argc, argv, 0, NULL, input);

	if (error) {
		report(NULL, "%s", strerror(error));
		exit(EXIT_FAILED);
	}
}

void usage_error(const struct argp_state *state, const char *format, ...)
{
	char text[MESSAGE_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	report(NULL, "%s; see '%s --help'", text, state->name);
	exit(EXIT_USAGE);
}

uint64_t option_number(const struct argp_state *state, const char *option, const char *text, uint64_t min, uint64_t max)
{
	char *end;

	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || value < min || value > max)
		usage_error(state, "%s takes a number from %llu to %llu, not '%s'", option, (unsigned long long)min,
			    (unsigned long long)max, text);
	return value;
}
