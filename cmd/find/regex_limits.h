/*
 * What an extended regular expression may cost. The C library bounds nothing: (((x{1,255}){1,255}){1,255}){1,255} takes
 * more memory than most machines have, a.*a.*b in a name of many a, which a small file can have, hours, and (x?){32767}
 * more stack than a program usually has.
 */
#ifndef LOCUS_REGEX_LIMITS_H
#define LOCUS_REGEX_LIMITS_H

#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>

struct regex_limits {
	struct rlimit time, memory; /* as they were before */
	struct sigaction late, deep;
	stack_t stack;
};

/*
 * Bounds the time of the processor and the memory that this process takes until regex_limits_end, by the size of the
 * file that is searched. Beyond the first the program ends, with a line that says so, as it does where the stack is
 * full; beyond the other there is no memory.
 */
void regex_limits_begin(struct regex_limits *ret_before, uint64_t file_size);
void regex_limits_end(const struct regex_limits *before);

#endif
