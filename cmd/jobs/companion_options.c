/* The options that say how an ELF file's debug information is found and what its paths become. */
#include "cmd/jobs/companion_options.h"

#include <string.h>

#include "cmd/common/options.h"
#include "convert/locus_convert.h"

enum {
	OPTION_DEBUG = 0x200,
	OPTION_DEBUG_DIR,
	OPTION_ALT,
	OPTION_DWP,
	OPTION_SYMBOLS_ONLY,
	OPTION_PREFIX_MAP,
	OPTION_COLUMNS,
};

static const struct argp_option argument_table[] = {
	{"debug", OPTION_DEBUG, "FILE", 0, "Read this separate debug file", 0},
	{"debug-dir", OPTION_DEBUG_DIR, "DIR", 0, "Look for separate debug files here (default: /usr/lib/debug)", 0},
	{"alt", OPTION_ALT, "FILE", 0, "Read this alternate file, as dwz makes", 0},
	{"dwp", OPTION_DWP, "FILE", 0, "Read this package of split DWARF", 0},
	{"symbols-only", OPTION_SYMBOLS_ONLY, NULL, 0, "Where there is no debug information, take symbols' names", 0},
	{"prefix-map", OPTION_PREFIX_MAP, "OLD=NEW", 0, "Replace OLD by NEW at the start of paths", 0},
	{"columns", OPTION_COLUMNS, NULL, 0, "Keep the source columns of lines and calls", 0},
	{0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	static const char **debug_dirs, **prefix_maps; /* what the options point to, until the program ends */
	struct locus_convert_options *options = state->input;

	switch (key) {
	case OPTION_DEBUG:
		options->debug_file = text;
		return 0;
	case OPTION_DEBUG_DIR:
		option_append(&debug_dirs, &options->debug_dir_count, text);
		options->debug_dirs = debug_dirs;
		return 0;
	case OPTION_ALT:
		options->alt_file = text;
		return 0;
	case OPTION_DWP:
		options->dwp_file = text;
		return 0;
	case OPTION_SYMBOLS_ONLY:
		options->symbols_only = true;
		return 0;
	case OPTION_PREFIX_MAP:
		if (!strchr(text, '=') || text[0] == '=')
			usage_error(state, "--prefix-map takes OLD=NEW, not '%s'", text);
		option_append(&prefix_maps, &options->prefix_map_count, text);
		options->prefix_maps = prefix_maps;
		return 0;
	case OPTION_COLUMNS:
		options->columns = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp companion_argp = {.options = argument_table, .parser = parse_option};
