/* liblocus: which function, file and line is this address, and what was it inlined into, from a .locus file. */
#ifndef LOCUS_H
#define LOCUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spec/counters.h" /* these four are installed as <locus/counters.h> and so on */
#include "spec/kinds.h"
#include "spec/status.h"
#include "spec/version.h"

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* of a struct by the function that gives one, as with stat(2) */
#endif

/*
 *	struct locus *locus;
 *	struct locus_scratch *scratch;
 *	struct locus_result result;
 *
 *	locus_open("app.locus", NULL, &locus, &error);
 *	locus_scratch_new(locus, &scratch, &error);
 *	locus_lookup(locus, scratch, 0x1149, &result, &error);
 *	for (size_t i = 0; i < result.frame_count; i++)
 *		... result.frames[i] ... innermost first
 *	locus_scratch_free(scratch);
 *	locus_close(locus);
 *
 * A handle serves any number of threads at once; a scratch serves one thread at a time. Every function that can
 * fail returns a status and, unless that is LOCUS_OK, fills `error` where it is not NULL and leaves `ret` alone.
 *
 * Opening reads the header, the directory and the block indexes. Everything else is read, and its checksum held
 * against its bytes, when it is first asked for. FORMAT.md and RULES.md, which this file cites, are installed in
 * share/doc/locus.
 *
 * How the structs grow. Those that have `reserved` at their end keep their size as long as the library has its soname:
 * a field to come takes its place there, and 0 in it means what it meant before there was the field. So a caller passes
 * 0 (`= {0}` does), and a program runs with an older library than its header's and with a newer one. struct locus_info
 * is only ever pointed to and grows at its end. The other structs are complete; what else is to say of an address or a
 * file gets a function of its own. There are no size fields because frames come as an array, whose step a caller's
 * compiler has fixed, and no accessors because a lookup by the million reads most fields of each frame.
 */
struct locus;         /* an open file */
struct locus_scratch; /* one thread's place in it: where the last lookup was, and what the last result points to */

/* A borrowed string of `size` bytes: not NUL-terminated, not necessarily UTF-8; size 0: absent. */
struct locus_string {
	const char *data;
	size_t size;
};

struct locus_open_options {
	/*
	 * The most memory that the handle and all its scratches take together, for indexes, decoded blocks, names and
	 * working memory. The handle keeps decoded blocks in most of it; beyond that, blocks are decoded for the
	 * scratch that asks, and forgotten. LOCUS_ERR_LIMIT: an answer does not fit at all, or the blocks unfold to
	 * more than those of any program of the file's size. 0: LOCUS_MEMORY_DEFAULT, and LOCUS_MEMORY_PER_BYTE for
	 * each byte of the file, within which all blocks stay decoded: those of real programs take 14 at most.
	 * Less than LOCUS_MEMORY_MIN counts as that; then no blocks are kept.
	 */
	size_t memory_max_bytes;
	void *reserved[7];
};

#define LOCUS_MEMORY_DEFAULT  ((size_t)192 << 20)
#define LOCUS_MEMORY_PER_BYTE 48
#define LOCUS_MEMORY_MIN      ((size_t)8 << 20) /* enough for one scratch at a time on files as the converter makes them */

/*
 * Opens a file, or the .locus file that a program carries in its section .locus. `options` may be NULL. The handle is
 * freed by locus_close. LOCUS_ERR_IO: it cannot be opened, and errno says why, or not read; _MEMORY; _NOT_LOCUS,
 * _VERSION, _TRUNCATED, _CHECKSUM, _CORRUPT, _UNSUPPORTED say what is wrong with the file. These, but for _NOT_LOCUS
 * and _VERSION, may also come from any later call that first reads a block.
 */
enum locus_status locus_open(const char *path, const struct locus_open_options *options, struct locus **ret,
			     struct locus_error *error);

/*
 * Opens the file that a store has for a program's build-id, given as raw bytes, 1 to 64: `store` is the path of a
 * directory that `locus convert --store` fills, STORE/buildid/HEX/locus. LOCUS_ERR_IO: it has none if errno is ENOENT;
 * LOCUS_ERR_COMPANION: what is there is of another program; otherwise as locus_open.
 */
enum locus_status locus_open_in_store(const char *store, const uint8_t *build_id, size_t build_id_size,
				      const struct locus_open_options *options, struct locus **ret,
				      struct locus_error *error);

/* As locus_open, for a file's bytes in memory. They are borrowed until locus_close. */
enum locus_status locus_open_memory(const void *data, size_t size, const struct locus_open_options *options,
				    struct locus **ret, struct locus_error *error);

/* Every scratch of the handle must be freed before. NULL is fine. */
void locus_close(struct locus *locus);

