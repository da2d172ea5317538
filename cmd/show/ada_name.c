/* What GNAT's exp_dbug.ads says of names, as far as subprograms have it. */
#include "cmd/show/ada_name.h"

#include <stdbool.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The size without the number of an overloaded subprogram, as the __2 of pkg__proc__2 is. */
static size_t size_without_number(const char *name, size_t size)
{
	size_t digits = 0;

	while (digits < size && is_digit(name[size - 1 - digits]))
		digits++;
	size_t start = size - digits;
	bool is_number = digits && start > 2 && name[start - 1] == '_' && name[start - 2] == '_';
	return is_number ? start - 2 : size;
}

size_t ada_name(const char *name, size_t size, char *ret)
{
	static const char of_main[] = "_ada_";
	const size_t skipped = strlen(of_main);
	size_t length = 0;

	if (size > skipped && memcmp(name, of_main, skipped) == 0) {
		name += skipped;
		size -= skipped;
	}
	size = size_without_number(name, size);
	for (size_t i = 0; i < size; i++) {
		bool is_separator = i && i + 2 < size && name[i] == '_' && name[i + 1] == '_';
		ret[length++] = is_separator ? '.' : name[i];
		i += is_separator;
	}
	return length;
}
