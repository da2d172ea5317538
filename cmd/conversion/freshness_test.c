/*
 * What makes a file stale, and what is said of it. The files are written by the writer; what a conversion would read
 * now is told by a converter that is none.
 */
#include "cmd/conversion/freshness.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/toolkit_test.h"
#include "cmd/common/report.h"
#include "cmd/conversion/converter.h"
#include "cmd/folder_test.h"
#include "writer/locus_writer.h"

enum { EPOCH = 7, INPUT_MAX = 16, PROGRAM_SIZE = 10, WRITTEN_S = 1000, WRITTEN_NS = 500 };

static char folder[] = "/tmp/locus-Fresh-XXXXXX", made[64], program[64];

/* An input, as a file records it and as a conversion would find it now. */
struct input {
	uint32_t role;
	const char *name;
	uint64_t size;
	const char *id;
	uint32_t kind;
	char digest; /* every byte of it */
};

struct inputs {
	struct input list[INPUT_MAX]; /* up to the first without a name */
};

#define PROGRAM                                                                           \
	{                                                                                 \
		LOCUS_INPUT_PROGRAM, "app", PROGRAM_SIZE, "id", LOCUS_DIGEST_HEADERS, 'h' \
	}

static size_t count_inputs(const struct inputs *inputs)
{
	size_t count = 0;
	while (inputs->list[count].name)
		count++;
	return count;
}

/* ---- The converter that is none ---- */

static struct inputs present;
static struct timespec present_changed, present_placed;
static enum locus_status present_status;

/* How it was asked. */
static struct {
	unsigned count;
	enum locus_convert_digests digests;
	bool split_files, symbols_only;
} asked;

static enum locus_status list_inputs(const char *path, const struct locus_convert_options *options,
				     enum locus_convert_digests digests, bool split_files,
				     struct locus_convert_inputs **ret, struct locus_error *error)
{
	struct locus_convert_inputs *inputs = calloc(1, sizeof(*inputs));
	struct locus_convert_input *list = calloc(count_inputs(&present), sizeof(*list));

	assert_string_equal(path, program);
	asked.count++;
	asked.digests = digests;
	asked.split_files = split_files;
	asked.symbols_only = options->symbols_only;
	*inputs = (struct locus_convert_inputs){list, count_inputs(&present)};
	for (size_t i = 0; i < inputs->count; i++) {
		const struct input *input = &present.list[i];
		bool has_digest = digests != LOCUS_CONVERT_NO_DIGESTS && input->kind != LOCUS_DIGEST_NONE;
		list[i] = (struct locus_convert_input){
			.role = input->role,
			.name = input->name,
			.size = input->size,
			.build_id = input->id ? (const uint8_t *)input->id : NULL,
			.build_id_size = input->id ? strlen(input->id) : 0,
			.digest_kind = has_digest ? input->kind : LOCUS_DIGEST_NONE,
			.changed = present_changed,
			.placed = present_placed,
		};
		memset(list[i].digest, has_digest ? input->digest : 'x', sizeof(list[i].digest));
	}
	*ret = inputs;
	if (present_status == LOCUS_OK)
		return LOCUS_OK;
	free(list);
	free(inputs);
	snprintf(error->text, sizeof(error->text), "why not");
	return present_status;
}

static void free_inputs(struct locus_convert_inputs *inputs)
{
	free((void *)(uintptr_t)inputs->list);
	free(inputs);
}

static const char *program_id = "id";

static enum locus_status read_program_id(const char *path, uint8_t *ret, size_t *size, struct locus_error *error)
{
	(void)error;
	assert_string_equal(path, program);
	*size = strlen(program_id);
	memcpy(ret, program_id, *size);
	return LOCUS_OK;
}

static char *options_text(const struct locus_convert_options *options)
{
	return strdup(options->columns ? "columns\n" : "");
}

/* ---- The file ---- */

struct made_file {
	struct inputs inputs;
	uint32_t epoch;
	const char *options;
	struct locus_counter coverage[2];
	size_t coverage_count;
};

static const struct made_file usual = {{{PROGRAM}}, EPOCH, "", {{LOCUS_COVERAGE_LINE, 1}}, 1};

