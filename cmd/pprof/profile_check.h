/* Whether what a profile's parts refer to is there. */
#ifndef LOCUS_PROFILE_CHECK_H
#define LOCUS_PROFILE_CHECK_H

#include "cmd/pprof/id_table.h"
#include "cmd/pprof/profile_error.h"
#include "pprof/profile.pb-c.h"

/* More than any process has: Linux allows each 65,530. */
enum { PROFILE_MAPPINGS_MAX = 1 << 16 };

/* What has which id. */
struct profile_ids {
	struct id_table mappings, locations, functions;
};

/*
 * False, with the first reason in `error`: a string index is out of range, an id is 0 or stands twice, something refers
 * to what is not there, a sample has not one value of each type. On success `ret` is freed by profile_ids_done.
 */
bool profile_check(const Pprof__Profile *message, struct profile_ids *ret, char error[PROFILE_ERROR_SIZE]);
void profile_ids_done(struct profile_ids *ids);

#endif
