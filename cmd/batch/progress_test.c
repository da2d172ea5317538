/* The line of a batch, drawn on a terminal of its own. */
#include <sys/ioctl.h>
#include <time.h>

#include "cmd/batch/progress.h"
#include "cmd/batch/screen_test.h"
#include "cmd/common/exit_code.h"

enum { MIB = 1 << 20 };

static int64_t clock_ms = 1000000;

/* The clock of this program stands still, however long a test is kept waiting, until the test lets time go by. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
	(void)clock;
	*time = (struct timespec){clock_ms / 1000, clock_ms % 1000 * 1000000};
	return 0;
}

static void let_go_by(int seconds)
{
	clock_ms += (int64_t)seconds * 1000;
}

static void shown_where_it_can_be_erased(void **state)
{
	static const struct {
		const char *terminal;
		size_t count;
		bool is_shown;
	} cases[] = {{"xterm", 2, true}, {"dumb", 2, false}, {NULL, 2, false}};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct inputs inputs = {.count = cases[i].count, .size = MIB};
		struct progress progress;
		struct screen screen;
		if (cases[i].terminal)
			setenv("TERM", cases[i].terminal, 1);
		else
			unsetenv("TERM");
		screen_open(&screen);
		progress_init(&progress, &inputs);
		let_go_by(1);
		int wait = progress_wait_ms(&progress);
		progress_draw(&progress);
		const char *text = screen_take(&screen);
		assert_int_equal(text[0] != '\0', cases[i].is_shown);
		assert_int_equal(wait > 0, cases[i].is_shown);
		assert_int_equal(progress.is_drawn, cases[i].is_shown);
	}
}

static void not_on_what_is_no_terminal(void **state)
{
	const struct inputs inputs = {.count = 9};
	struct progress progress;
	int saved = dup(STDERR_FILENO), pipe_ends[2];
	(void)state;
	setenv("TERM", "xterm", 1);
	assert_int_equal(pipe(pipe_ends), 0);
	dup2(pipe_ends[1], STDERR_FILENO);
	progress_init(&progress, &inputs);
	dup2(saved, STDERR_FILENO);
	assert_int_equal(progress_wait_ms(&progress), -1);
	close(saved);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
}

static void batch(struct progress *progress)
{
	const struct inputs inputs = {.count = 5, .size = 10 * MIB, .skipped = 3};
	setenv("TERM", "xterm", 1);
	progress_init(progress, &inputs);
	progress_count(progress, EXIT_OK, 2 * MIB, MIB / 2);
	progress_count(progress, EXIT_NO_DEBUG, MIB, 77 * MIB); /* nothing was written */
	progress_count(progress, EXIT_FAILED, MIB, 77 * MIB);
}

static void what_is_done_and_left(void **state)
{
	struct progress progress;
	struct screen screen;
	(void)state;
	screen_open(&screen);
	batch(&progress);
	progress_draw(&progress); /* too soon */
	let_go_by(2);
	progress_draw(&progress);
	progress_draw(&progress); /* too soon again */
	assert_string_equal(screen_take(&screen), "\r\033[K3 of 5 files, 4 of 10 MiB, 2 MiB/s, 0:03 left");
}

/* Of one file nothing is said before a second has gone by, and nothing at its end. */
static void phase_of_one_file(void **state)
{
	const struct inputs inputs = {.count = 1, .size = 9 * MIB};
	const struct child_account units = {LOCUS_PHASE_UNITS, 3 * MIB, 20 * MIB},
				   tables = {.phase = LOCUS_PHASE_TABLES};
	struct progress progress;
	struct screen screen;
	(void)state;
	setenv("TERM", "xterm", 1);
	screen_open(&screen);
	progress_init(&progress, &inputs);
	progress_note(&progress, &units);
	progress_draw(&progress);
	clock_ms += 999;
	progress_draw(&progress);
	assert_false(progress.is_drawn);
	clock_ms++;
	progress_draw(&progress);
	progress_note(&progress, &tables);
	let_go_by(1);
	progress_draw(&progress);
	progress_end(&progress);
	assert_string_equal(screen_take(&screen), "\r\033[Kunits, 3 of 20 MiB\r\033[Ktables\r\033[K");
}

