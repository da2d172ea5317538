/* Opens a file that may answer for a module. */
#include "cmd/modules/symbol_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/binary_search.h"
#include "cmd/common/memory.h"
#include "cmd/common/page_size.h"
#include "cmd/common/processors.h"
#include "cmd/common/report.h"
#include "cmd/common/string_compare.h"
#include "cmd/conversion/conversion.h"
#include "cmd/conversion/converter.h"
#include "cmd/store/staging.h"

enum { BLOCK_SIZE = 16384 };
/*
 * In a file with at most so many intervals, all blocks stay decoded within SYMBOL_FILE_MEMORY_MAX, at some 27 bytes an
 * interval with its names (measured on C++ programs). Then a lookup is as fast as remembering its answer.
 */
enum { KEPT_INTERVALS_MAX = 7 << 18 };

enum { ELF_TYPE_EXECUTABLE = 2 /* ET_EXEC */, SEGMENT_EXECUTABLE = 1 /* PF_X */ };

/* Each frame of a text goes over all of them; linkers make some ten, and scripts of theirs hundreds. */
enum { SEGMENTS_MAX = 4096 };

bool is_regular_file(const char *path)
{
	struct stat found;

	return stat(path, &found) == 0 && S_ISREG(found.st_mode);
}

/* Where this process is out of memory, it ends: the same would be said of each other file that may answer. */
static enum locus_status open_locus(const char *path, struct locus **ret, struct locus_error *error)
{
	const struct locus_open_options options = {.memory_max_bytes = SYMBOL_FILE_MEMORY_MAX};
	enum locus_status status = locus_open(path, &options, ret, error);

	if (status == LOCUS_ERR_MEMORY)
		memory_checked(NULL);
	return status;
}

/* Converts into the staging directory and opens the result: the open file outlives its name. */
static enum locus_status convert_into(const char *path, const struct locus_convert_options *given,
				      const struct staging *staging, struct locus **ret, struct locus_error *error)
{
	struct locus_convert_options options = *given;
	struct locus_convert_result result;
	struct freshness freshness;

	options.output = staging->file;
	options.block_size = BLOCK_SIZE;
	enum locus_status status = conversion_run(path, &options, NULL, &result, &freshness, error);
	if (status != LOCUS_OK)
		return status;
	converter()->result_done(&result);
	return open_locus(staging->file, ret, error);
}

static enum locus_status convert(const char *path, const struct locus_convert_options *options, struct locus **ret,
				 struct locus_error *error)
{
	const char *variable = getenv("TMPDIR"), *folder = variable && variable[0] ? variable : "/tmp";
	struct staging staging;
	enum locus_status status;
	char output[PATH_MAX];

	if (!converter_load())
		return error_fail(error, LOCUS_ERR_IO, "the converter cannot be loaded");
	snprintf(output, sizeof(output), "%s/symbols", folder);

	/* Signals are caught, so that the temporary file is removed before they take their course. */
	child_catch_signals();
	if (staging_init(&staging, output)) {
		status = convert_into(path, options, &staging, ret, error);
		staging_done(&staging);
	} else {
		status = error_fail(error, LOCUS_ERR_OUTPUT, "no temporary file can be made in %s: %s", folder,
				    strerror(errno));
	}
	if (child_is_stopped())
		child_raise_stop();
	child_release_signals();
	return status;
}

/* ---- What is built on a handle ---- */

/* Stands for what is known of a file while it has no handle: that is asked even where a conversion has failed. */
static const struct locus_info nothing_known;

static void drop_handle(struct symbol_file *symbols)
{
	answer_cache_free(symbols->answers);
	function_index_free(symbols->functions);
	free(symbols->sections);
	locus_scratch_free(symbols->index_scratch);
	path_labels_done(&symbols->paths);
	if (symbols->names)
		function_labels_free(symbols->names);
	locus_scratch_free(symbols->scratch);
	symbols->answers = NULL;
	symbols->functions = NULL;
	symbols->sections = NULL;
	symbols->section_count = symbols->section_room = 0;
	symbols->index_scratch = symbols->scratch = NULL;
	symbols->names = NULL;
	symbols->info = &nothing_known;
}

static enum locus_status take_handle(struct symbol_file *symbols, struct locus *locus, struct locus_error *error)
{
	enum locus_status status;

