/* How much stack the process may use. */
#ifndef LOCUS_STACK_LIMIT_H
#define LOCUS_STACK_LIMIT_H

#include <stdbool.h>

/* KiB that every command gets along with. */
enum { STACK_KIB_MIN = 1024 };

/* Makes room for at least so much where that is allowed. False: it is not, and a command might crash. */
bool stack_limit_suffices(void);

#endif