/* The bytes that the handle and its scratches take now, of those that it may. */
size_t locus_memory_size(const struct locus *locus);

/*
 * What one thread needs for lookups: some 300 KiB at first, counted in the handle's memory. Freed by
 * locus_scratch_free, before its handle. LOCUS_ERR_MEMORY, or LOCUS_ERR_LIMIT where the handle may take no more.
 */
enum locus_status locus_scratch_new(const struct locus *locus, struct locus_scratch **ret, struct locus_error *error);
void locus_scratch_free(struct locus_scratch *scratch);

/* ---- Lookup ---- */

/* What is known of an address. */
enum locus_answer {
	LOCUS_ANSWER_NONE = 0,    /* nothing: a gap, or outside of everything */
	LOCUS_ANSWER_SYMBOL = 1,  /* from the symbol table: a name, and perhaps a file */
	LOCUS_ANSWER_NO_LINE = 2, /* a function, but no line: none given, or the compiler's line 0 */
	LOCUS_ANSWER_OK = 3,      /* function, file and line */
};

/* "none", "symbol", "no-line", "ok". */
const char *locus_answer_name(enum locus_answer answer);

/* The locid of an address below the first interval or of a file without intervals. */
#define LOCUS_NO_LOCID UINT32_MAX

/* The addresses [start, end) have one answer. */
struct locus_interval {
	uint64_t start; /* 0 below the first interval */
	uint64_t end;   /* UINT64_MAX from the end of the table on */
	uint32_t locid; /* the interval's ordinal in the file; also for gaps */
	enum locus_answer answer;
};

/*
 * One function at a place. `function` is the name as the debug information has it and is absent where that is a
 * mangled linkage name; then demangle `linkage`. A frame has one of them at least, unless nothing names the function.
 */
struct locus_frame {
	struct locus_string function;
	struct locus_string linkage;
	struct locus_string directory; /* absent: `file` stands alone */
	struct locus_string file;      /* absent: unknown. Path: directory + "/" + file, one '/' only */
	uint32_t line;                 /* 0: unknown */
	uint32_t column;               /* 0: unknown, as in a file that was converted without columns */
	uint32_t language;             /* DW_LANG code; 0: unknown */
	uint32_t function_id;          /* 1 or more; equal ids are the same function */
	uint32_t file_id;              /* 0: unknown */
	bool has_line;                 /* `line` is known, and not 0 */
	bool inlined;                  /* into the next frame; false for the outermost only */
	/* The outermost frame only: its part of the function, and address - part start. 0 in the others. */
	enum locus_part_kind part;
	uint64_t part_start;
	uint64_t offset;
	uint64_t reserved[2];
};

struct locus_result {
	struct locus_interval interval;
	const struct locus_frame *frames; /* innermost first; frames and strings stay until the scratch's next use */
	size_t frame_count;               /* 0 for LOCUS_ANSWER_NONE only */
	uint64_t reserved[3];
};

/*
 * Finds the interval that holds an address, and reads no names. Its locid can be kept, in four bytes, and resolved
 * later with locus_frames on the same file. To ask for a return address, ask for the byte before it, on ARM and MIPS
 * with bit 0 cleared first (RULES H2).
 */
enum locus_status locus_find(struct locus *locus, struct locus_scratch *scratch, uint64_t address,
			     struct locus_interval *ret, struct locus_error *error);

/*
 * The interval of that ordinal and its frames; offsets count for the interval's start. LOCUS_ERR_USAGE: `locid` is
 * not below locus_interval_count. LOCUS_ERR_LIMIT: also names and paths of more than 64 MiB in one answer. Asking for
 * 0, 1, 2, … is the way to iterate: neighbours cost no search.
 */
enum locus_status locus_frames(struct locus *locus, struct locus_scratch *scratch, uint32_t locid,
			       struct locus_result *ret, struct locus_error *error);

/* locus_find, which says what to do with a return address, and locus_frames in one; offsets count for `address`. */
enum locus_status locus_lookup(struct locus *locus, struct locus_scratch *scratch, uint64_t address,
			       struct locus_result *ret, struct locus_error *error);

/* The most addresses of one locus_prefetch. More would be out of the processor's cache before they are looked up. */
#define LOCUS_PREFETCH_MAX 32

/*
 * A hint that locus_lookup or locus_find of these addresses follows on the scratch, in this order. Requests the memory
 * that they will read for all of them at once, and keeps in the scratch where that is, so that they need not search
 * for it again. Nothing but their time changes: another address may be asked for meanwhile, and of what is not decoded
 * yet nothing is requested. Addresses beyond the first LOCUS_PREFETCH_MAX are ignored, and so is the hint before.
 */
void locus_prefetch(const struct locus *locus, struct locus_scratch *scratch, const uint64_t *addresses, size_t count);

