/* Tests of cmd/conversion/sandbox.c: each in a process of its own that tries what it should not be able to do. */
#include "cmd/conversion/sandbox.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/locus-sandbox-XXXXXX";
static char elsewhere[sizeof(folder) + 8]; /* a file beside the folder */
static char report[512];
static long landlock_version;

/*
 * A Landlock of any version, which only notes what it is asked for, since few kernels at hand have each version. It is
 * shared with the process that is confined.
 */
struct landlock {
	long version; /* -1: the kernel's own is asked */
	uint64_t handled[3];
	size_t handled_size;
	uint64_t allowed;
	int rules, restricted;
};
static struct landlock *landlock;
static long (*real_syscall)(long number, ...);

static long pretend(long number, const long *argument)
{
	if (number == SYS_landlock_create_ruleset && argument[2] == LANDLOCK_CREATE_RULESET_VERSION) {
		errno = ENOSYS;
		return landlock->version ? landlock->version : -1;
	}
	if (number == SYS_landlock_create_ruleset) {
		landlock->handled_size = (size_t)argument[1];
		memcpy(landlock->handled, (const void *)argument[0], landlock->handled_size);
		return dup(STDERR_FILENO);
	}
	if (number == SYS_landlock_add_rule) {
		const struct landlock_path_beneath_attr *rule = (const void *)argument[2];
		struct stat named, found;
		landlock->rules += stat(folder, &named) == 0 && fstat(rule->parent_fd, &found) == 0 &&
				   named.st_ino == found.st_ino && named.st_dev == found.st_dev;
		landlock->allowed = rule->allowed_access;
		return 0;
	}
	landlock->restricted++;
	return 0;
}

/* In place of the C library's. */
long syscall(long number, ...)
{
	long argument[6];
	va_list arguments;

	va_start(arguments, number);
	for (int i = 0; i < 6; i++)
		argument[i] = va_arg(arguments, long);
	va_end(arguments);
	if (landlock->version >= 0 && number >= SYS_landlock_create_ruleset && number <= SYS_landlock_restrict_self)
		return pretend(number, argument);
	return real_syscall(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}

/* Runs `attempt` in a process that is confined so; gives its exit code, -1 where it was killed. */
static int confined_by(const struct sandbox *sandbox, int (*attempt)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		sandbox_enter(sandbox);
		_exit(attempt());
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int confined_with(int kept, int (*attempt)(void))
{
	return confined_by(&(struct sandbox){.memory_bytes = 256 << 20, .cpu_seconds = 5, .folder = folder, .fd = kept},
			   attempt);
}

static int confined(int (*attempt)(void))
{
	return confined_with(-1, attempt);
}

/* Skips what this machine, or a checked build, cannot do. */
static void need(const char *line)
{
	if (!strstr(report, line))
		skip();
}

/* Where the kernel has a wall it is put up, and said to be. */
static void no_wall_is_left_out(void **state)
{
	char line[128];

	(void)state;
	if (strstr(report, "not confined"))
		skip();
	assert_non_null(strstr(report, "memory and CPU limits: yes\n"));
	snprintf(line, sizeof(line), "the output is made: yes (Landlock, version %ld)\n", landlock_version);
	assert_non_null(
		strstr(report, landlock_version > 0 ? line : "the output is made: no (this kernel has no Landlock)\n"));
#if defined(__x86_64__) || defined(__aarch64__)
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0)
		assert_non_null(strstr(report, "no other processes: yes (seccomp, "));
#endif
}

static int read_a_file(void)
{
	char byte;
	int fd = open("/proc/self/exe", O_RDONLY);

	return fd >= 0 && read(fd, &byte, 1) == 1 ? 0 : 1;
}

/* Nothing comes in by the usual streams, and what is written to them is lost. */
static int find_streams_that_lead_somewhere(void)
{
	struct stat null, found;

	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		if (stat("/dev/null", &null) != 0 || fstat(fd, &found) != 0 || found.st_rdev != null.st_rdev)
			return 1 + fd;
		if ((fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDWR)
			return 11 + fd;
	}
	return 0;
}

/* How many are open behind the usual streams, and ten times the sum of their numbers. */
static int count_open_files(void)
{
	int found = 0;

	for (int fd = STDERR_FILENO + 1; fd < 64; fd++)
		found += fcntl(fd, F_GETFD) >= 0 ? 1 + 10 * fd : 0;
	return found;
}

static int write_in_the_folder(void)
{
	char path[64];

	strcpy(path, folder);
	strcat(path, "/file");
	int fd = open(path, O_WRONLY | O_CREAT, 0666);
	return fd >= 0 && write(fd, "a", 1) == 1 && fsync(fd) == 0 && unlink(path) == 0 ? 0 : 1;
}

static int write_elsewhere(void)
{
	return open(elsewhere, O_WRONLY | O_CREAT, 0666) < 0 ? errno : 0;
}

static int open_a_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0;
}

