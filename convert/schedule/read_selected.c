/*
 * Units are chosen by the addresses that they claim. They are read, and more are chosen by what was found: which
 * symbols may name the functions that answer, and how far these reach. .debug_aranges is trusted if it seems to cover
 * all units and has a unit for each address; then symbols, too, are read only near the code of the chosen units.
 * Otherwise every unit's own DIE is asked for its ranges, and line tables that no unit refers to count too (RULES B14).
 */
#include "convert/schedule/read_selected.h"

#include <stdlib.h>

#include "base/fail.h"
#include "convert/schedule/lone_tables.h"

struct selected_reading {
	struct units *units;
	struct unit_selection *selection;
	const struct symbol_source *symbols;
	struct range_list symbol_ranges; /* the addresses for which symbols were read; empty: all */
	struct unit_ranges unit_ranges;
	uint64_t *done; /* offsets of the units that were read, ascending */
	uint32_t done_count;
	uint32_t choice_count; /* how often units were chosen */
	bool all_asked;        /* each unit was asked for its ranges */
};

/*
 * Each choice looks at all ranges and pieces, and where names are new at all symbols. A few are enough for programs;
 * units can be made so that each leads to one more, and then everything is converted.
 */
enum { CHOICES_MAX = 32 };

/* Gives the chosen units that were not read yet. Those that were are all chosen again; `done` becomes the choice. */
static bool leave_out_done(struct selected_reading *reading, uint64_t **ret_new, uint32_t *ret_count)
{
	const struct unit_selection *selection = reading->selection;
	uint32_t next = 0, new_count = 0;
	uint64_t *new = malloc((selection->unit_count + UINT64_C(1)) * sizeof(*new));
	uint64_t *all = malloc((selection->unit_count + UINT64_C(1)) * sizeof(*all));
	if (!new || !all) {
		free(new);
		free(all);
		return false;
	}

	for (uint32_t i = 0; i < selection->unit_count; i++) {
		bool is_done = next < reading->done_count && reading->done[next] == selection->units[i];
		if (is_done)
			next++;
		else
			new[new_count++] = selection->units[i];
		all[i] = selection->units[i];
	}
	free(reading->done);
	reading->done = all;
	reading->done_count = selection->unit_count;
	*ret_new = new;
	*ret_count = new_count;
	return true;
}

/* Chooses units, and reads the symbols that they need. */
static enum locus_status choose(struct selected_reading *reading, struct locus_error *error)
{
	const struct unit_selection *selection = reading->selection;
	struct range_list ranges = {0};
	enum locus_status status = LOCUS_OK;
	if (!selection_choose_units(reading->selection, &reading->unit_ranges))
		return locus_fail_memory(error);
	if (!reading->symbol_ranges.count)
		return LOCUS_OK;
	if (!selection_surroundings(selection, &reading->unit_ranges, &ranges))
		status = locus_fail_memory(error);
	else if (!range_list_holds_all(&reading->symbol_ranges, &ranges))
		status = reading->symbols->need(reading->symbols->context, &ranges, error);
	range_list_done(&reading->symbol_ranges);
	reading->symbol_ranges = ranges;
	return status;
}

static enum locus_status read_chosen(struct selected_reading *reading, struct locus_error *error)
{
	const struct dwarf *dwarf = reading->units->dwarf;
	uint64_t info_size = dwarf_section(dwarf, DEBUG_INFO)->size;
	uint64_t lines_size = dwarf_section(dwarf, DEBUG_LINE)->size;
	struct unit_choice choice;
	uint64_t *offsets;
	enum locus_status status = choose(reading, error);
	reading->selection->prefers_all =
		reading->choice_count++ == CHOICES_MAX ||
		selection_is_most(reading->selection, &reading->unit_ranges, info_size, lines_size);
	if (status != LOCUS_OK || reading->selection->prefers_all)
		return status;
	if (!leave_out_done(reading, &offsets, &choice.count))
		return locus_fail_memory(error);

	uint32_t *indexes = calloc(choice.count + UINT64_C(1), sizeof(*indexes));
	for (uint32_t i = 0; indexes && i < choice.count; i++)
		indexes[i] = unit_ranges_unit_index(&reading->unit_ranges, offsets[i]);
	choice.offsets = offsets;
	choice.indexes = indexes;
	bool all = reading->selection->all_read;
	status = indexes ? LOCUS_OK : locus_fail_memory(error);
	if (status == LOCUS_OK && (all || choice.count))
		status = units_read_chosen(reading->units, all ? NULL : &choice, error);
	free(indexes);
	free(offsets);
	return status;
}

/*
 * Starts again with all symbols, if units turn out to have code that none of them claims: the symbols for it were not
 * read.
 */
static enum locus_status begin_again(struct selected_reading *reading, struct locus_error *error)
{
	unit_results_forget(&reading->units->results);
	reading->done_count = 0;
	reading->symbol_ranges.count = 0;
	return reading->symbols->need(reading->symbols->context, NULL, error);
}

