/* Conversions, and questions whether a conversion is still up to date, find their files by the same code. */
#include "convert/input_files.h"

#include "base/fail.h"

/* The caller's options about where to look for companions. */
static struct companion_options companions_of(const struct locus_convert_options *options)
{
	return (struct companion_options){
		.debug_file = options->debug_file,
		.alt_file = options->alt_file,
		.dwp_file = options->dwp_file,
		.debug_dirs = options->debug_dirs,
		.debug_dir_count = options->debug_dir_count,
		.missing = options->missing,
	};
}

struct elf_file *input_files_debug(const struct input_files *files)
{
	return files->separate ? files->separate : files->program;
}

/* Finds the separate debug file, if the program has no debug information or the caller named one. */
static enum locus_status find_separate(const struct companion_options *options, bool symbols_only,
				       struct input_files *files, struct locus_error *error)
{
	if (options->debug_file || !elf_file_has_debug(files->program)) {
		enum locus_status status = companion_debug(files->program, options, &files->separate, error);
		if (status != LOCUS_OK && !(status == LOCUS_ERR_NO_DEBUG && symbols_only))
			return status;
	}
	/* A debug file without debug information may have a symbol table all the same. */
	const struct elf_file *debug = input_files_debug(files);
	files->has_no_debug = symbols_only && !elf_file_has_debug(debug);
	if (!elf_file_has_debug(debug) && !symbols_only)
		return locus_fail(error, LOCUS_ERR_NO_DEBUG, "no debug information in its debug file %s", debug->path);
	return LOCUS_OK;
}

/*
 * RULES G3: units refer to the alternate file for all but their lines, which need no units. Without these, either, the
 * symbols are left, and otherwise it stays the failure that it was.
 */
static enum locus_status do_without_alternate(const struct locus_convert_options *options, struct input_files *files,
					      enum locus_status failure)
{
	struct elf_file *debug = input_files_debug(files);
	elf_file_keep_lines(debug);
	files->has_no_debug = !elf_file_has_debug(debug);
	return files->has_no_debug && !options->symbols_only ? failure : LOCUS_OK;
}

enum locus_status input_files_find(const char *path, const struct locus_convert_options *options,
				   struct input_files *ret, struct locus_error *error)
{
	const struct companion_options companions = companions_of(options);
	enum locus_status status = elf_file_open_member(path, options->member_header, &ret->program, error);
	if (status != LOCUS_OK)
		return status;
	if (ret->program->is_split)
		return locus_fail(error, LOCUS_ERR_COMPANION,
				  "split debug information without code: convert the program that it belongs to");
	status = find_separate(&companions, options->symbols_only, ret, error);
	if (status == LOCUS_OK)
		status = companion_alt(input_files_debug(ret), &companions, &ret->alternate, error);
	if (status == LOCUS_ERR_COMPANION && options->companions_optional)
		status = do_without_alternate(options, ret, status);
	if (status != LOCUS_OK)
		return status;
	status = companion_dwp(path, input_files_debug(ret), &companions, &ret->packages, error);
	return status == LOCUS_ERR_COMPANION && options->companions_optional ? LOCUS_OK : status;
}

void input_files_done(struct input_files *files)
{
	for (int i = 0; i < COMPANION_DWP_PLACES; i++)
		elf_file_free(files->packages.files[i]);
	elf_file_free(files->alternate);
	elf_file_free(files->separate);
	elf_file_free(files->program);
	*files = (struct input_files){0};
}