/* What is left takes minutes. */
static void minutes_left(void **state)
{
	struct progress progress;
	struct screen screen;
	(void)state;
	screen_open(&screen);
	batch(&progress);
	progress.size = 404 * MIB;
	let_go_by(4);
	progress_draw(&progress);
	assert_non_null(strstr(screen_take(&screen), ", 6:40 left"));
}

/* On a terminal of 20 columns, or none at all, and on one that does not say how many it has. */
static void as_much_as_there_is_room_for(void **state)
{
	static const struct {
		unsigned short columns;
		const char *drawn;
	} cases[] = {
		{20, "\r\033[K3 of 5 files, 4 of "},
		{1, "\r\033[K"},
		{45, "\r\033[K3 of 5 files, 4 of 10 MiB, 2 MiB/s, 0:03 lef"},
		{46, "\r\033[K3 of 5 files, 4 of 10 MiB, 2 MiB/s, 0:03 left"},
		{0, "\r\033[K3 of 5 files, 4 of 10 MiB, 2 MiB/s, 0:03 left"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct winsize window = {.ws_row = 24, .ws_col = cases[i].columns};
		struct progress progress;
		struct screen screen;
		screen_open(&screen);
		assert_int_equal(ioctl(STDERR_FILENO, TIOCSWINSZ, &window), 0);
		batch(&progress);
		let_go_by(2);
		progress_draw(&progress);
		assert_string_equal(screen_take(&screen), cases[i].drawn);
	}
}

static void nothing_done_yet(void **state)
{
	const struct inputs inputs = {.count = 2, .size = MIB};
	struct progress progress;
	struct screen screen;
	(void)state;
	setenv("TERM", "xterm", 1);
	screen_open(&screen);
	progress_init(&progress, &inputs);
	let_go_by(1);
	progress_draw(&progress);
	assert_string_equal(screen_take(&screen), "\r\033[K0 of 2 files, 0 of 1 MiB, 0 MiB/s");
}

static void hidden_for_what_is_written(void **state)
{
	struct progress progress;
	struct screen screen;
	(void)state;
	screen_open(&screen);
	batch(&progress);
	progress_hide(&progress); /* it is not there yet */
	let_go_by(2);
	progress_draw(&progress);
	progress_hide(&progress);
	progress_hide(&progress);
	const char *text = screen_take(&screen);
	assert_non_null(strstr(text, " left\r\033[K"));
	assert_null(strstr(text, "\r\033[K\r\033[K"));
	assert_false(progress.is_drawn);
}

static void what_came_of_it(void **state)
{
	struct progress progress;
	struct screen screen;
	(void)state;
	screen_open(&screen);
	batch(&progress);
	let_go_by(2);
	progress_end(&progress);
	assert_string_equal(screen_take(&screen),
			    "1 converted, 1 failed, 1 without debug information, 3 not ELF; 10.0 MiB to 0.5 MiB in "
			    "2.0 s\r\n");
	screen_open(&screen);
	batch(&progress);
	progress.skipped_count = 0;
	progress_end(&progress);
	assert_null(strstr(screen_take(&screen), "ELF"));
}

static void silent_end_without_a_terminal(void **state)
{
	struct progress progress;
	struct screen screen;
	(void)state;
	screen_open(&screen);
	batch(&progress);
	progress.is_shown = false;
	progress_end(&progress);
	assert_string_equal(screen_take(&screen), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shown_where_it_can_be_erased),
		cmocka_unit_test(not_on_what_is_no_terminal),
		cmocka_unit_test(what_is_done_and_left),
		cmocka_unit_test(as_much_as_there_is_room_for),
		cmocka_unit_test(phase_of_one_file),
		cmocka_unit_test(minutes_left),
		cmocka_unit_test(nothing_done_yet),
		cmocka_unit_test(hidden_for_what_is_written),
		cmocka_unit_test(what_came_of_it),
		cmocka_unit_test(silent_end_without_a_terminal),
	};

	return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
