/*
 * What follows from a companion that is missing: it is fetched once, and the conversion made again with it; and what is
 * said if it cannot be had. The converter is none; what fetches is debuginfod's client, from files.
 */
#include "cmd/conversion/conversion.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/toolkit_test.h"
#include "cmd/common/report.h"
#include "cmd/conversion/converter.h"
#include "cmd/conversion/fetch.h"
#include "cmd/folder_test.h"

enum { FITTING = LOCUS_ERROR_TEXT_SIZE - sizeof("; to have it fetched, set DEBUGINFOD_URLS") };

static char folder[] = "/tmp/locus-Conversion-XXXXXX";

/* ---- A converter that is none ---- */

/*
 * What it asks for is named by the path: each letter is what is missing as long as it was not given, "d" the debug
 * file, "a" the alternate file; capital letters fail without it. "x" asks for something that there is not, "y" by a
 * build-id that is too large, and "d" is asked for again if "!" follows. "O" cannot be written without the debug file.
 * "L" and "M" are "D" with texts behind which the name of a variable just fits, and does not.
 */
static enum locus_status convert(const char *path, const struct locus_convert_options *options,
				 struct locus_convert_result *ret, struct locus_error *error)
{
	for (const char *at = path; *at; at++) {
		bool is_debug = strchr("dDLMO", *at), is_alt = strchr("aA", *at);
		struct locus_missing missing = {
			is_alt ? LOCUS_MISSING_ALTERNATE : LOCUS_MISSING_DEBUG, {0xab, is_alt ? 0x22 : 0x11}, 2};
		if ((is_debug && options->debug_file && at[1] != '!') || (is_alt && options->alt_file))
			continue;
		if (*at == 'x')
			missing.kind = LOCUS_MISSING_ALTERNATE + 1;
		if (*at == 'y')
			missing.build_id_size = sizeof(missing.build_id) + 1;
		if (is_debug || is_alt || *at == 'x' || *at == 'y')
			*options->missing = missing;
		if (*at == 'L' || *at == 'M')
			memset(error->text, 'l', FITTING + (*at == 'M'));
		else if (*at == 'D' || *at == 'A' || *at == 'x' || *at == 'y')
			snprintf(error->text, sizeof(error->text), "%c is missing", *at);
		if (error->text[0])
			return LOCUS_ERR_COMPANION;
		if (*at == 'O') {
			snprintf(error->text, sizeof(error->text), "the disk is full");
			return LOCUS_ERR_OUTPUT;
		}
		if (is_debug || is_alt)
			break;
	}
	ret->unit_count = options->debug_file ? 2 : 1;
	ret->file_count = options->alt_file ? 2 : 1;
	return LOCUS_OK;
}

static void result_done(struct locus_convert_result *result)
{
	(void)result;
}

/* The client names what it has fetched by its build-id. */
static enum locus_status build_id_is_11_or_22(const char *path, uint8_t *ret, size_t *size, struct locus_error *error)
{
	bool is_alt = strstr(path, "ab22");
	(void)error;
	ret[0] = 0xab;
	ret[1] = is_alt ? 0x22 : 0x11;
	*size = 2;
	return LOCUS_OK;
}

static enum locus_status another_build_id(const char *path, uint8_t *ret, size_t *size, struct locus_error *error)
{
	enum locus_status status = build_id_is_11_or_22(path, ret, size, error);
	ret[1]++;
	return status;
}

static enum locus_status longer_build_id(const char *path, uint8_t *ret, size_t *size, struct locus_error *error)
{
	enum locus_status status = build_id_is_11_or_22(path, ret, size, error);
	ret[2] = 0;
	*size = 3;
	return status;
}

static struct converter *loaded(void)
{
	return (struct converter *)(uintptr_t)converter();
}

/* ---- The servers ---- */

static void put_on_server(const char *build_id)
{
	char command[256];
	snprintf(command, sizeof(command), "mkdir -p %s/server/buildid/%s && echo x >%s/server/buildid/%s/debuginfo",
		 folder, build_id, folder, build_id);
	assert_int_equal(system(command), 0);
}

