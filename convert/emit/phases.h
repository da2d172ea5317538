/* Measures the phases of a conversion, and reports its progress. */
#ifndef LOCUS_PHASES_H
#define LOCUS_PHASES_H

#include "convert/locus_convert.h"

struct phases {
	locus_convert_progress *progress; /* NULL: progress is not reported */
	void *context;
	struct locus_convert_phase_time times[LOCUS_PHASE_COUNT];
	enum locus_convert_phase current;
	double wall_s, cpu_s; /* when the current phase began; 0 before the first */
	uint64_t read_size;   /* bytes of debug information that were reported as read */
};

/* Ends the current phase and begins another. */
void phases_enter(struct phases *phases, enum locus_convert_phase phase);

/* Ends the last phase. */
void phases_end(struct phases *phases);

/* A units_progress, whose context is the phases: reports what was read. */
void phases_note_read(void *phases, uint64_t done, uint64_t total);

#endif