/* The interval of that ordinal without frames. LOCUS_ERR_USAGE as locus_frames. */
enum locus_status locus_interval_at(struct locus *locus, struct locus_scratch *scratch, uint32_t locid,
				    struct locus_interval *ret, struct locus_error *error);

/* Another function that answers for [start, start + size); size 0: an alias known by its start alone. */
struct locus_alternate_info {
	uint64_t start;
	uint64_t size;
	uint32_t function_id;
	enum locus_alternate_kind kind;
};

/*
 * The alternates that hold an address, those with size 0 only at their start, in the order of the file: start, then
 * function. The array stays until the scratch's next use.
 */
enum locus_status locus_alternates(struct locus *locus, struct locus_scratch *scratch, uint64_t address,
				   const struct locus_alternate_info **ret, size_t *ret_count,
				   struct locus_error *error);

/* ---- The tables ---- */

/* Counts, from the directory: no block is read. */
uint32_t locus_interval_count(const struct locus *locus);
uint32_t locus_function_count(const struct locus *locus);
uint32_t locus_file_count(const struct locus *locus);
uint32_t locus_alternate_count(const struct locus *locus);

struct locus_function_info {
	struct locus_string name;    /* absent where DWARF's name is a mangled linkage name, or unknown */
	struct locus_string linkage; /* absent: none */
	uint32_t decl_file_id;       /* 0: unknown */
	uint32_t decl_line;          /* 0: unknown */
	uint32_t language;           /* DW_LANG code; 0: unknown */
	uint32_t reserved[5];
};

struct locus_file_info {
	struct locus_string directory; /* absent: `name` stands alone */
	struct locus_string name;
};

/* Ids count from 1 to the count; others are LOCUS_ERR_USAGE. Strings stay until the scratch's next use. */
enum locus_status locus_function_at(struct locus *locus, struct locus_scratch *scratch, uint32_t id,
				    struct locus_function_info *ret, struct locus_error *error);
enum locus_status locus_file_at(struct locus *locus, struct locus_scratch *scratch, uint32_t id,
				struct locus_file_info *ret, struct locus_error *error);
/* Indexes count from 0. */
enum locus_status locus_alternate_at(struct locus *locus, struct locus_scratch *scratch, uint32_t index,
				     struct locus_alternate_info *ret, struct locus_error *error);

/* ---- Where functions are ---- */

/* Addresses [start, end) of a function: of a part of its own, or of one copy that was inlined. */
struct locus_function_range {
	uint64_t start;
	uint64_t end;
	uint32_t function_id;
	bool inlined;              /* locus_lookup of `start` says into what, and where it was called */
	enum locus_part_kind part; /* of a part, as in its frame; 0 of a copy */
	uint64_t part_start;
	uint64_t reserved[2];
};

/* Returns false to end the search. The range is the callee's until it returns. */
typedef bool locus_take_range(void *context, const struct locus_function_range *range);

/*
 * Calls `take` for each range of these functions, in the order of addresses: parts of their own, and copies that were
 * inlined. Of a copy inside another copy, or inside a part that is found, only the outer one counts. `function_ids`
 * NULL: of all functions, and so all parts. Reads all intervals of the file, and keeps nothing. LOCUS_ERR_USAGE: the
 * file has no function with one of the ids.
 */
enum locus_status locus_function_ranges(struct locus *locus, struct locus_scratch *scratch,
					const uint32_t *function_ids, size_t count, locus_take_range *take,
					void *context, struct locus_error *error);

/* ---- What the file says of itself ---- */

/* 128 bits over the decoded content: the same at any compression level (FORMAT.md says over what). */
struct locus_identity {
	uint8_t bytes[16];
};
struct locus_identity locus_identity(const struct locus *locus);
uint64_t locus_file_size(const struct locus *locus);
uint32_t locus_format_version(const struct locus *locus);

/* Coverage is in bytes by enum locus_coverage, dropped a count by enum locus_dropped: ids of <locus/counters.h>. */
struct locus_counter_info {
	uint32_t id; /* one that is not there comes from a newer writer */
	uint64_t value;
};

/* A counter's name ("line", "tombstone") and a few words on what it counts; NULL: an id from a newer writer. */
const char *locus_coverage_name(uint32_t id);
const char *locus_coverage_text(uint32_t id);
const char *locus_dropped_name(uint32_t id);
const char *locus_dropped_text(uint32_t id);

/* A section of a relocatable file (ET_REL) and the base it was given: .text+0x10 is base + 0x10. */
struct locus_base_info {
	struct locus_string name;
	uint64_t base;
	uint64_t size;
};

