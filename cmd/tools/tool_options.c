/* getopt leaves in optopt which letter of an argument it means, and that argument may not be over yet. */
#include "cmd/tools/tool_options.h"

#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "cmd/common/report.h"

void tool_report_option(const char *tool, const char *real, int key, const char *letters, char **argv)
{
	bool is_letter = key == '?' && optopt > 0 && optopt <= CHAR_MAX && !strchr(letters, optopt);
	const char letter[] = {'-', (char)optopt, '\0'};
	const char *option = is_letter ? letter : argv[optind - 1];

	if (key == ':')
		report(NULL, "%s: '%s' needs a value", tool, option);
	else
		report(NULL, "%s: '%s' is not supported here; %s may have it", tool, option, real);
}
