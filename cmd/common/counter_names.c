/* The names of the counters, and the tables that info and convert --stats show of them. */
#include <stdio.h>

#include "cmd/common/counter_names.h"

static const struct counter_name coverage_names[] = {
#define X(id, value, name, text) [value] = {name, text},
	LOCUS_COVERAGE(X)
#undef X
};

static const struct counter_name dropped_names[] = {
#define X(id, value, name, rule, text) [value] = {name, text},
	LOCUS_DROPPED(X)
#undef X
};

const struct counter_name *coverage_name(uint32_t id)
{
	return id < LOCUS_COVERAGE_COUNT ? &coverage_names[id] : NULL;
}

const struct counter_name *dropped_name(uint32_t id)
{
	return id < LOCUS_DROPPED_COUNT ? &dropped_names[id] : NULL;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static uint64_t total(const struct locus_counter_info *counters, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += counters[i].value;
	return sum;
}

double coverage_line_percent(const struct locus_counter_info *counters, size_t count)
{
	uint64_t with_line = 0;

	for (size_t i = 0; i < count; i++) {
		if (counters[i].id == LOCUS_COVERAGE_LINE || counters[i].id == LOCUS_COVERAGE_INLINE)
			with_line += counters[i].value;
	}
	return percent(with_line, total(counters, count));
}

void text_coverage(struct out *out, const struct locus_counter_info *counters, size_t count)
{
	uint64_t whole = total(counters, count);

	out_format(out, "\n%-15s %14llu bytes of code\n", "coverage", (unsigned long long)whole);
	for (size_t i = 0; i < count; i++) {
		const struct counter_name *known = coverage_name(counters[i].id);
		if (counters[i].value)
			out_format(out, "  %-13s %14llu %6.2f %%  %s\n", known ? known->name : "?",
				   (unsigned long long)counters[i].value, percent(counters[i].value, whole),
				   known ? known->text : "counted by a newer version");
	}
}

void text_dropped(struct out *out, const struct locus_counter_info *counters, size_t count)
{
	if (total(counters, count) == 0)
		return;
	out_text(out, "\ndropped\n");
	for (size_t i = 0; i < count; i++) {
		const struct counter_name *known = dropped_name(counters[i].id);
		if (counters[i].value)
			out_format(out, "  %-15s %12llu  %s\n", known ? known->name : "?",
				   (unsigned long long)counters[i].value,
				   known ? known->text : "counted by a newer version");
	}
}

static void json_counter(struct json *json, const struct counter_name *known, const struct locus_counter_info *counter)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", counter->id);
	json_key_u64(json, known ? known->name : number, counter->value);
}

void json_coverage(struct json *json, const struct locus_counter_info *counters, size_t count)
{
	json_key(json, "coverage");
	json_open(json, '{');
	for (size_t i = 0; i < count; i++)
		json_counter(json, coverage_name(counters[i].id), &counters[i]);
	json_close(json, '}');
}

void json_dropped(struct json *json, const struct locus_counter_info *counters, size_t count)
{
	json_key(json, "dropped");
	json_open(json, '{');
	for (size_t i = 0; i < count; i++) {
		if (counters[i].value)
			json_counter(json, dropped_name(counters[i].id), &counters[i]);
	}
	json_close(json, '}');
}
