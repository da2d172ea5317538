/*
 * A subject that is an ELF file is converted in a child process, as by `locus convert`, into memory: what it holds is
 * as little to be trusted, and it answers through the same reader.
 */
#include "cmd/jobs/subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/file_magic.h"
#include "cmd/jobs/conversion.h"
#include "cmd/jobs/converter.h"
#include "cmd/jobs/symbol_cache.h"

struct locus_convert_options subject_options(void)
{
	/* One thread is the quickest for a few units, and nothing is kept that would be worth compressing. */
	return (struct locus_convert_options){.job_count = 1, .level = 0, .block_size = LOCUS_CONVERT_BLOCK_SIZE};
}

enum locus_status subject_open(struct subject *subject, const char *path, const struct locus_convert_options *options,
			       struct locus_error *error)
{
	*subject = (struct subject){.path = path, .options = options, .whole = true};
	enum locus_status status = locus_open(path, NULL, &subject->locus, error);

	if (status != LOCUS_ERR_NOT_LOCUS)
		return status;
	if (!file_begins_with(path, FILE_MAGIC_ELF, false)) {
		/* Here it might have been the one or the other. */
		if (strcmp(error->text, locus_status_text(status)) == 0)
			snprintf(error->text, sizeof(error->text), "neither a .locus file nor an ELF file");
		return status;
	}
	subject->is_elf = true;
	subject->whole = false;
	return LOCUS_OK;
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

enum locus_status subject_ask(struct subject *subject, const uint64_t *addresses, size_t count,
			      struct locus_error *error)
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
	status = conversion_to_memory(subject->path, subject->options, addresses, count, &memory, &size, error);
	if (status != LOCUS_OK)
		return status;
	locus_close(subject->locus);
	free(subject->memory);
	subject->locus = NULL;
	subject->memory = memory;
	subject->whole = !addresses;
	return locus_open_memory(memory, size, NULL, &subject->locus, error);
}
