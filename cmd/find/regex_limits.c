/* By limits of the process, because the C library cannot be left in the middle of a search. */
#include "cmd/find/regex_limits.h"

#include <string.h>
#include <unistd.h>

#include "cmd/common/exit_code.h"

/* The names of ceph-osd, in a file of 5 MB, take 8 seconds where each is looked at again and again. */
enum {
	SECONDS = 10,          /* of the processor's time, whatever the file's size, */
	BYTES_SHIFT = 17,      /* and one more for each 2^17 bytes of the file */
	MEMORY_MAX = 1 << 28,  /* bytes, beside those that the file unfolds to, */
	MEMORY_PER_BYTE = 128, /* of which there are fewer than so many for each byte of the file */
	STACK_MAX = 1 << 30,   /* bytes of a stack that has no limit: behind these may be other memory */
};

/* Where the stack is while the limits hold, downward from `top`, and another one for the handler of its overflow. */
static struct {
	uintptr_t top;
	rlim_t size_max;
	char alternate[1 << 16];
} stack;

static void end_program(const char *text)
{
	(void)!write(STDERR_FILENO, text, strlen(text));
	_exit(EXIT_FAILED);
}

static void end_late_search(int number)
{
	(void)number;
	end_program("locus: the expression takes more time than a search may\n");
}

/* The C library calls itself as deep as an expression is nested, and once for each of its parts that may be empty. */
static void end_deep_search(int number, siginfo_t *fault, void *context)
{
	const uintptr_t at = (uintptr_t)fault->si_addr;

	(void)context;
	if (at < stack.top && stack.top - at <= stack.size_max)
		end_program("locus: the expression takes more stack than a search may\n");
	/* Another fault than a full stack is a bug: it comes again, and ends the program. */
	signal(number, SIG_DFL);
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
	const struct sigaction late = {.sa_handler = end_late_search};
	const struct sigaction deep = {.sa_sigaction = end_deep_search, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	const stack_t alternate = {.ss_sp = stack.alternate, .ss_size = sizeof(stack.alternate)};
	struct rlimit stack_limit;
	struct rusage used;

	getrlimit(RLIMIT_STACK, &stack_limit);
	stack.top = (uintptr_t)&used;
	stack.size_max = stack_limit.rlim_cur < STACK_MAX ? stack_limit.rlim_cur : STACK_MAX;
	sigaltstack(&alternate, &ret_before->stack);
	sigaction(SIGSEGV, &deep, &ret_before->deep);
	getrusage(RUSAGE_SELF, &used);
	sigaction(SIGXCPU, &late, &ret_before->late);
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
	sigaction(SIGXCPU, &before->late, NULL);
	sigaction(SIGSEGV, &before->deep, NULL);
	sigaltstack(&before->stack, NULL);
}
