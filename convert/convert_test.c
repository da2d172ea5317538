/* Whole conversions of two small programs that the product was conceived from: every address, frame for frame. */
#include "convert/locus_convert.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "convert/elf/make_elf_test.h"
#include "reader/locus.h"

static char directory[] = "/tmp/locus-test-XXXXXX";

static int setup(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(directory);
}

/* ---- The program's debug information ---- */

struct row {
	uint64_t addr;
	uint8_t file; /* of `files`, from 1 */
	uint8_t line;
};

/* Scope 0 is the function; the others are inlined into `parent`. In the order of their DIEs. */
struct inlinee {
	const char *name;
	uint32_t parent;
	uint64_t start;
	uint64_t end;
	uint8_t call_file;
	uint8_t call_line;
};

struct program {
	const char *unit;  /* its name; NULL: "unit" */
	uint64_t text_end; /* .text is [0, text_end) */
	const char *files[3];
	struct row rows[13]; /* a file of 0 ends the sequence */
	struct inlinee scopes[3];
	uint32_t scope_count;
};

enum { ABBREV_UNIT = 1, ABBREV_ABSTRACT, ABBREV_FUNCTION, ABBREV_INLINEE };

static const uint8_t abbrevs[] = {
	ABBREV_UNIT,
	0x11,
	1, /* DW_TAG_compile_unit: name string, stmt_list sec_offset, low_pc addr, high_pc data4 */
	0x03,
	0x08,
	0x10,
	0x17,
	0x11,
	0x01,
	0x12,
	0x06,
	0,
	0,
	ABBREV_ABSTRACT,
	0x2e,
	0, /* DW_TAG_subprogram: name string, inline data1 */
	0x03,
	0x08,
	0x20,
	0x0b,
	0,
	0,
	ABBREV_FUNCTION,
	0x2e,
	1, /* DW_TAG_subprogram: name string, low_pc addr, high_pc data4 */
	0x03,
	0x08,
	0x11,
	0x01,
	0x12,
	0x06,
	0,
	0,
	ABBREV_INLINEE,
	0x1d,
	1, /* DW_TAG_inlined_subroutine: abstract_origin ref4, low_pc, high_pc, call_file data1, call_line data1 */
	0x31,
	0x13,
	0x11,
	0x01,
	0x12,
	0x06,
	0x58,
	0x0b,
	0x59,
	0x0b,
	0,
	0,
	0,
};

static void put_pc(struct bytes *info, uint64_t start, uint64_t end)
{
	put_number(info, start, 8);
	put_number(info, end - start, 4);
}

static void put_info(struct bytes *info, const struct program *program)
{
	size_t abstract[COUNT_OF(program->scopes)];
	uint32_t open[COUNT_OF(program->scopes) + 1], depth = 0;
	size_t begin = info->size;
	put_number(info, 0, 4);
	put_number(info, 4, 2);
	put_number(info, 0, 4);
	put_u8(info, 8);
	put_uleb(info, ABBREV_UNIT);
	put_string(info, program->unit ? program->unit : "unit");
	put_number(info, 0, 4);
	put_pc(info, 0, program->text_end);
	for (uint32_t i = 1; i < program->scope_count; i++) {
		abstract[i] = info->size - begin;
		put_uleb(info, ABBREV_ABSTRACT);
		put_string(info, program->scopes[i].name);
		put_u8(info, 1);
	}
	for (uint32_t i = 0; i < program->scope_count; i++) {
		const struct inlinee *scope = &program->scopes[i];
		while (depth && open[depth - 1] != scope->parent) {
			put_u8(info, 0);
			depth--;
		}
		open[depth++] = i;
		put_uleb(info, i ? ABBREV_INLINEE : ABBREV_FUNCTION);
		if (i)
			put_number(info, abstract[i], 4);
		else
			put_string(info, scope->name);
		put_pc(info, scope->start, scope->end);
		if (i)
			put_bytes(info, (uint8_t[]){scope->call_file, scope->call_line}, 2);
	}
	while (depth--)
		put_u8(info, 0);
	put_u8(info, 0);
	patch_number(info, begin, info->size - begin - 4, 4);
}

