/* A reason is cut off at the size of the caller's buffer. */
#include "cmd/pprof/profile_error.h"

#include <stdarg.h>
#include <stdio.h>

bool profile_fail(char error[PROFILE_ERROR_SIZE], const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error, PROFILE_ERROR_SIZE, format, arguments);
	va_end(arguments);
	return false;
}
