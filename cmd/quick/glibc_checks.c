/*
 * What the system's archive of libiberty calls besides standard functions: it was built for glibc, with its checks of
 * buffers, and is linked with musl here.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int __sprintf_chk(char *ret, int flag, size_t size, const char *format, ...);
int __snprintf_chk(char *ret, size_t max, int flag, size_t size, const char *format, ...);

/* Both end the process where the text may exceed its buffer, as glibc does. A `size` that is not known is SIZE_MAX. */
int __sprintf_chk(char *ret, int flag, size_t size, const char *format, ...)
{
	va_list arguments;

	(void)flag;
	va_start(arguments, format);
	int length = vsnprintf(ret, size < INT_MAX ? size : INT_MAX, format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t)length >= size)
		abort();
	return length;
}

int __snprintf_chk(char *ret, size_t max, int flag, size_t size, const char *format, ...)
{
	va_list arguments;

	(void)flag;
	if (max > size)
		abort();
	va_start(arguments, format);
	int length = vsnprintf(ret, max, format, arguments);
	va_end(arguments);
	return length;
}
