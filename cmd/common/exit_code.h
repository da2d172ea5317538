/* The exit codes of locus, which its manual documents. */
#ifndef LOCUS_EXIT_CODE_H
#define LOCUS_EXIT_CODE_H

#include "spec/status.h"

enum exit_code {
	EXIT_OK = 0,       /* all well */
	EXIT_FAILED = 1,   /* some input failed or is damaged, or the output could not be written */
	EXIT_USAGE = 2,    /* the arguments make no sense */
	EXIT_NO_DEBUG = 3, /* an input has no debug information */
	EXIT_STALE = 4,    /* a file is not what would be made now, or below what --require asks */
};

/* The exit code of a batch, of which one part gave `a` and the rest `b`: the worse one, a failure before all else. */
int exit_worst(int a, int b);

/* The exit code that a status stands for. */
int exit_of(enum locus_status status);

#endif
