/*
 * Runs line programs. This is not dwarf_getsrclines, which mixes the rows of sequences that overlap, and refuses whole
 * tables for a single wide column (RULES I1, I2).
 */
#include "convert/dwarf/line_program.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/always_inline.h"
#include "base/array.h"
#include "base/fail.h"
#include "convert/dwarf/row_prefixes.h"
#include "convert/dwarf/target_address.h"

/* The state machine's registers that matter here (DWARF 5, 6.2.2), and where its current sequence began. */
struct machine {
	uint64_t addr;
	uint64_t line;
	uint32_t file; /* UINT32_MAX: beyond 32 bits */
	uint32_t column;
	uint32_t op_index;
	bool skipping;         /* RULES B5: rows are left out after a dead address, until the next one or the end of the
				  sequence */
	bool open;             /* the sequence has a row */
	uint64_t start;        /* address of the first row */
	uint64_t last_addr;    /* address of the last row that was kept */
	uint64_t first_offset; /* offset of the sequence's first opcode */
	uint32_t row_first;    /* index of its first row in the table */
	uint32_t first_file;   /* what its first opcode that made a row said */
	uint32_t first_line;
};

/* Stores the column of a row that is added next or, if `here`, replaces the last one. */
static bool put_column(struct line_table *table, uint32_t column, bool here)
{
	if (!array_reserve(&table->columns, &table->column_room, table->row_count + UINT64_C(1),
			   sizeof(*table->columns)))
		return false;
	table->columns[table->row_count - here] = column;
	return true;
}

/*
 * Whether a row is added, replaces another or is left out is unpredictable, so it is stored without a branch. The mode
 * bit (RULES A4) is cleared in the row alone: advances may go from an address with it to one without.
 */
static ALWAYS_INLINE bool add_row(struct line_table *table, struct machine *m, uint64_t mode_bit, bool keeps_columns)
{
	if (m->skipping)
		return true;
	const uint64_t addr = m->addr & ~mode_bit;
	struct split_row row = {addr, m->file, (uint32_t)m->line};
	bool here = false, again = false;
	if (__builtin_expect(m->line >= UINT32_MAX, 0)) {
		table->long_line_count++;
		row.line = 0;
	}
	uint32_t column = row.line ? m->column : 0;

	/*
	 * A row replaces the last one at its address (RULES B3), and is left out if it says the same as the last one.
	 */
	if (m->open) {
		if (__builtin_expect(addr < m->last_addr, 0)) {
			table->backward_count++;
			return true;
		}
		const struct split_row *last = &table->rows[table->row_count - 1];
		here = last->addr == row.addr;
		again = (last->file == row.file) & (last->line == row.line);
		if (keeps_columns)
			again &= table->columns[table->row_count - 1] == column;
	} else {
		m->start = addr;
		m->first_file = row.file;
		m->first_line = row.line;
	}
	if (!array_reserve(&table->rows, &table->row_room, table->row_count + UINT64_C(1), sizeof(*table->rows)) ||
	    (keeps_columns && !put_column(table, column, here)))
		return false;
	table->rows[table->row_count - here] = row;
	table->row_count += !(here | again);
	m->last_addr = addr;
	m->open = true;
	return true;
}

/* Drops the rows of the current sequence that no sink has taken. */
static void drop_rows(struct line_table *table, const struct machine *m)
{
	table->row_count = m->row_first > table->row_base ? m->row_first - table->row_base : 0;
}

