/*
 * Compressed sections are inflated from front to back, once. Those that are read at random are inflated whole into
 * reserved address space; those that are read once, from front to back, piece by piece into the reader's own memory.
 */
#include "convert/elf/debug_section.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/budget.h"
#include "base/fail.h"
#include "base/short_lock.h"
#include "base/vm_pages.h"

enum { SPARE_MAX = 2 }; /* granules */

struct inflater {
	struct short_lock lock; /* held while section_need inflates */
	struct packed_stream stream;
	size_t checked_from;         /* the bytes below this were there before the last step of section_take */
	enum locus_status status;    /* of section_need so far: after a failure nothing more is inflated */
	struct locus_error error;    /* of that failure */
	size_t taken_end;            /* the bytes below this have had their pages taken */
	size_t reused_end;           /* the bytes from `ready` up to here have the pages of a forgotten granule */
	struct short_lock keep_lock; /* guards `forgotten` and the next five; held to inflate again, too */
	size_t spares[SPARE_MAX];    /* forgotten granules that still have their pages */
	unsigned spare_count;
	size_t pinned;        /* the bytes from here on are not forgotten now; SIZE_MAX: no reader asks for that */
	bool forgets_nothing; /* forgotten bytes had to be inflated again, or cannot be: all bytes stay */
	bool *kept;           /* by granule: it is not to be forgotten; NULL: none is */
	struct section_patch patch; /* `apply` is NULL where nothing is changed */
	uint8_t ahead[PATCH_REACH]; /* inflated because a change that begins earlier reaches into them; not handed out
				       yet */
	size_t ahead_size;
};

void section_init(struct section *section, const uint8_t *data, size_t size, bool pageable)
{
	*section = (struct section){.data = data, .size = size, .pageable = pageable};
	atomic_init(&section->ready, size);
}

/* Makes a section whose bytes come from a stream. False: out of memory. */
static bool init_inflated(struct section *section, const struct packed_stream *stream, size_t size)
{
	struct inflater *inflater = calloc(1, sizeof(*inflater));
	if (!inflater)
		return false;
	inflater->stream = *stream;
	inflater->pinned = SIZE_MAX;
	short_lock_init(&inflater->lock);
	short_lock_init(&inflater->keep_lock);
	*section = (struct section){.size = size, .inflater = inflater};
	return true;
}

enum locus_status section_init_packed(struct section *section, const struct packed_section *packed,
				      struct locus_error *error)
{
	const struct packed_stream stream = {
		.packing = packed->packing,
		.packed = packed->data,
		.packed_size = packed->size,
		.is_pageable = packed->is_pageable,
	};
	/* At most, deflate yields 1032 bytes for one, and zstd's repeated blocks 128 KiB for four. */
	uint64_t ratio = packed->packing == PACKING_ZLIB ? 1032 : 32768;
	if (packed->inflated_size / ratio > packed->size)
		return locus_fail(error, LOCUS_ERR_BAD_ELF, "a compressed section claims %llu bytes from %zu",
				  (unsigned long long)packed->inflated_size, packed->size);
	if (!init_inflated(section, &stream, (size_t)packed->inflated_size))
		return locus_fail_memory(error);
	return LOCUS_OK;
}

bool section_set_patch(struct section *section, const struct section_patch *patch)
{
	const struct packed_stream copied = {
		.packing = PACKING_NONE,
		.packed = section->data,
		.packed_size = section->size,
		.is_pageable = section->pageable,
	};
	const char *name = section->name;
	if (!section->inflater && !init_inflated(section, &copied, section->size))
		return false;
	section->name = name;
	section->inflater->patch = *patch;
	return true;
}

void section_tend(struct section *section)
{
	if (section->inflater)
		packed_stream_tend(&section->inflater->stream);
}

bool section_help(struct section *section)
{
	return section->inflater && packed_stream_help(&section->inflater->stream);
}

bool section_has_patch(const struct section *section)
{
	return section->inflater && section->inflater->patch.apply;
}

