/* What a process takes from its child, which the input may have taken over: whole replies, and how the child ended. */
#include "cmd/conversion/child.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/toolkit_test.h"
#include "cmd/common/exit_code.h"
#include "cmd/common/report.h"
#include "cmd/conversion/converter.h"

enum {
	NAME_MAX_SENT = 1 << 14,
	MORE_THAN_A_PIPE_HOLDS = 1 << 20,
	PATIENCE_MS = 60000, /* what a busy machine may take for what comes at once otherwise */
};

/* What a child sends, and how it ends then: by a signal, or with an exit code. */
struct act {
	struct child_reply reply;
	size_t extra_size; /* zeros behind the reply, for names, paths and the file; `last` stands behind them */
	char last;
	size_t left_out; /* of the end of all that */
	int signal, code;
};

static const struct child_reply good = {
	/* What a child says of its own memory counts for nothing. */
	.data = (void *)1,
	.result = {.read_paths = (void *)1, .worst = {{.name = (void *)1}}},
};

/* By how much the clock of this program is ahead of the others'. */
static time_t passed_s;

int clock_gettime(clockid_t clock, struct timespec *time)
{
	int failed = (int)syscall(SYS_clock_gettime, clock, time);

	time->tv_sec += passed_s;
	return failed;
}

static int64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t done = write(fd, data, size);
		if (done <= 0)
			return false;
		data += done;
		size -= (size_t)done;
	}
	return true;
}

static void play(const struct act *act, int fd)
{
	size_t size = sizeof(act->reply) + act->extra_size + 1;
	char *bytes = calloc(1, size);
	if (!bytes)
		_exit(99);
	memcpy(bytes, &act->reply, sizeof(act->reply));
	bytes[size - 1] = act->last;
	size -= act->left_out;
	signal(SIGPIPE, SIG_IGN); /* the receiver may have had enough */
	/* The last byte comes by itself, as any part may. */
	write_all(fd, bytes, size - 1);
	usleep(2000);
	write_all(fd, bytes + size - 1, 1);
	free(bytes);
	close(fd);
	if (act->signal) {
		signal(act->signal, SIG_DFL);
		raise(act->signal);
	}
	_exit(act->code);
}

static struct child start(const struct act *act)
{
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	pid_t pid = fork();
	if (pid == 0) {
		close(fds[0]);
		play(act, fds[1]);
	}
	assert_true(pid > 0);
	close(fds[1]);
	return (struct child){.pid = pid, .fd = fds[0], .deadline_ms = INT64_MAX};
}

static enum locus_status finish(const struct act *act, struct child_reply *reply, struct locus_error *error)
{
	struct child child = start(act);
	error_clear(error);
	memset(reply, 1, sizeof(*reply));
	enum locus_status status = child_finish(&child, reply, error);
	assert_int_equal(waitpid(child.pid, NULL, WNOHANG), -1); /* it was waited for */
	assert_true(close(child.fd) != 0);
	return status;
}

/* As many names as there may be, of 3 bytes, of the most and of none; a path; a file of 2 bytes. */
static struct act whole_act(void)
{
	struct act act = {.reply = good, .extra_size = 3 + NAME_MAX_SENT + 5 + 1, .last = 'x'};
	act.reply.result.worst_count = CHILD_WORST_MAX;
	act.reply.name_sizes[0] = 3;
	act.reply.name_sizes[1] = NAME_MAX_SENT;
	act.reply.result.read_paths_size = 5;
	act.reply.size = 2;
	return act;
}

static void a_whole_reply_is_received(void **state)
{
	struct act act = whole_act();
	struct child_reply reply;
	struct locus_error error;
	(void)state;
	assert_int_equal(finish(&act, &reply, &error), LOCUS_OK);
	assert_int_equal(reply.result.worst_count, CHILD_WORST_MAX);
	assert_string_equal(reply.result.worst[1].name, "");
	assert_int_equal(reply.result.read_paths[4], 0);
	assert_int_equal(((char *)reply.data)[1], 'x');
	child_reply_done(&reply);
	assert_null(reply.data);

	act = (struct act){.reply = good};
	assert_int_equal(finish(&act, &reply, &error), LOCUS_OK);
	assert_null(reply.data);
	assert_null(reply.result.read_paths);
	child_reply_done(&reply);
}

