/* For tests: a function's scopes and rows at few addresses, and an oracle of what splitting gives, which asks every
 * address by itself. Two ways to make scenes use it: at random, and from a fuzzer's bytes. */
#ifndef LOCUS_SPLIT_ORACLE_TEST_H
#define LOCUS_SPLIT_ORACLE_TEST_H

#include "base/toolkit_test.h"
#include "convert/unit/split.h"

enum { ADDRS = 96, SCOPES_MAX = 48, RANGES_MAX = 160, ROWS_MAX = 256, SPANS_MAX = 32 };

#define NOTHING UINT32_MAX

/* One case. All addresses are in [base, base + ADDRS]. */
struct scene {
	uint64_t base;
	struct split_scope scopes[SCOPES_MAX];
	uint32_t contexts[SCOPES_MAX];
	uint32_t scope_count;
	struct range ranges[RANGES_MAX];
	uint32_t range_count;
	struct split_row rows[ROWS_MAX];
	uint32_t columns[ROWS_MAX];
	bool keeps_columns;
	uint32_t row_count;
	struct row_span spans[SPANS_MAX];
	uint32_t span_count;
};

static void print_scene(const struct scene *scene, uint64_t seed)
{
	print_message("seed 0x%llx, base 0x%llx\n", (unsigned long long)seed, (unsigned long long)scene->base);
	for (uint32_t i = 0; i < scene->scope_count; i++) {
		print_message("scope %u in %u, context %u:", i, scene->scopes[i].parent, scene->contexts[i]);
		for (uint32_t k = 0; k < scene->scopes[i].range_count; k++) {
			const struct range *range = &scene->ranges[scene->scopes[i].range_first + k];
			print_message(" [%llu,%llu)", (unsigned long long)(range->start - scene->base),
				      (unsigned long long)(range->end - scene->base));
		}
		print_message("\n");
	}
	for (uint32_t i = 0; i < scene->span_count; i++) {
		const struct row_span *span = &scene->spans[i];
		print_message("span [%llu,%llu):", (unsigned long long)(span->start - scene->base),
			      (unsigned long long)(span->end - scene->base));
		for (uint32_t k = 0; k < span->row_count; k++) {
			const struct split_row *row = &scene->rows[span->row_first + k];
			print_message(" %lld=%u:%u:%u", (long long)(row->addr - scene->base), row->file, row->line,
				      scene->columns[span->row_first + k]);
		}
		print_message("\n");
	}
}

#define CHECK(condition, ...)                     \
	do {                                      \
		if (!(condition)) {               \
			print_scene(scene, seed); \
			fail_msg(__VA_ARGS__);    \
		}                                 \
	} while (0)

/* ---- The oracle ---- */

/* The latest start among the scope's ranges that cover `addr`. False: none does. */
static bool scope_covers(const struct scene *scene, uint32_t scope, uint64_t addr, uint64_t *ret_start)
{
	bool covers = false;
	for (uint32_t k = 0; k < scene->scopes[scope].range_count; k++) {
		const struct range *range = &scene->ranges[scene->scopes[scope].range_first + k];
		if (range->start <= addr && addr < range->end && (!covers || range->start > *ret_start)) {
			*ret_start = range->start;
			covers = true;
		}
	}
	return covers;
}

static uint32_t oracle_scope(const struct scene *scene, uint64_t addr)
{
	uint64_t start = 0, best_start = 0;
	if (!scope_covers(scene, 0, addr, &start))
		return NOTHING;
	for (uint32_t at = 0;;) {
		uint32_t best = NOTHING;
		for (uint32_t child = 1; child < scene->scope_count; child++) {
			if (scene->scopes[child].parent != at || !scope_covers(scene, child, addr, &start))
				continue;
			if (best == NOTHING || start >= best_start) {
				best = child;
				best_start = start;
			}
		}
		if (best == NOTHING)
			return at;
		at = best;
	}
}

/* The row that answers; all 0 where none does (RULES B7). */
static struct split_row oracle_row(const struct scene *scene, uint64_t addr, uint32_t *ret_column)
{
	struct split_row answer = {0};
	*ret_column = 0;
	for (uint32_t i = 0; i < scene->span_count; i++) {
		const struct row_span *span = &scene->spans[i];
		if (addr < span->start || addr >= span->end)
			continue;
		for (uint32_t k = 0; k < span->row_count; k++)
			if (scene->rows[span->row_first + k].addr <= addr) {
				answer = scene->rows[span->row_first + k];
				*ret_column = scene->keeps_columns ? scene->columns[span->row_first + k] : 0;
			}
	}
	return answer;
}

