/*
 * An interval is packed as a control byte, which says how many bytes each field takes, and the fields: its distance
 * from the one before, and how its line, context and file differ from that one's; if columns are kept, a second control
 * byte and the difference of the columns. Except for the most frequent kind, packing and unpacking have no branches,
 * because what changes from one interval to the next is as good as random.
 *
 * In front of all stands their count, and of many intervals, every 256th in a table. So a piece that others cut into
 * many slices is not read from its beginning for each slice.
 */
#include "convert/unit/packed_intervals.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "convert/unit/fold.h"

enum {
	STRIDE = 256,
	BYTES_MAX = 1 + 4 * 4 + 1 + 4, /* bytes of one interval, at most */
	COUNT_BYTES_MAX = 1 + 4,
	MANY = 0xff, /* a first byte behind which four more have the count; one below is the count itself */
};

/* An interval in full, and where the next one is, counted from the end of the table. */
struct restart {
	struct interval interval;
	uint32_t next;
};

void interval_packer_done(struct interval_packer *packer)
{
	free(packer->bytes);
	free(packer->table);
	*packer = (struct interval_packer){0};
}

/* Writes one field, and its two bits into the control byte. */
static inline uint8_t *put_field(uint8_t *out, uint8_t *control, unsigned index, uint32_t number)
{
	unsigned size = (number > 0) + (number > 0xff) + (number > 0xffff);
	uint32_t bytes = htole32(number); /* the first bytes are those that are kept */
	memcpy(out, &bytes, sizeof(bytes));
	*control |= (uint8_t)(size << 2 * index);
	return out + (1u << size >> 1);
}

static inline uint8_t *put_column(uint8_t *out, const struct interval *last, const struct interval *interval)
{
	uint8_t *control = out++;
	*control = 0;
	return put_field(out, control, 0, fold_difference(interval->column - last->column));
}

static inline uint8_t *put_interval(uint8_t *out, const struct interval *last, const struct interval *interval)
{
	uint32_t start = interval->start - last->start, line = fold_difference(interval->line - last->line);
	uint8_t *control = out++;

	/*
	 * The most frequent kind: the same context and file, a near line, a few bytes on. In C programs 50 to 85 % are.
	 */
	if ((start | line) <= 0xff && interval->context == last->context && interval->file == last->file) {
		*control = 1 | 1 << 2;
		*out++ = (uint8_t)start;
		*out++ = (uint8_t)line;
		return out;
	}

	uint8_t sizes = 0;
	out = put_field(out, &sizes, 0, start);
	out = put_field(out, &sizes, 1, line);
	out = put_field(out, &sizes, 2, fold_difference(interval->context - last->context));
	out = put_field(out, &sizes, 3, fold_difference(interval->file - last->file));
	*control = sizes;
	return out;
}

/* How many of `count` intervals stand in the table; the first does not. */
static uint32_t restart_count(uint32_t count)
{
	return (count - 1) / STRIDE;
}

static uint8_t *put_count(uint8_t *out, uint32_t count)
{
	*out = count < MANY ? (uint8_t)count : MANY;
	if (*out++ < MANY)
		return out;
	memcpy(out, &count, sizeof(count));
	return out + sizeof(count);
}

static const uint8_t *get_count(const uint8_t *bytes, uint32_t *ret)
{
	*ret = *bytes++;
	if (*ret < MANY)
		return bytes;
	memcpy(ret, bytes, sizeof(*ret));
	return bytes + sizeof(*ret);
}

/* Where the next interval goes, and the table's next entry. */
struct packing {
	const uint8_t *stream; /* its begin */
	uint8_t *out, *table;
	uint32_t index; /* of the next interval in the piece */
	struct interval last;
};

static void put_intervals(struct packing *packing, const struct interval *intervals, uint32_t count, bool keeps_columns)
{
	struct interval last = packing->last;
	uint8_t *out = packing->out;
	uint32_t index = packing->index;
	for (uint32_t i = 0; i < count; i++, index++) {
		out = put_interval(out, &last, &intervals[i]);
		if (keeps_columns)
			out = put_column(out, &last, &intervals[i]);
		last = intervals[i];
		if (index && index % STRIDE == 0) {
			struct restart restart = {last, (uint32_t)(out - packing->stream)};
			memcpy(packing->table, &restart, sizeof(restart));
			packing->table += sizeof(restart);
		}
	}
	packing->out = out;
	packing->index = index;
	packing->last = last;
}

