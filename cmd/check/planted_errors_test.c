/*
 * Plants errors in .locus files behind right checksums: all of a file is read, one thing in it made wrong, and all of
 * it written again. Called with KIND SEED FROM TO it does so for others (scripts/test-source); by itself it holds that
 * what it writes is whole, and differs in that one thing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "reader/locus.h"
#include "writer/sample_test.h"

static const char *const kinds[] = {"line", "name", "range", "inlinee", "file", "depth", "start"};
enum { LINE, NAME, RANGE, INLINEE, FILE_ID, DEPTH, START, KIND_COUNT, TRIES = 10000 };

static void ok(enum locus_status status, const struct locus_error *error)
{
	if (status != LOCUS_OK) {
		fprintf(stderr, "%s: %s\n", locus_status_text(status), error->text);
		abort();
	}
}

/* ---- Reading a whole file into a sample ---- */

struct reading {
	struct locus_sample *sample;
	struct locus *locus;
	struct locus_scratch *scratch;
	struct locus_error error;
};

static struct locus_bytes put_string(struct locus_sample *sample, struct locus_string string)
{
	char *copy = sample->text + sample->text_size;
	if (string.size)
		memcpy(copy, string.data, string.size);
	sample->text_size += string.size;
	return (struct locus_bytes){string.size ? copy : NULL, string.size};
}

/* Names do not move once they are there: all that there may be have room. */
static void read_names(struct reading *r)
{
	enum { TEXT_MAX = 16 << 20 };
	struct locus_sample *sample = r->sample;
	uint32_t functions = locus_function_count(r->locus), files = locus_file_count(r->locus);
	sample->text = need(malloc(TEXT_MAX));
	sample->functions = need(calloc(functions + 1, sizeof(*sample->functions)));
	sample->file_table = need(calloc(files + 1, sizeof(*sample->file_table)));
	for (uint32_t i = 0; i < functions; i++) {
		struct locus_function_info info;
		ok(locus_function_at(r->locus, r->scratch, i + 1, &info, &r->error), &r->error);
		sample->functions[i] = (struct locus_function){
			.name = put_string(sample, info.name),
			.linkage = put_string(sample, info.linkage),
			.decl_file = info.decl_file_id,
			.decl_line = info.decl_line,
			.language = info.language,
		};
	}
	for (uint32_t i = 0; i < files; i++) {
		struct locus_file_info info;
		ok(locus_file_at(r->locus, r->scratch, i + 1, &info, &r->error), &r->error);
		sample->file_table[i] =
			(struct locus_file){put_string(sample, info.directory), put_string(sample, info.name)};
	}
	assert_true(sample->text_size < TEXT_MAX);
	sample->tables.functions = sample->functions;
	sample->tables.function_count = functions;
	sample->tables.files = sample->file_table;
	sample->tables.file_count = files;
}

/* The context of a frame, `caller` around it; one that was made for the interval before is taken again. */
static uint32_t put_context(struct reading *r, const struct locus_frame *frames, size_t index, size_t count,
			    uint32_t caller, uint32_t first)
{
	struct locus_sample *sample = r->sample;
	const struct locus_frame *frame = &frames[index];
	const struct locus_function *function = &sample->functions[frame->function_id - 1];
	bool is_outermost = index + 1 == count;
	struct locus_block_context context = {
		.caller = caller,
		.function = frame->function_id,
		.decl_file = function->decl_file,
		.decl_line = function->decl_line,
		.call_file = is_outermost ? 0 : frames[index + 1].file_id,
		.call_line = is_outermost ? 0 : frames[index + 1].line,
		.call_column = is_outermost ? 0 : frames[index + 1].column,
		.start = is_outermost ? frame->part_start : 0,
		.kind = is_outermost ? (uint8_t)frame->part : 0,
	};
	for (uint32_t i = first; i < sample->context_count; i++)
		if (memcmp(&sample->context[i], &context, sizeof(context)) == 0)
			return i;
	sample->context[sample->context_count] = context;
	return sample->context_count++;
}

