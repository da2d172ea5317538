/* What lines ask llvm-symbolizer for, and which ask for nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/tools/tool_request.h"

#define ZEROS    "00000000000000000000000000000"
#define ONES     "11111111111111111111111111111111"
#define TOO_MUCH "a 1" ZEROS

static const struct {
	const char *line;
	struct tool_request request; /* its module is a text */
} good[] = {
	{"a 0x10", {TOOL_CODE, false, "a", 1, 0x10, NULL, 0}},
	{"a 0", {TOOL_CODE, false, "a", 1, 0, NULL, 0}},
	{"a 9", {TOOL_CODE, false, "a", 1, 9, NULL, 0}},
	{"a 010", {TOOL_CODE, false, "a", 1, 8, NULL, 0}},
	{"a " ZEROS "17", {TOOL_CODE, false, "a", 1, 15, NULL, 0}},
	{"a 0o17", {TOOL_CODE, false, "a", 1, 15, NULL, 0}},
	{"a 0b101", {TOOL_CODE, false, "a", 1, 5, NULL, 0}},
	{"a 0B" ONES ONES, {TOOL_CODE, false, "a", 1, UINT64_MAX, NULL, 0}},
	{"a main+0b11", {TOOL_CODE, false, "a", 1, 3, "main", 4}},
	{"a 0xffffffffffffffff", {TOOL_CODE, false, "a", 1, UINT64_MAX, NULL, 0}},
	{" \t a  \t 0x10", {TOOL_CODE, false, "a", 1, 0x10, NULL, 0}},
	{"CODE a 1", {TOOL_CODE, false, "a", 1, 1, NULL, 0}},
	{"DATA /b/c 1", {TOOL_DATA, false, "/b/c", 4, 1, NULL, 0}},
	{"FRAME \t/b/c 1", {TOOL_FRAME, false, "/b/c", 4, 1, NULL, 0}},
	{"CODE DATA 1", {TOOL_CODE, false, "DATA", 4, 1, NULL, 0}},
	{"CODES 1", {TOOL_CODE, false, "CODES", 5, 1, NULL, 0}},
	{"DATAS 1", {TOOL_CODE, false, "DATAS", 5, 1, NULL, 0}},
	{"FRAMES 1", {TOOL_CODE, false, "FRAMES", 6, 1, NULL, 0}},
	{"DATA\t 1", {TOOL_CODE, false, "DATA\t", 5, 1, NULL, 0}},
	{"FILE:a 1", {TOOL_CODE, false, "a", 1, 1, NULL, 0}},
	{"DATA FILE:a 1", {TOOL_DATA, false, "a", 1, 1, NULL, 0}},
	{"BUILDID:a0b1 1", {TOOL_CODE, true, "a0b1", 4, 1, NULL, 0}},
	{"BUILDID:FILE:a 1", {TOOL_CODE, true, "FILE:a", 6, 1, NULL, 0}},
	{"\"a b\" 1", {TOOL_CODE, false, "a b", 3, 1, NULL, 0}},
	{"'a \"b' 1", {TOOL_CODE, false, "a \"b", 4, 1, NULL, 0}},
	{"'a'1", {TOOL_CODE, false, "a", 1, 1, NULL, 0}},
	{"a 1 ", {TOOL_CODE, false, "a", 1, 1, NULL, 0}},
	{"a 0x1 2", {TOOL_CODE, false, "a", 1, 1, NULL, 0}},
	{"FILE:\"a b\" 1", {TOOL_CODE, false, "a b", 3, 1, NULL, 0}},
	{"a main", {TOOL_CODE, false, "a", 1, 0, "main", 4}},
	{"a main+0x10", {TOOL_CODE, false, "a", 1, 16, "main", 4}},
	{"a main+10 2", {TOOL_CODE, false, "a", 1, 10, "main", 4}},
	{"CODE BUILDID:a0b1 main+1", {TOOL_CODE, true, "a0b1", 4, 1, "main", 4}},
	{"a main+", {TOOL_CODE, false, "a", 1, 0, "main+", 5}},
	{"a main+0x", {TOOL_CODE, false, "a", 1, 0, "main+0x", 7}},
	{"a main+-1", {TOOL_CODE, false, "a", 1, 0, "main+-1", 7}},
	{"a a+b+1", {TOOL_CODE, false, "a", 1, 1, "a+b", 3}},
	{"a +1", {TOOL_CODE, false, "a", 1, 0, "+1", 2}},
	{"a -1", {TOOL_CODE, false, "a", 1, 0, "-1", 2}},
	{"DATA a b", {TOOL_DATA, false, "a", 1, 0, "b", 1}},
	{"FRAME a b+1", {TOOL_FRAME, false, "a", 1, 1, "b", 1}},
	{"FILE: a 1", {TOOL_CODE, false, "a", 1, 1, NULL, 0}},
	{"BUILDID:\t a0b1 1", {TOOL_CODE, true, "a0b1", 4, 1, NULL, 0}},
};

