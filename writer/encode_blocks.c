/*
 * Each thread takes the next part of the other work or, when all are taken, the next block, until none is left that no
 * other has taken.
 */
#include "writer/encode_blocks.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/first_failure.h"
#include "base/parallel.h"

struct encoding {
	struct locus_block_work work;
	struct locus_other_work other;
	uint32_t count; /* of blocks */
	int level;
	struct locus_packed *blocks;
	atomic_uint next; /* the next part or block to be taken: blocks are counted behind the parts */
	struct first_failure failure;
};

static enum locus_status room_init(struct locus_block_room *room, const struct encoding *encoding,
				   struct locus_error *error)
{
	*room = (struct locus_block_room){.scratch = malloc(encoding->work.scratch_size)};
	return room->scratch ? locus_packer_init(&room->packer, encoding->level, error) : locus_fail_memory(error);
}

static void room_done(struct locus_block_room *room)
{
	for (unsigned i = 0; i < LOCUS_COLUMNS_MAX; i++)
		locus_buffer_done(&room->columns[i]);
	locus_packer_done(&room->packer);
	free(room->scratch);
}

static enum locus_status encode_one(struct encoding *encoding, uint32_t index, struct locus_block_room *room,
				    struct locus_error *error)
{
	for (unsigned i = 0; i < LOCUS_COLUMNS_MAX; i++)
		locus_buffer_clear(&room->columns[i]);
	return encoding->work.encode(encoding->work.argument, index, room, &encoding->blocks[index], error);
}

static void encode_main(void *argument, unsigned thread)
{
	struct encoding *encoding = argument;
	struct locus_block_room room;
	struct locus_error error;
	(void)thread;
	enum locus_status status = room_init(&room, encoding, &error);
	while (status == LOCUS_OK) {
		uint32_t index = atomic_fetch_add(&encoding->next, 1);
		const struct locus_other_work *other = &encoding->other;
		if (index < other->count)
			status = other->work(other->argument, index, &room.packer, &error);
		else if (index - other->count < encoding->count)
			status = encode_one(encoding, index - other->count, &room, &error);
		else
			break;
	}
	first_failure_note(&encoding->failure, 0, status, &error);
	room_done(&room);
}

enum locus_status locus_blocks_encode(struct locus_block_work work, uint32_t count, struct locus_other_work other,
				      struct locus_effort effort, struct locus_section_out *ret,
				      struct locus_error *error)
{
	struct encoding encoding = {.work = work, .other = other, .count = count, .level = effort.level};
	uint64_t all = count + (uint64_t)other.count;
	if (!all)
		return LOCUS_OK;
	enum locus_status status = locus_section_out_reserve(ret, count, error);
	if (status != LOCUS_OK)
		return status;
	if (count)
		memset(ret->blocks, 0, count * sizeof(*ret->blocks));
	ret->count = count;
	encoding.blocks = ret->blocks;
	first_failure_init(&encoding.failure);
	locus_parallel(effort.thread_count < all ? effort.thread_count : (unsigned)all, encode_main, &encoding);
	return first_failure_done(&encoding.failure, error);
}
