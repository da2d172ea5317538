/* Which lines are JSON, what strings they have, what these mean, and how text is written into them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/symbolize/json_line.h"

static struct out out;

/* `strings` are those of a line, each with its key: key=text and a blank; NULL: it is none of JSON. */
static const struct line_case {
	const char *line, *strings;
} line_cases[] = {
	{"{\"log\":\"a\",\"stream\":\"b\"}", "log=a stream=b "},
	{"\t{ \"log\" : \"a\" , \"n\":-1.5E+3, \"t\":true,\"f\":false,\"z\":null}  ", "log=a "},
	{"{\"a\":[\"b\",\"c\",{\"d\":\"e\"}]}", "a=b a=c d=e "},
	{"{\"a\\\"\\\\\":\"\\u00e9\\\"\"}", "a\\\"\\\\=\\u00e9\\\" "},
	{" [\"[root]\"", "=[root] "},
	{" ,\"a\"", "=a "},
	{" , 5, \"a\"", "=a "},
	{"  \"a\": \"b\",", "a=b "},
	{"  \"a\",", "=a "},
	{"\"a\"", "=a "},
	{"}, {", ""},
	{"12:01 app[7]: {\"a\":\"b\"}", "a=b "},
	{"12:01 {x} {\"a\":\"b\"} {\"c\":\"d\"}", "a=b c=d "},
	{"", NULL},
	{"a", NULL},
	{"5", NULL},
	{"5, \"a\"", NULL},
	{"\"a\",\"b\"", NULL},
	{"\"a\", 5", NULL},
	{"\"a\" \"b\"", NULL},
	{"{\"a\" 5}", NULL},
	{"{\"a\":0x5}", NULL},
	{"{\"a\":truth}", NULL},
	{"{\"a\":\"b\"} c", NULL},
	{"{\"a\":\"b}", NULL},
	{"{\"a\":\"b\\\"}", NULL},
	{"{\"a\":\"b\\", NULL},
	{"{\"a\":\"\\x\"}", NULL},
	{"{\"a\":\"\\u12g4\"}", NULL},
	{"{\"a\":\"\\u123", NULL},
	{"{\"a\":\"\tb\"}", NULL},
	{"{'a':'b'}", NULL},
	{"{{{bt:0:0x1149}}}", NULL},
	{"{\"", NULL},
};

static void lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(line_cases) / sizeof(line_cases[0]); i++) {
		const struct line_case *c = &line_cases[i];
		/* At the end of its memory, so that reading beyond shows. */
		size_t size = strlen(c->line), at;
		char *line = malloc(size ? size : 1), found[256] = "";
		struct json_string string = {0};
		memcpy(line, c->line, size);
		bool is_json = json_line_find(line, size, &at);
		while (is_json && json_line_next(line, size, &at, &string)) {
			strncat(found, string.key.size ? string.key.data : "", string.key.size);
			strcat(found, "=");
			strncat(found, string.text.data, string.text.size);
			strcat(found, " ");
		}
		if (is_json != (c->strings != NULL) || (is_json && strcmp(found, c->strings) != 0))
			fail_msg("'%s': got %s'%s'", c->line, is_json ? "" : "no JSON, ", found);
		free(line);
	}
}

/* What a string means, with what it becomes when that is written. */
static const struct text_case {
	const char *text, *meaning;
	size_t size;
	const char *written;
} text_cases[] = {
	{"plain", "plain", 5, "plain"},
	{"\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t", 8, "\\\"\\\\/\\u0008\\u000c\\n\\u000d\\t"},
	{"\\u0000\\u001f\\u007F", "\0\x1f\x7f", 3, "\\u0000\\u001f\x7f"},
	{"\\u0080\\u07ff\\u0800\\uffff", "\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf", 10,
	 "\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf"},
	{"\\ud800\\udc00\\uDBFF\\uDFFF", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 8, "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"},
	{"\xc3\xa9\xff", "\xc3\xa9\xff", 3, "\xc3\xa9\xff"},
	{"a\\ud800b\\udc00\\ud800\\u0041\\ud800\\n", "abA\n", 4, "abA\\n"},
};

static void texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(text_cases) / sizeof(text_cases[0]); i++) {
		const struct text_case *c = &text_cases[i];
		struct locus_string rest = {c->text, strlen(c->text)};
		char meaning[64];
		size_t used = 0;
		while (rest.size) {
			char character[JSON_CHARACTER_MAX];
			size_t size, step = json_character(rest, character, &size);
			assert_in_range(step, 1, rest.size);
			memcpy(meaning + used, character, size);
			used += size;
			rest.data += step;
			rest.size -= step;
		}
		assert_int_equal(used, c->size);
		assert_memory_equal(meaning, c->meaning, used);

		out_init(&out, -1);
		json_put_escaped(&out, meaning, used);
		assert_int_equal(out.used, strlen(c->written));
		assert_memory_equal(out.buffer, c->written, out.used);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
