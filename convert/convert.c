/*
 * A conversion from end to end: finds the file and its companions, inflates sections, reads units, and writes the
 * result.
 */
#include "convert/locus_convert.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/fail.h"
#include "base/first_failure.h"
#include "base/parallel.h"
#include "base/same_file.h"
#include "convert/dwarf/die_reference.h"
#include "convert/elf/segments.h"
#include "convert/embed.h"
#include "convert/emit/encode_units.h"
#include "convert/input_files.h"
#include "convert/program_symbols.h"
#include "convert/provenance.h"
#include "convert/schedule/read_selected.h"
#include "spec/version.h"

const uint32_t locus_convert_rules_epoch = 1;

/* The addresses, or the names of functions, that a conversion is to answer for. */
struct question {
	const uint64_t *addresses;
	size_t address_count;
	const char *const *names;
	size_t name_count;
};

struct conversion {
	struct budget budget;
	struct kept_threads threads;
	const char *path;
	const struct locus_convert_options *options;
	struct input_files files;
	struct elf_file *mini; /* MiniDebugInfo of the program, or NULL */
	struct dwarf dwarf;
	struct dwarf alt_dwarf;
	struct split_files split_files;
	struct symbols symbols;
	bool has_symbols; /* `symbols` was read, in whole or near some addresses */
	struct shared shared;
	struct units units;
	struct prefix_map *maps;
	struct locus_meta meta;
	char *options_text;
	struct locus_section_base *meta_bases;
	struct locus_segment *meta_segments;
	struct provenance provenance;
	struct locus_input *meta_inputs;
	const struct question *question; /* NULL: everything is converted */
	struct unit_selection selection; /* its addresses */
	bool prefers_all;                /* converting everything would be cheaper, so nothing was converted */
	struct phases phases;

	/* The next task of `prepare`, and how many are done. */
	atomic_uint next_task, tasks_done;
	/* Abbreviations decide about .debug_info: while they are still being read, it is left to dwarf_prepare. */
	atomic_bool abbrevs_are_read;
	struct first_failure failure;
	atomic_bool is_released; /* `release` was called */
};

/* RULES E1: the files of local symbols are interned like those of line tables. */
static enum locus_status intern_symbol_files(struct conversion *conv, struct locus_error *error)
{
	for (uint32_t i = 0; i < conv->symbols.file_count; i++) {
		struct symbol_file *file = &conv->symbols.files[i];
		file->id = source_paths_named(&conv->shared.files, file->name);
		if (file->id == INTERN_FAILED)
			return locus_fail_memory(error);
	}
	return LOCUS_OK;
}

/* Reads the symbols: all, or of a full table those that matter near some addresses. */
static enum locus_status find_symbols(struct conversion *conv, const struct range_list *of_interest,
				      struct locus_error *error)
{
	enum locus_status status = program_symbols_read(&conv->files, of_interest, &conv->symbols, &conv->mini, error);
	return status == LOCUS_OK ? intern_symbol_files(conv, error) : status;
}

/* The callback by which units_read_selected asks for symbols. */
static enum locus_status need_symbols(void *context, const struct range_list *of_interest, struct locus_error *error)
{
	struct conversion *conv = context;
	if (!conv->has_symbols) {
		conv->has_symbols = true;
		return find_symbols(conv, of_interest, error);
	}
	enum locus_status status = symbols_widen(&conv->symbols, of_interest, error);
	return status == LOCUS_OK ? intern_symbol_files(conv, error) : status;
}

/*
 * Reads the symbol table, and prepares sections, on several threads. .debug_str is left, and .debug_info and
 * .debug_line but for their beginnings: they are inflated as their units are read. The first thread that finds no task
 * left begins with .debug_str, or maps the pages of a .debug_info that is not compressed, as long as others have one.
 */
