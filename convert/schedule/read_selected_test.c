/* A conversion for some addresses answers there as the whole conversion does: programs of many units by random. */

#include <dwarf.h>
#include <unistd.h>

#include "convert/elf/make_elf_test.h"
#include "convert/locus_convert.h"
#include "reader/locus.h"

enum {
	TEXT = 0x1000,
	NO_TEXT = 0x700000,
	SPACE = 600,
	UNITS_MAX = 30,
	FUNCTIONS_MAX = 3,
	NAMES = 12,
	ROUNDS = 120,
	QUESTIONS = 8,
	ASKED_MAX = 3
};

/* ---- The program ---- */

struct function {
	uint64_t start, size;
	unsigned name;
	bool is_mangled, has_inlinee; /* an inlinee is of the unit's first function, in the second half of this one */
};

struct unit_plan {
	struct function functions[FUNCTIONS_MAX];
	unsigned count;
	bool says;         /* which addresses its functions are in, itself; .debug_aranges may say so, too */
	bool claims_other; /* where it says so, it claims an address that is not executable instead */
	bool is_damaged;   /* behind its own DIE */
	bool hides;        /* .debug_aranges has only its first function */
};

struct program {
	struct unit_plan units[UNITS_MAX];
	unsigned count;
	bool has_table;      /* .debug_aranges, of all units */
	bool has_lone_lines; /* a line table that no unit refers to */
	uint64_t lone_start, lone_size;
};

static void put_name(struct bytes *out, unsigned name, bool is_mangled)
{
	char text[16];
	snprintf(text, sizeof(text), is_mangled ? "_Z3f%02uv" : "f%02u", name);
	put_string(out, text);
}

static struct program random_program(uint64_t *random)
{
	struct program program = {
		.count = 1 + random_below(random, UNITS_MAX),
		.has_table = random_one_in(random, 2),
		.has_lone_lines = random_one_in(random, 3),
		.lone_start = TEXT + random_below(random, SPACE - 20),
		.lone_size = 1 + random_below(random, 20),
	};
	for (unsigned i = 0; i < program.count; i++) {
		struct unit_plan *unit = &program.units[i];
		unit->count = 1 + random_below(random, FUNCTIONS_MAX);
		unit->says = !random_one_in(random, 8);
		for (unsigned k = 0; k < unit->count; k++) {
			unit->functions[k] = (struct function){
				.start = TEXT + random_below(random, SPACE - 20),
				.size = 1 + random_below(random, random_one_in(random, 4) ? 20 : 5),
				.name = random_below(random, NAMES),
				.is_mangled = random_one_in(random, 2),
				.has_inlinee = random_one_in(random, 3),
			};
			/* Some stand where another one does, as after folding. */
			const struct function *other = &program.units[random_below(random, i + 1)].functions[0];
			if (random_one_in(random, 5)) {
				unit->functions[k].start = other->start;
				unit->functions[k].size = other->size;
			}
		}
	}
	return program;
}

static void hull_of(const struct unit_plan *unit, uint64_t *ret_start, uint64_t *ret_size)
{
	uint64_t start = UINT64_MAX, end = 0;
	for (unsigned i = 0; i < unit->count; i++) {
		const struct function *function = &unit->functions[i];
		start = function->start < start ? function->start : start;
		end = function->start + function->size > end ? function->start + function->size : end;
	}
	*ret_start = start;
	*ret_size = end - start;
}

/* clang-format off */
enum { UNIT_THAT_SAYS = 1, UNIT, FUNCTION, MANGLED, INLINEE };
static const uint8_t abbrevs[] = {
	UNIT_THAT_SAYS, DW_TAG_compile_unit, 1, DW_AT_language, DW_FORM_data1, DW_AT_stmt_list, DW_FORM_sec_offset, DW_AT_low_pc, DW_FORM_addr,
	DW_AT_high_pc, DW_FORM_data4, 0, 0,
	UNIT, DW_TAG_compile_unit, 1, DW_AT_language, DW_FORM_data1, DW_AT_stmt_list, DW_FORM_sec_offset, 0, 0,
	FUNCTION, DW_TAG_subprogram, 1, DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
	DW_FORM_data4, 0, 0,
	MANGLED, DW_TAG_subprogram, 1, DW_AT_linkage_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
	DW_FORM_data4, 0, 0,
	INLINEE, DW_TAG_inlined_subroutine, 0, DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr,
	DW_AT_high_pc, DW_FORM_data4, DW_AT_call_line, DW_FORM_data1, 0, 0,
	0,
};
/* clang-format on */