static void read_intervals(struct reading *r)
{
	enum { DEPTH_MEAN = 32, LOOKED_BACK = 64 };
	struct locus_sample *sample = r->sample;
	uint32_t count = sample->interval_count = locus_interval_count(r->locus);
	sample->starts = need(calloc(count, sizeof(*sample->starts)));
	sample->contexts = need(calloc(count, sizeof(*sample->contexts)));
	sample->files = need(calloc(count, sizeof(*sample->files)));
	sample->lines = need(calloc(count, sizeof(*sample->lines)));
	sample->columns = need(calloc(count, sizeof(*sample->columns)));
	sample->context = need(calloc((size_t)count * DEPTH_MEAN, sizeof(*sample->context)));
	for (uint32_t i = 0; i < count; i++) {
		struct locus_result result;
		ok(locus_frames(r->locus, r->scratch, i, &result, &r->error), &r->error);
		uint32_t context = LOCUS_NO_CONTEXT, before = sample->context_count;
		uint32_t first = before > LOOKED_BACK ? before - LOOKED_BACK : 0;
		for (size_t k = result.frame_count; k-- > 0;)
			context = put_context(r, result.frames, k, result.frame_count, context, first);
		sample->starts[i] = result.interval.start;
		sample->contexts[i] = context;
		sample->files[i] = result.frame_count ? result.frames[0].file_id : 0;
		sample->lines[i] = result.frame_count ? result.frames[0].line : 0;
		sample->columns[i] = result.frame_count ? result.frames[0].column : 0;
	}
}

static void read_sample(struct locus_sample *sample, const char *path)
{
	struct reading r = {.sample = sample};
	*sample = (struct locus_sample){0};
	ok(locus_open(path, NULL, &r.locus, &r.error), &r.error);
	ok(locus_scratch_new(r.locus, &r.scratch, &r.error), &r.error);
	read_names(&r);
	read_intervals(&r);
	for (uint32_t i = 0; i < locus_section_count(r.locus); i++) {
		struct locus_section_info section;
		ok(locus_section_at(r.locus, i, &section, &r.error), &r.error);
		sample->has_columns |= section.name && strcmp(section.name, "columns") == 0;
	}
	locus_scratch_free(r.scratch);
	locus_close(r.locus);
}

/* ---- Planting ---- */

/* Whether an interval has frames, and of a function that DWARF knows. */
static bool is_known(const struct locus_sample *sample, uint32_t i)
{
	uint32_t at = sample->contexts[i];
	while (at != LOCUS_NO_CONTEXT && sample->context[at].caller != LOCUS_NO_CONTEXT)
		at = sample->context[at].caller;
	return at != LOCUS_NO_CONTEXT && sample->context[at].kind != LOCUS_PART_SYMBOL;
}

static bool plant_line(struct locus_sample *sample, uint32_t i, uint64_t *random)
{
	if (!sample->lines[i])
		return false;
	sample->lines[i] += 10000 + locus_sample_below(random, 1000);
	return true;
}

/* A letter is added to the function that the interval is of. */
static bool plant_name(struct locus_sample *sample, uint32_t i)
{
	struct locus_function *function = &sample->functions[sample->context[sample->contexts[i]].function - 1];
	struct locus_bytes *name = function->linkage.size ? &function->linkage : &function->name;
	char *copy = sample->text + sample->text_size;
	if (!name->size)
		return false;
	memcpy(copy, name->data, name->size);
	copy[name->size] = 'x';
	*name = (struct locus_bytes){copy, name->size + 1};
	sample->text_size += name->size;
	return true;
}

/* The interval begins a byte later than it should. */
static bool plant_range(struct locus_sample *sample, uint32_t i)
{
	if (!i || sample->starts[i + 1] - sample->starts[i] < 2)
		return false;
	sample->starts[i]++;
	return true;
}

static bool is_same_place(const struct locus_sample *sample, uint32_t i, uint32_t context)
{
	uint32_t other = sample->contexts[i];
	return other == context ||
	       (other != LOCUS_NO_CONTEXT && sample->context[other].caller == sample->context[context].caller);
}