static void prepare(void *argument, unsigned thread)
{
	/* What takes longest comes first, so that no thread begins a long task last. */
	enum { SYMBOLS = DEBUG_SECTION_COUNT };
	static const uint8_t tasks[] = {
		DEBUG_ABBREV, DEBUG_RNGLISTS, DEBUG_RANGES, SYMBOLS,        DEBUG_LINE,     DEBUG_STR_OFFSETS,
		DEBUG_ADDR,   DEBUG_LINE_STR, DEBUG_TYPES,  DEBUG_CU_INDEX, DEBUG_TU_INDEX, DEBUG_INFO,
	};
	struct conversion *conv = argument;
	struct locus_error error = {0};
	unsigned task;
	(void)thread;
	for (;;) {
		task = atomic_fetch_add(&conv->next_task, 1);
		enum locus_status status;
		if (task >= sizeof(tasks))
			break;
		if (tasks[task] == SYMBOLS)
			status = find_symbols(conv, NULL, &error);
		else if (tasks[task] == DEBUG_LINE)
			status = dwarf_begin_lines(&conv->dwarf, &error);
		else if (tasks[task] == DEBUG_INFO)
			status = atomic_load(&conv->abbrevs_are_read) ? dwarf_begin_info(&conv->dwarf, &error)
								      : LOCUS_OK;
		else
			status = dwarf_prepare_section(&conv->dwarf, (enum debug_section)tasks[task], &error);
		if (tasks[task] == DEBUG_ABBREV && status == LOCUS_OK)
			atomic_store(&conv->abbrevs_are_read, true);
		first_failure_note(&conv->failure, task, status, &error); /* the first task's, not the fastest's */
		atomic_fetch_add(&conv->tasks_done, 1);
	}
	bool is_first = task == sizeof(tasks);
	size_t mapped = 0;
	while (is_first && atomic_load(&conv->tasks_done) < sizeof(tasks) &&
	       (dwarf_advance_strings(&conv->dwarf) || dwarf_map_info(&conv->dwarf, &mapped)))
		continue;
}

static bool is_function(void *context, const char *name)
{
	const struct question *question = ((struct conversion *)context)->question;
	bool is_one = false;
	for (size_t i = 0; i < question->name_count && !is_one; i++) {
		size_t size = strlen(question->names[i]);
		is_one = strncmp(name, question->names[i], size) == 0 && (!name[size] || strchr(".@", name[size]));
	}
	return is_one;
}

static bool add_function(void *context, const struct symbol *symbol)
{
	struct conversion *conv = context;
	return selection_add_address(&conv->selection, conv->files.program, symbol->addr);
}

/* Finds the asked addresses. Those of functions come from symbols, without reading other symbols. */
static enum locus_status select_addresses(struct conversion *conv, struct locus_error *error)
{
	const struct question *question = conv->question;
	const struct range_list nowhere = {0};
	bool memory = true;
	for (size_t i = 0; i < question->address_count && memory; i++)
		memory = selection_add_address(&conv->selection, conv->files.program, question->addresses[i]);
	enum locus_status status = memory ? LOCUS_OK : locus_fail_memory(error);
	if (status == LOCUS_OK && question->name_count)
		status = need_symbols(conv, &nowhere, error);
	if (status == LOCUS_OK && question->name_count)
		memory = symbols_named(&conv->symbols, is_function, add_function, conv);
	return memory && selection_begin(&conv->selection) ? status : locus_fail_memory(error);
}

/* Reads only the selected units, and only the parts of sections that these need. */
static enum locus_status read_some(struct conversion *conv, struct locus_error *error)
{
	const struct symbol_source symbols = {conv, need_symbols};
	enum locus_status status = select_addresses(conv, error);
	if (status == LOCUS_OK)
		status = dwarf_prepare_some(&conv->dwarf, error);
	return status == LOCUS_OK ? units_read_selected(&conv->units, &conv->selection, &symbols, error) : status;
}

_Static_assert((int)LOCUS_CONVERT_THREADS_MAX == (int)LOCUS_PARALLEL_MAX &&
		       (int)LOCUS_CONVERT_STACK == (int)LOCUS_PARALLEL_STACK,
	       "as many threads as the header says, and as large");

/* What a thread does that has no unit left to read. */
static void digest_program(void *context)
{
	struct conversion *conv = context;
	provenance_go_ahead(&conv->provenance, conv->files.program);
}

static enum locus_status read_all(struct conversion *conv, struct locus_error *error)
{
	conv->provenance.digests = conv->options->digest ? LOCUS_CONVERT_ALL_DIGESTS : LOCUS_CONVERT_SOME_DIGESTS;
	conv->units.beside = digest_program;
	conv->units.beside_context = conv;
	conv->dwarf.units_in_order = true;
	first_failure_init(&conv->failure);
	locus_parallel(conv->options->job_count, prepare, conv);
	enum locus_status status = first_failure_done(&conv->failure, error);
	if (status == LOCUS_OK)
		status = dwarf_prepare(&conv->dwarf, error);

