/* What was printed before a failure is flushed first, so that the message stands behind it. */
#include "cmd/common/shown_file.h"

#include <unistd.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/options.h"
#include "cmd/common/report.h"

error_t shown_file_parser(int key, char *text, struct argp_state *state)
{
	const char **file = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (*file)
			usage_error(state, "give one file, not several");
		*file = text;
		return 0;
	case ARGP_KEY_END:
		if (!*file)
			usage_error(state, "name a .locus file");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp shown_file_argp = {.parser = shown_file_parser};

int show_file(const char *path, show_function *show, const void *options)
{
	static struct out out;
	struct locus_error error;

	out_init(&out, STDOUT_FILENO);
	error_clear(&error);
	enum locus_status status = show(path, options, &out, &error);
	if (status != LOCUS_OK) {
		out_flush(&out);
		report_error(path, status, &error);
	}
	return report_finish(&out, exit_of(status));
}
