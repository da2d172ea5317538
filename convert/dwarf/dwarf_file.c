/* What a file's units share: inflated sections and compiled abbreviations. */
#include "convert/dwarf/dwarf_file.h"

#include "base/budget.h"
#include "base/fail.h"

void dwarf_init(struct dwarf *dwarf, struct elf_file *file)
{
	*dwarf = (struct dwarf){.file = file};
	budget_admit(file->stored_size);
	pthread_mutex_init(&dwarf->lock, NULL);
}

void dwarf_done(struct dwarf *dwarf)
{
	if (!dwarf->file)
		return;
	abbrev_section_done(&dwarf->abbrevs);
	pthread_mutex_destroy(&dwarf->lock);
	*dwarf = (struct dwarf){0};
}

void dwarf_at(const struct dwarf *dwarf, enum debug_section which, uint64_t offset, const char *what)
{
	budget_at(what, dwarf->split ? dwarf->file->path : NULL, debug_section_name(which), offset);
}

enum locus_status dwarf_prepare_section(struct dwarf *dwarf, enum debug_section which, struct locus_error *error)
{
	const struct form_sizes sizes = {dwarf->file->class == ELFCLASS64 ? 8 : 4, 4, 4}; /* of most units there are */
	struct section *section = dwarf_section(dwarf, which);
	dwarf_at(dwarf, which, 0, "inflated bytes");
	enum locus_status status = section_need(section, section->size, error);
	if (status != LOCUS_OK || which != DEBUG_ABBREV || dwarf->abbrevs.declarations)
		return status;
	return abbrev_section_read(&dwarf->abbrevs, section->data, section->size, &sizes) ? LOCUS_OK
											  : locus_fail_memory(error);
}

enum locus_status dwarf_prepare(struct dwarf *dwarf, struct locus_error *error)
{
	enum locus_status status = LOCUS_OK;
	for (int i = 0; i < DEBUG_SECTION_COUNT && status == LOCUS_OK; i++)
		if (i != DEBUG_INFO)
			status = dwarf_prepare_section(dwarf, (enum debug_section)i, error);
	if (status != LOCUS_OK)
		return status;
	dwarf->refers_across = dwarf->split || dwarf->abbrevs.refers_across;
	return dwarf->refers_across ? dwarf_prepare_section(dwarf, DEBUG_INFO, error) : LOCUS_OK;
}
