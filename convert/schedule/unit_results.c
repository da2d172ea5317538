/* Each thread keeps what it reads to itself, and hands it over as a whole when no unit is left. */
#include "convert/schedule/unit_results.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "convert/schedule/merge_pieces.h"

/* Makes the count at least so much; the results that this adds are NULL. The caller has the lock. */
static bool grow(struct unit_results *results, uint32_t count)
{
	if (!array_reserve(&results->by_unit, &results->result_room, count, sizeof(*results->by_unit)))
		return false;
	while (results->count < count)
		results->by_unit[results->count++] = NULL;
	return true;
}

bool unit_results_reserve(struct unit_results *results, uint32_t count)
{
	short_lock_take(&results->lock);
	bool memory = grow(results, count);
	short_lock_release(&results->lock);
	return memory;
}

/* Adds the results that end with `last`. The caller has the lock. */
static bool add_results(struct unit_results *results, struct unit_result *last)
{
	bool memory = true;
	for (struct unit_result *result = last; memory && result; result = result->before) {
		memory = grow(results, result->unit_index + 1);
		if (memory)
			results->by_unit[result->unit_index] = result;
	}
	return memory;
}

/* Adds sorted pieces; the first to come become the list, without being copied. The caller has the lock. */
static bool add_pieces(struct unit_results *results, struct unit_reader *reader)
{
	if (!reader->piece_count)
		return true;
	if (!results->pieces) {
		results->pieces = reader->pieces;
		results->piece_count = reader->piece_count;
		results->piece_room = reader->piece_room;
		reader->pieces = NULL;
		return true;
	}
	if (!array_reserve(&results->pieces, &results->piece_room, results->piece_count + (uint64_t)reader->piece_count,
			   sizeof(*results->pieces)))
		return false;
	pieces_merge(results->pieces, results->piece_count, reader->pieces, reader->piece_count);
	results->piece_count += reader->piece_count;
	return true;
}

enum locus_status unit_results_collect(struct unit_results *results, struct unit_reader *reader,
				       struct locus_error *error)
{
	pieces_sort(reader->pieces, reader->piece_count);

	short_lock_take(&results->lock);
	arena_join(&results->arena, &reader->arena);
	for (int i = 0; i < LOCUS_DROPPED_COUNT; i++)
		results->dropped[i] += reader->dropped[i];
	bool memory = add_pieces(results, reader) && add_results(results, reader->last_result);
	short_lock_release(&results->lock);
	return memory ? LOCUS_OK : locus_fail_memory(error);
}

void unit_results_forget(struct unit_results *results)
{
	results->piece_count = 0;
	memset(results->dropped, 0, sizeof(results->dropped));
	if (results->count)
		memset(results->by_unit, 0, results->count * sizeof(*results->by_unit));
}

void unit_results_init(struct unit_results *results)
{
	*results = (struct unit_results){0};
	short_lock_init(&results->lock);
}

void unit_results_done(struct unit_results *results)
{
	free(results->by_unit);
	free(results->pieces);
	arena_done(&results->arena);
	short_lock_done(&results->lock);
}
