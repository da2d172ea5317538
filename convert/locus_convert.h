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

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* of a struct by the function that gives one, as in reader/locus.h */
#endif

/* What the library exports; the rest of it is hidden. */
#define LOCUS_EXPORT __attribute__((visibility("default")))

/* The phases of a conversion, in their order. In each of them several threads work. */
enum locus_convert_phase {
	LOCUS_PHASE_FILES,    /* the file's companions are found and described */
	LOCUS_PHASE_SECTIONS, /* symbols are read, and the sections inflated that units need as a whole, except
				 .debug_str */
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
 * Reports how far a conversion is: called at the beginning of each phase, and after each unit with the number of bytes
 * of debug information read so far, and in all. Any of its threads calls it, but only one at a time.
 */
typedef void locus_convert_progress(void *context, enum locus_convert_phase phase, uint64_t done, uint64_t total);

/* A companion file that was not found, described so that it can be fetched from elsewhere. */
enum locus_missing_kind {
	LOCUS_MISSING_NOTHING,
	LOCUS_MISSING_DEBUG,     /* the separate debug file */
	LOCUS_MISSING_ALTERNATE, /* the file that several debug files share, made by dwz */
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
	LOCUS_CONVERT_STACK = 4 << 20,    /* bytes that each thread but the first reserves, and hardly uses */
	LOCUS_CONVERT_BLOCK_SIZE = 16384, /* the default of the command */
};

struct locus_convert_options {
	const char *output;            /* path to write */
	const char *destination;       /* where the caller will move it to; NULL: nowhere */
	bool sync;                     /* the bytes are on the disk before the file appears */
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
	struct locus_missing *missing; /* filled if a companion is missing, even if that is no failure; may be NULL */
	uint64_t member_header; /* of ARCHIVE(MEMBER): where its header is, by locus_archive_members; 0: search */
	bool symbols_only;      /* if there is no debug information, take names from symbols instead of failing */
	/*
	 * Do without companions that are not found, or not whole: a unit whose split unit is missing is read as its
	 * skeleton, which has lines; and where the alternate file is missing, only the line tables are read, or where
	 * there are none, with `symbols_only`, the symbols.
	 */
	bool companions_optional;
	bool embed;   /* write a copy of the program at `path` that carries the .locus file, instead of the file alone;
			 `output` may be `path` then, and is a new file, not executable */
	bool digest;  /* digest all bytes of all inputs, not only of those without a build-id */
	bool columns; /* keep the source columns of rows and calls */
	locus_convert_progress *progress; /* NULL: progress is not reported */
	void *progress_context;
};

/* Counts of what was read and, by the ids of spec/counters.h, of what was dropped. */
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
		uint64_t line_bytes; /* of these, bytes that have a line */
	} worst[5];
	size_t worst_count;
	/*
	 * Of a whole conversion: the paths of all files that were read, each ended by a NUL, the program's first. Owned
	 * by the result.
	 */
	char *read_paths;
	size_t read_paths_size;
};

/*
 * Converts `path`. On failure options->output is as it was before. LOCUS_ERR_USAGE: an option is out of its range.
 * LOCUS_ERR_LIMIT: it takes more memory than options->max_memory. LOCUS_ERR_IO, too: a file that is read, named or
 * found, lies at options->output or options->destination. LOCUS_ERR_OUTPUT: options->output cannot be written.
 * `error->text` names the file that is at fault if it is neither `path` itself nor the output, but a companion.
 */
LOCUS_EXPORT enum locus_status locus_convert(const char *path, const struct locus_convert_options *options,
					     struct locus_convert_result *ret, struct locus_error *error);
LOCUS_EXPORT void locus_convert_result_done(struct locus_convert_result *result);

/*
 * Converts to memory, and only what answers for the given addresses, which may be in any order. The answers are those
 * of the whole file, except for locids, which only a whole file has; for other addresses there are none. `addresses`
 * NULL: everything is converted; so it is if the addresses are in so many units that this is cheaper. Only a file with
 * everything records its inputs. *ret_data has the bytes of a .locus file for locus_open_memory, to be freed with free.
 * The options `output` and `destination` are ignored, and job_count matters only if everything is converted. Errors are
 * those of locus_convert.
 */
