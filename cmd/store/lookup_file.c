/*
 * An ELF file is converted to memory by a child process, as by `locus convert`. Its result is as little to be trusted,
 * and is read by the same reader.
 */
#include "cmd/store/lookup_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/member_path.h"
#include "cmd/common/file_magic.h"
#include "cmd/common/file_state.h"
#include "cmd/common/memory.h"
#include "cmd/common/processors.h"
#include "cmd/common/report.h"
#include "cmd/conversion/conversion.h"
#include "cmd/conversion/converter.h"
#include "cmd/store/symbol_cache.h"
#include "cmd/store/symbol_store.h"

struct locus_convert_options lookup_file_options(void)
{
	/* The result is not kept, so compressing it would not pay. */
	return (struct locus_convert_options){
		.job_count = processor_count(), .level = 0, .block_size = LOCUS_CONVERT_BLOCK_SIZE};
}

/* Whether the path names a member of an archive: ARCHIVE(MEMBER). */
static bool is_member(const char *path)
{
	char *archive = memory_checked(strndup(path, member_path_archive_size(path)));
	bool found = path_is_archive(archive);

	free(archive);
	return found;
}

/* The state of the file at the path, or of the archive whose member it names. */
static bool find_state(const char *path, struct stat *ret)
{
	if (stat(path, ret) == 0)
		return true;
	char *archive = memory_checked(strndup(path, member_path_archive_size(path)));
	bool found = stat(archive, ret) == 0;

	free(archive);
	return found;
}

enum locus_status lookup_file_check_same(const struct lookup_file *file, struct locus_error *error)
{
	struct stat now;

	if (find_state(file->path, &now) && file_state_is_same(&file->opened, &now))
		return LOCUS_OK;
	return error_fail(error, LOCUS_ERR_IO, "it was replaced or written to since it was first read: ask again");
}

/* Whether the converter reads such a file: an ELF file, be it compressed as a whole. */
static bool is_convertible(const char *path)
{
	static const char *const magics[] = {FILE_MAGIC_ELF, FILE_MAGIC_XZ, FILE_MAGIC_GZIP, FILE_MAGIC_ZSTD};

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		if (file_begins_with(path, magics[i], false))
			return true;
	}
	return false;
}

enum locus_status lookup_file_open(struct lookup_file *file, const char *path,
				   const struct locus_convert_options *options, struct locus_error *error)
{
	*file = (struct lookup_file){.path = path, .options = options, .whole = true};
	enum locus_status status = locus_open(path, NULL, &file->locus, error);

	if (status == LOCUS_OK)
		return status;
	if (status == LOCUS_ERR_NOT_LOCUS ? is_convertible(path) : is_member(path)) {
		file->is_elf = true;
		file->whole = false;
		find_state(path, &file->opened);
		return LOCUS_OK;
	}

	/* The file might have been either of the two. */
	if (status == LOCUS_ERR_NOT_LOCUS && strcmp(error->text, locus_status_text(status)) == 0)
		snprintf(error->text, sizeof(error->text), "neither a .locus file nor an ELF file%s",
			 path_is_archive(path) ? ", but an archive: name a member, as in libc.a(malloc.o)" : "");
	return status;
}

enum locus_status lookup_file_open_stored(struct lookup_file *file, const char *store, const char *build_id,
					  struct locus_error *error)
{
	*file = (struct lookup_file){.whole = true};
	return store_open(store, build_id, &file->locus, error);
}

void lookup_file_use_cache(struct lookup_file *file, const char *folder, struct locus_error *problem)
{
	error_clear(problem);
	if (!file->is_elf || file->whole)
		return;
	file->cached = symbol_cache_get(folder, file->path, file->options, problem);
	file->whole = file->cached && locus_open(file->cached, NULL, &file->locus, NULL) == LOCUS_OK;
}

void lookup_file_close(struct lookup_file *file)
{
	locus_close(file->locus);
	free(file->memory);
	free(file->cached);
	*file = (struct lookup_file){0};
}

size_t lookup_file_memory(const struct lookup_file *file)
{
	return file->memory_size;
}

/* Only a whole conversion records its inputs (locus_convert_to_memory). */
static bool is_whole(struct locus *locus)
{
	const struct locus_info *info;

	return locus_info(locus, &info, NULL) == LOCUS_OK && info->input_count > 0;
}

static enum locus_status prepare(struct lookup_file *file, const struct child_wanted *wanted, struct locus_error *error)
{
	enum locus_status status;
	void *memory;
	size_t size;

	if (file->whole)
		return LOCUS_OK;
	if (!converter_load())
		return error_fail(error, LOCUS_ERR_UNSUPPORTED, "an ELF file cannot be asked without the converter");
	status = conversion_to_memory(file->path, file->options, wanted, &memory, &size, error);
	if (status != LOCUS_OK)
		return status;
	status = lookup_file_check_same(file, error);
	if (status != LOCUS_OK) {
		free(memory);
		return status;
	}
	locus_close(file->locus);
	free(file->memory);
	file->locus = NULL;
	file->memory = memory;
	file->memory_size = size;
	status = locus_open_memory(memory, size, NULL, &file->locus, error);
	file->whole = status == LOCUS_OK && is_whole(file->locus);
	return status;
}

enum locus_status lookup_file_prepare(struct lookup_file *file, const uint64_t *addresses, size_t count,
				      struct locus_error *error)
{
	return prepare(file, &(struct child_wanted){.addresses = addresses, .address_count = count}, error);
}

enum locus_status lookup_file_prepare_functions(struct lookup_file *file, const char *const *names, size_t count,
						struct locus_error *error)
{
	return prepare(file, &(struct child_wanted){.names = names, .name_count = count}, error);
}