static enum locus_status damaged(const struct section *section, size_t done, struct locus_error *error)
{
	return locus_fail(error, LOCUS_ERR_BAD_ELF, "%s%s is damaged or truncated after %zu of %zu bytes",
			  section->name ? "the compressed " : "a compressed section",
			  section->name ? section->name : "", done, section->size);
}

/* A section that is never given back in granules comes from malloc's heap, whose pages are there already, or large. */
static bool is_in_heap(const struct section *section)
{
	return section->size < SECTION_GRANULE;
}

/*
 * The size to map a section with that is not in the heap: whole granules, after the kernel has rounded it up to pages.
 * It then puts them in line with large pages.
 */
static size_t mapped_size(const struct section *section)
{
	return (section->size - 1) | (SECTION_GRANULE - 1);
}

/* Takes memory for the whole section; of a large one, only pages that are written take any. */
static bool reserve_space(struct section *section)
{
	if (section->data)
		return true;
	if (!budget_take(section->size))
		return false;
	if (is_in_heap(section))
		return (section->data = malloc(section->size)) != NULL;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	void *data = mmap(NULL, mapped_size(section), PROT_READ | PROT_WRITE, flags, -1, 0);
	section->data = data == MAP_FAILED ? NULL : data;
	if (section->data) /* written once from front to back: fewer, larger faults */
		madvise(data, section->size - section->size % SECTION_GRANULE, MADV_HUGEPAGE);
	return section->data != NULL;
}

/*
 * Takes pages for the next `room` bytes, from `ready` on. Those of a forgotten granule cost less than new ones, which
 * the kernel fills with zeros first, and may still be in the processor's caches. False: out of memory.
 */
static bool take_pages(struct section *section, size_t ready, size_t room)
{
	struct inflater *in = section->inflater;
	uint8_t *data = (uint8_t *)section->data;
	bool is_mapped = true;
	if (ready % SECTION_GRANULE == 0) {
		short_lock_take(&in->keep_lock);
		if (in->spare_count) {
			size_t spare = in->spares[--in->spare_count];
			is_mapped = pages_move(data + spare, data + ready, SECTION_GRANULE);
			in->reused_end = ready + SECTION_GRANULE;
		}
		short_lock_release(&in->keep_lock);
	}
	if (is_mapped && ready + room > in->reused_end)
		pages_populate(data + ready, room);
	return is_mapped;
}

static enum locus_status inflate_to(struct section *section, size_t end, struct locus_error *error)
{
	size_t ready = atomic_load_explicit(&section->ready, memory_order_relaxed);
	struct inflater *in = section->inflater;
	const struct section_patch *patch = &in->patch;
	if (!reserve_space(section) || !packed_stream_open(&in->stream))
		return locus_fail(error, LOCUS_ERR_MEMORY, "out of memory for a section of %zu bytes", section->size);

	while (ready < end) {
		size_t room = section->size - ready < PACKED_STEP ? section->size - ready : PACKED_STEP;
		uint8_t *out = (uint8_t *)section->data + ready;
		/* Pages are taken once for many steps: a step can be as short as an empty frame. */
		if (ready >= in->taken_end) {
			if (!take_pages(section, ready, room))
				return locus_fail_memory(error);
			in->taken_end = ready + room;
		}
		size_t made = packed_stream_step(&in->stream, out, room);
		if (made == SIZE_MAX || (ready + made == section->size && !packed_stream_end(&in->stream)))
			return damaged(section, ready, error);
		ready += made;
		if (!patch->apply)
			atomic_store_explicit(&section->ready, ready, memory_order_release);
	}

	if (patch->apply) {
		uint8_t *bytes = (uint8_t *)section->data;
		enum locus_status status = patch->apply(patch->context, bytes, 0, ready, ready, error);
		if (status != LOCUS_OK)
			return status;
		atomic_store_explicit(&section->ready, ready, memory_order_release);
	}

	if (ready == section->size)
		packed_stream_close(&in->stream);
	return LOCUS_OK;
}

/* Marks the section as damaged. What is left of it must not tell what was in the memory before. */
static void note_damage(struct section *section)
{
	const size_t ready = atomic_load_explicit(&section->ready, memory_order_relaxed);
	if (section->data && is_in_heap(section))
		memset((uint8_t *)section->data + ready, 0, section->size - ready);
	atomic_store_explicit(&section->damaged, true, memory_order_relaxed);
}

