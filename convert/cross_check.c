/* The cross-check: opens a program by libdw, and hands questions to those who answer from what was read. */
#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>

#include "base/budget.h"
#include "base/fail.h"
#include "convert/cross_check/change_points.h"
#include "convert/cross_check/evidence.h"
#include "convert/cross_check/verdict.h"
#include "convert/elf/links.h"
#include "convert/input_files.h"
#include "convert/program_symbols.h"

enum { QUESTION = 512 }; /* bytes of input: what a question may cost counts as so many (base/budget.h) */

struct locus_cross_check {
	struct input_files files;
	struct elf_file *mini;
	struct libdw_file debug, alternate;
	struct unit_loads loads;
	struct evidence evidence;
	struct budget budget;
};

/* ---- Steps, each of which may end in the midst of libdw ---- */

static _Thread_local jmp_buf *step_end;

/* libdw ends the program where memory is out, or has this called, which must not return. */
static __attribute__((noreturn)) void end_step(void)
{
	longjmp(*step_end, 1);
}

typedef enum locus_status step(struct locus_cross_check *check, void *context, struct locus_error *error);

/*
 * Runs a step for the budget. libdw does not always tell that memory is out from that there is nothing, so whether an
 * allocation failed is seen by errno.
 */
static enum locus_status run(struct locus_cross_check *check, step *take, void *context, struct locus_error *error)
{
	jmp_buf end;
	enum locus_status status;
	step_end = &end;
	budget_use(&check->budget);
	errno = 0;
	status = setjmp(end) == 0 ? take(check, context, error) : LOCUS_ERR_MEMORY;
	if (status == LOCUS_ERR_MEMORY || libdw_lacked_memory())
		budget_memory_out();
	status = budget_fail(&check->budget, status, error);
	budget_use(NULL);
	return status;
}

/* ---- Opening ---- */

/* RULES I5: what libdw does not read, or not as it is. */
static enum locus_status check_readable(const struct input_files *files, struct locus_error *error)
{
	struct alternate_link link;
	if (files->program->type == ET_REL || !files->program->bytes.is_mapped)
		return locus_fail(error, LOCUS_ERR_UNSUPPORTED,
				  "only linked files can be held against libdw, no object files or packed ones");
	for (int i = 0; i < COMPANION_DWP_PLACES; i++)
		if (files->packages.files[i])
			return locus_fail(error, LOCUS_ERR_UNSUPPORTED, "libdw reads no packages of split units");
	if (links_alternate(input_files_debug(files), &link) && link.is_supplement)
		return locus_fail(error, LOCUS_ERR_UNSUPPORTED, "libdw reads no supplementary files (.debug_sup)");
	return LOCUS_OK;
}

static enum locus_status open_debug(struct locus_cross_check *check, struct locus_error *error)
{
	const struct elf_file *debug = input_files_debug(&check->files), *alternate = check->files.alternate;
	if (check->files.has_no_debug)
		return LOCUS_OK;
	const char *shown = debug == check->files.program ? NULL : debug->path;
	check->debug.end = check->alternate.end = end_step;
	enum locus_status status =
		libdw_file_open(&check->debug, debug, shown, alternate != NULL, &check->loads, error);
	if (status != LOCUS_OK)
		return status;
	check->evidence.debug = &check->debug;
	if (!alternate)
		return LOCUS_OK;

	status = libdw_file_open(&check->alternate, alternate, alternate->path, false, &check->loads, error);
	if (status != LOCUS_OK)
		return status;
	dwarf_setalt(check->debug.dwarf, check->alternate.dwarf);
	return LOCUS_OK;
}

static void admit(const struct elf_file *file)
{
	if (file)
		budget_admit(file_bytes_counted(&file->bytes));
}

struct opening {
	const char *path;
	const struct locus_convert_options *options;
};

static enum locus_status open_all(struct locus_cross_check *check, void *context, struct locus_error *error)
{
	const struct opening *opening = context;
	const struct locus_convert_options *options = opening->options;
	check->evidence.prefix_maps = options->prefix_maps;
	check->evidence.prefix_map_count = options->prefix_map_count;
	check->evidence.loads = &check->loads;
	enum locus_status status = input_files_find(opening->path, options, &check->files, error);
	check->evidence.program = check->files.program;
	if (status == LOCUS_OK)
		status = check_readable(&check->files, error);
	admit(check->files.program);
	admit(check->files.separate);
	admit(check->files.alternate);
	if (status == LOCUS_OK)
		status = program_symbols_read(&check->files, NULL, &check->evidence.symbols, &check->mini, error);
	if (status == LOCUS_OK)
		status = open_debug(check, error);
	return status == LOCUS_OK ? evidence_read(&check->evidence, error) : status;
}

enum locus_status locus_cross_check_open(const char *path, const struct locus_convert_options *options,
					 struct locus_cross_check **ret, struct locus_error *error)
{
	struct locus_cross_check *check = calloc(1, sizeof(*check));
	if (!check)
		return locus_fail_memory(error);
	budget_init(&check->budget, options->max_memory);
	enum locus_status status = run(check, open_all, &(struct opening){path, options}, error);
	if (status == LOCUS_OK)
		*ret = check;
	else
		locus_cross_check_free(check);
	return status;
}

/* ---- Questions ---- */

static enum locus_status judge(struct locus_cross_check *check, void *context, struct locus_error *error)
{
	struct verdict *verdict = context;
	verdict->evidence = &check->evidence;
	budget_admit(QUESTION);
	budget_at("answers", NULL, "address", verdict->claim->address);
	return verdict_reach(verdict) ? LOCUS_OK : locus_fail_memory(error);
}

enum locus_status locus_cross_check_judge(struct locus_cross_check *check, const struct locus_claim *claim,
					  bool *ret_agrees, char *says, size_t says_size, struct locus_error *error)
{
	struct verdict verdict = {.claim = claim, .text = says, .size = says_size};
	enum locus_status status = run(check, judge, &verdict, error);
	if (status == LOCUS_OK)
		*ret_agrees = verdict.agrees;
	return status;
}

struct points {
	uint64_t **list;
	size_t *count;
};

static enum locus_status find_points(struct locus_cross_check *check, void *context, struct locus_error *error)
{
	const struct points *points = context;
	return change_points_find(&check->evidence, points->list, points->count) ? LOCUS_OK : locus_fail_memory(error);
}

enum locus_status locus_cross_check_change_points(struct locus_cross_check *check, uint64_t **ret, size_t *ret_count,
						  struct locus_error *error)
{
	return run(check, find_points, &(struct points){ret, ret_count}, error);
}

void locus_cross_check_free(struct locus_cross_check *check)
{
	if (!check)
		return;
	evidence_done(&check->evidence);
	libdw_file_close(&check->debug);
	libdw_file_close(&check->alternate);
	unit_loads_done(&check->loads);
	symbols_done(&check->evidence.symbols);
	elf_file_free(check->mini);
	input_files_done(&check->files);
	free(check);
}
