/* The converter, a library that is loaded only when a command needs it. */
#ifndef LOCUS_CONVERTER_H
#define LOCUS_CONVERTER_H

#include <stdbool.h>

#include "convert/locus_convert.h"

/* The library's functions, as in convert/locus_convert.h. */
struct converter {
	__typeof__(locus_convert) *convert;
	__typeof__(locus_convert_to_memory) *convert_to_memory;
	__typeof__(locus_convert_functions_to_memory) *convert_functions_to_memory;
	__typeof__(locus_convert_result_done) *result_done;
	__typeof__(locus_convert_inputs) *inputs;
	__typeof__(locus_convert_inputs_free) *inputs_free;
	__typeof__(locus_convert_options_text) *options_text;
	__typeof__(locus_cross_check_open) *cross_check_open;
	__typeof__(locus_cross_check_free) *cross_check_free;
	__typeof__(locus_cross_check_judge) *cross_check_judge;
	__typeof__(locus_cross_check_change_points) *cross_check_change_points;
	__typeof__(locus_elf_build_id) *elf_build_id;
	__typeof__(locus_elf_section) *elf_section;
	__typeof__(locus_elf_variable) *elf_variable;
	const uint32_t *rules_epoch;
	__typeof__(locus_archive_members) *archive_members;
};

/* Loads the library, once. False: it could not be loaded; the reason was reported, the first time. */
bool converter_load(void);

/* The functions that converter_load found. */
const struct converter *converter(void);

/*
 * The same as its elf_build_id, but that a file which is cut short while it is read is LOCUS_ERR_IO. If memory is out,
 * reports that and ends the program.
 */
enum locus_status converter_build_id(const char *path, uint8_t *ret, size_t *size, struct locus_error *error);

/* The same as its elf_section; a file that is cut short while it is read has none. */
bool converter_section(const char *path, const char *name, uint64_t *ret_start, uint64_t *ret_size);

/* The same as its archive_members, but that an archive which is cut short while it is read is LOCUS_ERR_IO. */
enum locus_status converter_archive_members(const char *path, locus_archive_tell *tell, void *context,
					    bool *ret_is_archive, struct locus_error *error);

#endif
