/* Loading libraries that stand beside the command. */
#include "cmd/common/own_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/report.h"
#include "spec/version.h"

/* Whether the loader says no more than that there is no file at the path. */
static bool is_absent(const char *path, const char *reason)
{
	size_t size = strlen(path);

	return strncmp(reason, path, size) == 0 &&
	       strcmp(reason + size, ": cannot open shared object file: No such file or directory") == 0;
}

/*
 * The places are listed here and not in the command's rpath, which the loader would also search for libzstd and libc
 * each time the command starts. The last name finds a library that is loaded already, as with the Makefile's SANITIZE.
 * Where the library is and does not load, as without one that it needs, that is what the user has to know.
 */
static void *open_beside(const char *name, const char *what)
{
	static const char *const places[] = {"$ORIGIN/", "$ORIGIN/../lib/locus/", ""};
	char path[NAME_MAX], why[1024] = "";

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", places[i], name);
		void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		const char *reason = library ? NULL : dlerror();
		if (library)
			return library;
		if (!why[0] && !is_absent(path, reason))
			snprintf(why, sizeof(why), "%s", reason);
	}
	if (why[0])
		report(NULL, "%s cannot be loaded: %s", what, why);
	else
		report(NULL, "%s cannot be loaded: %s is neither beside locus nor in ../lib/locus%s", what, name,
		       access("/proc/self/exe", F_OK) == 0
			       ? ""
			       : ", or /proc, by which the loader finds these, is not mounted");
	return NULL;
}

/* POSIX has pointers to data and to functions of one size; ISO C has no such cast. */
bool own_library_find(void *library, const char *name, void *ret)
{
	void *symbol = dlsym(library, name);

	memcpy(ret, &symbol, sizeof(symbol));
	return symbol != NULL;
}

static bool find_all(void *handle, const struct own_library *library)
{
	const char *version;

	if (!own_library_find(handle, library->version, &version) || strcmp(version, LOCUS_VERSION) != 0)
		return false;
	for (size_t i = 0; i < library->symbol_count; i++) {
		if (!own_library_find(handle, library->symbols[i].name, library->symbols[i].pointer))
			return false;
	}
	return true;
}

bool own_library_load(const struct own_library *library)
{
	static const void *const none;
	void *handle = open_beside(library->name, library->what);

	if (!handle)
		return false;
	if (find_all(handle, library))
		return true;
	for (size_t i = 0; i < library->symbol_count; i++)
		memcpy(library->symbols[i].pointer, &none, sizeof(none));
	report(NULL, "%s is not that of locus %s; install both together", library->name, LOCUS_VERSION);
	return false;
}
