/* What `locus check` prints, answers and leaves on the disk, for each verdict and each option. */
#include "cmd/check/fixture_test.h"
#include "cmd/subcommand_test.h"

#define SEE "; see 'locus check --help'\n"

static void check_all(const struct command_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		expect_command(&subcommand_check, &cases[i]);
}

static void each_verdict_as_text_and_json(void **state)
{
	static const struct command_case cases[] = {
		{{"made"}, EXIT_OK, "made: ok\n", ""},
		{{"--quick", "made", "right"}, EXIT_OK, "made: ok\nright: ok\n", ""},
		{{"--json", "made"}, EXIT_OK, "{\"file\":\"made\",\"status\":\"ok\"}\n", ""},
		{{"cut"},
		 EXIT_FAILED,
		 "",
		 "locus: cut: the file has 100 bytes, and its header says 339, at offset 0x64\n"},
		{{"--json", "text"},
		 EXIT_FAILED,
		 "{\"file\":\"text\",\"status\":\"not a .locus file\",\"error\":\"not a .locus file\"}\n",
		 "locus: text: not a .locus file\n"},
		{{"--json", "absent"},
		 EXIT_FAILED,
		 "{\"file\":\"absent\",\"status\":\"cannot be read\",\"error\":\"No such file or "
		 "directory\"}\n",
		 "locus: absent: No such file or directory\n"},
		{{"absent", "made"}, EXIT_FAILED, "made: ok\n", "locus: absent: No such file or directory\n"},

		{{"--fresh", "same", "made"}, EXIT_OK, "made: fresh\n", ""},
		{{"--fresh", "--json", "same", "made"}, EXIT_OK, "{\"file\":\"made\",\"status\":\"fresh\"}\n", ""},
		{{"--fresh", "other", "made"},
		 EXIT_STALE,
		 "",
		 "locus: made: stale: the program app has 2 bytes, and had 1 when it was converted\n"},
		{{"--fresh", "--json", "other", "made"},
		 EXIT_STALE,
		 "{\"file\":\"made\",\"status\":\"stale\","
		 "\"reason\":\"the program app has 2 bytes, and had 1 when it was converted\"}\n",
		 "locus: made: stale: the program app has 2 bytes, and had 1 when it was converted\n"},
		{{"--fresh", "--json", "bad", "made"},
		 EXIT_FAILED,
		 "{\"file\":\"made\",\"status\":\"damaged ELF file\",\"elf\":\"bad\",\"error\":\"no such "
		 "program\",\"offset\":5}\n",
		 "locus: bad: no such program, at offset 0x5\n"},
		{{"--fresh", "other", "made", "absent"},
		 EXIT_FAILED,
		 "",
		 "locus: made: stale: the program app has 2 bytes, and had 1 when it was converted\n"
		 "locus: absent: No such file or directory\n"},

		{{"--source", "--all", "right", "made"}, EXIT_OK, "made: as its source\n", ""},
		{{"--source", "--all", "--json", "right", "made"},
		 EXIT_OK,
		 "{\"file\":\"made\",\"status\":\"as its source\",\"asked\":2,\"differing\":0,\"differences\":[]}\n",
		 ""},
		{{"--source", "--all", "same", "made"},
		 EXIT_FAILED,
		 "",
		 "locus: made: 0x20: the file says nothing; its source says something else\n"
		 "locus: made: 1 of 2 addresses differ from its source\n"},
		{{"--source", "--all", "--json", "same", "made"},
		 EXIT_FAILED,
		 "{\"file\":\"made\",\"status\":\"differs\",\"asked\":2,\"differing\":1,\"differences\":"
		 "[{\"address\":\"0x20\",\"file_says\":\"nothing\",\"source_says\":\"something else\"}]}\n",
		 "locus: made: 0x20: the file says nothing; its source says something else\n"
		 "locus: made: 1 of 2 addresses differ from its source\n"},
		/* The file has no code of which some could be drawn: it is held against all that the source has. */
		{{"--source=5", "--json", "same", "made"},
		 EXIT_FAILED,
		 "{\"file\":\"made\",\"status\":\"differs\",\"asked\":2,\"differing\":1,\"differences\":"
		 "[{\"address\":\"0x20\",\"file_says\":\"nothing\",\"source_says\":\"something else\"}]}\n",
		 "locus: made: 0x20: the file says nothing; its source says something else\n"
		 "locus: made: 1 of 2 addresses differ from its source\n"},
	};
	(void)state;
	check_all(cases, COUNT_OF(cases));
}

