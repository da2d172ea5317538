/* For tests: the bytes of a small file of random tables. */
#ifndef LOCUS_SAMPLE_BYTES_TEST_H
#define LOCUS_SAMPLE_BYTES_TEST_H

#include <unistd.h>

#include <cmocka.h>

#include "reader/mend_test.h"
#include "writer/sample_test.h"

/* With room for one byte more behind them. To be freed. */
static struct bytes make_file(int level, uint32_t block_size, uint32_t count)
{
	char directory[] = "/tmp/locus-test-XXXXXX", path[64];
	struct locus_writer_options options = {.level = level, .block_size = block_size};
	struct locus_sample sample;
	struct locus_error error;
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/a.locus", directory);
	locus_sample_init(&sample, 42, count);
	assert_int_equal(locus_sample_write(&sample, path, &options, &error), LOCUS_OK);
	locus_sample_done(&sample);
	FILE *file = fopen(path, "rb");
	struct bytes bytes = {malloc(1 << 20), 0};
	bytes.size = fread(bytes.data, 1, 1 << 20, file);
	fclose(file);
	remove(path);
	rmdir(directory);
	return bytes;
}

#endif
