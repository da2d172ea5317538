/* What the writer refuses, with the text that says why, and what is just within its bounds. */
#include <sys/mman.h>

#include "base/toolkit_test.h"
#include "spec/format.h"
#include "writer/locus_writer.h"

/* Tables that are as they should be: a part, an inlinee in it, and the gap that ends them. A case breaks one thing. */
struct tables {
	uint64_t starts[4];
	uint32_t contexts[4], files[4], lines[4], columns[4];
	struct locus_block_context context[2];
	struct locus_block block;
	struct locus_function functions[2];
	struct locus_file file_table[2];
	struct locus_alternate alternates[3];
	struct locus_tables tables;
	unsigned thread_count;
};

static void tables_init(struct tables *t)
{
	*t = (struct tables){
		.starts = {16, 20, 24, 32},
		.contexts = {0, 1, 0, LOCUS_NO_CONTEXT},
		.files = {1, 2, 1, 0},
		.lines = {10, 20, 11, 0},
		.columns = {1, 2, 3, 0},
		.context = {{.caller = LOCUS_NO_CONTEXT, .function = 1, .start = 16, .decl_file = 1},
			    {.caller = 0, .function = 2, .call_file = 1, .call_line = 10, .decl_file = 2}},
		.functions = {{.name = {"outer", 5}, .decl_file = 1}, {.name = {"inner", 5}, .decl_file = 2}},
		.file_table = {{{"/src", 4}, {"a.c", 3}}, {{"/src", 4}, {"b.c", 3}}},
		.alternates = {{16, 4, 1, 0}, {16, 4, 2, 0}, {20, 4, 1, LOCUS_ALTERNATE_OVERLAP}},
		.thread_count = 1,
	};
	t->block = (struct locus_block){.interval_count = 4,
					.starts = t->starts,
					.contexts = t->contexts,
					.files = t->files,
					.lines = t->lines,
					.context_count = 2,
					.context = t->context};
	t->tables = (struct locus_tables){.functions = t->functions,
					  .function_count = 2,
					  .files = t->file_table,
					  .file_count = 2,
					  .alternates = t->alternates,
					  .alternate_count = 3};
}

static enum locus_status encode(const struct locus_block *block, struct locus_encoded *ret, struct locus_error *error)
{
	const struct locus_writer_options options = {.level = 1, .block_size = 10};
	struct locus_encoder *encoder;
	assert_int_equal(locus_encoder_new(&options, &encoder, NULL), LOCUS_OK);
	enum locus_status status = locus_encoder_block(encoder, block, ret, error);
	locus_encoder_free(encoder);
	return status;
}

/* Writes the tables to memory. */
static enum locus_status write_tables(const struct tables *t, struct locus_error *error)
{
	const struct locus_writer_options options = {.level = 1, .block_size = 10};
	struct locus_writer *writer;
	struct locus_encoded encoded;
	uint64_t size = 0;
	assert_int_equal(locus_writer_new(NULL, &options, &writer, NULL), LOCUS_OK);
	enum locus_status status = encode(&t->block, &encoded, error);
	if (status == LOCUS_OK)
		status = locus_writer_append(writer, &encoded, error);
	if (status == LOCUS_OK)
		status = locus_writer_tables(writer, &t->tables, t->thread_count, error);
	if (status == LOCUS_OK)
		status = locus_writer_finish(writer, &size, error);
	void *data;
	size_t taken;
	locus_writer_take(writer, &data, &taken);
	assert_int_equal(taken, size);
	free(data);
	locus_writer_free(writer);
	return status;
}

static void nothing(struct tables *t)
{
	(void)t;
}

static void no_interval(struct tables *t)
{
	t->block.interval_count = 0;
}

static void starts_that_are_equal(struct tables *t)
{
	t->starts[1] = 16;
}

static void context_out_of_range(struct tables *t)
{
	t->contexts[1] = 2;
}

static void caller_behind(struct tables *t)
{
	t->context[1].caller = 1;
}

static void function_0(struct tables *t)
{
	t->context[0].function = 0;
}

static void inlinee_0(struct tables *t)
{
	t->context[1].function = 0;
}

static void part_behind_its_code(struct tables *t)
{
	t->context[0].start = 17;
}

static void part_kind(struct tables *t)
{
	t->context[0].kind = LOCUS_PART_SYMBOL + 1;
}

