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
#include "cmd/common/report.h"
#include "cmd/conversion/mapped_call.h"

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
		{"locus_elf_section", &loaded.elf_section},
		{"locus_elf_variable", &loaded.elf_variable},
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

	static bool has_failed;

	if (!loaded.convert && !has_failed)
		has_failed = !own_library_load(&library);
	return loaded.convert != NULL;
}

const struct converter *converter(void)
{
	return &loaded;
}

struct build_id_reading {
	const char *path;
	uint8_t *ret;
	size_t *size;
	struct locus_error *error;
	enum locus_status status;
};

static void read_build_id(void *argument)
{
	struct build_id_reading *reading = argument;

	reading->status = loaded.elf_build_id(reading->path, reading->ret, reading->size, reading->error);
	if (reading->status == LOCUS_ERR_MEMORY)
		memory_checked(NULL);
}

static enum locus_status fail_cut_short(struct locus_error *error)
{
	return error_fail(error, LOCUS_ERR_IO, "it was cut short while it was read, or cannot be read");
}

enum locus_status converter_build_id(const char *path, uint8_t *ret, size_t *size, struct locus_error *error)
{
	struct build_id_reading reading = {path, ret, size, error, LOCUS_OK};

	return mapped_call(read_build_id, &reading) ? reading.status : fail_cut_short(error);
}

struct section_reading {
	const char *path, *name;
	uint64_t *ret_start, *ret_size;
	bool is_found;
};

static void read_section(void *argument)
{
	struct section_reading *reading = argument;

	reading->is_found = loaded.elf_section(reading->path, reading->name, reading->ret_start, reading->ret_size);
}

bool converter_section(const char *path, const char *name, uint64_t *ret_start, uint64_t *ret_size)
{
	struct section_reading reading = {path, name, ret_start, ret_size, false};

	return mapped_call(read_section, &reading) && reading.is_found;
}

struct archive_reading {
	const char *path;
	locus_archive_tell *tell;
	void *context;
	bool *ret_is_archive;
	struct locus_error *error;
	enum locus_status status;
};

static void read_archive(void *argument)
{
	struct archive_reading *reading = argument;

	reading->status = loaded.archive_members(reading->path, reading->tell, reading->context,
						 reading->ret_is_archive, reading->error);
}

enum locus_status converter_archive_members(const char *path, locus_archive_tell *tell, void *context,
					    bool *ret_is_archive, struct locus_error *error)
{
	struct archive_reading reading = {path, tell, context, ret_is_archive, error, LOCUS_OK};

	return mapped_call(read_archive, &reading) ? reading.status : fail_cut_short(error);
}
