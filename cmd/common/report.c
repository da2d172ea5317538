/* Messages are escaped, because names in them come from files. */
#include "cmd/common/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/exit_code.h"
#include "reader/locus.h"

enum { MESSAGE_SIZE = 8192 };

/* A line is written at once, so that lines of several processes do not mix. */
void report(const char *file, const char *format, ...)
{
	static struct out out;
	char text[MESSAGE_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);

	out_init(&out, STDERR_FILENO);
	out_text(&out, "locus: ");
	if (file) {
		out_text(&out, *file ? "" : "''");
		out_escaped(&out, file, strlen(file));
		out_text(&out, ": ");
	}
	out_escaped(&out, text, strlen(text));
	out_char(&out, '\n');
	out_flush(&out);
}

const char *error_text(enum locus_status status, const struct locus_error *error)
{
	return error->text[0] ? error->text : locus_status_text(status);
}

void report_error(const char *file, enum locus_status status, const struct locus_error *error)
{
	const char *text = error_text(status, error);

	if (error->offset == LOCUS_NO_OFFSET)
		report(file, "%s", text);
	else
		report(file, "%s, at offset 0x%llx", text, (unsigned long long)error->offset);
}

void error_clear(struct locus_error *error)
{
	error->text[0] = '\0';
	error->offset = LOCUS_NO_OFFSET;
}

enum locus_status error_fail(struct locus_error *error, enum locus_status status, const char *format, ...)
{
	va_list arguments;

	if (!error)
		return status;
	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	error->offset = LOCUS_NO_OFFSET;
	return status;
}

int report_finish_named(struct out *out, const char *name, int code)
{
	out_flush(out);
	if (!out->error || out->error == EPIPE)
		return code;
	report(name, "%s", strerror(out->error));
	return exit_worst(code, EXIT_FAILED);
}

int report_finish(struct out *out, int code)
{
	return report_finish_named(out, "standard output", code);
}
