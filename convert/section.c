/*
 * A debug section's bytes. Compressed ones unfold into reserved address space from front to back, so that pointers stay
 * valid, a unit can be read while the next one is still compressed, and pages behind the readers can be given back.
 */
#include "convert/section.h"

#include <isa-l/igzip_lib.h> /* inflates three times as fast as zlib, and as a stream, which libdeflate does not */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "convert/error.h"

enum { STEP_SIZE = 1 << 20 }; /* inflated in steps of this, so that packed pages are released as they are read */

struct inflater {
	pthread_mutex_t lock;
	enum packing packing;
	const uint8_t *packed;
	size_t packed_size;
	size_t packed_done;
	struct inflate_state zlib;
	ZSTD_DStream *zstd;
};

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Tells the kernel that whole pages inside [data + from, data + to) are not needed. */
static void release_pages(const uint8_t *data, size_t from, size_t to)
{
	uintptr_t mask = page_size() - 1;
	uintptr_t first = ((uintptr_t)data + from + mask) & ~mask;
	uintptr_t last = ((uintptr_t)data + to) & ~mask;
	if (first < last)
		madvise((void *)first, last - first, MADV_DONTNEED);
}

void section_init(struct section *section, const uint8_t *data, size_t size, bool pageable)
{
	*section = (struct section){.data = data, .size = size, .pageable = pageable};
	atomic_init(&section->ready, size);
}

enum locus_status section_init_packed(struct section *section, enum packing packing, const uint8_t *packed,
				      size_t packed_size, uint64_t size, struct locus_error *error)
{
	/* Deflate yields at most 1032 bytes for one; zstd's repeated blocks 128 KiB for four. */
	uint64_t ratio = packing == PACKING_ZLIB ? 1032 : 32768;
	if (size / ratio > packed_size)
		return fail(error, LOCUS_ERR_BAD_ELF, "a compressed section claims %llu bytes from %zu",
			    (unsigned long long)size, packed_size);
	struct inflater *inflater = calloc(1, sizeof *inflater);
	if (!inflater)
		return fail(error, LOCUS_ERR_MEMORY, "out of memory");
	void *data = size ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
			  : NULL;
	if (data == MAP_FAILED) {
		free(inflater);
		return fail(error, LOCUS_ERR_MEMORY, "out of memory for a section of %llu bytes",
			    (unsigned long long)size);
	}
	inflater->packing = packing;
	inflater->packed = packed;
	inflater->packed_size = packed_size;
	pthread_mutex_init(&inflater->lock, NULL);
	isal_inflate_init(&inflater->zlib);
	inflater->zlib.crc_flag = ISAL_ZLIB;
	*section = (struct section){.data = data, .size = (size_t)size, .inflater = inflater};
	return LOCUS_OK;
}

/* Inflates up to `room` bytes from the next packed step. Gives the bytes made, or SIZE_MAX on damage. */
static size_t inflate_zlib(struct inflater *in, uint8_t *out, size_t room, size_t step)
{
	in->zlib.next_in = (uint8_t *)in->packed + in->packed_done;
	in->zlib.avail_in = (uint32_t)step;
	in->zlib.next_out = out;
	in->zlib.avail_out = (uint32_t)room;
	int result = isal_inflate(&in->zlib);
	in->packed_done += step - in->zlib.avail_in;
	return result == ISAL_DECOMP_OK ? room - in->zlib.avail_out : SIZE_MAX;
}

static size_t inflate_zstd(struct inflater *in, uint8_t *out, size_t room, size_t step)
{
	if (!in->zstd)
		in->zstd = ZSTD_createDStream();
	if (!in->zstd)
		return SIZE_MAX;
	ZSTD_inBuffer input = {in->packed + in->packed_done, step, 0};
	ZSTD_outBuffer output = {out, room, 0};
	size_t result = ZSTD_decompressStream(in->zstd, &output, &input);
	in->packed_done += input.pos;
	return ZSTD_isError(result) ? SIZE_MAX : output.pos;
}

/* One step: at most STEP_SIZE packed bytes in, STEP_SIZE inflated bytes out. False on damage or a short stream. */
static bool inflate_step(struct section *section)
{
	struct inflater *in = section->inflater;
	size_t ready = atomic_load_explicit(&section->ready, memory_order_relaxed);
	size_t room = section->size - ready < STEP_SIZE ? section->size - ready : STEP_SIZE;
	size_t left = in->packed_size - in->packed_done;
	size_t step = left < STEP_SIZE ? left : STEP_SIZE;
	size_t packed_before = in->packed_done;
	uint8_t *out = (uint8_t *)section->data + ready;
	size_t made = in->packing == PACKING_ZLIB ? inflate_zlib(in, out, room, step) : inflate_zstd(in, out, room, step);
	if (made == SIZE_MAX || (made == 0 && in->packed_done == packed_before))
		return false;
	if (in->packed_done / STEP_SIZE != packed_before / STEP_SIZE)
		release_pages(in->packed, packed_before > STEP_SIZE ? packed_before - STEP_SIZE : 0, in->packed_done);
	atomic_store_explicit(&section->ready, ready + made, memory_order_release);
	return true;
}

enum locus_status section_need(struct section *section, size_t end, struct locus_error *error)
{
	if (end > section->size)
		end = section->size;
	if (atomic_load_explicit(&section->ready, memory_order_acquire) >= end)
		return LOCUS_OK;
	bool sound = true;
	pthread_mutex_lock(&section->inflater->lock);
	while (sound && atomic_load_explicit(&section->ready, memory_order_relaxed) < end)
		sound = inflate_step(section);
	pthread_mutex_unlock(&section->inflater->lock);
	if (sound)
		return LOCUS_OK;
	return fail(error, LOCUS_ERR_BAD_ELF, "a compressed section is damaged or truncated after %zu of %zu bytes",
		    atomic_load(&section->ready), section->size);
}

void section_release(struct section *section, size_t from, size_t to)
{
	if (section->pageable || (section->inflater && section->once))
		release_pages(section->data, from, to);
}

void section_done(struct section *section)
{
	struct inflater *in = section->inflater;
	if (in) {
		if (section->size)
			munmap((void *)section->data, section->size);
		ZSTD_freeDStream(in->zstd);
		pthread_mutex_destroy(&in->lock);
		free(in);
	}
	*section = (struct section){0};
}