static int start_a_process(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid < 0 ? errno : 0;
}

static int start_a_program(void)
{
	execl("/bin/true", "true", (char *)NULL);
	return errno;
}

static int signal_the_parent(void)
{
	return kill(getppid(), 0) < 0 ? errno : 0;
}

static void *nothing(void *argument)
{
	return argument;
}

static int start_a_thread(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0 ? 0 : 1;
}

static int take_much_memory(void)
{
	void *volatile memory = malloc((size_t)512 << 20); /* volatile: clang leaves an unused allocation out */

	return memory ? 1 : 0;
}

static int end_badly(void)
{
	abort();
}

static void what_conversions_need_is_let_through(void **state)
{
	(void)state;
	assert_int_equal(confined(read_a_file), 0);
	assert_int_equal(confined(write_in_the_folder), 0);
	assert_int_equal(confined(start_a_thread), 0);
}

static void files_are_dropped_but_the_one_that_is_kept(void **state)
{
	int zero = open("/dev/zero", O_RDWR), opened[6];

	(void)state;
	need("limits: yes");
	for (int fd = 0; fd < 6; fd++)
		opened[fd] = dup2(zero, 3 + fd);
	assert_int_equal(confined(count_open_files), 0);
	for (int fd = 3; fd <= 8; fd++)
		assert_int_equal(confined_with(fd, count_open_files), 1 + 10 * fd);
	for (int fd = 0; fd < 6; fd++)
		close(opened[fd]);
}

static void the_usual_streams_lead_nowhere(void **state)
{
	int zero = open("/dev/zero", O_RDWR), usual[3];

	(void)state;
	need("limits: yes");
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		usual[fd] = dup(fd);
		dup2(zero, fd);
	}
	int found = confined(find_streams_that_lead_somewhere);
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		dup2(usual[fd], fd);
		close(usual[fd]);
	}
	close(zero);
	assert_int_equal(found, 0);
}

static bool hide_devices(void)
{
	return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && mount(NULL, "/dev", "tmpfs", 0, NULL) == 0;
}

static int find_streams_that_work(void)
{
	char byte = 0;

	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 || read(fd, &byte, 1) >= 0 || write(fd, &byte, 1) >= 0)
			return 1 + fd;
	return 0;
}

/* Nor do they where there is no /dev/null; and their numbers are not free for the next file. */
static void the_usual_streams_lead_nowhere_without_devices(void **state)
{
	enum { CANNOT_HIDE = 99 };
	int zero = open("/dev/zero", O_RDWR), status;

	(void)state;
	need("limits: yes");
	pid_t pid = fork();
	if (pid == 0) {
		if (!hide_devices())
			_exit(CANNOT_HIDE);
		for (int fd = 0; fd <= STDERR_FILENO; fd++)
			dup2(zero, fd);
		sandbox_enter(&(struct sandbox){.cpu_seconds = 5, .fd = -1});
		_exit(find_streams_that_work());
	}
	close(zero);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WEXITSTATUS(status) == CANNOT_HIDE)
		skip();
	assert_int_equal(status, 0);
}

static void files_elsewhere_cannot_be_written(void **state)
{
	(void)state;
	need("the output is made: yes");
	snprintf(elsewhere, sizeof(elsewhere), "%s-beside", folder);
	assert_int_equal(confined(write_elsewhere), EACCES);
	assert_int_equal(access(elsewhere, F_OK), -1);
}

static int do_nothing(void)
{
	return 0;
}

/* By the version of Landlock: what is refused everywhere (all but reading), and what is allowed in the folder. */
static void each_landlock_is_told_to_refuse_all_that_it_knows(void **state)
{
	static const struct {
		uint64_t files, network, scopes, allowed;
		size_t size;
	} told[] = {
		{0x1ff3, 0, 0, 0x122, 8},   {0x3ff3, 0, 0, 0x122, 8},   {0x7ff3, 0, 0, 0x4122, 8},
		{0x7ff3, 3, 0, 0x4122, 16}, {0xfff3, 3, 0, 0x4122, 16}, {0xfff3, 3, 3, 0x4122, 24},
		{0xfff3, 3, 3, 0x4122, 24},
	};

	(void)state;
	need("limits: yes");
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		*landlock = (struct landlock){.version = (long)i + 1};
		assert_int_equal(confined(do_nothing), 0);
		assert_int_equal(landlock->handled_size, told[i].size);
		assert_int_equal(landlock->handled[0], told[i].files);
		assert_int_equal(landlock->handled[1], told[i].network);
		assert_int_equal(landlock->handled[2], told[i].scopes);
		assert_int_equal(landlock->rules, 1);
		assert_int_equal(landlock->allowed, told[i].allowed);
		assert_int_equal(landlock->restricted, 1);
	}
	*landlock = (struct landlock){.version = 0};
	assert_int_equal(confined(do_nothing), 0);
	assert_int_equal(landlock->handled_size + (size_t)landlock->restricted, 0);
	landlock->version = -1;
}

