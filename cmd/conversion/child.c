/*
 * The child sends its reply over a pipe. The parent trusts no field of it, because the input may have taken the child
 * over.
 */
#include "cmd/conversion/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/same_file.h"
#include "cmd/common/exit_code.h"
#include "cmd/common/patient_io.h"
#include "cmd/common/report.h"
#include "cmd/common/stop_signals.h"
#include "cmd/conversion/converter.h"
#include "cmd/conversion/fetch.h"
#include "cmd/conversion/heap.h"
#include "cmd/conversion/sandbox.h"

enum {
	NAME_SIZE_MAX = 1 << 14,
	GIVE_UP_S = 3,     /* for a process that fetches to give up by itself; see fetch.h */
	LOOK_MS = 1000,    /* how often the time is looked at while a child runs */
	STOPPED_MS = 3000, /* between two looks: this process was not only late, but stopped */
};

/* The child writes these fields while it works, and the parent reads them at any time. */
struct child_progress {
	_Atomic uint32_t phase;
	_Atomic uint64_t done, total;
};

static struct child_limits limits = {.seconds = CHILD_SECONDS};

static volatile sig_atomic_t running[CHILD_MAX]; /* process ids; 0: the place is free */
static volatile sig_atomic_t fetches[CHILD_MAX]; /* whether it fetches, and so is to be asked to end */
static volatile sig_atomic_t stop_signal;
static struct stop_signals before_catch;

/* A second signal does not wait for anything. */
static void on_stop(int number)
{
	bool is_second = stop_signal;

	stop_signal = number;
	for (size_t i = 0; i < CHILD_MAX; i++)
		if (running[i])
			kill(running[i], fetches[i] && !is_second ? SIGTERM : SIGKILL);
}

static void note_running(pid_t pid, bool is_fetching)
{
	for (size_t i = 0; i < CHILD_MAX; i++)
		if (!running[i]) {
			fetches[i] = is_fetching;
			running[i] = pid;
			return;
		}
}

static void note_ended(pid_t pid)
{
	for (size_t i = 0; i < CHILD_MAX; i++)
		if (running[i] == pid)
			running[i] = 0;
}

void child_catch_signals(void)
{
	signal(SIGCHLD, SIG_DFL); /* if it were ignored, the cause of a child's death could not be seen */
	stop_signals_catch(on_stop, &before_catch);
}

void child_release_signals(void)
{
	stop_signals_restore(&before_catch);
}

bool child_is_stopped(void)
{
	return stop_signal != 0;
}

void child_raise_stop(void)
{
	child_release_signals();
	stop_signals_take_course(stop_signal);
}

/* Reads the reply with a bound on the time: the child may have been taken over, and send nothing. */
static bool read_fully(struct child *child, void *data, size_t size)
{
	char *bytes = data;

	while (size) {
		struct pollfd polled = {.fd = child->fd, .events = POLLIN};
		if (poll(&polled, 1, child_wait_ms(child)) <= 0)
			continue;
		ssize_t done = read(child->fd, bytes, size); /* of what is there, so that no signal interrupts it */
		if (done <= 0)
			return false;
		bytes += done;
		size -= (size_t)done;
	}
	return true;
}

static bool send_reply(int fd, struct child_reply *reply)
{
	const struct locus_convert_result *result = &reply->result;

	for (size_t i = 0; i < result->worst_count; i++) {
		size_t size = result->worst[i].name ? strlen(result->worst[i].name) : 0;
		reply->name_sizes[i] = size < NAME_SIZE_MAX ? size : NAME_SIZE_MAX;
	}
	if (!patient_write(fd, reply, sizeof(*reply)))
		return false;
	for (size_t i = 0; i < result->worst_count; i++) {
		if (!patient_write(fd, result->worst[i].name, reply->name_sizes[i]))
			return false;
	}
	return patient_write(fd, result->read_paths, result->read_paths_size) &&
	       patient_write(fd, reply->data, reply->size);
}

/* The path of the fetched file is sent like a file made in memory. */
static enum locus_status fetch_missing(const struct locus_missing *missing, struct child_reply *reply)
{
	char *path;
	enum locus_status status = fetch(missing, limits.seconds, &path, &reply->error);

	if (status == LOCUS_OK) {
		reply->data = path;
		reply->size = strlen(path) + 1;
	}
	return status;
}

/*
 * Whether the output is fresh, so that nothing is converted. If that cannot be found out, the conversion will report
 * why.
 */
static bool is_fresh(const struct child_request *request, struct child_reply *reply)
{
	if (!request->question)
		return false;
	if (freshness_judge(request->question, &reply->freshness, &reply->error) != LOCUS_OK)
		reply->freshness = (struct freshness){0};
	error_clear(&reply->error);
	return reply->freshness.is_fresh;
}

