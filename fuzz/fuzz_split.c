/* A function's scopes and rows: split gives what its oracle gives at each address. */
#include <inttypes.h>

#include "convert/unit/split_oracle_test.h"
#include "fuzz/fuzz.h"

const struct fuzz_target fuzz_target = {.name = "split", .files = "split", .variations = 1000};

/* Any scopes and ranges, also nonsense ones: these come from DIEs as they are. */
static void take_scopes(struct scene *scene, struct input *input)
{
	scene->scope_count = 1 + input_below(input, SCOPES_MAX);
	for (uint32_t i = 0; i < scene->scope_count; i++) {
		struct split_scope *scope = &scene->scopes[i];
		scope->parent = i ? input_below(input, i) : 0;
		scope->range_first = scene->range_count;
		scope->range_count = 0;
		for (uint32_t left = input_below(input, 4); left && scene->range_count < RANGES_MAX; left--) {
			uint64_t start = scene->base + input_below(input, ADDRS + 1);
			uint64_t end = scene->base + input_below(input, ADDRS + 1);
			scene->ranges[scene->range_count++] = (struct range){start, end};
			scope->range_count++;
		}
		scene->contexts[i] = input_below(input, i + 1);
	}
}

/* Sorted, disjoint spans, each of rows that ascend from its start or below it: as sequences_choose gives them. */
static void take_rows(struct scene *scene, struct input *input)
{
	uint32_t at = input_below(input, ADDRS);
	while (input->size && at < ADDRS && scene->span_count < SPANS_MAX && scene->row_count + ADDRS + 2 < ROWS_MAX) {
		struct row_span *span = &scene->spans[scene->span_count++];
		uint32_t end = at + 1 + input_below(input, ADDRS - at), before = input_below(input, 3);
		uint32_t addr = at > before ? at - before : 0, more;
		*span = (struct row_span){scene->base + at, scene->base + end, scene->row_count, 0};
		do {
			scene->rows[scene->row_count++] = (struct split_row){
				.addr = scene->base + addr,
				.file = input_below(input, 3),
				.line = input_below(input, 4),
			};
			span->row_count++;
			more = input_byte(input);
			addr += 1 + more % 32;
		} while (more >= 32 && addr <= end + 4 && addr <= ADDRS);
		at = end + input_below(input, 4);
	}
}

static void observe_split(const struct splitter *splitter, const struct interval_list *list)
{
	observe("ok: %u segments, %u intervals\nsegments:", splitter->segment_count, list->count);
	for (uint32_t i = 0; i < splitter->segment_count; i++)
		observe(" 0x%" PRIx64 " to 0x%" PRIx64 " in %u,", splitter->segments[i].start,
			segment_end(&splitter->segments[i]), splitter->segments[i].scope);
	observe("\nintervals:");
	for (uint32_t i = 0; i < list->count; i++)
		observe(" +%u=%u:%u:%u", list->intervals[i].start, list->intervals[i].context, list->intervals[i].file,
			list->intervals[i].line);
	observe("\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct scene scene;
	static struct splitter splitter;
	static struct interval_list list;
	struct input input = {data, size};
	scene.base = input_below(&input, 2) ? UINT64_MAX - ADDRS : 0;
	scene.range_count = scene.row_count = scene.span_count = 0;
	take_scopes(&scene, &input);
	take_rows(&scene, &input);
	HOLD(split_scopes(&splitter, scene.scopes, scene.scope_count, scene.ranges, false));
	check_segments(&scene, 0, &splitter);
	check_rows(&scene, 0, &splitter, &list);
	observe_split(&splitter, &list);
	return 0;
}