bool intervals_pack_some(struct interval_packer *packer, const struct interval *intervals, uint32_t count)
{
	const uint32_t before = packer->count ? packer->size : 0;
	const uint32_t table_before = packer->count ? packer->table_size : 0;
	const uint64_t table_size = table_before + (count / STRIDE + UINT64_C(1)) * sizeof(struct restart);
	if (!array_reserve(&packer->bytes, &packer->room, before + (uint64_t)count * BYTES_MAX, 1) ||
	    !array_reserve(&packer->table, &packer->table_room, table_size, 1))
		return false;
	struct packing packing = {packer->bytes, packer->bytes + before, packer->table + table_before, packer->count,
				  packer->count ? packer->last : (struct interval){0}};
	put_intervals(&packing, intervals, count, packer->keeps_columns);
	packer->size = (uint32_t)(packing.out - packer->bytes);
	packer->table_size = (uint32_t)(packing.table - packer->table);
	packer->count = packing.index;
	packer->last = packing.last;
	return true;
}

/* Packs the last intervals behind those that intervals_pack_some has packed, and moves the table to its place. */
static bool end_packing(struct interval_packer *packer, const struct interval *intervals, uint32_t count)
{
	uint8_t front[COUNT_BYTES_MAX];
	if (!intervals_pack_some(packer, intervals, count))
		return false;
	const size_t front_size = (size_t)(put_count(front, packer->count) - front);
	const size_t before = front_size + packer->table_size;
	if (!array_reserve(&packer->bytes, &packer->room, before + packer->size + INTERVALS_PADDING, 1))
		return false;
	memmove(packer->bytes + before, packer->bytes, packer->size);
	memcpy(packer->bytes, front, front_size);
	memcpy(packer->bytes + front_size, packer->table, packer->table_size);
	packer->size += (uint32_t)before;
	memset(packer->bytes + packer->size, 0, INTERVALS_PADDING);
	packer->size += INTERVALS_PADDING;
	packer->count = 0;
	return true;
}

bool intervals_pack(struct interval_packer *packer, const struct interval *intervals, uint32_t count)
{
	if (packer->count)
		return end_packing(packer, intervals, count);
	uint64_t table_size = restart_count(count) * sizeof(struct restart);
	uint64_t size_max = COUNT_BYTES_MAX + table_size + (uint64_t)count * BYTES_MAX + INTERVALS_PADDING;
	if (!array_reserve(&packer->bytes, &packer->room, size_max, 1))
		return false;
	uint8_t *table = put_count(packer->bytes, count), *stream = table + table_size;
	struct packing packing = {.stream = stream, .out = stream, .table = table};
	put_intervals(&packing, intervals, count, packer->keeps_columns);
	memset(packing.out, 0, INTERVALS_PADDING);
	packer->size = (uint32_t)(packing.out + INTERVALS_PADDING - packer->bytes);
	return true;
}

/*
 * The size of a field by its two bits of the control byte; and where each field ends, in one byte of the number each.
 */
#define SIZE(control, index) (1u << ((control) >> 2 * (index)&3) >> 1)
#define END_0(control)       SIZE(control, 0)
#define END_1(control)       (END_0(control) + SIZE(control, 1))
#define END_2(control)       (END_1(control) + SIZE(control, 2))
#define END_3(control)       (END_2(control) + SIZE(control, 3))
#define ENDS(control)        (END_0(control) | END_1(control) << 8 | END_2(control) << 16 | END_3(control) << 24)
#define ENDS_4(control)      ENDS(control), ENDS((control) + 1), ENDS((control) + 2), ENDS((control) + 3)
#define ENDS_16(control)     ENDS_4(control), ENDS_4((control) + 4), ENDS_4((control) + 8), ENDS_4((control) + 12)
#define ENDS_64(control)     ENDS_16(control), ENDS_16((control) + 16), ENDS_16((control) + 32), ENDS_16((control) + 48)

const uint32_t interval_field_ends[] = {ENDS_64(0), ENDS_64(64), ENDS_64(128), ENDS_64(192)};
const uint32_t interval_field_masks[] = {0, 0xff, 0xffff, UINT32_MAX};

static struct restart get_restart(const uint8_t *table, uint32_t index)
{
	struct restart restart;
	memcpy(&restart, table + index * sizeof(restart), sizeof(restart));
	return restart;
}

struct interval_cursor intervals_at(const uint8_t *bytes, bool has_columns, uint32_t offset)
{
	uint32_t count, behind;
	const uint8_t *table = get_count(bytes, &count);
	const uint32_t restarts = restart_count(count);
	const uint8_t *stream = table + restarts * sizeof(struct restart);
	struct interval_cursor cursor = {.next = stream, .left = count, .has_columns = has_columns};

	/* Find the last interval of the table at or below the offset. */
	SEARCH_FIRST(behind, 0, restarts, get_restart(table, behind).interval.start > offset);
	if (behind) {
		struct restart restart = get_restart(table, behind - 1);
		cursor.next = stream + restart.next;
		cursor.left = count - behind * STRIDE - 1;
		cursor.interval = restart.interval;
	} else {
		interval_next(&cursor);
	}

	/* From there, go on one by one. */
	for (struct interval_cursor next = cursor; interval_next(&next) && next.interval.start <= offset;)
		cursor = next;
	return cursor;
}
