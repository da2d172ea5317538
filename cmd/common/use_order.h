/*
 * Entries in the order of their last use, so that the one used longest ago can give way. An entry is a struct with the
 * fields `newer` and `older`, the order one with `newest` and `oldest`, all of them pointers to entries; an order of
 * NULLs has none. These are macros because there are several kinds of entries.
 */
#ifndef LOCUS_USE_ORDER_H
#define LOCUS_USE_ORDER_H

#include <stddef.h>

/* Puts an entry that is not in the order behind all others: it is the newest. */
#define USE_ORDER_ADD(order, entry)                                                        \
	do {                                                                               \
		(entry)->newer = NULL;                                                     \
		(entry)->older = (order)->newest;                                          \
		*((order)->newest ? &(order)->newest->newer : &(order)->oldest) = (entry); \
		(order)->newest = (entry);                                                 \
	} while (0)

#define USE_ORDER_REMOVE(order, entry)                                                          \
	do {                                                                                    \
		*((entry)->newer ? &(entry)->newer->older : &(order)->newest) = (entry)->older; \
		*((entry)->older ? &(entry)->older->newer : &(order)->oldest) = (entry)->newer; \
	} while (0)

#endif
