/* A line program's state machine, kept simple rather than fast. */
#include "convert/cross_check/plain_rows.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/binary_search.h"
#include "base/budget.h"
#include "convert/elf/cursor.h"

enum { STEPS_PER_BYTE = 2 }; /* of the budget: a byte may be a row */

/* The registers of the state machine (DWARF 5, 6.2.2), and what is known of the current sequence. */
struct state {
	uint64_t addr;
	uint64_t op_index;
	uint64_t file;
	uint64_t line;
	uint64_t column;
	bool is_hidden;    /* the address is dead, so rows are left out (RULES B5) */
	bool is_open;      /* the sequence has a row */
	uint64_t start;    /* address at which the sequence starts */
	uint64_t last;     /* address of the last row that counted */
	uint32_t first;    /* index of its first row */
	uint64_t mode_bit; /* that rows' addresses are without (RULES A4) */
};

/* Advances the address (RULES A4, B2). */
static void advance(const struct plain_header *program, struct state *s, uint64_t operations)
{
	uint64_t sum = s->op_index + operations;
	s->addr += program->min_inst_length * (sum / program->max_ops);
	s->op_index = sum % program->max_ops;
	if (program->addr_size < 8)
		s->addr &= (UINT64_C(1) << 8 * program->addr_size) - 1;
}

/* Adds a row (RULES B3, B5). False: out of memory. */
static bool put_row(struct plain_rows *rows, struct state *s)
{
	const uint64_t addr = s->addr & ~s->mode_bit;
	const struct plain_row row = {addr, s->file, s->line, s->column < UINT32_MAX ? (uint32_t)s->column : 0};
	if (s->is_hidden || (s->is_open && addr < s->last))
		return true;
	if (!s->is_open)
		s->start = addr;
	else if (addr == s->last)
		rows->row_count--;
	if (!array_reserve(&rows->rows, &rows->row_room, rows->row_count + UINT64_C(1), sizeof(*rows->rows)))
		return false;
	rows->rows[rows->row_count++] = row;
	s->is_open = true;
	s->last = addr;
	return true;
}

static void reset(const struct plain_rows *rows, struct state *s)
{
	*s = (struct state){.file = 1, .line = 1, .first = rows->row_count, .mode_bit = s->mode_bit};
}

/* RULES B4: rows that end at an address that is not known cover nothing. */
static bool end_sequence(struct plain_rows *rows, struct state *s)
{
	uint64_t end = s->is_hidden ? s->last : s->addr & ~s->mode_bit;
	bool memory = true;
	if (s->is_open && end >= s->last && end > s->start) {
		memory = array_reserve(&rows->sequences, &rows->sequence_room, rows->sequence_count + UINT64_C(1),
				       sizeof(*rows->sequences));
		if (memory)
			rows->sequences[rows->sequence_count++] =
				(struct plain_sequence){s->start, end, s->first, rows->row_count - s->first};
	} else {
		rows->row_count = s->first;
	}
	reset(rows, s);
	return memory;
}

/* Whether a linker gave this address to dropped code (RULES A2). */
static bool is_dead(uint64_t addr, unsigned size)
{
	uint64_t highest = size < 8 ? (UINT64_C(1) << 8 * size) - 1 : UINT64_MAX;
	return addr >= highest - 1;
}

/* DWARF 5 has the opcode no more (RULES B11), and one that is cut off adds nothing. */
static bool define_file(const struct plain_header *program, struct plain_rows *rows, struct cursor *c)
{
	const char *name = cursor_string(c);
	uint64_t directory = cursor_uleb(c);
	if (program->version >= 5 || c->bad)
		return true;
	if (!array_reserve(&rows->defined, &rows->defined_room, rows->defined_count + UINT64_C(1),
			   sizeof(*rows->defined)))
		return false;
	rows->defined[rows->defined_count++] = (struct plain_file){name, directory};
	return true;
}

