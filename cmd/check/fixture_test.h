/*
 * Judges .locus files for the tests of `locus check`, in a folder of their own and with a converter that is none: what
 * is found follows from how the program's name begins.
 *
 *   same   the program is the one that the file was made of
 *   other  it is larger by a byte
 *   right  the file says what the source says; for any other program it does not at 0x20
 *   bad    the program is damaged, at offset 5
 *   crash  the process ends
 *   slow   as for same, after some time
 *   very   as for same, after three seconds
 */
#ifndef LOCUS_CHECK_FIXTURE_TEST_H
#define LOCUS_CHECK_FIXTURE_TEST_H

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/toolkit_test.h"
#include "cmd/common/report.h"
#include "cmd/conversion/child.h"
#include "cmd/conversion/converter.h"
#include "cmd/folder_test.h"
#include "writer/locus_writer.h"

enum { EPOCH = 7 };

static char folder[] = "/tmp/locus-judge-XXXXXX";

/* ---- The converter that is none ---- */

static bool begins_with(const char *path, const char *begin)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	return strncmp(name, begin, strlen(begin)) == 0;
}

static bool is_right; /* the file that is compared, everywhere */
static struct locus_cross_check *const opened = (struct locus_cross_check *)folder;

static enum locus_status check_open(const char *elf, const struct locus_convert_options *options,
				    struct locus_cross_check **ret, struct locus_error *error)
{
	(void)options;
	if (begins_with(elf, "slow"))
		usleep(50000);
	if (begins_with(elf, "crash"))
		_exit(7);
	snprintf(error->text, sizeof(error->text), "no such program");
	error->offset = 5;
	*ret = opened;
	is_right = begins_with(elf, "right");
	return begins_with(elf, "bad") ? LOCUS_ERR_BAD_ELF : LOCUS_OK;
}

static void check_free(struct locus_cross_check *check)
{
	assert_ptr_equal(check, opened);
}

static enum locus_status check_judge(struct locus_cross_check *check, const struct locus_claim *claim, bool *ret_agrees,
				     char *says, size_t says_size, struct locus_error *error)
{
	(void)check;
	(void)error;
	*ret_agrees = claim->address != 0x20 || is_right;
	snprintf(says, says_size, "something else");
	return LOCUS_OK;
}

static enum locus_status check_points(struct locus_cross_check *check, uint64_t **ret, size_t *ret_count,
				      struct locus_error *error)
{
	(void)check;
	(void)error;
	*ret = calloc(2, sizeof(**ret));
	(*ret)[0] = 0x20;
	(*ret)[1] = 0x30;
	*ret_count = 2;
	return LOCUS_OK;
}

static enum locus_status list_inputs(const char *path, const struct locus_convert_options *options,
				     enum locus_convert_digests digests, bool split_files,
				     struct locus_convert_inputs **ret, struct locus_error *error)
{
	static struct locus_convert_input program = {
		.role = LOCUS_INPUT_PROGRAM, .name = "app", .size = 1, .changed = {2000, 0}};
	static struct locus_convert_inputs inputs = {&program, 1};
	(void)options;
	(void)digests;
	(void)split_files;
	if (begins_with(path, "slow"))
		usleep(50000);
	if (begins_with(path, "very"))
		sleep(60); /* it is killed long before */
	if (begins_with(path, "crash"))
		_exit(7);
	snprintf(error->text, sizeof(error->text), "no such program");
	error->offset = 5;
	program.size = begins_with(path, "other") ? 2 : 1;
	*ret = &inputs;
	return begins_with(path, "bad") ? LOCUS_ERR_BAD_ELF : LOCUS_OK;
}

static void free_inputs(struct locus_convert_inputs *inputs)
{
	(void)inputs;
}

/* Nothing is converted; but where there is no such function, the real library would be loaded. */
static enum locus_status convert(const char *path, const struct locus_convert_options *options,
				 struct locus_convert_result *ret, struct locus_error *error)
{
	(void)path;
	(void)options;
	(void)ret;
	(void)error;
	return LOCUS_ERR_UNSUPPORTED;
}

static void result_done(struct locus_convert_result *result)
{
	(void)result;
}

static inline void write_made(const char *path)
{
	const struct locus_writer_options options = {.level = 0, .block_size = 16};
	const struct locus_counter lines = {LOCUS_COVERAGE_LINE, 1};
	const struct locus_input program = {.role = LOCUS_INPUT_PROGRAM, .name = {"app", 3}, .size = 1};
	const struct locus_tables tables = {.meta = {.rules_epoch = EPOCH,
						     .coverage = &lines,
						     .coverage_count = 1,
						     .inputs = &program,
						     .input_count = 1}};
	struct locus_writer *writer;
	assert_int_equal(locus_writer_new(path, &options, &writer, NULL), LOCUS_OK);
	assert_int_equal(locus_writer_tables(writer, &tables, 1, NULL), LOCUS_OK);
	assert_int_equal(locus_writer_finish(writer, NULL, NULL), LOCUS_OK);
	locus_writer_free(writer);
}

static inline void patch(const char *path, off_t at, uint8_t byte)
{
	int fd = open(path, O_WRONLY);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

static inline int judged_set_up(void **state)
{
	static const uint32_t epoch = EPOCH;
	struct converter *loaded = (struct converter *)(uintptr_t)converter();
	(void)state;
	*loaded = (struct converter){.convert = convert,
				     .cross_check_open = check_open,
				     .cross_check_free = check_free,
				     .cross_check_judge = check_judge,
				     .cross_check_change_points = check_points,
				     .inputs = list_inputs,
				     .inputs_free = free_inputs,
				     .result_done = result_done,
				     .rules_epoch = &epoch};
	return !mkdtemp(folder) || chdir(folder) != 0;
}

static inline int judged_tear_down(void **state)
{
	(void)state;
	return remove_folder(folder);
}

#endif
