/*
 * A conversion from end to end. Files and companions are found, sections inflated, and units shared out among threads
 * one by one as their section unfolds; what was read is given back behind them. Then all that is left of the units is
 * merged and written.
 */
#include "convert/locus_convert.h"

#include <dwarf.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "convert/array.h"
#include "convert/companion.h"
#include "convert/emit.h"
#include "convert/error.h"
#include "convert/parallel.h"
#include "convert/unitread.h"

enum { RULES_EPOCH = 1 }; /* raised when the same input would now give better answers */

/* A .dwo or .dwp; its strings are referred to until the end. */
struct split_file {
	struct elf_file *file;
	struct dwarf dwarf;
	struct split_file *next;
};

struct conversion {
	const char *path;
	const struct locus_convert_options *options;
	struct companion_options companions;
	struct elf_file *input;
	struct elf_file *separate; /* the separate debug file, or NULL */
	struct elf_file *alternate;
	struct dwarf dwarf;
	struct dwarf alt_dwarf;
	struct split_file *package; /* the .dwp, or NULL; also in split_files */
	struct split_file *split_files;
	struct symbols symbols;
	struct shared shared;
	struct prefix_map *maps;
	struct locus_meta meta;
	char *options_text;
	struct locus_section_base *meta_bases;

	/* Guarded by `lock` while threads read. */
	pthread_mutex_t lock;
	bool unit_by_unit;      /* .debug_info is compressed, and its units do not refer to each other */
	uint64_t next_offset;   /* of the next unit in .debug_info */
	uint64_t info_released; /* what lies below was given back */
	uint64_t lines_released;
	struct unit_result **results; /* by unit */
	uint32_t unit_count, result_room;
	uint64_t *line_tables; /* offsets that units refer to */
	uint32_t line_table_count, line_table_room;
	uint64_t dropped[LOCUS_DROPPED_COUNT];
	enum locus_status status; /* the first failure */
	struct locus_error error;

	atomic_uint next_task; /* of prepare */
};