static bool end_sequence(struct line_table *table, struct machine *m, uint64_t mode_bit)
{
	if (!m->open)
		return true;
	m->addr &= ~mode_bit;
	if (m->skipping || m->addr < m->last_addr || m->addr <= m->start) {
		/* RULES B4: if the end is below the last row, the sequence ends with that row or is dropped. */
		bool clipped = m->skipping && m->last_addr > m->start;
		if (!clipped) {
			table->empty_count++;
			drop_rows(table, m);
			return true;
		}
		m->addr = m->last_addr;
	}

	/* A row at the very end covers nothing. */
	const struct split_row last = table->rows[table->row_count - 1];
	if (last.addr == m->addr)
		table->row_count--;
	if (!array_reserve(&table->sequences, &table->sequence_room, table->sequence_count + UINT64_C(1),
			   sizeof(*table->sequences)))
		return false;
	table->sequences[table->sequence_count++] = (struct sequence){
		.start = m->start,
		.end = m->addr,
		.offset = m->first_offset,
		.row_first = m->row_first,
		.row_count = table->row_base + table->row_count - m->row_first,
		.first_file = m->first_file,
		.first_line = m->first_line,
		.last_file = last.file,
		.last_line = last.line,
	};
	return true;
}

static void reset(struct machine *m, const struct line_table *table, uint64_t offset)
{
	*m = (struct machine){
		.file = 1, .line = 1, .first_offset = offset, .row_first = table->row_base + table->row_count};
}

/* DWARF 5, 6.2.5.1 (RULES B2). Addresses are modulo the address size (RULES A4). */
static void advance(struct machine *m, const struct line_header *h, uint64_t operations, uint64_t mask)
{
	if (h->max_ops == 1) {
		m->addr = (m->addr + h->min_inst_length * operations) & mask;
		return;
	}
	uint64_t sum = m->op_index + operations;
	m->addr = (m->addr + h->min_inst_length * (sum / h->max_ops)) & mask;
	m->op_index = (uint32_t)(sum % h->max_ops);
}

/* RULES B5: a dead address, or one below the start of the sequence, hides the rows up to the next address. */
static void set_address(struct line_table *table, struct machine *m, uint64_t addr, uint8_t size)
{
	bool dead = address_is_dead(addr, size) || (m->open && addr < m->start);
	if (dead && !m->skipping)
		table->tombstone_count++;
	m->skipping = dead;
	m->op_index = 0;
	if (!dead)
		m->addr = addr;
}

/* Executes an extended opcode. *ret_end: it ended the sequence. False: out of memory. */
static ALWAYS_INLINE bool extended(struct line_table *table, struct machine *m, struct line_header *h, struct cursor *c,
				   bool *ret_end)
{
	uint64_t length = cursor_uleb(c);
	*ret_end = false;
	if (!length || length > cursor_left(c)) {
		if (length)
			cursor_fail(c);
		table->has_nonsense |= m->open || m->addr; /* zeros between sequences are padding */
		return true;
	}

	/* Whatever the opcode reads, the next one begins behind its length. */
	struct cursor body = *c;
	body.end = c->p + length;
	cursor_skip(c, length);
	switch (cursor_u8(&body)) {
	case DW_LNE_end_sequence:
		*ret_end = true;
		return end_sequence(table, m, h->mode_bit);
	case DW_LNE_set_address: {
		/* The length of the opcode gives the size of the address, whatever the header says. */
		size_t size = cursor_left(&body);
		if (size == 2 || size == 4 || size == 8)
			set_address(table, m, cursor_unsigned(&body, (unsigned)size), h->address_size);
		else
			table->has_nonsense = true;
		return true;
	}
	case DW_LNE_define_file: { /* deprecated since DWARF 4 */
		const char *name = cursor_string(&body);
		uint64_t directory = cursor_uleb(&body);
		return h->version >= 5 || body.bad || line_header_add_file(h, name, directory);
	}
	default: /* discriminators, and opcodes of single producers */
		return true;
	}
}

/* Skips the operands of an opcode that does not matter. */
static ALWAYS_INLINE void skip_operands(const struct line_header *h, uint8_t opcode, struct cursor *c)
{
	for (unsigned i = 0; i < h->opcode_lengths[opcode - 1]; i++)
		cursor_uleb(c);
}

