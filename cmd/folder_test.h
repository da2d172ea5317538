/* The folder of a test's own, and what is in its files. */
#ifndef LOCUS_FOLDER_TEST_H
#define LOCUS_FOLDER_TEST_H

#include <fcntl.h>
#include <unistd.h>

#include "base/toolkit_test.h"

/* With all that is in it. For a tear-down: returns 0 if that went well. */
static inline int remove_folder(const char *folder)
{
	char command[64];

	snprintf(command, sizeof(command), "/bin/rm -r %s", folder);
	return system(command);
}

/* Holds the text of a file, which is short. */
static inline void expect_file(const char *path, const char *expected)
{
	char text[512] = "";
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_true(read(fd, text, sizeof(text) - 1) >= 0);
	close(fd);
	assert_string_equal(text, expected);
}

#endif
