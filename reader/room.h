/* A growable run of bytes that is overwritten, never kept: a thread's working memory. */
#ifndef LOCUS_ROOM_H
#define LOCUS_ROOM_H

#include <stddef.h>
#include <stdint.h>

#include "reader/allowance.h"

struct locus_room {
	uint8_t *data;
	size_t size;
};

/* Grows `room` to hold `size` bytes; what it held is lost. Its data are freed by locus_allowance_free. */
enum locus_status locus_room_grow(struct locus_allowance *allowance, struct locus_room *room, size_t size,
				  struct locus_error *error);

#endif