/* Executes a standard opcode (DWARF 5, 6.2.5.2). False: out of memory. */
static ALWAYS_INLINE bool standard(struct line_table *table, struct machine *m, const struct line_header *h,
				   struct cursor *c, uint8_t opcode, uint64_t mask, uint64_t mode_bit,
				   bool keeps_columns)
{
	switch (opcode) {
	case DW_LNS_copy:
		return add_row(table, m, mode_bit, keeps_columns);
	case DW_LNS_advance_pc:
		advance(m, h, cursor_uleb(c), mask);
		break;
	case DW_LNS_advance_line:
		m->line += (uint64_t)cursor_sleb(c);
		break;
	case DW_LNS_set_file: {
		uint64_t file = cursor_uleb(c);
		m->file = file < UINT32_MAX ? (uint32_t)file : UINT32_MAX;
		break;
	}
	case DW_LNS_const_add_pc:
		if (h->line_range)
			advance(m, h, (255u - h->opcode_base) / h->line_range, mask);
		break;
	case DW_LNS_fixed_advance_pc:
		m->addr = (m->addr + cursor_u16(c)) & mask;
		m->op_index = 0;
		break;
	case DW_LNS_negate_stmt:
	case DW_LNS_set_basic_block:
	case DW_LNS_set_prologue_end:
	case DW_LNS_set_epilogue_begin:
		break;
	case DW_LNS_set_column: {
		uint64_t column = cursor_uleb(c);
		m->column = column < UINT32_MAX ? (uint32_t)column : 0;
		break;
	}
	default: /* isa, and opcodes of later versions */
		skip_operands(h, opcode, c);
	}
	return true;
}

/*
 * Computes what each special opcode does; of the others only DW_LNS_copy makes a row. Division is slow, so this is done
 * only if the parameters changed.
 */
static void make_steps(struct line_table *table, const struct line_header *h)
{
	if (table->line_base == h->line_base && table->line_range == h->line_range &&
	    table->opcode_base == h->opcode_base && table->min_inst_length == h->min_inst_length)
		return;
	table->line_base = h->line_base;
	table->line_range = h->line_range;
	table->opcode_base = h->opcode_base;
	table->min_inst_length = h->min_inst_length;
	for (unsigned opcode = 0; opcode < h->opcode_base; opcode++)
		table->steps[opcode] = (struct line_step){0, opcode == DW_LNS_copy ? 0 : INT32_MIN};
	for (unsigned opcode = h->opcode_base; opcode < 256; opcode++) {
		unsigned adjusted = opcode - h->opcode_base;
		unsigned operations = h->line_range ? adjusted / h->line_range : 0;
		table->operations[opcode] = (uint8_t)operations;
		table->steps[opcode] = (struct line_step){
			.bytes = operations * h->min_inst_length,
			.line = h->line_range ? h->line_base + (int)(adjusted % h->line_range) : 0,
		};
	}
}

/* Whether run_plain knows all that its opcodes do. */
static bool is_plain(const struct line_header *h)
{
	return h->max_ops == 1 && h->opcode_base > DW_LNS_const_add_pc && h->line_range;
}

/*
 * run_plain makes rows only while their lines are below this. One row adds so little to a line that a line below 0, as
 * an unsigned number, is above this.
 */
enum { PLAIN_LINES = 1 << 30 };

/* Whether rows can be made at the cursor, and all their addresses ascend. */
static bool makes_plain_rows(const struct machine *m, const struct cursor *c, uint64_t mask)
{
	enum { ADVANCE_MAX = PREFIX_BYTES_MAX * 255 * 255 }; /* bytes of code: what plain opcodes can do together */
	return m->open && m->line < PLAIN_LINES && !m->skipping && m->addr >= m->last_addr && m->addr <= mask &&
	       mask - m->addr >= ADVANCE_MAX && cursor_left(c) >= PREFIX_BYTES_MIN;
}

/* Finds the prefixes at the cursor, unless they are known, and makes room for a row at each byte. */
static bool look_ahead(struct line_table *table, struct row_prefixes *prefixes, const struct cursor *c)
{
	if (c->p < prefixes->start + prefixes->size)
		return true;
	row_prefixes_find(prefixes, c->p, c->end);
	return array_reserve(&table->rows, &table->row_room, table->row_count + (uint64_t)prefixes->size,
			     sizeof(*table->rows));
}

