/*
 * Reads the primitive encodings of FORMAT.md 2 from a run of bytes. The first read beyond the end, or of a varint that
 * is not valid, sets `failed`; from then on every read gives 0. So a parser reads all fields and then checks once.
 */
#ifndef LOCUS_SCAN_H
#define LOCUS_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct locus_scan {
	const uint8_t *at;
	const uint8_t *end;
	bool failed;
};

/* `data` may be NULL if `size` is 0: C does not define even NULL + 0. */
static inline struct locus_scan locus_scan_of(const uint8_t *data, size_t size)
{
	return (struct locus_scan){data, size ? data + size : data, false};
}

static inline size_t locus_scan_left(const struct locus_scan *scan)
{
	return (size_t)(scan->end - scan->at);
}

/* Whether every byte was read, and no read failed. */
static inline bool locus_scan_is_done(const struct locus_scan *scan)
{
	return !scan->failed && scan->at == scan->end;
}

static inline uint64_t locus_scan_fail(struct locus_scan *scan)
{
	scan->failed = true;
	scan->at = scan->end;
	return 0;
}

static inline uint8_t locus_scan_byte(struct locus_scan *scan)
{
	return scan->at == scan->end ? (uint8_t)locus_scan_fail(scan) : *scan->at++;
}

/* A little-endian number of `size` bytes, at most 8. */
static inline uint64_t locus_scan_little(struct locus_scan *scan, unsigned size)
{
	uint8_t b[8] = {0};
	if (locus_scan_left(scan) < size)
		return locus_scan_fail(scan);
	memcpy(b, scan->at, size);
	scan->at += size;
	/* Compilers know this as one load, which they do not see in a loop. */
	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24 | (uint64_t)b[4] << 32 |
	       (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

/* A varint of any size. */
uint64_t locus_scan_long_varint(struct locus_scan *scan);

static inline uint64_t locus_scan_varint(struct locus_scan *scan)
{
	if (scan->at != scan->end && *scan->at < 0x80)
		return *scan->at++;
	if (locus_scan_left(scan) >= 2 && scan->at[1] < 0x80 && scan->at[1]) {
		scan->at += 2;
		return (scan->at[-2] & 0x7Fu) | (uint64_t)scan->at[-1] << 7;
	}
	/* The address of a copy is given away, so that a scan which is a local variable can stay in registers. */
	struct locus_scan rest = *scan;
	uint64_t value = locus_scan_long_varint(&rest);
	*scan = rest;
	return value;
}

/* A varint that must fit in 32 bits. */
static inline uint32_t locus_scan_varint32(struct locus_scan *scan)
{
	uint64_t value = locus_scan_varint(scan);
	return (uint32_t)(value > UINT32_MAX ? locus_scan_fail(scan) : value);
}

/* `size` bytes, borrowed; NULL if there are not as many. */
static inline const uint8_t *locus_scan_bytes(struct locus_scan *scan, uint64_t size)
{
	if (scan->failed || locus_scan_left(scan) < size) {
		locus_scan_fail(scan);
		return NULL;
	}
	const uint8_t *data = scan->at;
	scan->at += size;
	return data;
}

/* How many varints are left. */
static inline uint32_t locus_scan_count_varints(const struct locus_scan *scan)
{
	uint32_t count = 0;
	for (const uint8_t *at = scan->at; at != scan->end; at++)
		count += *at < 0x80;
	return count;
}

static inline uint32_t locus_unzigzag(uint32_t value)
{
	return (value >> 1) ^ (0u - (value & 1));
}

#endif
