/* The version of the library and the tools. The format has one of its own: LOCUS_FORMAT_VERSION. */
#ifndef LOCUS_VERSION_H
#define LOCUS_VERSION_H

#define LOCUS_VERSION_MAJOR 0
#define LOCUS_VERSION_MINOR 1
#define LOCUS_VERSION_PATCH 0

/* Grows from version to version: 1002003 is 1.2.3. */
#define LOCUS_VERSION_NUMBER (LOCUS_VERSION_MAJOR * 1000000 + LOCUS_VERSION_MINOR * 1000 + LOCUS_VERSION_PATCH)

#define LOCUS_VERSION_JOIN_(major, minor, patch) #major "." #minor "." #patch
#define LOCUS_VERSION_JOIN(major, minor, patch)  LOCUS_VERSION_JOIN_(major, minor, patch)
/* "1.2.3" */
#define LOCUS_VERSION LOCUS_VERSION_JOIN(LOCUS_VERSION_MAJOR, LOCUS_VERSION_MINOR, LOCUS_VERSION_PATCH)

#endif
