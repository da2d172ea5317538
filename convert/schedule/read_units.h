/* Reads all units of a file on several threads, and collects the results. */
#ifndef LOCUS_READ_UNITS_H
#define LOCUS_READ_UNITS_H

#include <stdatomic.h>

#include "base/first_failure.h"
#include "convert/schedule/large_unit.h"
#include "convert/schedule/unit_queue.h"

/* A .dwo or .dwp; it stays open, because results refer to its strings. */
struct split_file {
	struct elf_file *file;
	struct dwarf dwarf;
	struct split_file *next;
};

/* Called after each unit of .debug_info with the number of bytes read so far, and in all; by one thread at a time. */
typedef void units_progress(void *context, uint64_t done, uint64_t total);

struct units {
	struct unit_result **results; /* by unit, in the file's order; NULL: it has no code */
	uint32_t count;
	struct piece *pieces; /* of all units, in no order */
	uint32_t piece_count;
	uint64_t dropped[LOCUS_DROPPED_COUNT];

	/* Set up by units_init. */
	const char *path; /* the input's: .dwo files are searched beside it */
	struct dwarf *dwarf;
	struct shared *shared;
	struct split_file *package; /* the .dwp, or NULL; also in split_files */
	struct split_file *split_files;
	void *split_names;        /* tsearch tree of struct split_name: the .dwo files that skeletons name */
	bool is_survey;           /* set by the caller: .dwo and .dwp files are found, but not read */
	units_progress *progress; /* set by the caller; NULL: progress is not reported */
	void *progress_context;
	struct unit_queue queue; /* while they are read */
	struct large_units large;
	struct first_failure failure;

	/*
	 * Set by the caller: work that the first thread does which finds no unit left, while others still read; NULL:
	 * none. It is also done where units fail to be read.
	 */
	void (*beside)(void *context);
	void *beside_context;
	atomic_bool beside_is_taken;
	atomic_bool strings_are_taken; /* a thread has begun to inflate .debug_str */

	/* `lock` guards the fields below while threads read, and those above that change then. */
	struct short_lock lock;
	uint64_t info_released; /* the bytes below were given back */
	uint64_t lines_released;
	uint64_t lines_reached; /* the highest end of a table that is done */
	uint64_t *line_floors;  /* by thread: where the part of .debug_line begins that it may still read; NULL: nothing
				   is given back that would have to be inflated again */
	uint64_t *info_floors;  /* the same of .debug_info, of which it may read besides what was referred to */
	unsigned thread_count;
	uint64_t *line_tables;     /* offsets that units refer to */
	uint64_t *line_table_ends; /* the ends of these tables, if their headers can be read */
	uint32_t line_table_count, line_table_room, line_end_room, result_room, piece_room;
	struct arena arena; /* memory of the results */
};

/* `path`, `dwarf` and `shared` are borrowed. Freed by units_done, also where nothing was read. */
void units_init(struct units *units, const char *path, struct dwarf *dwarf, struct shared *shared);
void units_done(struct units *units);

/* The path of a .dwo or .dwp that was written to since it was opened; NULL: none. */
const char *units_changed_split_file(const struct units *units);

/* Whether a .dwo or .dwp that was read is at `path`. */
bool units_have_split_file(const struct units *units, const char *path);

/*
 * Sets the .dwp with the split units of skeletons; `file` is owned from then on. Without one, .dwo files are searched.
 */
enum locus_status units_add_package(struct units *units, struct elf_file *file, struct locus_error *error);

/*
 * Finds the .dwo files that skeletons name without reading them; prepares the sections of `dwarf` that this needs.
 * LOCUS_ERR_COMPANION: one is missing. For a survey, instead of units_read.
 */
enum locus_status units_find_split_files(struct units *units, struct locus_error *error);

/*
 * Reads every unit, and the line tables that no unit refers to. dwarf_prepare was called, with units_in_order.
 * .debug_str, .debug_info and .debug_line are inflated here, and the latter two given back behind the readers:
 * .debug_line if no unit refers to another, .debug_info except what was referred to.
 */
enum locus_status units_read(struct units *units, unsigned thread_count, struct locus_error *error);

/*
 * Reads the chosen units (NULL: all) in addition to those that were read before. If .debug_info is compressed it is at
 * its front.
 */
enum locus_status units_read_chosen(struct units *units, const struct unit_choice *choice, struct locus_error *error);

/* Forgets all units that were read, so that they can be chosen and read again. */
void units_forget(struct units *units);

/*
 * Reads the line tables that are not among the `referred` offsets, which are in any order and are sorted here (RULES
 * B14).
 */
enum locus_status units_read_lone_tables(struct units *units, uint64_t *referred, uint32_t count,
					 struct locus_error *error);

#endif
