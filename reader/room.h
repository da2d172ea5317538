/* A growable run of bytes that is overwritten, never kept: a thread's working memory. */
#ifndef LOCUS_ROOM_H
#define LOCUS_ROOM_H

#include <stddef.h>
#include <stdint.h>

#include "spec/status.h"

struct locus_room {
	uint8_t *data;
	size_t size;
};

/* Grows `room` to hold `size` bytes; what it held is lost. */
enum locus_status locus_room_grow(struct locus_room *room, size_t size, struct locus_error *error);

#endif
