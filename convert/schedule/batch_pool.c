/* The region is divided into chunks of one size. A block is a row of chunks that follow each other. */
#include "convert/schedule/batch_pool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/vm_pages.h"

enum {
	CHUNK_SIZE = 1 << 16,
	LARGE_SIZE = 4 << 20, /* bytes: a block by itself of this size is in large pages, which cost less */
	WORTH_SHARE = 32,     /* less than this part of the region is not given back by itself */
};

enum chunk_state {
	CHUNK_FRESH, /* in no block, without pages */
	CHUNK_KEPT,  /* in no block, with pages */
	CHUNK_USED,  /* in a block, or its pages are being given back to the kernel */
};

static size_t chunks_of(size_t size)
{
	return size / CHUNK_SIZE + (size % CHUNK_SIZE != 0);
}

/*
 * The chunks that are worth a call of the kernel to give them back, or to close them: what it does then interrupts each
 * processor that runs another thread of the process.
 */
static size_t worth_a_call(const struct batch_pool *pool)
{
	return pool->count / WORTH_SHARE;
}

static uint8_t *map(size_t size, int protection)
{
	uint8_t *bytes = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return bytes == MAP_FAILED ? NULL : bytes;
}

bool batch_pool_init(struct batch_pool *pool, size_t size)
{
	*pool = (struct batch_pool){.count = chunks_of(size)};
	short_lock_init(&pool->lock);
	if (!pool->count)
		return true;
	pool->region = map(pool->count * CHUNK_SIZE, PROT_NONE);
	pool->chunks = calloc(pool->count, sizeof(*pool->chunks));
	return pool->region && pool->chunks;
}

void batch_pool_done(struct batch_pool *pool)
{
	if (pool->region)
		munmap(pool->region, pool->count * CHUNK_SIZE);
	free(pool->chunks);
	short_lock_done(&pool->lock);
}

/*
 * Index of the first of `wanted` chunks in a row that are in no block, where most of them have pages; pool->count:
 * there is no such row.
 */
static size_t find_row(const struct batch_pool *pool, size_t wanted)
{
	size_t best = pool->count, best_kept = 0, row = 0, kept = 0;
	for (size_t i = 0; i < pool->count; i++) {
		if (pool->chunks[i] == CHUNK_USED) {
			row = kept = 0;
			continue;
		}
		row++;
		kept += pool->chunks[i] == CHUNK_KEPT;
		if (row > wanted) /* only the last `wanted` of the row are counted */
			kept -= pool->chunks[i - wanted] == CHUNK_KEPT;
		if (row >= wanted && (best == pool->count || kept > best_kept)) {
			best = i + 1 - wanted;
			best_kept = kept;
		}
	}
	return best;
}

/*
 * Lets the first `count` chunks be written, and no others: the kernel's limit on memory, RLIMIT_DATA, counts what may
 * be written, used or not. False: that limit would be passed.
 */
static bool open_chunks(struct batch_pool *pool, size_t count)
{
	bool grows = count > pool->open;
	size_t first = grows ? pool->open : count, end = grows ? count : pool->open;
	int protection = grows ? PROT_READ | PROT_WRITE : PROT_NONE;
	if (mprotect(pool->region + first * CHUNK_SIZE, (end - first) * CHUNK_SIZE, protection) < 0)
		return false;
	pool->open = count;
	return true;
}

/* Takes a block from the region. False: it has no room. */
static bool take_chunks(struct batch_pool *pool, size_t size, struct batch_block *ret)
{
	size_t wanted = chunks_of(size), kept = 0;
	short_lock_take(&pool->lock);
	size_t first = find_row(pool, wanted);
	bool found = first < pool->count && (first + wanted <= pool->open || open_chunks(pool, first + wanted));
	for (size_t i = first; found && i < first + wanted; i++) {
		kept += pool->chunks[i] == CHUNK_KEPT;
		pool->chunks[i] = CHUNK_USED;
	}
	pool->kept -= kept * CHUNK_SIZE;
	short_lock_release(&pool->lock);
	if (!found)
		return false;
	*ret = (struct batch_block){pool->region + first * CHUNK_SIZE, wanted * CHUNK_SIZE};
	if (kept < wanted)
		pages_populate(ret->bytes, size);
	return true;
}

bool batch_pool_take(struct batch_pool *pool, size_t size, struct batch_block *ret)
{
	if (!pool->region) {
		*ret = (struct batch_block){malloc(size), size};
		return ret->bytes;
	}
	if (take_chunks(pool, size, ret))
		return true;
	*ret = (struct batch_block){map(size, PROT_READ | PROT_WRITE), size};
	if (!ret->bytes)
		return false;
	if (size >= LARGE_SIZE)
		madvise(ret->bytes, size, MADV_HUGEPAGE);
	pages_populate(ret->bytes, size);
	return true;
}

/*
 * Gives pages of at least `size` bytes back to the kernel, as long as they are in one piece: the last that are kept.
 * The caller has taken the lock, which is released meanwhile.
 */
static void release_last(struct batch_pool *pool, size_t size)
{
	size_t end = pool->count;
	while (pool->chunks[end - 1] != CHUNK_KEPT)
		end--;
	size_t first = end;
	while (first && end - first < chunks_of(size) && pool->chunks[first - 1] == CHUNK_KEPT)
		pool->chunks[--first] = CHUNK_USED;
	pool->kept -= (end - first) * CHUNK_SIZE;
	short_lock_release(&pool->lock);
	pages_release(pool->region, first * CHUNK_SIZE, end * CHUNK_SIZE);
	short_lock_take(&pool->lock);
	memset(pool->chunks + first, CHUNK_FRESH, end - first);
	for (end = pool->open; end && pool->chunks[end - 1] == CHUNK_FRESH;)
		end--;
	if (end < pool->open && pool->open - end >= worth_a_call(pool))
		open_chunks(pool, end);
}

/* Whether a block lies in the region. */
static bool is_of_chunks(const struct batch_pool *pool, const struct batch_block *block)
{
	return (uintptr_t)block->bytes - (uintptr_t)pool->region < pool->count * CHUNK_SIZE;
}

void batch_pool_give(struct batch_pool *pool, struct batch_block *block, size_t most)
{
	if (!pool->region) {
		free(block->bytes);
	} else if (block->room && !is_of_chunks(pool, block)) {
		munmap(block->bytes, block->room);
	} else if (block->room) {
		size_t first = (size_t)(block->bytes - pool->region) / CHUNK_SIZE;
		short_lock_take(&pool->lock);
		memset(pool->chunks + first, CHUNK_KEPT, block->room / CHUNK_SIZE);
		pool->kept += block->room;
		bool is_worth_it = pool->kept > most && pool->kept - most >= worth_a_call(pool) * CHUNK_SIZE;
		while (is_worth_it && pool->kept > most)
			release_last(pool, pool->kept - most);
		short_lock_release(&pool->lock);
	}
	*block = (struct batch_block){0};
}
