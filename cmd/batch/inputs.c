/*
 * Collects the inputs of a batch before the first is converted, so that progress can be shown and output names
 * compared.
 */
#include "cmd/batch/inputs.h"

#include <errno.h>
#include <fts.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/member_path.h"
#include "base/order.h"
#include "cmd/common/exit_code.h"
#include "cmd/common/file_magic.h"
#include "cmd/common/memory.h"
#include "cmd/common/patient_io.h"
#include "cmd/common/report.h"
#include "cmd/common/suffix.h"
#include "cmd/conversion/converter.h"
#include "cmd/store/staging.h"

void inputs_done(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++) {
		free(inputs->list[i].path);
		free(inputs->list[i].problem);
	}
	free(inputs->list);
	tdestroy(inputs->files, free);
	*inputs = (struct inputs){0};
}

/* Says which file it is, whatever its name. */
struct file_id {
	dev_t device;
	ino_t inode;
};

static int compare_files(const void *a, const void *b)
{
	const struct file_id *x = a, *y = b;

	int order = order_of(x->device, y->device);
	return order ? order : order_of(x->inode, y->inode);
}

static void note_file(struct inputs *inputs, const struct stat *file)
{
	struct file_id *id = memory_checked(malloc(sizeof(*id)));

	*id = (struct file_id){file->st_dev, file->st_ino};
	struct file_id **found = memory_checked(tsearch(id, &inputs->files, compare_files));
	if (*found != id) /* it is there under another name */
		free(id);
}

bool inputs_have(const struct inputs *inputs, const struct stat *file)
{
	const struct file_id id = {file->st_dev, file->st_ino};

	return tfind(&id, &inputs->files, compare_files) != NULL;
}

static struct input *add(struct inputs *inputs, const char *path, size_t base, uint64_t size)
{
	memory_reserve(&inputs->list, &inputs->room, inputs->count + 1, sizeof(*inputs->list));
	inputs->size += size;
	inputs->list[inputs->count] = (struct input){
		.path = memory_checked(strdup(path)),
		.base = base,
		.size = size,
	};
	return &inputs->list[inputs->count++];
}

static void fail(struct inputs *inputs, const char *path, const char *text)
{
	report(path, "%s", text);
	inputs->code = exit_worst(inputs->code, EXIT_FAILED);
}

/*
 * Where the part of the path begins that names the file: the last component; for DIR/.build-id/ab/cdef.debug, both
 * parts of its build-id.
 */
static size_t name_in(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return 0;
	if (slash - path >= 3 && slash[-3] == '/') {
		static const char tree[] = ".build-id";
		size_t before = (size_t)(slash - 3 - path);
		if (before >= strlen(tree) && memcmp(path + before - strlen(tree), tree, strlen(tree)) == 0)
			return before + 1;
	}
	return (size_t)(slash + 1 - path);
}

/* Whether the file is compressed as a whole, as distributions ship modules; files other than ELF may be, too. */
static bool is_packed_module(const char *path)
{
	static const char *const suffixes[] = {".ko.xz", ".ko.zst", ".ko.gz"};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (has_suffix(path, suffixes[i]))
			return true;
	return false;
}

