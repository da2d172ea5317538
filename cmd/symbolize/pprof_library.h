/* The library of profiles, which is loaded when a profile is to be read. */
#ifndef LOCUS_PPROF_LIBRARY_H
#define LOCUS_PPROF_LIBRARY_H

#include "cmd/pprof/profile.h"

/* The library's functions, as in profile.h. */
struct pprof_library {
	__typeof__(profile_read) *read;
	__typeof__(profile_free) *free;
	__typeof__(profile_next) *next;
	__typeof__(profile_begin_frames) *begin_frames;
	__typeof__(profile_add_frame) *add_frame;
	__typeof__(profile_write) *write;
};

/* Loads it. NULL: it could not be loaded; the reason was reported. */
const struct pprof_library *pprof_library_load(void);

#endif