/* One of two numbers, without a branch. */
static inline uint64_t choose(bool first, uint64_t a, uint64_t b)
{
	return b ^ ((a ^ b) & (0 - (uint64_t)first));
}

/*
 * Executes an opcode that advances the address and may stand between a prefix and the opcode of a row: const_add_pc
 * behind advance_line, and advance_pc by little. Returns its size; 0: it is another one.
 */
static inline size_t advance_between(const uint8_t *p, uint32_t const_add, uint32_t min_inst_length,
				     uint32_t *ret_bytes)
{
	bool is_const = p[0] == DW_LNS_const_add_pc, is_small = p[0] == DW_LNS_advance_pc && p[1] < 0x80;
	*ret_bytes = is_const ? const_add : is_small ? p[1] * min_inst_length : 0;
	return is_const ? 1 : is_small ? 2 : 0;
}

/*
 * Makes rows where prefixes are known, up to the first opcode that neither makes one nor stands between: most rows of
 * most programs. To have no branch for them, the opcodes of a prefix are executed even if they are missing, but then
 * change nothing. A file of more than one byte is not part of a prefix: it is set again when its opcode is executed.
 * Columns are not kept.
 */
static ALWAYS_INLINE void run_plain(struct line_table *table, struct machine *m, struct cursor *c,
				    const struct row_prefixes *prefixes, uint64_t mode_bit)
{
	/* What the last opcode of a prefix does, by its size: none, const_add_pc, advance_line. */
	const struct {
		uint32_t bits[4], sign[4], bytes[4];
	} last_opcode = {{0, 0, 0x7f, 0x3fff}, {0, 0, 0x40, 0x2000}, {0, table->steps[255].bytes, 0, 0}};
	size_t at = (size_t)(c->p - prefixes->start);
	struct split_row *last = table->rows + table->row_count - 1;
	/* What a row says, as one number, the line above the file: both are compared at once, and lines are added. */
	uint64_t says = m->line << 32 | m->file, addr = m->addr, row_addr = m->last_addr;
	/* The last row again, as it is stored, because reading what was just written takes long. */
	uint64_t last_says = (uint64_t)last->line << 32 | last->file, last_addr = last->addr;

	while (at < prefixes->size) {
		const uint8_t *p = prefixes->start + at;
		size_t size = prefixes->sizes[at] & 15, before = prefixes->sizes[at] >> 4, kind = size - before;
		uint32_t operand = (p[before + 1] & 0x7f) | p[before + 2] << 7;
		uint32_t lines = ((operand & last_opcode.bits[kind]) ^ last_opcode.sign[kind]) - last_opcode.sign[kind];
		says ^= (uint32_t)(p[1] ^ says) & (0 - (uint32_t)(p[0] == DW_LNS_set_file));
		addr += last_opcode.bytes[kind];
		at += size;

		/* The opcode behind the prefix, if it is one that makes a row. A line below 0 is a large one here. */
		const struct line_step *step = &table->steps[p[size]];
		uint64_t row_says = says + ((uint64_t)(lines + (uint32_t)step->line) << 32);
		if (row_says >> 32 >= PLAIN_LINES) {
			uint32_t bytes;
			size = advance_between(p + size, last_opcode.bytes[1], table->min_inst_length, &bytes);
			at += size;
			addr += bytes;
			says += (uint64_t)lines << 32;
			if (!size)
				break;
			continue;
		}
		says = row_says;
		row_addr = addr += step->bytes;
		at++;

		/* As in add_row; a row that says the same as the last one is written over it, with its address. */
		uint64_t stored_addr = choose(says == last_says, last_addr, addr & ~mode_bit);
		last += stored_addr != last_addr;
		*last = (struct split_row){stored_addr, (uint32_t)says, (uint32_t)(says >> 32)};
		last_addr = stored_addr;
		last_says = says;
	}

	c->p = prefixes->start + at;
	table->row_count = (uint32_t)(last + 1 - table->rows);
	m->addr = addr;
	m->line = (uint64_t)((int64_t)says >> 32);
	m->last_addr = row_addr & ~mode_bit;
	m->file = (uint32_t)says;
}