static void put_lines(struct bytes *lines, const struct program *program)
{
	uint64_t addr = program->rows[0].addr;
	uint8_t line = 1;
	put_number(lines, 0, 4);
	put_number(lines, 4, 2);
	put_number(lines, 0, 4);
	put_bytes(lines, "\1\1\1\xfb\x0e\x0d\0\1\1\1\1\0\0\0\1\0\0\1", 18);
	put_u8(lines, 0); /* no directories */
	for (size_t i = 0; i < COUNT_OF(program->files) && program->files[i]; i++) {
		put_string(lines, program->files[i]);
		put_bytes(lines, "\0\0\0", 3);
	}
	put_u8(lines, 0);
	patch_number(lines, 6, lines->size - 10, 4);
	put_bytes(lines, "\0\x09\2", 3);
	put_number(lines, addr, 8);
	for (size_t i = 0; i < COUNT_OF(program->rows); i++) {
		const struct row *row = &program->rows[i];
		put_u8(lines, 2), put_uleb(lines, row->addr - addr);
		addr = row->addr;
		if (!row->file)
			break;
		put_u8(lines, 4), put_uleb(lines, row->file);
		put_u8(lines, 3), put_sleb(lines, row->line - line);
		put_u8(lines, 1);
		line = row->line;
	}
	put_bytes(lines, "\0\1\1", 3);
	patch_number(lines, 0, lines->size - 4, 4);
}

/* Writes a file of so many units, which share the first one's text and line table. */
static void write_units(const char *path, const struct program *program, size_t count)
{
	struct bytes info = {0}, lines = {0}, elf = {0};
	for (size_t i = 0; i < count; i++)
		put_info(&info, &program[i]);
	put_lines(&lines, program);
	const struct elf_part parts[] = {
		{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, NULL, program->text_end, 0, 0},
		{".debug_abbrev", SHT_PROGBITS, 0, 0, abbrevs, sizeof(abbrevs), 0, 0},
		{".debug_info", SHT_PROGBITS, 0, 0, info.data, info.size, 0, 0},
		{".debug_line", SHT_PROGBITS, 0, 0, lines.data, lines.size, 0, 0},
	};
	make_elf(&elf, ET_EXEC, EM_X86_64, parts, COUNT_OF(parts));
	write_file(path, &elf);
	bytes_done(&info);
	bytes_done(&lines);
	bytes_done(&elf);
}

static void write_program(const char *path, const struct program *program)
{
	write_units(path, program, 1);
}

/* ---- The answers ---- */

/*
 * Addresses [start, end) of one interval, and its frames from the innermost: "call_b b.c:14 < call_a a.c:13". "": none.
 */
struct answer {
	uint64_t start;
	uint64_t end;
	const char *frames;
};

static const struct program first = {
	.text_end = 0x84,
	.files = {"a.c", "b.c"},
	.rows = {{0x1, 2, 12}, {0x2f, 2, 13}, {0x4a, 0, 0}},
	.scopes = {{"main", 0, 0x1, 0x4a, 0, 0}, {"trigger_crash", 0, 0x1, 0x4a, 1, 10}},
	.scope_count = 2,
};

static const struct answer first_answers[] = {
	{0x1, 0x2f, "trigger_crash b.c:12 < main a.c:10"},
	{0x2f, 0x4a, "trigger_crash b.c:13 < main a.c:10"},
	{0x4a, 0x84, ""},
};

static const struct program second = {
	.text_end = 0x04,
	.files = {"main.c", "a.c", "b.c"},
	.rows = {{0x00, 1, 10}, {0x02, 2, 12}, {0x03, 3, 14}, {0x04, 0, 0}},
	.scopes = {{"main", 0, 0x00, 0x04, 0, 0}, {"call_a", 0, 0x02, 0x04, 1, 11}, {"call_b", 1, 0x03, 0x04, 2, 13}},
	.scope_count = 3,
};