static void write_made(const struct made_file *file)
{
	const struct locus_writer_options options = {.level = 0, .block_size = 16};
	const struct timespec written = {WRITTEN_S, WRITTEN_NS};
	struct locus_input inputs[INPUT_MAX];
	struct locus_writer *writer;
	uint64_t size;
	struct locus_tables tables = {.meta = {.rules_epoch = file->epoch,
					       .options = {file->options, strlen(file->options)},
					       .coverage = file->coverage,
					       .coverage_count = file->coverage_count,
					       .inputs = inputs,
					       .input_count = count_inputs(&file->inputs)}};

	for (size_t i = 0; i < tables.meta.input_count; i++) {
		const struct input *input = &file->inputs.list[i];
		inputs[i] = (struct locus_input){.role = input->role,
						 .name = {input->name, strlen(input->name)},
						 .size = input->size,
						 .build_id = {input->id, input->id ? strlen(input->id) : 0},
						 .digest_kind = input->kind};
		memset(inputs[i].digest, input->digest, sizeof(inputs[i].digest));
	}
	assert_int_equal(locus_writer_new(made, &options, &writer, NULL), LOCUS_OK);
	assert_int_equal(locus_writer_tables(writer, &tables, 1, NULL), LOCUS_OK);
	assert_int_equal(locus_writer_finish(writer, &size, NULL), LOCUS_OK);
	locus_writer_free(writer);
	freshness_touch(made, &written);
}

static const struct locus_convert_options no_options;
static const struct freshness_question question = {.file = made, .elf = program, .options = &no_options};

static void set_present(const struct inputs *inputs)
{
	present = *inputs;
	present_changed = present_placed = (struct timespec){WRITTEN_S - 1, 0};
	present_status = LOCUS_OK;
	asked.count = 0;
}

/* `why` NULL: it is fresh. */
static void expect(const char *what, const struct freshness_question *asks, const char *why, bool by_times)
{
	struct freshness freshness;
	struct locus_error error;

	memset(&freshness, 1, sizeof(freshness));
	error_clear(&error);
	assert_int_equal(freshness_judge(asks, &freshness, &error), LOCUS_OK);
	if (freshness.is_fresh != !why || freshness.by_times != by_times ||
	    strcmp(freshness.reason, why ? why : "") != 0)
		fail_msg("%s: %s %s'%s', not '%s'", what, freshness.is_fresh ? "fresh" : "stale",
			 freshness.by_times ? "by times " : "", freshness.reason, why ? why : "fresh");
}

/* ---- What differs ---- */