static enum locus_status compare(const struct comparison_question *question, struct child_reply *reply)
{
	struct comparison *comparison = malloc(sizeof(*comparison));

	if (!comparison)
		return LOCUS_ERR_MEMORY;
	reply->data = comparison;
	reply->size = sizeof(*comparison);
	return comparison_make(question, comparison, &reply->error);
}

/* Sends none, of size 0, if it is not found. */
static enum locus_status send_variable(const char *path, uint64_t address, struct child_reply *reply)
{
	struct locus_elf_variable *variable = calloc(1, sizeof(*variable));

	if (!variable)
		return LOCUS_ERR_MEMORY;
	reply->data = variable;
	reply->size = converter()->elf_variable(path, address, variable) ? sizeof(*variable) : 0;
	return LOCUS_OK;
}

static void note_progress(void *context, enum locus_convert_phase phase, uint64_t done, uint64_t total)
{
	struct child_progress *progress = context;

	atomic_store_explicit(&progress->done, done, memory_order_relaxed);
	atomic_store_explicit(&progress->total, total, memory_order_relaxed);
	atomic_store_explicit(&progress->phase, phase, memory_order_relaxed);
}

/* The child may have been taken over, and have written anything. */
struct child_account child_account(const struct child *child)
{
	struct child_account account = {0};

	if (!child->progress)
		return account;
	uint32_t phase = atomic_load_explicit(&child->progress->phase, memory_order_relaxed);
	account.phase = phase < LOCUS_PHASE_COUNT ? (enum locus_convert_phase)phase : LOCUS_PHASE_FILES;
	account.done = atomic_load_explicit(&child->progress->done, memory_order_relaxed);
	account.total = atomic_load_explicit(&child->progress->total, memory_order_relaxed);
	return account;
}

/* A bound that the user has set for memory leaves no room for a heap in large pages, which takes more. */
static enum locus_status convert_file(const char *path, const struct locus_convert_options *options,
				      struct child_reply *reply)
{
	struct stat file;

	if (!limits.memory_bytes && stat(path, &file) == 0)
		heap_prepare((uint64_t)file.st_size, options->job_count);
	return converter()->convert(path, options, &reply->result, &reply->error);
}

/* `progress` may be NULL. */
static enum locus_status fulfil(const struct child_request *request, struct child_progress *progress,
				struct child_reply *reply)
{
	struct locus_convert_options options = request->options;
	const struct child_wanted *wanted = request->wanted;

	if (request->fetched)
		return fetch_missing(request->fetched, reply);
	options.max_memory = limits.memory_bytes;
	options.missing = &reply->missing;
	if (request->comparison)
		return compare(request->comparison, reply);
	if (request->variable_at)
		return send_variable(request->path, *request->variable_at, reply);
	if (request->only_judge)
		return freshness_judge(request->question, &reply->freshness, &reply->error);
	if (is_fresh(request, reply))
		return LOCUS_OK;
	options.progress = progress ? note_progress : NULL;
	options.progress_context = progress;
	if (!wanted)
		return convert_file(request->path, &options, reply);
	if (wanted->names)
		return converter()->convert_functions_to_memory(request->path, &options, wanted->names,
								wanted->name_count, &reply->data, &reply->size,
								&reply->error);
	return converter()->convert_to_memory(request->path, &options, wanted->addresses, wanted->address_count,
					      &reply->data, &reply->size, &reply->error);
}

