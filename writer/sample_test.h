/* For tests: random tables as a converter could give them, cut into blocks of any size, and the file of them. */
#ifndef LOCUS_SAMPLE_TEST_H
#define LOCUS_SAMPLE_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mix64.h"
#include "spec/counters.h"
#include "writer/locus_writer.h"
#include "writer/name_order.h"

/* The whole program in one table: contexts are not cut into blocks, and may repeat each other. */
struct locus_sample {
	uint32_t interval_count;
	uint64_t *starts;
	uint32_t *contexts; /* index or LOCUS_NO_CONTEXT */
	uint32_t *files;
	uint32_t *lines;
	uint32_t *columns; /* 0 where the line is */
	bool has_columns;  /* they are written */
	uint32_t context_count;
	struct locus_block_context *context;
	struct locus_tables tables;
	struct locus_function *functions;
	struct locus_file *file_table;
	struct locus_alternate *alternates;
	uint32_t *ids; /* by function id - 1: the id it has in the file, where functions may be sorted by name */
	char *text;    /* the names */
	size_t text_size;
};

/* Some samples have several blocks of files. */
enum { FILE_FEW = 60, FILE_MAX = 1300 };

static uint32_t locus_sample_below(uint64_t *state, uint32_t bound)
{
	return (uint32_t)(random_next(state) % bound);
}

static void *need(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

/* ---- Making one up ---- */

struct maker {
	struct locus_sample *sample;
	uint64_t random;
	uint64_t address;
	uint32_t part_first; /* the first context of the part at hand */
};

static uint32_t below(struct maker *maker, uint32_t bound)
{
	return locus_sample_below(&maker->random, bound);
}

/* Mostly small, at times anything. */
static uint32_t any_line(struct maker *maker)
{
	switch (below(maker, 20)) {
	case 0:
		return 0;
	case 1:
		return UINT32_MAX - below(maker, 3);
	default:
		return 1 + below(maker, 3000);
	}
}

static uint32_t any_file(struct maker *maker)
{
	return below(maker, maker->sample->tables.file_count + 1);
}

/* The array with room for one more behind `count` elements. It doubles, for each move copies all of it. */
static void *with_room(void *array, uint32_t count, size_t size)
{
	return count & (count - 1) ? array : need(realloc(array, (count ? 2 * (size_t)count : 1) * size));
}

static uint32_t add_context(struct maker *maker, struct locus_block_context context)
{
	struct locus_sample *sample = maker->sample;
	sample->context = with_room(sample->context, sample->context_count, sizeof(context));
	sample->context[sample->context_count] = context;
	return sample->context_count++;
}

/* Functions are made up with their declarations; ids are given by first use in the end. */
static uint32_t any_function(struct maker *maker)
{
	struct locus_sample *sample = maker->sample;
	uint32_t count = sample->tables.function_count;
	if (count && below(maker, 3) == 0)
		return below(maker, count);
	sample->functions = with_room(sample->functions, count, sizeof(*sample->functions));
	sample->functions[count] = (struct locus_function){
		.decl_file = any_file(maker),
		.decl_line = any_line(maker),
		.language = below(maker, 10) ? 12 : below(maker, 40),
	};
	sample->tables.function_count++;
	return count;
}

static uint32_t new_part(struct maker *maker)
{
	uint32_t kind = below(maker, 8);
	uint64_t back = below(maker, 3) ? 0 : below(maker, 100);
	maker->part_first = maker->sample->context_count;
	return add_context(maker, (struct locus_block_context){
					  .caller = LOCUS_NO_CONTEXT,
					  .function = any_function(maker),
					  .start = maker->address - back,
					  .kind = (uint8_t)(kind <= LOCUS_PART_SYMBOL ? kind : 0),
				  });
}

/* One of the last calls in the caller's function, which comes up again where that was inlined again; NULL: none was. */
static const struct locus_block_context *earlier_call(struct maker *maker, uint32_t caller)
{
	enum { LOOKED_AT = 200 };
	const struct locus_block_context *context = maker->sample->context, *found = NULL;
	uint32_t end = maker->sample->context_count, first = end > LOOKED_AT ? end - LOOKED_AT : 0;
	for (uint32_t i = end; i-- > first && (!found || below(maker, 3));)
		if (context[i].caller != LOCUS_NO_CONTEXT &&
		    context[context[i].caller].function == context[caller].function)
			found = &context[i];
	return found;
}

/* A call in the context `caller`: a new one, or every other time one that was there before. */
static struct locus_block_context some_call(struct maker *maker, uint32_t caller)
{
	const struct locus_block_context *earlier = below(maker, 2) ? earlier_call(maker, caller) : NULL;
	struct locus_block_context call = earlier ? *earlier
						  : (struct locus_block_context){
							    .function = any_function(maker),
							    .call_file = any_file(maker),
							    .call_line = any_line(maker),
						    };
	call.caller = caller;
	call.call_column = call.call_line ? below(maker, 200) : 0;
	return call;
}

/* Some context of the part at hand, and at times up to a deep pile of new ones onto it. */
static uint32_t some_context(struct maker *maker)
{
	struct locus_sample *sample = maker->sample;
	uint32_t context = maker->part_first + below(maker, sample->context_count - maker->part_first);
	uint32_t count = below(maker, 3) ? 0 : 1 + below(maker, below(maker, 30) ? 3 : 40);
	while (count--)
		context = add_context(maker, some_call(maker, context));
	return context;
}

static bool is_same_chain(const struct locus_sample *sample, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (a == LOCUS_NO_CONTEXT || b == LOCUS_NO_CONTEXT)
			return false;
		const struct locus_block_context *left = &sample->context[a], *right = &sample->context[b];
		if (left->function != right->function || left->call_file != right->call_file ||
		    left->call_line != right->call_line || left->start != right->start || left->kind != right->kind)
			return false;
		a = left->caller;
		b = right->caller;
	}
	return true;
}

/* Takes an interval unless it repeats the one before it, or is a gap at the table's start. */
static void add_interval(struct maker *maker, uint32_t context, uint32_t file, uint32_t line)
{
	struct locus_sample *sample = maker->sample;
	uint32_t i = sample->interval_count;
	if (i ? is_same_chain(sample, context, sample->contexts[i - 1]) && file == sample->files[i - 1] &&
			    line == sample->lines[i - 1]
	      : context == LOCUS_NO_CONTEXT)
		return;
	sample->starts[i] = maker->address;
	sample->contexts[i] = context;
	sample->files[i] = file;
	sample->lines[i] = line;
	sample->columns[i] = line ? below(maker, 200) : 0;
	sample->interval_count++;
	maker->address += 1 + below(maker, 300);
	if (below(maker, 500) == 0)
		maker->address += (uint64_t)below(maker, 3) << 33;
}

static void make_intervals(struct maker *maker, uint32_t count)
{
	struct locus_sample *sample = maker->sample;
	uint32_t context = new_part(maker);
	while (sample->interval_count + 1 < count) {
		uint32_t what = below(maker, 40);
		if (what == 0) {
			add_interval(maker, LOCUS_NO_CONTEXT, 0, 0);
			continue;
		}
		if (what <= 3)
			context = new_part(maker);
		else if (what == 4)
			context = below(maker, sample->context_count);
		else if (what <= 22)
			context = some_context(maker);
		uint32_t line = any_line(maker);
		uint32_t decl_file = sample->functions[sample->context[context].function].decl_file;
		add_interval(maker, context, below(maker, 5) ? decl_file : any_file(maker), line);
	}
	add_interval(maker, LOCUS_NO_CONTEXT, 0, 0);
}

/* Gives ids by first use, outermost first, and copies the declarations to the contexts. */
static void number_functions(struct locus_sample *sample)
{
	uint32_t count = sample->tables.function_count, next = 0, chain[4096];
	uint32_t *id = need(calloc(count, sizeof(*id)));
	for (uint32_t i = 0; i < sample->interval_count; i++) {
		uint32_t depth = 0;
		for (uint32_t at = sample->contexts[i]; at != LOCUS_NO_CONTEXT; at = sample->context[at].caller)
			chain[depth++] = sample->context[at].function;
		while (depth-- > 0)
			if (!id[chain[depth]])
				id[chain[depth]] = ++next;
	}
	for (uint32_t i = 0; i < count; i++)
		if (!id[i])
			id[i] = ++next;
	struct locus_function *functions = need(malloc(count * sizeof(*functions)));
	for (uint32_t i = 0; i < count; i++)
		functions[id[i] - 1] = sample->functions[i];
	free(sample->functions);
	sample->functions = functions;
	for (uint32_t i = 0; i < sample->context_count; i++) {
		struct locus_block_context *context = &sample->context[i];
		context->function = id[context->function];
		context->decl_file = functions[context->function - 1].decl_file;
		context->decl_line = functions[context->function - 1].decl_line;
	}
	free(id);
}

/* Names into one text: the strings point into it, so it must not move any more. */
static struct locus_bytes put_text(struct locus_sample *sample, const char *format, uint32_t number)
{
	int size = sprintf(sample->text + sample->text_size, format, number);
	struct locus_bytes text = {sample->text + sample->text_size, (size_t)size};
	sample->text_size += (size_t)size;
	return text;
}

static void make_names(struct maker *maker)
{
	struct locus_sample *sample = maker->sample;
	/* Half of the samples have long names that begin alike, also the same one twice: their records get sorted. */
	static const char *const long_names[] = {
		"_ZN5space9containerINS_7elementINS_8allocateIcEEEEE%u",
		"_ZN5space9containerINS_7elementINS_8allocateIcEEEEE%uinsertERKS3_",
		"_ZN5space9containerINS_7elementINS_8allocateIiEEEEE%uinsertERKS3_NS_8iteratorILb1EEES6_",
		"void space::container<space::element<space::allocate<char> > >::run<%u>()",
	};
	bool is_long = below(maker, 2);
	sample->text = need(
		malloc(((size_t)sample->tables.function_count * 2 + (size_t)sample->tables.file_count * 2 + 8) * 128));
	for (uint32_t i = 0; is_long && i < sample->tables.function_count; i++) {
		uint32_t what = below(maker, 5), number = below(maker, sample->tables.function_count);
		struct locus_function *function = &sample->functions[i];
		if (what != 3)
			function->linkage = put_text(sample, long_names[what % 4], number);
		if (what >= 3)
			function->name = put_text(sample, long_names[3], number);
	}
	for (uint32_t i = 0; !is_long && i < sample->tables.function_count; i++) {
		struct locus_function *function = &sample->functions[i];
		uint32_t what = below(maker, 6);
		if (what != 1 && what != 2)
			function->name = put_text(sample, "name_of_function_%u", i);
		if (what == 0)
			function->linkage = function->name;
		else if (what != 1 && what != 3)
			function->linkage = put_text(sample, "_ZN5space8functionEi%uv", i);
	}
	sample->file_table = need(calloc(sample->tables.file_count, sizeof(*sample->file_table)));
	for (uint32_t i = 0; i < sample->tables.file_count; i++) {
		uint32_t directory = below(maker, 10);
		if (directory)
			sample->file_table[i].directory = put_text(sample, "/source/part%u", directory);
		sample->file_table[i].name = put_text(sample, "file%u.c", i);
	}
}

static int compare_alternates(const void *left, const void *right)
{
	const struct locus_alternate *a = left, *b = right;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

static void make_alternates(struct maker *maker, uint32_t count)
{
	struct locus_sample *sample = maker->sample;
	sample->alternates = need(calloc(count + 1, sizeof(*sample->alternates)));
	for (uint32_t i = 0; i < count; i++)
		sample->alternates[i] = (struct locus_alternate){
			.start = sample->starts[below(maker, sample->interval_count)],
			.size = below(maker, 3) ? below(maker, below(maker, 50) ? 500 : 500000) : 0,
			.function = 1 + below(maker, sample->tables.function_count),
			.kind = (uint8_t)below(maker, 3),
		};
	qsort(sample->alternates, count, sizeof(*sample->alternates), compare_alternates);
	sample->tables.alternate_count = count;
}

static void make_meta(struct locus_sample *sample)
{
	static const struct locus_counter coverage[] = {{LOCUS_COVERAGE_LINE, 1000}, {LOCUS_COVERAGE_NONE, UINT64_MAX}};
	static const struct locus_counter dropped[] = {{LOCUS_DROPPED_EMPTY_SEQUENCE, 3}};
	static const struct locus_section_base bases[] = {{{".text", 5}, 0x1000, 0x500},
							  {{".init.text", 10}, 0x2000, 8}};
	static const struct locus_input inputs[] = {
		{.role = LOCUS_INPUT_PROGRAM,
		 .name = {"a.out", 5},
		 .size = 1u << 20,
		 .build_id = {"\x12\x34\x00\x56", 4},
		 .digest_kind = LOCUS_DIGEST_HEADERS,
		 .digest = "0123456789abcde"},
		{.role = LOCUS_INPUT_SPLIT, .name = {"a.dwo", 5}},
	};
	static const struct locus_segment segments[] = {{0x400000, 0, 0x1000, 0x1000, 4},
							{0x401000, 0x1000, 0x234, 1u << 20, 5}};
	sample->tables.meta = (struct locus_meta){
		.build_id = {"\x12\x34\x00\x56", 4},
		.elf_machine = 62,
		.elf_type = 3,
		.elf_class = 2,
		.elf_data = 1,
		.tool = {"sample 1", 8},
		.rules_epoch = 7,
		.options = {"prefix-map=/a=/b\n", 17},
		.coverage = coverage,
		.coverage_count = 2,
		.dropped = dropped,
		.dropped_count = 1,
		.sections = bases,
		.section_count = 2,
		.inputs = inputs,
		.input_count = 2,
		.segments = segments,
		.segment_count = 2,
	};
}

static void number_as_in_file(struct locus_sample *sample)
{
	uint32_t *order;
	sample->ids = need(malloc((sample->tables.function_count + 1) * sizeof(*sample->ids)));
	if (locus_order_choose(&sample->tables, 1, &order, NULL) != LOCUS_OK)
		abort();
	for (uint32_t i = 0; i < sample->tables.function_count; i++)
		sample->ids[order ? order[i] : i] = i + 1;
	free(order);
}

/* About `count` intervals from a seed; even ones have columns. Aborts if there is no memory. */
static inline void locus_sample_init(struct locus_sample *sample, uint64_t seed, uint32_t count)
{
	struct maker maker = {.sample = sample, .random = seed, .address = 0x400000};
	*sample = (struct locus_sample){.has_columns = seed % 2 == 0};
	sample->tables.file_count = seed % 3 == 0 ? FILE_MAX : FILE_FEW;
	sample->starts = need(malloc(count * sizeof(*sample->starts)));
	sample->contexts = need(malloc(count * sizeof(*sample->contexts)));
	sample->files = need(malloc(count * sizeof(*sample->files)));
	sample->lines = need(malloc(count * sizeof(*sample->lines)));
	sample->columns = need(malloc(count * sizeof(*sample->columns)));
	make_intervals(&maker, count);
	number_functions(sample);
	make_names(&maker);
	make_alternates(&maker, count / 10);
	make_meta(sample);
	sample->tables.functions = sample->functions;
	sample->tables.files = sample->file_table;
	sample->tables.alternates = sample->alternates;
	number_as_in_file(sample);
}

static inline void locus_sample_done(struct locus_sample *sample)
{
	free(sample->starts);
	free(sample->contexts);
	free(sample->files);
	free(sample->lines);
	free(sample->columns);
	free(sample->context);
	free(sample->functions);
	free(sample->file_table);
	free(sample->alternates);
	free(sample->ids);
	free(sample->text);
	*sample = (struct locus_sample){0};
}

/* ---- Writing it ---- */

/* One block's contexts, in the order of first use. */
struct cutter {
	const struct locus_sample *sample;
	uint32_t *number; /* by the sample's context: in the block; LOCUS_NO_CONTEXT: not in it */
	uint32_t *contexts;
	struct locus_block_context *context;
	uint32_t context_count;
};

static uint32_t take_context(struct cutter *cutter, uint32_t context)
{
	uint32_t chain[4096], depth = 0;
	for (uint32_t at = context; at != LOCUS_NO_CONTEXT && cutter->number[at] == LOCUS_NO_CONTEXT;
	     at = cutter->sample->context[at].caller)
		chain[depth++] = at;
	while (depth-- > 0) {
		struct locus_block_context *taken = &cutter->context[cutter->context_count];
		*taken = cutter->sample->context[chain[depth]];
		if (taken->caller != LOCUS_NO_CONTEXT)
			taken->caller = cutter->number[taken->caller];
		cutter->number[chain[depth]] = cutter->context_count++;
	}
	return cutter->number[context];
}

static enum locus_status write_block(struct cutter *cutter, uint32_t first, uint32_t count,
				     struct locus_encoder *encoder, struct locus_writer *writer,
				     struct locus_error *error)
{
	const struct locus_sample *sample = cutter->sample;
	struct locus_encoded encoded;
	memset(cutter->number, 0xFF, sample->context_count * sizeof(*cutter->number));
	cutter->context_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t context = sample->contexts[first + i];
		cutter->contexts[i] = context == LOCUS_NO_CONTEXT ? context : take_context(cutter, context);
	}
	struct locus_block block = {
		.interval_count = count,
		.starts = sample->starts + first,
		.contexts = cutter->contexts,
		.files = sample->files + first,
		.lines = sample->lines + first,
		.context_count = cutter->context_count,
		.context = cutter->context,
		.columns = sample->has_columns ? sample->columns + first : NULL,
	};
	enum locus_status status = locus_encoder_block(encoder, &block, &encoded, error);
	return status == LOCUS_OK ? locus_writer_append(writer, &encoded, error) : status;
}

