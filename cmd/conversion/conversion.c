/*
 * The converting process has no network. It reports which companion is missing; if servers may be asked, a second
 * process fetches that, and a third converts again with it.
 */
#include "cmd/conversion/conversion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/report.h"
#include "cmd/conversion/fetch.h"

/* No server could be asked: asking for the next file would only take as long again. */
static bool is_in_vain;

/*
 * The last file that could not be fetched, and why: who tries several ways to it asks for it only once. The answer
 * continues "debuginfod"; empty: there is none.
 */
static struct {
	struct locus_missing missing;
	char answer[LOCUS_ERROR_TEXT_SIZE + 32];
} failed;

static bool has_failed(const struct locus_missing *missing)
{
	return failed.answer[0] && failed.missing.build_id_size == missing->build_id_size &&
	       memcmp(failed.missing.build_id, missing->build_id, missing->build_id_size) == 0;
}

/* The answer that is known before the servers are asked; NULL: they are to be asked. */
static const char *known_answer(const struct locus_missing *missing)
{
	if (has_failed(missing))
		return failed.answer;
	return is_in_vain ? " could not be asked" : NULL;
}

/* Whether a file that is missing would make a difference: not to a conversion whose output has no room, for one. */
static bool would_help(enum locus_status status)
{
	return status == LOCUS_OK || status == LOCUS_ERR_NO_DEBUG || status == LOCUS_ERR_COMPANION;
}

static bool may_ask_for(const struct conversion *conversion)
{
	const struct locus_missing *missing = &conversion->reply.missing;

	return would_help(conversion->status) && !conversion->request.only_judge &&
	       missing->kind > LOCUS_MISSING_NOTHING && missing->kind <= LOCUS_MISSING_ALTERNATE &&
	       missing->build_id_size <= sizeof(missing->build_id) && !conversion->was_asked_for[missing->kind] &&
	       !child_is_stopped();
}

/*
 * Adds what came of asking the servers to the conversion's message: `said`, if there is room for it, and as much of
 * `answer` as there is room for then, with dots for what is left out.
 */
static void add_to_error(struct conversion *conversion, const char *said, const char *answer)
{
	static const char dots[] = "...";
	char *text = conversion->error.text, *end = text + sizeof(conversion->error.text);
	size_t used = strlen(text), room = sizeof(conversion->error.text) - used;

	if (conversion->status == LOCUS_OK || strlen(said) >= room)
		return;
	if (snprintf(text + used, room, "%s%s", said, answer) >= (int)room)
		memcpy(end - sizeof(dots), dots, sizeof(dots));
}

/* Starts to fetch. False: there is nothing to fetch, or no server to ask. */
static bool start_fetch(struct conversion *conversion)
{
	const struct locus_missing *missing = &conversion->reply.missing;
	const struct child_request request = {.fetched = missing};
	enum fetch_access access = fetch_access();
	struct locus_error ignored;

	if (!may_ask_for(conversion))
		return false;
	const char *known = known_answer(missing);
	if (access == FETCH_NO_SERVER)
		add_to_error(conversion, "; to have it fetched, set DEBUGINFOD_URLS", "");
	if (access == FETCH_POSSIBLE && known)
		add_to_error(conversion, "; debuginfod", known);
	if (access != FETCH_POSSIBLE || known || child_start(&conversion->child, &request, &ignored) != LOCUS_OK)
		return false;
	conversion->was_asked_for[missing->kind] = true;
	conversion->is_fetching = true;
	return true;
}

static bool is_path(const struct child_reply *reply)
{
	return reply->size && ((const char *)reply->data)[reply->size - 1] == '\0';
}

/* The path of the fetched file; NULL: none, and why is in `failed`. */
static char *finish_fetch(struct child *child, const struct locus_missing *missing)
{
	static struct child_reply reply;
	struct locus_error error;

	error_clear(&error);
	enum locus_status status = child_finish(child, &reply, &error);
	bool is_answer = status == LOCUS_ERR_COMPANION || status == LOCUS_ERR_UNSUPPORTED;

	is_in_vain = status != LOCUS_OK && status != LOCUS_ERR_COMPANION;
	if (status == LOCUS_OK && is_path(&reply))
		return reply.data;
	if (status == LOCUS_OK)
		child_reply_done(&reply);
	failed.missing = *missing;
	snprintf(failed.answer, sizeof(failed.answer), "%s%s", is_answer ? "" : " could not be asked: ", error.text);
	return NULL;
}