static void expect_refusal(const char *what, const struct act *act)
{
	static const struct child_reply nothing;
	struct child_reply reply;
	struct locus_error error;
	enum locus_status status = finish(act, &reply, &error);
	if (status != LOCUS_ERR_BAD_DWARF ||
	    strcmp(error.text, "the conversion ended early, with exit status 0") != 0 ||
	    memcmp(&reply, &nothing, sizeof(reply)) != 0)
		fail_msg("%s: status %d, %s", what, (int)status, error.text);
	assert_true(error.offset == LOCUS_NO_OFFSET);
}

static void no_part_of_a_reply_is_taken_for_the_whole(void **state)
{
	const struct act whole = whole_act();
	const size_t left_out[] = {2, 4, 8, 9, 9 + NAME_MAX_SENT / 2, 9 + NAME_MAX_SENT, 9 + NAME_MAX_SENT + 3};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(left_out); i++) {
		struct act act = whole;
		act.left_out = left_out[i];
		expect_refusal("cut short", &act);
	}
	struct act act = {.reply = good, .left_out = 2};
	expect_refusal("without its last byte", &act);
}

static void sizes_have_bounds(void **state)
{
	struct act act = {.reply = good, .extra_size = 2 * NAME_MAX_SENT};
	(void)state;
	act.reply.result.worst_count = CHILD_WORST_MAX + 1;
	expect_refusal("too many names", &act);
	act.reply.result.worst_count = 1;
	act.reply.name_sizes[0] = NAME_MAX_SENT + 1;
	expect_refusal("a longer name", &act);
	act.reply.result.worst_count = 0;
	act.reply.size = 1 << 20;
	expect_refusal("more bytes than follow", &act);
	act = (struct act){.reply = good, .extra_size = 4, .last = 'x'};
	act.reply.result.read_paths_size = 5;
	expect_refusal("paths without an end", &act);

	/* What the child may have in its memory: --max-memory. */
	child_set_limits(&(struct child_limits){.memory_bytes = 5});
	act = (struct act){.reply = good, .extra_size = 5};
	act.reply.size = 6;
	expect_refusal("a file that is too large", &act);
	act.reply.size = 0;
	act.reply.result.read_paths_size = 6;
	expect_refusal("paths that are too large", &act);
	child_set_limits(&(struct child_limits){0});
}

static void texts_have_an_end(void **state)
{
	struct act act = {.reply = good};
	struct child_reply reply;
	struct locus_error error;
	(void)state;
	act.reply.status = LOCUS_ERR_NO_DEBUG;
	memset(act.reply.error.text, 'x', sizeof(act.reply.error.text));
	assert_int_equal(finish(&act, &reply, &error), LOCUS_ERR_NO_DEBUG);
	assert_int_equal(strlen(error.text), sizeof(error.text) - 1);

	act = (struct act){.reply = good};
	memset(act.reply.freshness.reason, 'x', sizeof(act.reply.freshness.reason));
	assert_int_equal(finish(&act, &reply, &error), LOCUS_OK);
	assert_int_equal(strlen(reply.freshness.reason), sizeof(reply.freshness.reason) - 1);
	child_reply_done(&reply);
}

