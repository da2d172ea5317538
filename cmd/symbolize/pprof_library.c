/* Loads the library of profiles: it needs protobuf-c and zlib, which all else does without. */
#include "cmd/symbolize/pprof_library.h"

#include "cmd/common/own_library.h"

const struct pprof_library *pprof_library_load(void)
{
	static struct pprof_library loaded;
	static const struct own_symbol symbols[] = {
		{"profile_read", &loaded.read},           {"profile_free", &loaded.free},
		{"profile_next", &loaded.next},           {"profile_begin_frames", &loaded.begin_frames},
		{"profile_add_frame", &loaded.add_frame}, {"profile_write", &loaded.write},
	};
	static const struct own_library library = {
		"liblocus-pprof.so",
		"the library of profiles",
		"locus_pprof_version",
		symbols,
		sizeof(symbols) / sizeof(symbols[0]),
	};

	return loaded.write || own_library_load(&library) ? &loaded : NULL;
}