static void put_code(struct bytes *out, uint64_t start, uint64_t size)
{
	put_number(out, start, 8);
	put_number(out, size, 4);
}

static size_t put_unit(struct bytes *info, const struct unit_plan *unit, size_t lines)
{
	size_t begin = info->size, first = 0;
	put_number(info, 0, 4);
	put_number(info, 4, 2);
	put_number(info, 0, 4);
	put_u8(info, 8);
	put_u8(info, unit->says ? UNIT_THAT_SAYS : UNIT);
	put_u8(info, DW_LANG_C99); /* so that no function is the same as one that only a symbol names */
	put_number(info, lines, 4);
	if (unit->says) {
		uint64_t start, size;
		hull_of(unit, &start, &size);
		put_code(info, unit->claims_other ? NO_TEXT : start, size);
	}
	if (unit->is_damaged)
		put_u8(info, 99); /* a code that has no abbreviation */
	for (unsigned i = 0; i < unit->count; i++) {
		const struct function *function = &unit->functions[i];
		first = i ? first : info->size - begin;
		put_u8(info, function->is_mangled ? MANGLED : FUNCTION);
		put_name(info, function->name, function->is_mangled);
		put_code(info, function->start, function->size);
		if (i && function->has_inlinee && function->size > 1) {
			put_u8(info, INLINEE);
			put_number(info, first, 4);
			put_code(info, function->start + function->size / 2, function->size - function->size / 2);
			put_u8(info, (uint8_t)(10 + i));
		}
		put_u8(info, 0);
	}
	put_u8(info, 0);
	patch_number(info, begin, info->size - begin - 4, 4);
	return begin;
}

static size_t begin_lines(struct bytes *lines)
{
	static const uint8_t header[] = {1, 1, 1, (uint8_t)-5, 14, 13, 0,   1, 1, 1, 1, 0, 0,
					 0, 1, 0, 0,           1,  0,  'a', 0, 0, 0, 0, 0};
	size_t begin = lines->size;
	put_number(lines, 0, 4);
	put_number(lines, 4, 2);
	put_number(lines, sizeof(header), 4);
	put_bytes(lines, header, sizeof(header));
	return begin;
}

static void put_rows(struct bytes *lines, uint64_t start, uint64_t size, uint8_t line)
{
	put_bytes(lines, (uint8_t[]){0, 9, DW_LNE_set_address}, 3);
	put_number(lines, start, 8);
	put_bytes(lines,
		  (uint8_t[]){DW_LNS_advance_line, line, DW_LNS_copy, DW_LNS_advance_pc, (uint8_t)size, 0, 1,
			      DW_LNE_end_sequence},
		  8);
}

static size_t put_lines(struct bytes *lines, const struct unit_plan *unit, unsigned number)
{
	size_t begin = begin_lines(lines);
	for (unsigned i = 0; i < unit->count; i++)
		put_rows(lines, unit->functions[i].start, unit->functions[i].size, (uint8_t)(number + 3 * i) % 60);
	patch_number(lines, begin, lines->size - begin - 4, 4);
	return begin;
}

static void put_ranges(struct bytes *aranges, const struct unit_plan *unit, size_t info)
{
	size_t begin = aranges->size;
	put_number(aranges, 0, 4);
	put_number(aranges, 2, 2);
	put_number(aranges, info, 4);
	put_bytes(aranges, "\10\0\0\0\0", 6); /* sizes, and padding up to twice the size of an address */
	for (unsigned i = 0; i < (unit->hides ? 1 : unit->count); i++) {
		put_number(aranges, unit->functions[i].start, 8);
		put_number(aranges, unit->functions[i].size, 8);
	}
	put_number(aranges, 0, 8);
	put_number(aranges, 0, 8);
	patch_number(aranges, begin, aranges->size - begin - 4, 4);
}

