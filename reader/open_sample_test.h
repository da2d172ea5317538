/* For tests: a sample of a few tables as an open file. */
#ifndef LOCUS_OPEN_SAMPLE_TEST_H
#define LOCUS_OPEN_SAMPLE_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "reader/locus.h"
#include "writer/sample_test.h"

/* In blocks of three entries, so that there are several. Closed by locus_close; nothing of it stays on the disk. */
static struct locus *open_sample(struct locus_sample *sample)
{
	const struct locus_writer_options options = {.level = 1, .block_size = 3};
	char path[] = "/tmp/locus-sample-XXXXXX";
	struct locus *locus = NULL;
	struct locus_error error = {.text = ""};
	int descriptor = mkstemp(path);
	assert_true(descriptor >= 0);
	close(descriptor);
	bool is_open = locus_sample_write(sample, path, &options, &error) == LOCUS_OK &&
		       locus_open(path, NULL, &locus, &error) == LOCUS_OK;
	remove(path);
	if (!is_open)
		fail_msg("%s", error.text);
	return locus;
}

#endif