static void what_makes_no_sense(void **state)
{
	static const struct command_case cases[] = {
		{{NULL}, EXIT_USAGE, "", "locus: name a .locus file, or a directory of them" SEE},
		{{"--delete", "--quarantine=q", "made"},
		 EXIT_USAGE,
		 "",
		 "locus: --delete and --quarantine exclude each other" SEE},
		{{"--quick", "--fresh", "same", "made"},
		 EXIT_USAGE,
		 "",
		 "locus: --quick, --fresh and --source exclude each other" SEE},
		{{"--quick", "--source", "same", "made"},
		 EXIT_USAGE,
		 "",
		 "locus: --quick, --fresh and --source exclude each other" SEE},
		{{"--fresh", "--source", "same", "made"},
		 EXIT_USAGE,
		 "",
		 "locus: --quick, --fresh and --source exclude each other" SEE},
		{{"--fresh", "made"},
		 EXIT_USAGE,
		 "",
		 "locus: --fresh takes an ELF file, and behind it the .locus files that were made of it" SEE},
		{{"--source", "made"},
		 EXIT_USAGE,
		 "",
		 "locus: --source takes an ELF file, and behind it the .locus files that were made of it" SEE},
		{{"--all", "made"}, EXIT_USAGE, "", "locus: --all needs --source" SEE},
		{{"--all", "--fresh", "same", "made"}, EXIT_USAGE, "", "locus: --all needs --source" SEE},
		{{"--debug-dir=d", "made"}, EXIT_USAGE, "", "locus: --debug-dir needs --fresh or --source" SEE},
		{{"--max-memory=5M", "made"}, EXIT_USAGE, "", "locus: --max-memory needs --fresh or --source" SEE},
		{{"--quick", "--timeout=5", "made"}, EXIT_USAGE, "", "locus: --timeout needs --fresh or --source" SEE},
		{{"--fresh=sta", "same", "made"},
		 EXIT_USAGE,
		 "",
		 "locus: --fresh takes nothing, or =stat, not 'sta'" SEE},
		{{"--source=0", "same", "made"},
		 EXIT_USAGE,
		 "",
		 "locus: --source takes a number from 1 to 4294967295, not '0'" SEE},
		{{"--nonsense"}, EXIT_USAGE, "", "locus: unrecognized option '--nonsense'" SEE},
		{{"--max-memory=0", "made"},
		 EXIT_USAGE,
		 "",
		 "locus: --max-memory takes a number of bytes, such as 64M or 2G, not '0'" SEE},
	};
	(void)state;
	check_all(cases, COUNT_OF(cases));
}

static bool is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

