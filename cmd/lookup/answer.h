/* How `locus lookup` shows an answer. */
#ifndef LOCUS_ANSWER_H
#define LOCUS_ANSWER_H

#include "cmd/common/json.h"
#include "cmd/lookup/other_functions.h"
#include "cmd/show/display.h"
#include "cmd/show/path_labels.h"
#include "reader/locus.h"

/* Where answers go. */
struct answers {
	struct out *out;
	struct function_labels *names;
	struct path_labels paths;
	bool as_json;
	bool pretty; /* in text, each frame has a line, as with `addr2line -p` */
	struct display display;
	bool has_locids; /* the answering file is kept, so that its locids can be used later */
	struct json json;
	size_t alternate_count; /* alternates shown so far for this answer */
};

/* A question, with the text that it was asked by. */
struct question {
	const char *text;
	size_t size;
	uint64_t line_number; /* line of standard input; 0: it was an argument */
};

struct answer {
	uint64_t address; /* the address that was asked for */
	uint64_t behind;  /* how many bytes before it the lookup was made: 1 for a return address */
	struct locus_result result;
};

/*
 * Whether the address is behind the last interval, or the file has none: then it may be an address of a process, for
 * which there is a hint.
 */
static inline bool answer_is_behind_all(const struct answer *answer)
{
	return answer->result.interval.answer == LOCUS_ANSWER_NONE && answer->result.interval.end == UINT64_MAX;
}

/* Makes answers name the functions and paths of this file. They are kept by their ids, so another file begins anew. */
void answers_begin_file(struct answers *answers, const struct locus *locus, bool demangle);

/* An answer is written by answer_begin, answer_alternate for each alternate, and answer_end. */
void answer_begin(struct answers *answers, const struct question *question, const struct answer *answer);
void answer_alternate(struct answers *answers, const struct question *question, const struct other_function *alternate);
void answer_end(struct answers *answers);

/*
 * Writes the answer to a question that has none, so that a program that asks over a pipe gets an answer to each
 * question.
 */
void answer_failure(struct answers *answers, const struct question *question, const char *text);

#endif