	symbols->locus = locus;
	status = locus_info(locus, &symbols->info, error);
	if (status == LOCUS_OK && symbols->info->segment_count > SEGMENTS_MAX)
		status = error_fail(error, LOCUS_ERR_LIMIT,
				    "it has more than %d segments: no addresses of a text are found in it",
				    SEGMENTS_MAX);
	if (status == LOCUS_OK)
		status = locus_scratch_new(locus, &symbols->scratch, error);
	if (status != LOCUS_OK)
		return status;
	symbols->names = function_labels_new(!symbols->labels->no_demangle, locus_function_count(locus));
	path_labels_init(&symbols->paths, symbols->labels->out, symbols->labels->as_json, locus_file_count(locus));
	symbols->paths.relative_to = symbols->labels->relative_to;
	return LOCUS_OK;
}

/* ---- An ELF file, converted for the addresses asked so far ---- */

static struct partial_conversion *partial_new(const struct symbol_conversion *conversion, bool symbols_only)
{
	struct partial_conversion *partial = memory_checked(calloc(1, sizeof(*partial)));

	partial->options = lookup_file_options();
	partial->options.columns = conversion->columns;
	partial->options.dwp_file = conversion->dwp_file;
	partial->options.debug_dirs = conversion->debug_dirs;
	partial->options.debug_dir_count = conversion->debug_dir_count;
	partial->options.symbols_only = symbols_only;
	return partial;
}

static void partial_free(struct partial_conversion *partial)
{
	if (!partial)
		return;
	lookup_file_close(&partial->file);
	free(partial);
}

/*
 * If a conversion failed because a companion was not found or not whole, makes the next ones do without it, and keeps
 * why: without a split file all other units have answers, and its own have lines; without an alternate file there are
 * lines and symbols. False: it failed for another reason, or did without already.
 */
static bool leave_out_companion(struct symbol_file *symbols, enum locus_status status, const struct locus_error *error)
{
	struct locus_convert_options *options = &symbols->partial->options;

	if (status != LOCUS_ERR_COMPANION || options->companions_optional)
		return false;
	options->companions_optional = true;
	symbols->left_out = *error;
	return true;
}

/* Converts for all addresses asked for so far; what was built on the old handle is freed. */
static enum locus_status convert_asked(struct symbol_file *symbols, struct locus_error *error)
{
	struct partial_conversion *partial = symbols->partial;
	enum locus_status status;

	drop_handle(symbols);
	symbols->locus = NULL;
	status = lookup_file_prepare(&partial->file, partial->asked, partial->asked_count, error);
	if (leave_out_companion(symbols, status, error))
		status = lookup_file_prepare(&partial->file, partial->asked, partial->asked_count, error);
	return status == LOCUS_OK ? take_handle(symbols, partial->file.locus, error) : status;
}

/*
 * Converts into a temporary file. Where none can be kept, because its folder is full or cannot be written to, the
 * conversion is kept in memory.
 */
static enum locus_status convert_whole(struct symbol_file *symbols, struct locus_error *error)
{
	struct partial_conversion *partial = symbols->partial;
	struct locus *locus;
	enum locus_status status;

	drop_handle(symbols);
	symbols->locus = NULL;
	status = convert(symbols->path, &partial->options, &locus, error);
	if (leave_out_companion(symbols, status, error))
		status = convert(symbols->path, &partial->options, &locus, error);
	if (status == LOCUS_ERR_OUTPUT) {
		status = lookup_file_prepare(&partial->file, NULL, 0, error);
		return status == LOCUS_OK ? take_handle(symbols, partial->file.locus, error) : status;
	}
	if (status == LOCUS_OK) {
		status = lookup_file_check_same(&partial->file, error);
		if (status != LOCUS_OK)
			locus_close(locus);
	}
	partial_free(partial);
	symbols->partial = NULL;
	return status == LOCUS_OK ? take_handle(symbols, locus, error) : status;
}

/* Whether only the addresses that were asked for are converted. */
static bool is_partial(const struct symbol_file *symbols)
{
	return symbols->partial && !symbols->partial->file.whole;
}

static bool is_asked(const struct partial_conversion *partial, uint64_t address)
{
	for (size_t i = 0; i < partial->asked_count; i++) {
		if (partial->asked[i] == address)
			return true;
	}
	return false;
}

/* Makes the handle answer for the address. */
static enum locus_status need_address(struct symbol_file *symbols, uint64_t address, struct locus_error *error)
{
	struct partial_conversion *partial = symbols->partial;

	if (!is_partial(symbols) || is_asked(partial, address))
		return LOCUS_OK;
	if (partial->asked_count == 2 * PARTIAL_ADDRESSES_MAX)
		return convert_whole(symbols, error);
	partial->asked[partial->asked_count++] = address;
	partial->asked[partial->asked_count++] = address + 1;
	return convert_asked(symbols, error);
}

