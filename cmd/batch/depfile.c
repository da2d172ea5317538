/*
 * Writes depfiles. make and ninja disagree about parts of make's quoting. What is written is what both accept, and what
 * compilers write: a backslash before blanks, '#' and ':', with the backslashes before these doubled; and two dollars
 * for one. ninja 1.11 ends a name at one of | & * < > ^ ` " ' ?, which it cannot express, so '|', '*' and '?' are
 * quoted for make alone. '[' stays as it is, because ninja would keep the backslash: make takes "a[b]" for ab where
 * that exists.
 */
#include "cmd/batch/depfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/same_file.h"
#include "cmd/common/memory.h"
#include "cmd/common/patient_io.h"
#include "cmd/common/report.h"
#include "cmd/store/staging.h"

static void add(struct depfile_text *text, const char *bytes, size_t size)
{
	memory_reserve(&text->bytes, &text->room, text->size + size, 1);
	memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
}

static void add_text(struct depfile *depfile, const char *text)
{
	add(&depfile->rules, text, strlen(text));
}

/*
 * make takes a first prerequisite "a=b" for an assignment, but not one behind another word. This word is make's
 * variable with a blank as its name, which nobody sets; ninja drops it.
 */
static const char NO_ASSIGNMENT[] = "$  ";

/*
 * Whether make has a way to quote a name. It has none for a line break, for a ';', behind which it sees a command, for
 * a tab in a target, for a blank at the end, or for a '~' at the start, which it replaces by a home folder, also behind
 * "./"; and it reads a name with a pattern's signs in another way, in which the quoting of the others does not hold.
 */
static bool can_be_said(const char *path, bool is_target)
{
	bool ends_badly = *path && strchr("\\ \t", path[strlen(path) - 1]);
	bool is_mixed = strpbrk(path, "*?|") && strpbrk(path, "\\:#");

	if (ends_badly || is_mixed || strpbrk(path, is_target ? "\n\r;\t" : "\n\r;"))
		return false;
	while (path[0] == '.' && path[1] == '/')
		path += 1 + strspn(path + 1, "/");
	return *path != '~';
}

static void add_path(struct depfile *depfile, const char *path, bool is_target)
{
	size_t backslashes = 0;

	if (!can_be_said(path, is_target))
		snprintf(depfile->problem, sizeof(depfile->problem),
			 "make has no way to quote the name '%.400s': see --depfile in locus(1)", path);
	if (*path && strchr("=+!?", *path)) /* make would stop at "=", "+=", "!=" or "?=" behind no name */
		add_text(depfile, "./");
	for (const char *c = path; *c; c++) {
		bool is_quoted = strchr(" \t#:*?", *c) || (*c == '|' && !is_target);
		for (size_t i = 0; is_quoted && i < backslashes; i++)
			add_text(depfile, "\\");
		if (is_quoted || *c == '$')
			add_text(depfile, *c == '$' ? "$" : "\\");
		add(&depfile->rules, c, 1);
		backslashes = *c == '\\' ? backslashes + 1 : 0;
	}
}

/* Refuses a depfile that would overwrite a file that was read or made. */
static void note_clash(struct depfile *depfile, const char *path, const char *problem)
{
	if (paths_are_same_file(depfile->path, path))
		snprintf(depfile->problem, sizeof(depfile->problem), "%s", problem);
}

/* Whether make takes the name for a member of an archive, as lib.a(x.o): one that is absent, and cannot be made. */
static bool is_member_for_make(const char *path)
{
	const char *open = strchr(path, '(');

	return open && open > path && path[strlen(path) - 1] == ')';
}

/* make takes "&:" for the sign of a rule that makes all its targets at once: a blank comes between. */
static bool ends_in_ampersand(const char *path)
{
	return *path && path[strlen(path) - 1] == '&';
}

/* With an empty rule of its own, an input that has vanished is no error; the program itself needs none. */
static void add_empty_rule(struct depfile *depfile, const char *path)
{
	if (strpbrk(path, "=%\t")) /* which make cannot express in a target, or takes for a rule of many */
		return;
	add_path(depfile, path, true);
	add_text(depfile, ends_in_ampersand(path) ? " :\n" : ":\n");
}

void depfile_add(struct depfile *depfile, const char *output, const char *paths, size_t paths_size)
{
	if (!depfile->path)
		return;
	const char *end = paths + paths_size;
	note_clash(depfile, output, "would overwrite an output");
	add_path(depfile, output, true);
	add_text(depfile, ends_in_ampersand(output) ? " : " : ": ");
	if (strchr(paths, '='))
		add_text(depfile, NO_ASSIGNMENT);
	for (const char *path = paths; path < end; path += strlen(path) + 1) {
		note_clash(depfile, path, "would overwrite an input");
		add_text(depfile, path == paths ? "" : " \\\n  ");
		add_path(depfile, path, false);
	}
	add_text(depfile, "\n");
	for (const char *path = paths; path < end; path += strlen(path) + 1)
		if (path != paths || is_member_for_make(path))
			add_empty_rule(depfile, path);
}

void depfile_add_made(struct depfile *depfile, const char *output)
{
	if (depfile->path)
		add(&depfile->made, output, strlen(output) + 1);
}

static bool write_file(const char *path, const char *text, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	bool is_written = fd >= 0 && patient_write(fd, text, size);

	return fd >= 0 && close(fd) == 0 && is_written;
}

void depfile_give_up(const struct depfile *depfile)
{
	const char *paths = depfile->made.bytes;

	for (size_t at = 0; at < depfile->made.size; at += strlen(paths + at) + 1)
		unlink(paths + at);
}

static bool fail(const struct depfile *depfile, const char *why)
{
	depfile_give_up(depfile);
	report(depfile->path, "the depfile cannot be written, so no output is kept: %s", why);
	return false;
}

bool depfile_write(struct depfile *depfile)
{
	struct staging staging;

	if (!depfile->path || !depfile->rules.size)
		return true;
	if (depfile->problem[0])
		return fail(depfile, depfile->problem);
	if (!staging_init(&staging, depfile->path))
		return fail(depfile, staging_problem(errno));
	bool is_written = write_file(staging.file, depfile->rules.bytes, depfile->rules.size) &&
			  staging_commit(&staging, depfile->path);
	int error = errno;
	staging_done(&staging);
	return is_written || fail(depfile, strerror(error));
}

void depfile_done(struct depfile *depfile)
{
	free(depfile->rules.bytes);
	free(depfile->made.bytes);
	*depfile = (struct depfile){0};
}
