/*
 * While units are read, functions are interned by the addresses of their strings, so that no string is read. Two
 * interned functions may then have equal content; here each that is used is looked up by content, once, and equal ones
 * become one. For that all strings are read before the first id is given, by all threads: ids are given by one at a
 * time, which would have to wait for the memory of nearly every string.
 */
#include "convert/emit/output_ids.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/array.h"
#include "base/budget.h"
#include "base/mix64.h"
#include "base/parallel.h"
#include "base/vm_pages.h"

void output_ids_done(struct output_ids *ids)
{
	free(ids->function_of);
	free(ids->digests);
	free(ids->file_of);
	free(ids->functions);
	free(ids->name_is_linkage);
	free(ids->files);
	hash_slots_done(&ids->slots);
	*ids = (struct output_ids){0};
}

static struct locus_bytes bytes_of(const char *string)
{
	return string ? (struct locus_bytes){string, strlen(string)} : (struct locus_bytes){0};
}

static bool same_bytes(struct locus_bytes a, struct locus_bytes b)
{
	return a.size == b.size && (!a.size || memcmp(a.data, b.data, a.size) == 0);
}

/*
 * Compares functions in which a linkage name is left out where it equals the name: DWARF gives it to the out-of-line
 * function alone, and the inlined one is the same function.
 */
static bool same_function(const struct locus_function *a, const struct locus_function *b)
{
	return a->decl_line == b->decl_line && a->decl_file == b->decl_file && a->language == b->language &&
	       same_bytes(a->linkage, b->linkage) && same_bytes(a->name, b->name);
}

/*
 * The file is the interned one, which is known before it has an id in the output. So a function can be hashed before
 * its turn.
 */
static uint32_t hash_of(const struct output_ids *ids, const struct locus_function *f, uint32_t interned_file)
{
	uint64_t seed = (uint64_t)interned_file << 32 ^ (uint64_t)f->decl_line << 8 ^ f->language ^ hash_seed(ids);
	seed = f->name.size ? XXH3_64bits_withSeed(f->name.data, f->name.size, seed) : seed;
	return (uint32_t)(f->linkage.size ? XXH3_64bits_withSeed(f->linkage.data, f->linkage.size, seed) : seed);
}

static struct locus_bytes bytes_of_size(const char *string, uint32_t size)
{
	return size == UINT32_MAX ? bytes_of(string) : (struct locus_bytes){string, size};
}

/* A function as it is written, but for its file's id in the output. */
static struct locus_function function_from(const struct function_key *key, const struct function_digest *digest)
{
	return (struct locus_function){
		.name = bytes_of_size(key->name, digest->name_size),
		.linkage = bytes_of_size(key->linkage, digest->linkage_size),
		.decl_line = key->decl_line,
		.language = key->language,
	};
}