static const struct answer second_answers[] = {
	{0x00, 0x02, "main main.c:10"},
	{0x02, 0x03, "call_a a.c:12 < main main.c:11"},
	{0x03, 0x04, "call_b b.c:14 < call_a a.c:13 < main main.c:11"},
};

/* More intervals of one part than several threads have blocks at a time, if each is a block. */
static const struct program third = {
	.text_end = 0x0c,
	.files = {"c.c"},
	.rows = {{0, 1, 1},
		 {1, 1, 2},
		 {2, 1, 3},
		 {3, 1, 4},
		 {4, 1, 5},
		 {5, 1, 6},
		 {6, 1, 7},
		 {7, 1, 8},
		 {8, 1, 9},
		 {9, 1, 10},
		 {10, 1, 11},
		 {11, 1, 12},
		 {12, 0, 0}},
	.scopes = {{"main", 0, 0x00, 0x0c, 0, 0}},
	.scope_count = 1,
};

static const struct answer third_answers[] = {
	{0, 1, "main c.c:1"}, {1, 2, "main c.c:2"},   {2, 3, "main c.c:3"},    {3, 4, "main c.c:4"},
	{4, 5, "main c.c:5"}, {5, 6, "main c.c:6"},   {6, 7, "main c.c:7"},    {7, 8, "main c.c:8"},
	{8, 9, "main c.c:9"}, {9, 10, "main c.c:10"}, {10, 11, "main c.c:11"}, {11, 12, "main c.c:12"},
};

static void show(const struct locus_result *result, char *text, size_t size)
{
	size_t at = 0;
	text[0] = 0;
	for (size_t i = 0; i < result->frame_count && at < size; i++) {
		const struct locus_frame *frame = &result->frames[i];
		at += (size_t)snprintf(text + at, size - at, "%s%.*s %.*s%s%.*s:%u", i ? " < " : "",
				       (int)frame->function.size, frame->function.data, (int)frame->directory.size,
				       frame->directory.data, frame->directory.size ? "/" : "", (int)frame->file.size,
				       frame->file.data, frame->line);
		if (frame->inlined != (i + 1 < result->frame_count))
			at += (size_t)snprintf(text + at, size - at, " (inlined: %d)", frame->inlined);
	}
}

static void expect_text(struct locus_string string, const char *expected)
{
	assert_int_equal(string.size, strlen(expected));
	assert_memory_equal(string.data, expected, string.size);
}

/* What the file says of the program. */
static void check_info(struct locus *locus, uint64_t text_end)
{
	const struct locus_info *info;
	struct locus_error error;
	assert_int_equal(locus_info(locus, &info, &error), LOCUS_OK);
	assert_int_equal(info->elf_machine, EM_X86_64);
	assert_int_equal(info->elf_type, ET_EXEC);
	assert_int_equal(info->elf_class, ELFCLASS64);
	assert_int_equal(info->elf_data, ELFDATA2LSB);
	assert_int_equal(info->build_id.size, 0);
	assert_int_equal(info->options.size, 0);
	assert_int_equal(info->base_count, 0);
	assert_int_equal(info->rules_epoch, locus_convert_rules_epoch);
	assert_int_equal(info->segment_count, 1);
	assert_int_equal(info->segments[0].address, 0);
	assert_int_equal(info->segments[0].file_size, text_end);
	assert_int_equal(info->segments[0].memory_size, text_end);
	assert_int_equal(info->segments[0].flags, PF_R | PF_X);
	assert_int_equal(info->input_count, 1);
	assert_int_equal(info->inputs[0].role, LOCUS_INPUT_PROGRAM);
	expect_text(info->inputs[0].name, "program");
}