/* ---- Opening and asking ---- */

static enum locus_status open_elf(struct symbol_file *symbols, struct partial_conversion *partial,
				  struct locus_error *error)
{
	enum locus_status status;

	symbols->partial = partial;
	status = lookup_file_open(&symbols->partial->file, symbols->path, &symbols->partial->options, error);
	return status == LOCUS_OK ? convert_asked(symbols, error) : status;
}

enum locus_status symbol_file_open(const char *path, const struct symbol_conversion *conversion, bool symbols_only,
				   const struct symbol_labels *labels, struct symbol_file *ret,
				   struct locus_error *error)
{
	struct symbol_file symbols = {.labels = labels};
	struct locus *locus;
	enum locus_status status;

	if (!is_regular_file(path))
		return error_fail(error, LOCUS_ERR_IO, "not a regular file, or not there");
	symbols.path = memory_checked(strdup(path));
	status = open_locus(path, &locus, error);
	if (status == LOCUS_OK)
		status = take_handle(&symbols, locus, error);
	else if (status == LOCUS_ERR_NOT_LOCUS)
		status = open_elf(&symbols, partial_new(conversion, symbols_only), error);
	if (status == LOCUS_OK)
		*ret = symbols;
	else
		symbol_file_close(&symbols);
	return status;
}

enum locus_status symbol_file_lookup(struct symbol_file *symbols, uint64_t address, struct locus_result *ret,
				     struct locus_error *error)
{
	const struct locus_result *known = answer_cache_find(symbols->answers, address);
	enum locus_status status;

	if (known) {
		*ret = *known;
		return LOCUS_OK;
	}
	if (!symbols->scratch)
		return error_fail(error, LOCUS_ERR_BAD_DWARF, "an earlier conversion failed, and would again");
	status = need_address(symbols, address, error);
	if (status == LOCUS_OK)
		status = locus_lookup(symbols->locus, symbols->scratch, address, ret, error);
	if (status != LOCUS_OK)
		return status;
	if (!symbols->answers && locus_interval_count(symbols->locus) > KEPT_INTERVALS_MAX)
		symbols->answers = answer_cache_new();
	answer_cache_add(symbols->answers, address, ret);
	return LOCUS_OK;
}

/* Reading a declaration may overwrite the answer in the scratch, so the address is looked up again afterwards. */
enum locus_status symbol_file_lookup_declared(struct symbol_file *symbols, uint64_t address, struct locus_result *ret,
					      uint32_t ret_lines[FRAMES_MAX], struct locus_error *error)
{
	uint32_t ids[FRAMES_MAX];
	struct locus_result result;
	enum locus_status status = symbol_file_lookup(symbols, address, &result, error);

	if (status != LOCUS_OK)
		return status;
	for (size_t i = 0; i < result.frame_count; i++)
		ids[i] = result.frames[i].function_id;
	for (size_t i = 0; i < result.frame_count; i++) {
		struct locus_function_info function = {0};
		locus_function_at(symbols->locus, symbols->scratch, ids[i], &function, NULL);
		ret_lines[i] = function.decl_line;
	}
	return symbol_file_lookup(symbols, address, ret, error);
}

/* An index that cannot be made is tried only once; without a scratch it was not tried yet. */
static enum locus_status need_index(struct symbol_file *symbols, struct locus_error *error)
{
	enum locus_status status = is_partial(symbols) && symbols->scratch ? convert_whole(symbols, error) : LOCUS_OK;

	if (status != LOCUS_OK || !symbols->scratch || symbols->index_scratch)
		return status;
	status = locus_scratch_new(symbols->locus, &symbols->index_scratch, error);
	if (status == LOCUS_OK)
		status = function_index_new(symbols->locus, symbols->index_scratch, &symbols->functions, error);
	return status;
}

enum locus_status symbol_file_find_function(struct symbol_file *symbols, const struct function_offset *place,
					    bool *ret_found, uint64_t *ret, struct locus_error *error)
{
	enum locus_status status = need_index(symbols, error);

	*ret_found = symbols->functions && function_index_find(symbols->functions, place, ret);
	return status;
}

