/* How `locus lookup` shows an answer. */
#ifndef LOCUS_ANSWER_H
#define LOCUS_ANSWER_H

#include "cmd/common/display.h"
#include "cmd/common/function_labels.h"
#include "cmd/common/json.h"
#include "cmd/common/path_labels.h"
#include "reader/locus.h"

/* Where answers go. */
struct answers {
	struct out *out;
	struct names *names;
	struct paths paths;
	bool as_json;
	bool pretty; /* in text: a line for each frame, as `addr2line -p` has it */
	struct display display;
	bool has_locids; /* the file that answers is kept, and so its locids mean something later */
	struct json json;
	size_t alternate_count; /* shown so far for this answer */
};

/* A question as it was put. */
struct question {
	const char *text;
	size_t size;
	uint64_t line_number; /* of standard input; 0: an argument */
};

struct answer {
	uint64_t address; /* what was asked for */
	uint64_t behind;  /* how far before it the lookup was made: 1 for a return address */
	struct locus_result result;
};

/* An answer is: answer_begin, answer_alternate as often as there are others, answer_end. */
void answer_begin(struct answers *answers, const struct question *question, const struct answer *answer);
void answer_alternate(struct answers *answers, const struct question *question,
		      const struct locus_alternate_info *alternate, const struct locus_function_info *function);
void answer_end(struct answers *answers);

/* Every question has an answer, so that who asks over a pipe always knows where he is: this is that of one without. */
void answer_failure(struct answers *answers, const struct question *question, const char *text);

#endif
