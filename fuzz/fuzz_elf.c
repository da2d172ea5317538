/*
 * A whole conversion of an ELF file. What it writes is whole and well-formed and answers for every interval; where it
 * fails it leaves nothing behind and says why in one line. Then conversions of what answers for a few addresses, and
 * for a function, as whoever looks one up straight from the ELF file has it made: they are as well-formed. Their
 * answers are not held against the whole file's, for they look for units by the ranges that these claim, and what a
 * fuzzer makes claims falsely.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "convert/locus_convert.h"
#include "fuzz/ask_file.h"
#include "fuzz/fuzz.h"
#include "fuzz/work_folder.h"
#include "reader/locus.h"

const struct fuzz_target fuzz_target = {.name = "elf", .files = "elf", .variations = 40};

static const char input_path[] = WORK_FILE("input"), output_path[] = WORK_FILE("output");

static void observe_failure(enum locus_status status, const struct locus_error *error)
{
	HOLD(error->text[0] && !strchr(error->text, '\n'));
	observe("%s: ", locus_status_text(status));
	observe_bytes(error->text, strlen(error->text));
	observe("\n");
}

static void observe_result(const struct locus_convert_result *result)
{
	observe("ok: %" PRIu64 " units, %" PRIu64 " contexts, %" PRIu64 " bytes of names\n", result->unit_count,
		result->context_count, result->name_bytes);
	for (size_t i = 0; i < result->worst_count; i++) {
		observe("unit of %" PRIu64 " bytes, %" PRIu64 " of them with a line: ", result->worst[i].bytes,
			result->worst[i].line_bytes);
		observe_bytes(result->worst[i].name, strlen(result->worst[i].name));
		observe("\n");
	}
	for (const char *path = result->read_paths; path < result->read_paths + result->read_paths_size;
	     path += strlen(path) + 1)
		observe("read %s\n", strrchr(path, '/') + 1);
}

static void observe_missing(const struct locus_missing *missing)
{
	if (missing->kind == LOCUS_MISSING_NOTHING)
		return;
	observe("missing %d, build-id ", missing->kind);
	observe_bytes(missing->build_id, missing->build_id_size);
	observe("\n");
}

/* Addresses that conversions of a part are asked for. */
enum { ASKED = 6 };

struct asked {
	uint64_t addresses[ASKED];
	char *function; /* one that the whole file has; NULL: none */
};

/* Some are fixed, and some are where the whole file has intervals. */
static void choose_asked(struct asked *ret, struct locus *locus)
{
	uint32_t intervals = locus_interval_count(locus), functions = locus_function_count(locus);
	struct locus_scratch *scratch;
	struct locus_interval interval;
	struct locus_function_info function;
	HOLD(locus_scratch_new(locus, &scratch, NULL) == LOCUS_OK);
	for (uint32_t i = 0; i < 2 && intervals; i++) {
		HOLD(locus_interval_at(locus, scratch, (i + 1) * (intervals - 1) / 2, &interval, NULL) == LOCUS_OK);
		ret->addresses[i] = interval.start;
	}
	if (functions) {
		HOLD(locus_function_at(locus, scratch, (functions + 1) / 2, &function, NULL) == LOCUS_OK);
		struct locus_string name = function.linkage.size ? function.linkage : function.name;
		ret->function = strndup(name.size ? name.data : "", name.size);
	}
	locus_scratch_free(scratch);
}

static void check_file(struct locus *locus)
{
	struct locus_error error;
	HOLD(locus_verify(locus, LOCUS_VERIFY_FULL, &error) == LOCUS_OK);
	ask_file(locus, true);
}

static void convert_whole(const struct locus_convert_options *options, struct asked *asked)
{
	struct locus_missing missing = {0};
	struct locus_convert_options whole = *options;
	struct locus_convert_result result = {0};
	struct locus_error error = {.text = ""};
	struct locus *locus;
	whole.missing = &missing;
	enum locus_status status = locus_convert(input_path, &whole, &result, &error);
	if (status == LOCUS_OK) {
		observe_result(&result);
		HOLD(locus_open(output_path, NULL, &locus, &error) == LOCUS_OK);
		check_file(locus);
		choose_asked(asked, locus);
		locus_close(locus);
		unlink(output_path);
	} else {
		observe_failure(status, &error);
		HOLD(access(output_path, F_OK) != 0);
	}
	observe_missing(&missing);
	locus_convert_result_done(&result);
}

/* The bytes of a conversion to memory, which are freed here. */
static void check_converted(const char *what, enum locus_status status, void *data, size_t size,
			    struct locus_error *error)
{
	struct locus *locus;
	observe("%s: ", what);
	if (status != LOCUS_OK) {
		observe_failure(status, error);
		return;
	}
	HOLD(locus_open_memory(data, size, NULL, &locus, error) == LOCUS_OK);
	check_file(locus);
	locus_close(locus);
	free(data);
}

/*
 * A part may be converted although the whole could not be, since what is damaged may be elsewhere; and the other way
 * round, since only a part is looked for by .debug_aranges.
 */
static void convert_parts(const struct locus_convert_options *options, const struct asked *asked)
{
	struct locus_error error = {.text = ""};
	void *data;
	size_t size;
	enum locus_status status =
		locus_convert_to_memory(input_path, options, asked->addresses, ASKED, &data, &size, &error);
	check_converted("for addresses", status, data, size, &error);
	const char *const names[] = {asked->function ? asked->function : "main"};
	status = locus_convert_functions_to_memory(input_path, options, names, 1, &data, &size, &error);
	check_converted("for a function", status, data, size, &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const nowhere[] = {"/nonexistent"};
	struct locus_convert_options options = {
		.output = output_path,
		.job_count = 1,
		.level = 0,
		.block_size = 16,
		.debug_dirs = nowhere,
		.debug_dir_count = 1,
		.columns = true,
		.digest = true,
		.symbols_only = true,
	};
	struct asked asked = {.addresses = {0, 0, 0x1000, 0x1008, 0x1149, 0x401020}};
	work_folder_make();
	work_file_write(input_path, data, size);
	convert_whole(&options, &asked);
	options.columns = options.symbols_only = false;
	convert_parts(&options, &asked);
	free(asked.function);
	return 0;
}
