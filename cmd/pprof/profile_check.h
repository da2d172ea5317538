/* Checks that everything a profile refers to is there. */
#ifndef LOCUS_PROFILE_CHECK_H
#define LOCUS_PROFILE_CHECK_H

#include "cmd/pprof/id_table.h"
#include "cmd/pprof/profile_error.h"
#include "pprof/profile.pb-c.h"

/* More mappings than any process has: Linux allows 65,530. */
enum { PROFILE_MAPPINGS_MAX = 1 << 16 };

/* The tables of ids. */
struct profile_ids {
	struct id_table mappings, locations, functions;
};

/*
 * Checks a profile. False, with the first reason in `error`: the index of a string is out of range; an id is 0 or
 * stands twice; a reference leads nowhere; a sample does not have one value of each type. On success `ret` is freed by
 * profile_ids_done.
 */
bool profile_check(const Pprof__Profile *message, struct profile_ids *ret, char error[PROFILE_ERROR_SIZE]);
void profile_ids_done(struct profile_ids *ids);

#endif
