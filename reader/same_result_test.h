/* For tests: that two lookups have the same result, whatever their handles and scratches are. */
#ifndef LOCUS_SAME_RESULT_TEST_H
#define LOCUS_SAME_RESULT_TEST_H

#include <cmocka.h>

#include "reader/locus.h"

static void assert_same_string(struct locus_string a, struct locus_string b)
{
	assert_int_equal(a.size, b.size);
	if (a.size)
		assert_memory_equal(a.data, b.data, a.size);
}

static void assert_same_frame(const struct locus_frame *a, const struct locus_frame *b)
{
	assert_same_string(a->function, b->function);
	assert_same_string(a->linkage, b->linkage);
	assert_same_string(a->directory, b->directory);
	assert_same_string(a->file, b->file);
	assert_int_equal(a->line, b->line);
	assert_int_equal(a->column, b->column);
	assert_int_equal(a->language, b->language);
	assert_int_equal(a->function_id, b->function_id);
	assert_int_equal(a->file_id, b->file_id);
	assert_int_equal(a->has_line, b->has_line);
	assert_int_equal(a->inlined, b->inlined);
	assert_int_equal(a->part, b->part);
	assert_int_equal(a->part_start, b->part_start);
	assert_int_equal(a->offset, b->offset);
}

static void assert_same_interval(const struct locus_interval *a, const struct locus_interval *b)
{
	assert_int_equal(a->start, b->start);
	assert_int_equal(a->end, b->end);
	assert_int_equal(a->locid, b->locid);
	assert_int_equal(a->answer, b->answer);
}

static void assert_same_result(const struct locus_result *a, const struct locus_result *b)
{
	assert_same_interval(&a->interval, &b->interval);
	assert_int_equal(a->frame_count, b->frame_count);
	for (size_t i = 0; i < a->frame_count; i++)
		assert_same_frame(&a->frames[i], &b->frames[i]);
}

#endif
