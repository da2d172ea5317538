/*
 * Several independent walls: no open files, resource limits, Landlock for the file system, and a filter of system
 * calls. The filter answers ENOSYS instead of killing the process, so that a C library that tries a newer call falls
 * back to an allowed one.
 */
#include "cmd/conversion/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* For builds with sanitizers or coverage, which reserve terabytes, trace their own threads and write anywhere. */
#ifdef LOCUS_UNCONFINED
#define UNCONFINED true
#else
#define UNCONFINED false
#endif

/* ---- Resource limits ---- */

static bool lower_limit(__rlimit_resource_t resource, rlim_t value)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) != 0)
		return false;
	limit.rlim_cur = limit.rlim_max = value < limit.rlim_max ? value : limit.rlim_max;
	return setrlimit(resource, &limit) == 0;
}

static uint64_t machine_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);

	return pages > 0 && page_size > 0 ? (uint64_t)pages * (uint64_t)page_size : RLIM_INFINITY;
}

/*
 * RLIMIT_DATA counts writable memory (all of it since Linux 4.7), but not the mapped inputs, which may be larger than
 * memory; RLIMIT_AS would count those, too.
 */
static bool set_limits(const struct sandbox *sandbox)
{
	bool memory = lower_limit(RLIMIT_DATA, sandbox->memory_bytes ? sandbox->memory_bytes : machine_memory());
	bool cpu = !sandbox->cpu_seconds || lower_limit(RLIMIT_CPU, sandbox->cpu_seconds);
	bool core = lower_limit(RLIMIT_CORE, 0);

	return memory && cpu && core;
}

/* ---- Open files ---- */

/*
 * Closes the files that the parent has open: folders and pipes of other conversions, a jobserver, the terminal. Where a
 * container has no /dev, a file that can be neither read nor written takes the place of /dev/null.
 */
static void drop_files(int kept)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		null = open("/", O_PATH | O_CLOEXEC);
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	/* Where no file is between, the system refuses the range and nothing is closed. */
	close_range(STDERR_FILENO + 1, (unsigned)kept - 1, 0);
	close_range((unsigned)(kept > STDERR_FILENO ? kept : STDERR_FILENO) + 1, UINT_MAX, 0);
}

/* ---- Landlock ---- */

/*
 * These are newer than some versions of linux/landlock.h; they are listed by the version of the kernel's interface that
 * added them.
 */
enum {
	SINCE_REFER = 2,
	SINCE_TRUNCATE = 3,
	SINCE_NETWORK = 4,
	SINCE_DEVICES = 5,
	SINCE_SCOPES = 6,
};
#define ACCESS_REFER    (UINT64_C(1) << 13)
#define ACCESS_TRUNCATE (UINT64_C(1) << 14)
#define ACCESS_IOCTL    (UINT64_C(1) << 15)
#define NETWORK_ALL     UINT64_C(3)
#define SCOPE_ALL       UINT64_C(3)

/* Like the kernel's landlock_ruleset_attr, in its current length. */
struct ruleset {
	uint64_t fs;
	uint64_t network;
	uint64_t scopes;
};