/* Every address from 0 to beyond the text, and every interval by its locid. */
static void check_file(const char *name, const char *path, uint64_t text_end, const struct answer *answers,
		       uint32_t count)
{
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_result result;
	struct locus_error error;
	char text[256];
	if (locus_open(path, NULL, &locus, &error) != LOCUS_OK ||
	    locus_verify(locus, LOCUS_VERIFY_FULL, &error) != LOCUS_OK)
		fail_msg("%s: %s", name, error.text);
	check_info(locus, text_end);
	assert_int_equal(locus_scratch_new(locus, &scratch, &error), LOCUS_OK);
	for (uint64_t addr = 0; addr < text_end + 4; addr++) {
		const char *expected = "";
		uint64_t start = 0;
		for (uint32_t i = 0; i < count; i++)
			if (answers[i].start <= addr && addr < answers[i].end) {
				expected = answers[i].frames;
				start = answers[i].start;
			}
		if (locus_lookup(locus, scratch, addr, &result, &error) != LOCUS_OK)
			fail_msg("%s: 0x%llx: %s", name, (unsigned long long)addr, error.text);
		show(&result, text, sizeof(text));
		if (strcmp(text, expected) != 0)
			fail_msg("%s: 0x%llx: [%s], expected [%s]", name, (unsigned long long)addr, text, expected);
		if (!*expected)
			continue;
		assert_int_equal(result.interval.answer, LOCUS_ANSWER_OK);
		assert_int_equal(result.interval.start, start);
		assert_int_equal(result.frames[result.frame_count - 1].offset, addr - answers[0].start);
	}
	/* What has no answer is one gap behind each piece of code: only starts are stored. */
	bool ends_in_gap = answers[count - 1].end == text_end && !*answers[count - 1].frames;
	assert_int_equal(locus_interval_count(locus), ends_in_gap ? count : count + 1);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(locus_frames(locus, scratch, i, &result, &error), LOCUS_OK);
		show(&result, text, sizeof(text));
		assert_string_equal(text, answers[i].frames);
		assert_int_equal(result.interval.start, answers[i].start);
		if (*answers[i].frames)
			assert_int_equal(result.interval.end, answers[i].end);
	}
	locus_scratch_free(scratch);
	locus_close(locus);
}

static void check_program(const char *name, const struct program *program, const struct answer *answers, uint32_t count)
{
	static const struct {
		int level;
		uint32_t block_size;
		unsigned jobs;
	} ways[] = {{0, 8192, 1}, {3, 8192, 1}, {19, 8192, 2}, {0, 1, 1}, {3, 1, 2}, {3, 2, 1}, {3, 2, 3}};
	char input[64], output[64], what[128];
	snprintf(input, sizeof(input), "%s/program", directory);
	snprintf(output, sizeof(output), "%s/program.locus", directory);
	write_program(input, program);
	for (size_t i = 0; i < COUNT_OF(ways); i++) {
		struct locus_convert_options options = {
			.output = output,
			.job_count = ways[i].jobs,
			.level = ways[i].level,
			.block_size = ways[i].block_size,
		};
		struct locus_convert_result result;
		struct locus_error error;
		snprintf(what, sizeof(what), "%s, level %d, blocks of %u", name, ways[i].level, ways[i].block_size);
		if (locus_convert(input, &options, &result, &error) != LOCUS_OK)
			fail_msg("%s: %s", what, error.text);
		check_file(what, output, program->text_end, answers, count);
		locus_convert_result_done(&result);
		assert_int_equal(unlink(output), 0);
	}
	assert_int_equal(unlink(input), 0);
}

/* An inlinee over the whole of main, and code behind it that nothing is known of. */
static void crash_inlined_into_main(void **state)
{
	(void)state;
	check_program("first", &first, first_answers, COUNT_OF(first_answers));
}

/* An inlinee in an inlinee. Its code is at address 0, which is alive because it is executable (RULES A2). */
static void two_levels(void **state)
{
	(void)state;
	check_program("second", &second, second_answers, COUNT_OF(second_answers));
}

