/*
 * Loads the converter.
 *
 * It needs libdw and the libraries of that. Loading them takes longer than a lookup, and only conversions need them, so
 * the command is not linked with the converter.
 */
#include <string.h>

#include "cmd/common/own_library.h"
#include "cmd/common/report.h"
#include "cmd/conversion/converter.h"
#include "spec/version.h"

#define LIBRARY "liblocus-convert.so"

static struct converter loaded;

bool converter_load(void)
{
	const char *version;
	void *library;

	if (loaded.convert)
		return true;
	library = own_library_open(LIBRARY, "the converter");
	if (!library)
		return false;
	if (!own_library_find(library, "locus_convert_version", &version) || strcmp(version, LOCUS_VERSION) != 0 ||
	    !own_library_find(library, "locus_convert_result_done", &loaded.result_done) ||
	    !own_library_find(library, "locus_convert_to_memory", &loaded.convert_to_memory) ||
	    !own_library_find(library, "locus_convert_functions_to_memory", &loaded.convert_functions_to_memory) ||
	    !own_library_find(library, "locus_convert_inputs", &loaded.inputs) ||
	    !own_library_find(library, "locus_convert_inputs_free", &loaded.inputs_free) ||
	    !own_library_find(library, "locus_convert_options_text", &loaded.options_text) ||
	    !own_library_find(library, "locus_cross_check_open", &loaded.cross_check_open) ||
	    !own_library_find(library, "locus_cross_check_free", &loaded.cross_check_free) ||
	    !own_library_find(library, "locus_cross_check_judge", &loaded.cross_check_judge) ||
	    !own_library_find(library, "locus_cross_check_change_points", &loaded.cross_check_change_points) ||
	    !own_library_find(library, "locus_elf_build_id", &loaded.elf_build_id) ||
	    !own_library_find(library, "locus_convert_rules_epoch", &loaded.rules_epoch) ||
	    !own_library_find(library, "locus_archive_members", &loaded.archive_members) ||
	    !own_library_find(library, "locus_convert", &loaded.convert)) {
		loaded = (struct converter){0};
		report(NULL, "%s is not that of locus %s; install both together", LIBRARY, LOCUS_VERSION);
		return false;
	}
	return true;
}

const struct converter *converter(void)
{
	return &loaded;
}
