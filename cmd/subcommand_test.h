/* Runs a subcommand as main does, in a process of its own, and catches what it writes. */
#ifndef LOCUS_SUBCOMMAND_TEST_H
#define LOCUS_SUBCOMMAND_TEST_H

#include <argp.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/toolkit_test.h"
#include "cmd/common/exit_code.h"
#include "cmd/subcommand.h"

enum { COMMAND_TEXT_MAX = 1 << 14, COMMAND_ARGUMENTS_MAX = 16 };

struct command_run {
	int code;
	char out[COMMAND_TEXT_MAX], err[COMMAND_TEXT_MAX];
};

static inline void command_text(int fd, char *text)
{
	ssize_t size = pread(fd, text, COMMAND_TEXT_MAX - 1, 0);
	assert_true(size >= 0);
	text[size] = '\0';
	close(fd);
}

/* The arguments behind the subcommand's name, the last of them NULL. */
static inline void command_run(const struct subcommand *subcommand, const char *const *arguments,
			       struct command_run *ret)
{
	int out_fd = memfd_create("out", MFD_CLOEXEC), err_fd = memfd_create("err", MFD_CLOEXEC), status;
	char name[64], *argv[COMMAND_ARGUMENTS_MAX] = {name};
	int argc = 1;

	snprintf(name, sizeof(name), "locus %s", subcommand->name);
	for (; arguments[argc - 1]; argc++) {
		assert_true(argc + 1 < COMMAND_ARGUMENTS_MAX);
		argv[argc] = (char *)(uintptr_t)arguments[argc - 1];
	}
	fflush(NULL); /* or the process writes it again when it ends */
	pid_t pid = fork();
	if (pid == 0) {
		dup2(out_fd, STDOUT_FILENO);
		dup2(err_fd, STDERR_FILENO);
		argp_err_exit_status = EXIT_USAGE;
		exit(subcommand->run(argc, argv));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	ret->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	command_text(out_fd, ret->out);
	command_text(err_fd, ret->err);
}

/* A row of a table: what is called, and all that comes of it. */
struct command_case {
	const char *arguments[COMMAND_ARGUMENTS_MAX];
	int code;
	const char *out, *err;
};

static inline void expect_command(const struct subcommand *subcommand, const struct command_case *expected)
{
	static struct command_run ran;

	command_run(subcommand, expected->arguments, &ran);
	if (ran.code != expected->code || strcmp(ran.out, expected->out) != 0 || strcmp(ran.err, expected->err) != 0) {
		print_error("locus %s", subcommand->name);
		for (size_t i = 0; expected->arguments[i]; i++)
			print_error(" %s", expected->arguments[i]);
		print_error("\n");
	}
	assert_string_equal(ran.err, expected->err);
	assert_string_equal(ran.out, expected->out);
	assert_int_equal(ran.code, expected->code);
}

#endif
