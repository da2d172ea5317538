/* Which of a program's symbol tables count, and what is added to them. */
#include "convert/program_symbols.h"

#include "base/fail.h"
#include "convert/elf/mini_debug.h"
#include "convert/symbols/plt.h"

/* Chooses the most complete table: .symtab before .dynsym, the program's own before its debug file's. */
static enum locus_status choose_table(const struct input_files *files, const struct range_list *of_interest,
				      struct symbols *ret, struct locus_error *error)
{
	enum locus_status status = symbols_read(ret, files->program, files->program, of_interest, error);
	if (status != LOCUS_OK || !files->separate || ret->full)
		return status;
	struct symbols other;
	status = symbols_read(&other, files->separate, files->program, of_interest, error);
	if (status == LOCUS_OK && other.full) {
		symbols_done(ret);
		*ret = other;
	} else {
		symbols_done(&other);
	}
	return status;
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
