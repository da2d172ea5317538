/* The tables of counters that files and conversions carry, for a person and as JSON. */
#ifndef LOCUS_COUNTER_NAMES_H
#define LOCUS_COUNTER_NAMES_H

#include "cmd/common/json.h"
#include "reader/locus.h"

/* Percent of the executable bytes that have a line, inlined or not; 0 if there are no bytes. */
double coverage_line_percent(const struct locus_counter_info *counters, size_t count);

/* Prints a table for people, with shares of the total; counters that are 0 are left out. */
void text_coverage(struct out *out, const struct locus_counter_info *counters, size_t count);
void text_dropped(struct out *out, const struct locus_counter_info *counters, size_t count);

/* "coverage":{"line":123,...} and "dropped":{...}, without zeros in the latter. */
void json_coverage(struct json *json, const struct locus_counter_info *counters, size_t count);
void json_dropped(struct json *json, const struct locus_counter_info *counters, size_t count);

#endif
