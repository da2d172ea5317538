/*
 * The scopes of each function are linked in one pass. Functions may be nested, so the scopes of one are not always
 * neighbours.
 */
#include "convert/unit/function_scopes.h"

#include <stdlib.h>

#include "base/array.h"

void function_scopes_done(struct function_scopes *f)
{
	free(f->local);
	free(f->scope_of);
	free(f->next_of);
	free(f->local_of);
	*f = (struct function_scopes){0};
}

bool function_scopes_link(struct function_scopes *f, const struct scopes *scopes)
{
	if (!array_reserve(&f->local_of, &f->local_of_room, scopes->count, sizeof(*f->local_of)) ||
	    !array_reserve(&f->next_of, &f->next_room, scopes->count, sizeof(*f->next_of)))
		return false;
	uint32_t *last_of = f->local_of; /* not used until a function's scopes are numbered */
	for (uint32_t i = 0; i < scopes->count; i++) {
		uint32_t function = scopes->scopes[i].function;
		f->next_of[i] = UINT32_MAX;
		if (function != i)
			f->next_of[last_of[function]] = i;
		last_of[function] = i;
	}
	return true;
}

bool function_scopes_gather(struct function_scopes *f, const struct scopes *scopes, uint32_t function)
{
	uint32_t count = 0;
	for (uint32_t i = function; i != UINT32_MAX; i = f->next_of[i])
		count++;
	if (!array_reserve(&f->local, &f->local_room, count, sizeof(*f->local)) ||
	    !array_reserve(&f->scope_of, &f->scope_of_room, count, sizeof(*f->scope_of)))
		return false;

	f->count = 0;
	for (uint32_t i = function; i != UINT32_MAX; i = f->next_of[i]) {
		const struct scope *scope = &scopes->scopes[i];
		f->local_of[i] = f->count;
		f->scope_of[f->count] = i;
		f->local[f->count++] = (struct split_scope){
			.parent = scope->parent == NO_SCOPE ? 0 : f->local_of[scope->parent],
			.range_first = scope->range_first,
			.range_count = scope->range_count,
		};
	}
	return true;
}
