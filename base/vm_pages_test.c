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
		cmocka_unit_test(only_whole_pages_inside_are_released),
		cmocka_unit_test(data_need_not_begin_at_a_page),
		cmocka_unit_test(what_is_populated_keeps_its_bytes),
		cmocka_unit_test(zeroed_memory_is_zero),
	};
	return cmocka_run_group_tests_name("vm_pages", tests, NULL, NULL);
}