/* Inflates until `end` is readable, if it is not yet. The caller has the lock. */
static enum locus_status need(struct section *section, size_t end, struct locus_error *error)
{
	struct inflater *in = section->inflater;
	size_t to = in->patch.apply ? section->size : end; /* changes must not be applied twice */
	if (atomic_load_explicit(&section->ready, memory_order_relaxed) >= end)
		return LOCUS_OK;
	if (in->status == LOCUS_OK)
		in->status = inflate_to(section, to, &in->error);
	if (in->status == LOCUS_OK)
		return LOCUS_OK;
	note_damage(section);
	budget_note(in->status); /* who asks for a string learns only that there is none */
	if (error)
		*error = in->error;
	return in->status;
}

enum locus_status section_need(struct section *section, size_t end, struct locus_error *error)
{
	if (end > section->size)
		end = section->size;
	if (atomic_load_explicit(&section->ready, memory_order_acquire) >= end ||
	    atomic_load_explicit(&section->beside, memory_order_acquire))
		return LOCUS_OK;
	short_lock_take(&section->inflater->lock);
	enum locus_status status = need(section, end, error);
	short_lock_release(&section->inflater->lock);
	return status;
}

void section_advance(struct section *section)
{
	if (section_is_whole(section) || section_is_damaged(section) || !short_lock_try(&section->inflater->lock))
		return;
	size_t ready = atomic_load_explicit(&section->ready, memory_order_relaxed);
	if (ready < section->size)
		need(section, ready + 1, NULL); /* whoever needs these bytes is told what goes wrong */
	short_lock_release(&section->inflater->lock);
}

/* Inflates until the end of the string at `offset`, or of the section. */
static bool need_string(struct section *section, uint64_t offset)
{
	size_t ready = atomic_load_explicit(&section->ready, memory_order_acquire);
	while (ready < section->size && (ready <= offset || !memchr(section->data + offset, 0, ready - offset))) {
		size_t end = (ready > offset ? ready : (size_t)offset) + 1;
		if (section_need(section, end, NULL) != LOCUS_OK)
			return false;
		ready = atomic_load_explicit(&section->ready, memory_order_acquire);
	}
	return true;
}

/*
 * The bytes of a whole section up to behind its last NUL: no string that begins behind them has an end. The NUL is
 * looked for once, because as many strings may begin there as a file has references.
 */
static size_t bytes_of_strings(struct section *section)
{
	if (section->data[section->size - 1] == 0)
		return section->size;
	size_t known = atomic_load_explicit(&section->strings, memory_order_relaxed);
	if (!known) {
		const uint8_t *nul = memrchr(section->data, 0, section->size);
		known = 1 + (nul ? (size_t)(nul - section->data) + 1 : 0);
		atomic_store_explicit(&section->strings, known, memory_order_relaxed);
	}
	return known - 1;
}

const char *section_string(struct section *section, uint64_t offset)
{
	if (offset >= section->size || !need_string(section, offset))
		return NULL;
	bool is_whole = atomic_load_explicit(&section->ready, memory_order_relaxed) == section->size;
	return !is_whole || offset < bytes_of_strings(section) ? (const char *)section->data + offset : NULL;
}

/* Inflates, or copies, the next `size` bytes to `out`. */
static enum locus_status unfold(struct section *section, uint8_t *out, size_t size, size_t ready,
				struct locus_error *error)
{
	struct inflater *in = section->inflater;
	size_t start = ready;
	for (size_t made; size; out += made, size -= made, ready += made) {
		/* How much is made at a time depends on other threads where they help. So damage is told by steps. */
		size_t within = packed_stream_is_helped(&in->stream) ? (ready - start) % PACKED_STEP : 0,
		       room = PACKED_STEP - within;
		in->checked_from = ready - within;
		made = packed_stream_step(&in->stream, out, size < room ? size : room);
		if (made == SIZE_MAX || (ready + made == section->size && !packed_stream_end(&in->stream)))
			return damaged(section, ready - within, error);
	}
	return LOCUS_OK;
}

