/*
 * An interval is a control byte, which says how many bytes each field takes, and the fields: how far it is from the one
 * before, and how its line, context and file differ from that one's; where columns are kept, another control byte and
 * how the column differs. Written and read without a branch, since what
 * changes from one interval to the next is as good as random. Of many intervals every 256th stands in a table in front
 * of them too: a piece that others cut into many slices is not read from its beginning for each of them.
 */
#include "convert/unit/packed_intervals.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
	STRIDE = 256,
	BYTES_MAX = 1 + 4 * 4 + 1 + 4, /* of one interval */
	PADDING = 4,                   /* behind the last one: fields are read four bytes at a time */
};

/* By what the control byte says of a field, in two bits: its bytes, and the bits that count. */
static const uint8_t field_sizes[] = {0, 1, 2, 4};
static const uint32_t field_masks[] = {0, 0xff, 0xffff, UINT32_MAX};

/* An interval told whole, and where the one behind it is, from the end of the table. */
struct restart {
	struct interval interval;
	uint32_t next;
};

void interval_packer_done(struct interval_packer *packer)
{
	free(packer->bytes);
	*packer = (struct interval_packer){0};
}

/* Writes one field, and its two bits into the control byte. */
static inline uint8_t *put_field(uint8_t *out, uint8_t *control, unsigned index, uint32_t number)
{
	unsigned size = (number > 0) + (number > 0xff) + (number > 0xffff);
	memcpy(out, &number, sizeof(number));
	*control |= (uint8_t)(size << 2 * index);
	return out + field_sizes[size];
}

/* A difference in either direction, as a small number where it is small. */
static inline uint32_t fold(uint32_t difference)
{
	return difference << 1 ^ (0 - (difference >> 31));
}

static inline uint32_t unfold(uint32_t number)
{
	return number >> 1 ^ (0 - (number & 1));
}

static inline uint8_t *put_column(uint8_t *out, const struct interval *last, const struct interval *interval)
{
	uint8_t *control = out++;
	*control = 0;
	return put_field(out, control, 0, fold(interval->column - last->column));
}

static inline uint8_t *put_interval(uint8_t *out, const struct interval *last, const struct interval *interval)
{
	uint8_t *control = out++;
	*control = 0;
	out = put_field(out, control, 0, interval->start - last->start);
	out = put_field(out, control, 1, fold(interval->line - last->line));
	out = put_field(out, control, 2, fold(interval->context - last->context));
	return put_field(out, control, 3, fold(interval->file - last->file));
}

/* How many intervals of `count` stand in the table: the first does not. */
static uint32_t restart_count(uint32_t count)
{
	return (count - 1) / STRIDE;
}

bool intervals_pack(struct interval_packer *packer, const struct interval *intervals, uint32_t count)
{
	uint64_t table_size = restart_count(count) * sizeof(struct restart);
	if (!array_reserve(&packer->bytes, &packer->room, table_size + (uint64_t)count * BYTES_MAX + PADDING, 1))
		return false;
	struct interval last = {0};
	uint8_t *table = packer->bytes, *stream = table + table_size, *out = stream;
	for (uint32_t i = 0; i < count; i++) {
		out = put_interval(out, &last, &intervals[i]);
		if (packer->keeps_columns)
			out = put_column(out, &last, &intervals[i]);
		last = intervals[i];
		if (i && i % STRIDE == 0) {
			struct restart restart = {last, (uint32_t)(out - stream)};
			memcpy(table, &restart, sizeof(restart));
			table += sizeof(restart);
		}
	}
	memset(out, 0, PADDING);
	packer->size = (uint32_t)(out + PADDING - packer->bytes);
	return true;
}

static inline uint32_t get_field(const uint8_t **in, uint8_t control, unsigned index)
{
	unsigned size = control >> 2 * index & 3;
	uint32_t number;
	memcpy(&number, *in, sizeof(number));
	*in += field_sizes[size];
	return number & field_masks[size];
}

bool interval_next(struct interval_cursor *cursor)
{
	struct interval *interval = &cursor->interval;
	const uint8_t *in = cursor->next;
	if (!cursor->left)
		return false;
	uint8_t control = *in++;
	interval->start += get_field(&in, control, 0);
	interval->line += unfold(get_field(&in, control, 1));
	interval->context += unfold(get_field(&in, control, 2));
	interval->file += unfold(get_field(&in, control, 3));
	if (cursor->has_columns) {
		control = *in++;
		interval->column += unfold(get_field(&in, control, 0));
	}
	cursor->next = in;
	cursor->left--;
	return true;
}

static struct restart get_restart(const uint8_t *table, uint32_t index)
{
	struct restart restart;
	memcpy(&restart, table + index * sizeof(restart), sizeof(restart));
	return restart;
}

struct interval_cursor intervals_at(const uint8_t *bytes, uint32_t count, bool has_columns, uint32_t offset)
{
	uint32_t low = 0, high = restart_count(count);
	const uint8_t *stream = bytes + high * sizeof(struct restart);
	struct interval_cursor cursor = {.next = stream, .left = count, .has_columns = has_columns};

	/* Of those that stand in the table, the last at or below the offset. */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (get_restart(bytes, middle).interval.start <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low) {
		struct restart restart = get_restart(bytes, low - 1);
		cursor.next = stream + restart.next;
		cursor.left = count - low * STRIDE - 1;
		cursor.interval = restart.interval;
	} else {
		interval_next(&cursor);
	}

	/* From there on, one after the other. */
	for (struct interval_cursor next = cursor; interval_next(&next) && next.interval.start <= offset;)
		cursor = next;
	return cursor;
}
