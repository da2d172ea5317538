/* What signals' handlers return to, in more files than stay open, and at more positions than are remembered. */
#include "cmd/symbolize/signal_return.h"

#include "cmd/folder_test.h"

enum { FILES = 20, SIZE = 2000, CODE_SIZE = 9, APART = 256 /* positions that take each other's place */ };

static char folder[] = "/tmp/locus-signal-XXXXXX";

static struct locus_string string_of(const char *text)
{
	return (struct locus_string){text, strlen(text)};
}

/* The code is in the file's end, and at a position of each file's own. */
static size_t position_of(unsigned file)
{
	return 40 + file * (CODE_SIZE + 1);
}

static void make_file(unsigned number, char path[64])
{
	static const uint8_t code[CODE_SIZE] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
	uint8_t bytes[SIZE] = {0};
	memcpy(bytes + position_of(number), code, CODE_SIZE);
	memcpy(bytes + SIZE - CODE_SIZE, code, CODE_SIZE);
	snprintf(path, 64, "%s/%u", folder, number);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, SIZE, file), SIZE);
	assert_int_equal(fclose(file), 0);
}

static void each_file_has_its_own(void **state)
{
	struct signal_returns *returns = signal_returns_new();
	char paths[FILES][64];
	(void)state;
	for (unsigned i = 0; i < FILES; i++)
		make_file(i, paths[i]);
	for (unsigned files = 1; files <= FILES; files++)
		for (unsigned i = 0; i < files; i++) {
			struct locus_string path = string_of(paths[i]);
			assert_true(signal_return_is_at(returns, path, position_of(i)));
			assert_false(signal_return_is_at(returns, path, position_of(i) + 1));
			assert_false(signal_return_is_at(returns, path, position_of((i + 1) % FILES)));
			assert_false(signal_return_is_at(returns, path, position_of(i) + APART));
			assert_true(signal_return_is_at(returns, path, position_of(i)));
		}
	signal_returns_free(returns);
	for (unsigned i = 0; i < FILES; i++)
		remove(paths[i]);
}

/* What libraries and kernels of each machine call it. */
static void names(void **state)
{
	static const char *const known[] = {
		"__restore_rt",           "__restore",           "__kernel_rt_sigreturn", "__kernel_sigreturn",
		"__kernel_sigtramp_rt64", "__vdso_rt_sigreturn", "__default_sa_restorer", "__default_rt_sa_restorer",
	};
	static const char *const others[] = {"", "__restore_", "restore_rt", "__kernel_vsyscall", "main"};
	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!signal_return_is_name(string_of(known[i])))
			fail_msg("%s is not known", known[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(signal_return_is_name(string_of(others[i])));
}

static void ends_of_files(void **state)
{
	struct signal_returns *returns = signal_returns_new();
	char path[64];
	(void)state;
	make_file(0, path);
	assert_true(signal_return_is_at(returns, string_of(path), SIZE - CODE_SIZE));
	assert_int_equal(truncate(path, SIZE - 1), 0);
	assert_false(signal_return_is_at(returns, string_of(path), SIZE - CODE_SIZE + APART));
	signal_returns_free(returns);
	returns = signal_returns_new();
	assert_false(signal_return_is_at(returns, string_of(path), SIZE - CODE_SIZE));
	assert_false(signal_return_is_at(returns, string_of(path), UINT64_MAX));
	assert_false(signal_return_is_at(returns, string_of(folder), 0)); /* a folder */
	assert_false(signal_return_is_at(returns, (struct locus_string){NULL, 0}, 0));
	remove(path);
	assert_true(signal_return_is_at(returns, string_of(path), position_of(0))); /* it is still open */
	signal_returns_free(returns);
	returns = signal_returns_new();
	assert_false(signal_return_is_at(returns, string_of(path), position_of(0)));
	signal_returns_free(returns);
}

/* The first one counts, if it is not too far behind. */
static void places_in_pages(void **state)
{
	struct signal_returns *returns = signal_returns_new();
	char path[64], far[64];
	(void)state;
	make_file(3, path);
	assert_true(signal_return_is_in_page(returns, string_of(path), position_of(3)));
	assert_false(signal_return_is_in_page(returns, string_of(path), position_of(3) + 1));
	assert_false(signal_return_is_in_page(returns, string_of(path), SIZE - CODE_SIZE));
	assert_false(signal_return_is_in_page(returns, string_of(folder), 0));
	assert_false(signal_return_is_in_page(returns, (struct locus_string){NULL, 0}, 0));

	for (int is_too_far = 0; is_too_far < 2; is_too_far++) {
		static const uint8_t code[CODE_SIZE] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
		long at = SIGNAL_RETURN_SEARCHED - CODE_SIZE + is_too_far;
		snprintf(far, sizeof(far), "%s/far-%d", folder, is_too_far);
		FILE *file = fopen(far, "wb");
		assert_non_null(file);
		assert_int_equal(fseek(file, at, SEEK_SET), 0);
		assert_int_equal(fwrite(code, 1, CODE_SIZE, file), CODE_SIZE);
		assert_int_equal(fclose(file), 0);
		assert_int_equal(signal_return_is_in_page(returns, string_of(far), (uint64_t)at % 4096), !is_too_far);
		remove(far);
	}
	signal_returns_free(returns);
	remove(path);
}

static int set_up(void **state)
{
	(void)state;
	return !mkdtemp(folder);
}

static int tear_down(void **state)
{
	(void)state;
	return remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(each_file_has_its_own),
		cmocka_unit_test(ends_of_files),
		cmocka_unit_test(places_in_pages),
	};
	return cmocka_run_group_tests_name("signal_return", tests, set_up, tear_down);
}
