/* How many files this process may have open. */
#ifndef LOCUS_DESCRIPTORS_H
#define LOCUS_DESCRIPTORS_H

/*
 * The number of descriptors that are left for files that a command keeps open, beside those that it opens and closes at
 * its work: at least 1, at most UINT_MAX.
 */
unsigned descriptors_available(void);

#endif
