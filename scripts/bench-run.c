/*
 * Runs a program N times and says what each run cost: CPU, wall time, peak resident memory.
 *
 * It is a process of its own, because a child's ru_maxrss starts at what its parent held when it was made: a small
 * parent does not show, a Python interpreter would. CPU is user + system time of the program and the children it waited
 * for, which Linux counts in nanoseconds and gives in microseconds, exec included.
 *
 * With -p the program is pinned to so many processors, the last ones this process may use. With -a the peak is that of
 * anonymous memory alone, without the pages of mapped files, which the kernel can have back at any time; the kernel
 * keeps no such peak, so the program and its children are looked at every millisecond, and the run's times mean little.
 * With -c a run is so many copies of the program at once: CPU is that of all of them, wall time until the last one has
 * ended, and the peak the highest of one. In the arguments, {} stands for the number of the copy.
 *
 * With -m so many MiB of memory are filled and given back before each run, so that the run gets the same pages. A
 * virtual machine may have given its free memory back to its host, and then the first touch of a page takes ten times
 * as long.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MOST_COPIES = 64 };

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Lets this process and what it starts run on `count` processors only. */
static void pin(int count)
{
	cpu_set_t allowed, chosen;
	CPU_ZERO(&chosen);
	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return;
	for (int processor = CPU_SETSIZE - 1; processor >= 0 && count > 0; processor--) {
		if (CPU_ISSET(processor, &allowed)) {
			CPU_SET(processor, &chosen);
			count--;
		}
	}
	sched_setaffinity(0, sizeof(chosen), &chosen);
}

/* Anonymous memory of one process now, in KiB; 0 once it has ended. */
static long anonymous_kib(pid_t pid)
{
	char path[64], line[128];
	long kib = 0;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	FILE *status = fopen(path, "r");
	while (status && fgets(line, sizeof(line), status)) {
		if (sscanf(line, "RssAnon: %ld", &kib) == 1)
			break;
	}
	if (status)
		fclose(status);
	return kib;
}

/* Finds the processes that `parent` started and that still run: at most `room` of them. */
static int find_children(pid_t parent, pid_t *children, int room)
{
	int found = 0;
	DIR *processes = opendir("/proc");
	for (struct dirent *entry; processes && found < room && (entry = readdir(processes));) {
		char path[64];
		int pid = atoi(entry->d_name), its_parent = 0;
		if (pid <= parent)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
		FILE *stat = fopen(path, "r");
		if (!stat)
			continue;
		if (fscanf(stat, "%*d (%*[^)]) %*c %d", &its_parent) == 1 && its_parent == parent)
			children[found++] = pid;
		fclose(stat);
	}
	if (processes)
		closedir(processes);
	return found;
}

/*
 * The peak of the anonymous memory of a process and its children while it runs, in KiB. Leaves it to be waited for.
 * Looking for children takes longer than looking at them, so it is done at every LOOKS_A_SEARCH-th look only.
 */
static long watch(pid_t pid)
{
	enum { MOST_CHILDREN = 16, LOOKS_A_SEARCH = 16 };
	pid_t children[MOST_CHILDREN];
	int count = 0;
	long peak = 0;
	siginfo_t info = {0};
	for (int look = 0; waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
	     look++) {
		if (look % LOOKS_A_SEARCH == 0)
			count = find_children(pid, children, MOST_CHILDREN);
		long kib = anonymous_kib(pid);
		for (int i = 0; i < count; i++)
			kib += anonymous_kib(children[i]);
		peak = kib > peak ? kib : peak;
		usleep(1000);
	}
	return peak;
}

/* How programs are run, and what they cost. */
struct run {
	char **command;
	posix_spawn_file_actions_t actions;
	bool anonymous;
	int copies;
	size_t memory; /* bytes to have at hand */
	double cpu;
	long peak; /* KiB */
};

/* The argument of a copy, which is the caller's to free. */
static char *argument_of(const char *given, int copy)
{
	const char *place = strstr(given, "{}");
	char *made = NULL;
	if (!place)
		return strdup(given);
	if (asprintf(&made, "%.*s%d%s", (int)(place - given), given, copy, place + 2) < 0)
		return NULL;
	return made;
}