static void what_is_said_of_inputs_that_differ(void **state)
{
	static const char long_name[] = /* of 210 bytes, of which 200 are said */
		"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
		"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
		"0123456789";
	enum { P = LOCUS_INPUT_PROGRAM, BYTES = LOCUS_DIGEST_BYTES, HEADERS = LOCUS_DIGEST_HEADERS };
	static const struct {
		struct inputs before, now;
		const char *why;
	} cases[] = {
		{{{PROGRAM}}, {{PROGRAM}}, NULL},
		{{{PROGRAM}}, {{{P, "renamed", PROGRAM_SIZE, "id", HEADERS, 'h'}}}, NULL},
		{{{PROGRAM}},
		 {{{P, "app", 11, "id", HEADERS, 'h'}}},
		 "the program app has 11 bytes, and had 10 when it was converted"},
		{{{PROGRAM}},
		 {{{P, "app", 9, "ie", HEADERS, 'i'}}},
		 "the program app has 9 bytes, and had 10 when it was converted"},
		{{{PROGRAM}},
		 {{{P, "app", PROGRAM_SIZE, "ie", HEADERS, 'i'}}},
		 "the program app has another build-id than when it was converted"},
		{{{PROGRAM}},
		 {{{P, "app", PROGRAM_SIZE, "i", HEADERS, 'h'}}},
		 "the program app has another build-id than when it was converted"},
		{{{PROGRAM}},
		 {{{P, "app", PROGRAM_SIZE, "id2", HEADERS, 'h'}}},
		 "the program app has another build-id than when it was converted"},
		{{{PROGRAM}},
		 {{{P, "app", PROGRAM_SIZE, NULL, HEADERS, 'h'}}},
		 "the program app has another build-id than when it was converted"},
		{{{{P, "app", 1, NULL, HEADERS, 'h'}}},
		 {{{P, "app", 1, "id", HEADERS, 'h'}}},
		 "the program app has another build-id than when it was converted"},
		{{{PROGRAM}},
		 {{{P, "app", PROGRAM_SIZE, "id", BYTES, 'i'}}},
		 "the program app was converted with another kind of digest"},
		{{{PROGRAM}},
		 {{{P, "app", PROGRAM_SIZE, "id", LOCUS_DIGEST_NONE, 'h'}}},
		 "the program app was converted with another kind of digest"},
		{{{PROGRAM}},
		 {{{P, "app", PROGRAM_SIZE, "id", HEADERS, 'i'}}},
		 "the program app has other headers than when it was converted"},
		{{{PROGRAM}},
		 {{{P, "app", PROGRAM_SIZE, "id", BYTES, 'h'}}},
		 "the program app was converted with another kind of digest"},
		{{{PROGRAM}}, {{{0}}}, "the program app, from which it was converted too, would not be read now"},
		{{{{P, "app", 1, NULL, BYTES, 'b'}}},
		 {{{P, "app", 1, NULL, BYTES, 'c'}}},
		 "the program app has other bytes than when it was converted"},
		{{{PROGRAM, {LOCUS_INPUT_DEBUG, "d", 1, "id", HEADERS, 'h'}}},
		 {{PROGRAM}},
		 "the debug file d, from which it was converted too, would not be read now"},
		{{{PROGRAM}},
		 {{PROGRAM, {LOCUS_INPUT_ALTERNATE, "a", 1, "id", HEADERS, 'h'}}},
		 "the alternate debug file a, which was not there when it was converted, would be read now"},
		{{{PROGRAM, {LOCUS_INPUT_PACKAGE, "p", 1, "id", HEADERS, 'h'}}},
		 {{PROGRAM, {LOCUS_INPUT_ALTERNATE, "a", 1, "id", HEADERS, 'h'}}},
		 "the alternate debug file a, which was not there when it was converted, would be read now"},
		{{{PROGRAM, {LOCUS_INPUT_ALTERNATE, "a", 1, "id", HEADERS, 'h'}}},
		 {{PROGRAM, {LOCUS_INPUT_PACKAGE, "p", 1, "id", HEADERS, 'h'}}},
		 "the alternate debug file a, from which it was converted too, would not be read now"},
		{{{PROGRAM, {LOCUS_INPUT_PACKAGE, "p", 1, "id", HEADERS, 'h'}}},
		 {{PROGRAM, {LOCUS_INPUT_PACKAGE, "q", 2, "id", HEADERS, 'h'}}},
		 "the package q has 2 bytes, and had 1 when it was converted"},
		{{{PROGRAM, {LOCUS_INPUT_SPLIT, "b", 1, NULL, BYTES, 'b'}}},
		 {{PROGRAM, {LOCUS_INPUT_SPLIT, "a", 1, NULL, BYTES, 'b'}}},
		 "the split debug file a, which was not there when it was converted, would be read now"},
		{{{PROGRAM, {LOCUS_INPUT_SPLIT, "a", 1, NULL, BYTES, 'b'}}},
		 {{PROGRAM, {LOCUS_INPUT_SPLIT, "ab", 1, NULL, BYTES, 'b'}}},
		 "the split debug file a, from which it was converted too, would not be read now"},
		{{{PROGRAM, {LOCUS_INPUT_SPLIT, long_name, 1, NULL, BYTES, 'b'}}},
		 {{PROGRAM}},
		 "the split debug file "
		 "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
		 "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
		 ", from which it was converted too, would not be read now"},
		{{{PROGRAM, {LOCUS_INPUT_SPLIT + 1, "s", 1, "id", HEADERS, 'h'}}}, /* as a newer writer might write */
		 {{PROGRAM}},
		 "the input s, from which it was converted too, would not be read now"},
		/* What is read twice counts once. */
		{{{PROGRAM,
		   {LOCUS_INPUT_SPLIT, "a", 1, NULL, BYTES, 'b'},
		   {LOCUS_INPUT_SPLIT, "a", 1, NULL, BYTES, 'b'}}},
		 {{PROGRAM, {LOCUS_INPUT_SPLIT, "a", 1, NULL, BYTES, 'b'}}},
		 NULL},
		{{{{P, "app", 1, "", LOCUS_DIGEST_NONE, 0}}}, {{{P, "app", 1, NULL, LOCUS_DIGEST_NONE, 'x'}}}, NULL},
	};
	struct freshness_question asks = question;

	(void)state;
	asks.as_recorded = true;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct made_file file = usual;
		char what[32];
		file.inputs = cases[i].before;
		write_made(&file);
		set_present(&cases[i].now);
		snprintf(what, sizeof(what), "case %zu", i);
		expect(what, &asks, cases[i].why, false);
		assert_int_equal(asked.count, 1);
	}
}

/* Each two of these differ, in one way first and in all later ones the other way round. */
static const struct input distinct[] = {
	{LOCUS_INPUT_SPLIT, "a", 9, "z", LOCUS_DIGEST_HEADERS, 'z'},
	{LOCUS_INPUT_SPLIT, "aa", 1, "m", LOCUS_DIGEST_HEADERS, 'z'},
	{LOCUS_INPUT_SPLIT, "b", 5, "z", LOCUS_DIGEST_HEADERS, 'z'},
	{LOCUS_INPUT_SPLIT, "b", 6, "c", LOCUS_DIGEST_HEADERS, 'z'},
	{LOCUS_INPUT_SPLIT, "b", 6, "cc", LOCUS_DIGEST_BYTES, 'z'},
	{LOCUS_INPUT_SPLIT, "b", 6, "d", LOCUS_DIGEST_BYTES, 'z'},
	{LOCUS_INPUT_SPLIT, "b", 6, "d", LOCUS_DIGEST_HEADERS, 'a'},
	{LOCUS_INPUT_SPLIT, "b", 6, "d", LOCUS_DIGEST_HEADERS, 'b'},
	{LOCUS_INPUT_SPLIT + 1, "a", 1, "a", LOCUS_DIGEST_BYTES, 'a'},
};