size_t symbol_file_memory(const struct symbol_file *symbols)
{
	return (symbols->locus ? locus_memory_size(symbols->locus) : 0) +
	       (symbols->answers ? 2 * ANSWER_CACHE_SIZE_MAX : 0) +
	       (symbols->functions ? function_index_memory(symbols->functions) : 0) +
	       (symbols->names ? function_labels_memory(symbols->names) : 0) +
	       symbols->section_room * sizeof(*symbols->sections) +
	       (symbols->partial ? lookup_file_memory(&symbols->partial->file) : 0);
}

/* Only a section that is larger than all before it can be the first that is larger than some offset. */
static void find_sections(struct symbol_file *symbols, const char *name)
{
	const struct locus_info *info = symbols->info;
	uint64_t largest = 0;

	memory_reserve(&symbols->sections, &symbols->section_room, 1, sizeof(*symbols->sections));
	for (size_t i = 0; i < info->base_count; i++) {
		const struct locus_base_info *section = &info->bases[i];
		if (section->size <= largest || (name && !string_is(section->name, name)))
			continue;
		memory_reserve(&symbols->sections, &symbols->section_room, symbols->section_count + 1,
			       sizeof(*symbols->sections));
		symbols->sections[symbols->section_count++] = section;
		largest = section->size;
	}
}

const struct locus_base_info *symbol_file_find_section(struct symbol_file *symbols, const char *name, uint64_t offset)
{
	size_t first;

	if (!symbols->sections)
		find_sections(symbols, name);
	SEARCH_FIRST(first, 0, symbols->section_count, symbols->sections[first]->size > offset);
	return first < symbols->section_count ? symbols->sections[first] : NULL;
}

bool symbol_file_is_fixed(const struct symbol_file *symbols)
{
	return symbols->info->elf_type == ELF_TYPE_EXECUTABLE;
}

bool symbol_file_find_position(const struct symbol_file *symbols, uint64_t position, uint64_t *ret)
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

bool symbol_file_find_code(const struct symbol_file *symbols, uint64_t position, uint64_t *ret)
{
	const uint64_t in_page = PAGE_SIZE_MIN - 1;
	uint64_t lowest = UINT64_MAX;

	if (symbol_file_find_position(symbols, position, ret))
		return true;
	for (size_t i = 0; i < symbols->info->segment_count; i++) {
		const struct locus_segment_info *segment = &symbols->info->segments[i];
		bool is_whole = segment->file_size == segment->memory_size;
		if ((segment->flags & SEGMENT_EXECUTABLE) && (is_whole || (segment->address & in_page)))
			return false;
		lowest = segment->address < lowest ? segment->address : lowest;
	}
	*ret = position + (symbols->info->segment_count ? lowest & ~in_page : 0);
	return true;
}

bool symbol_file_find_in_segment(const struct symbol_file *symbols, uint64_t runtime, uint64_t start, uint64_t size,
				 uint64_t *ret)
{
	const uint64_t in_page = PAGE_SIZE_MIN - 1;
	size_t found = 0;

	if (runtime < start || runtime - start >= size)
		return false;
	for (size_t i = 0; i < symbols->info->segment_count; i++) {
		const struct locus_segment_info *segment = &symbols->info->segments[i];
		uint64_t first = segment->address & ~in_page;
		uint64_t pages = (segment->address - first + segment->memory_size + in_page) & ~in_page;
		if (!(segment->flags & SEGMENT_EXECUTABLE) || pages != size)
			continue;
		*ret = first + (runtime - start);
		found++;
	}
	return found == 1;
}

bool symbol_file_find_offset(const struct symbol_file *symbols, uint64_t offset, uint64_t *ret)
{
	struct locus_error error;

	return symbols->info->segment_count &&
	       locus_address_of_runtime(symbols->locus, 0, offset, ret, &error) == LOCUS_OK;
}

uint64_t symbol_file_mapped_address(const struct symbol_file *symbols, uint64_t runtime, uint64_t start, uint64_t size,
				    uint64_t offset, uint64_t base)
{
	uint64_t position = runtime - start + offset, address;

	if (symbol_file_is_fixed(symbols))
		return runtime;
	if (symbol_file_find_position(symbols, position, &address) ||
	    symbol_file_find_in_segment(symbols, runtime, start, size, &address))
		return address;
	return base != UINT64_MAX ? runtime - base : position;
}

void symbol_file_close(struct symbol_file *symbols)
{
	drop_handle(symbols);
	if (symbols->partial)
		partial_free(symbols->partial);
	else
		locus_close(symbols->locus);
	free(symbols->path);
	*symbols = (struct symbol_file){0};
}

bool symbol_file_read_build_id(const char *path, uint8_t *ret, size_t *size)
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
