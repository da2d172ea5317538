/* The end of a conversion: the units' pieces are merged, emitted as intervals, and written with the tables. */
#include "convert/emit/write_units.h"

#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/fail.h"
#include "convert/emit/emit_intervals.h"

_Static_assert((int)LOCUS_CONVERT_LEVEL_MAX == (int)LOCUS_WRITER_LEVEL_MAX, "what may be asked for is what is written");

static void fill_counters(struct locus_counter *counters, const uint64_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		counters[i] = (struct locus_counter){(uint32_t)i, values[i]};
}

static enum locus_status write_tables(const struct ending *end, struct locus_writer *writer, const struct emission *e,
				      struct locus_convert_result *result, struct locus_error *error)
{
	struct locus_counter coverage[LOCUS_COVERAGE_COUNT], dropped[LOCUS_DROPPED_COUNT];
	numbering_finish(e->numbering);
	fill_counters(coverage, e->coverage, LOCUS_COVERAGE_COUNT);
	for (int i = 0; i < LOCUS_DROPPED_COUNT; i++)
		result->dropped[i] = end->units->dropped[i] + e->dropped[i];
	fill_counters(dropped, result->dropped, LOCUS_DROPPED_COUNT);
	struct locus_tables tables = {
		.functions = e->numbering->functions,
		.function_count = e->numbering->function_count,
		.files = e->numbering->files,
		.file_count = e->numbering->file_count,
		.alternates = e->alternates,
		.alternate_count = e->alternate_count,
		.meta = *end->meta,
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
	return locus_writer_finish(writer, &tables, end->options->job_count, &result->bytes_written, error);
}

static enum locus_status write_merged(const struct ending *end, const struct merged *merged,
				      struct locus_convert_result *result, void **ret_memory, struct locus_error *error)
{
	struct shared *shared = end->units->shared;
	struct locus_writer_options options = {
		.level = end->options->level,
		.block_size = end->options->block_size,
		.sync = end->options->sync,
	};
	struct locus_writer *writer = NULL;
	struct numbering numbering;
	struct emission e = {
		.linked = shared->linked,
		.windows = end->windows,
		.window_count = end->window_count,
		.symbols = shared->symbols,
		.pieces = end->units->pieces,
		.piece_count = end->units->piece_count,
		.merged = merged,
		.numbering = &numbering,
	};

	/* Emitting intervals gives functions and files their ids, so the tables come last. */
	phases_enter(end->phases, LOCUS_PHASE_BLOCKS);
	if (!numbering_init(&numbering, &shared->functions, &shared->files))
		return locus_fail_memory(error);
	enum locus_status status = locus_writer_new(end->options->output, &options, &writer, error);
	if (status == LOCUS_OK)
		status = blocks_new(writer, &options, end->options->columns, &numbering, end->options->job_count,
				    &e.blocks, error);
	if (status == LOCUS_OK)
		status = emit(&e, error);
	if (status == LOCUS_OK) {
		result->interval_count = blocks_interval_count(e.blocks);
		result->context_count = blocks_context_count(e.blocks);
		blocks_free(e.blocks);
		e.blocks = NULL;
		phases_enter(end->phases, LOCUS_PHASE_TABLES);
		status = write_tables(end, writer, &e, result, error);
	}
	if (status == LOCUS_OK && !end->options->output) {
		size_t size;
		locus_writer_take(writer, ret_memory, &size);
	}

	/* A file that was not finished is removed with its writer. */
	blocks_free(e.blocks);
	locus_writer_free(writer);
	free(e.alternates);
	numbering_done(&numbering);
	return status;
}

enum locus_status write_units(const struct ending *end, struct locus_convert_result *result, void **ret_memory,
			      struct locus_error *error)
{
	struct merged merged;
	budget_at("functions' names", NULL, ".debug_info", 0);
	if (!merge_pieces(end->units->pieces, end->units->piece_count, &merged))
		return locus_fail_memory(error);
	enum locus_status status = write_merged(end, &merged, result, ret_memory, error);
	merged_done(&merged);
	return status;
}