static void blocks_of_one_part(void **state)
{
	(void)state;
	check_program("third", &third, third_answers, COUNT_OF(third_answers));
}

/* ---- What a conversion tells beside its file ---- */

static struct locus_convert_result convert_units(const struct program *program, size_t count,
						 struct locus_convert_options options)
{
	char input[64], output[64];
	struct locus_convert_result result;
	struct locus_error error;
	snprintf(input, sizeof(input), "%s/program", directory);
	snprintf(output, sizeof(output), "%s/program.locus", directory);
	write_units(input, program, count);
	options.output = output;
	options.block_size = 8192;
	if (locus_convert(input, &options, &result, &error) != LOCUS_OK)
		fail_msg("%s", error.text);
	assert_string_equal(result.read_paths, input);
	assert_int_equal(result.read_paths_size, strlen(input) + 1);
	assert_int_equal(unlink(output), 0);
	assert_int_equal(unlink(input), 0);
	return result;
}

/* The five units that lack a line for the most bytes; of equals the first comes first. */
static void the_worst_units(void **state)
{
#define UNIT(name, from, to)                                                              \
	{                                                                                 \
		.unit = name, .scopes = {{"f" name, 0, from, to, 0, 0}}, .scope_count = 1 \
	}
	static const struct program units[] = {
		{.text_end = 0x100,
		 .files = {"a.c"},
		 .rows = {{0, 1, 5}, {0x40, 0, 0}},
		 .unit = "whole",
		 .scopes = {{"f", 0, 0, 0x10, 0, 0}},
		 .scope_count = 1},
		UNIT("half", 0x38, 0x48),
		UNIT("second", 0x50, 0x60),
		UNIT("fifth", 0x60, 0x64),
		UNIT("third", 0x70, 0x80),
		UNIT("first", 0x90, 0xa2),
		UNIT("", 0xb0, 0xb2),
		UNIT("little", 0xc0, 0xc1),
	};
	static const struct {
		const char *name;
		uint64_t bytes, line_bytes;
	} expected[] = {{"first", 18, 0}, {"second", 16, 0}, {"third", 16, 0}, {"half", 16, 8}, {"fifth", 4, 0}};
	(void)state;
	for (size_t count = 1; count <= COUNT_OF(units); count++) {
		struct locus_convert_result result =
			convert_units(units, count, (struct locus_convert_options){.job_count = 1});
		size_t lacking = count - 1 < COUNT_OF(expected) ? count - 1 : COUNT_OF(expected);
		assert_int_equal(result.unit_count, count);
		assert_int_equal(result.worst_count, lacking);
		for (size_t i = 0; i < lacking && lacking == COUNT_OF(expected); i++) {
			assert_string_equal(result.worst[i].name, expected[i].name);
			assert_int_equal(result.worst[i].bytes, expected[i].bytes);
			assert_int_equal(result.worst[i].line_bytes, expected[i].line_bytes);
		}
		locus_convert_result_done(&result);
	}
}

/* What is reported while a conversion runs. */
struct progress {
	enum locus_convert_phase phases[16]; /* in the order in which they began */
	size_t phase_count;
	uint64_t done, total, reports;
};

static void note_progress(void *context, enum locus_convert_phase phase, uint64_t done, uint64_t total)
{
	struct progress *progress = context;
	if (!total) {
		assert_true(progress->phase_count < COUNT_OF(progress->phases));
		progress->phases[progress->phase_count++] = phase;
		return;
	}
	assert_int_equal(phase, LOCUS_PHASE_UNITS);
	assert_true(done > progress->done && done <= total);
	progress->done = done;
	progress->total = total;
	progress->reports++;
}

