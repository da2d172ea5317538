/*
 * Every vector of testdata/vectors, and each valid one with every byte changed and its checksums put right: how that
 * ends, in which words, and what is answered. testdata/changed-vectors has a line for each vector: how many of its
 * files end with which status, and a hash of all that is said of them.
 *
 * usage: vectors_test             compares
 *        vectors_test --update    writes testdata/changed-vectors anew, where a change is meant to change it
 *        vectors_test VECTOR      prints all that is said, so that two builds can be compared
 */
#define _POSIX_C_SOURCE 200809L

#include <glob.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reader/locus.h"
#include "reader/mend_test.h"

#define LISTINGS "testdata/vectors/"
#define EXPECTED "testdata/changed-vectors"

enum { FILE_SIZE_MAX = 1 << 16, STATUS_COUNT = LOCUS_ERR_LIMIT + 1, FRAMES_SAID = 3 };

static FILE *shown; /* where all that is said is printed; NULL: nowhere */

/* ---- What is said ---- */

struct said {
	XXH3_state_t *hash;
	unsigned counts[STATUS_COUNT];
};

__attribute__((format(printf, 2, 3))) static void say(struct said *said, const char *format, ...)
{
	char text[1024];
	va_list arguments;
	va_start(arguments, format);
	int size = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	assert_in_range(size, 0, sizeof(text) - 1);
	XXH3_64bits_update(said->hash, text, (size_t)size);
	if (shown)
		fputs(text, shown);
}

static void say_string(struct said *said, struct locus_string string)
{
	say(said, " %zu:", string.size);
	XXH3_64bits_update(said->hash, string.size ? string.data : "", string.size);
	if (shown)
		fwrite(string.size ? string.data : "", 1, string.size, shown);
}

/* Says how a step ended; true: well. */
static bool is_ok(struct said *said, const char *step, enum locus_status status, const struct locus_error *error)
{
	if (status == LOCUS_OK)
		say(said, "\n%s", step);
	else
		say(said, "\n%s: status %d at %" PRIu64 ": %s", step, (int)status, error->offset, error->text);
	return status == LOCUS_OK;
}

/* ---- Questions ---- */

static void say_interval(struct said *said, const struct locus_interval *interval)
{
	say(said, " %" PRIx64 "-%" PRIx64 " %" PRIu32 " %s", interval->start, interval->end, interval->locid,
	    locus_answer_name(interval->answer));
}

/* Of many frames the innermost ones and the outermost. */
static void say_result(struct said *said, const struct locus_result *result)
{
	say_interval(said, &result->interval);
	say(said, " %zu frames", result->frame_count);
	for (size_t i = 0; i < result->frame_count; i++) {
		const struct locus_frame *frame = &result->frames[i];
		if (i >= FRAMES_SAID && i + 1 < result->frame_count)
			continue;
		say(said, " | %" PRIu32 ":%" PRIu32 ":%" PRIu32 ":%" PRIu32 " %" PRIu32 " %d%d %d %" PRIx64 "+%" PRIx64,
		    frame->function_id, frame->file_id, frame->line, frame->column, frame->language, frame->has_line,
		    frame->inlined, (int)frame->part, frame->part_start, frame->offset);
		say_string(said, frame->function);
		say_string(said, frame->linkage);
		say_string(said, frame->directory);
		say_string(said, frame->file);
	}
}

/* What is known of an address. */
static void ask_address(struct said *said, struct locus *locus, struct locus_scratch *scratch, uint64_t address)
{
	struct locus_result result;
	struct locus_error error;
	const struct locus_alternate_info *alternates;
	size_t count;
	if (is_ok(said, "lookup", locus_lookup(locus, scratch, address, &result, &error), &error))
		say_result(said, &result);
	if (!is_ok(said, "alternates", locus_alternates(locus, scratch, address, &alternates, &count, &error), &error))
		return;
	for (size_t i = 0; i < count; i++)
		say(said, " %" PRIx64 "+%" PRIx64 " %" PRIu32 " %d", alternates[i].start, alternates[i].size,
		    alternates[i].function_id, (int)alternates[i].kind);
}

