/* Pages that are given back lose what was in them; no other byte may be lost with them. */
#include "base/vm_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/toolkit_test.h"

enum { PAGES = 8, FULL = 0x5a };

/* Which bytes of PAGES full pages are still there once [from, to) was released: anonymous pages come back as zeros. */
static void check_release(size_t from, size_t to)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = PAGES * page;
	uint8_t *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(data, MAP_FAILED);
	memset(data, FULL, size);
	pages_release(data, from, to);
	for (size_t i = 0; i < size; i++) {
		size_t first = i / page * page;
		bool is_inside = first >= from && first + page <= to;
		if (data[i] != (is_inside ? 0 : FULL))
			fail_msg("[%zu, %zu): byte %zu is %#x", from, to, i, data[i]);
	}
	munmap(data, size);
}

static void only_whole_pages_inside_are_released(void **state)
{
	(void)state;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	check_release(page, 3 * page);
	check_release(page + 1, 4 * page);
	check_release(page, 4 * page - 1);
	check_release(2 * page - 1, 3 * page + 1);
	check_release(page + 1, 2 * page - 1);
	check_release(page, page);
	check_release(0, PAGES * page);
}

/* Pages are counted from where they begin in memory, not from the beginning of the data. */
static void data_need_not_begin_at_a_page(void **state)
{
	(void)state;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = PAGES * page;
	uint8_t *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(data, MAP_FAILED);
	memset(data, FULL, size);
	pages_release(data + 100, page, 3 * page);
	for (size_t i = 0; i < size; i++)
		if (data[i] != (i / page == 2 ? 0 : FULL))
			fail_msg("byte %zu is %#x", i, data[i]);
	munmap(data, size);
}

static void what_is_populated_keeps_its_bytes(void **state)
{
	(void)state;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *data = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(data, MAP_FAILED);
	data[page] = FULL;
	pages_populate(data + page / 2, 4 * page);
	assert_int_equal(data[page], FULL);
	assert_int_equal(data[page + 1], 0);
	munmap(data, PAGES * page);
}

/* What was at `to` is lost, what was at `from` is moved where the kernel can; there is memory at both afterwards. */
static void pages_are_moved_or_lost(void **state)
{
	(void)state;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = PAGES * page;
	uint8_t *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(data, MAP_FAILED);
	for (size_t i = 0; i < PAGES; i++)
		memset(data + i * page, (int)i + 1, page);
	assert_true(pages_move(data + page, data + 4 * page, 2 * page));
	bool is_moved = data[4 * page] != 0;
	const uint8_t expected[PAGES] = {1, 0, 0, 4, is_moved ? 2 : 0, is_moved ? 3 : 0, 7, 8};
	for (size_t i = 0; i < size; i++)
		if (data[i] != expected[i / page])
			fail_msg("byte %zu is %#x", i, data[i]);
	memset(data, FULL, size);
	munmap(data, size);
}

/* Where mremap refuses, there is memory without content. */
static void what_cannot_be_moved_is_lost(void **state)
{
	(void)state;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *data = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(data, MAP_FAILED);
	memset(data, FULL, 4 * page);
	munmap(data, 2 * page); /* nothing is there to be moved */
	assert_true(pages_move(data, data + 2 * page, 2 * page));
	for (size_t i = 0; i < 2 * page; i++)
		assert_int_equal(data[2 * page + i], 0);
	munmap(data, 4 * page);
}

static void zeroed_memory_is_zero(void **state)
{
	(void)state;
	for (size_t count = 1; count < 100000; count = count * 7 + 1) {
		uint64_t *zeroed = pages_zeroed(count, sizeof(*zeroed));
		assert_non_null(zeroed);
		for (size_t i = 0; i < count; i++)
			assert_int_equal(zeroed[i], 0);
		free(zeroed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_whole_pages_inside_are_released), cmocka_unit_test(data_need_not_begin_at_a_page),
		cmocka_unit_test(what_is_populated_keeps_its_bytes),    cmocka_unit_test(pages_are_moved_or_lost),
		cmocka_unit_test(what_cannot_be_moved_is_lost),         cmocka_unit_test(zeroed_memory_is_zero),
	};
	return cmocka_run_group_tests_name("vm_pages", tests, NULL, NULL);
}
