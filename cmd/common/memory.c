/* Ends the command when memory is out. */
#include "cmd/common/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void memory_reserve(void *array, size_t *room, size_t count, size_t size)
{
	void *old;

	if (count <= *room)
		return;
	memcpy(&old, array, sizeof(old)); /* the pointer's type is unknown here, so only its bytes may be read */
	void *grown = memory_checked(reallocarray(old, count, 2 * size));
	memcpy(array, &grown, sizeof(grown));
	*room = 2 * count;
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