/* The interval at `locid`, and what is known at its ends and beside them. */
static void ask_interval(struct said *said, struct locus *locus, struct locus_scratch *scratch, uint32_t locid)
{
	struct locus_result result;
	struct locus_error error;
	if (!is_ok(said, "frames", locus_frames(locus, scratch, locid, &result, &error), &error))
		return;
	const struct locus_interval interval = result.interval;
	say_result(said, &result);
	ask_address(said, locus, scratch, interval.start - 1);
	ask_address(said, locus, scratch, interval.start);
	ask_address(said, locus, scratch, interval.end - 1);
}

static void ask_tables(struct said *said, struct locus *locus, struct locus_scratch *scratch, uint32_t most)
{
	struct locus_function_info function;
	struct locus_file_info file;
	struct locus_alternate_info alternate;
	struct locus_error error;
	for (uint32_t id = 0; id <= locus_function_count(locus) + 1 && id < most; id++) {
		if (!is_ok(said, "function", locus_function_at(locus, scratch, id, &function, &error), &error))
			continue;
		say(said, " %" PRIu32 ":%" PRIu32 " %" PRIu32, function.decl_file_id, function.decl_line,
		    function.language);
		say_string(said, function.name);
		say_string(said, function.linkage);
	}
	for (uint32_t id = 0; id <= locus_file_count(locus) + 1 && id < most; id++) {
		if (!is_ok(said, "file", locus_file_at(locus, scratch, id, &file, &error), &error))
			continue;
		say_string(said, file.directory);
		say_string(said, file.name);
	}
	for (uint32_t i = 0; i <= locus_alternate_count(locus) && i < most; i++)
		if (is_ok(said, "alternate", locus_alternate_at(locus, scratch, i, &alternate, &error), &error))
			say(said, " %" PRIx64 "+%" PRIx64 " %" PRIu32 " %d", alternate.start, alternate.size,
			    alternate.function_id, (int)alternate.kind);
}

static bool say_range(void *context, const struct locus_function_range *range)
{
	say(context, " %" PRIx64 "-%" PRIx64 " %" PRIu32 " %d", range->start, range->end, range->function_id,
	    range->inlined);
	return true;
}

/* Where the first functions are, all together and each by its name; an id too high is refused. */
static void ask_ranges(struct said *said, struct locus *locus, struct locus_scratch *scratch)
{
	enum { ASKED = 4 };
	const uint32_t count = locus_function_count(locus) < ASKED ? locus_function_count(locus) : ASKED;
	const uint32_t ids[ASKED] = {1, 2, 3, 4}, beyond = locus_function_count(locus) + 1;
	struct locus_function_place places[2];
	struct locus_error error;
	is_ok(said, "ranges", locus_function_ranges(locus, scratch, ids, count, say_range, said, &error), &error);
	is_ok(said, "range", locus_function_ranges(locus, scratch, &beyond, 1, say_range, said, &error), &error);
	const struct locus_string names[2] = {{"main", 4}, {"twice", 5}};
	if (is_ok(said, "places", locus_function_places(locus, scratch, names, 2, places, &error), &error))
		say(said, " %" PRIx64 " %" PRIu32 " %" PRIx64 " %" PRIu32, places[0].start, places[0].count,
		    places[1].start, places[1].count);
}

static void ask_info(struct said *said, struct locus *locus)
{
	const struct locus_info *info;
	struct locus_error error;
	if (!is_ok(said, "info", locus_info(locus, &info, &error), &error))
		return;
	say(said, " %u %u %u %u %" PRIu32, info->elf_machine, info->elf_type, info->elf_class, info->elf_data,
	    info->rules_epoch);
	say_string(said, info->build_id);
	say_string(said, info->tool);
	say_string(said, info->options);
	for (size_t i = 0; i < info->coverage_count; i++)
		say(said, " coverage %" PRIu32 " %" PRIu64, info->coverage[i].id, info->coverage[i].value);
	for (size_t i = 0; i < info->dropped_count; i++)
		say(said, " dropped %" PRIu32 " %" PRIu64, info->dropped[i].id, info->dropped[i].value);
	for (size_t i = 0; i < info->base_count; i++) {
		say(said, " base %" PRIx64 "+%" PRIx64, info->bases[i].base, info->bases[i].size);
		say_string(said, info->bases[i].name);
	}
	for (size_t i = 0; i < info->input_count; i++) {
		say(said, " input %" PRIu32 " %" PRIu64 " %" PRIu32, info->inputs[i].role, info->inputs[i].size,
		    info->inputs[i].digest_kind);
		say_string(said, info->inputs[i].name);
		say_string(said, info->inputs[i].build_id);
		say_string(said, info->inputs[i].digest);
	}
	for (size_t i = 0; i < info->segment_count; i++)
		say(said, " segment %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIu32,
		    info->segments[i].address, info->segments[i].offset, info->segments[i].file_size,
		    info->segments[i].memory_size, info->segments[i].flags);
}

