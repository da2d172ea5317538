/* How a batch shares its threads and a build's tokens between inputs, and in which order it tells how they ended. */
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "cmd/batch/fixture_test.h"
#include "cmd/batch/screen_test.h"

static struct ran ran;

static bool (*clock_awaits)(void); /* NULL: nothing */

/*
 * The clock of this program runs ten times as fast, so that what is drawn after a second is drawn soon. It stands still
 * until clock_awaits returns true, however long a busy machine takes to get there.
 */
int clock_gettime(clockid_t clock, struct timespec *ret)
{
	static struct timespec shown[CLOCK_TAI + 1]; /* what each clock showed last */
	struct timespec now;
	if (!clock_awaits || clock_awaits()) {
		syscall(SYS_clock_gettime, clock, &now);
		int64_t tens = (int64_t)now.tv_nsec * 10;
		shown[clock] = (struct timespec){now.tv_sec * 10 + tens / 1000000000, tens % 1000000000};
	}
	*ret = shown[clock];
	return 0;
}

static void run_named(unsigned job_max, const char *const *names)
{
	const struct convert_options options = {.job_max = job_max, .json = true};
	const struct inputs inputs = inputs_named(names);
	run(&options, &inputs, &ran);
}

/*
 * What goes on beside a batch is done by a process: threads are lost in the conversions, which are processes, too, and
 * the leak sanitizer would take for lost what such a thread had.
 */
static pid_t start_beside(void (*work)(void))
{
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		work();
		_exit(0);
	}
	assert_true(pid > 0);
	return pid;
}

