/*
 * Loads the converter.
 *
 * It needs libdw and the libraries of that. Loading them takes longer than a lookup, and only conversions need them, so
 * the command is not linked with the converter.
 */
#include "cmd/conversion/converter.h"

#include <errno.h>

#include "cmd/common/memory.h"
#include "cmd/common/own_library.h"

static struct converter loaded;

bool converter_load(void)
{
	static const struct own_symbol symbols[] = {
		{"locus_convert_result_done", &loaded.result_done},
		{"locus_convert_to_memory", &loaded.convert_to_memory},
		{"locus_convert_functions_to_memory", &loaded.convert_functions_to_memory},
		{"locus_convert_inputs", &loaded.inputs},
		{"locus_convert_inputs_free", &loaded.inputs_free},
		{"locus_convert_options_text", &loaded.options_text},
		{"locus_cross_check_open", &loaded.cross_check_open},
		{"locus_cross_check_free", &loaded.cross_check_free},
		{"locus_cross_check_judge", &loaded.cross_check_judge},
		{"locus_cross_check_change_points", &loaded.cross_check_change_points},
		{"locus_elf_build_id", &loaded.elf_build_id},
		{"locus_convert_rules_epoch", &loaded.rules_epoch},
		{"locus_archive_members", &loaded.archive_members},
		{"locus_convert", &loaded.convert},
	};
	static const struct own_library library = {
		"liblocus-convert.so",
		"the converter",
		"locus_convert_version",
		symbols,
		sizeof(symbols) / sizeof(symbols[0]),
	};

	return loaded.convert || own_library_load(&library);
}

const struct converter *converter(void)
{
	return &loaded;
}

bool converter_build_id(const char *path, uint8_t *ret, size_t *size)
{
	errno = 0;
	bool has_one = loaded.elf_build_id(path, ret, size);
	if (!has_one && errno == ENOMEM)
		memory_checked(NULL);
	return has_one;
}
