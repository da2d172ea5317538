/* libelf converts the program headers to the byte order and class of this machine. */
#include "convert/elf/segments.h"

#include <gelf.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/fail.h"

enum locus_status elf_file_segments(const struct elf_file *file, struct elf_segment **ret, uint32_t *ret_count,
				    struct locus_error *error)
{
	struct elf_segment *segments = NULL;
	uint32_t count = 0, room = 0;
	size_t header_count = 0;
	enum locus_status status = LOCUS_OK;
	if (file->type != ET_REL && elf_getphdrnum(file->elf, &header_count) != 0)
		status = locus_fail(error, LOCUS_ERR_BAD_ELF, "perhaps truncated: the program headers cannot be read");

	/* Headers are taken as they are: whether the segments make sense is for the reader of the file to say. */
	for (size_t i = 0; i < header_count && status == LOCUS_OK; i++) {
		GElf_Phdr header;
		if (!gelf_getphdr(file->elf, (int)i, &header))
			status = locus_fail(error, LOCUS_ERR_BAD_ELF,
					    "perhaps truncated: program header %zu cannot be read", i);
		else if (header.p_type != PT_LOAD)
			continue;
		else if (!array_reserve(&segments, &room, count + UINT64_C(1), sizeof(*segments)))
			status = locus_fail_memory(error);
		else
			segments[count++] = (struct elf_segment){
				.addr = header.p_vaddr,
				.offset = header.p_offset,
				.file_size = header.p_filesz,
				.memory_size = header.p_memsz,
				.flags = header.p_flags,
			};
	}

	if (status != LOCUS_OK) {
		free(segments);
		return status;
	}
	*ret = segments;
	*ret_count = count;
	return LOCUS_OK;
}
