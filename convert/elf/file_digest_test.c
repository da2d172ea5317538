/* Which bytes of a file a digest is of, and how it is written. */
#include "convert/elf/file_digest.h"

#include <xxhash.h>

#include "base/budget.h"
#include "convert/elf/open_elf_test.h"

/* The digest is that of these bytes: its low half first, each half with its lowest byte first. */
static void check_digest(const struct elf_file *file, const struct embed_record *before, enum locus_digest_kind kind,
			 const struct bytes *of)
{
	uint8_t digest[LOCUS_DIGEST_SIZE];
	struct bytes expected = {0};
	XXH128_hash_t hash = XXH3_128bits(of->data, of->size);
	put_number(&expected, hash.low64, 8);
	put_number(&expected, hash.high64, 8);
	assert_true(elf_file_digest(file, before, kind, digest));
	assert_memory_equal(digest, expected.data, sizeof(digest));
	bytes_done(&expected);
}

/* A program with a segment, `size` bytes of a section, and its headers at the end. */
static struct bytes make_program(size_t size)
{
	uint8_t *content = malloc(size);
	struct bytes image = {0};
	assert_non_null(content);
	for (size_t i = 0; i < size; i++)
		content[i] = (uint8_t)(i * 7 + i / 1000);
	const struct elf_part parts[] = {
		{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, "code", 4, 0, 0},
		{".data", SHT_PROGBITS, 0, 0, content, size, 0, 0},
	};
	make_elf(&image, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts));
	free(content);
	return image;
}

/* The file as it lies on its disk is the image itself. */
static struct elf_file *opened_with_image(const struct bytes *image, size_t image_size)
{
	struct elf_file *file = opened(image);
	file->bytes.image = file->bytes.data;
	file->bytes.image_size = image_size;
	return file;
}

static void all_bytes(void **state)
{
	enum { STEP = 4 << 20 };
	static const size_t sizes[] = {1, STEP - 500, STEP, 2 * STEP + 1};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct bytes image = make_program(sizes[i]);
		struct elf_file *file = opened_with_image(&image, image.size);
		check_digest(file, NULL, LOCUS_DIGEST_BYTES, &image);
		elf_file_free(file);
		bytes_done(&image);
	}
}

static void headers(void **state)
{
	struct bytes image = make_program(100), of = {0};
	Elf64_Ehdr ehdr;
	(void)state;
	memcpy(&ehdr, image.data, sizeof(ehdr));
	size_t sections = ehdr.e_shnum * sizeof(Elf64_Shdr);
	put_bytes(&of, image.data, sizeof(ehdr) + sizeof(Elf64_Phdr));
	put_bytes(&of, image.data + ehdr.e_shoff, sections);
	struct elf_file *file = opened_with_image(&image, image.size);
	check_digest(file, NULL, LOCUS_DIGEST_HEADERS, &of);

	/* Headers reach as far as the file does: by a part, or not at all. */
	of.size -= sections - 1;
	file->bytes.image_size = ehdr.e_shoff + 1;
	check_digest(file, NULL, LOCUS_DIGEST_HEADERS, &of);
	of.size--;
	file->bytes.image_size--;
	check_digest(file, NULL, LOCUS_DIGEST_HEADERS, &of);
	elf_file_free(file);
	bytes_done(&of);
	bytes_done(&image);
}

/* Of a program that carries its symbols: the header and the section headers that it had before. */
static void before_embedding(void **state)
{
	struct bytes image = make_program(100), of = {0};
	struct embed_record before = {
		.size = 120, .header_size = 64, .section_headers = 300, .section_headers_size = 64};
	(void)state;
	memset(before.header, 'h', sizeof(before.header));
	struct elf_file *file = opened_with_image(&image, image.size);
	put_bytes(&of, before.header, 64);
	put_bytes(&of, image.data + 64, 120 - 64);
	check_digest(file, &before, LOCUS_DIGEST_BYTES, &of);
	of.size = 64;
	put_bytes(&of, image.data + sizeof(Elf64_Ehdr), sizeof(Elf64_Phdr));
	put_bytes(&of, image.data + 300, 64);
	check_digest(file, &before, LOCUS_DIGEST_HEADERS, &of);
	elf_file_free(file);
	bytes_done(&of);
	bytes_done(&image);
}

/* All bytes of a large file are work, which a budget bounds; its headers are not. */
static void work(void **state)
{
	struct bytes image = make_program(100);
	struct elf_file *file = opened_with_image(&image, image.size);
	uint8_t digest[LOCUS_DIGEST_SIZE];
	struct budget budget;
	(void)state;
	budget_init(&budget, 0);
	budget_use(&budget);
	atomic_store(&budget.work_left, (int64_t)(image.size / BUDGET_BYTES_PER_STEP));
	assert_true(elf_file_digest(file, NULL, LOCUS_DIGEST_BYTES, digest));
	atomic_store(&budget.work_left, (int64_t)(image.size / BUDGET_BYTES_PER_STEP) - 1);
	assert_true(elf_file_digest(file, NULL, LOCUS_DIGEST_HEADERS, digest));
	assert_false(elf_file_digest(file, NULL, LOCUS_DIGEST_BYTES, digest));
	budget_use(NULL);
	elf_file_free(file);
	bytes_done(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_bytes),
		cmocka_unit_test(headers),
		cmocka_unit_test(before_embedding),
		cmocka_unit_test(work),
	};
	return cmocka_run_group_tests_name("file_digest", tests, NULL, NULL);
}
