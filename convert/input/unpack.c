/*
 * One loop serves three libraries: each takes packed bytes from the rest of the input, and fills the rest of the room.
 */
#include "convert/input/unpack.h"

#include <isa-l/igzip_lib.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/fail.h"

/* xz presets take up to 65 MiB to unpack; files made to take more are refused. */
#define XZ_MEMORY_MAX (UINT64_C(128) << 20)

struct unpacker {
	enum packed_file kind;
	const uint8_t *in;
	size_t in_left;
	uint8_t *out;
	size_t out_left;
	bool at_end;
	bool lacks_memory; /* if a step has failed */
	lzma_stream xz;
	ZSTD_DStream *zstd;
	struct inflate_state *gzip;
};

enum packed_file packed_file_kind(const uint8_t *bytes, size_t size)
{
	static const struct {
		const char *magic;
		size_t size;
		enum packed_file kind;
	} kinds[] = {
		{"\xfd"
		 "7zXZ\0",
		 6, PACKED_XZ},
		{"\x28\xb5\x2f\xfd", 4, PACKED_ZSTD},
		{"\x1f\x8b\x08", 3, PACKED_GZIP},
	};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (size >= kinds[i].size && memcmp(bytes, kinds[i].magic, kinds[i].size) == 0)
			return kinds[i].kind;
	return NOT_PACKED;
}

static bool unpacker_init(struct unpacker *u)
{
	switch (u->kind) {
	case PACKED_XZ:
		return lzma_stream_decoder(&u->xz, XZ_MEMORY_MAX, LZMA_CONCATENATED) == LZMA_OK;
	case PACKED_ZSTD:
		return (u->zstd = ZSTD_createDStream()) != NULL;
	default:
		u->gzip = malloc(sizeof(*u->gzip));
		if (!u->gzip)
			return false;
		isal_inflate_init(u->gzip);
		u->gzip->crc_flag = ISAL_GZIP;
		return true;
	}
}

static void unpacker_done(struct unpacker *u)
{
	lzma_end(&u->xz);
	ZSTD_freeDStream(u->zstd);
	free(u->gzip);
}

static bool step_xz(struct unpacker *u)
{
	u->xz.next_in = u->in;
	u->xz.avail_in = u->in_left;
	u->xz.next_out = u->out;
	u->xz.avail_out = u->out_left;
	lzma_ret result = lzma_code(&u->xz, LZMA_FINISH);
	u->at_end = result == LZMA_STREAM_END;
	u->lacks_memory = result == LZMA_MEM_ERROR;
	u->in = u->xz.next_in;
	u->in_left = u->xz.avail_in;
	u->out = u->xz.next_out;
	u->out_left = u->xz.avail_out;
	return result == LZMA_OK || u->at_end;
}

static bool step_zstd(struct unpacker *u)
{
	ZSTD_inBuffer in = {u->in, u->in_left, 0};
	ZSTD_outBuffer out = {u->out, u->out_left, 0};
	size_t result = ZSTD_decompressStream(u->zstd, &out, &in);
	bool progress = in.pos || out.pos;
	u->in += in.pos;
	u->in_left -= in.pos;
	u->out += out.pos;
	u->out_left -= out.pos;
	u->at_end = result == 0 && !u->in_left;
	u->lacks_memory = ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation;
	return !ZSTD_isError(result) && (progress || u->at_end);
}

static bool step_gzip(struct unpacker *u)
{
	enum { IN_MAX = 1 << 30 };
	uint32_t in = u->in_left < IN_MAX ? (uint32_t)u->in_left : IN_MAX;
	uint32_t out = u->out_left < IN_MAX ? (uint32_t)u->out_left : IN_MAX;
	u->gzip->next_in = (uint8_t *)u->in;
	u->gzip->avail_in = in;
	u->gzip->next_out = u->out;
	u->gzip->avail_out = out;
	int result = isal_inflate(u->gzip);
	bool progress = u->gzip->avail_in != in || u->gzip->avail_out != out;

	/* isa-l counts in 32 bits; what it left of both sides is taken over. */
	u->in_left -= in - u->gzip->avail_in;
	u->in = u->gzip->next_in;
	u->out_left -= out - u->gzip->avail_out;
	u->out = u->gzip->next_out;

	/* A file may have several members (RFC 1952, 2.2), as bgzip makes it. Other bytes behind one do not count. */
	bool is_member_end = u->gzip->block_state == ISAL_BLOCK_FINISH;
	u->at_end = is_member_end && packed_file_kind(u->in, u->in_left) != PACKED_GZIP;
	if (is_member_end && !u->at_end) {
		isal_inflate_reset(u->gzip);
		u->gzip->crc_flag = ISAL_GZIP;
	}
	return result == ISAL_DECOMP_OK && (progress || u->at_end);
}

static bool unpack_step(struct unpacker *u)
{
	return u->kind == PACKED_XZ ? step_xz(u) : u->kind == PACKED_ZSTD ? step_zstd(u) : step_gzip(u);
}

static void *take_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

enum locus_status unpack_file(enum packed_file kind, const uint8_t *packed, size_t packed_size, size_t size_max,
			      uint8_t **ret, size_t *ret_size, struct locus_error *error)
{
	/*
	 * The size is known only in the end. So address space is reserved for the largest; only pages that are written
	 * take memory.
	 */
	uint8_t *memory = take_memory(size_max + 1);
	struct unpacker u = {
		.kind = kind, .in = packed, .in_left = packed_size, .out = memory, .out_left = size_max + 1};
	bool ready = memory && unpacker_init(&u), ok = ready;
	while (ok && !u.at_end && u.out_left)
		ok = unpack_step(&u);

	size_t size = size_max + 1 - u.out_left;
	unpacker_done(&u);
	if (ok && u.at_end && size && size <= size_max) {
		mremap(memory, size_max + 1, size, 0); /* gives back what is behind it, in place */
		*ret = memory;
		*ret_size = size;
		return LOCUS_OK;
	}

	/* What went wrong is known only now: the room is one byte more than allowed, to see what is too large. */
	if (memory)
		munmap(memory, size_max + 1);
	if (!ready || u.lacks_memory)
		return locus_fail_memory(error);
	if (size > size_max)
		return locus_fail(error, LOCUS_ERR_BAD_ELF, "its %zu bytes unpack to more than %zu", packed_size,
				  size_max);
	return locus_fail(error, LOCUS_ERR_BAD_ELF, "it is compressed, and damaged or truncated after %zu bytes", size);
}