/* Each phase begins once, in their order, and each unit that is read is told. */
static void progress_of_a_conversion(void **state)
{
	enum { UNITS = 9 };
	struct program units[UNITS];
	struct progress progress = {.done = 0};
	struct timespec before, after;
	double wall_s = 0, cpu_s = 0;
	(void)state;
	for (size_t i = 0; i < UNITS; i++)
		units[i] = first;
	const clock_t cpu = clock();
	clock_gettime(CLOCK_MONOTONIC, &before);
	struct locus_convert_result result =
		convert_units(units, UNITS,
			      (struct locus_convert_options){
				      .job_count = 1, .progress = note_progress, .progress_context = &progress});
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_int_equal(progress.phase_count, LOCUS_PHASE_COUNT);
	for (size_t i = 0; i < LOCUS_PHASE_COUNT; i++)
		assert_int_equal(progress.phases[i], i);
	assert_int_equal(progress.reports, UNITS);
	assert_int_equal(progress.done, progress.total);

	/* The phases follow each other, within the time that all of it took. */
	for (size_t i = 0; i < LOCUS_PHASE_COUNT; i++) {
		assert_true(result.phases[i].wall_s > 0 && result.phases[i].cpu_s >= 0);
		wall_s += result.phases[i].wall_s;
		cpu_s += result.phases[i].cpu_s;
	}
	assert_true(wall_s <= (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec));
	assert_true(cpu_s <= (double)(clock() - cpu) / CLOCKS_PER_SEC + 1e-3);
	locus_convert_result_done(&result);
}

static void text_of_options(void **state)
{
	static const char *const maps[] = {"/a=/b", "/c="};
	static const struct {
		size_t map_count;
		bool columns;
		const char *expected;
	} cases[] = {
		{0, false, ""},
		{0, true, "columns\n"},
		{1, false, "prefix-map=/a=/b\n"},
		{2, true, "prefix-map=/a=/b\nprefix-map=/c=\ncolumns\n"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char *text = locus_convert_options_text(&(struct locus_convert_options){
			.prefix_maps = maps, .prefix_map_count = cases[i].map_count, .columns = cases[i].columns});
		assert_string_equal(text, cases[i].expected);
		free(text);
	}
}

/* A map has something in front of its first '='; behind it may be nothing. */
static void prefix_maps(void **state)
{
	static const struct {
		const char *map, *message; /* NULL: it is one */
	} cases[] = {
		{"/a=/b", NULL},
		{"/a=", NULL},
		{"a==", NULL},
		{"=/b", "a prefix map reads OLD=NEW, not =/b"},
		{"=", "a prefix map reads OLD=NEW, not ="},
		{"", "a prefix map reads OLD=NEW, not "},
		{"/a", "a prefix map reads OLD=NEW, not /a"},
	};
	char input[64];
	(void)state;
	snprintf(input, sizeof(input), "%s/program", directory);
	write_program(input, &first);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct locus_convert_options options = {
			.job_count = 1, .block_size = 8192, .prefix_maps = &cases[i].map, .prefix_map_count = 1};
		struct locus_error error = {{0}, 0};
		void *data = NULL;
		size_t size;
		enum locus_status status = locus_convert_to_memory(input, &options, NULL, 0, &data, &size, &error);
		assert_int_equal(status, cases[i].message ? LOCUS_ERR_USAGE : LOCUS_OK);
		assert_string_equal(error.text, cases[i].message ? cases[i].message : "");
		free(data);
	}
	assert_int_equal(unlink(input), 0);
}

/* ---- What is refused leaves nothing behind ---- */