/* Mostly of a function, and mostly with its name. */
static void put_symbols(struct bytes *symbols, struct bytes *strings, const struct program *program, uint64_t *random)
{
	static const Elf64_Sym none;
	put_bytes(symbols, &none, sizeof(none));
	put_u8(strings, 0);
	for (uint32_t count = random_below(random, 20); count; count--) {
		const struct unit_plan *unit = &program->units[random_below(random, program->count)];
		const struct function *function = &unit->functions[random_below(random, unit->count)];
		const Elf64_Sym symbol = {
			.st_name = (uint32_t)strings->size,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = 1,
			.st_value = random_one_in(random, 4) ? TEXT + random_below(random, SPACE) : function->start,
			.st_size = random_below(random, 3) * 5,
		};
		put_bytes(symbols, &symbol, sizeof(symbol));
		put_name(strings, random_one_in(random, 4) ? random_below(random, NAMES) : function->name,
			 random_one_in(random, 4) ? random_one_in(random, 2) : function->is_mangled);
	}
}

static void write_program(const char *path, const struct program *program, uint64_t *random)
{
	struct bytes info = {0}, lines = {0}, aranges = {0}, symbols = {0}, strings = {0}, elf = {0};
	for (unsigned i = 0; i < program->count; i++) {
		const struct unit_plan *unit = &program->units[i];
		put_ranges(&aranges, unit, put_unit(&info, unit, put_lines(&lines, unit, i)));
	}
	if (program->has_lone_lines) {
		size_t begin = begin_lines(&lines);
		put_rows(&lines, program->lone_start, program->lone_size, 61);
		patch_number(&lines, begin, lines.size - begin - 4, 4);
	}
	put_symbols(&symbols, &strings, program, random);
	const struct elf_part parts[] = {
		{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, NULL, SPACE, 0, 0},
		{".debug_info", SHT_PROGBITS, 0, 0, info.data, info.size, 0, 0},
		{".debug_abbrev", SHT_PROGBITS, 0, 0, abbrevs, sizeof(abbrevs), 0, 0},
		{".debug_line", SHT_PROGBITS, 0, 0, lines.data, lines.size, 0, 0},
		{".symtab", SHT_SYMTAB, 0, 0, symbols.data, symbols.size, 6, sizeof(Elf64_Sym)},
		{".strtab", SHT_STRTAB, 0, 0, strings.data, strings.size, 0, 0},
		{".debug_aranges", SHT_PROGBITS, 0, 0, aranges.data, aranges.size, 0, 0},
	};
	make_elf(&elf, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts) - !program->has_table);
	write_file(path, &elf);
	bytes_done(&info);
	bytes_done(&lines);
	bytes_done(&aranges);
	bytes_done(&symbols);
	bytes_done(&strings);
	bytes_done(&elf);
}

/* ---- What is answered ---- */

struct text {
	char bytes[1024];
	size_t size;
};

static void add_string(struct text *text, const char *before, struct locus_string string)
{
	text->size += (size_t)snprintf(text->bytes + text->size, sizeof(text->bytes) - text->size, "%s%.*s", before,
				       (int)string.size, string.data ? string.data : "");
}

static void add_number(struct text *text, const char *before, uint64_t number)
{
	text->size += (size_t)snprintf(text->bytes + text->size, sizeof(text->bytes) - text->size, "%s%llu", before,
				       (unsigned long long)number);
}

static void show_answer(struct locus *locus, uint64_t addr, struct text *text)
{
	struct locus_result result;
	struct locus_scratch *scratch;
	const struct locus_alternate_info *alternates;
	size_t count;
	*text = (struct text){.size = 0};
	assert_int_equal(locus_scratch_new(locus, &scratch, NULL), LOCUS_OK);
	assert_int_equal(locus_lookup(locus, scratch, addr, &result, NULL), LOCUS_OK);
	for (size_t i = 0; i < result.frame_count; i++) {
		const struct locus_frame *frame = &result.frames[i];
		add_string(text, " < ", frame->function);
		add_string(text, "/", frame->linkage);
		add_string(text, " ", frame->file);
		add_number(text, ":", frame->line);
		add_number(text, " part ", frame->part);
		add_number(text, " at ", frame->part_start);
	}
	assert_int_equal(locus_alternates(locus, scratch, addr, &alternates, &count, NULL), LOCUS_OK);
	uint64_t sum = 0;
	for (size_t i = 0; i < count; i++) {
		/* Their order is that of ids, which a part of a file has others of. */
		struct locus_function_info function;
		struct text name = {.size = 0};
		uint64_t hash = alternates[i].start * 31 + alternates[i].size * 7 + alternates[i].kind;
		assert_int_equal(locus_function_at(locus, scratch, alternates[i].function_id, &function, NULL),
				 LOCUS_OK);
		add_string(&name, "", function.name);
		add_string(&name, "/", function.linkage);
		for (const char *c = name.bytes; *c; c++)
			hash = hash * 131 + (unsigned char)*c;
		sum += mix64(hash);
	}
	add_number(text, "; alternates ", count);
	add_number(text, ": ", sum);
	locus_scratch_free(scratch);
}

