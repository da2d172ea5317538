/*
 * Finds the files that a conversion would read now, by the same code as a conversion, and reads only what identifies
 * them.
 */
#include <stdlib.h>

#include "base/budget.h"
#include "base/fail.h"
#include "convert/dwarf/die_reference.h"
#include "convert/locus_convert.h"
#include "convert/provenance.h"

/* The list that the caller gets, and the memory that it points into. */
struct kept_inputs {
	struct locus_convert_inputs given; /* the first member, so that freeing the list finds the rest */
	struct input_files files;
	struct budget budget;
	struct dwarf dwarf, alternate;
	struct split_files split_files;
	struct provenance provenance;
};

void locus_convert_inputs_free(struct locus_convert_inputs *inputs)
{
	struct kept_inputs *kept = (struct kept_inputs *)inputs;
	if (!kept)
		return;
	provenance_done(&kept->provenance);
	split_files_done(&kept->split_files);
	die_index_done(&kept->dwarf);
	dwarf_done(&kept->dwarf);
	dwarf_done(&kept->alternate);
	input_files_done(&kept->files);
	free(kept);
}

static enum locus_status gather(struct kept_inputs *kept, const char *path, const struct locus_convert_options *options,
				bool split_files, struct locus_error *error)
{
	struct input_files *files = &kept->files;
	enum locus_status status = input_files_find(path, options, files, error);
	if (status != LOCUS_OK)
		return status;
	kept->split_files.only_packages = options->dwp_file;
	status = split_files_add_packages(&kept->split_files, &files->packages, error);
	if (status == LOCUS_OK && split_files) {
		dwarf_init(&kept->dwarf, input_files_debug(files));
		if (files->alternate) { /* it may have the strings that skeletons name their .dwo files by */
			dwarf_init(&kept->alternate, files->alternate);
			kept->dwarf.alt = &kept->alternate;
		}
		status = split_files_find_all(&kept->split_files, &kept->dwarf, error);
	}
	if (status == LOCUS_OK && !provenance_gather(&kept->provenance, files, &kept->split_files))
		status = locus_fail_memory(error);
	return status;
}

enum locus_status locus_convert_inputs(const char *path, const struct locus_convert_options *options,
				       enum locus_convert_digests digests, bool split_files,
				       struct locus_convert_inputs **ret, struct locus_error *error)
{
	struct kept_inputs *kept = calloc(1, sizeof(*kept));
	if (!kept)
		return locus_fail_memory(error);
	kept->provenance.digests = digests;
	split_files_init(&kept->split_files, path);
	kept->split_files.is_survey = true;

	/* Whatever is read counts to a budget, as in a conversion. */
	budget_init(&kept->budget, options->max_memory);
	budget_use(&kept->budget);
	enum locus_status status = budget_fail(&kept->budget, gather(kept, path, options, split_files, error), error);
	budget_use(NULL);
	if (status != LOCUS_OK) {
		locus_convert_inputs_free(&kept->given);
		return status;
	}
	kept->given = (struct locus_convert_inputs){kept->provenance.inputs, kept->provenance.count};
	*ret = &kept->given;
	return LOCUS_OK;
}
