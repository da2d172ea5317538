/* A .debug_line section: its first table's header and program. Sequences and rows are as line_program.h promises. */
#include <inttypes.h>
#include <string.h>

#include "convert/dwarf/line_header.h"
#include "convert/dwarf/line_invariants_test.h"
#include "convert/dwarf/line_program.h"
#include "fuzz/fuzz.h"
#include "reader/locus.h"

const struct fuzz_target fuzz_target = {.name = "lines", .files = "lines", .variations = 1000};

static void observe_header(const struct line_header *header)
{
	observe("ok: version %u, offsets of %u bytes, addresses of %u, instructions of %u in %u operations, line base "
		"%d, "
		"range %u, %u opcodes, program at %" PRIu64 " to %" PRIu64 "\n",
		header->version, header->offset_size, header->address_size, header->min_inst_length, header->max_ops,
		header->line_base, header->line_range, header->opcode_base, header->program, header->end);
	for (uint32_t i = 0; i < header->directory_count; i++) {
		observe("directory ");
		if (header->directories[i])
			observe_bytes(header->directories[i], strlen(header->directories[i]));
		observe("\n");
	}
	for (uint32_t i = 0; i < header->file_count; i++) {
		observe("file in %" PRIu64 " ", header->files[i].directory);
		if (header->files[i].name)
			observe_bytes(header->files[i].name, strlen(header->files[i].name));
		observe("\n");
	}
}

static void observe_rows(const struct line_table *table)
{
	observe("%u rows, %u sequences, dropped %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "%s\n", table->row_count,
		table->sequence_count, table->tombstone_count, table->empty_count, table->backward_count,
		table->long_line_count, table->left_open ? ", one is left open" : "");
	for (uint32_t i = 0; i < table->sequence_count; i++) {
		const struct sequence *sequence = &table->sequences[i];
		observe("sequence 0x%" PRIx64 " to 0x%" PRIx64 ", program at %" PRIu64 ":", sequence->start,
			sequence->end, sequence->offset);
		for (uint32_t k = sequence->row_first; k < sequence->row_first + sequence->row_count; k++)
			observe(" 0x%" PRIx64 "=%u:%u:%u", table->rows[k].addr, table->rows[k].file,
				table->rows[k].line, table->keeps_columns ? table->columns[k] : 0);
		observe("\n");
	}
}

/* The table of a header whose program was not run yet. */
static void read_table(struct line_table *table, struct line_header *header, const struct input *input, bool swap)
{
	struct locus_error error = {.text = ""};
	observe_header(header);
	enum locus_status status = line_table_read(table, header, input->data, swap, &error);
	observe("%s: %s\n", locus_status_text(status), error.text);
	const char *fault = line_table_fault(table);
	if (fault)
		fprintf(stderr, "%s\n", fault);
	HOLD(!fault);
	observe_rows(table);
	observe("%u files with those that the program defines\n", header->file_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {data, size};
	bool swap = input_below(&input, 2);
	uint8_t address_size = (uint8_t)(1 << (1 + input_below(&input, 3)));
	struct line_header header = {0};
	struct line_table tables[2] = {{0}, {.keeps_columns = true}};
	struct section texts;
	section_init(&texts, input.data, input.size, false);
	const struct line_strings strings = {&texts, &texts, &texts, {input.data, input.size, swap}};
	const struct line_section section = {input.data, input.size, swap, address_size};

	/* Each twice, for the memory of the first reading is used again. */
	for (int round = 0; round < 4; round++) {
		struct locus_error error = {.text = ""};
		enum locus_status status = line_header_read(&header, &section, 0, &strings, &error);
		if (status != LOCUS_OK) {
			HOLD(!header.version);
			observe("%s: %s, end %" PRIu64 "\n", locus_status_text(status), error.text, header.end);
			continue;
		}
		HOLD(header.program <= header.end && header.end <= input.size);
		read_table(&tables[round / 2], &header, &input, swap);
	}
	line_table_done(&tables[0]);
	line_table_done(&tables[1]);
	line_header_done(&header);
	section_done(&texts);
	return 0;
}
