/* Reads the build-id of an ELF file, for callers that look for its symbols by it. */
#include <errno.h>
#include <string.h>

#include "convert/elf/elf.h"
#include "convert/locus_convert.h"

bool locus_elf_build_id(const char *path, uint8_t *ret, size_t *size)
{
	struct elf_file *file;
	enum locus_status status = elf_file_open(path, &file, NULL);
	if (status != LOCUS_OK) {
		errno = status == LOCUS_ERR_MEMORY ? ENOMEM : 0;
		return false;
	}
	bool has_one = file->build_id_size && file->build_id_size <= *size;
	if (has_one) {
		memcpy(ret, file->build_id, file->build_id_size);
		*size = file->build_id_size;
	}
	elf_file_free(file);
	return has_one;
}
