/*
 * A program and a file with the rest of its debug information, both of any bytes: a package of split units, a split
 * unit's own file, an alternate file, or a separate debug file. What is made of them is whole and well-formed, also
 * where only some addresses are asked for; the cross-check, which opens the same files by libdw, comes to an end.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "convert/locus_convert.h"
#include "fuzz/ask_file.h"
#include "fuzz/fuzz.h"
#include "fuzz/work_folder.h"
#include "reader/locus.h"

const struct fuzz_target fuzz_target = {.name = "companion", .files = "companion", .variations = 60};

/* What the second file is; of the input's first byte. */
enum { PACKAGE, SPLIT, ALTERNATE, DEBUG, ROLE_COUNT };

static const char input_path[] = WORK_FILE("input");
/* By role. A skeleton of the inputs that are kept names its split unit's file so. */
static const char *const paths[] = {WORK_FILE("a.dwp"), WORK_FILE("a.dwo"), WORK_FILE("a.alt"), WORK_FILE("a.debug")};

enum { JUDGED_MAX = 16 }; /* addresses */

static void observe_failure(const char *what, enum locus_status status, const struct locus_error *error)
{
	HOLD(error->text[0] && !strchr(error->text, '\n'));
	observe("%s, %s: ", what, locus_status_text(status));
	observe_bytes(error->text, strlen(error->text));
	observe("\n");
}

static void convert(const char *what, const struct locus_convert_options *options, const uint64_t *addresses,
		    size_t count)
{
	struct locus_error error = {.text = ""};
	struct locus *locus;
	void *data;
	size_t size;
	enum locus_status status = locus_convert_to_memory(input_path, options, addresses, count, &data, &size, &error);
	if (status != LOCUS_OK) {
		observe_failure(what, status, &error);
		return;
	}
	observe("ok: %s\n", what);
	HOLD(locus_open_memory(data, size, NULL, &locus, NULL) == LOCUS_OK);
	HOLD(locus_verify(locus, LOCUS_VERIFY_FULL, NULL) == LOCUS_OK);
	ask_file(locus, true);
	locus_close(locus);
	free(data);
}

/* Asks whether nothing is known at the addresses where answers may change, which is wrong at most of them. */
static void judge(struct locus_cross_check *check)
{
	struct locus_error error = {.text = ""};
	uint64_t *points;
	size_t count;
	enum locus_status status = locus_cross_check_change_points(check, &points, &count, &error);
	if (status != LOCUS_OK) {
		observe_failure("no change points", status, &error);
		return;
	}
	for (size_t i = 0; i < count && i < JUDGED_MAX; i++) {
		const struct locus_claim claim = {.address = points[i], .has_columns = true};
		char says[512] = "";
		bool agrees = false;
		status = locus_cross_check_judge(check, &claim, &agrees, says, sizeof(says), &error);
		observe("0x%" PRIx64 ": %s, ", points[i], status == LOCUS_OK ? says : error.text);
		observe(agrees ? "right\n" : "wrong\n");
	}
	free(points);
}

static void cross_check(const struct locus_convert_options *options)
{
	struct locus_error error = {.text = ""};
	struct locus_cross_check *check;
	enum locus_status status = locus_cross_check_open(input_path, options, &check, &error);
	if (status != LOCUS_OK) {
		observe_failure("no cross-check", status, &error);
		return;
	}
	judge(check);
	locus_cross_check_free(check);
}

/* Where the second file begins: at the second ELF magic. */
static size_t find_second(const uint8_t *data, size_t size)
{
	const uint8_t *found = size ? memmem(data + 1, size - 1, "\177ELF", 4) : NULL;
	return found ? (size_t)(found - data) : size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const nowhere[] = {"/nonexistent"};
	static const uint64_t asked[] = {0x1000, 0x1010, 0x1149};
	struct input input = {data, size};
	uint32_t role = input_below(&input, ROLE_COUNT);
	size_t second = find_second(input.data, input.size);
	struct locus_convert_options options = {
		.job_count = 1,
		.block_size = 16,
		.debug_dirs = nowhere,
		.debug_dir_count = 1,
		.columns = true,
		.dwp_file = role == PACKAGE ? paths[role] : NULL,
		.alt_file = role == ALTERNATE ? paths[role] : NULL,
		.debug_file = role == DEBUG ? paths[role] : NULL,
	};
	work_folder_make();
	for (uint32_t i = 0; i < ROLE_COUNT; i++)
		unlink(paths[i]);
	work_file_write(input_path, input.data, second);
	work_file_write(paths[role], input.data + second, input.size - second);
	convert("all of it", &options, NULL, 0);
	convert("some addresses", &options, asked, sizeof(asked) / sizeof(*asked));
	cross_check(&options);
	return 0;
}