static void ask_sections(struct said *said, struct locus *locus)
{
	struct locus_section_info section;
	struct locus_error error;
	for (uint32_t i = 0; i <= locus_section_count(locus); i++)
		if (is_ok(said, "section", locus_section_at(locus, i, &section, &error), &error))
			say(said, " %u %s %d %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, section.id,
			    section.name ? section.name : "-", section.required, section.block_count,
			    section.entry_count, section.index_size, section.data_size, section.raw_size);
}

/*
 * Up to `most` of everything, the interval `first` before the others: what a scratch is asked first is decoded no
 * further than that needs.
 */
static void ask(struct said *said, struct locus *locus, uint32_t first, uint32_t most)
{
	struct locus_scratch *scratch;
	struct locus_error error;
	if (!is_ok(said, "scratch", locus_scratch_new(locus, &scratch, &error), &error))
		return;
	uint32_t count = locus_interval_count(locus);
	ask_interval(said, locus, scratch, count ? first % count : 0);
	ask_tables(said, locus, scratch, most);
	for (uint32_t i = 0; i <= count && i < most; i++)
		ask_interval(said, locus, scratch, i);
	ask_ranges(said, locus, scratch);
	locus_scratch_free(scratch);
}

/* Each interval by a scratch of its own. */
static void ask_anew(struct said *said, struct locus *locus)
{
	for (uint32_t i = 0; i < locus_interval_count(locus); i += 1 + i / 8)
		ask(said, locus, i, 0);
}

/* A file, in a block of its own, so that the sanitizer sees what is read beyond it. */
static void try(struct said *said, const struct bytes *bytes, uint32_t first, uint32_t most)
{
	struct locus *locus;
	struct locus_error error;
	uint8_t *copy = malloc(bytes->size + !bytes->size);
	assert_non_null(copy);
	memcpy(copy, bytes->data, bytes->size);
	enum locus_status status = locus_open_memory(copy, bytes->size, NULL, &locus, &error);
	if (is_ok(said, "open", status, &error)) {
		status = locus_verify(locus, LOCUS_VERIFY_FULL, &error);
		is_ok(said, "verify", status, &error);
		ask(said, locus, first, most);
		if (most == UINT32_MAX) {
			ask_anew(said, locus);
			ask_info(said, locus);
			ask_sections(said, locus);
		}
		locus_close(locus);
	}
	said->counts[status]++;
	free(copy);
}

/* ---- Vectors ---- */

/* Reads a listing: hexadecimal digits, and comments behind semicolons. */
static struct bytes read_listing(const char *path)
{
	struct bytes bytes = {malloc(FILE_SIZE_MAX), 0};
	char line[1024];
	FILE *file = fopen(path, "r");
	if (!file || !bytes.data)
		fail_msg("%s is missing: tests run in the folder above", path);
	while (fgets(line, sizeof(line), file)) {
		unsigned byte;
		int size;
		for (char *at = line; sscanf(at, " %2x%n", &byte, &size) == 1; at += size) {
			assert_true(bytes.size < FILE_SIZE_MAX);
			bytes.data[bytes.size++] = (uint8_t)byte;
		}
	}
	fclose(file);
	return bytes;
}

/* Where the blocks' indexes begin: what stands before is much the same in all vectors. */
static size_t head_end(const struct bytes *file)
{
	return LOCUS_HEADER_SIZE + (size_t)get(file->data + LOCUS_HEADER_SECTION_COUNT, 4) * LOCUS_ENTRY_SIZE;
}

