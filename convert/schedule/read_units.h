/* Reads units on several threads, and collects their results. */
#ifndef LOCUS_READ_UNITS_H
#define LOCUS_READ_UNITS_H

#include <stdatomic.h>

#include "base/first_failure.h"
#include "convert/dwarf/split_files.h"
#include "convert/schedule/large_unit.h"
#include "convert/schedule/passed_sections.h"
#include "convert/schedule/table_references.h"
#include "convert/schedule/unit_queue.h"
#include "convert/schedule/unit_results.h"

/*
 * Called after each batch of units, or each unit where these stand in their places, with the number of bytes of
 * .debug_info read so far, and in all; by one thread at a time.
 */
typedef void units_progress(void *context, uint64_t done, uint64_t total);

struct units {
	struct unit_results results;

	/* Set up by units_init. */
	struct dwarf *dwarf;
	struct split_files *split_files;
	struct shared *shared;

	/* Set by the caller. */
	units_progress *progress; /* NULL: progress is not reported */
	void *progress_context;

	bool split_is_optional; /* set by the caller: of a unit whose split unit is not found, the skeleton is read */

	/*
	 * Set by the caller: work that the first thread does which finds no unit left, while others still read; NULL:
	 * none. It is also done where units fail to be read.
	 */
	void (*beside)(void *context);
	void *beside_context;

	/* While units are read. */
	struct unit_queue queue;
	struct large_units large;
	struct passed_sections passed;
	bool reads_all;
	struct table_references tables; /* of all units, while all are read */
	struct first_failure failure;
	struct short_lock lock; /* guards `tables`, and is held while progress is told */
	atomic_bool beside_is_taken;
	atomic_bool strings_are_taken; /* a thread has begun to inflate .debug_str */
};

/* The arguments are borrowed. Freed by units_done, also where nothing was read. */
void units_init(struct units *units, struct dwarf *dwarf, struct split_files *split_files, struct shared *shared);
void units_done(struct units *units);

/*
 * Reads every unit, and the line tables that no unit refers to. dwarf_prepare was called, with units_in_order.
 * .debug_str, .debug_info, .debug_line and long lists of ranges are inflated here, and all but .debug_str given back
 * behind the readers: .debug_info except partial units and what was referred to; where few units may refer to others,
 * until one does.
 */
enum locus_status units_read(struct units *units, unsigned thread_count, struct locus_error *error);

/*
 * Reads the chosen units (NULL: all) in addition to those that were read before. If .debug_info is compressed it is at
 * its front.
 */
enum locus_status units_read_chosen(struct units *units, const struct unit_choice *choice, struct locus_error *error);

#endif