static const struct {
	const char *line, *module;
} bad[] = {
	{"", ""},
	{" ", ""},
	{"a", "a"},
	{"1", "1"},
	{"a ", "a"},
	{"a 0x", "a"},
	{"a 0x1g", "a"},
	{"a 1x 2", "a"},
	{"a 1+2", "a"},
	{" 1", "1"},
	{"\"\" 1", ""},
	{"'a 1", ""},
	{"\"a' 1", ""},
	{"CODE 1", "1"},
	{"FILE: 1", "1"},
	{"BUILDID:", "BUILDID:"},
	{"BUILDID: 1", "1"},
	{"DATA ", ""},
	{"CODE a1", "a1"},
	{TOO_MUCH, "a"},
	{"a 0b", "a"},
	{"a 0o", "a"},
	{"a 0b-1", "a"},
	{"a 0b2", "a"},
	{"a 0o8", "a"},
	{"a 0O7", "a"},
	{"a 0b" ONES ONES "1", "a"},
	{"a 0" ONES ONES ONES, "a"},
};

static const struct {
	const char *line;
	struct tool_request request;
} addresses[] = {
	{"0x10", {TOOL_CODE, false, NULL, 0, 0x10, NULL, 0}},
	{" 16", {TOOL_CODE, false, NULL, 0, 16, NULL, 0}},
	{"DATA 16", {TOOL_DATA, false, NULL, 0, 16, NULL, 0}},
	{"FRAME 16", {TOOL_FRAME, false, NULL, 0, 16, NULL, 0}},
	{"main+16", {TOOL_CODE, false, NULL, 0, 16, "main", 4}},
};

static void check(const char *line, bool has_module, const struct tool_request *expected)
{
	struct tool_request got;

	if (!tool_request_parse(line, strlen(line), has_module, &got))
		fail_msg("'%s' is refused", line);
	if (got.kind != expected->kind || got.is_build_id != expected->is_build_id ||
	    got.address != expected->address || got.module_size != expected->module_size ||
	    (expected->module && memcmp(got.module, expected->module, got.module_size) != 0) ||
	    got.symbol_size != expected->symbol_size ||
	    (expected->symbol && memcmp(got.symbol, expected->symbol, got.symbol_size) != 0))
		fail_msg("'%s': kind %d, module '%.*s', symbol '%.*s', address %llx", line, got.kind,
			 (int)got.module_size, got.module ? got.module : "", (int)got.symbol_size,
			 got.symbol ? got.symbol : "", (unsigned long long)got.address);
}

static void requests(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		check(good[i].line, false, &good[i].request);
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		check(addresses[i].line, true, &addresses[i].request);
}

static void lines_that_are_none(void **state)
{
	struct tool_request request;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const char *line = bad[i].line;
		if (tool_request_parse(line, strlen(line), false, &request))
			fail_msg("'%s' is accepted", line);
		if (request.module_size != strlen(bad[i].module) ||
		    (request.module_size && memcmp(request.module, bad[i].module, request.module_size) != 0))
			fail_msg("'%s': module '%.*s'", line, (int)request.module_size,
				 request.module ? request.module : "");
	}
	assert_false(tool_request_parse("1a 0x10", 7, true, &request));
	assert_false(tool_request_parse("", 0, true, &request));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(requests), cmocka_unit_test(lines_that_are_none)};

	return cmocka_run_group_tests_name("tool request", tests, NULL, NULL);
}
