/* Prepares the sections of a file for its units. Some are inflated whole, others only as they are read. */
#include "convert/dwarf/dwarf_file.h"

#include "base/budget.h"
#include "base/fail.h"
#include "base/short_lock.h"

void dwarf_init(struct dwarf *dwarf, struct elf_file *file)
{
	*dwarf = (struct dwarf){.file = file};
	budget_admit(file_bytes_counted(&file->bytes));
	short_lock_init(&dwarf->lock);
}

void dwarf_done(struct dwarf *dwarf)
{
	if (!dwarf->file)
		return;
	abbrev_section_done(&dwarf->abbrevs);
	short_lock_done(&dwarf->lock);
	*dwarf = (struct dwarf){0};
}

void dwarf_at(const struct dwarf *dwarf, enum debug_section which, uint64_t offset, const char *what)
{
	budget_at(what, dwarf->split ? dwarf->file->path : NULL, debug_section_name(which), offset);
}

/*
 * Whether a section of lists of ranges is inflated as units are read, and given back behind them, like .debug_line
 * (convert/schedule/passed_sections.h). A short one is not: there is little to give back.
 */
static bool unfolds_with_units(const struct dwarf *dwarf, enum debug_section which)
{
	enum { LEAST = 4 * SECTION_GRANULE };
	bool is_lists = which == DEBUG_RANGES || which == DEBUG_RNGLISTS;
	return dwarf->units_in_order && is_lists && dwarf_section(dwarf, which)->size >= LEAST;
}

enum locus_status dwarf_prepare_section(struct dwarf *dwarf, enum debug_section which, struct locus_error *error)
{
	const struct form_sizes sizes = {dwarf->file->class == ELFCLASS64 ? 8 : 4, 4, 4}; /* as most units have them */
	struct section *section = dwarf_section(dwarf, which);
	dwarf_at(dwarf, which, 0, "inflated bytes");
	enum locus_status status = section_need(section, unfolds_with_units(dwarf, which) ? 1 : section->size, error);
	if (status != LOCUS_OK || which != DEBUG_ABBREV || dwarf->abbrevs.declarations)
		return status;
	return abbrev_section_read(&dwarf->abbrevs, section->data, section->size, &sizes) ? LOCUS_OK
											  : locus_fail_memory(error);
}

/*
 * Whether so few abbreviation tables allow references to other units that perhaps there is none. Then .debug_info is
 * inflated in passing, and a second time if there is such a reference after all: but bytes that are changed as they are
 * read can be had only once.
 */
static bool is_across_seldom(const struct dwarf *dwarf)
{
	enum { TABLES_SELDOM = 16 };
	const struct section *info = &dwarf->file->sections[DEBUG_INFO];
	return info->inflater && !section_is_whole(info) && !section_has_patch(info) && dwarf->abbrevs.refers_across &&
	       dwarf->abbrevs.across_count <= dwarf->abbrevs.seen_count / TABLES_SELDOM;
}

enum locus_status dwarf_begin_lines(struct dwarf *dwarf, struct locus_error *error)
{
	dwarf_at(dwarf, DEBUG_LINE, 0, "inflated bytes");
	return section_need(dwarf_section(dwarf, DEBUG_LINE), 1, error);
}

bool dwarf_advance_strings(struct dwarf *dwarf)
{
	struct section *strings = dwarf_section(dwarf, DEBUG_STR);
	bool is_left = !section_is_whole(strings) && !section_is_damaged(strings);
	dwarf_at(dwarf, DEBUG_STR, 0, "inflated bytes");
	if (is_left)
		section_advance(strings);
	return is_left;
}

bool dwarf_map_info(struct dwarf *dwarf, size_t *mapped)
{
	enum { STEP = 1 << 20, MOST = 32 << 20 };
	const struct section *info = dwarf_section(dwarf, DEBUG_INFO);
	if (!info->pageable || *mapped == info->size || *mapped >= MOST)
		return false;
	size_t from = *mapped, left = info->size - from;
	*mapped += left < STEP ? left : STEP;
	section_map(info, from, *mapped);
	return true;
}

enum locus_status dwarf_prepare(struct dwarf *dwarf, struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	for (int i = 0; i < DEBUG_SECTION_COUNT && status == LOCUS_OK; i++)
		if (i != DEBUG_INFO && i != DEBUG_LINE && i != DEBUG_ARANGES &&
		    (i != DEBUG_STR || !dwarf->units_in_order))
			status = dwarf_prepare_section(dwarf, (enum debug_section)i, error);
	if (status == LOCUS_OK)
		status = dwarf_begin_lines(dwarf, error);
	return status == LOCUS_OK ? dwarf_begin_info(dwarf, error) : status;
}

