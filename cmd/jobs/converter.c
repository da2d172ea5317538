/*
 * Loading the converter.
 *
 * It brings libdw and what that needs. To load these takes longer than to answer for an address, and only a conversion
 * needs them, so the command is not linked with the converter.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cmd/common/report.h"
#include "cmd/jobs/converter.h"
#include "spec/version.h"

#define LIBRARY "liblocus-convert.so"

static struct converter loaded;

/* POSIX has data and functions in pointers of one size; ISO C has no such cast. */
static bool find(void *library, const char *name, void *ret)
{
	void *symbol = dlsym(library, name);

	memcpy(ret, &symbol, sizeof(symbol));
	return symbol != NULL;
}

/*
 * The places are named here, not in the command's rpath: there the loader would look for libzstd and libc first, each
 * time the command starts. What is loaded already, as in the Makefile's SANITIZE, has the last name.
 */
static void *open_library(void)
{
	static const char *const names[] = {"$ORIGIN/" LIBRARY, "$ORIGIN/../lib/locus/" LIBRARY, LIBRARY};
	char reasons[1024] = "";
	size_t used = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
		if (library)
			return library;
		snprintf(reasons + used, sizeof(reasons) - used, "%s%s", i ? "; " : "", dlerror());
		used = strlen(reasons);
	}
	report(NULL, "the converter cannot be loaded (it belongs beside locus or in ../lib/locus): %s", reasons);
	return NULL;
}

bool converter_load(void)
{
	const char *version;
	void *library;

	if (loaded.convert)
		return true;
	library = open_library();
	if (!library)
		return false;
	if (!find(library, "locus_convert_version", &version) || strcmp(version, LOCUS_VERSION) != 0 ||
	    !find(library, "locus_convert_result_done", &loaded.result_done) ||
	    !find(library, "locus_convert_to_memory", &loaded.convert_to_memory) ||
	    !find(library, "locus_elf_build_id", &loaded.elf_build_id) ||
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