/*
 * Gives the next bytes with the changes applied. A change near their end may reach beyond it. So some more bytes are
 * inflated, changed together with these, and kept for the next call.
 */
static enum locus_status take_patched(struct section *section, uint8_t *out, size_t size, size_t ready,
				      struct locus_error *error)
{
	struct inflater *in = section->inflater;
	const struct section_patch *patch = &in->patch;
	uint8_t border[2 * PATCH_REACH];
	size_t kept = in->ahead_size < size ? in->ahead_size : size;
	memcpy(out, in->ahead, kept);
	memmove(in->ahead, in->ahead + kept, in->ahead_size -= kept);
	enum locus_status status = unfold(section, out + kept, size - kept, ready + kept, error);

	size_t behind = section->size - ready - size;
	size_t more = (behind < PATCH_REACH ? behind : PATCH_REACH) - in->ahead_size;
	if (status == LOCUS_OK)
		status = unfold(section, in->ahead + in->ahead_size, more, ready + size + in->ahead_size, error);
	if (status != LOCUS_OK)
		return status;
	in->ahead_size += more;

	size_t last = size < PATCH_REACH ? size : PATCH_REACH, first = size - last;
	status = patch->apply(patch->context, out, ready, first, size, error);
	memcpy(border, out + first, last);
	memcpy(border + last, in->ahead, in->ahead_size);
	if (status == LOCUS_OK)
		status = patch->apply(patch->context, border, ready + first, last, last + in->ahead_size, error);
	memcpy(out + first, border, last);
	memcpy(in->ahead, border + last, in->ahead_size);
	return status;
}

enum locus_status section_take(struct section *section, void *ret, size_t size, struct locus_error *error)
{
	size_t ready = atomic_load_explicit(&section->ready, memory_order_relaxed);
	struct inflater *in = section->inflater;
	if (size && !packed_stream_open(&in->stream))
		return locus_fail_memory(error);
	enum locus_status status = in->patch.apply && size ? take_patched(section, ret, size, ready, error)
							   : unfold(section, ret, size, ready, error);
	if (status != LOCUS_OK)
		return status;
	atomic_store_explicit(&section->ready, ready + size, memory_order_relaxed);
	if (ready + size == section->size)
		packed_stream_close(&in->stream);
	return LOCUS_OK;
}

void section_skip_checksum(struct section *section)
{
	if (section->inflater)
		section->inflater->stream.skips_checksum = true;
}

bool section_leave_checksum(struct section *section, unsigned helpers)
{
	struct inflater *in = section->inflater;
	if (!in || in->stream.packing != PACKING_ZLIB || in->patch.apply)
		return false;
	in->stream.skips_checksum = true;
	/* Where the user gives memory, that is for what a conversion cannot do without. */
	const struct budget *budget = budget_used();
	if (!budget || !budget->bytes_given)
		packed_stream_let_help(&in->stream, section->size, helpers);
	return true;
}

enum locus_status section_compare_checksum(const struct section *section, uint32_t checksum, struct locus_error *error)
{
	const struct inflater *in = section->inflater;
	return packed_stream_has_checksum(&in->stream, checksum) ? LOCUS_OK : damaged(section, in->checked_from, error);
}

void section_rewind(struct section *section)
{
	struct inflater *in = section->inflater;
	if (!in || section->data)
		return;
	packed_stream_rewind(&in->stream);
	in->ahead_size = 0;
	if (in->patch.apply)
		in->patch.rewind(in->patch.context);
	atomic_store_explicit(&section->ready, 0, memory_order_relaxed);
}

bool section_is_damaged(const struct section *section)
{
	return atomic_load_explicit(&section->damaged, memory_order_relaxed);
}

void section_map(const struct section *section, size_t from, size_t to)
{
	if (section->pageable)
		pages_map(section->data + from, to - from);
}

void section_release(struct section *section, size_t from, size_t to)
{
	if (section->pageable)
		pages_release(section->data, from, to);
}

