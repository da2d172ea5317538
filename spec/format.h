/* The layout of a .locus file, version 2: what writer and reader must agree on, as FORMAT.md tells it in prose. */
#ifndef LOCUS_FORMAT_H
#define LOCUS_FORMAT_H

/* ---- Header (FORMAT.md 3) ---- */

#define LOCUS_MAGIC          "\x8CLCS\r\n\x1A\n" /* a high bit, CR LF, end-of-file, LF: breaks when passed as text */
#define LOCUS_MAGIC_SIZE     8
#define LOCUS_FORMAT_VERSION 2

enum locus_header_field {
	LOCUS_HEADER_MAGIC = 0,
	LOCUS_HEADER_VERSION = 8,        /* u32 */
	LOCUS_HEADER_SECTION_COUNT = 12, /* u32 */
	LOCUS_HEADER_FILE_SIZE = 16,     /* u64 */
	LOCUS_HEADER_DIGEST = 24,        /* 16 bytes */
	LOCUS_HEADER_HEAD_SIZE = 40,     /* u64: bytes of header, directory and indexes */
	LOCUS_HEADER_DIRECTORY = 48,     /* u64: XXH3-64 of the directory */
	LOCUS_HEADER_CHECKSUM = 56,      /* u64: XXH3-64 of the bytes before it */
	LOCUS_HEADER_SIZE = 64,
};

/* ---- Directory (FORMAT.md 4) ---- */

enum locus_entry_field {
	LOCUS_ENTRY_ID = 0,          /* u16 */
	LOCUS_ENTRY_FLAGS = 2,       /* u16 */
	LOCUS_ENTRY_BLOCK_COUNT = 4, /* u32 */
	LOCUS_ENTRY_COUNT = 8,       /* u64 */
	LOCUS_ENTRY_INDEX_SIZE = 16, /* u64 */
	LOCUS_ENTRY_DATA_SIZE = 24,  /* u64 */
	LOCUS_ENTRY_RAW_SIZE = 32,   /* u64 */
	LOCUS_ENTRY_CHECKSUM = 40,   /* u64: XXH3-64 of the index */
	LOCUS_ENTRY_SIZE = 48,
};

enum locus_section_flag {
	LOCUS_SECTION_REQUIRED = 1, /* who does not know the id must refuse the file */
	LOCUS_SECTION_CONTENT = 2,  /* counts in the content digest */
	LOCUS_SECTION_KEYED = 4,    /* its index has keys: addresses, ascending */
};

/* Ids are permanent. X(id, value, name, flags, columns) */
#define LOCUS_SECTIONS(X)                                                                                      \
	X(META, 1, "meta", LOCUS_SECTION_CONTENT, 1)                                                           \
	X(FILES, 2, "files", LOCUS_SECTION_REQUIRED | LOCUS_SECTION_CONTENT, 3)                                \
	X(INTERVALS, 3, "intervals", LOCUS_SECTION_REQUIRED | LOCUS_SECTION_CONTENT | LOCUS_SECTION_KEYED, 12) \
	X(FUNCTIONS, 4, "functions", LOCUS_SECTION_REQUIRED | LOCUS_SECTION_CONTENT, 7)                        \
	X(ALTERNATES, 5, "alternates", LOCUS_SECTION_CONTENT | LOCUS_SECTION_KEYED, 4)                         \
	X(SOURCE_COLUMNS, 6, "columns", LOCUS_SECTION_CONTENT, 2)

enum locus_section {
#define X(id, value, name, flags, columns) LOCUS_SECTION_##id = value,
	LOCUS_SECTIONS(X)
#undef X
		LOCUS_SECTION_ID_END /* one above the last id this version knows */
};

/* The bit 1 << id of each section that a file lacks where it would be empty; it has all others (FORMAT.md 4.1). */
#define LOCUS_SECTIONS_MAY_LACK (1u << LOCUS_SECTION_SOURCE_COLUMNS)

/* ---- Blocks (FORMAT.md 5): the columns of each section, in order ---- */

enum locus_interval_column {
	LOCUS_INTERVAL_FUNCTION_ID,
	LOCUS_INTERVAL_START,
	LOCUS_INTERVAL_OP,
	LOCUS_INTERVAL_LINE_SAME,
	LOCUS_INTERVAL_LINE,
	LOCUS_INTERVAL_FILE,
	LOCUS_INTERVAL_PART,
	LOCUS_INTERVAL_FUNCTION,
	LOCUS_INTERVAL_CALL_EXPECTED,
	LOCUS_INTERVAL_CALL,
	LOCUS_INTERVAL_CALL_FILE,
	LOCUS_INTERVAL_ESCAPE,
	LOCUS_INTERVAL_COLUMNS
};

enum locus_function_column {
	LOCUS_FUNCTION_FLAGS,
	LOCUS_FUNCTION_SHARED,
	LOCUS_FUNCTION_NAMES,
	LOCUS_FUNCTION_DECLARATION,
	LOCUS_FUNCTION_FILE,
	LOCUS_FUNCTION_LINE,
	LOCUS_FUNCTION_LANGUAGE,
	LOCUS_FUNCTION_COLUMNS
};