	phases_enter(&conv->phases, LOCUS_PHASE_UNITS);
	if (status == LOCUS_OK)
		status = units_read(&conv->units, conv->options->job_count, error);
	if (status == LOCUS_OK)
		dwarf_drop_sections(&conv->dwarf);
	return status;
}

/* Notes the few units that lack a line for the most bytes. */
static bool note_worst(const struct unit_results *units, struct locus_convert_result *result)
{
	enum { WORST_MAX = sizeof(result->worst) / sizeof(*result->worst) };
	const struct unit_result *worst[WORST_MAX];
	size_t count = 0;
	for (uint32_t i = 0; i < units->count; i++) {
		const struct unit_result *unit = units->by_unit[i];
		if (!unit || unit->bytes == unit->line_bytes)
			continue;
		size_t at = count < WORST_MAX ? count++ : count;
		for (; at && unit->bytes - unit->line_bytes > worst[at - 1]->bytes - worst[at - 1]->line_bytes; at--)
			if (at < WORST_MAX)
				worst[at] = worst[at - 1];
		if (at < WORST_MAX)
			worst[at] = unit;
	}

	for (size_t i = 0; i < count; i++) {
		char *name = strdup(worst[i]->name ? worst[i]->name : "(no name)");
		if (!name)
			return false;
		result->worst[result->worst_count].name = name;
		result->worst[result->worst_count].bytes = worst[i]->bytes;
		result->worst[result->worst_count++].line_bytes = worst[i]->line_bytes;
	}
	return true;
}

/* Finds the files, and prepares what is used throughout. */
static enum locus_status find_files(struct conversion *conv, struct locus_error *error)
{
	struct input_files *files = &conv->files;
	enum locus_status status = input_files_find(conv->path, conv->options, files, error);
	if (status != LOCUS_OK)
		return status;
	if (files->separate)
		budget_admit(file_bytes_counted(&files->program->bytes)); /* dwarf_init adds the other files */
	dwarf_init(&conv->dwarf, input_files_debug(files));
	if (files->alternate) {
		dwarf_init(&conv->alt_dwarf, files->alternate);
		status = dwarf_add_alternate(&conv->dwarf, &conv->alt_dwarf, error);
	}
	conv->split_files.only_packages = conv->options->dwp_file;
	return status == LOCUS_OK ? split_files_add_packages(&conv->split_files, &files->packages, error) : status;
}

char *locus_convert_options_text(const struct locus_convert_options *options)
{
	size_t size = sizeof "columns\n";
	for (size_t i = 0; i < options->prefix_map_count; i++)
		size += strlen(options->prefix_maps[i]) + sizeof "prefix-map=\n";
	char *text = malloc(size), *end = text;
	if (!text)
		return NULL;
	*end = 0;
	for (size_t i = 0; i < options->prefix_map_count; i++)
		end = stpcpy(stpcpy(stpcpy(end, "prefix-map="), options->prefix_maps[i]), "\n");
	if (options->columns)
		stpcpy(end, "columns\n");
	return text;
}

/*
 * Reads the options that change the content: the prefix maps, "OLD=NEW" each; and the text that records all such
 * options.
 */
static enum locus_status read_options(struct conversion *conv, struct locus_error *error)
{
	const struct locus_convert_options *options = conv->options;
	if (!options->job_count)
		return locus_fail(error, LOCUS_ERR_USAGE, "job count 0 is not 1 or more");
	conv->maps = calloc(options->prefix_map_count + 1, sizeof(*conv->maps));
	conv->options_text = locus_convert_options_text(options);
	if (!conv->maps || !conv->options_text)
		return locus_fail_memory(error);
	for (size_t i = 0; i < options->prefix_map_count; i++) {
		const char *map = options->prefix_maps[i], *equals = strchr(map, '=');
		if (!equals || equals == map)
			return locus_fail(error, LOCUS_ERR_USAGE, "a prefix map reads OLD=NEW, not %s", map);
		conv->maps[i] = (struct prefix_map){map, (size_t)(equals - map), equals + 1};
	}
	conv->meta.options = (struct locus_bytes){conv->options_text, strlen(conv->options_text)};
	return LOCUS_OK;
}

