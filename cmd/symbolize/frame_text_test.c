/* Templates with every kind of piece, and numbers at their bounds. */
#include "cmd/symbolize/frame_text.h"

#include "base/toolkit_test.h"

static struct out out;

static void expect(const char *what, const char *expected)
{
	if (out.used != strlen(expected) || memcmp(out.buffer, expected, out.used) != 0)
		fail_msg("%s: got '%.*s', not '%s'", what, (int)out.used, out.buffer, expected);
}

static struct locus_string string_of(const char *text)
{
	return (struct locus_string){text, strlen(text)};
}

static void templates_are_filled_in(void **state)
{
	static const struct {
		const char *frame, *inlined;
		bool is_inlined, has_source, is_first;
		const char *expected;
	} cases[] = {
		{"plain", NULL, false, true, true, "plain"},
		{"a{as_is}b", NULL, false, true, true, "a<as is>b"},
		{"{number}{address}", NULL, false, true, true, "7   0x10"},
		{"{first}{address}", NULL, false, true, true, "by 0x10"},
		{"[{first}|...]{address}", NULL, false, true, true, "by 0x10"},
		{"[{first}|...]{address}", NULL, false, true, false, "...0x10"},
		{"[ at {source}| in {module}]!", NULL, false, true, true, " at /s/a.c:3!"},
		{"[ at {source}| in {module}]!", NULL, false, false, true, " in m!"},
		{"[ at {source}]!", NULL, false, false, true, "!"},
		{"[{rest}|no rest][, {as_is}]", NULL, false, false, true, "no rest, <as is>"},
		{"[{as_is}{rest}|not both]", NULL, false, false, true, "not both"},
		{"[{as_is}|{rest} is unknown]", NULL, false, false, true, "<as is>"},
		{"a\n{module}", NULL, false, true, true, "a\n> m"},
		{"f{into}", NULL, false, true, true, "f+0x20"},
		{"f{into}", NULL, true, true, true, "f"},
		{"frame", "inlined", false, true, true, "frame"},
		{"frame", "inlined", true, true, true, "inlined"},
	};
	const struct display display = {0};
	struct symbol_file symbols = {0};
	(void)state;
	path_labels_init(&symbols.paths, &out, false, 1);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		/* The first is no frame, and has no template. */
		const struct form forms[] = {
			{.kind = FORM_SIGNAL},
			{.kind = FORM_FRAME, .frame = cases[i].frame, .inlined = cases[i].inlined}};
		struct form_match match = {.form = &forms[1]};
		struct locus_frame frame = {.inlined = cases[i].is_inlined};
		struct frame_templates *templates = frame_templates_new(forms, COUNT_OF(forms), form_field_name);
		match.fields[FIELD_NUMBER] = string_of("12  ");
		match.fields[FIELD_ADDRESS] = string_of("0x10");
		match.fields[FIELD_FIRST] = string_of("by ");
		match.fields[FIELD_AS_IS] = string_of("<as is>");
		match.fields[FIELD_MODULE] = string_of("m");
		if (cases[i].has_source) {
			frame.directory = string_of("/s");
			frame.file = string_of("a.c");
			frame.line = 3;
		}
		const struct frame_text text = {.match = &match,
						.symbols = &symbols,
						.frame = &frame,
						.offset = 0x20,
						.number = 7,
						.is_first = cases[i].is_first};
		out_init(&out, -1);
		frame_text_put(templates, &display, &out, &text, string_of("\n> "));
		expect(cases[i].frame, cases[i].expected);
		frame_templates_free(templates);
	}
	path_labels_done(&symbols.paths);
}

static void numbers_are_written_over_others(void **state)
{
	static const struct {
		const char *field;
		uint64_t number;
		const char *expected;
	} cases[] = {
		{"", 0, "0"},         {"1", 10, "10"},      {"1 ", 9, "9 "},
		{"1 ", 10, "10 "},    {"10 ", 9, "9  "},    {"1  ", 10, "10 "},
		{"1  ", 100, "100 "}, {"1   ", 99, "99  "}, {"1   ", 100, "100 "},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		out_init(&out, -1);
		put_frame_number(&out, string_of(cases[i].field), cases[i].number);
		expect(cases[i].field, cases[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(templates_are_filled_in),
		cmocka_unit_test(numbers_are_written_over_others),
	};
	return cmocka_run_group_tests_name("frame_text", tests, NULL, NULL);
}
