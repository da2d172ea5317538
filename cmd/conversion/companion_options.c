/* What the options point to is kept until the program ends. */
#include "cmd/conversion/companion_options.h"

#include "cmd/common/options.h"

enum {
	OPTION_DEBUG = 0x200,
	OPTION_DEBUG_DIR,
	OPTION_ALT,
	OPTION_DWP,
};

static const struct argp_option argument_table[] = {
	{"debug", OPTION_DEBUG, "FILE", 0, "Read this separate debug file", 0},
	{"debug-dir", OPTION_DEBUG_DIR, "DIR", 0, "Look for separate debug files here (default: /usr/lib/debug)", 0},
	{"alt", OPTION_ALT, "FILE", 0, "Read this alternate file, as dwz makes", 0},
	{"dwp", OPTION_DWP, "FILE", 0, "Read this package of split DWARF", 0},
	{0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	static const char **debug_dirs; /* freed by the end of the program */
	struct locus_convert_options *options = state->input;

	switch (key) {
	case OPTION_DEBUG:
		options->debug_file = option_path(state, "--debug", text);
		return 0;
	case OPTION_DEBUG_DIR:
		option_append(&debug_dirs, &options->debug_dir_count, option_path(state, "--debug-dir", text));
		options->debug_dirs = debug_dirs;
		return 0;
	case OPTION_ALT:
		options->alt_file = option_path(state, "--alt", text);
		return 0;
	case OPTION_DWP:
		options->dwp_file = option_path(state, "--dwp", text);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const char *companion_option_given(const struct locus_convert_options *options)
{
	return options->debug_file        ? "--debug"
	       : options->debug_dir_count ? "--debug-dir"
	       : options->alt_file        ? "--alt"
	       : options->dwp_file        ? "--dwp"
					  : NULL;
}

const struct argp companion_argp = {.options = argument_table, .parser = parse_option};
