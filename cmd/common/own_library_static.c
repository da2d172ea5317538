/*
 * What own_library.c is to other commands, for the one that is linked statically: a twin of it, which is linked as
 * usual, takes over where a library is needed. A lookup of one address takes a fifth longer when the loader has to map
 * libc and bind its functions first.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/exit_code.h"
#include "cmd/common/memory.h"
#include "cmd/common/own_library.h"
#include "cmd/common/report.h"

#define TWIN "locus-dynamic"

static char **arguments;

/* The subcommands change argv, so the twin gets a copy. */
void own_libraries_init(int argc, char **argv)
{
	size_t size = ((size_t)argc + 1) * sizeof(*argv);

	arguments = memory_checked(malloc(size));
	memcpy(arguments, argv, size);
}

/* The folder of this program, or "." if that is not known. */
static void find_folder(char *ret, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", ret, size - 1);
	char *slash = length > 0 ? memrchr(ret, '/', (size_t)length) : NULL;

	if (slash)
		*slash = '\0';
	else
		strcpy(ret, ".");
}

void own_libraries_want(void)
{
	static const char *const places[] = {"/" TWIN, "/../lib/locus/" TWIN};
	char path[PATH_MAX + sizeof("/../lib/locus/" TWIN)];

	find_folder(path, PATH_MAX);
	size_t length = strlen(path);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		strcpy(path + length, places[i]);
		execv(path, arguments);
	}
	report(NULL,
	       "the converter cannot be loaded: %s, which belongs beside locus or in ../lib/locus, cannot be run: %s",
	       TWIN, strerror(errno));
	exit(EXIT_FAILED);
}

/* The twin has the functions below; they are called behind own_libraries_want, so never here. */

void *own_library_open(const char *name, const char *what)
{
	(void)name;
	(void)what;
	abort();
}

void *system_library_open(const char *name)
{
	(void)name;
	abort();
}

bool own_library_find(void *library, const char *name, void *ret)
{
	(void)library;
	(void)name;
	(void)ret;
	abort();
}

const char *own_library_error(void)
{
	abort();
}
