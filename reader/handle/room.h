/* A thread's working memory: a growable run of bytes that each use overwrites. */
#ifndef LOCUS_ROOM_H
#define LOCUS_ROOM_H

#include <stddef.h>
#include <stdint.h>

#include "reader/handle/allowance.h"

struct locus_room {
	uint8_t *data;
	size_t size;
};

/* Makes `room` hold at least `size` bytes; its content is lost. `data` is freed by locus_allowance_free. */
enum locus_status locus_room_grow(struct locus_allowance *allowance, struct locus_room *room, size_t size,
				  struct locus_error *error);

#endif