/* Reads the chosen units, and chooses more, until that shows nothing new. */
static enum locus_status read_until_known(struct selected_reading *reading, struct locus_error *error)
{
	const struct unit_results *results = &reading->units->results;
	bool grown = true;
	while (grown) {
		enum locus_status status = read_chosen(reading, error);
		if (status != LOCUS_OK || reading->selection->prefers_all || reading->selection->all_read)
			return status;
		grown = reading->symbol_ranges.count &&
			selection_reaches_beyond(reading->selection, results->pieces, results->piece_count,
						 &reading->symbol_ranges);
		if (grown)
			status = begin_again(reading, error);
		else if (!selection_grow(reading->selection, results->pieces, results->piece_count,
					 reading->units->shared, &grown))
			status = locus_fail_memory(error);
		if (status != LOCUS_OK)
			return status;
	}
	return LOCUS_OK;
}

static bool claim_code(const struct unit_ranges *unit_ranges, const struct elf_file *linked)
{
	bool found = unit_ranges->unsaid.count > 0;
	for (uint32_t i = 0; i < unit_ranges->range_count && !found; i++)
		found = elf_file_exec(linked, unit_ranges->ranges[i].range.start) != NULL;
	return found;
}

static enum locus_status ask_all(struct selected_reading *reading, struct locus_error *error)
{
	struct dwarf *dwarf = reading->units->dwarf;
	enum locus_status status = dwarf_prepare_section(dwarf, DEBUG_ABBREV, error);
	if (status == LOCUS_OK)
		status = unit_ranges_from_dies(&reading->unit_ranges, dwarf, error);
	reading->all_asked = true;
	reading->selection->all_read = !claim_code(&reading->unit_ranges, reading->units->shared->linked);
	if (status == LOCUS_OK && !selection_add_units_below(reading->selection, &reading->unit_ranges))
		status = locus_fail_memory(error);
	return status;
}

/*
 * Reads the first symbols, and chooses units by them. If units had to be asked for their ranges any symbol may matter,
 * so all are read.
 */
static enum locus_status begin(struct selected_reading *reading, struct locus_error *error)
{
	const struct symbol_source *symbols = reading->symbols;
	struct unit_selection *selection = reading->selection;
	if (!reading->all_asked && !(selection_choose_units(selection, &reading->unit_ranges) &&
				     selection_surroundings(selection, &reading->unit_ranges, &reading->symbol_ranges)))
		return locus_fail_memory(error);
	enum locus_status status =
		symbols->need(symbols->context, reading->all_asked ? NULL : &reading->symbol_ranges, error);
	if (status == LOCUS_OK && !selection_add_symbols(selection, reading->units->shared->symbols))
		status = locus_fail_memory(error);
	return status;
}

static enum locus_status read_selected(struct selected_reading *reading, struct locus_error *error)
{
	struct units *units = reading->units;
	bool complete, memory = true;
	enum locus_status status = unit_ranges_from_table(&reading->unit_ranges, units->dwarf, &complete, error);
	if (status == LOCUS_OK &&
	    (!complete || !selection_is_covered(reading->selection, &reading->unit_ranges, &memory)))
		status = memory ? ask_all(reading, error) : locus_fail_memory(error);
	if (status == LOCUS_OK)
		status = begin(reading, error);

	/* Tables that no unit refers to can be anywhere, and units that are opened for references keep pointers. */
	units->dwarf->skips_lines = !reading->all_asked && !units->dwarf->refers_across;
	if (status == LOCUS_OK)
		status = read_until_known(reading, error);
	units->dwarf->skips_lines = false;
	if (status != LOCUS_OK || !reading->all_asked || reading->selection->prefers_all)
		return status;

	const struct offset_list *referred = &reading->unit_ranges.line_tables;
	return lone_tables_read(units->dwarf, units->shared, referred->offsets, referred->count, &units->results,
				error);
}

/* Checks the sections that were inflated as needed: a damaged one just ended early. */
static enum locus_status check_sections(const struct dwarf *dwarf, struct locus_error *error)
{
	static const enum debug_section as_needed[] = {DEBUG_STR, DEBUG_RANGES, DEBUG_RNGLISTS};
	enum locus_status status = LOCUS_OK;
	for (size_t i = 0; i < sizeof(as_needed) / sizeof(as_needed[0]) && status == LOCUS_OK; i++) {
		struct section *section = dwarf_section(dwarf, as_needed[i]);
		if (section_is_damaged(section))
			status = section_need(section, section->size, error);
	}
	return status;
}

enum locus_status units_read_selected(struct units *units, struct unit_selection *selection,
				      const struct symbol_source *symbols, struct locus_error *error)
{
	struct selected_reading reading = {.units = units, .selection = selection, .symbols = symbols};
	if (!selection->asked_count)
		return LOCUS_OK;
	enum locus_status status = read_selected(&reading, error);
	if (status == LOCUS_OK)
		status = check_sections(units->dwarf, error);
	unit_ranges_done(&reading.unit_ranges);
	range_list_done(&reading.symbol_ranges);
	free(reading.done);
	return status;
}