/* Whether the byte at `offset` is in a granule that is kept. The caller has the lock. */
static bool is_kept(const struct inflater *in, size_t offset)
{
	return in->kept && in->kept[offset / SECTION_GRANULE];
}

/* The end of the granule that the byte at `offset` is in, or `most`, where that is less. */
static size_t granule_end(size_t offset, size_t most)
{
	size_t left = SECTION_GRANULE - offset % SECTION_GRANULE;
	return left < most - offset ? offset + left : most;
}

void section_forget(struct section *section, size_t to)
{
	struct inflater *in = section->inflater;
	if (!in || !section->data || in->patch.apply) /* what was changed cannot be had again from the file */
		return;
	short_lock_take(&in->keep_lock);
	size_t from = atomic_load_explicit(&section->forgotten, memory_order_relaxed);
	to = to < in->pinned ? to : in->pinned;
	to -= to % SECTION_GRANULE;
	if (!in->forgets_nothing && from < to) {
		for (size_t at = from, end; at < to; at = end) {
			end = granule_end(at, to);
			if (is_kept(in, at))
				continue;
			if (in->spare_count < SPARE_MAX && !section_is_whole(section))
				in->spares[in->spare_count++] = at;
			else
				pages_release(section->data, at, end);
		}
		atomic_store_explicit(&section->forgotten, to, memory_order_release);
	}
	short_lock_release(&in->keep_lock);
}

static void set_pinned(struct section *section, size_t from)
{
	struct inflater *in = section->inflater;
	if (!in)
		return;
	short_lock_take(&in->keep_lock);
	in->pinned = from;
	short_lock_release(&in->keep_lock);
}

void section_pin(struct section *section, size_t from)
{
	set_pinned(section, from);
}

void section_unpin(struct section *section)
{
	set_pinned(section, SIZE_MAX);
}

enum locus_status section_skip(struct section *section, size_t to, struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	for (size_t ready = 0; status == LOCUS_OK && !section_has(section, to); section_forget(section, ready)) {
		ready = atomic_load_explicit(&section->ready, memory_order_acquire);
		status = section_need(section, granule_end(ready, to), error);
	}
	return status;
}

/* The section's stream from its front. */
static struct packed_stream stream_again(const struct inflater *in)
{
	return (struct packed_stream){
		.packing = in->stream.packing,
		.packed = in->stream.packed,
		.packed_size = in->stream.packed_size,
		.is_pageable = in->stream.is_pageable,
	};
}

/*
 * Inflates the first `size` bytes again, to the same place, except what is kept: others may be reading that. The caller
 * has keep_lock.
 */
static enum locus_status inflate_again(struct section *section, size_t size, struct locus_error *error)
{
	const struct inflater *in = section->inflater;
	struct packed_stream again = stream_again(in);
	uint8_t *passed = in->kept ? malloc(PACKED_STEP) : NULL;
	bool memory = packed_stream_open(&again) && (passed || !in->kept), good = memory;
	size_t done = 0;
	while (good && done < size) {
		size_t room = granule_end(done, size) - done;
		uint8_t *out = is_kept(in, done) ? passed : (uint8_t *)section->data + done;
		size_t made = packed_stream_step(&again, out, room < PACKED_STEP ? room : PACKED_STEP);
		good = made != SIZE_MAX;
		done += good ? made : 0;
	}

	packed_stream_close(&again);
	free(passed);
	return good ? LOCUS_OK : memory ? damaged(section, done, error) : locus_fail_memory(error);
}

enum locus_status section_verify(const struct section *section, struct locus_error *error)
{
	enum { STEP = 1 << 17 }; /* inflated bytes: so exactly the place of damage is told */
	const struct inflater *in = section->inflater;
	if (!in || in->stream.packing == PACKING_NONE)
		return LOCUS_OK;
	struct packed_stream again = stream_again(in);
	uint8_t *passed = malloc(STEP);
	bool memory = passed && packed_stream_open(&again), good = memory;
	size_t done = 0;
	while (good && done < section->size) {
		size_t left = section->size - done;
		size_t made = packed_stream_step(&again, passed, left < STEP ? left : STEP);
		good = made != SIZE_MAX && (made < left || packed_stream_end(&again));
		done += good ? made : 0;
	}

