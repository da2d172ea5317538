/*
 * Final ids. While units are read functions are interned by their strings' addresses, which costs no look at the
 * strings; here, once for each that is used, they are made one by content.
 */
#include "convert/emit/output_ids.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/array.h"
#include "base/budget.h"

bool numbering_init(struct numbering *n, const struct intern_set *function_keys, const struct files *file_keys)
{
	*n = (struct numbering){.function_keys = function_keys, .file_keys = file_keys};
	n->function_of = calloc(intern_id_end(function_keys) + 1u, sizeof(*n->function_of));
	n->file_of = calloc(intern_id_end(&file_keys->set) + 1u, sizeof(*n->file_of));
	if (n->function_of && n->file_of)
		return true;
	numbering_done(n);
	return false;
}

void numbering_done(struct numbering *n)
{
	free(n->function_of);
	free(n->file_of);
	free(n->functions);
	free(n->files);
	hash_slots_done(&n->slots);
	*n = (struct numbering){0};
}

static struct locus_bytes bytes_of(const char *string)
{
	return string ? (struct locus_bytes){string, strlen(string)} : (struct locus_bytes){0};
}

static bool same_bytes(struct locus_bytes a, struct locus_bytes b)
{
	return a.size == b.size && (!a.size || memcmp(a.data, b.data, a.size) == 0);
}

/* A linkage name that equals the name is no other identity: the inlined and the out-of-line function are one. */
static bool same_function(const struct locus_function *a, const struct locus_function *b)
{
	return a->decl_line == b->decl_line && a->decl_file == b->decl_file && a->language == b->language &&
	       same_bytes(a->linkage, b->linkage) && same_bytes(a->name, b->name);
}

static uint32_t hash_of(const struct locus_function *f)
{
	uint64_t seed = (uint64_t)f->decl_file << 32 ^ (uint64_t)f->decl_line << 8 ^ f->language;
	seed = f->name.size ? XXH3_64bits_withSeed(f->name.data, f->name.size, seed) : seed;
	return (uint32_t)(f->linkage.size ? XXH3_64bits_withSeed(f->linkage.data, f->linkage.size, seed) : seed);
}

static bool grow_functions(struct numbering *n)
{
	return hash_slots_reserve(&n->slots, n->function_count) &&
	       array_reserve(&n->functions, &n->function_room, n->function_count + UINT64_C(1), sizeof(*n->functions));
}

/* The slot of the function with this content, or the free one where it belongs. There is one. */
static struct hash_slot *find_slot(const struct numbering *n, const struct locus_function *function, uint32_t hash)
{
	struct hash_slot *slots = n->slots.slots;
	uint32_t at;
	HASH_SLOTS_FIND(at, &n->slots, hash, same_function(&n->functions[slots[at].index - 1], function));
	return &slots[at];
}

/* The id of the function with this content, added if there is none yet. */
static uint32_t put_function(struct numbering *n, const struct locus_function *function)
{
	if (n->failed || !grow_functions(n)) {
		n->failed = true;
		return LOCUS_UNKNOWN;
	}
	uint32_t hash = hash_of(function);
	struct hash_slot *slot = find_slot(n, function, hash);
	if (slot->index)
		return slot->index;
	/* Equal names are one; those that are parts of each other are not, and together may be longer than the file. */
	if (!budget_count(&n->work, (function->name.size + function->linkage.size) / BUDGET_BYTES_PER_STEP)) {
		n->failed = true;
		return LOCUS_UNKNOWN;
	}
	n->functions[n->function_count++] = *function;
	*slot = (struct hash_slot){hash, n->function_count};
	return n->function_count;
}

/* A function as it is written, but for its file, which is not numbered by this. */
static struct locus_function function_from(const struct function_key *key, uint32_t decl_file)
{
	struct locus_function function = {
		.name = bytes_of(key->name),
		.linkage = bytes_of(key->linkage),
		.decl_file = decl_file,
		.decl_line = key->decl_line,
		.language = key->language,
	};
	if (same_bytes(function.name, function.linkage))
		function.linkage.size = 0;
	return function;
}

uint32_t numbering_function(struct numbering *n, uint32_t interned)
{
	if (interned == FUNCTION_UNKNOWN)
		return put_function(n, &(struct locus_function){0});
	if (!n->function_of[interned]) {
		const struct function_key *key = intern_get(n->function_keys, interned);
		struct locus_function function = function_from(key, numbering_file(n, key->decl_file));
		n->function_of[interned] = put_function(n, &function);
		if (key->name && key->linkage && !function.linkage.size)
			numbering_symbol_is_name(n, n->function_of[interned]);
	}
	return n->function_of[interned];
}

uint32_t numbering_used_function(struct numbering *n, uint32_t interned)
{
	if (interned == FUNCTION_UNKNOWN || n->function_of[interned] || !n->slots.mask)
		return interned == FUNCTION_UNKNOWN ? LOCUS_UNKNOWN : n->function_of[interned];
	const struct function_key *key = intern_get(n->function_keys, interned);
	struct locus_function function = function_from(key, n->file_of[key->decl_file]);
	if (key->decl_file != FILE_UNKNOWN && !function.decl_file)
		return LOCUS_UNKNOWN; /* nothing that is used is of its file */
	return find_slot(n, &function, hash_of(&function))->index;
}

uint32_t numbering_symbol(struct numbering *n, const char *name)
{
	bool mangled = name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' || name[1] == 'D');
	struct locus_function function = {0};
	*(mangled ? &function.linkage : &function.name) = bytes_of(name);
	uint32_t id = put_function(n, &function);
	if (!mangled)
		numbering_symbol_is_name(n, id);
	return id;
}

void numbering_symbol_is_name(struct numbering *n, uint32_t function)
{
	/* The flag is the pointer: while its size is 0 the function is looked up as one without a linkage name. */
	if (function != LOCUS_UNKNOWN)
		n->functions[function - 1].linkage.data = n->functions[function - 1].name.data;
}

void numbering_finish(struct numbering *n)
{
	for (uint32_t i = 0; i < n->function_count; i++)
		if (n->functions[i].linkage.data)
			n->functions[i].linkage =
				n->functions[i].linkage.size ? n->functions[i].linkage : n->functions[i].name;
}

uint32_t numbering_add_file(struct numbering *n, uint32_t interned)
{
	if (interned == FILE_UNKNOWN || n->failed)
		return LOCUS_UNKNOWN;
	if (!array_reserve(&n->files, &n->file_room, n->file_count + UINT64_C(1), sizeof(*n->files))) {
		n->failed = true;
		return LOCUS_UNKNOWN;
	}
	const struct file_key *key = files_get(n->file_keys, interned);
	n->files[n->file_count++] = (struct locus_file){bytes_of(key->directory), bytes_of(key->name)};
	return n->file_of[interned] = n->file_count;
}