static void other_processes_and_the_network_cannot_be_reached(void **state)
{
	(void)state;
	need("no other processes: yes");
	assert_int_equal(confined(open_a_socket), ENOSYS);
	assert_int_equal(confined(start_a_process), ENOSYS);
	assert_int_equal(confined(start_a_program), ENOSYS);
	assert_int_equal(confined(signal_the_parent), ENOSYS);
}

static void memory_is_bounded(void **state)
{
	(void)state;
	need("limits: yes");
	assert_int_equal(confined(take_much_memory), 0);
}

static void an_abort_is_still_seen_as_one(void **state)
{
	(void)state;
	assert_int_equal(confined(end_badly), -1);
}

/* ---- Limits, as the kernel tells them ---- */

static bool has_limit(const char *limits, const char *name, unsigned long long value)
{
	const char *line = strstr(limits, name);
	unsigned long long soft = 0, hard = 0;

	return line && sscanf(line + strlen(name), "%llu %llu", &soft, &hard) == 2 && soft == value && hard == value;
}

static char limits[4096];

static void read_limits(void)
{
	int fd = open("/proc/self/limits", O_RDONLY);
	ssize_t size = read(fd, limits, sizeof(limits) - 1);

	limits[size > 0 ? size : 0] = '\0';
}

static int has_asked_limits(void)
{
	read_limits();
	return has_limit(limits, "Max data size", 256 << 20) && has_limit(limits, "Max cpu time", 5) &&
			       has_limit(limits, "Max core file size", 0)
		       ? 0
		       : 1;
}

static struct rlimit callers; /* bytes of data that the caller may have: less, perhaps, than the machine has */

static int has_limits_of_the_machine(void)
{
	unsigned long long all =
		(unsigned long long)sysconf(_SC_PHYS_PAGES) * (unsigned long long)sysconf(_SC_PAGESIZE);

	read_limits();
	return has_limit(limits, "Max data size", all < callers.rlim_max ? all : callers.rlim_max) &&
			       strstr(limits, "Max cpu time              unlimited") &&
			       has_limit(limits, "Max core file size", 0)
		       ? 0
		       : 1;
}