/* Each byte from `from` on, changed by each of the patterns. */
static void try_changes(struct said *said, const struct bytes *file, size_t from, const uint8_t *patterns)
{
	struct bytes changed = {malloc(file->size), file->size};
	for (size_t at = from; at < file->size; at++)
		for (const uint8_t *pattern = patterns; *pattern; pattern++) {
			memcpy(changed.data, file->data, file->size);
			changed.data[at] ^= *pattern;
			mend(file, changed.data);
			if (shown)
				fprintf(shown, "\n---- byte %zu ^ 0x%x", at, *pattern);
			try(said, &changed, (uint32_t)at, 4);
		}
	free(changed.data);
}

/* The file without its last bytes, and with one byte more. */
static void try_sizes(struct said *said, const struct bytes *file)
{
	struct bytes other = {calloc(1, file->size + 1), 0};
	assert_non_null(other.data);
	memcpy(other.data, file->data, file->size);
	for (; other.size <= file->size + 1; other.size++)
		try(said, &other, 0, 0);
	free(other.data);
}

/* The vector's line of EXPECTED. */
static void outcome(const char *name, char *ret, size_t size)
{
	static const uint8_t few[] = {0x01, 0x80, 0}, all[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0};
	char path[256];
	struct said said = {XXH3_createState(), {0}};
	XXH3_64bits_reset(said.hash);
	snprintf(path, sizeof(path), LISTINGS "%s.hex", name);
	struct bytes file = read_listing(path);
	try(&said, &file, 0, UINT32_MAX);
	if (!strcmp(name, "ok-columns")) {
		try_sizes(&said, &file);
		try_changes(&said, &file, LOCUS_HEADER_VERSION, all);
	} else if (said.counts[LOCUS_OK]) {
		try_changes(&said, &file, head_end(&file), few);
	}

	int at = snprintf(ret, size, "%s:", name);
	for (unsigned status = 0; status < STATUS_COUNT; status++)
		if (said.counts[status])
			at += snprintf(ret + at, size - (size_t)at, " %u %s,", said.counts[status],
				       locus_status_text((enum locus_status)status));
	snprintf(ret + at, size - (size_t)at, " %016" PRIx64 "\n", (uint64_t)XXH3_64bits_digest(said.hash));
	XXH3_freeState(said.hash);
	free(file.data);
}

/* Calls `take` with the line of each vector. */
static void each_vector(void (*take)(FILE *file, const char *line), FILE *file)
{
	glob_t found;
	assert_int_equal(glob(LISTINGS "*.hex", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char name[128], line[512];
		const char *base = found.gl_pathv[i] + strlen(LISTINGS);
		snprintf(name, sizeof(name), "%.*s", (int)(strlen(base) - strlen(".hex")), base);
		outcome(name, line, sizeof(line));
		take(file, line);
	}
	globfree(&found);
}

/* ---- Tests ---- */

static void compare(FILE *file, const char *line)
{
	char expected[512] = "";
	if (!fgets(expected, sizeof(expected), file) || strcmp(line, expected) != 0)
		fail_msg("%s\tis not\n%s\tvectors_test NAME prints what is said", line, expected);
}

static void changed_vectors_end_as_before(void **state)
{
	(void)state;
	FILE *file = fopen(EXPECTED, "r");
	assert_non_null(file);
	each_vector(compare, file);
	assert_int_equal(fgetc(file), EOF);
	fclose(file);
}

static void write_line(FILE *file, const char *line)
{
	fputs(line, file);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(changed_vectors_end_as_before)};
	char line[512];
	if (argc < 2)
		return cmocka_run_group_tests_name("vectors", tests, NULL, NULL);
	bool updates = !strcmp(argv[1], "--update");
	FILE *file = updates ? fopen(EXPECTED, "w") : stdout;
	if (!file)
		return 1;
	if (updates) {
		each_vector(write_line, file);
	} else {
		shown = file;
		outcome(argv[1], line, sizeof(line));
	}
	return fclose(file) != 0;
}