static void last_part_kind(struct tables *t)
{
	t->context[0].kind = LOCUS_PART_SYMBOL;
}

static void no_thread(struct tables *t)
{
	t->thread_count = 0;
}

static void no_gap(struct tables *t)
{
	t->block.interval_count = 3;
}

static void function_beyond_table(struct tables *t)
{
	t->tables.function_count = 1;
	t->tables.alternate_count = 1;
}

static void nul_in_function(struct tables *t)
{
	t->functions[1].linkage = (struct locus_bytes){"a\0b", 3};
}

static void nul_in_file(struct tables *t)
{
	t->file_table[1].name = (struct locus_bytes){"\0", 1};
}

static void nul_in_directory(struct tables *t)
{
	t->file_table[1].directory = (struct locus_bytes){"/s\0", 3};
}

static void one_in_names(struct tables *t)
{
	t->file_table[1].name = (struct locus_bytes){"\1", 1};
	t->functions[1].linkage = (struct locus_bytes){"a\1b", 3};
}

static void declaration_beyond_table(struct tables *t)
{
	t->functions[1].decl_file = 3;
}

static void alternates_by_start(struct tables *t)
{
	t->alternates[2].start = 15;
}

static void alternates_by_function(struct tables *t)
{
	t->alternates[0].function = 2;
	t->alternates[1].function = 1;
}

static void equal_alternates(struct tables *t)
{
	t->alternates[1] = t->alternates[0];
}

static void alternate_kind(struct tables *t)
{
	t->alternates[2].kind = LOCUS_ALTERNATE_OVERLAP + 1;
}

static void alternate_function_0(struct tables *t)
{
	t->alternates[0].function = 0;
}

static void alternate_beyond_table(struct tables *t)
{
	t->alternates[2].function = 3;
}

