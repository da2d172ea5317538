/* The section holds a whole ELF file, which is unpacked and opened as such. */
#include "convert/elf/mini_debug.h"

#include "base/fail.h"
#include "convert/elf/cursor.h"
#include "convert/elf/links.h"
#include "convert/input/unpack.h"

bool mini_debug_is_there(const struct elf_file *file)
{
	struct cursor c;
	return links_find_section(file, ".gnu_debugdata", &c) && cursor_left(&c);
}

enum locus_status mini_debug_open(const struct elf_file *file, struct elf_file **ret, struct locus_error *error)
{
	/* Symbol tables pack to a third or less, and are small. */
	enum { UNPACKED_PER_BYTE = 64, UNPACKED_SPARE = 1 << 20 };
	struct cursor c;
	struct file_bytes bytes = {.stat = file->bytes.stat};
	uint8_t *data;
	*ret = NULL;
	if (!links_find_section(file, ".gnu_debugdata", &c) || !cursor_left(&c))
		return LOCUS_OK;
	size_t size = cursor_left(&c), size_max = size * UNPACKED_PER_BYTE + UNPACKED_SPARE;
	struct locus_error why = {0};
	enum locus_status status = LOCUS_ERR_BAD_ELF;
	if (packed_file_kind(c.p, size) == PACKED_XZ)
		status = unpack_file(PACKED_XZ, c.p, size, size_max, &data, &bytes.size, &why);
	if (status == LOCUS_OK) {
		bytes.data = data;
		bytes.stored_size = bytes.size;
		status = elf_file_open_bytes(file->path, &bytes, ret, &why);
	}
	if (status == LOCUS_ERR_MEMORY)
		return locus_fail_memory(error);
	return status == LOCUS_OK ? status
				  : locus_fail(error, LOCUS_ERR_BAD_ELF, "its .gnu_debugdata is damaged: %s",
					       why.text[0] ? why.text : "it is not compressed with xz");
}
