/*
 * The bytes of a debug section: in the mapped file or, if compressed, inflated once as they are needed, for all
 * threads.
 */
#ifndef LOCUS_DEBUG_SECTION_H
#define LOCUS_DEBUG_SECTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "convert/elf/cursor.h"
#include "convert/elf/packed_stream.h"
#include "spec/status.h"

struct inflater;

/*
 * Changes, which are relocations, made to a section's bytes as they are inflated or copied from front to back. `apply`
 * makes those that begin in [offset, offset + size); `bytes` are the section's from `offset` on, `room` of them, of
 * which a change may reach behind `size`. These are PATCH_REACH more, unless the section ends before. After `rewind` it
 * begins at the front again.
 */
struct section_patch {
	void *context;
	enum locus_status (*apply)(void *context, uint8_t *bytes, size_t offset, size_t size, size_t room,
				   struct locus_error *error);
	void (*rewind)(void *context);
};

enum { PATCH_REACH = 16 }; /* bytes: no change is longer */

struct section {
	const char *name;        /* for messages, borrowed; set by the caller once the section is made; NULL: none */
	const uint8_t *data;     /* `size` bytes, of which section_need makes the first readable; NULL until then */
	size_t size;             /* inflated */
	atomic_size_t forgotten; /* the bytes below this are not there any more, but for those of section_keep */
	atomic_size_t ready;   /* bytes inflated so far: readable at `data` by section_need, handed out and not kept by
				  section_take; equals size if nothing is compressed */
	atomic_bool damaged;   /* inflating it failed */
	atomic_bool beside;    /* all of `data` may be read, because section_need_beside inflated it */
	atomic_size_t strings; /* bytes up to behind the last NUL, plus 1; 0: it was not looked for */
	bool pageable;         /* `data` is part of a mapped file: released bytes come back when they are read */
	struct inflater *inflater; /* NULL if nothing is compressed or changed */
};

/* Makes a section of bytes in memory; `data` is borrowed. `pageable`: they are part of a mapped file. */
void section_init(struct section *section, const uint8_t *data, size_t size, bool pageable);

/* A compressed section as a file has it. */
struct packed_section {
	enum packing packing; /* but not PACKING_NONE */
	const uint8_t *data;  /* borrowed until section_done */
	size_t size;
	uint64_t inflated_size; /* as the file claims */
	bool is_pageable;       /* as in section_init */
};

/*
 * Makes a compressed section, of which nothing is inflated yet. LOCUS_ERR_BAD_ELF: it claims to inflate to more than
 * the packing can yield, which is found before any memory is taken.
 */
enum locus_status section_init_packed(struct section *section, const struct packed_section *packed,
				      struct locus_error *error);

/*
 * Makes a section's bytes be changed as they are read: by section_take piece by piece, by section_need all at once. To
 * be called before either. `patch` is copied, its context borrowed. False: out of memory.
 */
bool section_set_patch(struct section *section, const struct section_patch *patch);

/* Whether section_set_patch was called. */
bool section_has_patch(const struct section *section);

/* Makes the first `end` bytes readable (at most `size` of them). Safe from many threads. */
enum locus_status section_need(struct section *section, size_t end, struct locus_error *error);

/*
 * Makes some more bytes of a compressed section readable, before they are needed. Does nothing if it is readable as a
 * whole, or damaged, or if another thread is inflating it. Safe from many threads.
 */
void section_advance(struct section *section);

/*
 * Whether all bytes are inflated. Where they were not handed out by section_take, which is not to be used then, they
 * may be read in memory.
 */
static inline bool section_is_whole(const struct section *section)
{
	return atomic_load_explicit(&section->ready, memory_order_acquire) == section->size;
}

/* Whether the first `end` bytes may be read in memory, or all that there are. */
static inline bool section_has(const struct section *section, size_t end)
{
	return atomic_load_explicit(&section->ready, memory_order_acquire) >=
	       (end < section->size ? end : section->size);
}

/* A cursor at the front of the section; at its end if the section is not in memory. */
static inline struct cursor section_cursor(const struct section *section, bool swap)
{
	return (struct cursor){section->data, section->data ? section->data + section->size : NULL, swap, false};
}

/*
 * The NUL-terminated string at `offset`; NULL: it is outside, has no end, or the section is damaged before it. A
 * compressed section is inflated as far as the string needs. Safe from many threads.
 */
const char *section_string(struct section *section, uint64_t offset);

