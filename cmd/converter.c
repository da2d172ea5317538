/*
 * Loading the converter.
 *
 * It brings libdw and what that needs. To load these takes longer than to answer for an address, and only a conversion
 * needs them, so the command is not linked with the converter. Where the library is looked for is in the Makefile.
 */
#include <dlfcn.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/converter.h"

#define LIBRARY "liblocus-convert.so"

static struct converter loaded;

/* POSIX has data and functions in pointers of one size; ISO C has no such cast. */
static bool find(void *library, const char *name, void *ret)
{
	void *symbol = dlsym(library, name);

	memcpy(ret, &symbol, sizeof(symbol));
	return symbol != NULL;
}

bool converter_load(void)
{
	const char *version;
	void *library;

	if (loaded.convert)
		return true;
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		report(NULL, "the converter cannot be loaded (it belongs beside locus or in ../lib/locus): %s",
		       dlerror());
		return false;
	}
	if (!find(library, "locus_convert_version", &version) || strcmp(version, LOCUS_VERSION) != 0 ||
	    !find(library, "locus_convert_result_done", &loaded.result_done) ||
	    !find(library, "locus_convert", &loaded.convert)) {
		loaded = (struct converter){0};
		report(NULL, "%s is not that of locus %s; install both together", LIBRARY, LOCUS_VERSION);
		return false;
	}
	return true;
}

const struct converter *converter(void)
{
	return &loaded;
}