/*
 * Starts again with the fetched file. False: none was fetched, or it cannot start; then the result of the first
 * conversion holds.
 */
static bool start_again(struct conversion *conversion)
{
	enum locus_missing_kind kind = conversion->reply.missing.kind;
	struct locus_convert_options *options = &conversion->request.options;
	struct locus_error error;
	char *path = finish_fetch(&conversion->child, &conversion->reply.missing);

	conversion->is_fetching = false;
	if (!path) {
		add_to_error(conversion, "; debuginfod", failed.answer);
		return false;
	}

	conversion->fetched[kind] = path;
	*(kind == LOCUS_MISSING_DEBUG ? &options->debug_file : &options->alt_file) = path;
	if (child_start(&conversion->child, &conversion->request, &error) != LOCUS_OK)
		return false;
	conversion->is_again = true;
	if (conversion->status == LOCUS_OK)
		child_reply_done(&conversion->reply); /* it used symbols instead of the missing file */
	return true;
}

bool conversion_is_done(struct conversion *conversion)
{
	if (conversion->is_fetching)
		return !start_again(conversion);
	conversion->status = child_finish(&conversion->child, &conversion->reply, &conversion->error);
	if (!conversion->is_again)
		conversion->freshness = conversion->reply.freshness;
	return !start_fetch(conversion);
}

static enum locus_status start(struct conversion *conversion, const struct child_request *request,
			       struct locus_error *error)
{
	*conversion = (struct conversion){.request = *request};
	conversion->request.question = NULL; /* freshness is asked for only once */
	return child_start(&conversion->child, request, error);
}

/* The result of a conversion that is done. After LOCUS_OK the reply belongs to the caller. */
static enum locus_status finish(struct conversion *conversion, struct locus_error *error)
{
	for (size_t i = 0; i < sizeof(conversion->fetched) / sizeof(conversion->fetched[0]); i++)
		free(conversion->fetched[i]);
	*error = conversion->error;
	return conversion->status;
}

enum locus_status conversion_start(struct conversion *conversion, const char *path,
				   const struct locus_convert_options *options,
				   const struct freshness_question *question, struct locus_error *error)
{
	const struct child_request request = {
		.path = path, .options = *options, .question = question, .only_judge = question && !options->output};

	return start(conversion, &request, error);
}

enum locus_status conversion_finish(struct conversion *conversion, struct locus_convert_result *ret,
				    struct freshness *ret_freshness, struct locus_error *error)
{
	enum locus_status status = finish(conversion, error);

	if (status == LOCUS_OK)
		*ret = conversion->reply.result;
	*ret_freshness = conversion->freshness;
	return status;
}

enum locus_status conversion_run(const char *path, const struct locus_convert_options *options,
				 const struct freshness_question *question, struct locus_convert_result *ret,
				 struct freshness *ret_freshness, struct locus_error *error)
{
	struct conversion conversion;
	enum locus_status status = conversion_start(&conversion, path, options, question, error);

	if (status != LOCUS_OK)
		return status;
	while (!conversion_is_done(&conversion))
		continue;
	return conversion_finish(&conversion, ret, ret_freshness, error);
}

enum locus_status conversion_to_memory(const char *path, const struct locus_convert_options *options,
				       const struct child_wanted *wanted, void **ret_data, size_t *ret_size,
				       struct locus_error *error)
{
	const struct child_request request = {
		.path = path,
		.options = *options,
		.wanted = wanted,
	};
	struct conversion conversion;
	enum locus_status status = start(&conversion, &request, error);

	if (status != LOCUS_OK)
		return status;
	while (!conversion_is_done(&conversion))
		continue;
	status = finish(&conversion, error);
	if (status == LOCUS_OK) {
		*ret_data = conversion.reply.data;
		*ret_size = conversion.reply.size;
	}
	return status;
}

char *conversion_fetch(const struct locus_missing *missing, const char **ret_answer)
{
	const struct child_request request = {.fetched = missing};
	struct child child;
	struct locus_error ignored;

	*ret_answer = NULL;
	if (fetch_access() != FETCH_POSSIBLE)
		return NULL;
	*ret_answer = known_answer(missing);
	if (*ret_answer || child_start(&child, &request, &ignored) != LOCUS_OK)
		return NULL;
	char *path = finish_fetch(&child, missing);
	*ret_answer = path ? NULL : failed.answer;
	return path;
}