/*
 * Inflates the next `size` bytes to `ret`, and keeps nothing of them: reads a compressed section from its front, on one
 * thread at a time. Not to be mixed with section_need.
 */
enum locus_status section_take(struct section *section, void *ret, size_t size, struct locus_error *error);

/*
 * Does with the file's pages what the thread in section_take would have to do itself, if it is due: maps those that it
 * reads next, and gives back those that it has read. Threads that use the inflated bytes call this, as all of them wait
 * for that one thread. Safe from many threads.
 */
void section_tend(struct section *section);

/*
 * Makes section_take not compute the checksum at the end of a zlib stream: for a section of which only the front is
 * read, so that the checksum would never be compared. To be called before the first byte is taken, or after a rewind.
 */
void section_skip_checksum(struct section *section);

/*
 * Makes section_take leave zlib's checksum to who takes the bytes, so that the thread that inflates need not compute
 * it: when all are taken, section_compare_checksum says whether `checksum`, their Adler-32, is the one that follows
 * them. To be called before the first byte is taken. So many `helpers` may then call section_help. False: the section
 * has no such checksum of what is handed out.
 */
bool section_leave_checksum(struct section *section, unsigned helpers);
enum locus_status section_compare_checksum(const struct section *section, uint32_t checksum, struct locus_error *error);

/*
 * Inflates bytes that the thread in section_take comes to later: for a thread that would otherwise wait for it. Does
 * nothing before section_leave_checksum. False: there was nothing to do. Safe from many threads.
 */
bool section_help(struct section *section);

/*
 * Makes all of a compressed section readable, as by section_need, while section_take reads it too: inflates it a second
 * time. One thread at a time. The section has no patch.
 */
enum locus_status section_need_beside(struct section *section, struct locus_error *error);

/* Makes section_take begin at the front again; does nothing to sections that are not compressed. */
void section_rewind(struct section *section);

/* Whether inflating the section has failed. */
bool section_is_damaged(const struct section *section);

/* Bytes are forgotten and kept in units of a large page, because the kernel takes no part of one back. */
enum { SECTION_GRANULE = 2 << 20 };

/*
 * Gives back the memory of whole granules below `to`, except those of section_keep: for sections that are inflated as
 * needed and mostly read from front to back. Some of it is kept for the bytes that are inflated next. Does nothing once
 * something had to be inflated again. No thread may read there now, nor later without section_recall or section_keep.
 */
void section_forget(struct section *section, size_t to);

/*
 * Bytes from `from` on that are not forgotten yet stay until section_unpin: for a reader of what others pass by
 * meanwhile. One reader at a time does so.
 */
void section_pin(struct section *section, size_t from);
void section_unpin(struct section *section);

/*
 * Inflates up to `to` for a reader that begins there, and forgets whole granules on the way, so that it never takes
 * much memory: of what is inflated now, and of what was readable before. A reader that goes back calls section_recall.
 */
enum locus_status section_skip(struct section *section, size_t to, struct locus_error *error);

/*
 * Bytes [from, to), which were readable, are not forgotten from here on. If they were, all forgotten bytes are inflated
 * again, and then all are kept. Safe from many threads.
 */
enum locus_status section_keep(struct section *section, size_t from, size_t to, struct locus_error *error);

/*
 * Makes the bytes from `from` on readable again, if some were forgotten: inflates them again, and then keeps all bytes.
 * Safe from many threads.
 */
enum locus_status section_recall(struct section *section, size_t from, struct locus_error *error);

/*
 * Makes readable again what was forgotten, and has nothing forgotten from here on: for readers that keep pointers into
 * the section. Safe from many threads.
 */
enum locus_status section_keep_all(struct section *section, struct locus_error *error);

/*
 * Inflates the section once more, from its front and to nowhere, and compares its checksum: whether its stream is
 * whole, and if not, where it is damaged, does not depend then on who has read how much of it. Nothing else may be
 * reading the section.
 */
enum locus_status section_verify(const struct section *section, struct locus_error *error);

/* For a section whose bytes are changed in memory: from here on none is given back, because the file has others. */
void section_stays(struct section *section);

/* Gives all memory back: the section is not read any more. */
void section_drop(struct section *section);

/* Maps the pages of bytes [from, to) before they are read, if they lie in a mapped file as they are read. */
void section_map(const struct section *section, size_t from, size_t to);

/* Gives back the memory of bytes [from, to) if reading them again brings them back: in a mapped file. */
void section_release(struct section *section, size_t from, size_t to);

/* Frees what the section owns. Safe on a zeroed section. */
void section_done(struct section *section);

#endif
