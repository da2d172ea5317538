/* Stacks of inlined C++ functions make forty bytes of a text some kilobytes. */
#include "cmd/common/output_bound.h"

#include "cmd/common/report.h"

enum { OUTPUT_PER_BYTE = 1024, OUTPUT_SPARE = 1 << 26 };

enum locus_status output_bound_check(const struct output_bound *bound, struct locus_error *error)
{
	if (out_total(bound->out) <= OUTPUT_SPARE + OUTPUT_PER_BYTE * bound->read)
		return LOCUS_OK;
	return error_fail(error, LOCUS_ERR_LIMIT,
			  "more is shown of symbols than what was asked can need: no more is looked up");
}
