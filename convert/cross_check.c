/* The cross-check: opens a program by libdw, and hands questions to those who answer from what was read. */
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/fail.h"
#include "convert/cross_check/change_points.h"
#include "convert/cross_check/evidence.h"
#include "convert/cross_check/verdict.h"
#include "convert/input_files.h"
#include "convert/program_symbols.h"

enum { QUESTION = 512 }; /* bytes of input: what a question may cost counts as so many (base/budget.h) */

struct locus_cross_check {
	struct input_files files;
	struct elf_file *mini;
	int fd, alternate_fd; /* of the files that libdw reads; -1: none */
	Dwarf *alternate;
	struct evidence evidence;
	struct budget budget;
};

static enum locus_status open_libdw(const char *path, int *ret_fd, Dwarf **ret, struct locus_error *error)
{
	*ret_fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	*ret = *ret_fd < 0 ? NULL : dwarf_begin(*ret_fd, DWARF_C_READ);
	return *ret ? LOCUS_OK : locus_fail(error, LOCUS_ERR_UNSUPPORTED, "libdw cannot read it: %s", dwarf_errmsg(-1));
}

/* RULES I5: what libdw does not read, or not as it is. */
static enum locus_status check_readable(const struct input_files *files, struct locus_error *error)
{
	if (files->program->type == ET_REL || !files->program->bytes.is_mapped)
		return locus_fail(error, LOCUS_ERR_UNSUPPORTED,
				  "only linked files can be held against libdw, no object files or packed ones");
	if (files->package)
		return locus_fail(error, LOCUS_ERR_UNSUPPORTED, "libdw reads no packages of split units");
	return LOCUS_OK;
}

static enum locus_status open_debug(struct locus_cross_check *w, struct locus_error *error)
{
	if (w->files.has_no_debug)
		return LOCUS_OK;
	w->evidence.path = input_files_debug(&w->files)->path;
	enum locus_status status = open_libdw(w->evidence.path, &w->fd, &w->evidence.dwarf, error);
	if (status == LOCUS_OK && w->files.alternate) {
		status = open_libdw(w->files.alternate->path, &w->alternate_fd, &w->alternate, error);
		if (status == LOCUS_OK)
			dwarf_setalt(w->evidence.dwarf, w->alternate);
	}
	return status;
}

/* libdw inflates all compressed sections at once when it opens the file: more than that can need is refused before. */
static enum locus_status admit(const struct elf_file *file, struct locus_error *error)
{
	uint64_t size = 0;
	GElf_Chdr compressed;
	if (!file)
		return LOCUS_OK;
	budget_admit(file->bytes.stored_size);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(file->elf, scn)) != NULL;)
		size += gelf_getchdr(scn, &compressed) ? compressed.ch_size : 0;
	for (int i = 0; i < DEBUG_SECTION_COUNT; i++)
		size += file->sections[i].inflater ? file->sections[i].size : 0;
	budget_at("inflated sections", file->path, "file", 0);
	return budget_take(size) ? LOCUS_OK : locus_fail_memory(error);
}

static enum locus_status open_all(struct locus_cross_check *w, const char *path,
				  const struct locus_convert_options *options, struct locus_error *error)
{
	w->evidence.prefix_maps = options->prefix_maps;
	w->evidence.prefix_map_count = options->prefix_map_count;
	enum locus_status status = input_files_find(path, options, &w->files, error);
	w->evidence.program = w->files.program;
	if (status == LOCUS_OK)
		status = check_readable(&w->files, error);
	if (status == LOCUS_OK)
		status = admit(w->files.program, error);
	if (status == LOCUS_OK)
		status = admit(w->files.separate, error);
	if (status == LOCUS_OK)
		status = admit(w->files.alternate, error);
	if (status == LOCUS_OK)
		status = program_symbols_read(&w->files, NULL, &w->evidence.symbols, &w->mini, error);
	if (status == LOCUS_OK)
		status = open_debug(w, error);
	return status == LOCUS_OK ? evidence_read(&w->evidence, error) : status;
}

enum locus_status locus_cross_check_open(const char *path, const struct locus_convert_options *options,
					 struct locus_cross_check **ret, struct locus_error *error)
{
	struct locus_cross_check *w = calloc(1, sizeof(*w));
	if (!w)
		return locus_fail_memory(error);
	w->fd = w->alternate_fd = -1;
	budget_init(&w->budget, options->max_memory);
	budget_use(&w->budget);
	enum locus_status status = budget_fail(&w->budget, open_all(w, path, options, error), error);
	budget_use(NULL);
	if (status == LOCUS_OK)
		*ret = w;
	else
		locus_cross_check_free(w);
	return status;
}

enum locus_status locus_cross_check_judge(struct locus_cross_check *check, const struct locus_claim *claim,
					  bool *ret_agrees, char *says, size_t says_size, struct locus_error *error)
{
	struct verdict verdict = {.text = says, .size = says_size};
	budget_use(&check->budget);
	budget_admit(QUESTION);
	budget_at("answers", NULL, "address", claim->address);
	enum locus_status status =
		verdict_reach(&check->evidence, claim, &verdict) ? LOCUS_OK : locus_fail_memory(error);
	status = budget_fail(&check->budget, status, error);
	budget_use(NULL);
	if (status == LOCUS_OK)
		*ret_agrees = verdict.agrees;
	return status;
}

enum locus_status locus_cross_check_change_points(struct locus_cross_check *check, uint64_t **ret, size_t *ret_count,
						  struct locus_error *error)
{
	budget_use(&check->budget);
	enum locus_status status =
		change_points_find(&check->evidence, ret, ret_count) ? LOCUS_OK : locus_fail_memory(error);
	status = budget_fail(&check->budget, status, error);
	budget_use(NULL);
	return status;
}

void locus_cross_check_free(struct locus_cross_check *check)
{
	if (!check)
		return;
	evidence_done(&check->evidence);
	dwarf_end(check->evidence.dwarf);
	dwarf_end(check->alternate);
	if (check->fd >= 0)
		close(check->fd);
	if (check->alternate_fd >= 0)
		close(check->alternate_fd);
	symbols_done(&check->evidence.symbols);
	elf_file_free(check->mini);
	input_files_done(&check->files);
	free(check);
}
