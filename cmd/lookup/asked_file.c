/* Each handle has scratches and labels of its own: these keep things by ids, which another handle numbers anew. */
#include "cmd/lookup/asked_file.h"

#include "cmd/common/report.h"
#include "cmd/common/return_address.h"

static enum locus_status find_machine(struct asked_file *asked, struct locus_error *error)
{
	const struct locus_info *info;
	enum locus_status status = locus_info(asked->file.locus, &info, error);

	if (status == LOCUS_OK)
		asked->machine = info->elf_machine;
	return status;
}

/* Makes what it takes to answer with the handle. end_handle frees it; the last one's is freed as the process ends. */
static enum locus_status begin_handle(struct asked_file *asked, struct locus_error *error)
{
	const struct lookup_options *options = asked->options;
	struct locus *locus = asked->file.locus;
	enum locus_status status = locus_scratch_new(locus, &asked->scratch, error);

	if (status == LOCUS_OK && options->all)
		status = locus_scratch_new(locus, &asked->name_scratch, error);
	if (status == LOCUS_OK && options->return_address)
		status = find_machine(asked, error);
	if (status != LOCUS_OK)
		return status;
	answers_begin_file(asked->answers, locus, !options->display.no_demangle);
	asked->answers->paths.relative_to = options->display.relative_to;
	return LOCUS_OK;
}

/* To be called before the file gets another handle. */
static void end_handle(struct asked_file *asked)
{
	struct answers *answers = asked->answers;

	if (answers->names) {
		function_labels_free(answers->names);
		path_labels_done(&answers->paths);
		answers->names = NULL;
	}
	locus_scratch_free(asked->scratch);
	locus_scratch_free(asked->name_scratch);
	asked->scratch = asked->name_scratch = NULL;
}

enum locus_status asked_file_open(struct asked_file *asked, struct locus_error *error)
{
	const struct lookup_options *options = asked->options;
	struct lookup_file *file = &asked->file;
	enum locus_status status = options->store
					   ? lookup_file_open_stored(file, options->store, options->build_id, error)
					   : lookup_file_open(file, options->file, &options->library, error);

	asked->answers->has_locids = !file->is_elf;
	if (status == LOCUS_OK && options->cache) {
		struct locus_error problem;
		lookup_file_use_cache(file, options->cache, &problem);
		if (problem.text[0])
			report(options->cache, "the cache cannot be used: %s", problem.text);
	}
	return status == LOCUS_OK && file->locus ? begin_handle(asked, error) : status;
}

enum locus_status asked_file_prepare(struct asked_file *asked, const uint64_t *addresses, size_t count,
				     struct locus_error *error)
{
	if (asked->file.whole)
		return LOCUS_OK;
	end_handle(asked);
	enum locus_status status = lookup_file_prepare(&asked->file, addresses, count, error);
	return status == LOCUS_OK ? begin_handle(asked, error) : status;
}

enum locus_status asked_file_prepare_functions(struct asked_file *asked, const char *const *names, size_t count,
					       struct locus_error *error)
{
	if (asked->file.whole)
		return LOCUS_OK;
	end_handle(asked);
	enum locus_status status = lookup_file_prepare_functions(&asked->file, names, count, error);
	return status == LOCUS_OK ? begin_handle(asked, error) : status;
}

uint64_t asked_file_bytes_before(const struct asked_file *asked, uint64_t address)
{
	return asked->options->return_address ? address - return_address_call(address, asked->machine) : 0;
}
