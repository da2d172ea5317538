/* Each function has its own name, however many are kept, and whichever of its two names is to be shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/show/function_labels.h"

static struct locus_string text_of(const char *text)
{
	return (struct locus_string){text, strlen(text)};
}

static void check(struct function_labels *labels, uint32_t id, const char *function, const char *linkage,
		  const char *expected)
{
	struct name got = function_labels_get(labels, id, text_of(function), text_of(linkage), 0);

	if (got.size != strlen(expected) || memcmp(got.data, expected, got.size) != 0)
		fail_msg("function %u, '%s', '%s': '%.*s', not '%s'", id, function, linkage, (int)got.size, got.data,
			 expected);
}

static void which_of_two_names_is_shown(void **state)
{
	static const struct {
		const char *function, *linkage, *demangled, *as_is;
	} cases[] = {
		{"", "", "", ""},
		{"main", "", "main", "main"},
		{"", "_Z1fv", "f()", "_Z1fv"},
		{"", "_Zno", "_Zno", "_Zno"},
		{"_Z1gi", "", "g(int)", "_Z1gi"},
		{"main", "main", "main", "main"},
		/* An alias of an assembler says less than the source, the suffix of a clone more. */
		{"abort", "__GI_abort", "abort", "__GI_abort"},
		{"foo", "foo.constprop.0", "foo.constprop.0", "foo.constprop.0"},
		{"foo", "foo.", "foo.", "foo."},
		{"foo", "foo2.x", "foo", "foo2.x"},
		{"foo", "fox.x", "foo", "fox.x"},
		{"foo.x", "foo", "foo.x", "foo"},
	};

	(void)state;
	for (int demangle = 0; demangle < 2; demangle++) {
		struct function_labels *labels = function_labels_new(demangle, 100);
		for (int round = 0; round < 2; round++) {
			for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
				check(labels, i + 1, cases[i].function, cases[i].linkage,
				      demangle ? cases[i].demangled : cases[i].as_is);
		}
		function_labels_free(labels);
	}
}

/* The mangled name of a function with a number and a long name, and what it means. */
static void make_name(uint32_t number, char mangled[512], char plain[512])
{
	unsigned size = 1 + number % 200;
	char word[256];

	memset(word, 'a' + (int)(number % 26), size);
	word[size] = '\0';
	snprintf(mangled, 512, "_ZN%u%s1fILi%uEEEvv", size, word, number);
	snprintf(plain, 512, "void %s::f<%u>()", word, number);
}

/* What was kept for one function stays as it is when others are, and is found again for no other one. */
static void check_many(uint32_t function_count, uint32_t first, uint32_t step, uint32_t count)
{
	struct function_labels *labels = function_labels_new(true, function_count);
	char mangled[512], plain[512];
	assert_int_equal(function_labels_memory(labels), 0);
	for (uint32_t round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < count; i++) {
			uint32_t id = first + i * step;
			make_name(id, mangled, plain);
			function_labels_prefetch(labels, id);
			check(labels, id, "", mangled, plain);
			if (round == 2)
				check(labels, id, "", mangled, plain);
		}
	}
	if (count > 1000) /* names of a hundred bytes, and more */
		assert_in_range(function_labels_memory(labels), count * 100, count * 300);
	function_labels_free(labels);
}

static void many_names_are_kept_apart(void **state)
{
	static const uint32_t counts[] = {1, 2, 3, 7, 8, 9, 100};

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		check_many(counts[i], 1, 1, counts[i]);
	check_many(4000, 1, 1, 4000);
	/* Of more than a million functions, some share a place. */
	check_many((1 << 20) + 40, 5, 1 << 20, 2);
	check_many((1 << 20) + 40, (1 << 20) - 20, 1, 60);
}

/* A name that is kept is known to need no escapes, unless it has bytes that do. */
static void plain_names_are_known(void **state)
{
	struct function_labels *labels = function_labels_new(true, 1000);
	char mangled[512], plain[512];

	(void)state;
	for (uint32_t id = 1; id <= 100; id++) {
		make_name(id, mangled, plain);
		check(labels, id, "", mangled, plain);
	}
	for (int round = 0; round < 2; round++) {
		assert_true(function_labels_get(labels, 100, text_of(""), text_of(mangled), 0).is_plain);
		struct name got = function_labels_get(labels, 200, text_of(""),
						      text_of("_Z3a\x1b"
							      "bv"),
						      0);
		assert_int_equal(got.size, strlen("a\x1b"
						  "b()"));
		assert_memory_equal(got.data,
				    "a\x1b"
				    "b()",
				    got.size);
		assert_false(got.is_plain);
		assert_false(function_labels_get(labels, 201, text_of("main"), text_of(""), 0).is_plain);
	}
	function_labels_free(labels);
}

static void kinds_of_alternates(void **state)
{
	(void)state;
	assert_string_equal(alternate_kind_name(LOCUS_ALTERNATE_ALIAS), "alias");
	assert_string_equal(alternate_kind_name(LOCUS_ALTERNATE_FOLDED), "folded");
	assert_string_equal(alternate_kind_name(LOCUS_ALTERNATE_OVERLAP), "overlap");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(which_of_two_names_is_shown),
		cmocka_unit_test(many_names_are_kept_apart),
		cmocka_unit_test(plain_names_are_known),
		cmocka_unit_test(kinds_of_alternates),
	};

	return cmocka_run_group_tests_name("function labels", tests, NULL, NULL);
}
