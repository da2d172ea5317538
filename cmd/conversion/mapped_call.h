/* Calls what reads a mapped input, and goes on if that is cut short meanwhile. */
#ifndef LOCUS_MAPPED_CALL_H
#define LOCUS_MAPPED_CALL_H

#include <stdbool.h>

/*
 * Calls `function` with `argument`. False: the system could not give it a page of a file, because that was cut short or
 * cannot be read (SIGBUS), and it was left there; what it allocated and opened is lost. Only for one thread of a
 * process.
 */
bool mapped_call(void (*function)(void *argument), void *argument);

#endif