static enum locus_status describe(struct conversion *conv, struct locus_error *error)
{
	static const char tool[] = "locus " LOCUS_VERSION;
	const struct elf_file *input = conv->files.program;
	struct locus_section_base *bases = calloc(input->base_count + 1, sizeof(*bases));
	if (!bases)
		return locus_fail_memory(error);

	for (size_t i = 0; i < input->base_count; i++)
		bases[i] = (struct locus_section_base){
			.name = {input->bases[i].name, strlen(input->bases[i].name)},
			.base = input->bases[i].base,
			.size = input->bases[i].size,
		};

	conv->meta_bases = bases;
	conv->meta.build_id = (struct locus_bytes){(const char *)input->build_id, input->build_id_size};
	conv->meta.elf_machine = input->machine;
	conv->meta.elf_type = input->type;
	conv->meta.elf_class = input->class;
	conv->meta.elf_data = input->data;
	conv->meta.tool = (struct locus_bytes){tool, sizeof(tool) - 1};
	conv->meta.rules_epoch = locus_convert_rules_epoch;
	conv->meta.sections = bases;
	conv->meta.section_count = input->base_count;
	return LOCUS_OK;
}

static enum locus_status describe_segments(struct conversion *conv, struct locus_error *error)
{
	struct elf_segment *segments;
	uint32_t count;
	enum locus_status status = elf_file_segments(conv->files.program, &segments, &count, error);
	if (status != LOCUS_OK)
		return status;

	conv->meta_segments = calloc(count + UINT64_C(1), sizeof(*conv->meta_segments));
	for (uint32_t i = 0; i < count && conv->meta_segments; i++)
		conv->meta_segments[i] = (struct locus_segment){
			.address = segments[i].addr,
			.offset = segments[i].offset,
			.file_size = segments[i].file_size,
			.memory_size = segments[i].memory_size,
			.flags = segments[i].flags,
		};

	free(segments);
	conv->meta.segments = conv->meta_segments;
	conv->meta.segment_count = count;
	return conv->meta_segments ? LOCUS_OK : locus_fail_memory(error);
}

/* Notes the paths of all files that were read. False: out of memory. */
static bool note_read_files(const struct conversion *conv, struct locus_convert_result *result)
{
	if (conv->question)
		return true;
	result->read_paths = provenance_paths(&conv->provenance, &result->read_paths_size);
	return result->read_paths;
}

/*
 * Describes the inputs, after all units are read, because units name .dwo files. Answers for a few addresses are not
 * kept, so they do not record what they were made from.
 */
static enum locus_status describe_inputs(struct conversion *conv, struct locus_error *error)
{
	struct provenance *provenance = &conv->provenance;
	if (conv->question)
		return LOCUS_OK;
	if (!provenance_gather(provenance, &conv->files, &conv->split_files) ||
	    !(conv->meta_inputs = calloc(provenance->count, sizeof(*conv->meta_inputs))))
		return locus_fail_memory(error);

	for (uint32_t i = 0; i < provenance->count; i++) {
		const struct locus_convert_input *input = &provenance->inputs[i];
		struct locus_input *meta = &conv->meta_inputs[i];
		*meta = (struct locus_input){
			.role = input->role,
			.name = {input->name, strlen(input->name)},
			.size = input->size,
			.build_id = {(const char *)input->build_id, input->build_id_size},
			.digest_kind = input->digest_kind,
		};
		memcpy(meta->digest, input->digest, sizeof(meta->digest));
	}

	conv->meta.inputs = conv->meta_inputs;
	conv->meta.input_count = provenance->count;
	return LOCUS_OK;
}

/* Refuses an output path at which one of the inputs found so far lies. */
static enum locus_status check_output_is_no_input(const struct conversion *conv, struct locus_error *error)
{
	const char *outputs[] = {conv->options->output, conv->options->destination};
	const char *inputs[] = {
		conv->options->embed ? NULL : conv->path, /* with `embed`, the output may replace the program */
		conv->files.separate ? conv->files.separate->path : NULL,
		conv->files.alternate ? conv->files.alternate->path : NULL,
		conv->options->alt_file, /* this file may be named without being needed, and so not be open */
	};
	for (size_t i = 0; i < sizeof(outputs) / sizeof(*outputs); i++) {
		const char *output = outputs[i];
		bool is_input = output && split_files_have(&conv->split_files, output);
		for (size_t k = 0; k < sizeof(inputs) / sizeof(*inputs) && output; k++)
			is_input |= inputs[k] && paths_are_same_file(inputs[k], output);
		if (is_input)
			return locus_fail(error, LOCUS_ERR_IO, "would overwrite its own input %s", output);
	}
	return LOCUS_OK;
}

