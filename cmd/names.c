/* Display names, and what was demangled: few functions are asked for often, and to demangle costs more than to look up.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cmd/cmd.h"
#include "cmd/demangle.h"
#include "cmd/names.h"
#include "cmd/out.h"

enum { CACHE_LINE = 64, PREFETCH_SIZE = 4 * CACHE_LINE }; /* the processor sees by itself how a long text goes on */
enum { SLOT_COUNT_MAX = 1 << 20, CHUNK_COUNT_MAX = 1 << 11 };

/* A chunk is whole pages with its link. */
#define CHUNK_SIZE ((1 << 16) - sizeof(void *))

/* A direct-mapped cache by function id: never two functions to a slot up to a million of them. */
struct slot {
	uint32_t function_id; /* 0: empty */
	uint32_t size : 31;   /* 0: the name does not demangle */
	uint32_t is_plain : 1;
	const char *text; /* in a chunk */
};

/* Texts stay until the end; past CHUNK_COUNT_MAX chunks names are demangled anew each time. */
struct chunk {
	struct chunk *next;
	char text[CHUNK_SIZE];
};

struct names {
	bool demangle;
	uint32_t slot_count;
	struct slot *slots;   /* NULL: nothing was demangled yet */
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

	names->demangle = demangle;
	names->slot_count = 1;
	while (names->slot_count <= function_count && names->slot_count < SLOT_COUNT_MAX)
		names->slot_count *= 2;
	names->chunk_used = CHUNK_SIZE;
	return names;
}

/* Room for a text that stays, or NULL where there is none. */
static char *new_text(struct names *names, size_t size)
{
	if (size > CHUNK_SIZE - names->chunk_used) {
		if (names->chunk_count == CHUNK_COUNT_MAX)
			return NULL;
		/* One chunk is enough for who asks once; of more, each is filled. */
		int populate = names->chunk_count ? MAP_POPULATE : 0;
		struct chunk *chunk = mmap(NULL, sizeof(*chunk), PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS | populate, -1, 0);
		if (chunk == MAP_FAILED)
			return NULL;
		chunk->next = names->chunks;
		names->chunks = chunk;
		names->chunk_count++;
		names->chunk_used = 0;
	}
	char *text = names->chunks->text + names->chunk_used;
	names->chunk_used += size;
	return text;
}

/* The function's slot, whatever it holds; NULL: nothing was demangled yet. */
static struct slot *slot_of(struct names *names, uint32_t function_id)
{
	return names->slots ? &names->slots[function_id & (names->slot_count - 1)] : NULL;
}

void names_prefetch(struct names *names, uint32_t function_id)
{
	const struct slot *slot = slot_of(names, function_id);

	if (!slot || slot->function_id != function_id)
		return;
	for (size_t i = 0; i < slot->size && i < PREFETCH_SIZE; i += CACHE_LINE)
		__builtin_prefetch(slot->text + i);
}

/* Keeps what `names->scratch` holds; NULL: there is no room. */
static struct slot *remember(struct names *names, uint32_t function_id, size_t size)
{
	struct slot *slot;
	char *text = size ? new_text(names, size) : NULL;

	if (size && !text)
		return NULL;
	if (!names->slots)
		names->slots = allocate(names->slot_count, sizeof(struct slot));
	slot = slot_of(names, function_id);
	*slot = (struct slot){.function_id = function_id, .size = (uint32_t)size, .text = text};
	slot->is_plain = plain_copy(text, names->scratch, size) == size;
	if (!slot->is_plain)
		memcpy(text, names->scratch, size);
	return slot;
}

/* Whether `linkage` is `function` with a compiler's suffix: foo.constprop.0, foo.part.1. */
static bool is_clone(struct locus_string linkage, struct locus_string function)
{
	return linkage.size > function.size && linkage.data[function.size] == '.' &&
	       memcmp(linkage.data, function.data, function.size) == 0;
}

/*
 * The name to show or to demangle. A function has both names only where the linkage name is not mangled: then what the
 * source calls it (abort) says more than an assembler's alias of it (__GI_abort), but not more than which clone of it
 * this is.
 */
static struct locus_string plain_name(struct locus_string function, struct locus_string linkage, bool demangle_it)
{
	if (!linkage.size)
		return function;
	if (!function.size || !demangle_it || is_clone(linkage, function))
		return linkage;
	return function;
}

struct name names_get(struct names *names, uint32_t function_id, struct locus_string function,
		      struct locus_string linkage, uint32_t language)
{
	struct locus_string plain = plain_name(function, linkage, names->demangle);
	struct name as_is = {plain.data, plain.size, false};
	const struct slot *slot = slot_of(names, function_id);
	size_t size;

	if (!names->demangle)
		return as_is;
	if (!slot || slot->function_id != function_id) {
		if (!may_demangle(plain.data, plain.size, language))
			return as_is;
		size = demangle(plain.data, plain.size, language, names->scratch);
		slot = remember(names, function_id, size);
		if (!slot)
			return size ? (struct name){names->scratch, size, false} : as_is;
	}
	return slot->size ? (struct name){slot->text, slot->size, slot->is_plain} : as_is;
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
