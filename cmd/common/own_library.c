/* Loading libraries that stand beside the command. */
#include "cmd/common/own_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cmd/common/report.h"

/*
 * The places are named here, not in the command's rpath: there the loader would look for libzstd and libc first, each
 * time the command starts. What is loaded already, as in the Makefile's SANITIZE, has the last name.
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

/* POSIX has data and functions in pointers of one size; ISO C has no such cast. */
bool own_library_find(void *library, const char *name, void *ret)
{
	void *symbol = dlsym(library, name);

	memcpy(ret, &symbol, sizeof(symbol));
	return symbol != NULL;
}
