/* Reasons why a profile could not be read or written. */
#ifndef LOCUS_PROFILE_ERROR_H
#define LOCUS_PROFILE_ERROR_H

#include <stdbool.h>

enum { PROFILE_ERROR_SIZE = 256 };

/* Writes the reason in one line, and returns false, for the caller to return. */
bool profile_fail(char error[PROFILE_ERROR_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
