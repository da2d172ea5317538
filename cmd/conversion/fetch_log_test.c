/* What logs of debuginfod's client tell, as elfutils 0.188 and 0.192 write them with libcurl 7.74 to 8. */
#include "cmd/conversion/fetch_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/toolkit_test.h"

#define ID                  "ab11"
#define ASK(number, server) "url " number " " server "/buildid/" ID "/debuginfo\n"
#define LACK(number)        "url " number " The requested URL returned error: 404\n"
#define REFUSE(number)      "url " number " Failed to connect to b port 1 after 0 ms: Couldn't connect to server\n"

static const struct {
	const char *name, *log;
	bool all_lack, some_lack;
	const char *reason;
} cases[] = {
	{"nothing", "", false, false, NULL},
	{"it was in the cache", "debuginfod_find_debuginfo " ID "\nchecking build-id\nnot found x (err=-2)\n", false,
	 false, NULL},
	{"one server lacks it",
	 "init server 0 http://a/buildid\n" ASK("0",
						"http://a") "header HTTP/1.0 404 Not Found\n"
							    "server response HTTP response code said error\n" LACK("0"),
	 true, true, NULL},
	{"early libcurl", ASK("0", "http://a") "url 0 The requested URL returned error: 404 Not Found\n", true, true,
	 NULL},
	{"gone", ASK("0", "http://a") "url 0 The requested URL returned error: 410\n", true, true, NULL},
	{"a folder", ASK("0", "file:///a") "url 0 Couldn't open file /a/buildid/" ID "/debuginfo\n", true, true, NULL},
	{"two servers lack it", ASK("0", "http://a") ASK("1", "http://b") LACK("1") LACK("0"), true, true, NULL},
	{"a server is overloaded", ASK("0", "http://a") "url 0 The requested URL returned error: 503\n", false, false,
	 "The requested URL returned error: 503"},
	{"one is, and the other lacks it",
	 ASK("0", "http://a") ASK("1", "http://b") "url 1 The requested URL returned error: 503\n" LACK("0"), false,
	 true, "The requested URL returned error: 503"},
	{"the last that failed", ASK("0", "http://a") ASK("1", "http://b") "url 1 one\nurl 0 two\n", false, false,
	 "two"},
	{"one is out of reach and asked again, and the other lacks it twice",
	 ASK("0", "http://a") ASK("1", "http://b") LACK("0") REFUSE("1") ASK("0", "http://a") ASK("1", "http://b")
		 REFUSE("1") LACK("0"),
	 false, true, "Failed to connect to b port 1 after 0 ms: Couldn't connect to server"},
	{"one is back when it is asked again", ASK("0", "http://a") REFUSE("0") ASK("0", "http://a") LACK("0"), false,
	 true, "Failed to connect to b port 1 after 0 ms: Couldn't connect to server"},
	{"nothing came", ASK("0", "http://a") "server response No error\n", false, false, NULL},
	{"a redirection to the same place elsewhere",
	 ASK("0", "http://a") "header HTTP/1.0 302 Found\nheader Location: http://b/buildid/" ID
			      "/debuginfo\n" LACK("0"),
	 true, true, NULL},
	{"a header that looks like an answer",
	 ASK("0", "http://a") "header url 0 The requested URL returned error: 404\n", false, false, NULL},
	{"another version without questions", LACK("0"), false, true, NULL},
	{"another version without answers", ASK("0", "http://a"), false, false, NULL},
	{"other lines that begin so", "url x y\nurl 0\nurl  0 y\nurls 0 y\n", false, false, NULL},
	{"the last line has no end", ASK("0", "http://a") "url 0 cut", false, false, "cut"},
};

static void logs(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char *text = strdup(cases[i].log);
		FILE *log = text[0] ? fmemopen(text, strlen(text), "r") : fopen("/dev/null", "r");
		assert_non_null(log);
		struct fetch_answers answers = fetch_log_read(log, ID);
		if (answers.all_lack != cases[i].all_lack || answers.some_lack != cases[i].some_lack ||
		    !answers.reason != !cases[i].reason ||
		    (answers.reason && strcmp(answers.reason, cases[i].reason) != 0))
			fail_msg("%s: %d %d %s", cases[i].name, answers.all_lack, answers.some_lack,
				 answers.reason ? answers.reason : "no reason");
		free(answers.reason);
		fclose(log);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(logs)};
	return cmocka_run_group_tests_name("fetch_log", tests, NULL, NULL);
}