/* Starts one copy. -1: it cannot be. */
static pid_t start_copy(const struct run *run, int copy)
{
	enum { MOST_ARGUMENTS = 64 };
	char *arguments[MOST_ARGUMENTS + 1] = {NULL};
	pid_t pid = -1;
	for (int i = 0; i < MOST_ARGUMENTS && run->command[i]; i++)
		arguments[i] = argument_of(run->command[i], copy);
	int error = posix_spawnp(&pid, arguments[0], &run->actions, NULL, arguments, environ);
	for (int i = 0; arguments[i]; i++)
		free(arguments[i]);
	if (!error)
		return pid;
	fprintf(stderr, "bench-run: %s: %s\n", run->command[0], strerror(error));
	return -1;
}

/* Waits for one copy, and adds what it cost. */
static int end_copy(struct run *run, pid_t pid)
{
	int status;
	struct rusage usage;
	long watched = run->anonymous ? watch(pid) : 0;
	if (wait4(pid, &status, 0, &usage) < 0) {
		perror("bench-run: wait4");
		return 1;
	}
	if (status != 0) {
		fprintf(stderr, "bench-run: %s: wait status %#x\n", run->command[0], (unsigned)status);
		return 1;
	}
	long peak = run->anonymous ? watched : usage.ru_maxrss;
	run->cpu += seconds(usage.ru_utime) + seconds(usage.ru_stime);
	run->peak = peak > run->peak ? peak : run->peak;
	return 0;
}

/* Maps so many bytes and fills them, in pages of 2 MiB if they are to be large. False: there is no memory. */
static bool fill(size_t size, bool in_large_pages)
{
	enum { LARGE_PAGE = 2 << 20 };
	uint8_t *memory = mmap(NULL, size + LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	uint8_t *start = memory + (LARGE_PAGE - (uintptr_t)memory % LARGE_PAGE) % LARGE_PAGE;
	if (in_large_pages)
		madvise(start, size, MADV_HUGEPAGE);
	memset(start, 1, size);
	return true;
}

/*
 * Fills memory and gives it back, in a process of its own: for this one would hand its peak on to what it starts. It is
 * done in small pages and in large ones, which the kernel takes from different places.
 */
static void have_at_hand(size_t size)
{
	pid_t pid = size ? fork() : -1;
	if (pid == 0)
		_exit(!fill(size, true) || !fill(size, false));
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static int run_once(struct run *run)
{
	pid_t pids[MOST_COPIES];
	int failed = 0, started = 0;
	run->cpu = 0;
	run->peak = 0;
	have_at_hand(run->memory);
	double start = now();
	while (started < run->copies && (pids[started] = start_copy(run, started)) > 0)
		started++;
	for (int i = 0; i < started; i++)
		failed |= end_copy(run, pids[i]);
	if (!failed && started == run->copies)
		printf("%.6f %.6f %.3f\n", run->cpu, now() - start, (double)run->peak / 1024);
	return failed || started < run->copies;
}

int main(int argc, char **argv)
{
	struct run run = {.copies = 1};
	int option;
	while ((option = getopt(argc, argv, "+ac:m:p:")) != -1) {
		if (option == 'a')
			run.anonymous = true;
		else if (option == 'c')
			run.copies = atoi(optarg);
		else if (option == 'm')
			run.memory = (size_t)atoi(optarg) << 20;
		else if (option == 'p')
			pin(atoi(optarg));
		else
			return 2;
	}
	if (argc - optind < 3 || run.copies < 1 || run.copies > MOST_COPIES) {
		fprintf(stderr,
			"usage: bench-run [-a] [-c COPIES] [-m MIB] [-p PROCESSORS] COUNT STDIN COMMAND [ARG...]\n"
			"prints a line for each run: CPU seconds, wall seconds, peak resident MiB\n");
		return 2;
	}

	run.command = argv + optind + 2;
	posix_spawn_file_actions_init(&run.actions);
	posix_spawn_file_actions_addopen(&run.actions, 0, argv[optind + 1], O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&run.actions, 1, "/dev/null", O_WRONLY, 0);
	int failed = 0;
	for (int left = atoi(argv[optind]); left > 0 && !failed; left--)
		failed = run_once(&run);
	posix_spawn_file_actions_destroy(&run.actions);
	return failed;
}