/* It is inlined from another line, or another function is, or nothing is. */
static bool plant_inlinee(struct locus_sample *sample, uint32_t i, uint64_t *random)
{
	struct locus_block_context *added = &sample->context[sample->context_count];
	const struct locus_block_context *context = &sample->context[sample->contexts[i]];
	if (context->caller == LOCUS_NO_CONTEXT)
		return false;
	*added = *context;
	switch (locus_sample_below(random, 3)) {
	case 0:
		added->call_line += 10000;
		break;
	case 1:
		added->function =
			1 + (context->function + locus_sample_below(random, 5)) % sample->tables.function_count;
		if (added->function == context->function)
			return false;
		added->decl_file = sample->functions[added->function - 1].decl_file;
		added->decl_line = sample->functions[added->function - 1].decl_line;
		break;
	default:
		if (is_same_place(sample, i - 1, context->caller) || is_same_place(sample, i + 1, context->caller))
			return false;
		sample->contexts[i] = context->caller;
		return true;
	}
	sample->contexts[i] = sample->context_count++;
	return true;
}

static uint32_t another_file(const struct locus_sample *sample, uint32_t file, uint64_t *random)
{
	uint32_t count = sample->tables.file_count;
	return count < 2 || !file ? 0 : 1 + (file + locus_sample_below(random, count - 1)) % count;
}

/* The innermost place, or that of the call, is in another file. */
static bool plant_file(struct locus_sample *sample, uint32_t i, uint64_t *random)
{
	struct locus_block_context *added = &sample->context[sample->context_count];
	*added = sample->context[sample->contexts[i]];
	bool is_call = added->caller != LOCUS_NO_CONTEXT && locus_sample_below(random, 2);
	uint32_t file = another_file(sample, is_call ? added->call_file : sample->files[i], random);
	if (!file)
		return false;
	if (is_call) {
		added->call_file = file;
		sample->contexts[i] = sample->context_count++;
	} else {
		sample->files[i] = file;
	}
	return true;
}

/* What is innermost is inlined into itself. */
static bool plant_depth(struct locus_sample *sample, uint32_t i)
{
	struct locus_block_context *added = &sample->context[sample->context_count];
	*added = sample->context[sample->contexts[i]];
	added->caller = sample->contexts[i];
	added->call_file = sample->files[i];
	added->call_line = sample->lines[i];
	added->call_column = 0;
	added->start = 0;
	added->kind = 0;
	sample->contexts[i] = sample->context_count++;
	return true;
}

/* The part of the function begins a byte before it should, from which offsets are counted. */
static bool plant_start(struct locus_sample *sample, uint32_t i)
{
	struct locus_block_context *added = &sample->context[sample->context_count];
	*added = sample->context[sample->contexts[i]];
	const struct locus_function *function = &sample->functions[added->function - 1];
	bool has_name = function->name.size || function->linkage.size; /* else offsets mean nothing */
	if (added->caller != LOCUS_NO_CONTEXT || !added->start || !has_name)
		return false;
	added->start--;
	sample->contexts[i] = sample->context_count++;
	return true;
}

/* Returns the interval in which something is wrong now. */
static uint32_t plant(struct locus_sample *sample, unsigned kind, uint64_t seed)
{
	for (unsigned try = 0; try < TRIES; try++) {
		uint32_t i = 1 + locus_sample_below(&seed, sample->interval_count - 2);
		bool is_planted = false;
		if (!is_known(sample, i))
			continue;
		if (kind == LINE)
			is_planted = plant_line(sample, i, &seed);
		else if (kind == NAME)
			is_planted = plant_name(sample, i);
		else if (kind == RANGE)
			is_planted = plant_range(sample, i);
		else if (kind == INLINEE)
			is_planted = plant_inlinee(sample, i, &seed);
		else if (kind == FILE_ID)
			is_planted = plant_file(sample, i, &seed);
		else
			is_planted = kind == DEPTH ? plant_depth(sample, i) : plant_start(sample, i);
		if (is_planted)
			return i;
	}
	fprintf(stderr, "nothing in the file can be made wrong that way\n");
	abort();
}

static void write_sample(const struct locus_sample *sample, const char *path)
{
	const struct locus_writer_options options = {.level = 1, .block_size = 4096};
	struct locus_error error;
	ok(locus_sample_write(sample, path, &options, &error), &error);
}

/* For others. Prints the addresses that are answered wrongly now; of a name it is one of several such places. */
static int plant_for(char **argv)
{
	struct locus_sample sample;
	unsigned kind = 0;
	while (kind < KIND_COUNT && strcmp(kinds[kind], argv[1]) != 0)
		kind++;
	if (kind == KIND_COUNT)
		return 2;
	read_sample(&sample, argv[3]);
	uint32_t i = plant(&sample, kind, strtoull(argv[2], NULL, 10));
	uint64_t start = sample.starts[i], end = sample.starts[i + 1];
	printf("0x%llx 0x%llx\n", (unsigned long long)(kind == RANGE ? start - 1 : start),
	       (unsigned long long)(kind == RANGE ? start : end));
	write_sample(&sample, argv[4]);
	locus_sample_done(&sample);
	return 0;
}