static void end_beside(pid_t pid)
{
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* ---- Threads ---- */

static void expect_threads(size_t number, unsigned begun, const unsigned *threads)
{
	assert_int_equal(atomic_load(&shared->begun), begun);
	for (unsigned k = 0; k < INPUT_MAX; k++)
		if (atomic_load(&shared->threads[k]) != threads[k])
			fail_msg("case %zu: %u threads for input %u, not %u", number, atomic_load(&shared->threads[k]),
				 k + 1, threads[k]);
}

static void threads_are_shared_between_the_inputs_that_are_left(void **state)
{
	static const struct {
		unsigned job_max;
		const char *names[INPUT_MAX];
		unsigned begun;
		unsigned threads[INPUT_MAX];
	} cases[] = {
		{1, {"meet1"}, 1, {1}},
		{5, {"meet1"}, 1, {5}},
		{2, {"meet1", "meet2"}, 2, {1, 1}},
		{3, {"meet1", "meet2"}, 2, {1, 2}},
		{5, {"meet1", "meet2"}, 2, {2, 3}},
		{7, {"meet1", "meet2", "meet3"}, 3, {2, 2, 3}},
		{4, {"meet1", "meet2", "meet3"}, 3, {1, 1, 2}},
		{3, {"meet1", "meet2", "meet3"}, 3, {1, 1, 1}},
		/* What ends at once has given its threads back. */
		{4, {"absent1", "meet2"}, 1, {0, 4}},
		{4, {"meet1", "absent2", "meet3"}, 2, {1, 0, 3}},
		/* One after the other, each has all. */
		{1, {"ok1", "ok2", "ok3"}, 3, {1, 1, 1}},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		begin(cases[i].begun);
		run_named(cases[i].job_max, cases[i].names);
		expect_threads(i, cases[i].begun, cases[i].threads);
	}
}

static void no_more_run_at_a_time_than_may(void **state)
{
	static const char *const names[] = {"slow1", "slow2", "slow3", "slow4", NULL};
	(void)state;
	for (unsigned max = 1; max <= 3; max++) {
		begin(0);
		run_named(max, names);
		assert_int_equal(atomic_load(&shared->begun), 4);
		assert_true(atomic_load(&shared->most) <= max);
	}
}

/* Of 28 descriptors a command has 24 for itself, and each job takes two. */
static void where_few_files_may_be_open_fewer_run(void **state)
{
	static const char *const names[] = {"slow1", "slow2", "slow3", "slow4", NULL};
	struct rlimit usual;
	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
	const struct rlimit few = {28, usual.rlim_max};
	begin(0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	run_named(4, names);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
	assert_int_equal(ran.code, EXIT_OK);
	assert_int_equal(atomic_load(&shared->begun), 4);
	assert_int_equal(atomic_load(&shared->most), 2);
}

/* Three go on when a third has begun; the first of the four has ended by then, and the last has its thread. */
static void a_thread_that_is_free_goes_to_the_next(void **state)
{
	static const char *const names[] = {"ok1", "meet2", "meet3", "meet4", NULL};
	(void)state;
	begin(4);
	run_named(3, names);
	assert_int_equal(ran.code, EXIT_OK);
	expect_threads(0, 4, (const unsigned[INPUT_MAX]){1, 1, 1, 1});
}

/* ---- The tokens of a build ---- */

static int tokens[2];

static void offer_tokens(const char *text)
{
	char flags[64];
	assert_int_equal(pipe(tokens), 0);
	assert_int_equal(write(tokens[1], text, strlen(text)), strlen(text));
	snprintf(flags, sizeof(flags), "-j9 --jobserver-auth=%d,%d", tokens[0], tokens[1]);
	setenv("MAKEFLAGS", flags, 1);
}

static int tokens_there(void)
{
	int count = -1;
	assert_int_equal(ioctl(tokens[0], FIONREAD, &count), 0);
	return count;
}

static void end_offer(void)
{
	unsetenv("MAKEFLAGS");
	close(tokens[0]);
	close(tokens[1]);
}

static void no_more_threads_than_tokens_and_one(void **state)
{
	static const struct {
		const char *tokens;
		unsigned job_max;
		const char *names[INPUT_MAX];
		unsigned begun;
		unsigned threads[INPUT_MAX];
	} cases[] = {
		{"", 8, {"ok1"}, 1, {1}},
		{"abc", 8, {"ok1"}, 1, {4}},
		{"abc", 3, {"ok1"}, 1, {3}},
		{"ab", 3, {"meet1", "meet2"}, 2, {1, 2}},
		{"ab", 9, {"ok1", "ok2", "absent3"}, 2, {3, 3}},
		{"", 8, {"ok1", "ok2"}, 2, {1, 1}},
		{"a", 8, {"ok1", "ok2", "ok3"}, 3, {2, 2, 2}},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		offer_tokens(cases[i].tokens);
		begin(cases[i].begun);
		run_named(cases[i].job_max, cases[i].names);
		expect_threads(i, cases[i].begun, cases[i].threads);
		assert_int_equal(tokens_there(), strlen(cases[i].tokens));
		end_offer();
	}
}

static bool has_begun(void)
{
	return atomic_load(&shared->begun) > 0;
}

static bool has_one_ended(void)
{
	return atomic_load(&shared->ended) > 0;
}

static bool have_all_begun(void)
{
	return atomic_load(&shared->begun) >= 3;
}

static bool is_a_token_there(void)
{
	return tokens_there() > 0;
}

/* How many tokens are there after the first of three conversions has ended. */
static void look_on(void)
{
	if (wait_until(have_all_begun) && wait_until(is_a_token_there)) {
		usleep(20000); /* in which more would come */
		atomic_store(&shared->seen, tokens_there());
	}
	release();
}

/* The two threads that go on need one token, for the other thread is this program's own. */
static void a_token_goes_back_as_soon_as_no_thread_needs_it(void **state)
{
	static const char *const names[] = {"late1", "late2", "meet3", NULL};
	(void)state;
	offer_tokens("ab");
	begin(3);
	pid_t helper = start_beside(look_on);
	run_named(3, names);
	end_beside(helper);
	assert_int_equal(atomic_load(&shared->seen), 1);
	assert_int_equal(tokens_there(), 2);
	end_offer();
}

static void bring_a_token(void)
{
	wait_until(has_begun);
	if (write(tokens[1], "a", 1) != 1)
		_exit(1);
	wait_until(has_one_ended);
	release();
}

/* The first waits for the second, which can begin only with a token that comes while nothing else happens. */
static void a_token_that_comes_later(void **state)
{
	static const char *const names[] = {"late1", "ok2", NULL};
	(void)state;
	child_set_limits(&(struct child_limits){0});
	offer_tokens("");
	begin(0);
	pid_t helper = start_beside(bring_a_token);
	run_named(2, names);
	end_beside(helper);
	assert_int_equal(ran.code, EXIT_OK);
	assert_int_equal(tokens_there(), 1);
	end_offer();
}

/* ---- The order, and the end ---- */

/* The names of the inputs in the order in which they were told of. */
static const char *order_told(void)
{
	static char names[256];
	names[0] = '\0';
	for (const char *at = ran.out; (at = strstr(at, "{\"input\":\"")) != NULL; at++) {
		const char *name = at + strlen("{\"input\":\"");
		strncat(names, name, strcspn(name, "\""));
		strcat(names, " ");
	}
	return names;
}

static bool has_ended(void)
{
	return atomic_load(&shared->ended) >= 2;
}

static void release_when_others_ended(void)
{
	wait_until(has_ended);
	release();
}

static void what_ended_is_told_in_the_order_of_the_inputs(void **state)
{
	static const char *const names[] = {"late1", "bad2", "absent3", "none4", NULL};
	(void)state;
	begin(0);
	pid_t helper = start_beside(release_when_others_ended);
	run_named(4, names);
	end_beside(helper);
	assert_int_equal(ran.code, EXIT_FAILED);
	assert_string_equal(order_told(), "late1 bad2 absent3 none4 ");
}

static void what_takes_too_long_is_ended(void **state)
{
	static const char *const names[] = {"late1", "ok2", "late3", NULL};
	(void)state;
	child_set_limits(&(struct child_limits){.seconds = 1});
	begin(0);
	clock_awaits = have_all_begun; /* the last begins once the second has ended in time */
	run_named(2, names);
	clock_awaits = NULL;
	child_set_limits(&(struct child_limits){.seconds = CHILD_SECONDS});
	/* Both may be seen to be late at once, in either order. */
	const char *first = "locus: late1: it took longer than --timeout allows: 1 s\n",
		   *second = "locus: late3: it took longer than --timeout allows: 1 s\n";
	assert_non_null(strstr(ran.err, first));
	assert_non_null(strstr(ran.err, second));
	assert_int_equal(strlen(ran.err), strlen(first) + strlen(second));
	assert_int_equal(ran.code, EXIT_FAILED);
	assert_string_equal(order_told(), "late1 ok2 late3 ");
}

static void the_worst_end_is_the_batch_s(void **state)
{
	static const struct {
		const char *names[4];
		int before, code, code_if_allowed;
	} cases[] = {
		{{"ok1", "ok2"}, EXIT_OK, EXIT_OK, EXIT_OK},
		{{"none1", "ok2"}, EXIT_OK, EXIT_NO_DEBUG, EXIT_OK},
		{{"ok1", "none2"}, EXIT_OK, EXIT_NO_DEBUG, EXIT_OK},
		{{"ok1", "low2"}, EXIT_OK, EXIT_STALE, EXIT_STALE},
		{{"low1", "none2"}, EXIT_OK, EXIT_STALE, EXIT_STALE},
		{{"bad1", "low2", "none3"}, EXIT_OK, EXIT_FAILED, EXIT_FAILED},
		{{"ok1", "absent2"}, EXIT_OK, EXIT_FAILED, EXIT_FAILED},
		{{"ok1"}, EXIT_FAILED, EXIT_FAILED, EXIT_FAILED}, /* an input could not be found */
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		for (int allow = 0; allow < 2; allow++) {
			const struct convert_options options = {
				.job_max = 2, .allow_no_debug = allow, .require_line_percent = 70};
			struct inputs inputs = inputs_named(cases[i].names);
			inputs.code = cases[i].before;
			begin(0);
			run(&options, &inputs, &ran);
			int expected = allow ? cases[i].code_if_allowed : cases[i].code;
			if (ran.code != expected)
				fail_msg("case %zu: exit code %d, not %d", i, ran.code, expected);
			assert_string_equal(ran.out, "");
		}
}

static void release_soon(void)
{
	wait_until(has_begun);
	usleep(50000);
	release();
}

/* More inputs end behind the first than there is room for results that wait for it. */
static void very_many_wait_for_the_first(void **state)
{
	enum { COUNT = CHILD_MAX + 100 };
	static struct input list[COUNT];
	static char names[COUNT][24];
	const struct convert_options options = {.job_max = 2, .json = true};
	const struct inputs inputs = {.list = list, .count = COUNT};
	const char *at = ran.out;
	(void)state;
	inputs_named((const char *[]){"late0", NULL});
	begin(0);
	for (int i = 0; i < COUNT; i++) {
		snprintf(names[i], sizeof(names[i]), "%s%d", i ? "absent" : "late", i);
		list[i] = (struct input){.path = names[i]};
	}
	pid_t helper = start_beside(release_soon);
	run(&options, &inputs, &ran);
	end_beside(helper);
	assert_int_equal(ran.code, EXIT_FAILED);
	for (int i = 0; i < COUNT; i++) {
		char expected[40];
		snprintf(expected, sizeof(expected), "{\"input\":\"%.23s\",", names[i]);
		if (!begins_with(at, expected))
			fail_msg("%.80s is told instead of %s", at, names[i]);
		at = strchr(at, '\n') + 1;
	}
	assert_string_equal(at, "");
}

/* ---- On a terminal ---- */

/* Whether all but one have ended, and the batch has waited for them: until then a process that ended is still there. */
static bool is_one_left(void)
{
	int count = 0;
	for (int i = 0; i < INPUT_MAX; i++) {
		pid_t process = atomic_load(&shared->processes[i]);
		count += process && kill(process, 0) == 0;
	}
	return has_met() && count == 1;
}

static struct screen screen;
static int seen_bytes;

static int bytes_shown(void)
{
	int count = -1;
	assert_int_equal(ioctl(screen.master, FIONREAD, &count), 0);
	return count;
}

static bool is_more_shown(void)
{
	return bytes_shown() > seen_bytes;
}

/*
 * Once the batch has waited for the others, it may still hide what it had drawn and say of each how it ended. What is
 * written after that is drawn with all of them counted.
 */
static void release_after_a_draw(void)
{
	wait_until(is_one_left);
	for (unsigned i = 0; i < atomic_load(&shared->wanted) + 1; i++) {
		seen_bytes = bytes_shown();
		wait_until(is_more_shown);
	}
	release();
}

static const char *shown_for(const char *const *names)
{
	static struct out out;
	const struct convert_options options = {.job_max = 2};
	struct job_context context = {.options = &options, .out = &out};
	struct inputs inputs = inputs_named(names);
	for (size_t i = 0; i < inputs.count; i++)
		inputs.size += inputs.list[i].size = 2 << 20;
	setenv("TERM", "xterm", 1);
	begin((unsigned)inputs.count);
	screen_open(&screen);
	pid_t helper = start_beside(release_after_a_draw);
	batch_run(&context, &inputs);
	const char *text = screen_take(&screen);
	end_beside(helper);
	tdestroy(context.outputs, free);
	return text;
}

static void of_one_file_its_phase_is_shown(void **state)
{
	const char *text = shown_for((const char *[]){"late1", NULL});
	(void)state;
	/* On a busy machine, something may be drawn before the conversion has got there. */
	assert_true(begins_with(text, "\r\033[K"));
	assert_non_null(strstr(text, "\r\033[Kunits, 3 of 20 MiB\r"));
	assert_string_equal(strrchr(text, '\r'), "\r\033[K"); /* and nothing is left of it */
	assert_null(strstr(text, "files"));
}

static void of_several_files_what_is_done_and_what_came_of_it(void **state)
{
	static const char line[] = "\r\033[K0 of 3 files, 0 of 6 MiB, 0 MiB/s\r",
			  later[] = "\r\033[K2 of 3 files, 4 of 6 MiB, ",
			  end[] = "1 converted, 1 failed, 1 without debug information; 6.0 MiB to 0.0 MiB in ";
	const char *text = shown_for((const char *[]){"late1", "none2", "bad3", NULL});
	(void)state;
	assert_null(strstr(text, "units"));
	assert_null(strstr(text, later)); /* for the first has not been told of */
	assert_non_null(strstr(text, line));
	assert_non_null(strstr(text, end));
	text = shown_for((const char *[]){"none1", "bad2", "late3", NULL});
	assert_non_null(strstr(text, later));
	assert_non_null(strstr(text, end));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_are_shared_between_the_inputs_that_are_left),
		cmocka_unit_test(no_more_run_at_a_time_than_may),
		cmocka_unit_test(where_few_files_may_be_open_fewer_run),
		cmocka_unit_test(a_thread_that_is_free_goes_to_the_next),
		cmocka_unit_test(no_more_threads_than_tokens_and_one),
		cmocka_unit_test(a_token_goes_back_as_soon_as_no_thread_needs_it),
		cmocka_unit_test(a_token_that_comes_later),
		cmocka_unit_test(what_ended_is_told_in_the_order_of_the_inputs),
		cmocka_unit_test(what_takes_too_long_is_ended),
		cmocka_unit_test(the_worst_end_is_the_batch_s),
		cmocka_unit_test(very_many_wait_for_the_first),
		cmocka_unit_test(of_one_file_its_phase_is_shown),
		cmocka_unit_test(of_several_files_what_is_done_and_what_came_of_it),
	};
	return cmocka_run_group_tests_name("batch", tests, fixture_set_up, fixture_tear_down);
}
