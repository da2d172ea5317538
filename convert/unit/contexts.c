/* Equal contexts of a function become one, by a hash table that is filled anew for each function. */
#include "convert/unit/contexts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/mix64.h"

/* Whether a scope answers, until it has its context. */
enum { UNUSED = 0, USED = 1 };

void contexts_done(struct contexts *c)
{
	free(c->contexts);
	free(c->call_columns);
	free(c->of_scope);
	free(c->slots);
	*c = (struct contexts){0};
}

static bool same_context(const struct context *a, const struct context *b)
{
	return a->function == b->function && a->caller == b->caller && a->call_file == b->call_file &&
	       a->call_line == b->call_line;
}

/*
 * Finds the function's context that equals `context`, or adds it. slot_mask is for c->slots: as many as this function
 * needs, cleared for each function. The slots are plain indexes, because those of base/hash_slots.h would be twice as
 * much to clear.
 */
static bool put_context(struct contexts *c, const struct context *context, uint32_t call_column, uint32_t slot_mask,
			uint32_t *ret)
{
	uint64_t hash = context->function * UINT64_C(0x9e3779b97f4a7c15) ^
			context->caller * UINT64_C(0xc2b2ae3d27d4eb4f) ^
			((uint64_t)context->call_file << 32 | context->call_line) * UINT64_C(0x165667b19e3779f9);
	if (c->keeps_columns)
		hash ^= call_column * UINT64_C(0x27d4eb2f165667c5);
	uint32_t at = (uint32_t)mix64(hash ^ hash_seed(c)) & slot_mask;
	for (; c->slots[at] != UINT32_MAX; at = (at + 1) & slot_mask) {
		if (same_context(&c->contexts[c->slots[at]], context) &&
		    (!c->keeps_columns || c->call_columns[c->slots[at]] == call_column)) {
			*ret = c->slots[at];
			return true;
		}
	}

	if (!array_reserve(&c->contexts, &c->room, c->count + UINT64_C(1), sizeof(*c->contexts)))
		return false;
	if (c->keeps_columns) {
		if (!array_reserve(&c->call_columns, &c->call_column_room, c->count + UINT64_C(1),
				   sizeof(*c->call_columns)))
			return false;
		c->call_columns[c->count] = call_column;
	}

	c->slots[at] = *ret = c->count++;
	c->contexts[*ret] = *context;
	return true;
}

/* `function` is the inlinee's id. */
static bool make_context(struct contexts *c, const struct context_source *source, uint32_t local, uint32_t function,
			 uint32_t slot_mask, uint64_t *bad_file_count)
{
	const struct function_scopes *functions = source->functions;
	const struct scope *scope = &source->scopes->scopes[functions->scope_of[local]];
	struct function_names *names = source->names;
	struct context context = {.function = source->function, .caller = NO_CONTEXT};
	if (local) {
		context.function = function;
		context.caller = c->of_scope[functions->local[local].parent];
		if (scope->call_file != UINT64_MAX)
			context.call_file =
				source_paths_id(names->paths, names->unit, scope->call_file, bad_file_count);
		if (context.call_file == INTERN_FAILED)
			return false;
		context.call_line = scope->call_line; /* RULES C5: 0 if it is missing */
	}
	return put_context(c, &context, scope->call_column, slot_mask, &c->of_scope[local]);
}

/*
 * Finds the functions of the scopes at `places`, which answer. The function itself and an inlinee that is too deep have
 * no name to be looked up.
 */
static bool name_scopes(const struct context_source *source, const uint32_t *places, uint32_t count, uint32_t *ret)
{
	uint64_t origins[FUNCTION_NAMES_AT_ONCE];
	uint32_t ids[FUNCTION_NAMES_AT_ONCE], named[FUNCTION_NAMES_AT_ONCE], named_count = 0;
	if (!count)
		return true;
	for (uint32_t i = 0; i < count; i++) {
		const struct scope *scope = &source->scopes->scopes[source->functions->scope_of[places[i]]];
		ret[i] = FUNCTION_UNKNOWN;
		named[named_count] = i;
		origins[named_count] = scope->origin;
		named_count += places[i] && scope->depth <= INLINE_DEPTH_MAX;
	}
	if (!function_names_ids(source->names, origins, named_count, ids))
		return false;
	for (uint32_t i = 0; i < named_count; i++)
		ret[named[i]] = ids[i];
	return true;
}

/* Makes the contexts of the scopes in [first, end), as many as are named at once. */
static bool make_some(struct contexts *c, const struct context_source *source, uint32_t first, uint32_t end,
		      uint32_t slot_mask, uint64_t dropped[LOCUS_DROPPED_COUNT])
{
	uint32_t places[FUNCTION_NAMES_AT_ONCE], functions[FUNCTION_NAMES_AT_ONCE], count = 0, unused = 0;

	/* Whether a scope answers can hardly be foreseen, so it is asked once, and without a branch. */
	for (uint32_t i = first; i < end; i++) {
		const bool is_used = c->of_scope[i] == USED;
		places[count] = i;
		count += is_used;
		unused += !is_used & (source->functions->local[i].range_count != 0);
	}
	dropped[LOCUS_DROPPED_OUTSIDE_PARENT] += unused; /* RULES C3 */
	if (!name_scopes(source, places, count, functions))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!make_context(c, source, places[i], functions[i], slot_mask, &dropped[LOCUS_DROPPED_BAD_FILE]))
			return false;
	return true;
}

bool contexts_make(struct contexts *c, const struct context_source *source, uint64_t dropped[LOCUS_DROPPED_COUNT])
{
	const struct split_scope *local = source->functions->local;
	uint32_t count = source->functions->count, slots = 8;
	while (slots < 2 * count)
		slots *= 2;
	if (!array_reserve(&c->of_scope, &c->of_scope_room, count, sizeof(*c->of_scope)) ||
	    !array_reserve(&c->slots, &c->slot_room, slots, sizeof(*c->slots)))
		return false;
	memset(c->slots, 0xff, slots * sizeof(*c->slots));
	c->count = 0;

	/*
	 * Only scopes that own a segment answer, together with the scopes that they are inlined into, which stand
	 * before them.
	 */
	for (uint32_t i = 0; i < count; i++)
		c->of_scope[i] = UNUSED;
	c->of_scope[0] = USED;
	for (uint32_t i = 0; i < source->segment_count; i++)
		c->of_scope[source->segments[i].scope] = USED;
	for (uint32_t i = count; i-- > 1;)
		c->of_scope[local[i].parent] |= c->of_scope[i];

	/* Callers stand before callees, so a caller's context is there already. */
	for (uint32_t first = 0, end; first < count; first = end) {
		end = count - first < FUNCTION_NAMES_AT_ONCE ? count : first + FUNCTION_NAMES_AT_ONCE;
		if (!make_some(c, source, first, end, slots - 1, dropped))
			return false;
	}
	return true;
}
