/* A debug section's bytes: where the file holds them, or inflated once as they are needed and shared by all threads. */
#ifndef LOCUS_DEBUG_SECTION_H
#define LOCUS_DEBUG_SECTION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "convert/elf/cursor.h"
#include "spec/status.h"

struct inflater;

/*
 * Changes that are made to a section's bytes as these are unfolded, from front to back: relocations. `apply` makes
 * those that begin in [offset, offset + size); `bytes` are the section's from `offset` on, of which PATCH_REACH more
 * follow those, or the section ends. After `rewind` it begins at the front again.
 */
struct section_patch {
	void *context;
	enum locus_status (*apply)(void *context, uint8_t *bytes, size_t offset, size_t size, size_t room,
				   struct locus_error *error);
	void (*rewind)(void *context);
};

enum { PATCH_REACH = 16 }; /* bytes: no change reaches further behind where it begins */

struct section {
	const uint8_t *data;       /* `size` bytes, of which the first `ready` may be read; NULL before any is needed */
	size_t size;               /* inflated */
	atomic_size_t forgotten;   /* what lies below was given back */
	atomic_size_t ready;       /* grows with section_need; equals size where nothing is compressed */
	atomic_bool damaged;       /* inflating it failed */
	atomic_bool beside;        /* all of `data` may be read, whatever section_take has come to */
	bool pageable;             /* `data` is a file's mapping: what is released comes back when it is read */
	struct inflater *inflater; /* NULL where nothing is compressed */
};

/* A section that stands in memory; `data` is borrowed. `pageable` if it is part of a mapped file. */
void section_init(struct section *section, const uint8_t *data, size_t size, bool pageable);

enum packing {
	PACKING_ZLIB,
	PACKING_ZSTD,
	PACKING_NONE, /* its bytes are changed as they are copied */
};

/*
 * A compressed section: inflates nothing yet. `packed` is borrowed.
 * `size` is held against what the packing can yield at most, before any memory is asked for.
 */
enum locus_status section_init_packed(struct section *section, enum packing packing, const uint8_t *packed,
				      size_t packed_size, uint64_t size, struct locus_error *error);

/*
 * Makes a section that stands in memory, or is compressed, one whose bytes are changed as they are unfolded: by
 * section_take a piece at a time, by section_need all at once. Nothing of it was asked for before. `patch` is copied,
 * its context borrowed. False: out of memory.
 */
bool section_set_patch(struct section *section, const struct section_patch *patch);

/* Makes the first `end` bytes readable (at most `size` of them). Safe from many threads. */
enum locus_status section_need(struct section *section, size_t end, struct locus_error *error);

/* Whether all of it may be read, and nothing of it is to be had by section_take. */
static inline bool section_is_whole(const struct section *section)
{
	return atomic_load_explicit(&section->ready, memory_order_acquire) == section->size;
}

/* Over the section from its front; at its end where it is not there. */
static inline struct cursor section_cursor(const struct section *section, bool swap)
{
	return (struct cursor){section->data, section->data ? section->data + section->size : NULL, swap, false};
}

/*
 * The NUL-terminated string at `offset`; NULL: it is outside, has no end, or the section is damaged before it. Of a
 * compressed section as much is inflated as the string needs. Safe from many threads.
 */
const char *section_string(struct section *section, uint64_t offset);

/*
 * Inflates the next `size` bytes to `ret`: a way through a compressed section that keeps nothing of it, from its front
 * and for one thread at a time. Not together with section_need.
 */
enum locus_status section_take(struct section *section, void *ret, size_t size, struct locus_error *error);

/*
 * Makes all of a compressed section readable by section_need, beside a way through it by section_take: inflates it once
 * more. For one thread at a time.
 */
enum locus_status section_need_beside(struct section *section, struct locus_error *error);

/* Back to the front of a compressed section of which nothing is kept, for section_take; of others nothing happens. */
void section_rewind(struct section *section);

/* Whether inflating the section failed so far. */
bool section_is_damaged(const struct section *section);

/*
 * For a section that is inflated as it is needed and mostly read from front to back: gives the memory below `to` back,
 * unless section_recall was needed once. Nobody may be reading there, nor begin to without section_recall.
 */
void section_forget(struct section *section, size_t to);

/*
 * Makes what was forgotten readable again if that is anything from `from` on: inflates it anew, and lets nothing be
 * forgotten any more. Safe from many threads.
 */
enum locus_status section_recall(struct section *section, size_t from, struct locus_error *error);

/* Gives all memory back for good: nobody reads the section any more. */
void section_drop(struct section *section);

/* Gives the memory of bytes [from, to) back where they can be had again: in a mapped file. */
void section_release(struct section *section, size_t from, size_t to);

/* Frees what the section owns. Safe on a zeroed section. */
void section_done(struct section *section);

#endif