/* ---- Held against each other ---- */

static void check_segments(const struct scene *scene, uint64_t seed, const struct splitter *splitter)
{
	const struct segment *segments = splitter->segments;
	uint32_t at = 0;
	for (uint32_t i = 0; i < splitter->segment_count; i++) {
		CHECK(segments[i].size, "segment %u is empty", i);
		if (!i)
			continue;
		CHECK(segment_end(&segments[i - 1]) <= segments[i].start, "segment %u overlaps the one before", i);
		CHECK(segment_end(&segments[i - 1]) != segments[i].start || segments[i - 1].scope != segments[i].scope,
		      "segments %u and %u should be one", i - 1, i);
	}
	for (uint64_t k = 0; k <= ADDRS; k++) {
		uint64_t addr = scene->base + k;
		while (at < splitter->segment_count && segment_end(&segments[at]) <= addr)
			at++;
		bool inside = at < splitter->segment_count && segments[at].start <= addr;
		uint32_t got = inside ? segments[at].scope : NOTHING, want = oracle_scope(scene, addr);
		CHECK(got == want, "address %u: scope %d, expected %d", (unsigned)k, (int)got, (int)want);
	}
}

/* The intervals of one part against the oracle at each of its addresses. */
static void check_part(const struct scene *scene, uint64_t seed, uint64_t start, uint64_t end,
		       const struct interval *intervals, uint32_t count)
{
	uint32_t at = 0;
	CHECK(count && intervals[0].start == 0, "a part's intervals begin at its start");
	for (uint32_t i = 1; i < count; i++) {
		const struct interval *a = &intervals[i - 1], *b = &intervals[i];
		CHECK(a->start < b->start && b->start < end - start, "interval %u starts at %u", i, b->start);
		CHECK(a->context != b->context || a->file != b->file || a->line != b->line || a->column != b->column,
		      "RULES B9: intervals %u and %u are equal", i - 1, i);
	}
	for (uint64_t addr = start; addr < end; addr++) {
		while (at + 1 < count && intervals[at + 1].start <= addr - start)
			at++;
		uint32_t column;
		struct split_row want = oracle_row(scene, addr, &column);
		uint32_t context = scene->contexts[oracle_scope(scene, addr)];
		CHECK(intervals[at].context == context && intervals[at].file == want.file &&
			      intervals[at].line == want.line,
		      "address %u: context %u file %u line %u, expected %u %u %u", (unsigned)(addr - scene->base),
		      intervals[at].context, intervals[at].file, intervals[at].line, context, want.file, want.line);
		CHECK(intervals[at].column == column, "address %u: column %u, expected %u",
		      (unsigned)(addr - scene->base), intervals[at].column, column);
	}
}

static uint64_t line_bytes_of(const struct interval *intervals, uint32_t count, uint64_t size)
{
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < count; i++)
		if (intervals[i].line)
			bytes += (i + 1 < count ? intervals[i + 1].start : size) - intervals[i].start;
	return bytes;
}

static void check_rows(const struct scene *scene, uint64_t seed, const struct splitter *splitter,
		       struct interval_list *list)
{
	const struct segment *segments = splitter->segments;
	const struct covering_rows covering = {
		scene->rows,
		scene->keeps_columns ? scene->columns : NULL,
		scene->spans,
		scene->span_count,
	};
	list->count = 0;
	for (uint32_t i = 0, next; i < splitter->segment_count; i = next) {
		for (next = i + 1;
		     next < splitter->segment_count && segments[next].start == segment_end(&segments[next - 1]); next++)
			;
		uint32_t first = list->count;
		list->line_bytes = 7; /* what is there already stays */
		assert_true(split_rows(segments + i, next - i, &covering, scene->contexts, list));
		assert_int_equal(list->line_bytes - 7,
				 line_bytes_of(list->intervals + first, list->count - first,
					       segment_end(&segments[next - 1]) - segments[i].start));
		check_part(scene, seed, segments[i].start, segment_end(&segments[next - 1]), list->intervals + first,
			   list->count - first);
	}
}

#endif
