/* Status codes and the error record that every fallible function of locus returns and fills. */
#ifndef LOCUS_STATUS_H
#define LOCUS_STATUS_H

#include <stdint.h>

/*
 * Each value says who is at fault. A function returns one of these and, on anything but LOCUS_OK, fills the
 * caller's error record if it was given one; results passed as `ret` are then untouched. The numbers are permanent.
 */
enum locus_status {
	LOCUS_OK = 0,
	LOCUS_ERR_IO = 1,          /* the system: a file could not be opened or read */
	LOCUS_ERR_MEMORY = 2,      /* the system: an allocation failed */
	LOCUS_ERR_USAGE = 3,       /* the caller: an argument is out of its documented range */
	LOCUS_ERR_NOT_LOCUS = 4,   /* the file: its first bytes are not a .locus file's */
	LOCUS_ERR_VERSION = 5,     /* the file: written in another version of the format */
	LOCUS_ERR_TRUNCATED = 6,   /* the file: shorter than its directory promises */
	LOCUS_ERR_CHECKSUM = 7,    /* the file: bytes do not match their checksum */
	LOCUS_ERR_CORRUPT = 8,     /* the file: checksums hold, but the content breaks a rule of FORMAT.md */
	LOCUS_ERR_UNSUPPORTED = 9, /* the file: valid, but needs something this build does not have */
	LOCUS_ERR_NOT_ELF = 10,    /* the input: not an ELF file */
	LOCUS_ERR_BAD_ELF = 11,    /* the input: an ELF file whose headers or sections are damaged */
	LOCUS_ERR_BAD_DWARF = 12,  /* the input: debug information that cannot be read */
	LOCUS_ERR_NO_DEBUG = 13,   /* the input: no debug information in it (a third outcome, not a failure) */
	LOCUS_ERR_COMPANION = 14,  /* the input: a companion file it needs is missing or does not match */
	LOCUS_ERR_LIMIT = 15,      /* the caller and the file: reading it takes more memory than is allowed */
	LOCUS_ERR_OUTPUT = 16,     /* the system: an output could not be made, written or put in place */
};

enum { LOCUS_ERROR_TEXT_SIZE = 256 };

/*
 * Caller-owned, fixed-size. `text` is one line without the file's name. `offset` is from the file's start; where a
 * program carries the .locus file, from the start of its section .locus.
 */
struct locus_error {
	char text[LOCUS_ERROR_TEXT_SIZE];
	uint64_t offset; /* LOCUS_NO_OFFSET where no place in the file is to blame */
};

#define LOCUS_NO_OFFSET UINT64_MAX

#endif
