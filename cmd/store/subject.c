/*
 * An ELF file is converted to memory by a child process, as by `locus convert`. Its result is as little to be trusted,
 * and is read by the same reader.
 */
#include "cmd/store/subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/file_magic.h"
#include "cmd/common/processors.h"
#include "cmd/conversion/conversion.h"
#include "cmd/conversion/converter.h"
#include "cmd/store/symbol_cache.h"
#include "cmd/store/symbol_store.h"

struct locus_convert_options subject_options(void)
{
	/* The result is not kept, so compressing it would not pay. */
	return (struct locus_convert_options){
		.job_count = processor_count(), .level = 0, .block_size = LOCUS_CONVERT_BLOCK_SIZE};
}

enum locus_status subject_open(struct subject *subject, const char *path, const struct locus_convert_options *options,
			       struct locus_error *error)
{
	*subject = (struct subject){.path = path, .options = options, .whole = true};
	enum locus_status status = locus_open(path, NULL, &subject->locus, error);

	if (status != LOCUS_ERR_NOT_LOCUS)
		return status;
	if (!file_begins_with(path, FILE_MAGIC_ELF, false)) {
		/* The file might have been either of the two. */
		if (strcmp(error->text, locus_status_text(status)) == 0)
			snprintf(error->text, sizeof(error->text), "neither a .locus file nor an ELF file");
		return status;
	}
	subject->is_elf = true;
	subject->whole = false;
	return LOCUS_OK;
}

enum locus_status subject_open_stored(struct subject *subject, const char *store, const char *build_id,
				      struct locus_error *error)
{
	*subject = (struct subject){.whole = true};
	return store_open(store, build_id, &subject->locus, error);
}

void subject_use_cache(struct subject *subject, const char *folder)
{
	if (!subject->is_elf || subject->whole)
		return;
	subject->cached = symbol_cache_get(folder, subject->path, subject->options);
	subject->whole = subject->cached && locus_open(subject->cached, NULL, &subject->locus, NULL) == LOCUS_OK;
}

void subject_close(struct subject *subject)
{
	locus_close(subject->locus);
	free(subject->memory);
	free(subject->cached);
	*subject = (struct subject){0};
}

/* Only a whole conversion records its inputs (locus_convert_to_memory). */
static bool is_whole(struct locus *locus)
{
	const struct locus_info *info;

	return locus_info(locus, &info, NULL) == LOCUS_OK && info->input_count > 0;
}

static enum locus_status ask(struct subject *subject, const struct child_wanted *wanted, struct locus_error *error)
{
	enum locus_status status;
	void *memory;
	size_t size;

	if (subject->whole)
		return LOCUS_OK;
	if (!converter_load()) {
		snprintf(error->text, sizeof(error->text), "an ELF file cannot be asked without the converter");
		error->offset = LOCUS_NO_OFFSET;
		return LOCUS_ERR_UNSUPPORTED;
	}
	status = conversion_to_memory(subject->path, subject->options, wanted, &memory, &size, error);
	if (status != LOCUS_OK)
		return status;
	locus_close(subject->locus);
	free(subject->memory);
	subject->locus = NULL;
	subject->memory = memory;
	status = locus_open_memory(memory, size, NULL, &subject->locus, error);
	subject->whole = status == LOCUS_OK && is_whole(subject->locus);
	return status;
}

enum locus_status subject_ask(struct subject *subject, const uint64_t *addresses, size_t count,
			      struct locus_error *error)
{
	return ask(subject, &(struct child_wanted){.addresses = addresses, .address_count = count}, error);
}

enum locus_status subject_ask_functions(struct subject *subject, const char *const *names, size_t count,
					struct locus_error *error)
{
	return ask(subject, &(struct child_wanted){.names = names, .name_count = count}, error);
}
