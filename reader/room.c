/* Working memory that grows by at least a quarter, so that growing costs little in all. */
#include "reader/room.h"

#include <stdlib.h>

#include "base/fail.h"

/* At once as large as most blocks ask for: what is not touched costs nothing, and what is touched is not given back. */
enum { ROOM_MIN = 112 << 10 };

enum locus_status locus_room_grow(struct locus_room *room, size_t size, struct locus_error *error)
{
	if (room->data && size <= room->size)
		return LOCUS_OK;
	size_t larger = size + size / 4 < ROOM_MIN ? ROOM_MIN : size + size / 4;
	free(room->data);
	*room = (struct locus_room){malloc(larger), larger};
	if (room->data)
		return LOCUS_OK;
	*room = (struct locus_room){0};
	return locus_fail_memory(error);
}