void child_set_limits(const struct child_limits *wanted)
{
	limits = *wanted;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/*
 * The clock of deadlines, which stands still while this process does not run. What stops it stops its children, too: a
 * terminal (Ctrl-Z), a batch system that lets others go first, the freezer of a container. Not all of these send a
 * signal, but between two looks then passes more time than the process waits for.
 */
static int64_t running_ms(void)
{
	static int64_t last, stopped;
	int64_t now = now_ms();

	if (last && now - last >= STOPPED_MS)
		stopped += now - last - LOOK_MS;
	last = now;
	return now - stopped;
}

int child_wait_ms(struct child *child)
{
	int64_t now = running_ms();

	if (stop_signal && child->deadline_ms > now + GIVE_UP_S * 1000)
		child->deadline_ms = now + GIVE_UP_S * 1000;
	if (child->is_late || child->deadline_ms == INT64_MAX)
		return -1;

	int64_t left = child->deadline_ms - now;

	if (left > 0)
		return left < LOOK_MS ? (int)left : LOOK_MS;
	child->is_late = true;
	kill(child->pid, SIGKILL);
	return -1;
}

/*
 * The user's bound, which has 63 bits, and the stacks of threads, which the kernel counts as a whole: hardly any of
 * them is used, but those of many processors would take up all of the bound. 0: the user has set none.
 */
static uint64_t memory_with_stacks(unsigned threads)
{
	const unsigned most = threads < LOCUS_CONVERT_THREADS_MAX ? threads : LOCUS_CONVERT_THREADS_MAX;

	return limits.memory_bytes ? limits.memory_bytes + (most - 1) * (uint64_t)LOCUS_CONVERT_STACK : 0;
}

/* The child may write only in the folder of its output, which holds nothing else. False: memory is out. */
static bool confine(const struct child_request *request, int fd)
{
	bool writes = !request->wanted && !request->only_judge && !request->comparison;
	const char *output = writes ? request->options.output : NULL;
	const char *slash = output ? strrchr(output, '/') : NULL;
	char *folder = slash ? strndup(output, (size_t)(slash - output) + 1) : NULL;
	unsigned threads = request->options.job_count ? request->options.job_count : 1;

	if (slash && !folder)
		return false;

	/* The parent bounds the time that passes; if it is stopped, this bounds the CPU time of the threads. */
	sandbox_enter(&(struct sandbox){
		.memory_bytes = memory_with_stacks(threads),
		.cpu_seconds = (uint64_t)limits.seconds * threads + (limits.seconds ? 1 : 0),
		.folder = output && !slash ? "." : folder,
		.fd = fd,
	});
	free(folder);
	return true;
}

/* The path of a file that is named as one which this process has open, and is about to close; NULL: it has none. */
static char *path_of_open_file(const char *path)
{
	static const char *const places[] = {"/dev/stdin", "/dev/fd/", "/proc/self/fd/"};
	char *real = NULL;

	for (size_t i = 0; path && i < sizeof(places) / sizeof(places[0]) && !real; i++)
		real = strncmp(path, places[i], strlen(places[i])) == 0 ? realpath(path, NULL) : NULL;
	if (real && paths_are_same_file(real, path)) /* another file may have its name by now */
		return real;
	free(real);
	return NULL;
}

static void explain_memory(struct child_reply *reply)
{
	if (reply->status == LOCUS_ERR_MEMORY && limits.memory_bytes)
		snprintf(reply->error.text, sizeof(reply->error.text), "it takes more memory than --max-memory allows");
}

static void child_main(int fd, pid_t parent, const struct child_request *asked, struct child_progress *progress)
{
	static struct child_reply reply;
	struct child_request request = *asked;
	char *path = path_of_open_file(request.path);

	stop_signals_catch(SIG_DFL, NULL);
	prctl(PR_SET_PDEATHSIG, request.fetched ? SIGTERM : SIGKILL); /* what fetches has a file to remove first */
	if (getppid() != parent)
		_exit(EXIT_FAILED);
	error_clear(&reply.error);
	request.path = path ? path : request.path;
	if (request.fetched || confine(&request, fd))
		reply.status = fulfil(&request, progress, &reply);
	else
		reply.status = error_fail(&reply.error, LOCUS_ERR_MEMORY, "out of memory");
	explain_memory(&reply);
	bool is_sent = send_reply(fd, &reply);
	free(reply.data);
	free(path);
	exit(is_sent ? EXIT_OK : EXIT_FAILED); /* exit and not _exit, so that sanitizers look for leaks here too */
}

/* Receives the names one by one; on failure, those received are freed with the result. */
static bool receive_names(struct child *child, struct child_reply *reply)
{
	struct locus_convert_result *result = &reply->result;
	size_t count = result->worst_count;

	result->worst_count = 0;
	if (count > CHILD_WORST_MAX)
		return false;
	for (size_t i = 0; i < count; i++) {
		size_t size = reply->name_sizes[i];
		if (size > NAME_SIZE_MAX)
			return false;
		result->worst[i].name = calloc(1, size + 1);
		if (!result->worst[i].name)
			return false;
		result->worst_count = i + 1;
		if (!read_fully(child, result->worst[i].name, size))
			return false;
	}
	return true;
}

/*
 * Receives `size` bytes, at most as many as the child may have in its memory. *ret is NULL if there are none; it
 * belongs to the caller, also on failure.
 */
static bool receive_bytes(struct child *child, size_t size, void **ret)
{
	bool is_allowed = !limits.memory_bytes || size <= limits.memory_bytes;

	*ret = size && is_allowed ? malloc(size) : NULL;
	return !size || (*ret && read_fully(child, *ret, size));
}

static bool receive_paths(struct child *child, struct locus_convert_result *result)
{
	size_t size = result->read_paths_size;
	void *paths;
	bool received = receive_bytes(child, size, &paths);

	result->read_paths = paths;
	return received && (!size || result->read_paths[size - 1] == '\0');
}

void child_reply_done(struct child_reply *reply)
{
	converter()->result_done(&reply->result);
	free(reply->data);
	reply->data = NULL;
}

static bool receive_reply(struct child *child, struct child_reply *reply)
{
	if (!read_fully(child, reply, sizeof(*reply)))
		return false;
	reply->data = reply->result.read_paths = NULL;
	reply->error.text[sizeof(reply->error.text) - 1] = '\0';
	reply->freshness.reason[sizeof(reply->freshness.reason) - 1] = '\0';
	if (receive_names(child, reply) && receive_paths(child, &reply->result) &&
	    receive_bytes(child, reply->size, &reply->data))
		return true;
	child_reply_done(reply);
	return false;
}

/* The system sends SIGKILL where memory is out, and at a limit of CPU time that somebody has set. */
static const char *guess_cause(int number)
{
	struct rlimit limit;

	if (number != SIGKILL)
		return "";
	return getrlimit(RLIMIT_CPU, &limit) == 0 && limit.rlim_max != RLIM_INFINITY
		       ? "; out of memory, or of CPU time (ulimit -t)?"
		       : "; out of memory?";
}

static enum locus_status explain_death(const struct child *child, int wait_status, struct locus_error *error)
{
	int number = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;

	if (child->is_late || number == SIGXCPU)
		return error_fail(error, LOCUS_ERR_BAD_DWARF, "it took longer than --timeout allows: %u s",
				  limits.seconds);
	if (number == SIGBUS)
		return error_fail(
			error, LOCUS_ERR_IO,
			"the conversion was ended by signal %d (%s): it was cut short while it was read, or cannot "
			"be read",
			number, strsignal(number));
	if (!number)
		return error_fail(error, LOCUS_ERR_BAD_DWARF, "the conversion ended early, with exit status %d%s",
				  WEXITSTATUS(wait_status),
				  WEXITSTATUS(wait_status) == EXIT_FAILED ? "; out of memory?" : "");
	return error_fail(error, LOCUS_ERR_BAD_DWARF, "the conversion was ended by signal %d (%s)%s", number,
			  strsignal(number), guess_cause(number));
}

static pid_t start(const struct child *child, const struct child_request *request, const int pipe_fds[2])
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid == 0) {
		close(pipe_fds[0]);
		child_main(pipe_fds[1], parent, request, child->progress);
	}
	close(pipe_fds[1]);
	return pid;
}