LOCUS_EXPORT enum locus_status locus_convert_to_memory(const char *path, const struct locus_convert_options *options,
						       const uint64_t *addresses, size_t address_count, void **ret_data,
						       size_t *ret_size, struct locus_error *error);

/*
 * The same for the addresses at which functions of these names begin: addresses of symbols with exactly such a name, or
 * with what compilers add to it behind a '.' or '@'. locus_function_places then finds the functions. Functions that no
 * symbol names are missing: a caller that does not find one converts everything.
 */
LOCUS_EXPORT enum locus_status locus_convert_functions_to_memory(const char *path,
								 const struct locus_convert_options *options,
								 const char *const *names, size_t name_count,
								 void **ret_data, size_t *ret_size,
								 struct locus_error *error);

/*
 * The text by which a file records the options that changed its content, a line each (FORMAT.md 6.1). Malloc'd; NULL:
 * no memory.
 */
LOCUS_EXPORT char *locus_convert_options_text(const struct locus_convert_options *options);

/* Which inputs get a digest of all their bytes. */
enum locus_convert_digests {
	LOCUS_CONVERT_SOME_DIGESTS, /* files without a build-id; others get a digest of their headers */
	LOCUS_CONVERT_ALL_DIGESTS,
	LOCUS_CONVERT_NO_DIGESTS, /* none, and no headers are digested either */
};

/* A file that a conversion reads. */
struct locus_convert_input {
	enum locus_input_role role;
	const char *name;        /* without its directories */
	uint64_t size;           /* bytes; for a program that carries its symbols, the size that it had before */
	const uint8_t *build_id; /* NULL: none */
	size_t build_id_size;
	enum locus_digest_kind digest_kind;
	uint8_t digest[LOCUS_DIGEST_SIZE];
	struct timespec changed; /* when the file was last written to */
	struct timespec placed;  /* when it was last written to or came to its place: its ctime */
};

struct locus_convert_inputs {
	const struct locus_convert_input *list; /* by role, then name: the program first */
	size_t count;
};

/*
 * Lists the files that a conversion of `path` would read now, found as it would find them; only the options that say
 * what is read matter. `split_files`: .dwo files too, which requires looking at every unit, and fails if one is
 * missing. Errors are those of locus_convert. *ret is freed by locus_convert_inputs_free.
 */
LOCUS_EXPORT enum locus_status locus_convert_inputs(const char *path, const struct locus_convert_options *options,
						    enum locus_convert_digests digests, bool split_files,
						    struct locus_convert_inputs **ret, struct locus_error *error);
LOCUS_EXPORT void locus_convert_inputs_free(struct locus_convert_inputs *inputs);

/*
 * A cross-check judges the answers of a .locus file by the ELF file's debug information and RULES.md. It reads these in
 * another way than conversion: functions and inlinees by libdw, line programs by a plain interpreter. Both share the
 * code that finds executable addresses, symbols and companions. For one thread.
 */
struct locus_cross_check;

/* A frame of a claimed answer; absent strings are NULL, absent numbers 0. */
struct locus_claimed_frame {
	const char *function;
	const char *linkage;
	const char *path;
	uint32_t line;
	uint32_t column;
};

/* What a .locus file answers for an address, as the cross-check is to judge it. */
struct locus_claim {
	uint64_t address;
	const struct locus_claimed_frame *frames; /* innermost first */
	size_t frame_count;                       /* 0: nothing is known */
	bool is_symbol;                           /* the answer is from the symbol table alone */
	bool has_columns;                         /* the file was converted with columns */
	uint64_t part_start;                      /* of the outermost frame's part */
};

/*
 * Opens the cross-check for `path`; of the options those matter that say what is read, and the prefix maps.
 * LOCUS_ERR_UNSUPPORTED: libdw cannot read such files (object files, members of archives, packed modules, packages of
 * split units). Other errors are those of locus_convert. Freed by locus_cross_check_free, which takes NULL.
 */
