/* Shortens demangled names in one pass that copies only what belongs to the function's own name. */
#include "cmd/show/short_name.h"

#include <string.h>

size_t short_name(const char *name, size_t size, enum name_separator separator, char *ret)
{
	struct name_walk walk;
	struct name_step step;
	size_t length = 0;

	name_walk_init(&walk, name, size, separator);
	while (name_walk_next(&walk, &step)) {
		if (step.start == NAME_START_FUNCTION) {
			length = 0;
		} else if (step.is_name) {
			memcpy(ret + length, step.text, step.size);
			length += step.size;
		}
	}
	while (length && ret[length - 1] == ' ')
		length--;
	if (walk.is_unclosed || length == 0) {
		memcpy(ret, name, size);
		return size;
	}
	return length;
}