static double cpu_seconds(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void give_up(struct conversion *conv, enum locus_status status, const struct locus_error *error)
{
	pthread_mutex_lock(&conv->lock);
	if (conv->status == LOCUS_OK) {
		conv->status = status;
		conv->error = *error;
	}
	pthread_mutex_unlock(&conv->lock);
}

/* The table that says most: .symtab over .dynsym, the input's own over its debug file's. */
static enum locus_status find_symbols(struct conversion *conv, struct locus_error *error)
{
	enum locus_status status = symbols_read(&conv->symbols, conv->input, error);
	if (status != LOCUS_OK || !conv->separate || conv->symbols.full)
		return status;
	struct symbols other;
	status = symbols_read(&other, conv->separate, error);
	if (status == LOCUS_OK && other.full) {
		symbols_done(&conv->symbols);
		conv->symbols = other;
	} else {
		symbols_done(&other);
	}
	return status;
}

/* RULES E1: the files of local symbols are files like the line tables'. */
static enum locus_status intern_symbol_files(struct conversion *conv, struct locus_error *error)
{
	for (uint32_t i = 0; i < conv->symbols.file_count; i++) {
		struct symbol_file *file = &conv->symbols.files[i];
		file->id = files_named(&conv->shared.files, file->name);
		if (file->id == INTERN_FAILED)
			return fail(error, LOCUS_ERR_MEMORY, "out of memory");
	}
	return LOCUS_OK;
}

/* The symbol table is read, and sections are inflated side by side; .debug_info only as its units are read. */
static void prepare(void *argument, unsigned thread)
{
	/* The largest first, so that nobody waits for one that was begun late. */
	enum { SYMBOLS = DEBUG_SECTION_COUNT };
	static const uint8_t tasks[] = {
		DEBUG_STR,         SYMBOLS,    DEBUG_LINE,     DEBUG_RNGLISTS, DEBUG_RANGES,   DEBUG_ABBREV,
		DEBUG_STR_OFFSETS, DEBUG_ADDR, DEBUG_LINE_STR, DEBUG_TYPES,    DEBUG_CU_INDEX, DEBUG_TU_INDEX,
	};
	struct conversion *conv = argument;
	struct locus_error error = {0};
	(void)thread;
	for (;;) {
		unsigned task = atomic_fetch_add(&conv->next_task, 1);
		enum locus_status status;
		if (task >= sizeof tasks)
			return;
		if (tasks[task] == SYMBOLS) {
			status = find_symbols(conv, &error);
			if (status == LOCUS_OK)
				status = intern_symbol_files(conv, &error);
		} else {
			struct section *section = dwarf_section(&conv->dwarf, (enum debug_section)tasks[task]);
			status = section_need(section, section->size, &error);
		}
		if (status != LOCUS_OK)
			give_up(conv, status, &error);
	}
}

/* A unit's place in .debug_info and among the results. The thread's; its memory is reused. */
struct turn {
	uint64_t offset;
	uint64_t end;
	uint32_t index;
	uint8_t *bytes; /* the unit's, where .debug_info is inflated unit by unit; else NULL */
	size_t room;
};

static bool reserve_result(struct conversion *conv)
{
	return array_reserve(&conv->results, &conv->result_room, conv->unit_count + UINT64_C(1), sizeof *conv->results);
}

static enum locus_status cut_off(uint64_t offset, struct locus_error *error)
{
	return fail_at(error, LOCUS_ERR_BAD_DWARF, offset,
		       "the unit at .debug_info+0x%llx is cut off: the file is truncated or damaged",
		       (unsigned long long)offset);
}

static bool grow_bytes(struct turn *turn, size_t size)
{
	if (size <= turn->room)
		return true;
	uint8_t *grown = realloc(turn->bytes, size);
	if (!grown)
		return false;
	turn->bytes = grown;
	turn->room = size;
	return true;
}

/* Inflates the next unit into the turn's own memory. */
static enum locus_status inflate_next(struct conversion *conv, struct turn *turn, struct locus_error *error)
{
	enum { LENGTH_SIZE = 4, LONG_LENGTH_SIZE = 12, FIRST_ROOM = 1 << 16 };
	struct section *info = dwarf_section(&conv->dwarf, DEBUG_INFO);
	uint64_t left = info->size - turn->offset;
	size_t head = LENGTH_SIZE;
	uint8_t offset_size;
	if (left < LENGTH_SIZE)
		return cut_off(turn->offset, error);
	if (!grow_bytes(turn, FIRST_ROOM))
		return fail(error, LOCUS_ERR_MEMORY, "out of memory");
	enum locus_status status = section_take(info, turn->bytes, LENGTH_SIZE, error);
	if (status == LOCUS_OK && memcmp(turn->bytes, "\xff\xff\xff\xff", LENGTH_SIZE) == 0) {
		head = LONG_LENGTH_SIZE;
		if (left < LONG_LENGTH_SIZE)
			return cut_off(turn->offset, error);
		status = section_take(info, turn->bytes + LENGTH_SIZE, LONG_LENGTH_SIZE - LENGTH_SIZE, error);
	}
	if (status != LOCUS_OK)
		return status;
	struct cursor c = {.p = turn->bytes, .end = turn->bytes + head, .swap = conv->dwarf.file->swap};
	uint64_t length = cursor_initial_length(&c, &offset_size);
	if (c.bad || length > left - head)
		return cut_off(turn->offset, error);
	if (!grow_bytes(turn, head + length))
		return fail(error, LOCUS_ERR_MEMORY, "out of memory");
	turn->end = turn->offset + head + length;
	return section_take(info, turn->bytes + head, length, error);
}

/* Finds the next unit's end where .debug_info is there as a whole. */
static enum locus_status measure_next(struct conversion *conv, struct turn *turn, struct locus_error *error)
{
	const struct section *info = dwarf_section(&conv->dwarf, DEBUG_INFO);
	uint8_t offset_size;
	struct cursor c = {
		.p = info->data + turn->offset,
		.end = info->data + info->size,
		.swap = conv->dwarf.file->swap,
	};
	uint64_t length = cursor_initial_length(&c, &offset_size);
	if (c.bad || length > cursor_left(&c))
		return cut_off(turn->offset, error);
	turn->end = (uint64_t)(c.p - info->data) + length;
	return LOCUS_OK;
}

/* Under the lock. */
static enum locus_status take_next(struct conversion *conv, struct turn *turn, struct locus_error *error)
{
	if (!reserve_result(conv))
		return fail(error, LOCUS_ERR_MEMORY, "out of memory");
	turn->offset = conv->next_offset;
	enum locus_status status =
		conv->unit_by_unit ? inflate_next(conv, turn, error) : measure_next(conv, turn, error);
	if (status != LOCUS_OK)
		return status;
	turn->index = conv->unit_count;
	conv->results[conv->unit_count++] = NULL;
	conv->next_offset = turn->end;
	return LOCUS_OK;
}

/* False: no unit is left, or something failed. */
static bool take_turn(struct conversion *conv, struct turn *turn)
{
	bool taken = false;
	pthread_mutex_lock(&conv->lock);
	if (conv->status == LOCUS_OK && conv->next_offset < dwarf_section(&conv->dwarf, DEBUG_INFO)->size) {
		conv->status = take_next(conv, turn, &conv->error);
		taken = conv->status == LOCUS_OK;
	}
	pthread_mutex_unlock(&conv->lock);
	return taken;
}

static bool note_line_table(struct conversion *conv, uint64_t offset)
{
	pthread_mutex_lock(&conv->lock);
	bool memory = array_reserve(&conv->line_tables, &conv->line_table_room, conv->line_table_count + UINT64_C(1),
				    sizeof *conv->line_tables);
	if (memory)
		conv->line_tables[conv->line_table_count++] = offset;
	pthread_mutex_unlock(&conv->lock);
	return memory;
}

static enum locus_status add_split_file(struct conversion *conv, struct elf_file *file, struct split_file **ret,
					struct locus_error *error)
{
	struct split_file *split = calloc(1, sizeof *split);
	if (!split) {
		elf_file_free(file);
		return fail(error, LOCUS_ERR_MEMORY, "out of memory");
	}
	split->file = file;
	dwarf_init(&split->dwarf, file);
	split->dwarf.split = true;
	pthread_mutex_lock(&conv->lock);
	split->next = conv->split_files;
	conv->split_files = split;
	pthread_mutex_unlock(&conv->lock);
	*ret = split;
	return dwarf_prepare(&split->dwarf, error);
}

/* Opens the other half of a skeleton. */
static enum locus_status open_split(struct conversion *conv, const struct unit *skeleton, struct unit *ret,
				    struct locus_error *error)
{
	struct split_file *split = conv->package;
	struct elf_file *file;
	enum locus_status status = LOCUS_OK;
	if (!split) {
		status = companion_dwo(conv->path, skeleton, &file, error);
		if (status == LOCUS_OK)
			status = add_split_file(conv, file, &split, error);
	}
	return status == LOCUS_OK ? dwarf_split_unit(&split->dwarf, skeleton->id, skeleton, ret, error) : status;
}

/* One thread's units. `split` is reused from skeleton to skeleton. */
struct reading {
	struct conversion *conv;
	struct unit_reader reader;
	struct unit unit;
	struct unit split;
};

static enum locus_status read_unit(struct reading *reading, const struct turn *turn, struct locus_error *error)
{
	struct conversion *conv = reading->conv;
	const struct unit *unit = &reading->unit;
	enum locus_status status =
		unit_open(&reading->unit, &conv->dwarf, DEBUG_INFO, turn->offset, turn->bytes, NULL, NULL, error);
	if (status != LOCUS_OK)
		return status;
	if (unit->stmt_list != UINT64_MAX && !note_line_table(conv, unit->stmt_list))
		return fail(error, LOCUS_ERR_MEMORY, "out of memory");
	if (unit->type == DW_UT_type)
		return LOCUS_OK; /* types have no code */
	if (unit->dwo_name) {
		memset(reading->split.share, 0, sizeof reading->split.share);
		status = open_split(conv, unit, &reading->split, error);
		if (status != LOCUS_OK)
			return status;
		unit = &reading->split;
	}
	struct unit_result *result = calloc(1, sizeof *result);
	if (!result)
		return fail(error, LOCUS_ERR_MEMORY, "out of memory");
	status = unit_reader_read(&reading->reader, unit, &reading->unit, turn->index, result, error);
	if (status != LOCUS_OK) {
		free(result);
		return status;
	}
	pthread_mutex_lock(&conv->lock);
	conv->results[turn->index] = result;
	pthread_mutex_unlock(&conv->lock);
	return LOCUS_OK;
}

/*
 * Gives back what lies behind the readers, in large steps: each costs every processor an interruption. What a slow
 * reader still needs is had again from the file. Under the lock.
 */
static void release_behind(struct section *section, uint64_t *released, uint64_t reached)
{
	enum { KEPT = 2 << 20, STEP = 4 << 20 };
	if (reached < *released + KEPT + STEP)
		return;
	section_release(section, *released, reached - KEPT);
	*released = reached - KEPT;
}

static void release_unit(struct conversion *conv, const struct turn *turn, const struct line_header *lines)
{
	pthread_mutex_lock(&conv->lock);
	release_behind(dwarf_section(&conv->dwarf, DEBUG_INFO), &conv->info_released, turn->end);
	release_behind(dwarf_section(&conv->dwarf, DEBUG_LINE), &conv->lines_released, lines->end);
	pthread_mutex_unlock(&conv->lock);
}

static void read_units(void *argument, unsigned thread)
{
	struct conversion *conv = argument;
	struct reading reading = {.conv = conv};
	struct locus_error error = {0};
	struct turn turn = {0};
	(void)thread;
	unit_reader_init(&reading.reader, &conv->shared);
	while (take_turn(conv, &turn)) {
		enum locus_status status = read_unit(&reading, &turn, &error);
		if (status != LOCUS_OK)
			give_up(conv, status, &error);
		release_unit(conv, &turn, &reading.unit.lines);
	}
	pthread_mutex_lock(&conv->lock);
	for (int i = 0; i < LOCUS_DROPPED_COUNT; i++)
		conv->dropped[i] += reading.reader.dropped[i];
	pthread_mutex_unlock(&conv->lock);
	unit_reader_done(&reading.reader);
	unit_done(&reading.unit);
	unit_done(&reading.split);
	free(turn.bytes);
}

static int compare_offsets(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* One line table by itself, as if a unit without DIEs referred to it. */
static enum locus_status read_lone_table(struct conversion *conv, struct reading *reading, uint64_t offset,
					 uint64_t *ret_end, struct locus_error *error)
{
	struct unit *unit = &reading->unit;
	unit->dwarf = &conv->dwarf;
	unit->sizes.address = conv->dwarf.file->class == ELFCLASS64 ? 8 : 4;
	enum locus_status status = unit_open_lines(unit, offset, error);
	*ret_end = unit->lines.end;
	if (status == LOCUS_ERR_UNSUPPORTED) {
		conv->dropped[LOCUS_DROPPED_DAMAGED_LINES]++;
		return LOCUS_OK;
	}
	struct unit_result *result = status == LOCUS_OK ? calloc(1, sizeof *result) : NULL;
	if (!result || !reserve_result(conv)) {
		free(result);
		return status != LOCUS_OK ? status : fail(error, LOCUS_ERR_MEMORY, "out of memory");
	}
	status = unit_reader_read_lines(&reading->reader, unit, conv->unit_count, result, error);
	if (status == LOCUS_OK)
		conv->results[conv->unit_count++] = result;
	else
		free(result);
	return status;
}

/* RULES B14: the line tables that no unit refers to. */
static enum locus_status read_lone_tables(struct conversion *conv, struct locus_error *error)
{
	const struct section *section = dwarf_section(&conv->dwarf, DEBUG_LINE);
	struct cursor c = {.p = section->data, .end = section->data + section->size, .swap = conv->dwarf.file->swap};
	struct reading reading = {.conv = conv};
	enum locus_status status = LOCUS_OK;
	uint32_t next = 0;
	unit_reader_init(&reading.reader, &conv->shared);
	if (conv->line_table_count)
		qsort(conv->line_tables, conv->line_table_count, sizeof *conv->line_tables, compare_offsets);
	while (status == LOCUS_OK && cursor_left(&c)) {
		uint64_t offset = (uint64_t)(c.p - section->data), end;
		uint8_t offset_size;
		uint64_t length = cursor_initial_length(&c, &offset_size);
		cursor_skip(&c, length);
		if (c.bad)
			break; /* no table: what is behind the last one is padding */
		while (next < conv->line_table_count && conv->line_tables[next] < offset)
			next++;
		bool referred = next < conv->line_table_count && conv->line_tables[next] == offset;
		if (!referred && length)
			status = read_lone_table(conv, &reading, offset, &end, error);
	}
	for (int i = 0; i < LOCUS_DROPPED_COUNT; i++)
		conv->dropped[i] += reading.reader.dropped[i];
	unit_reader_done(&reading.reader);
	unit_done(&reading.unit);
	return status;
}

static enum locus_status read_all(struct conversion *conv, struct locus_error *error)
{
	parallel_run(conv->options->job_count, prepare, conv);
	if (conv->status == LOCUS_OK)
		conv->status = dwarf_prepare(&conv->dwarf, &conv->error);
	conv->unit_by_unit = dwarf_section(&conv->dwarf, DEBUG_INFO)->inflater && !conv->dwarf.refers_across;
	if (conv->status == LOCUS_OK)
		parallel_run(conv->options->job_count, read_units, conv);
	if (conv->status == LOCUS_OK)
		conv->status = read_lone_tables(conv, &conv->error);
	if (conv->status != LOCUS_OK && error)
		*error = conv->error;
	return conv->status;
}

/* All units' pieces in one array, whose copies in the results are given back. */
static enum locus_status gather_pieces(struct conversion *conv, struct piece **ret, uint32_t *ret_count,
				       struct locus_error *error)
{
	uint64_t total = 0;
	for (uint32_t i = 0; i < conv->unit_count; i++)
		total += conv->results[i] ? conv->results[i]->piece_count : 0;
	struct piece *pieces = total < UINT32_MAX ? malloc((total ? total : 1) * sizeof *pieces) : NULL;
	if (!pieces)
		return fail(error, LOCUS_ERR_MEMORY, "out of memory");
	uint32_t count = 0;
	for (uint32_t i = 0; i < conv->unit_count; i++) {
		struct unit_result *result = conv->results[i];
		if (!result)
			continue;
		memcpy(pieces + count, result->pieces, result->piece_count * sizeof *pieces);
		count += result->piece_count;
		free(result->pieces);
		result->pieces = NULL;
	}
	*ret = pieces;
	*ret_count = count;
	return LOCUS_OK;
}

static void fill_counters(struct locus_counter *counters, const uint64_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		counters[i] = (struct locus_counter){(uint32_t)i, values[i]};
}

static enum locus_status write_tables(struct conversion *conv, struct locus_writer *writer, const struct emission *e,
				      struct locus_convert_result *result, struct locus_error *error)
{
	struct locus_counter coverage[LOCUS_COVERAGE_COUNT], dropped[LOCUS_DROPPED_COUNT];
	numbering_finish(e->numbering);
	fill_counters(coverage, e->coverage, LOCUS_COVERAGE_COUNT);
	for (int i = 0; i < LOCUS_DROPPED_COUNT; i++)
		conv->dropped[i] += e->dropped[i];
	fill_counters(dropped, conv->dropped, LOCUS_DROPPED_COUNT);
	struct locus_tables tables = {
		.functions = e->numbering->functions,
		.function_count = e->numbering->function_count,
		.files = e->numbering->files,
		.file_count = e->numbering->file_count,
		.alternates = e->alternates,
		.alternate_count = e->alternate_count,
		.meta = conv->meta,
	};
	tables.meta.coverage = coverage;
	tables.meta.coverage_count = LOCUS_COVERAGE_COUNT;
	tables.meta.dropped = dropped;
	tables.meta.dropped_count = LOCUS_DROPPED_COUNT;
	memcpy(result->coverage, e->coverage, sizeof e->coverage);
	memcpy(result->dropped, conv->dropped, sizeof conv->dropped);
	result->function_count = tables.function_count;
	result->file_count = tables.file_count;
	for (uint32_t i = 0; i < tables.function_count; i++)
		result->name_bytes += tables.functions[i].name.size + tables.functions[i].linkage.size;
	return locus_writer_finish(writer, &tables, conv->options->job_count, &result->bytes_written, error);
}

static enum locus_status write_merged(struct conversion *conv, const struct piece *pieces, uint32_t piece_count,
				      const struct merged *merged, struct locus_convert_result *result,
				      struct locus_error *error)
{
	struct locus_writer_options options = {.level = conv->options->level, .block_size = conv->options->block_size};
	struct locus_writer *writer = NULL;
	struct numbering numbering;
	struct emission e = {
		.linked = conv->input,
		.symbols = &conv->symbols,
		.pieces = pieces,
		.piece_count = piece_count,
		.merged = merged,
		.numbering = &numbering,
	};
	if (!numbering_init(&numbering, &conv->shared.functions, &conv->shared.files))
		return fail(error, LOCUS_ERR_MEMORY, "out of memory");
	enum locus_status status = locus_writer_new(conv->options->output, &options, &writer, error);
	if (status == LOCUS_OK)
		status = blocks_new(writer, &options, &numbering, conv->options->job_count, &e.blocks, error);
	if (status == LOCUS_OK)
		status = emit(&e, error);
	if (status == LOCUS_OK) {
		result->interval_count = blocks_interval_count(e.blocks);
		result->context_count = blocks_context_count(e.blocks);
		blocks_free(e.blocks);
		e.blocks = NULL;
		status = write_tables(conv, writer, &e, result, error);
	}
	blocks_free(e.blocks);
	locus_writer_free(writer);
	free(e.alternates);
	numbering_done(&numbering);
	return status;
}

static enum locus_status merge_and_write(struct conversion *conv, struct locus_convert_result *result,
					 struct locus_error *error)
{
	struct piece *pieces = NULL;
	struct merged merged;
	uint32_t count = 0;
	enum locus_status status = gather_pieces(conv, &pieces, &count, error);
	if (status != LOCUS_OK)
		return status;
	if (merge_pieces(pieces, count, &merged)) {
		status = write_merged(conv, pieces, count, &merged, result, error);
		merged_done(&merged);
	} else {
		status = fail(error, LOCUS_ERR_MEMORY, "out of memory");
	}
	free(pieces);
	return status;
}

/* The few units that lack a line for the most bytes. */
static bool note_worst(const struct conversion *conv, struct locus_convert_result *result)
{
	enum { WORST_MAX = sizeof result->worst / sizeof *result->worst };
	const struct unit_result *worst[WORST_MAX];
	size_t count = 0;
	for (uint32_t i = 0; i < conv->unit_count; i++) {
		const struct unit_result *unit = conv->results[i];
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

static enum locus_status find_files(struct conversion *conv, struct locus_error *error)
{
	struct elf_file *file;
	enum locus_status status = elf_file_open(conv->path, &conv->input, error);
	if (status != LOCUS_OK)
		return status;
	if (conv->companions.debug_file || !elf_file_has_debug(conv->input)) {
		status = companion_debug(conv->input, &conv->companions, &conv->separate, error);
		if (status != LOCUS_OK)
			return status;
	}
	struct elf_file *debug = conv->separate ? conv->separate : conv->input;
	if (!elf_file_has_debug(debug))
		return fail(error, LOCUS_ERR_NO_DEBUG, "no debug information in its debug file %s", debug->path);
	dwarf_init(&conv->dwarf, debug);
	status = companion_alt(debug, &conv->companions, &conv->alternate, error);
	if (status == LOCUS_OK && conv->alternate) {
		dwarf_init(&conv->alt_dwarf, conv->alternate);
		status = dwarf_prepare(&conv->alt_dwarf, error);
		conv->alt_dwarf.refers_across = true;
		conv->dwarf.alt = &conv->alt_dwarf;
	}
	if (status == LOCUS_OK)
		status = companion_dwp(conv->path, debug, &conv->companions, &file, error);
	if (status == LOCUS_OK && file)
		status = add_split_file(conv, file, &conv->package, error);
	return status;
}

/* "OLD=NEW" each; also as the text that goes into the file. */
static enum locus_status read_prefix_maps(struct conversion *conv, struct locus_error *error)
{
	const struct locus_convert_options *options = conv->options;
	size_t size = 1;
	for (size_t i = 0; i < options->prefix_map_count; i++)
		size += strlen(options->prefix_maps[i]) + sizeof "prefix-map=\n";
	conv->maps = calloc(options->prefix_map_count + 1, sizeof *conv->maps);
	char *end = conv->options_text = malloc(size);
	if (!conv->maps || !end)
		return fail(error, LOCUS_ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < options->prefix_map_count; i++) {
		const char *map = options->prefix_maps[i], *equals = strchr(map, '=');
		if (!equals || equals == map)
			return fail(error, LOCUS_ERR_USAGE, "a prefix map reads OLD=NEW, not %s", map);
		conv->maps[i] = (struct prefix_map){map, (size_t)(equals - map), equals + 1};
		end = stpcpy(stpcpy(stpcpy(end, "prefix-map="), map), "\n");
	}
	conv->meta.options = (struct locus_bytes){conv->options_text, (size_t)(end - conv->options_text)};
	return LOCUS_OK;
}

static enum locus_status describe(struct conversion *conv, struct locus_error *error)
{
	static const char tool[] = "locus " LOCUS_VERSION;
	const struct elf_file *input = conv->input;
	struct locus_section_base *bases = calloc(input->base_count + 1, sizeof *bases);
	if (!bases)
		return fail(error, LOCUS_ERR_MEMORY, "out of memory");
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
	conv->meta.tool = (struct locus_bytes){tool, sizeof tool - 1};
	conv->meta.rules_epoch = RULES_EPOCH;
	conv->meta.sections = bases;
	conv->meta.section_count = input->base_count;
	return LOCUS_OK;
}

static void conversion_done(struct conversion *conv)
{
	for (uint32_t i = 0; i < conv->unit_count; i++)
		if (conv->results[i]) {
			unit_result_done(conv->results[i]);
			free(conv->results[i]);
		}
	free(conv->results);
	free(conv->line_tables);
	free(conv->maps);
	free(conv->options_text);
	free(conv->meta_bases);
	files_done(&conv->shared.files);
	intern_set_done(&conv->shared.functions);
	string_set_done(&conv->shared.strings);
	symbols_done(&conv->symbols);
	for (struct split_file *split = conv->split_files, *next; split; split = next) {
		next = split->next;
		dwarf_done(&split->dwarf);
		elf_file_free(split->file);
		free(split);
	}
	dwarf_done(&conv->dwarf);
	dwarf_done(&conv->alt_dwarf);
	elf_file_free(conv->alternate);
	elf_file_free(conv->separate);
	elf_file_free(conv->input);
	pthread_mutex_destroy(&conv->lock);
}

static enum locus_status convert(struct conversion *conv, struct locus_convert_result *result,
				 struct locus_error *error)
{
	double begin = cpu_seconds();
	enum locus_status status = find_files(conv, error);
	if (status == LOCUS_OK)
		status = read_prefix_maps(conv, error);
	if (status == LOCUS_OK)
		status = describe(conv, error);
	if (status != LOCUS_OK)
		return status;
	conv->shared.linked = conv->input;
	conv->shared.symbols = &conv->symbols;
	files_init(&conv->shared.files, &conv->shared.strings, conv->maps, conv->options->prefix_map_count);
	intern_set_init(&conv->shared.functions, sizeof(struct function_key));
	status = read_all(conv, error);
	double middle = cpu_seconds();
	if (status == LOCUS_OK)
		status = merge_and_write(conv, result, error);
	if (status == LOCUS_OK && !note_worst(conv, result))
		status = fail(error, LOCUS_ERR_MEMORY, "out of memory");
	result->unit_count = conv->unit_count;
	result->cpu_read_s = middle - begin;
	result->cpu_write_s = cpu_seconds() - middle;
	return status;
}

enum locus_status locus_convert(const char *path, const struct locus_convert_options *options,
				struct locus_convert_result *ret, struct locus_error *error)
{
	struct locus_convert_result result = {0};
	struct conversion conv = {
		.path = path,
		.options = options,
		.companions =
			{
				.debug_file = options->debug_file,
				.alt_file = options->alt_file,
				.dwp_file = options->dwp_file,
				.debug_dirs = options->debug_dirs,
				.debug_dir_count = options->debug_dir_count,
			},
	};
	pthread_mutex_init(&conv.lock, NULL);
	string_set_init(&conv.shared.strings);
	enum locus_status status = convert(&conv, &result, error);
	conversion_done(&conv);
	if (status == LOCUS_OK)
		*ret = result;
	else
		locus_convert_result_done(&result);
	return status;
}

const char locus_convert_version[] = LOCUS_VERSION;

void locus_convert_result_done(struct locus_convert_result *result)
{
	for (size_t i = 0; i < result->worst_count; i++)
		free(result->worst[i].name);
	result->worst_count = 0;
}