static void in_which_order_inputs_are_named_counts_for_nothing(void **state)
{
	const struct input first = PROGRAM;
	struct freshness_question asks = question;
	(void)state;
	asks.as_recorded = true;
	for (size_t i = 0; i < COUNT_OF(distinct); i++)
		for (size_t k = 0; k < COUNT_OF(distinct); k++) {
			const struct inputs one_way = {{first, distinct[i], distinct[k]}},
					    other_way = {{distinct[k], distinct[i], first}};
			struct made_file file = usual;
			struct freshness freshness;
			struct locus_error error;
			file.inputs = one_way;
			write_made(&file);
			set_present(&other_way);
			expect("the other way round", &asks, NULL, false);

			/* One of the two is gone, and the first of them tells which. */
			set_present(&(struct inputs){{first, distinct[k]}});
			assert_int_equal(freshness_judge(&asks, &freshness, &error), LOCUS_OK);
			assert_int_equal(freshness.is_fresh, i == k);
		}
}

/* ---- What a file says of itself ---- */

static void by_its_own_record(void **state)
{
	enum { BYTES = LOCUS_DIGEST_BYTES, HEADERS = LOCUS_DIGEST_HEADERS, P = LOCUS_INPUT_PROGRAM };
	static const struct inputs whole = {{{P, "app", 10, "id", BYTES, 'b'}}}, headers = {{PROGRAM}}, none = {{{0}}},
				   without_id = {{{P, "app", 10, NULL, BYTES, 'b'}}},
				   mixed = {{{P, "app", 10, NULL, BYTES, 'b'},
					     {LOCUS_INPUT_DEBUG, "d", 1, "i", HEADERS, 'h'}}},
				   mixed_whole = {{{P, "app", 10, NULL, BYTES, 'b'},
						   {LOCUS_INPUT_DEBUG, "d", 1, "i", BYTES, 'h'}}};
	static const struct {
		const struct inputs *inputs;
		uint32_t epoch;
		const char *options;
		struct locus_convert_options now;
		const char *why;
		bool always; /* with as_recorded too */
	} cases[] = {
		{&headers, EPOCH, "", {0}, NULL, true},
		{&headers, EPOCH + 1, "", {0}, NULL, true},
		{&headers, EPOCH - 1, "", {0}, "it was made by rules epoch 6, and today's is 7", true},
		{&none, EPOCH - 1, "", {0}, "it was made by rules epoch 6, and today's is 7", true},
		{&none, EPOCH, "", {0}, "it does not say what it was made from", true},
		{&none, EPOCH, "", {.columns = true}, "it does not say what it was made from", true},
		{&none, EPOCH, "", {.digest = true}, "it does not say what it was made from", true},
		{&headers, EPOCH, "", {.digest = true}, "it was made without --digest", false},
		{&whole, EPOCH, "", {0}, "it was made with --digest", false},
		{&whole, EPOCH, "", {.digest = true}, NULL, true},
		{&without_id, EPOCH, "", {0}, NULL, true},
		{&without_id, EPOCH, "", {.digest = true}, NULL, true},
		{&mixed, EPOCH, "", {0}, NULL, true},
		{&mixed, EPOCH, "", {.digest = true}, "it was made without --digest", false},
		{&mixed_whole, EPOCH, "", {.digest = true}, NULL, true},
		{&headers, EPOCH, "", {.columns = true}, "it was made with other options", false},
		{&headers, EPOCH, "columns\n", {0}, "it was made with other options", false},
		{&headers, EPOCH, "columns\n", {.columns = true}, NULL, true},
		{&headers, EPOCH, "columns", {.columns = true}, "it was made with other options", false},
		{&headers, EPOCH, "columns\n", {.digest = true}, "it was made without --digest", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		for (int as_recorded = 0; as_recorded < 2; as_recorded++) {
			struct made_file file = usual;
			struct freshness_question asks = question;
			char what[32];
			file.inputs = *cases[i].inputs;
			file.epoch = cases[i].epoch;
			file.options = cases[i].options;
			write_made(&file);
			set_present(cases[i].inputs);
			asks.options = &cases[i].now;
			asks.as_recorded = as_recorded;
			snprintf(what, sizeof(what), "case %zu, %d", i, as_recorded);
			const char *why = as_recorded && !cases[i].always ? NULL : cases[i].why;
			expect(what, &asks, why, false);
			assert_int_equal(asked.count, !why);
		}
}

/* The converter is asked for as much as the question needs. */
static void what_the_converter_is_asked_for(void **state)
{
	enum { BYTES = LOCUS_DIGEST_BYTES, P = LOCUS_INPUT_PROGRAM };
	static const struct inputs whole = {{{P, "app", 10, "id", BYTES, 'b'}}}, headers = {{PROGRAM}},
				   split = {{PROGRAM,
					     {LOCUS_INPUT_SPLIT, "s", 1, NULL, BYTES, 'b'},
					     {LOCUS_INPUT_PACKAGE, "p", 1, "i", LOCUS_DIGEST_HEADERS, 'h'}}},
				   package = {{PROGRAM, {LOCUS_INPUT_PACKAGE, "p", 1, "i", LOCUS_DIGEST_HEADERS, 'h'}}};
	static const struct {
		const struct inputs *inputs;
		struct locus_convert_options options;
		bool as_recorded;
		enum freshness_look look;
		enum locus_convert_digests digests;
		bool split_files, symbols_only;
	} cases[] = {
		{&headers, {0}, false, LOOK_AT_DIGESTS, LOCUS_CONVERT_SOME_DIGESTS, false, false},
		{&headers, {0}, true, LOOK_AT_DIGESTS, LOCUS_CONVERT_SOME_DIGESTS, false, true},
		{&headers, {.digest = true}, true, LOOK_AT_DIGESTS, LOCUS_CONVERT_SOME_DIGESTS, false, true},
		{&whole, {.digest = true}, false, LOOK_AT_DIGESTS, LOCUS_CONVERT_ALL_DIGESTS, false, false},
		{&whole, {0}, true, LOOK_AT_DIGESTS, LOCUS_CONVERT_ALL_DIGESTS, false, true},
		{&whole, {0}, true, LOOK_AT_TIMES, LOCUS_CONVERT_NO_DIGESTS, false, true},
		{&headers, {.symbols_only = true}, false, LOOK_AT_TIMES, LOCUS_CONVERT_NO_DIGESTS, false, true},
		{&headers, {0}, false, LOOK_AT_TIMES_FIRST, LOCUS_CONVERT_NO_DIGESTS, false, false},
		{&split, {0}, false, LOOK_AT_DIGESTS, LOCUS_CONVERT_SOME_DIGESTS, true, false},
		{&package, {0}, false, LOOK_AT_DIGESTS, LOCUS_CONVERT_SOME_DIGESTS, false, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct made_file file = usual;
		struct freshness_question asks = question;
		char what[32];
		file.inputs = *cases[i].inputs;
		write_made(&file);
		set_present(cases[i].inputs);
		asks.options = &cases[i].options;
		asks.as_recorded = cases[i].as_recorded;
		asks.look = cases[i].look;
		snprintf(what, sizeof(what), "case %zu", i);
		expect(what, &asks, NULL, cases[i].look != LOOK_AT_DIGESTS);
		if (asked.count != 1 || asked.digests != cases[i].digests ||
		    asked.split_files != cases[i].split_files || asked.symbols_only != cases[i].symbols_only)
			fail_msg("case %zu: digests %d, split %d, symbols only %d", i, asked.digests, asked.split_files,
				 asked.symbols_only);
	}
}

static void what_cannot_be_found_out(void **state)
{
	static const struct {
		enum locus_status now, judged;
	} cases[] = {{LOCUS_ERR_COMPANION, LOCUS_OK},
		     {LOCUS_ERR_NO_DEBUG, LOCUS_OK},
		     {LOCUS_ERR_BAD_ELF, LOCUS_ERR_BAD_ELF},
		     {LOCUS_ERR_IO, LOCUS_ERR_IO}};
	struct freshness_question asks = question;
	struct freshness freshness;
	struct locus_error error;

	(void)state;
	write_made(&usual);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		set_present(&usual.inputs);
		present_status = cases[i].now;
		freshness = (struct freshness){.reason = "as before"};
		assert_int_equal(freshness_judge(&question, &freshness, &error), cases[i].judged);
		assert_false(freshness.is_fresh);
		assert_string_equal(freshness.reason, cases[i].judged == LOCUS_OK ? "why not" : "as before");
	}
	asks.file = "/absent/made";
	assert_int_equal(freshness_judge(&asks, &freshness, &error), LOCUS_ERR_IO);
}

/* Magic number and version stand before everything else (FORMAT.md 3). */
static void a_file_of_another_version(void **state)
{
	static const uint8_t version_1[] = {1, 0, 0, 0};
	struct freshness freshness = {.is_fresh = true};
	struct locus_error error;

	(void)state;
	write_made(&usual);
	int fd = open(made, O_WRONLY);
	assert_int_equal(pwrite(fd, version_1, sizeof(version_1), 8), sizeof(version_1));
	close(fd);
	assert_int_equal(freshness_judge(&question, &freshness, &error), LOCUS_OK);
	assert_false(freshness.is_fresh);
	assert_string_equal(freshness.reason, "format version 1 is no longer read: convert the program again");
}

/* ---- Times ---- */

static void times_tell_which_was_written_later(void **state)
{
	static const char newer[] = "the program app is newer";
	static const struct {
		struct timespec changed;
		bool is_older, is_newer;
	} cases[] = {
		{{WRITTEN_S, WRITTEN_NS}, false, false},        {{WRITTEN_S, WRITTEN_NS - 1}, true, false},
		{{WRITTEN_S, WRITTEN_NS + 1}, false, true},     {{WRITTEN_S - 1, WRITTEN_NS + 1}, true, false},
		{{WRITTEN_S + 1, WRITTEN_NS - 1}, false, true},
	};

	(void)state;
	write_made(&usual);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct freshness_question asks = question;
		set_present(&usual.inputs);
		present_changed = cases[i].changed;
		asks.look = LOOK_AT_TIMES;
		expect("by times", &asks, cases[i].is_newer ? newer : NULL, true);
		assert_int_equal(asked.count, 1);

		/* What may be newer is held against its digests. */
		asks.look = LOOK_AT_TIMES_FIRST;
		expect("by times first", &asks, NULL, cases[i].is_older);
		assert_int_equal(asked.count, cases[i].is_older ? 2 : 3);
		asks.look = LOOK_AT_DIGESTS;
		expect("by digests", &asks, NULL, false);
	}

	/* Other sizes are stale by any look, and other digests where these are compared. */
	static const struct inputs other = {{{LOCUS_INPUT_PROGRAM, "app", PROGRAM_SIZE, "id", LOCUS_DIGEST_HEADERS,
					      'i'}}},
				   larger = {{{LOCUS_INPUT_PROGRAM, "app", 11, "id", LOCUS_DIGEST_HEADERS, 'h'}}};
	struct freshness_question asks = question;
	asks.look = LOOK_AT_TIMES_FIRST;
	set_present(&larger);
	expect("larger", &asks, "the program app has 11 bytes, and had 10 when it was converted", false);
	assert_int_equal(asked.count, 1);
	set_present(&other);
	expect("other but older", &asks, NULL, true);
	set_present(&other);
	present_changed.tv_sec = WRITTEN_S + 1;
	expect("other", &asks, "the program app has other headers than when it was converted", false);
}

/* What has an old time and came later is held against its digest, if it has no build-id. */
static void files_that_came_later_may_have_old_times(void **state)
{
	static const struct made_file no_id = {
		{{{LOCUS_INPUT_PROGRAM, "app", PROGRAM_SIZE, "", LOCUS_DIGEST_BYTES, 'h'}}},
		EPOCH,
		"",
		{{LOCUS_COVERAGE_LINE, 1}},
		1};
	static const struct inputs same = {{{LOCUS_INPUT_PROGRAM, "app", PROGRAM_SIZE, NULL, LOCUS_DIGEST_BYTES, 'h'}}},
				   other = {
					   {{LOCUS_INPUT_PROGRAM, "app", PROGRAM_SIZE, NULL, LOCUS_DIGEST_BYTES, 'i'}}};
	struct freshness_question asks = question;

	(void)state;
	for (int later = 0; later < 2; later++) {
		write_made(&no_id);
		set_present(&same);
		present_placed.tv_sec += 2 * later;
		asks.look = LOOK_AT_TIMES_FIRST;
		expect("the same", &asks, NULL, !later);
		asks.look = LOOK_AT_TIMES;
		expect("the same, by times", &asks, NULL, true);
		set_present(&other);
		present_placed.tv_sec += 2 * later;
		asks.look = LOOK_AT_TIMES_FIRST;
		expect("other", &asks, later ? "the program app has other bytes than when it was converted" : NULL,
		       !later);
		write_made(&usual);
		set_present(&usual.inputs);
		present_placed.tv_sec += 2 * later;
		expect("with a build-id", &asks, NULL, true);
	}
}

/*
 * A file that was written on another machine may have a time that has not come here, by a second or two. By more, the
 * clock was set back, and its time says nothing.
 */
static void times_that_have_not_come_are_trusted_by_seconds(void **state)
{
	static const struct {
		int ahead_s;
		bool is_enough;
	} cases[] = {{-10, true}, {2, true}, {30, false}, {3600, false}};
	struct freshness_question asks = question;

	(void)state;
	asks.look = LOOK_AT_TIMES_FIRST;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct timespec written;
		write_made(&usual);
		freshness_clock(&written);
		written.tv_sec += cases[i].ahead_s;
		freshness_touch(made, &written);
		set_present(&usual.inputs);
		expect("ahead", &asks, NULL, cases[i].is_enough);
	}
}

