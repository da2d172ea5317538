/* Compiling the patterns of all forms, while one allocation after the other fails. */
#include <string.h>

#include "base/failing_memory_test.h"
#include "cmd/symbolize/text_forms.h"

/* A pattern that is missing matches nothing, which must not look as if the text had no such form. */
static void compile_and_match(void *context, struct outcome *ret)
{
	static const char *const lines[] = {
		"==1==    at 0x1093F1: ??? (in /srv/a b)",
		"    #1 0x55d  (/srv/a+0x1139)",
		"#14 0x0000558b in main ()",
		"/srv/a(+0x126a) [0x557fb7]",
	};
	struct form_match match;
	(void)context;
	failing_begin();
	struct forms *forms = forms_new();
	failing_end();
	ret->status = forms ? LOCUS_OK : LOCUS_ERR_MEMORY;
	snprintf(ret->error.text, sizeof(ret->error.text), "%s", forms ? "" : "out of memory");
	for (size_t i = 0; forms && i < COUNT_OF(lines); i++) {
		if (!forms_match(forms, lines[i], strlen(lines[i]), &match))
			fail_msg("no form for %s", lines[i]);
		outcome_add(ret, match.form->name, strlen(match.form->name));
	}
	forms_free(forms);
}

static void all_forms_are_known_or_none(void **state)
{
	struct failed_ways ways = {0};
	(void)state;
	failing.with_libraries = true;
	assert_true(fail_each_allocation("forms", &ways, compile_and_match, NULL) > 0);
	failed_ways_done(&ways);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_forms_are_known_or_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
