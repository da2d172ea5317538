/* A whole conversion: in a process of its own, with missing companions fetched. */
#ifndef LOCUS_CONVERSION_H
#define LOCUS_CONVERSION_H

#include "cmd/conversion/child.h"

/* A running conversion, which may take several processes one after the other. */
struct conversion {
	struct child child; /* the current process: poll child.fd, and call child_wait_ms */
	struct child_request request;
	bool is_fetching;                           /* the process fetches the file of reply.missing */
	char *fetched[LOCUS_MISSING_ALTERNATE + 1]; /* paths, by kind */
	bool was_asked_for[LOCUS_MISSING_ALTERNATE + 1];
	bool is_again;              /* this conversion uses a fetched file */
	struct freshness freshness; /* as the first process found it */
	enum locus_status status;   /* of the last process that converted */
	struct locus_error error;
	struct child_reply reply;
};

/*
 * Starts locus_convert. `question`: nothing is converted if the file is fresh; NULL: always convert. If the options
 * have no output, a question is only answered, and nothing is converted. After LOCUS_OK, conversion_finish must follow;
 * `path` and what the options point to are borrowed until then.
 */
enum locus_status conversion_start(struct conversion *conversion, const char *path,
				   const struct locus_convert_options *options,
				   const struct freshness_question *question, struct locus_error *error);

/*
 * To be called when child.fd is readable, or to wait for that. False: the conversion goes on, because a missing
 * companion is being fetched, by a process that may use the network, or was fetched and the conversion started again
 * with it. child.fd is then another.
 */
bool conversion_is_done(struct conversion *conversion);

/*
 * The result of locus_convert or, if its process died, of child_finish; to be called after conversion_is_done was true.
 * The result is freed by locus_convert_result_done. *ret_freshness is the answer to the question; zeroed if there was
 * none.
 */
enum locus_status conversion_finish(struct conversion *conversion, struct locus_convert_result *ret,
				    struct freshness *ret_freshness, struct locus_error *error);

/* The same as locus_convert, from start to finish. */
enum locus_status conversion_run(const char *path, const struct locus_convert_options *options,
				 const struct freshness_question *question, struct locus_convert_result *ret,
				 struct freshness *ret_freshness, struct locus_error *error);

/* The same as locus_convert_to_memory or locus_convert_functions_to_memory; the process sends the bytes of the file. */
enum locus_status conversion_to_memory(const char *path, const struct locus_convert_options *options,
				       const struct child_wanted *wanted, void **ret_data, size_t *ret_size,
				       struct locus_error *error);

/*
 * Fetches a file from debuginfod by a process of its own. Returns its path, freed with free; NULL: it could not be had.
 * *ret_answer says then why, and continues "debuginfod"; it stands until the next call. NULL: the servers are not to be
 * asked.
 */
char *conversion_fetch(const struct locus_missing *missing, const char **ret_answer);

#endif
