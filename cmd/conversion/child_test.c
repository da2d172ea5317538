/* What a process takes from its child, which the input may have taken over: whole replies, and how the child ended. */
#include "cmd/conversion/child.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/toolkit_test.h"
#include "cmd/common/report.h"
#include "cmd/conversion/converter.h"

enum { NAME_MAX_SENT = 1 << 14 };

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
	write_all(fd, bytes, size - act->left_out);
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
	assert_int_equal(child_wait_ms(&child), INT32_MAX);
	assert_false(child.is_late);
}

static int set_up(void **state)
{
	struct converter *loaded = (struct converter *)(uintptr_t)converter();
	(void)state;
	loaded->result_done = locus_convert_result_done;
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
	};
	return cmocka_run_group_tests_name("child", tests, set_up, NULL);
}
