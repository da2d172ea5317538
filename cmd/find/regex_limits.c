/* By limits of the process, because the C library cannot be left in the middle of a search. */
#include "cmd/find/regex_limits.h"

#include <unistd.h>

#include "cmd/common/exit_code.h"

/* The names of ceph-osd, in a file of 5 MB, take 8 seconds where each is looked at again and again. */
enum {
	SECONDS = 10,
	BYTES_SHIFT = 17,      /* and one more for so many bytes of the file */
	MEMORY_MAX = 1 << 28,  /* beside what the file unfolds to, */
	MEMORY_PER_BYTE = 128, /* which is less than so much for each byte */
};

static void end_program(int number)
{
	static const char text[] = "locus: the expression takes more time than a search may\n";

	(void)number;
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(EXIT_FAILED);
}

/* Lowers a soft limit, which may be raised again later, to `most`. */
static void lower(__rlimit_resource_t resource, uint64_t most, struct rlimit *ret_before)
{
	getrlimit(resource, ret_before);
	struct rlimit limit = *ret_before;
	if (most < limit.rlim_cur) {
		limit.rlim_cur = most;
		setrlimit(resource, &limit);
	}
}

void regex_limits_begin(struct regex_limits *ret_before, uint64_t file_size)
{
	const struct sigaction action = {.sa_handler = end_program};
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	sigaction(SIGXCPU, &action, &ret_before->action);
	lower(RLIMIT_CPU,
	      (uint64_t)used.ru_utime.tv_sec + (uint64_t)used.ru_stime.tv_sec + SECONDS + (file_size >> BYTES_SHIFT),
	      &ret_before->time);
#ifdef LOCUS_UNCONFINED /* a sanitizer takes more than any limit allows */
	lower(RLIMIT_DATA, RLIM_INFINITY, &ret_before->memory);
#else
	lower(RLIMIT_DATA, MEMORY_MAX + MEMORY_PER_BYTE * file_size, &ret_before->memory);
#endif
}

void regex_limits_end(const struct regex_limits *before)
{
	setrlimit(RLIMIT_CPU, &before->time);
	setrlimit(RLIMIT_DATA, &before->memory);
	sigaction(SIGXCPU, &before->action, NULL);
}