/* ---- Without a process ---- */

static bool is_plain(const struct made_file *file, const struct locus_convert_options *options,
		     enum freshness_look look)
{
	struct freshness_question asks = question;
	asks.options = options;
	asks.look = look;
	write_made(file);
	return freshness_is_plain(&asks);
}

static void set_file(const char *begin, size_t size, const struct timespec *changed)
{
	int fd = open(program, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, begin, strlen(begin)), strlen(begin));
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	close(fd);
	freshness_touch(program, changed);
}

static void set_program(size_t size, const struct timespec *changed)
{
	set_file("\177ELF", size, changed);
}

static void records_that_times_are_enough_for(void **state)
{
	enum { BYTES = LOCUS_DIGEST_BYTES, HEADERS = LOCUS_DIGEST_HEADERS, P = LOCUS_INPUT_PROGRAM };
	static const struct {
		struct made_file file;
		struct locus_convert_options options;
		enum freshness_look look;
		bool is_plain;
	} cases[] = {
		{{{{PROGRAM}}, EPOCH, "", {{LOCUS_COVERAGE_LINE, 1}}, 1}, {0}, LOOK_AT_TIMES_FIRST, true},
		{{{{PROGRAM}}, EPOCH, "", {{LOCUS_COVERAGE_LINE, 1}}, 1}, {0}, LOOK_AT_TIMES, true},
		{{{{PROGRAM}}, EPOCH, "", {{LOCUS_COVERAGE_LINE, 1}}, 1}, {0}, LOOK_AT_DIGESTS, false},
		{{{{PROGRAM}}, EPOCH, "", {{LOCUS_COVERAGE_LINE, 1}}, 1}, {.debug_file = "d"}, LOOK_AT_TIMES, false},
		{{{{PROGRAM}}, EPOCH, "", {{LOCUS_COVERAGE_LINE, 1}}, 1}, {.alt_file = "d"}, LOOK_AT_TIMES, false},
		{{{{PROGRAM}}, EPOCH, "", {{LOCUS_COVERAGE_LINE, 1}}, 1}, {.dwp_file = "d"}, LOOK_AT_TIMES, false},
		{{{{PROGRAM}}, EPOCH, "", {{LOCUS_COVERAGE_LINE, 1}}, 1}, {.columns = true}, LOOK_AT_TIMES, false},
		{{{{PROGRAM}}, EPOCH - 1, "", {{LOCUS_COVERAGE_LINE, 1}}, 1}, {0}, LOOK_AT_TIMES, false},
		{{{{PROGRAM}}, EPOCH, "", {{LOCUS_COVERAGE_FUNCTION, 1}}, 1}, {0}, LOOK_AT_TIMES, true},
		{{{{PROGRAM}}, EPOCH, "", {{LOCUS_COVERAGE_SYMBOL, 1}}, 1}, {0}, LOOK_AT_TIMES, false},
		{{{{PROGRAM}}, EPOCH, "", {{LOCUS_COVERAGE_LINE, 0}, {LOCUS_COVERAGE_NONE, 9}}, 2},
		 {0},
		 LOOK_AT_TIMES,
		 false},
		{{{{PROGRAM}}, EPOCH, "", {{LOCUS_COVERAGE_LINE, 0}, {LOCUS_COVERAGE_INLINE, 9}}, 2},
		 {0},
		 LOOK_AT_TIMES,
		 true},
		{{{{PROGRAM}}, EPOCH, "", {{0}}, 0}, {0}, LOOK_AT_TIMES, false},
		{{{{{P, "app", PROGRAM_SIZE - 1, "id", HEADERS, 'h'}}}, EPOCH, "", {{0, 1}}, 1},
		 {0},
		 LOOK_AT_TIMES,
		 false},
		{{{{{LOCUS_INPUT_DEBUG, "app", PROGRAM_SIZE, "id", HEADERS, 'h'}}}, EPOCH, "", {{0, 1}}, 1},
		 {0},
		 LOOK_AT_TIMES,
		 false},
		{{{{PROGRAM, {LOCUS_INPUT_DEBUG, "d", 1, "id", HEADERS, 'h'}}}, EPOCH, "", {{0, 1}}, 1},
		 {0},
		 LOOK_AT_TIMES,
		 false},
	};

	(void)state;
	set_program(PROGRAM_SIZE, &(struct timespec){WRITTEN_S, WRITTEN_NS - 1});
	set_present(&usual.inputs);
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		if (is_plain(&cases[i].file, &cases[i].options, cases[i].look) != cases[i].is_plain)
			fail_msg("case %zu", i);
	assert_int_equal(asked.count, 0);
}