LOCUS_EXPORT enum locus_status locus_cross_check_open(const char *path, const struct locus_convert_options *options,
						      struct locus_cross_check **ret, struct locus_error *error);
LOCUS_EXPORT void locus_cross_check_free(struct locus_cross_check *check);

/*
 * Whether the debug information gives the claimed answer. `says` becomes what it does say, as one line of text. If
 * several functions claim the address (RULES C7, C8), or several sequences of rows (B10), the answer of any of them is
 * right.
 */
LOCUS_EXPORT enum locus_status locus_cross_check_judge(struct locus_cross_check *check, const struct locus_claim *claim,
						       bool *ret_agrees, char *says, size_t says_size,
						       struct locus_error *error);

/*
 * All addresses at which the right answer may change, sorted, each once: malloc'd. A file that is right at all of
 * these, and at the start of each of its own intervals, is right everywhere.
 */
LOCUS_EXPORT enum locus_status locus_cross_check_change_points(struct locus_cross_check *check, uint64_t **ret,
							       size_t *ret_count, struct locus_error *error);

/*
 * Reads the build-id of the ELF file at `path` into `ret`, which has room for *size bytes, and sets *size: to 0 if the
 * file has none, or a larger one. Fails where it is no ELF file, or cannot be read.
 */
LOCUS_EXPORT enum locus_status locus_elf_build_id(const char *path, uint8_t *ret, size_t *size,
						  struct locus_error *error);

/*
 * Finds the first section called `name` in the program or library at `path`, by which addresses it has. False: there is
 * none, or the file cannot be read, or memory is out.
 */
LOCUS_EXPORT bool locus_elf_section(const char *path, const char *name, uint64_t *ret_start, uint64_t *ret_size);

enum { LOCUS_ELF_TEXT_SIZE = 4096 };

/* A variable of an ELF file, or a function. Longer texts are cut. */
struct locus_elf_variable {
	uint64_t start, size; /* size 0: the symbol table does not say it */
	char name[LOCUS_ELF_TEXT_SIZE];
	char file[LOCUS_ELF_TEXT_SIZE]; /* of the source, for a local symbol; empty: unknown */
};

/*
 * Finds the symbol that starts last at `address` or before it, in the program or library at `path`. False: it ends
 * before the address, or there is none; or the file cannot be read, or memory is out.
 */
LOCUS_EXPORT bool locus_elf_variable(const char *path, uint64_t address, struct locus_elf_variable *ret);

/* A member of a static archive. */
struct locus_archive_member {
	const char *path; /* a path for locus_convert: ARCHIVE(MEMBER), or ARCHIVE(MEMBER#N) for the N-th of a name */
	uint64_t size;
	uint64_t header;     /* for locus_convert_options; a conversion without it walks over all members before */
	const char *problem; /* why locus_convert would fail: it is no ELF file, or cannot be read; NULL: no reason was
				seen */
};

/*
 * Calls `tell` for each member of the static archive at `path`, in order; `member` is valid during the call.
 * *ret_is_archive is false, and `tell` is not called, if there is no archive at `path`. LOCUS_ERR_BAD_ELF: it is
 * damaged; or the name of a member is longer than PATH_MAX; or the names, which may be parts of each other, are
 * together longer than four times the archive; or a thin archive names the same files again and again; or there are
 * more members without a problem than an archive of that size can hold.
 */
typedef void locus_archive_tell(void *context, const struct locus_archive_member *member);
LOCUS_EXPORT enum locus_status locus_archive_members(const char *path, locus_archive_tell *tell, void *context,
						     bool *ret_is_archive, struct locus_error *error);

/* Raised when the same input would now give better answers; recorded in each file (FORMAT.md). */
LOCUS_EXPORT extern const uint32_t locus_convert_rules_epoch;

/* LOCUS_VERSION of the build, for those who load the library at run time. */
LOCUS_EXPORT extern const char locus_convert_version[];

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif
