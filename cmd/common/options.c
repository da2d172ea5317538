/* Wraps argp, so that all subcommands have the same messages. */
#include "cmd/common/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/memory.h"
#include "cmd/common/report.h"

enum { MESSAGE_SIZE = 8192 };

/* Messages of the C library about arguments, which have a form of their own. */
struct complaint {
	const char *name; /* what each message begins with: "locus lookup" */
	bool is_said;
};

/*
 * Reports the first line like any other message, on one line and safe for a terminal. The lines behind it only point to
 * --help.
 */
static ssize_t say_complaint(void *cookie, const char *data, size_t size)
{
	struct complaint *complaint = cookie;
	const char *end = memchr(data, '\n', size);
	size_t length = end ? (size_t)(end - data) : size, before = strlen(complaint->name) + strlen(": ");

	if (complaint->is_said)
		return (ssize_t)size;
	complaint->is_said = true;
	if (length > before && memcmp(data, complaint->name, before - strlen(": ")) == 0) {
		data += before;
		length -= before;
	}
	report(NULL, "%.*s; see '%s --help'", (int)length, data, complaint->name);
	return (ssize_t)size;
}

/* Redirects these messages. `complaint` must stay valid, because argp ends the program while it is in use. */
static void reword_complaints(struct complaint *complaint)
{
	FILE *reworded = fopencookie(complaint, "w", (cookie_io_functions_t){.write = say_complaint});

	if (reworded && setvbuf(reworded, NULL, _IOLBF, 0) == 0)
		stderr = reworded;
}

void parse_arguments(const struct argp *argp, int argc, char **argv, void *input)
{
	static struct complaint complaint;
	FILE *standard_error = stderr;

	complaint.name = argv[0];
	reword_complaints(&complaint);
	error_t error = argp_parse(argp, argc, argv, 0, NULL, input);
	if (stderr != standard_error)
		fclose(stderr);
	stderr = standard_error;

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

void option_append(const char ***array, size_t *count, const char *text)
{
	const char **grown = memory_checked(realloc(*array, (*count + 1) * sizeof(*grown)));

	grown[(*count)++] = text;
	*array = grown;
}

const char *option_path(const struct argp_state *state, const char *option, const char *text)
{
	if (!text[0])
		usage_error(state, "%s takes a path, not ''", option);
	return text;
}

uint64_t option_number(const struct argp_state *state, const char *option, const char *text, uint64_t min, uint64_t max)
{
	char *end;

	/* A number that is too large for it becomes ULLONG_MAX, which is above any maximum. */
	unsigned long long value = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || value < min || value > max)
		usage_error(state, "%s takes a number from %llu to %llu, not '%s'", option, (unsigned long long)min,
			    (unsigned long long)max, text);
	return value;
}
