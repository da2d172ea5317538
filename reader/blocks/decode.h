/* Decoded blocks, one form for each section (FORMAT.md 6): compact, read-only, each a single allocation. */
#ifndef LOCUS_DECODE_H
#define LOCUS_DECODE_H

#include <stddef.h>

#include "reader/blocks/block.h"

/* ---- Intervals ---- */

#define LOCUS_PLACE_GAP          UINT32_MAX
#define LOCUS_PLACE_UNKNOWN_LINE 0x80000000u /* or-ed to the context */
#define LOCUS_PLACE_CONTEXT      0x00FFFFFFu

/*
 * A block of intervals is decoded without the functions' records, so its lines are relative to the declaration, and
 * this file number stands for the declaration's file. Both are completed when a frame is asked for.
 */
#define LOCUS_DECL_FILE UINT32_MAX

/* What an interval says of its addresses. */
struct locus_place {
	uint32_t context; /* LOCUS_PLACE_GAP, or an index with flags */
	uint32_t line;    /* relative to the function's decl_line, modulo 2^32; 0 if unknown */
	uint32_t file;    /* id, 0 unknown, or LOCUS_DECL_FILE */
};

/* An interval, in a block of which some interval does not fit in 64 bits. */
struct locus_wide_interval {
	uint64_t start; /* relative to the block's */
	struct locus_place place;
};

#define LOCUS_CONTEXT_IS_PART      0x80000000u /* or-ed to `caller` */
#define LOCUS_CONTEXT_UNKNOWN_LINE 0x40000000u
#define LOCUS_CONTEXT_IS_SYMBOL    0x20000000u /* its part is known from the symbol table only */
#define LOCUS_CONTEXT_CALLER       0x00FFFFFFu

/* A quarter of a cache line: a stack of frames is a walk over these. */
struct locus_context {
	uint32_t function;
	uint32_t caller; /* index with flags; of a part, its kind with flags */
	union {
		struct {
			uint32_t call_line; /* relative to the caller's function's decl_line; 0 if unknown */
			uint32_t call_file; /* id, 0 unknown, or LOCUS_DECL_FILE: the caller's function's */
		};
		uint64_t part_start; /* of a part */
	};
};

/* What a search may read behind the packed intervals: see locus_last_packed_below. */
#define LOCUS_PACKED_PADDING 7u

/*
 * Intervals are packed in 64 bits where they fit, so that a cache line has eight. From the highest bit down: the start,
 * relative to the block's; the line, with half of its range added; the file's number in `files`; twice the context, and
 * 1 more if the line is unknown, or all ones for a gap.
 *
 * The fields that a lookup reads are in the first cache line. If only a part of the block was wanted, it has just the
 * last interval wanted, and the start of the one behind it, if there is one; head.count is then 0.
 */
struct locus_intervals {
	struct locus_decoded head;
	uint64_t start;         /* of the first interval */
	const uint64_t *packed; /* NULL: they are wide. Behind them is LOCUS_PACKED_PADDING times UINT64_MAX */
	const struct locus_context *contexts;
	const uint16_t *buckets; /* by start >> bucket_shift: the last interval that starts at or before the bucket */
	const uint32_t *files;   /* by number, as in places */
	uint32_t first;          /* the first interval here, counted in the block */
	uint32_t count;          /* of intervals here */
	uint16_t bucket_count;
	uint8_t bucket_shift;
	uint8_t start_shift; /* the bits below the start */
	uint8_t line_shift;
	uint8_t line_bits;
	uint8_t context_bits;
	const struct locus_wide_interval *wide;
	uint32_t context_count;
};

static inline uint64_t locus_intervals_start(const struct locus_intervals *block, uint32_t index)
{
	return block->start + (block->packed ? block->packed[index] >> block->start_shift : block->wide[index].start);
}

static inline uint32_t locus_low_bits(uint64_t value, unsigned count)
{
	return (uint32_t)(value & (((uint64_t)1 << count) - 1));
}