/* A file that was read. If the program has no build-id, the digest of the first input, the program, identifies it. */
struct locus_input_info {
	uint32_t role; /* enum locus_input_role; other numbers come from a newer writer */
	struct locus_string name;
	uint64_t size;                /* bytes */
	struct locus_string build_id; /* raw bytes; absent: none */
	uint32_t digest_kind;         /* enum locus_digest_kind; another one comes from a newer writer */
	struct locus_string digest;   /* LOCUS_DIGEST_SIZE raw bytes; absent: none */
};

/*
 * A part of the program that is loaded: bytes `offset` to `offset` + `file_size` of its file are at `address`, and
 * zeros behind them up to `memory_size`.
 */
struct locus_segment_info {
	uint64_t address;
	uint64_t offset;
	uint64_t file_size;
	uint64_t memory_size;
	uint32_t flags; /* p_flags: 1 executable, 2 writable, 4 readable */
};

struct locus_info {
	struct locus_string build_id; /* raw bytes; absent: none */
	uint16_t elf_machine;         /* e_machine */
	uint16_t elf_type;            /* e_type */
	uint8_t elf_class;            /* EI_CLASS */
	uint8_t elf_data;             /* EI_DATA */
	uint32_t rules_epoch;
	struct locus_string tool;    /* the converter and its version */
	struct locus_string options; /* those that changed the content */
	const struct locus_counter_info *coverage;
	size_t coverage_count;
	const struct locus_counter_info *dropped;
	size_t dropped_count;
	const struct locus_base_info *bases;
	size_t base_count;
	const struct locus_input_info *inputs; /* the program first */
	size_t input_count;
	const struct locus_segment_info *segments; /* in the order of the program headers */
	size_t segment_count;
};

/* Owned by the handle. LOCUS_ERR_LIMIT: also where it lists more than a file of its size can need. */
enum locus_status locus_info(struct locus *locus, const struct locus_info **ret, struct locus_error *error);

/* ---- Addresses as people have them ---- */

/*
 * The address at which an offset of the program's file is loaded: profiles and /proc/PID/maps give such offsets.
 * LOCUS_ERR_USAGE: no segment holds it, or the file does not list the segments.
 */
enum locus_status locus_address_of_offset(struct locus *locus, uint64_t offset, uint64_t *ret,
					  struct locus_error *error);

/*
 * The file's own address of one in a process where the program was loaded at `base`: the start of its first mapping in
 * /proc/PID/maps. LOCUS_ERR_USAGE: that is outside the program's segments.
 */
enum locus_status locus_address_of_runtime(struct locus *locus, uint64_t base, uint64_t runtime, uint64_t *ret,
					   struct locus_error *error);

/* Where functions of one name begin. */
struct locus_function_place {
	uint64_t start; /* the lowest */
	uint32_t count; /* of different starts; 0: no function has the name */
};

/*
 * Finds where the functions of each name begin, alternates included; ret[i] is of names[i]. A function has a name if
 * that equals its name or its linkage name, bytewise; the version of a symbol may be left out (memcpy@@GLIBC_2.14).
 * None has an empty one. The whole table is read, once for all names.
 */
enum locus_status locus_function_places(struct locus *locus, struct locus_scratch *scratch,
					const struct locus_string *names, size_t count,
					struct locus_function_place *ret, struct locus_error *error);

/* One section of the file. */
struct locus_section_info {
	uint16_t id;
	const char *name; /* NULL: unknown to this reader, and optional */
	bool required;
	uint32_t block_count;
	uint64_t entry_count;
	uint64_t index_size; /* bytes */
	uint64_t data_size;  /* bytes in the file */
	uint64_t raw_size;   /* bytes before compression */
	uint64_t reserved[1];
};
uint32_t locus_section_count(const struct locus *locus);
/* LOCUS_ERR_USAGE: `index` is not below locus_section_count. */
enum locus_status locus_section_at(const struct locus *locus, uint32_t index, struct locus_section_info *ret,
				   struct locus_error *error);

/* ---- Verification ---- */

enum locus_verify_depth {
	LOCUS_VERIFY_QUICK = 0, /* what locus_open checked (header, directory, indexes), and the meta data */
	LOCUS_VERIFY_FULL = 1,  /* every byte, and every rule of FORMAT.md on what the bytes say */
};

/*
 * LOCUS_OK: whole and well-formed. LOCUS_ERR_USAGE: `depth` is none of these. Keeps nothing in memory; several threads
 * may verify one handle.
 */
enum locus_status locus_verify(struct locus *locus, enum locus_verify_depth depth, struct locus_error *error);

/* A status as a short lower-case text: "checksum mismatch". */
const char *locus_status_text(enum locus_status status);

/* LOCUS_VERSION_NUMBER and LOCUS_VERSION of the library that runs; the macros are those of the header. */
unsigned locus_version(void);
const char *locus_version_text(void);

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif
