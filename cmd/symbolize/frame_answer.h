/*
 * What is at the place that a frame of a text means.
 *
 * Most frames of a stack are return addresses, and the call before is what was meant. Which ones are none follows from
 * the form of the text, and from the frames before: what a signal interrupted has not called.
 */
#ifndef LOCUS_FRAME_ANSWER_H
#define LOCUS_FRAME_ANSWER_H

#include "cmd/common/output_bound.h"
#include "cmd/symbolize/code_map.h"
#include "cmd/symbolize/signal_return.h"

/* The stack that is being read. */
struct stack {
	bool is_first;         /* its next frame is the first */
	bool is_behind_header; /* and stands right behind the header of its form */
	bool was_signal;       /* the last frame was a signal's, so the next one was interrupted and did not call */
	bool was_kernel;       /* it was Linux's, entered by no system call, so the next one was interrupted too */
	bool was_elsewhere;    /* it was in a module that is not the C library */
	bool may_be_signal; /* it may be what a signal's handler returns to: the next one was interrupted if it is not
			       in the C library */
};

/*
 * The last place of which the text said that the processor was there, until its frame comes: an address, or one in the
 * function SYMBOL.
 */
struct told {
	uint64_t address;
	size_t size; /* of the symbol; 0: there is none */
	char symbol[256];
};

struct frame_answers {
	const struct code_map *map;       /* borrowed, as the others are */
	const struct output_bound *bound; /* what may be looked up at all */
	struct signal_returns *signal_returns;
	struct stack stack;
	struct told told;
};

/* What is at the place that a frame means. */
struct frame_answer {
	struct symbol_file *symbols;
	struct locus_result result;
	uint64_t behind; /* how many bytes before the address the lookup was made: by the last byte of a call */
};

/* Finds what is at the place that a frame means, which is the next one of the stack. False: that is not known. */
bool frame_answers_find(struct frame_answers *answers, const struct form_match *match, struct frame_answer *ret);

/* Takes the next frame of the stack, of which nothing is to be found: the text says it all, or it is a signal's. */
void frame_answers_pass(struct frame_answers *answers, const struct form_match *match);

/* Whether an answer comes from debug information, which has the inlined functions, too. */
bool frame_answer_has_lines(const struct locus_result *result);

#endif