static void begin(bool has_server)
{
	char text[256];
	snprintf(text, sizeof(text), "rm -rf %s/server %s/cache && mkdir %s/server %s/cache", folder, folder, folder,
		 folder);
	assert_int_equal(system(text), 0);
	snprintf(text, sizeof(text), "%s/cache", folder);
	setenv("DEBUGINFOD_CACHE_PATH", text, 1);
	snprintf(text, sizeof(text), "file://%s/server", folder);
	if (has_server)
		setenv("DEBUGINFOD_URLS", text, 1);
	else
		unsetenv("DEBUGINFOD_URLS");
	loaded()->elf_build_id = build_id_is_11_or_22;
	fflush(NULL); /* or each process writes it again when it ends */

	/* What could not be had is asked for again only once another file could not be had. */
	const struct locus_missing never_there = {LOCUS_MISSING_DEBUG, {0xab, 0x33}, 2};
	const char *answer;
	assert_null(conversion_fetch(&never_there, &answer));
}

/* `expected` is the error's text; or "UNITS, FILES", 2 where the debug file and the alternate file were read. */
static void expect(const char *path, const char *expected)
{
	static const struct locus_convert_options options;
	struct locus_convert_result result = {0};
	struct freshness freshness;
	struct locus_error error;
	char text[64];

	error_clear(&error);
	enum locus_status status = conversion_run(path, &options, NULL, &result, &freshness, &error);
	snprintf(text, sizeof(text), "%d, %d", (int)result.unit_count, (int)result.file_count);
	assert_string_equal(status == LOCUS_OK ? text : error.text, expected);
	assert_true(status == LOCUS_OK || status == LOCUS_ERR_COMPANION || status == LOCUS_ERR_OUTPUT);
	assert_false(freshness.is_fresh);
	assert_string_equal(freshness.reason, "");
}

static void need_client(void)
{
	void *client = dlopen("libdebuginfod.so.1", RTLD_NOW);
	if (!client)
		skip();
	dlclose(client);
}

/* ---- Tests ---- */

static void without_a_server(void **state)
{
	static const char *const without[] = {NULL, "", "  "};
	(void)state;
	begin(false);
	for (size_t i = 0; i < COUNT_OF(without); i++) {
		if (without[i])
			setenv("DEBUGINFOD_URLS", without[i], 1);
		assert_int_equal(fetch_access(), FETCH_NO_SERVER);
		expect("p", "1, 1");
		expect("pd", "1, 1");
		expect("D", "D is missing; to have it fetched, set DEBUGINFOD_URLS");
		expect("A", "A is missing; to have it fetched, set DEBUGINFOD_URLS");
		expect("x", "x is missing");
		expect("y", "y is missing");
		expect("O", "the disk is full");
	}
	setenv("DEBUGINFOD_URLS", "  x", 1);
	assert_int_equal(fetch_access(), FETCH_POSSIBLE);
}

static void what_a_server_has_is_used(void **state)
{
	(void)state;
	need_client();
	begin(true);
	put_on_server("ab11");
	put_on_server("ab22");
	expect("p", "1, 1");
	expect("d", "2, 1");
	expect("D", "2, 1");
	expect("a", "1, 2");
	expect("A", "1, 2");
	expect("DA", "2, 2");
	expect("AD", "2, 2");
	expect("dA", "2, 2");
	/* What was fetched does not help, and is not asked for again. */
	expect("D!", "D is missing");
	/* What is missing is not why this failed. */
	expect("O", "the disk is full");
}

static void what_a_server_does_not_have(void **state)
{
	(void)state;
	need_client();
	begin(true);
	expect("D", "D is missing; debuginfod does not have it");
	expect("d", "1, 1");
	begin(true);
	put_on_server("ab11");
	expect("DA", "A is missing; debuginfod does not have it");
	expect("x", "x is missing");
	expect("y", "y is missing");
}

