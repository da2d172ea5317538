/* Reading arguments with argp, as every subcommand does it. */
#include "cmd/common/options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/memory.h"
#include "cmd/common/report.h"

enum { MESSAGE_SIZE = 8192 };

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