static void programs_that_times_are_enough_for(void **state)
{
	static const struct timespec same = {WRITTEN_S, WRITTEN_NS}, older = {WRITTEN_S, WRITTEN_NS - 1},
				     newer = {WRITTEN_S + 1, 0};
	char package[80];

	(void)state;
	set_program(PROGRAM_SIZE, &older);
	assert_true(is_plain(&usual, &no_options, LOOK_AT_TIMES_FIRST));
	set_program(PROGRAM_SIZE, &same);
	assert_false(is_plain(&usual, &no_options, LOOK_AT_TIMES_FIRST));
	set_program(PROGRAM_SIZE, &newer);
	assert_false(is_plain(&usual, &no_options, LOOK_AT_TIMES_FIRST));
	set_program(PROGRAM_SIZE + 1, &older);
	assert_false(is_plain(&usual, &no_options, LOOK_AT_TIMES_FIRST));

	set_program(PROGRAM_SIZE, &older);
	program_id = "di";
	assert_false(is_plain(&usual, &no_options, LOOK_AT_TIMES));
	program_id = "";
	assert_false(is_plain(&usual, &no_options, LOOK_AT_TIMES_FIRST));
	program_id = "id";
	snprintf(package, sizeof(package), "%s.dwp", program);
	assert_int_equal(mknod(package, S_IFREG | 0600, 0), 0);
	assert_false(is_plain(&usual, &no_options, LOOK_AT_TIMES_FIRST));
	assert_int_equal(unlink(package), 0);
	assert_true(is_plain(&usual, &no_options, LOOK_AT_TIMES_FIRST));

	/* One that is compressed is not unpacked for its build-id: it may have come later, and have an old time. */
	set_file("packed", PROGRAM_SIZE, &older);
	assert_false(is_plain(&usual, &no_options, LOOK_AT_TIMES_FIRST));
	assert_true(is_plain(&usual, &no_options, LOOK_AT_TIMES));
	set_program(PROGRAM_SIZE, &older);

	struct freshness_question asks = question;
	asks.look = LOOK_AT_TIMES;
	asks.file = program; /* which is no .locus file */
	assert_false(freshness_is_plain(&asks));
	asks.file = made;
	asks.elf = package; /* which is gone */
	assert_false(freshness_is_plain(&asks));
	asks.elf = folder;
	assert_false(freshness_is_plain(&asks));
}

