/* The folder in which debuginfod's client library keeps its files, and what it notes there of files it did not get. */
#ifndef LOCUS_FETCH_CACHE_H
#define LOCUS_FETCH_CACHE_H

#include <signal.h>
#include <stdbool.h>

#include "convert/locus_convert.h"

/* The library makes its folder, but not the one that this is in, as that of HOME where a service has none. */
bool fetch_cache_is_there(void);

/* Removes the library's note that no server has the file, if there is one: then they are asked again. */
void fetch_cache_remove_note(const struct locus_missing *missing);

/*
 * Whether there is no note, or it goes away within about a second. The library makes one also when it has fetched a
 * file, and then puts this in its place: what another process has just made may be such a one, until it is some time
 * old. Once `*is_stopped` is not 0, it waits no longer.
 */
bool fetch_cache_note_goes(const struct locus_missing *missing, const volatile sig_atomic_t *is_stopped);

#endif
