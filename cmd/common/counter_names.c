/* The tables of counters that info and convert --stats show. */
#include "cmd/common/counter_names.h"

#include <stdio.h>

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
		const char *name = locus_coverage_name(counters[i].id), *text = locus_coverage_text(counters[i].id);
		if (counters[i].value)
			out_format(out, "  %-13s %14llu %6.2f %%  %s\n", name ? name : "?",
				   (unsigned long long)counters[i].value, percent(counters[i].value, whole),
				   text ? text : "counted by a newer version");
	}
}

void text_dropped(struct out *out, const struct locus_counter_info *counters, size_t count)
{
	if (total(counters, count) == 0)
		return;
	out_text(out, "\ndropped\n");
	for (size_t i = 0; i < count; i++) {
		const char *name = locus_dropped_name(counters[i].id), *text = locus_dropped_text(counters[i].id);
		if (counters[i].value)
			out_format(out, "  %-15s %12llu  %s\n", name ? name : "?",
				   (unsigned long long)counters[i].value, text ? text : "counted by a newer version");
	}
}

static void json_counter(struct json *json, const char *name, const struct locus_counter_info *counter)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", counter->id);
	json_key_u64(json, name ? name : number, counter->value);
}

void json_coverage(struct json *json, const struct locus_counter_info *counters, size_t count)
{
	json_key(json, "coverage");
	json_open(json, '{');
	for (size_t i = 0; i < count; i++)
		json_counter(json, locus_coverage_name(counters[i].id), &counters[i]);
	json_close(json, '}');
}

void json_dropped(struct json *json, const struct locus_counter_info *counters, size_t count)
{
	json_key(json, "dropped");
	json_open(json, '{');
	for (size_t i = 0; i < count; i++) {
		if (counters[i].value)
			json_counter(json, locus_dropped_name(counters[i].id), &counters[i]);
	}
	json_close(json, '}');
}
