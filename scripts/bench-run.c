/*
 * Runs a program N times and says what each run cost: CPU, wall time, peak resident memory.
 *
 * A process of its own, because a child's ru_maxrss starts at what its parent held when it was made: a small parent
 * does not show, a Python interpreter would. CPU is user + system time of the program and the children it waited for,
 * which Linux counts in nanoseconds and gives in microseconds, exec included.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

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

static int run(char **command, const posix_spawn_file_actions_t *actions)
{
	pid_t pid;
	int status;
	struct rusage usage;
	double start = now();
	int error = posix_spawnp(&pid, command[0], actions, NULL, command, environ);
	if (error) {
		fprintf(stderr, "bench-run: %s: %s\n", command[0], strerror(error));
		return 1;
	}
	if (wait4(pid, &status, 0, &usage) < 0) {
		perror("bench-run: wait4");
		return 1;
	}
	double wall = now() - start;
	if (status != 0) {
		fprintf(stderr, "bench-run: %s: wait status %#x\n", command[0], (unsigned)status);
		return 1;
	}
	printf("%.6f %.6f %.3f\n", seconds(usage.ru_utime) + seconds(usage.ru_stime), wall,
	       (double)usage.ru_maxrss / 1024);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: bench-run COUNT STDIN COMMAND [ARG...]\n"
				"prints a line for each run: CPU seconds, wall seconds, peak resident MiB\n");
		return 2;
	}
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, argv[2], O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	int failed = 0;
	for (int left = atoi(argv[1]); left > 0 && !failed; left--)
		failed = run(argv + 3, &actions);
	posix_spawn_file_actions_destroy(&actions);
	return failed;
}
