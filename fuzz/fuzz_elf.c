/*
 * A whole conversion of an ELF file. What it writes is whole and well-formed and answers for every interval; where it
 * fails it leaves nothing behind and says why in one line. Then a conversion of what answers for a few addresses, as
 * whoever looks one up straight from the ELF file has it made: its answers are those of the whole file.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert/locus_convert.h"
#include "fuzz/fuzz.h"
#include "reader/locus.h"

static char directory[64], input_path[96], output_path[96];

static void remove_files(void)
{
	unlink(input_path);
	unlink(output_path);
	rmdir(directory);
}

static void make_paths(void)
{
	if (directory[0])
		return;
	struct stat st;
	snprintf(directory, sizeof(directory), "%s/locus-fuzz-XXXXXX",
		 stat("/dev/shm", &st) == 0 ? "/dev/shm" : "/tmp");
	HOLD(mkdtemp(directory));
	snprintf(input_path, sizeof(input_path), "%s/input", directory);
	snprintf(output_path, sizeof(output_path), "%s/output", directory);
	atexit(remove_files);
}

static void write_input(const uint8_t *data, size_t size)
{
	int fd = open(input_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	HOLD(fd >= 0 && write(fd, data, size) == (ssize_t)size && close(fd) == 0);
}

/* Addresses that conversions of a part are asked for, and what the whole file says of each. */
enum { ASKED = 4 };
static const uint64_t asked[ASKED] = {0x1000, 0x1008, 0x1149, 0x401020};
static char answers[ASKED][4096];

static void say(char *text, const struct locus_result *result)
{
	size_t used = (size_t)snprintf(text, sizeof(answers[0]), "%d", (int)result->interval.answer);
	for (size_t i = 0; i < result->frame_count && used < sizeof(answers[0]); i++) {
		const struct locus_frame *frame = &result->frames[i];
		used += (size_t)snprintf(
			text + used, sizeof(answers[0]) - used, ";%.*s|%.*s|%.*s/%.*s:%u@%llx",
			(int)frame->function.size, frame->function.data, (int)frame->linkage.size, frame->linkage.data,
			(int)frame->directory.size, frame->directory.data, (int)frame->file.size, frame->file.data,
			frame->has_line ? (unsigned)frame->line : 0, (unsigned long long)frame->part_start);
	}
}

/* Opens, verifies and closes; `take` is called in between for each of the addresses. */
static void check_file(struct locus *locus, void (*take)(size_t index, const struct locus_result *result))
{
	struct locus_scratch *scratch;
	struct locus_result result;
	struct locus_error error;
	HOLD(locus_verify(locus, LOCUS_VERIFY_FULL, &error) == LOCUS_OK);
	HOLD(locus_scratch_new(locus, &scratch, &error) == LOCUS_OK);
	for (uint32_t i = 0; i < locus_interval_count(locus); i++) {
		HOLD(locus_frames(locus, scratch, i, &result, &error) == LOCUS_OK);
		HOLD(result.interval.locid == i);
		HOLD(result.interval.start < result.interval.end || result.interval.start == UINT64_MAX);
	}
	for (size_t i = 0; i < ASKED; i++) {
		HOLD(locus_lookup(locus, scratch, asked[i], &result, &error) == LOCUS_OK);
		take(i, &result);
	}
	locus_scratch_free(scratch);
	locus_close(locus);
}

static void keep_answer(size_t index, const struct locus_result *result)
{
	say(answers[index], result);
}

static void compare_answer(size_t index, const struct locus_result *result)
{
	char text[sizeof(answers[0])];
	say(text, result);
	if (answers[index][0] && strcmp(text, answers[index]) != 0)
		fprintf(stderr, "0x%llx is: %s\nin the whole file: %s\n", (unsigned long long)asked[index], text,
			answers[index]);
	HOLD(!answers[index][0] || strcmp(text, answers[index]) == 0);
}

static void check_output(void)
{
	struct locus *locus;
	struct locus_error error;
	HOLD(locus_open(output_path, NULL, &locus, &error) == LOCUS_OK);
	check_file(locus, keep_answer);
}

/*
 * A part may be converted although the whole could not be, since what is damaged may be elsewhere; and the other way
 * round, since only a part is looked for by .debug_aranges.
 */
static void convert_part(const struct locus_convert_options *options)
{
	struct locus *locus;
	struct locus_error error = {.text = ""};
	void *data;
	size_t size;
	if (locus_convert_to_memory(input_path, options, asked, ASKED, &data, &size, &error) == LOCUS_OK) {
		HOLD(locus_open_memory(data, size, NULL, &locus, &error) == LOCUS_OK);
		check_file(locus, compare_answer);
		free(data);
	} else {
		HOLD(error.text[0] && !strchr(error.text, '\n'));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const nowhere[] = {"/nonexistent"};
	const struct locus_convert_options options = {
		.output = output_path,
		.job_count = 1,
		.level = 0,
		.block_size = 16,
		.debug_dirs = nowhere,
		.debug_dir_count = 1,
	};
	struct locus_convert_result result = {0};
	struct locus_error error = {.text = ""};
	make_paths();
	write_input(data, size);
	memset(answers, 0, sizeof(answers));
	if (locus_convert(input_path, &options, &result, &error) == LOCUS_OK) {
		check_output();
		unlink(output_path);
	} else {
		HOLD(error.text[0] && !strchr(error.text, '\n'));
		HOLD(access(output_path, F_OK) != 0);
	}
	locus_convert_result_done(&result);
	convert_part(&options);
	return 0;
}
