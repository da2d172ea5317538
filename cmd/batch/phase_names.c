/* One name for each phase, in messages as in JSON. */
#include "cmd/batch/phase_names.h"

#include <assert.h>

static const char *const names[] = {
	[LOCUS_PHASE_FILES] = "files",     [LOCUS_PHASE_SECTIONS] = "sections", [LOCUS_PHASE_UNITS] = "units",
	[LOCUS_PHASE_MERGING] = "merging", [LOCUS_PHASE_BLOCKS] = "blocks",     [LOCUS_PHASE_TABLES] = "tables",
};
static_assert(sizeof(names) / sizeof(names[0]) == LOCUS_PHASE_COUNT, "each phase has a name");

const char *phase_name(enum locus_convert_phase phase)
{
	return names[phase];
}