static int landlock_version(void)
{
	return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

/* All rights to change a file system or to run a program that this kernel knows. */
static struct ruleset refused(int version)
{
	struct ruleset ruleset = {
		.fs = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
		      LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
		      LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
		      LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM,
	};

	ruleset.fs |= version >= SINCE_REFER ? ACCESS_REFER : 0;
	ruleset.fs |= version >= SINCE_TRUNCATE ? ACCESS_TRUNCATE : 0;
	ruleset.fs |= version >= SINCE_DEVICES ? ACCESS_IOCTL : 0;
	ruleset.network = version >= SINCE_NETWORK ? NETWORK_ALL : 0;
	ruleset.scopes = version >= SINCE_SCOPES ? SCOPE_ALL : 0;
	return ruleset;
}

/* Allows files to be made, written and removed in the folder. */
static bool allow_folder(int ruleset_fd, const char *folder, int version)
{
	struct landlock_path_beneath_attr rule = {
		.allowed_access = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
				  LANDLOCK_ACCESS_FS_REMOVE_FILE | (version >= SINCE_TRUNCATE ? ACCESS_TRUNCATE : 0),
		.parent_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC),
	};
	if (rule.parent_fd < 0)
		return false;
	long failed = syscall(SYS_landlock_add_rule, ruleset_fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(rule.parent_fd);
	return failed == 0;
}

static bool wall_off_files(const char *folder)
{
	int version = landlock_version();
	struct ruleset ruleset = refused(version);
	size_t size = version >= SINCE_SCOPES    ? sizeof(ruleset)
		      : version >= SINCE_NETWORK ? offsetof(struct ruleset, scopes)
						 : offsetof(struct ruleset, network);
	if (version < 1)
		return false;
	int fd = (int)syscall(SYS_landlock_create_ruleset, &ruleset, size, 0);
	if (fd < 0)
		return false;
	bool done = (!folder || allow_folder(fd, folder, version)) && syscall(SYS_landlock_restrict_self, fd, 0) == 0;
	close(fd);
	return done;
}

/* ---- System calls ---- */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

#ifdef ARCHITECTURE
/*
 * The calls that are needed to read files, use threads and memory, and write the result; none of them reaches another
 * process or the network.
 */
static const uint32_t calls[] = {
	/* Files. How they are opened, and what else fcntl may do, is checked below. */
	SYS_read,
	SYS_pread64,
	SYS_write,
	SYS_pwrite64,
	SYS_writev,
	SYS_close,
	SYS_fstat,
	SYS_newfstatat,
	SYS_statx,
	SYS_lseek,
	SYS_faccessat,
	SYS_faccessat2,
	SYS_readlinkat,
	SYS_getdents64,
	SYS_getcwd,
	SYS_fsync,
	SYS_fdatasync,
	SYS_ftruncate,
	SYS_fallocate,
	SYS_unlinkat,
	SYS_renameat2,
#ifdef SYS_stat
	SYS_stat,
	SYS_lstat,
	SYS_access,
	SYS_readlink,
	SYS_unlink,
	SYS_rename,
#endif
#ifdef SYS_renameat
	SYS_renameat,
#endif
	/* Memory. */
	SYS_brk,
	SYS_mmap,
	SYS_munmap,
	SYS_mremap,
	SYS_mprotect,
	SYS_madvise,
	/* Threads. What clone may start is checked below. */
	SYS_futex,
	SYS_set_robust_list,
	SYS_rseq,
	SYS_sched_yield,
	SYS_sched_getaffinity,
	SYS_rt_sigaction,
	SYS_rt_sigprocmask,
	SYS_rt_sigreturn,
	SYS_sigaltstack,
	SYS_restart_syscall,
	/* Process id, and time. */
	SYS_getpid,
	SYS_getppid,
	SYS_gettid,
	SYS_getrusage,
	SYS_sysinfo,
	SYS_clock_gettime,
	SYS_clock_nanosleep,
	SYS_getrandom,
	SYS_exit,
	SYS_exit_group,
};

enum { CALL_COUNT = sizeof(calls) / sizeof(calls[0]), PROGRAM_MAX = CALL_COUNT + 40 };

#define LOAD(field)                  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))
#define RETURN(action)               BPF_STMT(BPF_RET | BPF_K, (action))
#define SKIP_UNLESS(value, count)    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (count))
#define SKIP_IF(value, count)        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (count), 0)
#define SKIP_UNLESS_SET(bits, count) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, (count))
#define REFUSE                       (SECCOMP_RET_ERRNO | ENOSYS)

/* Fills `program`, which has room for PROGRAM_MAX; returns its length. */
static unsigned short make_filter(struct sock_filter *program)
{
	const struct sock_filter head[] = {
		LOAD(arch),
		SKIP_IF(ARCHITECTURE, 1),
		RETURN(REFUSE),
		LOAD(nr),
		/* Allows threads of this process, but no other process. The flags of clone3 cannot be checked. */
		SKIP_UNLESS(SYS_clone, 4),
		LOAD(args[0]) /* the low half, on these little-endian machines */,
		SKIP_UNLESS_SET(CLONE_THREAD, 1),
		RETURN(SECCOMP_RET_ALLOW),
		RETURN(REFUSE),
		/* abort() sends a signal to its own process; other signals are refused. */
		SKIP_UNLESS(SYS_tgkill, 4),
		LOAD(args[0]),
		SKIP_UNLESS((uint32_t)getpid(), 1),
		RETURN(SECCOMP_RET_ALLOW),
		RETURN(REFUSE),
		/* Before its third version, Landlock lets every file be emptied that is opened to be read. */
		SKIP_UNLESS(SYS_openat, 4),
		LOAD(args[2]),
		SKIP_UNLESS_SET(O_TRUNC, 1),
		RETURN(REFUSE),
		RETURN(SECCOMP_RET_ALLOW),
#ifdef SYS_open
		SKIP_UNLESS(SYS_open, 4),
		LOAD(args[1]),
		SKIP_UNLESS_SET(O_TRUNC, 1),
		RETURN(REFUSE),
		RETURN(SECCOMP_RET_ALLOW),
#endif
		/* By F_SETOWN, F_SETSIG and O_ASYNC, a pipe would send any signal to any process of the user. */
		SKIP_UNLESS(SYS_fcntl, 6),
		LOAD(args[1]),
		SKIP_IF(F_GETFD, 3),
		SKIP_IF(F_SETFD, 2),
		SKIP_IF(F_GETFL, 1),
		RETURN(REFUSE),
		RETURN(SECCOMP_RET_ALLOW),
	};
	unsigned short size = sizeof(head) / sizeof(head[0]);

	for (unsigned short i = 0; i < size; i++)
		program[i] = head[i];
	/* Each allowed call jumps to the last instruction, behind the refusal. */
	for (unsigned short i = 0; i < CALL_COUNT; i++)
		program[size + i] = (struct sock_filter)SKIP_IF(calls[i], (uint8_t)(CALL_COUNT - i));
	size += CALL_COUNT;
	program[size++] = (struct sock_filter)RETURN(REFUSE);
	program[size++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
	return size;
}

static bool filter_calls(void)
{
	struct sock_filter filter[PROGRAM_MAX];
	struct sock_fprog program = {.len = make_filter(filter), .filter = filter};

	/*
	 * Without SPEC_ALLOW, older kernels slow the whole process down, to prevent attacks that need code of their
	 * own.
	 */
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0 ||
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}
#else
enum { CALL_COUNT = 0 };

static bool filter_calls(void)
{
	return false;
}
#endif

/* ---- All together ---- */

enum wall {
	WALL_LIMITS = 1,
	WALL_FILES = 2,
	WALL_CALLS = 4,
};

/* Puts up the walls, and returns those that stand. */
static int enter(const struct sandbox *sandbox)
{
	if (UNCONFINED)
		return 0;
	drop_files(sandbox->fd);
	int walls = set_limits(sandbox) ? WALL_LIMITS : 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return walls;
	walls |= wall_off_files(sandbox->folder) ? WALL_FILES : 0;
	return walls | (filter_calls() ? WALL_CALLS : 0);
}

void sandbox_enter(const struct sandbox *sandbox)
{
	enter(sandbox);
}

/* Tries the walls in a process of its own, and returns those that stand; 0: there is no such process. */
static int try_walls(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(enter(&(struct sandbox){.cpu_seconds = 1, .fd = -1}));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 0;
	return WEXITSTATUS(status);
}

void sandbox_describe(FILE *to)
{
	int walls = try_walls();

	if (UNCONFINED)
		fputs("conversions are not confined: this build checks itself\n", to);
	fprintf(to, "memory and CPU limits: %s\n", walls & WALL_LIMITS ? "yes" : "no");
	if (walls & WALL_FILES)
		fprintf(to, "files are written only where the output is made: yes (Landlock, version %d)\n",
			landlock_version());
	else
		fputs("files are written only where the output is made: no (this kernel has no Landlock)\n", to);
	if (walls & WALL_CALLS)
		fprintf(to, "no network, no programs, no other processes: yes (seccomp, %d system calls)\n",
			CALL_COUNT);
	else
		fputs("no network, no programs, no other processes: no (seccomp is not to be had here)\n", to);
}