/*
 * Whether the functions of an object file are all outside of its code: then .debug_info lacks its relocations, and they
 * are at 0. Rows may be where they belong, for .debug_line has relocations of its own.
 */
static bool lacks_relocations(const struct conversion *conv)
{
	const struct unit_results *results = &conv->units.results;
	uint32_t i = 0;
	while (i < results->piece_count && !results->pieces[i].is_function)
		i++;
	return conv->files.program->type == ET_REL && i == results->piece_count &&
	       results->dropped[LOCUS_DROPPED_NOT_EXECUTABLE];
}

/*
 * Fails if the program has code but its debug information covers none of it: that is damaged where ranges were dropped
 * as such. An object file with data alone is fine.
 */
static enum locus_status check_pieces(const struct conversion *conv, struct locus_error *error)
{
	bool has_units = false;
	if (conv->files.has_no_debug && !conv->symbols.count)
		return locus_fail(error, LOCUS_ERR_NO_DEBUG, "neither debug information nor symbols of code in it");
	if (conv->files.has_no_debug)
		return LOCUS_OK;

	const struct unit_results *results = &conv->units.results;
	for (uint32_t i = 0; i < results->count; i++)
		has_units |= results->by_unit[i] != NULL;
	if (results->piece_count && lacks_relocations(conv))
		return locus_fail(
			error, LOCUS_ERR_BAD_DWARF,
			"its debug information describes no function that is in it: perhaps the relocations of "
			".debug_info are missing");
	if (results->piece_count || (has_units && !conv->files.program->exec_count))
		return LOCUS_OK;
	if (!has_units)
		return locus_fail(
			error, LOCUS_ERR_NO_DEBUG,
			"its debug information is what several programs share, as dwz makes it: convert those");
	if (results->dropped[LOCUS_DROPPED_BAD_RANGE])
		return locus_fail(error, LOCUS_ERR_BAD_DWARF,
				  "its debug information describes no code that is in it; damaged ranges of addresses: "
				  "%llu",
				  (unsigned long long)results->dropped[LOCUS_DROPPED_BAD_RANGE]);
	return locus_fail(error, LOCUS_ERR_NO_DEBUG,
			  "its debug information describes no code that is in it: all was left out when it was linked "
			  "or its addresses were changed afterwards");
}

/* Fails if an input was written to while it was read: the output would mix old and new content. */
static enum locus_status check_unchanged(const struct conversion *conv, struct locus_error *error)
{
	const struct elf_file *const files[] = {conv->files.program, conv->files.separate, conv->files.alternate};
	const char *changed = split_files_changed(&conv->split_files);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files) && !changed; i++)
		if (files[i] && !elf_file_is_unchanged(files[i]))
			changed = files[i]->path;
	if (!changed)
		return LOCUS_OK;
	if (strcmp(changed, conv->path) == 0)
		return locus_fail(error, LOCUS_ERR_IO, "it was written to while it was read: convert it again");
	return locus_fail(error, LOCUS_ERR_IO, "%s was written to while it was read: convert again", changed);
}

static void conversion_done(struct conversion *conv)
{
	units_done(&conv->units);
	split_files_done(&conv->split_files);
	selection_done(&conv->selection);
	free(conv->maps);
	free(conv->options_text);
	free(conv->meta_bases);
	free(conv->meta_segments);
	provenance_done(&conv->provenance);
	free(conv->meta_inputs);
	source_paths_done(&conv->shared.files);
	intern_set_done(&conv->shared.functions);
	string_set_done(&conv->shared.strings);
	symbols_done(&conv->symbols);
	die_index_done(&conv->dwarf);
	dwarf_done(&conv->dwarf);
	die_index_done(&conv->alt_dwarf);
	dwarf_done(&conv->alt_dwarf);
	elf_file_free(conv->mini);
	input_files_done(&conv->files);
}

