/* Abbreviation tables (DWARF 5, 7.5.3), compiled so that a DIE that is not needed is skipped in a step or two. */
#ifndef LOCUS_ABBREV_H
#define LOCUS_ABBREV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "convert/elf/cursor.h"
#include "spec/status.h"

/* What is read of functions, inlinees and what they refer to. */
enum attr_use {
	ATTR_UNUSED,
	/* Read where a function or an inlinee has code: */
	ATTR_LOW,
	ATTR_HIGH,
	ATTR_RANGES,
	ATTR_ENTRY,
	ATTR_CALL_FILE,
	ATTR_CALL_LINE,
	ATTR_CALL_COLUMN,
	ATTR_STMT_SEQUENCE,
	ATTR_ORIGIN,
	ATTR_SPECIFICATION,
	ATTR_CODE_COUNT,
	/* Read where a function's name is looked up: */
	ATTR_NAME = ATTR_CODE_COUNT,
	ATTR_LINKAGE_NAME,
	ATTR_DECL_FILE,
	ATTR_DECL_LINE,
};

struct attr_spec {
	uint16_t name;    /* DW_AT; 0xffff: one beyond 16 bits, none of which matters here */
	uint16_t form;    /* DW_FORM */
	uint8_t step;     /* how it is skipped: its size, or STEP_KIND and an enum skip_kind */
	uint8_t use;      /* enum attr_use; of two of one kind, the second's is ATTR_UNUSED */
	uint16_t at;      /* in an abbreviation that is_fixed: bytes of the DIE before it, behind the code */
	int64_t implicit; /* the value of forms that take no bytes: DW_FORM_implicit_const, DW_FORM_flag_present */
};

enum { STEP_KIND = 0x40 };

/* What forms refer to, beside the unit's own section. */
enum form_need {
	NEED_STR = 1 << 0,
	NEED_LINE_STR = 1 << 1,
	NEED_STR_OFFSETS = 1 << 2,
	NEED_ALTERNATE = 1 << 3, /* the alternate or supplementary file */
};

/* What a walk over a unit does with a DIE of an abbreviation. */
enum die_role {
	ROLE_LEAF,       /* nothing, and it has no children */
	ROLE_OTHER,      /* nothing, but its children are visited */
	ROLE_OPAQUE,     /* neither it nor its children can hold code: an enumeration, an array, a call, or the
			    declaration of a function, of which C++ has many */
	ROLE_RECORD,     /* a struct, class or union: a scope for names; opaque in languages without member functions */
	ROLE_NAMESPACE,  /* a scope for names */
	ROLE_SUBPROGRAM, /* a function without code of its own, as an abstract instance: its children may have some */
	/* The attributes of the roles below are read: */
	ROLE_FUNCTION, /* a function with code */
	ROLE_INLINEE,  /* DW_TAG_inlined_subroutine with code, or with children that may have some */
	ROLE_COUNT
};

/* How an attribute of no fixed size is skipped. */
enum skip_kind {
	SKIP_UNKNOWN,
	SKIP_LEB,
	SKIP_BLOCK1,
	SKIP_BLOCK2,
	SKIP_BLOCK4,
	SKIP_BLOCK,
	SKIP_STRING,
	SKIP_INDIRECT,
	SKIP_LEB_U32,
};

/* One step of skipping attributes: the bytes of fixed size, and one of the kind behind them. */
struct skip_op {
	uint32_t before;
	uint32_t kind; /* enum skip_kind */
};

#define NO_SIBLING  UINT16_MAX
#define LEAF_VARIES UINT32_MAX

