/* A conversion in a process of its own: input that crashes or exhausts it is one failed file. */
#ifndef LOCUS_CHILD_H
#define LOCUS_CHILD_H

#include <signal.h>

#include "convert/locus_convert.h"

/*
 * As locus_convert, in a child process. Where the child dies, LOCUS_ERR_BAD_DWARF and a text that says of what; what it
 * left half-written is then still there. The result is freed by locus_convert_result_done.
 */
enum locus_status child_convert(const char *path, const struct locus_convert_options *options,
				struct locus_convert_result *ret, struct locus_error *error);

/*
 * Has SIGINT, SIGTERM and SIGHUP end the running child and be noted here, so that the caller can clean up and then let
 * the signal take its course with child_raise_stop.
 */
void child_catch_signals(void);
bool child_is_stopped(void);
void child_release_signals(void); /* the signals are as before child_catch_signals, unless they were ignored */
void child_raise_stop(void);

#endif