static void no_output_on_failure(void **state)
{
	(void)state;
	struct bytes elf = {0};
	const struct elf_part text = {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, NULL, 16, 0, 0};
	char input[64], output[64];
	snprintf(input, sizeof(input), "%s/program", directory);
	snprintf(output, sizeof(output), "%s/program.locus", directory);
	make_elf(&elf, ET_EXEC, EM_X86_64, &text, 1);
	const struct {
		const char *name;
		struct bytes content;
		enum locus_status status;
	} cases[] = {
		{"no debug information", elf, LOCUS_ERR_NO_DEBUG},
		{"a cut ELF header", {.data = elf.data, .size = 40}, LOCUS_ERR_BAD_ELF},
		{"not ELF", {.data = (uint8_t *)"#!/bin/sh\nexit\n", .size = 15}, LOCUS_ERR_NOT_ELF},
		{"empty", {.data = (uint8_t *)"", .size = 0}, LOCUS_ERR_NOT_ELF},
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct locus_convert_options options = {
			.output = output, .job_count = 1, .level = 3, .block_size = 8192};
		struct locus_convert_result result;
		struct locus_error error = {{0}, 0};
		write_file(input, &cases[i].content);
		enum locus_status status = locus_convert(input, &options, &result, &error);
		if (status != cases[i].status || !error.text[0])
			fail_msg("%s: status %d: %s", cases[i].name, status, error.text);
		assert_int_equal(access(output, F_OK), -1);
		assert_int_equal(unlink(input), 0);
	}
	bytes_done(&elf);
}

static void options_out_of_range(void **state)
{
	static const struct {
		unsigned job_count;
		int level;
		uint32_t block_size;
		const char *message;
	} cases[] = {
		{0, 3, 8192, "job count 0 is not 1 or more"},
		{1, 23, 8192, "level 23 is not 0 to 22"},
		{1, -1, 8192, "level -1 is not 0 to 22"},
		{1, 3, 0, "block size 0 is not 1 to 65536"},
		{1, 3, 65537, "block size 65537 is not 1 to 65536"},
	};
	char input[64];
	(void)state;
	snprintf(input, sizeof(input), "%s/program", directory);
	write_program(input, &first);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct locus_convert_options options = {
			.job_count = cases[i].job_count, .level = cases[i].level, .block_size = cases[i].block_size};
		struct locus_error error = {{0}, 0};
		void *data;
		size_t size;
		assert_int_equal(locus_convert_to_memory(input, &options, NULL, 0, &data, &size, &error),
				 LOCUS_ERR_USAGE);
		assert_string_equal(error.text, cases[i].message);
	}
	assert_int_equal(unlink(input), 0);
}

/* A program may be its own copy's place. One that cannot carry symbols, for what was appended to it, stays as it is. */
static void symbols_into_the_program_itself(void **state)
{
	char path[64];
	struct stat before, after;
	struct locus_convert_result result;
	struct locus_error error = {{0}, 0};
	struct locus *locus;
	(void)state;
	snprintf(path, sizeof(path), "%s/program", directory);
	const struct locus_convert_options options = {
		.output = path, .job_count = 1, .level = 3, .block_size = 8192, .embed = true};
	write_program(path, &first);
	FILE *file = fopen(path, "ab");
	fputc('P', file);
	fclose(file);
	assert_int_equal(stat(path, &before), 0);
	assert_int_equal(locus_convert(path, &options, &result, &error), LOCUS_ERR_UNSUPPORTED);
	assert_int_equal(stat(path, &after), 0);
	assert_true(after.st_ino == before.st_ino && after.st_size == before.st_size);

	write_program(path, &first);
	assert_int_equal(locus_convert(path, &options, &result, &error), LOCUS_OK);
	locus_convert_result_done(&result);
	assert_int_equal(locus_open(path, NULL, &locus, &error), LOCUS_OK);
	locus_close(locus);
	assert_int_equal(unlink(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crash_inlined_into_main),
		cmocka_unit_test(two_levels),
		cmocka_unit_test(blocks_of_one_part),
		cmocka_unit_test(the_worst_units),
		cmocka_unit_test(progress_of_a_conversion),
		cmocka_unit_test(text_of_options),
		cmocka_unit_test(prefix_maps),
		cmocka_unit_test(no_output_on_failure),
		cmocka_unit_test(options_out_of_range),
		cmocka_unit_test(symbols_into_the_program_itself),
	};
	return cmocka_run_group_tests_name("convert", tests, setup, teardown);
}
