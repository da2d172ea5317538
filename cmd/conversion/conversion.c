/*
 * The converting process has no network. It reports which companion is missing; if servers may be asked, a second
 * process fetches that, and a third converts again with it.
 */
#include "cmd/conversion/conversion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/conversion/fetch.h"

/* No server could be asked: asking for the next file would only take as long again. */
static bool is_in_vain;

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

/* Adds the result of asking the servers to the conversion's message, if there is room. */
static void add_to_error(struct conversion *conversion, const char *separator, const char *text)
{
	struct locus_error *error = &conversion->error;

	if (conversion->status != LOCUS_OK &&
	    strlen(error->text) + strlen(separator) + strlen(text) < sizeof(error->text)) {
		strcat(error->text, separator);
		strcat(error->text, text);
	}
}

/* Starts to fetch. False: there is nothing to fetch, or no server to ask. */
static bool start_fetch(struct conversion *conversion)
{
	const struct child_request request = {.fetched = &conversion->reply.missing};
	enum fetch_access access = fetch_access();
	struct locus_error ignored;

	if (!may_ask_for(conversion))
		return false;
	if (access == FETCH_NO_SERVER)
		add_to_error(conversion, "; to have it fetched, set DEBUGINFOD_URLS", "");
	if (access == FETCH_POSSIBLE && is_in_vain)
		add_to_error(conversion, "; debuginfod could not be asked", "");
	if (access != FETCH_POSSIBLE || is_in_vain || child_start(&conversion->child, &request, &ignored) != LOCUS_OK)
		return false;
	conversion->was_asked_for[conversion->reply.missing.kind] = true;
	conversion->is_fetching = true;
	return true;
}

static bool is_path(const struct child_reply *reply)
{
	return reply->size && ((const char *)reply->data)[reply->size - 1] == '\0';
}

/* The path of the fetched file; NULL, with the error: none. */
static char *finish_fetch(struct child *child, enum locus_status *ret_status, struct locus_error *error)
{
	static struct child_reply reply;

	*ret_status = child_finish(child, &reply, error);
	is_in_vain = *ret_status != LOCUS_OK && *ret_status != LOCUS_ERR_COMPANION;
	if (*ret_status == LOCUS_OK && is_path(&reply))
		return reply.data;
	if (*ret_status == LOCUS_OK)
		child_reply_done(&reply);
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
	enum locus_status status;
	char *path = finish_fetch(&conversion->child, &status, &error);

	conversion->is_fetching = false;
	if (!path) {
		bool is_answer = status == LOCUS_ERR_COMPANION || status == LOCUS_ERR_UNSUPPORTED;
		add_to_error(conversion, is_answer ? "; debuginfod" : "; debuginfod could not be asked: ", error.text);
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

char *conversion_fetch(const struct locus_missing *missing)
{
	const struct child_request request = {.fetched = missing};
	struct child child;
	struct locus_error error;
	enum locus_status status;

	if (fetch_access() != FETCH_POSSIBLE || is_in_vain || child_start(&child, &request, &error) != LOCUS_OK)
		return NULL;
	return finish_fetch(&child, &status, &error);
}
