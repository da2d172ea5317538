/* Files by build-id: found, absent, and of another program. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/toolkit_test.h"
#include "reader/locus.h"
#include "writer/locus_writer.h"

static char store[] = "/tmp/locus-test-XXXXXX";
static const uint8_t wanted_id[] = {0xab, 0x01, 0xff, 0x20}, other_id[] = {0xab, 0x01, 0xff, 0x21};

/* The file of no intervals that says it is of that build-id, put where the store has `place`. */
static void put_file(const char *place, const uint8_t *build_id, size_t size)
{
	const struct locus_writer_options options = {.level = 0, .block_size = 16};
	const struct locus_tables tables = {.meta = {.build_id = {(const char *)build_id, size}}};
	struct locus_writer *writer;
	char path[128];
	uint64_t written;
	snprintf(path, sizeof(path), "%s/buildid", store);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/buildid/%s", store, place);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/buildid/%s/locus", store, place);
	assert_int_equal(locus_writer_new(path, &options, &writer, NULL), LOCUS_OK);
	assert_int_equal(locus_writer_tables(writer, &tables, 1, NULL), LOCUS_OK);
	assert_int_equal(locus_writer_finish(writer, &written, NULL), LOCUS_OK);
	locus_writer_free(writer);
}

static int setup(void **state)
{
	(void)state;
	return mkdtemp(store) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[64];
	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", store);
	return system(command);
}

static enum locus_status open_id(const uint8_t *build_id, size_t size, struct locus_error *error)
{
	struct locus *locus;
	enum locus_status status = locus_open_in_store(store, build_id, size, NULL, &locus, error);
	if (status == LOCUS_OK)
		locus_close(locus);
	return status;
}

static void a_file_is_found_by_its_build_id(void **state)
{
	struct locus_error error;
	(void)state;
	assert_int_equal(open_id(wanted_id, sizeof(wanted_id), &error), LOCUS_ERR_IO);
	assert_int_equal(errno, ENOENT);
	put_file("ab01ff20", wanted_id, sizeof(wanted_id));
	assert_int_equal(open_id(wanted_id, sizeof(wanted_id), &error), LOCUS_OK);
	assert_int_equal(open_id(other_id, sizeof(other_id), &error), LOCUS_ERR_IO);
}

static void a_file_of_another_program_is_refused(void **state)
{
	struct locus_error error;
	(void)state;
	put_file("ab01ff21", wanted_id, sizeof(wanted_id));
	assert_int_equal(open_id(other_id, sizeof(other_id), &error), LOCUS_ERR_COMPANION);
	assert_non_null(strstr(error.text, "of another program"));
	put_file("ab01ff21", other_id, sizeof(other_id) - 1);
	assert_int_equal(open_id(other_id, sizeof(other_id), &error), LOCUS_ERR_COMPANION);
}

static void a_build_id_has_a_size(void **state)
{
	static const uint8_t zeros[65];
	(void)state;
	assert_int_equal(open_id(zeros, 0, NULL), LOCUS_ERR_USAGE);
	assert_int_equal(open_id(zeros, 64, NULL), LOCUS_ERR_IO);
	assert_int_equal(open_id(zeros, 65, NULL), LOCUS_ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_found_by_its_build_id),
		cmocka_unit_test(a_file_of_another_program_is_refused),
		cmocka_unit_test(a_build_id_has_a_size),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