static bool extended(const struct plain_header *program, struct plain_rows *rows, struct state *s, struct cursor *c)
{
	uint64_t length = cursor_uleb(c);
	struct cursor body = *c;
	cursor_skip(c, length);
	if (c->bad || !length)
		return true;

	body.end = c->p;
	uint8_t opcode = cursor_u8(&body);
	if (opcode == DW_LNE_end_sequence)
		return end_sequence(rows, s);
	if (opcode == DW_LNE_define_file)
		return define_file(program, rows, &body);

	size_t size = cursor_left(&body);
	if (opcode == DW_LNE_set_address && (size == 2 || size == 4 || size == 8)) {
		uint64_t addr = cursor_unsigned(&body, (unsigned)size);
		s->is_hidden = is_dead(addr, program->addr_size) || (s->is_open && addr < s->start);
		s->op_index = 0;
		s->addr = s->is_hidden ? s->addr : addr;
	}
	return true;
}

static bool standard(const struct plain_header *program, struct plain_rows *rows, struct state *s, uint8_t opcode,
		     struct cursor *c)
{
	switch (opcode) {
	case DW_LNS_copy:
		return put_row(rows, s);
	case DW_LNS_advance_pc:
		advance(program, s, cursor_uleb(c));
		return true;
	case DW_LNS_advance_line:
		s->line += (uint64_t)cursor_sleb(c);
		return true;
	case DW_LNS_set_file:
		s->file = cursor_uleb(c);
		return true;
	case DW_LNS_set_column:
		s->column = cursor_uleb(c);
		return true;
	case DW_LNS_const_add_pc:
		if (program->line_range)
			advance(program, s, (255 - program->opcode_base) / program->line_range);
		return true;
	case DW_LNS_fixed_advance_pc:
		s->addr += cursor_u16(c);
		s->op_index = 0;
		return true;
	case DW_LNS_negate_stmt:
	case DW_LNS_set_basic_block:
	case DW_LNS_set_prologue_end:
	case DW_LNS_set_epilogue_begin:
		return true;
	default:
		for (unsigned i = 0; i < program->operands[opcode]; i++)
			cursor_uleb(c);
		return true;
	}
}

bool plain_rows_read(struct plain_rows *rows, const struct line_bytes *bytes, uint64_t offset, uint64_t *ret_next,
		     bool *ret_known)
{
	struct plain_header program;
	struct state s = {.mode_bit = bytes->mode_bit};
	bool memory = true;
	rows->row_count = rows->sequence_count = rows->defined_count = 0;
	*ret_known = plain_header_read(bytes, offset, &program, ret_next);
	if (!*ret_known)
		return true;
	if (!budget_spend(STEPS_PER_BYTE * cursor_left(&program.code)))
		return false;

	reset(rows, &s);
	for (struct cursor c = program.code; memory && cursor_left(&c);) {
		uint8_t opcode = cursor_u8(&c);
		if (opcode >= program.opcode_base) {
			unsigned adjusted = opcode - program.opcode_base;
			if (program.line_range) {
				advance(&program, &s, adjusted / program.line_range);
				s.line += (uint64_t)(int64_t)(program.line_base + (int)(adjusted % program.line_range));
			}
			memory = put_row(rows, &s);
		} else if (opcode) {
			memory = standard(&program, rows, &s, opcode, &c);
		} else {
			memory = extended(&program, rows, &s, &c);
		}
	}
	return memory;
}

void plain_rows_done(struct plain_rows *rows)
{
	free(rows->rows);
	free(rows->sequences);
	free(rows->defined);
	*rows = (struct plain_rows){0};
}

const struct plain_row *plain_rows_find(const struct plain_rows *rows, const struct plain_sequence *sequence,
					uint64_t addr)
{
	uint32_t behind;
	if (addr < sequence->start || addr >= sequence->end)
		return NULL;
	SEARCH_FIRST(behind, sequence->first, sequence->first + sequence->count, rows->rows[behind].addr > addr);
	return &rows->rows[behind - 1]; /* the first row is where the sequence starts */
}
