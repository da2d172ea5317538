/* A file that may answer for a module, open: a .locus file, or an ELF file that was converted for this. */
#ifndef LOCUS_SYMBOL_FILE_H
#define LOCUS_SYMBOL_FILE_H

#include "cmd/modules/answer_cache.h"
#include "cmd/modules/function_index.h"
#include "cmd/show/function_labels.h"
#include "cmd/show/path_labels.h"
#include "cmd/store/lookup_file.h"
#include "reader/locus.h"

/* How names and paths are shown. */
struct symbol_labels {
	struct out *out; /* where path_labels_put writes to */
	bool as_json;    /* paths are escaped for JSON */
	bool no_demangle;
	const char *relative_to; /* as in struct path_labels */
};

/* What ELF files are converted with, for their answers; the fields of struct locus_convert_options, borrowed. */
struct symbol_conversion {
	bool columns;
	const char *dwp_file;
	const char *const *debug_dirs;
	size_t debug_dir_count;
};

/*
 * Addresses that are asked of an ELF file before all of it is converted. So many cost about as much time as the whole,
 * for large C++ programs on two processors: whoever asks for more has waited twice as long at most.
 */
enum { PARTIAL_ADDRESSES_MAX = 2 };

/* An ELF file of which only the addresses that were asked for are converted so far. */
struct partial_conversion {
	struct locus_convert_options options;
	struct lookup_file file;
	/* Each with the address behind it, so that what is said of where its interval ends is right there too. */
	uint64_t asked[2 * PARTIAL_ADDRESSES_MAX];
	size_t asked_count;
};

/*
 * Everything that a lookup and its answer need, for one thread: there is one scratch. For an ELF file, the first
 * lookups may replace all of these, so call symbol_file_lookup, whose result is gone with the next call.
 */
struct symbol_file {
	char *path; /* owned */
	struct locus *locus;
	struct locus_scratch *scratch;
	struct function_labels *names;
	struct path_labels paths;
	const struct locus_info *info;           /* owned by `locus`; where a conversion failed, all is 0 in it */
	struct function_index *functions;        /* NULL until a function is looked up by name */
	struct locus_scratch *index_scratch;     /* the index's own */
	struct answer_cache *answers;            /* answers that are kept; NULL: none yet */
	const struct locus_base_info **sections; /* that symbol_file_find_section may give; NULL: not known yet */
	size_t section_count, section_room;
	const struct symbol_labels *labels;
	struct locus_error left_out;        /* why a companion was left out; no text: none was, or it was said */
	struct partial_conversion *partial; /* NULL: it is a .locus file, or was converted to one */
};

/*
 * Opens the regular file at `path`. An ELF file is converted in child processes, with its companions: for the addresses
 * that are asked for first, and when these become many, whole, into a temporary file that nobody else sees, or else to
 * memory. What is decoded of it takes at most SYMBOL_FILE_MEMORY_MAX bytes. With `symbols_only`, the symbols of an ELF
 * file will do where it has no debug information. `labels` is borrowed until symbol_file_close.
 *
 * LOCUS_ERR_IO (also for what is no regular file: a device or a pipe that a text names must not be waited for),
 * LOCUS_ERR_NOT_ELF: neither kind of file; LOCUS_ERR_LIMIT: more segments than any program has; all that locus_open and
 * a conversion return.
 */
enum locus_status symbol_file_open(const char *path, const struct symbol_conversion *conversion, bool symbols_only,
				   const struct symbol_labels *labels, struct symbol_file *ret,
				   struct locus_error *error);
void symbol_file_close(struct symbol_file *symbols);

/*
 * The same as locus_lookup, unless the answer is kept: the result stays until the next use of these. A conversion may
 * fail.
 */
enum locus_status symbol_file_lookup(struct symbol_file *symbols, uint64_t address, struct locus_result *ret,
				     struct locus_error *error);

enum { FRAMES_MAX = 1024 }; /* of one address: no file has more (FORMAT.md 6.3.2) */

/* The same; also gives, for each frame, the line where its function is declared; 0: unknown. */
enum locus_status symbol_file_lookup_declared(struct symbol_file *symbols, uint64_t address, struct locus_result *ret,
					      uint32_t ret_lines[FRAMES_MAX], struct locus_error *error);

/*
 * function_index_find, with an index that is made when it is first asked for, from the whole file: an ELF file is
 * converted as a whole. If that fails, the status says so once, and *ret_found is false then and ever after. Leaves
 * what symbol_file_lookup returned alone.
 */
enum locus_status symbol_file_find_function(struct symbol_file *symbols, const struct function_offset *place,
					    bool *ret_found, uint64_t *ret, struct locus_error *error);

/*
 * The first section of a relocatable file that is larger than `offset`, for which only those called `name` count, the
 * same in each call; NULL: all count. NULL is returned where there is none.
 */
const struct locus_base_info *symbol_file_find_section(struct symbol_file *symbols, const char *name, uint64_t offset);

/* Whether its addresses are those at run time: it is an executable that is loaded where it was linked to be. */
bool symbol_file_is_fixed(const struct symbol_file *symbols);

/* The address of a position in the ELF file, by its segments. False: no segment has it, or they are unknown. */
bool symbol_file_find_position(const struct symbol_file *symbols, uint64_t position, uint64_t *ret);

/*
 * The same, also where the file has debug information alone, which does not say at which positions the program has its
 * code. Then the address is as far from the lowest one as the position is from the file's first byte, as linkers
 * usually lay programs out. False, too: the code begins within a page, so that its linker wrote one segment right
 * behind another, at positions that only the program has.
 */
bool symbol_file_find_code(const struct symbol_file *symbols, uint64_t position, uint64_t *ret);

/*
 * The address of what a process has at `runtime`, where `size` bytes from `start` on are an executable segment, with
 * the rest of its first and its last page. False: the file has no such segment, or several, or they are unknown.
 */
bool symbol_file_find_in_segment(const struct symbol_file *symbols, uint64_t runtime, uint64_t start, uint64_t size,
				 uint64_t *ret);

/* The address that is `offset` bytes above where the program is loaded. False: it ends before, or that is unknown. */
bool symbol_file_find_offset(const struct symbol_file *symbols, uint64_t offset, uint64_t *ret);

/*
 * The address of what a process has at `runtime`, in a mapping of `size` bytes from `start` on, which are the file's
 * bytes from `offset` on. It follows from the position in the file, by the segments. Where the file has debug
 * information alone, these may lack the position: then from the executable segment that has just this mapping; else
 * from `base`, where the process has the file's first byte; else, if that is not mapped (UINT64_MAX), it is equal to
 * the position, as linkers usually lay programs out.
 */
uint64_t symbol_file_mapped_address(const struct symbol_file *symbols, uint64_t runtime, uint64_t start, uint64_t size,
				    uint64_t offset, uint64_t base);

/* Half of it for decoded blocks that stay, which is enough for programs of the size of ceph-osd (595 MiB of DWARF). */
enum { SYMBOL_FILE_MEMORY_MAX = 128 << 20 };

/* The bytes that what is decoded, remembered and, of an ELF file, kept of its conversion takes now. */
size_t symbol_file_memory(const struct symbol_file *symbols);

/*
 * The build-id that a .locus file has, which fits into the `*size` bytes of `ret`. False, and nothing changes: it is no
 * such file, cannot be read, or has none.
 */
bool symbol_file_read_build_id(const char *path, uint8_t *ret, size_t *size);

/* Whether there is a regular file at `path`. */
bool is_regular_file(const char *path);

#endif