static struct cutter cutter_new(const struct locus_sample *sample, uint32_t block_size)
{
	return (struct cutter){
		.sample = sample,
		.number = need(malloc((sample->context_count + 1) * sizeof(uint32_t))),
		.contexts = need(malloc(((size_t)block_size + 1) * sizeof(uint32_t))),
		.context = need(malloc((sample->context_count + 1) * sizeof(struct locus_block_context))),
	};
}

static void cutter_done(struct cutter *cutter)
{
	free(cutter->number);
	free(cutter->contexts);
	free(cutter->context);
}

static enum locus_status write_blocks(struct cutter *cutter, uint32_t block_size, struct locus_encoder *encoder,
				      struct locus_writer *writer, struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	uint32_t count = cutter->sample->interval_count;
	for (uint32_t i = 0; i < count && status == LOCUS_OK; i += block_size)
		status =
			write_block(cutter, i, count - i < block_size ? count - i : block_size, encoder, writer, error);
	return status;
}

/*
 * The same as locus_sample_write; the test's own memory is there before, for blocks of the size that is in `options`.
 */
static inline enum locus_status locus_sample_write_cut(struct cutter *cutter, const char *path,
						       const struct locus_writer_options *options,
						       unsigned thread_count, struct locus_error *error)
{
	struct locus_writer *writer = NULL;
	struct locus_encoder *encoder = NULL;
	enum locus_status status = locus_writer_new(path, options, &writer, error);
	if (status == LOCUS_OK)
		status = locus_encoder_new(options, &encoder, error);
	if (status == LOCUS_OK)
		status = write_blocks(cutter, options->block_size, encoder, writer, error);
	if (status == LOCUS_OK)
		status = locus_writer_tables(writer, &cutter->sample->tables, thread_count, error);
	if (status == LOCUS_OK)
		status = locus_writer_finish(writer, NULL, error);
	locus_encoder_free(encoder);
	locus_writer_free(writer);
	return status;
}

static inline enum locus_status locus_sample_write(const struct locus_sample *sample, const char *path,
						   const struct locus_writer_options *options,
						   struct locus_error *error)
{
	struct cutter cutter = cutter_new(sample, options->block_size);
	enum locus_status status = locus_sample_write_cut(&cutter, path, options, 2, error);
	cutter_done(&cutter);
	return status;
}

#endif
