/* Fetches companions from the servers of debuginfod, if DEBUGINFOD_URLS names some. */
#ifndef LOCUS_FETCH_H
#define LOCUS_FETCH_H

#include "convert/locus_convert.h"

/* Forbids fetching: --no-debuginfod. */
void fetch_forbid(void);

/* Leaves the terminal to others: progress of downloads is not drawn. */
void fetch_be_quiet(void);

/* Whether servers may be asked. */
enum fetch_access {
	FETCH_FORBIDDEN,
	FETCH_NO_SERVER, /* DEBUGINFOD_URLS names none */
	FETCH_POSSIBLE,
};
enum fetch_access fetch_access(void);

/*
 * Fetches a file by its build-id into the cache of debuginfod's clients, or finds it there; *ret is its path, freed
 * with free. It loads libraries that use the network, and reads what came from there, so it is to be called in a
 * process of its own. LOCUS_ERR_COMPANION: this file could not be had, because the servers do not have it, for one, or
 * sent another one; it is worth while to ask for others.
 * LOCUS_ERR_UNSUPPORTED: no server, or libdebuginfod, could be used, and asking for other files would fail too.
 * `error->text` continues "debuginfod".
 *
 * After `seconds_max`, if that is not 0, and at a signal of stop_signals.h it gives up within about a second, and
 * leaves nothing of what it has so far in the cache.
 */
enum locus_status fetch(const struct locus_missing *missing, unsigned seconds_max, char **ret,
			struct locus_error *error);

#endif