/* Frees everything but what the conversion's result is, on the first thread that comes. */
static void release(void *argument, unsigned thread)
{
	struct conversion *conv = argument;
	(void)thread;
	if (!atomic_exchange(&conv->is_released, true))
		conversion_done(conv);
}

/* Where the .locus file is made; NULL: in memory, and from there it may go into a copy of the program. */
static const char *path_of_made(const struct conversion *conv)
{
	return conv->options->embed ? NULL : conv->options->output;
}

/* Writes the file, of which all is encoded, while another thread, if there is one, frees what it was made of. */
static enum locus_status write_file(struct conversion *conv, struct locus_writer *writer,
				    struct locus_convert_result *result, void **ret_memory, struct locus_error *error)
{
	size_t size;
	locus_parallel_begin(2, release, conv);
	enum locus_status status = locus_writer_finish(writer, &result->bytes_written, error);
	if (status == LOCUS_OK && !path_of_made(conv))
		locus_writer_take(writer, ret_memory, &size);
	locus_parallel_end();
	return status;
}

static enum locus_status encode_all(struct conversion *conv, struct locus_convert_result *result,
				    struct locus_writer **ret, struct locus_error *error)
{
	const struct units_output end = {
		.results = &conv->units.results,
		.shared = &conv->shared,
		.meta = &conv->meta,
		.options = conv->options,
		.path = path_of_made(conv),
		.asked = conv->question ? conv->selection.asked : conv->files.program->exec,
		.asked_count = conv->question ? conv->selection.asked_count : conv->files.program->exec_count,
		.phases = &conv->phases,
	};
	return encode_units(&end, result, ret, error);
}

/* Says where the debug information is that could not be read, if that is not in the program. Returns `status`. */
static enum locus_status name_separate(const struct conversion *conv, enum locus_status status,
				       struct locus_error *error)
{
	const struct elf_file *separate = conv->files.separate;
	bool is_of_content = status == LOCUS_ERR_BAD_DWARF || status == LOCUS_ERR_BAD_ELF || status == LOCUS_ERR_LIMIT;
	if (!separate || !is_of_content || !error)
		return status;
	const struct locus_error why = *error;
	return locus_fail_at(error, status, why.offset, "%s; its debug information is in %s", why.text, separate->path);
}

static enum locus_status convert(struct conversion *conv, struct locus_convert_result *result, void **ret_memory,
				 struct locus_error *error)
{
	phases_enter(&conv->phases, LOCUS_PHASE_FILES);
	enum locus_status status = find_files(conv, error);
	if (status == LOCUS_OK)
		status = check_output_is_no_input(conv, error);
	if (status == LOCUS_OK)
		status = read_options(conv, error);
	if (status == LOCUS_OK)
		status = describe(conv, error);
	if (status == LOCUS_OK)
		status = describe_segments(conv, error);
	if (status != LOCUS_OK)
		return status;

	/* From here on the conversion's threads use these. */
	conv->shared.linked = conv->files.program;
	conv->shared.symbols = &conv->symbols;
	conv->shared.keeps_columns = conv->options->columns;
	source_paths_init(&conv->shared.files, &conv->shared.strings, conv->maps, conv->options->prefix_map_count);
	intern_set_init(&conv->shared.functions, sizeof(struct function_key));

	phases_enter(&conv->phases, LOCUS_PHASE_SECTIONS);
	status = budget_fail(&conv->budget, conv->question ? read_some(conv, error) : read_all(conv, error), error);
	/* Whether relocations are missing is known only when all units are read. */
	conv->prefers_all = conv->selection.prefers_all || (conv->question && lacks_relocations(conv));
	if (status != LOCUS_OK || conv->prefers_all)
		return name_separate(conv, status, error);
	if (!conv->question || conv->selection.all_read)
		status = check_pieces(conv, error);

	/* The units have named further inputs. */
	phases_enter(&conv->phases, LOCUS_PHASE_MERGING);
	if (status == LOCUS_OK)
		status = check_output_is_no_input(conv, error);
	if (status == LOCUS_OK)
		status = describe_inputs(conv, error);
	struct locus_writer *writer = NULL;
	result->unit_count = conv->units.results.count;
	if (status == LOCUS_OK)
		status = encode_all(conv, result, &writer, error);

