/* Symbol tables in .gnu_debugdata: a whole one, none, and damaged ones. */
#include "convert/elf/mini_debug.h"

#include <lzma.h>

#include "convert/elf/open_elf_test.h"

static struct elf_file *file_with(const char *name, const void *data, size_t size)
{
	const struct elf_part parts[] = {{name, SHT_PROGBITS, 0, 0, data, size, 0, 0}};
	struct bytes image = {0};
	make_elf(&image, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts));
	struct elf_file *file = opened(&image);
	bytes_done(&image);
	return file;
}

static struct bytes packed_with_xz(const void *data, size_t size)
{
	uint8_t out[4096];
	struct bytes packed = {0};
	size_t out_size = 0;
	assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, data, size, out, &out_size, sizeof(out)),
			 LZMA_OK);
	put_bytes(&packed, out, out_size);
	return packed;
}

static void whole(void **state)
{
	static const struct elf_part parts[] = {{".inner", SHT_PROGBITS, 0, 0, "inner", 5, 0, 0}};
	struct bytes image = {0};
	struct elf_file *inner = NULL;
	(void)state;
	make_elf(&image, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts));
	struct bytes packed = packed_with_xz(image.data, image.size);
	struct elf_file *file = file_with(".gnu_debugdata", packed.data, packed.size);
	assert_true(mini_debug_is_there(file));
	assert_int_equal(mini_debug_open(file, &inner, NULL), LOCUS_OK);
	assert_string_equal(inner->path, file->path);
	assert_int_equal(inner->bytes.size, image.size);
	assert_int_equal(inner->bytes.stored_size, image.size);
	assert_memory_equal(inner->bytes.data, image.data, image.size);
	elf_file_free(inner);
	elf_file_free(file);
	bytes_done(&packed);
	bytes_done(&image);
}

static void none(void **state)
{
	static const struct {
		const char *name, *data;
		size_t size;
	} cases[] = {{".gnu_debugdat", "data", 4}, {".gnu_debugdata", "", 0}};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct elf_file *file = file_with(cases[i].name, cases[i].data, cases[i].size), *inner = file;
		assert_false(mini_debug_is_there(file));
		assert_int_equal(mini_debug_open(file, &inner, NULL), LOCUS_OK);
		assert_null(inner);
		elf_file_free(file);
	}
}

static void check_damage(const void *data, size_t size, const char *why)
{
	struct elf_file *file = file_with(".gnu_debugdata", data, size), *inner = file;
	struct locus_error error;
	char expected[300];
	assert_true(mini_debug_is_there(file));
	assert_int_equal(mini_debug_open(file, &inner, &error), LOCUS_ERR_BAD_ELF);
	assert_null(inner);
	snprintf(expected, sizeof(expected), "its .gnu_debugdata is damaged: %s", why);
	assert_string_equal(error.text, expected);
	elf_file_free(file);
}

static void damaged(void **state)
{
	(void)state;
	check_damage("\x28\xb5\x2f\xfd", 4, "it is not compressed with xz"); /* but with zstd */
	struct bytes text = packed_with_xz("no ELF file", 11);
	check_damage(text.data, text.size, "not an ELF file");
	check_damage(text.data, text.size - 1, "it is compressed, and damaged or truncated after 11 bytes");
	bytes_done(&text);

	/* A MiB, and 64 times its bytes, it may unpack to. */
	static uint8_t zeros[3 << 19];
	struct bytes many = packed_with_xz(zeros, sizeof(zeros));
	char why[100];
	snprintf(why, sizeof(why), "its %zu bytes unpack to more than %zu", many.size, many.size * 64 + (1 << 20));
	check_damage(many.data, many.size, why);
	bytes_done(&many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(none),
		cmocka_unit_test(damaged),
	};
	return cmocka_run_group_tests_name("mini_debug", tests, NULL, NULL);
}
