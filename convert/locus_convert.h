/*
 * The converter's public interface: one ELF file's debug information in, one .locus file out, or the bytes of one that
 * answers for a few addresses.
 */
#ifndef LOCUS_LOCUS_CONVERT_H
#define LOCUS_LOCUS_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "spec/counters.h"
#include "spec/kinds.h"
#include "spec/status.h"

/* What the library exports; the rest of it is hidden. */
#define LOCUS_EXPORT __attribute__((visibility("default")))

/* What a conversion does, one after the other; in each, all its threads work as far as there is work for them. */
enum locus_convert_phase {
	LOCUS_PHASE_FILES,    /* the file's companions are found and described */
	LOCUS_PHASE_SECTIONS, /* symbols are read, and the sections that are needed as a whole inflated */
	LOCUS_PHASE_UNITS,    /* units are read, and split into intervals */
	LOCUS_PHASE_MERGING,  /* what several units say of the same code is settled */
	LOCUS_PHASE_BLOCKS,   /* intervals are encoded and compressed */
	LOCUS_PHASE_TABLES,   /* functions and files are sorted, encoded and written */
	LOCUS_PHASE_COUNT
};

struct locus_convert_phase_time {
	double wall_s;
	double cpu_s; /* of all threads of the process */
};

/*
 * Told of how far a conversion is: at the beginning of each phase, and after each unit with how many of so many bytes
 * of debug information are read. Called by any of the conversion's threads, by one at a time.
 */
typedef void locus_convert_progress(void *context, enum locus_convert_phase phase, uint64_t done, uint64_t total);

/* A companion that was looked for and not found, by which it can be had from elsewhere. */
enum locus_missing_kind {
	LOCUS_MISSING_NOTHING,
	LOCUS_MISSING_DEBUG,     /* the separate debug file */
	LOCUS_MISSING_ALTERNATE, /* what several debug files share, as dwz makes it */
};

enum { LOCUS_MISSING_ID_MAX = 64 };

struct locus_missing {
	enum locus_missing_kind kind;
	uint8_t build_id[LOCUS_MISSING_ID_MAX];
	size_t build_id_size;
};

enum {
	LOCUS_CONVERT_LEVEL_MAX = 22,
	LOCUS_CONVERT_THREADS_MAX = 256,
	LOCUS_CONVERT_BLOCK_SIZE = 16384, /* what the command takes where nobody says otherwise */
};

struct locus_convert_options {
	const char *output;            /* path to write */
	const char *destination;       /* where the caller will move it to; NULL: nowhere */
	bool sync;                     /* the file is on its disk before it appears */
	unsigned job_count;            /* threads, 1 or more; at most LOCUS_CONVERT_THREADS_MAX run */
	int level;                     /* zstd's, 1 to LOCUS_CONVERT_LEVEL_MAX; 0: stored */
	uint32_t block_size;           /* intervals to a block, 1 to LOCUS_BLOCK_ENTRIES_MAX */
	uint64_t max_memory;           /* bytes that may be taken; 0: what honest input of its size can need */
	const char *debug_file;        /* separate debug file to read instead of searching; NULL: search */
	const char *const *debug_dirs; /* where to look for separate debug files; NULL: /usr/lib/debug */
	size_t debug_dir_count;
	const char *alt_file;           /* dwz's alternate file; NULL: search */
	const char *dwp_file;           /* split DWARF package; NULL: search */
	const char *const *prefix_maps; /* "OLD=NEW" (RULES F4) */
	size_t prefix_map_count;
	struct locus_missing
		*missing;  /* set where a companion is missing, also where that is no error; NULL: unasked */
	bool symbols_only; /* where there is no debug information, take names from symbols instead of failing */
	bool embed;  /* write a copy of the program at `path` that carries the .locus file, instead of the file alone */
	bool digest; /* digest all bytes of all inputs, not only of those without a build-id */
	bool columns;                     /* keep the source columns of rows and calls */
	locus_convert_progress *progress; /* NULL: nobody wants to know */
	void *progress_context;
};