/* Whether a file found in a directory is to be converted. */
static bool is_wanted(const char *path)
{
	return file_begins_with(path, FILE_MAGIC_ELF, true) || is_packed_module(path);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void add_directory(struct inputs *inputs, const char *path)
{
	char *roots[] = {memory_checked(strdup(path)), NULL};
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
	size_t root_size = strlen(path), before = inputs->count;
	bool is_read = true;

	for (FTSENT *entry; tree && (entry = fts_read(tree)) != NULL;) {
		size_t base = root_size + (entry->fts_pathlen > root_size && entry->fts_path[root_size] == '/');
		/* A conversion may be at an output here; and what is gone since the directory was read is no input. */
		bool is_below = entry->fts_level > FTS_ROOTLEVEL;
		if (is_below && entry->fts_info == FTS_D && staging_may_be(entry->fts_name, entry->fts_statp->st_mode))
			fts_set(tree, entry, FTS_SKIP);
		if (is_below && entry->fts_errno == ENOENT)
			continue;
		if (entry->fts_info == FTS_ERR || entry->fts_info == FTS_DNR || entry->fts_info == FTS_NS) {
			fail(inputs, entry->fts_path, strerror(entry->fts_errno));
			is_read = false;
		}
		if (entry->fts_info != FTS_F)
			continue;
		if (is_wanted(entry->fts_path)) {
			add(inputs, entry->fts_path, base, (uint64_t)entry->fts_statp->st_size);
			note_file(inputs, entry->fts_statp);
		} else {
			inputs->skipped++;
		}
	}
	if (errno) { /* of fts_open, or of the last fts_read, which makes it 0 at the end of the tree */
		fail(inputs, path, strerror(errno));
		is_read = false;
	}
	if (is_read && inputs->count == before)
		fail(inputs, path, "no ELF file in it");
	if (tree)
		fts_close(tree);
	free(roots[0]);
}

/* Whether a path that is no file's is ARCHIVE(MEMBER). Notes the archive. */
static bool is_member_path(struct inputs *inputs, const char *path)
{
	char *archive = memory_checked(strndup(path, member_path_archive_size(path)));
	struct stat file;
	bool is = stat(archive, &file) == 0;

	if (is)
		note_file(inputs, &file);
	free(archive);
	return is;
}

/* Where to add the members of an archive, and the names of their outputs. */
struct member_adding {
	struct inputs *inputs;
	size_t base;
};

static void add_member(void *context, const struct locus_archive_member *member)
{
	const struct member_adding *adding = context;
	struct input *input = add(adding->inputs, member->path, adding->base, member->size);

	input->is_member = true;
	input->member_header = member->header;
	if (member->problem)
		input->problem = memory_checked(strdup(member->problem));
}

/*
 * Adds the members of an archive. False: it is none, or is empty, which its conversion will report. Damage is reported
 * here, and a converter that cannot be loaded: later it could be, and would say that an archive is no ELF file.
 */
static bool add_archive(struct inputs *inputs, const char *path)
{
	struct member_adding adding = {inputs, name_in(path)};
	struct locus_error error;
	size_t before = inputs->count;
	bool is_archive;

	if (!path_is_archive(path))
		return false;
	if (!converter_load()) {
		inputs->code = EXIT_FAILED;
		return true;
	}
	error_clear(&error);
	enum locus_status status = converter_archive_members(path, add_member, &adding, &is_archive, &error);
	if (status != LOCUS_OK) {
		report_error(path, status, &error);
		inputs->code = exit_worst(inputs->code, exit_of(status));
	}
	return status != LOCUS_OK || (is_archive && inputs->count > before);
}

void inputs_add(struct inputs *inputs, const char *path, bool is_recursive)
{
	struct stat file;

	bool is_there = stat(path, &file) == 0;
	if (is_there)
		note_file(inputs, &file);
	if (is_there && S_ISDIR(file.st_mode) && is_recursive)
		add_directory(inputs, path);
	else if (!is_there || !S_ISREG(file.st_mode) || !add_archive(inputs, path))
		add(inputs, path, name_in(path), is_there ? (uint64_t)file.st_size : 0)->is_member =
			!is_there && is_member_path(inputs, path);
}

static ssize_t read_standard_input(void *cookie, char *data, size_t size)
{
	(void)cookie;
	return patient_read(STDIN_FILENO, data, size);
}

void inputs_add_list(struct inputs *inputs, const char *list, bool is_recursive)
{
	bool is_input = strcmp(list, "-") == 0;
	FILE *file = is_input ? fopencookie(NULL, "r", (cookie_io_functions_t){.read = read_standard_input})
			      : fopen(list, "re");
	const char *name = is_input ? "standard input" : list;
	struct stat found;
	char *text = NULL;
	size_t room = 0;

	if (!file) {
		fail(inputs, name, strerror(errno));
		return;
	}
	if (fstat(is_input ? STDIN_FILENO : fileno(file), &found) == 0)
		note_file(inputs, &found); /* no output replaces the list */
	/* It is read as a whole first, because a NUL anywhere means that NULs end the paths. */
	ssize_t size = getdelim(&text, &room, '\0', file);
	bool has_nul = size > 0 && text[size - 1] == '\0';
	bool is_program = size > 0 && strncmp(text, FILE_MAGIC_ELF, strlen(FILE_MAGIC_ELF)) == 0;
	if (is_program) {
		fail(inputs, name, "an ELF file, not a list of paths; to convert it, give it without --files-from");
	} else if (has_nul) {
		for (; size > 0; size = getdelim(&text, &room, '\0', file))
			if (text[0])
				inputs_add(inputs, text, is_recursive);
	} else if (size > 0) {
		for (char *next = text, *line; (line = strsep(&next, "\n")) != NULL;)
			if (line[0])
				inputs_add(inputs, line, is_recursive);
	}
	if (!is_program && !feof(file)) /* it could not be read to its end, or memory is out */
		fail(inputs, name, strerror(errno));
	free(text);
	fclose(file);
}
