/*
 * A whole conversion of an ELF file. What it writes is whole and well-formed and answers for every interval; where it
 * fails it leaves nothing behind and says why in one line. Then a conversion of what answers for a few addresses, as
 * whoever looks one up straight from the ELF file has it made: it is as well-formed. Its answers are not held against
 * the whole file's, for it looks for units by the ranges that they claim, and what a fuzzer makes claims falsely.
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

/* Addresses that conversions of a part are asked for. */
enum { ASKED = 4 };
static const uint64_t asked[ASKED] = {0x1000, 0x1008, 0x1149, 0x401020};

/* Verifies a file, asks it for everything, and closes it. */
static void check_file(struct locus *locus)
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
	for (size_t i = 0; i < ASKED; i++)
		HOLD(locus_lookup(locus, scratch, asked[i], &result, &error) == LOCUS_OK);
	locus_scratch_free(scratch);
	locus_close(locus);
}

static void check_output(void)
{
	struct locus *locus;
	struct locus_error error;
	HOLD(locus_open(output_path, NULL, &locus, &error) == LOCUS_OK);
	check_file(locus);
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
		check_file(locus);
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
