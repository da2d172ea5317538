/* Questions that are answered together: what they mean is found out at once, and the file is made ready for all. */
#ifndef LOCUS_QUESTION_BATCH_H
#define LOCUS_QUESTION_BATCH_H

#include "cmd/lookup/asked_file.h"

enum {
	QUESTIONS_MAX = 4096, /* parsed before the first one is answered */
	QUESTIONS_FEW = 64,   /* the same if no question needs more: so few stay in the processor's cache */
};

/* Zeroed before the first batch, and used for one after the other. */
struct question_batch {
	struct question questions[QUESTIONS_MAX]; /* set by the caller, as is their count */
	struct place places[QUESTIONS_MAX];       /* the addresses that they mean */
	char texts[QUESTIONS_MAX]
		  [LOCUS_ERROR_TEXT_SIZE]; /* messages of the places; kept apart, because few places have one */
	size_t count;

	/* Of this batch and those before it: */
	bool has_names; /* a question named a function: then the names of all questions are looked up in one pass */
	bool is_later;  /* a batch was prepared before */
};

/* How many questions the next batch is to have at most. */
size_t question_batch_max(const struct question_batch *batch, const struct asked_file *asked);

/* Finds out what the questions mean, and makes the file answer for them. */
enum locus_status question_batch_prepare(struct question_batch *batch, struct asked_file *asked,
					 struct locus_error *error);

#endif
