/* Working memory that grows by at least a quarter, so that growing costs little in all. */
#include "reader/handle/room.h"

/* The first allocation is as large as most blocks need: pages that are not touched cost nothing. */
enum { ROOM_MIN = 112 << 10 };

enum locus_status locus_room_grow(struct locus_allowance *allowance, struct locus_room *room, size_t size,
				  struct locus_error *error)
{
	if (room->data && size <= room->size)
		return LOCUS_OK;
	size_t larger = size > SIZE_MAX / 2 ? size : size + size / 4 < ROOM_MIN ? ROOM_MIN : size + size / 4;
	locus_allowance_free(allowance, room->data);
	*room = (struct locus_room){0};
	enum locus_status status = locus_allowance_allocate(allowance, larger, &room->data, error);
	if (status == LOCUS_OK)
		room->size = larger;
	return status;
}