enum locus_status dwarf_begin_info(struct dwarf *dwarf, struct locus_error *error)
{
	/* Where units refer to others, .debug_info must be there as a whole; where few do, once one does. */
	dwarf->refers_across = dwarf->split || dwarf->abbrevs.refers_across;
	dwarf->across_seldom = !dwarf->split && is_across_seldom(dwarf);
	if (!dwarf->refers_across || dwarf->across_seldom)
		return LOCUS_OK;
	if (!dwarf->units_in_order)
		return dwarf_prepare_section(dwarf, DEBUG_INFO, error);
	dwarf_at(dwarf, DEBUG_INFO, 0, "inflated bytes");
	return section_need(dwarf_section(dwarf, DEBUG_INFO), 1, error);
}

enum locus_status dwarf_need_info(struct dwarf *dwarf, uint64_t end)
{
	struct section *info = dwarf_section(dwarf, DEBUG_INFO);
	struct locus_error *error = &dwarf->info_error;
	if (dwarf->info_status != LOCUS_OK)
		return dwarf->info_status;
	if (!dwarf->across_seldom)
		return dwarf->info_status = section_need(info, dwarf->units_in_order ? end : info->size, error);
	return dwarf->info_status = section_need_beside(info, error);
}

enum locus_status dwarf_keep_info(struct dwarf *dwarf, uint64_t from, uint64_t to)
{
	if (dwarf->info_status == LOCUS_OK && dwarf->units_in_order && !dwarf->across_seldom)
		dwarf->info_status = section_keep(dwarf_section(dwarf, DEBUG_INFO), from, to, &dwarf->info_error);
	return dwarf->info_status;
}

static enum locus_status fail_in_alternate(const struct dwarf *alt, enum locus_status status,
					   const struct locus_error *why, struct locus_error *error)
{
	if (status == LOCUS_ERR_MEMORY)
		return locus_fail_memory(error);
	return locus_fail_at(error, status, why->offset, "alternate debug file %s: %s", alt->file->path, why->text);
}

enum locus_status dwarf_add_alternate(struct dwarf *dwarf, struct dwarf *alt, struct locus_error *error)
{
	struct locus_error why = {0};
	enum locus_status status = dwarf_prepare(alt, &why);
	alt->refers_across = true;
	dwarf->alt = alt;
	return status == LOCUS_OK ? LOCUS_OK : fail_in_alternate(alt, status, &why, error);
}

enum locus_status dwarf_name_split(const struct dwarf *dwarf, enum locus_status status, struct locus_error *error)
{
	if (!dwarf->split || status != LOCUS_ERR_BAD_DWARF || !error)
		return status;
	const struct locus_error why = *error;
	return locus_fail_at(error, status, why.offset, "split debug file %s: %s", dwarf->file->path, why.text);
}

enum locus_status dwarf_info_failure(const struct dwarf *dwarf, struct locus_error *error)
{
	const struct dwarf *alt = dwarf->alt;
	if (dwarf->info_status != LOCUS_OK && error)
		*error = dwarf->info_error;
	if (dwarf->info_status != LOCUS_OK || !alt || alt->info_status == LOCUS_OK)
		return dwarf->info_status;
	return fail_in_alternate(alt, alt->info_status, &alt->info_error, error);
}

enum locus_status dwarf_prepare_some(struct dwarf *dwarf, struct locus_error *error)
{
	static const uint8_t whole[] = {DEBUG_LINE_STR, DEBUG_STR_OFFSETS, DEBUG_ADDR, DEBUG_TYPES};
	bool is_there = section_is_whole(dwarf_section(dwarf, DEBUG_INFO));
	enum locus_status status = LOCUS_OK;
	for (size_t i = 0; i < sizeof(whole) && status == LOCUS_OK; i++)
		status = dwarf_prepare_section(dwarf, (enum debug_section)whole[i], error);

	/*
	 * Finding out which units refer to others would mean to read all abbreviations, which takes longer than to read
	 * some units.
	 */
	struct section *abbrevs = dwarf_section(dwarf, DEBUG_ABBREV);
	if (status == LOCUS_OK)
		status = is_there ? section_need(abbrevs, abbrevs->size, error)
				  : dwarf_prepare_section(dwarf, DEBUG_ABBREV, error);
	if (status != LOCUS_OK)
		return status;
	dwarf->refers_across = is_there || dwarf->abbrevs.refers_across;
	return dwarf->refers_across ? dwarf_prepare_section(dwarf, DEBUG_INFO, error) : LOCUS_OK;
}

void dwarf_drop_sections(struct dwarf *dwarf)
{
	for (int i = 0; i < DEBUG_SECTION_COUNT; i++)
		if (i != DEBUG_STR && i != DEBUG_LINE_STR)
			section_drop(dwarf_section(dwarf, (enum debug_section)i));
}