	/* Names are read from the inputs until all is encoded. So whether they were changed can be asked only here. */
	if (status == LOCUS_OK)
		status = budget_fail(&conv->budget, check_unchanged(conv, error), error);
	if (status == LOCUS_OK && !(note_worst(&conv->units.results, result) && note_read_files(conv, result)))
		status = locus_fail_memory(error);
	if (status == LOCUS_OK)
		status = write_file(conv, writer, result, ret_memory, error);
	locus_writer_free(writer);
	phases_end(&conv->phases);
	memcpy(result->phases, conv->phases.times, sizeof(result->phases));
	return status;
}

/* Converts, from opening the files to freeing everything. The result is the caller's to free. */
static enum locus_status run(struct conversion *conv, struct locus_convert_result *result, void **ret_memory,
			     struct locus_error *error)
{
	const struct locus_convert_options *options = conv->options;
	conv->phases.progress = options->progress;
	conv->phases.context = options->progress_context;
	split_files_init(&conv->split_files, conv->path);
	units_init(&conv->units, &conv->dwarf, &conv->split_files, &conv->shared);
	conv->units.split_is_optional = conv->options->companions_optional;
	conv->units.progress = phases_note_read;
	conv->units.progress_context = &conv->phases;
	string_set_init(&conv->shared.strings);
	budget_init(&conv->budget, options->max_memory);
	budget_use(&conv->budget);
	kept_threads_init(&conv->threads, options->job_count);
	enum locus_status status = budget_fail(&conv->budget, convert(conv, result, ret_memory, error), error);
	kept_threads_close(&conv->threads);
	release(conv, 0);
	kept_threads_done(&conv->threads);
	budget_use(NULL);
	return status;
}

enum locus_status locus_convert(const char *path, const struct locus_convert_options *options,
				struct locus_convert_result *ret, struct locus_error *error)
{
	struct locus_convert_result result = {0};
	struct conversion conv = {.path = path, .options = options};
	void *made = NULL;
	enum locus_status status = run(&conv, &result, &made, error);
	if (status == LOCUS_OK && options->embed)
		status = embed(path, made, (size_t)result.bytes_written, options->output, options->sync, error);
	free(made);
	if (status == LOCUS_OK)
		*ret = result;
	else
		locus_convert_result_done(&result);
	return status;
}

static enum locus_status convert_to_memory(const char *path, const struct locus_convert_options *options,
					   const struct question *question, void **ret_data, size_t *ret_size,
					   struct locus_error *error)
{
	struct locus_convert_options in_memory = *options;
	struct locus_convert_result result = {0};
	in_memory.output = in_memory.destination = NULL;
	in_memory.job_count =
		question ? 1 : options->job_count; /* to read a few units, starting threads would cost more */
	struct conversion conv = {.path = path, .options = &in_memory, .question = question};
	void *data = NULL;
	enum locus_status status = run(&conv, &result, &data, error);
	if (status == LOCUS_OK && conv.prefers_all)
		return convert_to_memory(path, options, NULL, ret_data, ret_size, error);
	if (status == LOCUS_OK) {
		*ret_data = data;
		*ret_size = (size_t)result.bytes_written;
	} else {
		free(data); /* it was written, and only then something was amiss */
	}
	locus_convert_result_done(&result);
	return status;
}

enum locus_status locus_convert_to_memory(const char *path, const struct locus_convert_options *options,
					  const uint64_t *addresses, size_t address_count, void **ret_data,
					  size_t *ret_size, struct locus_error *error)
{
	const struct question question = {.addresses = addresses, .address_count = address_count};
	return convert_to_memory(path, options, addresses ? &question : NULL, ret_data, ret_size, error);
}

enum locus_status locus_convert_functions_to_memory(const char *path, const struct locus_convert_options *options,
						    const char *const *names, size_t name_count, void **ret_data,
						    size_t *ret_size, struct locus_error *error)
{
	const struct question question = {.names = names, .name_count = name_count};
	return convert_to_memory(path, options, &question, ret_data, ret_size, error);
}

const char locus_convert_version[] = LOCUS_VERSION;

void locus_convert_result_done(struct locus_convert_result *result)
{
	for (size_t i = 0; i < result->worst_count; i++)
		free(result->worst[i].name);
	result->worst_count = 0;
	free(result->read_paths);
	result->read_paths = NULL;
}
