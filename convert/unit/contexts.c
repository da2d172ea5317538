/* Equal contexts of a function become one, by a hash table that is filled anew for each function. */
#include "convert/unit/contexts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

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
	uint32_t at = (uint32_t)(hash >> 32) & slot_mask;
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

/* Finds the functions of the inlinees that answer, from `first` on, as many as are named at once; ret[i - first]. */
static bool name_inlinees(const struct contexts *c, const struct context_source *source, uint32_t first,
			  uint32_t ret[FUNCTION_NAMES_AT_ONCE])
{
	uint64_t origins[FUNCTION_NAMES_AT_ONCE];
	uint32_t ids[FUNCTION_NAMES_AT_ONCE], places[FUNCTION_NAMES_AT_ONCE], count = 0;
	const uint32_t left = source->functions->count - first;
	const uint32_t end = first + (left < FUNCTION_NAMES_AT_ONCE ? left : FUNCTION_NAMES_AT_ONCE);
	for (uint32_t i = first; i < end; i++) {
		const struct scope *scope = &source->scopes->scopes[source->functions->scope_of[i]];
		ret[i - first] = FUNCTION_UNKNOWN;
		if (!i || c->of_scope[i] == UNUSED || scope->depth > INLINE_DEPTH_MAX)
			continue;
		places[count] = i - first;
		origins[count++] = scope->origin;
	}
	if (!function_names_ids(source->names, origins, count, ids))
		return false;
	for (uint32_t i = 0; i < count; i++)
		ret[places[i]] = ids[i];
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

	/* Only scopes that own a segment answer, together with the scopes that they are inlined into. */
	for (uint32_t i = 0; i < count; i++)
		c->of_scope[i] = UNUSED;
	c->of_scope[0] = USED;
	for (uint32_t i = 0; i < source->segment_count; i++)
		for (uint32_t at = source->segments[i].scope; c->of_scope[at] == UNUSED; at = local[at].parent)
			c->of_scope[at] = USED;

	/* Callers stand before callees, so a caller's context is there already. */
	uint32_t functions[FUNCTION_NAMES_AT_ONCE];
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t place = i % FUNCTION_NAMES_AT_ONCE;
		if (place == 0 && !name_inlinees(c, source, i, functions))
			return false;
		if (c->of_scope[i] == UNUSED)
			dropped[LOCUS_DROPPED_OUTSIDE_PARENT] += local[i].range_count != 0; /* RULES C3 */
		else if (!make_context(c, source, i, functions[place], slots - 1, &dropped[LOCUS_DROPPED_BAD_FILE]))
			return false;
	}
	return true;
}