static uint32_t short_size(size_t size)
{
	return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

/* Reads the function's names. */
static struct function_digest digest(const struct output_ids *ids, const struct function_key *key)
{
	struct locus_function function = {
		.name = bytes_of(key->name),
		.linkage = bytes_of(key->linkage),
		.decl_line = key->decl_line,
		.language = key->language,
	};
	if (same_bytes(function.name, function.linkage))
		function.linkage.size = 0;
	return (struct function_digest){
		.hash = hash_of(ids, &function, key->decl_file),
		.name_size = short_size(function.name.size),
		.linkage_size = short_size(function.linkage.size),
	};
}

/* Has the processor fetch the names of a function. Linkage names mostly take two cache lines. */
static void prefetch_names(const struct function_key *key)
{
	enum { LINE = 64 };
	__builtin_prefetch(key->name);
	__builtin_prefetch(key->linkage);
	if (key->linkage)
		__builtin_prefetch(key->linkage + LINE);
}

/* What threads share while they read names. */
struct digesting {
	struct output_ids *ids;
	atomic_uint next_shard;
	atomic_bool failed;
};

/* Reads the names of one shard's functions. Names may be parts of each other, and so be longer than the input. */
static bool digest_shard(struct output_ids *ids, uint32_t shard)
{
	enum { AHEAD = 8 }; /* functions whose names are on their way */
	uint64_t work = 0;
	for (uint32_t id = shard; intern_has(ids->function_keys, id); id += INTERN_SHARD_COUNT) {
		const uint32_t ahead = id + AHEAD * INTERN_SHARD_COUNT;
		if (intern_has(ids->function_keys, ahead))
			prefetch_names(intern_get(ids->function_keys, ahead));
		struct function_digest *made = &ids->digests[intern_number(&ids->function_numbers, id)];
		*made = digest(ids, intern_get(ids->function_keys, id));
		if (!budget_count(&work, ((uint64_t)made->name_size + made->linkage_size) / BUDGET_BYTES_PER_STEP))
			return false;
	}
	return budget_spend(work);
}

static void digest_shards(void *argument, unsigned thread)
{
	struct digesting *digesting = argument;
	(void)thread;
	for (uint32_t shard; (shard = atomic_fetch_add(&digesting->next_shard, 1)) < INTERN_SHARD_COUNT;)
		if (!digest_shard(digesting->ids, shard))
			digesting->failed = true;
}

bool output_ids_init(struct output_ids *ids, const struct intern_set *function_keys,
		     const struct source_paths *file_keys, unsigned thread_count)
{
	*ids = (struct output_ids){
		.function_keys = function_keys,
		.function_numbers = intern_numbers_of(function_keys),
		.file_keys = file_keys,
	};
	const size_t room = ids->function_numbers.count + (size_t)1;
	ids->function_of = pages_zeroed(room, sizeof(*ids->function_of));
	ids->digests = malloc(room * sizeof(*ids->digests));
	ids->file_of = pages_zeroed(intern_id_end(&file_keys->set) + 1u, sizeof(*ids->file_of));
	struct digesting digesting = {.ids = ids};
	if (ids->function_of && ids->digests && ids->file_of)
		locus_parallel(thread_count, digest_shards, &digesting);
	else
		digesting.failed = true;
	if (digesting.failed)
		output_ids_done(ids);
	return !digesting.failed;
}

static bool grow_functions(struct output_ids *ids)
{
	return hash_slots_reserve(&ids->slots, ids->function_count) &&
	       array_reserve(&ids->name_is_linkage, &ids->flag_room, ids->function_count + UINT64_C(1),
			     sizeof(*ids->name_is_linkage)) &&
	       array_reserve(&ids->functions, &ids->function_room, ids->function_count + UINT64_C(1),
			     sizeof(*ids->functions));
}

/* The slot of the function with this content, or the free one where it belongs. There is one. */
static struct hash_slot *find_slot(const struct output_ids *ids, const struct locus_function *function, uint32_t hash)
{
	struct hash_slot *slots = ids->slots.slots;
	uint32_t at;
	HASH_SLOTS_FIND(at, &ids->slots, hash, same_function(&ids->functions[slots[at].index - 1], function));
	return &slots[at];
}

/* The id of the function with this content and hash, added if there is none yet. */
static uint32_t put_function(struct output_ids *ids, const struct locus_function *function, uint32_t hash)
{
	if (ids->failed || !grow_functions(ids)) {
		ids->failed = true;
		return LOCUS_UNKNOWN;
	}
	struct hash_slot *slot = find_slot(ids, function, hash);
	if (slot->index)
		return slot->index;
	/*
	 * Equal names are stored once. Names may also be parts of each other's bytes, and so be longer than the input.
	 */
	if (!budget_count(&ids->work, (function->name.size + function->linkage.size) / BUDGET_BYTES_PER_STEP)) {
		ids->failed = true;
		return LOCUS_UNKNOWN;
	}
	ids->name_is_linkage[ids->function_count] = false;
	ids->functions[ids->function_count++] = *function;
	*slot = (struct hash_slot){hash, ids->function_count};
	return ids->function_count;
}

/*
 * Notes that a symbol has the function's own name, which is then its linkage name, too: set in the end, because
 * functions are compared without it until then.
 */
static void note_own_symbol(struct output_ids *ids, uint32_t function)
{
	if (function != LOCUS_UNKNOWN)
		ids->name_is_linkage[function - 1] = true;
}

struct locus_function output_function_of_symbol(const char *name)
{
	struct locus_function function = {0};
	*(is_mangled(name) ? &function.linkage : &function.name) = bytes_of(name);
	return function;
}

/* Where an interned function is noted. */
static struct output_function *place_of(const struct output_ids *ids, uint32_t interned)
{
	return &ids->function_of[intern_number(&ids->function_numbers, interned)];
}

static const struct function_digest *digest_of(const struct output_ids *ids, uint32_t interned)
{
	return &ids->digests[intern_number(&ids->function_numbers, interned)];
}

struct output_function output_ids_function(struct output_ids *ids, uint32_t interned)
{
	if (interned == FUNCTION_UNKNOWN) {
		const struct locus_function unknown = {0};
		if (!ids->function_unknown)
			ids->function_unknown = put_function(ids, &unknown, hash_of(ids, &unknown, FILE_UNKNOWN));
		return (struct output_function){.id = ids->function_unknown};
	}
	struct output_function *place = place_of(ids, interned);
	if (!place->id) {
		const struct function_key *key = intern_get(ids->function_keys, interned);
		const struct function_digest *digest = digest_of(ids, interned);
		struct locus_function function = function_from(key, digest);
		function.decl_file = output_ids_file(ids, key->decl_file);
		uint32_t id = put_function(ids, &function, digest->hash);
		*place = (struct output_function){id, function.decl_file, function.decl_line};
		if (key->name && key->linkage && !function.linkage.size)
			note_own_symbol(ids, id);
	}
	return *place;
}

void output_ids_prefetch(const struct output_ids *ids, uint32_t interned)
{
	if (interned != FUNCTION_UNKNOWN)
		__builtin_prefetch(place_of(ids, interned));
}

void output_ids_prefetch_content(const struct output_ids *ids, uint32_t interned)
{
	if (interned == FUNCTION_UNKNOWN || place_of(ids, interned)->id)
		return;
	__builtin_prefetch(intern_get(ids->function_keys, interned));
	__builtin_prefetch(digest_of(ids, interned));
}

void output_ids_prefetch_slot(const struct output_ids *ids, uint32_t interned)
{
	if (interned == FUNCTION_UNKNOWN || place_of(ids, interned)->id || !ids->slots.mask)
		return;
	__builtin_prefetch(&ids->slots.slots[digest_of(ids, interned)->hash & ids->slots.mask]);
}

uint32_t output_ids_used_function(struct output_ids *ids, uint32_t interned)
{
	if (interned == FUNCTION_UNKNOWN || place_of(ids, interned)->id || !ids->slots.mask)
		return interned == FUNCTION_UNKNOWN ? LOCUS_UNKNOWN : place_of(ids, interned)->id;
	const struct function_key *key = intern_get(ids->function_keys, interned);
	const struct function_digest *digest = digest_of(ids, interned);
	struct locus_function function = function_from(key, digest);
	function.decl_file = ids->file_of[key->decl_file];
	if (key->decl_file != FILE_UNKNOWN && !function.decl_file)
		return LOCUS_UNKNOWN; /* its file has no id, so no function of that file is used */
	return find_slot(ids, &function, digest->hash)->index;
}

uint32_t output_ids_symbol(struct output_ids *ids, const char *name)
{
	struct locus_function function = output_function_of_symbol(name);
	uint32_t id = put_function(ids, &function, hash_of(ids, &function, FILE_UNKNOWN));
	if (function.name.size)
		note_own_symbol(ids, id);
	return id;
}

void output_ids_symbols_are_names(struct output_ids *ids, const bool *has_symbol)
{
	for (uint32_t shard = 0; shard < INTERN_SHARD_COUNT; shard++)
		for (uint32_t id = shard; intern_has(ids->function_keys, id); id += INTERN_SHARD_COUNT)
			if (has_symbol[intern_number(&ids->function_numbers, id)])
				note_own_symbol(ids, output_ids_used_function(ids, id));
}

void output_ids_finish(struct output_ids *ids)
{
	for (uint32_t i = 0; i < ids->function_count; i++)
		if (ids->name_is_linkage[i])
			ids->functions[i].linkage = ids->functions[i].name;
}

uint32_t output_ids_add_file(struct output_ids *ids, uint32_t interned)
{
	if (interned == FILE_UNKNOWN || ids->failed)
		return LOCUS_UNKNOWN;
	if (!array_reserve(&ids->files, &ids->file_room, ids->file_count + UINT64_C(1), sizeof(*ids->files))) {
		ids->failed = true;
		return LOCUS_UNKNOWN;
	}
	const struct file_key *key = source_paths_get(ids->file_keys, interned);
	ids->files[ids->file_count++] = (struct locus_file){bytes_of(key->directory), bytes_of(key->name)};
	return ids->file_of[interned] = ids->file_count;
}