static void each_wrong_table_is_refused(void **state)
{
	static const struct {
		void (*change)(struct tables *t);
		const char *text; /* NULL: it is written */
	} cases[] = {
		{nothing, NULL},
		{no_interval, "a block of 0 intervals"},
		{starts_that_are_equal, "interval starts do not ascend"},
		{context_out_of_range, "an interval's context is out of range"},
		{caller_behind, "a context stands before its caller"},
		{function_0, "a function's id is 0, or a part starts behind its code"},
		{inlinee_0, "a function's id is 0, or a part starts behind its code"},
		{part_behind_its_code, "a function's id is 0, or a part starts behind its code"},
		{part_kind, "a function's id is 0, or a part starts behind its code"},
		{last_part_kind, NULL},
		{no_thread, "no thread to encode with"},
		{no_gap, "the last interval is not a gap"},
		{function_beyond_table, "intervals use more functions than the 1 of the table"},
		{nul_in_function, "a function's name holds a NUL"},
		{nul_in_file, "a file's name holds a NUL"},
		{nul_in_directory, "a file's name holds a NUL"},
		{one_in_names, NULL},
		{declaration_beyond_table, "a function's file is out of range"},
		{alternates_by_start, "alternates are not sorted"},
		{alternates_by_function, "alternates are not sorted"},
		{equal_alternates, NULL},
		{alternate_kind, "an alternate's kind or function is out of range"},
		{alternate_function_0, "an alternate's kind or function is out of range"},
		{alternate_beyond_table, "an alternate's kind or function is out of range"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct tables t;
		struct locus_error error = {.text = ""};
		tables_init(&t);
		cases[i].change(&t);
		enum locus_status status = write_tables(&t, &error);
		if (status != (cases[i].text ? LOCUS_ERR_USAGE : LOCUS_OK))
			fail_msg("case %zu: status %d, %s", i, status, error.text);
		assert_string_equal(error.text, cases[i].text ? cases[i].text : "");
	}
}

static void levels_and_sizes_are_bounded(void **state)
{
	static const struct {
		struct locus_writer_options options;
		const char *text;
	} cases[] = {
		{{.level = -1, .block_size = 1}, "level -1 is not 0 to 22"},
		{{.level = 23, .block_size = 1}, "level 23 is not 0 to 22"},
		{{.level = 0, .block_size = 1}, NULL},
		{{.level = 22, .block_size = LOCUS_BLOCK_ENTRIES_MAX}, NULL},
		{{.level = 1, .block_size = 0}, "block size 0 is not 1 to 65536"},
		{{.level = 1, .block_size = LOCUS_BLOCK_ENTRIES_MAX + 1}, "block size 65537 is not 1 to 65536"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct locus_writer *writer = NULL;
		struct locus_error error = {.text = ""};
		enum locus_status status = locus_writer_new(NULL, &cases[i].options, &writer, &error);
		assert_int_equal(status, cases[i].text ? LOCUS_ERR_USAGE : LOCUS_OK);
		assert_string_equal(error.text, cases[i].text ? cases[i].text : "");
		locus_writer_free(writer);
	}
}

/* Contexts one above the other, `depth` of them, of which the innermost is used. */
static enum locus_status encode_chain(uint32_t depth, struct locus_error *error)
{
	const uint64_t start = 16;
	const uint32_t zero = 0, innermost = depth - 1;
	struct locus_block_context *chain = calloc(depth, sizeof(*chain));
	struct locus_encoded encoded = {0};
	assert_non_null(chain);
	for (uint32_t i = 0; i < depth; i++)
		chain[i] = (struct locus_block_context){.caller = i ? i - 1 : LOCUS_NO_CONTEXT, .function = 1};
	const struct locus_block block = {.interval_count = 1,
					  .starts = &start,
					  .contexts = &innermost,
					  .files = &zero,
					  .lines = &zero,
					  .context_count = depth,
					  .context = chain};
	enum locus_status status = encode(&block, &encoded, error);
	free(chain);
	locus_encoded_free(&encoded);
	return status;
}

static void depth_is_bounded(void **state)
{
	struct locus_error error;
	char text[64];
	(void)state;
	assert_int_equal(encode_chain(LOCUS_DEPTH_MAX, &error), LOCUS_OK);
	assert_int_equal(encode_chain(LOCUS_DEPTH_MAX + 1, &error), LOCUS_ERR_USAGE);
	snprintf(text, sizeof(text), "inlined deeper than %u", LOCUS_DEPTH_MAX);
	assert_string_equal(error.text, text);
}

/* As many intervals as a block may have, all of them gaps. */
static void intervals_of_a_block_are_bounded(void **state)
{
	static uint64_t starts[LOCUS_BLOCK_ENTRIES_MAX + 1];
	static uint32_t gaps[LOCUS_BLOCK_ENTRIES_MAX + 1], zeros[LOCUS_BLOCK_ENTRIES_MAX + 1];
	struct locus_encoded encoded = {0};
	struct locus_error error;
	(void)state;
	for (uint32_t i = 0; i <= LOCUS_BLOCK_ENTRIES_MAX; i++) {
		starts[i] = i;
		gaps[i] = LOCUS_NO_CONTEXT;
	}
	struct locus_block block = {.interval_count = LOCUS_BLOCK_ENTRIES_MAX,
				    .starts = starts,
				    .contexts = gaps,
				    .files = zeros,
				    .lines = zeros};
	assert_int_equal(encode(&block, &encoded, &error), LOCUS_OK);
	assert_int_equal(encoded.interval_count, LOCUS_BLOCK_ENTRIES_MAX);
	assert_int_equal(encoded.last_start, LOCUS_BLOCK_ENTRIES_MAX - 1);
	assert_true(encoded.ends_in_gap);
	locus_encoded_free(&encoded);
	block.interval_count++;
	assert_int_equal(encode(&block, &encoded, &error), LOCUS_ERR_USAGE);
	assert_string_equal(error.text, "a block of 65537 intervals");
}

/* That many contexts are read, and the first is wrong; one more are refused unread. Zeros take no memory here. */
static void contexts_of_a_block_are_bounded(void **state)
{
	const size_t size = (LOCUS_BLOCK_CONTEXTS_MAX + 1) * sizeof(struct locus_block_context);
	struct locus_encoded encoded;
	struct locus_error error;
	struct tables t;
	(void)state;
	void *zeros = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(zeros, MAP_FAILED);
	tables_init(&t);
	t.block.context = zeros;
	t.block.context_count = LOCUS_BLOCK_CONTEXTS_MAX;
	assert_int_equal(encode(&t.block, &encoded, &error), LOCUS_ERR_USAGE);
	assert_string_equal(error.text, "a context stands before its caller");
	t.block.context_count++;
	assert_int_equal(encode(&t.block, &encoded, &error), LOCUS_ERR_USAGE);
	assert_string_equal(error.text, "1048577 contexts in a block");
	munmap(zeros, size);
}

/* A block of the tables' intervals, moved to begin at `start`; with or without columns. */
static struct locus_encoded block_at(struct tables *t, uint64_t start, bool has_columns)
{
	struct locus_encoded encoded;
	for (uint32_t i = 0; i < t->block.interval_count; i++)
		t->starts[i] = start + i;
	t->context[0].start = start;
	t->block.columns = has_columns ? t->columns : NULL;
	assert_int_equal(encode(&t->block, &encoded, NULL), LOCUS_OK);
	return encoded;
}

static void blocks_come_in_order(void **state)
{
	const struct locus_writer_options options = {.level = 1, .block_size = 10};
	struct locus_writer *writer;
	struct locus_error error;
	struct tables t;
	(void)state;
	tables_init(&t);
	assert_int_equal(locus_writer_new(NULL, &options, &writer, NULL), LOCUS_OK);
	struct locus_encoded block = block_at(&t, 16, false);
	assert_int_equal(locus_writer_append(writer, &block, &error), LOCUS_OK);
	assert_null(block.columns);
	block = block_at(&t, 19, false); /* where the one before it begins its last interval */
	assert_int_equal(locus_writer_append(writer, &block, &error), LOCUS_ERR_USAGE);
	assert_string_equal(error.text, "blocks do not come in address order");
	assert_null(block.columns);
	block = block_at(&t, 20, false);
	assert_int_equal(locus_writer_append(writer, &block, &error), LOCUS_OK);
	assert_int_equal(locus_writer_tables(writer, &t.tables, 1, &error), LOCUS_OK);
	assert_int_equal(locus_writer_finish(writer, NULL, &error), LOCUS_OK);
	locus_writer_free(writer);
}

/* The count that a block says is believed, so that this need not write a billion intervals. */
static void intervals_are_bounded(void **state)
{
	const struct locus_writer_options options = {.level = 1, .block_size = 10};
	struct locus_writer *writer;
	struct locus_error error;
	struct tables t;
	(void)state;
	tables_init(&t);
	assert_int_equal(locus_writer_new(NULL, &options, &writer, NULL), LOCUS_OK);
	struct locus_encoded block = block_at(&t, 16, false);
	block.interval_count = LOCUS_INTERVALS_MAX - 4;
	assert_int_equal(locus_writer_append(writer, &block, &error), LOCUS_OK);
	block = block_at(&t, 32, false);
	block.interval_count = 5;
	assert_int_equal(locus_writer_append(writer, &block, &error), LOCUS_ERR_USAGE);
	assert_non_null(strstr(error.text, "more than"));
	block = block_at(&t, 32, false);
	assert_int_equal(locus_writer_append(writer, &block, &error), LOCUS_OK);
	block = block_at(&t, 64, false);
	block.interval_count = 1;
	assert_int_equal(locus_writer_append(writer, &block, &error), LOCUS_ERR_USAGE);
	locus_writer_free(writer);
}

static void all_blocks_have_columns_or_none_has(void **state)
{
	(void)state;
	for (unsigned with = 0; with < 1 << 3; with++) {
		const struct locus_writer_options options = {.level = 1, .block_size = 10};
		struct locus_writer *writer;
		struct locus_error error = {.text = ""};
		struct tables t;
		tables_init(&t);
		assert_int_equal(locus_writer_new(NULL, &options, &writer, NULL), LOCUS_OK);
		for (unsigned i = 0; i < 3; i++) {
			struct locus_encoded block = block_at(&t, 16 + 16 * i, with >> i & 1);
			assert_int_equal(locus_writer_append(writer, &block, &error), LOCUS_OK);
		}
		bool is_even = with == 0 || with == 7;
		assert_int_equal(locus_writer_tables(writer, &t.tables, 2, &error),
				 is_even ? LOCUS_OK : LOCUS_ERR_USAGE);
		assert_string_equal(error.text, is_even ? "" : "some blocks have columns, and some have not");
		locus_writer_free(writer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_wrong_table_is_refused),
		cmocka_unit_test(levels_and_sizes_are_bounded),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(intervals_of_a_block_are_bounded),
		cmocka_unit_test(contexts_of_a_block_are_bounded),
		cmocka_unit_test(blocks_come_in_order),
		cmocka_unit_test(intervals_are_bounded),
		cmocka_unit_test(all_blocks_have_columns_or_none_has),
	};
	return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}
