/* Which of a program's symbol tables count, and what is added to them. */
#include "convert/program_symbols.h"

#include "base/fail.h"
#include "convert/elf/mini_debug.h"
#include "convert/symbols/plt.h"
#include "convert/symbols/symbol_table.h"

/*
 * Whether the table of a separate debug file is the one to read (RULES E1). An object file's is not, since the sections
 * that its symbols are in may have other addresses there.
 */
static bool is_longer(const struct symbol_table *separate, const struct symbol_table *own)
{
	bool is_full = separate->count && !separate->is_dynamic;
	return is_full &&
	       (own->is_dynamic || !own->count || (separate->count > own->count && own->file->type != ET_REL));
}

static enum locus_status choose_table(const struct input_files *files, const struct range_list *of_interest,
				      struct symbols *ret, struct locus_error *error)
{
	const struct elf_file *program = files->program, *separate = files->separate;
	struct symbol_table own, other;
	*ret = (struct symbols){0};
	enum locus_status status = symbol_table_open(&own, program, program, error);
	if (status == LOCUS_OK && separate)
		status = symbol_table_open(&other, separate, program, error);
	if (status != LOCUS_OK)
		return status;
	return symbols_read(ret, separate && is_longer(&other, &own) ? separate : program, program, of_interest, error);
}

/* RULES E1: if the program's own table was stripped, MiniDebugInfo has symbols that .dynsym lacks. */
static enum locus_status add_mini_symbols(const struct input_files *files, struct symbols *symbols,
					  struct elf_file **ret_mini, struct locus_error *error)
{
	struct symbols mini;
	enum locus_status status = symbols->full ? LOCUS_OK : mini_debug_open(files->program, ret_mini, error);
	if (status != LOCUS_OK || !*ret_mini)
		return status;
	status = symbols_read(&mini, *ret_mini, files->program, NULL, error);
	if (status == LOCUS_OK && !symbols_join(symbols, &mini))
		status = locus_fail_memory(error);
	if (status != LOCUS_OK)
		symbols_done(&mini);
	return status;
}

enum locus_status program_symbols_read(const struct input_files *files, const struct range_list *of_interest,
				       struct symbols *ret, struct elf_file **ret_mini, struct locus_error *error)
{
	*ret_mini = NULL;
	enum locus_status status = choose_table(files, of_interest, ret, error);
	if (status == LOCUS_OK && !ret->full)
		status = symbols_widen(ret, NULL, error);
	if (status == LOCUS_OK)
		status = add_mini_symbols(files, ret, ret_mini, error);
	if (status == LOCUS_OK)
		status = plt_add_symbols(ret, files->program, error);
	return status;
}
