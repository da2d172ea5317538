/* Loads the library of profiles: it needs protobuf-c and zlib, which all else does without. */
#include "cmd/symbolize/pprof_library.h"

#include <string.h>

#include "cmd/common/own_library.h"
#include "cmd/common/report.h"

#define LIBRARY "liblocus-pprof.so"

const struct pprof_library *pprof_library_load(void)
{
	static struct pprof_library loaded;
	const char *version;
	void *library = own_library_open(LIBRARY, "the library of profiles");

	if (!library)
		return NULL;
	if (own_library_find(library, "locus_pprof_version", &version) && strcmp(version, LOCUS_VERSION) == 0 &&
	    own_library_find(library, "profile_read", &loaded.read) &&
	    own_library_find(library, "profile_free", &loaded.free) &&
	    own_library_find(library, "profile_next", &loaded.next) &&
	    own_library_find(library, "profile_begin_frames", &loaded.begin_frames) &&
	    own_library_find(library, "profile_add_frame", &loaded.add_frame) &&
	    own_library_find(library, "profile_write", &loaded.write))
		return &loaded;
	report(NULL, "%s is not that of locus %s; install both together", LIBRARY, LOCUS_VERSION);
	return NULL;
}
