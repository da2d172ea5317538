/* Reads the build-id of an ELF file, for callers that look for its symbols by it. */
#include <string.h>

#include "convert/elf/elf.h"
#include "convert/locus_convert.h"

enum locus_status locus_elf_build_id(const char *path, uint8_t *ret, size_t *size, struct locus_error *error)
{
	struct elf_file *file;
	enum locus_status status = elf_file_open(path, &file, error);

	if (status != LOCUS_OK)
		return status;
	*size = file->build_id_size <= *size ? file->build_id_size : 0;
	if (*size)
		memcpy(ret, file->build_id, *size);
	elf_file_free(file);
	return LOCUS_OK;
}