struct abbrev {
	uint64_t code;
	uint32_t attr_first;
	uint32_t attr_count;
	uint32_t fixed;     /* bytes of fixed size behind the last step; mostly there is no step */
	uint32_t leaf_size; /* for a ROLE_LEAF without steps, the same number; else LEAF_VARIES */
	uint32_t skip_first;
	uint32_t skip_count;
	uint16_t tag;
	uint16_t sibling;      /* bytes of fixed size before DW_AT_sibling, behind as many steps as are before it;
				  NO_SIBLING: there is none that can be read */
	uint8_t sibling_steps; /* the number of steps before it */
	uint8_t sibling_size;  /* 1, 2 or 4 bytes; 0: it is a LEB128 */
	bool has_children : 1;
	bool is_block_pair : 1; /* a ROLE_LEAF of two blocks and nothing else, as most parameters of calls are */
	bool is_fixed : 1; /* every attribute has a fixed size, of 8 bytes at most if it is used, and all fit 16 bits */
	bool named : 1;    /* it has a name, file or line of its own, so names are looked up from it and not from its
			      origin */
	uint8_t role;      /* enum die_role */
};

/* The fields of a unit's header that sizes of forms depend on. */
struct form_sizes {
	uint8_t address;  /* 1, 2, 4 or 8 */
	uint8_t offset;   /* 4 or 8 */
	uint8_t ref_addr; /* like `address` in DWARF 2, like `offset` since DWARF 3 */
};

#define FORM_LLVM_ADDRX_OFFSET 0x2001 /* an index into .debug_addr, and four bytes to add */

/* Forms below this one are numbered almost without gaps. */
#define FORM_STEP_COUNT 48

/* Compiled abbreviations. */
struct abbrev_store {
	struct abbrev *abbrevs;
	struct attr_spec *attrs;
	struct skip_op *skips;
	uint32_t count, room, attr_count, attr_room, skip_count, skip_room;
	uint8_t needs;                  /* of all their forms: bits of enum form_need */
	struct form_sizes sizes;        /* the sizes that `steps` was made for */
	uint8_t steps[FORM_STEP_COUNT]; /* by form: how it is skipped */
};

/* Empties a store, which was zeroed or used before, and sets the sizes for the abbreviations that follow. */
void abbrev_store_begin(struct abbrev_store *store, const struct form_sizes *sizes);
/*
 * Adds the declaration whose code the cursor stands behind. LOCUS_ERR_BAD_DWARF: it is cut off, or has an unknown form.
 */
enum locus_status abbrev_store_add(struct abbrev_store *store, struct cursor *c, uint64_t code,
				   struct locus_error *error);
void abbrev_store_done(struct abbrev_store *store);

struct abbrev_table {
	const struct abbrev *abbrevs; /* by code, ascending */
	uint32_t count;
	bool dense;                    /* abbrevs[i] has code i + 1 */
	uint8_t needs;                 /* bits of enum form_need */
	const struct attr_spec *attrs; /* in the table's own store or in the section's */
	const struct skip_op *skips;
	struct abbrev_store own;
};

/*
 * Reads the table at `bytes` into `table`, whose memory is reused if it was read before. Freed by abbrev_table_done.
 * LOCUS_ERR_BAD_DWARF: the table is cut off, has an unknown form, or a code twice.
 */
enum locus_status abbrev_table_read(struct abbrev_table *table, const uint8_t *bytes, size_t size,
				    const struct form_sizes *sizes, struct locus_error *error);
void abbrev_table_done(struct abbrev_table *table);

/* The slow path of abbrev_table_get. */
const struct abbrev *abbrev_table_search(const struct abbrev_table *table, uint64_t code);

/* The abbreviation with `code`, or NULL. */
static inline const struct abbrev *abbrev_table_get(const struct abbrev_table *table, uint64_t code)
{
	if (__builtin_expect(table->dense && code - 1 < table->count, 1))
		return &table->abbrevs[code - 1];
	return abbrev_table_search(table, code);
}

/* The size of a form whose size does not depend on the data, or -1. */
int form_fixed_size(uint16_t form, const struct form_sizes *sizes);

/* Bits of enum form_need. */
uint8_t form_needs(uint64_t form);

/* Skips one value of `form`; an unknown form is an error. */
void form_skip(struct cursor *c, uint16_t form, const struct form_sizes *sizes);

void abbrev_skip_slow(struct cursor *c, enum skip_kind kind, const struct form_sizes *sizes);

