/*
 * Conversions, and what else the converter does with an ELF file, while one allocation after the other fails. Called
 * with the paths of ELF files and archives it does so with these (scripts/test-memory-out); by itself with the small
 * ones of testdata/fuzz/elf.
 */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/failing_memory_test.h"
#include "convert/locus_convert.h"
#include "reader/locus.h"

enum { FILES_MAX = 512, ASKED_MAX = 3, NAME_SIZE = 256, FRAMES_MAX = 64, CLAIMS_MAX = 400, PATH_SIZE = 512 };

static char directory[] = "/tmp/locus-test-XXXXXX", output[sizeof(directory) + 8], archive[sizeof(directory) + 8];
static char found[FILES_MAX][PATH_SIZE];
static const char *files[FILES_MAX];
static size_t file_count;

/* A file, and what it is asked for. */
struct subject {
	const char *path;
	char folder[PATH_SIZE]; /* where it is, and where debug files are looked for by build-id */
	const char *debug_dirs[1];
	struct locus_convert_options options;
	uint64_t addresses[ASKED_MAX];
	char names[ASKED_MAX][NAME_SIZE];
	const char *name_list[ASKED_MAX];
	size_t asked;
	struct locus *locus; /* all of the file's answers; NULL: it has none */
	struct locus_scratch *scratch;
	void *data;
};

static void set_options(struct subject *subject)
{
	const char *slash = strrchr(subject->path, '/');
	snprintf(subject->folder, PATH_SIZE, "%.*s", slash ? (int)(slash - subject->path) : 1,
		 slash ? subject->path : ".");
	subject->debug_dirs[0] = subject->folder;
	subject->options = (struct locus_convert_options){
		.output = output,
		.job_count = 1,
		.level = 1,
		.block_size = 16,
		.debug_dirs = subject->debug_dirs,
		.debug_dir_count = 1,
		.symbols_only = true,
		.columns = true,
	};
}

static void choose_questions(struct subject *subject)
{
	uint32_t intervals = locus_interval_count(subject->locus);
	struct locus_error error;
	for (uint32_t i = 0; i < intervals && subject->asked < ASKED_MAX; i += 1 + intervals / ASKED_MAX) {
		struct locus_result result;
		assert_int_equal(locus_frames(subject->locus, subject->scratch, i, &result, &error), LOCUS_OK);
		if (!result.frame_count)
			continue;
		struct locus_string name = result.frames[result.frame_count - 1].linkage;
		if (!name.size)
			name = result.frames[result.frame_count - 1].function;
		subject->addresses[subject->asked] = result.interval.start;
		snprintf(subject->names[subject->asked], NAME_SIZE, "%.*s", (int)name.size, name.size ? name.data : "");
		subject->name_list[subject->asked] = subject->names[subject->asked];
		subject->asked++;
	}
}

static void open_subject(struct subject *subject, const char *path)
{
	struct locus_error error;
	size_t size;
	*subject = (struct subject){.path = path};
	set_options(subject);
	if (locus_convert_to_memory(path, &subject->options, NULL, 0, &subject->data, &size, &error) != LOCUS_OK)
		return;
	assert_int_equal(locus_open_memory(subject->data, size, NULL, &subject->locus, &error), LOCUS_OK);
	assert_int_equal(locus_scratch_new(subject->locus, &subject->scratch, &error), LOCUS_OK);
	choose_questions(subject);
}

static void close_subject(struct subject *subject)
{
	locus_scratch_free(subject->scratch);
	locus_close(subject->locus);
	if (subject->locus)
		free(subject->data);
}

/* ---- What is done with a file ---- */

static void convert(void *context, struct outcome *ret)
{
	struct subject *subject = context;
	struct locus_convert_result result = {0};
	failing_begin();
	ret->status = locus_convert(subject->path, &subject->options, &result, &ret->error);
	failing_end();
	outcome_add_output(ret, output);
	if (ret->status == LOCUS_OK) {
		outcome_add(ret, result.read_paths, result.read_paths_size);
		outcome_add(ret, result.coverage, sizeof(result.coverage));
		outcome_add(ret, result.dropped, sizeof(result.dropped));
		for (size_t i = 0; i < result.worst_count; i++)
			outcome_add(ret, result.worst[i].name, strlen(result.worst[i].name));
	}
	locus_convert_result_done(&result);
}

