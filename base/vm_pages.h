/* Pages of memory: given back to the kernel early, or taken from it many at a time. */
#ifndef LOCUS_VM_PAGES_H
#define LOCUS_VM_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Gives the whole pages inside [data + from, data + to) back to the kernel: they are not read again soon. */
void pages_release(const uint8_t *data, size_t from, size_t to);

/*
 * Takes the pages of [data, data + size) before they are written, if they are several: measured at half the cost of a
 * fault for each.
 */
void pages_populate(void *data, size_t size);

/*
 * Moves the pages of [from, from + size) to [to, to + size), whose pages are lost. Both are whole pages of private
 * anonymous mappings, and do not overlap. Afterwards `to` has what was at `from`, or reads as zeros where the kernel
 * cannot move pages; `from` reads as zeros. False: out of memory, and `to` is not mapped any more.
 */
bool pages_move(void *from, void *to, size_t size);

/*
 * Maps the pages of a file in [data, data + size), or most of them, before they are read: reads a byte here and there,
 * and so is ended by SIGBUS where the file has become shorter, as their reader would be.
 */
void pages_map(const uint8_t *data, size_t size);

/*
 * Zeroed memory, as from calloc, for a table whose places are read before they are written, as a search by hash does.
 * A page that is read first is one that all processes share, so that writing to it later has to exchange it: this
 * interrupts every processor that runs another thread of the process, which costs ten times as much as a fault.
 */
void *pages_zeroed(size_t count, size_t size);

#endif