	packed_stream_close(&again);
	free(passed);
	return good ? LOCUS_OK : memory ? damaged(section, done, error) : locus_fail_memory(error);
}

enum locus_status section_need_beside(struct section *section, struct locus_error *error)
{
	if (atomic_load_explicit(&section->beside, memory_order_acquire))
		return LOCUS_OK;
	if (!reserve_space(section))
		return locus_fail_memory(error);
	enum locus_status status = inflate_again(section, section->size, error);
	if (status == LOCUS_OK)
		atomic_store_explicit(&section->beside, true, memory_order_release);
	return status;
}

/*
 * Inflates again what was forgotten, and lets nothing be forgotten any more. On failure it stays forgotten, so that no
 * other thread takes what is there for its bytes. The caller has the lock.
 */
static enum locus_status recall(struct section *section, struct locus_error *error)
{
	size_t forgotten = atomic_load_explicit(&section->forgotten, memory_order_relaxed);
	enum locus_status status = forgotten ? inflate_again(section, forgotten, error) : LOCUS_OK;
	if (status != LOCUS_OK)
		return status;
	section->inflater->forgets_nothing = true;
	section->inflater->spare_count = 0;
	atomic_store_explicit(&section->forgotten, 0, memory_order_release);
	return LOCUS_OK;
}

enum locus_status section_recall(struct section *section, size_t from, struct locus_error *error)
{
	struct inflater *in = section->inflater;
	if (!in || from >= atomic_load_explicit(&section->forgotten, memory_order_acquire))
		return LOCUS_OK;
	short_lock_take(&in->keep_lock);
	enum locus_status status = recall(section, error);
	short_lock_release(&in->keep_lock);
	return status;
}

enum locus_status section_keep_all(struct section *section, struct locus_error *error)
{
	struct inflater *in = section->inflater;
	if (!in)
		return LOCUS_OK;
	short_lock_take(&in->keep_lock);
	enum locus_status status = recall(section, error);
	short_lock_release(&in->keep_lock);
	return status;
}

/* Whether what was forgotten has a part in the granules of [from, to). The caller has the lock. */
static bool is_forgotten(const struct section *section, size_t from, size_t to)
{
	size_t forgotten = atomic_load_explicit(&section->forgotten, memory_order_relaxed);
	bool any = false;
	for (size_t at = from; at < to && at < forgotten; at = granule_end(at, to))
		any |= !is_kept(section->inflater, at);
	return any;
}

enum locus_status section_keep(struct section *section, size_t from, size_t to, struct locus_error *error)
{
	struct inflater *in = section->inflater;
	enum locus_status status = LOCUS_OK;
	if (!in)
		return LOCUS_OK;
	short_lock_take(&in->keep_lock);
	if (is_forgotten(section, from, to))
		status = recall(section, error);
	if (status == LOCUS_OK && !in->kept &&
	    !(in->kept = calloc(section->size / SECTION_GRANULE + 1, sizeof(*in->kept))))
		status = locus_fail_memory(error);
	for (size_t at = from; status == LOCUS_OK && at < to; at = granule_end(at, to))
		in->kept[at / SECTION_GRANULE] = true;
	short_lock_release(&in->keep_lock);
	return status;
}

void section_stays(struct section *section)
{
	section->pageable = false;
	if (section->inflater)
		section->inflater->forgets_nothing = true;
}

/* Gives back what reserve_space took. */
static void free_space(struct section *section)
{
	if (!section->inflater || !section->data)
		return;
	if (is_in_heap(section))
		free((void *)section->data);
	else
		munmap((void *)section->data, mapped_size(section));
	section->data = NULL;
}

void section_drop(struct section *section)
{
	free_space(section);
	section_release(section, 0, section->size);
}

void section_done(struct section *section)
{
	struct inflater *in = section->inflater;
	if (in) {
		free_space(section);
		packed_stream_done(&in->stream);
		short_lock_done(&in->lock);
		short_lock_done(&in->keep_lock);
		free(in->kept);
		free(in);
	}
	*section = (struct section){0};
}
