/* Loading libraries that stand beside the command. */
#include "cmd/common/own_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cmd/common/report.h"

/*
 * The places are listed here and not in the command's rpath, which the loader would also search for libzstd and libc
 * each time the command starts. The last name finds a library that is loaded already, as with the Makefile's SANITIZE.
 */
void *own_library_open(const char *name, const char *what)
{
	static const char *const places[] = {"$ORIGIN/", "$ORIGIN/../lib/locus/", ""};
	char path[NAME_MAX], reasons[1024] = "";
	size_t used = 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", places[i], name);
		void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (library)
			return library;
		snprintf(reasons + used, sizeof(reasons) - used, "%s%s", i ? "; " : "", dlerror());
		used = strlen(reasons);
	}
	report(NULL, "%s cannot be loaded (it belongs beside locus or in ../lib/locus): %s", what, reasons);
	return NULL;
}

/* POSIX has pointers to data and to functions of one size; ISO C has no such cast. */
bool own_library_find(void *library, const char *name, void *ret)
{
	void *symbol = dlsym(library, name);

	memcpy(ret, &symbol, sizeof(symbol));
	return symbol != NULL;
}
