/*
 * Demangled names are kept: the same few functions are shown again and again, and demangling takes longer than a
 * lookup.
 */
#include "cmd/show/function_labels.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cmd/common/memory.h"
#include "cmd/common/out.h"
#include "cmd/show/demangle.h"

enum { CACHE_LINE = 64, PREFETCH_SIZE = 4 * CACHE_LINE }; /* the processor itself prefetches the rest of a long text */
enum { FORGOTTEN_MAX = 16 }; /* names demangled before any is kept: one lookup would pay for the table in vain */
enum { SLOT_COUNT_MAX = 1 << 20, TEXTS_SIZE = 1 << 27, POPULATED_SIZE = 1 << 18 };

/* The demangled name of a function. */
struct text {
	uint32_t function_id;
	uint32_t size : 31; /* 0: the name does not demangle */
	uint32_t is_plain : 1;
	char data[];
};

struct function_labels {
	bool demangle;
	uint32_t demangled_count; /* no more than FORGOTTEN_MAX */
	uint32_t slot_count;
	/*
	 * A direct-mapped cache by function id, with a slot for each of up to a million functions: where the text is in
	 * `texts`; 0: nowhere. A slot is small, because with many functions each is rarely used.
	 */
	uint32_t *slots;
	char *texts; /* TEXTS_SIZE bytes, of which only touched pages take memory; NULL: nothing was demangled yet */
	size_t texts_size;
	size_t texts_populated;
	char scratch[DEMANGLED_SIZE_MAX];
};

static void *allocate(size_t count, size_t size)
{
	return memory_checked(calloc(count, size));
}

struct function_labels *function_labels_new(bool demangle, uint32_t function_count)
{
	struct function_labels *names = memory_checked(malloc(sizeof(*names)));

	/* Not the scratch: to touch its pages would take a single lookup longer than all else here. */
	memset(names, 0, offsetof(struct function_labels, scratch));
	names->demangle = demangle;
	names->slot_count = 1;
	while (names->slot_count <= function_count && names->slot_count < SLOT_COUNT_MAX)
		names->slot_count *= 2;
	return names;
}

void function_labels_free(struct function_labels *names)
{
	if (names->texts)
		munmap(names->texts, TEXTS_SIZE);
	free(names->slots);
	free(names);
}

size_t function_labels_memory(const struct function_labels *names)
{
	return names->slots ? names->texts_size + names->slot_count * sizeof(*names->slots) : 0;
}

/*
 * Takes the pages of the next texts at less than the cost of a fault for each. The first texts fault in lazily: a
 * single lookup touches one page.
 */
static void populate(struct function_labels *names)
{
#ifdef MADV_POPULATE_WRITE
	if (names->texts_populated)
		madvise(names->texts + names->texts_populated, POPULATED_SIZE, MADV_POPULATE_WRITE);
#endif
	names->texts_populated += POPULATED_SIZE;
}

/* Texts stay until the end. NULL: there is no room for another, so its name is demangled each time. */
static struct text *new_text(struct function_labels *names, uint32_t function_id, size_t size)
{
	size_t whole = (sizeof(struct text) + size + alignof(struct text) - 1) & ~(alignof(struct text) - 1);

	if (!names->slots) {
		char *texts = mmap(NULL, TEXTS_SIZE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (texts == MAP_FAILED)
			return NULL;
		names->texts = texts;
		names->texts_size = alignof(struct text);
		names->slots = allocate(names->slot_count, sizeof(*names->slots));
	}
	if (whole > TEXTS_SIZE - names->texts_size)
		return NULL;
	while (names->texts_populated < names->texts_size + whole)
		populate(names);
	names->slots[function_id & (names->slot_count - 1)] = (uint32_t)names->texts_size;
	struct text *text = (struct text *)(void *)(names->texts + names->texts_size);
	names->texts_size += whole;
	return text;
}

/* The text in the slot of the function, perhaps of another one; NULL: none. */
static const struct text *text_at(const struct function_labels *names, uint32_t function_id)
{
	uint32_t at = names->slots ? names->slots[function_id & (names->slot_count - 1)] : 0;

	return at ? (const struct text *)(const void *)(names->texts + at) : NULL;
}

void function_labels_prefetch(struct function_labels *names, uint32_t function_id)
{
	const struct text *text = text_at(names, function_id);

	for (size_t i = 0; text && i < PREFETCH_SIZE; i += CACHE_LINE)
		__builtin_prefetch((const char *)text + i);
}

/* Keeps the text in `names->scratch`; NULL: there is no room, or it is one of the first names. */
static const struct text *remember(struct function_labels *names, uint32_t function_id, size_t size)
{
	if (names->demangled_count < FORGOTTEN_MAX) {
		names->demangled_count++;
		return NULL;
	}
	struct text *text = new_text(names, function_id, size);

	if (!text)
		return NULL;
	text->function_id = function_id;
	text->size = (uint32_t)size;
	text->is_plain = plain_copy(text->data, names->scratch, size) == size;
	if (!text->is_plain)
		memcpy(text->data, names->scratch, size);
	return text;
}

/* Whether `linkage` is `function` with a compiler's suffix: foo.constprop.0, foo.part.1. */
static bool is_clone(struct locus_string linkage, struct locus_string function)
{
	return linkage.size > function.size && linkage.data[function.size] == '.' &&
	       memcmp(linkage.data, function.data, function.size) == 0;
}

/*
 * The name to show or to demangle. A function has both names only if the linkage name is not mangled. Then the name in
 * the source (abort) says more than an alias of an assembler (__GI_abort), but less than the suffix of a clone.
 */
static struct locus_string plain_name(struct locus_string function, struct locus_string linkage, bool demangle_it)
{
	if (!linkage.size)
		return function;
	if (!function.size || !demangle_it || is_clone(linkage, function))
		return linkage;
	return function;
}

struct name function_labels_get(struct function_labels *names, uint32_t function_id, struct locus_string function,
				struct locus_string linkage, uint32_t language)
{
	struct locus_string plain = plain_name(function, linkage, names->demangle);
	struct name as_is = {plain.data, plain.size, false};
	const struct text *text;
	size_t size;

	if (!names->demangle)
		return as_is;
	text = text_at(names, function_id);
	if (!text || text->function_id != function_id) {
		if (!may_demangle(plain.data, plain.size, language))
			return as_is;
		size = demangle(plain.data, plain.size, language, names->scratch);
		text = remember(names, function_id, size);
		if (!text)
			return size ? (struct name){names->scratch, size, false} : as_is;
	}
	return text->size ? (struct name){text->data, text->size, text->is_plain} : as_is;
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
