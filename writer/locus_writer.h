/* The writer's public interface: plain tables in, one checksummed .locus file out. */
#ifndef LOCUS_WRITER_H
#define LOCUS_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spec/kinds.h"
#include "spec/status.h"

/*
 * Ids of functions and files count from 1, best in the order of first use by address; 0 is "unknown". The writer may
 * number the functions anew, sorted by name.
 */
#define LOCUS_UNKNOWN 0u

/* A borrowed string of `size` bytes, not necessarily UTF-8 and not NUL-terminated (RULES D7). */
struct locus_bytes {
	const char *data;
	size_t size;
};

/* Where a context has no caller, and where an interval has no location. */
#define LOCUS_NO_CONTEXT UINT32_MAX

/*
 * A place in the inline tree as one block carries it. A context without a caller is a part of a function that
 * has code of its own; its `start` says where that part begins, so that an address can be shown as
 * function+offset. An inlinee has a caller, which stands before it in the block's array.
 */
struct locus_block_context {
	uint32_t caller;      /* index into the same array, below this one's own; LOCUS_NO_CONTEXT for a part */
	uint32_t function;    /* id */
	uint32_t call_file;   /* id; inlinees only */
	uint32_t call_line;   /* inlinees only; 0 unknown */
	uint32_t call_column; /* inlinees only; 0 unknown, as where the line is, and in blocks without columns */
	uint32_t decl_file;   /* the function's, copied here: a file equal to it is not written */
	uint32_t decl_line;   /* the function's, copied here: lines are coded relative to it */
	uint64_t start;       /* parts only: address of function+0 for offsets; at or below the part's first interval */
	uint8_t kind;         /* parts only: enum locus_part_kind */
};

/*
 * The intervals of one block, in address order. starts[i] < starts[i + 1]; an interval ends where the next one
 * starts, the block's last where the next block starts or, in the last block, at a gap that ends the table.
 * contexts[i] of LOCUS_NO_CONTEXT is a gap: no answer. No two neighbours are equal, and no gap follows a gap.
 */
struct locus_block {
	uint32_t interval_count; /* 1 or more */
	const uint64_t *starts;
	const uint32_t *contexts; /* index into `context`, or LOCUS_NO_CONTEXT for a gap */
	const uint32_t *files;    /* id; 0 unknown; 0 for a gap */
	const uint32_t *lines;    /* 0 unknown; 0 for a gap */
	uint32_t context_count;
	const struct locus_block_context *context; /* in the order of first use; every one is used */
	const uint32_t
		*columns; /* 0: unknown, as where the line is; NULL: the block has no columns, nor do its calls */
};

struct locus_function {
	struct locus_bytes name;    /* as DWARF or the symbol table has it, qualified (RULES D3); size 0: none */
	struct locus_bytes linkage; /* raw linkage name; size 0: none; often equal to `name` in C */
	uint32_t decl_file;         /* id; 0 unknown */
	uint32_t decl_line;         /* 0 unknown */
	uint32_t language;          /* DW_LANG code; 0 unknown */
};

struct locus_file {
	struct locus_bytes directory; /* size 0: `name` stands alone */
	struct locus_bytes name; /* the path is directory + "/" + name (no second '/' where directory ends in one) */
};

/* A function that also answers for [start, start + size) but is not the primary answer (RULES C7, D6). */
struct locus_alternate {
	uint64_t start;
	uint64_t size;     /* 0: an alias, known by its start alone */
	uint32_t function; /* id */
	uint8_t kind;      /* enum locus_alternate_kind */
};

/* A number with a well-known id: coverage in bytes, or what a rule dropped. Ids are in spec/ and in FORMAT.md. */
struct locus_counter {
	uint32_t id;
	uint64_t value;
};

/* A section of a relocatable file and the base it was given (ET_REL only). */
struct locus_section_base {
	struct locus_bytes name;
	uint64_t base;
	uint64_t size;
};

/* A file that was read. */
struct locus_input {
	uint32_t role; /* enum locus_input_role */
	struct locus_bytes name;
	uint64_t size;               /* bytes */
	struct locus_bytes build_id; /* raw bytes; size 0: none */
	uint32_t digest_kind;        /* enum locus_digest_kind */
	uint8_t digest[LOCUS_DIGEST_SIZE];
};

/* A part of the program that is loaded (PT_LOAD). */
struct locus_segment {
	uint64_t address;
	uint64_t offset;      /* in the program's file */
	uint64_t file_size;   /* bytes there */
	uint64_t memory_size; /* bytes when loaded; those beyond file_size are 0 */
	uint32_t flags;       /* p_flags: 1 executable, 2 writable, 4 readable */
};