static struct locus *convert(const char *path, const uint64_t *addrs, size_t count, void **ret_data)
{
	const struct locus_convert_options options = {.job_count = 1, .block_size = 8192};
	struct locus_error error;
	struct locus *locus;
	size_t size;
	if (locus_convert_to_memory(path, &options, addrs, count, ret_data, &size, &error) != LOCUS_OK)
		fail_msg("%s", error.text);
	assert_int_equal(locus_open_memory(*ret_data, size, NULL, &locus, &error), LOCUS_OK);
	return locus;
}

/* In a function or beside it, in rows that are of no unit, or anywhere. */
static uint64_t random_address(const struct program *program, uint64_t *random)
{
	const struct unit_plan *unit = &program->units[random_below(random, program->count)];
	const struct function *function = &unit->functions[random_below(random, unit->count)];
	if (program->has_lone_lines && random_one_in(random, 4))
		return program->lone_start + random_below(random, (uint32_t)program->lone_size);
	return random_one_in(random, 3) ? TEXT + random_below(random, SPACE)
					: function->start - 1 + random_below(random, (uint32_t)function->size + 2);
}

static void some_addresses_of_random_programs(void **state)
{
	char path[] = "/tmp/locus-test-XXXXXX";
	uint64_t seeds = 0x5e1ec;
	int fd = mkstemp(path);
	(void)state;
	assert_true(fd >= 0 && close(fd) == 0);
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t seed = random_next(&seeds), random = seed;
		const struct program program = random_program(&random);
		void *whole_data, *data;
		write_program(path, &program, &random);
		struct locus *whole = convert(path, NULL, 0, &whole_data);
		for (int question = 0; question < QUESTIONS; question++) {
			uint64_t addrs[ASKED_MAX];
			uint32_t count = 1 + random_below(&random, ASKED_MAX);
			for (uint32_t i = 0; i < count; i++)
				addrs[i] = random_address(&program, &random);
			struct locus *part = convert(path, addrs, count, &data);
			for (uint32_t i = 0; i < count; i++) {
				struct text expected, found;
				show_answer(whole, addrs[i], &expected);
				show_answer(part, addrs[i], &found);
				if (strcmp(found.bytes, expected.bytes) != 0)
					fail_msg("seed 0x%llx, 0x%llx of %u addresses:\n%s, not\n%s",
						 (unsigned long long)seed, (unsigned long long)addrs[i], count,
						 found.bytes, expected.bytes);
			}
			locus_close(part);
			free(data);
		}
		locus_close(whole);
		free(whole_data);
	}
	assert_int_equal(unlink(path), 0);
}

/* So a unit that is damaged does no harm where others answer, and is refused where it would have to. */
static void only_units_that_matter_are_read(void **state)
{
	enum { UNITS = 12, DAMAGED = 7 };
	const struct locus_convert_options options = {.job_count = 1, .block_size = 8192};
	char path[] = "/tmp/locus-test-XXXXXX";
	int fd = mkstemp(path);
	(void)state;
	assert_true(fd >= 0 && close(fd) == 0);
	for (int has_table = 0; has_table <= 1; has_table++) {
		struct program program = {.count = UNITS, .has_table = has_table};
		uint64_t random = 1;
		for (unsigned i = 0; i < UNITS; i++)
			program.units[i] = (struct unit_plan){
				.functions = {{TEXT + 20 * i, 10, i % NAMES, true, false}},
				.count = 1,
				.says = true,
				.is_damaged = i == DAMAGED,
			};
		write_program(path, &program, &random);
		for (unsigned i = 0; i < UNITS; i++)
			for (uint64_t addr = TEXT + 20 * i; addr < TEXT + 20 * i + 10; addr += 9) {
				struct locus_error error;
				void *data = NULL;
				size_t size;
				enum locus_status status =
					locus_convert_to_memory(path, &options, &addr, 1, &data, &size, &error);
				if (status != (i == DAMAGED ? LOCUS_ERR_BAD_DWARF : LOCUS_OK))
					fail_msg("unit %u: %s", i, status == LOCUS_OK ? "read" : error.text);
				free(data);
			}
	}
	assert_int_equal(unlink(path), 0);
}

static uint64_t count_not_executable(const char *path, const uint64_t *addrs, size_t count)
{
	const struct locus_info *info;
	uint64_t ret = 0;
	void *data;
	struct locus *locus = convert(path, addrs, count, &data);
	assert_int_equal(locus_info(locus, &info, NULL), LOCUS_OK);
	for (size_t i = 0; i < info->dropped_count; i++)
		if (info->dropped[i].id == LOCUS_DROPPED_NOT_EXECUTABLE)
			ret = info->dropped[i].value;
	assert_true(ret > 0);
	locus_close(locus);
	free(data);
	return ret;
}

/* Where no unit claims executable code all are read, and what is dropped is counted once, however much is asked. */
static void units_that_claim_no_code_are_read_once(void **state)
{
	const uint64_t asked = TEXT + 11;
	char path[] = "/tmp/locus-test-XXXXXX";
	const struct program program = {
		.units = {{
			.functions = {{TEXT + 10, 5, 1, true, false},
				      {TEXT + 12, 30, 2, false, false},
				      {NO_TEXT, 5, 3, true, false}},
			.count = 3,
			.says = true,
			.claims_other = true,
		}},
		.count = 1,
	};
	uint64_t random = 1;
	int fd = mkstemp(path);
	(void)state;
	assert_true(fd >= 0 && close(fd) == 0);
	write_program(path, &program, &random);
	assert_int_equal(count_not_executable(path, &asked, 1), count_not_executable(path, NULL, 0));
	assert_int_equal(unlink(path), 0);
}

/* How much was dropped, of whatever kind. */
static uint64_t count_dropped(struct locus *locus)
{
	const struct locus_info *info;
	uint64_t sum = 0;
	assert_int_equal(locus_info(locus, &info, NULL), LOCUS_OK);
	for (size_t i = 0; i < info->dropped_count; i++)
		sum += info->dropped[i].value;
	return sum;
}

/*
 * The second function reaches into the first, and begins where no symbol was read. So the unit is read again with all
 * of them, and what was read of it before is neither told beside that nor dropped as the same.
 */
static void code_that_no_table_claims(void **state)
{
	const uint64_t asked = TEXT + 305;
	char path[] = "/tmp/locus-test-XXXXXX";
	const struct program program = {
		.units = {{
			.functions = {{TEXT + 300, 10, 1, false, false}, {TEXT + 20, 400, 2, false, false}},
			.count = 2,
			.says = true,
			.hides = true,
		}},
		.count = 1,
		.has_table = true,
	};
	uint64_t random = 1;
	int fd = mkstemp(path);
	(void)state;
	assert_true(fd >= 0 && close(fd) == 0);
	for (int round = 0; round < ROUNDS; round++) {
		struct text expected, found;
		void *whole_data, *data;
		write_program(path, &program, &random);
		struct locus *whole = convert(path, NULL, 0, &whole_data), *part = convert(path, &asked, 1, &data);
		show_answer(whole, asked, &expected);
		show_answer(part, asked, &found);
		assert_string_equal(found.bytes, expected.bytes);
		assert_int_equal(count_dropped(part), count_dropped(whole));
		locus_close(part);
		locus_close(whole);
		free(data);
		free(whole_data);
	}
	assert_int_equal(unlink(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(some_addresses_of_random_programs),
		cmocka_unit_test(only_units_that_matter_are_read),
		cmocka_unit_test(units_that_claim_no_code_are_read_once),
		cmocka_unit_test(code_that_no_table_claims),
	};
	return cmocka_run_group_tests_name("read_selected", tests, NULL, NULL);
}