static void how_a_child_ended_is_told(void **state)
{
	static const struct {
		int signal, code;
		enum locus_status status;
		const char *text;
	} cases[] = {
		{0, 3, LOCUS_ERR_BAD_DWARF, "the conversion ended early, with exit status 3"},
		{SIGSEGV, 0, LOCUS_ERR_BAD_DWARF, "the conversion was ended by signal 11 (Segmentation fault)"},
		{SIGKILL, 0, LOCUS_ERR_BAD_DWARF, "the conversion was ended by signal 9 (Killed); out of memory?"},
		{SIGBUS, 0, LOCUS_ERR_IO,
		 "the conversion was ended by signal 7 (Bus error): it was cut short while it was read, or cannot be "
		 "read"},
		{SIGXCPU, 0, LOCUS_ERR_BAD_DWARF, "it took longer than --timeout allows: 7 s"},
	};
	(void)state;
	child_set_limits(&(struct child_limits){.seconds = 7});
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		/* Before all was sent, and after it. */
		for (size_t left_out = 1; left_out <= 2; left_out++) {
			struct act act = {
				.reply = good, .left_out = left_out, .signal = cases[i].signal, .code = cases[i].code};
			struct child_reply reply;
			struct locus_error error;
			assert_int_equal(finish(&act, &reply, &error), cases[i].status);
			assert_string_equal(error.text, cases[i].text);
		}
	}
}

static void a_child_that_is_late_is_killed(void **state)
{
	struct child_reply reply;
	struct locus_error error;
	int fds[2];
	(void)state;
	assert_int_equal(pipe(fds), 0);
	pid_t pid = fork();
	if (pid == 0) {
		sleep(60);
		_exit(0);
	}
	close(fds[1]);
	struct child child = {.pid = pid, .fd = fds[0], .deadline_ms = 1};
	assert_int_equal(child_finish(&child, &reply, &error), LOCUS_ERR_BAD_DWARF);
	assert_true(child.is_late);
	assert_string_equal(error.text, "it took longer than --timeout allows: 7 s");

	child = (struct child){.deadline_ms = INT64_MAX};
	assert_int_equal(child_wait_ms(&child), -1);
	child.deadline_ms = INT64_MAX - 1;
	assert_int_equal(child_wait_ms(&child), 1000);
	assert_false(child.is_late);
}

/* Everything stands still for days, minutes and seconds, and then runs for seconds, one after the other. */
static void only_the_time_in_which_this_process_runs_counts(void **state)
{
	static const struct {
		int seconds, count;
	} stops[] = {{24 * 60 * 60, 3}, {60, 3}, {4, 40}};
	struct child_reply reply;
	struct locus_error error;
	int fds[2], seconds = 0, stop_count = 0;

	(void)state;
	child_set_limits(&(struct child_limits){.seconds = 7});
	assert_int_equal(pipe(fds), 0);
	pid_t pid = fork();
	if (pid == 0) {
		pause();
		_exit(0);
	}
	close(fds[1]);
	child_wait_ms(&(struct child){.deadline_ms = INT64_MAX});
	struct child child = {.pid = pid, .fd = fds[0], .deadline_ms = clock_ms() + 600000};
	for (size_t i = 0; i < COUNT_OF(stops); i++)
		for (int k = 0; k < stops[i].count; k++, stop_count++) {
			passed_s += stops[i].seconds;
			assert_int_equal(child_wait_ms(&child), 1000);
		}
	for (; child_wait_ms(&child) >= 0; seconds++)
		passed_s++;
	assert_true(child.is_late);
	/* Of each stop one second counts. On a busy machine a minute may pass meanwhile, or not have counted before. */
	assert_in_range(seconds + stop_count, 540, 660);
	assert_int_equal(child_finish(&child, &reply, &error), LOCUS_ERR_BAD_DWARF);
	assert_string_equal(error.text, "it took longer than --timeout allows: 7 s");
}

/* The second has closed its end of the pipe, the first has sent all of its reply. */
static void a_child_that_does_not_end_is_killed(void **state)
{
	(void)state;
	for (size_t left_out = 0; left_out <= 2; left_out += 2) {
		const struct act act = {.reply = good, .left_out = left_out, .signal = SIGSTOP};
		struct child_reply reply;
		struct locus_error error;
		struct child child = start(&act);
		child.deadline_ms = clock_ms() + 300;
		assert_int_equal(child_finish(&child, &reply, &error), LOCUS_ERR_BAD_DWARF);
		assert_string_equal(error.text, "it took longer than --timeout allows: 7 s");
	}
}