/* Has a bound, too: a child that was taken over may have sent its reply, or closed the pipe, and never end. */
static int wait_for(struct child *child)
{
	struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, child->pid, 0), .events = POLLIN};
	int wait_status = 0;

	while (end.fd >= 0 && poll(&end, 1, child_wait_ms(child)) <= 0)
		continue;
	if (end.fd >= 0)
		close(end.fd);
	while (waitpid(child->pid, &wait_status, 0) < 0 && errno == EINTR)
		continue;
	note_ended(child->pid);
	return wait_status;
}

/* Allocates memory that the child writes to and the parent reads; NULL: there is none, and work goes on without. */
static struct child_progress *progress_new(void)
{
	void *shared =
		mmap(NULL, sizeof(struct child_progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return shared == MAP_FAILED ? NULL : shared;
}

static void progress_free(struct child *child)
{
	if (child->progress)
		munmap(child->progress, sizeof(*child->progress));
	child->progress = NULL;
}

enum locus_status child_start(struct child *child, const struct child_request *request, struct locus_error *error)
{
	int pipe_fds[2];

	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return error_fail(error, LOCUS_ERR_IO, "pipe: %s", strerror(errno));
	child->progress = progress_new();
	child->pid = start(child, request, pipe_fds);
	if (child->pid < 0) {
		progress_free(child);
		close(pipe_fds[0]);
		return error_fail(error, LOCUS_ERR_IO, "fork: %s", strerror(errno));
	}
	child->fd = pipe_fds[0];
	child->is_late = false;
	int64_t seconds = (int64_t)limits.seconds + (request->fetched ? GIVE_UP_S : 0);
	child->deadline_ms = limits.seconds ? running_ms() + seconds * 1000 : INT64_MAX;
	note_running(child->pid, request->fetched);
	if (stop_signal)
		kill(child->pid, SIGKILL);
	return LOCUS_OK;
}

enum locus_status child_finish(struct child *child, struct child_reply *reply, struct locus_error *error)
{
	bool received = receive_reply(child, reply);
	close(child->fd);
	progress_free(child);
	int wait_status = wait_for(child);

	if (!received) {
		*reply = (struct child_reply){0};
		return explain_death(child, wait_status, error);
	}
	if (reply->status == LOCUS_OK && wait_status == 0)
		return LOCUS_OK;
	child_reply_done(reply);
	if (reply->status == LOCUS_OK)
		return explain_death(child, wait_status, error);
	*error = reply->error;
	return reply->status;
}