static void convert_addresses(void *context, struct outcome *ret)
{
	struct subject *subject = context;
	void *data = NULL;
	size_t size = 0;
	failing_begin();
	ret->status = locus_convert_to_memory(subject->path, &subject->options, subject->addresses, subject->asked,
					      &data, &size, &ret->error);
	failing_end();
	if (ret->status == LOCUS_OK)
		outcome_add(ret, data, size);
	else
		assert_null(data);
	free(data);
}

static void convert_names(void *context, struct outcome *ret)
{
	struct subject *subject = context;
	void *data = NULL;
	size_t size = 0;
	failing_begin();
	ret->status = locus_convert_functions_to_memory(subject->path, &subject->options, subject->name_list,
							subject->asked, &data, &size, &ret->error);
	failing_end();
	if (ret->status == LOCUS_OK)
		outcome_add(ret, data, size);
	else
		assert_null(data);
	free(data);
}

static void list_inputs(void *context, struct outcome *ret)
{
	struct subject *subject = context;
	struct locus_convert_inputs *inputs = NULL;
	failing_begin();
	ret->status = locus_convert_inputs(subject->path, &subject->options, LOCUS_CONVERT_ALL_DIGESTS, true, &inputs,
					   &ret->error);
	failing_end();
	for (size_t i = 0; ret->status == LOCUS_OK && i < inputs->count; i++) {
		const struct locus_convert_input *input = &inputs->list[i];
		outcome_add(ret, input->name, strlen(input->name));
		outcome_add(ret, input->digest, sizeof(input->digest));
		outcome_add(ret, input->build_id, input->build_id_size);
		outcome_add_number(ret, input->size + input->role);
	}
	locus_convert_inputs_free(inputs);
}

static void add_member(void *context, const struct locus_archive_member *member)
{
	struct outcome *ret = context;
	outcome_add(ret, member->path, strlen(member->path));
	outcome_add_number(ret, member->size + member->header);
	if (member->problem)
		outcome_add(ret, member->problem, strlen(member->problem));
}

static void list_members(void *context, struct outcome *ret)
{
	struct subject *subject = context;
	bool is_archive = false;
	failing_begin();
	ret->status = locus_archive_members(subject->path, add_member, ret, &is_archive, &ret->error);
	failing_end();
	outcome_add_number(ret, is_archive);
}

/* What the whole file answers in an interval, as a claim. */
static struct locus_claim claim_of(struct subject *subject, uint32_t interval)
{
	static struct locus_claimed_frame frames[FRAMES_MAX];
	static char text[FRAMES_MAX][3][NAME_SIZE];
	struct locus_result result;
	struct locus_error error;
	assert_int_equal(locus_frames(subject->locus, subject->scratch, interval, &result, &error), LOCUS_OK);
	assert_in_range(result.frame_count, 0, FRAMES_MAX);
	for (size_t i = 0; i < result.frame_count; i++) {
		const struct locus_frame *frame = &result.frames[i];
		snprintf(text[i][0], NAME_SIZE, "%.*s", (int)frame->function.size, frame->function.data);
		snprintf(text[i][1], NAME_SIZE, "%.*s", (int)frame->linkage.size, frame->linkage.data);
		snprintf(text[i][2], NAME_SIZE, "%.*s/%.*s", (int)frame->directory.size, frame->directory.data,
			 (int)frame->file.size, frame->file.data);
		frames[i] = (struct locus_claimed_frame){
			.function = frame->function.size ? text[i][0] : NULL,
			.linkage = frame->linkage.size ? text[i][1] : NULL,
			.path = frame->file.size ? text[i][2] : NULL,
			.line = frame->has_line ? frame->line : 0,
			.column = frame->column,
		};
	}
	return (struct locus_claim){
		.address = result.interval.start,
		.frames = frames,
		.frame_count = result.frame_count,
		.is_symbol = result.interval.answer == LOCUS_ANSWER_SYMBOL,
		.has_columns = true,
		.part_start = result.frame_count ? result.frames[result.frame_count - 1].part_start : 0,
	};
}

static void judge_all(struct subject *subject, struct locus_cross_check *check, struct outcome *ret)
{
	uint32_t count = locus_interval_count(subject->locus);
	for (uint32_t i = 0; i < count && ret->status == LOCUS_OK; i++) {
		struct locus_claim claim = claim_of(subject, i);
		bool agrees = false;
		char says[1024] = "";
		failing_begin();
		ret->status = locus_cross_check_judge(check, &claim, &agrees, says, sizeof(says), &ret->error);
		failing_end();
		outcome_add_number(ret, agrees);
		outcome_add(ret, says, strlen(says));
	}
}