/* ---- What a child does ---- */

/* What the path says: it fails at once, ends, or works for ever. Otherwise all that it was asked for is its error's
 * text. */
static enum locus_status convert(const char *path, const struct locus_convert_options *options,
				 struct locus_convert_result *ret, struct locus_error *error)
{
	(void)ret;
	if (strcmp(path, "crash") == 0)
		_exit(7);
	while (strcmp(path, "busy") == 0)
		continue;
	while (strcmp(path, "slow") == 0)
		usleep(1000);
	if (options->progress)
		options->progress(options->progress_context, LOCUS_PHASE_BLOCKS, 5, 9);
	while (strcmp(path, "slow, with progress") == 0)
		usleep(1000);
	if (strcmp(path, "memory") == 0)
		return LOCUS_ERR_MEMORY;
	options->missing->kind = LOCUS_MISSING_DEBUG;
	snprintf(error->text, sizeof(error->text), "converted %s to %s by %u, %llu bytes", path, options->output,
		 options->job_count, (unsigned long long)options->max_memory);
	return LOCUS_ERR_NO_DEBUG;
}

static enum locus_status convert_to_memory(const char *path, const struct locus_convert_options *options,
					   const uint64_t *addresses, size_t address_count, void **ret_data,
					   size_t *ret_size, struct locus_error *error)
{
	char *text = calloc(1, MORE_THAN_A_PIPE_HOLDS);
	(void)options;
	(void)error;
	*ret_size = (size_t)snprintf(text, 100, "%s at %zu addresses, the last %llx", path, address_count,
				     address_count ? (unsigned long long)addresses[address_count - 1] : 0);
	if (strcmp(path, "large") == 0)
		*ret_size = MORE_THAN_A_PIPE_HOLDS;
	*ret_data = text;
	return LOCUS_OK;
}

static enum locus_status convert_functions(const char *path, const struct locus_convert_options *options,
					   const char *const *names, size_t name_count, void **ret_data,
					   size_t *ret_size, struct locus_error *error)
{
	char *text = malloc(100);
	(void)options;
	(void)error;
	*ret_size =
		(size_t)snprintf(text, 100, "%s for %zu names, the last %s", path, name_count, names[name_count - 1]);
	*ret_data = text;
	return LOCUS_OK;
}

static struct child begin(const struct child_request *request)
{
	struct child child;
	struct locus_error error;
	fflush(NULL); /* or the child writes it again when it ends */
	assert_int_equal(child_start(&child, request, &error), LOCUS_OK);
	return child;
}

static enum locus_status end(struct child *child, struct child_reply *reply, char text[LOCUS_ERROR_TEXT_SIZE])
{
	struct locus_error error;
	error_clear(&error);
	enum locus_status status = child_finish(child, reply, &error);
	memcpy(text, error.text, LOCUS_ERROR_TEXT_SIZE);
	return status;
}

static void expect_end(const struct child_request *request, enum locus_status status, const char *expected)
{
	static struct child_reply reply;
	struct child child = begin(request);
	char text[LOCUS_ERROR_TEXT_SIZE];
	assert_int_equal(end(&child, &reply, text), status);
	assert_string_equal(text, expected);
}

static void expect_data(const struct child_request *request, const char *expected)
{
	static struct child_reply reply;
	struct child child = begin(request);
	char text[LOCUS_ERROR_TEXT_SIZE];
	assert_int_equal(end(&child, &reply, text), LOCUS_OK);
	assert_int_equal(reply.size, strlen(expected));
	assert_memory_equal(reply.data, expected, reply.size);
	child_reply_done(&reply);
}

