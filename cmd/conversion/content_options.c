/* What the options point to is kept until the program ends. */
#include "cmd/conversion/content_options.h"

#include <string.h>

#include "cmd/common/options.h"

enum { OPTION_SYMBOLS_ONLY = 0x280, OPTION_PREFIX_MAP, OPTION_COLUMNS };

static const struct argp_option argument_table[] = {
	{"symbols-only", OPTION_SYMBOLS_ONLY, NULL, 0,
	 "Where there is no debug information, take names from the symbol table", 0},
	{"prefix-map", OPTION_PREFIX_MAP, "OLD=NEW", 0, "Replace OLD by NEW at the start of paths", 0},
	{"columns", OPTION_COLUMNS, NULL, 0, "Keep the source columns of lines and calls", 0},
	{0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	static const char **prefix_maps; /* freed by the end of the program */
	struct locus_convert_options *options = state->input;

	switch (key) {
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

const char *content_option_given(const struct locus_convert_options *options)
{
	return options->symbols_only       ? "--symbols-only"
	       : options->prefix_map_count ? "--prefix-map"
	       : options->columns          ? "--columns"
					   : NULL;
}

const struct argp content_argp = {.options = argument_table, .parser = parse_option};