/* What is wrong with the file itself is put away; what is wrong with the program or the system is not. */
static void what_is_put_away(void **state)
{
	static const struct {
		const char *arguments[6];
		bool is_put_away;
	} cases[] = {
		{{"made"}, false},
		{{"cut"}, true},
		{{"text"}, true},
		{{"flipped"}, true},
		{{"older"}, false}, /* another version of this program made it */
		{{"elf"}, false},
		{{"--fresh", "same", "made"}, false},
		{{"--fresh", "other", "made"}, true},
		{{"--fresh", "other", "older"}, true},
		{{"--fresh", "bad", "made"}, false},
		{{"--fresh", "bad", "cut"}, true},
		{{"--source", "--all", "same", "made"}, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		for (int moves = 0; moves < 2; moves++) {
			static struct command_run ran;
			const char *arguments[8] = {moves ? "--quarantine=kept/away" : "--delete"}, *file = NULL;
			char expected[64];
			for (int k = 0; cases[i].arguments[k]; k++)
				arguments[k + 1] = file = cases[i].arguments[k];
			command_run(&subcommand_check, arguments, &ran);
			snprintf(expected, sizeof(expected), "%s: %s\n", file, moves ? "quarantined" : "deleted");
			if (is_there(file) == cases[i].is_put_away)
				fail_msg("case %zu", i);
			assert_int_equal(strstr(ran.out, expected) != NULL, cases[i].is_put_away);
			snprintf(expected, sizeof(expected), "kept/away/%s", file);
			assert_int_equal(is_there(expected), cases[i].is_put_away && moves);
			assert_int_equal(system("cp kept/made kept/cut kept/text kept/flipped kept/older . && rm -f "
						"kept/away/*"),
					 0);
		}
	static const struct command_case as_json = {{"--json", "--delete", "text"},
						    EXIT_FAILED,
						    "{\"file\":\"text\",\"status\":\"not a .locus "
						    "file\",\"error\":\"not a .locus file\",\"action\":\"deleted\"}\n",
						    "locus: text: not a .locus file\n"};
	expect_command(&subcommand_check, &as_json);
	assert_int_equal(system("cp kept/text ."), 0);
}

static void names_in_the_quarantine(void **state)
{
	static const struct command_case cases[] = {
		{{"--quarantine=kept/away", "kept/text"},
		 EXIT_FAILED,
		 "kept/text: quarantined\n",
		 "locus: kept/text: not a .locus file\n"},
		{{"--quarantine=kept/away", "kept%text"},
		 EXIT_FAILED,
		 "kept%text: quarantined\n",
		 "locus: kept%text: not a .locus file\n"},
		{{"--quarantine=/proc", "kept/cut"},
		 EXIT_FAILED,
		 "",
		 "locus: kept/cut: the file has 100 bytes, and its header says 339, at offset 0x64\n"
		 "locus: kept/cut: cannot be moved to /proc/kept%2Fcut: Invalid cross-device link\n"},
		{{"--quarantine=none", "made"}, EXIT_FAILED, "", "locus: none: No such file or directory\n"},
		{{"--quarantine=made", "made"}, EXIT_FAILED, "", "locus: made: Not a directory\n"},
	};
	char option[PATH_MAX + 32] = "--quarantine=";
	(void)state;
	assert_int_equal(system("cp kept/text kept%text"), 0);
	check_all(cases, COUNT_OF(cases));
	assert_true(is_there("kept/away/kept%2Ftext"));
	assert_true(is_there("kept/away/kept%25text"));
	assert_int_equal(rename("kept/away/kept%2Ftext", "kept/text"), 0);

	/* With the file's name and the NUL behind it, the path just fits, and is a byte too long. */
	for (size_t size = PATH_MAX - strlen("/text") - 1; size <= PATH_MAX - strlen("/text"); size++) {
		static struct command_run ran;
		char *place = option + strlen("--quarantine=");
		const char *arguments[] = {option, "text", NULL};
		bool fits = size == PATH_MAX - strlen("/text") - 1;
		memset(place, '/', size);
		memcpy(place, "kept/away", strlen("kept/away"));
		place[size] = '\0';
		command_run(&subcommand_check, arguments, &ran);
		assert_string_equal(ran.out, fits ? "text: quarantined\n" : "");
		assert_string_equal(ran.err, fits ? "locus: text: not a .locus file\n"
						  : "locus: text: not a .locus file\n"
						    "locus: text: its name is too long for the quarantine\n");
		assert_int_equal(is_there("text"), !fits);
		assert_int_equal(system("cp kept/text . && rm -f kept/away/*"), 0);
	}
}

/* What limits are asked for reaches the processes, and how the files are looked at. */
static void options_are_heeded(void **state)
{
	static const struct command_case cases[] = {
		{{"--fresh", "--timeout=1", "very slow", "made"},
		 EXIT_FAILED,
		 "",
		 "locus: very slow: it took longer than --timeout allows: 1 s\n"},
		/* By its time it is older than the program, and by digests it is not asked for that. */
		{{"--fresh=stat", "same", "aged"}, EXIT_STALE, "", "locus: aged: stale: the program app is newer\n"},
		/* What is stale changes nothing where another file could not be judged. */
		{{"--fresh=stat", "-j1", "same", "text", "aged"},
		 EXIT_FAILED,
		 "",
		 "locus: text: not a .locus file\nlocus: aged: stale: the program app is newer\n"},
		{{"--fresh", "same", "aged"}, EXIT_OK, "aged: fresh\n", ""},
		{{"--fresh", "-j1", "same", "made", "aged"}, EXIT_OK, "made: fresh\naged: fresh\n", ""},
		{{"-j", "3", "made", "aged", "kept/made"}, EXIT_OK, "made: ok\naged: ok\nkept/made: ok\n", ""},
	};
	(void)state;
	write_made("aged");
	freshness_touch("aged", &(struct timespec){1000, 0});
	check_all(cases, COUNT_OF(cases));
}

static int set_up(void **state)
{
	if (judged_set_up(state) != 0)
		return -1;
	write_made("made");
	write_made("cut");
	write_made("flipped");
	write_made("older");
	write_made("right");
	patch("older", 8, 1);
	patch("flipped", 70, 0xff);
	return truncate("cut", 100) || system("printf 'some text' >text && printf '\\177ELF' >elf && mkdir -p "
					      "kept/away && cp made cut flipped older text kept");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_verdict_as_text_and_json),
		cmocka_unit_test(what_makes_no_sense),
		cmocka_unit_test(what_is_put_away),
		cmocka_unit_test(names_in_the_quarantine),
		cmocka_unit_test(options_are_heeded),
	};
	return cmocka_run_group_tests_name("cmd_check", tests, set_up, judged_tear_down);
}
