/*
 * The .locus file is opened here, as by `locus check --quick`; the ELF file is only read by a child. As many children
 * run as there are jobs. Verdicts are taken in the order of the files.
 */
#include "cmd/check/judge_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/common/memory.h"
#include "cmd/common/suffix.h"
#include "cmd/conversion/child.h"
#include "cmd/store/symbol_store.h"

/* A file that is being judged. */
struct judged {
	struct verdict verdict;
	char *elf;           /* its ELF file */
	bool is_by_build_id; /* the .locus file is in a store, and `elf` in a tree of debug files by build-id */
	struct child child;
	bool is_running;
	struct comparison comparison;
};

static bool is_directory(const char *path)
{
	struct stat found;

	return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

/* The path of the ELF file in a tree of debug files by build-id; NULL: the .locus file is not in a store. */
static char *stored_elf(const char *directory, const char *path)
{
	size_t size;
	const char *id = store_file_id(path, &size);

	if (!id || size < 3) /* a build-id has two bytes and more */
		return NULL;
	return memory_text("%s/.build-id/%.2s/%.*s.debug", directory, id, (int)(size - 2), id + 2);
}

/* The path of the ELF file to judge by, malloc'd, and whether it is one by build-id. */
static char *elf_of(const struct judging *judging, const struct found_file *file, bool *ret_is_by_build_id)
{
	static const char suffix[] = ".locus";

	*ret_is_by_build_id = false;
	if (!is_directory(judging->elf))
		return memory_checked(strdup(judging->elf));
	char *elf = stored_elf(judging->elf, file->path);
	*ret_is_by_build_id = elf != NULL;
	if (elf)
		return elf;
	const char *name = file->path + file->base;
	size_t size = strlen(name);
	if (has_suffix(name, suffix))
		size -= strlen(suffix);
	return memory_text("%s/%.*s", judging->elf, (int)size, name);
}

static void start(const struct judging *judging, const struct found_file *file, struct judged *judged)
{
	struct verdict *verdict = &judged->verdict;

	*judged = (struct judged){.verdict.file = file};
	judged->elf = elf_of(judging, file, &judged->is_by_build_id);
	verdict_verify(verdict, judging->compares ? LOCUS_VERIFY_FULL : LOCUS_VERIFY_QUICK, false);
	/* A file of another version is whole, but not what would be made now. */
	if (verdict->status == LOCUS_ERR_VERSION && !judging->compares) {
		verdict->status = LOCUS_OK;
		snprintf(verdict->stale, sizeof(verdict->stale), "%s", verdict->error.text);
		return;
	}
	if (verdict->status != LOCUS_OK)
		return;

	const struct freshness_question question = {
		.file = file->path,
		.elf = judged->elf,
		.options = judging->options,
		.as_recorded = true,
		.look = judging->look,
	};
	/* What a program and this debug file gave together is what a store keeps. */
	if (!judging->compares &&
	    (freshness_is_plain(&question) || (judged->is_by_build_id && freshness_is_companion(&question))))
		return;
	verdict->elf = judged->elf;
	const struct comparison_question comparison = {
		.file = file->path, .elf = judged->elf, .options = judging->options, .samples = judging->samples};
	const struct child_request request = {
		.path = judged->elf,
		.options = *judging->options,
		.question = judging->compares ? NULL : &question,
		.only_judge = !judging->compares,
		.comparison = judging->compares ? &comparison : NULL,
	};
	verdict->status = child_start(&judged->child, &request, &verdict->error);
	judged->is_running = verdict->status == LOCUS_OK;
}

/* The child may have been taken over by its input, and have sent anything. */
static void take_comparison(struct judged *judged, const struct child_reply *reply)
{
	struct verdict *verdict = &judged->verdict;
	bool is_sound = reply->size == sizeof(judged->comparison);

	if (is_sound)
		memcpy(&judged->comparison, reply->data, sizeof(judged->comparison));
	if (is_sound && comparison_is_sound(&judged->comparison)) {
		verdict->comparison = &judged->comparison;
		return;
	}
	verdict->status = LOCUS_ERR_IO;
	snprintf(verdict->error.text, sizeof(verdict->error.text), "the comparison ended without an answer");
}

static void finish(const struct judging *judging, struct judged *judged)
{
	struct verdict *verdict = &judged->verdict;
	struct child_reply reply;

	if (!judged->is_running)
		return;
	verdict->status = child_finish(&judged->child, &reply, &verdict->error);
	if (verdict->status != LOCUS_OK)
		return;
	if (judging->compares)
		take_comparison(judged, &reply);
	else if (!reply.freshness.is_fresh)
		snprintf(verdict->stale, sizeof(verdict->stale), "%s", reply.freshness.reason);
	child_reply_done(&reply);
}

void judge_files(const struct found_files *files, const struct judging *judging, take_verdict *take, void *context)
{
	size_t count = judging->job_count < CHILD_MAX ? judging->job_count : CHILD_MAX, started = 0, taken = 0;
	struct judged *ring = memory_checked(calloc(count, sizeof(*ring)));
	bool goes_on = true;

	child_catch_signals();
	while (taken < started || (goes_on && taken < files->count)) {
		for (; goes_on && started < files->count && started - taken < count; started++)
			start(judging, &files->list[started], &ring[started % count]);
		struct judged *judged = &ring[taken++ % count];
		finish(judging, judged);
		goes_on = goes_on && !child_is_stopped() && take(context, &judged->verdict);
		free(judged->elf);
	}
	free(ring);
	if (child_is_stopped())
		child_raise_stop();
}