/* Counters of what the input held, and by the ids of spec/counters.h of what was dropped. */
struct locus_convert_result {
	uint64_t bytes_written;
	uint64_t unit_count;
	uint64_t interval_count;
	uint64_t context_count;
	uint64_t function_count;
	uint64_t file_count;
	uint64_t name_bytes;
	uint64_t coverage[LOCUS_COVERAGE_COUNT]; /* bytes */
	uint64_t dropped[LOCUS_DROPPED_COUNT];
	struct locus_convert_phase_time phases[LOCUS_PHASE_COUNT];
	/* Units with the fewest executable bytes that have a line, worst first. Names are owned by the result. */
	struct {
		char *name;
		uint64_t bytes;      /* of the unit's functions */
		uint64_t line_bytes; /* of these, with a line */
	} worst[5];
	size_t worst_count;
	/* Of a whole conversion: the paths of all files that were read, each ended by a NUL, the program's first. Owned
	 * by the result. */
	char *read_paths;
	size_t read_paths_size;
};

/*
 * Converts `path`. On anything but LOCUS_OK nothing is left at options->output that was not there before. It is an
 * error (LOCUS_ERR_IO) where a file that is read, named or found, is at options->output or options->destination.
 * `error->text` names the file only where it is not `path` itself (a companion).
 */
LOCUS_EXPORT enum locus_status locus_convert(const char *path, const struct locus_convert_options *options,
					     struct locus_convert_result *ret, struct locus_error *error);
LOCUS_EXPORT void locus_convert_result_done(struct locus_convert_result *result);

/*
 * Converts to memory, and only what answers for the given addresses, in any order: the same answers as the whole file
 * has, but for locids, which only a whole file has, and for other addresses none. `addresses` NULL: all of them; and
 * where they are in so many units that to convert everything is cheaper, that is done. Such a file, and no other, has
 * its inputs in its meta data. *ret_data is the bytes of a .locus file, as locus_open_memory takes them, to be freed
 * with free. Of the options, `output` and `destination` are not looked at, and job_count only where all is converted.
 * Errors are those of locus_convert.
 */
LOCUS_EXPORT enum locus_status locus_convert_to_memory(const char *path, const struct locus_convert_options *options,
						       const uint64_t *addresses, size_t address_count, void **ret_data,
						       size_t *ret_size, struct locus_error *error);

/*
 * The same for the addresses where functions of these names begin: where symbols say so that have the very name, or the
 * name and what compilers add behind a '.' or '@'. locus_function_places then finds the functions. One that no symbol
 * names is not among them: who does not find a function asks for everything.
 */
LOCUS_EXPORT enum locus_status locus_convert_functions_to_memory(const char *path,
								 const struct locus_convert_options *options,
								 const char *const *names, size_t name_count,
								 void **ret_data, size_t *ret_size,
								 struct locus_error *error);

/* What a file says of the options that changed its content, a line each (FORMAT.md 6.1). Malloc'd; NULL: no memory. */
LOCUS_EXPORT char *locus_convert_options_text(const struct locus_convert_options *options);

/* Of which files all bytes are digested. */
enum locus_convert_digests {
	LOCUS_CONVERT_SOME_DIGESTS, /* of those without a build-id; of others the headers */
	LOCUS_CONVERT_ALL_DIGESTS,
	LOCUS_CONVERT_NO_DIGESTS, /* of none, and nothing else is digested either */
};

/* A file that a conversion reads. */
struct locus_convert_input {
	enum locus_input_role role;
	const char *name;        /* without its directories */
	uint64_t size;           /* bytes; of a program that carries its symbols as it was before */
	const uint8_t *build_id; /* NULL: none */
	size_t build_id_size;
	enum locus_digest_kind digest_kind;
	uint8_t digest[LOCUS_DIGEST_SIZE];
	struct timespec changed; /* when the file was last written to */
};

struct locus_convert_inputs {
	const struct locus_convert_input *list; /* by role, then name: the program first */
	size_t count;
};

/*
 * Tells the files that a conversion of `path` would read now, found as it would find them; of the options only those
 * that say what is read matter. `split_files`: .dwo files too, for which every unit is looked at; they fail where one
 * is missing. Errors are those of locus_convert. *ret is freed by locus_convert_inputs_free.
 */
