/* A conversion from end to end: in a process of its own, and with what was missing fetched. */
#ifndef LOCUS_CONVERSION_H
#define LOCUS_CONVERSION_H

#include "cmd/jobs/child.h"

/* A conversion that runs, which may take several processes one after another. */
struct conversion {
	struct child child; /* poll child.fd, and child_wait_ms */
	struct child_request request;
	bool is_fetching;                           /* what reply.missing says */
	char *fetched[LOCUS_MISSING_ALTERNATE + 1]; /* paths, by kind */
	bool was_asked_for[LOCUS_MISSING_ALTERNATE + 1];
	bool is_again;              /* with what was fetched */
	struct freshness freshness; /* as the first process found it */
	enum locus_status status;   /* of the last process that converted */
	struct locus_error error;
	struct child_reply reply;
};

/*
 * Starts locus_convert. `question`: nothing is converted where its answer is that the file is fresh; NULL: whatever is
 * there is not looked at. On LOCUS_OK conversion_finish must follow; `path`, and what the options point to, are
 * borrowed until then.
 */
enum locus_status conversion_start(struct conversion *conversion, const char *path,
				   const struct locus_convert_options *options,
				   const struct freshness_question *question, struct locus_error *error);

/*
 * To be called when child.fd is readable, or to wait for it. False: the conversion goes on, since a companion that is
 * missing is fetched, by a process that may use the network, or was, and all begins again with it. child.fd is then
 * another.
 */
bool conversion_is_done(struct conversion *conversion);

/*
 * What locus_convert gave, or as child_finish where its process died; conversion_is_done was true. The result is freed
 * by locus_convert_result_done. *ret_freshness is what came of the question, and zeroed where there was none.
 */
enum locus_status conversion_finish(struct conversion *conversion, struct locus_convert_result *ret,
				    struct freshness *ret_freshness, struct locus_error *error);

/* All in one: as locus_convert. */
enum locus_status conversion_run(const char *path, const struct locus_convert_options *options,
				 const struct freshness_question *question, struct locus_convert_result *ret,
				 struct freshness *ret_freshness, struct locus_error *error);

/* As locus_convert_to_memory or locus_convert_functions_to_memory; the process sends the file's bytes. */
enum locus_status conversion_to_memory(const char *path, const struct locus_convert_options *options,
				       const struct child_wanted *wanted, void **ret_data, size_t *ret_size,
				       struct locus_error *error);

/*
 * The path of a file that debuginfod has, fetched by a process of its own; freed with free. NULL: it has none, or is
 * not to be asked.
 */
char *conversion_fetch(const struct locus_missing *missing);

#endif
