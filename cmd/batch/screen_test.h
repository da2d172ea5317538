/* A terminal of a test's own. */
#ifndef LOCUS_BATCH_SCREEN_TEST_H
#define LOCUS_BATCH_SCREEN_TEST_H

#include <fcntl.h>
#include <unistd.h>

#include "base/toolkit_test.h"

/* Standard error is a terminal until screen_take, which gives what was written to it. */
struct screen {
	int master, saved;
	char text[1 << 16]; /* more than a terminal keeps that nobody has read yet */
};

static inline void screen_open(struct screen *screen)
{
	screen->master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(screen->master >= 0);
	assert_int_equal(grantpt(screen->master), 0);
	assert_int_equal(unlockpt(screen->master), 0);
	int terminal = open(ptsname(screen->master), O_RDWR | O_NOCTTY);
	assert_true(terminal >= 0);
	fflush(stderr);
	screen->saved = dup(STDERR_FILENO);
	dup2(terminal, STDERR_FILENO);
	close(terminal);
}

/*
 * The terminal puts a carriage return before each line feed. What was written reaches the master's end some time later;
 * once nobody has the terminal open any more, reading gives all of it and then fails.
 */
static inline const char *screen_take(struct screen *screen)
{
	size_t size = 0;
	fflush(stderr);
	dup2(screen->saved, STDERR_FILENO);
	close(screen->saved);
	for (ssize_t got = 1; got > 0; size += got > 0 ? (size_t)got : 0)
		got = read(screen->master, screen->text + size, sizeof(screen->text) - 1 - size);
	screen->text[size] = '\0';
	close(screen->master);
	return screen->text;
}

#endif
