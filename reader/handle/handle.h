/* The structs behind the public handles, shared by all files of the reader: the open file and a thread's scratch. */
#ifndef LOCUS_HANDLE_H
#define LOCUS_HANDLE_H

#include <stdatomic.h>

#include <zstd.h>

#include "reader/handle/pool.h"
#include "reader/handle/room.h"
#include "reader/handle/source.h"
#include "reader/locus.h"
#include "spec/format.h"

/* The most bytes of names and paths in one answer: 64 KiB for each of a thousand frames. */
#define LOCUS_ANSWER_BYTES_MAX ((size_t)64 << 20)

/* The head of every decoded block, which is one allocation. */
struct locus_decoded {
	uint32_t size;  /* bytes allocated */
	uint32_t count; /* entries decoded, the block's first ones */
};

struct locus_function_in; /* reader/blocks/decode.h's */
struct locus_intervals;   /* the same */

/* One section: its directory entry, and its index as arrays by block. */
struct locus_section_in {
	uint16_t id;
	uint16_t flags;
	uint32_t block_count;
	uint64_t entry_count;
	uint64_t index_size;
	uint64_t data_size;
	uint64_t raw_size;
	uint64_t index_checksum;
	void *index;         /* the allocation that the arrays below are in */
	uint64_t *keys;      /* by block */
	uint64_t *offsets;   /* by block: where it is in the file; one more for the end of the last */
	uint64_t *checksums; /* by block */
	uint32_t *firsts;    /* by block: its first entry; one more for the count of entries */
	/*
	 * By group: the block that holds its first place; behind these, twice, the last block. A place is an address,
	 * counted from the first key, in a keyed section, and an entry in others; its group is place >> group_shift.
	 * The last block's addresses may be beyond the groups.
	 */
	uint32_t *group_blocks;
	uint32_t group_count;
	unsigned group_shift;
	_Atomic(struct locus_decoded *) *blocks; /* by block, NULL: not decoded yet, or not kept */
	_Atomic uint8_t *met; /* by block: 0: not decoded yet; LOCUS_MET_WHOLE, or the status with which that failed */
	atomic_size_t kept;   /* bytes of those of its blocks that the handle keeps */
};

enum { LOCUS_MET_WHOLE = 0xff };

struct locus_meta_in; /* reader/blocks/meta.c's */

struct locus {
	struct locus_source source;
	uint64_t file_size;
	uint64_t head_size; /* of header, directory and indexes */
	uint32_t version;
	struct locus_identity identity;
	struct locus_section_in *sections; /* as in the directory */
	uint32_t section_count;
	struct locus_section_in *known[LOCUS_SECTION_ID_END]; /* by id; an absent one is an empty section */
	struct locus_section_in empty;
	struct locus_allowance allowance; /* for all memory that this file takes, in scratches too */
	size_t kept_max;                  /* bytes of decoded blocks that the handle may keep */
	atomic_size_t kept;               /* those that are not in the pool */
	struct locus_pool pool;           /* where most are of a handle that keeps many */
	atomic_size_t unfolded;           /* bytes of blocks that were met whole, see unfolds_too_far in cache.c */
	_Atomic(struct locus_meta_in *) meta;
};

/* A decoded block for which the handle had no room, held by a scratch. */
struct locus_held {
	const struct locus_section_in *section;
	uint32_t index;
	uint64_t used; /* the scratch's `use` when it was last asked for */
	struct locus_decoded *block;
};

enum { LOCUS_AHEAD_FRAMES = 4 }; /* innermost frames whose functions are found ahead of a lookup */

/* What locus_prefetch found of an address, all in blocks that the handle keeps: so it is true until that is closed. */
struct locus_ahead {
	uint64_t address;
	const struct locus_intervals *block; /* NULL: no block that is kept holds the address */
	uint32_t block_index;
	uint32_t interval; /* its index in the block */
	uint32_t function_count;
	const struct locus_function_in *functions[LOCUS_AHEAD_FRAMES]; /* of the innermost frames */
};

struct locus_scratch {
	struct locus_allowance *allowance; /* its handle's */
	ZSTD_DCtx *context;
	struct locus_room stored; /* a block as in the file */
	struct locus_room raw;    /* its columns, decompressed */
	struct locus_room state;  /* working memory of the decoder that runs */
	uint32_t *file_lines;     /* by file id, used while declarations are read; NULL: not allocated yet */
	size_t file_lines_size;
	struct locus_frame *frames;
	const struct locus_function_in **functions; /* of the frames, while they are filled */
	struct locus_alternate_info *alternates;
	size_t alternate_capacity;
	struct locus_held *held;
	size_t held_count;
	size_t held_capacity;
	uint64_t use;              /* counts calls */
	uint32_t block;            /* of the last interval found: a hint */
	uint32_t interval;         /* its index in the block: a hint */
	struct locus_ahead *ahead; /* LOCUS_PREFETCH_MAX of them; NULL until there is a first one */
	uint32_t ahead_count;
	uint32_t ahead_next; /* whose lookup is expected next */
};

#endif