static void what_a_request_asks_for(void **state)
{
	static const uint64_t addresses[] = {1, 0xabc};
	static const char *const names[] = {"f", "g", "h"};
	const struct child_wanted at = {.addresses = addresses, .address_count = 2}, whole = {0},
				  named = {.names = names, .name_count = 3};
	struct child_request request = {.path = "app", .options = {.output = "in/out", .job_count = 3}};
	(void)state;
	child_set_limits(&(struct child_limits){.memory_bytes = 1 << 30, .seconds = CHILD_SECONDS});
	expect_end(&request, LOCUS_ERR_NO_DEBUG, "converted app to in/out by 3, 1073741824 bytes");
	request.path = "memory";
	expect_end(&request, LOCUS_ERR_MEMORY, "it takes more memory than --max-memory allows");
	child_set_limits(&(struct child_limits){.seconds = CHILD_SECONDS});
	expect_end(&request, LOCUS_ERR_MEMORY, "");
	request.path = "app";
	request.options.output = "out";
	expect_end(&request, LOCUS_ERR_NO_DEBUG, "converted app to out by 3, 0 bytes");
	request.path = "crash";
	expect_end(&request, LOCUS_ERR_BAD_DWARF, "the conversion ended early, with exit status 7");

	request = (struct child_request){.path = "app", .wanted = &at};
	expect_data(&request, "app at 2 addresses, the last abc");
	request.wanted = &whole;
	expect_data(&request, "app at 0 addresses, the last 0");
	request.wanted = &named;
	expect_data(&request, "app for 3 names, the last h");

	/* Neither the file to judge nor the one to compare is there. */
	const struct freshness_question question = {.file = "/absent/f", .elf = "app", .options = &request.options};
	const struct comparison_question comparison = {.file = "/absent/c", .elf = "app", .options = &request.options};
	request = (struct child_request){.path = "app", .question = &question, .only_judge = true};
	expect_end(&request, LOCUS_ERR_IO, "No such file or directory");
	request = (struct child_request){.path = "app", .comparison = &comparison};
	expect_end(&request, LOCUS_ERR_IO, "No such file or directory");
	/* What cannot be judged is converted. */
	request = (struct child_request){.path = "app", .question = &question, .options.job_count = 1};
	expect_end(&request, LOCUS_ERR_NO_DEBUG, "converted app to (null) by 1, 0 bytes");
}

static void how_far_a_child_is(void **state)
{
	const struct child_request request = {.path = "slow, with progress"};
	struct child child = begin(&request);
	struct child_account account = {0};
	char text[LOCUS_ERROR_TEXT_SIZE];
	static struct child_reply reply;
	(void)state;
	for (int i = 0; i < PATIENCE_MS && account.phase != LOCUS_PHASE_BLOCKS; i++) {
		usleep(1000);
		account = child_account(&child);
	}
	assert_int_equal(account.phase, LOCUS_PHASE_BLOCKS);
	assert_int_equal(account.done, 5);
	assert_int_equal(account.total, 9);
	kill(child.pid, SIGKILL);
	assert_int_equal(end(&child, &reply, text), LOCUS_ERR_BAD_DWARF);
	account = child_account(&child);
	assert_int_equal(account.phase, 0);
	assert_int_equal(account.done + account.total, 0);
}

/* A child may write anything there. */
static void a_phase_that_there_is_not(void **state)
{
	static uint64_t bytes[4]; /* the phase, what is done, and what there is in all */
	const struct child child = {.progress = (struct child_progress *)bytes};
	(void)state;
	for (uint64_t phase = 0; phase < LOCUS_PHASE_COUNT + 2; phase++) {
		bytes[0] = phase;
		bytes[1] = 7;
		struct child_account account = child_account(&child);
		assert_int_equal(account.phase, phase < LOCUS_PHASE_COUNT ? phase : LOCUS_PHASE_FILES);
		assert_int_equal(account.done, 7);
	}
}