/* Gives the first `count` rows to the sink. */
static bool give_rows(struct line_table *table, uint32_t count, const struct row_sink *sink)
{
	if (!sink->take(sink->argument, table->rows, count))
		return false;
	table->row_base += count;
	table->row_count -= count;
	if (table->row_count)
		memmove(table->rows, table->rows + count, table->row_count * sizeof(*table->rows));
	return true;
}

/*
 * Runs the program to its end, or to where it is cut off: then the cursor is bad. With a `sink`, rows are given to it
 * as they are made. False: out of memory. The loop is compiled with and without a mode bit, and with and without
 * columns, so that these cost nothing where there are none.
 */
static ALWAYS_INLINE bool run_program(struct line_table *table, struct machine *m, struct line_header *h,
				      struct cursor *c, const uint8_t *section, const struct row_sink *sink,
				      uint64_t mode_bit, bool keeps_columns)
{
	enum { GIVEN_AT_ONCE = 4096 - PREFIX_BYTES_MAX }; /* rows; what is found ahead adds up to 4096 */
	uint64_t mask = address_max(h->address_size);
	bool memory = true, plain = !keeps_columns && is_plain(h);
	struct row_prefixes prefixes;
	prefixes.start = c->p;
	prefixes.size = 0;
	while (memory && cursor_left(c)) {
		if (plain && makes_plain_rows(m, c, mask)) {
			if (!look_ahead(table, &prefixes, c))
				return false;
			run_plain(table, m, c, &prefixes, mode_bit);
		}
		/* The last row may still be replaced, so it is kept back. */
		if (sink && table->row_count > GIVEN_AT_ONCE && !give_rows(table, table->row_count - 1, sink))
			return false;

		/* Whatever is next: prefixes end before the program does. */
		uint8_t opcode = *c->p++;
		if (opcode >= h->opcode_base) {
			const struct line_step *step = &table->steps[opcode];
			advance(m, h, table->operations[opcode], mask);
			m->line += (uint64_t)(int64_t)step->line;
			memory = add_row(table, m, mode_bit, keeps_columns);
		} else if (opcode) {
			memory = standard(table, m, h, c, opcode, mask, mode_bit, keeps_columns);
		} else {
			bool ended;
			memory = extended(table, m, h, c, &ended);
			if (ended)
				reset(m, table, (uint64_t)(c->p - section));
		}
	}
	return memory;
}

enum locus_status line_table_read_into(struct line_table *table, struct line_header *h, const uint8_t *section,
				       bool swap, const struct row_sink *sink, struct locus_error *error)
{
	struct cursor c = {.p = section + h->program, .end = section + h->end, .swap = swap};
	struct machine m;
	table->row_count = table->row_base = table->sequence_count = 0;
	table->tombstone_count = table->empty_count = table->backward_count = table->long_line_count = 0;
	table->has_nonsense = false;
	make_steps(table, h);
	reset(&m, table, h->program);
	bool memory = table->keeps_columns ? run_program(table, &m, h, &c, section, NULL, h->mode_bit, true)
		      : h->mode_bit        ? run_program(table, &m, h, &c, section, sink, 1, false)
					   : run_program(table, &m, h, &c, section, sink, 0, false);

	/* A last sequence without an end is dropped. */
	table->left_open = m.open;
	if (m.open)
		drop_rows(table, &m);
	if (memory && sink && table->row_count)
		memory = give_rows(table, table->row_count, sink);
	if (!memory)
		return locus_fail_memory(error);
	if (c.bad)
		return locus_fail(error, LOCUS_ERR_BAD_DWARF, "the line program at .debug_line+0x%llx is cut off",
				  (unsigned long long)h->offset);
	return LOCUS_OK;
}

enum locus_status line_table_read(struct line_table *table, struct line_header *header, const uint8_t *section,
				  bool swap, struct locus_error *error)
{
	return line_table_read_into(table, header, section, swap, NULL, error);
}

void line_table_done(struct line_table *table)
{
	free(table->rows);
	free(table->columns);
	free(table->sequences);
	*table = (struct line_table){0};
}
