/* Companions from the servers of debuginfod, where DEBUGINFOD_URLS names some. */
#ifndef LOCUS_FETCH_H
#define LOCUS_FETCH_H

#include <stdbool.h>

#include "convert/locus_convert.h"

/* Nothing is fetched from now on: --no-debuginfod. */
void fetch_forbid(void);

/* The terminal is another's: how far a download is, is not drawn. */
void fetch_be_quiet(void);

/* Whether servers may be asked. */
enum fetch_access {
	FETCH_FORBIDDEN,
	FETCH_NO_SERVER, /* DEBUGINFOD_URLS names none */
	FETCH_POSSIBLE,
};
enum fetch_access fetch_access(void);

/*
 * Fetches the file by its build-id into the cache of debuginfod's clients, or finds it there; *ret is its path, to be
 * freed with free. Loads what speaks to the network, and reads what came from there: to be called in a process of its
 * own. LOCUS_ERR_COMPANION: the servers do not have it, or have another file for it. LOCUS_ERR_UNSUPPORTED: none of
 * them, or libdebuginfod, could be asked, and to ask for another file is in vain. `error->text` follows on
 * "debuginfod".
 */
enum locus_status fetch(const struct locus_missing *missing, char **ret, struct locus_error *error);

#endif