/* ---- Signals ---- */

/* Holds a condition in a process of its own, where cmocka cannot jump back; its line tells which. */
#define HOLD(condition)                                                         \
	do {                                                                    \
		if (!(condition)) {                                             \
			fprintf(stderr, "line %d: " #condition "\n", __LINE__); \
			_exit(1);                                               \
		}                                                               \
	} while (0)

static void stop_while_two_run(int number)
{
	static const char killed[] = "the conversion was ended by signal 9 (Killed); out of memory?";
	static struct child_reply reply;
	const struct child_request slow = {.path = "slow"}, crash = {.path = "crash"};
	struct child first, second, third, later;
	struct locus_error error;
	char text[LOCUS_ERROR_TEXT_SIZE];

	HOLD(child_start(&first, &slow, &error) == LOCUS_OK);
	HOLD(child_start(&second, &crash, &error) == LOCUS_OK);
	HOLD(child_start(&third, &slow, &error) == LOCUS_OK);
	HOLD(end(&second, &reply, text) == LOCUS_ERR_BAD_DWARF);
	HOLD(strcmp(text, "the conversion ended early, with exit status 7") == 0);
	HOLD(!child_is_stopped());
	raise(number);
	HOLD(child_is_stopped());
	HOLD(end(&first, &reply, text) == LOCUS_ERR_BAD_DWARF && strcmp(text, killed) == 0);
	HOLD(end(&third, &reply, text) == LOCUS_ERR_BAD_DWARF && strcmp(text, killed) == 0);
	/* What is started in spite of that does not run long. */
	HOLD(child_start(&later, &slow, &error) == LOCUS_OK);
	HOLD(end(&later, &reply, text) == LOCUS_ERR_BAD_DWARF && strcmp(text, killed) == 0);
}

/* In a process of its own, since what is lowered stays. */
static void a_limit_of_cpu_time_is_thought_of(void **state)
{
	static const char expected[] =
		"the conversion was ended by signal 9 (Killed); out of memory, or of CPU time (ulimit -t)?";
	static struct child_reply reply;
	const struct child_request busy = {.path = "busy"};
	struct child child;
	struct locus_error error;
	char text[LOCUS_ERROR_TEXT_SIZE];
	int status;
	(void)state;
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		HOLD(setrlimit(RLIMIT_CPU, &(struct rlimit){1, 1}) == 0);
		HOLD(child_start(&child, &busy, &error) == LOCUS_OK);
		HOLD(end(&child, &reply, text) == LOCUS_ERR_BAD_DWARF);
		HOLD(strcmp(text, expected) == 0);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

enum manner { TAKES_ITS_COURSE, IS_IGNORED, IS_RELEASED, WAS_CAUGHT };

static void end_with_number(int number)
{
	_exit(number);
}

static void be_signalled(int number, enum manner manner)
{
	alarm(120); /* so that it fails rather than waits for ever */
	setrlimit(RLIMIT_CORE, &(struct rlimit){0});
	signal(SIGCHLD, SIG_IGN); /* as a parent may leave it */
	signal(number, manner == IS_IGNORED ? SIG_IGN : manner == WAS_CAUGHT ? end_with_number : SIG_DFL);
	child_catch_signals();
	if (manner == TAKES_ITS_COURSE || manner == WAS_CAUGHT) {
		stop_while_two_run(number);
		child_raise_stop();
	} else {
		if (manner == IS_RELEASED)
			child_release_signals();
		raise(number);
	}
	_exit(child_is_stopped() ? 2 : 0);
}

/* With pipes that signal nobody, as the command sets them. */
static void a_child_whose_reply_nobody_takes_ends(void **state)
{
	const struct child_wanted whole = {0};
	const struct child_request request = {.path = "large", .wanted = &whole};
	pid_t ended = 0;
	int status;
	(void)state;
	signal(SIGPIPE, SIG_IGN);
	struct child child = begin(&request);
	usleep(20000);
	close(child.fd);
	for (int i = 0; i < PATIENCE_MS && ended == 0; i++) {
		usleep(1000);
		ended = waitpid(child.pid, &status, WNOHANG);
	}
	kill(child.pid, SIGKILL);
	signal(SIGPIPE, SIG_DFL);
	assert_int_equal(ended, child.pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_FAILED);
}

/* Of a process that is killed, and so can end nothing itself, no child is left. */
static void children_end_with_their_parent(void **state)
{
	const struct child_request slow = {.path = "slow, with progress"};
	struct child child;
	struct locus_error error;
	int ends[2], status;
	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0); /* so that the child's end is told here then */
	fflush(NULL);
	pid_t parent = fork();
	if (parent == 0) {
		HOLD(child_start(&child, &slow, &error) == LOCUS_OK);
		while (child_account(&child).phase != LOCUS_PHASE_BLOCKS) /* until it works */
			usleep(1000);
		HOLD(write(ends[1], &child.pid, sizeof(child.pid)) == sizeof(child.pid));
		pause();
	}
	close(ends[1]);
	pid_t pid = 0;
	assert_int_equal(read(ends[0], &pid, sizeof(pid)), sizeof(pid));
	kill(parent, SIGKILL);
	assert_int_equal(waitpid(parent, &status, 0), parent);
	pid_t ended = 0;
	for (int i = 0; i < PATIENCE_MS && ended == 0; i++, usleep(ended ? 0 : 1000))
		ended = waitpid(pid, &status, WNOHANG);
	kill(pid, SIGKILL);
	assert_int_equal(ended, pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	close(ends[0]);
}

static void signals_end_all_children_and_then_this_process(void **state)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(numbers); i++)
		for (enum manner manner = TAKES_ITS_COURSE; manner <= WAS_CAUGHT; manner++) {
			int status;
			fflush(NULL);
			pid_t pid = fork();
			if (pid == 0)
				be_signalled(numbers[i], manner);
			assert_int_equal(waitpid(pid, &status, 0), pid);
			if (manner == IS_IGNORED)
				assert_int_equal(status, 0);
			else if (manner == WAS_CAUGHT)
				assert_int_equal(WIFEXITED(status) ? WEXITSTATUS(status) : -status, numbers[i]);
			else
				assert_int_equal(WIFSIGNALED(status) ? WTERMSIG(status) : -status, numbers[i]);
		}
	assert_false(child_is_stopped());
}