/* Where the file comes from. All strings are borrowed until locus_writer_tables returns. */
struct locus_meta {
	struct locus_bytes build_id; /* raw bytes */
	uint16_t elf_machine;        /* e_machine */
	uint16_t elf_type;           /* e_type */
	uint8_t elf_class;           /* EI_CLASS */
	uint8_t elf_data;            /* EI_DATA */
	struct locus_bytes tool;     /* converter and version */
	uint32_t rules_epoch;
	struct locus_bytes options; /* those that change the content, as text: "prefix-map=/a=/b\n" */
	const struct locus_counter *coverage;
	size_t coverage_count;
	const struct locus_counter *dropped;
	size_t dropped_count;
	const struct locus_section_base *sections;
	size_t section_count;
	const struct locus_input *inputs; /* the program first */
	size_t input_count;
	const struct locus_segment *segments; /* in the order of the program headers */
	size_t segment_count;
};

enum { LOCUS_WRITER_LEVEL_MAX = 22 };

struct locus_writer_options {
	int level; /* zstd's, 1 to LOCUS_WRITER_LEVEL_MAX; below 11, some columns get another (writer/pack.h). 0: no
		      compression */
	uint32_t block_size; /* intervals in a full block, 1 to LOCUS_BLOCK_ENTRIES_MAX, as the caller cuts them */
	bool sync;           /* the bytes are on the disk before the file appears */
};

struct locus_writer;

/*
 * Nothing appears at `path` before locus_writer_finish, which writes a temporary file beside it and renames that; on
 * any failure `path` is as it was and the temporary file is gone. `path` is copied; what is there already must be a
 * regular file, or a link to one, whose target is then replaced. LOCUS_ERR_OUTPUT: it is not, or its directory cannot
 * be written to. A caller that limits file sizes should ignore SIGXFSZ, or the process dies of it half-way. `path`
 * NULL: the file is made in memory, for locus_writer_take.
 */
enum locus_status locus_writer_new(const char *path, const struct locus_writer_options *options,
				   struct locus_writer **ret, struct locus_error *error);
void locus_writer_free(struct locus_writer *writer);

struct locus_encoded_columns;

/* One encoded block. Freed by locus_encoded_free. */
struct locus_encoded {
	struct locus_encoded_columns *columns;
	uint64_t start; /* the block's first address */
	uint32_t interval_count;
	uint32_t context_count; /* as encoded: contexts that no interval uses are left out */
	uint64_t last_start;    /* the last interval's */
	bool ends_in_gap;
};

struct locus_encoder; /* scratch buffers and a compression context: one for each thread, reused from block to block */

/* Of the options only the level matters here. Freed by locus_encoder_free. */
enum locus_status locus_encoder_new(const struct locus_writer_options *options, struct locus_encoder **ret,
				    struct locus_error *error);
void locus_encoder_free(struct locus_encoder *encoder);

/* The same block and options give the same bytes. Safe from many threads, each with an encoder of its own. */
enum locus_status locus_encoder_block(struct locus_encoder *encoder, const struct locus_block *block,
				      struct locus_encoded *ret, struct locus_error *error);
void locus_encoded_free(struct locus_encoded *encoded);

/* Appends a block; blocks come in address order. Takes over and frees the bytes. */
enum locus_status locus_writer_append(struct locus_writer *writer, struct locus_encoded *encoded,
				      struct locus_error *error);

/*
 * Functions (index i has id i + 1), files (the same), alternates (by start, then function) and meta. Names hold no NUL.
 */
struct locus_tables {
	const struct locus_function *functions;
	uint32_t function_count;
	const struct locus_file *files;
	uint32_t file_count;
	const struct locus_alternate *alternates;
	uint32_t alternate_count;
	struct locus_meta meta;
};

/*
 * Encodes the tables behind the blocks, the last of which must end in a gap. Up to `thread_count` (1 or more) threads
 * encode names at once. What the tables borrow is no longer needed then.
 */
enum locus_status locus_writer_tables(struct locus_writer *writer, const struct locus_tables *tables,
				      unsigned thread_count, struct locus_error *error);

/*
 * Writes the file, after locus_writer_tables, flushes it, and renames it onto the path. *ret_size, unless NULL, becomes
 * its size. Only locus_writer_free may follow, and where the file is in memory, locus_writer_take.
 */
enum locus_status locus_writer_finish(struct locus_writer *writer, uint64_t *ret_size, struct locus_error *error);

/* Gives away the bytes of a file that was made in memory, after locus_writer_finish; freed with free. */
void locus_writer_take(struct locus_writer *writer, void **ret_data, size_t *ret_size);

#endif
