/* Reading arguments with argp, as every subcommand does it. */
#include "cmd/common/options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/memory.h"
#include "cmd/common/out.h"
#include "cmd/common/report.h"

enum { MESSAGE_SIZE = 8192 };

/* What the C library says of arguments it says as they are; here they are made safe for a terminal. */
static ssize_t write_escaped(void *cookie, const char *data, size_t size)
{
	struct out out;

	(void)cookie;
	out_init(&out, STDERR_FILENO);
	for (size_t left = size; left;) {
		const char *end = memchr(data, '\n', left);
		size_t length = end ? (size_t)(end - data) : left;
		out_escaped(&out, data, length);
		if (end)
			out_char(&out, '\n');
		data += length + (end != NULL);
		left -= length + (end != NULL);
	}
	out_flush(&out);
	return (ssize_t)size;
}

static void escape_messages(void)
{
	FILE *escaped = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_escaped});

	if (escaped && setvbuf(escaped, NULL, _IOLBF, 0) == 0)
		stderr = escaped;
}

void parse_arguments(const struct argp *argp, int argc, char **argv, void *input)
{
	FILE *standard_error = stderr;

	escape_messages();
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
