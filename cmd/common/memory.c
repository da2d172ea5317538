/* Ends the command when memory is out. */
#include "cmd/common/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/report.h"

void *memory_checked(void *memory)
{
	if (!memory) {
		report(NULL, "out of memory");
		exit(EXIT_FAILED);
	}
	return memory;
}

char *memory_text(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	int size = vasprintf(&text, format, arguments);
	va_end(arguments);
	return memory_checked(size < 0 ? NULL : text);
}
