/*
 * The end of a conversion: where pieces overlap one is chosen, and intervals are encoded, and the tables behind them.
 */
#include "convert/emit/encode_units.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/fail.h"
#include "base/parallel.h"
#include "convert/emit/alternate_names.h"
#include "convert/emit/emit_intervals.h"

_Static_assert((int)LOCUS_CONVERT_LEVEL_MAX == (int)LOCUS_WRITER_LEVEL_MAX, "what may be asked for is what is written");

static void fill_counters(struct locus_counter *counters, const uint64_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		counters[i] = (struct locus_counter){(uint32_t)i, values[i]};
}

static enum locus_status encode_tables(const struct units_output *output, struct locus_writer *writer,
				       const struct emission *e, struct locus_convert_result *result,
				       struct locus_error *error)
{
	struct locus_counter coverage[LOCUS_COVERAGE_COUNT], dropped[LOCUS_DROPPED_COUNT];
	output_ids_finish(e->ids);
	fill_counters(coverage, e->coverage, LOCUS_COVERAGE_COUNT);
	for (int i = 0; i < LOCUS_DROPPED_COUNT; i++)
		result->dropped[i] = output->results->dropped[i] + e->dropped[i];
	fill_counters(dropped, result->dropped, LOCUS_DROPPED_COUNT);
	struct locus_tables tables = {
		.functions = e->ids->functions,
		.function_count = e->ids->function_count,
		.files = e->ids->files,
		.file_count = e->ids->file_count,
		.alternates = e->alternates,
		.alternate_count = e->alternate_count,
		.meta = *output->meta,
	};
	tables.meta.coverage = coverage;
	tables.meta.coverage_count = LOCUS_COVERAGE_COUNT;
	tables.meta.dropped = dropped;
	tables.meta.dropped_count = LOCUS_DROPPED_COUNT;
	memcpy(result->coverage, e->coverage, sizeof(e->coverage));
	result->function_count = tables.function_count;
	result->file_count = tables.file_count;
	for (uint32_t i = 0; i < tables.function_count; i++)
		result->name_bytes += tables.functions[i].name.size + tables.functions[i].linkage.size;
	return locus_writer_tables(writer, &tables, output->options->job_count, error);
}

/* Encodes the blocks, and behind them the tables, to which emitting intervals gives the ids of functions and files. */
static enum locus_status encode_content(const struct units_output *output, struct locus_writer *writer,
					const struct locus_writer_options *options, struct emission *e,
					struct locus_convert_result *result, struct locus_error *error)
{
	struct side_work aliases = {aliases_find, &e->aliases};
	enum locus_status status = blocks_new(writer, options, output->options->columns, e->ids,
					      output->options->job_count, aliases, &e->blocks, error);
	if (status == LOCUS_OK)
		status = emit_intervals(e, error);
	if (status == LOCUS_OK) {
		blocks_end_side_work(e->blocks);
		status = alternate_names_find(e, error); /* while other threads encode the last blocks */
	}
	if (status == LOCUS_OK)
		status = blocks_finish(e->blocks, error);
	if (status != LOCUS_OK)
		return status;

	result->interval_count = blocks_interval_count(e->blocks);
	result->context_count = blocks_context_count(e->blocks);
	blocks_free(e->blocks);
	e->blocks = NULL;
	phases_enter(output->phases, LOCUS_PHASE_TABLES);
	return encode_tables(output, writer, e, result, error);
}

static enum locus_status encode_resolved(const struct units_output *output, const struct overlaps *overlaps,
					 const struct symbol_spans *spans, struct locus_convert_result *result,
					 struct locus_writer **ret, struct locus_error *error)
{
	struct shared *shared = output->shared;
	struct locus_writer_options options = {
		.level = output->options->level,
		.block_size = output->options->block_size,
		.sync = output->options->sync,
	};
	struct locus_writer *writer = NULL;
	struct output_ids ids;
	struct emission e = {
		.asked = output->asked,
		.asked_count = output->asked_count,
		.symbols = shared->symbols,
		.symbol_spans = *spans,
		.pieces = output->results->pieces,
		.piece_count = output->results->piece_count,
		.overlaps = overlaps,
		.ids = &ids,
		.aliases =
			{
				.asked = output->asked,
				.asked_count = output->asked_count,
				.symbols = shared->symbols,
				.spans = spans,
				.overlaps = overlaps,
				.function_keys = &shared->functions,
			},
	};

	phases_enter(output->phases, LOCUS_PHASE_BLOCKS);
	if (!output_ids_init(&ids, &shared->functions, &shared->files, output->options->job_count))
		return locus_fail_memory(error);
	enum locus_status status = locus_writer_new(output->path, &options, &writer, error);
	if (status == LOCUS_OK)
		status = encode_content(output, writer, &options, &e, result, error);
	if (status == LOCUS_OK)
		*ret = writer;
	else
		locus_writer_free(writer);

	blocks_free(e.blocks);
	aliases_done(&e.aliases);
	free(e.alternates);
	output_ids_done(&ids);
	return status;
}

/* Which addresses symbols answer for, found beside what the pieces answer for. */
struct layout {
	const struct shared *shared;
	atomic_bool is_taken; /* by a thread */
	bool is_done;         /* and not out of memory */
	struct symbol_spans spans;
};

/* The first thread that comes lays them out. */
static void lay_out_symbols(void *argument, unsigned thread)
{
	struct layout *layout = argument;
	(void)thread;
	if (!atomic_exchange(&layout->is_taken, true))
		layout->is_done = symbol_spans_init(&layout->spans, layout->shared->symbols, layout->shared->linked);
}

enum locus_status encode_units(const struct units_output *output, struct locus_convert_result *result,
			       struct locus_writer **ret, struct locus_error *error)
{
	struct layout layout = {.shared = output->shared};
	struct overlaps overlaps;
	budget_at("functions' names", NULL, ".debug_info", 0);
	locus_parallel_begin(2, lay_out_symbols, &layout);
	bool is_resolved = overlaps_resolve(output->results->pieces, output->results->piece_count, &overlaps);
	lay_out_symbols(&layout, 0);
	locus_parallel_end();

	enum locus_status status = is_resolved && layout.is_done
					   ? encode_resolved(output, &overlaps, &layout.spans, result, ret, error)
					   : locus_fail_memory(error);
	if (is_resolved)
		overlaps_done(&overlaps);
	symbol_spans_done(&layout.spans);
	return status;
}
