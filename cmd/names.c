/* Display names, and what was demangled: few functions are asked for often, and demangling costs more than looking up. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/demangle.h"
#include "cmd/names.h"

enum { SLOT_COUNT_MAX = 1 << 20, CHUNK_SIZE = 1 << 16, CHUNK_COUNT_MAX = 1 << 11 };

/* A direct-mapped cache by function id: never two functions to a slot up to a million of them. */
struct slot {
	uint32_t function_id; /* 0: empty */
	uint32_t size;        /* 0: the name does not demangle */
	const char *text;     /* in a chunk */
};

/* Texts stay until the end; past CHUNK_COUNT_MAX chunks names are demangled anew each time. */
struct chunk {
	struct chunk *next;
	char text[CHUNK_SIZE];
};

struct names {
	bool demangle;
	uint32_t slot_mask;
	struct slot *slots;
	struct chunk *chunks; /* the one being filled first */
	size_t chunk_count;
	size_t chunk_used;
	char scratch[DEMANGLED_SIZE_MAX];
};

static void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory) {
		report(NULL, "out of memory");
		exit(EXIT_FAILED);
	}
	return memory;
}

struct names *names_new(bool demangle, uint32_t function_count)
{
	struct names *names = allocate(1, sizeof(*names));
	uint32_t slot_count = 1;

	while (slot_count <= function_count && slot_count < SLOT_COUNT_MAX)
		slot_count *= 2;
	names->demangle = demangle;
	names->slot_mask = slot_count - 1;
	names->slots = allocate(slot_count, sizeof(struct slot));
	names->chunk_used = CHUNK_SIZE;
	return names;
}

void names_free(struct names *names)
{
	if (!names)
		return;
	while (names->chunks) {
		struct chunk *next = names->chunks->next;
		free(names->chunks);
		names->chunks = next;
	}
	free(names->slots);
	free(names);
}

/* A copy that stays of what `names->scratch` holds, or NULL where there is no room. */
static const char *keep(struct names *names, size_t size)
{
	if (size > CHUNK_SIZE - names->chunk_used) {
		struct chunk *chunk = names->chunk_count < CHUNK_COUNT_MAX ? malloc(sizeof(*chunk)) : NULL;
		if (!chunk)
			return NULL;
		chunk->next = names->chunks;
		names->chunks = chunk;
		names->chunk_count++;
		names->chunk_used = 0;
	}
	char *text = names->chunks->text + names->chunk_used;
	memcpy(text, names->scratch, size);
	names->chunk_used += size;
	return text;
}

static void remember(struct names *names, struct slot *slot, uint32_t function_id, size_t size)
{
	const char *text = size ? keep(names, size) : NULL;

	if (text || !size)
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
	struct slot *slot = &names->slots[function_id & names->slot_mask];
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
