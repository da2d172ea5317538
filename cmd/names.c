/* Display names, with a direct-mapped cache of what was demangled: a profile asks for few functions, often. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/demangle.h"
#include "cmd/names.h"

enum { SLOT_COUNT = 1 << 12 };

struct slot {
	uint32_t function_id; /* 0: empty */
	uint32_t size;        /* 0: the name does not demangle */
	char *text;
};

struct names {
	bool demangle;
	char scratch[DEMANGLED_SIZE_MAX];
	struct slot slots[SLOT_COUNT];
};

struct names *names_new(bool demangle)
{
	struct names *names = calloc(1, sizeof(*names));

	if (!names) {
		report(NULL, "out of memory");
		exit(EXIT_FAILED);
	}
	names->demangle = demangle;
	return names;
}

void names_free(struct names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < SLOT_COUNT; i++)
		free(names->slots[i].text);
	free(names);
}

/* Puts what `names->scratch` holds into the slot; where memory is short the slot stays empty. */
static void remember(struct names *names, struct slot *slot, uint32_t function_id, size_t size)
{
	char *text = NULL;

	if (size) {
		text = malloc(size);
		if (!text)
			return;
		memcpy(text, names->scratch, size);
	}
	free(slot->text);
	*slot = (struct slot){.function_id = function_id, .size = (uint32_t)size, .text = text};
}

/* Whether `linkage` is `function` with a compiler's suffix: foo.constprop.0, foo.part.1. */
static bool is_clone(struct locus_string linkage, struct locus_string function)
{
	return linkage.size > function.size && linkage.data[function.size] == '.' &&
	       memcmp(linkage.data, function.data, function.size) == 0;
}

/*
 * The name to show or to demangle. A function has both names only where the linkage name is not mangled: then what the source
 * calls it (abort) says more than an assembler's alias of it (__GI_abort), but not more than which clone of it this is.
 */
static struct locus_string plain_name(struct locus_string function, struct locus_string linkage, bool demangle_it)
{
	if (!linkage.size)
		return function;
	if (!function.size || !demangle_it || is_clone(linkage, function))
		return linkage;
	return function;
}

struct locus_string names_get(struct names *names, uint32_t function_id, struct locus_string function,
			      struct locus_string linkage, uint32_t language)
{
	struct slot *slot = &names->slots[function_id % SLOT_COUNT];
	struct locus_string plain = plain_name(function, linkage, names->demangle);
	size_t size;

	if (!names->demangle || !plain.size)
		return plain;
	if (slot->function_id == function_id && function_id)
		return slot->size ? (struct locus_string){slot->text, slot->size} : plain;
	size = demangle(plain.data, plain.size, language, names->scratch);
	remember(names, slot, function_id, size);
	return size ? (struct locus_string){names->scratch, size} : plain;
}

const char *alternate_kind_name(enum locus_alternate_kind kind)
{
	static const char *const kinds[] = {
		[LOCUS_ALTERNATE_ALIAS] = "alias",
		[LOCUS_ALTERNATE_FOLDED] = "folded",
		[LOCUS_ALTERNATE_OVERLAP] = "overlap",
	};

	return kinds[kind];
}