static void what_a_server_has_of_another_build(void **state)
{
	static __typeof__(another_build_id) *const build_ids[] = {another_build_id, longer_build_id};
	(void)state;
	need_client();
	for (size_t i = 0; i < COUNT_OF(build_ids); i++) {
		begin(true);
		put_on_server("ab11");
		loaded()->elf_build_id = build_ids[i];
		expect("D", "D is missing; debuginfod has a file of another build for it");
		expect("d", "1, 1");
	}
}

static void the_file_that_was_fetched_alone(void **state)
{
	const struct locus_missing missing = {LOCUS_MISSING_DEBUG, {0xab, 0x11}, 2};
	const char *answer;
	struct stat found;
	(void)state;
	need_client();
	begin(true);
	assert_null(conversion_fetch(&missing, &answer));
	assert_string_equal(answer, " does not have it");
	/* It is asked for no second time. */
	put_on_server("ab11");
	assert_null(conversion_fetch(&missing, &answer));
	assert_string_equal(answer, " does not have it");
	expect("D", "D is missing; debuginfod does not have it");
	begin(true);
	put_on_server("ab11");
	char *path = conversion_fetch(&missing, &answer);
	assert_non_null(path);
	assert_null(answer);
	assert_int_equal(stat(path, &found), 0);
	free(path);
	begin(false);
	assert_null(conversion_fetch(&missing, &answer));
	assert_null(answer);
}

/* Runs in a process of its own, for afterwards no server is asked any more. */
static void ask_in_vain(void)
{
	begin(true);
	put_on_server("ab11");
	setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1/", 1);
	static const struct locus_convert_options options;
	struct conversion conversion;
	struct locus_convert_result result;
	struct freshness freshness;
	struct locus_error error;
	for (int turn = 0; turn < 2; turn++) {
		const char *said = turn ? "A is missing; debuginfod could not be asked"
					: "D is missing; debuginfod could not be asked: ";
		if (conversion_start(&conversion, turn ? "A" : "D", &options, NULL, &error) != LOCUS_OK)
			_exit(2);
		bool is_fetching = !conversion_is_done(&conversion);
		while (is_fetching && !conversion_is_done(&conversion))
			continue;
		if (is_fetching != !turn ||
		    conversion_finish(&conversion, &result, &freshness, &error) != LOCUS_ERR_COMPANION)
			_exit(3);
		if (turn ? strcmp(error.text, said) != 0
			 : strncmp(error.text, said, strlen(said)) != 0 || !error.text[strlen(said)])
			_exit(4);
		begin(true); /* a server that could be asked, but is not */
	}
	fetch_forbid();
	if (fetch_access() != FETCH_FORBIDDEN)
		_exit(5);
	_exit(0);
}

static void a_server_that_cannot_be_reached_is_asked_once(void **state)
{
	int status;
	(void)state;
	need_client();
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		ask_in_vain();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void what_is_added_to_a_message_has_to_fit(void **state)
{
	char expected[LOCUS_ERROR_TEXT_SIZE] = "";
	(void)state;
	begin(false);
	memset(expected, 'l', FITTING + 1);
	expect("M", expected);
	strcpy(expected + FITTING, "; to have it fetched, set DEBUGINFOD_URLS");
	expect("L", expected);
}

static int set_up(void **state)
{
	(void)state;
	*loaded() = (struct converter){.convert = convert, .result_done = result_done};
	return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	return remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_server),
		cmocka_unit_test(what_a_server_has_is_used),
		cmocka_unit_test(what_a_server_does_not_have),
		cmocka_unit_test(what_a_server_has_of_another_build),
		cmocka_unit_test(the_file_that_was_fetched_alone),
		cmocka_unit_test(a_server_that_cannot_be_reached_is_asked_once),
		cmocka_unit_test(what_is_added_to_a_message_has_to_fit),
	};
	return cmocka_run_group_tests_name("conversion", tests, set_up, tear_down);
}