enum locus_file_column { LOCUS_FILE_DIRECTORY, LOCUS_FILE_DIRECTORY_NAMES, LOCUS_FILE_NAMES, LOCUS_FILE_COLUMNS };

enum locus_alternate_column {
	LOCUS_ALTERNATE_START,
	LOCUS_ALTERNATE_SIZE,
	LOCUS_ALTERNATE_FUNCTION,
	LOCUS_ALTERNATE_KIND,
	LOCUS_ALTERNATE_COLUMNS
};

/* Of section 6, the source columns. */
enum locus_source_column_column { LOCUS_SOURCE_COLUMN_INTERVAL, LOCUS_SOURCE_COLUMN_CALL, LOCUS_SOURCE_COLUMN_COLUMNS };

enum { LOCUS_COLUMNS_MAX = 16 };

/* ---- Interval blocks (FORMAT.md 6.3) ---- */

/* The op byte: how to come from the context before to this one. */
enum locus_op {
	LOCUS_OP_SAME = 0,
	LOCUS_OP_GAP = 1,
	LOCUS_OP_ESCAPE = 2, /* the escape column says */
	LOCUS_OP_RECENT = 2, /* + 1 … 32: so many places down the list of recent contexts */
	LOCUS_OP_PART = 34,  /* + 1 … 5: a new part, and so many contexts pushed, itself among them */
	LOCUS_OP_UP = 40,    /* + STEP * levels + pushed, not 0 for both */
	LOCUS_OP_UP_STEP = 6,
	LOCUS_OP_END = LOCUS_OP_UP + LOCUS_OP_UP_STEP * 12,
	LOCUS_OP_FILE = 0x80, /* or-ed: the file is not the function's last one, the file column says */
	LOCUS_OP_RECENT_MAX = 32,
	LOCUS_OP_PUSH_MAX = 5,
	LOCUS_OP_UP_MAX = 11, /* levels */
};

/* The part byte: the kind in bits 0 and 1, and this. */
enum { LOCUS_PART_KIND_MASK = 3, LOCUS_PART_DISTANCE = 4 };

/* ---- Functions (FORMAT.md 6.4): the flags byte ---- */

enum locus_name_flag {
	LOCUS_NAME_NAME = 1,    /* a name follows */
	LOCUS_NAME_LINKAGE = 2, /* a linkage name follows */
	LOCUS_NAME_SAME = 4,    /* the linkage name is the name; with NAME, without LINKAGE */
	LOCUS_NAME_FLAGS_END = 8,
};

/* ---- Meta (FORMAT.md 6.1): the fields' ids ---- */

enum locus_meta_field {
	LOCUS_META_BUILD_ID = 1,
	LOCUS_META_ELF = 2,
	LOCUS_META_TOOL = 3,
	LOCUS_META_RULES_EPOCH = 4,
	LOCUS_META_OPTIONS = 5,
	LOCUS_META_COVERAGE = 6,
	LOCUS_META_DROPPED = 7,
	LOCUS_META_BASE = 8,  /* any number of times */
	LOCUS_META_INPUT = 9, /* the same */
	LOCUS_META_SEGMENT = 10,
};

/* ---- Limits (FORMAT.md 11) ---- */

#define LOCUS_BLOCK_ENTRIES_MAX  65536u            /* entries in a block */
#define LOCUS_BLOCK_RAW_MAX      (1u << 24)        /* bytes in a block's columns, decoded */
#define LOCUS_ZSTD_WINDOW_MAX    0x88u             /* a frame's Window_Descriptor: 2^27 bytes */
#define LOCUS_BLOCK_RAW_RATIO    64u               /* bytes in a block's columns for each byte of the block */
#define LOCUS_BLOCK_CONTEXTS_MAX (1u << 20)        /* contexts in a block */
#define LOCUS_META_LISTED_SPARE  65536u            /* what meta lists, beside one for each byte of its block */
#define LOCUS_DEPTH_MAX          1024u             /* contexts from a part to the innermost, both counted */
#define LOCUS_SECTIONS_MAX       64u               /* sections in a directory */
#define LOCUS_EMBEDDED_AMONG     4096u             /* last sections of an ELF file: one of them carries a file */
#define LOCUS_VARINT_MAX         10                /* bytes in a varint */
#define LOCUS_INDEX_ENTRY_MIN    11                /* bytes a block takes in an index, at least */
#define LOCUS_BLOCK_NAMES_MAX    (1u << 24)        /* bytes of the names in a block of functions, written out */
#define LOCUS_BLOCK_NAMES_RATIO  32u               /* the same for each byte of the block's columns, decoded */
#define LOCUS_INTERVALS_MAX      (UINT32_MAX - 1u) /* intervals, functions, files and alternates in a file */

#endif
