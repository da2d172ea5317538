/* Reading how functions and places are to be shown. */
#include "cmd/show/display_options.h"

enum { OPTION_SHORT = 0x400, OPTION_RELATIVE_TO, OPTION_DEMANGLE, OPTION_NO_DEMANGLE };

static const struct argp_option argument_table[] = {
	{"short", OPTION_SHORT, NULL, 0, "In text, show names without template arguments and parameters", 0},
	{"relative-to", OPTION_RELATIVE_TO, "DIR", 0, "Show paths below DIR, which is a whole path, relative to it", 0},
	{"demangle", OPTION_DEMANGLE, NULL, 0, "Demangle C++, Rust and D names (default)", 0},
	{"no-demangle", OPTION_NO_DEMANGLE, NULL, 0, "Show linkage names as they are", 0},
	{0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct display_options *options = state->input;

	switch (key) {
	case OPTION_SHORT:
		options->short_names = true;
		return 0;
	case OPTION_RELATIVE_TO:
		options->relative_to = text;
		return 0;
	case OPTION_DEMANGLE:
	case OPTION_NO_DEMANGLE:
		options->no_demangle = key == OPTION_NO_DEMANGLE;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp display_argp = {.options = argument_table, .parser = parse_option};