static void cross_check(void *context, struct outcome *ret)
{
	struct subject *subject = context;
	struct locus_cross_check *check = NULL;
	uint64_t *points = NULL;
	size_t point_count = 0;
	failing_begin();
	ret->status = locus_cross_check_open(subject->path, &subject->options, &check, &ret->error);
	failing_end();
	if (ret->status == LOCUS_OK && subject->locus)
		judge_all(subject, check, ret);
	failing_begin();
	if (ret->status == LOCUS_OK)
		ret->status = locus_cross_check_change_points(check, &points, &point_count, &ret->error);
	failing_end();
	if (ret->status == LOCUS_OK)
		outcome_add(ret, points, point_count * sizeof(*points));
	free(points);
	locus_cross_check_free(check);
}

/* ---- The tests ---- */

static const struct kind {
	const char *name;
	failing_work *work;
	unsigned jobs;
	bool embed;
	bool uses_libdw; /* up to 0.188 that crashes without memory for abbreviations; errno says what it lacked */
} kinds[] = {
	{"a_conversion", convert, 1, false, false},
	{"a_conversion_by_threads", convert, 3, false, false},
	{"a_conversion_into_a_copy_of_the_program", convert, 1, true, false},
	{"a_conversion_for_a_few_addresses", convert_addresses, 1, false, false},
	{"a_conversion_for_a_few_names", convert_names, 1, false, false},
	{"the_list_of_inputs", list_inputs, 1, false, false},
	{"the_list_of_members", list_members, 1, false, false},
	{"a_cross_check", cross_check, 1, false, true},
};

static void with_each_file(void **state)
{
	const struct kind *kind = *state;
	struct failed_ways ways = {0};
	size_t failed = 0;
	failing.with_libraries = !kind->uses_libdw;
	failing.with_notes = kind->uses_libdw;
	for (size_t i = 0; i < file_count; i++) {
		struct subject subject;
		open_subject(&subject, files[i]);
		subject.options.job_count = kind->jobs;
		subject.options.embed = subject.options.digest = kind->embed;
		failed += fail_each_allocation(files[i], &ways, kind->work, &subject);
		close_subject(&subject);
	}
	print_message("# %zu ways, %zu runs failed\n", ways.first.count, failed);
	assert_true(failed > 0);
	failed_ways_done(&ways);
}

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void find_files(void)
{
	struct dirent **entries;
	int count = scandir("testdata/fuzz/elf", &entries, is_shown, alphasort);
	assert_in_range(count, 1, FILES_MAX);
	for (int i = 0; i < count; i++) {
		snprintf(found[i], PATH_SIZE, "testdata/fuzz/elf/%s", entries[i]->d_name);
		files[file_count++] = found[i];
		free(entries[i]);
	}
	free(entries);
}

/* Adds the file as the member of an archive, which a path ARCHIVE(MEMBER) names. */
static void add_as_member(const char *path)
{
	static char content[1 << 16];
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	size_t size = fread(content, 1, sizeof(content), file);
	fclose(file);
	file = fopen(archive, "w");
	assert_non_null(file);
	fprintf(file, "!<arch>\n%-16s%-12d%-6d%-6d%-8o%-10zu`\n", "member/", 0, 0, 0, 0644U, size);
	assert_int_equal(fwrite(content, 1, size, file), size);
	fclose(file);
	snprintf(found[file_count], PATH_SIZE, "%s(member)", archive);
	files[file_count] = found[file_count];
	file_count++;
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(output, sizeof(output), "%s/output", directory);
	snprintf(archive, sizeof(archive), "%s/archive", directory);
	add_as_member("testdata/fuzz/elf/program-clang-o");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(archive);
	return rmdir(directory);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[COUNT_OF(kinds)];
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		tests[i] = (struct CMUnitTest){
			.name = kinds[i].name,
			.test_func = with_each_file,
			.initial_state = (void *)&kinds[i],
		};
	for (int i = 1; i < argc && file_count < FILES_MAX; i++)
		files[file_count++] = argv[i];
	if (!file_count)
		find_files();
	return cmocka_run_group_tests(tests, setup, teardown);
}