/* ---- By itself ---- */

struct folder {
	char path[64];
	char made[96], copy[96];
};

static int set_up(void **state)
{
	static struct folder folder;
	struct locus_sample sample;
	strcpy(folder.path, "/tmp/locus-planted-XXXXXX");
	assert_non_null(mkdtemp(folder.path));
	snprintf(folder.made, sizeof(folder.made), "%s/made", folder.path);
	snprintf(folder.copy, sizeof(folder.copy), "%s/copy", folder.path);
	locus_sample_init(&sample, 2, 3000);
	write_sample(&sample, folder.made);
	locus_sample_done(&sample);
	*state = &folder;
	return 0;
}

static int tear_down(void **state)
{
	const struct folder *folder = *state;
	unlink(folder->made);
	unlink(folder->copy);
	return rmdir(folder->path);
}

/* How many of the addresses where intervals begin, in either file, are answered differently. */
static unsigned count_differences(const char *a, const char *b)
{
	const char *const paths[] = {a, b};
	struct reading r[2] = {{0}};
	unsigned differing = 0;
	for (int side = 0; side < 2; side++) {
		ok(locus_open(paths[side], NULL, &r[side].locus, &r[side].error), &r[side].error);
		ok(locus_verify(r[side].locus, LOCUS_VERIFY_FULL, &r[side].error), &r[side].error);
		ok(locus_scratch_new(r[side].locus, &r[side].scratch, &r[side].error), &r[side].error);
	}
	for (int side = 0; side < 2; side++)
		for (uint32_t i = 0; i < locus_interval_count(r[side].locus); i++) {
			struct locus_interval interval;
			struct locus_result x, y;
			ok(locus_interval_at(r[side].locus, r[side].scratch, i, &interval, NULL), &r[side].error);
			ok(locus_lookup(r[0].locus, r[0].scratch, interval.start, &x, NULL), &r[0].error);
			ok(locus_lookup(r[1].locus, r[1].scratch, interval.start, &y, NULL), &r[1].error);
			bool same = x.frame_count == y.frame_count;
			for (size_t k = 0; same && k < x.frame_count; k++)
				same = x.frames[k].line == y.frames[k].line &&
				       x.frames[k].file_id == y.frames[k].file_id &&
				       x.frames[k].part_start == y.frames[k].part_start &&
				       x.frames[k].function.size == y.frames[k].function.size &&
				       x.frames[k].linkage.size == y.frames[k].linkage.size &&
				       x.frames[k].function_id == y.frames[k].function_id;
			differing += !same;
		}
	for (int side = 0; side < 2; side++) {
		locus_scratch_free(r[side].scratch);
		locus_close(r[side].locus);
	}
	return differing;
}

static void what_is_written_again_says_the_same(void **state)
{
	const struct folder *folder = *state;
	struct locus_sample sample;
	read_sample(&sample, folder->made);
	write_sample(&sample, folder->copy);
	locus_sample_done(&sample);
	assert_int_equal(count_differences(folder->made, folder->copy), 0);
}

static void each_error_is_one_behind_right_checksums(void **state)
{
	const struct folder *folder = *state;
	for (unsigned kind = 0; kind < KIND_COUNT; kind++)
		for (uint64_t seed = 0; seed < 5; seed++) {
			struct locus_sample sample;
			read_sample(&sample, folder->made);
			plant(&sample, kind, seed);
			write_sample(&sample, folder->copy);
			locus_sample_done(&sample);
			unsigned differing = count_differences(folder->made, folder->copy);
			print_message("%s %d: %u\n", kinds[kind], (int)seed, differing);
			assert_true(differing >= 1);
			assert_true(kind == NAME || differing <= 2); /* an interval of either file */
		}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_again_says_the_same),
		cmocka_unit_test(each_error_is_one_behind_right_checksums),
	};
	if (argc == 5)
		return plant_for(argv);
	return cmocka_run_group_tests_name("planted_errors", tests, set_up, tear_down);
}