static inline struct locus_place locus_intervals_place(const struct locus_intervals *block, uint32_t index)
{
	if (!block->packed)
		return block->wide[index].place;
	uint64_t packed = block->packed[index];
	uint32_t context = locus_low_bits(packed, block->context_bits);
	uint32_t file = locus_low_bits(packed >> block->context_bits, block->line_shift - block->context_bits);
	uint32_t line = locus_low_bits(packed >> block->line_shift, block->line_bits);
	if (context == locus_low_bits(UINT64_MAX, block->context_bits))
		return (struct locus_place){.context = LOCUS_PLACE_GAP};
	return (struct locus_place){
		.context = context >> 1 | (context & 1 ? LOCUS_PLACE_UNKNOWN_LINE : 0),
		.line = line - ((uint32_t)1 << (block->line_bits - 1)),
		.file = block->files[file],
	};
}

/* ---- Source columns ---- */

/* The source columns of one block of intervals. 0 is unknown. */
struct locus_source_columns {
	struct locus_decoded head;
	uint32_t call_count;
	uint32_t column[]; /* by interval of the block; behind these by context, the columns of the calls */
};

static inline uint32_t locus_source_column_of_call(const struct locus_source_columns *block, uint32_t context)
{
	return context < block->call_count ? block->column[block->head.count + context] : 0;
}

/* ---- Functions ---- */

/* All that is known of a function. It is half a cache line, so that each frame of a stack reads one line. */
struct locus_function_in {
	const char *name; /* NUL-terminated; behind it the linkage name, unless that is the same */
	uint32_t name_size;
	uint32_t linkage_size;
	uint32_t decl_file;
	uint32_t decl_line;
	uint32_t language;
	uint32_t linkage; /* the linkage name's distance from `name` */
};

#define LOCUS_CACHE_LINE        64
#define LOCUS_FUNCTIONS_RECORDS LOCUS_CACHE_LINE /* from a block's start */

static inline const struct locus_function_in *locus_functions_records(const struct locus_decoded *block)
{
	return (const struct locus_function_in *)(const void *)((const uint8_t *)block + LOCUS_FUNCTIONS_RECORDS);
}

/* ---- Files ---- */

struct locus_files {
	struct locus_decoded head;
	struct locus_file_info file[];
};

static inline const struct locus_file_info *locus_files_records(const struct locus_decoded *block)
{
	return ((const struct locus_files *)(const void *)block)->file;
}

/* ---- Alternates ---- */

enum { LOCUS_ALTERNATE_GROUP = 64 };

struct locus_alternates {
	struct locus_decoded head;
	uint64_t reach; /* the lowest start of an earlier alternate whose range reaches into this block; the block's
			   start if none does */
	/* By LOCUS_ALTERNATE_GROUP alternates: the last address that one of them holds. So others are passed over. */
	uint64_t *group_last;
	struct locus_alternate_info alternate[];
};

/* The last address that an alternate holds. */
static inline uint64_t locus_alternate_last(const struct locus_alternate_info *alternate)
{
	uint64_t more = alternate->size ? alternate->size - 1 : 0; /* one that is known by its start holds that */
	return more > UINT64_MAX - alternate->start ? UINT64_MAX : alternate->start + more;
}

/*
 * How much of a block is wanted: its first `count` entries; of a block of intervals only those up to the one that holds
 * `address`, of a block of functions or files perhaps only some.
 */
struct locus_want {
	uint32_t count;
	uint64_t address;
	const uint8_t *only; /* by entry, whether it is wanted; NULL: each */
	bool is_kept;        /* all is wanted, and the handle is going to keep it */
};

/*
 * Allocates memory for a block of which that is wanted; all of it (`is_whole`) or a part is written next. `ret` is the
 * address of a pointer of any type. Freed by locus_allowance_free, as all decoded blocks are.
 */
enum locus_status locus_decoded_allocate(struct locus *locus, size_t size, struct locus_want want, bool is_whole,
					 void *ret, struct locus_error *error);

/*
 * Each decodes one block of its section, whose columns were read before, and checks all that it reads. If a part is
 * wanted, the rest may be left out, unread and unchecked; ret->count then says how much there is.
 */
typedef enum locus_status locus_decode(const struct locus_block_ref *ref, struct locus_columns *columns,
				       struct locus_want want, struct locus_decoded **ret, struct locus_error *error);
locus_decode locus_intervals_decode;
locus_decode locus_functions_decode;
locus_decode locus_files_decode;
locus_decode locus_alternates_decode;
locus_decode locus_source_columns_decode;

#endif