static int set_up(void **state)
{
	struct converter *loaded = (struct converter *)(uintptr_t)converter();
	(void)state;
	*loaded = (struct converter){.result_done = locus_convert_result_done,
				     .convert = convert,
				     .convert_to_memory = convert_to_memory,
				     .convert_functions_to_memory = convert_functions};
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_reply_is_received),
		cmocka_unit_test(no_part_of_a_reply_is_taken_for_the_whole),
		cmocka_unit_test(sizes_have_bounds),
		cmocka_unit_test(texts_have_an_end),
		cmocka_unit_test(how_a_child_ended_is_told),
		cmocka_unit_test(a_child_that_is_late_is_killed),
		cmocka_unit_test(a_child_that_does_not_end_is_killed),
		cmocka_unit_test(what_a_request_asks_for),
		cmocka_unit_test(how_far_a_child_is),
		cmocka_unit_test(a_phase_that_there_is_not),
		cmocka_unit_test(a_child_whose_reply_nobody_takes_ends),
		cmocka_unit_test(children_end_with_their_parent),
		cmocka_unit_test(a_limit_of_cpu_time_is_thought_of),
		cmocka_unit_test(signals_end_all_children_and_then_this_process),
		cmocka_unit_test(only_the_time_in_which_this_process_runs_counts), /* the last: it changes the clock */
	};
	return cmocka_run_group_tests_name("child", tests, set_up, NULL);
}
