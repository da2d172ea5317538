/* Names and places as people see them, in colour and without. */
#include "cmd/show/display.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/toolkit_test.h"
#include "cmd/show/demangle.h"

static struct out out;

static void expect(const char *what, const char *expected)
{
	if (out.used != strlen(expected) || memcmp(out.buffer, expected, out.used) != 0)
		fail_msg("%s: got '%.*s', not '%s'", what, (int)out.used, out.buffer, expected);
}

static void functions_are_shown_as_asked(void **state)
{
	static const struct {
		const char *name;
		struct display display;
		bool is_plain;
		const char *expected;
	} cases[] = {
		{"", {0}, false, "(no name)"},
		{"", {.colour = true, .short_names = true}, false, "(no name)"},
		{"f<int>(int)", {0}, false, "f<int>(int)"},
		{"f<int>(int)", {.short_names = true}, false, "f"},
		{"f<int>(int)", {.colour = true}, false, "\033[1mf<int>(int)\033[0m"},
		{"f<int>(int)", {.colour = true, .short_names = true}, true, "\033[1mf\033[0m"},
		{"f\033", {.colour = true}, false, "\033[1mf\\x1b\033[0m"},
		{"f\033", {.short_names = true}, false, "f\\x1b"},
		{"f\\", {0}, true, "f\\"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		out_init(&out, -1);
		display_function(&cases[i].display, &out,
				 (struct name){.data = cases[i].name,
					       .size = strlen(cases[i].name),
					       .is_plain = cases[i].is_plain},
				 0);
		expect(cases[i].name, cases[i].expected);
	}
}

/* A name that is longer than any that is demangled is shown whole. */
static void the_longest_short_name(void **state)
{
	static char name[DEMANGLED_SIZE_MAX + 1];
	const struct display display = {.short_names = true};
	(void)state;
	memset(name, 'f', sizeof(name));
	memcpy(name + sizeof(name) - 5, "<int>", 5);
	out_init(&out, -1);
	display_function(&display, &out, (struct name){.data = name, .size = sizeof(name)}, 0);
	assert_int_equal(out.used, sizeof(name));
	assert_memory_equal(out.buffer, name, sizeof(name));
	out_init(&out, -1);
	display_function(&display, &out, (struct name){.data = name + 1, .size = sizeof(name) - 1}, 0);
	assert_int_equal(out.used, sizeof(name) - 1 - strlen("<int>"));
}

static void places_are_shown_as_far_as_they_are_known(void **state)
{
	static const struct {
		uint32_t line, column;
		bool colour;
		const char *expected;
	} cases[] = {
		{7, 9, false, "/s/a.c:7:9"},
		{7, 0, false, "/s/a.c:7"},
		{0, 9, false, "/s/a.c"},
		{0, 0, false, "/s/a.c"},
		{7, 9, true, "\033[36m/s/a.c:7:9\033[0m"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct display display = {.colour = cases[i].colour};
		const struct locus_frame frame = {.directory = {"/s", 2},
						  .file = {"a.c", 3},
						  .file_id = 1,
						  .line = cases[i].line,
						  .column = cases[i].column};
		struct path_labels paths;
		path_labels_init(&paths, &out, false, 1);
		out_init(&out, -1);
		display_source(&display, &paths, &frame);
		expect("place", cases[i].expected);
		path_labels_done(&paths);
	}
}

static void set(const char *name, const char *value)
{
	assert_int_equal(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

static void colour_is_for_terminals_that_have_it(void **state)
{
	static const struct {
		const char *never, *terminal;
		bool expected;
	} cases[] = {{NULL, "xterm", true}, {"", "xterm", true}, {"1", "xterm", false}, {"0", "xterm", false},
		     {NULL, "dumb", false}, {NULL, NULL, false}, {NULL, "dumber", true}};
	(void)state;
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), file = open("/dev/null", O_RDWR);
	if (terminal < 0)
		skip();
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		set("NO_COLOR", cases[i].never);
		set("TERM", cases[i].terminal);
		if (display_wants_colour(terminal) != cases[i].expected)
			fail_msg("case %zu", i);
		assert_false(display_wants_colour(file));
	}
	close(terminal);
	close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_shown_as_asked),
		cmocka_unit_test(the_longest_short_name),
		cmocka_unit_test(places_are_shown_as_far_as_they_are_known),
		cmocka_unit_test(colour_is_for_terminals_that_have_it),
	};
	return cmocka_run_group_tests_name("display", tests, NULL, NULL);
}
