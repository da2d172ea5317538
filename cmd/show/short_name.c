/* Shortens demangled names in one pass that copies only what belongs to the function's own name. */
#include "cmd/show/short_name.h"

#include <stdbool.h>
#include <string.h>

#include "cmd/show/name_ends.h"

/* The size of what demanglers write before the name of a function or variable that the compiler made for another. */
static size_t prefix_size(const char *name, size_t size)
{
	static const char *const prefixes[] = {
		"non-virtual thunk to ",
		"virtual thunk to ",
		"covariant return thunk to ",
		"transaction clone for ",
		"hidden alias for ",
		"non-transaction clone for ",
		"TLS wrapper function for ",
		"TLS init function for ",
		"guard variable for ",
		"vtable for ",
		"VTT for ",
		"construction vtable for ",
		"typeinfo for ",
		"typeinfo name for ",
		"template parameter object for ",
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (name_starts_with(name, size, prefixes[i]))
			return strlen(prefixes[i]);
	}
	return 0;
}

size_t short_name(const char *name, size_t size, enum name_separator separator, char *ret)
{
	struct name_walk walk;
	struct name_step step;
	const size_t prefix = prefix_size(name, size);
	size_t length = prefix;

	memcpy(ret, name, prefix);
	name_walk_init(&walk, name + prefix, size - prefix, separator);
	while (name_walk_next(&walk, &step)) {
		if (step.start == NAME_START_FUNCTION) {
			length = prefix;
		} else if (step.is_name) {
			memcpy(ret + length, step.text, step.size);
			length += step.size;
		}
	}
	while (length > prefix && ret[length - 1] == ' ')
		length--;
	if (walk.is_unclosed || length == prefix) {
		memcpy(ret, name, size);
		return size;
	}
	return length;
}

const char *own_name(const char *name, size_t size, enum name_separator separator, size_t *ret_size)
{
	const char *start = name, *end = name;
	bool is_over = false; /* parameters, or a tag, end the name */
	struct name_walk walk;
	struct name_step step;

	name_walk_init(&walk, name, size, separator);
	while (name_walk_next(&walk, &step)) {
		if (step.start != NAME_START_NONE) {
			start = end = step.text + step.size;
			is_over = false;
		} else if (step.is_name || step.text[0] == '<') {
			end = is_over ? end : step.text + step.size;
		} else {
			is_over = is_over || step.text[0] != ' ';
		}
	}
	bool is_found = end > start && !walk.is_unclosed;
	*ret_size = is_found ? (size_t)(end - start) : size;
	return is_found ? start : name;
}
