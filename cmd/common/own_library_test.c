/* A library that is absent, or not that of this version of the command, is refused and leaves no pointer behind. */
#include "cmd/common/own_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/toolkit_test.h"

static void *one = &one, *two = &two;

/* What is reported goes nowhere. */
static bool load(const char *name, const char *version)
{
	const struct own_symbol symbols[] = {{"environ", &one}, {"strlen", &two}};
	const struct own_library library = {name, "what is tested", version, symbols, COUNT_OF(symbols)};
	int kept = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);
	assert_true(kept >= 0 && null >= 0 && dup2(null, STDERR_FILENO) >= 0);
	one = two = &one;
	bool is_loaded = own_library_load(&library);
	dup2(kept, STDERR_FILENO);
	close(kept);
	close(null);
	return is_loaded;
}

static void libraries_of_others_are_refused(void **state)
{
	(void)state;
	assert_false(load("liblocus-of-nobody.so", "environ"));
	/* The C library is there, and its variables do not begin with this version. */
	static const char *const versions[] = {"locus_of_nobody", "in6addr_any", "program_invocation_name"};
	for (size_t i = 0; i < COUNT_OF(versions); i++) {
		assert_false(load("libc.so.6", versions[i]));
		assert_null(one);
		assert_null(two);
	}
}

static void what_a_library_lacks_is_no_address(void **state)
{
	void *library = dlopen("libc.so.6", RTLD_NOW);
	size_t (*found)(const char *) = NULL;
	(void)state;
	assert_non_null(library);
	assert_true(own_library_find(library, "strlen", &found));
	assert_int_equal(found("four"), 4);
	assert_false(own_library_find(library, "locus_of_nobody", &found));
	assert_true(!found);
	dlclose(library);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(libraries_of_others_are_refused),
		cmocka_unit_test(what_a_library_lacks_is_no_address),
	};
	return cmocka_run_group_tests_name("own_library", tests, NULL, NULL);
}
