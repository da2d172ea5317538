/* Sizes and times are checked here, so that limits always make sense. */
#include "cmd/conversion/limit_options.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/common/options.h"
#include "cmd/conversion/child.h"

enum { OPTION_MAX_MEMORY = 0x300, OPTION_TIMEOUT, SECONDS_MAX = 1000000 };

static const char *given; /* the option that was given last; NULL: none */

static const struct argp_option argument_table[] = {
	{"max-memory", OPTION_MAX_MEMORY, "N", 0,
	 "The most memory for each file, in bytes or with K, M or G (default: what one of its size can need)", 0},
	{"timeout", OPTION_TIMEOUT, "S", 0, "The most seconds for each file; 0: no bound (default: 600)", 0},
	{0},
};

/* Reads a number of bytes, or of units of 1024, 1024² or 1024³ bytes. */
static uint64_t parse_size(const struct argp_state *state, const char *text)
{
	static const char units[] = "KMG";
	char *end;

	unsigned long long value = strtoull(text, &end, 10); /* ULLONG_MAX where it would be larger */
	const char *unit = *end ? strchr(units, *end) : NULL;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	if (text[0] < '0' || text[0] > '9' || end[unit != NULL] || value == 0 || value > (uint64_t)INT64_MAX >> shift)
		usage_error(state, "--max-memory takes a number of bytes, such as 64M or 2G, not '%s'", text);
	return value << shift;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	static struct child_limits limits = {.seconds = CHILD_SECONDS};

	switch (key) {
	case OPTION_MAX_MEMORY:
		given = "--max-memory";
		limits.memory_bytes = parse_size(state, text);
		break;
	case OPTION_TIMEOUT:
		given = "--timeout";
		limits.seconds = (unsigned)option_number(state, "--timeout", text, 0, SECONDS_MAX);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	child_set_limits(&limits);
	return 0;
}

const char *limit_option_given(void)
{
	return given;
}

const struct argp limit_argp = {.options = argument_table, .parser = parse_option};
