/* One option, which many subcommands have. */
#include "cmd/conversion/fetch_options.h"

#include "cmd/conversion/fetch.h"

enum { OPTION_NO_DEBUGINFOD = 0x500 };

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	(void)text;
	(void)state;
	if (key != OPTION_NO_DEBUGINFOD)
		return ARGP_ERR_UNKNOWN;
	fetch_forbid();
	return 0;
}

static const struct argp_option argument_table[] = {
	{"no-debuginfod", OPTION_NO_DEBUGINFOD, NULL, 0,
	 "Do not ask the servers in DEBUGINFOD_URLS for what is missing", 0},
	{0},
};

const struct argp fetch_argp = {.options = argument_table, .parser = parse_option};