static void a_file_gets_the_time_of_the_judgement(void **state)
{
	struct timespec before, judged, after;
	struct stat found;

	(void)state;
	clock_gettime(CLOCK_REALTIME_COARSE, &before);
	freshness_clock(&judged);
	clock_gettime(CLOCK_REALTIME_COARSE, &after);
	assert_in_range(judged.tv_sec, before.tv_sec, after.tv_sec);
	judged = (struct timespec){12345, 678};
	write_made(&usual);
	freshness_touch(made, &judged);
	assert_int_equal(stat(made, &found), 0);
	assert_int_equal(found.st_mtim.tv_sec, 12345);
	assert_int_equal(found.st_mtim.tv_nsec, 678);
}

static int set_up(void **state)
{
	static const uint32_t epoch = EPOCH;
	struct converter *loaded = (struct converter *)(uintptr_t)converter();

	(void)state;
	*loaded = (struct converter){.inputs = list_inputs,
				     .inputs_free = free_inputs,
				     .options_text = options_text,
				     .elf_build_id = read_program_id,
				     .rules_epoch = &epoch};
	if (!mkdtemp(folder))
		return -1;
	snprintf(made, sizeof(made), "%s/made", folder);
	snprintf(program, sizeof(program), "%s/app", folder);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_said_of_inputs_that_differ),
		cmocka_unit_test(in_which_order_inputs_are_named_counts_for_nothing),
		cmocka_unit_test(by_its_own_record),
		cmocka_unit_test(what_the_converter_is_asked_for),
		cmocka_unit_test(what_cannot_be_found_out),
		cmocka_unit_test(a_file_of_another_version),
		cmocka_unit_test(times_tell_which_was_written_later),
		cmocka_unit_test(files_that_came_later_may_have_old_times),
		cmocka_unit_test(times_that_have_not_come_are_trusted_by_seconds),
		cmocka_unit_test(records_that_times_are_enough_for),
		cmocka_unit_test(programs_that_times_are_enough_for),
		cmocka_unit_test(a_file_gets_the_time_of_the_judgement),
	};
	return cmocka_run_group_tests_name("freshness", tests, set_up, tear_down);
}