/* Skips one attribute of a DIE. */
static inline void attr_skip(struct cursor *c, const struct attr_spec *spec, const struct form_sizes *sizes)
{
	if (spec->step & STEP_KIND)
		abbrev_skip_slow(c, spec->step & ~STEP_KIND, sizes);
	else
		cursor_skip(c, spec->step);
}

/* Where a string at `p` ends, behind its NUL, which most have in their first eight bytes. NULL: it has none. */
static inline const uint8_t *string_behind(const uint8_t *p, const uint8_t *end)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t word;
	if ((size_t)(end - p) >= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
			word = __builtin_bswap64(word);
		const uint64_t zeros = (word - ones) & ~word & ones << 7; /* its lowest bit is of the first zero byte */
		if (zeros)
			return p + __builtin_ctzll(zeros) / 8 + 1;
	}
	p = memchr(p, 0, (size_t)(end - p));
	return p ? p + 1 : NULL;
}

/*
 * Where an attribute or the end of a DIE is whose attributes begin at `p`: behind so many steps, and `fixed` bytes
 * behind them. NULL: that is behind `end`, or a form before it is unknown. A walk over DIEs has no cursor, because to
 * copy one that was just written takes longer than to skip a DIE.
 */
static inline const uint8_t *abbrev_at(const uint8_t *p, const uint8_t *end, bool swap,
				       const struct abbrev_table *table, const struct abbrev *abbrev,
				       uint32_t step_count, uint32_t fixed, const struct form_sizes *sizes)
{
	for (uint32_t i = 0; i < step_count; i++) {
		const struct skip_op *op = &table->skips[abbrev->skip_first + i];
		if (op->before >= (size_t)(end - p))
			return NULL;
		p += op->before;
		if (op->kind == SKIP_BLOCK && *p < 0x80) {
			if (*p >= (size_t)(end - p))
				return NULL;
			p += 1 + *p;
		} else if (op->kind == SKIP_LEB) {
			while (*p & 0x80)
				if (++p == end)
					return NULL;
			p++;
		} else if (op->kind == SKIP_STRING) { /* dwz moves short names into the DIEs */
			if (!(p = string_behind(p, end)))
				return NULL;
		} else {
			struct cursor c = {.p = p, .end = end, .swap = swap};
			abbrev_skip_slow(&c, op->kind, sizes);
			if (c.bad)
				return NULL;
			p = c.p;
		}
	}
	return fixed <= (size_t)(end - p) ? p + fixed : NULL;
}

/* Where a DIE ends whose attributes begin at `p`; NULL as in abbrev_at. */
static inline const uint8_t *abbrev_behind(const uint8_t *p, const uint8_t *end, bool swap,
					   const struct abbrev_table *table, const struct abbrev *abbrev,
					   const struct form_sizes *sizes)
{
	return abbrev_at(p, end, swap, table, abbrev, abbrev->skip_count, abbrev->fixed, sizes);
}

/*
 * The same for a DIE that is_block_pair, if both blocks have fewer than 128 bytes and the end is so far that any two
 * such fit. NULL: abbrev_behind has to find it. A third of the DIEs that the walk over libpetsc comes by are such.
 */
static inline const uint8_t *block_pair_behind(const uint8_t *p, const uint8_t *end)
{
	enum { SHORT_MAX = 127 };
	if (end - p < 2 * (1 + SHORT_MAX) || p[0] > SHORT_MAX)
		return NULL;
	p += 1 + p[0];
	return p[0] > SHORT_MAX ? NULL : p + 1 + p[0];
}

/* Skips all attributes of a DIE. */
static inline void abbrev_skip(struct cursor *c, const struct abbrev_table *table, const struct abbrev *abbrev,
			       const struct form_sizes *sizes)
{
	const uint8_t *behind = abbrev_behind(c->p, c->end, c->swap, table, abbrev, sizes);
	if (behind)
		c->p = behind;
	else
		cursor_fail(c);
}

#endif
