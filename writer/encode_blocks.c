/* Each thread takes the next block that no other has taken, until none is left. */
#include "writer/encode_blocks.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/first_failure.h"
#include "base/parallel.h"

struct encoding {
	struct locus_block_work work;
	uint32_t count;
	int level;
	struct locus_packed *blocks;
	atomic_uint next; /* the next block to be taken */
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

static void encode_main(void *argument, unsigned thread)
{
	struct encoding *encoding = argument;
	struct locus_block_room room;
	struct locus_error error;
	(void)thread;
	enum locus_status status = room_init(&room, encoding, &error);
	while (status == LOCUS_OK) {
		uint32_t index = atomic_fetch_add(&encoding->next, 1);
		if (index >= encoding->count)
			break;
		for (unsigned i = 0; i < LOCUS_COLUMNS_MAX; i++)
			locus_buffer_clear(&room.columns[i]);
		status = encoding->work.encode(encoding->work.argument, index, &room, &encoding->blocks[index], &error);
	}
	first_failure_note(&encoding->failure, status, &error);
	room_done(&room);
}

enum locus_status locus_blocks_encode(struct locus_block_work work, uint32_t count, struct locus_effort effort,
				      struct locus_section_out *ret, struct locus_error *error)
{
	struct encoding encoding = {.work = work, .count = count, .level = effort.level};
	if (!count)
		return LOCUS_OK;
	enum locus_status status = locus_section_out_reserve(ret, count, error);
	if (status != LOCUS_OK)
		return status;
	memset(ret->blocks, 0, count * sizeof(*ret->blocks));
	ret->count = count;
	encoding.blocks = ret->blocks;
	first_failure_init(&encoding.failure);
	locus_parallel(effort.thread_count < count ? effort.thread_count : count, encode_main, &encoding);
	return first_failure_done(&encoding.failure, error);
}
