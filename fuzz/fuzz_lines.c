/* A .debug_line section: its first table's header and program. Sequences and rows are as line_program.h promises. */
#include "convert/dwarf/line_header.h"
#include "convert/dwarf/line_invariants_test.h"
#include "convert/dwarf/line_program.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = {data, size};
	bool swap = input_below(&input, 2);
	uint8_t address_size = (uint8_t)(1 << (1 + input_below(&input, 3)));
	struct line_header header = {0};
	struct line_table table = {0};
	struct section texts;
	section_init(&texts, input.data, input.size, false);
	const struct line_strings strings = {&texts, &texts, input.data, input.size};

	/* Twice, for the memory of the first reading is used again. */
	for (int round = 0; round < 2; round++) {
		enum locus_status status = line_header_read(
			&header, &(struct line_section){input.data, input.size, swap, address_size}, 0, &strings, NULL);
		if (status != LOCUS_OK) {
			HOLD(!header.version);
			continue;
		}
		HOLD(header.program <= header.end && header.end <= input.size);
		line_table_read(&table, &header, input.data, swap, NULL);
		const char *fault = line_table_fault(&table);
		if (fault)
			fprintf(stderr, "%s\n", fault);
		HOLD(!fault);
	}
	line_table_done(&table);
	line_header_done(&header);
	section_done(&texts);
	return 0;
}
