/* Opening what may answer for a module. */
#include "cmd/symbolize/symbol_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/common/processors.h"
#include "cmd/common/report.h"
#include "cmd/jobs/child.h"
#include "cmd/jobs/converter.h"
#include "cmd/jobs/staging.h"

enum { BLOCK_SIZE = 16384 };
enum { ELF_TYPE_EXECUTABLE = 2 /* ET_EXEC */, SEGMENT_EXECUTABLE = 1 /* PF_X */ };

bool is_regular_file(const char *path)
{
	struct stat found;

	return stat(path, &found) == 0 && S_ISREG(found.st_mode);
}

static enum locus_status fail(struct locus_error *error, enum locus_status status, const char *text)
{
	snprintf(error->text, sizeof(error->text), "%s", text);
	error->offset = LOCUS_NO_OFFSET;
	return status;
}

static enum locus_status open_locus(const char *path, struct locus **ret, struct locus_error *error)
{
	const struct locus_open_options options = {.memory_max_bytes = SYMBOLS_MEMORY_MAX};

	return locus_open(path, &options, ret, error);
}

/* Converts into the staging directory and opens the result: the open file outlives its name. */
static enum locus_status convert_into(const char *path, const struct staging *staging, struct locus **ret,
				      struct locus_error *error)
{
	/* Nobody keeps the result, so that to compress it would only cost time. */
	const struct locus_convert_options options = {
		.output = staging->file, .job_count = processor_count(), .level = 0, .block_size = BLOCK_SIZE};
	struct locus_convert_result result;
	enum locus_status status = child_convert(path, &options, &result, error);

	if (status != LOCUS_OK)
		return status;
	converter()->result_done(&result);
	return open_locus(staging->file, ret, error);
}

static enum locus_status convert(const char *path, struct locus **ret, struct locus_error *error)
{
	const char *folder = getenv("TMPDIR");
	struct staging staging;
	enum locus_status status;
	char output[PATH_MAX];

	if (!converter_load())
		return fail(error, LOCUS_ERR_IO, "the converter cannot be loaded");
	snprintf(output, sizeof(output), "%s/symbols", folder && folder[0] ? folder : "/tmp");

	/* Caught, a signal still lets the temporary file be removed. */
	child_catch_signals();
	if (staging_init(&staging, output)) {
		status = convert_into(path, &staging, ret, error);
		staging_done(&staging);
	} else {
		status = fail(error, LOCUS_ERR_IO, strerror(errno));
	}
	if (child_is_stopped())
		child_raise_stop();
	child_release_signals();
	return status;
}

static enum locus_status open_any(const char *path, struct locus **ret, struct locus_error *error)
{
	enum locus_status status;

	if (!is_regular_file(path))
		return fail(error, LOCUS_ERR_IO, "not a regular file, or not there");
	status = open_locus(path, ret, error);
	return status == LOCUS_ERR_NOT_LOCUS ? convert(path, ret, error) : status;
}

enum locus_status symbols_open(const char *path, const struct symbol_labels *labels, struct symbols *ret,
			       struct locus_error *error)
{
	struct symbols symbols = {0};
	enum locus_status status = open_any(path, &symbols.locus, error);

	if (status == LOCUS_OK)
		status = locus_info(symbols.locus, &symbols.info, error);
	if (status == LOCUS_OK)
		status = locus_scratch_new(symbols.locus, &symbols.scratch, error);
	if (status != LOCUS_OK) {
		locus_close(symbols.locus);
		return status;
	}
	symbols.names = names_new(!labels->no_demangle, locus_function_count(symbols.locus));
	paths_init(&symbols.paths, labels->out, labels->as_json, locus_file_count(symbols.locus));
	symbols.paths.relative_to = labels->relative_to;
	*ret = symbols;
	return LOCUS_OK;
}

enum locus_status symbols_lookup(struct symbols *symbols, uint64_t address, struct locus_result *ret,
				 struct locus_error *error)
{
	return locus_lookup(symbols->locus, symbols->scratch, address, ret, error);
}

/* An index that cannot be made is tried once: without a scratch there was no try yet. */
static void make_index(struct symbols *symbols)
{
	struct locus_error error;

	if (locus_scratch_new(symbols->locus, &symbols->index_scratch, &error) == LOCUS_OK)
		function_index_new(symbols->locus, symbols->index_scratch, &symbols->functions, &error);
}

bool symbols_find_function(struct symbols *symbols, struct locus_string name, uint64_t delta, uint64_t size,
			   uint64_t *ret)
{
	if (!symbols->index_scratch)
		make_index(symbols);
	return symbols->functions && function_index_find(symbols->functions, name, delta, size, ret);
}

bool symbols_are_fixed(const struct symbols *symbols)
{
	return symbols->info->elf_type == ELF_TYPE_EXECUTABLE;
}

bool symbols_find_position(const struct symbols *symbols, uint64_t position, uint64_t *ret)
{
	for (size_t i = 0; i < symbols->info->segment_count; i++) {
		const struct locus_segment_info *segment = &symbols->info->segments[i];
		if (!(segment->flags & SEGMENT_EXECUTABLE) || position < segment->offset ||
		    position - segment->offset >= segment->file_size)
			continue;
		*ret = segment->address + (position - segment->offset);
		return true;
	}
	return false;
}

void symbols_close(struct symbols *symbols)
{
	function_index_free(symbols->functions);
	locus_scratch_free(symbols->index_scratch);
	paths_done(&symbols->paths);
	names_free(symbols->names);
	locus_scratch_free(symbols->scratch);
	locus_close(symbols->locus);
	*symbols = (struct symbols){0};
}

bool symbols_read_build_id(const char *path, uint8_t *ret, size_t *size)
{
	const struct locus_info *info;
	struct locus_error error;
	struct locus *locus;
	bool found;

	if (!is_regular_file(path) || open_locus(path, &locus, &error) != LOCUS_OK)
		return false;
	found = locus_info(locus, &info, &error) == LOCUS_OK && info->build_id.size && info->build_id.size <= *size;
	if (found) {
		memcpy(ret, info->build_id.data, info->build_id.size);
		*size = info->build_id.size;
	}
	locus_close(locus);
	return found;
}