LOCUS_EXPORT enum locus_status locus_convert_inputs(const char *path, const struct locus_convert_options *options,
						    enum locus_convert_digests digests, bool split_files,
						    struct locus_convert_inputs **ret, struct locus_error *error);
LOCUS_EXPORT void locus_convert_inputs_free(struct locus_convert_inputs *inputs);

/*
 * A witness: it answers from an ELF file's debug information as conversion does, by RULES.md, but reads it another way,
 * through libdw's own functions for functions and inlinees and a plain line program. What both take from one place is
 * the executable code, the symbol table, and the search for companions. For one thread.
 */
struct locus_witness;

/* A frame as a .locus file tells it; strings are NULL where they are absent, numbers 0. */
struct locus_told_frame {
	const char *function;
	const char *linkage;
	const char *path;
	uint32_t line;
	uint32_t column;
};

/* What a .locus file tells of an address. */
struct locus_told {
	uint64_t address;
	const struct locus_told_frame *frames; /* innermost first */
	size_t frame_count;                    /* 0: nothing is known */
	bool is_symbol;                        /* of a part that only the symbol table knows */
	bool has_columns;                      /* columns were kept */
	uint64_t part_start;                   /* of the outermost frame's part */
};

/*
 * Opens the witness for `path`; of the options those count that say what is read, and prefix maps.
 * LOCUS_ERR_UNSUPPORTED: libdw cannot read such files (object files, members of archives, packed modules, packages of
 * split units). Else as locus_convert. Freed by locus_witness_free, which takes NULL.
 */
LOCUS_EXPORT enum locus_status locus_witness_open(const char *path, const struct locus_convert_options *options,
						  struct locus_witness **ret, struct locus_error *error);
LOCUS_EXPORT void locus_witness_free(struct locus_witness *witness);

/*
 * Whether the debug information says what is told. Where it does not, `says` is what it says, as one line of text.
 * Where several functions claim an address (RULES C7, C8), or several sequences of rows (B10), each of them counts.
 */
LOCUS_EXPORT enum locus_status locus_witness_hear(struct locus_witness *witness, const struct locus_told *told,
						  bool *ret_agrees, char *says, size_t says_size,
						  struct locus_error *error);

/*
 * Every address at which what the debug information says may become another, sorted, each once: malloc'd. Whatever
 * agrees at all of these and where its own intervals begin agrees everywhere.
 */
LOCUS_EXPORT enum locus_status locus_witness_bounds(struct locus_witness *witness, uint64_t **ret, size_t *ret_count,
						    struct locus_error *error);

/*
 * Reads the build-id of the ELF file at `path` into `ret`, which has room for *size bytes, and sets *size. False: it is
 * no ELF file, has none, or has a larger one.
 */
LOCUS_EXPORT bool locus_elf_build_id(const char *path, uint8_t *ret, size_t *size);

/* A member of a static archive. */
struct locus_archive_member {
	const char *path; /* that locus_convert takes: ARCHIVE(MEMBER), or ARCHIVE(MEMBER#N) for the N-th of a name */
	uint64_t size;
	const char *problem; /* as locus_convert would tell it: it is no ELF file, or cannot be read; NULL: none seen */
};

/*
 * Tells the members of the static archive at `path`, in order; `member` is valid during the call of `tell`.
 * *ret_is_archive is false, and nothing told, where there is no archive at `path`. LOCUS_ERR_BAD_ELF: it is damaged; or
 * the name of a member is longer than PATH_MAX; or the names, which may be parts of each other, are together longer
 * than four times the archive; or a thin archive names the same files again and again; or there are more members
 * without a problem than an archive of that size can hold.
 */
typedef void locus_archive_tell(void *context, const struct locus_archive_member *member);
LOCUS_EXPORT enum locus_status locus_archive_members(const char *path, locus_archive_tell *tell, void *context,
						     bool *ret_is_archive, struct locus_error *error);

/* Raised when the same input would now give better answers: what a .locus file says of itself (FORMAT.md). */
LOCUS_EXPORT extern const uint32_t locus_convert_rules_epoch;

/* LOCUS_VERSION of the build, for those who load the library at run time. */
LOCUS_EXPORT extern const char locus_convert_version[];

#endif
