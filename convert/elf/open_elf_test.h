/* For tests: opens ELF files that make_elf has made, from memory. */
#ifndef LOCUS_OPEN_ELF_TEST_H
#define LOCUS_OPEN_ELF_TEST_H

#include <errno.h>
#include <sys/mman.h>

#include "convert/elf/elf.h"
#include "convert/elf/make_elf_test.h"

/* Opens the first `size` bytes of a file, which take `stored_size` on its disk. */
static inline enum locus_status open_part(const struct bytes *image, size_t size, uint64_t stored_size,
					  struct elf_file **ret, struct locus_error *error)
{
	void *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(copy, MAP_FAILED);
	memcpy(copy, image->data, size);
	struct file_bytes bytes = {.data = copy, .size = size, .stored_size = stored_size};
	*ret = NULL;
	*error = (struct locus_error){.offset = 99}; /* which only a failure changes */
	errno = ENOMEM;                              /* of a call before, which says nothing about this one */
	return elf_file_open_bytes("program", &bytes, ret, error);
}

static inline struct elf_file *opened(const struct bytes *image)
{
	struct elf_file *file;
	struct locus_error error;
	if (open_part(image, image->size, image->size, &file, &error) != LOCUS_OK)
		fail_msg("%s", error.text);
	return file;
}

#endif