/* Limits of the caller that are lower already stay. */
static int keeps_lower_limits(void)
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0) {
		setrlimit(RLIMIT_DATA, &(struct rlimit){100 << 20, 200 << 20});
		setrlimit(RLIMIT_CPU, &(struct rlimit){3, 3});
		sandbox_enter(&(struct sandbox){.memory_bytes = 256 << 20, .cpu_seconds = 5, .fd = -1});
		read_limits();
		_exit(has_limit(limits, "Max data size", 200 << 20) && has_limit(limits, "Max cpu time", 3) ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void limits_are_those_asked_for_or_of_the_machine(void **state)
{
	(void)state;
	need("limits: yes");
	assert_int_equal(getrlimit(RLIMIT_DATA, &callers), 0);
	assert_int_equal(confined(has_asked_limits), 0);
	assert_int_equal(confined_by(&(struct sandbox){.fd = -1}, has_limits_of_the_machine), 0);
	assert_int_equal(keeps_lower_limits(), 0);
}

/* ---- The file system ---- */

static char outside[64], outside_folder[64], inside[64];

static int in_errno(int failed)
{
	return failed < 0 ? errno : 0;
}

static int write_outside(void)
{
	return in_errno(open(outside, O_WRONLY));
}

/* The filter of calls refuses it, and since its third version Landlock. */
static int truncate_outside(void)
{
	if (landlock_version < 3 && !strstr(report, "no other processes: yes"))
		return EACCES;
	return in_errno(open(outside, O_RDONLY | O_TRUNC)) ? EACCES : 0;
}

static int remove_outside(void)
{
	return in_errno(unlink(outside));
}

static int remove_folder_outside(void)
{
	return in_errno(unlinkat(AT_FDCWD, outside_folder, AT_REMOVEDIR));
}

static int move_out(void)
{
	int fd = open(inside, O_WRONLY | O_CREAT, 0600);

	return fd < 0 ? 1 : in_errno(rename(inside, outside)) ? EACCES : 0; /* or EXDEV, by Landlock's version */
}

static int truncate_inside(void)
{
	int fd = open(inside, O_RDWR | O_CREAT, 0600);

	return fd < 0 ? errno : in_errno(ftruncate(fd, 5));
}

static void what_is_outside_stays_as_it_is(void **state)
{
	static int (*const attempts[])(void) = {write_outside, truncate_outside, remove_outside, remove_folder_outside,
						move_out};
	const struct sandbox without_folder = {.fd = -1};

	(void)state;
	need("the output is made: yes");
	snprintf(outside, sizeof(outside), "%s-outside", folder);
	snprintf(outside_folder, sizeof(outside_folder), "%s-folder", folder);
	snprintf(inside, sizeof(inside), "%s/file", folder);
	int fd = open(outside, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(write(fd, "kept", 4), 4);
	assert_int_equal(mkdir(outside_folder, 0700), 0);
	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++)
		assert_int_equal(confined(attempts[i]), EACCES);
	assert_int_equal(confined(truncate_inside), 0);
	assert_int_equal(confined_by(&without_folder, truncate_inside), EACCES);
	assert_int_equal(confined_by(&without_folder, write_in_the_folder), 1);
	assert_int_equal(lseek(fd, 0, SEEK_END), 4);
	close(fd);
	assert_int_equal(unlink(outside) + unlink(inside) + rmdir(outside_folder), 0);
}

/* ---- System calls ---- */

static int signal_a_thread_of_the_parent(void)
{
	return in_errno((int)syscall(SYS_tgkill, getppid(), getppid(), 0));
}

static int signal_itself(void)
{
	return in_errno((int)syscall(SYS_tgkill, getpid(), gettid(), 0));
}

static int clone_by_other_flags(void)
{
	return in_errno((int)syscall(SYS_clone, SIGCHLD | CLONE_VM | CLONE_VFORK, NULL, NULL, NULL, NULL));
}

/* What happens at a file can send a signal of any number to its owner, which is any process that is named here. */
static int own_a_file_for_the_parent(void)
{
	return in_errno(fcntl(STDIN_FILENO, F_SETOWN, getppid()));
}

static int choose_the_signal_of_a_file(void)
{
	return in_errno(fcntl(STDIN_FILENO, F_SETSIG, SIGKILL));
}

static int empty_a_file(void)
{
	return in_errno((int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY | O_TRUNC));
}

static int empty_a_file_by_the_older_call(void)
{
#ifdef SYS_open
	return in_errno((int)syscall(SYS_open, "/dev/null", O_RDONLY | O_TRUNC));
#else
	return ENOSYS;
#endif
}

/* The first of the calls that are let through, the last, and one that is not. */
static int call_the_first_and_last(void)
{
	char byte;
	int fd = open("/dev/zero", O_RDONLY);

	if (read(fd, &byte, 1) != 1 || syscall(SYS_getpid) <= 0)
		return 1;
	return in_errno((int)syscall(SYS_getuid));
}

static void calls_are_let_through_one_by_one(void **state)
{
	(void)state;
	need("no other processes: yes");
	assert_int_equal(confined(signal_a_thread_of_the_parent), ENOSYS);
	assert_int_equal(confined(signal_itself), 0);
	assert_int_equal(confined(clone_by_other_flags), ENOSYS);
	assert_int_equal(confined(own_a_file_for_the_parent), ENOSYS);
	assert_int_equal(confined(choose_the_signal_of_a_file), ENOSYS);
	assert_int_equal(confined(empty_a_file), ENOSYS);
	assert_int_equal(confined(empty_a_file_by_the_older_call), ENOSYS);
	assert_int_equal(confined(call_the_first_and_last), ENOSYS);
}

static int set_up(void **state)
{
	FILE *file = fmemopen(report, sizeof(report), "w");

	(void)state;
	landlock = mmap(NULL, sizeof(*landlock), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	*(void **)&real_syscall = dlsym(RTLD_NEXT, "syscall");
	if (!file || !mkdtemp(folder) || landlock == MAP_FAILED || !real_syscall)
		return -1;
	landlock->version = -1;
	landlock_version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	sandbox_describe(file);
	return fclose(file);
}

static int tear_down(void **state)
{
	(void)state;
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_wall_is_left_out),
		cmocka_unit_test(what_conversions_need_is_let_through),
		cmocka_unit_test(files_are_dropped_but_the_one_that_is_kept),
		cmocka_unit_test(the_usual_streams_lead_nowhere),
		cmocka_unit_test(the_usual_streams_lead_nowhere_without_devices),
		cmocka_unit_test(files_elsewhere_cannot_be_written),
		cmocka_unit_test(each_landlock_is_told_to_refuse_all_that_it_knows),
		cmocka_unit_test(other_processes_and_the_network_cannot_be_reached),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(an_abort_is_still_seen_as_one),
		cmocka_unit_test(limits_are_those_asked_for_or_of_the_machine),
		cmocka_unit_test(what_is_outside_stays_as_it_is),
		cmocka_unit_test(calls_are_let_through_one_by_one),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
