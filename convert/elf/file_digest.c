/* Whole files are read in steps, and the pages of each given back, so that computing a digest does not fill memory. */
#include "convert/elf/file_digest.h"

#include <gelf.h>
#include <xxhash.h>

#include "base/budget.h"
#include "base/vm_pages.h"

/* Adds [offset, offset + size) of the file, as far as the file reaches. */
static void add_bytes(XXH3_state_t *state, const struct elf_file *file, uint64_t offset, uint64_t size)
{
	uint64_t left = offset < file->bytes.image_size ? file->bytes.image_size - offset : 0;
	if (left)
		XXH3_128bits_update(state, file->bytes.image + offset, size < left ? size : left);
}

/* Adds the headers; of a program that carries its symbols, those that it had before. */
static void add_headers(XXH3_state_t *state, const struct elf_file *file, const struct embed_record *before)
{
	GElf_Ehdr header;
	size_t segment_count = 0, section_count = 0;
	if (!gelf_getehdr(file->elf, &header) || elf_getphdrnum(file->elf, &segment_count) != 0 ||
	    elf_getshdrnum(file->elf, &section_count) != 0)
		return; /* cannot happen: opening the file has read them */
	if (before)
		XXH3_128bits_update(state, before->header, before->header_size);
	else
		add_bytes(state, file, 0, header.e_ehsize);
	add_bytes(state, file, header.e_phoff, (uint64_t)segment_count * header.e_phentsize);
	if (before)
		add_bytes(state, file, before->section_headers, before->section_headers_size);
	else
		add_bytes(state, file, header.e_shoff, (uint64_t)section_count * header.e_shentsize);
}

static void add_all(XXH3_state_t *state, const struct elf_file *file, const struct embed_record *before)
{
	const size_t step = 4 << 20;
	size_t size = before ? before->size : file->bytes.image_size, at = 0;
	if (before) {
		XXH3_128bits_update(state, before->header, before->header_size);
		at = before->header_size;
	}
	for (size_t end; at < size; at = end) {
		end = size - at < step ? size : at + step;
		add_bytes(state, file, at, end - at);
		pages_release(file->bytes.image, at, end);
	}
}

static void put_half(uint8_t *out, uint64_t half)
{
	for (unsigned i = 0; i < 8; i++)
		out[i] = (uint8_t)(half >> (8 * i));
}

bool elf_file_digest(const struct elf_file *file, const struct embed_record *before, enum locus_digest_kind kind,
		     uint8_t ret[LOCUS_DIGEST_SIZE])
{
	/* Hashing is counted as work, because a file that is mostly holes would take minutes. */
	budget_at(NULL, NULL, NULL, 0);
	if (kind == LOCUS_DIGEST_BYTES && !budget_spend(file->bytes.image_size / BUDGET_BYTES_PER_STEP))
		return false;
	XXH3_state_t *state = XXH3_createState();
	if (!state)
		return false;
	XXH3_128bits_reset(state);
	if (kind == LOCUS_DIGEST_BYTES)
		add_all(state, file, before);
	else
		add_headers(state, file, before);
	XXH128_hash_t hash = XXH3_128bits_digest(state);
	XXH3_freeState(state);
	put_half(ret, hash.low64);
	put_half(ret + 8, hash.high64);
	return true;
}
