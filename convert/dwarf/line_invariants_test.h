/* For tests: what line_program.h promises of every table. */
#ifndef LOCUS_LINE_INVARIANTS_TEST_H
#define LOCUS_LINE_INVARIANTS_TEST_H

#include "convert/dwarf/line_program.h"

/* Which promise is broken; NULL: none is. */
static inline const char *line_table_fault(const struct line_table *table)
{
	uint32_t next = 0;
	for (uint32_t i = 0; i < table->sequence_count; i++) {
		const struct sequence *s = &table->sequences[i];
		const struct split_row *rows = table->rows + s->row_first;
		if (s->row_first < next || s->row_first + s->row_count > table->row_count)
			return "a sequence's rows are not its own";
		if (s->start >= s->end || !s->row_count || rows[0].addr != s->start ||
		    rows[s->row_count - 1].addr >= s->end)
			return "a sequence is out of shape";
		for (uint32_t k = 1; k < s->row_count; k++)
			if (rows[k - 1].addr >= rows[k].addr)
				return "rows do not ascend";
		next = s->row_first + s->row_count;
	}
	return NULL;
}

#endif
